// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of the loops of filters (filter.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 */
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/kernels/variant.h"
#include "base/boundary.h"
#include <stdbool.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#include "backends/cpu/kernels/muladd.h"

#define ALWAYS static inline __attribute__((always_inline))

#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)

#define PLAIN(sum, x, y) ((sum) + (x) * (y))

/* Where N points on an axis of EXTENT elements lie in it, by the BOUNDARY; -1: as they are. OUTSIDE: none. A point less than
 * 1e-9 beyond an end counts as the end: rounding of a rotation by a right angle blanks no side. */
static void sample_points(int boundary, int64_t extent, int64_t n, const double *at, double *position, bool *outside)
{
  const bool constant = boundary == HED_BOUNDARY_CONSTANT;
  const double end = (double)(extent - 1), low = constant ? -1e-9 : -1e15, high = constant ? end + 1e-9 : 1e15;
  const double period = boundary == HED_BOUNDARY_WRAP ? end + 1 : boundary == HED_BOUNDARY_REFLECT ? 2 * end + 2 : 2 * end;
  for (int64_t j = 0; j < n; j++) {
    const bool in = (at[j] >= low) & (at[j] <= high);
    outside[j] |= !in;
    position[j] = in ? at[j] : 0;
  }
  if (boundary < 0)
    return;
  if (constant || boundary == HED_BOUNDARY_NEAREST || extent == 1) {
    for (int64_t j = 0; j < n; j++)
      position[j] = position[j] < 0 ? 0 : position[j] > end ? end : position[j];
    return;
  }
  const double half = boundary == HED_BOUNDARY_REFLECT ? 0.5 : 0, turn = boundary == HED_BOUNDARY_WRAP ? period : period / 2;
  for (int64_t j = 0; j < n; j++) {
    /* What is mirrored is so at the beginning too: one period more would take the digits of a place near it. */
    const double to = position[j] + half, x = turn < period ? __builtin_fabs(to) : to, t = x - __builtin_floor(x / period) * period;
    position[j] = (t > turn ? period - t : t) - half;
  }
}

/* The nearest elements to N points along axis A: STEP times their number is added to FROM. */
static void nearest_points(const cpu_samples *s, int a, int64_t n, const double *at, int64_t *from, bool *outside)
{
  const bool ends = s->boundary == HED_BOUNDARY_CONSTANT || s->boundary == HED_BOUNDARY_NEAREST;
  const int64_t step = s->step[a];
  double position[CPU_SAMPLES];
  sample_points(ends ? s->boundary : -1, s->n[a], n, at, position, outside);
  if (ends) /* which has brought them inside, where half an element more is, too */
    IVDEP for (int64_t j = 0; j < n; j++)
      from[j] += (int64_t)__builtin_floor(position[j] + 0.5) * step;
  else
    for (int64_t j = 0; j < n; j++)
      from[j] += hed__boundary_index((int64_t)__builtin_floor(position[j] + 0.5), s->n[a], s->boundary) * step;
}

#define T float
#define S f32
#define SPOILS(x) ((x) != (x))
#define PAIRS
#define MULADD FUSED_F32
#include "backends/cpu/kernels/filter/window.h"
#include "backends/cpu/kernels/filter/correlate.h"
#include "backends/cpu/kernels/filter/weighted_sum.h"
#include "backends/cpu/kernels/filter/spline.h"
#include "backends/cpu/kernels/filter/sample.h"
#include "backends/cpu/kernels/filter/grid.h"
#undef MULADD
#undef T
#undef S

#define T double
#define S f64
#define MULADD FUSED_F64
#include "backends/cpu/kernels/filter/window.h"
#include "backends/cpu/kernels/filter/correlate.h"
#include "backends/cpu/kernels/filter/weighted_sum.h"
#include "backends/cpu/kernels/filter/spline.h"
#include "backends/cpu/kernels/filter/sample.h"
#include "backends/cpu/kernels/filter/grid.h"
#undef MULADD
#undef PAIRS
#undef SPOILS
#undef T
#undef S

#define SPOILS(x) 0
#define T int8_t
#define S i8
#include "backends/cpu/kernels/filter/window.h"
#undef T
#undef S
#define T int16_t
#define S i16
#include "backends/cpu/kernels/filter/window.h"
#undef T
#undef S
#define T int32_t
#define S i32
#include "backends/cpu/kernels/filter/window.h"
#undef T
#undef S
#define T int64_t
#define S i64
#include "backends/cpu/kernels/filter/window.h"
#undef T
#undef S

#define MULADD PLAIN
#define T uint8_t
#define S u8
#include "backends/cpu/kernels/filter/window.h"
#include "backends/cpu/kernels/filter/correlate.h"
#undef T
#undef S
#define T uint16_t
#define S u16
#include "backends/cpu/kernels/filter/window.h"
#include "backends/cpu/kernels/filter/correlate.h"
#undef T
#undef S
#define T uint32_t
#define S u32
#include "backends/cpu/kernels/filter/window.h"
#include "backends/cpu/kernels/filter/correlate.h"
#undef T
#undef S
#define T uint64_t
#define S u64
#include "backends/cpu/kernels/filter/window.h"
#include "backends/cpu/kernels/filter/correlate.h"
#undef T
#undef S

#define WINDOWS(S, U) { .largest = largest_##S, .least = least_##S, .select = select_##S, .products = products_##U }
#define FLOATS(S) { largest_##S, least_##S, select_##S, products_##S, weigh_##S }

const cpu_filter_loops CPU_OF_SET(cpu_filters_)[HED_ID_CONCRETE_COUNT_] = {
  [HED_ID_BOOL] = WINDOWS(u8, u8),
  [HED_ID_INT8] = WINDOWS(i8, u8), [HED_ID_INT16] = WINDOWS(i16, u16),
  [HED_ID_INT32] = WINDOWS(i32, u32), [HED_ID_INT64] = WINDOWS(i64, u64),
  [HED_ID_UINT8] = WINDOWS(u8, u8), [HED_ID_UINT16] = WINDOWS(u16, u16),
  [HED_ID_UINT32] = WINDOWS(u32, u32), [HED_ID_UINT64] = WINDOWS(u64, u64),
  [HED_ID_FLOAT32] = FLOATS(f32), [HED_ID_FLOAT64] = FLOATS(f64),
  [HED_ID_COMPLEX64] = { .products = complex_products_f32 },
  [HED_ID_COMPLEX128] = { .products = complex_products_f64 },
};

const cpu_spline_fn CPU_OF_SET(cpu_splines_)[2] = { spline_f32, spline_f64 };
const cpu_sample_fn CPU_OF_SET(cpu_samplers_)[2] = { sample_f32, sample_f64 };
const cpu_grid_loops CPU_OF_SET(cpu_grids_)[2] = { { grid_axis_f32, grid_row_f32 }, { grid_axis_f64, grid_row_f64 } };
