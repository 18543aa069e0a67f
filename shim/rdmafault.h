/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rdmafault.h -- the control interface of librdmafault.so, the preload shim.
 *
 * The shim interposes functions of librdmacm and of libc's allocator (LD_PRELOAD, dlsym(RTLD_NEXT)). It does
 * nothing until a thread arms it. While a thread is armed, each interposed call of the thread is recorded in
 * memory that the caller of rdmafault_arm() provided, and fails if a rule says so. With
 * RDMAFAULT_SYSTEM_CALLS the same holds for its system calls, including those that libc makes internally.
 *
 * The shim never allocates, takes no lock while armed, and keeps no pointer to the log after
 * rdmafault_disarm(). A log may be in memory shared between processes: it holds no pointers, only addresses
 * as numbers, so it can be read after the armed process has died.
 *
 * Rules are similar to strace's inject= :
 *
 *   FUNCTION:error=ERRNO|retval=VALUE[:when=N|N..M|N+|N+STEP][:caller=SONAME|!SONAME|@ROLE|!@ROLE]
 *           [:prob=P%][:seed=S][:thread=any]
 *
 * FUNCTION is an interposed function, a system call as strace names it, or `allocation`: all
 * allocators that can fail.
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
  /* A system call, as the kernel returns it: record.result is the value or -errno; record.error is that errno
   * or 0. (brk differs: when it fails it returns the old break, and record.result holds that; record.error is
   * ENOMEM.) */
  RDMAFAULT_SYSTEM
};

/* What retval= means for a system call that moves bytes. The requested size is the call's count; for sendmsg
 * and recvmsg it is the sum of the buffers.
 *
 *   ZERO   Returns 0 without making the call: for a read, the end of the file or of the connection.
 *   SHORT  Half of the requested size, rounded down. A call that writes returns that number, and nothing is
 *          written. A call that reads is made with half the count (recvmsg: with the buffers that make up
 * half, at most 16) and returns the kernel's result, which may be smaller still, or an error; the rest of a
 *          datagram is lost. If half is 0, the call returns 0 without being made. */
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
  enum rdmafault_resource acquires;     /* on success */
  enum rdmafault_resource releases;     /* on success */
  const struct rdmafault_name* errors;  /* for error=; ends with a NULL name; NULL: cannot fail */
  const struct rdmafault_name* values;  /* for retval=; ends with a NULL name; NULL: no retval= */
  const char* args[RDMAFAULT_MAX_ARGS]; /* the names of record.args; NULL: not used */
};

/* The table of interposed functions, then of system calls, *count of them, valid for the life of the process.
 * A record's `function` is an index into it. The last row, other_system_call, is for all system calls without
 * a row; it cannot be made to fail. */
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
   * fail, counted together. A reallocarray and the realloc that it calls count as two. */
  uint16_t function;
  uint16_t action;     /* enum rdmafault_action */
  int32_t value;       /* the errno, or the value to return; for system calls, enum rdmafault_system_value */
  uint64_t first;      /* calls count from 1, per rule, after the filters (caller, thread) */
  uint64_t last;       /* UINT64_MAX: no end */
  uint64_t step;       /* every step-th call from `first` on; 1: every call */
  uint32_t prob_ppm;   /* the fraction of those calls that fails, in millionths; 1000000: all */
  uint16_t caller;     /* enum rdmafault_caller; the module of record.caller */
  uint16_t any_thread; /* 0: only calls of the arming thread; 1: also those of threads that are not armed,
                        * except their system calls, which are not seen */
  uint64_t seed;       /* of the random choices for prob_ppm */
  char caller_name[RDMAFAULT_NAME_SIZE]; /* without ! and @ */
};

struct rdmafault_error {
  size_t position;   /* of the wrong character in the rule's text, from 0 */
  char message[256]; /* one line: what is wrong and what to write instead */
};

/* Parse one rule. Returns 0 and fills *rule, or returns -1 and fills *error; then *rule is unchanged. Does
 * not allocate. */
int rdmafault_parse(const char* text, struct rdmafault_rule* rule, struct rdmafault_error* error);

/* Whether the rule makes call number `call` (from 1) of those that passed its filters fail: 1 or 0. Depends
 * only on its arguments, so a judge can compute what a seed does. If several rules make a call fail, the
 * first one decides; all of them count the call as seen. */
