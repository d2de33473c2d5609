// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops that are compiled once per instruction set, and the table through which one set is chosen
 * when the module starts. L1.
 *
 * These files are compiled with CPU_VARIANT = base, avx2 or avx512 and the compiler's flags for
 * that level; -ffp-contract=off holds for all, so exact operations (arithmetic, comparisons, integers)
 * give the same bits at every level. Functions, which name the multiply-adds they want (functions.c),
 * and floating-point sums, whose lanes are as many as the vector has, may differ in their last bits.
 * Loops take pointers, counts and byte strides: they allocate nothing and cannot fail.
 */
#ifndef HED_BACKENDS_CPU_KERNELS_H
#define HED_BACKENDS_CPU_KERNELS_H

#include "base/cast.h"
#include "base/map.h"
#include "base/product.h"
#include <heddle/kernel.h>
#include <stdbool.h>

/* Elementwise operations with loops here for some types; lib/base/formulas/formulas.def has the others. */
#define CPU_MAP_OPS(X)                                                                          \
  X(NEGATIVE) X(ABS) X(SQUARE) X(SQRT) X(RECIPROCAL) X(FLOOR) X(CEIL) X(CONJ) X(REAL_PART)      \
  X(IMAG_PART) X(ISNAN) X(ISFINITE) X(ADD) X(SUBTRACT) X(MULTIPLY) X(DIVIDE) X(MAXIMUM)         \
  X(MINIMUM) X(EQUAL) X(NOT_EQUAL) X(LESS) X(LESS_EQUAL) X(GREATER)                             \
  X(GREATER_EQUAL) X(BITWISE_AND) X(BITWISE_OR) X(BITWISE_XOR) X(WHERE) X(CLIP) X(FMA)          \
  X(ROUND) X(TRUNC) X(SIGN) X(RELU) X(SIGNBIT) X(COPYSIGN) X(ANGLE) X(FLOOR_DIVIDE) X(MOD) X(FMOD) \
  X(FMAX) X(FMIN)

typedef enum cpu_map_op {
#define X(ID) CPU_MAP_##ID,
  CPU_MAP_OPS(X)
#undef X
  CPU_MAP_COUNT
} cpu_map_op;

/* The same for functions, whose results may differ from one level to the next in their last bits: functions.c. */
#define CPU_FUNCTION_OPS(X)                                                                     \
  X(ABS) X(DIVIDE) X(RECIPROCAL) X(EXP) X(EXPM1) X(EXP2) X(TANH) X(SIGMOID) X(SILU) X(LOG)      \
  X(LOG1P) X(LOG2) X(LOG10) X(GELU) X(ELU) X(LECUN_TANH) X(LOGADDEXP) X(LOGADDEXP2) X(SINC)     \
  X(RSQRT) X(FMAX) X(FMIN) X(HEAVISIDE) X(ISPOSINF) X(ISNEGINF) X(DEG2RAD) X(RAD2DEG) X(LERP) X(DIVIDE_WHERE) \
  X(LEAKY_RELU) X(THRESHOLD) X(NAN_TO_NUM)                                                      \
  X(SIN) X(COS) X(TAN) X(ARCSIN) X(ARCCOS) X(ARCTAN) X(SINH) X(COSH) X(ARCSINH) X(ARCCOSH)      \
  X(ARCTANH) X(CBRT) X(ERF) X(ERFC) X(ARCTAN2) X(HYPOT) X(POWER) X(ANGLE)                       \
  X(ROUND) X(TRUNC) X(SIGN) X(RELU) X(ISINF) X(SIGNBIT) X(COPYSIGN) X(LOGICAL_NOT) X(LOGICAL_AND) \
  X(LOGICAL_OR) X(LOGICAL_XOR) X(BITWISE_NOT) X(LEFT_SHIFT) X(RIGHT_SHIFT) X(FMOD) X(MOD)       \
  X(FLOOR_DIVIDE) X(SOFTPLUS) X(BITWISE_AND) X(BITWISE_OR) X(BITWISE_XOR) X(ADD) X(MULTIPLY)    \
  X(MAXIMUM) X(MINIMUM) X(EQUAL) X(NOT_EQUAL) X(LESS) X(LESS_EQUAL) X(GREATER) X(GREATER_EQUAL) \
  X(COUNT_ONES) X(COUNT_ZEROS) X(SQRT) X(ISCLOSE) X(GAMMA) X(LGAMMA) X(DIGAMMA) X(SQUARE) X(FLOOR) \
  X(CEIL) X(CONJ) X(REAL_PART) X(IMAG_PART) X(ISNAN) X(ISFINITE) X(PHASOR)

