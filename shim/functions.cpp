// SPDX-License-Identifier: BSD-3-Clause
//
// The function table's data: the rows, and the errors that each interposed function can really report.
//
// A legal error is one that the man page names, or that the source of librdmacm or of the kernel's rdma_ucm
// returns. A listener must handle each of them; an error outside the list would prove nothing.
#include "shim/functions.h"

#include <netdb.h>

#include <cerrno>

#include "shim/system_errors.h"

namespace rdmafault {
namespace {

#define NAMED(constant) \
  { #constant, constant }
#define END_OF_NAMES \
  { nullptr, 0 }

// From opening /dev/infiniband/rdma_cm; the first use of librdmacm also looks for devices.
constexpr rdmafault_name kCreateEventChannelErrors[] = {
    NAMED(EACCES),  // the device node's permissions
    NAMED(EMFILE),  // no descriptor left, in the process
    NAMED(ENFILE),  // ... and in the system
    NAMED(ENODEV),  // no RDMA device
    NAMED(ENOENT),  // no device node: rdma_ucm is not loaded
    NAMED(ENOMEM),
    NAMED(ENXIO),  // a stale device node
    NAMED(EPERM),  // the kernel's ABI version is not one that librdmacm knows
    END_OF_NAMES};

constexpr rdmafault_name kCreateIdErrors[] = {
    NAMED(EACCES),   // the channel was opened before a fork, or with other credentials
    NAMED(EFAULT),   // the kernel cannot write its response
    NAMED(EINVAL),   // no such port space
    NAMED(EMFILE),   // without a channel, librdmacm opens one for the id
    NAMED(ENODATA),  // the kernel took less of the command than was written
    NAMED(ENODEV),   // no RDMA device
    NAMED(ENOMEM),
    NAMED(EPERM),  // the kernel's ABI version is not one that librdmacm knows
    END_OF_NAMES};

constexpr rdmafault_name kGetaddrinfoErrors[] = {
    NAMED(EINVAL),  // no node, no service and no hints
    NAMED(EMFILE),  // no descriptor left for the resolver
    NAMED(ENODEV),  // no RDMA device
    NAMED(ENOENT),  // a resolver's file is missing
    NAMED(ENOMEM),
    NAMED(EPERM),  // the kernel's ABI version is not one that librdmacm knows
    END_OF_NAMES};

// EAI_QPTYPE is in the man page, but no header defines it.
constexpr rdmafault_name kGetaddrinfoValues[] = {
    NAMED(EAI_ADDRFAMILY), NAMED(EAI_AGAIN),  NAMED(EAI_BADFLAGS), NAMED(EAI_FAIL),     NAMED(EAI_FAMILY),
    NAMED(EAI_MEMORY),     NAMED(EAI_NODATA), NAMED(EAI_NONAME),   NAMED(EAI_OVERFLOW), NAMED(EAI_SERVICE),
    NAMED(EAI_SOCKTYPE),   NAMED(EAI_SYSTEM), END_OF_NAMES};

constexpr rdmafault_name kBindAddrErrors[] = {
    NAMED(EACCES),         // a privileged port; a channel opened before a fork
    NAMED(EADDRINUSE),     // a busy port, on equal addresses
    NAMED(EADDRNOTAVAIL),  // a busy port where either address is a wildcard; an address of no netdev
    NAMED(EAFNOSUPPORT),   // neither IPv4, IPv6 nor AF_IB
    NAMED(EINVAL),         // bound already; a link-local address without a scope
    NAMED(EIO),            // the device is going away
    NAMED(ENODATA),        // the kernel took less of the command than was written
    NAMED(ENODEV),         // an address that belongs to no RDMA device
    NAMED(ENOENT),         // the kernel does not know the id
    NAMED(ENOMEM),        END_OF_NAMES};

constexpr rdmafault_name kListenErrors[] = {
    NAMED(EACCES),         // a channel opened before a fork
    NAMED(EADDRINUSE),     // another id listens there
    NAMED(EADDRNOTAVAIL),  // an unbound id is bound first: no port is left
    NAMED(EINVAL),         // the id's state does not allow it
    NAMED(EIO),            // the device is going away
    NAMED(ENODATA),        // the kernel took less of the command than was written
    NAMED(ENODEV),         // the device has gone; librdmacm notices when it asks for the address
    NAMED(ENOENT),         // the kernel does not know the id
    NAMED(ENOMEM),
    NAMED(ENOSYS),  // the device has no connection manager
    END_OF_NAMES};

constexpr rdmafault_name kDestroyIdErrors[] = {
    NAMED(EACCES),   // a channel opened before a fork
    NAMED(EFAULT),   // the kernel cannot write its response
    NAMED(EINVAL),   // the id belongs to another file
    NAMED(ENODATA),  // the kernel took less of the command than was written
    NAMED(ENOENT),   // the kernel does not know the id
    END_OF_NAMES};

constexpr rdmafault_name kAllocatorErrors[] = {NAMED(ENOMEM), END_OF_NAMES};

constexpr rdmafault_function kFunctions[] = {
#define RDMAFAULT_FUNCTION(name, kind, convention, acquires, releases, errors, values, ...)        \
  {#name,    RDMAFAULT_##kind, RDMAFAULT_##convention, RDMAFAULT_##acquires, RDMAFAULT_##releases, \
   (errors), (values),         {__VA_ARGS__}},
#include "shim/functions.inc"
#define RDMAFAULT_SYSTEM_CALL(name, number, manner, path, errors, values, ...) \
  {                                                                            \
      #name,                                                                   \
      RDMAFAULT_SYSTEM_CALL,                                                   \
      RDMAFAULT_SYSTEM,                                                        \
      RDMAFAULT_NO_RESOURCE,                                                   \
      RDMAFAULT_NO_RESOURCE,                                                   \
      (errors),                                                                \
      (values),                                                                \
      {__VA_ARGS__}},
#include "shim/system_calls.inc"
};

// The row of `allocation` in a rule.
constexpr rdmafault_function kAnyAllocator = {
    "allocation",          RDMAFAULT_ALLOCATOR, RDMAFAULT_POINTER, RDMAFAULT_HEAP,
    RDMAFAULT_NO_RESOURCE, kAllocatorErrors,    nullptr,           {}};

}  // namespace

const rdmafault_function& row_of(std::size_t function) {
  return kFunctions[function];
}

const rdmafault_function* row_for_rule(std::size_t function) {
  if (function == RDMAFAULT_ANY_ALLOCATOR) return &kAnyAllocator;
  return function < kRowCount ? &kFunctions[function] : nullptr;
}

}  // namespace rdmafault

const rdmafault_function* rdmafault_functions(size_t* count) {
  if (count != nullptr) *count = rdmafault::kRowCount;
  return &rdmafault::row_of(0);
}
