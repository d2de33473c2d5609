// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions of counts by alternating Poisson regression.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/coo.h"
#include "kits/tensor/cp/als.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/cp/gcp.h"
#include <math.h>

static const double least = 1e-10; /* what a model is taken for where it is less, and an entry that counts as 0 */

typedef struct apr {
  hed__als als;
  const hed_cp_apr_options *o;
  hed_array *weights;             /* of columns of sum 1 */
  hed_array *phi[HED_MAX_NDIM];   /* by what each factor was multiplied last */
  double total, entropy;          /* sums of x and of x log x */
  hed_cp made;                    /* the best model so far */
} apr;

/* What of M says the data's entries: all, or those that are listed. */
static const hed_array *data(const apr *p) { return p->als.coo ? p->als.coo->values : p->als.x; }

static hed_array *model(const apr *p, const hed_cp *c)
{
  hed_array *m = p->als.coo ? hed_cp_entries(c, p->als.coo->indices) : hed_cp_full(c);
  return m ? hed_maximum_scalar(m, least) : NULL;
}

/* The unfolding of x / m times the other factors, (I, R): what factor B is to be multiplied with. */
static hed_array *factor_phi(apr *p, int mode, hed_array *b)
{
  const hed__als *a = &p->als;
  hed_array *factor[HED_MAX_NDIM], *out[HED_MAX_NDIM] = { NULL };
  hed_cp c = { .order = a->order, .rank = a->rank };
  for (int k = 0; k < a->order; k++)
    c.factor[k] = factor[k] = k == mode ? b : a->factor[k];
  hed_array *m = model(p, &c), *ratio = m ? hed_divide(data(p), m) : NULL;
  if (!ratio)
    return NULL;
  if (a->coo) {
    const hed_coo list = { .shape = a->shape, .indices = a->coo->indices, .values = ratio };
    return hed__coo_product(&list, factor, mode);
  }
  hed__tree t;
  hed__tree_plant(ratio, &t);
  const hed_status status = hed__tree_sweep(&t, factor, 1U << mode, hed__tree_collect, out);
  if (status == HED_OK)
    return hed__tensor_given(out[mode]);
  hed_release(out[mode]);
  return NULL;
}

/* How far B is from meeting the conditions of a least: the largest |min(b, 1 - phi)|. */
static hed_status violation_of(const hed_array *b, const hed_array *phi, double *out)
{
  hed_array *off = hed_minimum(b, hed_scalar_subtract(1, phi)), *most = off ? hed_vector_norm(off, INFINITY, NULL) : NULL;
  return most ? hed_item(most, out) : hed_error();
}

/* Columns of B with sum 1 as factor MODE, their sums as weights. */
static hed_status set_columns(apr *p, int mode, hed_array *b)
{
  hed_array *sums = b ? hed_sum(b, &(hed_reduce){ .axes = HED_AXES(0) }) : NULL;
  hed_array *unit = sums ? hed_multiply(b, hed__inverse_or_one(sums)) : NULL;
  const hed_status status = unit ? hed__put(&p->als.factor[mode], unit) : hed_error();
  return status == HED_OK ? hed__put(&p->weights, sums) : status;
}

/* Steps for factor MODE; *MOVED: there was one. */
static hed_status update(apr *p, int mode, bool first, double tol, bool *moved)
{
  const int inner = p->o->inner > 0 ? p->o->inner : 10;
  const double lift = p->o->lift == 0 ? 0.01 : p->o->lift;
  hed_status status = HED_OK;
  hed_array *b = NULL;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *f = p->als.factor[mode];
    if (!first && lift > 0) {
      hed_array *stuck = hed_logical_and(hed_greater_scalar(p->phi[mode], 1), hed_less_scalar(f, least));
      f = stuck ? hed_add(f, hed_multiply_scalar(hed_astype(stuck, p->als.type), lift)) : NULL;
    }
    status = hed__put(&b, f ? hed_multiply(f, p->weights) : NULL);
  }
  for (int i = 0; i < inner && status == HED_OK; i++) {
    double violation = 0;
    HED_SCOPE_OR(return hed_error()) {
      hed_array *phi = factor_phi(p, mode, b);
      status = phi ? hed__put(&p->phi[mode], phi) : hed_error();
      if (status == HED_OK)
        status = violation_of(b, phi, &violation);
      if (status == HED_OK && violation >= tol)
        status = hed__put(&b, hed_multiply(b, phi));
    }
    if (violation < tol)
      break;
    *moved = true;
  }
  HED_SCOPE_OR(status = hed_error())
    status = status == HED_OK ? set_columns(p, mode, b) : status;
  hed_release(b);
  return status;
}

