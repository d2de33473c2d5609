// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of kernels. The build compiles this file once per instruction set, with CPU_VARIANT naming
 * the set and the compiler's flags choosing it; backend.c picks one when the module starts. L1.
 */
#include "backends/cpu/kernels/chain/chain.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/map/each.h"
#include "backends/cpu/kernels/variant.h"
#include "base/bounds.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "backends/cpu/kernels/map/map.h"
#include "backends/cpu/kernels/map/int_scalar.h"
#include "backends/cpu/kernels/map/half.h"
#include "backends/cpu/kernels/match/match.h"
#include "backends/cpu/kernels/store_line.h"
#include "backends/cpu/kernels/map/nontemporal.h"

#define FLOATS_(name) [HED_ID_FLOAT32] = name##_f32, [HED_ID_FLOAT64] = name##_f64
#define FLOATS(name) FLOATS_(name)
#define COMPLEXES(name) [HED_ID_COMPLEX64] = name##_c64, [HED_ID_COMPLEX128] = name##_c128
#define INTS(name)                                                                         \
  [HED_ID_INT8] = name##_i8, [HED_ID_INT16] = name##_i16, [HED_ID_INT32] = name##_i32,     \
  [HED_ID_INT64] = name##_i64, [HED_ID_UINT8] = name##_u8, [HED_ID_UINT16] = name##_u16,   \
  [HED_ID_UINT32] = name##_u32, [HED_ID_UINT64] = name##_u64
/* One loop for signed and unsigned integers of a size. */
#define SIZES(name)                                                                        \
  [HED_ID_INT8] = name##_u8, [HED_ID_INT16] = name##_u16, [HED_ID_INT32] = name##_u32,     \
  [HED_ID_INT64] = name##_u64, [HED_ID_UINT8] = name##_u8, [HED_ID_UINT16] = name##_u16,   \
  [HED_ID_UINT32] = name##_u32, [HED_ID_UINT64] = name##_u64
#define FLOAT_DIRECT(name) [HED_ID_FLOAT32] = name##_f32_direct, [HED_ID_FLOAT64] = name##_f64_direct
#define COMPLEX_DIRECT(name) [HED_ID_COMPLEX64] = name##_c64_direct, [HED_ID_COMPLEX128] = name##_c128_direct

