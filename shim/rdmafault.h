/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rdmafault.h -- the control interface of librdmafault.so, the preload shim.
 *
 * The shim stands in front of librdmacm and of libc's allocator (LD_PRELOAD, dlsym(RTLD_NEXT)) and does
 * nothing until a thread arms it. While a thread is armed, each interposed call that it makes is recorded
 * into memory that the caller of rdmafault_arm() provided, and fails where a rule says so. With
 * RDMAFAULT_SYSTEM_CALLS the same holds for its system calls, also for those that libc makes within itself.
 *
 * The shim never allocates, takes no lock while armed, and keeps no pointer to the log after
 * rdmafault_disarm(). A log may lie in memory shared between processes: it holds no pointer, only addresses
 * as numbers, so what an armed process left there can be read after that process has died.
 *
 * Rules follow strace's inject= :
 *
 *   FUNCTION:error=ERRNO|retval=VALUE[:when=N|N..M|N+|N+STEP][:caller=SONAME|!SONAME|@ROLE|!@ROLE]
 *           [:prob=P%][:seed=S][:thread=any]
 *
 * FUNCTION is an interposed function, a system call as strace names it, or `allocation`: every allocator that
 * can fail.
 */
#ifndef RDMAFAULT_H
#define RDMAFAULT_H

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): C reads this too */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers) */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#define RDMAFAULT_ABI 2
#define RDMAFAULT_MAX_RULES 16
#define RDMAFAULT_MAX_ROLES 16
#define RDMAFAULT_MAX_MODULES 64
#define RDMAFAULT_MAX_ARGS 6
#define RDMAFAULT_NAME_SIZE 64          /* bytes, with the terminating NUL: SONAMEs, roles */
#define RDMAFAULT_TEXT_SIZE 48          /* the same: the end of a path */
#define RDMAFAULT_NONE 0xffffu          /* no such module, rule, role or function */
#define RDMAFAULT_ANY_ALLOCATOR 0xfffeu /* in a rule: `allocation` */

/* ---- the functions, as data ---- */

enum rdmafault_kind { RDMAFAULT_PROVIDER, RDMAFAULT_ALLOCATOR, RDMAFAULT_SYSTEM_CALL };

/* How a function reports failure. */
enum rdmafault_convention {
  RDMAFAULT_POINTER,   /* returns NULL, sets errno */
  RDMAFAULT_MINUS_ONE, /* returns -1, sets errno */
  RDMAFAULT_GAI,       /* returns -1 and sets errno, or returns an EAI_* value and leaves errno alone */
  RDMAFAULT_CODE,      /* returns the error number, leaves errno alone (posix_memalign) */
  RDMAFAULT_VOID,      /* returns nothing: cannot be made to fail */
  /* A system call, as the kernel returns it: record.result is the value or -errno, record.error that errno or
   * 0. (brk alone has a way of its own: where it fails it returns the break as it was, and so does
   * record.result; record.error is ENOMEM.) */
  RDMAFAULT_SYSTEM
};

/* What retval= means for a system call that moves bytes. "Asked" is the call's count; for sendmsg and recvmsg
 * the sum of its buffers.
 *
 *   ZERO   Returns 0, and nothing is done: for a call that reads, the end of the file or of the connection.
 *   SHORT  Half of what was asked, rounded down, so always less than it; 0 where fewer than 2 were asked.
 *          A call that writes returns that number, and nothing is written. A call that reads is really made,
 *          with half the count (recvmsg: with the buffers that make up half, 16 of them at most), and returns
 *          what the kernel gives then, which may be still less, or an error; the rest of a datagram is lost.
 *          Where half is 0 no call is made and 0 is returned. */
enum rdmafault_system_value { RDMAFAULT_ZERO = 1, RDMAFAULT_SHORT = 2 };

enum rdmafault_resource {
  RDMAFAULT_NO_RESOURCE,
  RDMAFAULT_EVENT_CHANNEL,
  RDMAFAULT_CM_ID,
  RDMAFAULT_ADDRINFO,
  RDMAFAULT_HEAP
};