int rdmafault_rule_fires(const struct rdmafault_rule* rule, uint64_t call);

/* ---- the log ---- */

/* A module that made a call: one loaded object. */
struct rdmafault_module {
  uint64_t base;  /* load address: address - base is the offset in the file's own numbering */
  uint64_t start; /* mapped range, [start, end) */
  uint64_t end;
  uint32_t rules;                   /* bit i: rule i's caller filter accepts this module */
  uint16_t role;                    /* index into the roles given to rdmafault_arm(), or RDMAFAULT_NONE */
  uint16_t ready;                   /* written last, with release order: then all other fields are valid */
  char soname[RDMAFAULT_NAME_SIZE]; /* DT_SONAME, else the file's base name; "main" for the program */
  char path[256];
};

enum rdmafault_record_flags {
  RDMAFAULT_COMPLETE = 1, /* written last, with release order; missing: the call never returned */
  /* Rule `rule` made the call fail; the next function was not called. If `rule` is RDMAFAULT_NONE, it was a
   * rule of another armed thread. */
  RDMAFAULT_INJECTED = 2,
  /* The call of a thread that is not armed; it is in the log of every armed thread. The record stays
   * incomplete if the call returned after the log's owner disarmed. */
  RDMAFAULT_FOREIGN = 4
};

struct rdmafault_record {
  uint16_t function; /* index into rdmafault_functions() */
  uint16_t module;   /* of the caller: index into log.modules; RDMAFAULT_NONE: unknown */
  uint16_t rule;     /* index of the rule that fired, or RDMAFAULT_NONE */
  uint16_t flags;    /* enum rdmafault_record_flags */
  int32_t thread;    /* kernel thread id */
  int32_t error;     /* errno after the call */
  uint16_t depth;    /* 0: called from outside the interposed functions; 1: from inside one; ... */
  uint16_t reserved[3];
  /* Return address; offset in the module = caller - module.base. If a next function ended with a jump to an
   * interposed function (a tail call), the return address would be in the shim: then it is the entry of that
   * next function plus 1. Of a system call: the innermost return address outside libc, the loader, the vDSO
   * and the shim, found by unwinding through code with unwind tables; if there is none within 64 frames, the
   * address after the system call's instruction. */
  uint64_t caller;
  int64_t result;    /* as returned, pointers as numbers; 0 for void */
  uint64_t acquired; /* handle that the call returned (posix_memalign: the block), or 0 */
  uint64_t released; /* handle that the call was asked to release, or 0; set even if it failed */
  /* Named in the function's row; numbers in host byte order. Of a system call: the six registers, in which an
   * int may lack its sign extension; of other_system_call: its number, then the first five registers. */
  int64_t args[RDMAFAULT_MAX_ARGS];
  /* Of a system call with a path: the last 47 characters of the path, if it can be read. Otherwise empty. */
  char text[RDMAFAULT_TEXT_SIZE];
};

/* Since the last rdmafault_arm(). */
struct rdmafault_rule_state {
  uint64_t seen;  /* calls that passed the rule's filters */
  uint64_t fired; /* the calls among them that it made to fail */
};

struct rdmafault_log {
  uint32_t abi;          /* RDMAFAULT_ABI */
  uint32_t capacity;     /* records */
  uint32_t count;        /* records begun; may exceed capacity: the rest was dropped */
  uint32_t module_count; /* modules begun; may exceed RDMAFAULT_MAX_MODULES */
  /* How often the shim stopped seeing system calls before rdmafault_disarm(), so that later calls are
   * missing. This happens after a call that creates a thread or process in the caller's memory, if it comes
   * from more than 8 places in the code in the life of the process. */
  uint32_t uncovered;
  uint32_t reserved;
  struct rdmafault_module modules[RDMAFAULT_MAX_MODULES];
  struct rdmafault_rule_state rules[RDMAFAULT_MAX_RULES];
  __extension__ struct rdmafault_record records[]; /* in order of entry */
};

/* Bytes that a log of `capacity` records needs. */
size_t rdmafault_log_size(uint32_t capacity);

/* Make an empty log in the `size` bytes at `memory` (aligned to 8), which stays the caller's. Returns NULL if
 * they are too few for one record. Writes only the header, so unused records cost no memory. */
