// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers by rejection: see variates.h for the definitions. L0.
 *
 * Every value is a function of (params, index) alone. Rejection ends with probability 1; 2^16 blocks per element hold more
 * attempts than any element ever takes (each succeeds with probability above 0.3).
 */
#include "base/variates.h"

#include "base/cast.h"
#include "base/dtype.h"
#include "base/random.h"
#include "base/random_math.h"

enum { RUN = HED__GAMMAS, FEW = 8 /* elements, of which attempts side by side do not pay */ };

/* ---- an element's own stream ---- */

typedef struct source {
  uint64_t block, draw;
  uint32_t key[2], word[4];
  int left; /* quantities of the block not yet used */
} source;

static source source_of(const hed_random_params *p, int64_t i)
{
  return (source){ .block = (uint64_t)i << HED__SUBSTREAM_BITS, .draw = p->draw,
                   .key = { (uint32_t)p->key, (uint32_t)(p->key >> 32) } };
}

/* The next quantity as (low word, high word). */
static const uint32_t *next(source *s)
{
  if (s->left == 0) {
    uint32_t ctr[4] = { (uint32_t)s->block, (uint32_t)(s->block >> 32), (uint32_t)s->draw, (uint32_t)(s->draw >> 32) };
    hed__philox(ctr, s->key, s->word);
    s->block++;
    s->left = 2;
  }
  return s->word + 2 * (2 - s->left--);
}

/* (0, 1], 1 with probability 2^-54. */
static double unit(source *s)
{
  const uint32_t *w = next(s);
  return (hed__high_bits(w[0], w[1]) + 0.5) * 0x1p-53;
}

static double normal(source *s)
{
  uint32_t a[2];
  double z, other;
  const uint32_t *w = next(s);
  a[0] = w[0];
  a[1] = w[1];
  w = next(s);
  hed__rnormal(a[0], a[1], w[0], w[1], &z, &other);
  return z;
}

/* ---- truncated normal ---- */

/* Above LOW >= 0: exponential proposals of the best rate (Robert, proposition 2.3). */
static double normal_tail(source *s, double low, double high)
{
  double rate = (low + sqrt(low * low + 4)) / 2;
  for (;;) {
    double x = low + hed__rexponential(unit(s)) / rate, d = x - rate;
    if (x <= high && unit(s) <= hed__rexp(-d * d / 2))
      return x;
  }
}

/* Uniform proposals; PEAK is the square of the point of the interval nearest 0. */
static double normal_strip(source *s, double low, double high, double peak)
{
  for (;;) {
    double x = low + (high - low) * unit(s);
    if (unit(s) <= hed__rexp((peak - x * x) / 2))
      return x < low ? low : x > high ? high : x;
  }
}

static double truncated_normal(source *s, double low, double high)
{
  if (high < 0 || (high <= 0 && low < 0))
    return -truncated_normal(s, -high, -low);
  if (low > 0) { /* a strip narrower than the tail's fall is better filled evenly */
    double rate = (low + sqrt(low * low + 4)) / 2;
    return high - low < 1 / rate ? normal_strip(s, low, high, low * low) : normal_tail(s, low, high);
  }
  if (high - low < 2.5066282746310002) /* sqrt(2 pi): the strip's density is above the normal's there */
    return normal_strip(s, low, high, 0);
  for (;;) {
    double x = normal(s);
    if (x >= low && x <= high)
      return x;
  }
}

/* ---- gamma ---- */

/* Shape A >= 1, divided by its scale. */
static double gamma_above(source *s, double a)
{
  const double d = a - 1.0 / 3, c = 1 / (3 * sqrt(d));
  for (;;) {
    double x = normal(s), v = 1 + c * x;
    if (v <= 0)
      continue;
    v = v * v * v;
    double u = unit(s), square = x * x;
    if (u < 1 - 0.0331 * square * square || hed__rlog(u) < 0.5 * square + d * (1 - v + hed__rlog(v)))
      return d * v;
  }
}

/* Logarithm of a standard gamma of shape A > 0: shapes near 0 give values below the least double. */
static double log_gamma(source *s, double a)
{
  if (a >= 1)
    return hed__rlog(gamma_above(s, a));
  double x = gamma_above(s, a + 1);
  return hed__rlog(x) - hed__rexponential(unit(s)) / a;
}

