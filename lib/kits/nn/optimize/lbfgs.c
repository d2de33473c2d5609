// SPDX-License-Identifier: BSD-3-Clause
/* Directions of limited memory (two loops over the latest differences), and when to stop.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/optimize/lbfgs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_nn_lbfgs_create";

struct hed_nn_lbfgs {
  int n;
  hed_array **params;
  hed_nn_lbfgs_options o;
  int kept;              /* pairs, the oldest first */
  hed_array **y, **s;
  double *ro, *al;
  hed_array *d, *before; /* the last direction and the gradient it began at */
  double scale, t;
  int64_t iterations;
};

static hed_status check(int n, hed_array *const *params, const hed_nn_lbfgs_options *o)
{
  char name[32];
  if (n < 1 || !params)
    return hed_fail(HED_E_INVAL, "%s: n is %d%s, one parameter at least is needed", op, n, params ? "" : " (NULL)");
  if (!(o->rate >= 0) || o->max_iterations < 0 || o->max_calls < 0 || o->history < 0 || isnan(o->tol_gradient) || isnan(o->tol_change))
    return hed_fail(HED_E_INVAL, "%s: rate, iterations, calls and history are %g, %d, %d and %d, and may not be below 0", op, o->rate,
                    (int)o->max_iterations, (int)o->max_calls, (int)o->history);
  for (int k = 0; k < n; k++) {
    (void)snprintf(name, sizeof name, "parameter %d", k);
    if (!hed__train_float(op, name, params[k]))
      return hed_error();
    if (hed_array_is_read_only(params[k]))
      return hed_fail(HED_E_INVAL, "%s: %s is read-only", op, name);
    if (hed_array_dtype(params[k]) != hed_array_dtype(params[0]))
      return hed_fail(HED_E_DTYPE, "%s: %s is %s, parameter 0 %s", op, name, hed_dtype_name(hed_array_dtype(params[k])),
                      hed_dtype_name(hed_array_dtype(params[0])));
  }
  return HED_OK;
}

hed_status hed_nn_lbfgs_create(int n, hed_array *const *params, const hed_nn_lbfgs_options *o, hed_nn_lbfgs **out)
{
  static const hed_nn_lbfgs_options none;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = NULL;
  o = o ? o : &none;
  hed_status status = check(n, params, o);
  hed_nn_lbfgs *s = status == HED_OK ? hed__train_room(op, 1, sizeof *s) : NULL;
  if (!s)
    return hed_error();
  s->o = *o;
  s->o.rate = o->rate > 0 ? o->rate : 1;
  s->o.max_iterations = o->max_iterations ? o->max_iterations : 20;
  s->o.max_calls = o->max_calls ? o->max_calls : (int32_t)((int64_t)s->o.max_iterations * 5 / 4);
  s->o.history = o->history ? o->history : 100;
  s->o.tol_gradient = o->tol_gradient != 0 ? o->tol_gradient : 1e-7;
  s->o.tol_change = o->tol_change != 0 ? o->tol_change : 1e-9;
  s->scale = 1;
  s->params = hed__train_room(op, n, sizeof *s->params);
  s->y = hed__train_room(op, s->o.history, sizeof *s->y);
  s->s = hed__train_room(op, s->o.history, sizeof *s->s);
  s->ro = hed__train_room(op, s->o.history, sizeof *s->ro);
  s->al = hed__train_room(op, s->o.history, sizeof *s->al);
  if (!s->params || !s->y || !s->s || !s->ro || !s->al) {
    hed_nn_lbfgs_release(s);
    return hed_error();
  }
  for (; s->n < n; s->n++)
    s->params[s->n] = hed_retain(params[s->n]);
  *out = s;
  return HED_OK;
}

void hed_nn_lbfgs_release(hed_nn_lbfgs *s)
{
  if (!s)
    return;
  for (int k = 0; k < s->n; k++)
    hed_release(s->params[k]);
  for (int k = 0; k < s->kept; k++) {
    hed_release(s->y[k]);
    hed_release(s->s[k]);
  }
  hed_release(s->d);
  hed_release(s->before);
  free(s->params);
  free(s->y);
  free(s->s);
  free(s->ro);
  free(s->al);
  free(s);
}

/* The newest pair of differences, where the curvature is positive. */
static hed_status remember(hed_nn_lbfgs *s, const hed_array *g)
{
  double ys = 0, yy = 0;
  hed_array *y = hed_keep(hed_subtract(g, s->before)), *step = hed_keep(hed_multiply_scalar(s->d, s->t));
  hed_status status = y && step ? hed__nn_dot(y, step, &ys) : hed_error();
  if (status == HED_OK && ys > 1e-10)
    status = hed__nn_dot(y, y, &yy);
  if (status != HED_OK || !(ys > 1e-10)) {
    hed_release(y);
    hed_release(step);
    return status;
  }
  if (s->kept == s->o.history) {
    hed_release(s->y[0]);
    hed_release(s->s[0]);
    s->kept--;
    memmove(s->y, s->y + 1, (size_t)s->kept * sizeof *s->y);
    memmove(s->s, s->s + 1, (size_t)s->kept * sizeof *s->s);
    memmove(s->ro, s->ro + 1, (size_t)s->kept * sizeof *s->ro);
  }
  s->y[s->kept] = y;
  s->s[s->kept] = step;
  s->ro[s->kept++] = 1 / ys;
  s->scale = ys / yy;
  return HED_OK;
}

