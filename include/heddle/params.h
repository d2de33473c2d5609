// SPDX-License-Identifier: BSD-3-Clause
/* Parameters of kernels, by operation: hed_call.params (backend.h) points at the operation's struct. An operation that
 * is not mentioned has none. */
#ifndef HEDDLE_PARAMS_H
#define HEDDLE_PARAMS_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef struct hed_fill_params { /* FILL: the value in the kind of the result's dtype */
  double re, im;
  int64_t i;      /* the value for integer types */
} hed_fill_params;

typedef struct hed_arange_params { /* ARANGE: element k is start + k * step, computed in double */
  double start, step;
  bool whole;              /* instead: first + k * increment modulo 2^64, for integer results */
  int64_t first, increment;
} hed_arange_params;

typedef struct hed_concatenate_params { /* CONCATENATE: at most HED_MAX_NDIM in, of any dtypes; their extents along AXIS add up
                                         * to that of out[0], which none overlaps. STACK comes here too */
  int32_t axis;
} hed_concatenate_params;

typedef struct hed_triangle_params { /* TRIL: elements with column <= row + k, TRIU: column >= row + k, of the last two axes, 0
                                      * elsewhere; out[0] has the shape and dtype of in[0], which it does not overlap */
  int64_t k;                /* from minus the rows to the columns */
} hed_triangle_params;

typedef struct hed_clip_params {
  double low, high;
} hed_clip_params;

typedef struct hed_clip_array_params { /* CLIP_ARRAY: in x, low, high; an unused bound is x itself */
  bool low, high;
} hed_clip_array_params;

typedef struct hed_divide_params { /* DIVIDE_WHERE: in condition, a, b */
  double fill;
} hed_divide_params;

typedef struct hed_isclose_params {
  double rtol, atol;
  bool equal_nan;
} hed_isclose_params;

typedef struct hed_rotate_params { /* ROTATE_LEFT, ROTATE_RIGHT */
  int32_t width;  /* 1 to the bits of the type */
} hed_rotate_params;

typedef struct hed_threshold_params {
  double t, above, below;
} hed_threshold_params;

typedef struct hed_nan_params {
  double nan, posinf, neginf;
} hed_nan_params;

typedef struct hed_slope_params { /* LEAKY_RELU, ELU */
  double slope;
} hed_slope_params;

typedef struct hed_gaussian_params {
  double mu, sigma;
} hed_gaussian_params;

/* VECDOT, without parameters, of complex numbers alone: sums of conj(in[0]) in[1] over the last axis, which has extent 1 in
 * out[0]; all three have the same ndim, and operands the extents of out[0] elsewhere. CROSS, without parameters, of float32 and
 * float64 alone: vector products along the last axis, of extent 3; all three are of one shape, and in C order. Products and
 * differences are rounded, each of them. */

/* Reductions: in[0] and out[0] have the same ndim, reduced axes have extent 1 in out[0] (keepdims form).
 * compute is the accumulation type. ARGMAX/ARGMIN: the flat C-order index over the reduced axes. NANSUM, NANMAX, NANMIN: of the
 * elements of which no part is NaN. */
typedef struct hed_reduce_params {
  uint32_t axes;  /* bit k: axis k is reduced */
  int32_t ddof;
  double order;   /* VECTOR_NORM */
} hed_reduce_params;

/* CUMSUM, CUMPROD, CUMMAX, CUMMIN, SOFTMAX, LOG_SOFTMAX: out has the shape of in, and may be in; scans accumulate in
 * compute. */
typedef struct hed_scan_params {
  int32_t axis;
} hed_scan_params;

/* ISOTONIC: in x, and weights or none, out of x's shape, in which the operands are; computed in float64. */
typedef struct hed_isotonic_params {
  int32_t axis;
  bool descending;
} hed_isotonic_params;