static double standard_gamma(source *s, double a)
{
  if (a >= 1)
    return gamma_above(s, a);
  if (a <= 0)
    return 0;
  double x = gamma_above(s, a + 1);
  return x * hed__rexp(-hed__rexponential(unit(s)) / a);
}

static double beta(source *s, double a, double b)
{
  double x = log_gamma(s, a), y = log_gamma(s, b);
  return 1 / (1 + hed__rexp(y - x));
}

/* ---- counts ---- */

/* ln k! less Stirling's (k + 1/2) ln k - k + ln(2 pi) / 2. */
static double stirling_rest(double k)
{
  if (k < 16) {
    double factorial = 1;
    for (int j = 2; j <= (int)k; j++)
      factorial *= j;
    return hed__rlog(factorial) - ((k + 0.5) * hed__rlog(k) - k + 0.91893853320467274178);
  }
  double w = 1 / (k * k);
  return ((((1.0 / 1188 * w - 1.0 / 1680) * w + 1.0 / 1260) * w - 1.0 / 360) * w + 1.0 / 12) / k;
}

/* k ln(k / m) + m - k without cancellation (Loader's bd0). */
static double deviance(double k, double m)
{
  double d = k - m, sum = k + m;
  if (fabs(d) >= 0.1 * sum)
    return k * hed__rlog(k / m) - d;
  double v = d / sum, total = d * v, power = 2 * k * v;
  for (int j = 1; j < 20; j++) { /* v < 0.1: 0.01^12 is below the precision */
    power *= v * v;
    double before = total;
    total += power / (2 * j + 1);
    if (total == before)
      break;
  }
  return total;
}

/* ln of the Poisson probability of K, mean M > 0. */
static double log_poisson(double k, double m)
{
  if (k == 0)
    return -m;
  return -stirling_rest(k) - deviance(k, m) - 0.5 * hed__rlog(6.28318530717958647693 * k);
}

static double log_binomial(double k, double n, double p)
{
  if (k == 0)
    return n * hed__rlog1p(-p);
  if (k == n)
    return n * hed__rlog(p);
  double q = 1 - p;
  return stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k) - deviance(k, n * p) - deviance(n - k, n * q)
         + 0.5 * hed__rlog(n / (6.28318530717958647693 * k * (n - k)));
}

enum { LONGEST = 200 }; /* of an inversion: beyond it lies less than 1e-100 */

static double poisson(source *s, double m)
{
  if (m <= 0)
    return 0;
  if (m < 10)
    for (;;) {
      double u = unit(s), p = hed__rexp(-m);
      for (int k = 0; k < LONGEST; p *= m / ++k) {
        if (u <= p)
          return k;
        u -= p;
      }
    }
  const double b = 0.931 + 2.53 * sqrt(m), a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u = unit(s) - 0.5, v = unit(s), us = 0.5 - fabs(u);
    if (us <= 0)
      continue;
    double k = floor((2 * a / us + b) * u + m + 0.43);
    if (us >= 0.07 && v <= sure)
      return k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (hed__rlog(v * inverse / (a / (us * us) + b)) <= log_poisson(k, m))
      return k;
  }
}

static double binomial(source *s, double n, double p)
{
  if (p > 0.5)
    return n - binomial(s, n, 1 - p);
  if (n <= 0 || p <= 0)
    return 0;
  if (n * p < 10) {
    const double ratio = p / (1 - p), none = hed__rexp(n * hed__rlog1p(-p));
    for (;;) {
      double u = unit(s), q = none;
      for (int k = 0; k < LONGEST && k <= n; k++) {
        if (u <= q)
          return k;
        u -= q;
        q *= (n - k) / (k + 1) * ratio;
      }
    }
  }
  const double spread = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double alpha = (2.83 + 5.1 / b) * spread, sure = 0.92 - 4.2 / b;
  const double at_mode = log_binomial(floor((n + 1) * p), n, p);
  for (;;) {
    double u = unit(s) - 0.5, v = unit(s), us = 0.5 - fabs(u);
    if (us <= 0)
      continue;
    double k = floor((2 * a / us + b) * u + n * p + 0.5);
    if (us >= 0.07 && v <= sure)
      return k;
    if (k < 0 || k > n)
      continue;
    if (hed__rlog(v * alpha / (a / (us * us) + b)) <= log_binomial(k, n, p) - at_mode)
      return k;
  }
}

