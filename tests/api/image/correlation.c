// SPDX-License-Identifier: BSD-3-Clause
/* max_correlation against transforms in float64 on the reference backend and the formula of norm_scores: 1 to 3 axes, odd
 * and even extents, templates that fill a corner or everything, with and without a mask, results in any layout, one and two
 * threads, estimated and measured plans. Equal scores keep the lowest index, and what cannot be bettered stays. And what it
 * refuses, and what memory it takes.
 *
 * A correlation is right to some units of the largest one, so a variance is known to some units of the largest square:
 * where little is left of it that decides the score, or on which side of EPS it falls. A score is right when errors of that
 * size explain it.
 */
#include "api.h"
#include "gen.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 3, UNITS = 32 };

static hed_array *noise(gen *g, hed_shape s, double mean)
{
  static double v[1 << 16];
  int64_t n = elements_of(s);
  for (int64_t k = 0; k < n; k++)
    v[k] = mean + gen_normal(g);
  return hed_from_host(v, s, HED_FLOAT64);
}

typedef struct problem {
  hed_shape s, t;
  bool masked;
  hed_array *x[STEPS], *mask[STEPS], *spectrum, *spectrum_sq; /* float64, complex128 */
  double *low[STEPS], *high[STEPS];                           /* what the scores of each step may be */
  double n_obs, eps;
} problem;

/* conj(F(x)) / N */
static hed_array *conjugate_spectrum(const hed_array *x)
{
  hed_array *c = hed_conj(hed_rfftn(x, NULL));
  return hed_multiply_scalar(c, 1.0 / (double)hed_array_size(x));
}

static hed_array *correlation(const problem *p, const hed_array *x, const hed_array *spectrum)
{
  hed_array *there = hed_rfftn(x, &(hed_fft){ .s = p->s });
  return hed_irfftn(hed_multiply(there, spectrum), &(hed_fft){ .s = p->s, .norm = HED_NORM_FORWARD });
}

static double *values(const hed_array *x)
{
  const size_t bytes = (size_t)hed_array_size(x) * sizeof(double);
  double *v = malloc(bytes);
  if (!x || hed_to_host(x, v, bytes) != HED_OK)
    bail("cannot make the truth: %s", hed_error_text());
  return v;
}

static double largest(const double *x, int64_t n)
{
  double most = 0;
  for (int64_t k = 0; k < n; k++)
    most = fmax(most, fabs(x[k]));
  return most;
}

/* Correlations that are wrong by at most ERROR of the largest, in place: LOW from X, which becomes HIGH. */
static void spread(double *low, double *x, int64_t n, double error)
{
  const double by = error * largest(x, n);
  for (int64_t k = 0; k < n; k++) {
    low[k] = x[k] - by;
    x[k] += by;
  }
}

/* The same for scores: correlations LOW to HIGH over the deviations that FIRST and SECOND tell. */
static void normalise(const problem *p, double *low, double *high, const double *first, const double *second, int64_t n,
                      double error)
{
  const double by_first = error * largest(first, n) / p->n_obs, by_second = error * largest(second, n) / p->n_obs;
  for (int64_t k = 0; k < n; k++) {
    const double mean = first[k] / p->n_obs, v = second[k] / p->n_obs - mean * mean;
    const double by = by_second + (2 * fabs(mean) + by_first) * by_first;
    const double least = sqrt(fmax(v - by, 0)), most = sqrt(fmax(v + by, 0));
    const double some = fmax(least, p->eps) * p->n_obs, all = fmax(most, p->eps) * p->n_obs;
    low[k] /= low[k] < 0 ? some : all;
    high[k] /= high[k] < 0 ? all : some;
    if (least < p->eps) {
      low[k] = most < p->eps ? 0 : fmin(low[k], 0);
      high[k] = most < p->eps ? 0 : fmax(high[k], 0);
    }
  }
}

static void make(problem *p, gen *g, double error)
{
  *p = (problem){ .s.ndim = (int32_t)gen_int(g, 1, 3), .masked = gen_chance(g, 50) };
  p->eps = gen_chance(g, 50) ? 1e-3 : 0.3; /* few deviations are below, and many */
  p->t.ndim = p->s.ndim;
  for (int k = 0; k < p->s.ndim; k++) {
    p->s.dim[k] = gen_int(g, 1, p->s.ndim == 1 ? 200 : p->s.ndim == 2 ? 60 : 20);
    p->t.dim[k] = gen_chance(g, 15) ? p->s.dim[k] : gen_int(g, 1, p->s.dim[k]);
  }
  hed_array *f = noise(g, p->s, 0);
  p->spectrum = conjugate_spectrum(f);
  p->spectrum_sq = conjugate_spectrum(hed_square(f));
  p->n_obs = 1;
  for (int k = 0; k < p->s.ndim; k++)
    p->n_obs *= (double)p->t.dim[k];
  for (int i = 0; i < STEPS; i++) {
    p->x[i] = noise(g, p->t, 0);
    p->mask[i] = hed_clip(noise(g, p->t, 0.5), 0, 1);
    const int64_t n = hed_array_size(f);
    p->high[i] = values(correlation(p, p->x[i], p->spectrum));
    p->low[i] = malloc((size_t)n * sizeof(double));
    spread(p->low[i], p->high[i], n, error);
    if (p->masked) {
      double *first = values(correlation(p, p->mask[i], p->spectrum));
      double *second = values(correlation(p, p->mask[i], p->spectrum_sq));
      normalise(p, p->low[i], p->high[i], first, second, n, error);
      free(first);
      free(second);
    }
  }
}

