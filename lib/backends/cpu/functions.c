// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of loops of functions: exponentials, logarithms, powers, trigonometry. Compiled once per instruction set, as
 * kernels.c is. L1.
 */
#include "backends/cpu/kernels.h"
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Functions that return long vectors are inlined, or have the vector ABI's own calling sequence. */
#pragma GCC diagnostic ignored "-Wpsabi"

#ifndef CPU_VARIANT
#define CPU_VARIANT base
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#include "backends/cpu/k_math.h"
#include "backends/cpu/k_exp.h"
#include "backends/cpu/k_log.h"
#include "backends/cpu/k_trig.h"
#if defined(HED_HAVE_LIBMVEC)
#include "backends/cpu/k_mvec.h"
#endif
#include "backends/cpu/k_polar.h"
#include "backends/cpu/k_power.h"

#define FLOAT32(name) [HED_ID_FLOAT32] = name##_f32
#define FLOATS(name) FLOAT32(name), [HED_ID_FLOAT64] = name##_f64
#define COMPLEXES(name) [HED_ID_COMPLEX64] = name##_c64, [HED_ID_COMPLEX128] = name##_c128

/* power of float32 wants vectors of 64-bit integers, which libm outruns without; that of float64 is libmvec's without AVX-512. */
#if defined(__AVX512DQ__) || (defined(HED_HAVE_LIBMVEC) && defined(__AVX2__))
#define POWERS FLOATS(power)
#elif defined(HED_HAVE_LIBMVEC)
#define POWERS [HED_ID_FLOAT64] = power_f64
#else
#define POWERS FLOAT32(power)
#endif

const cpu_function_loops JOIN(cpu_functions_, CPU_VARIANT) = {
  [CPU_FN_ABS] = { COMPLEXES(abs) },
  [CPU_FN_EXP] = { FLOATS(exp), COMPLEXES(exp) },
  [CPU_FN_EXPM1] = { FLOATS(expm1) },
  [CPU_FN_TANH] = { FLOATS(tanh) },
  [CPU_FN_SIGMOID] = { FLOATS(sigmoid) },
  [CPU_FN_SILU] = { FLOATS(silu) },
  [CPU_FN_LOG] = { FLOATS(log) },
  [CPU_FN_SIN] = { FLOATS(sin) },
  [CPU_FN_COS] = { FLOATS(cos) },
  [CPU_FN_HYPOT] = { FLOATS(hypot) },
#if defined(HED_HAVE_LIBMVEC)
  [CPU_FN_ANGLE] = { COMPLEXES(angle) },
  [CPU_FN_EXP2] = { FLOATS(exp2) },
  [CPU_FN_LOG1P] = { FLOATS(log1p) },
  [CPU_FN_LOG2] = { FLOATS(log2) },
  [CPU_FN_LOG10] = { FLOATS(log10) },
  [CPU_FN_TAN] = { FLOATS(tan) },
  [CPU_FN_ARCSIN] = { FLOATS(arcsin) },
  [CPU_FN_ARCCOS] = { FLOATS(arccos) },
  [CPU_FN_ARCTAN] = { FLOATS(arctan) },
  [CPU_FN_SINH] = { FLOATS(sinh) },
  [CPU_FN_COSH] = { FLOATS(cosh) },
  [CPU_FN_ARCSINH] = { FLOATS(arcsinh) },
  [CPU_FN_ARCCOSH] = { FLOATS(arccosh) },
  [CPU_FN_ARCTANH] = { FLOATS(arctanh) },
  [CPU_FN_CBRT] = { FLOATS(cbrt) },
  [CPU_FN_ERF] = { FLOATS(erf) },
  [CPU_FN_ERFC] = { FLOATS(erfc) },
  [CPU_FN_ARCTAN2] = { FLOATS(arctan2) },
#else
  [CPU_FN_EXP2] = { FLOAT32(exp2) },
#endif
  [CPU_FN_POWER] = { POWERS },
};