enum {
#define X(ID) CPU_FN_##ID,
  CPU_FUNCTION_OPS(X)
#undef X
  CPU_FN_COUNT
};

typedef hed__map_fn cpu_function_loops[CPU_FN_COUNT][HED_ID_CONCRETE_COUNT_];
extern const cpu_function_loops cpu_functions_base, cpu_functions_avx2, cpu_functions_avx512;

/* Elements of whole lines of a result of the operands' type, from operands that are contiguous or one repeated element, not all of
 * them the latter. Operands are prefetched AHEAD bytes ahead. */
typedef void (*cpu_nontemporal_fn)(int64_t n, char *const *ptr, const int64_t *stride, const void *params, int64_t ahead);

/* Reductions of N contiguous elements of one type (reduce/reduce.c). Floats give double. */
typedef struct cpu_reduce_loops {
  /* sum[k] += elements of component k (complex: 2 components). */
  void (*sum)(int64_t n, const void *x, double *sum);
  /* sum[0] += |x - mean|^2; mean has one value per component. */
  void (*sum_sq)(int64_t n, const void *x, const double *mean, double *sum);
  /* sum[k] += component k of x - about, square[k] += its square. */
  void (*moments)(int64_t n, const void *x, const double *about, double *sum, double *square);
  /* square[k] = the squared distances from their mean of slice k, which is short, STEP bytes after the one before. NULL: no such
   * loop. */
  void (*slice_squares)(int64_t slices, int64_t n, const char *x, int64_t step, double *square);
  /* Integers and booleans: *sum += elements, wrapping. */
  void (*sum_int)(int64_t n, const void *x, uint64_t *sum);
  /* Products of floats, and of integers and booleans, wrapping. */
  void (*prod)(int64_t n, const void *x, hed__product *p);
  void (*prod_int)(int64_t n, const void *x, uint64_t *p);
  /* For each of ROWS rows, STEP bytes from one to the next: acc[j] += x[j] or *= x[j]; with floats the product's parts
   * apart, m[j] (both parts of complex numbers) and its exponent e[j]. */
  void (*col_sum_int)(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *acc);
  void (*col_prod_int)(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *acc);
  void (*col_prod)(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e);
  /* Running sums that go on from BEFORE, added in float64; OUT may be X. The sum of the N elements, which does not depend on
   * BEFORE or on whether running sums are STOREd. */
  double (*scan_sum)(int64_t n, const void *x, void *out, bool streams, bool store, double before);
  /* *m = extreme of *m and the elements; NaN wins. */
  void (*max)(int64_t n, const void *x, void *m);
  void (*min)(int64_t n, const void *x, void *m);
  /* Index of the first element equal to *m (or of the first NaN when *m is NaN), -1 when none. */
  int64_t (*find)(int64_t n, const void *x, const void *m);
  /* Floats: the index of the first extreme of N > 0 elements, which is a NaN where there is one. */
  int64_t (*argmax)(int64_t n, const void *x);
  int64_t (*argmin)(int64_t n, const void *x);
  /* For each of ROWS rows, STEP bytes from one to the next: acc[j] += x[j]; acc[j] += |x[j] - mean[j]|^2. In double: acc
   * and mean have one per component (the acc of squares one per element). */
  void (*col_sum)(int64_t rows, int64_t n, const char *x, int64_t step, double *acc);
  void (*col_sum_sq)(int64_t rows, int64_t n, const char *x, int64_t step, const double *mean, double *acc);
  /* The same for columns that have had COUNT elements, and ROWS more rows, per component; ABOUT becomes the mean, but for
   * what rounding leaves in SUM. */
  void (*col_moments)(int64_t rows, int64_t n, const char *x, int64_t step, double count, double *about, double *sum,
                     double *square);
  /* m[j] = extreme of m[j] and x[j] of every row. */
  void (*col_max)(int64_t rows, int64_t n, const char *x, int64_t step, void *m);
  void (*col_min)(int64_t rows, int64_t n, const char *x, int64_t step, void *m);
  /* The same, and at[j] = FROM and the number of the row that has it first, where that is beyond what m[j] was; NaN is, but
   * beyond NaN is nothing. */
  void (*col_argmax)(int64_t rows, int64_t n, const char *x, int64_t step, void *m, int64_t *at, int64_t from);
  void (*col_argmin)(int64_t rows, int64_t n, const char *x, int64_t step, void *m, int64_t *at, int64_t from);
} cpu_reduce_loops;