/* PHASOR, without parameters: in x, and rate or none, both of type COMPUTE, float32 or float64, in the shape of out; out, in C
 * order, complex of that precision. The product is rounded to COMPUTE.
 * PACK_BITS: in (.., n), out uint64 (.., ceil(n / 64)). UNPACK_BITS: the other way, out bool; n may end within the words.
 * HAMMING_MATRIX: in uint64 (q, w) and (n, w), w * 64 below 2^31, out int32 (q, n).
 * MAJORITY_BITS: in uint64 (.., n, w), n above 0, and ties, uint64 in the shape of out, or none for zeros; out (.., 1, w).
 * WEIGHTED_MAJORITY_BITS: in uint64 (n, w), int32 (q, n), and ties as before; out (q, w).
 * LSTM_STEP, LSTM_STEP_BACK, GRU_STEP, GRU_STEP_BACK, SYNAPSES, SYNAPSES_BACK: shapes as in <heddle/ops/nn.h>, all of type COMPUTE,
 * float32 or float64, out in C order; rows of operands are in one piece each, planes, synapses and d as a whole.
 * POLAR_UNITARY: in and out (.., m, m), m from 1 to HED_POLAR_MOST, of finite elements or HED_E_INVAL. */
enum { HED_POLAR_MOST = 8 };

/* QUANTILE over the last axis of in, m elements; out (n, leading axes of in) in order of q. */
enum { HED_QUANTILE_MOST = 32 };
typedef struct hed_quantile_params {
  int32_t method; /* hed_quantile_method */
  bool omit_nan;  /* ranks among the elements that are not NaN; else one NaN makes the lane's results NaN */
  int32_t n;
  double q[HED_QUANTILE_MOST]; /* in [0, 1] */
} hed_quantile_params;

typedef struct hed_searchsorted_params { /* SEARCHSORTED: in sorted (n), values of its dtype; out of the values' shape */
  bool right;     /* past equal elements */
} hed_searchsorted_params;

/* BINCOUNT, without parameters: in bool or integers (m), weights float64 (m) or none; out int64, or float64 with weights, (n):
 * other integers than 0 to n - 1 are passed over. HISTOGRAM: in values (m), contiguous edges float64 (n + 1), weights float64
 * (m) or none; out as for BINCOUNT. Weights add up in order. float64 is float32 on devices without it. */
typedef struct hed_histogram_params {
  bool uniform;   /* edges have equal distances, but for rounding */
} hed_histogram_params;

typedef struct hed_sort_params { /* SORT, ARGSORT, TOPK (out: values, int64 indices; k = out[0].dim[axis]) */
  int32_t axis;
  bool descending; /* for TOPK: largest first */
  /* SORT, ARGSORT: the lane is only divided, about the element that belongs at KTH (0 <= kth < dim[axis]): those that come before
   * it in the order, those that equal it, those that come after, each in the order in which they lie. */
  bool partial;
  int64_t kth;
} hed_sort_params;

/* Where indices and places are said to be checked, a device with HED_PLUGIN_CHECKS_INDICES gets those that are in its memory as
 * they are.
 * TAKE: in[1] int64 indices on one axis, checked against the extent and non-negative.
 * TAKE_ALONG_AXIS: in[1] and out[0] have one shape, that of in[0] but for the extent of AXIS; indices as for TAKE.
 * REPEAT: in[1] int64 counts (n) for the n elements of AXIS, not negative; their sum is out[0].dim[axis]. */
typedef struct hed_take_params {
  int32_t axis;
} hed_take_params;

/* GATHER_ND: in[0] (s1 .. sm, rest), m = AXES; in[1] int64 places (n), each the C-order number of an element of shape
 * (s1 .. sm), checked; out[0] (n, rest).
 * SCATTER_ND: in[0] values (n, rest) of out[0]'s dtype, in[1] places as above; out[0] (s1 .. sm, rest) in place. Values of
 * one place come in the order of the list: the last one stays (SET), or they are combined one by one in the dtype of
 * out[0] (16-bit floats through float32).
 * COMPRESS: in[0] (s1 .. sm, rest), in[1] bool (s1 .. sm), out[0] (n, rest) with n the number of true elements. */
typedef struct hed_gather_params {
  int32_t axes;
  int32_t op;              /* SCATTER_ND: hed_scatter_op */
} hed_gather_params;

/* MATMUL: in (.., m, k) and (.., k, n), out (.., m, n), all with the same number of axes, the leading ones broadcast. NULL unless
 * the context allows something. */
typedef struct hed_matmul_params {
  bool tf32;          /* factors of float32 and complex64 may be rounded to TF32 */
} hed_matmul_params;

