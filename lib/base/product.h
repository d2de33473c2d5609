// SPDX-License-Identifier: BSD-3-Clause
/* Products whose partial results neither overflow nor underflow, shared by host backends so that they agree on what
 * leaves the range: only the whole product can. L0.
 *
 * A product is (part[0] + i part[1]) 2^exponent. Parts stay where a further factor of ordinary size costs one multiplication.
 */
#ifndef HED_BASE_PRODUCT_H
#define HED_BASE_PRODUCT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct hed__product {
  double part[2], exponent;
} hed__product;

static const hed__product hed__product_one = { { 1, 0 }, 0 };

static inline bool hed__product_near(double r) { return r > 0x1p-1000 && r < 0x1p1000; }

/* X with its exponent taken out and added to *E. */
static inline double hed__product_split(double x, double *e)
{
  int k = 0;
  const double m = frexp(x, &k);
  *e += isfinite(x) ? k : 0;
  return m;
}

static inline void hed__product_real(hed__product *p, double x)
{
  const double r = p->part[0] * x;
  if (hed__product_near(fabs(r)) || x == 0 || p->part[0] == 0 || !isfinite(x) || !isfinite(p->part[0])) {
    p->part[0] = r;
    return;
  }
  const double m = hed__product_split(p->part[0], &p->exponent);
  p->part[0] = m * hed__product_split(x, &p->exponent);
}

/* Both parts by the same power of two, so that the larger is in [0.5, 1); zeros and what is not finite stay. */
static inline void hed__product_even(double *z, double *e)
{
  int k = 0;
  const double most = fmax(fabs(z[0]), fabs(z[1]));
  if (most == 0 || !isfinite(z[0]) || !isfinite(z[1]))
    return;
  frexp(most, &k);
  z[0] = ldexp(z[0], -k);
  z[1] = ldexp(z[1], -k);
  *e += k;
}

static inline void hed__product_complex(hed__product *p, double re, double im)
{
  double a[2] = { p->part[0], p->part[1] }, b[2] = { re, im };
  for (int again = 0; again < 2; again++) {
    p->part[0] = a[0] * b[0] - a[1] * b[1];
    p->part[1] = a[0] * b[1] + a[1] * b[0];
    if (again || hed__product_near(fmax(fabs(p->part[0]), fabs(p->part[1]))))
      return;
    hed__product_even(a, &p->exponent);
    hed__product_even(b, &p->exponent);
  }
}

/* P times Q. */
static inline void hed__product_join(hed__product *p, const hed__product *q, bool complex_parts)
{
  p->exponent += q->exponent;
  if (complex_parts)
    hed__product_complex(p, q->part[0], q->part[1]);
  else
    hed__product_real(p, q->part[0]);
}

/* 2^E, where it is a factor that leaves one rounding, as ldexp has; false: it is not. */
static inline bool hed__product_power(double e, double *power)
{
  if (!(e > -1000 && e < 1000))
    return false;
  const uint64_t bits = (uint64_t)((int)e + 1023) << 52;
  memcpy(power, &bits, sizeof *power);
  return true;
}

/* X 2^E, also of infinite E. */
static inline double hed__product_scaled(double x, double e)
{
  double power;
  return hed__product_power(e, &power) ? x * power : ldexp(x, (int)fmin(fmax(e, -5000), 5000));
}

/* The value; V[1] is 0 for real ones. */
static inline void hed__product_value(const hed__product *p, double *v)
{
  v[0] = hed__product_scaled(p->part[0], p->exponent);
  v[1] = hed__product_scaled(p->part[1], p->exponent);
}

#endif
