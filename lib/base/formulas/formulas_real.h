// SPDX-License-Identifier: BSD-3-Clause
/* Helpers of formulas.def for real numbers, integers and words: one text for the host and for the kernels of devices, where double
 * is float on devices without it. L0; header only.
 *
 * Integer results come as 64-bit words, of which the caller keeps the low bits.
 */
#ifndef HED_BASE_FORMULAS_REAL_H
#define HED_BASE_FORMULAS_REAL_H

#define W(x) ((uint64_t)(x))
#define HALF_TURN ((T)3.14159265358979323846)
#define PI 3.14159265358979323846
#define LOG2_E 1.44269504088896340736
#define LOG10_E 0.43429448190325182765
#define ALL_BITS (UINT64_MAX >> (64 - 8 * sizeof(T)))
#define in_width(count) (W(count) < 8 * sizeof(T))

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
    return copysign((double)0, b);
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
  return q == 0 ? copysign((double)0, a / b) : rint(q);
}

/* ---- comparisons of what no type holds both of: below, equal to or above 0 as A is below, equal to or above B ---- */

static inline int32_t order_of_signs(int64_t a, uint64_t b) { return a < 0 || W(a) < b ? -1 : W(a) > b; }

/* B is a number: its whole part, where that is in the type's range, then what is left of it. */
static inline int32_t order_of_int(int64_t a, double b)
{
  if (b >= 0x1p63 || b < -0x1p63)
    return b > 0 ? -1 : 1;
  const int64_t whole = (int64_t)b;
  const double rest = b - (double)whole;
  return a != whole ? (a < whole ? -1 : 1) : rest > 0 ? -1 : rest < 0;
}

static inline int32_t order_of_word(uint64_t a, double b)
{
  if (b >= 0x1p64 || b < 0)
    return b > 0 ? -1 : 1;
  const uint64_t whole = (uint64_t)b;
  return a != whole ? (a < whole ? -1 : 1) : b > (double)whole ? -1 : 0;
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

/* ---- sums ---- */

/* A + B without *LOST. D. E. Knuth, The Art of Computer Programming 2, 4.2.2. */
static inline double sum_of_two(double a, double b, double *lost)
{
  double sum = a + b, part = sum - a;
  *lost = (a - (sum - part)) + (b - part);
  return sum;
}

/* ---- special functions ---- */

/* The argument is reduced before it meets pi, so that integers give 0. */
static inline double sine_cardinal(double x)
{
  double r = x - 2 * rint(x / 2);
  if (x == 0)
    return 1;
  if (fabs(r) > 0.5)
    return (r > 0 ? sin(PI * (1 - r)) : -sin(PI * (1 + r))) / (PI * x);
  return sin(PI * r) / (PI * x);
}

/* ---- with parameters ---- */

/* X, or BOUND where X is not beyond it; a NaN of either stays. */
#define limit_whole(x, beyond, used, bound) (!(used) || (x) beyond (bound) ? (x) : (bound))
#define limit_float(x, beyond, used, bound) (!(used) || (x) beyond (bound) || isnan(x) ? (x) : (bound))

/* The low WIDTH bits of X turned left by COUNT, at most WIDTH. */
static inline uint64_t rotate_word(uint64_t x, uint64_t count, int32_t width)
{
  uint64_t mask = UINT64_MAX >> (64 - width);
  x &= mask;
  if (count == 0 || count == W(width))
    return x;
  return (x << count | x >> (W(width) - count)) & mask;
}

static inline double number_for(double x, double nan, double posinf, double neginf)
{
  return x != x ? nan : x == INFINITY ? posinf : x == -INFINITY ? neginf : x;
}

static inline double gaussian(double x, double mu, double sigma)
{
  double z = (x - mu) / sigma;
  return exp(-0.5 * z * z) / (sigma * 2.50662827463100050242);
}

/* ---- sums of exponentials ---- */

static inline double log_add_exp(double a, double b)
{
  if (a == b) /* infinities too */
    return a + 0.69314718055994530942;
  return (a > b || a != a ? a : b) + log1p(exp(-fabs(a - b)));
}

static inline double log_add_exp2(double a, double b)
{
  if (a == b)
    return a + 1;
  return (a > b || a != a ? a : b) + LOG2_E * log1p(exp2(-fabs(a - b)));
}

/* ---- activations ---- */

static inline double sigmoid(double x)
{
  double e = exp(-fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

static inline double softplus(double x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }
static inline double silu(double x) { return x == -INFINITY ? 0 : x * sigmoid(x); }

#endif
