// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the files of functions share; included by functions.c alone, which is compiled once per instruction set.
 *
 * A function of one element is written so that the compiler turns a loop over it into vector code: no calls, no
 * branches that are not selections. ma() rounds once where the instruction set has a fused multiply-add, so that
 * results may differ between the sets in their last bit.
 */

#include "backends/cpu/kernels/lanes/lanes.h"

/* Added, they leave the nearest integer in the low bits. */
#define MAGIC_F 0x1.8p23f
#define MAGIC_D 0x1.8p52

enum { MATH_BLOCK = 256 };

/* Code of its own. */
#define APART static __attribute__((noinline, unused)) void

#define BODY "backends/cpu/kernels/functions/blocks.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#define BODY "backends/cpu/kernels/functions/blocks.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"
#define BODY "backends/cpu/kernels/functions/blocks.h"
#include "backends/cpu/kernels/lanes/for_complex.h"

/* In bodies for both types: the words that name_f, or name_d, is of, and what is float's or double's. */
#define LETTER_f32 f
#define LETTER_f64 d
#define OF(name) CPU_JOIN(name##_, CPU_JOIN(LETTER_, S))
#define PICK_f32(f, d) f
#define PICK_f64(f, d) d
#define PICK(f, d) CPU_JOIN(PICK_, S)(f, d)
#define SIZE_OF(x) PICK(__builtin_fabsf, __builtin_fabs)(x)

/* The complex type of a real one, and name_c64, or name_c128. */
#define COMPLEX_f32 c64
#define COMPLEX_f64 c128
#define COMPLEX CPU_JOIN(COMPLEX_, S)
#define KIND(name) CPU_JOIN(name##_, COMPLEX)

enum { NEAR_VECTORS = 4 };
#define BODY "backends/cpu/kernels/functions/rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

/* Entries of the table, of a row over contiguous elements, and rows of functions of elements. */
#define ROW_ENTRY(NAME, CALL) \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params) { (void)params, CALL; }
#define STRIDED1(NAME, S, ROW) ROW_ENTRY(NAME, strided1_##S(n, p, s, ROW))
#define STRIDED2(NAME, S, ROW) ROW_ENTRY(NAME, CPU_JOIN(strided2_, S)(n, p, s, ROW))
#define ROW1(NAME, S, CALL)                                                                      \
  static void NAME##_##S##_row(int64_t n, real_##S *o, const real_##S *v) { CALL; }              \
  STRIDED1(NAME##_##S, S, NAME##_##S##_row)
#define ROW2(NAME, S, CALL)                                                                      \
  static void NAME##_##S##_row(int64_t n, real_##S *o, const real_##S *v, const real_##S *w) { CALL; } \
  STRIDED2(NAME##_##S, S, NAME##_##S##_row)
#define FUNCTION1(NAME, S, OF_ONE) ROW1(NAME, S, each1_##S(n, o, v, OF_ONE))
#define FUNCTION2(NAME, S, OF_TWO) ROW2(NAME, S, each2_##S(n, o, v, w, OF_TWO))
#define FUNCTION_NEAR(NAME, S, LOW, HIGH, NEAR, FAR) ROW1(NAME, S, near_row_##S(n, o, v, LOW, HIGH, NEAR, FAR, true))
