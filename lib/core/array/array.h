// SPDX-License-Identifier: BSD-3-Clause
/* Arrays from inside: a counted handle with a view on counted storage. L2.
 *
 * A view retains the storage (memory/storage.h), not the array it came from.
 */
#ifndef HED_CORE_ARRAY_H
#define HED_CORE_ARRAY_H

#include "base/dtype.h"
#include "core/context/context.h"
#include "core/memory/storage.h"
#include <heddle/array.h>
#include <heddle/kernel.h>
#include <stdatomic.h>

enum { HED__FUSED = 254 };

/* Above the program's in an array's count of references: one of who is to read it later. */
#define HED__HOLD (INT64_C(1) << 32)

struct hed_array {
  _Atomic int64_t refs;      /* the program's, a scope's among them, and HED__HOLD for each other */
  hed__storage *_Atomic storage; /* &hed__pending: not computed yet, see fuse/fuse.h; else it does not change */
  uint32_t tape, entry;      /* serial of the recording that follows it, and its number there; 0: none */
  hed_view view;
  int64_t size;              /* number of elements */
  bool flat;                 /* contiguous in C order */
  bool weak;                 /* scalar that takes the other operand's type */
  bool read_only;            /* nothing is written through this handle or a view of it */
  uint8_t block;             /* size class of the handle's own block; HED__FUSED: it has none */
  uint16_t producer;         /* number of the device that computed it */
  uint16_t node;             /* while it is pending: its place in */
  struct hed__graph *graph;
  struct hed_array **scope_slot; /* where the innermost scope that holds it keeps it */
};

static inline hed__device *hed__producer(const hed_array *x) { return hed__device_numbered(x->producer); }

/* How many of X's references are the program's. */
static inline int32_t hed__refs(const hed_array *x) { return (int32_t)atomic_load_explicit(&x->refs, memory_order_acquire); }

/* X stays until it is let go of, whatever the program and its scopes release; by a thread that has a reference. Returns X. */
static inline hed_array *hed__hold(hed_array *x)
{
  atomic_fetch_add_explicit(&x->refs, HED__HOLD, memory_order_relaxed);
  return x;
}
void hed__let_go(hed_array *x);

/* The storage of arrays whose elements are not computed yet, in a space that no device reaches. */
extern hed__storage hed__pending;
static inline bool hed__is_pending(const hed_array *x)
{
  return atomic_load_explicit(&x->storage, memory_order_acquire) == &hed__pending;
}

/* Uninitialised contiguous array in DEVICE's space; the context's memory limit and dtype policy are the caller's.
 * NULL with the error set. It enters the innermost open scope. */
hed_array *hed__array_new(hed__device *device, int dtype, int32_t ndim, const int64_t *dim);

/* The same in the shape of LIKE, counted towards ACCOUNT. */
struct hed__account;
hed_array *hed__array_like(hed__device *device, struct hed__account *account, int dtype, const hed_array *like);

/* An array whose shape and dtype are known, and no more. */
hed_array *hed__array_pending(hed__device *device, int dtype, int32_t ndim, const int64_t *dim);

/* View V of BASE's storage (v->data inside it). */
hed_array *hed__array_view(const hed_array *base, const hed_view *v);

/* The sentence for a layout that hed__layout_fits refuses, BAD from there. */
hed_status hed__layout_fail(const char *op, const hed_view *v, int32_t bad);

/* Memory of DEVICE that somebody else owns: DONE(ARG), when not NULL, when the last reference goes; not on failure. */
hed_array *hed__array_wrap(hed__device *device, const hed_view *v, void (*done)(void *), void *arg);

/* Bytes of X's elements. */
static inline size_t hed__nbytes(const hed_array *x) { return (size_t)x->size * (size_t)hed__id_size(x->view.dtype); }

/* Memory as hed_wrap gets it, checked, as a view for D. OP begins the sentence of an error. */
hed_status hed__layout_of(const char *op, hed__device *d, void *data, const hed_shape *shape, const int64_t *strides_bytes,
                          hed_dtype t, hed_view *out);

/* The view as it is; BASE must not be NULL. */
static inline const hed_view *hed__view(const hed_array *x) { return &x->view; }

/* Handles alive. */
uint64_t hed__arrays_live(void);

/* What becomes of arrays that are pending, or that pending ones read: hed__fuse_drop, hed__fuse_force, hed__fuse_written_slow
 * (fuse/fuse.h); and what a program may not read while it is captured, hed__capture_reads. Set once, by outside/lifecycle.c. */
typedef struct hed__pending_hooks {
  bool (*drop)(hed_array *x);
  hed_status (*force)(const hed_array *x);
  hed_status (*written)(struct hed__tls *t, const hed_array *x);
  hed_status (*read)(const hed_array *x);
} hed__pending_hooks;
extern hed__pending_hooks hed__pending_by;

/* NULL test at the top of every operation: true when X is there; otherwise makes sure that an error stands (the one that
 * caused the NULL is kept; with none, HED_E_INVAL naming OP and ARG). A pending array is computed, false when that fails. */
bool hed__given(const hed_array *x, const char *op, const char *arg);
/* The same for operations that look at shape and dtype only: a pending array stays so. */
bool hed__named(const hed_array *x, const char *op, const char *arg);

#endif
