// SPDX-License-Identifier: BSD-3-Clause
/* Every distribution against its definition: mean and variance within five standard errors, and the whole sample by
 * Kolmogorov-Smirnov (sqrt(n) D below 1.95) or, for counts, chi-squared, at a level of 0.001. Seeds are fixed, so the
 * statistics cannot flicker.
 */
#include "api.h"
#include "statistics.h"
#include <math.h>
#include <stdio.h>

enum { N = 20000 };

static double sample[N];
static uint64_t next_seed = 1001;

static hed_random seeded(void) { return (hed_random){ .seed = next_seed++, .seeded = true }; }

/* The sample from X (released). */
static bool take(hed_array *x, const char *name)
{
  hed_array *wide = x ? hed_astype(x, HED_FLOAT64) : NULL;
  bool good = wide && hed_array_size(wide) == N && hed_to_host(wide, sample, sizeof sample) == HED_OK;
  if (!good)
    fail("%s: %s", name, hed_error_text());
  RELEASE(x, wide);
  return good;
}

/* Mean and variance, with the fourth central moment for the error of the variance. */
static void moments(const char *name, double mean, double var)
{
  double m = 0, v = 0, f = 0;
  for (int k = 0; k < N; k++)
    m += sample[k] / N;
  for (int k = 0; k < N; k++) {
    double d = (sample[k] - mean) * (sample[k] - mean);
    v += d / N;
    f += d * d / N;
  }
  is_near(m, mean, 0, 5 * sqrt(var / N), "%s: mean", name);
  is_near(v, var, 0, 5 * sqrt(fmax(f - v * v, 0) / N) + 1e-12, "%s: variance", name);
}

static double p_a, p_b; /* parameters of the cumulative distributions */

static double exponential_cdf(double x) { return -expm1(-x / p_b); }
static double laplace_cdf(double x) { return x < p_a ? exp((x - p_a) / p_b) / 2 : 1 - exp(-(x - p_a) / p_b) / 2; }
static double logistic_cdf(double x) { return 1 / (1 + exp(-(x - p_a) / p_b)); }
static double gumbel_cdf(double x) { return exp(-exp(-(x - p_a) / p_b)); }
static double cauchy_cdf(double x) { return 0.5 + atan((x - p_a) / p_b) / acos(-1.0); }
static double gamma_cdf(double x) { return stat_gamma(p_a, x / p_b); }
static double beta_cdf(double x) { return stat_beta(p_a, p_b, x); }
static double t_cdf(double x)
{
  double tail = stat_beta(p_a / 2, 0.5, p_a / (p_a + x * x)) / 2;
  return x > 0 ? 1 - tail : tail;
}
static double normal_cdf(double x) { return 0.5 * erfc(-x / sqrt(2)); }
static double truncated_cdf(double x)
{
  bool mirror = p_a > 0; /* differences of small tails keep their digits */
  double low = mirror ? 0.5 * erfc(p_a / sqrt(2)) : normal_cdf(p_a), high = mirror ? 0.5 * erfc(p_b / sqrt(2)) : normal_cdf(p_b);
  return ((mirror ? 0.5 * erfc(x / sqrt(2)) : normal_cdf(x)) - low) / (high - low);
}

static void fits(const char *name, double (*cdf)(double))
{
  double d = stat_kolmogorov(sample, N, cdf);
  ok(d < 1.95, "%s: Kolmogorov-Smirnov %.2f", name, d);
}

static void simple(void)
{
  hed_shape s = HED_SHAPE(N);
  hed_random r;
  const double euler = 0.57721566490153286, pi = acos(-1.0);
  p_a = -1.5;
  p_b = 2.5;
  r = seeded();
  if (take(hed_random_exponential(s, p_b, HED_FLOAT64, &r), "exponential")) {
    moments("exponential", p_b, p_b * p_b);
    fits("exponential", exponential_cdf);
  }
  r = seeded();
  if (take(hed_random_laplace(s, p_a, p_b, HED_FLOAT64, &r), "laplace")) {
    moments("laplace", p_a, 2 * p_b * p_b);
    fits("laplace", laplace_cdf);
  }
  r = seeded();
  if (take(hed_random_logistic(s, p_a, p_b, HED_FLOAT64, &r), "logistic")) {
    moments("logistic", p_a, pi * pi * p_b * p_b / 3);
    fits("logistic", logistic_cdf);
  }
  r = seeded();
  if (take(hed_random_gumbel(s, p_a, p_b, HED_FLOAT64, &r), "gumbel")) {
    moments("gumbel", p_a + euler * p_b, pi * pi * p_b * p_b / 6);
    fits("gumbel", gumbel_cdf);
  }
  r = seeded();
  if (take(hed_random_cauchy(s, p_a, p_b, HED_FLOAT64, &r), "cauchy")) /* it has no moments */
    fits("cauchy", cauchy_cdf);
  /* a narrow dtype is the same value rounded */
  r = seeded();
  if (take(hed_random_laplace(s, p_a, p_b, HED_FLOAT32, &r), "laplace float32"))
    fits("laplace float32", laplace_cdf);
  r = seeded();
  if (take(hed_random_bernoulli(s, 0.3, HED_BOOL, &r), "bernoulli"))
    moments("bernoulli", 0.3, 0.21);
  r = seeded();
  if (take(hed_random_bipolar(s, 0.3, HED_INT8, &r), "bipolar"))
    moments("bipolar", -0.4, 0.84);
}

