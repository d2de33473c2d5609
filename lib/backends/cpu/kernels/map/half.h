// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops of float16 and bfloat16, converted in registers: to float32, in which they are computed, and back, with the
 * bits that blocks of hed__cast() give. Included by kernels.c alone, after map.h.
 *
 * One operand of two may be a float32 that is repeated, as numbers beside arrays are: it is not rounded before.
 * AVX2 with F16C and AVX-512, signs and comparisons with zero at every set; contiguous operands or apart.
 */

/* Without conversion: what bits tell. NaN come out quiet, as they do from conversions. */
#define HALF_NAN(a, INFINITE) (((a) & 0x7fff) > (INFINITE))
#define HALF_BITS(H, INFINITE, QUIET, ONE, HALF_TURN)                                                  \
  LOOP1(isnan_##H, uint16_t, uint8_t, HALF_NAN(a, INFINITE))                                           \
  LOOP1(isfinite_##H, uint16_t, uint8_t, (a & 0x7fff) < (INFINITE))                                    \
  LOOP1(relu_##H, uint16_t, uint16_t, (uint16_t)(HALF_NAN(a, INFINITE) ? a | (QUIET) : a & 0x8000 ? 0 : a)) \
  LOOP1(sign_##H, uint16_t, uint16_t,                                                                  \
        (uint16_t)(HALF_NAN(a, INFINITE) ? a | (QUIET) : a & 0x7fff ? (a & 0x8000) | (ONE) : 0))       \
  LOOP1(angle_##H, uint16_t, uint16_t,                                                                 \
        (uint16_t)(HALF_NAN(a, INFINITE) ? a | (QUIET) : a & 0x8000 ? (HALF_TURN) : 0))
HALF_BITS(f16, 0x7c00, 0x200, 0x3c00, 0x4248)
HALF_BITS(bf16, 0x7f80, 0x40, 0x3f80, 0x4049)

#if defined(__F16C__)
#include <immintrin.h>

#define ALWAYS inline __attribute__((always_inline))

#if defined(__AVX512F__)
enum { HALVES = 16 };
typedef __m512 half_vector;
#define OF_HALF(name) _mm512_##name##_ps

static ALWAYS half_vector half_f16(const void *p) { return _mm512_cvtph_ps(_mm256_loadu_si256(p)); }
static ALWAYS void half_to_f16(void *p, half_vector v)
{
  _mm256_storeu_si256(p, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

static ALWAYS half_vector half_bf16(const void *p)
{
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p)), 16));
}

static ALWAYS void half_to_bf16(void *p, half_vector v)
{
  const __m512i b = _mm512_castps_si512(v), one = _mm512_set1_epi32(1), quiet = _mm512_set1_epi32(0x400000);
  const __m512i even = _mm512_and_si512(_mm512_srli_epi32(b, 16), one);
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(b, _mm512_set1_epi32(0x7fff)), even);
  const __m512i all = _mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), b, quiet);
  _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(all, 16)));
}

#define HALF_ROUND(a, how) _mm512_roundscale_ps(a, (how) | _MM_FROUND_NO_EXC)

/* Booleans of a comparison. */
#define HALF_COMPARE(how)                                                                              \
  static ALWAYS void half_to_##how(void *p, half_vector a, half_vector b)                              \
  {                                                                                                    \
    _mm_storeu_si128(p, _mm_maskz_set1_epi8(_mm512_cmp_ps_mask(a, b, _CMP_##how), 1));                 \
  }

/* The second where the first is a number and the second is none, else those of OTHER. */
static ALWAYS half_vector half_no_number(half_vector a, half_vector b, half_vector other)
{
  const __mmask16 none = _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(b, b, _CMP_UNORD_Q), a, a, _CMP_ORD_Q);
  return _mm512_mask_mov_ps(other, none, b);
}
#else
enum { HALVES = 8 };
typedef __m256 half_vector;
#define OF_HALF(name) _mm256_##name##_ps

static ALWAYS half_vector half_f16(const void *p) { return _mm256_cvtph_ps(_mm_loadu_si128(p)); }
static ALWAYS void half_to_f16(void *p, half_vector v)
{
  _mm_storeu_si128(p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

static ALWAYS half_vector half_bf16(const void *p)
{
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16));
}

static ALWAYS void half_to_bf16(void *p, half_vector v)
{
  const __m256i b = _mm256_castps_si256(v), one = _mm256_set1_epi32(1), quiet = _mm256_set1_epi32(0x400000);
  const __m256i even = _mm256_and_si256(_mm256_srli_epi32(b, 16), one);
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(b, _mm256_set1_epi32(0x7fff)), even);
  const __m256 nan = _mm256_castsi256_ps(_mm256_or_si256(b, quiet)), none = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
  const __m256i all = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(rounded), nan, none));
  const __m256i upper = _mm256_srli_epi32(all, 16);
  _mm_storeu_si128(p, _mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1)));
}

