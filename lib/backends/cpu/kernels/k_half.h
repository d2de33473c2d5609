// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops of float16 and bfloat16, converted in registers: to float32, in which they are computed, and back, with the
 * bits that blocks of hed__cast() give. Included by kernels.c alone, after k_map.h.
 *
 * One operand of two may be a float32 that is repeated, as numbers beside arrays are: it is not rounded before.
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
typedef __m512 halves;
#define OF_HALVES(name) _mm512_##name##_ps

static ALWAYS halves halves_f16(const void *p) { return _mm512_cvtph_ps(_mm256_loadu_si256(p)); }
static ALWAYS void halves_to_f16(void *p, halves v)
{
  _mm256_storeu_si256(p, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

static ALWAYS halves halves_bf16(const void *p)
{
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p)), 16));
}

static ALWAYS void halves_to_bf16(void *p, halves v)
{
  const __m512i b = _mm512_castps_si512(v), one = _mm512_set1_epi32(1), quiet = _mm512_set1_epi32(0x400000);
  const __m512i even = _mm512_and_si512(_mm512_srli_epi32(b, 16), one);
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(b, _mm512_set1_epi32(0x7fff)), even);
  const __m512i all = _mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), b, quiet);
  _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(all, 16)));
}

#define HALVES_ROUND(a, how) _mm512_roundscale_ps(a, (how) | _MM_FROUND_NO_EXC)

/* Truth values of a comparison. */
#define HALVES_TRUTH(how)                                                                              \
  static ALWAYS void halves_to_##how(void *p, halves a, halves b)                                      \
  {                                                                                                    \
    _mm_storeu_si128(p, _mm_maskz_set1_epi8(_mm512_cmp_ps_mask(a, b, _CMP_##how), 1));                 \
  }

/* The second where the first is a number and the second is none, else those of OTHER. */
static ALWAYS halves halves_no_number(halves a, halves b, halves other)
{
  const __mmask16 none = _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(b, b, _CMP_UNORD_Q), a, a, _CMP_ORD_Q);
  return _mm512_mask_mov_ps(other, none, b);
}
#else
enum { HALVES = 8 };
typedef __m256 halves;
#define OF_HALVES(name) _mm256_##name##_ps

static ALWAYS halves halves_f16(const void *p) { return _mm256_cvtph_ps(_mm_loadu_si128(p)); }
static ALWAYS void halves_to_f16(void *p, halves v)
{
  _mm_storeu_si128(p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

static ALWAYS halves halves_bf16(const void *p)
{
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16));
}

static ALWAYS void halves_to_bf16(void *p, halves v)
{
  const __m256i b = _mm256_castps_si256(v), one = _mm256_set1_epi32(1), quiet = _mm256_set1_epi32(0x400000);
  const __m256i even = _mm256_and_si256(_mm256_srli_epi32(b, 16), one);
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(b, _mm256_set1_epi32(0x7fff)), even);
  const __m256 nan = _mm256_castsi256_ps(_mm256_or_si256(b, quiet)), none = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
  const __m256i all = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(rounded), nan, none));
  const __m256i upper = _mm256_srli_epi32(all, 16);
  _mm_storeu_si128(p, _mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1)));
}

#define HALVES_ROUND(a, how) _mm256_round_ps(a, (how) | _MM_FROUND_NO_EXC)

#define HALVES_TRUTH(how)                                                                              \
  static ALWAYS void halves_to_##how(void *p, halves a, halves b)                                      \
  {                                                                                                    \
    const __m256i m = _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_##how));                            \
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1)); \
    _mm_storel_epi64(p, _mm_abs_epi8(_mm_packs_epi16(words, words)));                                  \
  }

static ALWAYS halves halves_no_number(halves a, halves b, halves other)
{
  return _mm256_blendv_ps(other, b, _mm256_and_ps(_mm256_cmp_ps(b, b, _CMP_UNORD_Q), _mm256_cmp_ps(a, a, _CMP_ORD_Q)));
}
#endif

HALVES_TRUTH(EQ_OQ)
HALVES_TRUTH(NEQ_UQ)
HALVES_TRUTH(LT_OQ)
HALVES_TRUTH(LE_OQ)
HALVES_TRUTH(GT_OQ)
HALVES_TRUTH(GE_OQ)

