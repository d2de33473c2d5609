// SPDX-License-Identifier: BSD-3-Clause
/*
 * als.c: alternating CP methods: sweeps over the modes, their errors, steps beyond them, several starts.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The elementwise product of all Gram matrices but that of mode SKIP (-1: of all). */
static hed_array *grams_but(hed_array *const *gram, int order, int skip)
{
  hed_array *all = NULL;
  for (int k = 0; k < order; k++)
    if (k != skip)
      all = all ? hed_multiply(all, gram[k]) : hed__tensor_same(gram[k]);
  return all;
}

static hed_status real_sum(const hed_array *x, double *out)
{
  double parts[2];
  hed_array *sum = x ? hed_sum(x, NULL) : NULL;
  hed_status status = sum ? hed_item_complex(sum, parts) : hed_error();
  if (status == HED_OK)
    *out = parts[0];
  return status;
}

static hed_status visit(void *arg, int mode, const hed_array *m)
{
  hed__als *a = arg;
  hed_array *g = grams_but(a->gram, a->order, mode), *next = g ? a->method->update(a, a->arg, mode, m, g) : NULL;
  const bool exact = a->method->rescales && a->opt->l2 == 0 && !a->nonnegative;
  if (next && exact && mode != a->last) /* the factors after this one are chosen anew for any scale */
    next = hed_multiply(next, hed_astype(hed__inverse_or_one(hed__column_norms(next)), a->type));
  hed_status status = hed__als_set_factor(a, mode, next);
  if (status == HED_OK && mode == a->last) {
    double dot[2];
    status = hed__dot(a->factor[mode], m, dot);
    a->inner = dot[0];
    if (status == HED_OK)
      status = real_sum(hed_multiply(g, a->gram[mode]), &a->fitted);
  }
  return status;
}

/* |x - fit| / |x| from their products, from differences where those lose their digits. */
static hed_status error_of(hed__als *a, double *error)
{
  const hed_cp c = hed__als_model(a);
  if (a->work != a->x || a->mask)
    return hed__als_error(a, &c, true, error);
  const double left = a->squares + a->fitted - 2 * a->inner;
  *error = a->squares > 0 ? sqrt(fmax(left, 0) / a->squares) : a->fitted > 0 ? INFINITY : 0;
  return a->squares > 0 && *error < 30 * sqrt(a->epsilon) ? hed__als_error(a, &c, false, error) : HED_OK;
}

/* Orthonormal columns, where there are as many rows. */
static hed_status orthogonalise(hed__als *a)
{
  hed_status status = HED_OK;
  for (int k = 0; k < a->order && status == HED_OK; k++)
    if (!(a->fixed >> k & 1U) && hed_array_shape(a->factor[k]).dim[0] >= a->rank)
      HED_SCOPE_OR(return hed_error()) {
        hed_array *q = NULL;
        status = hed_qr(a->factor[k], HED_QR_REDUCED, &q, NULL);
        if (status == HED_OK)
          status = hed__als_set_factor(a, k, q);
      }
  return status;
}

static hed_status sweep(hed__als *a, int64_t number)
{
  hed_status status = HED_OK;
  if (number <= a->opt->orthogonalise)
    status = orthogonalise(a);
  if (status == HED_OK && !a->weighted)
    return hed__tree_sweep(&a->tree, a->factor, ~a->fixed & ((1U << a->order) - 1), visit, a);
  for (int k = 0; k < a->order && status == HED_OK; k++)
    if (!(a->fixed >> k & 1U))
      status = hed__update_weighted(a, k);
  return status;
}

/* ---- steps beyond a sweep ---- */

typedef struct step { hed_array *before[HED_MAX_NDIM]; int failures, power; int64_t since; } step;

static void step_clear(step *s)
{
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(s->before[k]);
  *s = (step){ 0 };
}

static hed_status step_remember(step *s, const hed__als *a)
{
  for (int k = 0; k < a->order; k++) {
    hed_release(s->before[k]);
    s->before[k] = hed_retain(a->factor[k]);
  }
  return HED_OK;
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
  hed_status status = hed__tree_sweep(&a->tree, c->factor, 1U << a->last, dot_last, arg);
  if (status == HED_OK)
    status = real_sum(grams_but(gram, a->order, -1), &fitted);
  *error = a->squares > 0 ? sqrt(fmax(a->squares + fitted - 2 * dot[0], 0) / a->squares) : INFINITY;
  return status == HED_OK && *error < 30 * sqrt(a->epsilon) ? hed__als_error(a, c, false, error) : status;
}

