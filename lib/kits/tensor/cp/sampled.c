// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions by least squares on sampled rows.
 *
 * Layer: L4, tensor kit.
 */
#include "base/invariant.h"
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>

typedef struct sampler {
  hed__als als;
  hed_generator random;
  int64_t samples;
  bool uniform;
  hed_array *places, *values; /* of the estimate: (n, order), (n); NULL: X is small */
  double squares;             /* of the values */
} sampler;

/* Rows of factor K, as many as there are samples, and in *CHANCE (times what was) how likely each was. */
static hed_array *rows_of(sampler *s, int k, hed_array **chance)
{
  HED__ASSERT(k >= 0 && k < s->als.order && s->samples > 0);
  const hed_random draw = { .generator = &s->random };
  const hed_array *f = s->als.factor[k];
  const int64_t n = hed_array_shape(f).dim[0];
  if (s->uniform)
    return hed_random_integers(HED_SHAPE(s->samples), 0, n, HED_INT64, &draw);
  /* leverage: squared rows of an orthonormal basis; a little of all, so that no row is impossible */
  hed_array *q = NULL;
  if (hed_qr(f, HED_QR_REDUCED, &q, NULL) != HED_OK)
    return NULL;
  hed_array *size = hed_sum(hed_square(hed_abs(q)), &(hed_reduce){ .axes = HED_AXES(1) });
  hed_array *share = size ? hed_add_scalar(hed_multiply_scalar(size, 0.9 / (double)hed_array_shape(q).dim[1]), 0.1 / (double)n) : NULL;
  hed_array *chosen = NULL, *rows;
  HED_BACKEND_CONTEXT_OR("reference", return NULL) { /* choice counts in doubles, which not all devices have */
    hed_array *host = share ? hed_to(share, "reference") : NULL;
    chosen = host ? hed_random_choice(n, HED_SHAPE(s->samples), host, true, &draw) : NULL;
  }
  rows = chosen ? hed_asarray(chosen, HED_INT64) : NULL;
  hed_array *likely = rows ? hed_take(share, rows, 0) : NULL;
  *chance = likely ? (*chance ? hed_multiply(*chance, likely) : likely) : NULL;
  return rows;
}

static hed_status update(sampler *s, int mode)
{
  hed__als *a = &s->als;
  HED__ASSERT(mode >= 0 && mode < a->order);
  hed_key keys[HED_MAX_NDIM];
  hed_array *product = NULL, *chance = NULL;
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < a->order && status == HED_OK; k++) {
      if (k == mode) {
        keys[k] = HED_WHOLE;
        continue;
      }
      hed_array *rows = rows_of(s, k, &chance), *taken = rows ? hed_take(a->factor[k], rows, 0) : NULL;
      keys[k] = HED_IDX(rows);
      product = !taken ? NULL : product ? hed_multiply(product, taken) : taken;
      status = product && (s->uniform || chance) ? HED_OK : hed_error();
    }
    hed_array *fibres = status == HED_OK ? hed_get(a->x, a->order, keys) : NULL;
    if (!fibres)
      return hed_error();
    /* the indices' axis comes first unless they stand side by side behind this mode */
    hed_array *columns = mode == 0 ? fibres : hed_transpose(fibres, NULL);
    hed_array *weighted = hed__tensor_conj(product);
    if (!s->uniform) {
      hed_array *weights = chance ? hed_reciprocal(hed_multiply_scalar(chance, (double)s->samples)) : NULL;
      weighted = weights ? hed_multiply(weighted, hed_expand_dims(hed_astype(weights, a->type), 1)) : NULL;
    }
    hed_array *m = hed_matmul(columns, weighted), *g = hed_matmul(hed_transpose(weighted, NULL), product);
    hed_array *wide = g ? hed_astype(g, hed__tensor_wide(a->type)) : NULL;
    status = hed__als_set_factor(a, mode, wide && m ? hed__solve_gram(wide, m, a->epsilon) : NULL);
  }
  return status;
}

