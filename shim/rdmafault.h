/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rdmafault.h -- the control interface of librdmafault.so, the preload shim.
 *
 * The shim stands in front of librdmacm and of libc's allocator (LD_PRELOAD, dlsym(RTLD_NEXT)) and does
 * nothing until a thread arms it. While a thread is armed, each interposed call that it makes is recorded
 * into memory that the caller of rdmafault_arm() provided, and fails where a rule says so.
 *
 * The shim never allocates, takes no lock while armed, and keeps no pointer to the log after
 * rdmafault_disarm(). A log may lie in memory shared between processes: it holds no pointer, only addresses
 * as numbers, so what an armed process left there can be read after that process has died.
 *
 * Rules follow strace's inject= :
 *
 *   FUNCTION:error=ERRNO|retval=VALUE[:when=N|N..M|N+|N+STEP][:caller=SONAME|!SONAME|@ROLE|!@ROLE]
 *           [:prob=P%][:seed=S][:thread=any]
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

#define RDMAFAULT_ABI 1
#define RDMAFAULT_MAX_RULES 16
#define RDMAFAULT_MAX_ROLES 16
#define RDMAFAULT_MAX_MODULES 64
#define RDMAFAULT_MAX_ARGS 6
#define RDMAFAULT_NAME_SIZE 64 /* bytes, with the terminating NUL: SONAMEs, roles */
#define RDMAFAULT_NONE 0xffffu /* no such module, rule, role or function */

/* ---- the functions, as data ---- */

enum rdmafault_kind { RDMAFAULT_PROVIDER, RDMAFAULT_ALLOCATOR };

/* How a function reports failure. */
enum rdmafault_convention {
  RDMAFAULT_POINTER,   /* returns NULL, sets errno */
  RDMAFAULT_MINUS_ONE, /* returns -1, sets errno */
  RDMAFAULT_GAI,       /* returns -1 and sets errno, or returns an EAI_* value and leaves errno alone */
  RDMAFAULT_CODE,      /* returns the error number, leaves errno alone (posix_memalign) */
  RDMAFAULT_VOID       /* returns nothing: cannot be made to fail */
};

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

/* The table of interposed functions, *count of them, valid for the life of the process. A record's `function`
 * is an index into it. */
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
  uint16_t function;   /* index into rdmafault_functions() */
  uint16_t action;     /* enum rdmafault_action */
  int32_t value;       /* the errno, or the value to return */
  uint64_t first;      /* calls are counted from 1, per rule, after the filters (caller, thread) */
  uint64_t last;       /* UINT64_MAX: no end */
  uint64_t step;       /* every step-th call from `first` on; 1: each */
  uint32_t prob_ppm;   /* of those, the fraction that fails, in millionths; 1000000: all */
  uint16_t caller;     /* enum rdmafault_caller; the module of the immediate return address */
  uint16_t any_thread; /* 0: calls of the arming thread alone; 1: of threads that are not armed too */
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
  uint16_t module;   /* index into log.modules: of the immediate caller; RDMAFAULT_NONE: not known */
  uint16_t rule;     /* index of the rule that fired, or RDMAFAULT_NONE */
  uint16_t flags;    /* enum rdmafault_record_flags */
  int32_t thread;    /* kernel thread id */
  int32_t error;     /* errno after the call */
  uint16_t depth;    /* 0: called from outside the interposed functions; 1: from within one; ... */
  uint16_t reserved[3];
  /* Return address; offset in the module = caller - module.base. Where it would lie in the shim, because an
   * interposed function's next one ended by jumping here (a tail call): one past that next one's entry. */
  uint64_t caller;
  int64_t result;    /* as returned, pointers as numbers; 0 for void */
  uint64_t acquired; /* handle that the call made (posix_memalign: the block), or 0 */
  uint64_t released; /* handle that the call was asked to release, or 0; set also where it failed */
  int64_t args[RDMAFAULT_MAX_ARGS]; /* as named in the function's row; numbers in host byte order */
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

/* What rdmafault_arm() gets. Copied: it need not outlive the call. */
struct rdmafault_session {
  struct rdmafault_log* log; /* must outlive the armed time */
  const struct rdmafault_rule* rules;
  size_t rule_count;
  const struct rdmafault_role* roles;
  size_t role_count;
};

/* Arm the calling thread. Returns 0, or -1 with errno: EINVAL (too many rules or roles, no log, wrong ABI, a
 * rule that rdmafault_parse() could not have made), EBUSY (this thread is armed already), ENOSYS (an
 * interposed provider function has no next one: librdmacm is not in the global scope; rdmafault_missing()
 * names it), EAGAIN (more than 32 threads armed at once). The log goes on where it was; records and modules
 * of an earlier armed time stay, roles and rule states are made anew. */
int rdmafault_arm(const struct rdmafault_session* session);

/* Disarm the calling thread; no effect where it is not armed. When it returns nobody writes to the log. A
 * thread that ends is disarmed. */
void rdmafault_disarm(void);

/* Between suspend and resume the calling thread's interposed calls are neither recorded nor made to fail.
 * Pairs nest. A thread that is not armed may call them. A forked child starts disarmed and not suspended. */
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
