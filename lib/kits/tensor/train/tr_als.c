// SPDX-License-Identifier: BSD-3-Clause
/* Rings by alternating least squares, from all elements or from samples.
 *
 * Layer: L4, tensor kit. For core k the others form a chain S (r_{k+1}, I_{k+1}, .., I_{k-1}, r_k), and X along axis k is core_k times
 * S. The normal equations need S S^H, which is a product of small matrices, one per core.
 */
#include "kits/tensor/common.h"
#include "kits/member.h"
#include "kits/tensor/solve/solve.h"
#include "kits/tensor/sweeps.h"
#include "kits/tensor/train/train.h"
#include <heddle/kits/tensor_train_fit.h>
#include <math.h>
#include <stdlib.h>

typedef struct ring {
  const char *op;
  const hed_array *x;
  hed_shape s;
  double squares;
  int exponent;            /* x is the data over 2^exponent */
  int64_t bounds[HED_MAX_NDIM + 1];
  const hed_tr_options *opt;
  hed_generator random;
  hed_array *test, *truth; /* sampled: where the error is taken, and x there */
  double truth_squares;
  hed_tt t; /* kept */
} ring;

static void take(ring *f, int k, hed_array *core)
{
  hed_release(f->t.core[k]);
  f->t.core[k] = hed_keep(core);
}

/* S of core K, and G (r_k r_{k+1}, the same) = the sum of conj(S) S over the grid, rows and columns numbered (r_k, r_{k+1}). */
static hed_status others(const ring *f, int k, hed_array **chain, hed_array **gram)
{
  hed_array *s = NULL, *z = NULL;
  *chain = *gram = NULL;
  const int64_t left = hed__tt_extent(&f->t, k, 0), right = hed__tt_extent(&f->t, k, 2);
  for (int i = 1; i < f->t.order; i++) {
    const hed_array *core = f->t.core[(k + i) % f->t.order], *pair[] = { hed__tensor_conj(core), core };
    const hed_shape c = hed_array_shape(core);
    hed_array *both = hed_reshape(hed_einsum("anb,cnd->acbd", 2, pair), HED_SHAPE(c.dim[0] * c.dim[0], c.dim[2] * c.dim[2]));
    s = s ? hed_tensordot_n(s, core, 1) : hed__tensor_same(core);
    z = z ? hed_matmul(z, both) : both;
    if (!s || !z)
      return hed_error();
  }
  /* z[(a c), (b d)] with a, c of r_{k+1} and b, d of r_k */
  hed_array *four = hed_reshape(z, HED_SHAPE(right, right, left, left));
  *chain = s;
  *gram = hed_reshape(hed_transpose(four, &HED_AXES(2, 0, 3, 1)), HED_SHAPE(left * right, left * right));
  return *chain && *gram ? HED_OK : hed_error();
}

/* X along axis K times conj(S): (I_k, r_k r_{k+1}). */
static hed_array *projected(const ring *f, int k, const hed_array *chain)
{
  hed_axes of_x = { 0 }, of_s = { 0 };
  for (int i = 1; i < f->s.ndim; i++) {
    of_x.axis[of_x.n++] = (k + i) % f->s.ndim;
    of_s.axis[of_s.n++] = i;
  }
  hed_array *m = hed_tensordot(f->x, hed__tensor_conj(chain), &of_x, &of_s); /* (I_k, r_{k+1}, r_k) */
  return hed_reshape(hed_swapaxes(m, 1, 2), HED_SHAPE(f->s.dim[k], -1));
}

/* (I_k, r_k r_{k+1}) as a core. */
static hed_array *as_core(const ring *f, int k, const hed_array *flat)
{
  return hed_moveaxis(hed_reshape(flat, HED_SHAPE(f->s.dim[k], hed__tt_extent(&f->t, k, 0), hed__tt_extent(&f->t, k, 2))), 0, 1);
}

/* |x - ring| / |x| from the whole: what a difference of squares has no digits for. */
static hed_status exact_error(const ring *f, double *error)
{
  double squares = 0;
  hed_array *full = hed_tt_full(&f->t);
  const hed_status status = full ? hed__tensor_squares(f->op, "the difference", hed_subtract(f->x, full), &squares) : hed_error();
  *error = f->squares > 0 ? sqrt(squares / f->squares) : 0;
  return status;
}

