// SPDX-License-Identifier: BSD-3-Clause
/*
 * Conversions of lib/base, compiled once per instruction set as kernels.c is; between float16 and the wider floats by
 * the processor's instructions where the set has them. L1.
 */

#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/lanes/lanes.h"

#define HED__CAST_LOOPS plain
#include "base/cast.c"

enum { CAST_BLOCK = 512 };

/* Integers of at most 4 bytes, the lower ones of V: signed or not is the same. */
INLINE void put_whole(char *to, int64_t i, const int size, int32_t v)
{
  if (size == 1)
    ((uint8_t *)to)[i] = (uint8_t)v;
  else if (size == 2)
    ((uint16_t *)(void *)to)[i] = (uint16_t)v;
  else
    ((int32_t *)(void *)to)[i] = v;
}

#define EACH_WHOLE(X)                                                                                    \
  X(INT8, int8_t) X(INT16, int16_t) X(INT32, int32_t) X(UINT8, uint8_t) X(UINT16, uint16_t) X(UINT32, uint32_t)
#define BODY "backends/cpu/kernels/move/cast_reals.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

#if defined(__AVX512F__)
/* Sixteen as the processor converts them; INT32_MIN stands for what is not within int32, and is left to OTHERS. */
INLINE void lanes_to_whole(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss, const int size, hed__cast_fn others)
{
  enum { SOME = 16 };
  int64_t i = 0;
  for (; ds == size && ss == 8 && i + SOME <= n; i += SOME) {
    const double *const x = (const double *)(const void *)(src + 8 * i);
    const __m256i a = _mm512_cvttpd_epi32(_mm512_loadu_pd(x)), b = _mm512_cvttpd_epi32(_mm512_loadu_pd(x + 8));
    const __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    char *const to = dst + size * i;
    if (_mm512_cmpeq_epi32_mask(all, _mm512_set1_epi32(INT32_MIN)))
      others(SOME, to, ds, src + 8 * i, ss);
    else if (size == 1)
      _mm_storeu_si128((void *)to, _mm512_cvtepi32_epi8(all));
    else if (size == 2)
      _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(all));
    else
      _mm512_storeu_si512(to, all);
  }
  others(n - i, dst + i * ds, ds, src + i * ss, ss);
}

#define ENTRY(TO, T)                                                                                     \
  static void lanes_to_##TO(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)               \
  {                                                                                                      \
    lanes_to_whole(n, dst, ds, src, ss, sizeof(T), to_##TO##_f64);                                       \
  }
EACH_WHOLE(ENTRY)
#undef ENTRY

static inline __m512 words_of(const double *x)
{
  const __m256 low = _mm512_cvtpd_ps(_mm512_loadu_pd(x)), high = _mm512_cvtpd_ps(_mm512_loadu_pd(x + 8));
  return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

/* Sixteen, of which some are NaN or in the middle between two of bfloat16; those that were perhaps rounded to there are left
 * to the others. */
static void careful_bf16(char *dst, const double *x)
{
  const __m512d a = _mm512_loadu_pd(x), b = _mm512_loadu_pd(x + 8);
  const __m512 f = words_of(x);
  const __m512i bits = _mm512_castps_si512(f), half = _mm512_set1_epi32(0x8000);
  const unsigned middle = _mm512_testn_epi32_mask(_mm512_xor_si512(bits, half), _mm512_set1_epi32(0xffff));
  const unsigned low = _mm512_cmp_pd_mask(_mm512_cvtps_pd(_mm512_castps512_ps256(f)), a, _CMP_EQ_OQ);
  const unsigned high = _mm512_cmp_pd_mask(_mm512_cvtps_pd(_mm512_extractf32x8_ps(f, 1)), b, _CMP_EQ_OQ);
  if (middle & ~(low | high << 8)) {
    plain(HED_ID_FLOAT64, HED_ID_BFLOAT16)(16, dst, 2, (const char *)x, 8);
    return;
  }
  const __m512i even = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), even);
  const __m512i all = _mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(f, f, _CMP_UNORD_Q), bits, _mm512_set1_epi32(0x400000));
  _mm256_storeu_si256((void *)dst, _mm512_cvtepi32_epi16(_mm512_srli_epi32(all, 16)));
}

