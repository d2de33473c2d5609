// SPDX-License-Identifier: BSD-3-Clause
/* Who executes an operation. L2.
 *
 * By the rules of the manual: the context's device when it can address every operand; else the one device whose space
 * holds them all (mix=follow), an error (mix=strict), or copies (mix=copy, then ex.in differs from what was given).
 */
#ifndef HED_CORE_PLAN_H
#define HED_CORE_PLAN_H

#include "core/array/array.h"
#include "core/context/context.h"

enum { HED__PLAN_OPERANDS = 32 }; /* of a plan; a launch has at most HED_MAX_NDIM */

typedef struct hed__exec {
  const hed_context *context;            /* borrowed from the thread */
  hed__device *device;                   /* who executes */
  int op;
  int32_t n;
  const hed_array *in[HED__PLAN_OPERANDS]; /* operands where the device can reach them, or weak scalars that it takes from
                                          * host memory */
  uint32_t owned;                        /* bit k: in[k] is a copy to be released */
  struct hed__tls *held;                 /* thread that records no fusion until the end */
  struct hed__tls *pinned;               /* thread whose copy of the root the context is: it stays until the end */
} hed__exec;

/* Is X in D's memory? */
static inline bool hed__reaches(const hed__device *d, const hed_array *x)
{
  return x->storage->device == d || (x->storage->device->host && d->host);
}

/* The fusion that T records stops meanwhile. */
static inline void hed__hold_fusion(struct hed__tls *t, bool hold)
{
  t->fuse = hold ? NULL : t->graph;
  hed__watch(t, HED__WATCH_FUSE, !hold);
}

/* N operands, of which none is NULL (see hed__given). Weak scalars never decide where an operation runs. */
hed_status hed__plan(hed__exec *ex, int op, int32_t n, const hed_array *const *operands);
void hed__exec_end(hed__exec *ex);

/* Does the executing device have a kernel of its own for OP with compute type DTYPE? */
bool hed__native(const hed__exec *ex, int op, int dtype);

/* Composites run their parts on the device that the whole was planned for: pushes a context for ex->device when it is not
 * the current one. Always pair; begin returns a status. */
typedef struct hed__forced { hed_frame frame; bool pushed; } hed__forced;
hed_status hed__force_begin(hed__forced *f, const hed__exec *ex);
void hed__force_end(hed__forced *f);

#endif
