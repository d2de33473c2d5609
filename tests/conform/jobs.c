// SPDX-License-Identifier: BSD-3-Clause
/* The jobs of the conformance test: each calls one operation in all its forms and records the results. */
#include "conform.h"

#include <stddef.h>
#include <stdlib.h>

static hed_array *(*const unary[HED_OP_COUNT_])(const hed_array *) = {
#define HED_UNARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_##name,
#include <heddle/ops.def>
};
static hed_status (*const unary_into[HED_OP_COUNT_])(hed_array *, const hed_array *) = {
#define HED_UNARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_##name##_into,
#include <heddle/ops.def>
};
static hed_array *(*const binary[HED_OP_COUNT_])(const hed_array *, const hed_array *) = {
#define HED_BINARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_##name,
#include <heddle/ops.def>
};
static hed_status (*const binary_into[HED_OP_COUNT_])(hed_array *, const hed_array *, const hed_array *) = {
#define HED_BINARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_##name##_into,
#include <heddle/ops.def>
};
static hed_array *(*const with_scalar[HED_OP_COUNT_])(const hed_array *, double) = {
#define HED_BINARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_##name##_scalar,
#include <heddle/ops.def>
};
static hed_array *(*const scalar_with[HED_OP_COUNT_])(double, const hed_array *) = {
#define HED_BINARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_scalar_##name,
#include <heddle/ops.def>
};
static hed_array *(*const reduce[HED_OP_COUNT_])(const hed_array *, const hed_reduce *) = {
#define HED_REDUCE(ID, name, domain, result, doc) [HED_OP_##ID] = hed_##name,
#include <heddle/ops.def>
};
static hed_status (*const reduce_into[HED_OP_COUNT_])(hed_array *, const hed_array *, const hed_reduce *) = {
#define HED_REDUCE(ID, name, domain, result, doc) [HED_OP_##ID] = hed_##name##_into,
#include <heddle/ops.def>
};

/* An array to write into, of the shape and dtype of LIKE, laid out backwards between guard pages. */
static hed_array *backwards(const hed_array *like)
{
  if (!like)
    return NULL;
  void *zeros = calloc(hed_array_nbytes(like) + 1, 1);
  hed_array *out = hed_flip(guarded(hed_array_shape(like), hed_array_dtype(like), zeros), NULL);
  free(zeros);
  return out;
}

/* ---- elementwise ---- */

void job_unary(run *r)
{
  hed_array *x = operand(r, 0), *y = unary[r->op](x);
  put(r, y);
  if (!y)
    return;
  hed_array *out = backwards(y);
  put_status(r, unary_into[r->op](out, x), out);
  if (hed_array_dtype(y) == hed_array_dtype(x)) { /* in place; a repeated operand cannot be written */
    hed_array *own = hed_copy(x);
    put_status(r, unary_into[r->op](own, own), own);
  }
}

void job_binary(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1), *y = binary[r->op](a, b);
  put(r, y);
  put(r, with_scalar[r->op](a, 3));
  put(r, scalar_with[r->op](2, b));
  if (is_wanted_type(HED_INT16))
    put(r, binary[r->op](a, operand_of(r, 2, HED_INT16, run_shape(r), 1, 9)));
  if (!y)
    return;
  hed_array *out = backwards(y), *own = hed_copy(a);
  put_status(r, binary_into[r->op](out, a, b), out);
  if (hed_array_dtype(y) == hed_array_dtype(a))
    put_status(r, binary_into[r->op](own, own, b), own);
  if (r->extent == NORMAL) { /* broadcasting by the operation */
    hed_array *row = operand_of(r, 3, r->dtype, HED_SHAPE(6), r->c->low, r->c->high);
    hed_array *column = operand_of(r, 4, r->dtype, HED_SHAPE(4, 1, 1), r->c->low, r->c->high);
    put(r, binary[r->op](a, row));
    put(r, binary[r->op](column, row));
    put(r, binary[r->op](a, operand_of(r, 5, r->dtype, HED_SHAPE(4, 6), 1, 9)));
  }
}

