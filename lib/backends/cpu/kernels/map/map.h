// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops of arithmetic, comparison and selection; included by kernels.c alone, which is
 * compiled once per instruction set. The loops of a type are map_reals.h, map_wholes.h and complex.h.
 *
 * The drivers are those of each.h. Integers are computed unsigned, so that they wrap.
 */
#include "backends/cpu/kernels/lanes/lanes.h"

/* The loop OF with its operands exchanged. */
#define SWAPPED2(FN, OF)                                                                         \
  static void FN(int64_t n, char *const *p, const int64_t *s, const void *params)                \
  {                                                                                              \
    OF(n, (char *const[]){ p[0], p[2], p[1] }, (const int64_t[]){ s[0], s[2], s[1] }, params);   \
  }

#define BODY "backends/cpu/kernels/map/map_reals.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#define BODY "backends/cpu/kernels/map/map_wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"
#define BODY "backends/cpu/kernels/map/complex.h"
#include "backends/cpu/kernels/lanes/for_complex.h"
LOOP_WHERE(where_c128, c128, void, { 0 }, c ? a : b)

/* ---- float16 and bfloat16 without conversion: signs ---- */

LOOP1(negative_half, uint16_t, uint16_t, (uint16_t)(a ^ 0x8000))
LOOP1(abs_half, uint16_t, uint16_t, (uint16_t)(a & 0x7fff))
LOOP1(same_half, uint16_t, uint16_t, a)
LOOP1(signbit_half, uint16_t, uint8_t, (uint8_t)(a >> 15))
LOOP2(copysign_half, uint16_t, uint16_t, (uint16_t)((a & 0x7fff) | (b & 0x8000)))

/* ---- products of bytes ---- */

/* Signed or not, as of words: those of the lower halves, and of upper ones by upper ones where they lie. A last
 * operand of STEP 0 repeats. */
typedef uint16_t byte_pairs __attribute__((vector_size(CPU_VECTOR), aligned(1), may_alias));
static void multiply_bytes(int64_t n, char *o, const char *x, const char *y, int64_t step)
{
  byte_pairs b = { 0 };
  int64_t i = 0;
  if (step == 0)
    b += (uint16_t)((uint8_t)*y * 0x101);
  for (; i + CPU_VECTOR <= n; i += CPU_VECTOR) {
    const byte_pairs a = *(const byte_pairs *)(const void *)(x + i);
    if (step)
      b = *(const byte_pairs *)(const void *)(y + i);
    *(byte_pairs *)(void *)(o + i) = (a * b & 0xff) | (a >> 8) * (b & 0xff00);
  }
  for (; i < n; i++)
    o[i] = (char)((uint8_t)x[i] * (uint8_t)y[i * step]);
}

static void multiply_u8(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  if (s[0] == 1 && s[1] == 1 && (s[2] & ~INT64_C(1)) == 0 && n > 0)
    multiply_bytes(n, p[0], p[1], p[2], s[2]);
  else if (s[0] == 1 && s[1] == 0 && s[2] == 1 && n > 0)
    multiply_bytes(n, p[0], p[2], p[1], 0);
  else
    multiply_each_u8(n, p, s, params);
}
