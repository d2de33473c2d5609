// SPDX-License-Identifier: BSD-3-Clause
/* Reads and writes in several mixes, and multiply-add, at each level of vector instructions (loops.h).
 *
 * Layer: L5. Intrinsics under target attributes, chosen at run time, so that the program runs on every x86-64 processor.
 * J. D. McCalpin's STREAM (1995) is where copy and triad come from. Elsewhere than on x86: what the compiler makes.
 */
#include "loops.h"
#include <stdlib.h>
#include <string.h>

#define FOUR(X) X(0) X(1) X(2) X(3)
#define TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

/* Two vectors of N elements beside each other, by STREAM past the caches. */
#define PUT(P, to, x, y)                              \
  if (stream)                                         \
    P##_stream_ps(to, x), P##_stream_ps(to + N, y);   \
  else                                                \
    P##_store_ps(to, x), P##_store_ps(to + N, y)

/* One level: S its suffix, V and W its float and double vectors, P the prefix of its intrinsics. */
#define MEMORY(S, TARGET, V, P)                                                                              \
  TARGET static void read_##S(void *const *at, size_t bytes, bool stream)                                    \
  {                                                                                                          \
    const float *p = at[1], *end = p + bytes / 4;                                                            \
    enum { N = sizeof(V) / 4 };                                                                              \
    V s0 = P##_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;                                                      \
    for (; p < end; p += 4 * N) {                                                                            \
      if (stream)                                                                                            \
        for (unsigned k = 0; k < 4 * sizeof(V); k += 64)                                                     \
          __builtin_prefetch((const char *)p + 4096 + k);                                                    \
      s0 = P##_add_ps(s0, P##_load_ps(p));                                                                   \
      s1 = P##_add_ps(s1, P##_load_ps(p + N));                                                               \
      s2 = P##_add_ps(s2, P##_load_ps(p + 2 * N));                                                           \
      s3 = P##_add_ps(s3, P##_load_ps(p + 3 * N));                                                           \
    }                                                                                                        \
    P##_store_ps(at[0], P##_add_ps(P##_add_ps(s0, s1), P##_add_ps(s2, s3)));                                 \
  }                                                                                                          \
  TARGET static void write_##S(void *const *at, size_t bytes, bool stream)                                   \
  {                                                                                                          \
    float *r = at[0], *end = r + bytes / 4;                                                                  \
    enum { N = sizeof(V) / 4 };                                                                              \
    const V x = P##_set1_ps(1.5f);                                                                           \
    if (stream)                                                                                              \
      for (; r < end; r += 4 * N) {                                                                          \
        P##_stream_ps(r, x), P##_stream_ps(r + N, x);                                                        \
        P##_stream_ps(r + 2 * N, x), P##_stream_ps(r + 3 * N, x);                                            \
      }                                                                                                      \
    else                                                                                                     \
      for (; r < end; r += 4 * N) {                                                                          \
        P##_store_ps(r, x), P##_store_ps(r + N, x);                                                          \
        P##_store_ps(r + 2 * N, x), P##_store_ps(r + 3 * N, x);                                              \
      }                                                                                                      \
    _mm_sfence();                                                                                            \
  }                                                                                                          \
  TARGET static void copy_##S(void *const *at, size_t bytes, bool stream)                                    \
  {                                                                                                          \
    const float *p = at[1], *end = p + bytes / 4;                                                            \
    float *r = at[0];                                                                                        \
    enum { N = sizeof(V) / 4 };                                                                              \
    if (stream)                                                                                              \
      for (; p < end; p += 2 * N, r += 2 * N)                                                                \
        P##_stream_ps(r, P##_load_ps(p)), P##_stream_ps(r + N, P##_load_ps(p + N));                          \
    else                                                                                                     \
      for (; p < end; p += 2 * N, r += 2 * N)                                                                \
        P##_store_ps(r, P##_load_ps(p)), P##_store_ps(r + N, P##_load_ps(p + N));                            \
    _mm_sfence();                                                                                            \
  }                                                                                                          \
  TARGET static void triad_##S(void *const *at, size_t bytes, bool stream)                                   \
  {                                                                                                          \
    const float *p = at[1], *q = at[2], *end = p + bytes / 4;                                                \
    float *r = at[0];                                                                                        \
    enum { N = sizeof(V) / 4 };                                                                              \
    const V three = P##_set1_ps(3);                                                                          \
    for (; p < end; p += 2 * N, q += 2 * N, r += 2 * N) {                                                    \
      V x = P##_add_ps(P##_load_ps(p), P##_mul_ps(three, P##_load_ps(q)));                                   \
      V y = P##_add_ps(P##_load_ps(p + N), P##_mul_ps(three, P##_load_ps(q + N)));                           \
      PUT(P, r, x, y);                                                                                       \
    }                                                                                                        \
    _mm_sfence();                                                                                            \
  }                                                                                                          \
  TARGET static void quad_##S(void *const *at, size_t bytes, bool stream)                                    \
  {                                                                                                          \
    const float *p = at[1], *q = at[2], *v = at[3], *end = p + bytes / 4;                                    \
    float *r = at[0];                                                                                        \
    enum { N = sizeof(V) / 4 };                                                                              \
    for (; p < end; p += 2 * N, q += 2 * N, v += 2 * N, r += 2 * N) {                                        \
      V x = P##_add_ps(P##_load_ps(v), P##_mul_ps(P##_load_ps(p), P##_load_ps(q)));                          \
      V y = P##_add_ps(P##_load_ps(v + N), P##_mul_ps(P##_load_ps(p + N), P##_load_ps(q + N)));              \
      PUT(P, r, x, y);                                                                                       \
    }                                                                                                        \
    _mm_sfence();                                                                                            \
  }                                                                                                          \
  TARGET static void twice_##S(void *const *at, size_t bytes, bool stream)                                   \
  {                                                                                                          \
    const float *p = at[2], *end = p + bytes / 4;                                                            \
    float *r = at[0], *t = at[1];                                                                            \
    enum { N = sizeof(V) / 4 };                                                                              \
    for (; p < end; p += 2 * N, r += 2 * N, t += 2 * N) {                                                    \
      V x = P##_load_ps(p), y = P##_load_ps(p + N);                                                          \
      PUT(P, r, x, y);                                                                                       \
      PUT(P, t, x, y);                                                                                       \
    }                                                                                                        \
    _mm_sfence();                                                                                            \
  }

