// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions by alternating least squares: against another program's values from the same start, planted factors, errors
 * that never rise over random shapes, gaps, and what has no solution.
 */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/decompose.h>
#include <stdio.h>

/* TensorLy 0.10.0, parafac(x, rank, n_iter_max, init=start, tol=1e-300) with NumPy 2, of x and starts by tensor_wave(). */
static const struct { hed_shape s; int64_t rank, sweeps; double error; } known[] = {
  { { 3, { 5, 6, 7 } }, 3, 1, 0.48988061104635156 },    { { 3, { 5, 6, 7 } }, 3, 5, 0.3507038530444165 },
  { { 3, { 5, 6, 7 } }, 3, 40, 0.30522979144032925 },   { { 4, { 4, 3, 5, 2 } }, 2, 1, 0.5457238859901029 },
  { { 4, { 4, 3, 5, 2 } }, 2, 5, 0.5244300424826059 },  { { 4, { 4, 3, 5, 2 } }, 2, 40, 0.521686194768338 },
};

static hed_cp start_of(hed_shape s, int64_t rank, hed_dtype t)
{
  hed_cp c = { .order = s.ndim, .rank = rank };
  for (int k = 0; k < s.ndim; k++)
    c.factor[k] = tensor_wave(HED_SHAPE(s.dim[k], rank), 0.9 + 0.37 * k, t);
  return c;
}

static void against_others(const char *backend)
{
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    for (int wide = 0; wide < 2; wide++) {
      const hed_dtype t = wide ? HED_FLOAT64 : HED_FLOAT32;
      if (wide && hed_device_supports(NULL, "float64") != 1)
        continue;
      hed_array *x = tensor_wave(known[i].s, 1.7, t);
      hed_cp start = start_of(known[i].s, known[i].rank, t), c = { 0 };
      hed_fit fit = { 0 };
      double error = 0;
      const hed_cp_options o = { .start = &start, .sweeps = { .max = known[i].sweeps, .tol = -1 } };
      hed_status status = hed_cp_als(x, known[i].rank, &o, &c, &fit);
      if (!is_int(status, HED_OK, "%s: %d sweeps", backend, (int)known[i].sweeps))
        diag("%s", hed_error_text());
      is_near(fit.error, known[i].error, wide ? 1e-8 : 2e-4, 0, "%s: the error is another program's", backend);
      is_int(fit.n_sweeps, known[i].sweeps, "%s: as many sweeps as were asked for", backend);
      is_int(fit.stopped, HED_STOP_SWEEPS, "%s: which ended it", backend);
      hed_status looked = hed_cp_error(&c, x, NULL, &error);
      ok(looked == HED_OK && fabs(error - fit.error) < (wide ? 1e-10 : 1e-4), "%s: and is that of the result", backend);
      hed_fit_clear(&fit);
      hed_cp_clear(&c);
      hed_cp_clear(&start);
      hed_release(x);
    }
}

/* A tensor of known factors, found again: |congruence| near 1 for each. */
static void planted(gen *g, const char *backend, hed_shape s, int64_t rank, hed_dtype t, const hed_cp_options *o, const char *what)
{
  hed_cp truth = { .order = s.ndim, .rank = rank }, c = { 0 };
  hed_fit fit = { 0 };
  double congruence[16] = { 0 }, least = 1;
  for (int k = 0; k < s.ndim; k++) {
    double complex *v = tensor_values(g, s.dim[k] * rank, hed_dtype_kind(t) == HED_KIND_COMPLEX);
    truth.factor[k] = tensor_array(v, HED_SHAPE(s.dim[k], rank), t);
    free(v);
  }
  hed_array *x = hed_cp_full(&truth);
  hed_status status = hed_cp_als(x, rank, o, &c, &fit);
  if (status == HED_OK)
    status = hed_cp_align(&c, &truth, congruence);
  for (int64_t r = 0; r < rank; r++)
    least = fmin(least, congruence[r]);
  if (!ok(status == HED_OK && least > 0.9999 && fit.error < 2e-3, "%s: %s, %d modes, rank %d, %s: planted factors", backend, what,
          (int)s.ndim, (int)rank, hed_dtype_name(t)))
    diag("congruence %g, error %g after %d sweeps; %s", least, fit.error, (int)fit.n_sweeps, hed_error_text());
  hed_fit_clear(&fit);
  hed_cp_clear(&c);
  hed_cp_clear(&truth);
  hed_release(x);
}

