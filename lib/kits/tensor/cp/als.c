// SPDX-License-Identifier: BSD-3-Clause
/* Alternating CP methods: sweeps over the modes, their errors, several starts.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REVIVALS = 8 }; /* times that components which died begin again before a start ends */

static hed_status visit(void *arg, int mode, const hed_array *m)
{
  hed__als *a = arg;
  hed_array *g = hed__grams_but(a->gram, a->order, mode), *next = g ? a->method->update(a, a->arg, mode, m, g) : NULL;
  const bool exact = a->method->rescales && a->opt->l2 == 0 && !a->nonnegative;
  if (next && exact && mode != a->last) /* the factors after this one are chosen anew for any scale */
    next = hed_multiply(next, hed_astype(hed__inverse_or_one(hed__column_norms(next)), a->type));
  hed_status status = hed__als_set_factor(a, mode, next);
  if (status == HED_OK && mode == a->last) {
    double dot[2];
    status = hed__dot(a->factor[mode], m, dot);
    a->inner = dot[0];
    if (status == HED_OK)
      status = hed__real_sum(hed_multiply(g, a->gram[mode]), &a->fitted);
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
  return a->squares > 0 && *error < 30 * sqrt(a->epsilon) && !a->coo ? hed__als_error(a, &c, false, error) : HED_OK;
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
    return hed__als_visit(a, a->factor, ~a->fixed & ((1U << a->order) - 1), visit, a);
  for (int k = 0; k < a->order && status == HED_OK; k++)
    if (!(a->fixed >> k & 1U))
      status = hed__update_weighted(a, k);
  return status;
}

/* ---- runs ---- */

static hed_status sweep_on(hed__als *a, hed__run *run, int64_t k, const hed_generator *random)
{
  hed__step beyond = { 0 };
  hed_generator anew = *random;
  hed_status status = hed__als_start(a, k, random);
  if (status == HED_OK && a->method->begin)
    status = a->method->begin(a, a->arg);
  if (status == HED_OK && a->last < 0) { /* nothing is free */
    const hed_cp c = hed__als_model(a);
    return hed__als_error(a, &c, false, &run->fit.error);
  }
  int revivals = a->method->revives && a->nonnegative && !(k == 0 && a->opt->start) ? REVIVALS : 0;
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
        status = hed__als_accelerate(a, &beyond, number, &error);
    }
    if (status == HED_OK)
      status = hed__run_swept(run, error);
    if (status == HED_OK && run->fit.stopped == HED_STOP_TOLERANCE && revivals-- > 0) {
      bool revived = false;
      status = hed__als_revive(a, &anew, &revived);
      if (revived)
        hed__run_resume(run);
    }
  }
  hed__step_clear(&beyond);
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

hed_status hed__als_take_out(const hed__als *a, hed_cp *out)
{
  const hed_cp c = hed__als_model(a);
  hed_status status = hed_cp_copy(&c, out);
  if (status == HED_OK && a->opt->normalise && (status = hed_cp_normalise(out)) == HED_OK) {
    status = hed_cp_arrange(out);
    if (status == HED_OK)
      status = hed__tensor_rescale(&out->weights, a->exponent);
  } else {
    for (int k = 0; k < a->order && status == HED_OK; k++)
      status = hed__tensor_rescale(&out->factor[k], a->power[k]);
  }
  if (status != HED_OK)
    hed_cp_clear(out);
  return status;
}

/* The better of the start that has ended and of the best one before it. */
static hed_status keep_best(const hed__als *a, const hed__run *run, const hed_fit *before, hed_cp *best, hed_array **sparse)
{
  hed_cp now = { 0 };
  if (best->order > 0 && !(run->fit.error < before->error))
    return HED_OK;
  hed_status status = hed__als_take_out(a, &now);
  if (status != HED_OK)
    return status;
  hed_cp_clear(best);
  *best = now;
  hed_release(*sparse);
  *sparse = hed_retain(a->sparse);
  return hed__tensor_rescale(sparse, a->exponent);
}

typedef struct starts { hed__als *a; hed_cp best; hed_array *sparse; } starts;

static hed_status run_start(void *arg, hed__run *run, int64_t k, const hed_generator *random, const hed_fit *before)
{
  starts *s = arg;
  hed_status status = sweep_on(s->a, run, k, random);
  if (status == HED_OK && (run->fit.n_sweeps > 0 || s->a->last < 0))
    status = keep_best(s->a, run, before, &s->best, &s->sparse);
  return status;
}

/* A has its operation, method and options; X or COO is the tensor. */
static hed_status fit_all(hed__als a, const hed_array *x, const hed_coo *coo, int64_t rank, hed_cp *out, hed_fit *fit)
{
  static const hed_cp_options defaults;
  const char *const op = a.op;
  hed__run run = { 0 };
  starts s = { .a = &a };
  a.last = -1;
  if (!a.opt)
    a.opt = &defaults;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (a.opt->sparse)
    *a.opt->sparse = NULL;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp){ 0 };
  hed_status status = hed__run_begin(&run, op, &a.opt->sweeps, 100, 1e-8);
  if (status == HED_OK)
    status = coo ? hed__als_open_sparse(&a, coo, rank) : hed__als_open(&a, x, rank);
  if (status == HED_OK)
    status = hed__run_starts(&run, a.opt->restarts, &a.opt->random, run_start, &s);
  if (status == HED_OK && s.best.order > 0)
    status = look_for_cancellation(&s.best, run.fit.note, sizeof run.fit.note);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK) {
    *out = s.best;
    s.best = (hed_cp){ 0 };
    if (a.opt->sparse) {
      *a.opt->sparse = s.sparse;
      s.sparse = NULL;
    }
  }
  hed_release(s.sparse);
  hed_cp_clear(&s.best);
  hed__als_close(&a);
  return status;
}

hed_status hed__cp_run(const char *op, const hed__cp_method *method, void *arg, const hed_array *x, int64_t rank,
                       const hed_cp_options *opt, hed__cp_modes modes, hed_cp *out, hed_fit *fit)
{
  return fit_all((hed__als){ .op = op, .opt = opt, .method = method, .arg = arg, .modes = modes }, x, NULL, rank, out, fit);
}

hed_status hed__cp_run_sparse(const char *op, const hed__cp_method *method, void *arg, const hed_coo *x, int64_t rank,
                              const hed_cp_options *opt, hed_cp *out, hed_fit *fit)
{
  static const hed_coo none;
  return fit_all((hed__als){ .op = op, .opt = opt, .method = method, .arg = arg }, NULL, x ? x : &none, rank, out, fit);
}

hed_status hed_cp_als(const hed_array *x, int64_t rank, const hed_cp_options *opt, hed_cp *out, hed_fit *fit)
{
  static const hed__cp_method method = { .rescales = true, .revives = true, .update = hed__update_least_squares };
  return hed__cp_run("hed_cp_als", &method, NULL, x, rank, opt, (hed__cp_modes){ 0 }, out, fit);
}