struct rdmafault_name {
  const char* name; /* "EADDRINUSE", "EAI_NONAME" */
  int value;
};

struct rdmafault_function {
  const char* name;
  enum rdmafault_kind kind;
  enum rdmafault_convention convention;
  enum rdmafault_resource acquires;    /* on success */
  enum rdmafault_resource releases;    /* on success */
  const struct rdmafault_name* errors; /* what error= accepts; ends with a NULL name; NULL: cannot fail */
  const struct rdmafault_name*
      values; /* what retval= accepts; ends with a NULL name; NULL: retval= refused */
  const char* args[RDMAFAULT_MAX_ARGS]; /* what record.args hold, by name; NULL: not used */
};

/* The table of interposed functions, then of system calls, *count of them, valid for the life of the process.
 * A record's `function` is an index into it. The last row, other_system_call, stands for each system call
 * without a row of its own and cannot be made to fail. */
const struct rdmafault_function* rdmafault_functions(size_t* count);

/* ---- rules ---- */

enum rdmafault_action { RDMAFAULT_ERROR, RDMAFAULT_RETVAL };
enum rdmafault_caller {
  RDMAFAULT_ANY_CALLER,
  RDMAFAULT_CALLER_IS,     /* SONAME */
  RDMAFAULT_CALLER_IS_NOT, /* !SONAME */
  RDMAFAULT_ROLE_IS,       /* @ROLE */
  RDMAFAULT_ROLE_IS_NOT    /* !@ROLE */
};

struct rdmafault_rule {
  /* Index into rdmafault_functions(), or RDMAFAULT_ANY_ALLOCATOR: all of kind RDMAFAULT_ALLOCATOR that can
   * fail, counted together. A reallocarray and the realloc that it makes are one allocation each. */
  uint16_t function;
  uint16_t action;     /* enum rdmafault_action */
  int32_t value;       /* the errno, or the value to return; of system calls, enum rdmafault_system_value */
  uint64_t first;      /* calls are counted from 1, per rule, after the filters (caller, thread) */
  uint64_t last;       /* UINT64_MAX: no end */
  uint64_t step;       /* every step-th call from `first` on; 1: each */
  uint32_t prob_ppm;   /* of those, the fraction that fails, in millionths; 1000000: all */
  uint16_t caller;     /* enum rdmafault_caller; the module of record.caller */
  uint16_t any_thread; /* 0: calls of the arming thread alone; 1: of threads that are not armed too, but never
                        * their system calls, which are not seen */
  uint64_t seed;       /* of the choices that prob asks for */
  char caller_name[RDMAFAULT_NAME_SIZE]; /* without ! and @ */
};

struct rdmafault_error {
  size_t position;   /* of the offending character in the rule's text, from 0 */
  char message[256]; /* one line: what is wrong and what would be right */
};

/* Parse one rule. Returns 0 and fills *rule, or -1 and fills *error, leaving *rule alone. Allocates nothing.
 */
int rdmafault_parse(const char* text, struct rdmafault_rule* rule, struct rdmafault_error* error);

/* Whether the rule makes the call-th of the calls that passed its filters fail (from 1): 1 or 0. Depends on
 * nothing but its arguments, so a judge can compute what a seed should have done. Of several rules that would
 * make one call fail, the first does; all count it as seen. */
int rdmafault_rule_fires(const struct rdmafault_rule* rule, uint64_t call);

/* ---- the log ---- */

/* A module seen as a caller: one loaded object. */
struct rdmafault_module {
  uint64_t base;  /* load address: address - base is the offset in the file's own numbering */
  uint64_t start; /* mapped range, [start, end) */
  uint64_t end;
  uint32_t rules; /* bit i: rule i's caller filter accepts this module */
  uint16_t role;  /* index into the roles given to rdmafault_arm(), or RDMAFAULT_NONE */
  uint16_t ready; /* written last, with release order: everything above and below is valid */
  char soname[RDMAFAULT_NAME_SIZE]; /* DT_SONAME; without one, the file's base name; "main" for the program */
  char path[256];
};

