// SPDX-License-Identifier: BSD-3-Clause
/* Tucker decompositions without negative entries.
 *
 * Layer: L4, tensor kit. With B the core times all factors but one, the unfolding of X times B^T and B B^T are small contractions of
 * the core: B itself is never made.
 */
#include "kits/tensor/cp/als.h"
#include "kits/member.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/tucker/hooi.h"
#include <math.h>

enum { INNER = 5, CORE_STEPS = 20 };

static hed_array *gram_of(const hed_array *f)
{
  return hed_matmul(hed_transpose(f, NULL), f);
}

/* All axes but MODE. */
static hed_axes others(int order, int mode)
{
  hed_axes a = { 0, { 0 } };
  for (int k = 0; k < order; k++)
    if (k != mode)
      a.axis[a.n++] = k;
  return a;
}

/* CORE times the Gram matrices of all factors but that of SKIP (-1: of all). */
static hed_array *times_grams(const hed__hooi *h, const hed_array *core, int skip)
{
  hed_array *now = hed__tensor_same(core);
  for (int k = 0; k < h->order && now; k++)
    if (h->factor[k] && k != skip)
      now = hed_mode_dot(now, gram_of(h->factor[k]), k, false);
  return now;
}

/* X * A / (B + tiny), without 0 / 0. */
static hed_array *scaled_by(const hed_array *x, const hed_array *a, const hed_array *b)
{
  hed_array *below = b ? hed_add_scalar(b, 1e-30) : NULL;
  return a && below ? hed_multiply(x, hed_divide(hed_maximum_scalar(a, 0), below)) : NULL;
}

static hed_status update_factor(hed__hooi *h, int mode, const hed_array *y, bool multiply)
{
  const hed_axes rest = others(h->order, mode);
  hed_array *m = hed_tensordot(y, h->core, &rest, &rest); /* (I, r) */
  hed_array *g = hed_tensordot(times_grams(h, h->core, mode), h->core, &rest, &rest);
  if (!m || !g)
    return hed_error();
  return hed__put(&h->factor[mode], multiply ? scaled_by(h->factor[mode], m, hed_matmul(h->factor[mode], g))
                                             : hed__hals(h->factor[mode], m, g, INNER, 0, 0));
}

/* Half the squared error as a function of the core, but for a constant. */
static hed_status objective(const hed__hooi *h, const hed_array *core, const hed_array *projected, double *out)
{
  double square[2] = { 0, 0 }, cross[2] = { 0, 0 };
  hed_status status = hed__dot(core, times_grams(h, core, -1), square);
  if (status == HED_OK)
    status = hed__dot(core, projected, cross);
  *out = square[0] / 2 - cross[0];
  return status;
}

/* AHEAD less STEP times the gradient there, without negative entries. */
static hed_array *descended(const hed__hooi *h, const hed_array *ahead, const hed_array *projected, double step)
{
  hed_array *gradient = hed_subtract(times_grams(h, ahead, -1), projected);
  return gradient ? hed_maximum_scalar(hed_subtract(ahead, hed_multiply_scalar(gradient, step)), 0) : NULL;
}

/* Steps against the gradient with momentum, as long as one over the product of the largest eigenvalues; one that leads upwards is
 * taken back and done without momentum, which leads down. */
static hed_status core_gradients(hed__hooi *h, const hed_array *projected)
{
  double bound = 1, momentum = 1, value = 0;
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < h->order && status == HED_OK; k++)
      if (h->factor[k]) {
        double largest = 0;
        hed_array *values = hed_eigvalsh(gram_of(h->factor[k]), false), *top = values ? hed_max(values, NULL) : NULL;
        status = top ? hed_item(top, &largest) : hed_error();
        bound *= largest;
      }
    hed_array *now = hed__tensor_same(h->core), *ahead = hed__tensor_same(h->core);
    if (status == HED_OK)
      status = objective(h, now, projected, &value);
    for (int i = 0; i < CORE_STEPS && status == HED_OK && bound > 0; i++) {
      hed_array *next = descended(h, ahead, projected, 1 / bound);
      double reached = 0, after = (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
      status = next ? objective(h, next, projected, &reached) : hed_error();
      if (status == HED_OK && reached > value) {
        momentum = after = 1;
        next = descended(h, now, projected, 1 / bound);
        status = next ? objective(h, next, projected, &reached) : hed_error();
      }
      if (status == HED_OK && reached > value) /* nothing but rounding is left */
        break;
      hed_array *change = status == HED_OK ? hed_subtract(next, now) : NULL;
      ahead = change ? hed_add(next, hed_multiply_scalar(change, (momentum - 1) / after)) : NULL;
      momentum = after;
      value = reached;
      now = next;
    }
    if (status == HED_OK && bound > 0)
      status = hed__put(&h->core, now);
  }
  return status;
}

