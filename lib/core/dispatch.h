// SPDX-License-Identifier: BSD-3-Clause
/* From a checked call to a kernel: who executes, then the one place through which every operation passes. L2.
 *
 *   hed__exec ex;
 *   if (hed__plan(&ex, HED_OP_ADD, 2, (const hed_array *const[]){ a, b }) != HED_OK) return NULL;
 *   out = hed__array_new(ex.device, dtype, ndim, dim);
 *   status = hed__run(&ex, &(hed__launch){ .n_out = 1, .out = &out, .compute = dtype, .params = &p });
 *   hed__exec_end(&ex);
 *
 * Plan decides by the rules of the manual: the context's device when it can address every operand; else the one device
 * whose space holds them all (mix=follow), an error (mix=strict), or copies (mix=copy, then ex.in differs from what was
 * given). Run picks the device's kernel, or the reference kernel (directly in host memory, through copies elsewhere, as
 * the fallback policy allows), passes max_threads, chains asynchronous tickets, counts, and tells the tracer.
 */
#ifndef HED_CORE_DISPATCH_H
#define HED_CORE_DISPATCH_H

#include "core/array.h"
#include "core/context.h"
#include "core/permits.h"
#include <heddle/backend.h>

enum { HED__PLAN_OPERANDS = 32 }; /* of a plan; a launch has at most HED_MAX_NDIM */

typedef struct hed__exec {
  const hed_context *context;            /* borrowed from the thread */
  hed__device *device;                   /* who executes */
  int op;
  int32_t n;
  const hed_array *in[HED__PLAN_OPERANDS]; /* operands where the device can reach them */
  uint32_t owned;                        /* bit k: in[k] is a copy to be released */
  struct hed__tls *held;                 /* thread that records no fusion until the end */
  struct hed__tls *pinned;               /* thread whose copy of the root the context is: it stays until the end */
} hed__exec;

typedef struct hed__launch {
  int32_t n_out, n_in;
  hed_array *const *out;
  const hed_array *const *in;            /* NULL: the exec's operands (n_in may be 0 then) */
  const hed_view *const *out_view;       /* NULL, or NULL entries: the arrays' own views */
  const hed_view *const *in_view;
  const void *params;
  int32_t compute;                       /* hed_dtype_id */
  int32_t op;                            /* 0 = the exec's operation, else 1 + hed_op: another kernel of the same call */
} hed__launch;

/* N operands, of which none is NULL (see hed__given). Weak scalars never decide where an operation runs. */
hed_status hed__plan(hed__exec *ex, int op, int32_t n, const hed_array *const *operands);
hed_status hed__run(const hed__exec *ex, const hed__launch *launch);
void hed__exec_end(hed__exec *ex);

/* The short way of plan and run for elementwise operations of one or two operands (three for a new result), in the shape of
 * the result, which has the type that operands of their type give: everything in host memory, a kernel of the device's own,
 * nobody tracing. False: it does not apply, nothing was done. */
bool hed__run_host(int op, hed_array *out, int32_t n, const hed_array *const *in, int32_t compute, hed_status *status);
/* The same with a new result of dtype ID in the shape of LIKE; *out NULL with the error set on failure. */
bool hed__make_host(int op, int32_t n, const hed_array *const *in, int32_t compute, int id, const hed_array *like,
                    hed_array **out);

/* The same for a reduction of X, which has elements of TYPE in C order, over all axes to one of that type. */
bool hed__reduce_host(int op, const hed_array *x, int32_t type, const hed_reduce_params *params, hed_array **out);

/* The same for the matrix product of A and B, of one or two axes, TYPE and extents that fit, neither without elements. *out:
 * NULL for a new result, or contiguous, of that TYPE and shape and apart from the operands. */
bool hed__product_host(const hed_array *a, const hed_array *b, int32_t type, hed_array **out, hed_status *status);

/* Most bytes at once of host memory that CALL, without data, takes in the context in force: its device's kernel, or the
 * reference kernel and the copies for it. */
hed_status hed__workspace(hed_call *call, size_t *bytes);

/* Does the executing device have a kernel of its own for OP with compute type DTYPE? */
bool hed__native(const hed__exec *ex, int op, int dtype);

/* Composites run their parts on the device that the whole was planned for: pushes a context for ex->device when it is not
 * the current one. Always pair; begin returns a status. */
typedef struct hed__forced { hed_frame frame; bool pushed; } hed__forced;
hed_status hed__force_begin(hed__forced *f, const hed__exec *ex);
void hed__force_end(hed__forced *f);

/* The most threads that one call may use in context C. */
static inline int32_t hed__thread_ceiling(const hed_context *c)
{
  int32_t n = __builtin_expect(hed__fork_depth(), 0) ? 1 : c->threads;
  return n > 0 ? n : hed__capacity_last();
}

/* CLOCK_MONOTONIC. */
uint64_t hed__now_ns(void);

/* Random stream of the calling thread: key and next draw number of the context in force. */
hed_status hed__random_draw(uint64_t *key, uint64_t *draw);
/* The same without taking it; and the stream begun anew, of which later children descend. */
hed_status hed__random_peek(uint64_t *key, uint64_t *draw);
hed_status hed__random_restart(uint64_t key);
/* Back to DRAW, when the stream is still that of KEY. */
void hed__random_rewind(uint64_t key, uint64_t draw);

/* Concrete ids that the abstract dtypes mean now. */
int hed__real_id(void);
int hed__complex_id(void);
int hed__index_id(void);

/* The device of the context in force; NULL with the error set. */
hed__device *hed__current_device(void);

/* Copy of X's elements into host memory described by DST (same shape and dtype), or back. */
hed_status hed__copy_out(const hed_array *x, const hed_view *dst);
hed_status hed__copy_in(hed_array *x, const hed_view *src);

/* The same for a view of X's storage. */
hed_status hed__copy_out_view(const hed_array *x, const hed_view *from, const hed_view *dst);
hed_status hed__copy_in_view(hed_array *x, const hed_view *to, const hed_view *src);

/* All elements of SRC into DST, of the same shape and dtype, whatever their spaces. */
hed_status hed__transfer(hed_array *dst, const hed_array *src);

#endif