/* Reductions of what norms are made of: absolute values (also their extremes), 1 for each element that is not 0, squared
 * absolute values. One sum per element, whose squares may be those of both parts of a complex number. */
enum { CPU_NORM_SIZES, CPU_NORM_THERE, CPU_NORM_SQUARES, CPU_NORM_COUNT };
typedef cpu_reduce_loops cpu_norm_loops[CPU_NORM_COUNT][HED_ID_CONCRETE_COUNT_];
extern const cpu_norm_loops cpu_norm_loops_base, cpu_norm_loops_avx2, cpu_norm_loops_avx512;

/* Sums of float16 and bfloat16 as they lie; of all, of those that are not NaN. No sum: there is no such loop. */
typedef cpu_reduce_loops cpu_half_loops[2][2];
extern const cpu_half_loops cpu_half_loops_base, cpu_half_loops_avx2, cpu_half_loops_avx512;

/* Scans of one type. The carry is in the widest type of the kind, but for extremes, which take it as it is. OUT may be X. */
typedef enum cpu_scan { CPU_SCAN_SUM, CPU_SCAN_PROD, CPU_SCAN_MAX, CPU_SCAN_MIN, CPU_SCANS } cpu_scan;
typedef struct cpu_scan_loops {
  /* N elements that follow each other: each takes the carry in, is stored, and is the next carry. */
  void (*along)(int64_t n, void *out, const void *x, void *carry);
  /* One element of each of N lanes, which have a carry each. */
  void (*across)(int64_t n, void *out, const void *x, void *carry);
} cpu_scan_loops;
extern const cpu_scan_loops cpu_scan_loops_base[CPU_SCANS][HED_ID_CONCRETE_COUNT_],
  cpu_scan_loops_avx2[CPU_SCANS][HED_ID_CONCRETE_COUNT_], cpu_scan_loops_avx512[CPU_SCANS][HED_ID_CONCRETE_COUNT_];

/* Comparisons with 0 of N contiguous elements of one type (reduce/bool.c). */
typedef struct cpu_bool_loops {
  bool (*any)(int64_t n, const void *x);
  bool (*all)(int64_t n, const void *x);
  int64_t (*count)(int64_t n, const void *x);
} cpu_bool_loops;
extern const cpu_bool_loops cpu_bool_loops_base[HED_ID_CONCRETE_COUNT_], cpu_bool_loops_avx2[HED_ID_CONCRETE_COUNT_],
  cpu_bool_loops_avx512[HED_ID_CONCRETE_COUNT_];

/* Exponentials of one type less the largest: softmax.c. Arrays are contiguous. */
typedef struct cpu_softmax_loops {
  /* e = e^(x - *m); sum[0] takes those that are not 1, sum[1] the number of the others. */
  void (*exps)(int64_t n, void *e, const void *x, const void *m, double *sum);
  /* out = x * *by; out = (x - *m) - *log. The latter two may be in place. */
  void (*times)(int64_t n, void *out, const void *x, const void *by);
  void (*less)(int64_t n, void *out, const void *x, const void *m, const void *log);
  /* The same of a row of N lanes: m, by, log and the sums have one value of each (the numbers of ones in ONES). */
  void (*exps_each)(int64_t n, void *e, const void *x, const void *m, double *sum, double *ones);
  void (*times_each)(int64_t n, void *out, const void *x, const void *by);
  void (*less_each)(int64_t n, void *out, const void *x, const void *m, const void *log);
} cpu_softmax_loops;
extern const cpu_softmax_loops cpu_softmax_loops_base[2], cpu_softmax_loops_avx2[2], cpu_softmax_loops_avx512[2];

/* A row of a B-spline resampling: see affine.c. */
typedef struct cpu_affine_row {
  const float *coef;    /* coefficients, C order; contiguous */
  int64_t dim[3];       /* extents; leading 1 when ndim < 3 */
  double start[3];      /* source coordinate of element j is start + j * step */
  double step[3];
  int64_t first;        /* j of the first element wanted */
} cpu_affine_row;

typedef struct cpu_complex_f { float re, im; } cpu_complex_f;

enum { CPU_FRACTION_BITS = 6 };