/* M elements, fewer than a vector has or S bytes apart, and back. */
static ALWAYS void halves_gather(uint16_t *to, const char *p, int64_t m, int64_t s)
{
  for (int64_t k = 0; k < m; k++)
    memcpy(&to[k], p + k * s, 2);
}

static ALWAYS void halves_scatter(char *p, const char *from, int64_t m, int64_t s, size_t size)
{
  for (int64_t k = 0; k < m; k++)
    memcpy(p + k * s, from + (size_t)k * size, size);
}

/* STORE(where, value of EXPR in terms of a) for elements of type H; SIZE: bytes of a result. */
#define HALVES1(FN, H, EXPR)                                                                           \
  static void FN##_##H(int64_t n, char *const *p, const int64_t *s, const void *params)                \
  {                                                                                                    \
    const hed_clip_params *const q = params;                                                           \
    int64_t i = 0;                                                                                     \
    (void)q;                                                                                           \
    if (s[0] == 2 && s[1] == 2)                                                                        \
      for (; i + HALVES <= n; i += HALVES) {                                                           \
        const halves a = halves_##H(p[1] + 2 * i);                                                     \
        halves_to_##H(p[0] + 2 * i, EXPR);                                                             \
      }                                                                                                \
    for (; i < n; i += HALVES) {                                                                       \
      const int64_t m = n - i < HALVES ? n - i : HALVES;                                               \
      uint16_t x[HALVES] = { 0 };                                                                      \
      halves_gather(x, p[1] + i * s[1], m, s[1]);                                                      \
      const halves a = halves_##H(x);                                                                  \
      halves_to_##H(x, EXPR);                                                                          \
      halves_scatter(p[0] + i * s[0], (const char *)x, m, s[0], 2);                                    \
    }                                                                                                  \
  }

/* PUT(where) in terms of a and b, to results of type R; SINGLE: the operand (1, 2) that is one float32, or 0. */
#define HALVES2_OF(FN, H, R, SINGLE, PUT)                                                              \
  static void FN(int64_t n, char *const *p, const int64_t *s, const void *params)                      \
  {                                                                                                    \
    const int64_t size = sizeof(R);                                                                    \
    const bool one_a = SINGLE == 1 || s[1] == 0, one_b = SINGLE == 2 || s[2] == 0;                     \
    uint16_t x[HALVES] = { 0 }, y[HALVES] = { 0 };                                                     \
    R o[HALVES];                                                                                       \
    int64_t i = 0;                                                                                     \
    (void)params;                                                                                      \
    if (n <= 0)                                                                                        \
      return;                                                                                          \
    for (int k = 0; k < HALVES && one_a && SINGLE != 1; k++)                                           \
      memcpy(&x[k], p[1], 2);                                                                          \
    for (int k = 0; k < HALVES && one_b && SINGLE != 2; k++)                                           \
      memcpy(&y[k], p[2], 2);                                                                          \
    const halves all_a = SINGLE == 1 ? OF_HALVES(set1)(*(const float *)(const void *)p[1]) : halves_##H(x); \
    const halves all_b = SINGLE == 2 ? OF_HALVES(set1)(*(const float *)(const void *)p[2]) : halves_##H(y); \
    if (SINGLE == 0 && s[0] == size && s[1] == 2 && s[2] == 2)                                         \
      for (; i + HALVES <= n; i += HALVES) {                                                           \
        const halves a = halves_##H(p[1] + 2 * i), b = halves_##H(p[2] + 2 * i);                       \
        PUT(p[0] + size * i);                                                                          \
      }                                                                                                \
    else if (SINGLE != 1 && s[0] == size && s[1] == 2 && one_b)                                        \
      for (; i + HALVES <= n; i += HALVES) {                                                           \
        const halves a = halves_##H(p[1] + 2 * i), b = all_b;                                          \
        PUT(p[0] + size * i);                                                                          \
      }                                                                                                \
    else if (SINGLE != 2 && s[0] == size && one_a && s[2] == 2)                                        \
      for (; i + HALVES <= n; i += HALVES) {                                                           \
        const halves a = all_a, b = halves_##H(p[2] + 2 * i);                                          \
        PUT(p[0] + size * i);                                                                          \
      }                                                                                                \
    for (; i < n; i += HALVES) {                                                                       \
      const int64_t m = n - i < HALVES ? n - i : HALVES;                                               \
      halves_gather(x, p[1] + i * s[1], one_a ? 0 : m, s[1]);                                          \
      halves_gather(y, p[2] + i * s[2], one_b ? 0 : m, s[2]);                                          \
      const halves a = one_a ? all_a : halves_##H(x), b = one_b ? all_b : halves_##H(y);               \
      PUT(o);                                                                                          \
      halves_scatter(p[0] + i * s[0], (const char *)o, m, s[0], sizeof(R));                            \
    }                                                                                                  \
  }
