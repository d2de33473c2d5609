// SPDX-License-Identifier: BSD-3-Clause
/*
 * Integers divided by one divisor: exact, with the values of lib/base/formulas/formulas.def. Included by functions.c alone, after
 * exact.h.
 *
 * Processors have no vectors of such quotients, and one takes long. A product with the divisor's inverse, rounded up and one bit
 * longer than the numbers, has the quotient in its upper half (T. Granlund, P. L. Montgomery, Division by invariant integers using
 * multiplication, PLDI 1994); the longest bit is added apart. Signs are put aside by complements: where a / d is below 0, its
 * floor is ~((|a| - 1) / |d|), and |a| - 1 is the complement of -|a|. The least number over one below 0 is not below 0, though
 * its negative wraps to itself.
 * Every instruction set; contiguous integers and one repeated divisor.
 */
__extension__ typedef unsigned __int128 wide;

typedef struct inverse { uint64_t times; int first, then; } inverse;

/* Of D > 0 for numbers of so many bits. */
static inverse inverse_of(uint64_t d, int bits)
{
  const int up = d > 1 ? 64 - __builtin_clzll(d - 1) : 0;
  return (inverse){ (uint64_t)(((((wide)1 << up) - d) << bits) / d + 1), up > 0, up > 0 ? up - 1 : 0 };
}

#define UPPER_HALF(U, W, a, b) ((U)(((W)(a) * (b)) >> (8 * sizeof(U))))
#define UPPER_16(a, b) UPPER_HALF(uint16_t, uint32_t, a, b)
#define UPPER_32(a, b) UPPER_HALF(uint32_t, uint64_t, a, b)
#if CPU_VECTOR == 64
/* By products of halves, of which there are vectors. */
INLINE uint64_t UPPER_64(uint64_t a, uint64_t b)
{
  const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
  const uint64_t middle = ah * bl + ((al * bl) >> 32), other = al * bh + (uint32_t)middle;
  return ah * bh + (middle >> 32) + (other >> 32);
}
#else
#define UPPER_64(a, b) UPPER_HALF(uint64_t, wide, a, b)
#endif

enum { DIVIDE_FLOOR, DIVIDE_MOD, DIVIDE_FMOD, DIVIDE_FEW = 16 /* quotients take less time than the inverse */ };
#if defined(__AVX512DQ__)
#include "backends/cpu/kernels/map/divide_int64.h"
#endif

/* uint16_t would be multiplied as int. */
#define PRODUCT(U, a, b) ((U)((uint32_t)1 * (U)(a) * (U)(b)))

/* For numbers up to 128: 2^k over D and at most 1 more, with k 8 more than the bits after D's highest. A product has 16 bits,
 * and what it is too large by, 128 D at most, is less than 2^k. */
static inline inverse short_inverse_of(uint64_t d)
{
  const int k = 8 + 63 - __builtin_clzll(d);
  return (inverse){ ((uint64_t)1 << k) / d + 1, 0, k };
}

/* U holds T's numbers and their magnitudes; EASY: D is above 0, which turns nothing around. LOOPS names the loops of other
 * operands. */
