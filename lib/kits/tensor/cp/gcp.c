// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions for any loss, all factors at once.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/gcp.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/als.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/solve/bounded.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sum over entries of the losses of C (without weights) and (NULL: not wanted) its derivatives, kept arrays. X in C order. */
static hed_status sum_and_slopes(const hed_cp *c, const hed_array *x, const hed_array *mask, hed_gcp_loss loss, double p, double *sum,
                                 hed_array **out)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *model = hed_cp_full(c), *by = NULL;
    status = model ? hed__gcp_loss(loss, p, x, mask, model, sum, out ? &by : NULL) : hed_error();
    hed_array *flat = status == HED_OK && out ? hed__in_c_order(by) : NULL;
    if (status == HED_OK && out) {
      hed__tree t;
      if (!flat)
        return hed_error();
      hed__tree_plant(flat, &t);
      status = hed__tree_sweep(&t, (hed_array *const *)c->factor, (1U << c->order) - 1, hed__tree_collect, out);
    }
  }
  return status;
}

hed_status hed_gcp_gradient(const hed_cp *c, const hed_array *x, const hed_array *mask, hed_gcp_loss loss, double parameter,
                            double *value, hed_array **out)
{
  static const char *const op = "hed_gcp_gradient";
  hed_array *made[HED_MAX_NDIM] = { NULL };
  int64_t count = 0;
  double squares = 0, p = parameter;
  if (!x || !value)
    return x ? hed_fail(HED_E_INVAL, "%s: value is NULL", op) : hed__tensor_missing(op, "x");
  *value = 0;
  for (int k = 0; out && k < hed_array_ndim(x); k++)
    out[k] = NULL;
  hed_status status = hed__gcp_parameter(op, loss, &p);
  if (status == HED_OK)
    status = hed__cp_fits(op, c, x);
  if (status == HED_OK && c->order < 2)
    status = hed_fail(HED_E_SHAPE, "%s: a tensor of one mode", op);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *given = hed__tensor_operand(op, "x", x), *flat = given ? hed__in_c_order(given) : NULL;
    hed_array *known = flat && mask ? hed__tensor_mask(op, "x", x, mask, NULL) : NULL, *seen = flat;
    if (!flat || (mask && !known))
      return hed_error();
    if (hed_dtype_kind(hed_array_dtype(flat)) == HED_KIND_COMPLEX)
      return hed_fail(HED_E_DTYPE, "%s: x is %s; it has to be real", op, hed_dtype_name(hed_array_dtype(flat)));
    count = hed_array_size(x);
    if (known) {
      hed_array *n = hed_count_nonzero(known, NULL);
      status = n ? hed_item_int(n, &count) : hed_error();
      seen = hed_where(known, flat, hed_zeros_like(flat));
    }
    if (status == HED_OK)
      status = hed__tensor_squares(op, "x", seen, &squares);
    if (status == HED_OK)
      status = hed__gcp_check_values(op, loss, seen);
    hed_cp plain = *c;
    plain.weights = NULL;
    if (c->weights && !(plain.factor[c->order - 1] = hed_multiply(c->factor[c->order - 1], c->weights)))
      return hed_error();
    if (status == HED_OK)
      status = sum_and_slopes(&plain, seen, known, loss, p, value, out ? made : NULL);
    for (int k = 0; k < c->order && status == HED_OK && out; k++)
      status = hed__put(&made[k], hed_divide_scalar(made[k], (double)count));
  }
  *value = status == HED_OK && count > 0 ? *value / (double)count : 0;
  return out ? hed__hand_out_all(status, c->order, made, out) : status;
}

/* ---- the decomposition ---- */

typedef struct gcp {
  hed__als als;
  const hed_gcp_options *o;
  hed_gcp_loss loss;
  double p, count;   /* entries that are observed */
  size_t n;          /* unknowns: the factors, one after the other */
  uint8_t *bounded;
  double *best, best_f; /* what was lowest so far */
  hed__bounded run;
} gcp;

