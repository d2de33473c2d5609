// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers by rejection: see variates.h for the definitions. L0.
 *
 * Every value is a function of (params, index) alone. Rejection ends with probability 1; 2^16 blocks per element hold more
 * attempts than any element ever takes (each succeeds with probability above 0.3). Elements are drawn by runs, many side by
 * side; their operations are in every case those of one element, so that runs, lanes and instruction sets do not matter.
 */
#include "base/random/variates.h"

#include "base/cast.h"
#include "base/dtype.h"
#include "base/random/random.h"
#include "base/random/random_values.h"
#include "base/random/random_probabilities.h"

#include "base/random/random_lanes.h"
#include "base/random/random_gamma.h"
#include "base/random/random_truncated.h"
#include "base/random/random_counts.h"

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
    return !(a >= 0 && a <= 1e15) || floor(a) != a ? "n must be an integer in [0, 1e15]"
           : !(b >= 0 && b <= 1) ? "p must be in [0, 1]" : NULL;
  default:
    return NULL;
  }
}

/* ---- runs ---- */

/* Of KIND; A and B hold the parameters of a run's elements. KNOWN: they are the same for all runs; else NULL. */
static __attribute__((noinline)) void values(run *r, const double *a, const double *b, known_counts *known, double *value)
{
  const bool alike = known != NULL;
  switch (r->p->kind) {
  case HED_RANDOM_TRUNCATED_NORMAL: truncated_normals(r, r->p->a, r->p->b, value); break; /* takes no operands */
  case HED_RANDOM_BETA: betas(r, a, b, alike, value); break;
  case HED_RANDOM_CHI_SQUARED: half_gammas(r, a, alike, false, value); break;
  case HED_RANDOM_STANDARD_T: half_gammas(r, a, alike, true, value); break;
  case HED_RANDOM_POISSON: poissons(r, a, known, value); break;
  case HED_RANDOM_BINOMIAL: binomials(r, a, b, known, value); break;
  default:
    gammas(r, a, alike, false, value);
    for (int i = 0; i < r->n; i++)
      value[i] = b[i] * value[i];
  }
}

static void begin(run *r, const hed_random_params *p, int64_t first, int64_t n)
{
  r->p = p;
  r->first = first;
  r->n = n < RUN ? (int)n : RUN;
  memset(r->used, 0, sizeof r->used);
}

void hed__log_gammas(uint64_t key, uint64_t draw, int64_t first, int64_t n, const double *shape, double *out)
{
  const hed_random_params p = { .key = key, .draw = draw };
  run r;
  for (int64_t done = 0; done < n; done += RUN) {
    begin(&r, &p, first + done, n - done);
    gammas(&r, shape + done, false, true, out + done);
  }
}

void hed__variates(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst, const double *a,
                   const double *b)
{
  const int64_t size = hed__id_size(dtype);
  const hed__cast_fn cast = hed__cast(HED_ID_FLOAT64, dtype);
  const bool alike = !a;
  double value[RUN], all_a[RUN], all_b[RUN];
  known_counts known;
  known.begun = false;
  char *out = dst;
  run r;
  for (int i = 0; alike && i < RUN && i < n; i++) {
    all_a[i] = p->a;
    all_b[i] = p->b;
  }
  for (int64_t done = 0; done < n; done += RUN) {
    begin(&r, p, first + done, n - done);
    values(&r, alike ? all_a : a + done, alike ? all_b : b + done, alike ? &known : NULL, value);
    cast(r.n, out, size, (const char *)value, sizeof *value);
    out += r.n * size;
  }
}