#define HALVES2(FN, H, R, PUT)                                                                         \
  HALVES2_OF(FN##_##H, H, R, 0, PUT) HALVES2_OF(FN##_##H##_1, H, R, 1, PUT) HALVES2_OF(FN##_##H##_2, H, R, 2, PUT)

#define HALVES_FMA(H)                                                                                  \
  static void fma_##H(int64_t n, char *const *p, const int64_t *s, const void *params)                 \
  {                                                                                                    \
    int64_t i = 0;                                                                                     \
    (void)params;                                                                                      \
    if (s[0] == 2 && s[1] == 2 && s[2] == 2 && s[3] == 2)                                              \
      for (; i + HALVES <= n; i += HALVES)                                                             \
        halves_to_##H(p[0] + 2 * i, OF_HALVES(fmadd)(halves_##H(p[1] + 2 * i), halves_##H(p[2] + 2 * i), \
                                                     halves_##H(p[3] + 2 * i)));                       \
    for (; i < n; i += HALVES) {                                                                       \
      const int64_t m = n - i < HALVES ? n - i : HALVES;                                               \
      uint16_t x[3][HALVES] = { { 0 } };                                                               \
      for (int k = 0; k < 3; k++)                                                                      \
        halves_gather(x[k], p[1 + k] + i * s[1 + k], m, s[1 + k]);                                     \
      halves_to_##H(x[0], OF_HALVES(fmadd)(halves_##H(x[0]), halves_##H(x[1]), halves_##H(x[2])));     \
      halves_scatter(p[0] + i * s[0], (const char *)x[0], m, s[0], 2);                                 \
    }                                                                                                  \
  }

#define PUT_ADD(H, o) halves_to_##H(o, OF_HALVES(add)(a, b))
#define PUT_SUB(H, o) halves_to_##H(o, OF_HALVES(sub)(a, b))
#define PUT_MUL(H, o) halves_to_##H(o, OF_HALVES(mul)(a, b))
#define PUT_DIV(H, o) halves_to_##H(o, OF_HALVES(div)(a, b))
#define PUT_MAX(H, o) halves_to_##H(o, halves_no_number(a, b, OF_HALVES(max)(b, a)))
#define PUT_MIN(H, o) halves_to_##H(o, halves_no_number(a, b, OF_HALVES(min)(b, a)))

#define ADD_f16(o) PUT_ADD(f16, o)
#define ADD_bf16(o) PUT_ADD(bf16, o)
#define SUB_f16(o) PUT_SUB(f16, o)
#define SUB_bf16(o) PUT_SUB(bf16, o)
#define MUL_f16(o) PUT_MUL(f16, o)
#define MUL_bf16(o) PUT_MUL(bf16, o)
#define DIV_f16(o) PUT_DIV(f16, o)
#define DIV_bf16(o) PUT_DIV(bf16, o)
#define MAX_f16(o) PUT_MAX(f16, o)
#define MAX_bf16(o) PUT_MAX(bf16, o)
#define MIN_f16(o) PUT_MIN(f16, o)
#define MIN_bf16(o) PUT_MIN(bf16, o)
#define EQ(o) halves_to_EQ_OQ(o, a, b)
#define NE(o) halves_to_NEQ_UQ(o, a, b)
#define LT(o) halves_to_LT_OQ(o, a, b)
#define LE(o) halves_to_LE_OQ(o, a, b)
#define GT(o) halves_to_GT_OQ(o, a, b)
#define GE(o) halves_to_GE_OQ(o, a, b)

#define HALVES_LOOPS(H)                                                                                \
  HALVES1(square, H, OF_HALVES(mul)(a, a))                                                             \
  HALVES1(sqrt, H, OF_HALVES(sqrt)(a))                                                                 \
  HALVES1(reciprocal, H, OF_HALVES(div)(OF_HALVES(set1)(1), a))                                        \
  HALVES1(floor, H, HALVES_ROUND(a, _MM_FROUND_TO_NEG_INF))                                            \
  HALVES1(ceil, H, HALVES_ROUND(a, _MM_FROUND_TO_POS_INF))                                             \
  HALVES1(round, H, HALVES_ROUND(a, _MM_FROUND_TO_NEAREST_INT))                                        \
  HALVES1(trunc, H, HALVES_ROUND(a, _MM_FROUND_TO_ZERO))                                               \
  HALVES1(clip, H, OF_HALVES(min)(OF_HALVES(set1)((float)q->high), OF_HALVES(max)(OF_HALVES(set1)((float)q->low), a))) \
  HALVES2(add, H, uint16_t, ADD_##H)                                                                   \
  HALVES2(subtract, H, uint16_t, SUB_##H)                                                              \
  HALVES2(multiply, H, uint16_t, MUL_##H)                                                              \
  HALVES2(divide, H, uint16_t, DIV_##H)                                                                \
  HALVES2(maximum, H, uint16_t, MAX_##H)                                                               \
  HALVES2(minimum, H, uint16_t, MIN_##H)                                                               \
  HALVES2(equal, H, uint8_t, EQ)                                                                       \
  HALVES2(not_equal, H, uint8_t, NE)                                                                   \
  HALVES2(less, H, uint8_t, LT)                                                                        \
  HALVES2(less_equal, H, uint8_t, LE)                                                                  \
  HALVES2(greater, H, uint8_t, GT)                                                                     \
  HALVES2(greater_equal, H, uint8_t, GE)                                                               \
  HALVES_FMA(H)
HALVES_LOOPS(f16)
HALVES_LOOPS(bf16)
#include "backends/cpu/kernels/k_half_functions.h"

#define HALVES2_ENTRIES(S)                                                                             \
  [CPU_MAP_ADD] = add_##S, [CPU_MAP_SUBTRACT] = subtract_##S, [CPU_MAP_MULTIPLY] = multiply_##S,       \
  [CPU_MAP_DIVIDE] = divide_##S, [CPU_MAP_MAXIMUM] = maximum_##S, [CPU_MAP_MINIMUM] = minimum_##S,     \
  [CPU_MAP_EQUAL] = equal_##S, [CPU_MAP_NOT_EQUAL] = not_equal_##S, [CPU_MAP_LESS] = less_##S,         \
  [CPU_MAP_LESS_EQUAL] = less_equal_##S, [CPU_MAP_GREATER] = greater_##S,                              \
  [CPU_MAP_GREATER_EQUAL] = greater_equal_##S
#define HALVES_ENTRIES(S)                                                                              \
  , HALVES2_ENTRIES(S), [CPU_MAP_SQUARE] = square_##S, [CPU_MAP_SQRT] = sqrt_##S,                      \
  [CPU_MAP_RECIPROCAL] = reciprocal_##S, [CPU_MAP_CLIP] = clip_##S, [CPU_MAP_FMA] = fma_##S,           \
  [CPU_MAP_FLOOR] = floor_##S, [CPU_MAP_CEIL] = ceil_##S, [CPU_MAP_ROUND] = round_##S,                 \
  [CPU_MAP_TRUNC] = trunc_##S HALF_FUNCTIONS_ENTRIES_##S
#define HALVES_SINGLE(S) , { HALVES2_ENTRIES(S##_1) }, { HALVES2_ENTRIES(S##_2) }
#else
#define HALVES_ENTRIES(S)
#define HALVES_SINGLE(S)
#endif

/* Of one type: by the operand that is one float32, and operation. */
#define HALF_LOOPS(S)                                                                                  \
  { { [CPU_MAP_NEGATIVE] = negative_half, [CPU_MAP_ABS] = abs_half, [CPU_MAP_ISNAN] = isnan_##S,       \
      [CPU_MAP_ISFINITE] = isfinite_##S, [CPU_MAP_RELU] = relu_##S, [CPU_MAP_SIGN] = sign_##S,         \
      [CPU_MAP_ANGLE] = angle_##S, [CPU_MAP_SIGNBIT] = signbit_half, [CPU_MAP_COPYSIGN] = copysign_half, \
      [CPU_MAP_CONJ] = same_half, [CPU_MAP_REAL_PART] = same_half, [CPU_MAP_WHERE] = where_u16 HALVES_ENTRIES(S) } HALVES_SINGLE(S) }