static void truncated(void)
{
  static const double bounds[][2] = { { -1, 2 }, { 0.5, 1 }, { 3, INFINITY }, { 8, 8.5 }, { -INFINITY, 0.1 }, { -0.2, 6 },
                                      { 0, 0.3 }, { -INFINITY, INFINITY } };
  for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
    char name[64];
    hed_random r = seeded();
    p_a = bounds[k][0];
    p_b = bounds[k][1];
    snprintf(name, sizeof name, "normal in [%g, %g]", p_a, p_b);
    if (!take(hed_random_truncated_normal(HED_SHAPE(N), p_a, p_b, HED_FLOAT64, &r), name))
      continue;
    bool inside = true;
    for (int i = 0; i < N; i++)
      inside = inside && sample[i] >= p_a && sample[i] <= p_b;
    ok(inside, "%s: nothing outside", name);
    fits(name, truncated_cdf);
  }
  hed_random r = { .seed = 5, .seeded = true, .mean = 10, .std = 2 };
  p_a = -1;
  p_b = 0.5;
  if (take(hed_random_truncated_normal(HED_SHAPE(N), 8, 11, HED_FLOAT64, &r), "mean and std")) {
    for (int i = 0; i < N; i++)
      sample[i] = (sample[i] - 10) / 2;
    fits("truncated normal with mean 10 and std 2", truncated_cdf);
  }
}

static void gammas(void)
{
  static const double shapes[] = { 0.05, 0.5, 1, 2, 2.5, 3, 4, 40, 1e6 };
  hed_shape s = HED_SHAPE(N);
  char name[64];
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    hed_random r = seeded();
    hed_array *a = hed_scalar(shapes[k]), *b = hed_scalar(3);
    p_a = shapes[k];
    p_b = 3;
    snprintf(name, sizeof name, "gamma(%g, 3)", p_a);
    if (take(hed_random_gamma(a, b, &s, HED_FLOAT64, &r), name)) {
      moments(name, p_a * p_b, p_a * p_b * p_b);
      fits(name, gamma_cdf);
    }
    hed_release(b);
    if (p_a > 100) {
      hed_release(a);
      continue;
    }
    b = hed_scalar(0.7);
    r = seeded();
    p_b = 0.7;
    snprintf(name, sizeof name, "beta(%g, 0.7)", p_a);
    if (take(hed_random_beta(a, b, &s, HED_FLOAT64, &r), name)) {
      double sum = p_a + p_b;
      moments(name, p_a / sum, p_a * p_b / (sum * sum * (sum + 1)));
      fits(name, beta_cdf);
    }
    hed_release(b);
    r = seeded();
    p_a = shapes[k] / 2;
    p_b = 2;
    snprintf(name, sizeof name, "chi_squared(%g)", shapes[k]);
    if (take(hed_random_chi_squared(a, &s, HED_FLOAT64, &r), name))
      fits(name, gamma_cdf);
    hed_release(a);
  }
  static const double df[] = { 1, 3, 30 };
  for (int k = 0; k < 3; k++) {
    hed_random r = seeded();
    hed_array *a = hed_scalar(df[k]);
    p_a = df[k];
    snprintf(name, sizeof name, "standard_t(%g)", p_a);
    if (take(hed_random_standard_t(a, &s, HED_FLOAT64, &r), name))
      fits(name, t_cdf);
    hed_release(a);
  }
}

