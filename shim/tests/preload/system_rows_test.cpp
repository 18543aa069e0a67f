// SPDX-License-Identifier: BSD-3-Clause
//
// Every row of the table of system calls: the caller gets each legal error, and the call's number selects the
// row. The meaning of retval=, and the special cases close and brk.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "preload_test.h"

namespace {

using SystemRows = Preloaded;

const std::map<std::string, long> kNumbers = {
#define RDMAFAULT_SYSTEM_CALL(name, number, ...) {#name, number},
#include "shim/system_calls.inc"
};

// A call with arguments that the kernel refuses: if it were made, the error would differ.
long call_badly(long number) {
  return syscall(number, -1L, 1L, 1L, 1L, 1L, 1L);
}

TEST_F(SystemRows, TheCallerGetsEveryLegalError) {
  size_t count = 0;
  const rdmafault_function* functions = shim().functions(&count);
  size_t tried = 0;
  for (size_t i = 0; i < count; ++i) {
    const rdmafault_function& row = functions[i];
    if (row.kind != RDMAFAULT_SYSTEM_CALL || std::strcmp(row.name, "brk") == 0) continue;
    const rdmafault_name* name = row.errors;
    for (; name != nullptr && name->name != nullptr; ++name, ++tried) {
      const std::string text = std::string(row.name) + ":error=" + name->name;
      SCOPED_TRACE(text);
      const Log log;
      Session session(log, {text}, {}, kSystemCalls);
      const long number = kNumbers.at(row.name);
      ASSERT_EQ(0, session.arm());
      const long result = call_badly(number);
      const int error = errno;
      shim().disarm();
      EXPECT_EQ(-1, result);
      EXPECT_EQ(name->value, error);
      const auto records = log.records_of(row.name);
      ASSERT_EQ(1U, records.size());
      EXPECT_EQ(1U, log->count);
      EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, records[0].flags);
      EXPECT_EQ(-name->value, records[0].result);
      EXPECT_EQ(name->value, records[0].error);
      EXPECT_EQ(0, records[0].rule);
      EXPECT_EQ(-1, records[0].args[0]);
      EXPECT_EQ(1, records[0].args[5]);
    }
  }
  EXPECT_GE(tried, 200U);
}

TEST_F(SystemRows, CallsThatCannotFailAndCallsWithoutARowAreSeen) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const pid_t process = getpid();
  const long mask = syscall(SYS_umask, 022);
  syscall(SYS_umask, mask);
  const long none = syscall(100000, 1, 2, 3, 4, 5, 6);
  const int error = errno;
  shim().disarm();
  EXPECT_EQ(-1, none);
  EXPECT_EQ(ENOSYS, error);
  ASSERT_EQ(1U, log.records_of("getpid").size());
  EXPECT_EQ(process, log.records_of("getpid")[0].result);
  const auto others = log.records_of("other_system_call");
  ASSERT_EQ(3U, others.size());
  EXPECT_EQ(SYS_umask, others[0].args[0]);
  EXPECT_EQ(022, others[0].args[1]);
  EXPECT_EQ(022, others[1].result);
  EXPECT_EQ(100000, others[2].args[0]);
  EXPECT_EQ(5, others[2].args[5]);
  EXPECT_EQ(-ENOSYS, others[2].result);
  EXPECT_EQ(ENOSYS, others[2].error);
  EXPECT_EQ(RDMAFAULT_COMPLETE, others[2].flags);
}

// The two ends of a stream, with some bytes in the queue of the first.
class Stream {
 public:
  explicit Stream(const char* waiting = "") {
    EXPECT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends_));
    if (waiting[0] != '\0') send(waiting);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int end() const { return ends_[0]; }
  void send(const char* text) const {
    EXPECT_EQ(static_cast<ssize_t>(std::strlen(text)), write(ends_[1], text, std::strlen(text)));
  }
  // What arrived at the other end.
  std::string arrived() const {
    char text[100];
    const ssize_t length = recv(ends_[1], text, sizeof(text), MSG_DONTWAIT);
    return {text, length > 0 ? static_cast<size_t>(length) : 0};
  }
  std::string left() const {
    char text[100];
    const ssize_t length = recv(ends_[0], text, sizeof(text), MSG_DONTWAIT);
    return {text, length > 0 ? static_cast<size_t>(length) : 0};
  }

 private:
  int ends_[2] = {};
};