enum rdmafault_record_flags {
  RDMAFAULT_COMPLETE = 1, /* written last, with release order; missing: the call never returned */
  /* The result was made by rule `rule`; the next function was not called. RDMAFAULT_NONE there: by a rule of
   * another armed thread, which a foreign call also met. */
  RDMAFAULT_INJECTED = 2,
  /* Made by a thread that is not armed, while the log's owner was: goes to the log of every armed thread. It
   * stays incomplete where it returned after the owner had disarmed. */
  RDMAFAULT_FOREIGN = 4
};

struct rdmafault_record {
  uint16_t function; /* index into rdmafault_functions() */
  uint16_t module;   /* index into log.modules: of the caller; RDMAFAULT_NONE: not known */
  uint16_t rule;     /* index of the rule that fired, or RDMAFAULT_NONE */
  uint16_t flags;    /* enum rdmafault_record_flags */
  int32_t thread;    /* kernel thread id */
  int32_t error;     /* errno after the call */
  uint16_t depth;    /* 0: called from outside the interposed functions; 1: from within one; ... */
  uint16_t reserved[3];
  /* Return address; offset in the module = caller - module.base. Where it would lie in the shim, because an
   * interposed function's next one ended by jumping here (a tail call): one past that next one's entry.
   * Of a system call: the innermost return address outside libc, the loader, the vDSO and the shim, since the
   * immediate one is nearly always libc's own; found by unwinding, through code that has unwind tables. Where
   * nothing within 64 frames is outside, the address after the system call's instruction. */
  uint64_t caller;
  int64_t result;    /* as returned, pointers as numbers; 0 for void */
  uint64_t acquired; /* handle that the call made (posix_memalign: the block), or 0 */
  uint64_t released; /* handle that the call was asked to release, or 0; set also where it failed */
  /* As named in the function's row; numbers in host byte order. Of a system call: the six registers as they
   * are, where an int may lack its sign; of other_system_call its number, then the first five. */
  int64_t args[RDMAFAULT_MAX_ARGS];
  /* Of a system call with a path (of inotify_add_watch too): the path's last 47 characters, where it can be
   * read. Else empty. */
  char text[RDMAFAULT_TEXT_SIZE];
};

/* From the last rdmafault_arm() on. */
struct rdmafault_rule_state {
  uint64_t seen;  /* calls that passed the rule's filters */
  uint64_t fired; /* of those, the ones made to fail */
};

struct rdmafault_log {
  uint32_t abi;          /* RDMAFAULT_ABI */
  uint32_t capacity;     /* records */
  uint32_t count;        /* records begun; may exceed capacity, what is beyond it was dropped */
  uint32_t module_count; /* modules begun; may exceed RDMAFAULT_MAX_MODULES */
  /* How often the seeing of system calls stopped before its time, so that the rest of an armed time is
   * missing: after a call that makes a thread or process within the caller's memory, from a place in the code
   * that the shim has no room left for (it has room for 8 such places in the life of a process). */
  uint32_t uncovered;
  uint32_t reserved;
  struct rdmafault_module modules[RDMAFAULT_MAX_MODULES];
  struct rdmafault_rule_state rules[RDMAFAULT_MAX_RULES];
  __extension__ struct rdmafault_record records[]; /* in order of entry */
};

/* Bytes that a log of `capacity` records needs. */
size_t rdmafault_log_size(uint32_t capacity);

/* Make `size` bytes at `memory` (aligned to 8) an empty log, owned by the caller. Returns NULL where they are
 * too few for one record. Touches the header alone, so that unused records cost no memory. */
struct rdmafault_log* rdmafault_log_init(void* memory, size_t size);

/* ---- arming ---- */

