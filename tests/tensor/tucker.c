// SPDX-License-Identifier: BSD-3-Clause
/* Tucker decompositions: against another program's values, planted cores, tolerances, errors that never rise over random shapes,
 * gaps, modes that stay; and without negative entries.
 */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/decompose.h>
#include <stdio.h>

/* |x - t| / |x| by the full tensor. */
static double error_of(const hed_tucker *t, const hed_array *x)
{
  hed_array *full = hed_tucker_full(t);
  double complex *a = full ? tensor_elements(full) : NULL, *b = tensor_elements(x);
  double off = 0, size = 0;
  for (int64_t i = 0; a && i < hed_array_size(x); i++) {
    off += pow(cabs(a[i] - b[i]), 2);
    size += pow(cabs(b[i]), 2);
  }
  free(a);
  free(b);
  hed_release(full);
  return full ? sqrt(off / size) : INFINITY;
}

/* How far the factors are from orthonormal. */
static double skew(const hed_tucker *t)
{
  double worst = 0;
  for (int k = 0; k < t->order; k++) {
    if (!t->factor[k])
      continue;
    double complex *f = tensor_elements(t->factor[k]);
    const hed_shape s = hed_array_shape(t->factor[k]);
    for (int64_t p = 0; p < s.dim[1]; p++)
      for (int64_t q = 0; q < s.dim[1]; q++) {
        double complex sum = 0;
        for (int64_t i = 0; i < s.dim[0]; i++)
          sum += conj(f[i * s.dim[1] + p]) * f[i * s.dim[1] + q];
        worst = fmax(worst, cabs(sum - (p == q)));
      }
    free(f);
  }
  return worst;
}

/* TensorLy 0.10.0, tucker(x, rank, n_iter_max=60, init="svd", tol=1e-300). */
static void against_others(const char *backend, hed_dtype t)
{
  static const struct { hed_shape s, rank; double error; } known[] = {
    { { 3, { 5, 6, 7 } }, { 3, { 2, 2, 2 } }, 0.4361278877683316 },
    { { 4, { 4, 3, 5, 2 } }, { 4, { 2, 2, 2, 2 } }, 0.45578537731201196 },
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    hed_array *x = tensor_wave(known[i].s, 1.7, t);
    hed_tucker c = { 0 };
    hed_fit fit = { 0 };
    const hed_tucker_options o = { .sweeps = { .max = 200, .tol = t == HED_FLOAT64 ? 1e-14 : 1e-7 } };
    hed_status status = hed_tucker_hooi(x, &known[i].rank, &o, &c, &fit);
    if (!ok(status == HED_OK && fabs(fit.error - known[i].error) < (t == HED_FLOAT64 ? 1e-8 : 2e-5), "%s: error as another program's",
            backend))
      diag("%.10g; %s", fit.error, hed_error_text());
    hed_fit_clear(&fit);
    hed_tucker_clear(&c);
    hed_release(x);
  }
}

/* A core of these ranks times random matrices: found exactly, by ranks and by a tolerance; with noise to that tolerance. */
static void planted(gen *g, const char *backend, hed_shape s, hed_shape rank, hed_dtype t)
{
  const bool is_complex = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  hed_tucker truth = { .order = s.ndim }, c = { 0 };
  hed_fit fit = { 0 };
  double complex *v = tensor_values(g, elements_of(rank), is_complex);
  truth.core = tensor_array(v, rank, t);
  free(v);
  for (int k = 0; k < s.ndim; k++) {
    v = tensor_values(g, s.dim[k] * rank.dim[k], is_complex);
    truth.factor[k] = tensor_array(v, HED_SHAPE(s.dim[k], rank.dim[k]), t);
    free(v);
  }
  hed_array *x = hed_tucker_full(&truth);
  const double tol = t == HED_FLOAT64 || t == HED_COMPLEX128 ? 1e-10 : 1e-5;
  hed_status status = hed_tucker_hosvd(x, &rank, 0, &c, &fit);
  if (!ok(status == HED_OK && fit.error < tol && error_of(&c, x) < tol && skew(&c) < tol, "%s: %s, a planted core by truncation",
          backend, hed_dtype_name(t)))
    diag("error %g, %g, skew %g; %s", fit.error, error_of(&c, x), skew(&c), hed_error_text());
  hed_fit_clear(&fit);
  hed_tucker_clear(&c);
  const hed_tucker_options random = { .random_start = true, .random = { .seed = 4, .seeded = true }, .sweeps = { .max = 20 } };
  status = hed_tucker_hooi(x, &rank, &random, &c, &fit);
  if (!ok(status == HED_OK && fit.error < tol && error_of(&c, x) < tol && skew(&c) < tol, "%s: %s, from random factors", backend,
          hed_dtype_name(t)))
    diag("error %g, %g, skew %g; %s", fit.error, error_of(&c, x), skew(&c), hed_error_text());
  hed_fit_clear(&fit);
  hed_tucker_clear(&c);
  status = hed_tucker_hosvd(x, NULL, t == HED_FLOAT64 || t == HED_COMPLEX128 ? 1e-9 : 1e-4, &c, NULL);
  bool same = status == HED_OK;
  for (int k = 0; same && k < s.ndim; k++)
    same = hed_array_shape(c.core).dim[k] == rank.dim[k];
  if (!ok(same, "%s: %s, a tolerance finds its ranks", backend, hed_dtype_name(t)))
    hed_print(c.core, NULL);
  hed_tucker_clear(&c);
  hed_tucker_clear(&truth);
  hed_release(x);
}

