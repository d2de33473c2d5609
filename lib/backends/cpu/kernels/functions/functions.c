// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of loops of functions: exponentials, logarithms, powers, trigonometry, and in map/exact.h exact operations.
 * Compiled once per instruction set, as kernels.c is. L1.
 */
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/map/each.h"
#include "backends/cpu/kernels/variant.h"
#include "base/cmplx.h"
#include "base/formulas/formulas.h"
#include "base/formulas/formulas_math.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "backends/cpu/kernels/functions/math.h"
#include "backends/cpu/kernels/functions/exp.h"
#include "backends/cpu/kernels/functions/log.h"

FUNCTION_NEAR(exp, f32, -86.0f, 86.0f, exp_near_f, exp_f)
FUNCTION_NEAR(exp, f64, -700.0, 700.0, exp_near_d, exp_d)
FUNCTION_NEAR(exp2, f32, -125.0f, 125.0f, exp2_near_f, exp2_f)
FUNCTION_NEAR(expm1, f32, -20.0f, 89.0f, expm1_near_f, expm1_f)
FUNCTION_NEAR(expm1, f64, -50.0, 710.0, expm1_near_d, expm1_d)
FUNCTION1(tanh, f32, tanh_f)
FUNCTION1(tanh, f64, tanh_d)
FUNCTION_NEAR(sigmoid, f32, -80.0f, 80.0f, sigmoid_near_f, sigmoid_f)
FUNCTION_NEAR(sigmoid, f64, -700.0, 700.0, sigmoid_near_d, sigmoid_d)
FUNCTION_NEAR(silu, f32, -80.0f, 80.0f, silu_near_f, silu_f)
FUNCTION_NEAR(silu, f64, -700.0, 700.0, silu_near_d, silu_d)
FUNCTION_NEAR(cosh, f32, -86.0f, 86.0f, cosh_near_f, cosh_f)
FUNCTION_NEAR(cosh, f64, -700.0, 700.0, cosh_near_d, cosh_d)
#if defined(__AVX512F__) || !defined(HED_HAVE_LIBMVEC) /* with shorter vectors, the C library's is faster */
FUNCTION_NEAR(sinh, f32, -86.0f, 86.0f, sinh_near_f, sinh_f)
#endif
FUNCTION_NEAR(sinh, f64, -700.0, 700.0, sinh_near_d, sinh_d)
FUNCTION1(lecun_tanh, f32, lecun_tanh_f)
FUNCTION1(lecun_tanh, f64, lecun_tanh_d)
#ifdef __AVX512F__
#include "backends/cpu/kernels/functions/log_512.h"
#define BODY "backends/cpu/kernels/functions/near_512.h"
#include "backends/cpu/kernels/functions/each.h"
#define BODY "backends/cpu/kernels/functions/log_rows.h"
#include "backends/cpu/kernels/functions/each.h"
#define FUNCTION_512(NAME, S, OF_LANES, FAR, ANY) ROW1(NAME, S, near_512_##S(n, o, v, OF_LANES, FAR, ANY))
FUNCTION_512(log, f32, log_lanes_f32, log_far_f32, log_any_f32)
FUNCTION_512(log, f64, log_lanes_f64, log_far_f64, log_any_f64)
FUNCTION_512(log2, f32, log2_lanes_f32, log_far_f32, log2_any_f32)
FUNCTION_512(log2, f64, log2_lanes_f64, log_far_f64, log2_any_f64)
FUNCTION_512(log10, f32, log10_lanes_f32, log_far_f32, log10_any_f32)
FUNCTION_512(log10, f64, log10_lanes_f64, log_far_f64, log10_any_f64)
FUNCTION_512(log1p, f32, log1p_lanes_f32, log1p_far_f32, log1p_any_f32)
FUNCTION_512(log1p, f64, log1p_lanes_f64, log1p_far_f64, log1p_any_f64)
#else
FUNCTION_NEAR(log, f32, 0x1p-126f, 0x1.fffffep127f, log_near_f, log_f)
FUNCTION_NEAR(log, f64, 0x1p-1022, 0x1.fffffffffffffp1023, log_near_d, log_d)
#endif

