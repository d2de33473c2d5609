// SPDX-License-Identifier: BSD-3-Clause
/*
 * power of whole numbers, with the values of lib/base/formulas.def. Included by functions.c alone, after k_divisor.h.
 *
 * Squares of squares, multiplied where an exponent has the bit, as many times as the longest exponent of a block has bits.
 * Below 0 only the powers of 1 and -1 are not 0, and these depend on the last bit alone.
 */
#define BITS_OF(y) ((y) > 3 ? 64 - __builtin_clzll(y) : 2)

#define POWER_WHOLE(T, S, U)                                                                     \
  /* Exponents of at most BITS bits, two or more, not below 0; STEP 0: one for all. GCC makes vectors of the outer loop, with \
   * all in registers, when the inner one is of one block: so there is no branch in it. */       \
  INLINE void power_##S##_bits(int64_t n, T *o, const U *x, const U *y, const int64_t step, const int bits) \
  {                                                                                              \
    IVDEP for (int64_t j = 0; j < n; j++) {                                                      \
      U exponent = y[j * step], square = x[j], all = (U)(1 + ((square - 1) & (0 - (exponent & 1)))); \
      int bit = 1;                                                                               \
      do {                                                                                       \
        exponent = (U)(exponent >> 1);                                                           \
        square = PRODUCT(U, square, square);                                                     \
        const U has = (U)(0 - (exponent & 1)), p = PRODUCT(U, all, square);                      \
        all = (U)(all ^ ((all ^ p) & has));                                                      \
      } while (++bit < bits);                                                                    \
      o[j] = (T)all;                                                                             \
    }                                                                                            \
  }                                                                                              \
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
          const bool one = (x[j] == 1) | (x[j] == (U)-1), minus = y[j] >> (8 * sizeof(U) - 1);   \
          base[j] = one | !minus ? x[j] : 0;                                                     \
          exponent[j] = minus ? (U)((y[j] & 1) | !one) : y[j];                                   \
          longest |= exponent[j];                                                                \
        }                                                                                        \
      }                                                                                          \
      power_##S##_bits(m, o, below ? base : x, below ? exponent : y, 1, BITS_OF(longest));        \
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
      power_##S##_bits(n, o, x, &y, 0, BITS_OF(y));                                              \
  }

POWER_WHOLE(int8_t, i8, uint8_t)
POWER_WHOLE(int16_t, i16, uint16_t)
POWER_WHOLE(int32_t, i32, uint32_t)
POWER_WHOLE(int64_t, i64, uint64_t)
POWER_WHOLE(uint8_t, u8, uint8_t)
POWER_WHOLE(uint16_t, u16, uint16_t)
POWER_WHOLE(uint32_t, u32, uint32_t)
POWER_WHOLE(uint64_t, u64, uint64_t)
