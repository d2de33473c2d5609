// SPDX-License-Identifier: BSD-3-Clause
/* The tensor of a Tucker decomposition, its ranks and gaps, and its products with factors.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/tucker/hooi.h"
#include <math.h>
#include <stdio.h>

void hed__hooi_cut_ranks(hed__hooi *h)
{
  const hed_shape asked = h->rank;
  bool cut = true;
  char text[160], other[160];
  while (cut) {
    cut = false;
    for (int k = 0; k < h->order; k++) {
      double others = 1;
      for (int j = 0; j < h->order; j++)
        others *= j == k ? 1 : h->rank.dim[j] ? (double)h->rank.dim[j] : (double)h->shape.dim[j];
      const double most = fmin((double)h->shape.dim[k], others);
      if ((double)h->rank.dim[k] > most) {
        h->rank.dim[k] = (int64_t)most;
        cut = true;
      }
    }
  }
  if (!hed__same_shape(asked, h->rank))
    snprintf(h->note, sizeof h->note, "ranks %.80s became %.80s: no more are possible", hed__shape_words(asked, text),
             hed__shape_words(h->rank, other));
}

static hed_status check(hed__hooi *h, const hed_array *x, const hed_shape *ranks)
{
  const hed_tucker *start = h->opt->start;
  char text[160], other[160];
  if (!x)
    return hed__tensor_missing(h->op, "x");
  h->shape = h->rank = hed_array_shape(x);
  h->order = h->shape.ndim;
  if (h->order < 2 || h->order >= HED_MAX_NDIM || hed_array_size(x) == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s; 2 to %d axes and at least an element are needed", h->op,
                    hed__shape_words(h->shape, text), HED_MAX_NDIM - 1);
  if (ranks)
    h->rank = hed__ranks_of_modes(*ranks, h->order);
  if (h->rank.ndim != h->order)
    return hed_fail(HED_E_SHAPE, "%s: %d ranks for the %d axes of x", h->op, (int)ranks->ndim, h->order);
  for (int k = 0; k < h->order; k++)
    if (h->rank.dim[k] < 0)
      return hed_fail(HED_E_INVAL, "%s: rank %lld of mode %d is below 1 (0: the mode has no factor)", h->op,
                      (long long)h->rank.dim[k], k);
  hed_status status = hed__mode_set(h->op, &h->opt->fixed_modes, h->order, &h->fixed);
  if (status == HED_OK && h->fixed && !start)
    status = hed_fail(HED_E_INVAL, "%s: modes are fixed, and there is no start", h->op);
  hed__hooi_cut_ranks(h);
  if (status != HED_OK || !start)
    return status;
  const hed_shape s = hed_tucker_shape(start);
  if (s.ndim < 0)
    return hed_error();
  if (!hed__same_shape(s, h->shape))
    return hed_fail(HED_E_SHAPE, "%s: the start has shape %s, x %s", h->op, hed__shape_words(s, text),
                    hed__shape_words(h->shape, other));
  for (int k = 0; k < h->order; k++)
    if (h->rank.dim[k] > 0 && (!start->factor[k] || hed_array_shape(start->factor[k]).dim[1] != h->rank.dim[k]))
      return hed_fail(HED_E_SHAPE, "%s: the start has core %s, the ranks are %s", h->op,
                      hed__shape_words(hed_array_shape(start->core), text), hed__shape_words(h->rank, other));
  return HED_OK;
}

hed_status hed__hooi_open(hed__hooi *h, const hed_array *x, const hed_shape *ranks)
{
  hed_status status = check(h, x, ranks);
  if (status != HED_OK)
    return status;
  for (int k = 0; k < h->order; k++)
    h->fixed |= h->rank.dim[k] == 0 ? 1U << k : 0;
  h->last = h->order - 1;
  while (h->last >= 0 && h->fixed >> h->last & 1U)
    h->last--;
  /* the gaps are those of a CP decomposition that imputes */
  const hed_cp_options like = { .mask = h->opt->mask, .nan_is_missing = h->opt->nan_is_missing, .missing = HED_MISSING_IMPUTE };
  const hed__cp_method method = { .rescales = !h->free_size };
  hed__als data = { .op = h->op, .opt = &like, .method = &method };
  status = hed__als_open(&data, x, 1);
  if (status == HED_OK)
    status = hed__als_first_guess(&data, NULL);
  if (status == HED_OK) {
    h->x = hed_retain(data.x);
    h->mask = hed_retain(data.mask);
    h->work = data.work == data.x ? h->x : hed_retain(data.work);
    h->type = data.type;
    h->epsilon = data.epsilon;
    h->squares = data.squares;
    h->exponent = data.exponent;
    h->split = data.tree.split;
  }
  hed__als_close(&data);
  return status;
}