const cpu_kernels CPU_OF_SET(cpu_kernels_) = {
  .map = {
    [CPU_MAP_NEGATIVE] = { FLOATS(negative), SIZES(negative), COMPLEXES(negative) },
    [CPU_MAP_ABS] = { FLOATS(abs), [HED_ID_INT8] = abs_i8, [HED_ID_INT16] = abs_i16, [HED_ID_INT32] = abs_i32,
                      [HED_ID_INT64] = abs_i64, [HED_ID_UINT8] = same_u8, [HED_ID_UINT16] = same_u16,
                      [HED_ID_UINT32] = same_u32, [HED_ID_UINT64] = same_u64 },
    [CPU_MAP_SQUARE] = { FLOATS(square), SIZES(square), COMPLEXES(square) },
    [CPU_MAP_SQRT] = { FLOATS(sqrt) },
    [CPU_MAP_RECIPROCAL] = { FLOATS(reciprocal) },
    [CPU_MAP_FLOOR] = { FLOATS(floor) },
    [CPU_MAP_CEIL] = { FLOATS(ceil) },
    [CPU_MAP_CONJ] = { COMPLEXES(conj) },
    [CPU_MAP_REAL_PART] = { COMPLEXES(real) },
    [CPU_MAP_IMAG_PART] = { COMPLEXES(imag) },
    [CPU_MAP_ISNAN] = { FLOATS(isnan), COMPLEXES(isnan) },
    [CPU_MAP_ISFINITE] = { FLOATS(isfinite), COMPLEXES(isfinite) },
    [CPU_MAP_ADD] = { FLOATS(add), SIZES(add), COMPLEXES(add) },
    [CPU_MAP_SUBTRACT] = { FLOATS(subtract), SIZES(subtract), COMPLEXES(subtract) },
    [CPU_MAP_MULTIPLY] = { FLOATS(multiply), SIZES(multiply), COMPLEXES(multiply) },
    [CPU_MAP_DIVIDE] = { FLOATS(divide) },
    [CPU_MAP_MAXIMUM] = { FLOATS(maximum), INTS(maximum) },
    [CPU_MAP_MINIMUM] = { FLOATS(minimum), INTS(minimum) },
    [CPU_MAP_FMAX] = { INTS(maximum) },
    [CPU_MAP_FMIN] = { INTS(minimum) },
    [CPU_MAP_EQUAL] = { FLOATS(equal), SIZES(equal), COMPLEXES(equal) },
    [CPU_MAP_NOT_EQUAL] = { FLOATS(not_equal), SIZES(not_equal), COMPLEXES(not_equal) },
    [CPU_MAP_LESS] = { FLOATS(less), INTS(less) },
    [CPU_MAP_LESS_EQUAL] = { FLOATS(less_equal), INTS(less_equal) },
    [CPU_MAP_GREATER] = { FLOATS(greater), INTS(greater) },
    [CPU_MAP_GREATER_EQUAL] = { FLOATS(greater_equal), INTS(greater_equal) },
    [CPU_MAP_BITWISE_AND] = { SIZES(bitwise_and) },
    [CPU_MAP_BITWISE_OR] = { SIZES(bitwise_or) },
    [CPU_MAP_BITWISE_XOR] = { SIZES(bitwise_xor) },
    [CPU_MAP_WHERE] = { SIZES(where), [HED_ID_BOOL] = where_u8, [HED_ID_FLOAT32] = where_u32, [HED_ID_FLOAT64] = where_u64,
                        [HED_ID_COMPLEX64] = where_u64, [HED_ID_COMPLEX128] = where_c128 },
    [CPU_MAP_CLIP] = { FLOATS(clip), INTS(clip) },
#ifdef __FMA__
    [CPU_MAP_FMA] = { FLOATS(fma) },
#endif
  },
  .direct = {
    [CPU_MAP_NEGATIVE] = { FLOAT_DIRECT(negative), COMPLEX_DIRECT(negative) },
    [CPU_MAP_ABS] = { FLOAT_DIRECT(abs) },
    [CPU_MAP_SQUARE] = { FLOAT_DIRECT(square), COMPLEX_DIRECT(square) },
    [CPU_MAP_RECIPROCAL] = { FLOAT_DIRECT(reciprocal) },
    [CPU_MAP_FLOOR] = { FLOAT_DIRECT(floor) },
    [CPU_MAP_CEIL] = { FLOAT_DIRECT(ceil) },
    [CPU_MAP_CONJ] = { COMPLEX_DIRECT(conj) },
    [CPU_MAP_ADD] = { FLOAT_DIRECT(add), COMPLEX_DIRECT(add) },
    [CPU_MAP_SUBTRACT] = { FLOAT_DIRECT(subtract), COMPLEX_DIRECT(subtract) },
    [CPU_MAP_MULTIPLY] = { FLOAT_DIRECT(multiply), COMPLEX_DIRECT(multiply) },
    [CPU_MAP_DIVIDE] = { FLOAT_DIRECT(divide) },
    [CPU_MAP_MAXIMUM] = { FLOAT_DIRECT(maximum) },
    [CPU_MAP_MINIMUM] = { FLOAT_DIRECT(minimum) },
#ifdef __AVX2__
    [CPU_MAP_WHERE] = { [HED_ID_INT32] = where_4_direct, [HED_ID_UINT32] = where_4_direct, [HED_ID_FLOAT32] = where_4_direct,
                        [HED_ID_INT64] = where_8_direct, [HED_ID_UINT64] = where_8_direct, [HED_ID_FLOAT64] = where_8_direct,
                        [HED_ID_COMPLEX64] = where_8_direct },
#endif
    [CPU_MAP_CLIP] = { FLOAT_DIRECT(clip) },
#ifdef __FMA__
    [CPU_MAP_FMA] = { FLOAT_DIRECT(fma) },
#endif
  },
  .half = { HALF_LOOPS(f16), HALF_LOOPS(bf16) },
  .int_scalar = { [HED_ID_INT8] = { NARROW_SCALAR_ENTRIES(i8) }, [HED_ID_INT16] = { NARROW_SCALAR_ENTRIES(i16) },
             [HED_ID_INT32] = { WHOLE_SCALAR_ENTRIES(i32) }, [HED_ID_INT64] = { WHOLE_SCALAR_ENTRIES(i64) },
             [HED_ID_UINT8] = { NARROW_SCALAR_ENTRIES(u8) }, [HED_ID_UINT16] = { NARROW_SCALAR_ENTRIES(u16) },
             [HED_ID_UINT32] = { WHOLE_SCALAR_ENTRIES(u32) }, [HED_ID_UINT64] = { WHOLE_SCALAR_ENTRIES(u64) } },
  .functions = &CPU_OF_SET(cpu_functions_),
  .softmax = CPU_OF_SET(cpu_softmax_loops_),
  .cast = CPU_OF_SET(cpu_cast_),
  .random_fill = CPU_OF_SET(cpu_random_fill_),
  .variates = CPU_OF_SET(cpu_variates_),
  .random_rows = CPU_OF_SET(cpu_random_rows_),
  .reduce = CPU_OF_SET(cpu_reduce_loops_),
  .norm = &CPU_OF_SET(cpu_norm_loops_),
  .skipnan = CPU_OF_SET(cpu_skipnan_loops_),
  .half_sums = &CPU_OF_SET(cpu_half_loops_),
  .scan = CPU_OF_SET(cpu_scan_loops_),
  .boolean = CPU_OF_SET(cpu_bool_loops_),
  .scale_f32 = scale_f32,
  .scale_f64 = scale_f64,
  .norm_scores = norm_scores,
  .max_score = max_score,
  .max_columns = max_columns,
  .max_score_pair = max_score_pair,
  .pack_pair = pack_pair,
  .pack_image = pack_image,
  .affine1 = affine1,
  .affine3 = affine3,
};