#include "backends/cpu/kernels/functions/softmax.h"
#include "backends/cpu/kernels/functions/trig.h"
#if defined(__AVX512F__)
#include "backends/cpu/kernels/functions/trig_512.h"
#endif
#include "backends/cpu/kernels/functions/phasor.h"
#include "backends/cpu/kernels/functions/logsumexp.h"
#include "backends/cpu/kernels/functions/archyp.h"
#if defined(__AVX512F__)
#include "backends/cpu/kernels/functions/cbrt.h"
#endif
#if defined(__AVX512F__) || !defined(HED_HAVE_LIBMVEC)
#include "backends/cpu/kernels/functions/atan.h"
#endif
#if defined(HED_HAVE_LIBMVEC)
#include "backends/cpu/kernels/functions/mvec.h"
#endif
#include "backends/cpu/kernels/functions/polar.h"
#define BODY "backends/cpu/kernels/functions/complex_sign.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#include "backends/cpu/kernels/functions/divide.h"
#if defined(__AVX512F__)
#include "backends/cpu/kernels/functions/divide_512.h"
#define DIVIDE_C64 divide_c64_lanes
#define DIVIDE_C128 divide_c128_lanes
#define RECIPROCAL_C64 reciprocal_c64_lanes
#else
#define DIVIDE_C64 divide_c64
#define DIVIDE_C128 divide_c128
#define RECIPROCAL_C64 reciprocal_c64
#endif
static void reciprocal_c128(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  c128 one = { 1, 0 };
  DIVIDE_C128(n, (char *[]){ p[0], (char *)&one, p[1] }, (int64_t[]){ s[0], 0, s[1] }, params);
}
#include "backends/cpu/kernels/functions/cfun.h"
#include "backends/cpu/kernels/functions/power.h"
#include "backends/cpu/kernels/map/exact.h"
#include "backends/cpu/kernels/map/divisor.h"
#include "backends/cpu/kernels/map/power_int.h"
#include "backends/cpu/kernels/map/select.h"
#include "backends/cpu/kernels/map/bits.h"
#include "backends/cpu/kernels/functions/gamma.h"

#define FLOAT32(name) [HED_ID_FLOAT32] = name##_f32
#define FLOATS(name) FLOAT32(name), [HED_ID_FLOAT64] = name##_f64
#define COMPLEXES(name) [HED_ID_COMPLEX64] = name##_c64, [HED_ID_COMPLEX128] = name##_c128

#if defined(__AVX512F__)
#define IF_512(...) __VA_ARGS__
#else
#define IF_512(...)
#endif

#define SIGNED(name) [HED_ID_INT8] = name##_i8, [HED_ID_INT16] = name##_i16, [HED_ID_INT32] = name##_i32
#define INTS(name) SIGNED(name), [HED_ID_INT64] = name##_i64, [HED_ID_UINT8] = name##_u8, \
  [HED_ID_UINT16] = name##_u16, [HED_ID_UINT32] = name##_u32, [HED_ID_UINT64] = name##_u64
#define BOOLEAN(loop) [HED_ID_BOOL] = loop
/* By the bytes of an element: of integers and booleans, and of floats too. One loop for all integers. */
#define INTS_OF_SIZE(name) [HED_ID_INT8] = name##_u8, [HED_ID_INT16] = name##_u16, [HED_ID_INT32] = name##_u32, \
  [HED_ID_INT64] = name##_u64, [HED_ID_UINT8] = name##_u8, [HED_ID_UINT16] = name##_u16,                        \
  [HED_ID_UINT32] = name##_u32, [HED_ID_UINT64] = name##_u64
#define OF_SIZE(name) BOOLEAN(name##_u8), INTS_OF_SIZE(name)
#define ALL(name) FLOATS(name), OF_SIZE(name), COMPLEXES(name)
#define REAL_OF_SIZE(name) OF_SIZE(name), [HED_ID_FLOAT32] = name##_u32, [HED_ID_FLOAT64] = name##_u64
#define INTEGERS(loop) BOOLEAN(loop), [HED_ID_INT8] = loop, [HED_ID_INT16] = loop, [HED_ID_INT32] = loop, \
  [HED_ID_INT64] = loop, UNSIGNED(loop)
#define UNSIGNED(loop) [HED_ID_UINT8] = loop, [HED_ID_UINT16] = loop, [HED_ID_UINT32] = loop, [HED_ID_UINT64] = loop
#if defined(__FMA__)
#define REMAINDERS(name) INTS(name), FLOATS(name)
#else
#define REMAINDERS(name) INTS(name)
#endif