/* MAX_SCORE_OVER_ROTATIONS: in scores, max_scores, rotations; out the last two in place. */

typedef struct hed_svd_params {
  bool full_matrices; /* out: u, s, vh; an output may be NULL: not wanted */
} hed_svd_params;

/* The batch axes of all operands of a factorisation are equal, broadcast where need be (stride 0). An output may be NULL:
 * not wanted.
 * LU, without parameters: in a (.., m, n); out perm (.., m) int64, l (.., m, k), u (.., k, n), sign (..) of the permutation,
 * in a's type; a[perm[i], :] = (l u)[i, :].
 * SOLVE, without parameters: in a (.., n, n), b (.., n, k); out x. HED_E_SINGULAR at a pivot that is exactly 0. */
typedef struct hed_triangular_params { /* SOLVE_TRIANGULAR: in a (.., n, n), b (.., n, k); out x */
  bool upper, unit;   /* which triangle of a is read; its diagonal counts as ones */
  int32_t form;       /* hed_matrix_form: solve with a, its transpose or its adjoint */
} hed_triangular_params;

typedef struct hed_cholesky_params { /* only the wanted triangle of in[0] is read; HED_E_SINGULAR says which minor */
  bool upper;         /* out: r with a = r^H r, else l with a = l l^H; zeros on the other side */
} hed_cholesky_params;

typedef struct hed_qr_params {
  bool complete;      /* out: q (.., m, m), r (.., m, n), else q (.., m, k), r (.., k, n); diagonal of r real, not negative */
} hed_qr_params;

typedef struct hed_eigh_params { /* out: w (.., count) real ascending, v (.., n, count), columns turned as base/dense.h says */
  bool upper;         /* which triangle of in[0] is read */
  int64_t first, count; /* EIGH_RANGE: those that are wanted, at least 0 and at most n; EIGH: 0 and n */
} hed_eigh_params;

/* EIG, without parameters: out w (.., n) complex in the order of base/dense.h, v (.., n, n) complex, columns of norm 1 */

/* FFT: kind by dtypes: complex -> complex, real -> complex (last of axes halved), complex -> real (same).
 * in[0] has the extents of the transform already. sign -1 forward, +1 inverse. Result times scale. */
typedef struct hed_fft_params {
  int32_t n_axes, axis[HED_MAX_NDIM];
  int32_t sign;
  double scale;
  int32_t effort; /* planning rigour: hed_effort */
  const void *plan; /* what the plug-in made for this transform (fft_plan_make), or NULL */
} hed_fft_params;

typedef struct hed_convolve_params { /* CONVOLVE_DIRECT: out[k] = sum over j of in[1][j] in[0][k + start - j], 0 outside; all of
                                      * the same number of axes, at least 1 */
  int64_t start[HED_MAX_NDIM];
} hed_convolve_params;

typedef enum hed_random_kind {
  HED_RANDOM_BITS, HED_RANDOM_UNIFORM, HED_RANDOM_NORMAL, HED_RANDOM_INTEGERS,
  /* computed in float64 and converted; a and b are */
  HED_RANDOM_EXPONENTIAL,      /* unused, scale */
  HED_RANDOM_LAPLACE,          /* location, scale; so are the next three */
  HED_RANDOM_LOGISTIC,
  HED_RANDOM_GUMBEL,
  HED_RANDOM_CAUCHY,
  HED_RANDOM_BERNOULLI,        /* probability of 1 */
  HED_RANDOM_BIPOLAR,          /* probability of +1 */
  HED_RANDOM_PHASOR,           /* unused; complex */
  HED_RANDOM_TRUNCATED_NORMAL, /* lower and upper bound of the standard normal */
  HED_RANDOM_GAMMA,            /* shape, scale */
  HED_RANDOM_BETA,             /* both shapes */
  HED_RANDOM_CHI_SQUARED,      /* degrees of freedom, unused */
  HED_RANDOM_STANDARD_T,       /* degrees of freedom, unused */
  HED_RANDOM_POISSON,          /* mean, unused */
  HED_RANDOM_BINOMIAL,         /* trials, probability */
  HED_RANDOM_KIND_COUNT_
} hed_random_kind;
typedef struct hed_random_params { /* RANDOM: element i (C order) is a function of (kind, key, draw, a, b, i) only */
  int32_t kind;
  uint64_t key, draw;
  double a, b;          /* uniform: low, high; normal: mean, std (complex: of each part); kinds from GAMMA on: not read when
                           there are two operands of out[0]'s shape that hold them: float64, or float32 on
                           devices without it */
  int64_t low;          /* integers: low + [0, span) */
  uint64_t span;        /* 0 = 2^64 */
} hed_random_params;

