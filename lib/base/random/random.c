// SPDX-License-Identifier: BSD-3-Clause
/* Philox4x32-10 and what is drawn from it: bits, uniforms, normals, bounded integers. L0.
 *
 * Everything goes through chunks of CHUNK blocks held lane by lane, so that the compiler turns every loop into vector
 * code; a request that begins or ends inside a chunk makes the whole chunk and copies its part. Each element is a
 * function of (params, dtype, index) alone.
 *
 * Floating-point results are equal on every machine that follows IEEE 754 with FLT_EVAL_METHOD 0: only + - * / and the
 * correctly rounded sqrt are used, each rounded once (the library is compiled with -ffp-contract=off), and integers
 * are converted to floating point where that is exact or rounds to nearest. Sine, cosine and logarithm are power
 * series: in float64 those of random_math.h, in float32 sine to t^9, cosine to t^10, logarithm to s^11 (see normal32).
 */
#include "base/random/random.h"

#include "base/cast.h"
#include "base/half.h"
#include "base/random/random_values.h"
#include "base/random/variates.h"

#include <math.h>
#include <string.h>

enum { CHUNK = HED__LANES }; /* blocks at a time: 256 quantities of 32 bits, 128 of 64 bits */

/* Elements of a chunk in the type they are computed in. */
typedef union elements {
  uint32_t u32[4 * CHUNK];
  uint64_t u64[2 * CHUNK];
  float f32[4 * CHUNK];
  double f64[2 * CHUNK];
} elements;

static const int element_size[HED_ID_CONCRETE_COUNT_] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) bytes,
#include <heddle/dtypes.def>
#undef HED_DTYPE
};

#include "base/random/random_blocks.h"

void hed__random_words(const hed_random_params *p, const uint64_t *block, int count, hed__words *out)
{
  make_each(p, block, count, out);
}

/* ---- bits and integers ---- */

HOT static void bits32(const lanes *restrict in, uint32_t *restrict out)
{
  for (int j = 0; j < CHUNK; j++)
    for (int l = 0; l < 4; l++)
      out[4 * j + l] = in->w[l][j];
}

/* Of a byte order in which the low word comes first they lie as those of 32 bits do. */
static void bits64(const lanes *restrict in, elements *restrict out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  bits32(in, out->u32);
#else
  for (int j = 0; j < CHUNK; j++) {
    out->u64[2 * j] = (uint64_t)in->w[1][j] << 32 | in->w[0][j];
    out->u64[2 * j + 1] = (uint64_t)in->w[3][j] << 32 | in->w[2][j];
  }
#endif
}

static void integers64(const hed_random_params *p, uint64_t *x)
{
  uint64_t low = (uint64_t)p->low, span = p->span;
  if (span)
    for (int i = 0; i < 2 * CHUNK; i++)
      x[i] = mul_high(x[i], span);
  for (int i = 0; i < 2 * CHUNK; i++)
    x[i] += low;
}

/* integers64 of IN for spans below 2^32: two of the four products are 0. */
HOT static void integers64_near(const hed_random_params *p, const lanes *restrict in, uint64_t *restrict x)
{
  const uint64_t low = (uint64_t)p->low, span = (uint32_t)p->span;
#define NEAR_(a, b) (low + (((uint64_t)(b) * span + ((uint64_t)(a) * span >> 32)) >> 32))
  for (int j = 0; j < CHUNK; j++) {
    x[2 * j] = NEAR_(in->w[0][j], in->w[1][j]);
    x[2 * j + 1] = NEAR_(in->w[2][j], in->w[3][j]);
  }
#undef NEAR_
}

/* ---- uniform ---- */

/* (u >> 8) 2^-24: 24 bits convert exactly. SHIFT > 8 leaves fewer bits, for types with a shorter significand. */
HOT static void unit32(const lanes *restrict in, int shift, float *restrict out)
{
  const float scale = shift == 8 ? 0x1p-24f : shift == 21 ? 0x1p-11f : 0x1p-8f;
  for (int j = 0; j < CHUNK; j++)
    for (int l = 0; l < 4; l++)
      out[4 * j + l] = (float)(int32_t)(in->w[l][j] >> shift) * scale;
}

HOT static void unit64(const lanes *restrict in, double *restrict out)
{
  for (int j = 0; j < CHUNK; j++) {
    out[2 * j] = hed__high_bits(in->w[0][j], in->w[1][j]) * 0x1p-53;
    out[2 * j + 1] = hed__high_bits(in->w[2][j], in->w[3][j]) * 0x1p-53;
  }
}

static float bits_to_float(uint32_t b)
{
  float f;
  memcpy(&f, &b, 4);
  return f;
}