/* Errors never rise, whatever the shape and the rank; with gaps neither. */
static void monotone(gen *g, int tries, const char *backend, int gaps)
{
  int rises = 0, failures = 0, wrong = 0;
  const double slack = hed_device_supports(NULL, "float64") == 1 ? 1e-9 : 2e-4;
  const hed_dtype t = hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
  /* of exact fits rounding is left: normal equations end where singular values are 4 roots of the precision apart */
  const double least = t == HED_FLOAT32 ? 4 * sqrt(0x1p-23) : 1e-5;
  for (int k = 0; k < tries; k++) {
    hed_shape s = tensor_shape(g, 2, 6, 5);
    const int64_t rank = gen_int(g, 1, 8), n = elements_of(s);
    double complex *v = tensor_values(g, n, false);
    double complex *known_ = calloc(n > 0 ? (size_t)n : 1, sizeof *known_);
    for (int64_t i = 0; i < n; i++)
      known_[i] = !gaps || i == 0 || gen_chance(g, gaps == 1 ? 85 : 60);
    for (int64_t i = 0; i < n && gaps; i++)
      v[i] = creal(known_[i]) != 0 ? v[i] : NAN;
    hed_array *x = tensor_array(v, s, t), *mask = gaps ? tensor_array(known_, s, HED_BOOL) : NULL;
    const hed_cp_options o = { .sweeps = { .max = 12, .tol = -1 }, .mask = mask, .restarts = 1 + k % 2,
                               .start_by = (hed_cp_start)(k % 3), .random = { .seed = (uint64_t)k, .seeded = true },
                               .missing = gaps == 1 ? HED_MISSING_IMPUTE : gaps ? HED_MISSING_WEIGHTED : HED_MISSING_AUTO };
    hed_cp c = { 0 };
    hed_fit fit = { 0 };
    double error = 0;
    if (hed_cp_als(x, rank, &o, &c, &fit) != HED_OK) {
      failures++;
      diag("rank %d: %s", (int)rank, hed_error_text());
    }
    for (int64_t i = 1; i < fit.n_sweeps; i++)
      if (fit.errors[i] > fit.errors[i - 1] + slack && fit.errors[i] > least) {
        rises++;
        diag("%d modes, rank %d, sweep %d: %.12g after %.12g", (int)s.ndim, (int)rank, (int)i + 1, fit.errors[i], fit.errors[i - 1]);
      }
    if (c.order && (hed_cp_error(&c, x, mask, &error) != HED_OK || fabs(error - fit.error) > 1e-6 + (t == HED_FLOAT32 ? 1e-3 : 0)))
      wrong++;
    hed_fit_clear(&fit);
    hed_cp_clear(&c);
    RELEASE(x, mask);
    free(v);
    free(known_);
  }
  is_int(failures, 0, "%s: no failures in %d random problems, gaps %d", backend, tries, gaps);
  is_int(rises, 0, "%s: no error rises", backend);
  is_int(wrong, 0, "%s: and each is that of the result", backend);
}

/* A tensor of known rank with gaps is completed. */
static void completion(gen *g, const char *backend, hed_missing how, int percent)
{
  const hed_shape s = HED_SHAPE(9, 8, 7);
  const hed_dtype t = hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
  double complex *f[3], *full, *v = malloc(504 * sizeof *v);
  for (int k = 0; k < 3; k++)
    f[k] = tensor_values_apart(g, s.dim[k], 2, false);
  full = tensor_of_factors(s, 2, f, NULL);
  for (int i = 0; i < 504; i++)
    v[i] = gen_chance(g, (unsigned)percent) ? full[i] : NAN;
  hed_array *x = tensor_array(v, s, t), *truth = tensor_array(full, s, t);
  hed_cp c = { 0 };
  hed_fit fit = { 0 };
  double error = 1;
  hed_cp_options o = { .nan_is_missing = true, .missing = how, .sweeps = { .max = 600, .tol = 1e-12 }, .restarts = 3,
                       .random = { .seed = 5, .seeded = true } };
  hed_status status = hed_cp_als(x, 2, &o, &c, &fit);
  while (status == HED_OK && fit.error > 1e-4 && o.random.seed++ < 10) { /* a start may end where no step is better */
    hed_fit_clear(&fit);
    hed_cp_clear(&c);
    status = hed_cp_als(x, 2, &o, &c, &fit);
  }
  if (status == HED_OK)
    status = hed_cp_error(&c, truth, NULL, &error);
  if (!ok(status == HED_OK && error < 1e-3, "%s: missing entries are found from %d %% of all (%d)", backend, percent, (int)how))
    diag("error %g, of what was seen %g after %d sweeps; %s", error, fit.error, (int)fit.n_sweeps, hed_error_text());
  hed_fit_clear(&fit);
  hed_cp_clear(&c);
  RELEASE(x, truth);
  for (int k = 0; k < 3; k++)
    free(f[k]);
  free(full);
  free(v);
}

