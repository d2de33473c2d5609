// SPDX-License-Identifier: BSD-3-Clause
/*
 * Conversions of lib/base, compiled once per instruction set as kernels.c is; between float16 and the wider floats by
 * the processor's instructions where the set has them. L1.
 */

#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/variant.h"

#define HED__CAST_LOOPS plain
#include "base/cast.c"

enum { CAST_BLOCK = 512 };

/* Floats to whole numbers of at most 32 bits: blocks of which all are within int32 go through that, which the processor
 * converts to; as NaN and larger ones do, they wrap to the width. */
#define WHOLE_NUMBERS(FROM, S, F, FABS, TO, T)                                                           \
  static void whole_##S##_##TO(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)            \
  {                                                                                                      \
    const hed__cast_fn any = plain(HED_ID_##FROM, HED_ID_##TO);                                          \
    if (ds != (int64_t)sizeof(T) || ss != (int64_t)sizeof(F)) {                                          \
      any(n, dst, ds, src, ss);                                                                          \
      return;                                                                                            \
    }                                                                                                    \
    for (; n > 0; n -= CAST_BLOCK, dst += CAST_BLOCK * sizeof(T), src += CAST_BLOCK * sizeof(F)) {       \
      const int64_t m = n < CAST_BLOCK ? n : CAST_BLOCK;                                                 \
      const F *x = (const F *)(const void *)src;                                                         \
      T *o = (T *)(void *)dst;                                                                           \
      int far = 0;                                                                                       \
      for (int64_t i = 0; i < m; i++)                                                                    \
        far |= !(FABS(x[i]) < (F)0x1p31);                                                                \
      if (far)                                                                                           \
        any(m, dst, ds, src, ss);                                                                        \
      else                                                                                               \
        IVDEP for (int64_t i = 0; i < m; i++)                                                            \
          o[i] = (T)(int32_t)x[i];                                                                       \
    }                                                                                                    \
  }
#define EACH_WHOLE(X)                                                                                    \
  X(INT8, int8_t) X(INT16, int16_t) X(INT32, int32_t) X(UINT8, uint8_t) X(UINT16, uint16_t) X(UINT32, uint32_t)
#define FROM_FLOAT32(TO, T) WHOLE_NUMBERS(FLOAT32, f32, float, __builtin_fabsf, TO, T)
#define FROM_FLOAT64(TO, T) WHOLE_NUMBERS(FLOAT64, f64, double, __builtin_fabs, TO, T)
EACH_WHOLE(FROM_FLOAT32)
EACH_WHOLE(FROM_FLOAT64)

/* float64 by way of float32, unless that is in the middle between two of bfloat16, perhaps rounded to there. */
static void f64_to_bf16(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  const hed__cast_fn any = plain(HED_ID_FLOAT64, HED_ID_BFLOAT16);
  if (ds != 2 || ss != 8) {
    any(n, dst, ds, src, ss);
    return;
  }
  for (; n > 0; n -= CAST_BLOCK, dst += CAST_BLOCK * 2, src += CAST_BLOCK * 8) {
    const int64_t m = n < CAST_BLOCK ? n : CAST_BLOCK;
    const double *x = (const double *)(const void *)src;
    uint16_t *o = (uint16_t *)(void *)dst;
    float f[CAST_BLOCK];
    uint32_t bits[CAST_BLOCK];
    int middle = 0;
    IVDEP for (int64_t i = 0; i < m; i++)
      f[i] = (float)x[i];
    memcpy(bits, f, (size_t)m * sizeof *f);
    for (int64_t i = 0; i < m; i++)
      middle |= (bits[i] & 0xffff) == 0x8000;
    if (middle)
      any(m, dst, ds, src, ss);
    else
      IVDEP for (int64_t i = 0; i < m; i++)
        o[i] = hed__float_to_bfloat(f[i]);
  }
}

#if defined(__F16C__)
#include <immintrin.h>

static void to_half(int64_t n, char *dst, const float *x)
{
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256((void *)(dst + 2 * i), _mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#else
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((void *)(dst + 2 * i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; i++) {
    uint16_t h = hed__float_to_half(x[i]);
    memcpy(dst + 2 * i, &h, 2);
  }
}

static void from_half(int64_t n, float *o, const char *src)
{
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(o + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(src + 2 * i))));
#else
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(o + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(src + 2 * i))));
#endif
  for (; i < n; i++) {
    uint16_t h;
    memcpy(&h, src + 2 * i, 2);
    o[i] = hed__half_to_float(h);
  }
}

static void f32_to_f16(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  if (ds == 2 && ss == 4)
    to_half(n, dst, (const float *)(const void *)src);
  else
    plain(HED_ID_FLOAT32, HED_ID_FLOAT16)(n, dst, ds, src, ss);
}

static void f16_to_f32(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  if (ds == 4 && ss == 2)
    from_half(n, (float *)(void *)dst, src);
  else
    plain(HED_ID_FLOAT16, HED_ID_FLOAT32)(n, dst, ds, src, ss);
}

