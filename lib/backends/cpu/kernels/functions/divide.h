// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex quotients and reciprocals, with the values of lib/base's, but for signs of zeros. Included by functions.c alone.
 *
 * complex64 is computed in double, which holds all products exactly. complex128 goes by R. L. Smith's method (Algorithm 116:
 * Complex division, Communications of the ACM 5, 1962): the larger part of the divisor divides, so that no square is made.
 * Parts so large or so small that he would overflow or lose digits, zeros below, infinities and NaN are rare and go to lib/base's
 * division, which scales and repairs infinities.
 * Every instruction set; contiguous operands by blocks.
 */
typedef struct quotient_block {
  double ar[MATH_BLOCK], ai[MATH_BLOCK], br[MATH_BLOCK], bi[MATH_BLOCK];
} quotient_block;

#define BODY "backends/cpu/kernels/functions/quotients.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

/* Reciprocals of complex64: a division for both parts, c (1 / |z|^2) and so on. Rounded to float64 twice, a part is the float32
 * that a division of its own would give but for few in a thousand million. What is added to a part is a zero, by whose sign the
 * part's is that of C's division. */
static void reciprocal_c64(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  double c[MATH_BLOCK], d[MATH_BLOCK];
  float re[MATH_BLOCK], im[MATH_BLOCK];
  c64 out[MATH_BLOCK];
  (void)params;
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    int odd = 0;
    take_doubles_c64(m, p[1] + i * s[1], s[1], c, d);
    for (int64_t j = 0; j < m; j++) {
      const double by = 1.0 / (c[j] * c[j] + d[j] * d[j]);
      re[j] = (float)((0.0 * d[j] + c[j]) * by);
      im[j] = (float)((0.0 * c[j] - d[j]) * by);
    }
    for (int64_t j = 0; j < m; j++)
      odd |= (re[j] != re[j]) | (im[j] != im[j]);
    for (int64_t j = 0; j < m; j++)
      out[j].re = re[j], out[j].im = im[j];
    for (int64_t j = 0; odd && j < m; j++)
      if ((re[j] != re[j]) & (im[j] != im[j])) { /* rules for infinities decide */
        const double _Complex z = quotient_d(1, CMPLX(c[j], d[j]));
        out[j] = (c64){ (float)creal(z), (float)cimag(z) };
      }
    put_block_c64(m, p[0] + i * s[0], s[0], out);
  }
}

/* Both parts are NaN where rules for infinities have to decide. */
INLINE bool odd_c64(const quotient_block *q, const c64 *o, int64_t j)
{
  (void)q;
  return (o[j].re != o[j].re) & (o[j].im != o[j].im);
}

static bool quotients_c64(int64_t n, c64 *o, const quotient_block *q)
{
  float re[MATH_BLOCK], im[MATH_BLOCK];
  int odd = 0;
  for (int64_t j = 0; j < n; j++) {
    const double a = q->ar[j], b = q->ai[j], c = q->br[j], d = q->bi[j], norm = c * c + d * d;
    re[j] = (float)((a * c + b * d) / norm);
    im[j] = (float)((b * c - a * d) / norm);
  }
  for (int64_t j = 0; j < n; j++)
    odd |= (re[j] != re[j]) & (im[j] != im[j]);
  for (int64_t j = 0; j < n; j++)
    o[j].re = re[j], o[j].im = im[j];
  return odd;
}

/* 0, or far from where products, or quotients of them, would overflow or vanish. */
INLINE bool tame(double x)
{
  const double a = __builtin_fabs(x);
  return ((a >= 0x1p-200) & (a <= 0x1p200)) | (a == 0);
}

INLINE bool odd_parts(double a, double b, double c, double d)
{
  return !(tame(a) & tame(b) & tame(c) & tame(d) & ((c != 0) | (d != 0)));
}

INLINE bool odd_c128(const quotient_block *q, const c128 *o, int64_t j)
{
  (void)o;
  return odd_parts(q->ar[j], q->ai[j], q->br[j], q->bi[j]);
}

static __attribute__((noinline)) bool quotients_c128(int64_t n, c128 *o, const quotient_block *q)
{
  double re[MATH_BLOCK], im[MATH_BLOCK];
  int odd = 0;
  for (int64_t j = 0; j < n; j++)
    odd |= odd_parts(q->ar[j], q->ai[j], q->br[j], q->bi[j]);
  for (int64_t j = 0; j < n; j++) {
    const double a = q->ar[j], b = q->ai[j], c = q->br[j], d = q->bi[j];
    const bool turn = __builtin_fabs(c) < __builtin_fabs(d);
    const double large = turn ? d : c, small = turn ? c : d, r = small / large, norm = small * r + large;
    const double ar = a * r, br = b * r;
    re[j] = ((turn ? ar : br) + (turn ? b : a)) / norm;
    im[j] = ((turn ? br : b) - (turn ? a : ar)) / norm;
  }
  for (int64_t j = 0; j < n; j++)
    o[j].re = re[j], o[j].im = im[j];
  return odd;
}

ROW_ENTRY(divide_c64, quotients_by_c64(n, p, s, quotients_c64, odd_c64))
ROW_ENTRY(divide_c128, quotients_by_c128(n, p, s, quotients_c128, odd_c128))