typedef struct cpu_kernels {
  hed__map_fn map[CPU_MAP_COUNT][HED_ID_CONCRETE_COUNT_];
  /* Those of map whose results are written by non-temporal stores (map/nontemporal.h). NULL: none does. */
  cpu_nontemporal_fn direct[CPU_MAP_COUNT][HED_ID_CONCRETE_COUNT_];
  /* float16 and bfloat16 as they are, by the operand (1, 2) that is one float32, 0: none. */
  hed__map_fn half[2][3][CPU_MAP_COUNT];
  /* Integers as they are and one float32, computed in float32; the square has no need of the latter, remainders want it with
   * at most CPU_FRACTION_BITS fraction bits. */
  hed__map_fn int_scalar[HED_ID_CONCRETE_COUNT_][CPU_MAP_COUNT];
  const cpu_function_loops *functions;
  const cpu_softmax_loops *softmax; /* of float32, float64 */
  /* hed__cast, hed__random_fill, hed__variates and hed__random_rows of this level: the same values. */
  hed__cast_fn (*cast)(int from, int to);
  void (*random_fill)(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst);
  void (*variates)(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst, const double *a, const double *b);
  int64_t (*random_rows)(const hed_call *call, int64_t begin, int64_t end, double *work);
  const cpu_reduce_loops *reduce; /* by type; NULL members: not for that one */
  const cpu_norm_loops *norm;
  /* The same of the elements that are not NaN: sums of floats, where a NaN in either part counts, and extremes, which are NaN
   * where nothing else was seen. */
  const cpu_reduce_loops *skipnan;
  const cpu_half_loops *half_sums;
  const cpu_scan_loops (*scan)[HED_ID_CONCRETE_COUNT_]; /* by cpu_scan and type; NULL members: not for that one */
  const cpu_bool_loops *boolean;   /* by type */
  /* x * scale in place, N floats or doubles. */
  void (*scale_f32)(int64_t n, float *x, float scale);
  void (*scale_f64)(int64_t n, double *x, double scale);
  /* norm_scores over contiguous float32 (xs: stride of x in elements, 0 or 1). */
  void (*norm_scores)(int64_t n, float *out, const float *x, int64_t xs, const float *exp_sq,
                      const float *sq_exp, float n_obs, float eps);
  void (*max_score)(int64_t n, const float *s, float *m, int32_t *r, int32_t index);
  /* Two spectra in one: out[i] = a[i] + i b[i], and the same of their conjugates backwards: end[-i] = conj(a[i]) + i conj(b[i]).
   * B NULL: zeros. */
  void (*pack_pair)(int64_t n, cpu_complex_f *out, const cpu_complex_f *a, const cpu_complex_f *b);
  void (*pack_image)(int64_t n, cpu_complex_f *end, const cpu_complex_f *a, const cpu_complex_f *b);
  /* max_score of COUNT columns of SCORES, at most as many as floats in the widest vector, STEP elements from row to row; the
   * others have ROW. How many rows had to look at R. */
  int64_t (*max_columns)(int64_t rows, int64_t count, const float *scores, int64_t step, float *m, int32_t *r, int64_t row,
                      int32_t index);
  /* max_score of the real (PART 0) or the imaginary parts (1). */
  void (*max_score_pair)(int64_t n, const cpu_complex_f *s, int part, float *m, int32_t *r, int32_t index);
  /* Elements [0, n) of an output row whose support lies inside the volume. */
  void (*affine1)(int64_t n, float *out, const cpu_affine_row *row);
  void (*affine3)(int64_t n, float *out, const cpu_affine_row *row);
} cpu_kernels;

extern const cpu_reduce_loops cpu_reduce_loops_base[HED_ID_CONCRETE_COUNT_], cpu_reduce_loops_avx2[HED_ID_CONCRETE_COUNT_],
  cpu_reduce_loops_avx512[HED_ID_CONCRETE_COUNT_];
extern const cpu_reduce_loops cpu_skipnan_loops_base[HED_ID_CONCRETE_COUNT_], cpu_skipnan_loops_avx2[HED_ID_CONCRETE_COUNT_],
  cpu_skipnan_loops_avx512[HED_ID_CONCRETE_COUNT_];
/* What move/cast.c and random/random.c define. */
#define CPU_LEVEL_LOOPS(level)                                                                   \
  hed__cast_fn cpu_cast_##level(int from, int to);                                               \
  void cpu_random_fill_##level(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst); \
  void cpu_variates_##level(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst, \
                            const double *a, const double *b);                                   \
  int64_t cpu_random_rows_##level(const hed_call *call, int64_t begin, int64_t end, double *work);
CPU_LEVEL_LOOPS(base)
CPU_LEVEL_LOOPS(avx2)
CPU_LEVEL_LOOPS(avx512)

extern const cpu_kernels cpu_kernels_base, cpu_kernels_avx2, cpu_kernels_avx512;

/* The set in use; chosen in the entry function. */
extern const cpu_kernels *cpu_k;

#endif