static hed_status sweep_all(ring *f, double *error)
{
  double cross = 0, own = 0;
  for (int k = 0; k < f->t.order; k++)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *chain, *gram;
      hed_status status = others(f, k, &chain, &gram);
      if (status != HED_OK)
        return status;
      hed_array *m = projected(f, k, chain), *flat = hed__solve_gram(gram, m, hed__tensor_epsilon(hed_array_dtype(m)));
      if (!flat)
        return hed_error();
      if (k + 1 == f->t.order && ((status = hed__real_dot(m, flat, &cross)) != HED_OK ||
                                  (status = hed__real_dot(flat, hed_matmul(flat, hed__tensor_conj(gram)), &own)) != HED_OK))
        return status;
      hed_array *core = as_core(f, k, flat);
      if (!core)
        return hed_error();
      take(f, k, core);
    }
  const double squares = f->squares - 2 * cross + own;
  *error = f->squares > 0 ? sqrt(fmax(squares, 0) / f->squares) : 0;
  if (*error < 30 * sqrt(hed__tensor_epsilon(hed_array_dtype(f->x))))
    HED_SCOPE_OR(return hed_error())
      return exact_error(f, error);
  return HED_OK;
}

/* Probabilities of the slices of core K: leverage of the rows of the core as (I_k, r_k r_{k+1}). */
static hed_array *leverage(const ring *f, int k)
{
  hed_array *flat = hed_reshape(hed_moveaxis(f->t.core[k], 1, 0), HED_SHAPE(f->s.dim[k], -1));
  hed_array *u = NULL, *s = NULL;
  if (hed_svd(flat, false, &u, &s, NULL) != HED_OK)
    return NULL;
  hed_array *counts = hed_greater(s, hed_multiply_scalar(hed_max(s, NULL), 1e-6));
  hed_array *score = hed_sum(hed_square(hed_abs(hed_multiply(u, counts))), &(hed_reduce){ .axes = HED_AXES(1) });
  score = hed_astype(score, hed__tensor_wide(HED_FLOAT64));
  return hed_divide(score, hed_sum(score, NULL));
}

/* N slices of core K, drawn by probabilities P on the host, which has the doubles that this takes. */
static hed_array *draw_slices(ring *f, int k, int64_t n, const hed_array *p)
{
  hed_array *at = NULL;
  HED_BACKEND_CONTEXT_OR("reference", return NULL)
    at = hed_random_choice(f->s.dim[k], HED_SHAPE(n), hed_to(p, "reference"), true, &(hed_random){ .generator = &f->random });
  return hed_asarray(at, HED_INT64);
}

/* Core K from SAMPLES rows of the others. */
static hed_status sampled_core(ring *f, int k)
{
  const int64_t n = f->opt->samples, rank = hed__tt_extent(&f->t, k, 0) * hed__tt_extent(&f->t, k, 2);
  hed_key keys[HED_MAX_NDIM];
  hed_array *rows = NULL, *weight = NULL, *best = NULL;
  for (int i = 1; i < f->t.order; i++) {
    const int j = (k + i) % f->t.order;
    hed_array *p = leverage(f, j);
    hed_array *at = p ? draw_slices(f, j, n, p) : NULL;
    if (!at)
      return hed_error();
    hed_array *slices = hed_moveaxis(hed_take(f->t.core[j], at, 1), 1, 0), *chance = hed_take(p, at, 0);
    rows = i > 1 ? hed_matmul(rows, slices) : slices;
    weight = i > 1 ? hed_multiply(weight, chance) : chance;
    keys[j] = HED_IDX(at);
  }
  keys[k] = HED_WHOLE;
  hed_array *values = hed_get(f->x, f->t.order, keys);
  if (k == 0) /* else the axis of the samples comes first already */
    values = hed_matrix_transpose(values);
  const bool wide = hed__tensor_epsilon(hed_array_dtype(f->x)) < 1e-10;
  hed_array *scale = hed_expand_dims(hed_astype(hed_rsqrt(weight), wide ? HED_FLOAT64 : HED_FLOAT32), 1);
  rows = hed_reshape(hed_swapaxes(rows, 1, 2), HED_SHAPE(n, rank)); /* (n, r_k r_{k+1}) */
  if (hed_lstsq(hed_multiply(rows, scale), hed_multiply(values, scale), -1, &best, NULL, NULL, NULL) != HED_OK)
    return hed_error();
  hed_array *core = as_core(f, k, hed_matrix_transpose(best));
  if (!core)
    return hed_error();
  take(f, k, core);
  return HED_OK;
}