static double value_of(int dtype, uint32_t pattern)
{
  return (double)(dtype == HED_ID_FLOAT16    ? hed__half_to_float((uint16_t)pattern)
                  : dtype == HED_ID_BFLOAT16 ? hed__bfloat_to_float((uint16_t)pattern)
                                             : bits_to_float(pattern));
}

double hed__random_limit(int dtype, double low, double high)
{
  double limit = nextafter(high, -INFINITY), first = low;
  if (dtype != HED_ID_FLOAT64 && isfinite(high)) {
    /* walk the patterns of the sign's half line by bisection: values grow with the pattern */
    uint32_t sign = dtype == HED_ID_FLOAT32 ? 0x80000000u : 0x8000u;
    uint32_t top = dtype == HED_ID_FLOAT32 ? 0x7f7fffffu : dtype == HED_ID_FLOAT16 ? 0x7bffu : 0x7f7fu;
    uint32_t a = 0, b = top;
    if (high > 0) { /* largest pattern with value < high */
      while (a < b) {
        uint32_t m = a + (b - a + 1) / 2;
        if (value_of(dtype, m) < high)
          a = m;
        else
          b = m - 1;
      }
      limit = value_of(dtype, a);
    } else { /* least magnitude with -value < high */
      while (a < b) {
        uint32_t m = a + (b - a) / 2;
        if (value_of(dtype, sign | m) < high)
          b = m;
        else
          a = m + 1;
      }
      limit = value_of(dtype, sign | a);
    }
    float f = (float)low;
    first = dtype == HED_ID_FLOAT16    ? (double)hed__half_to_float(hed__float_to_half(f))
            : dtype == HED_ID_BFLOAT16 ? (double)hed__bfloat_to_float(hed__float_to_bfloat(f))
                                       : (double)f;
  }
  return limit < first ? first : limit;
}

/* low + (high - low) u in double, rounded once, limited below high. */
static void scale_unit32(const hed_random_params *p, double limit, float *x)
{
  const double low = p->a, width = p->b - p->a;
  for (int i = 0; i < 4 * CHUNK; i++) {
    double v = low + width * (double)x[i];
    x[i] = (float)(v < limit ? v : limit);
  }
}

static void scale_unit64(const hed_random_params *p, double limit, double *x)
{
  const double low = p->a, width = p->b - p->a;
  for (int i = 0; i < 2 * CHUNK; i++) {
    double v = low + width * x[i];
    x[i] = v < limit ? v : limit;
  }
}

/* ---- normal (Box and Muller 1958): a pair from a radius and an angle ---- */

HOT static void normals32(const hed_random_params *p, const lanes *restrict in, float *restrict out)
{
  const float mean = (float)p->a, std = (float)p->b;
  for (int j = 0; j < CHUNK; j++) {
    float z0, z1, z2, z3;
    normal32(in->w[0][j], in->w[1][j], &z0, &z1);
    normal32(in->w[2][j], in->w[3][j], &z2, &z3);
    out[4 * j] = mean + std * z0;
    out[4 * j + 1] = mean + std * z1;
    out[4 * j + 2] = mean + std * z2;
    out[4 * j + 3] = mean + std * z3;
  }
}

HOT static void normals64(const hed_random_params *p, const lanes *restrict in, double *restrict out)
{
  const double mean = p->a, std = p->b;
  for (int j = 0; j < CHUNK; j++) {
    double z0, z1;
    hed__rnormal(in->w[0][j], in->w[1][j], in->w[2][j], in->w[3][j], &z0, &z1);
    out[2 * j] = mean + std * z0;
    out[2 * j + 1] = mean + std * z1;
  }
}

/* ---- transforms ---- */

#include "base/random/random_transforms.h"

HOT static void narrow(int64_t n, const double *restrict x, float *restrict out)
{
  for (int64_t i = 0; i < n; i++)
    out[i] = (float)x[i];
}

/* As hed__random_fill, for the kinds that transform one quantity each. */
static void fill_transforms(const hed_random_params *p, int dtype, int64_t first, int64_t n, char *out)
{
  const int parts = p->kind == HED_RANDOM_PHASOR ? 2 : 1;
  const hed__cast_fn cast = hed__cast(parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64, dtype);
  uint64_t block = (uint64_t)first / 2;
  int from = (int)(first & 1);
  lanes l;
  double x[4 * CHUNK];
  for (; n > 0; block += CHUNK, from = 0) {
    const int count = n < 2 * CHUNK - from ? (int)n : 2 * CHUNK - from;
    make_blocks(p, block, 0, &l);
    transform(p, &l, x);
    if (dtype == HED_ID_FLOAT32 || dtype == HED_ID_COMPLEX64)
      narrow(count * parts, x + from * parts, (float *)(void *)out);
    else
      cast(count, out, element_size[dtype], (const char *)(x + from * parts), 8 * parts);
    out += (int64_t)count * element_size[dtype];
    n -= count;
  }
}

