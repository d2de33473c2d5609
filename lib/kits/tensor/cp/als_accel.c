// SPDX-License-Identifier: BSD-3-Clause
/* Steps beyond the sweeps of alternating CP methods, each taken only where it lowers the error.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>

static void factors_clear(hed__factors *f)
{
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(f->of[k]);
  *f = (hed__factors){ { NULL } };
}

static void forget(hed__step *s)
{
  for (int i = 0; i < HED__STEP_DEPTH; i++) {
    factors_clear(&s->after[i]);
    factors_clear(&s->change[i]);
  }
  s->depth = 0;
}

void hed__step_clear(hed__step *s)
{
  factors_clear(&s->before);
  forget(s);
  *s = (hed__step){ 0 };
}

static void remember(hed__step *s, const hed__als *a)
{
  factors_clear(&s->before);
  for (int k = 0; k < a->order; k++)
    s->before.of[k] = hed_retain(a->factor[k]);
}

/* For the error of other factors than the sweep's: one product with the tensor. */
static hed_status dot_last(void *arg, int mode, const hed_array *m)
{
  hed_array *const *factor = ((void **)arg)[0];
  return hed__dot(factor[mode], m, ((void **)arg)[1]);
}

/* The error of factors C; GRAM theirs. */
static hed_status error_of_step(hed__als *a, const hed_cp *c, hed_array *const *gram, double *error)
{
  double dot[2] = { 0, 0 }, fitted = 0;
  if (a->work != a->x || a->mask)
    return hed__als_error(a, c, false, error);
  void *arg[2] = { (void *)(uintptr_t)c->factor, dot };
  hed_status status = hed__als_visit(a, c->factor, 1U << a->last, dot_last, arg);
  if (status == HED_OK)
    status = hed__real_sum(hed__grams_but(gram, a->order, -1), &fitted);
  *error = a->squares > 0 ? sqrt(fmax(a->squares + fitted - 2 * dot[0], 0) / a->squares) : INFINITY;
  return status == HED_OK && *error < 30 * sqrt(a->epsilon) && !a->coo ? hed__als_error(a, c, false, error) : status;
}

/* The factors C, of the scope, in place of A's, if that lowers *ERROR. */
static hed_status try(hed__als *a, hed_cp *c, double *error, bool *taken)
{
  hed_array *gram[HED_MAX_NDIM];
  double reached = INFINITY;
  hed_status status = HED_OK;
  *taken = false;
  for (int k = 0; k < a->order && status == HED_OK; k++) {
    if (c->factor[k] && a->nonnegative >> k & 1U)
      c->factor[k] = hed_maximum_scalar(c->factor[k], 0);
    gram[k] = hed__wide_gram(c->factor[k], c->factor[k]);
    status = gram[k] ? HED_OK : hed_error();
  }
  if (status == HED_OK)
    status = error_of_step(a, c, gram, &reached);
  *taken = status == HED_OK && reached < *error;
  for (int k = 0; k < a->order && *taken && status == HED_OK; k++)
    status = hed__als_set_factor(a, k, c->factor[k]);
  if (*taken) {
    *error = reached;
    if (status == HED_OK && a->mask && a->work != a->x) { /* gaps follow the factors */
      const hed_cp now = hed__als_model(a);
      status = hed__als_error(a, &now, true, error);
    }
  }
  return status;
}

/* Factors moved on by LENGTH times their last change. */
static hed_status extrapolate(hed__als *a, const hed__step *s, double length, double *error, bool *taken)
{
  hed_cp c = { .order = a->order, .rank = a->rank };
  for (int k = 0; k < a->order; k++) {
    hed_array *change = hed_subtract(a->factor[k], s->before.of[k]);
    c.factor[k] = change ? hed_add(a->factor[k], hed_multiply_scalar(change, length)) : NULL;
  }
  return try(a, &c, error, taken);
}

/* ---- mixtures ---- */

static hed_status real_dots(const hed__als *a, hed_array *const *x, hed_array *const *y, double *out)
{
  hed_status status = HED_OK;
  *out = 0;
  for (int k = 0; k < a->order && status == HED_OK; k++) {
    double dot[2] = { 0, 0 };
    status = hed__dot(x[k], y[k], dot);
    *out += dot[0];
  }
  return status;
}