/* Entries by which errors are estimated. */
static hed_status choose_entries(sampler *s, int64_t n)
{
  const hed_shape shape = hed_array_shape(s->als.x);
  hed_status status = HED_OK;
  if (hed_array_size(s->als.x) <= n)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *columns[HED_MAX_NDIM];
    hed_key keys[HED_MAX_NDIM];
    for (int k = 0; k < s->als.order; k++) {
      const hed_random draw = { .generator = &s->random };
      columns[k] = hed_random_integers(HED_SHAPE(n), 0, shape.dim[k], HED_INT64, &draw);
      keys[k] = HED_IDX(columns[k]);
      if (!columns[k])
        return hed_error();
    }
    status = hed__put(&s->places, hed_stack(s->als.order, columns, 1));
    if (status == HED_OK)
      status = hed__put(&s->values, hed_get(s->als.x, s->als.order, keys));
    if (status == HED_OK)
      status = hed__tensor_squares(s->als.op, "x", s->values, &s->squares);
  }
  return status;
}

static hed_status estimate(sampler *s, double *error)
{
  const hed_cp c = hed__als_model(&s->als);
  double squares = 0;
  hed_status status = HED_OK;
  if (!s->places)
    return hed__als_error(&s->als, &c, false, error);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *off = hed_subtract(s->values, hed_cp_entries(&c, s->places));
    status = off ? hed__tensor_squares(s->als.op, "the fit", off, &squares) : hed_error();
  }
  *error = s->squares > 0 ? sqrt(squares / s->squares) : squares > 0 ? INFINITY : 0;
  return status;
}

hed_status hed_cp_sampled(const hed_array *x, int64_t rank, const hed_cp_sampled_options *opt, hed_cp *out, hed_fit *fit)
{
  static const char *const op = "hed_cp_sampled";
  static const hed_cp_sampled_options defaults;
  static const hed__cp_method method = { .update = hed__update_least_squares };
  const hed_cp_sampled_options *o = opt ? opt : &defaults;
  const hed_cp_options like = { .start_by = o->start_by, .start = o->start };
  sampler s = { .als = { .op = op, .opt = &like, .method = &method }, .uniform = o->uniform };
  hed__run run = { 0 };
  hed_cp made = { 0 };
  double exact = 0;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp){ 0 };
  hed_status status = hed__run_begin(&run, op, &o->sweeps, 100, 1e-6);
  if (status == HED_OK && (o->samples < 0 || o->fit_samples < 0))
    status = hed_fail(HED_E_INVAL, "%s: %lld samples, %lld for the error", op, (long long)o->samples, (long long)o->fit_samples);
  if (status == HED_OK)
    status = hed__als_open(&s.als, x, rank);
  s.samples = o->samples > 0 ? o->samples : 100 + 40 * rank;
  if (status == HED_OK && (status = hed_check_random_state(&o->random, &s.random)) == HED_OK) {
    hed_generator start = { 0, 0 };
    status = hed_generator_split(&s.random, 1, &start);
    if (status == HED_OK)
      status = hed__als_start(&s.als, 0, &start);
  }
  if (status == HED_OK)
    status = choose_entries(&s, o->fit_samples > 0 ? o->fit_samples : 1 << 14);
  while (status == HED_OK && hed__run_goes_on(&run)) {
    double error = 0;
    for (int k = 0; k < s.als.order && status == HED_OK; k++)
      status = update(&s, k);
    if (status == HED_OK && (status = estimate(&s, &error)) == HED_OK)
      status = hed__run_swept(&run, error);
  }
  const hed_cp c = hed__als_model(&s.als);
  if (status == HED_OK && s.places && (status = hed__als_error(&s.als, &c, false, &exact)) == HED_OK)
    run.fit.error = exact;
  if (status == HED_OK)
    status = hed__als_take_out(&s.als, &made);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    *out = made;
  else
    hed_cp_clear(&made);
  hed_release(s.places);
  hed_release(s.values);
  hed__als_close(&s.als);
  return status;
}
