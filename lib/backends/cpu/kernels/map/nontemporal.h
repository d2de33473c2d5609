// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arithmetic of large results: the loops of map.h and complex.h between what is read and a line of the cache, which leaves by
 * non-temporal stores; included by kernels.c alone, after these. For float32, float64 and complex numbers, at every instruction set;
 * chosen by elementwise/blocks.c.
 *
 * Any loop can be had to work on blocks that are copied out after it (stream.h). Where it does little, two calls for each block and
 * another pass over it keep the processor from waiting for as many lines at once as it could: this took 0.83 to 0.88 of the time.
 * The loop runs for the elements of one line, a constant number that leaves of it what makes a vector or two.
 *
 * N elements of the result are whole lines; operands are contiguous or one repeated element, not all of them the latter.
 */
enum { DIRECT_BLOCK = 512 /* bytes of the result that are made in one of two streams in turn */ };

/* The line from element I on, of operands A, B and C bytes from one element to the next. */
#define DIRECT_LINE(FN, SIZE, A, B, C, i)                                                        \
  do {                                                                                           \
    _Alignas(LINE) char line[LINE];                                                              \
    char *const from[4] = { line, p[1] + (i) * (A), p[2] + (i) * (B), p[3] + (i) * (C) };        \
    const int64_t steps[4] = { SIZE, A, B, C };                                                  \
    direct_prefetch(from[1] + ahead, EACH * (A));                                                \
    direct_prefetch(from[2] + ahead, EACH * (B));                                                \
    direct_prefetch(from[3] + ahead, EACH * (C));                                                \
    FN(EACH, from, steps, params);                                                               \
    put_line(p[0] + (i) * (SIZE), line);                                                         \
  } while (0)

static inline __attribute__((always_inline)) void direct_prefetch(const char *from, int bytes)
{
  for (int b = 0; b < bytes; b += LINE)
    __builtin_prefetch(from + b);
}

/* What is read as two streams in turn comes sooner than what is read from one (bench/findings). */
#define DIRECT_RUN(FN, SIZE, A, B, C)                                                            \
  do {                                                                                           \
    enum { EACH = LINE / (SIZE), PER = DIRECT_BLOCK / (SIZE), ONE = ((A) > 0) + ((B) > 0) + ((C) > 0) == 1 }; \
    const int64_t half = ONE ? n / (2 * PER) * PER : 0;                                          \
    for (int64_t block = 0; block < half; block += PER) {                                        \
      for (int64_t i = block; i < block + PER; i += EACH)                                        \
        DIRECT_LINE(FN, SIZE, A, B, C, i);                                                       \
      for (int64_t i = half + block; i < half + block + PER; i += EACH)                          \
        DIRECT_LINE(FN, SIZE, A, B, C, i);                                                       \
    }                                                                                            \
    for (int64_t i = 2 * half; i < n; i += EACH)                                                 \
      DIRECT_LINE(FN, SIZE, A, B, C, i);                                                         \
  } while (0)

#define DIRECT(FN, ...)                                                                          \
  static __attribute__((flatten)) void FN##_direct(int64_t n, char *const *q, const int64_t *s, const void *params, int64_t ahead) \
  {                                                                                              \
    __VA_ARGS__                                                                                  \
  }
#define DIRECT_1(FN, SIZE)                                                                       \
  DIRECT(FN, char *const p[4] = { q[0], q[1] }; (void)s; DIRECT_RUN(FN, SIZE, SIZE, 0, 0);)
#define DIRECT_2(FN, SIZE)                                                                       \
  DIRECT(FN, char *const p[4] = { q[0], q[1], q[2] };                                            \
         if (s[1] && s[2]) DIRECT_RUN(FN, SIZE, SIZE, SIZE, 0);                                  \
         else if (s[1]) DIRECT_RUN(FN, SIZE, SIZE, 0, 0);                                        \
         else DIRECT_RUN(FN, SIZE, 0, SIZE, 0);)
/* Booleans, which do not repeat, and two operands. */
#define DIRECT_WHERE(FN, SIZE)                                                                   \
  DIRECT(FN, char *const *const p = q;                                                           \
         if (s[2] && s[3]) DIRECT_RUN(FN, SIZE, 1, SIZE, SIZE);                                  \
         else if (s[2]) DIRECT_RUN(FN, SIZE, 1, SIZE, 0);                                        \
         else if (s[3]) DIRECT_RUN(FN, SIZE, 1, 0, SIZE);                                        \
         else DIRECT_RUN(FN, SIZE, 1, 0, 0);)