static hed_status set_factors(gcp *g, const double *x)
{
  hed_status status = HED_OK;
  for (int k = 0; k < g->als.order && status == HED_OK; k++) {
    const hed_shape s = HED_SHAPE(g->als.shape.dim[k], g->als.rank);
    HED_SCOPE_OR(return hed_error())
      status = hed__put(&g->als.factor[k], hed_from_doubles(x, s, g->als.type));
    x += s.dim[0] * s.dim[1];
  }
  return status;
}

static hed_status value(void *arg, const double *x, double *f, double *slopes)
{
  gcp *g = arg;
  hed_array *by[HED_MAX_NDIM] = { NULL };
  double *at = slopes;
  hed_status status = set_factors(g, x);
  if (status == HED_OK) {
    const hed_cp c = hed__als_model(&g->als);
    status = sum_and_slopes(&c, g->als.x, g->als.mask, g->loss, g->p, f, by);
  }
  for (int k = 0; k < g->als.order; k++) {
    const int64_t size = g->als.shape.dim[k] * g->als.rank;
    if (status == HED_OK)
      status = hed_tolist(by[k], at, size);
    at += size;
    hed_release(by[k]);
  }
  *f /= g->count;
  for (size_t i = 0; i < g->n && status == HED_OK; i++)
    slopes[i] /= g->count;
  return status;
}

/* What stands for a relative error: with squares it is one. */
static double error_of(const gcp *g, double f)
{
  const double squares = g->als.squares;
  return g->loss != HED_GCP_GAUSSIAN ? f : squares > 0 ? sqrt(f * g->count / squares) : f > 0 ? INFINITY : 0;
}

static hed_status open(gcp *g, const hed_array *x, int64_t rank)
{
  hed__als *a = &g->als;
  hed_status status = hed__als_open(a, x, rank);
  if (status == HED_OK && hed_dtype_kind(a->type) == HED_KIND_COMPLEX)
    status = hed_fail(HED_E_DTYPE, "%s: x is %s; it has to be real", a->op, hed_dtype_name(a->type));
  if (status == HED_OK)
    status = hed__gcp_check_values(a->op, g->loss, a->x);
  if (status != HED_OK)
    return status;
  g->count = (double)hed_array_size(a->x);
  if (a->mask)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *n = hed_count_nonzero(a->mask, NULL);
      status = n ? hed_item(n, &g->count) : hed_error();
    }
  for (int k = 0; k < a->order; k++)
    g->n += (size_t)(a->shape.dim[k] * rank);
  g->bounded = malloc(g->n);
  g->best = malloc(g->n * sizeof *g->best);
  if (!g->bounded || !g->best)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu unknowns", a->op, g->n);
  size_t at = 0;
  for (int k = 0; k < a->order; k++) {
    const size_t size = (size_t)(a->shape.dim[k] * rank);
    memset(g->bounded + at, a->nonnegative >> k & 1U, size);
    at += size;
  }
  return status;
}

/* Start number K as unknowns, of the size of the data unless it is given; where M is a logarithm, of size 1. */
static hed_status start_at(gcp *g, int64_t k, const hed_generator *random, double *x)
{
  hed__als *a = &g->als;
  double norm = 0, by = 1;
  hed_status status = hed__als_start(a, k, random);
  const hed_cp c = hed__als_model(a);
  if (status == HED_OK && !(k == 0 && a->opt->start) && (status = hed_cp_norm(&c, &norm)) == HED_OK) {
    const bool link = g->loss == HED_GCP_POISSON_LOG || g->loss == HED_GCP_BERNOULLI_LOGIT;
    const double size = link || a->squares == 0 ? sqrt((double)hed_array_size(a->x))
                                                : sqrt(a->squares * (double)hed_array_size(a->x) / g->count);
    by = norm > 0 && isfinite(norm) ? pow(size / norm, 1.0 / a->order) : 1;
  }
  size_t at = 0;
  for (int m = 0; m < a->order && status == HED_OK; m++) {
    const int64_t size = a->shape.dim[m] * a->rank;
    status = hed_tolist(a->factor[m], x + at, size);
    at += (size_t)size;
  }
  for (size_t i = 0; i < g->n; i++)
    x[i] *= by;
  return status;
}

