// SPDX-License-Identifier: BSD-3-Clause
/* lib/base/random/random.c: known answers, independence of chunking, exactness against a plain second implementation, and
 * the distributions (moments, Kolmogorov-Smirnov). Every draw has a fixed key, so the statistics cannot flicker.
 */
#include "base/half.h"
#include "base/random/random.h"
#include "base/random/random_math.h"
#include "base/random/variates.h"

#include "tap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 16 };

static const struct {
  int id;
  int size;
  const char *name;
} types[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) { HED_ID_##ID, bytes, #name },
#include <heddle/dtypes.def>
};

static hed_random_params params(int kind, uint64_t key, double a, double b)
{
  return (hed_random_params){ .kind = kind, .key = key, .draw = 5, .a = a, .b = b, .low = -3, .span = 1000 };
}

/* Random123 1.14, kat_vectors, philox4x32 with 10 rounds. */
static void known_answers(void)
{
  static const uint32_t kat[3][10] = {
    { 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
    { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
      0x6d5451fd },
    { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
      0x24126ea1 },
  };
  for (int k = 0; k < 3; k++) {
    uint32_t out[4];
    hed__philox(kat[k], kat[k] + 4, out);
    is_mem(out, kat[k] + 6, 16, "known answer %d", k);
  }
  /* the same through a draw: key, draw and block index fill key and counter */
  hed_random_params p = { .kind = HED_RANDOM_BITS, .key = 0x299f31d0a4093822u, .draw = 0x0370734413198a2eu };
  uint64_t pair[2];
  int64_t block = INT64_C(0x05a308d3243f6a88);
  uint32_t ctr[4] = { 0x243f6a88, 0x05a308d3, 0x13198a2e, 0x03707344 }, out[4];
  hed__philox(ctr, kat[2] + 4, out);
  hed__random_fill(&p, HED_ID_UINT64, 2 * block, 2, pair);
  is_uint(pair[0], (uint64_t)out[1] << 32 | out[0], "first 64-bit quantity of a block beyond 2^32");
  is_uint(pair[1], (uint64_t)out[3] << 32 | out[2], "second 64-bit quantity");
  uint32_t four[4];
  hed__random_fill(&p, HED_ID_UINT32, 4 * block, 4, four);
  is_mem(four, out, 16, "the same block as 32-bit quantities");
}

static void fold(void)
{
  ok(hed__fold_key(1, 0) != hed__fold_key(1, 1), "children differ");
  ok(hed__fold_key(1, 0) != hed__fold_key(2, 0), "parents differ");
  ok(hed__fold_key(7, UINT64_C(1) << 32) != hed__fold_key(7, 0), "the index has 64 bits");
  uint32_t ctr[4] = { 9, 0, UINT32_MAX, UINT32_MAX }, key[2] = { 7, 0 }, out[4];
  hed__philox(ctr, key, out);
  is_uint(hed__fold_key(7, 9), (uint64_t)out[1] << 32 | out[0], "fold is block (index, 2^64 - 1)");
}

/* Any split of a range gives the bytes of the whole. */
static void chunks(void)
{
  static const int64_t cuts[] = { 1, 3, 7, 8, 125, 256, 257, 511, 1000 };
  static const int64_t starts[] = { 0, 5, INT64_C(0x100000000) * 4 - 300, INT64_C(0x100000000) * 2 - 131 };
  char *whole = malloc(2048 * 8), *part = malloc(2048 * 8);
  for (int t = 0; t < HED_ID_COMPLEX64; t++) {
    bool real = types[t].id >= HED_ID_FLOAT16, same = true;
    for (int kind = HED_RANDOM_BITS; kind <= HED_RANDOM_INTEGERS; kind++) {
      if (real != (kind == HED_RANDOM_UNIFORM || kind == HED_RANDOM_NORMAL))
        continue;
      hed_random_params p = params(kind, 11, -1, 2);
      for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        hed__random_fill(&p, types[t].id, starts[s], 2048, whole);
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
          memset(part, 0xa5, 2048 * 8);
          for (int64_t i = 0; i < 2048; i += cuts[c])
            hed__random_fill(&p, types[t].id, starts[s] + i, i + cuts[c] > 2048 ? 2048 - i : cuts[c],
                             part + i * types[t].size);
          same = same && memcmp(whole, part, 2048 * (size_t)types[t].size) == 0;
        }
      }
    }
    ok(same, "%s: any split gives the same bytes", types[t].name);
  }
  free(whole);
  free(part);
}