/* The factors moved on by LENGTH times their last change, if that lowers *ERROR. */
static hed_status step_try(hed__als *a, step *s, double length, double *error, bool *taken)
{
  hed_cp c = { .order = a->order, .rank = a->rank };
  hed_array *gram[HED_MAX_NDIM];
  double reached = INFINITY;
  hed_status status = HED_OK;
  *taken = false;
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < a->order && status == HED_OK; k++) {
      hed_array *change = hed_subtract(a->factor[k], s->before[k]);
      c.factor[k] = change ? hed_add(a->factor[k], hed_multiply_scalar(change, length)) : NULL;
      if (c.factor[k] && a->nonnegative >> k & 1U)
        c.factor[k] = hed_maximum_scalar(c.factor[k], 0);
      gram[k] = hed__wide_gram(c.factor[k], c.factor[k]);
      status = gram[k] ? HED_OK : hed_error();
    }
    if (status == HED_OK)
      status = error_of_step(a, &c, gram, &reached);
    *taken = status == HED_OK && reached < *error;
    for (int k = 0; k < a->order && *taken && status == HED_OK; k++)
      status = hed__als_set_factor(a, k, c.factor[k]);
  }
  if (*taken) {
    *error = reached;
    if (status == HED_OK && a->mask && a->work != a->x) { /* gaps follow the factors */
      c = hed__als_model(a);
      status = hed__als_error(a, &c, true, error);
    }
  }
  return status;
}

static hed_status accelerate(hed__als *a, step *s, int64_t number, double *error)
{
  const bool line = a->opt->acceleration == HED_ACCELERATE_LINE;
  hed_status status = HED_OK;
  bool taken = false;
  if (a->opt->acceleration == HED_ACCELERATE_NONE || a->last < 0)
    return HED_OK;
  if (s->before[0] && (line ? number >= 6 : s->since > 1)) {
    const double length = line ? pow((double)number, 1.0 / (3 + s->power)) - 1 : (double)(s->since - 1) / (double)(s->since + 2);
    status = step_try(a, s, length, error, &taken);
    s->failures = taken ? 0 : s->failures + 1;
    if (line && s->failures == 4) {
      s->power++;
      s->failures = 0;
    }
    if (!line && !taken)
      s->since = 0;
  }
  s->since++;
  return status == HED_OK ? step_remember(s, a) : status;
}

/* ---- runs ---- */

static hed_status run_start(hed__als *a, hed__run *run, int64_t k, const hed_generator *random)
{
  step beyond = { 0 };
  hed_status status = hed__als_start(a, k, random);
  if (status == HED_OK && a->method->begin)
    status = a->method->begin(a, a->arg);
  if (status == HED_OK && a->last < 0) { /* nothing is free */
    const hed_cp c = hed__als_model(a);
    return hed__als_error(a, &c, false, &run->fit.error);
  }
  while (status == HED_OK && hed__run_goes_on(run)) {
    double error = 0;
    const int64_t number = run->fit.n_sweeps + 1;
    HED_SCOPE_OR(status = hed_error()) {
      status = sweep(a, number);
      if (status == HED_OK && a->sparse_entries > 0)
        status = hed__als_split(a);
      if (status == HED_OK)
        status = error_of(a, &error);
      if (status == HED_OK)
        status = accelerate(a, &beyond, number, &error);
    }
    if (status == HED_OK)
      status = hed__run_swept(run, error);
  }
  step_clear(&beyond);
  return status;
}

/* Components that cancel each other are a sign that there is no best approximation of the rank. */
static hed_status look_for_cancellation(const hed_cp *c, char *note, size_t room)
{
  double *cosine = malloc((size_t)c->rank * (size_t)c->rank * sizeof *cosine);
  hed_status status = cosine ? HED_OK : hed_fail(HED_E_NOMEM, "cp: no memory for %lld components", (long long)c->rank);
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *all = NULL;
    for (int k = 0; k < c->order && status == HED_OK; k++) {
      hed_array *gram = hed__wide_gram(c->factor[k], c->factor[k]);
      hed_array *inverse = hed__inverse_or_one(hed__column_norms(c->factor[k]));
      hed_array *unit = gram && inverse ? hed_multiply(hed_multiply(gram, inverse), hed_expand_dims(inverse, 1)) : NULL;
      all = k ? hed_multiply(all, unit) : unit;
    }
    if (status == HED_OK)
      status = all ? hed_tolist(all, cosine, c->rank * c->rank) : hed_error();
  }
  double least = -0.95;
  for (int64_t r = 0; r < c->rank && status == HED_OK; r++)
    for (int64_t s = r + 1; s < c->rank; s++)
      if (cosine[r * c->rank + s] < least) {
        least = cosine[r * c->rank + s];
        snprintf(note, room, "components %lld and %lld cancel each other (congruence %.4f): x may have no best approximation of rank "
                 "%lld", (long long)r, (long long)s, least, (long long)c->rank);
      }
  free(cosine);
  return status;
}