/* By way of float32. But for middles, which leave nothing behind when half a unit is added, that alone rounds. */
static int64_t words_to_bf16(int64_t n, char *dst, const double *x)
{
  enum { SOME = 32 };
  const __m512i half = _mm512_set1_epi32(0x8000), below = _mm512_set1_epi32(0xffff);
  const __m512i up = _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35,
    33, 31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  int64_t i = 0;
  for (; i + SOME <= n; i += SOME) {
    const __m512 a = words_of(x + i), b = words_of(x + i + 16);
    const __m512i u = _mm512_add_epi32(_mm512_castps_si512(a), half), v = _mm512_add_epi32(_mm512_castps_si512(b), half);
    if (_mm512_testn_epi32_mask(u, below) | _mm512_testn_epi32_mask(v, below) | _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)) {
      careful_bf16(dst + 2 * i, x + i);
      careful_bf16(dst + 2 * i + 32, x + i + 16);
    } else {
      _mm512_storeu_si512(dst + 2 * i, _mm512_permutex2var_epi16(u, up, v));
    }
  }
  return i;
}
#define WHOLE_F64(TO) lanes_to_##TO
#else
static int64_t words_to_bf16(int64_t n, char *dst, const double *x)
{
  (void)n, (void)dst, (void)x;
  return 0;
}
#define WHOLE_F64(TO) to_##TO##_f64
#endif

/* float64 by way of float32, unless that is in the middle between two of bfloat16, perhaps rounded to there. */
static void f64_to_bf16(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  const hed__cast_fn any = plain(HED_ID_FLOAT64, HED_ID_BFLOAT16);
  if (ds != 2 || ss != 8) {
    any(n, dst, ds, src, ss);
    return;
  }
  const int64_t done = words_to_bf16(n, dst, (const double *)(const void *)src);
  n -= done, dst += done * 2, src += done * 8;
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

enum {
  HED_ID_i8 = HED_ID_INT8, HED_ID_i16 = HED_ID_INT16, HED_ID_i32 = HED_ID_INT32, HED_ID_i64 = HED_ID_INT64,
  HED_ID_u8 = HED_ID_UINT8, HED_ID_u16 = HED_ID_UINT16, HED_ID_u32 = HED_ID_UINT32, HED_ID_u64 = HED_ID_UINT64
};
#define BODY "backends/cpu/kernels/move/cast_half.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"

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
#define ENTRY(TO, T) [HED_ID_##TO] = to_##TO##_f32,
    { EACH_WHOLE(ENTRY) },
#undef ENTRY
#define ENTRY(TO, T) [HED_ID_##TO] = WHOLE_F64(TO),
    { EACH_WHOLE(ENTRY) },
#undef ENTRY
  };
  if ((from == HED_ID_FLOAT32 || from == HED_ID_FLOAT64) && whole[from == HED_ID_FLOAT64][to])
    return whole[from == HED_ID_FLOAT64][to];
  if (from == HED_ID_FLOAT64 && to == HED_ID_BFLOAT16)
    return f64_to_bf16;
  if (from == HED_ID_BOOL && to == HED_ID_COMPLEX64)
    return bool_to_complex_f32;
  if (from == HED_ID_BOOL && to == HED_ID_COMPLEX128)
    return bool_to_complex_f64;
#if defined(__F16C__)
  static const hed__cast_fn whole_to_half[HED_ID_CONCRETE_COUNT_] = {
    [HED_ID_INT8] = to_f16_i8, [HED_ID_INT16] = to_f16_i16, [HED_ID_INT32] = to_f16_i32, [HED_ID_INT64] = to_f16_i64,
    [HED_ID_UINT8] = to_f16_u8, [HED_ID_UINT16] = to_f16_u16, [HED_ID_UINT32] = to_f16_u32, [HED_ID_UINT64] = to_f16_u64
  };
  if (from == HED_ID_FLOAT16 && to == HED_ID_FLOAT32)
    return f16_to_f32;
  if (from == HED_ID_FLOAT16 && to == HED_ID_FLOAT64)
    return f16_to_f64;
  if (to == HED_ID_FLOAT16 && from == HED_ID_FLOAT32)
    return f32_to_f16;
  if (to == HED_ID_FLOAT16 && from == HED_ID_FLOAT64)
    return f64_to_f16;
  if (to == HED_ID_FLOAT16 && whole_to_half[from])
    return whole_to_half[from];
#endif
  return plain(from, to);
}
