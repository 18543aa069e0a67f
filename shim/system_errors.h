// SPDX-License-Identifier: BSD-3-Clause
//
// The error lists of the system calls' rows, included by functions.cpp only.
//
// A legal error is one that the man page names, or the kernel's source returns, for a correct call: no EBADF,
// no EFAULT, and EINVAL only if a kernel may not know the request.
#ifndef SHIM_SYSTEM_ERRORS_H
#define SHIM_SYSTEM_ERRORS_H

#include <cerrno>

#include "shim/rdmafault.h"

#define NAMED(constant) \
  { #constant, constant }
#define END_OF_NAMES \
  { nullptr, 0 }

namespace rdmafault {

// The values of retval= for calls that move bytes.
inline constexpr rdmafault_name kByteValues[] = {
    {"ZERO", RDMAFAULT_ZERO}, {"SHORT", RDMAFAULT_SHORT}, END_OF_NAMES};

inline constexpr rdmafault_name kOpenErrors[] = {
    NAMED(EACCES), NAMED(EBUSY),  // a device that one process at a time may open
    NAMED(EINTR),                 // of a slow device, or a network file system
    NAMED(EIO),
    NAMED(EMFILE),  // no descriptor left, in the process
    NAMED(ENFILE),  // ... and in the system
    NAMED(ENODEV),  // the device has gone
    NAMED(ENOENT), NAMED(ENOMEM),
    NAMED(ENXIO),  // a device node without a device
    NAMED(EPERM),  END_OF_NAMES};

inline constexpr rdmafault_name kReadErrors[] = {NAMED(EAGAIN),  // nonblocking
                                                 NAMED(EINTR), NAMED(EIO),
                                                 NAMED(ENODEV),  // the device has gone
                                                 END_OF_NAMES};

inline constexpr rdmafault_name kWriteErrors[] = {NAMED(EAGAIN),  // nonblocking
                                                  NAMED(EINTR),  NAMED(EIO),
                                                  NAMED(ENODEV),  // the device has gone
                                                  NAMED(ENOMEM),  // of a device's command
                                                  END_OF_NAMES};

inline constexpr rdmafault_name kCloseErrors[] = {NAMED(EINTR), NAMED(EIO), END_OF_NAMES};

// The errors depend on the driver; these are those of uverbs and network devices.
inline constexpr rdmafault_name kIoctlErrors[] = {
    NAMED(EACCES),     NAMED(EAGAIN), NAMED(EBUSY),  NAMED(EINTR),
    NAMED(EINVAL),  // a request that the driver does not know
    NAMED(EIO),        NAMED(ENODEV), NAMED(ENOMEM),
    NAMED(ENOTTY),      // a request that no driver of this kind knows
    NAMED(EOPNOTSUPP),  // a request that the device cannot do
    NAMED(EPERM),      END_OF_NAMES};

inline constexpr rdmafault_name kFcntlErrors[] = {NAMED(EAGAIN),  // another process has the lock
                                                  NAMED(EINTR),   // waiting for one
                                                  NAMED(EMFILE),  // F_DUPFD
                                                  NAMED(ENOLCK), NAMED(ENOMEM), NAMED(EPERM), END_OF_NAMES};

inline constexpr rdmafault_name kLseekErrors[] = {NAMED(ESPIPE), END_OF_NAMES};

inline constexpr rdmafault_name kDupErrors[] = {NAMED(EMFILE), NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kDupToErrors[] = {NAMED(EBUSY),  // a race with open
                                                  NAMED(EMFILE), NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kNewFileErrors[] = {
    NAMED(EMFILE),  // no descriptor left in the process, or a limit of the user
    NAMED(ENFILE),  // ... and in the system
    NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kInnerFileErrors[] = {
    NAMED(EMFILE), NAMED(ENFILE),
    NAMED(ENODEV),  // the kernel's own file system for such files is missing
    NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kFstatErrors[] = {NAMED(EIO), NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kStatErrors[] = {NAMED(EACCES), NAMED(EIO),     NAMED(ENOENT),
                                                 NAMED(ENOMEM), NAMED(ENOTDIR), END_OF_NAMES};

inline constexpr rdmafault_name kNewStatErrors[] = {
    NAMED(EACCES),  NAMED(EIO),  NAMED(ENOENT), NAMED(ENOMEM),
    NAMED(ENOSYS),  // a kernel before it, or a filter that does not know it
    NAMED(ENOTDIR), END_OF_NAMES};

inline constexpr rdmafault_name kStatfsErrors[] = {NAMED(EACCES), NAMED(EINTR),  NAMED(EIO),  NAMED(ENOENT),
                                                   NAMED(ENOMEM), NAMED(ENOSYS), END_OF_NAMES};

inline constexpr rdmafault_name kGetdentsErrors[] = {NAMED(EIO),
                                                     NAMED(ENOENT),  // the directory has been removed
                                                     NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kReadlinkErrors[] = {NAMED(EACCES),
                                                     NAMED(EINVAL),  // the file is not a link
                                                     NAMED(EIO),     NAMED(ENOENT), NAMED(ENOMEM),
                                                     NAMED(ENOTDIR), END_OF_NAMES};

inline constexpr rdmafault_name kAddWatchErrors[] = {NAMED(EACCES), NAMED(ENOENT), NAMED(ENOMEM),
                                                     NAMED(ENOSPC),  // the user's limit of watches
                                                     END_OF_NAMES};

inline constexpr rdmafault_name kSocketErrors[] = {
    NAMED(EACCES),
    NAMED(EAFNOSUPPORT),  // a family that the kernel lacks
    NAMED(EMFILE),
    NAMED(ENFILE),
    NAMED(ENOBUFS),
    NAMED(ENOMEM),
    NAMED(EPROTONOSUPPORT),  // a protocol of it that the kernel lacks
    END_OF_NAMES};

inline constexpr rdmafault_name kBindErrors[] = {NAMED(EACCES),  // a privileged port
                                                 NAMED(EADDRINUSE), NAMED(EADDRNOTAVAIL), NAMED(ENOMEM),
                                                 END_OF_NAMES};

inline constexpr rdmafault_name kSocketListenErrors[] = {NAMED(EADDRINUSE), END_OF_NAMES};

inline constexpr rdmafault_name kAcceptErrors[] = {NAMED(EAGAIN), NAMED(ECONNABORTED), NAMED(EINTR),
                                                   NAMED(EMFILE), NAMED(ENFILE),       NAMED(ENOBUFS),
                                                   NAMED(ENOMEM), NAMED(EPERM),  // a firewall's rule
                                                   NAMED(EPROTO), END_OF_NAMES};

inline constexpr rdmafault_name kConnectErrors[] = {
    NAMED(EACCES),       NAMED(EADDRNOTAVAIL),  // no local port left
    NAMED(EAGAIN),                              // a full backlog, of a local socket
    NAMED(ECONNREFUSED), NAMED(EHOSTUNREACH),  NAMED(EINTR), NAMED(ENETUNREACH),
    NAMED(EPERM),  // a firewall's rule
    NAMED(ETIMEDOUT),    END_OF_NAMES};

inline constexpr rdmafault_name kSendErrors[] = {
    NAMED(EACCES),     NAMED(EAGAIN), NAMED(ECONNREFUSED),  // no receiver; netlink too
    NAMED(ECONNRESET), NAMED(EINTR),  NAMED(ENOBUFS),      NAMED(ENOMEM), NAMED(EPIPE), END_OF_NAMES};

inline constexpr rdmafault_name kReceiveErrors[] = {NAMED(EAGAIN),     NAMED(ECONNREFUSED),
                                                    NAMED(ECONNRESET), NAMED(EINTR),
                                                    NAMED(ENOBUFS),  // netlink has dropped messages
                                                    NAMED(ENOMEM),     END_OF_NAMES};

inline constexpr rdmafault_name kGetsocknameErrors[] = {NAMED(ENOBUFS), END_OF_NAMES};

inline constexpr rdmafault_name kGetsockoptErrors[] = {NAMED(ENOPROTOOPT),  // an option that the kernel lacks
                                                       END_OF_NAMES};

inline constexpr rdmafault_name kSetsockoptErrors[] = {NAMED(ENOBUFS), NAMED(ENOMEM), NAMED(ENOPROTOOPT),
                                                       NAMED(EPERM), END_OF_NAMES};

inline constexpr rdmafault_name kPollErrors[] = {NAMED(EINTR), NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kEpollCtlErrors[] = {NAMED(ENOMEM),
                                                     NAMED(ENOSPC),  // the user's limit of watches
                                                     NAMED(EPERM),   // a file that cannot be waited for
                                                     END_OF_NAMES};

inline constexpr rdmafault_name kWaitErrors[] = {NAMED(EINTR), END_OF_NAMES};

inline constexpr rdmafault_name kMmapErrors[] = {
    NAMED(EACCES),  // the file was not opened for that
    NAMED(EAGAIN),  // more locked memory than allowed, which drivers map
    NAMED(ENODEV),  // a file that cannot be mapped, a device that has gone
    NAMED(ENOMEM),
    NAMED(EPERM),  // PROT_EXEC on a file system without it
    END_OF_NAMES};

inline constexpr rdmafault_name kMunmapErrors[] = {
    NAMED(ENOMEM),  // one mapping would become two, of which there are too many
    END_OF_NAMES};

inline constexpr rdmafault_name kMremapErrors[] = {NAMED(EAGAIN), NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kMprotectErrors[] = {NAMED(EACCES),
                                                     NAMED(ENOMEM),  // as for munmap
                                                     END_OF_NAMES};

inline constexpr rdmafault_name kBrkErrors[] = {NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kMadviseErrors[] = {NAMED(EAGAIN),
                                                    NAMED(EINVAL),  // an advice that the kernel lacks
                                                    NAMED(EIO), NAMED(ENOMEM), END_OF_NAMES};

inline constexpr rdmafault_name kGetrandomErrors[] = {
    NAMED(EAGAIN),  // no entropy yet, and told not to wait
    NAMED(EINTR),
    NAMED(ENOSYS),  // a kernel before it, or a filter that does not know it
    END_OF_NAMES};

inline constexpr rdmafault_name kPrlimitErrors[] = {NAMED(EPERM), END_OF_NAMES};

}  // namespace rdmafault

#undef NAMED
#undef END_OF_NAMES

#endif  // SHIM_SYSTEM_ERRORS_H