/* Which modules play which part: a module whose SONAME or path equals `module` has the role `role`. */
struct rdmafault_role {
  char role[RDMAFAULT_NAME_SIZE]; /* "iut" */
  char module[256];               /* SONAME, absolute path, or "main" */
};

/* System calls
 *
 * With RDMAFAULT_SYSTEM_CALLS each system call that the arming thread makes between rdmafault_arm() and
 * rdmafault_disarm(), and not between suspend and resume, is recorded, and fails where a rule says so: also
 * those that libc makes within itself (fopen's openat, malloc's brk) and those of signal handlers. It is
 * Linux's Syscall User Dispatch: the kernel raises SIGSYS in place of the call, and the shim's handler makes
 * the call itself or forges its result. That costs some microseconds a call, and some kilobytes of the
 * thread's stack.
 *
 * A call made to fail does not reach the kernel; but close does, which gives the descriptor back whatever it
 * returns. rt_sigreturn, with which a signal handler ends, is not recorded. A call that makes a thread or a
 * process within the caller's memory (pthread_create, vfork, posix_spawn) is recorded with the result 0.
 * fork() itself is not recorded, since nothing is around fork handlers.
 *
 * Not seen: system calls of other threads, also of those that the armed one makes, and of forked children and
 * programs that they execute; what the vDSO answers without the kernel (clock_gettime); what the kernel does
 * on its own behalf.
 *
 * Meanwhile SIGSYS is the shim's. The armed thread cannot block it, and may change its action, which then
 * takes effect for each SIGSYS of another origin, and for good once nobody is armed so; another thread must
 * leave the action alone. Signal handlers with SIGSYS in their sa_mask run without it there.
 * PR_SET_SYSCALL_USER_DISPATCH gives EINVAL. */
enum rdmafault_session_flags {
  RDMAFAULT_SYSTEM_CALLS = 1,
  /* Calls are counted, and recorded only where a rule makes them fail: for a long-running program, whose
   * every call no log could hold. An allocator call that no rule is about costs next to nothing then.
   * Meanwhile no object may be unloaded: what a rule's caller filter said of an address is remembered. */
  RDMAFAULT_INJECTED_ONLY = 2
};

/* What rdmafault_arm() gets. Copied: it need not outlive the call. */
struct rdmafault_session {
  struct rdmafault_log* log; /* must outlive the armed time */
  const struct rdmafault_rule* rules;
  size_t rule_count;
  const struct rdmafault_role* roles;
  size_t role_count;
  uint32_t flags; /* enum rdmafault_session_flags */
};

/* Arm the calling thread. Returns 0, or -1 with errno: EINVAL (too many rules or roles, no log, wrong ABI, a
 * rule that rdmafault_parse() could not have made, a rule about a system call without
 * RDMAFAULT_SYSTEM_CALLS), EBUSY (this thread is armed already), ENOSYS (an interposed provider function has
 * no next one: librdmacm is not in the global scope; rdmafault_missing() names it), EAGAIN (more than 32
 * threads armed at once), ENOTSUP (system calls cannot be seen: Linux before 5.11, no x86-64, or a seccomp
 * filter against prctl or process_vm_readv). The log goes on where it was; records and modules of an earlier
 * armed time stay, roles and rule states are made anew. */
int rdmafault_arm(const struct rdmafault_session* session);

/* Disarm the calling thread; no effect where it is not armed. When it returns nobody writes to the log. A
 * thread that ends is disarmed. */
void rdmafault_disarm(void);

/* Between suspend and resume the calling thread's interposed calls, and its system calls, are neither
 * recorded nor made to fail. Pairs nest. What blocks SIGSYS between them, in the thread's mask or an
 * action's, is not put right: leave both as they were. A thread that is not armed may call them. A forked
 * child starts disarmed and not suspended. */
void rdmafault_suspend(void);
void rdmafault_resume(void);

/* The name of the first interposed provider function without a next one, or NULL. Looks symbols up: not for
 * use while armed. */
const char* rdmafault_missing(void);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* RDMAFAULT_H */
