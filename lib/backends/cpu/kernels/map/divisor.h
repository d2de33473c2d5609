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

INLINE uint16_t upper_16(uint16_t a, uint16_t b) { return (uint16_t)(((uint32_t)a * b) >> 16); }
INLINE uint32_t upper_32(uint32_t a, uint32_t b) { return (uint32_t)(((uint64_t)a * b) >> 32); }
INLINE uint64_t upper_64(uint64_t a, uint64_t b)
{
#if CPU_VECTOR == 64
  /* By products of halves, of which there are vectors. */
  const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
  const uint64_t middle = ah * bl + ((al * bl) >> 32), other = al * bh + (uint32_t)middle;
  return ah * bh + (middle >> 32) + (other >> 32);
#else
  return (uint64_t)(((wide)a * b) >> 64);
#endif
}

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

/* Those of exact.h, and where there are none those of all types. */
enum {
  OP_floor_divide = HED_OP_FLOOR_DIVIDE, OP_mod = HED_OP_MOD, OP_fmod = HED_OP_FMOD, ID_i64 = HED_ID_INT64,
  ID_u8 = HED_ID_UINT8, ID_u16 = HED_ID_UINT16, ID_u32 = HED_ID_UINT32, ID_u64 = HED_ID_UINT64
};

#define BODY "backends/cpu/kernels/map/divisor_wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"