/* Shapes of every way to draw next to each other: each element is what it is among its like. */
static void mixed_gammas(void)
{
  static const double shapes[] = { 1, 2.5, 3, 0.5, 2, 0, 4 };
  enum { KINDS = sizeof shapes / sizeof *shapes };
  static double shape[N], together[N];
  const hed_shape s = HED_SHAPE(N);
  const hed_random r = seeded();
  int wrong = 0;
  for (int k = 0; k < N; k++)
    shape[k] = shapes[k % KINDS];
  hed_array *a = hed_from_host(shape, s, HED_FLOAT64), *one = hed_scalar(1);
  if (take(hed_random_gamma(a, one, &s, HED_FLOAT64, &r), "gamma of many shapes"))
    memcpy(together, sample, sizeof sample);
  for (int kind = 0; kind < KINDS; kind++) {
    hed_array *alike = hed_scalar(shapes[kind]);
    wrong += !take(hed_random_gamma(alike, one, &s, HED_FLOAT64, &r), "gamma of one shape");
    for (int k = kind; k < N; k += KINDS)
      wrong += sample[k] != together[k];
    hed_release(alike);
  }
  RELEASE(a, one);
  is_int(wrong, 0, "gammas of many shapes are those of one");
}

/* Cells of an expected count of at least 20; neighbours are joined until they have it. */
static void counts(const char *name, int64_t least, int64_t most, double (*log_p)(double k))
{
  double expected = 0, chi = 0, seen = 0, mass = 0;
  int cells = 0;
  static double table[1 << 16];
  int64_t span = most - least + 1;
  memset(table, 0, (size_t)span * sizeof *table);
  bool inside = true;
  for (int i = 0; i < N; i++) {
    int64_t k = (int64_t)sample[i] - least;
    inside = inside && (double)(int64_t)sample[i] == sample[i] && sample[i] >= 0;
    table[k < 0 ? 0 : k >= span ? span - 1 : k]++;
  }
  ok(inside, "%s: whole numbers", name);
  for (int64_t k = 0; k < span; k++) {
    seen += table[k];
    expected += N * exp(log_p((double)(least + k)));
    mass += exp(log_p((double)(least + k)));
    if (k == span - 1) /* the last cell takes the rest */
      expected += N * (1 - mass);
    if (expected >= 20 && (1 - mass) * N >= 20) {
      chi += (seen - expected) * (seen - expected) / expected;
      seen = expected = 0;
      cells++;
    } else if (k == span - 1 && expected > 0) {
      chi += (seen - expected) * (seen - expected) / expected;
      cells++;
    }
  }
  double limit = stat_chi_limit(cells - 1);
  ok(cells > 1 && chi < limit, "%s: chi-squared %.1f of %d cells, limit %.1f", name, chi, cells, limit);
}

static double log_poisson(double k) { return k * log(p_a) - p_a - lgamma(k + 1); }
static double log_binomial(double k)
{
  return k > p_a ? -INFINITY
                 : lgamma(p_a + 1) - lgamma(k + 1) - lgamma(p_a - k + 1) + k * log(p_b) + (p_a - k) * log1p(-p_b);
}

static void discrete(void)
{
  static const double means[] = { 0.3, 9.5, 10, 37.5, 1000 };
  static const double trials[][2] = { { 1, 0.4 }, { 20, 0.3 }, { 20, 0.9 }, { 60, 0.5 }, { 400, 0.05 }, { 5000, 0.7 },
                                      { 1e9, 3e-9 } };
  hed_shape s = HED_SHAPE(N);
  char name[64];
  for (size_t k = 0; k < sizeof means / sizeof *means; k++) {
    hed_random r = seeded();
    hed_array *a = hed_scalar(means[k]);
    p_a = means[k];
    snprintf(name, sizeof name, "poisson(%g)", p_a);
    if (take(hed_random_poisson(a, &s, HED_INT64, &r), name)) {
      moments(name, p_a, p_a);
      double width = 8 * sqrt(p_a) + 8;
      counts(name, (int64_t)fmax(0, p_a - width), (int64_t)(p_a + width), log_poisson);
    }
    hed_release(a);
  }
  for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
    hed_random r = seeded();
    hed_array *a = hed_scalar(trials[k][0]), *b = hed_scalar(trials[k][1]);
    p_a = trials[k][0];
    p_b = trials[k][1];
    double mean = p_a * p_b, spread = sqrt(mean * (1 - p_b));
    snprintf(name, sizeof name, "binomial(%g, %g)", p_a, p_b);
    if (take(hed_random_binomial(a, b, &s, HED_FLOAT64, &r), name)) {
      moments(name, mean, spread * spread);
      counts(name, (int64_t)fmax(0, mean - 8 * spread - 8), (int64_t)fmin(p_a, mean + 8 * spread + 8), log_binomial);
    }
    RELEASE(a, b);
  }
}

int main(void)
{
  const char *backend = hed_backend_require("cpu") == HED_OK ? "cpu" : "reference";
  hed_error_clear();
  diag("on %s", backend);
  HED_BACKEND_CONTEXT(backend)
  {
    simple();
    truncated();
    gammas();
    mixed_gammas();
    discrete();
  }
  return done();
}
