// SPDX-License-Identifier: BSD-3-Clause
/* Trains by orthogonal iteration over pairs of cores.
 *
 * Layer: L4, tensor kit. Cores before a bond have orthonormal columns and those after it orthonormal rows when the two cores at the
 * bond are chosen: what X is in those bases is a matrix, whose leading singular vectors are the best choice.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/train/train.h"
#include <heddle/kits/tensor_train_fit.h>
#include <math.h>

typedef struct chain {
  int order;
  int64_t extent[HED_MAX_NDIM], rank[HED_MAX_NDIM + 1]; /* rank[k] before core k */
  hed_array *left[HED_MAX_NDIM];      /* X in the bases of the cores before k: (rank[k], rest); left[0] is X */
  hed_array *right[HED_MAX_NDIM + 1]; /* product of the cores from k on: (rank[k], rest); right[order] is 1  */
  hed_array *core[HED_MAX_NDIM];      /* all of these are kept, some of them NULL                             */
  double squares;
  int exponent; /* X is the data over 2^exponent, and so is the last core */
} chain;

static void chain_clear(chain *c)
{
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    hed_release(c->left[k]);
    hed_release(c->right[k]);
    hed_release(c->core[k]);
  }
  hed_release(c->right[HED_MAX_NDIM]);
}

/* Core K, of orthonormal columns, and X in its basis. */
static hed_status push_left(chain *c, int k, hed_array *columns)
{
  hed_status status = hed__put(&c->core[k], hed_reshape(columns, HED_SHAPE(c->rank[k], c->extent[k], -1)));
  if (status != HED_OK)
    return status;
  hed_array *adjoint = hed__tensor_conj(hed_transpose(columns, NULL));
  c->rank[k + 1] = hed_array_shape(columns).dim[1];
  return hed__put(&c->left[k + 1], hed_matmul(adjoint, hed_reshape(c->left[k], HED_SHAPE(c->rank[k] * c->extent[k], -1))));
}

/* Core K, of orthonormal rows, and the product of those from it on. */
static hed_status push_right(chain *c, int k, hed_array *rows)
{
  hed_status status = rows ? HED_OK : hed_error();
  if (status == HED_OK)
    c->rank[k] = hed_array_shape(rows).dim[0];
  if (status == HED_OK)
    status = hed__put(&c->core[k], hed_reshape(rows, HED_SHAPE(c->rank[k], c->extent[k], c->rank[k + 1])));
  if (status != HED_OK)
    return status;
  hed_array *flat = hed_reshape(c->core[k], HED_SHAPE(c->rank[k] * c->extent[k], c->rank[k + 1]));
  return hed__put(&c->right[k], hed_reshape(hed_matmul(flat, c->right[k + 1]), HED_SHAPE(c->rank[k], -1)));
}

/* The cores K and K + 1 for the others: (rank[k] extent[k], extent[k + 1] rank[k + 2]). */
static hed_array *pair(const chain *c, int k)
{
  hed_array *flat = hed_reshape(c->left[k], HED_SHAPE(c->rank[k] * c->extent[k] * c->extent[k + 1], -1));
  hed_array *w = hed_matmul(flat, hed__tensor_conj(hed_transpose(c->right[k + 2], NULL)));
  return hed_reshape(w, HED_SHAPE(c->rank[k] * c->extent[k], -1));
}

static hed_status sweep(chain *c, double *error)
{
  hed_array *left = NULL, *rest = NULL;
  double kept = 0;
  hed_status status = HED_OK;
  for (int k = c->order - 2; k >= 0 && status == HED_OK; k--)
    HED_SCOPE_OR(return hed_error()) {
      hed__cut cut = { .most = c->rank[k + 1] };
      hed_array *w = pair(c, k), *across = w ? hed_transpose(w, NULL) : NULL;
      status = hed__tt_split(across, c->squares, &cut, &left, &rest);
      if (status == HED_OK)
        status = push_right(c, k + 1, hed_transpose(left, NULL));
    }
  for (int k = 0; k + 1 < c->order && status == HED_OK; k++)
    HED_SCOPE_OR(return hed_error()) {
      hed__cut cut = { .most = c->rank[k + 1] };
      status = hed__tt_split(pair(c, k), c->squares, &cut, &left, &rest);
      if (status == HED_OK)
        status = push_left(c, k, left);
      if (status == HED_OK && k + 2 == c->order)
        status = hed__put(&c->core[k + 1], hed_reshape(rest, HED_SHAPE(c->rank[k + 1], c->extent[k + 1], 1)));
    }
  if (status == HED_OK)
    status = hed__tensor_squares("hed_tt_iterate", "the last core", c->core[c->order - 1], &kept);
  *error = c->squares > 0 ? sqrt(fmax(c->squares - kept, 0) / c->squares) : 0;
  return status;
}

/* From the cores of T, whose columns are orthonormal but for the last one. */
static hed_status begin(chain *c, const hed_array *x, const hed_tt *t)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *operand = hed__tensor_operand("hed_tt_iterate", "x", x), *flat = operand ? hed__in_c_order(operand) : NULL;
    c->order = t->order;
    for (int k = 0; k < t->order; k++)
      c->extent[k] = hed__tt_extent(t, k, 1);
    status = flat ? hed__tensor_exponent("hed_tt_iterate", "x", flat, &c->exponent) : hed_error();
    c->exponent = hed__tensor_exponent_needed(c->exponent);
    flat = status == HED_OK ? hed__tensor_scaled(flat, -c->exponent) : NULL;
    if (status == HED_OK)
      status = flat ? hed__tensor_squares("hed_tt_iterate", "x", flat, &c->squares) : hed_error();
    if (status == HED_OK)
      status = hed__put(&c->left[0], hed_reshape(flat, HED_SHAPE(1, -1)));
    if (status == HED_OK)
      status = hed__put(&c->right[c->order], hed_ones(HED_SHAPE(1, 1), hed_array_dtype(flat)));
    c->rank[0] = c->rank[c->order] = 1;
    for (int k = 0; k + 1 < c->order && status == HED_OK; k++)
      status = push_left(c, k, hed_reshape(t->core[k], HED_SHAPE(c->rank[k] * c->extent[k], -1)));
  }
  return status;
}

hed_status hed_tt_iterate(const hed_array *x, const hed_shape *ranks, const hed_tt_iterate_options *opt, hed_tt *out, hed_fit *fit)
{
  static const char *const op = "hed_tt_iterate";
  chain c = { .order = 0 };
  hed_tt start = { 0 };
  hed__run run = { 0 };
  double error = 0;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_tt){ 0 };
  hed_status status = hed__run_begin(&run, op, opt ? &opt->sweeps : NULL, 20, 1e-8);
  if (status == HED_OK)
    status = hed_tt_svd(x, ranks, 0, &start, &run.fit.error);
  if (status == HED_OK && start.order > 1)
    status = begin(&c, x, &start);
  while (status == HED_OK && start.order > 1 && hed__run_goes_on(&run)) {
    status = sweep(&c, &error);
    if (status == HED_OK)
      status = hed__run_swept(&run, error);
  }
  for (int k = 0; k < c.order && run.fit.n_sweeps > 0; k++) {
    hed_release(start.core[k]);
    start.core[k] = hed_retain(c.core[k]);
    if (k + 1 == c.order && status == HED_OK)
      status = hed__tensor_rescale(&start.core[k], c.exponent);
  }
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    *out = start;
  else
    hed_tt_clear(&start);
  chain_clear(&c);
  return status;
}
