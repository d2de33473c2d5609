// SPDX-License-Identifier: BSD-3-Clause
/* The one per-thread block of the library, behind one 8-byte thread-local pointer. L2.
 *
 * Hot fields first. The block is made on a thread's first call that needs one and freed by a pthread key's destructor (in
 * a late pass, so that destructors of the host that call in keep a working block). When it cannot be allocated, or has
 * been freed, the pointer names a shared read-only sentinel.
 */
#ifndef HED_CORE_TLS_H
#define HED_CORE_TLS_H

#include "core/process/pools.h"
#include <heddle/array.h>
#include <heddle/kernel.h>
#include <heddle/memory.h>
#include <heddle/runtime.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef HED_DISABLE_IE_TLS
#  define HED__TLS_MODEL
#else
#  define HED__TLS_MODEL __attribute__((tls_model("initial-exec")))
#endif

/* A random stream: key and number of draws so far. */
typedef struct hed__stream {
  uint64_t key, draw;
} hed__stream;

typedef struct hed__frame {
  hed_context *context; /* NULL: an adopted task that follows the root */
  uint64_t cookie;
  hed__stream own;      /* used when the frame starts a stream */
  hed__stream *outer;   /* stream to go back to; of frames that are HED__FRAME_DRAWS alone */
  uint64_t outer_spawned;
  bool adopted;
  bool replaced;        /* by hed_set_backend since it was pushed */
  uint8_t unusual;      /* HED__FRAME_*: what a pop has to do besides */
} hed__frame;
enum { HED__FRAME_DRAWS = 1, HED__FRAME_NOTED = 2 }; /* from a stream of its own; a profile has its push */

enum { HED__ERROR_TEXT = 512, HED__SPEC_CACHE = 8, HED__SPEC_TEXT = 48, HED__SLOTS = 16 };

typedef struct hed__spec_memo { /* "SPEC on top of BASE is RESULT": push by name without parsing */
  char spec[HED__SPEC_TEXT];
  hed_context *base, *result; /* both retained */
} hed__spec_memo;

/* A scope of arrays: see array/scope.h. */
typedef struct hed_scope_state_ {
  struct hed_scope_state_ *outer;
  uint64_t cookie;
  struct hed__scope_block *blocks; /* newest first; slots never move, arrays point at them */
  int level;                       /* of the scopes in each other, from 0 */
} hed__scope_state;
enum { HED__SCOPES = 8 };

/* MADE and GONE are handles, TAKEN and GIVEN host blocks, ALLOCS and HITS storages in host memory, PASSES fused ones; an
 * array made whole from a kept block is counted once, in SMALL, and its end in SMALL_GONE. CACHED is no count but the
 * bytes in the thread's magazine. */
enum {
  HED__COUNT_CALLS, HED__COUNT_FALLBACKS, HED__COUNT_COPIES, HED__COUNT_NARROWED, HED__COUNT_MADE, HED__COUNT_GONE,
  HED__COUNT_TAKEN, HED__COUNT_GIVEN, HED__COUNT_ALLOCS, HED__COUNT_HITS, HED__COUNT_CACHED, HED__COUNT_SMALL,
  HED__COUNT_SMALL_GONE, HED__COUNT_PASSES, HED__COUNT_REFERENCE, HED__COUNTERS
};

/* What a call asks first: a fusion scope is open, calls are recorded there, somebody traces, calls are
 * recorded for gradients, a fused pass runs step by step, calls are captured for a program, and so are the launches of one,
 * what is done goes into a profile. */
enum {
  HED__WATCH_SCOPE = 1, HED__WATCH_FUSE = 2, HED__WATCH_TRACE = 4, HED__WATCH_RECORD = 8, HED__WATCH_PASS = 16,
  HED__WATCH_CAPTURE = 32, HED__WATCH_LAUNCH = 64, HED__WATCH_PROFILE = 128
};

