// SPDX-License-Identifier: BSD-3-Clause
/*
 * sin, cos and sinc. Included by functions.c alone.
 *
 * x = n pi/2 + r + c with pi/2 in three parts, of which n times the first two is exact, so that r + c is right to a last
 * place also where x is next to a multiple of pi/2; then sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2). S and C are
 * minimax fits by Remez's exchange, of relative error 2^-28 and 2^-33 (float32), 2^-58 and 2^-64 (float64). Arguments
 * beyond LARGE, infinities and NaN are rare and go to libm.
 * Every instruction set; contiguous float32 and float64.
 */
#define LARGE_F 0x1p17f
#define LARGE_D 0x1p20

/* sin(x + q pi/2) */
#if defined(__FMA__)
INLINE float sin_f(float x, uint32_t q)
{
  float m = ma_f(x, 0x1.45f306p-1f, MAGIC_F), n = m - MAGIC_F;
  float r = ma_f(-n, 0x1.921fb6p0f, x);
  r = ma_f(-n, -0x1.777a5cp-25f, r);
  r = ma_f(-n, -0x1.ee59dap-50f, r);
  float z = r * r;
  float s = ma_f(-0x1.994cfap-13f, z, 0x1.11075cp-7f);
  s = ma_f(s, z, -0x1.555546p-3f);
  s = ma_f(r * z, s, r);
  float c = ma_f(0x1.9a00cep-16f, z, -0x1.6c0c86p-10f);
  c = ma_f(c, z, 0x1.55554ap-5f);
  c = ma_f(z * z, c, ma_f(-0.5f, z, 1.0f));
  uint32_t k = bits_f(m) + q;
  float y = of_bits_f(bits_f(k & 1 ? c : s) ^ (k & 2) << 30);
  return q == 0 && x == 0 ? x : y;
}
#else /* products of float32 are exact in double */
INLINE float sin_f(float v, uint32_t q)
{
  double x = v, m = x * 0x1.45f306dc9c883p-1 + MAGIC_D, n = m - MAGIC_D;
  double r = x - n * 0x1.921fb544p0 - n * 0x1.0b4611a626331p-34, z = r * r;
  double s = 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = r + r * z * s;
  double c = -1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * z - 0.5;
  c = c * z + 1.0;
  uint64_t k = bits_d(m) + q;
  float y = (float)of_bits_d(bits_d(k & 1 ? c : s) ^ (k & 2) << 62);
  return q == 0 && v == 0 ? v : y;
}
#endif

typedef struct reduced { double r, c; uint64_t k; } reduced;

INLINE reduced reduce_d(double x)
{
  double m = ma_d(x, 0x1.45f306dc9c883p-1, MAGIC_D), n = m - MAGIC_D;
  double a = ma_d(-n, 0x1.921fb544p0, x);
  double r = ma_d(-n, 0x1.0b4611a6p-34, a);
  double c = ma_d(-n, 0x1.3198a2e037073p-69, ma_d(-n, 0x1.0b4611a6p-34, a - r));
  return (reduced){ r, c, bits_d(m) };
}

INLINE double sin_reduced_d(double r, double c)
{
  double z = r * r;
  double s = 0x1.5d92470eeb044p-33;
  s = ma_d(s, z, -0x1.ae5e63cec97aap-26);
  s = ma_d(s, z, 0x1.71de3574bc93ap-19);
  s = ma_d(s, z, -0x1.a01a019c0e4f8p-13);
  s = ma_d(s, z, 0x1.111111110f861p-7);
  s = ma_d(s, z, -0x1.5555555555549p-3);
  return r + ma_d(r * z, s, ma_d(-0.5 * z, c, c));
}

INLINE double cos_reduced_d(double r, double c)
{
  double z = r * r;
  double p = -0x1.8fadd061d62b4p-37;
  p = ma_d(p, z, 0x1.1ee9ea6cd08fbp-29);
  p = ma_d(p, z, -0x1.27e4f807d689ep-22);
  p = ma_d(p, z, 0x1.a01a019caef49p-16);
  p = ma_d(p, z, -0x1.6c16c16c15162p-10);
  p = ma_d(p, z, 0x1.555555555554cp-5);
  double h = 0.5 * z, w = 1.0 - h;
  return w + (((1.0 - w) - h) + ma_d(z * z, p, -r * c));
}

INLINE double sin_d(double x, uint64_t q)
{
  reduced t = reduce_d(x);
  double s = sin_reduced_d(t.r, t.c), c = cos_reduced_d(t.r, t.c);
  uint64_t k = t.k + q;
  double y = of_bits_d(bits_d(k & 1 ? c : s) ^ (k & 2) << 62);
  return q == 0 && x == 0 ? x : y;
}

#define BODY "backends/cpu/kernels/functions/trig_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
ROW1(sin, f32, trig_row_f32(n, o, v, LARGE_F, sine_f32, sinf))
ROW1(cos, f32, trig_row_f32(n, o, v, LARGE_F, cosine_f32, cosf))
ROW1(sin, f64, trig_row_f64(n, o, v, LARGE_D, sine_f64, sin))
ROW1(cos, f64, trig_row_f64(n, o, v, LARGE_D, cosine_f64, cos))

/* sin(pi x) / pi of x less the nearest even number, turned about at +-1/2, where both are exact: t + t^3 C(t^2), C of
 * relative error 2^-35 and 2^-71. The quotient by x is sinc; integers give zeros with the signs of lib/base. */
INLINE float sinc_f(float x)
{
  float r = x - 2.0f * __builtin_rintf(0.5f * x), a = __builtin_fabsf(r), t = __builtin_copysignf(1.0f - a, r);
  t = a > 0.5f ? t : r;
  float z = t * t, c = -0x1.253a68p-9f;
  c = ma_f(c, z, 0x1.abe8f0p-6f);
  c = ma_f(c, z, -0x1.86a6dep-3f);
  c = ma_f(c, z, 0x1.9f9cacp-1f);
  c = ma_f(c, z, -0x1.a51a66p0f);
  return x == 0 ? 1.0f : __builtin_copysignf(ma_f(t * z, c, t), t) / x;
}

INLINE double sinc_d(double x)
{
  double r = x - 2.0 * __builtin_rint(0.5 * x), a = __builtin_fabs(r), t = __builtin_copysign(1.0 - a, r);
  t = a > 0.5 ? t : r;
  double z = t * t, c = -0x1.e75de502df7dep-28;
  c = ma_d(c, z, 0x1.0faa88165144dp-22);
  c = ma_d(c, z, -0x1.d424067bbe3c0p-18);
  c = ma_d(c, z, 0x1.3747192a54f51p-13);
  c = ma_d(c, z, -0x1.33816aa2f1febp-9);
  c = ma_d(c, z, 0x1.ac6805cf31fd9p-6);
  c = ma_d(c, z, -0x1.86a8e4720db2cp-3);
  c = ma_d(c, z, 0x1.9f9cb402bc46cp-1);
  c = ma_d(c, z, -0x1.a51a6625307d3p0);
  return x == 0 ? 1.0 : __builtin_copysign(ma_d(t * z, c, t), t) / x;
}

FUNCTION1(sinc, f32, sinc_f)
FUNCTION1(sinc, f64, sinc_d)