#define PEAK(S, TARGET, NAME, V, T, SET1, MADD, STORE)                                                       \
  TARGET static double NAME##_##S(long n)                                                                    \
  {                                                                                                          \
    enum { N = sizeof(V) / sizeof(T) };                                                                      \
    const V x = SET1((T)0.999), y = SET1((T)1e-3);                                                           \
    V TWELVE_NAMES;                                                                                          \
    TWELVE(PEAK_START_)                                                                                      \
    for (long i = 0; i < n; i++) {                                                                           \
      TWELVE_STEPS(MADD)                                                                                     \
    }                                                                                                        \
    T out[N];                                                                                                \
    double sum = 0;                                                                                          \
    TWELVE_SUM(STORE, V)                                                                                     \
    return sum > 0 ? 24.0 * N * (double)n : 0;                                                               \
  }
#define TWELVE_NAMES v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
#define PEAK_START_(k) v##k = y;
#define STEP_(MADD, k) v##k = MADD(v##k, x, y);
#define TWELVE_STEPS(MADD)                                                                                   \
  STEP_(MADD, 0) STEP_(MADD, 1) STEP_(MADD, 2) STEP_(MADD, 3) STEP_(MADD, 4) STEP_(MADD, 5)                  \
  STEP_(MADD, 6) STEP_(MADD, 7) STEP_(MADD, 8) STEP_(MADD, 9) STEP_(MADD, 10) STEP_(MADD, 11)
#define SUM_(STORE, k) STORE(out, v##k); sum += (double)out[0];
#define TWELVE_SUM(STORE, V)                                                                                 \
  SUM_(STORE, 0) SUM_(STORE, 1) SUM_(STORE, 2) SUM_(STORE, 3) SUM_(STORE, 4) SUM_(STORE, 5)                  \
  SUM_(STORE, 6) SUM_(STORE, 7) SUM_(STORE, 8) SUM_(STORE, 9) SUM_(STORE, 10) SUM_(STORE, 11)

