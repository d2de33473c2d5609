// SPDX-License-Identifier: BSD-3-Clause
/* Rules that learn from what is active together.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include <heddle/kits/nn_train.h>
#include <math.h>

static hed_status check(const char *op, const hed_array *w, const hed_array *x, const hed_array *y, double rate)
{
  char text[3][HED__SHAPE_WORDS];
  if (!hed__train_float(op, "w", w) || !hed__train_float(op, "x", x) || !hed__train_float(op, "y", y))
    return hed_error();
  const hed_shape s = hed_array_shape(w), a = hed_array_shape(x), b = hed_array_shape(y);
  if (s.ndim != 2 || a.ndim != 2 || b.ndim != 2 || a.dim[0] != b.dim[0] || a.dim[1] != s.dim[0] || b.dim[1] != s.dim[1])
    return hed_fail(HED_E_SHAPE, "%s: w is %s, x %s, y %s: (in, out), (samples, in) and (samples, out) are needed", op,
                    hed__shape_words(s, text[0]), hed__shape_words(a, text[1]), hed__shape_words(b, text[2]));
  if (a.dim[0] < 1)
    return hed_fail(HED_E_INVAL, "%s: there are no samples", op);
  return isfinite(rate) ? HED_OK : hed_fail(HED_E_INVAL, "%s: rate is %g, not finite", op, rate);
}

static hed_array *together(const hed_array *x, const hed_array *y)
{
  return hed_divide_scalar(hed_matmul(hed_matrix_transpose(x), y), (double)hed_array_shape(x).dim[0]);
}

static hed_status learn(hed_array *w, const hed_array *change, double rate)
{
  return change ? hed_add_into(w, w, hed_multiply_scalar(change, rate)) : hed_error();
}

hed_status hed_nn_hebb(hed_array *w, const hed_array *x, const hed_array *y, double rate)
{
  hed_status status = check("hed_nn_hebb", w, x, y, rate);
  if (status == HED_OK)
    HED_SCOPE_OR(return hed_error()) status = learn(w, together(x, y), rate);
  return status;
}

hed_status hed_nn_oja(hed_array *w, const hed_array *x, const hed_array *y, double rate)
{
  hed_status status = check("hed_nn_oja", w, x, y, rate);
  if (status == HED_OK)
    HED_SCOPE_OR(return hed_error()) status = learn(w, hed_subtract(together(x, y), hed_matmul(w, together(y, y))), rate);
  return status;
}

hed_status hed_nn_contrastive_hebb(hed_array *w, const hed_array *x, const hed_array *y, const hed_array *free_x,
                                   const hed_array *free_y, double rate)
{
  hed_status status = check("hed_nn_contrastive_hebb", w, x, y, rate);
  if (status == HED_OK)
    status = check("hed_nn_contrastive_hebb", w, free_x, free_y, rate);
  if (status == HED_OK)
    HED_SCOPE_OR(return hed_error()) status = learn(w, hed_subtract(together(x, y), together(free_x, free_y)), rate);
  return status;
}