/* X of G x = b, G (N, N) positive semidefinite and made definite; both are overwritten. */
static void solve_small(int n, double g[HED__STEP_DEPTH][HED__STEP_DEPTH], double *b)
{
  double trace = 0;
  for (int i = 0; i < n; i++)
    trace += g[i][i];
  for (int i = 0; i < n; i++)
    g[i][i] += 1e-12 * trace + 1e-300;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const double f = g[j][i] / g[i][i];
      for (int k = i; k < n; k++)
        g[j][k] -= f * g[i][k];
      b[j] -= f * b[i];
    }
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; k++)
      b[i] -= g[i][k] * b[k];
    b[i] /= g[i][i];
  }
}

/* With f_i the change in sweep i and g_i what came out: g less the sum of y_i (g - g_i), with the y for which f less the sum of
 * y_i (f - f_i) is the least. */
static hed_status mix(hed__als *a, const hed__step *s, hed_array *const *change, double *error, bool *taken)
{
  hed_array *off[HED__STEP_DEPTH][HED_MAX_NDIM];
  double gram[HED__STEP_DEPTH][HED__STEP_DEPTH], y[HED__STEP_DEPTH];
  hed_cp c = { .order = a->order, .rank = a->rank };
  hed_status status = HED_OK;
  for (int i = 0; i < s->depth; i++)
    for (int k = 0; k < a->order; k++)
      off[i][k] = hed_subtract(change[k], s->change[i].of[k]);
  for (int i = 0; i < s->depth && status == HED_OK; i++) {
    status = real_dots(a, off[i], change, &y[i]);
    for (int j = 0; j <= i && status == HED_OK; j++) {
      status = real_dots(a, off[i], off[j], &gram[i][j]);
      gram[j][i] = gram[i][j];
    }
  }
  if (status != HED_OK)
    return status;
  solve_small(s->depth, gram, y);
  for (int k = 0; k < a->order; k++) {
    c.factor[k] = hed__tensor_same(a->factor[k]);
    for (int i = 0; i < s->depth; i++)
      c.factor[k] = hed_subtract(c.factor[k], hed_multiply_scalar(hed_subtract(a->factor[k], s->after[i].of[k]), y[i]));
  }
  return try(a, &c, error, taken);
}

/* Mixes, and keeps the sweep in front of those before it. */
static hed_status anderson(hed__als *a, hed__step *s, double *error)
{
  hed__factors change = { { NULL } }, after = { { NULL } };
  hed_status status = HED_OK;
  bool taken = false;
  for (int k = 0; k < a->order; k++)
    after.of[k] = hed_retain(a->factor[k]);
  HED_SCOPE_OR(status = hed_error()) {
    for (int k = 0; k < a->order && status == HED_OK; k++)
      status = hed__put(&change.of[k], hed_subtract(a->factor[k], s->before.of[k]));
    if (status == HED_OK && s->depth > 0)
      status = mix(a, s, change.of, error, &taken);
  }
  if (status == HED_OK && s->depth > 0 && !taken)
    forget(s);
  factors_clear(&s->after[HED__STEP_DEPTH - 1]);
  factors_clear(&s->change[HED__STEP_DEPTH - 1]);
  for (int i = HED__STEP_DEPTH - 1; i > 0; i--) {
    s->after[i] = s->after[i - 1];
    s->change[i] = s->change[i - 1];
  }
  s->after[0] = after;
  s->change[0] = change;
  s->depth += s->depth < HED__STEP_DEPTH;
  return status;
}

hed_status hed__als_accelerate(hed__als *a, hed__step *s, int64_t number, double *error)
{
  const hed_acceleration how = a->opt->acceleration;
  const bool line = how == HED_ACCELERATE_LINE;
  hed_status status = HED_OK;
  bool taken = false;
  if (how == HED_ACCELERATE_NONE || a->last < 0)
    return HED_OK;
  if (s->before.of[0] && how == HED_ACCELERATE_ANDERSON) {
    status = anderson(a, s, error);
  } else if (s->before.of[0] && (line ? number >= 6 : s->since > 1)) {
    const double length = line ? pow((double)number, 1.0 / (3 + s->power)) - 1 : (double)(s->since - 1) / (double)(s->since + 2);
    HED_SCOPE_OR(return hed_error())
      status = extrapolate(a, s, length, error, &taken);
    s->failures = taken ? 0 : s->failures + 1;
    if (line && s->failures == 4) {
      s->power++;
      s->failures = 0;
    }
    if (!line && !taken)
      s->since = 0;
  }
  s->since++;
  if (status == HED_OK)
    remember(s, a);
  return status;
}