const cpu_function_loops CPU_OF_SET(cpu_functions_) = {
  [CPU_FN_ABS] = { COMPLEXES(abs), BOOLEAN(same_u8) },
  [CPU_FN_DIVIDE] = { [HED_ID_COMPLEX64] = DIVIDE_C64, [HED_ID_COMPLEX128] = DIVIDE_C128 },
  [CPU_FN_RECIPROCAL] = { [HED_ID_COMPLEX64] = RECIPROCAL_C64, [HED_ID_COMPLEX128] = reciprocal_c128 },
  [CPU_FN_EXP] = { FLOATS(exp), COMPLEXES(exp) },
  [CPU_FN_EXPM1] = { FLOATS(expm1), COMPLEXES(expm1) },
  [CPU_FN_TANH] = { FLOATS(tanh), COMPLEXES(tanh) },
  [CPU_FN_SIGMOID] = { FLOATS(sigmoid) },
  [CPU_FN_SILU] = { FLOATS(silu) },
  [CPU_FN_SOFTPLUS] = { FLOATS(softplus) },
  [CPU_FN_GELU] = { FLOATS(gelu) },
  [CPU_FN_ELU] = { FLOATS(elu) },
  [CPU_FN_LECUN_TANH] = { FLOATS(lecun_tanh) },
  [CPU_FN_LOGADDEXP] = { FLOATS(logaddexp) },
  [CPU_FN_LOGADDEXP2] = { FLOATS(logaddexp2) },
  [CPU_FN_SINC] = { FLOATS(sinc) },
  [CPU_FN_RSQRT] = { FLOATS(rsqrt) },
  [CPU_FN_SQRT] = { COMPLEXES(sqrt) },
  [CPU_FN_SIN] = { FLOATS(sin), COMPLEXES(sin) },
  [CPU_FN_COS] = { FLOATS(cos), COMPLEXES(cos) },
  [CPU_FN_SINH] = { FLOATS(sinh), COMPLEXES(sinh) },
  [CPU_FN_COSH] = { FLOATS(cosh), COMPLEXES(cosh) },
  [CPU_FN_HYPOT] = { FLOATS(hypot) },
  [CPU_FN_PHASOR] = { FLOATS(phasor) },
#if defined(HED_HAVE_LIBMVEC)
  [CPU_FN_LOG] = { FLOATS(log), COMPLEXES(log) },
  [CPU_FN_ANGLE] = { FLOATS(angle), COMPLEXES(angle) },
  [CPU_FN_EXP2] = { FLOATS(exp2) },
  [CPU_FN_LOG1P] = { FLOATS(log1p), COMPLEXES(log1p) },
  [CPU_FN_LOG2] = { FLOATS(log2), COMPLEXES(log2) },
  [CPU_FN_LOG10] = { FLOATS(log10), COMPLEXES(log10) },
  [CPU_FN_TAN] = { FLOATS(tan), COMPLEXES(tan) },
  [CPU_FN_ARCSIN] = { FLOATS(arcsin) },
  [CPU_FN_ARCCOS] = { FLOATS(arccos) },
  [CPU_FN_ARCTAN] = { FLOATS(arctan) },
  [CPU_FN_ARCSINH] = { FLOATS(arcsinh) },
  [CPU_FN_ARCCOSH] = { FLOATS(arccosh) },
  [CPU_FN_ARCTANH] = { FLOATS(arctanh) },
  [CPU_FN_CBRT] = { FLOATS(cbrt) },
  [CPU_FN_ERF] = { FLOATS(erf) },
  [CPU_FN_ERFC] = { FLOATS(erfc) },
  [CPU_FN_ARCTAN2] = { FLOATS(arctan2) },
  [CPU_FN_POWER] = { FLOATS(power), COMPLEXES(power), INTS(power) },
#else
  [CPU_FN_POWER] = { FLOAT32(power), IF_512([HED_ID_FLOAT64] = power_f64,) INTS(power) },
  [CPU_FN_LOG] = { FLOATS(log) },
  IF_512([CPU_FN_LOG1P] = { FLOATS(log1p) },)
  IF_512([CPU_FN_LOG2] = { FLOATS(log2) },)
  IF_512([CPU_FN_LOG10] = { FLOATS(log10) },)
  IF_512([CPU_FN_CBRT] = { FLOATS(cbrt) },)
  [CPU_FN_TAN] = { COMPLEXES(tan) },
  [CPU_FN_ANGLE] = { FLOATS(angle), [HED_ID_COMPLEX64] = angle_c64 },
  [CPU_FN_ARCSINH] = { FLOAT32(arcsinh) },
  [CPU_FN_ARCCOSH] = { FLOAT32(arccosh) },
  [CPU_FN_EXP2] = { FLOAT32(exp2) },
  [CPU_FN_ARCTAN2] = { FLOAT32(arctan2) },
#endif
  [CPU_FN_GAMMA] = { FLOATS(gamma) },
  [CPU_FN_LGAMMA] = { FLOATS(lgamma) },
  [CPU_FN_DIGAMMA] = { FLOATS(digamma) },
  [CPU_FN_SQUARE] = { BOOLEAN(same_u8) },
  [CPU_FN_FLOOR] = { OF_SIZE(same) },
  [CPU_FN_CEIL] = { OF_SIZE(same) },
  [CPU_FN_ROUND] = { FLOATS(round), OF_SIZE(same) },
  [CPU_FN_TRUNC] = { FLOATS(trunc), OF_SIZE(same) },
  [CPU_FN_SIGN] = { FLOATS(sign), INTS(sign), COMPLEXES(sign), BOOLEAN(same_u8) },
  [CPU_FN_RELU] = { FLOATS(relu), INTS(relu), BOOLEAN(same_u8) },
  [CPU_FN_CONJ] = { REAL_OF_SIZE(same) },
  [CPU_FN_REAL_PART] = { REAL_OF_SIZE(same) },
  [CPU_FN_IMAG_PART] = { REAL_OF_SIZE(zero) },
  [CPU_FN_ISNAN] = { INTEGERS(zero_u8) },
  [CPU_FN_ISFINITE] = { INTEGERS(one_u8) },
  [CPU_FN_ISINF] = { FLOATS(isinf), INTEGERS(zero_u8) },
  [CPU_FN_SIGNBIT] = { FLOATS(signbit), SIGNED(signbit), [HED_ID_INT64] = signbit_i64, UNSIGNED(zero_u8), BOOLEAN(zero_u8) },
  [CPU_FN_COPYSIGN] = { FLOATS(copysign) },
  [CPU_FN_FMAX] = { FLOATS(fmax), BOOLEAN(logical_or_u8) },
  [CPU_FN_FMIN] = { FLOATS(fmin), BOOLEAN(logical_and_u8) },
  [CPU_FN_HEAVISIDE] = { FLOATS(heaviside) },
  [CPU_FN_ISPOSINF] = { FLOATS(isposinf), INTEGERS(zero_u8) },
  [CPU_FN_ISNEGINF] = { FLOATS(isneginf), INTEGERS(zero_u8) },
  [CPU_FN_DEG2RAD] = { FLOATS(deg2rad) },
  [CPU_FN_RAD2DEG] = { FLOATS(rad2deg) },
  [CPU_FN_LERP] = { FLOATS(lerp) },
  [CPU_FN_DIVIDE_WHERE] = { FLOATS(divide_where) },
  [CPU_FN_LEAKY_RELU] = { FLOATS(leaky_relu) },
  [CPU_FN_THRESHOLD] = { FLOATS(threshold) },
  [CPU_FN_NAN_TO_NUM] = { FLOATS(nan_to_num), OF_SIZE(same) },
  [CPU_FN_LOGICAL_NOT] = { ALL(logical_not) },
  [CPU_FN_LOGICAL_AND] = { ALL(logical_and) },
  [CPU_FN_LOGICAL_OR] = { ALL(logical_or) },
  [CPU_FN_LOGICAL_XOR] = { ALL(logical_xor) },
  [CPU_FN_ISCLOSE] = { FLOATS(isclose), COMPLEXES(isclose) },
  [CPU_FN_COUNT_ONES] = { INTS(count_ones) },
  [CPU_FN_COUNT_ZEROS] = { INTS(count_zeros) },
  [CPU_FN_BITWISE_NOT] = { INTS_OF_SIZE(bitwise_not), BOOLEAN(logical_not_u8) },
  [CPU_FN_BITWISE_AND] = { BOOLEAN(logical_and_u8) },
  [CPU_FN_BITWISE_OR] = { BOOLEAN(logical_or_u8) },
  [CPU_FN_BITWISE_XOR] = { BOOLEAN(logical_xor_u8) },
  [CPU_FN_ADD] = { BOOLEAN(logical_or_u8) },
  [CPU_FN_MULTIPLY] = { BOOLEAN(logical_and_u8) },
  [CPU_FN_MAXIMUM] = { BOOLEAN(logical_or_u8) },
  [CPU_FN_MINIMUM] = { BOOLEAN(logical_and_u8) },
  [CPU_FN_EQUAL] = { BOOLEAN(equal_bool) },
  [CPU_FN_NOT_EQUAL] = { BOOLEAN(logical_xor_u8) },
  [CPU_FN_LESS] = { BOOLEAN(less_bool) },
  [CPU_FN_LESS_EQUAL] = { BOOLEAN(less_equal_bool) },
  [CPU_FN_GREATER] = { BOOLEAN(greater_bool) },
  [CPU_FN_GREATER_EQUAL] = { BOOLEAN(greater_equal_bool) },
  [CPU_FN_LEFT_SHIFT] = { INTS_OF_SIZE(left_shift) },
  [CPU_FN_RIGHT_SHIFT] = { INTS(right_shift) },
  [CPU_FN_FMOD] = { REMAINDERS(fmod) },
  [CPU_FN_MOD] = { REMAINDERS(mod) },
  [CPU_FN_FLOOR_DIVIDE] = { REMAINDERS(floor_divide) },
};

const cpu_softmax_loops CPU_OF_SET(cpu_softmax_loops_)[2] = { SOFTMAX_LOOPS(f32), SOFTMAX_LOOPS(f64) };