#ifdef __x86_64__
#include <immintrin.h>
#  define AVX512 __attribute__((target("avx512f")))
#  define AVX2 __attribute__((target("avx2,fma")))
#  define MADD_SSE_PS(a, x, y) _mm_add_ps(_mm_mul_ps(a, x), y)
#  define MADD_SSE_PD(a, x, y) _mm_add_pd(_mm_mul_pd(a, x), y)
MEMORY(base, , __m128, _mm)
MEMORY(avx2, AVX2, __m256, _mm256)
MEMORY(avx512, AVX512, __m512, _mm512)
PEAK(base, , peak32, __m128, float, _mm_set1_ps, MADD_SSE_PS, _mm_storeu_ps)
PEAK(base, , peak64, __m128d, double, _mm_set1_pd, MADD_SSE_PD, _mm_storeu_pd)
PEAK(avx2, AVX2, peak32, __m256, float, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_storeu_ps)
PEAK(avx2, AVX2, peak64, __m256d, double, _mm256_set1_pd, _mm256_fmadd_pd, _mm256_storeu_pd)
PEAK(avx512, AVX512, peak32, __m512, float, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_storeu_ps)
PEAK(avx512, AVX512, peak64, __m512d, double, _mm512_set1_pd, _mm512_fmadd_pd, _mm512_storeu_pd)

static void fill(void *const *at, size_t bytes, bool zeros)
{
  void *c = at[0];
  __asm__ volatile("rep stosb" : "+D"(c), "+c"(bytes) : "a"(!zeros) : "memory");
}

const bench_loops *bench_loops_best(void)
{
  static const bench_loops
    base = { "SSE2", read_base, write_base, fill, twice_base, copy_base, triad_base, quad_base, peak32_base, peak64_base },
    avx2 = { "AVX2", read_avx2, write_avx2, fill, twice_avx2, copy_avx2, triad_avx2, quad_avx2, peak32_avx2, peak64_avx2 },
    avx512 = { "AVX-512", read_avx512, write_avx512, fill, twice_avx512, copy_avx512, triad_avx512, quad_avx512, peak32_avx512,
               peak64_avx512 };
  /* What the cpu backend is kept from, its floor is too. */
  const char *most = getenv("HEDDLE_CPU_LEVEL");
  const bool plain = most && !strcmp(most, "base"), half = plain || (most && !strcmp(most, "avx2"));
  if (__builtin_cpu_supports("avx512f") && !half)
    return &avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !plain ? &avx2 : &base;
}
#else
static void read_plain(void *const *at, size_t bytes, bool stream)
{
  const float *p = at[1];
  float sum[4] = { 0 };
  for (size_t i = 0; i < bytes / 4; i += 4) {
#  define ADD_(k) sum[k] += p[i + k];
    FOUR(ADD_)
  }
  *(float *)at[0] = sum[0] + sum[1] + sum[2] + sum[3];
  (void)stream;
}

static void write_plain(void *const *at, size_t bytes, bool stream)
{
  memset(at[0], 1, bytes);
  (void)stream;
}

static void twice_plain(void *const *at, size_t bytes, bool stream)
{
  const float *p = at[2];
  float *r = at[0], *t = at[1];
  for (size_t i = 0; i < bytes / 4; i++)
    r[i] = t[i] = p[i];
  (void)stream;
}

static void copy_plain(void *const *at, size_t bytes, bool stream)
{
  memcpy(at[0], at[1], bytes);
  (void)stream;
}

static void triad_plain(void *const *at, size_t bytes, bool stream)
{
  const float *p = at[1], *q = at[2];
  float *r = at[0];
  for (size_t i = 0; i < bytes / 4; i++)
    r[i] = p[i] + 3 * q[i];
  (void)stream;
}

static void quad_plain(void *const *at, size_t bytes, bool stream)
{
  const float *p = at[1], *q = at[2], *v = at[3];
  float *r = at[0];
  for (size_t i = 0; i < bytes / 4; i++)
    r[i] = p[i] * q[i] + v[i];
  (void)stream;
}

const bench_loops *bench_loops_best(void)
{
  static const bench_loops plain = { "C", read_plain, write_plain, NULL, twice_plain, copy_plain, triad_plain, quad_plain,
                                     NULL, NULL };
  return &plain;
}
#endif
