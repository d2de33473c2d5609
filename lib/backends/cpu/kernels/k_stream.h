// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions of one operand whose results go past the caches from the loop itself; included by functions.c alone.
 *
 * Any loop can be had to work on blocks that are written out after it (stream.h). Where arithmetic takes as long as memory, what
 * passes over a block and calls cost is added to that; here is one pass, of a vector at a time, which asks for what it will read.
 * Elements that NEAR does not serve are only noted: their block is done again by the function's row, and where the block before
 * was, too, some blocks after it by the row at once. So values are those of the row everywhere.
 */
#include <immintrin.h>

#define STREAM_AHEAD 8192 /* bytes of the operand */

enum { STREAM_LINE = 64, STREAM_WAIT = 8 /* blocks */ };

typedef float stream_f32 __attribute__((vector_size(CPU_VECTOR)));
typedef double stream_f64 __attribute__((vector_size(CPU_VECTOR)));
typedef int32_t stream_i32 __attribute__((vector_size(CPU_VECTOR)));
typedef int64_t stream_i64 __attribute__((vector_size(CPU_VECTOR)));

INLINE void stream_out(void *to, const void *from)
{
#if defined(__AVX512F__)
  _mm512_stream_si512(to, _mm512_loadu_si512(from));
#else
  _mm256_stream_si256(to, _mm256_loadu_si256(from));
#endif
}

/* Whether any of SIZE bytes is not 0. The vector is copied: one whose elements were asked for would live in memory all the time. */
INLINE bool stream_any(const void *far, size_t size)
{
  uint64_t part[CPU_VECTOR / 8], all = 0;
  memcpy(part, far, size);
  for (size_t k = 0; k < size / 8; k++)
    all |= part[k];
  return all != 0;
}

/* NAME by BODY, which makes EACH elements T from X, of PARTS elements each, and counts in FAR what ROW has to do. */
#define STREAM(NAME, T, MASK, PARTS, ROW, BODY) STREAM_OF(NAME, T, MASK, PARTS, CPU_VECTOR / sizeof(T), ROW, BODY)
#define STREAM_OF(NAME, T, MASK, PARTS, EACH_, ROW, BODY)                                        \
  static void NAME##_stream(int64_t n, char *const *p, const int64_t *s, const void *params)     \
  {                                                                                              \
    enum { EACH = EACH_, LANES = CPU_VECTOR / sizeof(T), PER_LINE = STREAM_LINE / sizeof(T),     \
           LINES = EACH > PER_LINE ? EACH / PER_LINE : 1 /* at a time */ };                      \
    T *o = (T *)(void *)p[0];                                                                    \
    const T *v = (const T *)(const void *)p[1];                                                  \
    int64_t m = (int64_t)(-(uintptr_t)o % STREAM_LINE / sizeof(T)); /* up to a line's end */     \
    int wait = 0;                                                                                \
    bool before = false;                                                                         \
    (void)s;                                                                                     \
    (void)params;                                                                                \
    for (; n > 0; n -= m, o += m, v += (PARTS) * m, m = MATH_BLOCK) {                            \
      MASK far = { 0 };                                                                          \
      bool by_row = wait > 0;                                                                    \
      if (m < MATH_BLOCK || n < MATH_BLOCK) {                                                    \
        m = m < n ? m : n;                                                                       \
        ROW(m, o, v);                                                                            \
        continue;                                                                                \
      }                                                                                          \
      wait -= by_row;                                                                            \
      if (!by_row) {                                                                             \
        for (int i = 0; i < MATH_BLOCK; i += LINES * PER_LINE) {                                 \
          for (int b = 0; b < LINES * (PARTS); b++)                                              \
            __builtin_prefetch((const char *)(v + (PARTS) * i) + STREAM_AHEAD + b * STREAM_LINE); \
          for (int j = i; j < i + LINES * PER_LINE; j += EACH) {                                 \
            const T *x = v + (PARTS) * j;                                                        \
            T t[EACH];                                                                           \
            BODY                                                                                 \
            for (int k = 0; k < EACH; k += LANES)                                                \
              stream_out(o + j + k, t + k);                                                      \
          }                                                                                      \
        }                                                                                        \
        by_row |= stream_any(&far, sizeof far);                                                  \
        wait = by_row && before ? STREAM_WAIT : 0;                                               \
        before = by_row;                                                                         \
      }                                                                                          \
      if (by_row) {                                                                              \
        T block[MATH_BLOCK];                                                                     \
        ROW(MATH_BLOCK, block, v);                                                               \
        for (int i = 0; i < MATH_BLOCK; i += LANES)                                              \
          stream_out(o + i, block + i);                                                          \
      }                                                                                          \
    }                                                                                            \
  }

/* Elements from LOW to HIGH by NEAR. */
#define STREAM_NEAR(NAME, KIND, T, MASK, LOW, HIGH, NEAR)                                        \
  STREAM(NAME, T, MASK, 1, NAME##_row, {                                                         \
    KIND all;                                                                                    \
    memcpy(&all, x, sizeof all);                                                                 \
    far |= ~((all >= (LOW)) & (all <= (HIGH)));                                                  \
    IVDEP for (int k = 0; k < LANES; k++)                                                        \
      t[k] = NEAR(x[k]);                                                                         \
  })