// A message of three buffers, of `sizes` bytes.
struct Message {
  explicit Message(std::initializer_list<size_t> sizes) {
    char* at = bytes;
    for (const size_t size : sizes) {
      parts[header.msg_iovlen++] = {at, size};
      at += size;
    }
    header.msg_iov = parts;
  }
  char bytes[100] = "0123456789";
  iovec parts[20] = {};
  msghdr header = {};
};

struct Bytes {
  const char* rule;
  ssize_t (*call)(int fd, char* bytes, size_t count);
};

const Bytes kWriters[] = {
    {"write", [](int fd, char* bytes, size_t count) { return write(fd, bytes, count); }},
    {"pwrite64", [](int fd, char* bytes, size_t count) { return pwrite(fd, bytes, count, 0); }},
    {"sendto", [](int fd, char* bytes, size_t count) { return send(fd, bytes, count, 0); }},
    {"sendmsg", [](int fd, char* bytes, size_t count) {
       iovec parts[2] = {{bytes, count / 2}, {bytes + count / 2, count - count / 2}};
       msghdr message = {};
       message.msg_iov = parts;
       message.msg_iovlen = 2;
       return sendmsg(fd, &message, 0);
     }}};

TEST_F(SystemRows, AShortOrZeroWriteWritesNothing) {
  for (const Bytes& writer : kWriters) {
    for (const auto& [value, count, expected] : {std::tuple("SHORT", 9, 4), std::tuple("SHORT", 2, 1),
                                                 std::tuple("SHORT", 1, 0), std::tuple("ZERO", 9, 0)}) {
      const std::string text = std::string(writer.rule) + ":retval=" + value;
      SCOPED_TRACE(text + " of " + std::to_string(count));
      const Stream stream;
      char bytes[] = "012345678";
      const Log log;
      Session session(log, {text}, {}, kSystemCalls);
      ASSERT_EQ(0, session.arm());
      const ssize_t written = writer.call(stream.end(), bytes, static_cast<size_t>(count));
      shim().disarm();
      EXPECT_EQ(expected, written);
      EXPECT_EQ("", stream.arrived());
      ASSERT_EQ(1U, log.records_of(writer.rule).size());
      EXPECT_EQ(expected, log.records_of(writer.rule)[0].result);
      EXPECT_EQ(0, log.records_of(writer.rule)[0].error);
      EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, log.records_of(writer.rule)[0].flags);
    }
  }
}

const Bytes kReaders[] = {
    {"read", [](int fd, char* bytes, size_t count) { return read(fd, bytes, count); }},
    {"recvfrom", [](int fd, char* bytes, size_t count) { return recv(fd, bytes, count, 0); }},
    {"recvmsg", [](int fd, char* bytes, size_t count) {
       iovec parts[2] = {{bytes, count / 3}, {bytes + count / 3, count - count / 3}};
       msghdr message = {};
       message.msg_iov = parts;
       message.msg_iovlen = 2;
       const ssize_t result = recvmsg(fd, &message, 0);
       EXPECT_EQ(parts, message.msg_iov) << "the message must be restored";
       EXPECT_EQ(2U, message.msg_iovlen);
       return result;
     }}};

