// SPDX-License-Identifier: BSD-3-Clause
/*
 * exp, log, sin, cos for float32 (the last three computed in double, so that the result is the rounded
 * true value but for rare ties) and for float64 (exp in vectors; the others by libm). Included by
 * kernels.c alone.
 *
 * Argument reduction after W. J. Cody and W. Waite, Software Manual for the Elementary Functions
 * (1980); sin, cos and exp use their Taylor series on the reduced interval, log a Chebyshev fit of
 * log(1 + f) / f on [sqrt(1/2) - 1, sqrt(2) - 1] of relative error 4e-9.
 */
#define ROUND_MAGIC 0x1.8p52 /* added, it leaves the nearest integer in the low bits */

static inline uint64_t bits_of(double x)
{
  uint64_t u;
  memcpy(&u, &x, 8);
  return u;
}

static inline double of_bits(uint64_t u)
{
  double x;
  memcpy(&x, &u, 8);
  return x;
}

static inline float float_of_bits(uint32_t u)
{
  float x;
  memcpy(&x, &u, 4);
  return x;
}

/* r = x - n ln 2 with ln 2 in two parts, series to degree 7, 2^n in two steps so that results overflow
 * and underflow as they should. In float32 throughout: at most 2 ulp. */
static inline float exp_f(float v)
{
  float x = v < -110.0f ? -110.0f : v; /* NaN passes both */
  x = x > 90.0f ? 90.0f : x;
  float m = x * 0x1.715476p0f + 0x1.8p23f, n = m - 0x1.8p23f;
  float r = x - n * 0x1.62e4p-1f - n * 0x1.7f7d1cp-20f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = 1.0f + (r + r * r * p);
  int32_t k = (int32_t)n, half = k >> 1;
  return p * float_of_bits((uint32_t)(half + 127) << 23) * float_of_bits((uint32_t)(k - half + 127) << 23);
}

static inline float log_f(float v)
{
  double x = v;
  uint64_t b = bits_of(x);
  /* Exponent so that the mantissa lies in [sqrt(1/2), sqrt(2)), biased by 1024 to be positive. */
  uint64_t k = (b - 0x3fe6a09e00000000u + ((uint64_t)1024 << 52)) >> 52;
  double e = of_bits(k | 0x4330000000000000u) - (0x1p52 + 1024);
  double f = of_bits(b - ((k - 1024) << 52)) - 1.0;
  double p = -0x1.38e072844e2f2p-4;
  p = p * f + 0x1.087b7203a4c9bp-3;
  p = p * f + -0x1.0f2c263b1ca41p-3;
  p = p * f + 0x1.2268737b79435p-3;
  p = p * f + -0x1.5427a83c3a3bep-3;
  p = p * f + 0x1.99a47627aac95p-3;
  p = p * f + -0x1.000427c21179ap-2;
  p = p * f + 0x1.55554f15f09e0p-2;
  p = p * f + -0x1.fffff824f2e88p-2;
  p = p * f + 0x1.0000000014074p+0;
  double y = e * 0x1.62e42fefa39efp-1 + f * p;
  y = x > 0x1.fffffep127 ? x : y;
  y = x == 0 ? -HUGE_VAL : y;
  y = x < 0 ? NAN : y;
  return (float)(x != x ? x : y);
}

/* sin(x + q pi/2) for |x| <= 2^20. */
static inline float sin_quadrant(float v, uint64_t q)
{
  double x = v, m = x * 0x1.45f306dc9c883p-1 + ROUND_MAGIC; /* 2 / pi */
  double n = m - ROUND_MAGIC;
  /* pi/2 in two parts; the first has 33 bits, so n times it is exact. */
  double r = x - n * 0x1.921fb544p0 - n * 0x1.0b4611a626331p-34;
  double r2 = r * r;
  double s = 1.0 / 362880;
  s = s * r2 - 1.0 / 5040;
  s = s * r2 + 1.0 / 120;
  s = s * r2 - 1.0 / 6;
  s = r + r * r2 * s;
  double c = -1.0 / 3628800;
  c = c * r2 + 1.0 / 40320;
  c = c * r2 - 1.0 / 720;
  c = c * r2 + 1.0 / 24;
  c = c * r2 - 0.5;
  c = c * r2 + 1.0;
  uint64_t k = bits_of(m) + q;
  double y = k & 1 ? c : s;
  return (float)of_bits(bits_of(y) ^ ((k & 2) << 62));
}

