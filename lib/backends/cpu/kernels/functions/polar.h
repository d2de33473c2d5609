// SPDX-License-Identifier: BSD-3-Clause
/*
 * Absolute value, angle and exponential of complex numbers, hypot. Included by functions.c alone.
 *
 * Angle and exponential work on blocks whose parts are taken apart; operands outside of the range in which the real
 * functions compose are rare and go to libm.
 * Every instruction set; contiguous complex numbers by blocks.
 */

/* sqrt(a^2 + b^2) with both scaled by a power of two next to the larger, so that squares neither overflow nor vanish. */
INLINE double hypot_d(double x, double y)
{
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  double high = a > b ? a : b, low = a > b ? b : a; /* a NaN becomes one of them, and stays */
  uint64_t e = bits_d(high) & 0x7ff0000000000000u;
  double limited = of_bits_d(e);
  limited = limited > 0x1p1022 ? 0x1p1022 : limited;
  limited = limited < 0x1p-1022 ? 0x1p-1022 : limited;
  double scale = of_bits_d(0x7fe0000000000000u - bits_d(limited));
  high *= scale;
  low *= scale;
  double r = __builtin_sqrt(ma_d(high, high, low * low)) * limited;
  return (a == HUGE_VAL) | (b == HUGE_VAL) ? HUGE_VAL : r;
}

/* Squares of float32 cannot overflow a double: the rounded true value. */
INLINE float hypot_f(float x, float y)
{
  double a = x, b = y;
  float r = (float)__builtin_sqrt(a * a + b * b);
  return (__builtin_fabsf(x) == HUGE_VALF) | (__builtin_fabsf(y) == HUGE_VALF) ? HUGE_VALF : r;
}

FUNCTION2(hypot, f32, hypot_f)
FUNCTION2(hypot, f64, hypot_d)

#define BODY "backends/cpu/kernels/functions/complex_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

/*
 * The sum of squares is h + l, from products with what rounding takes away (T. J. Dekker, Numerische Mathematik 18, 1971), and
 * the root is r + (h - r^2 + l) / 2 r with r that of h: before it is rounded to float32 it is off by 2^-22 of a unit. Where
 * squares leave the range, of zeros, infinities and NaN, the vector goes through double: abs_lanes() says no. SURE: also where
 * that error leaves two floats to choose from, so that the bits are those of hypot_f().
 */
#define ABS_OFF 0x1p-43f /* of the square: more than twice the error */
#if defined(__AVX512F__)
#include <immintrin.h>
enum { ABS_LANES = 16 };

INLINE bool abs_lanes(const bool sure, float *o, const float *x)
{
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + 16);
  const __m512 re = _mm512_permutex2var_ps(a, even, b), im = _mm512_permutex2var_ps(a, odd, b);
  const __m512 u = _mm512_mul_ps(re, re), v = _mm512_mul_ps(im, im), lost = _mm512_fmsub_ps(re, re, u);
  const __m512 high = _mm512_max_ps(u, v), low = _mm512_min_ps(u, v), h = _mm512_add_ps(high, low);
  const __mmask16 out = _mm512_cmp_ps_mask(h, _mm512_set1_ps(0x1p-80f), _CMP_NGT_UQ) |
                        _mm512_cmp_ps_mask(h, _mm512_set1_ps(0x1p120f), _CMP_NLT_UQ);
  if (__builtin_expect(out, 0))
    return false;
  const __m512 l = _mm512_add_ps(_mm512_add_ps(lost, _mm512_fmsub_ps(im, im, v)), _mm512_sub_ps(low, _mm512_sub_ps(h, high)));
  const __m512 r = _mm512_sqrt_ps(h), d = _mm512_add_ps(_mm512_fnmadd_ps(r, r, h), l), one = _mm512_set1_ps(1);
  __m512 y = _mm512_rsqrt14_ps(h), half = _mm512_mul_ps(y, _mm512_set1_ps(0.5f));
  half = _mm512_fmadd_ps(half, _mm512_fnmadd_ps(r, y, one), half);
  _mm512_storeu_ps(o, _mm512_fmadd_ps(d, half, r));
  const __m512 off = _mm512_set1_ps(ABS_OFF), most = _mm512_fmadd_ps(_mm512_fmadd_ps(h, off, d), half, r);
  const __m512 least = _mm512_fmadd_ps(_mm512_fnmadd_ps(h, off, d), half, r);
  return !sure || !__builtin_expect(_mm512_cmp_ps_mask(most, least, _CMP_NEQ_UQ), 0);
}
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
enum { ABS_LANES = 8 };

