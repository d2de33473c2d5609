// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums, differences and products of two operands that both lie across the result: combined as they are read, and transposed
 * in registers. Included by kernels_copy.c alone, with AVX-512 or AVX2.
 */
#define TURNED_LOOP(NAME, BYTES, N)                                                                                        \
  static void NAME(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *a, int64_t a_step, const char *b,    \
                   int64_t b_step)                                                                                         \
  {                                                                                                                        \
    TILES(BYTES, N, NAME##_tile(rows - r, cols - c, to + r * to_step + c * BYTES, to_step, a + c * a_step + r * BYTES,     \
                                a_step, b + c * b_step + r * BYTES, b_step, ahead);)                                       \
  }                                                                                                                        \
  static void NAME##_past(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *a, int64_t a_step,            \
                          const char *b, int64_t b_step)                                                                   \
  {                                                                                                                        \
    const bool near = spread(a_step) && spread(b_step), two = a != b;                                                      \
    PAST(BYTES, N,                                                                                                         \
         const int64_t early = EARLY / deep / (1 + two);                                                                   \
         ask(a + c0 * a_step + r0 * BYTES + later(c0, cols, early, a_step, deep), a_step, wide, deep, near);               \
         if (two) ask(b + c0 * b_step + r0 * BYTES + later(c0, cols, early, b_step, deep), b_step, wide, deep, near);,     \
         NAME##_lines(at, to_step, a + c0 * a_step + made * BYTES, a_step, b + c0 * b_step + made * BYTES, b_step,         \
                      source, part + (made - r0), which, COMING(a, a_step, EARLY / LINE / (1 + two), BYTES),               \
                      COMING(b, b_step, EARLY / LINE / (1 + two), BYTES));,                                                \
         NAME##_tile(r0 + tall - r, c0 + wide - c, at, 2 * LINE, a + c * a_step + r * BYTES, a_step,                       \
                     b + c * b_step + r * BYTES, b_step, false);)                                                          \
  }

/* Row after row of both operands as VALUE; the line that is next in each is asked for. */
#define READ_ROWS(N, VALUE)                                                                                                \
  _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) {                                                                   \
    r[i] = VALUE;                                                                                                          \
    if (ahead) {                                                                                                           \
      __builtin_prefetch(a + LINE);                                                                                        \
      __builtin_prefetch(b + LINE);                                                                                        \
    }                                                                                                                      \
    a += a_step;                                                                                                           \
    b += b_step;                                                                                                           \
    HERE(a);                                                                                                               \
    HERE(b);                                                                                                               \
  }

#ifdef __AVX512F__
#define TURNED(NAME, BYTES, N, MASK, LOAD, LOAD_SOME, STORE_SOME, CAST, ZERO, OP, TRANSPOSED)                              \
  static ALWAYS void NAME##_tile(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *a, int64_t a_step,     \
                                 const char *b, int64_t b_step, bool ahead)                                                \
  {                                                                                                                        \
    __m512i r[N], o[N];                                                                                                    \
    if (rows >= N && cols >= N) {                                                                                          \
      READ_ROWS(N, CAST(OP(LOAD(a), LOAD(b))))                                                                             \
      TRANSPOSED(r, o);                                                                                                    \
      PUT_TILE(N)                                                                                                          \
      return;                                                                                                              \
    }                                                                                                                      \
    const MASK there = (MASK)((1u << least(rows, N)) - 1);                                                                 \
    _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                                                   \
      r[i] = i < cols ? CAST(OP(LOAD_SOME(there, a + i * a_step), LOAD_SOME(there, b + i * b_step))) : ZERO();             \
    TRANSPOSED(r, o);                                                                                                      \
    PUT_PART(N, MASK, STORE_SOME);                                                                                         \
  }                                                                                                                        \
  TURNED_LOOP(NAME, BYTES, N)