const char *hed__variate_fault(int kind, double a, double b)
{
  switch (kind) {
  case HED_RANDOM_GAMMA:
    return !(a >= 0) || isinf(a) ? "shape must be finite and not negative"
           : !(b >= 0) || isinf(b) ? "scale must be finite and not negative" : NULL;
  case HED_RANDOM_BETA:
    return !(a > 0) || isinf(a) ? "a must be finite and above 0" : !(b > 0) || isinf(b) ? "b must be finite and above 0" : NULL;
  case HED_RANDOM_CHI_SQUARED:
  case HED_RANDOM_STANDARD_T:
    return !(a > 0) || isinf(a) ? "df must be finite and above 0" : NULL;
  case HED_RANDOM_POISSON:
    return !(a >= 0 && a <= 1e15) ? "mean must be in [0, 1e15]" : NULL;
  case HED_RANDOM_BINOMIAL:
    return !(a >= 0 && a <= 1e15) || floor(a) != a ? "n must be a whole number in [0, 1e15]"
           : !(b >= 0 && b <= 1) ? "p must be in [0, 1]" : NULL;
  default:
    return NULL;
  }
}

/* ---- runs ---- */

static double rejection(int kind, source *s, double a, double b)
{
  switch (kind) {
  case HED_RANDOM_TRUNCATED_NORMAL: return truncated_normal(s, a, b);
  case HED_RANDOM_GAMMA: return b * standard_gamma(s, a);
  case HED_RANDOM_BETA: return beta(s, a, b);
  case HED_RANDOM_CHI_SQUARED: return 2 * standard_gamma(s, 0.5 * a);
  case HED_RANDOM_STANDARD_T: {
    double z = normal(s);
    return z / sqrt(2 * standard_gamma(s, 0.5 * a) / a);
  }
  case HED_RANDOM_POISSON: return poisson(s, a);
  default: return binomial(s, a, b);
  }
}

/* COUNT gammas or chi-squared, at most RUN, from element FIRST on. */
static void gammas(const hed_random_params *p, int64_t first, int64_t count, double *value, const double *a, const double *b)
{
  const bool chi = p->kind == HED_RANDOM_CHI_SQUARED;
  double shape[RUN], tried[RUN], next[RUN];
  for (int64_t i = 0; i < RUN; i++) {
    const double given = i >= count ? 1 : a ? a[i] : p->a, s = chi ? 0.5 * given : given;
    shape[i] = s >= 1 ? s : s + 1;
  }
  hed__gamma_attempts(p, first, shape, tried, next);
  for (int64_t i = 0; i < count; i++) {
    const double of_a = a ? a[i] : p->a, of_b = b ? b[i] : p->b, s = chi ? 0.5 * of_a : of_a;
    if (tried[i] < 0) {
      source rest = source_of(p, first + i);
      value[i] = rejection(p->kind, &rest, of_a, of_b);
    } else {
      const double g = s >= 1 ? tried[i] : s <= 0 ? 0 : tried[i] * hed__rexp(-hed__rexponential(next[i]) / s);
      value[i] = (chi ? 2 : of_b) * g;
    }
  }
}

double hed__log_gamma_variate(uint64_t key, uint64_t draw, int64_t i, double shape)
{
  const hed_random_params p = { .key = key, .draw = draw };
  source s = source_of(&p, i);
  return log_gamma(&s, shape);
}

void hed__variates(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst, const double *a,
                   const double *b)
{
  const int64_t size = hed__id_size(dtype);
  const hed__cast_fn cast = hed__cast(HED_ID_FLOAT64, dtype);
  double value[RUN];
  char *out = dst;
  for (int64_t done = 0; done < n; done += RUN) {
    const int64_t count = n - done < RUN ? n - done : RUN;
    const double *const here[2] = { a ? a + done : NULL, b ? b + done : NULL };
    if (count >= FEW && (p->kind == HED_RANDOM_GAMMA || p->kind == HED_RANDOM_CHI_SQUARED))
      gammas(p, first + done, count, value, here[0], here[1]);
    else
      for (int64_t i = 0; i < count; i++) {
        source s = source_of(p, first + done + i);
        value[i] = rejection(p->kind, &s, here[0] ? here[0][i] : p->a, here[1] ? here[1][i] : p->b);
      }
    cast(count, out, size, (const char *)value, sizeof *value);
    out += count * size;
  }
}