/* Zeros of T, in C order, or with other strides, or backwards. */
static hed_array *result(gen *g, hed_shape s, double value, hed_dtype t)
{
  hed_array *x = hed_full(s, value, t);
  switch (gen_below(g, 10)) {
  case 0: return hed_flip(x, NULL);
  case 1: return hed_moveaxis(hed_copy(hed_moveaxis(x, 0, -1)), -1, 0);
  default: return x;
  }
}

static void against_truth(gen *g, const problem *p, hed_dtype t, const char *context)
{
  const hed_dtype c = t == HED_FLOAT32 ? HED_COMPLEX64 : HED_COMPLEX128;
  int64_t n = 1, bad_score = 0, bad_index = 0;
  hed_array *spectrum = hed_astype(p->spectrum, c), *sq = hed_astype(p->spectrum_sq, c);
  hed_array *best = result(g, p->s, -INFINITY, t), *from = result(g, p->s, -1, HED_INT32);
  static const int order[STEPS] = { 1, 2, 0 }; /* not ascending: ties keep the lower index */
  hed_status status = HED_OK;
  for (int i = 0; i < STEPS && status == HED_OK; i++) {
    const int k = order[i];
    hed_correlation opt = { .mask = hed_astype(p->mask[k], t), .spectrum_sq = sq, .n_obs = p->n_obs, .eps = p->eps };
    hed_array *x = hed_astype(p->x[k], t);
    status = hed_max_correlation(gen_chance(g, 50) ? x : hed_flip(hed_copy(hed_flip(x, NULL)), NULL), spectrum,
                                 p->masked ? &opt : NULL, best, from, k);
  }
  for (int k = 0; k < p->s.ndim; k++)
    n *= p->s.dim[k];
  double *scores = malloc((size_t)n * sizeof *scores);
  int32_t *index = malloc((size_t)n * sizeof *index);
  if (status != HED_OK || hed_to_host(hed_astype(best, HED_FLOAT64), scores, (size_t)n * sizeof *scores) != HED_OK ||
      hed_to_host(from, index, (size_t)n * sizeof *index) != HED_OK) {
    fail("%s: %s", context, hed_error_text());
    goto end;
  }
  const double *const *low = (const double *const *)p->low, *const *high = (const double *const *)p->high;
  for (int64_t k = 0; k < n; k++) {
    const double least = fmax(low[0][k], fmax(low[1][k], low[2][k])), most = fmax(high[0][k], fmax(high[1][k], high[2][k]));
    const double rounded = t == HED_FLOAT32 ? ldexp(fmax(fabs(least), fabs(most)), -24) : 0;
    bad_score += !(scores[k] >= least - rounded && scores[k] <= most + rounded);
    bad_index += index[k] < 0 || index[k] >= STEPS || !(high[index[k]][k] >= least);
  }
  if (!ok(bad_score == 0 && bad_index == 0, "%s: %d axes%s of %s", context, (int)p->s.ndim, p->masked ? " with a mask" : "",
          hed_dtype_name(t)))
    diag("%lld scores, %lld indices of %lld; extents %lld %lld %lld, template %lld %lld %lld", (long long)bad_score,
         (long long)bad_index, (long long)n, (long long)p->s.dim[0], (long long)p->s.dim[1], (long long)p->s.dim[2],
         (long long)p->t.dim[0], (long long)p->t.dim[1], (long long)p->t.dim[2]);
end:
  free(scores);
  free(index);
}

static void random_problems(const char *backend)
{
  static const char *const options[] = { "threads=1", "threads=2", "threads=1;fft=measure" };
  gen g;
  gen_seed(&g, tap_seed() + (uint64_t)strlen(backend));
  for (int round = 0; round < 60; round++) {
    problem p;
    hed_scope scope;
    char context[64];
    if (hed_scope_begin(&scope) != HED_OK)
      bail("scope: %s", hed_error_text());
    const hed_dtype t = round % 4 ? HED_FLOAT32 : HED_FLOAT64;
    HED_BACKEND_CONTEXT("reference")
      make(&p, &g, ldexp(UNITS, t == HED_FLOAT32 ? -24 : -53));
    snprintf(context, sizeof context, "%s;%s", backend, options[round % 3]);
    HED_BACKEND_CONTEXT(context)
      against_truth(&g, &p, t, context);
    for (int i = 0; i < STEPS; i++) {
      free(p.low[i]);
      free(p.high[i]);
    }
    hed_scope_end(&scope);
  }
}