/* float64 is cut to 24 bits, of which the last is set when something was cut off: one rounding remains. */
static float cut(double d)
{
  uint64_t b, low = 0x1fffffff;
  memcpy(&b, &d, 8);
  b = (b & ~low) | (((b & low) + low) & (low + 1));
  memcpy(&d, &b, 8);
  return (float)d;
}

/* Eight or sixteen at a time are rounded to float32 first. What was not exact then and lies in the middle between two of
 * float16 could be rounded wrongly; its last 12 bits are 0. */
static void f64_to_f16(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  if (ds != 2 || ss != 8) {
    plain(HED_ID_FLOAT64, HED_ID_FLOAT16)(n, dst, ds, src, ss);
    return;
  }
  const double *x = (const double *)(const void *)src;
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    const __m512d a = _mm512_loadu_pd(x + i), b = _mm512_loadu_pd(x + i + 8);
    const __m256 low = _mm512_cvtpd_ps(a), high = _mm512_cvtpd_ps(b);
    const __m512i f = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_castps_si256(low)), _mm256_castps_si256(high), 1);
    const __mmask16 middle = _mm512_testn_epi32_mask(f, _mm512_set1_epi32(0xfff));
    if (middle && (_mm512_cmp_pd_mask(_mm512_cvtps_pd(low), a, _CMP_EQ_OQ) &
                   _mm512_cmp_pd_mask(_mm512_cvtps_pd(high), b, _CMP_EQ_OQ)) != 255) {
      float block[16];
      for (int k = 0; k < 16; k++)
        block[k] = cut(x[i + k]);
      to_half(16, dst + 2 * i, block);
    } else {
      _mm256_storeu_si256((void *)(dst + 2 * i), _mm512_cvtps_ph(_mm512_castsi512_ps(f), _MM_FROUND_TO_NEAREST_INT));
    }
  }
#endif
  for (; i + 8 <= n; i += 8) {
    const __m256d a = _mm256_loadu_pd(x + i), b = _mm256_loadu_pd(x + i + 4);
    const __m128 low = _mm256_cvtpd_ps(a), high = _mm256_cvtpd_ps(b);
    const __m256 f = _mm256_set_m128(high, low);
    const __m256i rest = _mm256_and_si256(_mm256_castps_si256(f), _mm256_set1_epi32(0xfff));
    const __m256i middle = _mm256_cmpeq_epi32(rest, _mm256_setzero_si256());
    if (!_mm256_testz_si256(middle, middle)) {
      const __m256d exact = _mm256_and_pd(_mm256_cmp_pd(_mm256_cvtps_pd(low), a, _CMP_EQ_OQ),
                                          _mm256_cmp_pd(_mm256_cvtps_pd(high), b, _CMP_EQ_OQ));
      if (_mm256_movemask_pd(exact) != 15) {
        float block[8];
        for (int k = 0; k < 8; k++)
          block[k] = cut(x[i + k]);
        to_half(8, dst + 2 * i, block);
        continue;
      }
    }
    _mm_storeu_si128((void *)(dst + 2 * i), _mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < n; i++) {
    const float f = cut(x[i]);
    to_half(1, dst + 2 * i, &f);
  }
}

static void f16_to_f64(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  if (ds != 8 || ss != 2) {
    plain(HED_ID_FLOAT16, HED_ID_FLOAT64)(n, dst, ds, src, ss);
    return;
  }
  double *o = (double *)(void *)dst;
  for (int64_t i = 0; i < n; i += CAST_BLOCK) {
    float block[CAST_BLOCK];
    int64_t m = n - i < CAST_BLOCK ? n - i : CAST_BLOCK;
    from_half(m, block, src + 2 * i);
    for (int64_t j = 0; j < m; j++)
      o[i + j] = (double)block[j];
  }
}
#endif

hed__cast_fn CPU_OF_SET(cpu_cast_)(int from, int to)
{
  static const hed__cast_fn whole[2][HED_ID_CONCRETE_COUNT_] = {
#define ENTRY(TO, T) [HED_ID_##TO] = whole_f32_##TO,
    { EACH_WHOLE(ENTRY) },
#undef ENTRY
#define ENTRY(TO, T) [HED_ID_##TO] = whole_f64_##TO,
    { EACH_WHOLE(ENTRY) },
#undef ENTRY
  };
  if ((from == HED_ID_FLOAT32 || from == HED_ID_FLOAT64) && whole[from == HED_ID_FLOAT64][to])
    return whole[from == HED_ID_FLOAT64][to];
  if (from == HED_ID_FLOAT64 && to == HED_ID_BFLOAT16)
    return f64_to_bf16;
#if defined(__F16C__)
  if (from == HED_ID_FLOAT16 && to == HED_ID_FLOAT32)
    return f16_to_f32;
  if (from == HED_ID_FLOAT16 && to == HED_ID_FLOAT64)
    return f16_to_f64;
  if (to == HED_ID_FLOAT16 && from == HED_ID_FLOAT32)
    return f32_to_f16;
  if (to == HED_ID_FLOAT16 && from == HED_ID_FLOAT64)
    return f64_to_f16;
#endif
  return plain(from, to);
}
