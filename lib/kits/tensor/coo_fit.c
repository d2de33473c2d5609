// SPDX-License-Identifier: BSD-3-Clause
/* CP and Tucker decompositions of tensors of few entries.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/coo.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/tucker/hooi.h"
#include <math.h>

hed_status hed_coo_cp_als(const hed_coo *x, int64_t rank, const hed_cp_options *opt, hed_cp *out, hed_fit *fit)
{
  static const hed__cp_method method = { .rescales = true, .revives = true, .update = hed__update_least_squares };
  return hed__cp_run_sparse("hed_coo_cp_als", &method, NULL, x, rank, opt, out, fit);
}

/* H of X: shape, type and ranks that are possible. SCALED: X near 1, with values of its own. */
static hed_status open(hed__hooi *h, const hed_coo *x, const hed_shape *ranks, hed_coo *scaled)
{
  char text[160], other[160];
  hed_status status = hed__coo_check(h->op, x);
  if (status != HED_OK)
    return status;
  h->rank = hed__ranks_of_modes(ranks ? *ranks : (hed_shape){ 0 }, x->shape.ndim);
  if (x->shape.ndim < 2 || h->rank.ndim != x->shape.ndim)
    return hed_fail(HED_E_SHAPE, "%s: ranks %s for shape %s; 2 to 15 axes and a rank for each, or one for all, are expected", h->op,
                    ranks ? hed__shape_words(*ranks, other) : "NULL", hed__shape_words(x->shape, text));
  for (int k = 0; k < h->rank.ndim; k++)
    if (h->rank.dim[k] < 1)
      return hed_fail(HED_E_INVAL, "%s: rank %lld of mode %d", h->op, (long long)h->rank.dim[k], k);
  h->order = x->shape.ndim;
  h->shape = x->shape;
  h->type = hed_array_dtype(x->values);
  h->epsilon = hed__tensor_epsilon(h->type);
  h->last = h->order - 1;
  for (int k = 0; k < h->order; k++)
    if (h->shape.dim[k] == 0)
      return hed_fail(HED_E_SHAPE, "%s: x has shape %s, without an element", h->op, hed__shape_words(x->shape, text));
  hed__hooi_cut_ranks(h);
  status = hed__tensor_exponent(h->op, "x", x->values, &h->exponent);
  h->exponent = hed__tensor_exponent_needed(h->exponent);
  *scaled = *x;
  scaled->values = hed_retain(x->values);
  if (status == HED_OK)
    status = hed__tensor_rescale(&scaled->values, -h->exponent);
  return status == HED_OK ? hed__tensor_squares(h->op, "x", scaled->values, &h->squares) : status;
}

/* Factor by factor the leading vectors of X times the others; at the last one the core. */
static hed_status sweep(hed__hooi *h, const hed_coo *x)
{
  hed_status status = HED_OK;
  for (int k = 0; k < h->order && status == HED_OK; k++)
    HED_SCOPE_OR(return hed_error()) {
      const hed_array *others[HED_MAX_NDIM];
      for (int j = 0; j < h->order; j++)
        others[j] = j == k ? NULL : h->factor[j];
      hed_array *y = hed_coo_project(x, h->order, others);
      status = y ? hed__put(&h->factor[k], hed__leading(y, k, h->rank.dim[k], -1)) : hed_error();
      if (status == HED_OK && k == h->last)
        status = hed__put(&h->core, hed__hooi_project(h, y, k));
    }
  return status;
}

hed_status hed_coo_tucker(const hed_coo *x, const hed_shape *ranks, const hed_coo_tucker_options *opt, hed_tucker *out, hed_fit *fit)
{
  static const char *const op = "hed_coo_tucker";
  static const hed_coo_tucker_options defaults;
  const hed_coo_tucker_options *o = opt ? opt : &defaults;
  const hed_tucker_options like = { .random = o->random, .random_start = true };
  hed__hooi h = { .op = op, .opt = &like };
  hed__run run = { 0 };
  hed_coo near = { 0 };
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_tucker){ 0 };
  hed_status status = hed__run_begin(&run, op, &o->sweeps, 100, 1e-8);
  if (status == HED_OK)
    status = open(&h, x, ranks, &near);
  if (status == HED_OK)
    status = hed__hooi_random_factors(&h);
  while (status == HED_OK && hed__run_goes_on(&run)) {
    double squares = 0;
    status = sweep(&h, &near);
    if (status == HED_OK)
      status = hed__tensor_squares(op, "the core", h.core, &squares);
    if (status == HED_OK)
      status = hed__run_swept(&run, h.squares > 0 ? sqrt(fmax(h.squares - squares, 0) / h.squares) : 0);
  }
  hed_release(near.values);
  return hed__hooi_finish(&h, &run, status, out, fit);
}