/* One template under several indices, into maxima of which every third is out of reach. */
static void ties(const char *backend)
{
  static const int64_t extent[][3] = { { 12, 20, 18 }, { 5, 9, 10 }, { 7, 40, 36 }, { 4, 16, 16 }, { 6, 7, 22 }, { 1, 12, 45 } };
  static const int order[] = { 5, 3, 4, 3 };
  for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
    for (int threads = 1; threads <= 2; threads++) {
      const hed_shape s = HED_SHAPE(extent[i][0], extent[i][1], extent[i][2]);
      const int64_t n = s.dim[0] * s.dim[1] * s.dim[2];
      char context[64];
      hed_scope scope;
      gen g;
      gen_seed(&g, tap_seed() + i);
      if (hed_scope_begin(&scope) != HED_OK)
        bail("scope: %s", hed_error_text());
      float *primed = malloc((size_t)n * sizeof *primed), *first = malloc((size_t)n * sizeof *first);
      float *last = malloc((size_t)n * sizeof *last);
      int32_t *index = malloc((size_t)n * sizeof *index);
      for (int64_t k = 0; k < n; k++)
        primed[k] = k % 3 == 1 ? INFINITY : -INFINITY;
      snprintf(context, sizeof context, "%s;threads=%d", backend, threads);
      int64_t bad = 0;
      hed_status status = HED_E_INTERNAL;
      HED_BACKEND_CONTEXT(context) {
        hed_array *x = hed_astype(noise(&g, HED_SHAPE(s.dim[0] / 2 + 1, 3, 4), 0), HED_FLOAT32);
        hed_array *f = hed_astype(conjugate_spectrum(noise(&g, s, 0)), HED_COMPLEX64);
        hed_array *best = hed_from_host(primed, s, HED_FLOAT32), *from = hed_full(s, -1, HED_INT32);
        status = HED_OK;
        for (size_t k = 0; k < sizeof order / sizeof *order && status == HED_OK; k++) {
          status = hed_max_correlation(x, f, NULL, best, from, order[k]);
          if (status == HED_OK)
            status = hed_to_host(best, k == 0 ? first : last, (size_t)n * sizeof *last);
        }
        if (status == HED_OK)
          status = hed_to_host(from, index, (size_t)n * sizeof *index);
      }
      for (int64_t k = 0; k < n && status == HED_OK; k++)
        bad += index[k] != (k % 3 == 1 ? -1 : 3) || first[k] != last[k] || (k % 3 == 1) != isinf(last[k]);
      ok(status == HED_OK && bad == 0, "%s: of equal scores the lowest index, %lld x %lld x %lld: %lld bad", context,
         (long long)s.dim[0], (long long)s.dim[1], (long long)s.dim[2], (long long)bad);
      free(primed);
      free(first);
      free(last);
      free(index);
      hed_scope_end(&scope);
    }
}

/* What a step is said to take, against a meter: no more than that, on the cpu backend not much less either. */
static void workspace(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int round = 0; round < 24; round++) {
    const int ndim = 1 + round % 3;
    const bool masked = round & 4, wide = round % 8 == 7;
    const hed_dtype t = wide ? HED_FLOAT64 : HED_FLOAT32, c = wide ? HED_COMPLEX128 : HED_COMPLEX64;
    hed_shape all = { .ndim = ndim }, small = { .ndim = ndim }, half;
    for (int i = 0; i < ndim; i++) {
      all.dim[i] = (ndim == 1 ? 5000 : ndim == 2 ? 100 : 20) + (int64_t)gen_below(&g, 24);
      small.dim[i] = 1 + (int64_t)gen_below(&g, (uint64_t)all.dim[i]);
    }
    half = all;
    half.dim[ndim - 1] = all.dim[ndim - 1] / 2 + 1;
    HED_SCOPE {
      hed_array *x = hed_ones(small, t), *f = hed_ones(half, c), *best = hed_zeros(all, t), *from = hed_zeros(all, HED_INT32);
      const hed_correlation opt = { .mask = x, .spectrum_sq = f, .n_obs = 3 }, *const with = masked ? &opt : NULL;
      hed_memory_meter meter;
      hed_memory_reading use = { .struct_size = sizeof use };
      size_t bytes = 0;
      is_int(hed_max_correlation_workspace(small, all, t, masked, &bytes), HED_OK, "%s: it is said what a step takes", backend);
      is_int(hed_max_correlation(x, f, with, best, from, 0), HED_OK, "a step, which makes plans");
      if (hed_memory_meter_begin("reference", &meter) != HED_OK)
        bail("%s", hed_error_text());
      is_int(hed_max_correlation(x, f, with, best, from, 1), HED_OK, "and another one");
      if (hed_memory_meter_read(&meter, &use) != HED_OK)
        bail("%s", hed_error_text());
      hed_memory_meter_end(&meter);
      const double most = (double)(use.peak - use.start), said = (double)bytes;
      ok(most > 0 && most <= said * 1.01 + 0x1p14 && (strcmp(backend, "cpu") != 0 || wide || said <= 1.2 * most + 0x1p14),
         "%s: %d axes of %lld in %lld%s: %.0f bytes said, %.0f taken", backend, ndim, (long long)small.dim[0],
         (long long)all.dim[0], masked ? ", masked" : "", said, most);
    }
  }
}