static double error_with(const hed_array *x, int64_t rank, const hed_cp_options *o, hed_cp *c, hed_fit *fit)
{
  hed_status status = hed_cp_als(x, rank, o, c, fit);
  if (status != HED_OK)
    diag("%s", hed_error_text());
  return status == HED_OK ? fit->error : NAN;
}

/* What other programs stumble over. */
static void odd(void)
{
  hed_cp c = { 0 };
  hed_fit fit = { 0 };
  double value = 0;
  hed_array *zero = hed_zeros(HED_SHAPE(3, 4, 5), HED_FLOAT64);
  for (int by = 0; by < 2; by++) {
    const hed_cp_options o = { .start_by = (hed_cp_start)by, .random = { .seed = 1, .seeded = true } };
    is_near(error_with(zero, 3, &o, &c, &fit), 0, 0, 0, "the zero tensor");
    ok(hed_cp_norm(&c, &value) == HED_OK && value == 0, "is 0");
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
  }
  hed_release(zero);

  /* a start with equal columns, and one of zeros */
  hed_array *x = tensor_wave(HED_SHAPE(5, 6, 7), 1.7, HED_FLOAT64);
  hed_cp equal = { .order = 3, .rank = 3 };
  for (int k = 0; k < 3; k++)
    equal.factor[k] = hed_ones(HED_SHAPE(4 + k + 1, 3), HED_FLOAT64);
  const hed_cp_options from_equal = { .start = &equal };
  const double as_one = error_with(x, 3, &from_equal, &c, &fit);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  const hed_cp_options normal = { .sweeps = { .max = 500 } };
  ok(as_one <= error_with(x, 1, &normal, &c, &fit) + 1e-6, "a start of equal columns gives rank 1 at least (%g)", as_one);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_cp_clear(&equal);

  /* rank above every extent: an exact fit */
  hed_array *small = tensor_wave(HED_SHAPE(2, 3, 2), 0.7, HED_FLOAT64);
  const hed_cp_options many = { .sweeps = { .max = 500 }, .random = { .seed = 2, .seeded = true } };
  ok(error_with(small, 8, &many, &c, &fit) < 1e-6, "rank 8 of a tensor of 12 entries is exact");
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_release(small);

  /* a o a o b + a o b o a + b o a o a has rank 3 and is a limit of tensors of rank 2 */
  double border[8] = { 0, 1, 1, 0, 1, 0, 0, 0 };
  hed_array *limit = hed_from_doubles(border, HED_SHAPE(2, 2, 2), HED_FLOAT64);
  const hed_cp_options slow = { .start_by = HED_START_NORMAL, .sweeps = { .max = 3000, .tol = 1e-9 },
                                .random = { .seed = 3, .seeded = true } };
  const double error = error_with(limit, 2, &slow, &c, &fit);
  ok(error > 0 && error < 0.1 && fit.stopped != HED_STOP_NONE, "a tensor of border rank 2 comes near");
  has_str(fit.note, "cancel", "and the note says what is wrong");
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_release(limit);

  /* fixed modes stay, the last one too */
  hed_cp start = start_of(HED_SHAPE(5, 6, 7), 2, HED_FLOAT64);
  const hed_cp_options fixed = { .start = &start, .fixed_modes = HED_AXES(2, 0), .sweeps = { .max = 5, .tol = -1 } };
  const double fixed_error = error_with(x, 2, &fixed, &c, &fit);
  ok(hed_cp_error(&c, x, NULL, &value) == HED_OK && fabs(value - fixed_error) < 1e-12, "with fixed modes the error is right");
  bool same = false;
  ok(hed_allclose(c.factor[2], start.factor[2], NULL, &same) == HED_OK && same, "the last one stayed");
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  const hed_cp_options all_fixed = { .start = &start, .fixed_modes = HED_AXES(0, 1, 2) };
  const double nothing = error_with(x, 2, &all_fixed, &c, &fit);
  ok(fit.n_sweeps == 0 && fit.stopped == HED_STOP_NONE && nothing > 0, "nothing is free: no sweep");
  hed_cp_clear(&c);
  hed_fit_clear(&fit);

  /* non-negative modes, ridge, sparse part, orthonormal columns at first, steps beyond */
  const hed_cp_options some = { .start = &start, .nonnegative_modes = HED_AXES(1), .sweeps = { .max = 30, .tol = -1 } };
  ok(error_with(x, 2, &some, &c, &fit) < 0.6, "one non-negative mode");
  hed_array *least = hed_min(c.factor[1], NULL);
  ok(hed_item(least, &value) == HED_OK && value >= 0, "has no negative entry");
  hed_release(least);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  double norms[2], errors[2];
  for (int k = 0; k < 2; k++) {
    const hed_cp_options ridge = { .start = &start, .l2 = k ? 5 : 0.01, .sweeps = { .max = 200 } };
    errors[k] = error_with(x, 2, &ridge, &c, &fit);
    ok(hed_cp_norm(&c, &norms[k]) == HED_OK, "a ridge");
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
  }
  ok(norms[1] < norms[0] && errors[1] > errors[0], "the larger one gives the smaller tensor");
  const hed_cp_options plain = { .start = &start, .sweeps = { .max = 25, .tol = -1 } };
  const double reached = error_with(x, 2, &plain, &c, &fit);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  for (int how = 1; how <= 3; how++) {
    const hed_cp_options beyond = { .start = &start, .acceleration = (hed_acceleration)how, .sweeps = { .max = 25, .tol = -1 } };
    const double faster = error_with(x, 2, &beyond, &c, &fit);
    bool falls = true;
    for (int64_t i = 1; i < fit.n_sweeps; i++)
      falls = falls && fit.errors[i] <= fit.errors[i - 1] + 1e-12;
    ok(faster <= reached + 1e-9 && falls, "steps beyond sweeps (%d) come at least as far: %.9f, %.9f", how, faster, reached);
    ok(hed_cp_error(&c, x, NULL, &value) == HED_OK && fabs(value - faster) < 1e-9, "and their error is right");
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
  }
  const hed_cp_options turned = { .orthogonalise = 3, .sweeps = { .max = 40 }, .random = { .seed = 1, .seeded = true } };
  const double from_turned = error_with(x, 2, &turned, &c, &fit);
  ok(from_turned < reached + 0.02 && fit.errors[0] > from_turned, "orthonormal columns at first (%g)", from_turned);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_cp_clear(&start);
  hed_release(x);
}