/* The same for the kinds computed in float64, parameters of operands included. */
static void variate_chunks(void)
{
  static const int64_t cuts[] = { 1, 3, 100, 128, 257 };
  static const int64_t starts[] = { 0, 5, INT64_C(0x100000000) - 300, INT64_C(0x200000000) - 131 };
  enum { M = 600 };
  char *whole = malloc(M * 16), *part = malloc(M * 16);
  double *a = malloc(M * 8), *b = malloc(M * 8);
  for (int i = 0; i < M; i++) {
    a[i] = 0.3 + i % 7 * 5;
    b[i] = 0.1 + i % 3 * 0.4;
  }
  for (int kind = HED_RANDOM_EXPONENTIAL; kind < HED_RANDOM_KIND_COUNT_; kind++) {
    bool same = true, far = true;
    int dtype = kind == HED_RANDOM_PHASOR ? HED_ID_COMPLEX128 : kind % 2 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
    int size = types[dtype].size;
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
      hed_random_params p = params(kind, 11, 0.5, 0.75);
      for (int i = 0; kind == HED_RANDOM_BINOMIAL && i < M; i++)
        a[i] = i % 60;
      hed__variates(&p, dtype, starts[s], M, whole, a, b);
      for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        memset(part, 0xa5, M * 16);
        for (int64_t i = 0; i < M; i += cuts[c])
          hed__variates(&p, dtype, starts[s] + i, i + cuts[c] > M ? M - i : cuts[c], part + i * size, a + i, b + i);
        same = same && memcmp(whole, part, M * (size_t)size) == 0;
      }
      if (s > 1) { /* the high word of the counter matters: not what the low word alone would give */
        hed__variates(&p, dtype, (int64_t)((uint64_t)starts[s] & UINT32_MAX) + M, 200, part, a, b);
        far = far && memcmp(whole, part, 200 * (size_t)size) != 0;
      }
    }
    ok(same && far, "kind %d: any split gives the same bytes, also across 2^32 elements", kind);
  }
  free(whole);
  free(part);
  free(a);
  free(b);
}

/* The elementary functions against long double. */
static void functions(void)
{
  double worst_log = 0, worst_exp = 0, worst_log1p = 0, worst_turn = 0;
  hed_random_params p = params(HED_RANDOM_UNIFORM, 41, 0, 1);
  double *u = malloc(N * 8);
  hed__random_fill(&p, HED_ID_FLOAT64, 0, N, u);
  for (int i = 0; i < N; i++) {
    double x = exp(1400 * (u[i] - 0.5)), y = 1400 * (u[i] - 0.5), z = -u[i] * (i & 1 ? 1 : 1e-9), c, s;
    long double w = logl(x);
    if (fabsl(w) > 0)
      worst_log = fmax(worst_log, (double)fabsl((hed__rlog(x) - w) / w));
    w = expl(y);
    if (y > -708)
      worst_exp = fmax(worst_exp, (double)fabsl((hed__rexp(y) - w) / w));
    if (z != 0)
      worst_log1p = fmax(worst_log1p, (double)fabsl((hed__rlog1p(z) - log1pl(z)) / log1pl(z)));
    uint64_t b = (uint64_t)(u[i] * 0x1p53) << 11;
    long double t = 8 * atanl(1) * ((long double)b * 0x1p-64L);
    hed__rturn((uint32_t)b, (uint32_t)(b >> 32), &c, &s);
    worst_turn = fmax(worst_turn, (double)fmaxl(fabsl(c - cosl(t)), fabsl(s - sinl(t))));
  }
  diag("errors in 2^-52: log %.2f, exp %.2f, log1p %.2f, turn %.2f", worst_log * 0x1p52, worst_exp * 0x1p52,
       worst_log1p * 0x1p52, worst_turn * 0x1p52);
  ok(worst_log < 0x1p-51, "logarithm");
  ok(worst_exp < 0x1p-51, "exponential");
  ok(worst_log1p < 0x1p-50, "logarithm of 1 + x");
  ok(worst_turn < 0x1p-52, "sine and cosine");
  ok(hed__rexp(-800) == 0 && isinf(hed__rexp(800)) && hed__rexp(0) == 1 && hed__rlog(1) == 0, "ends of the range");
  free(u);
}