static void refused(const char *backend)
{
  hed_scope scope;
  (void)backend;
  if (hed_scope_begin(&scope) != HED_OK)
    bail("scope: %s", hed_error_text());
  hed_array *x = hed_ones(HED_SHAPE(3, 3), HED_FLOAT32), *f = hed_zeros(HED_SHAPE(6, 4), HED_COMPLEX64);
  hed_array *best = hed_zeros(HED_SHAPE(6, 6), HED_FLOAT32), *from = hed_zeros(HED_SHAPE(6, 6), HED_INT32);
  hed_correlation opt = { .mask = x, .spectrum_sq = f, .n_obs = 9 }, half = { .mask = x, .n_obs = 9 };
  is_int(hed_max_correlation(x, f, &opt, best, from, 0), HED_OK, "what is right is done");
  API_FAIL(hed_max_correlation(NULL, f, NULL, best, from, 0), HED_E_INVAL, "argument x is NULL");
  API_FAIL(hed_max_correlation(x, f, NULL, best, NULL, 0), HED_E_INVAL, "argument rotations is NULL");
  API_FAIL(hed_max_correlation(x, f, &half, best, from, 0), HED_E_INVAL, "argument opt->spectrum_sq is NULL");
  opt.n_obs = 0;
  API_FAIL(hed_max_correlation(x, f, &opt, best, from, 0), HED_E_INVAL, "n_obs = 0 must be above 0");
  API_FAIL(hed_max_correlation(hed_astype(x, HED_INT32), f, NULL, best, from, 0), HED_E_DTYPE, "x is int32");
  API_FAIL(hed_max_correlation(x, hed_astype(f, HED_COMPLEX128), NULL, best, from, 0), HED_E_DTYPE,
           "spectrum is complex128; with x of float32 it must be complex64");
  API_FAIL(hed_max_correlation(hed_ones(HED_SHAPE(7, 3), HED_FLOAT32), f, NULL, best, from, 0), HED_E_SHAPE,
           "x of shape (7, 3) does not fit into (6, 6)");
  API_FAIL(hed_max_correlation(x, hed_zeros(HED_SHAPE(6, 6), HED_COMPLEX64), NULL, best, from, 0), HED_E_SHAPE,
           "spectrum has shape (6, 6), not (6, 4)");
  API_FAIL(hed_max_correlation(x, f, NULL, best, hed_zeros(HED_SHAPE(6), HED_INT32), 0), HED_E_SHAPE,
           "rotations has shape (6,), not (6, 6)");
  API_FAIL(hed_max_correlation(hed_slice(best, 2, (hed_slice_range[]){ HED_RANGE(0, 3, 1), HED_RANGE(0, 3, 1) }), f, NULL,
                               best, from, 0), HED_E_INVAL, "max_scores and x share memory");
  size_t n;
  const hed_shape two = HED_SHAPE(3, 3), six = HED_SHAPE(6, 6), deep = HED_SHAPE(2, 2, 2, 2);
  API_FAIL(hed_max_correlation_workspace(two, six, HED_FLOAT32, false, NULL), HED_E_INVAL, "bytes is NULL");
  API_FAIL(hed_max_correlation_workspace(two, six, NULL, false, &n), HED_E_INVAL, "t is NULL");
  API_FAIL(hed_max_correlation_workspace(two, six, HED_INT32, false, &n), HED_E_DTYPE, "t is int32");
  API_FAIL(hed_max_correlation_workspace(six, two, HED_FLOAT32, true, &n), HED_E_SHAPE, "x of shape (6, 6) does not fit into (3, 3)");
  API_FAIL(hed_max_correlation_workspace(deep, deep, HED_FLOAT32, true, &n), HED_E_SHAPE, "1 to 3 axes");
  hed_scope_end(&scope);
}

int main(void)
{
  api_each_backend(random_problems);
  api_each_backend(ties);
  api_each_backend(refused);
  api_each_backend(workspace);
  return done();
}