struct rdmafault_log* rdmafault_log_init(void* memory, size_t size);

/* ---- arming ---- */

/* A module whose SONAME or path equals `module` has the role `role`. */
struct rdmafault_role {
  char role[RDMAFAULT_NAME_SIZE]; /* "iut" */
  char module[256];               /* SONAME, absolute path, or "main" */
};

/* System calls
 *
 * With RDMAFAULT_SYSTEM_CALLS the system calls of the arming thread between rdmafault_arm() and
 * rdmafault_disarm(), except between suspend and resume, are recorded, and fail if a rule says so. This
 * includes calls that libc makes internally (fopen's openat, malloc's brk) and those of signal handlers. It
 * uses Linux's Syscall User Dispatch: the kernel raises SIGSYS instead of making the call, and the shim's
 * handler makes the call or sets its result. That costs some microseconds per call, and some kilobytes of the
 * thread's stack.
 *
 * A call made to fail does not reach the kernel, except close, which closes the descriptor whatever it
 * returns. rt_sigreturn, which ends a signal handler, is not recorded. A call that creates a thread or a
 * process in the caller's memory (pthread_create, vfork, posix_spawn) is recorded with the result 0. fork()
 * is not recorded, since nothing is recorded around fork handlers.
 *
 * Not seen: system calls of other threads, even those that the armed thread creates; of forked children and
 * the programs that they execute; calls that the vDSO answers without the kernel (clock_gettime); and what
 * the kernel does by itself.
 *
 * During this time SIGSYS belongs to the shim. The armed thread cannot block it. It may change the action for
 * SIGSYS: the new action is used for each SIGSYS from elsewhere, and is installed when no thread's system
 * calls are seen any more. Other threads must not change the action. Signal handlers with SIGSYS in their
 * sa_mask run without it. PR_SET_SYSCALL_USER_DISPATCH returns EINVAL. */
enum rdmafault_session_flags {
  RDMAFAULT_SYSTEM_CALLS = 1,
  /* Calls are counted, but recorded only if a rule makes them fail: for a long-running program, whose calls
   * would not fit into a log. An allocator call to which no rule applies then costs almost nothing. No object
   * may be unloaded while armed: the result of a rule's caller filter is remembered by address. */
  RDMAFAULT_INJECTED_ONLY = 2
};

/* The argument of rdmafault_arm(). It is copied, so it need not outlive the call. */
struct rdmafault_session {
  struct rdmafault_log* log; /* must outlive the armed time */
  const struct rdmafault_rule* rules;
  size_t rule_count;
  const struct rdmafault_role* roles;
  size_t role_count;
  uint32_t flags; /* enum rdmafault_session_flags */
};

/* Arm the calling thread. Returns 0, or -1 with errno: EINVAL (too many rules or roles, no log, wrong ABI, a
 * rule that rdmafault_parse() does not return, a rule for a system call without RDMAFAULT_SYSTEM_CALLS),
 * EBUSY (the thread is armed already), ENOSYS (an interposed provider function has no next one: librdmacm is
 * not in the global scope; rdmafault_missing() names the function), EAGAIN (more than 32 threads armed at
 * once), ENOTSUP (system calls cannot be seen: Linux before 5.11, not x86-64, or a seccomp filter that
 * forbids prctl or process_vm_readv). The log is appended to: records and modules of an earlier armed time
 * stay; roles and rule states start again. */
int rdmafault_arm(const struct rdmafault_session* session);

/* Disarm the calling thread; no effect if it is not armed. After the return no thread writes to the log. A
 * thread that ends is disarmed. */
void rdmafault_disarm(void);

/* Between suspend and resume the calling thread's interposed calls and system calls are neither recorded nor
 * made to fail. Pairs nest. Do not block SIGSYS between them, neither in the thread's mask nor in an
 * action's: the shim does not see it. A thread that is not armed may call them. A forked child starts
 * disarmed and not suspended. */
void rdmafault_suspend(void);
void rdmafault_resume(void);

/* The name of the first interposed provider function without a next one, or NULL. Looks up symbols: do not
 * call it while armed. */
const char* rdmafault_missing(void);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* RDMAFAULT_H */
