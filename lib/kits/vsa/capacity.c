// SPDX-License-Identifier: BSD-3-Clause
/* How well members of a bundle are told from others.
 *
 * Layer: L4, vsa kit. See hed_vsa_capacity().
 */
#include "kits/vsa/internal.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

/* A member's similarity: its mean and variance are (scale c) and spread in units of an unrelated vector's, scale sqrt(factor D). */
typedef struct law { double c, spread, factor; } law;

/* C(n, n / 2) / 2^n for even n */
static double central(double n)
{
  return exp(lgamma(n + 1) - 2 * lgamma(n / 2 + 1) - n * log(2));
}

/* Simpson's rule over [0, 2000], where what is left of integrands that fall as x^-2.5 is below 1e-5. */
static double integral(int n, double (*f)(int n, double x))
{
  const int steps = 60000;
  const double h = 2000.0 / steps;
  double sum = f(n, 1e-9) + f(n, 2000);
  for (int k = 1; k < steps; k++)
    sum += f(n, k * h) * (k % 2 ? 4 : 2);
  return sum * h / 3;
}

/* E|S_n| / n, S_n the sum of n phasors */
static double length(int n, double x)
{
  return j1(x) * pow(j0(x), n - 1) / x;
}

/* E max(0, 1 - |S_{n-1}|^2) / 2: twice the angle between the sum and a member has the mean cosine of that, doubled. */
static double inside(int n, double x)
{
  return pow(j0(x), n - 1) * jn(2, x) / x;
}

static law of_phasors(int64_t n)
{
  double c, twice;
  if (n == 1)
    return (law){ 1, 0, 2 };
  if (n == 2)
    c = 2 / pi, twice = 0;
  else if (n <= 200)
    c = integral((int)n, length), twice = 2 * integral((int)n, inside);
  else
    c = sqrt(pi / (4 * (double)n)), twice = 0;
  return (law){ c, 2 * ((1 + twice) / 2 - c * c), 2 };
}

static bool law_of(const hed_vsa *v, int64_t n, law *out)
{
  const double c = central((double)(n % 2 ? n - 1 : n));
  switch (v->model) {
  case HED_VSA_MAP:
  case HED_VSA_BSC:
    *out = (law){ c, 1 - c * c, 1 };
    if (v->o.variant == HED_VSA_STANDARD)
      return true;
    break;
  case HED_VSA_HRR:
  case HED_VSA_VTB:
    break;
  case HED_VSA_GHRR:
    if (v->o.block > 1)
      return false;
    *out = of_phasors(n);
    return true;
  case HED_VSA_FHRR:
    *out = of_phasors(n);
    return true;
  default:
    return false;
  }
  *out = (law){ 1 / sqrt((double)n), 1 - 1 / (double)n, 1 };
  return true;
}

static double normal_below(double t)
{
  return 0.5 * erfc(-t * sqrt(0.5));
}

static double probability(const law *l, double dim, double others)
{
  const double s = sqrt(l->factor * dim) * l->c, width = sqrt(l->spread);
  const int steps = 2000;
  const double h = 18.0 / steps;
  double sum = 0;
  if (!(width > 1e-9))
    return pow(normal_below(s), others);
  for (int k = 0; k <= steps; k++) {
    const double u = -9 + k * h;
    sum += exp(-u * u / 2) * pow(normal_below(s + u * width), others);
  }
  return sum * h / sqrt(2 * pi);
}

static hed_status find_law(const char *op, const hed_vsa *v, int64_t n, int64_t total, law *l)
{
  if (!v)
    return hed_fail(HED_E_INVAL, "%s: the model is NULL", op);
  if (n < 1 || total < n)
    return hed_fail(HED_E_INVAL, "%s: n is %lld, total %lld", op, (long long)n, (long long)total);
  if (!law_of(v, n, l))
    return hed_fail(HED_E_UNSUPPORTED, "%s: no law is known for bundles of %s", op, v->name);
  return HED_OK;
}

double hed_vsa_capacity(const hed_vsa *v, int64_t n, int64_t total)
{
  law l;
  if (find_law("hed_vsa_capacity", v, n, total, &l) != HED_OK)
    return NAN;
  return probability(&l, (double)v->o.dim, (double)(total - n));
}

int64_t hed_vsa_capacity_dim(const hed_vsa *v, int64_t n, int64_t total, double p)
{
  int64_t low = 0, high = INT32_MAX;
  law l;
  if (find_law("hed_vsa_capacity_dim", v, n, total, &l) != HED_OK)
    return -1;
  if (!(p > 0 && p < 1) || probability(&l, (double)high, (double)(total - n)) < p) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_capacity_dim: probability is %g, which %s", p,
                   p > 0 && p < 1 ? "no dimension below 2^31 reaches" : "is not in (0, 1)");
    return -1;
  }
  while (high - low > 1) {
    const int64_t mid = low + (high - low) / 2;
    if (probability(&l, (double)mid, (double)(total - n)) < p)
      low = mid;
    else
      high = mid;
  }
  return high;
}