/* The definitions of random.h, element by element from the bits. */
static void exact(void)
{
  uint32_t *w = malloc(N * 4);
  uint64_t *u = malloc(N * 8);
  float *f = malloc(N * 4);
  double *d = malloc(N * 8);
  uint16_t *h = malloc(N * 2);
  int64_t *k = malloc(N * 8);
  int8_t *b = malloc(N);
  hed_random_params p = params(HED_RANDOM_BITS, 3, 0, 1);
  hed__random_fill(&p, HED_ID_UINT32, 0, N, w);
  hed__random_fill(&p, HED_ID_UINT64, 0, N, u);
  p.kind = HED_RANDOM_UNIFORM;
  bool good = true;
  hed__random_fill(&p, HED_ID_FLOAT32, 0, N, f);
  for (int i = 0; i < N; i++)
    good = good && f[i] == (float)(w[i] >> 8) * 0x1p-24f;
  ok(good, "uniform float32 is (u >> 8) 2^-24");
  hed__random_fill(&p, HED_ID_FLOAT64, 0, N, d);
  good = true;
  for (int i = 0; i < N; i++)
    good = good && d[i] == (double)(u[i] >> 11) * 0x1p-53;
  ok(good, "uniform float64 is (u >> 11) 2^-53");
  hed__random_fill(&p, HED_ID_FLOAT16, 0, N, h);
  good = true;
  for (int i = 0; i < N; i++)
    good = good && hed__half_to_float(h[i]) == (float)(w[i] >> 21) * 0x1p-11f;
  ok(good, "uniform float16 is (u >> 21) 2^-11");
  hed__random_fill(&p, HED_ID_BFLOAT16, 0, N, h);
  good = true;
  for (int i = 0; i < N; i++)
    good = good && hed__bfloat_to_float(h[i]) == (float)(w[i] >> 24) * 0x1p-8f;
  ok(good, "uniform bfloat16 is (u >> 24) 2^-8");

#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  static const uint64_t spans[] = { 1, 2, 6, 1000, UINT32_MAX, UINT64_C(0x123456789abcdef1), UINT64_MAX, 0 };
  p.kind = HED_RANDOM_INTEGERS;
  for (size_t s = 0; s < sizeof spans / sizeof *spans; s++) {
    p.span = spans[s];
    p.low = -3;
    hed__random_fill(&p, HED_ID_INT64, 0, N, k);
    good = true;
    for (int i = 0; i < N; i++) {
      uint64_t want = spans[s] ? (uint64_t)((wide)u[i] * spans[s] >> 64) : u[i];
      good = good && (uint64_t)k[i] == want + (uint64_t)INT64_C(-3);
    }
    ok(good, "integers with span %llu", (unsigned long long)spans[s]);
  }
#else
  skip(8, "no 128-bit integers to compare with");
#endif
  p.kind = HED_RANDOM_INTEGERS;
  p.span = 100;
  hed__random_fill(&p, HED_ID_INT64, 0, N, k);
  hed__random_fill(&p, HED_ID_INT8, 0, N, b);
  good = true;
  for (int i = 0; i < N; i++)
    good = good && k[i] == b[i] && k[i] >= -3 && k[i] < 97;
  ok(good, "integers do not depend on the width of the dtype");

  /* normals against long double */
  p = params(HED_RANDOM_NORMAL, 3, 0, 1);
  hed__random_fill(&p, HED_ID_FLOAT32, 0, N, f);
  hed__random_fill(&p, HED_ID_FLOAT64, 0, N, d);
  long double worst32 = 0, worst64 = 0, tau = 8 * atanl(1.0L);
  for (int i = 0; i < N; i += 2) {
    long double v = ((long double)((float)(int32_t)(w[i] >> 1) + 0.5f)) * 0x1p-31L, r = sqrtl(-2 * logl(v));
    long double a = tau * (w[i + 1] * 0x1p-32L), e = fmaxl(fabsl(r * cosl(a) - f[i]), fabsl(r * sinl(a) - f[i + 1]));
    worst32 = fmaxl(worst32, r > 0 ? e / (r * 0x1p-24L) : 0);
    v = (long double)((double)(u[i] >> 11) + 0.5) * 0x1p-53L;
    r = sqrtl(-2 * logl(v));
    a = tau * (u[i + 1] * 0x1p-64L);
    e = fmaxl(fabsl(r * cosl(a) - d[i]), fabsl(r * sinl(a) - d[i + 1]));
    worst64 = fmaxl(worst64, r > 0 ? e / (r * 0x1p-53L) : 0);
  }
  diag("normal: largest error in 2^-24 and 2^-53 of the radius: %.2Lf, %.2Lf", worst32, worst64);
  ok(worst32 < 3.5L, "normal float32 is within 3.5 2^-24 of the radius");
#if LDBL_MANT_DIG >= 64
  ok(worst64 < 3.5L, "normal float64 is within 3.5 2^-53 of the radius");
#else
  skip(1, "long double is no wider than double");
#endif
  hed_random_params q = params(HED_RANDOM_NORMAL, 3, 10, 0.25);
  double *e = malloc(N * 8);
  hed__random_fill(&q, HED_ID_FLOAT64, 0, N, e);
  good = true;
  for (int i = 0; i < N; i++)
    good = good && e[i] == 10 + 0.25 * d[i];
  ok(good, "mean and standard deviation");
  free(e);
  free(w);
  free(u);
  free(f);
  free(d);
  free(h);
  free(k);
  free(b);
}

