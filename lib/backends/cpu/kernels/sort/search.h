// SPDX-License-Identifier: BSD-3-Clause
/*
 * Binary search in an ordered list for vectors of queries, which halve their ranges together; a body, included by sort.c for reals
 * and for signed words of 32 and 64 bits.
 *
 * AVX2 and AVX-512; contiguous lists and queries, for searchsorted.
 */

/* PLACES are numbers of 32 bits, with AVX2 as wide as the values. queries() are the first K; behind() is STEP further where the
 * query lies behind X, which is there, or, for the RIGHT side, is equal to it. */
#ifdef __AVX512F__
#if WIDTH == 32
#define PLACES __m512i
#define PLACE(name) _mm512_##name##_epi32
#else
#define PLACES __m256i
#define PLACE(name) _mm256_##name##_epi32
#endif
#ifdef LIBM
#define COMPARE(x, q, how) CPU_JOIN(X86(cmp), _mask)(x, q, _CMP_##how##_OQ)
#else
#define COMPARE(x, q, how) CPU_JOIN(X86(cmp), _mask)((__m512i)(x), (__m512i)(q), _MM_CMPINT_##how)
#endif
INLINE V N(queries)(const T *p, int64_t k) { return (V)X86(maskz_loadu)((1u << k) - 1, p); }
INLINE V N(fetch)(const T *s, PLACES p) { return (V)X86(i32gather)(p, s, sizeof(T)); }
INLINE PLACES N(behind)(PLACES p, V x, V q, int step, const bool right)
{
  return PLACE(mask_add)(p, right ? COMPARE(x, q, LE) : COMPARE(x, q, LT), p, PLACE(set1)(step));
}
INLINE void N(put_places)(int64_t *at, int64_t k, PLACES p)
{
#if WIDTH == 32
  const unsigned some = (1u << k) - 1;
  _mm512_mask_storeu_epi64(at, (__mmask8)some, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(p)));
  _mm512_mask_storeu_epi64(at + 8, (__mmask8)(some >> 8), _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(p, 1)));
#else
  _mm512_mask_storeu_epi64(at, (__mmask8)((1u << k) - 1), _mm512_cvtepi32_epi64(p));
#endif
}
#else
#define PLACES WORDS
#ifdef LIBM
#define COMPARE(x, q, how) (WORDS)X86(cmp)(x, q, _CMP_##how##_OQ)
#else
#define COMPARE(x, q, how) (WORDS)COMPARE_##how(x, q)
#define COMPARE_LE(x, q) ((x) <= (q))
#define COMPARE_LT(x, q) ((x) < (q))
#endif
#if WIDTH == 32
INLINE V N(queries)(const T *p, int64_t k) { return (V)_mm256_maskload_epi32((const int *)p, first_32(k)); }
INLINE V N(fetch)(const T *s, WORDS i) { return (V)X86(i32gather)(s, (__m256i)i, sizeof(T)); }
INLINE void N(put_places)(int64_t *at, int64_t k, WORDS p)
{
  _mm256_maskstore_epi64((long long *)at, first_64(k), _mm256_cvtepi32_epi64(_mm256_castsi256_si128((__m256i)p)));
  _mm256_maskstore_epi64((long long *)at + 4, first_64(k - 4), _mm256_cvtepi32_epi64(_mm256_extracti128_si256((__m256i)p, 1)));
}
#else
INLINE V N(queries)(const T *p, int64_t k) { return (V)_mm256_maskload_epi64((const long long *)p, first_64(k)); }
/* Gathering four costs as much as gathering eight, or more. */
INLINE V N(fetch)(const T *s, WORDS i) { return (V){ s[i[0]], s[i[1]], s[i[2]], s[i[3]] }; }
INLINE void N(put_places)(int64_t *at, int64_t k, WORDS p)
{
  _mm256_maskstore_epi64((long long *)at, first_64(k), (__m256i)p);
}
#endif
INLINE WORDS N(behind)(WORDS p, V x, V q, int step, const bool right)
{
  return p + ((right ? COMPARE(x, q, LE) : COMPARE(x, q, LT)) & step);
}
#endif

/* Several vectors at a time, as fetching takes long. */
#define EVERY _Pragma("GCC unroll 4") for (int e = 0; e < SETS; e++)
INLINE void N(search_side)(const int64_t n, const T *s, int64_t m, const T *v, int64_t *at, const bool right)
{
  enum { SETS = CPU_VECTOR == 64 ? 32 / LANES : 4 };
  for (int64_t k = 0; k < m; k += SETS * LANES) {
    V q[SETS], x[SETS];
    PLACES p[SETS];
    int64_t some[SETS], left = n;
    EVERY {
      some[e] = m - k - e * LANES;
      some[e] = some[e] < 0 ? 0 : some[e] < LANES ? some[e] : LANES;
      q[e] = N(queries)(v + k + e * LANES, some[e]);
      p[e] = (PLACES){ 0 };
    }
    for (int64_t half; left > 1; left -= half) {
      half = left / 2;
      EVERY x[e] = N(fetch)(s + half - 1, p[e]);
      EVERY p[e] = N(behind)(p[e], x[e], q[e], (int)half, right);
    }
    EVERY x[e] = N(fetch)(s, p[e]);
    EVERY N(put_places)(at + k + e * LANES, some[e], N(behind)(p[e], x[e], q[e], 1, right));
  }
}

static void N(search)(int64_t n, const T *s, int64_t m, const T *v, int64_t *at, bool right)
{
  if (right)
    N(search_side)(n, s, m, v, at, true);
  else
    N(search_side)(n, s, m, v, at, false);
}
#undef EVERY
#undef COMPARE
#undef PLACE
#undef PLACES
