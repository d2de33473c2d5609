// SPDX-License-Identifier: BSD-3-Clause
/* Trains with many small axes in place of few long ones, and back.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/train.h"
#include <math.h>

/* M with BASE^M = N, or 0. */
static int power_of(int64_t n, int64_t base)
{
  int m = 0;
  while (n > 1 && n % base == 0) {
    n /= base;
    m++;
  }
  return n == 1 ? m : 0;
}

/* How many axes of extent BASE each core becomes. */
static hed_status count(const char *op, const hed_tt *x, int64_t base, int *parts, int *all)
{
  const int inner = hed_array_ndim(x->core[0]) - 2, most = HED_MAX_NDIM / inner;
  *all = 0;
  for (int k = 0; k < x->order; k++) {
    parts[k] = power_of(hed__tt_extent(x, k, 1), base);
    for (int i = 1; i <= inner; i++)
      if (parts[k] == 0 || power_of(hed__tt_extent(x, k, i), base) != parts[k])
        return hed_fail(HED_E_SHAPE, "%s: core %d has extent %lld%s; powers of %lld are expected%s", op, k,
                        (long long)hed__tt_extent(x, k, i), inner > 1 ? " of rows or columns" : "", (long long)base,
                        inner > 1 ? ", the same of both" : "");
    *all += parts[k];
  }
  return *all <= most ? HED_OK : hed_fail(HED_E_SHAPE, "%s: %d axes of extent %lld; %d are the most", op, *all, (long long)base, most);
}

/* A core (r, I, J, r') of a matrix, I = J = b^m, as (r, b b .. b b, r') with the digits of rows and columns side by side. */
static hed_array *in_pairs(const hed_array *core, int64_t base, int m)
{
  const hed_shape s = hed_array_shape(core);
  hed_shape digits = { .ndim = 2 * m + 2, .dim = { s.dim[0] } };
  hed_axes order = { .n = 2 * m + 2 };
  for (int k = 0; k < m; k++) {
    digits.dim[1 + k] = digits.dim[1 + m + k] = base;
    order.axis[1 + 2 * k] = 1 + k;
    order.axis[2 + 2 * k] = 1 + m + k;
  }
  digits.dim[2 * m + 1] = s.dim[3];
  order.axis[2 * m + 1] = 2 * m + 1;
  return hed_reshape(hed_transpose(hed_reshape(core, digits), &order), HED_SHAPE(s.dim[0], s.dim[1] * s.dim[2], s.dim[3]));
}

/* T, of orthonormal rows after its first core, from the left into pieces of extent N, PARTS of each core; the error's squares go to
 * the bonds in equal shares. */
static hed_status divide(const hed_tt *t, int64_t n, const int *parts, int all, double squares, double eps, hed_tt *out,
                         double *dropped)
{
  hed_array *left = NULL, *rest = NULL, *carry = NULL;
  out->order = 0;
  for (int k = 0; k < t->order; k++) {
    hed_array *now = carry ? hed_tensordot_n(carry, t->core[k], 1) : t->core[k];
    int64_t rank = now ? hed_array_shape(now).dim[0] : 0;
    const int64_t after = hed__tt_extent(t, k, 2);
    for (int p = 0; p < parts[k] && now; p++) {
      if (out->order + 1 == all) {
        out->core[out->order++] = hed_reshape(now, HED_SHAPE(rank, n, after));
        break;
      }
      hed__cut cut = { .squares = all > 1 ? eps * eps * squares / (all - 1) : 0 };
      hed_status status = hed__tt_split(hed_reshape(now, HED_SHAPE(rank * n, -1)), squares, &cut, &left, &rest);
      if (status != HED_OK)
        return status;
      out->core[out->order++] = hed_reshape(left, HED_SHAPE(rank, n, -1));
      rank = hed_array_shape(rest).dim[0];
      now = rest;
      *dropped += cut.dropped;
    }
    if (!(carry = now))
      return hed_error();
  }
  return HED_OK;
}