/* The direction from G: minus the inverse curvature times it. */
static hed_status turn(hed_nn_lbfgs *s, const hed_array *g)
{
  double dot = 0;
  hed_status status = s->iterations > 1 ? remember(s, g) : HED_OK;
  if (status != HED_OK)
    return status;
  hed_array *d = hed_keep(hed_negative(g));
  status = d ? HED_OK : hed_error();
  for (int k = s->kept - 1; k >= 0 && status == HED_OK; k--)
    HED_SCOPE_OR(status = hed_error()) {
      status = hed__nn_dot(s->s[k], d, &dot);
      s->al[k] = dot * s->ro[k];
      if (status == HED_OK)
        status = hed_subtract_into(d, d, hed_multiply_scalar(s->y[k], s->al[k]));
    }
  if (status == HED_OK)
    status = hed_multiply_scalar_into(d, d, s->scale);
  for (int k = 0; k < s->kept && status == HED_OK; k++)
    HED_SCOPE_OR(status = hed_error()) {
      status = hed__nn_dot(s->y[k], d, &dot);
      if (status == HED_OK)
        status = hed_add_into(d, d, hed_multiply_scalar(s->s[k], s->al[k] - dot * s->ro[k]));
    }
  hed_release(s->d);
  s->d = d;
  hed_release(s->before);
  s->before = hed_retain((hed_array *)g);
  return status;
}

/* How long the first step may be. */
static hed_status length(const hed_nn_lbfgs *s, const hed_array *g, double *t)
{
  double sum = 0;
  *t = s->o.rate;
  if (s->iterations > 1)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *all = hed_sum(hed_abs(g), NULL);
    if (!all || hed_item(all, &sum) != HED_OK)
      return hed_error();
  }
  *t = fmin(1, 1 / sum) * s->o.rate;
  return HED_OK;
}

/* The parameters go T along the direction; with a search P becomes that point, without one it is asked for unless it is the LAST. */
static hed_status walk(hed_nn_lbfgs *s, hed__nn_line *l, hed__nn_point *p, bool last)
{
  hed_array *start = hed__nn_flat(s->n, s->params);
  hed_status status = start ? HED_OK : hed_error();
  l->start = start;
  l->d = s->d;
  if (status == HED_OK && s->o.line_search) {
    hed__nn_point found = { .g = NULL };
    p->t = 0;
    status = hed__nn_wolfe(l, p, s->t, &found);
    if (status == HED_OK) {
      hed__nn_point_clear(p);
      *p = found;
      s->t = p->t;
    }
  }
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *x = hed_add(start, hed_multiply_scalar(s->d, s->t));
      status = x ? hed__nn_unflat(s->n, s->params, x) : hed_error();
    }
  if (status == HED_OK && !s->o.line_search && !last)
    status = hed__nn_here(l, p);
  l->start = NULL;
  hed_release(start);
  return status;
}

static hed_status is_done(const hed_nn_lbfgs *s, const hed__nn_line *l, const hed__nn_point *p, double before, bool last, bool *done)
{
  double steepest = 0, largest = 0;
  hed_status status = hed__nn_largest(p->g, &steepest);
  if (status == HED_OK)
    status = hed__nn_largest(s->d, &largest);
  *done = last || l->calls >= s->o.max_calls || steepest <= s->o.tol_gradient || fabs(s->t) * largest <= s->o.tol_change ||
          fabs(p->loss - before) < s->o.tol_change;
  return status;
}

hed_status hed_nn_lbfgs_step(hed_nn_lbfgs *s, hed_function f, void *arg, double *loss)
{
  if (!s || !f)
    return hed_fail(HED_E_INVAL, "hed_nn_lbfgs_step: %s is NULL", s ? "f" : "the optimiser");
  hed__nn_line l = { .n = s->n, .params = s->params, .f = f, .arg = arg, .tol_change = 1e-9 };
  hed__nn_point p = { .g = NULL };
  double steepest = 0;
  hed_status status = hed__nn_here(&l, &p);
  if (loss)
    *loss = p.loss;
  if (status == HED_OK)
    status = hed__nn_largest(p.g, &steepest);
  bool done = steepest <= s->o.tol_gradient;
  for (int32_t k = 1; status == HED_OK && !done; k++) {
    const double before = p.loss;
    const bool last = k == s->o.max_iterations;
    s->iterations++;
    status = turn(s, p.g);
    if (status == HED_OK)
      status = length(s, p.g, &s->t);
    if (status == HED_OK)
      status = hed__nn_dot(p.g, s->d, &p.slope);
    if (status != HED_OK || p.slope > -s->o.tol_change)
      break;
    status = walk(s, &l, &p, last);
    if (status == HED_OK)
      status = is_done(s, &l, &p, before, last, &done);
  }
  hed__nn_point_clear(&p);
  return status;
}