/* Errors never rise; a tolerance is kept with the fewest that keep it. */
static void random_shapes(gen *g, int tries, const char *backend, hed_dtype t)
{
  int rises = 0, wrong = 0, loose = 0, skewed = 0;
  const double slack = t == HED_FLOAT64 ? 1e-9 : 1e-5;
  for (int k = 0; k < tries; k++) {
    hed_shape s = tensor_shape(g, 2, 5, 6), rank = s;
    for (int i = 0; i < s.ndim; i++)
      rank.dim[i] = gen_int(g, 0, s.dim[i]);
    double complex *v = tensor_values(g, elements_of(s), false);
    hed_array *x = tensor_array(v, s, t);
    free(v);
    hed_tucker c = { 0 };
    hed_fit fit = { 0 };
    const hed_tucker_options o = { .sweeps = { .max = 10, .tol = -1 }, .random_start = k % 2,
                                   .random = { .seed = 1, .seeded = true } };
    if (hed_tucker_hooi(x, &rank, &o, &c, &fit) != HED_OK || fabs(error_of(&c, x) - fit.error) > slack * 100) {
      wrong++;
      diag("%g for %g; %s", error_of(&c, x), fit.error, hed_error_text());
    }
    skewed += skew(&c) > slack * 10;
    for (int64_t i = 1; i < fit.n_sweeps; i++)
      rises += fit.errors[i] > fit.errors[i - 1] + slack;
    hed_fit_clear(&fit);
    hed_tucker_clear(&c);
    const double eps = gen_double(g, 0.05, 0.9);
    if (hed_tucker_hosvd(x, NULL, eps, &c, &fit) != HED_OK || !(error_of(&c, x) <= eps + slack)) {
      loose++;
      diag("eps %g: %g; %s", eps, error_of(&c, x), hed_error_text());
    }
    hed_fit_clear(&fit);
    hed_tucker_clear(&c);
    hed_release(x);
  }
  is_int(wrong, 0, "%s: errors of %d random problems are those of the results", backend, tries);
  is_int(rises, 0, "%s: and never rise", backend);
  is_int(skewed, 0, "%s: factors are orthonormal", backend);
  is_int(loose, 0, "%s: tolerances are kept", backend);
}

static void gaps(gen *g)
{
  const hed_shape s = HED_SHAPE(9, 8, 7), rank = HED_SHAPE(2, 2, 2);
  double complex *core = tensor_values(g, 8, false), *f[3], *v = calloc(504, sizeof *v), *holes = malloc(504 * sizeof *holes);
  int64_t at[3], in[3];
  for (int k = 0; k < 3; k++)
    f[k] = tensor_values(g, s.dim[k] * 2, false);
  for (int64_t i = 0; i < 504; i++) {
    tensor_place(s, i, at);
    for (int64_t j = 0; j < 8; j++) {
      tensor_place(rank, j, in);
      v[i] += core[j] * f[0][2 * at[0] + in[0]] * f[1][2 * at[1] + in[1]] * f[2][2 * at[2] + in[2]];
    }
    holes[i] = gen_chance(g, 80) ? v[i] : NAN;
  }
  hed_array *truth = tensor_array(v, s, HED_FLOAT64), *x = tensor_array(holes, s, HED_FLOAT64);
  hed_tucker c = { 0 };
  hed_fit fit = { 0 };
  double best = INFINITY;
  int rises = 0;
  for (int start = 0; start < 4; start++) { /* there are local minima */
    const hed_tucker_options o = { .nan_is_missing = true, .sweeps = { .max = 400, .tol = 1e-10 }, .random_start = start > 0,
                                   .random = { .seed = (uint64_t)start, .seeded = true } };
    hed_status status = hed_tucker_hooi(x, &rank, &o, &c, &fit);
    best = status == HED_OK ? fmin(best, error_of(&c, truth)) : NAN;
    for (int64_t i = 1; i < fit.n_sweeps; i++)
      rises += fit.errors[i] > fit.errors[i - 1] + 1e-12;
    hed_tucker_clear(&c);
    hed_fit_clear(&fit);
  }
  ok(best < 1e-3, "missing entries are found (%g)", best);
  is_int(rises, 0, "and the error over what is there never rises");
  RELEASE(x, truth);
  for (int k = 0; k < 3; k++)
    free(f[k]);
  free(core);
  free(v);
  free(holes);
}