/* The fingerprint of 4099 elements from element 1: any change of a bit on any compiler or machine shows. */
static uint64_t fingerprint(int kind, int dtype, int size, double a, double b)
{
  enum { M = 4099 };
  static unsigned char bytes[M * 8];
  hed_random_params p = params(kind, UINT64_C(0x0123456789abcdef), a, b);
  uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  hed__random_fill(&p, dtype, 1, M, bytes);
  for (int i = 0; i < M * size; i++)
    h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
  return h;
}

static void fingerprints(void)
{
  const uint16_t one = 1;
  if (*(const unsigned char *)&one != 1) {
    skip(6, "fingerprints are of little-endian bytes");
    return;
  }
  is_uint(fingerprint(HED_RANDOM_UNIFORM, HED_ID_FLOAT32, 4, -1, 3),
          UINT64_C(0x1e04c11d46e60fcd), "uniform float32");
  is_uint(fingerprint(HED_RANDOM_UNIFORM, HED_ID_FLOAT64, 8, -1, 3),
          UINT64_C(0x4a26cbf2e20d99f2), "uniform float64");
  is_uint(fingerprint(HED_RANDOM_NORMAL, HED_ID_FLOAT32, 4, 0, 1),
          UINT64_C(0xb58b84d7148d87dc), "normal float32");
  is_uint(fingerprint(HED_RANDOM_NORMAL, HED_ID_FLOAT64, 8, 0, 1),
          UINT64_C(0xc28b2f29ca6ee6e1), "normal float64");
  is_uint(fingerprint(HED_RANDOM_NORMAL, HED_ID_FLOAT16, 2, 1, 2),
          UINT64_C(0x7de9a28d02f15655), "normal float16");
  is_uint(fingerprint(HED_RANDOM_INTEGERS, HED_ID_INT16, 2, 0, 1),
          UINT64_C(0xdb989cd65f3e9d97), "integers int16");
}

