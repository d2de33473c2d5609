// SPDX-License-Identifier: BSD-3-Clause
/* Fusion from inside: pending arrays and the graph that will compute them. L2.
 *
 * A thread with an open fusion scope has a graph. Recording adds a node to it and gives a handle whose storage is
 * &hed__pending; the node knows the handle as long as it lives, and holds what it reads: other nodes by number, arrays
 * (hed__hold: scopes count the program's references), single values as a copy. Computing the graph (fuse_run.c) gives every
 * handle that is still there its storage, in one step that other threads see whole, and empties the graph.
 *
 * An array that is to be written becomes pending too, and gets its own storage back with the new elements in it. Until
 * then nobody but nodes recorded before sees that memory: they run in an earlier pass, or earlier in the same one.
 *
 * A graph's lock guards its nodes and the change of its handles from pending to computed. Nothing of the program runs
 * under it: arrays are let go, and a tracer is told, after it. The lock of all graphs guards their counts: who comes
 * with a pending handle from outside takes a count first.
 */
#ifndef HED_CORE_FUSE_H
#define HED_CORE_FUSE_H

#include "core/array/array.h"
#include "core/process/tls.h"
#include <heddle/fuse.h>

/* An operation to be recorded: operands that the device reaches, scalars are weak ones that have the type they are used in. */
typedef struct hed__fuse_step {
  int op, compute, dtype, n;
  const hed_array *in[3];
  const void *params;
  size_t params_size;       /* at most HED__FUSE_PARAMS */
  int32_t ndim;
  const int64_t *dim;       /* of the result */
  uint32_t axes;            /* of in[0] that go: neighbours, but for extents of 1 */
  bool reduces;
  hed_array *into;          /* of this shape and dtype, to be written; NULL: a new array */
} hed__fuse_step;

enum { HED__FUSE_PARAMS = 32 };

/* The device that would fuse in the context in force, when the calling thread records; else NULL. */
hed__device *hed__fuse_device(hed__tls *t);

/* Can S->into be X, for D? It is contiguous, in memory of its own that no other handle sees and that D reaches, or it is to be
 * that and pending in T's graph. */
bool hed__fuse_target(const hed__tls *t, const hed__device *d, const hed_array *x);

/* The pending array of S, which S->into becomes; NULL with the error set. T records. */
hed_array *hed__fuse_record(hed__tls *t, const hed__fuse_step *s);

/* Does the calling thread record? */
static inline bool hed__fusing(void)
{
  const hed__tls *t = hed__self;
  return __builtin_expect(t && t->watch & HED__WATCH_FUSE, 0);
}

/* Compute X, which was pending a moment ago. */
hed_status hed__fuse_force(const hed_array *x);

/* X is about to be written: what T's graph still reads of it is computed first. T may be NULL. */
hed_status hed__fuse_written_slow(hed__tls *t, const hed_array *x);
static inline hed_status hed__fuse_written(hed__tls *t, const hed_array *x)
{
  return t && __builtin_expect(t->fuse_depth != 0, 0) ? hed__pending_by.written(t, x) : HED_OK;
}

/* The last reference to X, which was pending a moment ago, is gone. False: it has storage by now. */
bool hed__fuse_drop(hed_array *x);

/* The thread ends: what is pending never comes. */
void hed__fuse_thread_exit(hed__tls *t);

/* In the child of fork. */
void hed__fuse_fork_child(hed__tls *t);

#endif