static hed_status visit(hed__hooi *h, int mode, const hed_array *y, bool multiply)
{
  hed_status status = h->fixed >> mode & 1U ? HED_OK : update_factor(h, mode, y, multiply);
  if (status != HED_OK || mode != h->order - 1)
    return status;
  hed_array *projected = hed__hooi_project(h, y, mode);
  if (!projected)
    return hed_error();
  return multiply ? hed__put(&h->core, scaled_by(h->core, projected, times_grams(h, h->core, -1))) : core_gradients(h, projected);
}

static hed_status visit_hals(hed__hooi *h, int mode, const hed_array *y) { return visit(h, mode, y, false); }

static hed_status visit_mu(hed__hooi *h, int mode, const hed_array *y) { return visit(h, mode, y, true); }

static hed_array *given_core(const hed__hooi *h)
{
  hed_array *core = hed_asarray(h->opt->start->core, h->type);
  return core ? hed__tensor_scaled(hed_abs(core), -h->exponent) : NULL;
}

/* Absolute values of START, or uniform numbers, scaled so that the core's is that of the data. */
static hed_status begin(hed__hooi *h)
{
  hed_generator g, child[HED_MAX_NDIM + 1];
  hed_shape core = h->shape;
  hed_status status = hed_check_random_state(&h->opt->random, &g);
  if (status == HED_OK)
    status = hed_generator_split(&g, h->order + 1, child);
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < h->order && status == HED_OK; k++)
      if (h->rank.dim[k] > 0) {
        const hed_random draw = { .generator = &child[k] };
        core.dim[k] = h->rank.dim[k];
        const hed_shape s = HED_SHAPE(h->shape.dim[k], h->rank.dim[k]);
        status = hed__put(&h->factor[k], h->opt->start ? hed_abs(hed_asarray(h->opt->start->factor[k], h->type))
                                                       : hed_random_uniform(s, h->type, &draw));
      }
    const hed_random draw = { .generator = &child[h->order] };
    if (status == HED_OK)
      status = hed__put(&h->core, h->opt->start ? given_core(h)
                                                : hed_random_uniform(core, h->type, &draw));
  }
  return status;
}

hed_status hed_tucker_nonnegative(const hed_array *x, const hed_shape *ranks, hed_nn_tucker_method method,
                                  const hed_tucker_options *opt, hed_tucker *out, hed_fit *fit)
{
  static const char *const op = "hed_tucker_nonnegative";
  static const hed_tucker_options defaults;
  hed__hooi h = { .op = op, .opt = opt ? opt : &defaults, .free_size = true };
  hed__run run = { 0 };
  hed_tucker made = { 0 };
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out || !ranks)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, !out ? "out" : "ranks");
  if (hed__expect_member(op, "method", (int)method, HED_NN_TUCKER_HALS, HED_NN_TUCKER_MU, "hed_nn_tucker_method") != HED_OK)
    return hed_error();
  *out = (hed_tucker){ 0 };
  hed_status status = hed__run_begin(&run, op, &h.opt->sweeps, 100, 1e-8);
  if (status == HED_OK)
    status = hed__hooi_open(&h, x, ranks);
  if (status == HED_OK && hed_dtype_kind(h.type) == HED_KIND_COMPLEX)
    status = hed_fail(HED_E_DTYPE, "%s: factors of a %s tensor have no sign", op, hed_dtype_name(h.type));
  if (status == HED_OK)
    status = begin(&h);
  /* the last mode is always visited, for the core */
  const uint32_t wanted = (~h.fixed & ((1U << h.order) - 1)) | (h.order > 0 ? 1U << (h.order - 1) : 0);
  while (status == HED_OK && hed__run_goes_on(&run)) {
    double error = 0;
    HED_SCOPE_OR(status = hed_error()) {
      status = hed__hooi_sweep(&h, wanted, method == HED_NN_TUCKER_MU ? visit_mu : visit_hals);
      if (status == HED_OK)
        status = hed__hooi_error(&h, true, &error);
    }
    if (status == HED_OK)
      status = hed__run_swept(&run, error);
  }
  status = hed__hooi_take_out(&h, status, &made);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    *out = made;
  else
    hed_tucker_clear(&made);
  hed__hooi_close(&h);
  return status;
}