/* A line of columns at a time, see k_past.h. */
#define TURNED_LINES(NAME, N, MASK, LOAD, LOAD_FRESH, CAST, OP, TRANSPOSED)                                                \
  static ALWAYS void NAME##_lines(char *to, int64_t to_step, const char *a, int64_t a_step, const char *b, int64_t b_step, \
                                  line_source source, char (*part)[2 * LINE], const line_rows *which,                      \
                                  coming a_next, coming b_next)                                                            \
  {                                                                                                                        \
    __m512i r[N], o[N];                                                                                                    \
    _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) {                                                                 \
      r[i] = source == KEPT ? CAST(OP(LOAD(a), LOAD(b)))                                                                   \
                            : CAST(OP(LOAD_FRESH(LOAD(a - N * a_step), (MASK)which->fresh[i], a),                          \
                                      LOAD_FRESH(LOAD(b - N * b_step), (MASK)which->fresh[i], b)));                        \
      ask_line(&a_next, source);                                                                                           \
      ask_line(&b_next, source);                                                                                           \
      a += a_step;                                                                                                         \
      b += b_step;                                                                                                         \
      HERE(a);                                                                                                             \
      HERE(b);                                                                                                             \
    }                                                                                                                      \
    TRANSPOSED(r, o);                                                                                                      \
    put_rows(N, to, to_step, o, source == KEPT ? 0 : which->first, source, part);                                          \
  }

#define TURNED_32(NAME, OP)                                                                                                \
  TURNED_LINES(NAME, 16, __mmask16, _mm512_loadu_ps, _mm512_mask_loadu_ps, _mm512_castps_si512, OP, transpose_16_u32)      \
  TURNED(NAME, 4, 16, __mmask16, _mm512_loadu_ps, _mm512_maskz_loadu_ps, _mm512_mask_storeu_epi32,                         \
         _mm512_castps_si512, _mm512_setzero_si512, OP, transpose_16_u32)
#define TURNED_64(NAME, OP)                                                                                                \
  TURNED_LINES(NAME, 8, __mmask8, _mm512_loadu_pd, _mm512_mask_loadu_pd, _mm512_castpd_si512, OP, transpose_8_u64)         \
  TURNED(NAME, 8, 8, __mmask8, _mm512_loadu_pd, _mm512_maskz_loadu_pd, _mm512_mask_storeu_epi64,                           \
         _mm512_castpd_si512, _mm512_setzero_si512, OP, transpose_8_u64)

TURNED_32(turned_add_f32, _mm512_add_ps)
TURNED_32(turned_subtract_f32, _mm512_sub_ps)
TURNED_32(turned_multiply_f32, _mm512_mul_ps)
TURNED_64(turned_add_f64, _mm512_add_pd)
TURNED_64(turned_subtract_f64, _mm512_sub_pd)
TURNED_64(turned_multiply_f64, _mm512_mul_pd)

#else
#define TURNED_256(NAME, T, BYTES, N, LOAD, CAST, OP, SIGN)                                                                \
  static ALWAYS void NAME##_tile(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *a, int64_t a_step,     \
                                 const char *b, int64_t b_step, bool ahead)                                                \
  {                                                                                                                        \
    __m256i r[N], o[N];                                                                                                    \
    if (rows < N || cols < N) {                                                                                            \
      for (int64_t i = 0; i < least(rows, N); i++)                                                                         \
        for (int64_t k = 0; k < least(cols, N); k++) {                                                                     \
          T x, y;                                                                                                          \
          memcpy(&x, a + k * a_step + i * (int64_t)sizeof(T), sizeof x);                                                   \
          memcpy(&y, b + k * b_step + i * (int64_t)sizeof(T), sizeof y);                                                   \
          x = x SIGN y;                                                                                                    \
          memcpy(to + i * to_step + k * (int64_t)sizeof(T), &x, sizeof x);                                                 \
        }                                                                                                                  \
      return;                                                                                                              \
    }                                                                                                                      \
    READ_ROWS(N, CAST(OP(LOAD((const T *)(const void *)a), LOAD((const T *)(const void *)b))))                             \
    transpose_##N##x##N(r, o, 1);                                                                                          \
    PUT_TILE(N)                                                                                                            \
  }                                                                                                                        \
  TURNED_LOOP(NAME, BYTES, N)

#define TURNED_F32(NAME, OP, SIGN) TURNED_256(NAME, float, 4, 8, _mm256_loadu_ps, _mm256_castps_si256, OP, SIGN)
#define TURNED_F64(NAME, OP, SIGN) TURNED_256(NAME, double, 8, 4, _mm256_loadu_pd, _mm256_castpd_si256, OP, SIGN)

TURNED_F32(turned_add_f32, _mm256_add_ps, +)
TURNED_F32(turned_subtract_f32, _mm256_sub_ps, -)
TURNED_F32(turned_multiply_f32, _mm256_mul_ps, *)
TURNED_F64(turned_add_f64, _mm256_add_pd, +)
TURNED_F64(turned_subtract_f64, _mm256_sub_pd, -)
TURNED_F64(turned_multiply_f64, _mm256_mul_pd, *)
#endif
