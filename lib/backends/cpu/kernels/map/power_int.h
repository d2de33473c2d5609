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

#define BODY "backends/cpu/kernels/map/power_wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"
