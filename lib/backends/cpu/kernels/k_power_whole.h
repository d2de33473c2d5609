// SPDX-License-Identifier: BSD-3-Clause
/*
 * power of whole numbers, with the values of lib/base/formulas.def. Included by functions.c alone, after k_divisor.h.
 *
 * Squares of squares, multiplied where an exponent has the bit: for the elements of a block side by side, as many times as the
 * longest of its exponents has bits. Below 0 only the powers of 1 and -1 are not 0, and these depend on the last bit alone.
 */
#define POWER_WHOLE(T, S, U)                                                                     \
  static void power_##S##_row(int64_t n, T *o, const T *x, const T *y)                           \
  {                                                                                              \
    const bool is_signed = (T)-1 < 1;                                                            \
    for (int64_t i = 0; i < n; i += MATH_BLOCK, o += MATH_BLOCK, x += MATH_BLOCK, y += MATH_BLOCK) { \
      const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                 \
      U exponent[MATH_BLOCK], square[MATH_BLOCK], all[MATH_BLOCK], longest = 0, below = 0;       \
      for (int64_t j = 0; j < m; j++) {                                                          \
        const U b = (U)y[j], minus = is_signed ? (U)(0 - (U)(b >> (8 * sizeof(U) - 1))) : 0;     \
        exponent[j] = b;                                                                         \
        longest |= (U)(b & ~minus);                                                              \
        below |= minus;                                                                          \
      }                                                                                          \
      IVDEP for (int64_t j = 0; j < m; j++) {                                                    \
        square[j] = (U)x[j];                                                                     \
        all[j] = exponent[j] & 1 ? square[j] : 1;                                                \
      }                                                                                          \
      if (below)                                                                                 \
        IVDEP for (int64_t j = 0; j < m; j++) {                                                  \
          const bool one = (square[j] == 1) | (square[j] == (U)-1), minus = exponent[j] >> (8 * sizeof(U) - 1); \
          all[j] = one | !minus ? all[j] : 0;                                                    \
          exponent[j] = minus ? 0 : exponent[j];                                                 \
        }                                                                                        \
      for (U bit = 2; bit && bit <= longest; bit = (U)(bit << 1))                                \
        IVDEP for (int64_t j = 0; j < m; j++) {                                                  \
          const U s = PRODUCT(U, square[j], square[j]), p = PRODUCT(U, all[j], s);               \
          all[j] = exponent[j] & bit ? p : all[j];                                               \
          square[j] = s;                                                                         \
        }                                                                                        \
      memcpy(o, all, (size_t)m * sizeof *o);                                                     \
    }                                                                                            \
  }                                                                                              \
  STRIDED2(power_##S, T, power_##S##_row)

POWER_WHOLE(int8_t, i8, uint8_t)
POWER_WHOLE(int16_t, i16, uint16_t)
POWER_WHOLE(int32_t, i32, uint32_t)
POWER_WHOLE(int64_t, i64, uint64_t)
POWER_WHOLE(uint8_t, u8, uint8_t)
POWER_WHOLE(uint16_t, u16, uint16_t)
POWER_WHOLE(uint32_t, u32, uint32_t)
POWER_WHOLE(uint64_t, u64, uint64_t)