void hed__hooi_close(hed__hooi *h)
{
  if (h->work != h->x)
    hed_release(h->work);
  hed_release(h->x);
  hed_release(h->mask);
  hed_release(h->core);
  for (int k = 0; k < h->order; k++)
    hed_release(h->factor[k]);
  *h = (hed__hooi){ 0 };
}

hed_array *hed__hooi_project(const hed__hooi *h, const hed_array *y, int mode)
{
  if (!y || !h->factor[mode])
    return y ? hed__tensor_same(y) : NULL;
  hed_array *out = hed_mode_dot(y, h->factor[mode], mode, true);
  return out ? hed__in_c_order(out) : NULL;
}

/* Y of one half, projected on all modes FROM .. TO - 1 but SKIP: from the end inwards, so that each is one product over what lies
 * together. */
static hed_array *project_all(const hed__hooi *h, const hed_array *y, int from, int to, int skip, bool upwards)
{
  hed_array *now = hed__tensor_same(y);
  for (int i = from; i < to && now; i++) {
    const int k = upwards ? i : from + to - 1 - i;
    now = k == skip ? now : hed__hooi_project(h, now, k);
  }
  return now;
}

static hed_status sweep_half(hed__hooi *h, uint32_t wanted, bool right, hed__hooi_visit visit)
{
  const int first = right ? h->split : 0, end = right ? h->order : h->split;
  hed_status status = HED_OK;
  if (!(wanted >> first & ((1U << (end - first)) - 1)))
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *half = right ? project_all(h, h->work, 0, h->split, -1, true) : project_all(h, h->work, h->split, h->order, -1, false);
    status = half ? HED_OK : hed_error();
    for (int k = first; k < end && status == HED_OK; k++)
      if (wanted >> k & 1U)
        HED_SCOPE_OR(return hed_error()) {
          hed_array *y = project_all(h, half, first, end, k, false);
          status = y ? visit(h, k, y) : hed_error();
        }
  }
  return status;
}

hed_status hed__hooi_sweep(hed__hooi *h, uint32_t wanted, hed__hooi_visit visit)
{
  hed_status status = sweep_half(h, wanted, false, visit);
  return status == HED_OK ? sweep_half(h, wanted, true, visit) : status;
}

hed_status hed__hooi_error(hed__hooi *h, bool fill, double *error)
{
  double squares[2] = { 0, 0 };
  hed_status status = HED_OK;
  hed_array *now = hed_retain(h->core);
  for (int k = 1; k < h->order && status == HED_OK; k++)
    if (h->factor[k])
      HED_SCOPE_OR(status = hed_error())
        status = hed__put(&now, hed_mode_dot(now, h->factor[k], k, false));
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *left = h->factor[0] ? h->factor[0] : hed_eye(h->shape.dim[0], h->shape.dim[0], 0, h->type);
      hed_array *right = left ? hed_reshape(now, HED_SHAPE(hed_array_shape(left).dim[1], -1)) : NULL;
      status = hed__pair_squares(left, right, h->x, h->mask, fill && h->work != h->x ? h->work : NULL, squares);
    }
  hed_release(now);
  if (status == HED_OK)
    *error = h->squares > 0 ? sqrt(squares[0] / h->squares) : squares[0] > 0 ? INFINITY : 0;
  return status;
}

hed_status hed__hooi_take_out(hed__hooi *h, hed_status status, hed_tucker *out)
{
  hed_tucker t = { .order = h->order, .core = h->core };
  for (int k = 0; k < h->order; k++)
    t.factor[k] = h->factor[k];
  *out = (hed_tucker){ 0 };
  if (status == HED_OK)
    status = hed_tucker_copy(&t, out);
  if (status == HED_OK && (status = hed__tensor_rescale(&out->core, h->exponent)) != HED_OK)
    hed_tucker_clear(out);
  return status;
}