/* The model of A as a result. */
static hed_status take_out(const hed__als *a, hed_cp *out)
{
  const hed_cp c = hed__als_model(a);
  hed_status status = hed_cp_copy(&c, out);
  if (status == HED_OK && a->opt->normalise && (status = hed_cp_normalise(out)) == HED_OK)
    status = hed_cp_arrange(out);
  if (status != HED_OK)
    hed_cp_clear(out);
  return status;
}

/* The better of the start that has ended and of the best one before it. */
static hed_status keep_best(const hed__als *a, hed__run *run, hed_cp *best, hed_fit *best_fit, hed_array **sparse)
{
  hed_cp now = { 0 };
  if (best->order > 0 && !(run->fit.error < best_fit->error))
    return HED_OK;
  hed_status status = take_out(a, &now);
  if (status != HED_OK)
    return status;
  hed_cp_clear(best);
  *best = now;
  hed_release(*sparse);
  *sparse = hed_retain(a->sparse);
  return HED_OK;
}

hed_status hed__cp_run(const char *op, const hed__cp_method *method, void *arg, const hed_array *x, int64_t rank,
                       const hed_cp_options *opt, hed_cp *out, hed_fit *fit)
{
  static const hed_cp_options defaults;
  hed__als a = { .op = op, .opt = opt ? opt : &defaults, .method = method, .arg = arg, .last = -1 };
  hed__run run = { 0 };
  hed_fit best_fit = { 0 };
  hed_cp best = { 0 };
  hed_array *sparse = NULL;
  hed_generator g, *children = NULL;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (a.opt->sparse)
    *a.opt->sparse = NULL;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp){ 0 };
  hed_status status = hed__run_begin(&run, op, &a.opt->sweeps, 100, 1e-8);
  if (status == HED_OK)
    status = hed__als_open(&a, x, rank);
  const int64_t starts = a.opt->restarts > 0 ? a.opt->restarts : 1;
  if (status == HED_OK && !(children = calloc((size_t)starts, sizeof *children)))
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %lld starts", op, (long long)starts);
  if (status == HED_OK && (status = hed_check_random_state(&a.opt->random, &g)) == HED_OK)
    status = hed_generator_split(&g, starts, children);
  for (int64_t k = 0; k < starts && status == HED_OK; k++) {
    if (k > 0) {
      hed_fit old;
      hed__run_restart(&run, &old);
      if (!best_fit.errors || old.error < best_fit.error) {
        hed_fit_clear(&best_fit);
        best_fit = old;
      } else {
        hed_fit_clear(&old);
      }
    }
    status = run_start(&a, &run, k, &children[k]);
    if (status == HED_OK && (run.fit.n_sweeps > 0 || a.last < 0))
      status = keep_best(&a, &run, &best, &best_fit, &sparse);
    if (hed__run_cancelled(&run) || run.fit.stopped == HED_STOP_PROGRESS)
      break;
  }
  if (status == HED_OK && best_fit.errors && !(run.fit.n_sweeps > 0 && run.fit.error < best_fit.error)) {
    const hed_stop why = run.fit.stopped; /* an earlier start was better; what ended the run still did */
    free(run.fit.errors);
    run.fit = best_fit;
    best_fit = (hed_fit){ 0 };
    if (why == HED_STOP_CANCELLED || why == HED_STOP_PROGRESS)
      run.fit.stopped = why;
  }
  if (status == HED_OK && best.order > 0)
    status = look_for_cancellation(&best, run.fit.note, sizeof run.fit.note);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK) {
    *out = best;
    best = (hed_cp){ 0 };
    if (a.opt->sparse) {
      *a.opt->sparse = sparse;
      sparse = NULL;
    }
  }
  hed_release(sparse);
  hed_cp_clear(&best);
  hed_fit_clear(&best_fit);
  hed__als_close(&a);
  free(children);
  return status;
}

hed_status hed_cp_als(const hed_array *x, int64_t rank, const hed_cp_options *opt, hed_cp *out, hed_fit *fit)
{
  static const hed__cp_method method = { .rescales = true, .update = hed__update_least_squares };
  return hed__cp_run("hed_cp_als", &method, NULL, x, rank, opt, out, fit);
}