/* exp in double: r = x - n ln 2 in two parts, series to degree 13, 2^n in two steps. */
static inline double exp_d(double x)
{
  double c = x < -800.0 ? -800.0 : x;
  c = c > 800.0 ? 800.0 : c;
  double m = c * 0x1.71547652b82fep0 + ROUND_MAGIC, n = m - ROUND_MAGIC;
  double r = c - n * 0x1.62e42fee00000p-1 - n * 0x1.a39ef35793c76p-33;
  double p = 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = 1.0 + (r + r * r * p);
  double half = (n * 0.5) + ROUND_MAGIC;
  double rest = (n - (half - ROUND_MAGIC)) + ROUND_MAGIC;
  return p * of_bits((bits_of(half) + 1023) << 52) * of_bits((bits_of(rest) + 1023) << 52);
}

enum { MATH_BLOCK = 256 };

/* Rows without a contiguous form go through blocks on the stack. FN(n, out, in) is contiguous. */
#define BLOCKED(NAME, T, FN)                                                                     \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    if (s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(T)) {                              \
      FN(n, (T *)(void *)p[0], (const T *)(const void *)p[1]);                                   \
      return;                                                                                    \
    }                                                                                            \
    T block[MATH_BLOCK];                                                                         \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      for (int64_t j = 0; j < m; j++)                                                            \
        block[j] = *(const T *)(const void *)(p[1] + (i + j) * s[1]);                            \
      FN(m, block, block);                                                                       \
      for (int64_t j = 0; j < m; j++)                                                            \
        *(T *)(void *)(p[0] + (i + j) * s[0]) = block[j];                                        \
    }                                                                                            \
  }

static void exp_f32_row(int64_t n, float *o, const float *x)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    o[i] = exp_f(x[i]);
}

static void log_f32_row(int64_t n, float *o, const float *x)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    o[i] = log_f(x[i]);
}

static void exp_f64_row(int64_t n, double *o, const double *x)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    o[i] = exp_d(x[i]);
}

/* Large arguments, infinities and NaN are rare and go to libm. */
static void sincos_f32_row(int64_t n, float *o, const float *x, uint64_t q)
{
  float in[MATH_BLOCK];
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    int large = 0;
    memcpy(in, x + i, (size_t)m * sizeof *in);
    for (int64_t j = 0; j < m; j++)
      large |= !(__builtin_fabsf(in[j]) <= 0x1p19f);
    if (large) {
      for (int64_t j = 0; j < m; j++)
        o[i + j] = q ? cosf(in[j]) : sinf(in[j]);
      continue;
    }
    IVDEP for (int64_t j = 0; j < m; j++)
      o[i + j] = sin_quadrant(in[j], q);
    /* sin(-0) is -0, which r + r * r2 * s keeps; nothing else needs care. */
  }
}

static void sin_f32_row(int64_t n, float *o, const float *x) { sincos_f32_row(n, o, x, 0); }
static void cos_f32_row(int64_t n, float *o, const float *x) { sincos_f32_row(n, o, x, 1); }

BLOCKED(exp_f32, float, exp_f32_row)
BLOCKED(log_f32, float, log_f32_row)
BLOCKED(sin_f32, float, sin_f32_row)
BLOCKED(cos_f32, float, cos_f32_row)
BLOCKED(exp_f64, double, exp_f64_row)
LOOP1(log_f64, double, double, log(a))
LOOP1(sin_f64, double, double, sin(a))
LOOP1(cos_f64, double, double, cos(a))