INLINE bool abs_lanes(const bool sure, float *o, const float *x)
{
  const __m256 a = _mm256_loadu_ps(x), b = _mm256_loadu_ps(x + 8); /* halves of 128 bits of both, until the end */
  const __m256 re = _mm256_shuffle_ps(a, b, 0x88), im = _mm256_shuffle_ps(a, b, 0xdd);
  const __m256 u = _mm256_mul_ps(re, re), v = _mm256_mul_ps(im, im), lost = _mm256_fmsub_ps(re, re, u);
  const __m256 high = _mm256_max_ps(u, v), low = _mm256_min_ps(u, v), h = _mm256_add_ps(high, low);
  const __m256 out = _mm256_or_ps(_mm256_cmp_ps(h, _mm256_set1_ps(0x1p-80f), _CMP_NGT_UQ),
                                  _mm256_cmp_ps(h, _mm256_set1_ps(0x1p120f), _CMP_NLT_UQ));
  if (__builtin_expect(_mm256_movemask_ps(out), 0))
    return false;
  const __m256 l = _mm256_add_ps(_mm256_add_ps(lost, _mm256_fmsub_ps(im, im, v)), _mm256_sub_ps(low, _mm256_sub_ps(h, high)));
  const __m256 r = _mm256_sqrt_ps(h), d = _mm256_add_ps(_mm256_fnmadd_ps(r, r, h), l), one = _mm256_set1_ps(1);
  __m256 y = _mm256_rsqrt_ps(h), half = _mm256_mul_ps(y, _mm256_set1_ps(0.5f));
  half = _mm256_fmadd_ps(half, _mm256_fnmadd_ps(r, y, one), half);
  const __m256i mixed = _mm256_castps_si256(_mm256_fmadd_ps(d, half, r));
  _mm256_storeu_ps(o, _mm256_castsi256_ps(_mm256_permute4x64_epi64(mixed, 0xd8)));
  const __m256 off = _mm256_set1_ps(ABS_OFF), most = _mm256_fmadd_ps(_mm256_fmadd_ps(h, off, d), half, r);
  const __m256 least = _mm256_fmadd_ps(_mm256_fnmadd_ps(h, off, d), half, r);
  return !sure || !__builtin_expect(_mm256_movemask_ps(_mm256_cmp_ps(most, least, _CMP_NEQ_UQ)), 0);
}
#endif

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#define OWN_ABS

/* The parts of X in turns. */
INLINE void abs_row(const bool sure, int64_t n, float *o, const float *x)
{
  for (; n >= ABS_LANES; n -= ABS_LANES, o += ABS_LANES, x += 2 * ABS_LANES)
    if (!abs_lanes(sure, o, x))
      IVDEP for (int k = 0; k < ABS_LANES; k++)
        o[k] = hypot_f(x[2 * k], x[2 * k + 1]);
  for (; n > 0; n--, o++, x += 2)
    *o = hypot_f(x[0], x[1]);
}

static void abs_c64_row(int64_t n, float *o, const float *x) { abs_row(false, n, o, x); }
ROW_ENTRY(abs_c64, real_row_c64(n, p, s, abs_c64_row, hypot_f))
#else
ROW_ENTRY(abs_c64, real_row_c64(n, p, s, hypot_of_parts_f32, hypot_f))
#endif

/* |z| of M numbers at X, S bytes apart, whose parts are RE and IM too: of float32 the same bits wherever they lie. */
INLINE void sizes_f32(int64_t m, float *size, const char *x, int64_t s, const float *re, const float *im)
{
  (void)x, (void)s; /* not every instruction set looks at them */
#if defined(OWN_ABS)
  if (s == 2 * (int64_t)sizeof(float)) {
    abs_row(true, m, size, (const float *)(const void *)x);
    return;
  }
#endif
  IVDEP for (int64_t j = 0; j < m; j++)
    size[j] = hypot_f(re[j], im[j]);
}

INLINE void sizes_f64(int64_t m, double *size, const char *x, int64_t s, const double *re, const double *im)
{
  (void)x, (void)s;
  IVDEP for (int64_t j = 0; j < m; j++)
    size[j] = hypot_d(re[j], im[j]);
}