hed_status hed_tt_quantise(const hed_tt *x, int64_t base, double eps, hed_tt *out, double *error)
{
  static const char op[] = "hed_tt_quantise";
  int parts[HED_MAX_NDIM], all = 0;
  double squares = 0, dropped = 0;
  const int64_t b = base == 0 ? 2 : base;
  hed_tt t, made = { 0 };
  HED_SCOPE_OR(return hed_error()) {
    hed_status status = hed__tt_train(op, x, out, &t);
    if (!out)
      return status;
    if (status == HED_OK && (b < 2 || !(eps >= 0 && eps < 1)))
      status = hed_fail(HED_E_INVAL, "%s: base %lld, eps %g; 2 or more, and [0, 1) are expected", op, (long long)b, eps);
    if (status == HED_OK)
      status = count(op, x, b, parts, &all);
    const bool matrix = status == HED_OK && hed_array_ndim(x->core[0]) == 4;
    for (int k = 0; status == HED_OK && matrix && k < t.order; k++)
      if (!(t.core[k] = in_pairs(hed__tensor_operand(op, "a core", x->core[k]), b, parts[k])))
        status = hed_error();
    if (status == HED_OK)
      status = hed__tt_sweep(&t, t.order - 1, 0);
    if (status == HED_OK)
      status = hed__tensor_squares(op, "x", t.core[0], &squares);
    if (status == HED_OK)
      status = divide(&t, matrix ? b * b : b, parts, all, squares, eps, &made, &dropped);
    for (int k = 0; status == HED_OK && matrix && k < made.order; k++) {
      const hed_shape s = hed_array_shape(made.core[k]);
      made.core[k] = hed_reshape(made.core[k], HED_SHAPE(s.dim[0], b, b, s.dim[2]));
    }
    if (error)
      *error = squares > 0 ? sqrt(dropped / squares) : 0;
    return hed__tt_hand_out(status, &made, out);
  }
  return hed_error();
}

/* Cores FIRST to END - 1 as one. */
static hed_array *joined(const hed_tt *x, int first, int end)
{
  const int axes = hed_array_ndim(x->core[0]);
  hed_array *now = hed__tensor_same(x->core[first]);
  for (int k = first + 1; k < end && now; k++) {
    const hed_shape a = hed_array_shape(now), b = hed_array_shape(x->core[k]);
    now = hed_tensordot_n(now, x->core[k], 1);
    if (axes == 3)
      now = hed_reshape(now, HED_SHAPE(a.dim[0], a.dim[1] * b.dim[1], b.dim[2]));
    else /* rows i i', columns j j' */
      now = hed_reshape(hed_swapaxes(now, 2, 3), HED_SHAPE(a.dim[0], a.dim[1] * b.dim[1], a.dim[2] * b.dim[2], b.dim[3]));
  }
  return now;
}

hed_status hed_tt_merge(const hed_tt *x, const hed_shape *counts, hed_tt *out)
{
  static const char op[] = "hed_tt_merge";
  char text[160];
  int64_t all = 0;
  hed_tt made = { 0 };
  hed_status status = hed__tt_check(op, "x", x);
  if (status == HED_OK && (!out || !counts))
    status = hed_fail(HED_E_INVAL, "%s: %s is NULL", op, out ? "counts" : "out");
  if (!out)
    return status;
  for (int k = 0; status == HED_OK && k < counts->ndim; k++) {
    all += counts->dim[k] > 0 && counts->dim[k] <= HED_MAX_NDIM ? counts->dim[k] : HED_MAX_NDIM + 1;
    if (all > x->order)
      break;
  }
  if (status == HED_OK && all != x->order)
    status = hed_fail(HED_E_SHAPE, "%s: counts %s of %d cores; they are 1 or more and add up to that", op,
                      hed__shape_words(*counts, text), (int)x->order);
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0, at = 0; status == HED_OK && k < counts->ndim; at += (int)counts->dim[k++])
      made.core[made.order++] = joined(x, at, at + (int)counts->dim[k]);
    status = hed__tt_hand_out(status, &made, out);
  }
  return status;
}
