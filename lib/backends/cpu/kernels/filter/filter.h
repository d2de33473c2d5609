// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops of filters over windows, compiled once per instruction set like kernels.h. L1.
 *
 * Elements are contiguous. Windows are told by where their elements lie, in elements from the first one: operands are framed
 * (filter/frame.h), so that no window needs to ask for an end.
 */
#ifndef HED_BACKENDS_CPU_KERNELS_FILTER_H
#define HED_BACKENDS_CPU_KERNELS_FILTER_H

#include "base/dtype.h"
#include <stdbool.h>
#include <stdint.h>

/* Bytes that loops read behind the last window of a row, whatever they hold. */
enum { CPU_FILTER_SLACK = 512 };

/* Exchanges that bring the element of one rank to its place among WIDTH. */
enum { CPU_NETWORK_WIDEST = 169 };
typedef enum cpu_exchange_kind { CPU_EXCHANGE, CPU_EXCHANGE_LOW, CPU_EXCHANGE_HIGH } cpu_exchange_kind;
typedef struct cpu_exchange {
  uint8_t low, high, kind; /* the lesser goes to LOW; only LOW is wanted, or only HIGH */
} cpu_exchange;
typedef struct cpu_network {
  int32_t width, rank, count;
  const cpu_exchange *exchange;
} cpu_network;

/* Bytes of a row of SPARE below: a network works on so many elements at once. */
enum { CPU_NETWORK_ROW = 256 };

enum { CPU_WEIGH_LEAST = 64 };

typedef struct cpu_filter_loops {
  /* out[i] = extreme of the COUNT elements x[i + at[k]], 2 to 4; a NaN among them is the result. OUT may be X where
   * neither AT brings one element's place to another of the N. */
  void (*largest)(int64_t n, void *out, const void *x, int count, const int64_t *at);
  void (*least)(int64_t n, void *out, const void *x, int count, const int64_t *at);
  /* out[i] = element net->rank of the sorted x[i + at[k]], k < net->width; no NaN. SPARE: net->width rows. */
  void (*select)(int64_t n, void *out, const void *x, const cpu_network *net, const int64_t *at, void *spare);
  /* out[i] = sum over r < rows, t < taps of w[r * taps + t] x[at[r] + i + t]. Integers wrap. */
  void (*products)(int64_t n, void *out, const void *x, int64_t rows, const int64_t *at, int64_t taps, const void *w);
  /* out[i] = sum over t < taps of w[t] rows[t][i], of at least CPU_WEIGH_LEAST bytes; float32 and float64 only */
  void (*weigh)(int64_t n, void *out, const void *const *rows, int64_t taps, const void *w);
} cpu_filter_loops;

/* By type; NULL members: not for that one. */
extern const cpu_filter_loops cpu_filters_base[HED_ID_CONCRETE_COUNT_], cpu_filters_avx2[HED_ID_CONCRETE_COUNT_],
  cpu_filters_avx512[HED_ID_CONCRETE_COUNT_];

/* Cubic spline coefficients of lines of N values (filter/spline.h): the first value of the filter that runs forwards is the sum
 * of the FIRST numbers times the elements at their places, the last one of that which runs backwards that of LAST. */
enum { CPU_SPLINE_REACH = 40 };
typedef struct cpu_spline_sum {
  int32_t count;
  int64_t at[2 * CPU_SPLINE_REACH];
  double factor[2 * CPU_SPLINE_REACH];
} cpu_spline_sum;
typedef struct cpu_spline {
  int64_t n;
  cpu_spline_sum first, last;
} cpu_spline;

/* COLS lines side by side, neighbours of a line STEP elements apart, in place. By precision: float32, float64. */
enum { CPU_SPLINE_COLUMNS = 64 };
typedef void (*cpu_spline_fn)(const cpu_spline *s, void *x, int64_t step, int64_t cols);
extern const cpu_spline_fn cpu_splines_base[2], cpu_splines_avx2[2], cpu_splines_avx512[2];

/* Values of a spline at points. X is element 0 of an operand that CPU_SAMPLE_BEFORE elements lie before along each axis and
 * CPU_SAMPLE_AFTER behind (order 0: none), those of the BOUNDARY, of which constant and nearest are as mirror. */
enum { CPU_SAMPLES = 64, CPU_SAMPLE_BEFORE = 2, CPU_SAMPLE_AFTER = 3 };
typedef struct cpu_samples {
  const void *x;
  int32_t axes, order, boundary;
  int64_t n[3], step[3]; /* extents; elements between neighbours */
  double cval;
} cpu_samples;

/* N points, at most CPU_SAMPLES; AT: their coordinates, by axis. By precision: float32, float64. */
typedef void (*cpu_sample_fn)(const cpu_samples *s, int64_t n, void *out, const double *const *at);
extern const cpu_sample_fn cpu_samplers_base[2], cpu_samplers_avx2[2], cpu_samplers_avx512[2];

/* Points of a grid, START + STEP i along each axis of EXTENT elements. */
typedef struct cpu_grid_axis {
  int32_t order, boundary;
  int64_t extent, n;
  double start, step;
  int32_t *from;  /* of each point, the first element that it needs, 2 before the axis at the earliest */
  void *weights;  /* of the elements from there on: ORDER + 1 times N; none for order 0 */
  bool *outside;
} cpu_grid_axis;

/* By precision: float32, float64. */
typedef struct cpu_grid_loops {
  void (*axis)(const cpu_grid_axis *g);                            /* fills FROM, WEIGHTS and OUTSIDE */
  void (*row)(const cpu_grid_axis *g, void *out, const void *x);   /* the values at the points, X at element 0 */
} cpu_grid_loops;
extern const cpu_grid_loops cpu_grids_base[2], cpu_grids_avx2[2], cpu_grids_avx512[2];

/* The sets in use; chosen in the entry function. */
extern const cpu_filter_loops *cpu_filters;
extern const cpu_spline_fn *cpu_splines;
extern const cpu_sample_fn *cpu_samplers;
extern const cpu_grid_loops *cpu_grids;

#endif