#define STREAM_NEAR_F32(NAME, LOW, HIGH, NEAR) STREAM_NEAR(NAME##_f32, stream_f32, float, stream_i32, LOW, HIGH, NEAR)
#define STREAM_NEAR_F64(NAME, LOW, HIGH, NEAR) STREAM_NEAR(NAME##_f64, stream_f64, double, stream_i64, LOW, HIGH, NEAR)

/* All of them. */
#define STREAM_ALL(NAME, T, MASK, FN)                                                            \
  STREAM(NAME, T, MASK, 1, NAME##_row, {                                                         \
    IVDEP for (int k = 0; k < LANES; k++)                                                        \
      t[k] = FN(x[k]);                                                                           \
  })

STREAM_NEAR_F32(exp, -86.0f, 86.0f, exp_near_f)
STREAM_NEAR_F64(exp, -700.0, 700.0, exp_near_d)
STREAM_NEAR_F32(exp2, -125.0f, 125.0f, exp2_near_f)
STREAM_NEAR_F32(expm1, -20.0f, 89.0f, expm1_near_f)
STREAM_NEAR_F64(expm1, -50.0, 710.0, expm1_near_d)
STREAM_ALL(tanh_f32, float, stream_i32, tanh_f)
STREAM_ALL(tanh_f64, double, stream_i64, tanh_d)
STREAM_NEAR_F32(sigmoid, -80.0f, 80.0f, sigmoid_near_f)
STREAM_NEAR_F64(sigmoid, -700.0, 700.0, sigmoid_near_d)
STREAM_NEAR_F32(silu, -80.0f, 80.0f, silu_near_f)
STREAM_NEAR_F64(silu, -700.0, 700.0, silu_near_d)
STREAM_ALL(sinc_f32, float, stream_i32, sinc_f)
STREAM_ALL(sinc_f64, double, stream_i64, sinc_d)
#if defined(__AVX512F__)
#define STREAM_TRIG(NAME, Q)                                                                     \
  STREAM(NAME, float, stream_i32, 1, NAME##_row, {                                               \
    __m512i k = _mm512_setzero_si512();                                                          \
    _mm512_storeu_ps(t, trig_ps(_mm512_loadu_ps(x), Q, &k));                                     \
    far |= (stream_i32)k & TURNS_FAR;                                                            \
  })
STREAM_TRIG(sin_f32, 0)
STREAM_TRIG(cos_f32, 1)
#define STREAM_LOG(NAME, BASE, PLUS)                                                             \
  STREAM(NAME##_f32, float, stream_i32, 1, NAME##_f32_row, {                                     \
    const __m512 y = _mm512_loadu_ps(x);                                                         \
    far |= (stream_i32)_mm512_movm_epi32(log_far_f(y, PLUS));                                    \
    _mm512_storeu_ps(t, log_lanes_f(&BASE##_f, y, PLUS));                                        \
  })                                                                                             \
  STREAM(NAME##_f64, double, stream_i64, 1, NAME##_f64_row, {                                    \
    const __m512d y = _mm512_loadu_pd(x);                                                        \
    far |= (stream_i64)_mm512_movm_epi64(log_far_d(y, PLUS));                                    \
    _mm512_storeu_pd(t, log_lanes_d(&BASE##_d, y, PLUS));                                        \
  })
STREAM_LOG(log, log_e, false)
STREAM_LOG(log2, log_2, false)
STREAM_LOG(log10, log_10, false)
STREAM_LOG(log1p, log_e, true)
STREAM(gelu_f32, float, stream_i32, 1, gelu_f32_row, {
  stream_f32 all;
  memcpy(&all, x, sizeof all);
  far |= ~((all >= -GELU_LESS) & (all <= GELU_LESS));
  _mm512_storeu_ps(t, gelu_less_ps(_mm512_loadu_ps(x)));
})
STREAM(abs_c128, double, stream_i64, 2, abs_c128_row, {
  if (!abs_lanes_d(t, x))
    IVDEP for (int k = 0; k < EACH; k++)
      t[k] = hypot_d(x[2 * k], x[2 * k + 1]);
})
STREAM_OF(exp_c64, c64, stream_i32, 1, EXP_LANES, exp_c64_row, { far |= (stream_i32)exp_lanes(t, x); })
#else
#define SIN_F(x) sin_f(x, 0)
#define COS_F(x) sin_f(x, 1)
STREAM_NEAR_F32(sin, -LARGE_F, LARGE_F, SIN_F)
STREAM_NEAR_F32(cos, -LARGE_F, LARGE_F, COS_F)
STREAM_NEAR_F32(log, 0x1p-126f, 0x1.fffffep127f, log_near_f)
STREAM_NEAR_F64(log, 0x1p-1022, 0x1.fffffffffffffp1023, log_near_d)
STREAM_NEAR_F32(gelu, -12.0f, 12.0f, gelu_near_f)
#endif
#if defined(OWN_ABS)
STREAM(abs_c64, float, stream_i32, 2, abs_c64_row, {
  if (!abs_lanes(t, x))
    IVDEP for (int k = 0; k < LANES; k++)
      t[k] = hypot_f(x[2 * k], x[2 * k + 1]);
})
#endif
#if defined(OWN_ARCTAN2)
STREAM(angle_c64, float, stream_i32, 2, angle_c64_row, {
  IVDEP for (int k = 0; k < LANES; k++)
    t[k] = arctan2_f(x[2 * k + 1], x[2 * k]);
})
#endif