/* The second component of the start has no part along what the first one leaves, in whichever mode: it dies at once. */
static void revived(void)
{
  static const double a[2][3] = { { 7, 9, 10 }, { 5, 6, 0 } }, b[2][2] = { { 6, 9 }, { 0, 1.5 } };
  static const double c[2][3] = { { 5, 0, 10 }, { 0, 10, 0 } };
  double v[18];
  for (int i = 0; i < 18; i++)
    v[i] = a[0][i / 6] * b[0][i / 3 % 2] * c[0][i % 3] + a[1][i / 6] * b[1][i / 3 % 2] * c[1][i % 3];
  hed_array *x = hed_from_doubles(v, HED_SHAPE(3, 2, 3), HED_FLOAT64);
  const hed_cp_options o = { .nonnegative_modes = HED_AXES(0, 1, 2), .normalise = true };
  for (int how = 0; how < 2; how++) {
    double weight[2] = { 0, 0 };
    hed_cp got;
    hed_fit fit;
    const hed_status status = how ? hed_cp_nn_hals(x, 2, &(hed_cp_hals_options){ .cp = o }, &got, &fit)
                                  : hed_cp_als(x, 2, &o, &got, &fit);
    ok(status == HED_OK && fit.error < 1e-6, "both components are found: %g", fit.error);
    ok(hed_tolist(got.weights, weight, 2) == HED_OK && fmin(weight[0], weight[1]) > 100, "none is zero: %g, %g", weight[0], weight[1]);
    hed_cp_clear(&got);
    hed_fit_clear(&fit);
  }
  hed_release(x);
}

