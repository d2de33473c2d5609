// SPDX-License-Identifier: BSD-3-Clause
/* Checks that every operation shares, with the sentence worded in one place. L3.
 *
 * Functions return HED_OK, or a negative status after hed_fail(); those that return an id, an axis or a count give
 * the negative status instead. OP is the operation's name and ARG the argument's, as they appear in the sentence.
 * Nothing here allocates.
 */
#ifndef HED_API_CHECK_H
#define HED_API_CHECK_H

#include "base/dtype.h"
#include "base/shape.h"
#include "core/array/array.h"
#include "core/dispatch/dispatch.h"

/* A shape given by the caller: 0 to 16 axes, no negative extent, and a size in bytes (elements of dtype ID) that an
 * object can have. */
hed_status hed__check_shape(const char *op, const char *arg, const hed_shape *s, int id);

/* Is ID among the kinds of DOMAIN (letters of ops.def)? Else HED_E_DTYPE. */
hed_status hed__check_domain(const char *op, const char *domain, const char *arg, int id);

/* Axis in [-ndim, ndim) as 0 to ndim - 1. */
int hed__check_axis(const char *op, const char *arg, int32_t axis, int32_t ndim);

/* Set of axes as bits; NULL and n = 0 mean all. */
hed_status hed__check_axes(const char *op, const hed_axes *axes, int32_t ndim, uint32_t *mask);

/* OUT has exactly this shape, and it may be written (not read-only, no element twice). */
hed_status hed__check_out(const char *op, const hed_array *out, int32_t ndim, const int64_t *dim);

/* OUT, called OUT_ARG, shares no byte with X; with SAME_OK, or is the same elements in the same order. Views are given so that a part
 * of an array can be meant. */
hed_status hed__check_overlap(const char *op, const hed_array *out, const hed_view *out_view, const char *out_arg,
                              const hed_array *x, const hed_view *x_view, const char *arg, bool same_ok);

/* Operand K of a plan is an array to write to: it must not have been replaced by a copy. */
hed_status hed__check_writable(const char *op, const hed__exec *ex, int k);

/* FLOAT64, or FLOAT32 where DEVICE has none: for parameters and sums. */
hed_dtype hed__wide_float(hed__device *device);

/* Do two views share a byte? Exact unless the search takes too long, then true. */
bool hed__views_meet(const hed_view *a, const hed_view *b);

/* The array's shape as a value. */
static inline hed_shape hed__shape_of(const hed_array *x)
{
  hed_shape s;
  s.ndim = x->view.ndim;
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = x->view.dim[k];
  return s;
}

/* "(2, 3)" as an expression inside a call's arguments. */
#define HED__TEXT(shape_) \
  hed__shape_text((shape_)->ndim, (shape_)->dim, (char[HED__SHAPE_TEXT]){ 0 }, HED__SHAPE_TEXT)

/* A view of V restricted on AXIS to COUNT elements from START with step STEP; no checks. */
static inline void hed__narrow(hed_view *v, int axis, int64_t start, int64_t count, int64_t step)
{
  if (count > 0)
    v->data = (char *)v->data + start * v->stride[axis];
  v->dim[axis] = count;
  v->stride[axis] *= step;
}

/* *OUT := the element of X, of size 1, made of ARG; NULL x: its error. HED_E_RANGE where int64 does not hold it. */
hed_status hed__item_of(const char *op, const char *arg, const hed_array *x, int64_t *out);

#endif