void job_where(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1), *condition = operand_of(r, 2, HED_BOOL, run_shape(r), 0, 1);
  put(r, hed_where(condition, a, b));
  put(r, hed_where(a, b, hed_scalar(1)));
  hed_array *out = hed_empty_like(a);
  put_status(r, hed_where_into(out, condition, a, b), out);
}

void job_clip(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_clip(x, -2.5, 3));
  put(r, hed_clip(x, -1.0 / 0.0, 2));
  put(r, hed_clip(x, 1, 1.0 / 0.0));
  hed_array *out = backwards(x);
  put_status(r, hed_clip_into(out, x, 0, 100), out);
}

void job_norm(run *r)
{
  hed_array *x = operand(r, 0), *sq_exp = operand(r, 1);
  hed_array *exp_sq = hed_multiply(operand(r, 2), hed_scalar(40)); /* keeps variances away from 0 */
  exp_sq = hed_astype(exp_sq, r->dtype);
  put(r, hed_norm_scores(x, exp_sq, sq_exp, 10, 1e-3));
  put(r, hed_norm_scores(hed_scalar(2), exp_sq, sq_exp, 10, 1e-3));
  put(r, hed_norm_scores(x, sq_exp, exp_sq, 10, 1e-3)); /* no variance anywhere */
}

void job_best(run *r)
{
  hed_array *best = hed_copy(operand(r, 0)), *from = hed_full(run_shape(r), 3, HED_INT32);
  hed_status status = HED_OK;
  for (int index = 5; index >= 0 && status == HED_OK; index--)
    status = hed_max_score_over_rotations(operand(r, 1 + index), best, from, index);
  put_status(r, status, best);
  put_status(r, status, from);
}

/* ---- reductions ---- */

void job_reduce(run *r)
{
  hed_array *x = operand(r, 0), *y = reduce[r->op](x, NULL);
  put(r, y);
  put(r, reduce[r->op](x, &(hed_reduce){ .keepdims = true, .ddof = 1 }));
  put(r, reduce[r->op](x, &(hed_reduce){ .dtype = HED_FLOAT64 }));
  put(r, reduce[r->op](x, &(hed_reduce){ .axes = HED_AXES(-1) }));
  put(r, reduce[r->op](x, &(hed_reduce){ .axes = HED_AXES(0), .keepdims = true }));
  put(r, reduce[r->op](x, &(hed_reduce){ .axes = HED_AXES(1), .ddof = 1 }));
  put(r, reduce[r->op](x, &(hed_reduce){ .axes = HED_AXES(2, 0) }));
  put(r, reduce[r->op](x, &(hed_reduce){ .axes = HED_AXES(1, 2) }));
  put(r, reduce[r->op](x, &(hed_reduce){ .axes = HED_AXES(1, -2) }));
  hed_array *lanes = reduce[r->op](x, &(hed_reduce){ .axes = HED_AXES(1) });
  if (lanes) {
    hed_array *out = backwards(lanes);
    put_status(r, reduce_into[r->op](out, x, &(hed_reduce){ .axes = HED_AXES(1) }), out);
  }
}

/* ---- creation ---- */

void job_fill(run *r)
{
  hed_array *x = hed_copy(operand(r, 0)), *part = hed_flip(x, NULL);
  put_status(r, hed_fill(part, 3), x);
  put_status(r, hed_fill(x, -2.75), x);
  put_status(r, hed_fill_complex(x, 1, -2), x);
}

void job_create(run *r)
{
  hed_shape s = run_shape(r);
  put(r, hed_zeros(s, r->dtype));
  put(r, hed_ones(s, r->dtype));
  put(r, hed_full(s, 2.5, r->dtype));
  put(r, hed_full(s, -3, r->dtype));
  put(r, hed_zeros_like(operand(r, 0)));
  put(r, hed_full_like(operand(r, 0), 7));
}

void job_arange(run *r)
{
  put(r, hed_arange(0, 10, 1, r->dtype));
  put(r, hed_arange(5, -5, -0.75, r->dtype));
  put(r, hed_arange(3, 3, 1, r->dtype));
  put(r, hed_arange(0, 70, 0.01, r->dtype));
}

