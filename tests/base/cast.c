// SPDX-License-Identifier: BSD-3-Clause
/* lib/base/cast: all pairs of dtypes, on edge values and random patterns.
 *
 * The truth is computed in long double (64 bits of precision: every element of every dtype is exact in it), with
 * rounding to the short floats by rintl at the right scale.
 */
#include "base/cast.h"
#include "base/dtype.h"
#include "gen.h"
#include "tap.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(LDBL_MANT_DIG >= 64, "long double must hold 64-bit integers");

enum { N = 3000, WIDE = 16 };

static const char *const names[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = #name,
#include <heddle/dtypes.def>
#undef HED_DTYPE
};
static const int sizes[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = bytes,
#include <heddle/dtypes.def>
#undef HED_DTYPE
};

typedef struct number { long double re, im; } number;

/* A 16-bit float with that many bits of fraction. */
static long double short_value(uint16_t h, int fraction, int bias)
{
  int exponent = (h & 0x7fff) >> fraction, most = 0x7fff >> fraction, bits = h & ((1 << fraction) - 1);
  long double m;
  if (exponent == most)
    m = bits ? NAN : INFINITY;
  else
    m = exponent ? ldexpl(1 + ldexpl(bits, -fraction), exponent - bias) : ldexpl(bits, 1 - bias - fraction);
  return h & 0x8000 ? -m : m;
}

static uint16_t short_round(long double x, int fraction, int bias)
{
  uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = (uint16_t)((0x7fff >> fraction) << fraction);
  int exponent;
  x = fabsl(x);
  if (isinf(x))
    return sign | infinity;
  if (x == 0)
    return sign;
  frexpl(x, &exponent);
  int unit = (exponent - 1 < 1 - bias ? 1 - bias : exponent - 1) - fraction; /* of the last place */
  long double r = ldexpl(rintl(ldexpl(x, -unit)), unit);
  if (r >= ldexpl(1, bias + 1))
    return sign | infinity;
  for (uint32_t h = 0; h < infinity; h++) /* found by value: no second encoder that could share a mistake */
    if (short_value((uint16_t)h, fraction, bias) == r)
      return sign | (uint16_t)h;
  return 0xffff;
}

static number read(int id, const char *p)
{
  switch (id) {
#define READ(ID, type) case HED_ID_##ID: { type v; memcpy(&v, p, sizeof v); return (number){ v, 0 }; }
  READ(INT8, int8_t) READ(INT16, int16_t) READ(INT32, int32_t) READ(INT64, int64_t)
  READ(UINT8, uint8_t) READ(UINT16, uint16_t) READ(UINT32, uint32_t) READ(UINT64, uint64_t)
  READ(FLOAT32, float) READ(FLOAT64, double)
#undef READ
  case HED_ID_BOOL: return (number){ *p != 0, 0 };
  case HED_ID_FLOAT16: { uint16_t h; memcpy(&h, p, 2); return (number){ short_value(h, 10, 15), 0 }; }
  case HED_ID_BFLOAT16: { uint16_t h; memcpy(&h, p, 2); return (number){ short_value(h, 7, 127), 0 }; }
  case HED_ID_COMPLEX64: { float v[2]; memcpy(v, p, 8); return (number){ v[0], v[1] }; }
  default: { double v[2]; memcpy(v, p, 16); return (number){ v[0], v[1] }; }
  }
}

/* cast.h's rule: through int64, or uint64, with saturation; then the low bits. */
static uint64_t whole(long double x, bool is_word, bool from_integer)
{
  if (from_integer)
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
  if (isnan(x))
    return 0;
  if (is_word)
    return x <= 0 ? 0 : x >= 0x1p64L ? UINT64_MAX : (uint64_t)x;
  return x >= 0x1p63L ? INT64_MAX : x <= -0x1p63L ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)x;
}

static bool same_real(long double got, long double want)
{
  return isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want);
}

static bool right(int from, int to, number x, const char *got)
{
  hed_kind kind = hed__id_kind(to);
  hed_kind source = hed__id_kind(from);
  number g = read(to, got);
  if (kind == HED_KIND_BOOL)
    return *got == (x.re != 0 || x.im != 0);
  if (kind == HED_KIND_INT || kind == HED_KIND_UINT) {
    uint64_t want = whole(x.re, to == HED_ID_UINT64, source != HED_KIND_FLOAT && source != HED_KIND_COMPLEX);
    return memcmp(&want, got, (size_t)sizes[to]) == 0; /* little endian: the low bytes come first */
  }
  if (to == HED_ID_FLOAT16 || to == HED_ID_BFLOAT16) {
    uint16_t h, want;
    memcpy(&h, got, 2);
    if (isnan(x.re))
      return isnan(g.re);
    want = to == HED_ID_FLOAT16 ? short_round(x.re, 10, 15) : short_round(x.re, 7, 127);
    return h == want;
  }
  if (to == HED_ID_FLOAT32 || to == HED_ID_COMPLEX64)
    return same_real(g.re, (float)x.re) && (to == HED_ID_FLOAT32 || same_real(g.im, (float)x.im));
  return same_real(g.re, (double)x.re) && (to == HED_ID_FLOAT64 || same_real(g.im, (double)x.im));
}