/* RANDOM_CATEGORICAL: in[0] (.., k) float64, out[0] (.., n), the same axes before the last; element i of out takes the uniform
 * float64 of index i. RANDOM_DIRICHLET: in[0] (.., k) float64 of out[0]'s shape; element i takes the gamma of index i.
 * RANDOM_HAAR: out (.., n, n), matrix b from the normals b n^2 ... of float64 (complex: parts 2 b n^2 ...). */
typedef struct hed_random_rows_params {
  uint64_t key, draw;
  bool weights;         /* categorical: operands are weights, not logarithms of them */
} hed_random_rows_params;

/* What a signal of a b c d is beyond its ends. DEFAULT: the operation's own. */
typedef enum hed_boundary {
  HED_BOUNDARY_DEFAULT,
  HED_BOUNDARY_REFLECT,  /* c b a | a b c d | d c b */
  HED_BOUNDARY_CONSTANT, /* k k k | a b c d | k k k */
  HED_BOUNDARY_NEAREST,  /* a a a | a b c d | d d d */
  HED_BOUNDARY_MIRROR,   /* d c b | a b c d | c b a */
  HED_BOUNDARY_WRAP,     /* b c d | a b c d | a b c */
  HED_BOUNDARY_COUNT_
} hed_boundary;

typedef struct hed_affine_params { /* AFFINE_TRANSFORM: out(x) = in(M x + t) on the last ndim axes */
  int32_t ndim;         /* spatial axes, 1 to 3; axes before them are a batch */
  int32_t order;        /* 0, 1, 3 */
  bool prefilter;
  double matrix[3][4];  /* rows of [M | t]: row i is M[i][0 .. ndim - 1], then t[i] at index ndim */
  int32_t boundary;     /* DEFAULT: constant */
  double cval;
} hed_affine_params;

typedef struct hed_spline_params { /* SPLINE_FILTER (boundary, axes; DEFAULT: mirror) and MAP_COORDINATES (the others;
                                      DEFAULT: constant): in[1] float64 (ndim, ..), out[0] of its shape without the first axis */
  uint32_t axes;        /* bit k: axis k is filtered */
  int32_t order;
  bool prefilter;
  int32_t boundary;
  double cval;
} hed_spline_params;

typedef struct hed_box_params { /* MAXIMUM_FILTER, MINIMUM_FILTER (DEFAULT: constant), MEDIAN_FILTER (DEFAULT: reflect) */
  int64_t size;         /* box edge, offsets -(size / 2) .. (size - 1) / 2 */
  double cval;
  int32_t boundary;
} hed_box_params;

typedef struct hed_correlate_params { /* CORRELATE1D: in[1] weights w of 1 axis, n values; sum of w[k] x[i + k - n / 2] */
  int32_t axis;
  int32_t boundary;     /* DEFAULT: reflect */
  double cval;
  double divisor;       /* of the sum, in the type it is computed in; 0: none */
} hed_correlate_params;

typedef struct hed_norm_params {
  double n_obs, eps;
  bool unit_low;        /* where the deviation is below eps it counts as 1; else the result is 0 there */
} hed_norm_params;

typedef struct hed_maxscore_params {
  int32_t index;
} hed_maxscore_params;

/* MAX_CORRELATION: in x, mask, spectrum, spectrum_sq, max_scores, rotations; out the last two in place. x and mask have one
 * shape, no larger than that of max_scores; the spectra that shape with the last axis halved, complex; all of the compute
 * type's precision. Without normalise mask and spectrum_sq are others repeated, not to be looked at. */
typedef struct hed_maxcorr_params {
  double n_obs, eps;    /* as in NORM_SCORES */
  int32_t index;
  int32_t effort;       /* planning rigour: hed_effort */
  bool normalise;
} hed_maxcorr_params;

HED_END_DECLS

#endif
