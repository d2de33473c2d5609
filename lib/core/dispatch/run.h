// SPDX-License-Identifier: BSD-3-Clause
/* The place through which every operation passes but those that take the short way of fast_path.c. L2.
 *
 * Run picks the device's kernel, or what the fallback policy allows (fallback.h), passes max_threads, chains asynchronous
 * tickets, counts, and tells the tracer.
 */
#ifndef HED_CORE_RUN_H
#define HED_CORE_RUN_H

#include "core/context/permits.h"
#include "core/dispatch/plan.h"
#include <heddle/kernel.h>

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

hed_status hed__run(const hed__exec *ex, const hed__launch *launch);

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

#endif