static void nonnegative(gen *g)
{
  const hed_shape s = HED_SHAPE(6, 7, 5), rank = HED_SHAPE(2, 3, 2);
  hed_tucker truth = { .order = 3 }, c = { 0 };
  double complex *v = tensor_values(g, 12, false);
  for (int i = 0; i < 12; i++)
    v[i] = cabs(v[i]);
  truth.core = tensor_array(v, rank, HED_FLOAT64);
  free(v);
  for (int k = 0; k < 3; k++) {
    v = tensor_values(g, s.dim[k] * rank.dim[k], false);
    for (int64_t i = 0; i < s.dim[k] * rank.dim[k]; i++)
      v[i] = fmax(0, creal(v[i]));
    truth.factor[k] = tensor_array(v, HED_SHAPE(s.dim[k], rank.dim[k]), HED_FLOAT64);
    free(v);
  }
  hed_array *x = hed_tucker_full(&truth);
  for (int how = 0; how < 2; how++) {
    hed_fit fit = { 0 };
    int rises = 0, wrong = 0;
    double best = INFINITY, least = 0, value = 0;
    for (int start = 0; start < 4; start++) { /* there are local minima */
      const hed_tucker_options o = { .sweeps = { .max = how ? 500 : 150, .tol = -1 },
                                     .random = { .seed = (uint64_t)start, .seeded = true } };
      hed_status status = hed_tucker_nonnegative(x, &rank, (hed_nn_tucker_method)how, &o, &c, &fit);
      for (int64_t i = 1; i < fit.n_sweeps; i++)
        rises += fit.errors[i] > fit.errors[i - 1] + 1e-10;
      for (int k = 0; k <= 3 && status == HED_OK; k++) {
        hed_array *m = hed_min(k < 3 ? c.factor[k] : c.core, NULL);
        status = hed_item(m, &value);
        least = fmin(least, value);
        hed_release(m);
      }
      wrong += status != HED_OK || fabs(error_of(&c, x) - fit.error) > 1e-6;
      best = fmin(best, fit.error);
      hed_fit_clear(&fit);
      hed_tucker_clear(&c);
    }
    if (!ok(rises == 0 && wrong == 0 && least >= 0 && best < (how ? 0.15 : 0.05),
            "non-negative factors and core (%d) of a tensor that has them", how))
      diag("error %g, %d rises, %d wrong, least %g; %s", best, rises, wrong, least, hed_error_text());
  }
  /* one mode stays as it was planted */
  const hed_tucker_options fixed = { .start = &truth, .fixed_modes = HED_AXES(0), .sweeps = { .max = 20 } };
  hed_fit fit = { 0 };
  bool same = false;
  ok(hed_tucker_nonnegative(x, &rank, HED_NN_TUCKER_HALS, &fixed, &c, &fit) == HED_OK && fit.error < 1e-6 &&
         hed_allclose(c.factor[0], truth.factor[0], NULL, &same) == HED_OK && same,
     "the first mode is fixed, and stays");
  hed_fit_clear(&fit);
  hed_tucker_clear(&c);
  hed_tucker_clear(&truth);
  hed_release(x);
}