static hed_status sweep_samples(ring *f, double *error)
{
  double squares = 0;
  for (int k = 0; k < f->t.order; k++)
    HED_SCOPE_OR(return hed_error()) {
      const hed_status status = sampled_core(f, k);
      if (status != HED_OK)
        return status;
    }
  HED_SCOPE_OR(return hed_error()) {
    hed_array *got = hed_tt_entries(&f->t, f->test);
    const hed_status status = got ? hed__tensor_squares(f->op, "the difference", hed_subtract(f->truth, got), &squares) : hed_error();
    *error = f->truth_squares > 0 ? sqrt(squares / f->truth_squares) : 0;
    return status;
  }
  return hed_error();
}

/* The elements at which the error of a sampled run is taken. */
static hed_status choose_test(ring *f)
{
  const int64_t n = f->opt->fit_samples ? f->opt->fit_samples : 16384;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *columns[HED_MAX_NDIM];
    for (int k = 0; k < f->s.ndim; k++)
      columns[k] = hed_random_integers(HED_SHAPE(n), 0, f->s.dim[k], HED_INT64, &(hed_random){ .generator = &f->random });
    f->test = hed_keep(hed_stack(f->s.ndim, (const hed_array *const *)columns, 1));
    f->truth = f->test ? hed_keep(hed_gather_nd(f->x, f->test)) : NULL;
  }
  return f->truth ? hed__tensor_squares(f->op, "x", f->truth, &f->truth_squares) : hed_error();
}

static hed_status random_start(ring *f)
{
  const hed_dtype t = hed_array_dtype(f->x);
  f->t.order = f->s.ndim;
  for (int k = 0; k < f->s.ndim; k++) {
    const hed_shape s = HED_SHAPE(f->bounds[k], f->s.dim[k], f->bounds[k + 1]);
    const hed_random r = { .generator = &f->random };
    hed_array *core = hed_dtype_kind(t) == HED_KIND_COMPLEX ? hed_random_complex_normal(s, t, &r) : hed_random_normal(s, t, &r);
    if (!core)
      return hed_error();
    take(f, k, core);
  }
  return HED_OK;
}

/* The ring of singular values, where it has the ranks that were asked for. */
static hed_status start(ring *f, const hed_shape *ranks, bool *random)
{
  int64_t got[HED_MAX_NDIM + 1];
  hed_status status = HED_OK;
  *random = f->opt->start == HED_TR_RANDOM;
  if (!*random && (status = hed_tr_svd(f->x, ranks, 1e-300, &f->t, NULL)) == HED_OK) { /* the ranks as bounds */
    (void)hed_tt_ranks(&f->t, got);
    for (int k = 0; k <= f->s.ndim; k++)
      *random |= got[k] != f->bounds[k];
    if (*random)
      hed_tt_clear(&f->t);
  }
  if (status == HED_OK && *random)
    HED_SCOPE_OR(return hed_error())
      status = random_start(f);
  return status;
}