/* Values at which something changes, as far as the dtype holds them. */
static const double edges[] = {
  0.0, -0.0, 0.5, -0.5, 0.999, -0.999, 1, -1, 1.5, -1.5, 127, 128, -128, -129, 255, 256, 32767, 32768, 65503, 65504,
  65519, 65520, 65535, 65536, 0x1p-14, 0x1.fp-15, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p31, -0x1p31, 0x1p32, 0x1p53, 0x1p62,
  0x1p63, -0x1p63, -0x1.0000000000001p63, 0x1.fffffffffffffp62, 0x1p64, 0x1.fffffffffffffp63, 1e30, -1e30, 3.4e38, 1e39,
  -1e300, INFINITY, -INFINITY, NAN, 0x1.004p0, 0x1.0040000000001p0, 0x1.0020000000001p0, 0x1.01p0, 0x1.0100000000001p0,
  0x1.0000010000001p0, 0x1.000001p0, 0x1.000003p0,
};
static const int64_t whole_edges[] = {
  0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, (1ll << 53) + 1, (1ll << 62) + (1ll << 54) + 1, (1ll << 62) + (1ll << 54),
  (1ll << 24) + 1, 127, 128, -129, 65519, 65520, (1ll << 40) + (1ll << 16) + 1,
};
enum { EDGES = sizeof edges / sizeof *edges, WHOLE_EDGES = sizeof whole_edges / sizeof *whole_edges };

static void put_edge(int id, char *p, double x)
{
  float f[2] = { (float)x, (float)-x };
  double d[2] = { x, -x };
  uint16_t h = isnan(x) ? 0x7fff : id == HED_ID_FLOAT16 ? short_round(x, 10, 15) : short_round(x, 7, 127);
  switch (id) {
  case HED_ID_FLOAT16:
  case HED_ID_BFLOAT16: memcpy(p, &h, 2); break;
  case HED_ID_FLOAT32:
  case HED_ID_COMPLEX64: memcpy(p, f, (size_t)sizes[id]); break;
  default: memcpy(p, d, (size_t)sizes[id]);
  }
}

/* Random patterns, then edges. Wide floats are mostly beyond every integer, so half of them are scaled numbers. */
static void fill(gen *g, int id, char *data)
{
  int size = sizes[id];
  hed_kind kind = hed__id_kind(id);
  gen_bytes(g, data, (size_t)(N * size));
  if (kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX) {
    for (int i = 0; i < N; i += 2)
      if (size > 2)
        put_edge(id, data + i * size, gen_normal(g) * ldexp(1, (int)gen_int(g, -30, 66)));
    for (int i = 0; i < EDGES; i++)
      put_edge(id, data + i * size, edges[i]);
  } else if (kind == HED_KIND_BOOL) {
    for (int i = 0; i < N; i++)
      data[i] = (char)(i % 2);
    data[5] = 2; /* a foreign true */
  } else {
    for (int i = 0; i < WHOLE_EDGES; i++)
      memcpy(data + i * size, &whole_edges[i], (size_t)size);
  }
}

int main(void)
{
  static char from_data[N * WIDE], to_data[N * WIDE], strided[2 * N * WIDE];
  gen g;
  gen_seed(&g, tap_seed());
  for (int from = 0; from < HED_ID_CONCRETE_COUNT_; from++) {
    fill(&g, from, from_data);
    for (int to = 0; to < HED_ID_CONCRETE_COUNT_; to++) {
      int wrong = 0, bad = -1, fs = sizes[from], ts = sizes[to];
      int n = to == HED_ID_FLOAT16 || to == HED_ID_BFLOAT16 ? 300 : N; /* their truth is found by search */
      hed__cast(from, to)(n, to_data, ts, from_data, fs);
      for (int i = 0; i < n; i++) {
        bool good = from == to && from != HED_ID_BOOL ? memcmp(from_data + i * fs, to_data + i * ts, (size_t)ts) == 0
                    : from == to ? (from_data[i] != 0) == (to_data[i] != 0)
                                 : right(from, to, read(from, from_data + i * fs), to_data + i * ts);
        if (!good)
          wrong++, bad = i;
      }
      /* backwards and spaced: the same elements */
      hed__cast(from, to)(n, strided + 2 * (N - 1) * ts, -2 * ts, from_data, fs);
      for (int i = 0; i < n; i++)
        if (memcmp(strided + 2 * (N - 1 - i) * ts, to_data + i * ts, (size_t)ts) != 0)
          wrong++, bad = i;
      if (!is_int(wrong, 0, "%s to %s", names[from], names[to]))
        diag("last at element %d: %.20Lg", bad, read(from, from_data + bad * fs).re);
    }
  }
  return done();
}
