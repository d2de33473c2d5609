// SPDX-License-Identifier: BSD-3-Clause
/* Contexts from inside: their life (context.c), specs (spec.c), the process root (root.c), the stack of a thread (stack.c). L2.
 * Contexts are immutable after creation, counted, and shared freely. */
#ifndef HED_CORE_CONTEXT_H
#define HED_CORE_CONTEXT_H

#include "core/context/account.h"
#include "core/modules/registry.h"
#include "core/process/tls.h"
#include <heddle/context.h>
#include <string.h>

/* A stream that the program brought, for all contexts that have it. */
typedef struct hed__brought {
  atomic_long refs;
  hed__device *device;
  int32_t number;
} hed__brought;

void hed__brought_release(hed__brought *b);

struct hed_context {
  char name[64];             /* canonical; first, for probes */
  atomic_long refs;
  hed__device *device;
  int real, complex_, index; /* hed_dtype_id */
  int32_t threads;           /* 0 = no ceiling of its own */
  int32_t mix, fallback, math, check;
  hed__brought *stream;      /* of the device; NULL: each thread has its own */
  int32_t effort;            /* planning rigour of Fourier transforms: hed_fft_params.effort */
  bool relaxed;
  bool seeded;               /* has a key of its own: a pushed frame starts a stream */
  uint64_t seed;
  bool limit_own;            /* the account came with this context, not from what it was derived from */
  hed__account *account;     /* NULL = no limit */
  char *reason;              /* why this is the root; NULL for others */
};

/* All of SRC but its count, which other threads may be changing. */
static inline void hed__context_copy(hed_context *dst, const hed_context *src)
{
  enum { FIRST = offsetof(hed_context, device) };
  memcpy(dst->name, src->name, sizeof dst->name);
  memcpy((char *)dst + FIRST, (const char *)src + FIRST, sizeof *dst - FIRST);
}

/* The context in force, borrowed until this thread's next change of context; NULL with the error set. */
const hed_context *hed__context_slow(void);
extern atomic_uint_fast64_t hed__root_generation; /* rises with each change of the root */

/* The same on the thread of block T; NULL: more is to be done for it. */
static inline const hed_context *hed__context_of(const hed__tls *t)
{
  if (t->current)
    return t->current;
  return t->root && t->root_generation == atomic_load_explicit(&hed__root_generation, memory_order_acquire) ? t->root : NULL;
}

static inline const hed_context *hed__context(void)
{
  const hed__tls *t = hed__self;
  const hed_context *c = t ? hed__context_of(t) : NULL;
  return __builtin_expect(c != NULL, 1) ? c : hed__context_slow();
}

/* The device of the context in force; NULL with the error set. */
static inline hed__device *hed__current_device(void)
{
  const hed_context *c = hed__context();
  return c ? c->device : NULL;
}

/* What a spec's missing parts come from on this thread, borrowed: the context in force, or the defaults where the root
 * cannot be honoured. Never NULL. */
const hed_context *hed__context_base(const char *spec);

/* The context that specs start from when there is none: reference backend, strict defaults. Immortal. */
hed_context *hed__context_builtin(void);

/* The number of a device, as after the colon of a spec. */
bool hed__read_device(const char *text, int32_t *index);

/* BASE changed by SPEC, *out owned. SOURCE is put before error sentences ("environment variable HEDDLE_BACKEND"), may be
 * NULL. */
hed_status hed__context_derive(const hed_context *base, const char *spec, const char *source, hed_context **out);

/* BASE on another device, everything else the same. */
hed_status hed__context_on(const hed_context *base, hed__device *device, hed_context **out);

/* The usable backend of the highest score, then of the earlier name; NULL: none. WHY tells what the others lacked, cut to
 * CAP. */
hed__device *hed__best_device(char *why, size_t cap);

/* Does the root have a seed of its own? */
bool hed__root_seed(uint64_t *seed);
void hed__root_fork_prepare(void);
void hed__root_fork_parent(void);
void hed__root_fork_child(void);

/* C was derived from BASE to stand in its place: a memory limit that C brings is not nested in BASE's own (LIFT: and with
 * none of C's, BASE's own goes). */
void hed__context_unnest(hed_context *c, const hed_context *base, bool lift);

/* Set the thread's base as an inherited one (takes the reference) with its random stream. */
void hed__base_inherit(hed__tls *t, hed_context *base, uint64_t stream_key);
/* Context to hand to a child: retained, NULL when this thread follows the root. */
hed_context *hed__effective(hed__tls *t);

/* Release all frames (counting leaked ones), the base, the memos. */
void hed__stack_clear(hed__tls *t);
void hed__stack_leaked_add(uint64_t n);

/* Push CONTEXT (may be NULL: follow the root; retained by the frame) as an adopted task with a stream of its own. FROM is where
 * it was captured, for profiles, or 0. */
hed_status hed__stack_adopt(hed_context *context, uint64_t stream_key, uint64_t from, hed_frame *out);

/* T, which joins a profile, tells of its contexts. */
void hed__stack_profile(hed__tls *t);

/* T's random stream as of now. */
hed__stream *hed__stream_in_force(hed__tls *t);

/* Random key of a thread that inherited nothing. */
uint64_t hed__default_key(uint64_t serial);

/* ---- dtype.c ---- */

/* Abstract dtypes to concrete ids in the current context, with the backend's support checked on DEVICE: HED_E_DTYPE names
 * OP, the dtype and the nearest one, dtype=relaxed narrows. Negative status or the id. */
int hed__dtype_concrete(hed_dtype t, hed__device *device, const char *op);

/* Concrete ids that the abstract dtypes mean now. */
int hed__real_id(void);
int hed__complex_id(void);
int hed__index_id(void);

#endif
