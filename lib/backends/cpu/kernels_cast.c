// SPDX-License-Identifier: BSD-3-Clause
/*
 * Conversions of lib/base, compiled once per instruction set as kernels.c is; between float16 and the wider floats by
 * the processor's instructions where the set has them. L1.
 */

#include "backends/cpu/kernels.h"
#include "backends/cpu/variant.h"

#define HED__CAST_LOOPS plain
#include "base/cast.c"

#if defined(__F16C__)
#include <immintrin.h>

enum { CAST_BLOCK = 512 };

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
static void f64_to_f16(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  if (ds != 2 || ss != 8) {
    plain(HED_ID_FLOAT64, HED_ID_FLOAT16)(n, dst, ds, src, ss);
    return;
  }
  const double *x = (const double *)(const void *)src;
  for (int64_t i = 0; i < n; i += CAST_BLOCK) {
    float block[CAST_BLOCK];
    int64_t m = n - i < CAST_BLOCK ? n - i : CAST_BLOCK;
    for (int64_t j = 0; j < m; j++) {
      uint64_t b, low = 0x1fffffff;
      double d = x[i + j];
      memcpy(&b, &d, 8);
      b = (b & ~low) | (((b & low) + low) & (low + 1));
      memcpy(&d, &b, 8);
      block[j] = (float)d;
    }
    to_half(m, dst + 2 * i, block);
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