static void odd(void)
{
  hed_tucker c = { 0 };
  hed_fit fit = { 0 };
  const hed_shape rank = HED_SHAPE(2, 2, 2), large = HED_SHAPE(9, 1, 2), partial = HED_SHAPE(0, 2, 0);
  hed_array *zero = hed_zeros(HED_SHAPE(3, 4, 5), HED_FLOAT64), *x = tensor_wave(HED_SHAPE(5, 6, 7), 1.7, HED_FLOAT64);
  ok(hed_tucker_hooi(zero, &rank, NULL, &c, &fit) == HED_OK && fit.error == 0, "the zero tensor");
  hed_tucker_clear(&c);
  hed_fit_clear(&fit);
  ok(hed_tucker_hosvd(zero, NULL, 0.1, &c, &fit) == HED_OK && hed_array_size(c.core) == 1, "has ranks of 1 by any tolerance");
  hed_tucker_clear(&c);
  hed_fit_clear(&fit);
  ok(hed_tucker_hooi(x, &large, NULL, &c, &fit) == HED_OK && hed_array_shape(c.core).dim[0] == 2,
     "ranks above what is possible are cut");
  has_str(fit.note, "(2, 1, 2)", "and the note has them");
  hed_tucker_clear(&c);
  hed_fit_clear(&fit);
  ok(hed_tucker_hooi(x, &partial, NULL, &c, &fit) == HED_OK && !c.factor[0] && c.factor[1] && !c.factor[2] &&
         hed_array_shape(c.core).dim[0] == 5 && fabs(error_of(&c, x) - fit.error) < 1e-12,
     "modes of rank 0 have no factor");
  hed_tucker start = c;
  hed_fit_clear(&fit);
  c = (hed_tucker){ 0 };
  const hed_tucker_options fixed = { .start = &start, .fixed_modes = HED_AXES(1) };
  ok(hed_tucker_hooi(x, &partial, &fixed, &c, &fit) == HED_OK && fit.n_sweeps == 0 && fit.stopped == HED_STOP_NONE, "all modes stay");
  hed_tucker_clear(&c);
  hed_fit_clear(&fit);
  hed_tucker_clear(&start);

  int cancel = 1;
  const hed_tucker_options stopped = { .sweeps = { .cancel = &cancel } };
  ok(hed_tucker_hooi(x, &rank, &stopped, &c, &fit) == HED_E_CANCELLED && !c.core && !fit.errors, "a cancelled run leaves nothing");
  is_int(hed_tucker_hooi(x, NULL, NULL, &c, NULL), HED_E_INVAL, "neither ranks nor eps");
  is_int(hed_tucker_hosvd(x, NULL, 1, &c, NULL), HED_E_INVAL, "eps 1");
  is_int(hed_tucker_hosvd(x, &HED_SHAPE(2, 2), 0, &c, NULL), HED_E_SHAPE, "two ranks for three axes");
  is_int(hed_tucker_hosvd(x, &HED_SHAPE(2), 0, &c, NULL), HED_OK, "one number");
  ok(hed_array_ndim(c.core) == 3 && hed_array_shape(c.core).dim[2] == 2, "is the rank of each axis");
  hed_tucker_clear(&c);
  is_int(hed_tucker_random(HED_SHAPE(4, 3), HED_SHAPE(2), HED_FLOAT64, false, NULL, &c), HED_OK, "of random ones");
  ok(hed_array_ndim(c.core) == 2 && hed_array_shape(c.core).dim[1] == 2, "too");
  hed_tucker_clear(&c);
  is_int(hed_tucker_hosvd(x, &HED_SHAPE(2, -1, 2), 0, &c, NULL), HED_E_INVAL, "rank -1");
  has_str(hed_error_text(), "mode 1", "the sentence says where");
  is_int(hed_tucker_hooi(x, &HED_SHAPE(2, -1, 2), NULL, &c, NULL), HED_E_INVAL, "rank -1, by iteration");
  hed_array *line = hed_ones(HED_SHAPE(3), HED_FLOAT64), *nan = hed_full(HED_SHAPE(2, 2), NAN, HED_FLOAT64);
  is_int(hed_tucker_hosvd(line, &HED_SHAPE(1), 0, &c, NULL), HED_E_SHAPE, "a tensor of one axis");
  is_int(hed_tucker_hosvd(nan, &HED_SHAPE(1, 1), 0, &c, NULL), HED_E_INVAL, "NaN");
  is_int(hed_tucker_nonnegative(x, NULL, HED_NN_TUCKER_MU, NULL, &c, NULL), HED_E_INVAL, "non-negative without ranks");
  hed_array *empty = hed_zeros(HED_SHAPE(3, 0), HED_FLOAT64), *gram = hed_mode_gram(empty, 0), *most = hed_max(gram, NULL);
  double largest = -1;
  ok(most && hed_array_size(gram) == 9 && hed_item(most, &largest) == HED_OK && largest == 0,
     "no columns have a Gram matrix of zeros");
  RELEASE(empty, gram, most, line, nan, zero, x);
}

static void everything(gen *g, const char *backend)
{
  const bool late = is_backend(backend, "faulty");
  const hed_dtype wide = hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
  against_others(backend, wide);
  for (int k = 0; k < (late ? 1 : 4); k++)
    planted(g, backend, HED_SHAPE(7, 6, 5, 4), HED_SHAPE(3, 2, 2, 3), late ? HED_FLOAT32 : tensor_dtype(k));
  random_shapes(g, scaled(late ? 3 : 20), backend, wide);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  on_backends(everything);
  gaps(&g);
  nonnegative(&g);
  odd();
  done_testing();
  return done();
}