#if defined(__AVX512F__)
/* hypot_d(), bit for bit, without scaling: where squares are far from the ends of the range, or one of them is 0. */
INLINE bool abs_lanes_d(double *o, const double *x)
{
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  const __m512d a = _mm512_loadu_pd(x), b = _mm512_loadu_pd(x + 8);
  const __m512d re = _mm512_abs_pd(_mm512_permutex2var_pd(a, even, b)), im = _mm512_abs_pd(_mm512_permutex2var_pd(a, odd, b));
  const __m512d high = _mm512_max_pd(re, im), low = _mm512_min_pd(im, re); /* NaN: in one of them */
  const __mmask8 near = _mm512_cmp_pd_mask(high, _mm512_set1_pd(0x1p-100), _CMP_GT_OQ) &
                        _mm512_cmp_pd_mask(high, _mm512_set1_pd(0x1p100), _CMP_LT_OQ) &
                        (_mm512_cmp_pd_mask(low, _mm512_set1_pd(0x1p-400), _CMP_GT_OQ) |
                         _mm512_cmp_pd_mask(low, _mm512_setzero_pd(), _CMP_EQ_OQ));
  if (__builtin_expect(near != 0xff, 0))
    return false;
  _mm512_storeu_pd(o, _mm512_sqrt_pd(_mm512_fmadd_pd(high, high, _mm512_mul_pd(low, low))));
  return true;
}

/* The parts of X in turns. */
static void abs_c128_row(int64_t n, double *o, const double *x)
{
  for (; n >= 8; n -= 8, o += 8, x += 16)
    if (!abs_lanes_d(o, x))
      IVDEP for (int k = 0; k < 8; k++)
        o[k] = hypot_d(x[2 * k], x[2 * k + 1]);
  for (; n > 0; n--, o++, x += 2)
    *o = hypot_d(x[0], x[1]);
}

ROW_ENTRY(abs_c128, real_row_c128(n, p, s, abs_c128_row, hypot_d))
#else
ROW_ENTRY(abs_c128, real_row_c128(n, p, s, hypot_of_parts_f64, hypot_d))
#endif

#if defined(OWN_ARCTAN2)
/* The parts of X in turns. */
static void angle_c64_row(int64_t n, float *o, const float *x)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    o[i] = arctan2_f(x[2 * i + 1], x[2 * i]);
}
INLINE float angle_of_f(float re, float im) { return arctan2_f(im, re); }
ROW_ENTRY(angle_c64, real_row_c64(n, p, s, angle_c64_row, angle_of_f))
#else
ROW_ENTRY(angle_c64, angle_by_c64(n, p, s, arctan2_f32_row))
#endif
#if defined(HED_HAVE_LIBMVEC)
ROW_ENTRY(angle_c128, angle_by_c128(n, p, s, arctan2_f64_row))
#endif

/* Contiguous elements. */
INLINE void exp_c64_row(int64_t n, c64 *o, const c64 *x)
{
  exp_c64(n, (char *const[]){ (char *)o, (char *)(uintptr_t)x }, (const int64_t[]){ sizeof *o, sizeof *x }, NULL);
}

#if defined(__AVX512F__)
enum { EXP_LANES = 16 };

/* Where a lane of what is returned is not 0, its element of OUT is not e^x: exp_near_f() or trig_both_ps() do not go so far. */
INLINE __m512i exp_lanes(c64 *o, const c64 *x)
{
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  const __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + 8), range = _mm512_set1_ps(80);
  const __m512 re = _mm512_permutex2var_ps(a, even, b), im = _mm512_permutex2var_ps(a, odd, b);
  float size[EXP_LANES];
  __m512 sine, cosine;
  __m512i far = _mm512_setzero_si512();
  _mm512_storeu_ps(size, re);
  IVDEP for (int k = 0; k < EXP_LANES; k++)
    size[k] = exp_near_f(size[k]);
  trig_both_ps(im, &sine, &cosine, &far);
  const __mmask16 out = _mm512_cmp_ps_mask(_mm512_abs_ps(re), range, _CMP_NLE_UQ);
  const __m512 c = _mm512_mul_ps(_mm512_loadu_ps(size), cosine), s = _mm512_mul_ps(_mm512_loadu_ps(size), sine);
  _mm512_storeu_ps(o, _mm512_permutex2var_ps(c, low, s));
  _mm512_storeu_ps(o + 8, _mm512_permutex2var_ps(c, high, s));
  return _mm512_mask_set1_epi32(_mm512_and_si512(far, _mm512_set1_epi32(TURNS_FAR)), out, -1);
}
#endif