/* Columns that are nearly parallel: sweeps alone come forward slowly, steps beyond them have to save some. */
static void hurry(void)
{
  hed_cp truth = { .order = 3, .rank = 3 }, c = { 0 };
  hed_fit fit = { 0 };
  int64_t needed[4];
  for (int k = 0; k < 3; k++) {
    double v[24];
    for (int i = 0; i < 24; i++)
      v[i] = 1 + 0.7 * sin(1.7 * (i / 3 + 1) * (i % 3 + 1) + k);
    truth.factor[k] = hed_from_doubles(v, HED_SHAPE(8, 3), HED_FLOAT64);
  }
  hed_array *x = hed_cp_full(&truth);
  for (int how = 0; how < 4; how++) {
    const hed_cp_options o = { .acceleration = (hed_acceleration)how, .start_by = HED_START_RANDOM,
                               .sweeps = { .max = 250, .tol = -1 }, .random = { .seed = 1, .seeded = true } };
    (void)error_with(x, 3, &o, &c, &fit);
    for (needed[how] = 0; needed[how] < fit.n_sweeps && fit.errors[needed[how]] > 1e-4; needed[how]++)
      ;
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
  }
  ok(needed[0] < 250 && 3 * needed[1] < 2 * needed[0] && 3 * needed[2] < 2 * needed[0] && 4 * needed[3] < needed[0],
     "sweeps to 1e-4: %d; along a line %d, by Nesterov %d, by mixtures %d", (int)needed[0], (int)needed[1], (int)needed[2],
     (int)needed[3]);
  hed_cp_clear(&truth);
  hed_release(x);
}

/* A low-rank tensor with a few wild entries: both parts are found. */
static void sparse_part(void)
{
  gen g;
  gen_seed(&g, 8);
  const hed_shape s = HED_SHAPE(8, 9, 10);
  double complex *f[3], *full;
  for (int k = 0; k < 3; k++)
    f[k] = tensor_values(&g, s.dim[k] * 2, false);
  full = tensor_of_factors(s, 2, f, NULL);
  hed_array *truth = tensor_array(full, s, HED_FLOAT64), *sparse = NULL;
  for (int k = 0; k < 12; k++)
    full[k * 59] += 30;
  hed_array *x = tensor_array(full, s, HED_FLOAT64);
  hed_cp c = { 0 };
  hed_fit fit = { 0 };
  double error = 1;
  const hed_cp_options o = { .sparsity = 12, .sparse = &sparse, .sweeps = { .max = 300, .tol = 1e-10 } };
  error_with(x, 2, &o, &c, &fit);
  ok(hed_cp_error(&c, truth, NULL, &error) == HED_OK && error < 1e-4, "12 wild entries: the rest is found (%g)", error);
  hed_array *count = hed_count_nonzero(sparse, NULL);
  int64_t n = 0;
  ok(hed_item_int(count, &n) == HED_OK && n == 12, "the sparse part has 12 entries");
  RELEASE(count, sparse, x, truth);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  for (int k = 0; k < 3; k++)
    free(f[k]);
  free(full);
}

typedef struct watch { int calls, stop_at, *cancel; } watch;

static int look(void *arg, const hed_sweep *now)
{
  watch *w = arg;
  w->calls++;
  if (w->cancel && now->sweep == w->stop_at)
    *w->cancel = 1;
  return !w->cancel && now->sweep == w->stop_at;
}

static void watched(void)
{
  hed_array *x = tensor_wave(HED_SHAPE(5, 6, 7), 1.7, HED_FLOAT32);
  hed_cp c = { 0 };
  hed_fit fit = { 0 };
  watch w = { .stop_at = 4 };
  hed_cp_options o = { .sweeps = { .max = 30, .tol = -1, .progress = look, .progress_arg = &w } };
  ok(hed_cp_als(x, 2, &o, &c, &fit) == HED_OK && fit.n_sweeps == 4 && fit.stopped == HED_STOP_PROGRESS && w.calls == 4,
     "a callback ends the run, and there is a result");
  is_str(hed_stop_name(fit.stopped), "progress", "which has a name");
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  int cancel = 0;
  w = (watch){ .stop_at = 3, .cancel = &cancel };
  o.sweeps.cancel = &cancel;
  ok(hed_cp_als(x, 2, &o, &c, &fit) == HED_E_CANCELLED && c.order == 0 && !fit.errors, "a cancelled run leaves nothing");
  cancel = 0;
  o.sweeps.keep_partial = true;
  ok(hed_cp_als(x, 2, &o, &c, &fit) == HED_OK && fit.n_sweeps == 3 && fit.stopped == HED_STOP_CANCELLED && c.order == 3,
     "but where what there is was asked for");
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  cancel = 1;
  ok(hed_cp_als(x, 2, &o, &c, &fit) == HED_E_CANCELLED && c.order == 0, "before the first sweep there is nothing to keep");
  hed_release(x);
}

