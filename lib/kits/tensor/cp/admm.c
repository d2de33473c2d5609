// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions with constrained factors.
 *
 * Layer: L4, tensor kit. For one factor, with H the constrained one, U the scaled dual and rho the mean of G's diagonal:
 *   A = (M + rho (H + U)) (G + rho)^-1,  H = prox(A - U) with penalties over rho,  U = U + H - A
 * until |H - A| < tol |H| and |H - H before| < tol |U|. One inverse serves all steps.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/solve/prox.h"
#include <math.h>

typedef struct constrained {
  hed_cp_constrained_options opt;
  hed_array *dual[HED_MAX_NDIM];
} constrained;

static void duals_clear(constrained *c)
{
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    hed_release(c->dual[k]);
    c->dual[k] = NULL;
  }
}

/* Factors of a start meet their constraints; duals are 0. */
static hed_status begin(hed__als *a, void *arg)
{
  constrained *c = arg;
  hed_status status = HED_OK;
  duals_clear(c);
  for (int k = 0; k < a->order && status == HED_OK; k++)
    HED_SCOPE_OR(return hed_error()) {
      if (!(a->fixed >> k & 1U))
        status = hed__als_set_factor(a, k, hed__prox(&c->opt.constraint[k], a->factor[k], 1));
      if (status == HED_OK)
        status = hed__put(&c->dual[k], hed_zeros_like(a->factor[k]));
    }
  return status;
}

static hed_status norm_of(const hed_array *x, double *out)
{
  hed_array *n = x ? hed_vector_norm(x, 2, NULL) : NULL;
  return n ? hed_item(n, out) : hed_error();
}

static hed_array *update(hed__als *a, void *arg, int mode, const hed_array *m, const hed_array *g)
{
  constrained *c = arg;
  const hed_prox_options *constraint = &c->opt.constraint[mode];
  const double tol = c->opt.inner_tol == 0 ? 1e-4 : c->opt.inner_tol;
  const int steps = c->opt.inner > 0 ? c->opt.inner : 10;
  double trace = 0;
  hed_array *sum = hed_matrix_trace(g, 0, -2, -1);
  if (constraint->kind == HED_PROX_NONE && !constraint->nonnegative)
    return hed__update_least_squares(a, NULL, mode, m, g);
  if (!sum || hed_item(sum, &trace) != HED_OK)
    return NULL;
  const double rho = fmax(trace / (double)a->rank, 1e-30);
  hed_array *shifted = hed_add(g, hed_multiply_scalar(hed_eye(a->rank, a->rank, 0, hed_array_dtype(g)), rho + a->opt->l2));
  hed_array *inverse = shifted ? hed_astype(hed_inv(shifted), a->type) : NULL;
  hed_array *h = hed__tensor_same(a->factor[mode]), *u = hed__tensor_same(c->dual[mode]);
  for (int k = 0; k < steps && h && u; k++) {
    hed_array *free_ = hed_matmul(hed_add(m, hed_multiply_scalar(hed_add(h, u), rho)), inverse);
    /* penalties are those of half the squared error: over rho, as the prox has it */
    hed_array *less = free_ ? hed_subtract(free_, u) : NULL, *next = less ? hed__prox(constraint, less, 1 / rho) : NULL;
    hed_array *apart = next ? hed_subtract(next, free_) : NULL, *moved = next ? hed_subtract(next, h) : NULL;
    u = apart ? hed_add(u, apart) : NULL;
    h = next;
    double p = 0, d = 0, hn = 0, un = 0;
    if (!u || norm_of(apart, &p) != HED_OK || norm_of(moved, &d) != HED_OK || norm_of(h, &hn) != HED_OK || norm_of(u, &un) != HED_OK)
      return NULL;
    if (p <= tol * hn && d <= tol * un)
      break;
  }
  return h && u && hed__put(&c->dual[mode], u) == HED_OK ? h : NULL;
}

/* Modes whose constraint a multiple of a factor may not meet; all, where there is a penalty, which is in the unit of the data. */
static hed__cp_modes modes_of(const hed_cp_constrained_options *o, int order)
{
  hed__cp_modes modes = { 0 };
  for (int k = 0; k < order; k++) {
    const hed_prox_options *c = &o->constraint[k];
    if (c->nonnegative || c->kind == HED_PROX_NONNEGATIVE || c->kind == HED_PROX_SIMPLEX)
      modes.positive |= 1U << k;
    switch (c->kind) {
    case HED_PROX_NONE:
    case HED_PROX_NONNEGATIVE:
    case HED_PROX_SPARSE:
    case HED_PROX_INCREASING:
    case HED_PROX_DECREASING:
    case HED_PROX_UNIMODAL:
      break;
    case HED_PROX_SIMPLEX:
    case HED_PROX_L1_BALL:
    case HED_PROX_SPARSE_UNIT:
    case HED_PROX_MAX_UNIT:
    case HED_PROX_ORTHONORMAL:
    case HED_PROX_BOX:
    case HED_PROX_L2_BALL:
      modes.fixed_size |= 1U << k;
      break;
    default:
      modes.fixed_size = ~0U;
    }
  }
  return modes;
}

hed_status hed_cp_constrained(const hed_array *x, int64_t rank, const hed_cp_constrained_options *opt, hed_cp *out, hed_fit *fit)
{
  static const char *const op = "hed_cp_constrained";
  static const hed__cp_method method = { .update = update, .begin = begin };
  static const hed_cp_constrained_options defaults;
  constrained c = { .opt = opt ? *opt : defaults, .dual = { NULL } };
  hed_status status = HED_OK;
  uint32_t modes = 0;
  const int order = x ? hed_array_ndim(x) : 0;
  if (out)
    *out = (hed_cp){ 0 };
  if (c.opt.inner < 0 || isnan(c.opt.inner_tol))
    status = hed_fail(HED_E_INVAL, "%s: %d inner steps to %g", op, (int)c.opt.inner, c.opt.inner_tol);
  if (status == HED_OK)
    status = hed__mode_set(op, &c.opt.cp.nonnegative_modes, order, &modes);
  for (int k = 0; k < order && status == HED_OK; k++) {
    c.opt.constraint[k].nonnegative = c.opt.constraint[k].nonnegative || (modes >> k & 1U);
    status = hed__prox_check(op, &c.opt.constraint[k]);
  }
  if (status == HED_OK && x && hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX)
    status = hed_fail(HED_E_DTYPE, "%s: x is %s; it has to be real", op, hed_dtype_name(hed_array_dtype(x)));
  if (status == HED_OK)
    status = hed__cp_run(op, &method, &c, x, rank, &c.opt.cp, modes_of(&c.opt, order), out, fit);
  duals_clear(&c);
  return status;
}