#define HALF_ROUND(a, how) _mm256_round_ps(a, (how) | _MM_FROUND_NO_EXC)

#define HALF_COMPARE(how)                                                                              \
  static ALWAYS void half_to_##how(void *p, half_vector a, half_vector b)                              \
  {                                                                                                    \
    const __m256i m = _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_##how));                            \
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));  \
    _mm_storel_epi64(p, _mm_abs_epi8(_mm_packs_epi16(words, words)));                                  \
  }

static ALWAYS half_vector half_no_number(half_vector a, half_vector b, half_vector other)
{
  return _mm256_blendv_ps(other, b, _mm256_and_ps(_mm256_cmp_ps(b, b, _CMP_UNORD_Q), _mm256_cmp_ps(a, a, _CMP_ORD_Q)));
}
#endif

HALF_COMPARE(EQ_OQ)
HALF_COMPARE(NEQ_UQ)
HALF_COMPARE(LT_OQ)
HALF_COMPARE(LE_OQ)
HALF_COMPARE(GT_OQ)
HALF_COMPARE(GE_OQ)

/* M elements, fewer than a vector has or S bytes apart, and back. */
static ALWAYS void half_gather(uint16_t *to, const char *p, int64_t m, int64_t s)
{
  for (int64_t k = 0; k < m; k++)
    memcpy(&to[k], p + k * s, 2);
}

static ALWAYS void half_scatter(char *p, const char *from, int64_t m, int64_t s, size_t size)
{
  for (int64_t k = 0; k < m; k++)
    memcpy(p + k * s, from + (size_t)k * size, size);
}

/* One operand. LOAD and PUT are of the type, PUT of an operation. */
typedef half_vector half_load(const void *p);
typedef void half_put1(void *o, half_vector a, const hed_clip_params *q);
typedef void half_put2(void *o, half_vector a, half_vector b);

DRIVER half1(int64_t n, char *const *p, const int64_t *s, const hed_clip_params *q, half_load *load, half_put1 *put)
{
  int64_t i = 0;
  if (s[0] == 2 && s[1] == 2)
    for (; i + HALVES <= n; i += HALVES)
      put(p[0] + 2 * i, load(p[1] + 2 * i), q);
  for (; i < n; i += HALVES) {
    const int64_t m = n - i < HALVES ? n - i : HALVES;
    uint16_t x[HALVES] = { 0 };
    half_gather(x, p[1] + i * s[1], m, s[1]);
    put(x, load(x), q);
    half_scatter(p[0] + i * s[0], (const char *)x, m, s[0], 2);
  }
}

/* Two, to results of SIZE bytes; SINGLE: the operand (1, 2) that is one float32, or 0. */
DRIVER half2(int64_t n, char *const *p, const int64_t *s, const int64_t size, const int single, half_load *load, half_put2 *put)
{
  const bool one_a = single == 1 || s[1] == 0, one_b = single == 2 || s[2] == 0;
  uint16_t x[HALVES] = { 0 }, y[HALVES] = { 0 }, o[HALVES];
  int64_t i = 0;
  if (n <= 0)
    return;
  for (int k = 0; k < HALVES && one_a && single != 1; k++)
    memcpy(&x[k], p[1], 2);
  for (int k = 0; k < HALVES && one_b && single != 2; k++)
    memcpy(&y[k], p[2], 2);
  const half_vector all_a = single == 1 ? OF_HALF(set1)(*(const float *)(const void *)p[1]) : load(x);
  const half_vector all_b = single == 2 ? OF_HALF(set1)(*(const float *)(const void *)p[2]) : load(y);
  if (single == 0 && s[0] == size && s[1] == 2 && s[2] == 2)
    for (; i + HALVES <= n; i += HALVES)
      put(p[0] + size * i, load(p[1] + 2 * i), load(p[2] + 2 * i));
  else if (single != 1 && s[0] == size && s[1] == 2 && one_b)
    for (; i + HALVES <= n; i += HALVES)
      put(p[0] + size * i, load(p[1] + 2 * i), all_b);
  else if (single != 2 && s[0] == size && one_a && s[2] == 2)
    for (; i + HALVES <= n; i += HALVES)
      put(p[0] + size * i, all_a, load(p[2] + 2 * i));
  for (; i < n; i += HALVES) {
    const int64_t m = n - i < HALVES ? n - i : HALVES;
    half_gather(x, p[1] + i * s[1], one_a ? 0 : m, s[1]);
    half_gather(y, p[2] + i * s[2], one_b ? 0 : m, s[2]);
    put(o, one_a ? all_a : load(x), one_b ? all_b : load(y));
    half_scatter(p[0] + i * s[0], (const char *)o, m, s[0], (size_t)size);
  }
}