/* From start K to where nothing is lower; the best of all starts is kept. */
static hed_status run_start(void *arg, hed__run *run, int64_t k, const hed_generator *random, const hed_fit *best)
{
  gcp *g = arg;
  const hed_gcp_options *o = g->o;
  const double tol = o->sweeps.tol == 0 ? 1e-9 : o->sweeps.tol, small = o->tol_gradient == 0 ? 1e-7 : o->tol_gradient;
  hed__bounded *b = &g->run;
  double *x = malloc(g->n * sizeof *x);
  hed_status status = x ? start_at(g, k, random, x) : hed_fail(HED_E_NOMEM, "%s: no memory for %zu unknowns", g->als.op, g->n);
  *b = (hed__bounded){ .op = g->als.op, .n = g->n, .bounded = g->bounded, .history = o->history > 0 ? o->history : 10,
                       .value = value, .arg = g };
  if (status == HED_OK)
    status = hed__bounded_begin(b, x);
  const double first = status == HED_OK ? hed__bounded_slope(b) : 0;
  while (status == HED_OK && hed__run_goes_on(run)) {
    const double before = b->f;
    bool moved = false;
    HED_PROFILE_RANGE("sweep")
      status = hed__bounded_step(b, &moved);
    if (status == HED_OK && (status = hed__run_swept(run, error_of(g, b->f))) == HED_OK)
      if (!moved || (run->fit.n_sweeps >= o->sweeps.min &&
                     (before - b->f <= tol * fabs(b->f) || hed__bounded_slope(b) <= small * first)))
        hed__run_arrived(run);
  }
  if (status == HED_OK && run->fit.n_sweeps > 0 && !(k > 0 && g->best_f <= b->f)) {
    memcpy(g->best, b->x, g->n * sizeof *g->best);
    g->best_f = b->f;
  }
  hed__bounded_end(b);
  free(x);
  (void)best;
  return status;
}

hed_status hed_gcp(const hed_array *x, int64_t rank, const hed_gcp_options *opt, hed_cp *out, hed_fit *fit)
{
  static const char *const op = "hed_gcp";
  static const hed_gcp_options defaults;
  static const hed__cp_method method = { 0 };
  const hed_gcp_options *o = opt ? opt : &defaults;
  gcp g = { .als = { .op = op, .method = &method }, .o = o, .loss = o->loss, .p = o->parameter };
  hed_cp_options like = { .start_by = o->start_by, .start = o->start, .restarts = o->restarts, .mask = o->mask,
                          .nan_is_missing = o->nan_is_missing, .nonnegative_modes = o->nonnegative_modes, .normalise = o->normalise };
  hed_sweeps sweeps = o->sweeps;
  hed__run run = { 0 };
  hed_cp made = { 0 };
  sweeps.tol = isnan(sweeps.tol) ? sweeps.tol : -1; /* the changes of the loss are looked at here */
  g.als.opt = &like;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp){ 0 };
  hed_status status = hed__run_begin(&run, op, &sweeps, 1000, -1);
  if (status == HED_OK && (o->history < 0 || o->history > 1000 || isnan(o->tol_gradient)))
    status = hed_fail(HED_E_INVAL, "%s: history %d (0 to 1000), tol_gradient %g", op, (int)o->history, o->tol_gradient);
  if (status == HED_OK)
    status = hed__gcp_parameter(op, g.loss, &g.p);
  if (status == HED_OK && hed__gcp_is_positive(g.loss) && x)
    for (int k = 0; k < hed_array_ndim(x) && k < HED_MAX_NDIM; k++)
      like.nonnegative_modes.axis[k] = k, like.nonnegative_modes.n = k + 1;
  if (g.loss != HED_GCP_GAUSSIAN)
    g.als.modes.fixed_size = ~0U;
  if (status == HED_OK)
    status = open(&g, x, rank);
  if (status == HED_OK)
    status = hed__run_starts(&run, o->restarts, &o->random, run_start, &g);
  if (status == HED_OK && run.fit.n_sweeps > 0 && (status = set_factors(&g, g.best)) == HED_OK)
    status = hed__als_take_out(&g.als, &made);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    *out = made;
  else
    hed_cp_clear(&made);
  hed__als_close(&g.als);
  free(g.bounded);
  free(g.best);
  return status;
}
