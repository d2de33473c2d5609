// SPDX-License-Identifier: BSD-3-Clause
/*
 * power of integers, with the values of lib/base/formulas/formulas.def. Included by functions.c alone, after divisor.h.
 *
 * Squares of squares, multiplied where an exponent has the bit, as many times as the longest exponent of a block has bits.
 * Below 0 only the powers of 1 and -1 are not 0, and these depend on the last bit alone.
 * Every instruction set; contiguous integers by blocks.
 */
#define BITS_OF(y) ((y) > 3 ? 64 - __builtin_clzll(y) : 2)

/* Vectors at a time: products of one wait for each other, but not for those of others. */
enum { POWERS = CPU_VECTOR == 64 ? 4 : 2 };

/* ALL times SQUARE where the EXPONENT has the bit. */
#define TIMES_CHOSEN(ALL, SQUARE, EXPONENT, BIT) ALL ^= (ALL ^ ALL * SQUARE) & -(EXPONENT >> BIT & 1)
#define TIMES_CHOSEN_u8 TIMES_CHOSEN
#if CPU_VECTOR == 64
#define TIMES_MASKED(W, ALL, SQUARE, EXPONENT, BIT)                                              \
  do {                                                                                           \
    const __m512i one = _mm512_set1_epi##W((int##W##_t)((uint##W##_t)1 << BIT)), so_far = (__m512i)ALL; \
    ALL = (powers_u##W)_mm512_mask_mullo_epi##W(so_far, _mm512_test_epi##W##_mask((__m512i)EXPONENT, one), so_far, \
                                                   (__m512i)SQUARE);                             \
  } while (0)
#define TIMES_CHOSEN_u16(...) TIMES_MASKED(16, __VA_ARGS__)
#define TIMES_CHOSEN_u32(...) TIMES_MASKED(32, __VA_ARGS__)
#define TIMES_CHOSEN_u64(...) TIMES_MASKED(64, __VA_ARGS__)
#else
#define TIMES_CHOSEN_u16 TIMES_CHOSEN
#define TIMES_CHOSEN_u32 TIMES_CHOSEN
#define TIMES_CHOSEN_u64 TIMES_CHOSEN
#endif

/* Powers of U, the type of W without sign. Exponents of at most BITS bits, two or more; STEP 0: one for all. */
#define POWERS_OF(U, W)                                                                          \
  typedef U powers_##W __attribute__((vector_size(CPU_VECTOR)));                                 \
  INLINE void powers_some_##W(int64_t n, void *o, const U *x, const U *y, const int64_t step, const int bits) \
  {                                                                                              \
    powers_##W square[POWERS] = { { 0 } }, exponent[POWERS] = { { 0 } }, all[POWERS];            \
    memcpy(square, x, (size_t)n * sizeof *x);                                                    \
    if (step)                                                                                    \
      memcpy(exponent, y, (size_t)n * sizeof *y);                                                \
    else                                                                                         \
      UNROLL for (int k = 0; k < POWERS; k++)                                                    \
        exponent[k] += *y;                                                                       \
    UNROLL for (int k = 0; k < POWERS; k++)                                                      \
      all[k] = 1 + ((square[k] - 1) & -(exponent[k] & 1));                                       \
    int bit = 1;                                                                                 \
    do {                                                                                         \
      UNROLL for (int k = 0; k < POWERS; k++) {                                                  \
        square[k] *= square[k];                                                                  \
        TIMES_CHOSEN_##W(all[k], square[k], exponent[k], bit);                                   \
      }                                                                                          \
    } while (++bit < bits);                                                                      \
    memcpy(o, all, (size_t)n * sizeof *x);                                                       \
  }                                                                                              \
  static void powers_all_##W(int64_t n, void *out, const U *x, const U *y, const int64_t step, const int bits) \
  {                                                                                              \
    enum { TOGETHER = POWERS * CPU_VECTOR / sizeof(U) };                                         \
    U *o = out;                                                                                  \
    for (; n >= TOGETHER; n -= TOGETHER, o += TOGETHER, x += TOGETHER, y += step * TOGETHER)     \
      powers_some_##W(TOGETHER, o, x, y, step, bits);                                            \
    if (n > 0)                                                                                   \
      powers_some_##W(n, o, x, y, step, bits);                                                   \
  }

POWERS_OF(uint8_t, u8)
POWERS_OF(uint16_t, u16)
POWERS_OF(uint32_t, u32)
POWERS_OF(uint64_t, u64)

#define POWER_WHOLE(T, S, U, W)                                                                  \
  static void power_##S##_row(int64_t n, T *o, const T *a, const T *b)                           \
  {                                                                                              \
    const bool is_signed = (T)-1 < 1;                                                            \
    const U *x = (const U *)a, *y = (const U *)b;                                                \
    for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, x += MATH_BLOCK, y += MATH_BLOCK) {          \
      const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;                                         \
      U longest = 0, base[MATH_BLOCK], exponent[MATH_BLOCK];                                     \
      for (int64_t j = 0; j < m; j++)                                                            \
        longest |= y[j];                                                                         \
      const bool below = is_signed && longest >> (8 * sizeof(U) - 1);                            \
      if (below) {                                                                               \
        longest = 0;                                                                             \
        IVDEP for (int64_t j = 0; j < m; j++) {                                                  \
          const U one = (U)(0 - (U)((x[j] == 1) | (x[j] == (U)-1))), minus = (U)(0 - (y[j] >> (8 * sizeof(U) - 1))); \
          base[j] = (U)(x[j] & (one | (U)~minus));                                               \
          exponent[j] = (U)((y[j] & (U)~minus) | (((y[j] & 1) | ((U)~one & 1)) & minus));        \
          longest |= exponent[j];                                                                \
        }                                                                                        \
      }                                                                                          \
      powers_all_##W(m, o, below ? base : x, below ? exponent : y, 1, BITS_OF(longest));         \
    }                                                                                            \
  }                                                                                              \
  STRIDED2(power_##S##_any, T, power_##S##_row)                                                  \
  static void power_##S(int64_t n, char *const *p, const int64_t *s, const void *params)         \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    const T by = s[2] == 0 && n > 0 ? *(const T *)(const void *)p[2] : 0;                        \
    T *o = (T *)(void *)p[0];                                                                    \
    const U *x = (const U *)(const void *)p[1], y = (U)by;                                       \
    if (by < 1 || s[0] != size || s[1] != size)                                                  \
      power_##S##_any(n, p, s, params);                                                          \
    else if (by == 2)                                                                            \
      IVDEP for (int64_t j = 0; j < n; j++)                                                      \
        o[j] = (T)PRODUCT(U, x[j], x[j]);                                                        \
    else                                                                                         \
      powers_all_##W(n, o, x, &y, 0, BITS_OF(y));                                                \
  }

POWER_WHOLE(int8_t, i8, uint8_t, u8)
POWER_WHOLE(int16_t, i16, uint16_t, u16)
POWER_WHOLE(int32_t, i32, uint32_t, u32)
POWER_WHOLE(int64_t, i64, uint64_t, u64)
POWER_WHOLE(uint8_t, u8, uint8_t, u8)
POWER_WHOLE(uint16_t, u16, uint16_t, u16)
POWER_WHOLE(uint32_t, u32, uint32_t, u32)
POWER_WHOLE(uint64_t, u64, uint64_t, u64)
