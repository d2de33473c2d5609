// SPDX-License-Identifier: BSD-3-Clause
/* Helpers of formulas.def: what C's operators and library do not say in one word. L0.
 *
 * Complex products use the plain formula, so infinities may give NaN where C's Annex G would repair them; quotients
 * and functions are C's. Integer results come as 64-bit words, of which the caller keeps the low bits.
 */
#ifndef HED_BASE_FORMULAS_MATH_H
#define HED_BASE_FORMULAS_MATH_H

#include <stdbool.h>
#include <stdint.h>
#include <tgmath.h>

#define W(x) ((uint64_t)(x))
#define HALF_TURN ((T)3.14159265358979323846)
#define in_width(count) (W(count) < 8 * sizeof(T))

static inline float _Complex times_f(float _Complex a, float _Complex b)
{
  float ar = crealf(a), ai = cimagf(a), br = crealf(b), bi = cimagf(b);
  return CMPLXF(ar * br - ai * bi, ar * bi + ai * br);
}

static inline double _Complex times_d(double _Complex a, double _Complex b)
{
  double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  return CMPLX(ar * br - ai * bi, ar * bi + ai * br);
}

#define times(a, b) _Generic((a), float _Complex: times_f, double _Complex: times_d)(a, b)

/* ---- division towards minus infinity ---- */

/* -1 is apart: the least integer divided by it does not fit, and wraps. */
static inline uint64_t floor_quotient_int(int64_t a, int64_t b)
{
  if (b == 0)
    return 0;
  if (b == -1)
    return 0 - W(a);
  return W(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

static inline uint64_t modulus_int(int64_t a, int64_t b)
{
  if (b == 0 || b == -1)
    return 0;
  int64_t r = a % b;
  return W(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}

/* fmod is exact; its result is moved to the divisor's sign. A zero takes that sign too. */
static inline double modulus(double a, double b)
{
  double r = fmod(a, b);
  if (r == 0)
    return copysign(0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

/* From the exact remainder, so that the quotient is next to an integer before it is rounded to one. */
static inline double floor_quotient(double a, double b)
{
  if (b == 0)
    return a / b;
  double r = fmod(a, b), q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0))
    q -= 1;
  return q == 0 ? copysign(0, a / b) : rint(q);
}

/* ---- powers ---- */

static inline uint64_t power_word(uint64_t a, uint64_t n)
{
  uint64_t p = 1;
  for (; n > 0; n >>= 1, a *= a)
    if (n & 1)
      p *= a;
  return p;
}

static inline uint64_t power_int(int64_t a, int64_t n)
{
  if (n >= 0)
    return power_word(W(a), W(n));
  if (a == -1)
    return n % 2 ? W(-1) : 1;
  return a == 1;
}

/* Small whole exponents by squaring, which is exact where the result is; 0 to a power by its limit. */
static inline double _Complex power_complex(double _Complex a, double _Complex b)
{
  double n = creal(b);
  if (b == 0)
    return 1;
  if (a == 0)
    return n > 0 ? CMPLX(0, 0) : CMPLX(NAN, NAN);
  if (cimag(b) == 0 && n == rint(n) && n > -64 && n < 64) {
    double _Complex p = 1, base = n < 0 ? 1 / a : a;
    for (int k = n < 0 ? (int)-n : (int)n; k > 0; k >>= 1, base = times_d(base, base))
      if (k & 1)
        p = times_d(p, base);
    return p;
  }
  return cpow(a, b);
}

#endif