/* ---- the draw ---- */

/* Does an element take 64 bits? Bounded integers do whatever their width, so values do not depend on it. */
static bool wide(const hed_random_params *p, int dtype)
{
  return p->kind == HED_RANDOM_INTEGERS || dtype == HED_ID_FLOAT64 || dtype == HED_ID_INT64 || dtype == HED_ID_UINT64;
}

/* N computed elements from index FROM of X to DST. */
static void store(int dtype, bool is_wide, const elements *x, int from, int n, char *dst)
{
  switch (dtype) {
  case HED_ID_FLOAT16:
    for (int i = 0; i < n; i++)
      ((uint16_t *)(void *)dst)[i] = hed__float_to_half(x->f32[from + i]);
    return;
  case HED_ID_BFLOAT16:
    for (int i = 0; i < n; i++)
      ((uint16_t *)(void *)dst)[i] = hed__float_to_bfloat(x->f32[from + i]);
    return;
  case HED_ID_FLOAT32:
    memcpy(dst, x->f32 + from, (size_t)n * 4);
    return;
  case HED_ID_FLOAT64:
    memcpy(dst, x->f64 + from, (size_t)n * 8);
    return;
  case HED_ID_BOOL: /* bits: the lowest; integers: not 0 */
    for (int i = 0; i < n; i++)
      ((bool *)dst)[i] = is_wide ? x->u64[from + i] != 0 : (x->u32[from + i] & 1) != 0;
    return;
  default:
    break;
  }
  switch (element_size[dtype]) {
  case 1:
    for (int i = 0; i < n; i++)
      ((uint8_t *)dst)[i] = (uint8_t)(is_wide ? x->u64[from + i] : x->u32[from + i]);
    break;
  case 2:
    for (int i = 0; i < n; i++)
      ((uint16_t *)(void *)dst)[i] = (uint16_t)(is_wide ? x->u64[from + i] : x->u32[from + i]);
    break;
  case 4:
    if (!is_wide)
      memcpy(dst, x->u32 + from, (size_t)n * 4);
    for (int i = 0; i < n && is_wide; i++)
      ((uint32_t *)(void *)dst)[i] = (uint32_t)x->u64[from + i];
    break;
  default:
    memcpy(dst, x->u64 + from, (size_t)n * 8);
  }
}

void hed__random_once(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst)
{
  const bool is_wide = wide(p, dtype);
  const int per_block = is_wide ? 2 : 4, per_chunk = per_block * CHUNK, size = element_size[dtype];
  const int shift = dtype == HED_ID_FLOAT16 ? 21 : dtype == HED_ID_BFLOAT16 ? 24 : 8;
  const bool unit = p->a == 0 && p->b == 1;
  const double limit = p->kind == HED_RANDOM_UNIFORM && !unit ? hed__random_limit(dtype, p->a, p->b) : 0;
  char *out = dst;
  uint64_t block = (uint64_t)first / (uint64_t)per_block;
  int from = (int)((uint64_t)first % (uint64_t)per_block);
  lanes l;
  elements x;

  if (p->kind > HED_RANDOM_INTEGERS) {
    fill_transforms(p, dtype, first, n, out);
    return;
  }
  if (dtype == HED_ID_COMPLEX64 || dtype == HED_ID_COMPLEX128) { /* the parts are elements 2 i and 2 i + 1 */
    hed__random_once(p, dtype == HED_ID_COMPLEX64 ? HED_ID_FLOAT32 : HED_ID_FLOAT64, 2 * first, 2 * n, dst);
    return;
  }
  for (; n > 0; block += CHUNK, from = 0) {
    int count = n < per_chunk - from ? (int)n : per_chunk - from;
    make_blocks(p, block, 0, &l);
    switch (p->kind) {
    case HED_RANDOM_UNIFORM:
      if (is_wide) {
        unit64(&l, x.f64);
        if (!unit)
          scale_unit64(p, limit, x.f64);
      } else {
        unit32(&l, shift, x.f32);
        if (!unit)
          scale_unit32(p, limit, x.f32);
      }
      break;
    case HED_RANDOM_NORMAL:
      if (is_wide)
        normals64(p, &l, x.f64);
      else
        normals32(p, &l, x.f32);
      break;
    case HED_RANDOM_INTEGERS:
      if (p->span && p->span <= UINT32_MAX) {
        integers64_near(p, &l, x.u64);
      } else {
        bits64(&l, &x);
        integers64(p, x.u64);
      }
      break;
    default:
      if (is_wide)
        bits64(&l, &x);
      else
        bits32(&l, x.u32);
    }
    store(dtype, is_wide, &x, from, count, out);
    out += (int64_t)count * size;
    n -= count;
  }
}