#define BY_DIVISOR(T, S, U, BITS, LOOPS)                                                         \
  INLINE void divide_by_##S(int64_t n, T *o, const T *x, const T d, const int kind, const bool easy) \
  {                                                                                              \
    const bool is_signed = (T)-1 < 1;                                                            \
    const U minus = (U)(0 - (U)(is_signed && !easy && d < 1)), turn = kind == DIVIDE_FMOD ? 0 : minus; \
    const U by = (U)(((U)d ^ minus) - minus);                                                    \
    const bool seven = easy && is_signed && sizeof(T) == 1;                                      \
    const inverse inv = seven ? short_inverse_of(by) : inverse_of(by, BITS);                     \
    const U times = (U)inv.times;                                                                \
    const int first = inv.first, then = inv.then;                                                \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const U a = (U)x[i], b = (U)((a ^ turn) - turn);                                           \
      const U below = is_signed ? (U)(0 - (U)((U)(b & ~(a & turn)) >> (BITS - 1))) : 0;          \
      const U v = kind == DIVIDE_FMOD ? (U)((b ^ below) - below) : (U)(b ^ below);               \
      const U t = seven ? PRODUCT(U, v, times) : UPPER_##BITS(v, times);                         \
      const U q = (U)((seven ? t : (U)((U)((U)(v - t) >> first) + t)) >> then);                  \
      o[i] = kind == DIVIDE_FLOOR ? (T)(q ^ below)                                               \
             : kind == DIVIDE_MOD ? (T)(a - PRODUCT(U, q ^ below, d))                            \
                                  : (T)(((U)(v - PRODUCT(U, q, by)) ^ below) - below);           \
    }                                                                                            \
  }                                                                                              \
  BY_DIVISOR_LOOP(floor_divide, DIVIDE_FLOOR, T, S, LOOPS)                                       \
  BY_DIVISOR_LOOP(mod, DIVIDE_MOD, T, S, LOOPS)                                                  \
  BY_DIVISOR_LOOP(fmod, DIVIDE_FMOD, T, S, LOOPS)

/* By 0, all are 0. */
#define BY_DIVISOR_LOOP(NAME, KIND, T, S, LOOPS)                                                 \
  static void NAME##_##S(int64_t n, char *const *p, const int64_t *s, const void *params)        \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    if (n < DIVIDE_FEW || s[0] != size || s[1] != size || s[2] != 0) {                           \
      LOOPS(NAME, S)(n, p, s, params);                                                           \
      return;                                                                                    \
    }                                                                                            \
    const T d = *(const T *)(const void *)p[2];                                                  \
    T *o = (T *)(void *)p[0];                                                                    \
    const T *x = (const T *)(const void *)p[1];                                                  \
    if (d == 0)                                                                                  \
      memset(o, 0, (size_t)(n * size));                                                          \
    else if (d > 0)                                                                              \
      divide_by_##S(n, o, x, d, KIND, true);                                                     \
    else                                                                                         \
      divide_by_##S(n, o, x, d, KIND, false);                                                    \
  }

/* Those of exact.h, and where there are none those of all types. */
#define EACH_DIVIDED(NAME, S) NAME##_each_##S
#define FORMULA_DIVIDED(NAME, S) hed__formulas[OP_##NAME][ID_##S].fn
enum {
  OP_floor_divide = HED_OP_FLOOR_DIVIDE, OP_mod = HED_OP_MOD, OP_fmod = HED_OP_FMOD, ID_i64 = HED_ID_INT64,
  ID_u8 = HED_ID_UINT8, ID_u16 = HED_ID_UINT16, ID_u32 = HED_ID_UINT32, ID_u64 = HED_ID_UINT64
};

BY_DIVISOR(int8_t, i8, uint16_t, 16, EACH_DIVIDED)
BY_DIVISOR(int16_t, i16, uint16_t, 16, EACH_DIVIDED)
BY_DIVISOR(int32_t, i32, uint32_t, 32, EACH_DIVIDED)
#if defined(__AVX512DQ__)
BY_DIVISOR(int64_t, i64, uint64_t, 64, EACH_DIVIDED)
#else
BY_DIVISOR(int64_t, i64, uint64_t, 64, FORMULA_DIVIDED)
#endif
BY_DIVISOR(uint8_t, u8, uint16_t, 16, FORMULA_DIVIDED)
BY_DIVISOR(uint16_t, u16, uint16_t, 16, FORMULA_DIVIDED)
BY_DIVISOR(uint32_t, u32, uint32_t, 32, FORMULA_DIVIDED)
BY_DIVISOR(uint64_t, u64, uint64_t, 64, FORMULA_DIVIDED)