static void refused(void)
{
  hed_cp c = { 0 };
  hed_array *x = tensor_wave(HED_SHAPE(5, 6, 7), 1.7, HED_FLOAT32), *line = tensor_wave(HED_SHAPE(5), 1, HED_FLOAT32);
  hed_array *mask = hed_ones(HED_SHAPE(5, 6, 6), HED_BOOL), *none = hed_zeros(HED_SHAPE(5, 6, 7), HED_BOOL);
  hed_error_clear();
  is_int(hed_cp_als(NULL, 2, NULL, &c, NULL), HED_E_INVAL, "x is NULL");
  is_int(hed_cp_als(x, 0, NULL, &c, NULL), HED_E_INVAL, "rank 0");
  has_str(hed_error_text(), "rank 0", "is named");
  is_int(hed_cp_als(line, 1, NULL, &c, NULL), HED_E_SHAPE, "a tensor of one axis");
  has_str(hed_error_text(), "(5)", "has its shape named");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .mask = mask }, &c, NULL), HED_E_SHAPE, "a mask of another shape");
  has_str(hed_error_text(), "(5, 6, 6)", "is named");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .mask = none }, &c, NULL), HED_E_INVAL, "a mask that leaves nothing");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .fixed_modes = HED_AXES(0) }, &c, NULL), HED_E_INVAL, "a fixed mode without a start");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .nonnegative_modes = HED_AXES(3) }, &c, NULL), HED_E_AXIS, "mode 3 of 3");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .l2 = NAN }, &c, NULL), HED_E_INVAL, "a ridge that is no number");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .sweeps = { .max = -1 } }, &c, NULL), HED_E_INVAL, "-1 sweeps");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .start_by = 77 }, &c, NULL), HED_E_INVAL, "a start that there is not");
  has_str(hed_error_text(), "start_by 77", "is named");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .missing = 3 }, &c, NULL), HED_E_INVAL, "a treatment of gaps");
  is_int(hed_cp_als(x, 2, &(hed_cp_options){ .acceleration = 4 }, &c, NULL), HED_E_INVAL, "an acceleration");
  hed_array *hole = hed_copy(x);
  HED_SCOPE ok(HED_SET(hole, hed_scalar(NAN), HED_AT(1), HED_AT(2), HED_AT(3)) == HED_OK, "NaN at (1, 2, 3)");
  is_int(hed_cp_als(hole, 2, NULL, &c, NULL), HED_E_INVAL, "is refused where nothing may be missing");
  has_str(hed_error_text(), "(1, 2, 3)", "with its place");
  ok(c.order == 0 && !c.factor[0], "nothing came out");
  RELEASE(x, line, mask, none, hole);
}

static void everything(gen *g, const char *backend)
{
  const bool full = full_run(), host = !is_backend(backend, "faulty");
  const int first = is_backend(backend, "cpu");
  const hed_cp_options patient = { .sweeps = { .max = 1000, .tol = 1e-10 }, .random = { .seed = 1, .seeded = true }, .restarts = 2 };
  against_others(backend);
  if (host) {
    for (int k = full ? 0 : first; k < 4; k += full ? 1 : 2) {
      planted(g, backend, HED_SHAPE(7, 8, 6), 3, tensor_dtype(k), &patient, "restarts");
      planted(g, backend, HED_SHAPE(4, 5, 3, 6), 3, tensor_dtype(k), &patient, "restarts");
    }
    planted(g, backend, HED_SHAPE(3, 4, 3, 2, 3), 2, HED_FLOAT64, &patient, "restarts");
    completion(g, backend, HED_MISSING_WEIGHTED, 50);
    completion(g, backend, HED_MISSING_IMPUTE, 85);
  } else {
    const hed_cp_options hasty = { .sweeps = { .max = 60, .tol = 1e-6 } };
    planted(g, backend, HED_SHAPE(7, 8, 6), 1, HED_FLOAT32, &hasty, "one start");
  }
  for (int gaps = 0; gaps < 3; gaps++)
    monotone(g, full ? 1000 : scaled(first ? 20 : host ? 4 : 2), backend, gaps);
}

int main(void)
{
  on_backends(everything);
  odd();
  revived();
  hurry();
  sparse_part();
  watched();
  refused();
  done_testing();
  return done();
}