/* The divergence over the sum of x. Columns have sum 1, so that the model's sum is that of the weights. */
static hed_status divergence(const apr *p, double *out)
{
  double likely = 0, sum = 0;
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_cp c = hed__als_model(&p->als);
    c.weights = p->weights;
    hed_array *m = model(p, &c), *each = m ? hed_multiply(data(p), hed_log(m)) : NULL;
    hed_array *all = each ? hed_sum(each, &(hed_reduce){ .dtype = hed__tensor_wide(p->als.type) }) : NULL;
    status = all ? hed_item(all, &likely) : hed_error();
    if (status == HED_OK)
      status = hed__real_sum(p->weights, &sum);
  }
  *out = p->total > 0 ? (p->entropy - likely - p->total + sum) / p->total : sum > 0 ? INFINITY : 0;
  return status;
}

/* ---- runs ---- */

static hed_status open(apr *p, const hed_array *x, const hed_coo *coo, int64_t rank)
{
  hed_status status = coo ? hed__als_open_sparse(&p->als, coo, rank) : hed__als_open(&p->als, x, rank);
  if (status == HED_OK)
    status = hed__gcp_check_values(p->als.op, HED_GCP_POISSON, data(p));
  if (status == HED_OK && p->o->start)
    for (int k = 0; k < p->als.order && status == HED_OK; k++)
      HED_SCOPE_OR(return hed_error()) {
        double low = 0;
        hed_array *min = hed_min(p->o->start->factor[k], NULL);
        status = min ? hed_item(min, &low) : hed_error();
        if (status == HED_OK && !(low >= 0))
          status = hed_fail(HED_E_INVAL, "%s: factor %d of the start has %g", p->als.op, k, low);
      }
  HED_SCOPE_OR(return hed_error()) {
    const hed_reduce wide = { .dtype = hed__tensor_wide(p->als.type) };
    hed_array *safe = status == HED_OK ? hed_maximum_scalar(data(p), 1e-30) : NULL;
    hed_array *logs = safe ? hed_multiply(data(p), hed_log(safe)) : NULL, *sum = logs ? hed_sum(logs, &wide) : NULL;
    hed_array *total = sum ? hed_sum(data(p), &wide) : NULL;
    if (status == HED_OK)
      status = total && hed_item(sum, &p->entropy) == HED_OK ? hed_item(total, &p->total) : hed_error();
  }
  return status;
}

/* Columns with sum 1, of the whole the sum of X where the start is random. */
static hed_status start_at(apr *p, int64_t k, const hed_generator *random)
{
  hed_status status = hed__als_start(&p->als, k, random);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *weights = NULL;
    for (int m = 0; m < p->als.order && status == HED_OK; m++) {
      status = set_columns(p, m, p->als.factor[m]);
      weights = status != HED_OK ? NULL : weights ? hed_multiply(weights, p->weights) : hed__tensor_same(p->weights);
    }
    if (status == HED_OK && !(k == 0 && p->o->start)) {
      double sum = 0;
      status = hed__real_sum(weights, &sum);
      weights = sum > 0 ? hed_multiply_scalar(weights, p->total / sum) : weights;
    }
    status = status == HED_OK ? hed__put(&p->weights, weights) : status;
  }
  for (int m = 0; m < p->als.order; m++) {
    hed_release(p->phi[m]);
    p->phi[m] = NULL;
  }
  return status;
}