/* Elements of SIZE bytes, whatever they are: GCC makes no vectors of so short a selection by bytes. */
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define WHERE_OF(SIZE, N, LOAD, EACH)                                                            \
  static inline __attribute__((always_inline)) void where_##SIZE(int64_t n, char *const *p, const int64_t *s, \
                                                                 const void *params)             \
  {                                                                                              \
    const __m128i flags = LOAD((const void *)p[1]);                                              \
    const __m512i a = s[2] ? _mm512_loadu_si512((const void *)p[2]) : EACH(*(const int##N##_t *)(const void *)p[2]); \
    const __m512i b = s[3] ? _mm512_loadu_si512((const void *)p[3]) : EACH(*(const int##N##_t *)(const void *)p[3]); \
    (void)n, (void)params;                                                                       \
    _mm512_store_si512(p[0], _mm512_mask_blend_epi##N((LINE_MASK_##SIZE)_mm_test_epi8_mask(flags, flags), b, a)); \
  }
#define LINE_MASK_4 __mmask16
#define LINE_MASK_8 __mmask8
WHERE_OF(4, 32, _mm_loadu_si128, _mm512_set1_epi32)
WHERE_OF(8, 64, _mm_loadl_epi64, _mm512_set1_epi64)
#elif defined(__AVX2__)
#define WHERE_OF(SIZE, N, EACH)                                                                  \
  static inline __attribute__((always_inline)) void where_##SIZE(int64_t n, char *const *p, const int64_t *s, \
                                                                 const void *params)             \
  {                                                                                              \
    (void)params;                                                                                \
    for (int64_t i = 0; i < n; i += 32 / SIZE) {                                                 \
      uint64_t some = 0;                                                                         \
      memcpy(&some, p[1] + i, 32 / SIZE);                                                        \
      const __m256i flags = _mm256_cvtepu8_epi##N(_mm_cvtsi64_si128((int64_t)some)), none = _mm256_setzero_si256(); \
      const __m256i a = s[2] ? _mm256_loadu_si256((const void *)(p[2] + i * SIZE))               \
                             : EACH(*(const int##N##_t *)(const void *)p[2]);                    \
      const __m256i b = s[3] ? _mm256_loadu_si256((const void *)(p[3] + i * SIZE))               \
                             : EACH(*(const int##N##_t *)(const void *)p[3]);                    \
      _mm256_store_si256((void *)(p[0] + i * SIZE), _mm256_blendv_epi8(a, b, _mm256_cmpeq_epi##N(flags, none))); \
    }                                                                                            \
  }
WHERE_OF(4, 32, _mm256_set1_epi32)
WHERE_OF(8, 64, _mm256_set1_epi64x)
#endif
#define DIRECT_3(FN, SIZE)                                                                       \
  DIRECT(FN, char *const *const p = q; (void)s; DIRECT_RUN(FN, SIZE, SIZE, SIZE, SIZE);)

/* CALL for each type of a kind: the suffix of its loops, its size. */
#define EACH_FLOAT(CALL, name) CALL(name##_f32, 4) CALL(name##_f64, 8)
#define EACH_COMPLEX(CALL, name) CALL(name##_c64, 8) CALL(name##_c128, 16)

EACH_FLOAT(DIRECT_1, negative)
EACH_FLOAT(DIRECT_1, abs)
EACH_FLOAT(DIRECT_1, square)
EACH_FLOAT(DIRECT_1, reciprocal)
EACH_FLOAT(DIRECT_1, floor)
EACH_FLOAT(DIRECT_1, ceil)
EACH_FLOAT(DIRECT_1, clip)
EACH_FLOAT(DIRECT_2, add)
EACH_FLOAT(DIRECT_2, subtract)
EACH_FLOAT(DIRECT_2, multiply)
EACH_FLOAT(DIRECT_2, divide)
EACH_FLOAT(DIRECT_2, maximum)
EACH_FLOAT(DIRECT_2, minimum)
#ifdef __FMA__
EACH_FLOAT(DIRECT_3, fma)
#endif
EACH_COMPLEX(DIRECT_1, negative)
EACH_COMPLEX(DIRECT_1, conj)
EACH_COMPLEX(DIRECT_1, square)
EACH_COMPLEX(DIRECT_2, add)
EACH_COMPLEX(DIRECT_2, subtract)
EACH_COMPLEX(DIRECT_2, multiply)
#ifdef __AVX2__
DIRECT_WHERE(where_4, 4)
DIRECT_WHERE(where_8, 8)
#endif
