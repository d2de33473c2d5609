// SPDX-License-Identifier: BSD-3-Clause
/* Probabilities of Poisson and binomial counts, and what bounds them: variates.h. L0; header only, also a text of the kernels of
 * devices. */
#ifndef HED_BASE_RANDOM_PROBABILITIES_H
#define HED_BASE_RANDOM_PROBABILITIES_H

#include "base/random/random_math.h"

/* ---- inversion ---- */

#define LONGEST 200 /* beyond it lies less than 1e-100 */

/* P of K, of mean M or of N and the odds, becomes that of K + 1. */
static inline double poisson_next(double p, int k, double m, double unused)
{
  (void)unused;
  return p * (m / (k + 1));
}

static inline double binomial_next(double p, int k, double n, double odds)
{
  return p * ((n - k) / (k + 1) * odds);
}

/* ---- probabilities ---- */

/* Of 1 .. 15, by hed__rlog. */
static const double stirling_small[16] = {
  0, 0x1.4c071bcda0a58p-4, 0x1.52a9b923ea64p-5, 0x1.c579a268d808p-6, 0x1.54a2662fd79p-6, 0x1.10b4e513fccp-6,
  0x1.c6b167bebdep-7, 0x1.85d4d612e4cp-7, 0x1.552805e7b38p-7, 0x1.2f4871b12a8p-7, 0x1.10f9d4c074p-7, 0x1.f059308801p-8,
  0x1.c7018733aap-8, 0x1.a40514701p-8, 0x1.86076c002ep-8, 0x1.6c08f6f194p-8,
};

/* ln k! less Stirling's (k + 1/2) ln k - k + ln(2 pi) / 2, for whole K above 0. */
static inline double stirling_rest(double k)
{
  const double large = k < 16 ? 16 : k, w = 1 / (large * large);
  const double series = ((((1.0 / 1188 * w - 1.0 / 1680) * w + 1.0 / 1260) * w - 1.0 / 360) * w + 1.0 / 12) / large;
  return k < 16 ? stirling_small[(int)(k > 0 && k < 16 ? k : 0)] : series;
}

/* k ln(k / m) + m - k without cancellation (Loader's bd0). */
static inline double deviance(double k, double m)
{
  const double d = k - m, sum = k + m, far = k * hed__rlog(k / m) - d, v = d / sum;
  double total = d * v, power = 2 * k * v; /* v < 0.1: what comes after nine terms is below the precision */
#define TERM_(odd) power *= v * v, total += power / (odd)
  TERM_(3), TERM_(5), TERM_(7), TERM_(9), TERM_(11), TERM_(13), TERM_(15), TERM_(17), TERM_(19), TERM_(21);
#undef TERM_
  return fabs(d) >= 0.1 * sum ? far : total;
}

/* ln of the Poisson probability of K, mean M > 0. */
static inline double log_poisson(double k, double m)
{
  const double above = k == 0 ? 1 : k;
  const double p = -stirling_rest(above) - deviance(above, m) - 0.5 * hed__rlog(6.28318530717958647693 * above);
  return k == 0 ? -m : p;
}

/* Of the binomial one of K of N > 1, P > 0. */
static inline double log_binomial(double k, double n, double p)
{
  const double q = 1 - p, none = n * hed__rlog1p(-p), every = n * hed__rlog(p), i = k == 0 || k == n ? 1 : k;
  const double some = stirling_rest(n) - stirling_rest(i) - stirling_rest(n - i) - deviance(i, n * p) - deviance(n - i, n * q)
                      + 0.5 * hed__rlog(n / (6.28318530717958647693 * i * (n - i)));
  return k == 0 ? none : k == n ? every : some;
}

/* ---- transformed rejection ---- */

typedef struct hat {
  double a, b, height, sure;
} hat;

static inline hat poisson_hat(double m)
{
  const double b = 0.931 + 2.53 * sqrt(m), a = -0.059 + 0.02483 * b;
  const hat h = { a, b, 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2) };
  return h;
}

static inline hat binomial_hat(double n, double p)
{
  const double spread = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const hat h = { a, b, (2.83 + 5.1 / b) * spread, 0.92 - 4.2 / b };
  return h;
}

#endif