static hed_status sweep_on(apr *p, hed__run *run, int64_t k, const hed_generator *random)
{
  const double tol = p->o->sweeps.tol == 0 ? 1e-4 : p->o->sweeps.tol;
  hed_status status = start_at(p, k, random);
  while (status == HED_OK && hed__run_goes_on(run)) {
    bool moved = false;
    double error = 0;
    HED_PROFILE_RANGE("sweep")
      for (int m = 0; m < p->als.order && status == HED_OK; m++)
        status = update(p, m, run->fit.n_sweeps == 0, tol, &moved);
    if (status == HED_OK && (status = divergence(p, &error)) == HED_OK)
      status = hed__run_swept(run, error);
    if (status == HED_OK && !moved && run->fit.n_sweeps >= p->o->sweeps.min)
      hed__run_arrived(run);
  }
  return status;
}

/* The model in the data's unit. */
static hed_status take_out(const apr *p, hed_cp *out)
{
  hed_cp c = hed__als_model(&p->als);
  c.weights = p->weights;
  hed_status status = hed_cp_copy(&c, out);
  if (status == HED_OK)
    status = hed__tensor_rescale(&out->weights, p->als.exponent);
  if (status == HED_OK)
    status = hed_cp_arrange(out);
  if (status != HED_OK)
    hed_cp_clear(out);
  return status;
}

/* From start K on; the best model of all starts is kept. */
static hed_status run_start(void *arg, hed__run *run, int64_t k, const hed_generator *random, const hed_fit *best)
{
  apr *p = arg;
  hed_status status = sweep_on(p, run, k, random);
  if (status == HED_OK && run->fit.n_sweeps > 0 && (k == 0 || !best->errors || run->fit.error < best->error)) {
    hed_cp_clear(&p->made);
    status = take_out(p, &p->made);
  }
  return status;
}

/* X or COO is the tensor. */
static hed_status fit_counts(const char *op, const hed_array *x, const hed_coo *coo, int64_t rank, const hed_cp_apr_options *opt,
                             hed_cp *out, hed_fit *fit)
{
  static const hed_cp_apr_options defaults;
  static const hed__cp_method method = { .nonnegative = true };
  const hed_cp_apr_options *o = opt ? opt : &defaults;
  const hed_cp_options like = { .start_by = HED_START_RANDOM, .start = o->start, .restarts = o->restarts };
  apr p = { .als = { .op = op, .opt = &like, .method = &method }, .o = o };
  hed_sweeps sweeps = o->sweeps;
  hed__run run = { 0 };
  sweeps.tol = isnan(sweeps.tol) ? sweeps.tol : -1; /* it is of other things than errors here */
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp){ 0 };
  hed_status status = hed__run_begin(&run, op, &sweeps, 1000, -1);
  if (status == HED_OK && (o->inner < 0 || !isfinite(o->lift)))
    status = hed_fail(HED_E_INVAL, "%s: %d inner steps, lift %g", op, (int)o->inner, o->lift);
  if (status == HED_OK)
    status = open(&p, x, coo, rank);
  if (status == HED_OK)
    status = hed__run_starts(&run, o->restarts, &o->random, run_start, &p);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    *out = p.made;
  else
    hed_cp_clear(&p.made);
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(p.phi[k]);
  hed_release(p.weights);
  hed__als_close(&p.als);
  return status;
}

hed_status hed_cp_apr(const hed_array *x, int64_t rank, const hed_cp_apr_options *opt, hed_cp *out, hed_fit *fit)
{
  return fit_counts("hed_cp_apr", x, NULL, rank, opt, out, fit);
}

hed_status hed_coo_cp_apr(const hed_coo *x, int64_t rank, const hed_cp_apr_options *opt, hed_cp *out, hed_fit *fit)
{
  static const hed_coo none;
  return fit_counts("hed_coo_cp_apr", NULL, x ? x : &none, rank, opt, out, fit);
}