TEST_F(SystemRows, AShortReadGetsHalf) {
  for (const Bytes& reader : kReaders) {
    struct Case {
      const char* value;
      size_t count;
      const char* got;
      const char* left;
    };
    for (const Case& one : {Case{"SHORT", 9, "0123", "456789"}, Case{"SHORT", 30, "0123456789", ""},
                            Case{"SHORT", 1, "", "0123456789"}, Case{"ZERO", 9, "", "0123456789"}}) {
      const std::string text = std::string(reader.rule) + ":retval=" + one.value;
      SCOPED_TRACE(text + " of " + std::to_string(one.count));
      const Stream stream("0123456789");
      char bytes[40] = "";
      const Log log;
      Session session(log, {text}, {}, kSystemCalls);
      ASSERT_EQ(0, session.arm());
      const ssize_t length = reader.call(stream.end(), bytes, one.count);
      shim().disarm();
      EXPECT_EQ(static_cast<ssize_t>(std::strlen(one.got)), length);
      EXPECT_STREQ(one.got, bytes);
      EXPECT_EQ(one.left, stream.left());
      EXPECT_EQ(length, log.records_of(reader.rule).at(0).result);
    }
  }
}

TEST_F(SystemRows, AShortReadThatTheKernelRefusesFailsWithItsError) {
  char bytes[10];
  const Log log;
  Session session(log, {"read:retval=SHORT", "recvmsg:retval=SHORT", "pread64:retval=SHORT"}, {},
                  kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const ssize_t length = read(-1, bytes, sizeof(bytes));
  const int read_error = errno;
  const long received = syscall(SYS_recvmsg, 0, 1, 0);
  const int receive_error = errno;
  shim().disarm();
  EXPECT_EQ(-1, length);
  EXPECT_EQ(EBADF, read_error);
  EXPECT_EQ(-1, received);
  EXPECT_NE(0, receive_error);
  EXPECT_EQ(EBADF, log.records_of("read").at(0).error);
}

TEST_F(SystemRows, AShortReceiveOfManyBuffersUsesTheFirstSixteen) {
  const Stream stream("0123456789abcdefghijklmnopqrstuvwxyz");
  Message message({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 60});
  const Log log;
  Session session(log, {"recvmsg:retval=SHORT"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const ssize_t length = recvmsg(stream.end(), &message.header, 0);
  shim().disarm();
  EXPECT_EQ(16, length);
  EXPECT_EQ("0123456789abcdef", std::string(message.bytes, 16));
  EXPECT_EQ("ghijklmnopqrstuvwxyz", stream.left());
}

TEST_F(SystemRows, ACloseMadeToFailStillCloses) {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  const Log log;
  Session session(log, {"close:error=EINTR"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const int result = close(fd);
  const int error = errno;
  shim().disarm();
  EXPECT_EQ(-1, result);
  EXPECT_EQ(EINTR, error);
  EXPECT_EQ(-1, fcntl(fd, F_GETFD)) << "it is still open";
  EXPECT_EQ(-EINTR, log.records_of("close").at(0).result);
}

// libc's brk() checks the returned break, so that must be the old one.
TEST_F(SystemRows, ABreakMadeToFailStaysWhereItIs) {
  const Log log;
  Session session(log, {"brk:error=ENOMEM"}, {}, kSystemCalls);
  void* const before = sbrk(0);
  ASSERT_EQ(0, session.arm());
  errno = 0;
  const void* const result = sbrk(4096);
  const int error = errno;
  shim().disarm();
  EXPECT_EQ(reinterpret_cast<void*>(-1), result);
  EXPECT_EQ(ENOMEM, error);
  EXPECT_EQ(before, sbrk(0));
  const auto records = log.records_of("brk");
  ASSERT_EQ(1U, records.size());
  EXPECT_EQ(static_cast<int64_t>(reinterpret_cast<uintptr_t>(before)), records[0].result);
  EXPECT_EQ(ENOMEM, records[0].error);
}

struct Path {
  const char* row;
  long (*call)(const char* path);
};

const Path kPaths[] = {
    {"open", [](const char* path) { return syscall(SYS_open, path, O_RDONLY, 0); }},
    {"openat", [](const char* path) { return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0); }},
    {"creat", [](const char* path) { return syscall(SYS_creat, path, 0600); }},
    {"newfstatat", [](const char* path) { return syscall(SYS_newfstatat, AT_FDCWD, path, 0, 0); }},
    {"stat", [](const char* path) { return syscall(SYS_stat, path, 0); }},
    {"lstat", [](const char* path) { return syscall(SYS_lstat, path, 0); }},
    {"statx", [](const char* path) { return syscall(SYS_statx, AT_FDCWD, path, 0, 0, 0); }},
    {"statfs", [](const char* path) { return syscall(SYS_statfs, path, 0); }},
    {"access", [](const char* path) { return syscall(SYS_access, path, F_OK); }},
    {"faccessat", [](const char* path) { return syscall(SYS_faccessat, AT_FDCWD, path, F_OK); }},
    {"faccessat2", [](const char* path) { return syscall(SYS_faccessat2, AT_FDCWD, path, F_OK, 0); }},
    {"readlink", [](const char* path) { return syscall(SYS_readlink, path, 0, 0); }},
    {"readlinkat", [](const char* path) { return syscall(SYS_readlinkat, AT_FDCWD, path, 0, 0); }},
    {"inotify_add_watch", [](const char* path) { return syscall(SYS_inotify_add_watch, -1, path, 1); }},
};

TEST_F(SystemRows, APathsEndIsRecorded) {
  const std::string start(400, 'd');
  const std::string name = "/nowhere/0123456789/" + start + "/the/end/of/it";
  for (const Path& one : kPaths) {
    SCOPED_TRACE(one.row);
    const Log log;
    Session session(log, {}, {}, kSystemCalls);
    ASSERT_EQ(0, session.arm());
    one.call("/nowhere/short");
    one.call(name.c_str());
    shim().disarm();
    const auto records = log.records_of(one.row);
    ASSERT_EQ(2U, records.size());
    EXPECT_STREQ("/nowhere/short", records[0].text);
    EXPECT_EQ(name.substr(name.size() - 47), records[1].text);
    EXPECT_EQ(-records[1].error, records[1].result);
  }
}

TEST_F(SystemRows, APathsEndIsCompleteAtAnyAddress) {
  std::vector<char> room(2048);
  for (size_t at = 0; at < 300; ++at) {
    for (const size_t length : {1U, 46U, 47U, 48U, 256U, 300U}) {
      std::string path(length, 'p');
      for (size_t i = 0; i < length; ++i) path[i] = static_cast<char>('!' + i % 90);
      path[0] = '/';
      std::memcpy(room.data() + at, path.c_str(), length + 1);
      const Log one(4);
      Session session(one, {"access:error=ENOENT"}, {}, kSystemCalls);
      ASSERT_EQ(0, session.arm());
      const int result = access(room.data() + at, F_OK);
      shim().disarm();
      ASSERT_EQ(-1, result);
      ASSERT_EQ(path.substr(length > 47 ? length - 47 : 0), one->records[0].text) << at << ' ' << length;
    }
  }
}

// At the end of a mapping, with an unmapped page after it.
TEST_F(SystemRows, TheKernelRefusesABadPath) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* const pages =
      static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(MAP_FAILED, static_cast<void*>(pages));
  ASSERT_EQ(0, munmap(pages + page, page));
  std::memcpy(pages + page - 5, "/dev", 5);
  std::memset(pages + page - 9, 'u', 4);  // "uuuu/dev"
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const long good = access(pages + page - 5, F_OK);
  pages[page - 1] = '/';
  const long endless = access(pages + page - 5, F_OK);
  const int endless_error = errno;
  const long none = access(reinterpret_cast<const char*>(1), F_OK);
  const int none_error = errno;
  const long null = syscall(SYS_access, nullptr, F_OK);
  shim().disarm();
  EXPECT_EQ(0, good);
  EXPECT_EQ(-1, endless);
  EXPECT_EQ(EFAULT, endless_error);
  EXPECT_EQ(-1, none);
  EXPECT_EQ(EFAULT, none_error);
  EXPECT_EQ(-1, null);
  const auto records = log.records_of("access");
  ASSERT_EQ(4U, records.size());
  EXPECT_STREQ("/dev", records[0].text);
  for (size_t i = 1; i < 4; ++i) EXPECT_STREQ("", records[i].text);
  munmap(pages, page);
}

}  // namespace