typedef void half_store(void *p, half_vector v);
DRIVER half_fma(int64_t n, char *const *p, const int64_t *s, half_load *load, half_store *store)
{
  int64_t i = 0;
  if (s[0] == 2 && s[1] == 2 && s[2] == 2 && s[3] == 2)
    for (; i + HALVES <= n; i += HALVES)
      store(p[0] + 2 * i, OF_HALF(fmadd)(load(p[1] + 2 * i), load(p[2] + 2 * i), load(p[3] + 2 * i)));
  for (; i < n; i += HALVES) {
    const int64_t m = n - i < HALVES ? n - i : HALVES;
    uint16_t x[3][HALVES] = { { 0 } };
    for (int k = 0; k < 3; k++)
      half_gather(x[k], p[1 + k] + i * s[1 + k], m, s[1 + k]);
    store(x[0], OF_HALF(fmadd)(load(x[0]), load(x[1]), load(x[2])));
    half_scatter(p[0] + i * s[0], (const char *)x[0], m, s[0], 2);
  }
}

/* A loop of EXPR in terms of a and the parameters q; of PUT, which stores to o what it makes of a and b. */
#define HALF1(FN, H, EXPR)                                                                           \
  DRIVER FN##_##H##_put(void *o, half_vector a, const hed_clip_params *q)                            \
  {                                                                                                  \
    (void)q;                                                                                         \
    half_to_##H(o, EXPR);                                                                            \
  }                                                                                                  \
  MAP_LOOP(FN##_##H) { half1(n, p, s, params, half_##H, FN##_##H##_put); }
#define HALF2_AS(NAME, H, SIZE, SINGLE, PUT)                                                         \
  MAP_LOOP(NAME)                                                                                     \
  {                                                                                                  \
    (void)params;                                                                                    \
    half2(n, p, s, SIZE, SINGLE, half_##H, PUT);                                                     \
  }
#define HALF2(FN, H, SIZE, PUT)                                                                      \
  DRIVER FN##_##H##_put(void *o, half_vector a, half_vector b) { PUT; }                              \
  HALF2_AS(FN##_##H, H, SIZE, 0, FN##_##H##_put)                                                     \
  HALF2_AS(FN##_##H##_1, H, SIZE, 1, FN##_##H##_put)                                                 \
  HALF2_AS(FN##_##H##_2, H, SIZE, 2, FN##_##H##_put)

#define HALF_OPERATIONS(H)                                                                           \
  HALF1(square, H, OF_HALF(mul)(a, a))                                                               \
  HALF1(sqrt, H, OF_HALF(sqrt)(a))                                                                   \
  HALF1(reciprocal, H, OF_HALF(div)(OF_HALF(set1)(1), a))                                            \
  HALF1(floor, H, HALF_ROUND(a, _MM_FROUND_TO_NEG_INF))                                              \
  HALF1(ceil, H, HALF_ROUND(a, _MM_FROUND_TO_POS_INF))                                               \
  HALF1(round, H, HALF_ROUND(a, _MM_FROUND_TO_NEAREST_INT))                                          \
  HALF1(trunc, H, HALF_ROUND(a, _MM_FROUND_TO_ZERO))                                                 \
  HALF1(clip, H, OF_HALF(min)(OF_HALF(set1)((float)q->high), OF_HALF(max)(OF_HALF(set1)((float)q->low), a))) \
  HALF2(add, H, 2, half_to_##H(o, OF_HALF(add)(a, b)))                                               \
  HALF2(subtract, H, 2, half_to_##H(o, OF_HALF(sub)(a, b)))                                          \
  HALF2(multiply, H, 2, half_to_##H(o, OF_HALF(mul)(a, b)))                                          \
  HALF2(divide, H, 2, half_to_##H(o, OF_HALF(div)(a, b)))                                            \
  HALF2(maximum, H, 2, half_to_##H(o, half_no_number(a, b, OF_HALF(max)(b, a))))                     \
  HALF2(minimum, H, 2, half_to_##H(o, half_no_number(a, b, OF_HALF(min)(b, a))))                     \
  HALF2(equal, H, 1, half_to_EQ_OQ(o, a, b))                                                         \
  HALF2(not_equal, H, 1, half_to_NEQ_UQ(o, a, b))                                                    \
  HALF2(less, H, 1, half_to_LT_OQ(o, a, b))                                                          \
  HALF2(less_equal, H, 1, half_to_LE_OQ(o, a, b))                                                    \
  HALF2(greater, H, 1, half_to_GT_OQ(o, a, b))                                                       \
  HALF2(greater_equal, H, 1, half_to_GE_OQ(o, a, b))                                                 \
  MAP_LOOP(fma_##H)                                                                                  \
  {                                                                                                  \
    (void)params;                                                                                    \
    half_fma(n, p, s, half_##H, half_to_##H);                                                        \
  }
HALF_OPERATIONS(f16)
HALF_OPERATIONS(bf16)

#define HALF2_ENTRIES(S)                                                                               \
  [CPU_MAP_ADD] = add_##S, [CPU_MAP_SUBTRACT] = subtract_##S, [CPU_MAP_MULTIPLY] = multiply_##S,       \
  [CPU_MAP_DIVIDE] = divide_##S, [CPU_MAP_MAXIMUM] = maximum_##S, [CPU_MAP_MINIMUM] = minimum_##S,     \
  [CPU_MAP_EQUAL] = equal_##S, [CPU_MAP_NOT_EQUAL] = not_equal_##S, [CPU_MAP_LESS] = less_##S,         \
  [CPU_MAP_LESS_EQUAL] = less_equal_##S, [CPU_MAP_GREATER] = greater_##S,                              \
  [CPU_MAP_GREATER_EQUAL] = greater_equal_##S
#define HALF_ENTRIES(S)                                                                              \
  , HALF2_ENTRIES(S), [CPU_MAP_SQUARE] = square_##S, [CPU_MAP_SQRT] = sqrt_##S,                      \
  [CPU_MAP_RECIPROCAL] = reciprocal_##S, [CPU_MAP_CLIP] = clip_##S, [CPU_MAP_FMA] = fma_##S,         \
  [CPU_MAP_FLOOR] = floor_##S, [CPU_MAP_CEIL] = ceil_##S, [CPU_MAP_ROUND] = round_##S,               \
  [CPU_MAP_TRUNC] = trunc_##S
#define HALF_SINGLE(S) , { HALF2_ENTRIES(S##_1) }, { HALF2_ENTRIES(S##_2) }
#else
#define HALF_ENTRIES(S)
#define HALF_SINGLE(S)
#endif

/* Of one type: by the operand that is one float32, and operation. */
#define HALF_LOOPS(S)                                                                                  \
  { { [CPU_MAP_NEGATIVE] = negative_half, [CPU_MAP_ABS] = abs_half, [CPU_MAP_ISNAN] = isnan_##S,       \
      [CPU_MAP_ISFINITE] = isfinite_##S, [CPU_MAP_RELU] = relu_##S, [CPU_MAP_SIGN] = sign_##S,         \
      [CPU_MAP_ANGLE] = angle_##S, [CPU_MAP_SIGNBIT] = signbit_half, [CPU_MAP_COPYSIGN] = copysign_half, \
      [CPU_MAP_CONJ] = same_half, [CPU_MAP_REAL_PART] = same_half, [CPU_MAP_WHERE] = where_u16 HALF_ENTRIES(S) } HALF_SINGLE(S) }
