// SPDX-License-Identifier: BSD-3-Clause
/*
 * power of floats: power_512.h with AVX-512, else by libmvec, or without it of float32 by logarithm and exponential in double.
 * Exponents that name another operation (2, 1, -1, 1/2, 3, 4) are that operation, be they one for all elements or of one among
 * others, so that a value depends on its operands alone. Every instruction set. Included by functions.c alone.
 */
#if defined(__AVX512F__)
#include "backends/cpu/kernels/functions/power_512.h"
#elif !defined(HED_HAVE_LIBMVEC)
/* In double: 2^(b log2 |a|) with 2^r = 1 + r E(r), E of relative error 2^-40; rounded to float32 once. */
INLINE float power_f(float base, float exponent)
{
  double a = __builtin_fabs((double)base), b = exponent, e, f, t = log_series_d(a, &e, &f);
  double g = ma_d(f - ma_d(0.5 * f, f, -t), 0x1.71547652b82fep0, e) * b;
  g = g < -1000.0 ? -1000.0 : g;
  g = g > 1000.0 ? 1000.0 : g;
  double m = g + MAGIC_D, r = g - (m - MAGIC_D);
  double p = 0x1.640a25e59c360p-20;
  p = ma_d(p, r, 0x1.00dc176f03cafp-16);
  p = ma_d(p, r, 0x1.430874f8c1427p-13);
  p = ma_d(p, r, 0x1.5d874616853ddp-10);
  p = ma_d(p, r, 0x1.3b2ab7391d2f9p-7);
  p = ma_d(p, r, 0x1.c6b08dd66a6f5p-5);
  p = ma_d(p, r, 0x1.ebfbdff80d103p-3);
  p = ma_d(p, r, 0x1.62e42fef853ddp-1);
  double y = ma_d(p, r, 1.0) * of_bits_d((bits_d(m) + 1023) << 52);
  /* a negative base: whole exponents below 2^24 have their parity in the last bit, larger ones are even */
  double c = __builtin_fabs(b);
  c = c > 0x1p24 ? 0x1p24 : c;
  double whole = c + MAGIC_D, signed_y = of_bits_d(bits_d(y) ^ bits_d(whole) << 63);
  signed_y = whole - MAGIC_D == c ? signed_y : NAN;
  y = base < 0 ? signed_y : y;
  return (float)y;
}

/* Zeros, infinities and NaN are rare and go to libm. */
static void power_f32_pairs(int64_t n, float *o, const float *x, const float *y)
{
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    float a[MATH_BLOCK], b[MATH_BLOCK];
    int odd = 0;
    memcpy(a, x + i, (size_t)m * sizeof *a);
    memcpy(b, y + i, (size_t)m * sizeof *b);
    for (int64_t j = 0; j < m; j++)
      odd |= !(a[j] - a[j] == 0) | !(b[j] - b[j] == 0) | (a[j] == 0);
    IVDEP for (int64_t j = 0; j < m; j++)
      o[i + j] = power_f(a[j], b[j]);
    if (odd)
      for (int64_t j = 0; j < m; j++)
        if (!(a[j] - a[j] == 0) || !(b[j] - b[j] == 0) || a[j] == 0)
          o[i + j] = powf(a[j], b[j]);
  }
}

STRIDED2(power_pairs_f32, f32, power_f32_pairs)
#endif

static int power_kind(double b)
{
  return b == 2 ? 1 : b == 1 ? 2 : b == -1 ? 3 : b == 0.5 ? 4 : b == 3 ? 5 : b == 4 ? 6 : 0;
}

#if defined(HED_HAVE_LIBMVEC) || defined(__AVX512F__)
#define BODY "backends/cpu/kernels/functions/power_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#else /* of float32 alone */
#define BODY "backends/cpu/kernels/functions/power_rows.h"
#define S f32
#define T float
#include "backends/cpu/kernels/lanes/for_type.h"
#undef BODY
#endif