static hed_status check(const ring *f, const hed_shape *ranks)
{
  const hed_tr_options *o = f->opt;
  if (!ranks)
    return hed_fail(HED_E_INVAL, "%s: ranks is NULL", f->op);
  if (f->s.ndim < 2 || hed_array_size(f->x) == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has %d axes and %lld elements; at least two axes and one element are expected", f->op,
                    (int)f->s.ndim, (long long)hed_array_size(f->x));
  if (o->restarts < 0 || o->samples < 0 || o->fit_samples < 0)
    return hed_fail(HED_E_INVAL, "%s: restarts %lld, samples %lld, fit_samples %lld; none may be negative", f->op,
                    (long long)o->restarts, (long long)o->samples, (long long)o->fit_samples);
  if (hed__expect_member(f->op, "start", (int)o->start, HED_TR_SVD, HED_TR_RANDOM, "hed_tr_start") != HED_OK)
    return hed_error();
  for (int k = 0; k < f->s.ndim; k++)
    if (o->samples && o->samples < f->bounds[k] * f->bounds[k + 1])
      return hed_fail(HED_E_INVAL, "%s: %lld samples for core %d, which has %lld unknowns per slice", f->op, (long long)o->samples, k,
                      (long long)(f->bounds[k] * f->bounds[k + 1]));
  return HED_OK;
}

/* One start, until the run says so. */
static hed_status iterate(ring *f, hed__run *run)
{
  hed_status status = HED_OK;
  double error = 0;
  while (status == HED_OK && hed__run_goes_on(run)) {
    status = f->opt->samples ? sweep_samples(f, &error) : sweep_all(f, &error);
    if (status == HED_OK)
      status = hed__run_swept(run, error);
  }
  return status;
}

/* Further starts; the best of all stays in F and RUN. */
static hed_status try_again(ring *f, hed__run *run)
{
  hed_status status = HED_OK;
  for (int64_t again = 1; status == HED_OK && again < f->opt->restarts && !hed__run_cancelled(run); again++) {
    hed_tt best = f->t;
    hed_fit old;
    f->t = (hed_tt){ 0 };
    hed__run_restart(run, &old);
    HED_SCOPE
      status = random_start(f);
    if (status == HED_OK)
      status = iterate(f, run);
    if (status == HED_OK && (run->fit.n_sweeps == 0 || old.error <= run->fit.error)) {
      hed_tt_clear(&f->t);
      f->t = best;
      const hed_stop stopped = run->fit.stopped;
      hed_fit_clear(&run->fit);
      run->fit = old;
      if (stopped == HED_STOP_CANCELLED)
        run->fit.stopped = stopped;
    } else {
      hed_tt_clear(&best);
      hed_fit_clear(&old);
    }
  }
  return status;
}

hed_status hed_tr_als(const hed_array *x, const hed_shape *ranks, const hed_tr_options *opt, hed_tt *out, hed_fit *fit)
{
  static const hed_tr_options defaults;
  ring f = { .op = "hed_tr_als", .opt = opt ? opt : &defaults, .s = hed_array_shape(x) };
  hed__run run;
  bool random = false;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", f.op);
  *out = f.t;
  hed_status status = hed__run_begin(&run, f.op, &f.opt->sweeps, 100, 1e-8);
  HED_SCOPE {
    f.x = status == HED_OK ? hed__tensor_operand(f.op, "x", x) : NULL;
    if (status == HED_OK)
      status = f.x ? hed__tt_bounds(f.op, ranks, f.s.ndim, true, f.bounds) : hed_error();
    if (status == HED_OK)
      status = check(&f, ranks);
    if (status == HED_OK)
      status = hed__tensor_exponent(f.op, "x", f.x, &f.exponent);
    if (status == HED_OK)
      status = (f.x = hed__tensor_scaled(f.x, -f.exponent)) ? HED_OK : hed_error();
    if (status == HED_OK && !f.opt->samples)
      status = hed__tensor_squares(f.op, "x", f.x, &f.squares);
    if (status == HED_OK)
      status = hed_check_random_state(&f.opt->random, &f.random);
    if (status == HED_OK && f.opt->samples)
      status = choose_test(&f);
    if (status == HED_OK)
      status = start(&f, ranks, &random);
    if (status == HED_OK)
      status = iterate(&f, &run);
    if (status == HED_OK)
      status = try_again(&f, &run);
  }
  if (status == HED_OK && f.t.order > 0)
    status = hed__tensor_rescale(&f.t.core[f.t.order - 1], f.exponent);
  status = hed__run_end(&run, status, fit);
  hed_release(f.test);
  hed_release(f.truth);
  if (status != HED_OK)
    hed_tt_clear(&f.t);
  *out = f.t;
  return status;
}