typedef struct hed__tls {
  const hed_context *current; /* innermost frame's or the base; NULL: follow the root */
  hed_context *root;          /* retained copy of the root as of root_generation */
  uint64_t root_generation;
  struct hed__graph *fuse;    /* elementwise calls are recorded there; NULL: they run */
  uint32_t fuse_depth;        /* open fusion scopes */
  uint32_t pins;              /* operations that run under root: it is not exchanged meanwhile */
  hed_context *spare;         /* reference of the last popped frame: pushed again, it costs no counting */
  uint32_t depth;
  bool exiting, sentinel;
  bool creating;              /* inside pthread_create for a child that inherits already */
  uint8_t watch;              /* HED__WATCH_*: what is other than usual */
  void *(*start_fn)(void *);  /* what a thread that inherits was made to run */
  void *start_arg;
  hed_trace_fn trace;
  void *trace_arg;
  atomic_uint_fast64_t count[HED__COUNTERS]; /* written by the owner only */
  atomic_int_fast64_t held, held_high; /* bytes made less released, not passed on yet; the most since it was 0 */
  hed__magazine magazine;

  uint64_t serial;            /* never reused, unlike thread ids */
  uint64_t next_cookie;
  hed_context *base;          /* inherited or set; NULL: follow the root */
  bool base_set;              /* by hed_set_backend rather than inherited */
  hed__stream *stream;        /* in force */
  hed__stream base_stream;
  bool inherited;             /* the base stream's key came from the creating thread */
  bool root_keyed;            /* ... or from the root's seed, which was: */
  uint64_t root_seed;
  uint64_t spawned;           /* children so far: the next spawn index */
  struct hed_scope_state_ *scope;
  hed__scope_state scopes[HED__SCOPES]; /* the outermost ones, so that a scope needs no memory */
  struct hed__graph *graph;   /* of the open fusion scopes, or kept for the next */
  struct hed__tape *tape;     /* of the open recording, or kept for the next */
  struct hed__capture *capture; /* of the program that is being made */
  int status;
  uint64_t shortages;         /* failures for want of array memory so far */
  uint64_t shortage;          /* number of the one that is the error now, 0 = it is another; its numbers: */
  hed_memory_failure memory;
  int lacking;                /* status of the scratch memory last asked for, those numbers are its; HED_OK: it was there */
  int exit_pass;
  int permits;                /* where invariants are checked: that it holds */
  int capacity;               /* for threads as this one saw it, to be looked at again at capacity_until (milliseconds) */
  uint64_t capacity_until;
  unsigned memo_next;
  void *slot[HED__SLOTS];
  struct hed__profile_buffer *profile; /* of PROFILE_SESSION, the profile that it has joined */
  unsigned profile_session;
  uint64_t profile_ranges, profile_ticket, profile_after, profile_copies; /* ranges so far; the ticket last
                               * given, and one of another stream that it came after; copies told of */
  uint64_t parent;            /* serial of the creator whose context it inherited; 0 */
  struct hed__tls *next, *prev;
  hed__frame frame[HED_MAX_FRAMES];
  hed__spec_memo memo[HED__SPEC_CACHE];
  char name[64];              /* what hed_get_backend last handed out when the root was followed */
  char reason[512];
  char text[HED__ERROR_TEXT];
} hed__tls;

static inline void hed__watch(hed__tls *t, unsigned bit, bool on)
{
  t->watch = (uint8_t)(on ? t->watch | bit : t->watch & ~bit);
}

/* Is S one of T's own streams, which no other thread draws from? */
static inline bool hed__stream_is_own(const hed__tls *t, const hed__stream *s)
{
  return (uintptr_t)s >= (uintptr_t)t && (uintptr_t)s < (uintptr_t)(t + 1);
}

extern _Thread_local hed__tls *hed__self HED__TLS_MODEL;

/* This thread's block; NULL when it cannot be allocated or the thread is past its end (the error is then implied). */
hed__tls *hed__tls_get(void);

/* What others do when a block is made (under no lock), at the first pass of a thread's end, at the last, just before the block
 * is freed. Set once, while the library is loaded (outside/lifecycle.c). */
typedef struct hed__thread_hooks {
  void (*begin)(hed__tls *t), (*first)(hed__tls *t), (*last)(hed__tls *t);
} hed__thread_hooks;
void hed__tls_hook(const hed__thread_hooks *h);

/* A block for a thread that does not exist yet, complete but for that thread's own step, which takes no lock and
 * allocates nothing: it may run before a sanitizer knows the thread. A block whose thread never came is discarded. */
#define HED__NO_TSAN __attribute__((no_sanitize_thread))
hed__tls *hed__tls_make(void);
void hed__tls_install(hed__tls *t);
void hed__tls_discard(hed__tls *t);

/* This thread's block if it has a real one, else NULL; never allocates. */
static inline hed__tls *hed__tls_peek(void)
{
  hed__tls *t = hed__self;
  return t && !t->sentinel ? t : NULL;
}

static inline void hed__count(hed__tls *t, int which)
{
  if (t)
    atomic_store_explicit(&t->count[which], atomic_load_explicit(&t->count[which], memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* The same on a thread that has no block (any more). */
void hed__count_lost(int which);
static inline void hed__count_any(hed__tls *t, int which)
{
  if (__builtin_expect(t != NULL, 1))
    hed__count(t, which);
  else
    hed__count_lost(which);
}

/* The thread's error set aside, for steps whose failure is not the caller's. */
typedef struct hed__error_mark {
  int status;
  uint64_t shortage;
  char text[HED__ERROR_TEXT];
} hed__error_mark;
void hed__error_save(hed__error_mark *m);
void hed__error_restore(const hed__error_mark *m);

/* Sum of a counter over living and ended threads. */
uint64_t hed__count_total(int which);

/* Bytes that threads hold back, and the most that one of them held since it last passed them on. */
int64_t hed__held_total(int64_t *high);

/* What a push asks: has any thread of the process had a context of its own yet (never cleared), is a profile being taken? */
enum { HED__STACK_USED = 1, HED__STACK_PROFILED = 2 };
extern atomic_uchar hed__stack_state;
static inline void hed__stack_tell(bool profiled)
{
  if (profiled)
    atomic_fetch_or(&hed__stack_state, HED__STACK_PROFILED);
  else
    atomic_fetch_and(&hed__stack_state, (unsigned char)~HED__STACK_PROFILED);
}

/* Free the calling thread's block now. */
void hed__tls_drop(void);

/* Number of forks between the first process and this one; 0 in the first. */
extern atomic_int hed__forks;
static inline int hed__fork_depth(void) { return atomic_load_explicit(&hed__forks, memory_order_relaxed); }

/* Around fork: the list of blocks is consistent and, in the child, holds the calling thread only. */
void hed__tls_fork_prepare(void);
void hed__tls_fork_parent(void);
int64_t hed__tls_fork_child(void); /* bytes held by threads that are not in the child */

#endif