/* high is never reached, although rounding to the dtype would. */
static void limits(void)
{
  static const struct {
    double low, high;
  } range[] = { { 0, 1 }, { 1, 2 }, { -1, 1 }, { 0, 1e-6 }, { 1000, 1001 }, { -2, -1 }, { -1, 0 }, { 0, 3e4 }, { 0.1, 0.3 } };
  char *x = malloc(N * 8);
  for (size_t r = 0; r < sizeof range / sizeof *range; r++)
    for (int t = HED_ID_FLOAT16; t <= HED_ID_FLOAT64; t++) {
      hed_random_params p = params(HED_RANDOM_UNIFORM, 17, range[r].low, range[r].high);
      double least = INFINITY, largest = -INFINITY;
      hed__random_fill(&p, t, 0, N, x);
      for (int i = 0; i < N; i++) {
        double v = t == HED_ID_FLOAT16    ? (double)hed__half_to_float(((uint16_t *)(void *)x)[i])
                   : t == HED_ID_BFLOAT16 ? (double)hed__bfloat_to_float(((uint16_t *)(void *)x)[i])
                   : t == HED_ID_FLOAT32  ? (double)((float *)(void *)x)[i]
                                          : ((double *)(void *)x)[i];
        least = fmin(least, v);
        largest = fmax(largest, v);
      }
      /* low itself may round down in a narrow type */
      double slack = fabs(range[r].low) * (t == HED_ID_BFLOAT16 ? 0x1p-8 : t == HED_ID_FLOAT16 ? 0x1p-11 : 0x1p-24);
      if (t == HED_ID_FLOAT16)
        slack += 0x1p-25;
      ok(least >= range[r].low - slack && largest < range[r].high, "%s in [%g, %g): %.17g to %.17g", types[t].name,
         range[r].low, range[r].high, least, largest);
    }
  hed_random_params p = params(HED_RANDOM_UNIFORM, 17, 2, 2);
  hed__random_fill(&p, HED_ID_FLOAT64, 0, 1, x);
  ok(*(double *)(void *)x == 2, "an empty range gives low");
  free(x);
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* sqrt(n) D of the sorted sample against the cumulative distribution; above 1.95 with probability 0.001. */
static double kolmogorov(double *x, int n, double (*cdf)(double))
{
  double d = 0;
  qsort(x, (size_t)n, sizeof *x, ascending);
  for (int i = 0; i < n; i++) {
    double c = cdf(x[i]);
    d = fmax(d, fmax(fabs(c - i / (double)n), fabs((i + 1) / (double)n - c)));
  }
  return d * sqrt(n);
}

static double uniform_cdf(double x) { return x; }
static double normal_cdf(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static void distributions(void)
{
  double *x = malloc(N * 8);
  float *f = malloc(N * 4);
  for (int kind = HED_RANDOM_UNIFORM; kind <= HED_RANDOM_NORMAL; kind++)
    for (int single = 0; single < 2; single++) {
      bool normal = kind == HED_RANDOM_NORMAL;
      const char *name = normal ? "normal" : "uniform", *type = single ? "float32" : "float64";
      hed_random_params p = params(kind, 23 + (uint64_t)single, 0, 1);
      if (single) {
        hed__random_fill(&p, HED_ID_FLOAT32, 0, N, f);
        for (int i = 0; i < N; i++)
          x[i] = (double)f[i];
      } else {
        hed__random_fill(&p, HED_ID_FLOAT64, 0, N, x);
      }
      double m[5] = { 0 }, lag = 0, centre = normal ? 0 : 0.5, var = normal ? 1 : 1 / 12.0;
      for (int i = 0; i < N; i++) {
        double c = (x[i] - centre) / sqrt(var), power = 1;
        for (int k = 0; k < 5; k++, power *= c)
          m[k] += power / N;
        lag += i ? c * (x[i - 1] - centre) / sqrt(var) / N : 0;
      }
      /* limits of four standard errors of each mean */
      double se = 4 / sqrt(N), kurtosis = normal ? 3 : 1.8;
      is_near(m[1], 0, 0, se, "%s %s: mean", name, type);
      is_near(m[2], 1, 0, se * sqrt(kurtosis - 1), "%s %s: variance", name, type);
      is_near(m[3], 0, 0, se * (normal ? sqrt(15) : sqrt(27 / 7.0)), "%s %s: third moment", name, type);
      is_near(m[4], kurtosis, 0, se * (normal ? sqrt(96) : sqrt(9 - 3.24)), "%s %s: fourth moment", name, type);
      is_near(lag, 0, 0, se, "%s %s: neighbours are uncorrelated", name, type);
      ok(kolmogorov(x, N, normal ? normal_cdf : uniform_cdf) < 1.95, "%s %s: Kolmogorov-Smirnov", name, type);
    }
  int64_t *k = malloc(N * 8);
  double chi = 0, count[10] = { 0 };
  hed_random_params p = { .kind = HED_RANDOM_INTEGERS, .key = 31, .low = 0, .span = 10 };
  hed__random_fill(&p, HED_ID_INT64, 0, N, k);
  for (int i = 0; i < N; i++)
    count[k[i]]++;
  for (int v = 0; v < 10; v++)
    chi += (count[v] - N / 10.0) * (count[v] - N / 10.0) / (N / 10.0);
  ok(chi < 27.9, "integers: chi-squared of ten values %.2f (0.001 level 27.9)", chi);
  free(k);
  free(x);
  free(f);
}

/* Kinds that transform one quantity of 64 bits, from these bits by the C library. */
static void transforms(void)
{
  enum { COUNT = 5001 };
  static uint64_t bits[COUNT];
  static double got[2 * COUNT];
  static const struct { int kind, id; const char *name; } kinds[] = {
    { HED_RANDOM_EXPONENTIAL, HED_ID_FLOAT64, "exponential" }, { HED_RANDOM_LAPLACE, HED_ID_FLOAT64, "laplace" },
    { HED_RANDOM_BIPOLAR, HED_ID_FLOAT64, "bipolar" }, { HED_RANDOM_PHASOR, HED_ID_COMPLEX128, "phasor" },
  };
  hed_random_params p = params(HED_RANDOM_BITS, 77, 0.25, 3);
  hed__random_fill(&p, HED_ID_UINT64, 0, COUNT, bits);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    double worst = 0;
    p.kind = kinds[k].kind;
    hed__random_fill(&p, kinds[k].id, 0, COUNT, got);
    for (int i = 0; i < COUNT; i++) {
      const double share = (double)(bits[i] >> 11) * 0x1p-53, e = -log(share + 0x1p-54);
      const double turn = 2 * 3.14159265358979323846 * share;
      const double want = p.kind == HED_RANDOM_EXPONENTIAL ? 3 * e : p.kind == HED_RANDOM_LAPLACE ? 0.25 + (bits[i] & 1 ? -3 : 3) * e
                          : p.kind == HED_RANDOM_BIPOLAR ? (share < 0.25 ? 1 : -1) : cos(turn);
      const bool pair = p.kind == HED_RANDOM_PHASOR;
      worst = fmax(worst, fabs(got[pair ? 2 * i : i] - want));
      if (pair)
        worst = fmax(worst, fabs(got[2 * i + 1] - sin(turn)));
    }
    ok(worst < 1e-13, "%s of the bits of each element: off by %.2g", kinds[k].name, worst);
  }
}

int main(void)
{
  known_answers();
  fold();
  chunks();
  variate_chunks();
  functions();
  exact();
  transforms();
  fingerprints();
  limits();
  distributions();
  return done();
}
