// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions by the vector routines of the C library (libmvec of glibc 2.35 and later), whose names the x86 vector
 * function ABI gives: _ZGV, a letter for the instruction set, N, the lanes, a v per operand, the name. Their errors are
 * below 4 units in the last place, and special operands go to the scalar functions. Included by functions.c alone.
 * x86 with libmvec, every instruction set.
 */
#if defined(__AVX512F__)
#define MVEC_BYTES 64
#define MVEC_F(args, name) _ZGVeN16##args##_##name
#define MVEC_D(args, name) _ZGVeN8##args##_##name
#elif defined(__AVX2__)
#define MVEC_BYTES 32
#define MVEC_F(args, name) _ZGVdN8##args##_##name
#define MVEC_D(args, name) _ZGVdN4##args##_##name
#else
#define MVEC_BYTES 16
#define MVEC_F(args, name) _ZGVbN4##args##_##name
#define MVEC_D(args, name) _ZGVbN2##args##_##name
#endif

typedef float mvec_f __attribute__((vector_size(MVEC_BYTES)));
typedef double mvec_d __attribute__((vector_size(MVEC_BYTES)));

#define BODY "backends/cpu/kernels/functions/mvec_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

#define MVEC1_F(NAME, FN, PAD) mvec_f MVEC_F(v, FN)(mvec_f); ROW1(NAME, f32, mvec1_f32(n, o, v, MVEC_F(v, FN), PAD))
#define MVEC1_D(NAME, FN, PAD) mvec_d MVEC_D(v, FN)(mvec_d); ROW1(NAME, f64, mvec1_f64(n, o, v, MVEC_D(v, FN), PAD))
#define MVEC2_F(NAME, FN) mvec_f MVEC_F(vv, FN)(mvec_f, mvec_f); ROW2(NAME, f32, mvec2_f32(n, o, v, w, MVEC_F(vv, FN)))
#define MVEC2_D(NAME, FN) mvec_d MVEC_D(vv, FN)(mvec_d, mvec_d); ROW2(NAME, f64, mvec2_f64(n, o, v, w, MVEC_D(vv, FN)))
#define MVEC1(NAME, FN) MVEC1_F(NAME, FN##f, 0.5f) MVEC1_D(NAME, FN, 0.5)

MVEC1_D(exp2, exp2, 0.5)
MVEC1(arctanh, atanh)
MVEC1_D(arcsinh, asinh, 0.5)
MVEC1_D(arccosh, acosh, 1.5)
MVEC1(arctan, atan)
#if !defined(__AVX512F__) /* log_512.h, exp.h, cbrt.h */
MVEC1(cbrt, cbrt)
MVEC1(log1p, log1p)
MVEC1(log2, log2)
MVEC1(log10, log10)
MVEC1_F(sinh, sinhf, 0.5f)
#endif
MVEC1(tan, tan)
MVEC1(arcsin, asin)
MVEC1(arccos, acos)
MVEC1(erf, erf)
MVEC1(erfc, erfc)
#if !defined(OWN_ARCTAN2)
MVEC2_F(arctan2, atan2f)
#endif
MVEC2_D(arctan2, atan2)
#if !defined(__AVX512F__) /* power_512.h */
MVEC2_F(power_pairs, powf)
MVEC2_D(power_pairs, pow)
#endif