void job_linspace(run *r)
{
  put(r, hed_linspace(-1, 2, 7, r->dtype));
  put(r, hed_linspace(4, 9, 1, r->dtype));
  put(r, hed_linspace(4, 9, 0, r->dtype));
}

void job_eye(run *r)
{
  put(r, hed_eye(3, 5, 1, r->dtype));
  put(r, hed_eye(5, 3, -2, r->dtype));
  put(r, hed_eye(2, 2, 7, r->dtype));
}

/* ---- conversion and movement ---- */

void job_astype(run *r)
{
  hed_array *x = operand(r, 0);
  for (int id = 0; id < HED_ID_CONCRETE_COUNT_; id++)
    if (is_wanted_type(hed_dtype_of(id)))
      put(r, hed_astype(x, hed_dtype_of(id)));
}

void job_copy(run *r)
{
  hed_array *x = operand(r, 0), *out = backwards(x), *wide = hed_empty(run_shape(r), HED_COMPLEX128);
  put(r, hed_copy(x));
  put_status(r, hed_copy_into(out, x), out);
  put_status(r, hed_copy_into(wide, x), wide);
}

void job_join(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1), *c = operand_of(r, 2, HED_INT8, HED_SHAPE(4, 2, 6), -9, 9);
  put(r, hed_concatenate(2, (const hed_array *const[]){ a, b }, 0));
  put(r, hed_concatenate(3, (const hed_array *const[]){ a, c, b }, 1));
  put(r, hed_stack(2, (const hed_array *const[]){ a, b }, 0));
  put(r, hed_stack(2, (const hed_array *const[]){ a, b }, -1));
}

void job_roll(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_roll(x, &HED_AXES(7), NULL));
  put(r, hed_roll(x, &HED_AXES(-2), &HED_AXES(1)));
  put(r, hed_roll(x, &HED_AXES(1, 9), &HED_AXES(0, 2)));
}

void job_pad(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_pad(x, HED_SHAPE(1, 0, 2), HED_SHAPE(0, 3, 1), 5));
  put(r, hed_topleft_pad(x, HED_SHAPE(6, 3, 9), 1));
}

void job_center(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_extract_center(x, HED_SHAPE(3, 4, 1)));
  put(r, hed_extract_center(x, HED_SHAPE(4, 5, 6)));
}

void job_nonzero(run *r) { put(r, hed_nonzero(operand(r, 0))); }

void job_take(run *r)
{
  hed_array *x = operand(r, 0), *index = operand_of(r, 1, HED_INT32, HED_SHAPE(2, 3), 0, 0);
  index = hed_mod(index, hed_scalar_int(4));
  put(r, hed_take(x, index, 0));
  put(r, hed_take(x, index, -1));
  put(r, hed_take(x, hed_subtract(index, hed_scalar_int(4)), 1));
  put(r, hed_take(x, hed_full(HED_SHAPE(1), 99, HED_INT64), 1));
  put(r, hed_take(x, hed_index(index, 0, 1), 1));
}

/* ---- sorting ---- */

void job_sort(run *r)
{
  hed_array *x = operand(r, 0);
  hed_array *(*f)(const hed_array *, const hed_sort_options *) = r->op == HED_OP_SORT ? hed_sort : hed_argsort;
  put(r, f(x, NULL));
  put(r, f(x, &(hed_sort_options){ .descending = true }));
  put(r, f(x, &(hed_sort_options){ .axis = HED_AXES(0) }));
  put(r, f(x, &(hed_sort_options){ .axis = HED_AXES(-2), .descending = true }));
}

void job_topk(run *r)
{
  hed_array *x = operand(r, 0);
  for (int k = 0; k <= 4; k += 2)
    for (int form = 0; form < 3; form++) {
      hed_sort_options o = { .axis = form == 2 ? HED_AXES(0) : (hed_axes){ 0 }, .descending = form == 1 };
      hed_array *values = NULL, *places = NULL;
      hed_status status = hed_topk(x, k, &o, &values, &places);
      put_status(r, status, values);
      put_status(r, status, places);
    }
}
