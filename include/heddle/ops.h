// SPDX-License-Identifier: BSD-3-Clause
/* The operations. Regular families expand from ops.def, where each row states the formula; the others are declared
 * here with their meaning.
 *
 * hed_OP(args)            returns a new array (caller releases), or NULL with hed_error() set; a NULL argument
 *                         gives NULL and leaves the error that caused it standing; a NULL with no error standing
 *                         is HED_E_INVAL
 * hed_OP_into(out, args)  writes into an existing array of exactly the result's shape, converting to its dtype;
 *                         allocates nothing; OUT may be one of the operands for elementwise operations
 * Options are structs whose all-zero value is the default, passed by pointer, NULL = default.
 * Broadcasting is NumPy's; dtypes promote by hed_dtype_promote; scalars are weak (hed_scalar). In the forms with a
 * double S it counts as a weak real, or as a weak integer where the operation has no real domain (shifts, bits).
 * OUT and an operand that overlap in any other way are HED_E_INVAL.
 * Thread-safe; the context of the calling thread decides the backend (or the operands' space: see the manual).
 */
#ifndef HEDDLE_OPS_H
#define HEDDLE_OPS_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef enum hed_op {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) HED_OP_##ID,
#include <heddle/ops.def>
  HED_OP_COUNT_
} hed_op;

/* ---- the list, as data ---- */

typedef struct hed_op_info {
  uint32_t struct_size;
  int32_t op;
  const char *name, *family, *impl, *domain, *result, *args, *doc; /* static; family: unary, binary, reduce, other */
  int32_t results;
} hed_op_info;

/* Rows of ops.def, and one of them; set struct_size before the call. */
HED_API int hed_op_count(void);
HED_API hed_status hed_op_query(int op, hed_op_info *out);
HED_API const char *hed_op_name(int op); /* "?" when out of range */
HED_API int hed_op_by_name(const char *name); /* -1 when there is none */

/* ---- options ---- */

typedef struct hed_reduce {
  hed_axes axes; /* n = 0: all */
  bool keepdims;
  int32_t ddof;    /* var and std: divisor is n - ddof */
  hed_dtype dtype; /* result and accumulation type, NULL = by rule */
} hed_reduce;

typedef struct hed_random {
  uint64_t seed;
  bool seeded;              /* false: the context's stream, advanced by one draw */
  double low, high;         /* uniform; both 0 = [0, 1) */
  double mean, std;         /* normal; std 0 = 1 */
} hed_random;

typedef enum hed_norm { HED_NORM_BACKWARD, HED_NORM_ORTHO, HED_NORM_FORWARD } hed_norm;

typedef struct hed_fft {
  hed_axes axes;  /* n = 0: all (or the last s.ndim) */
  hed_shape s;    /* extents along the axes, ndim = 0: as they are; cropped or zero-padded at the end */
  int32_t norm;   /* hed_norm: 1/n on the inverse, 1/sqrt(n) both ways, 1/n forward */
} hed_fft;

typedef struct hed_sort_options {
  hed_axes axis;   /* HED_AXES(k); n = 0: the last axis */
  bool descending; /* sort, argsort: largest first; topk: the smallest instead of the largest */
} hed_sort_options;

typedef struct hed_slice_range {
  int64_t start, stop, step; /* as Python's start:stop:step; step 0 is an error */
} hed_slice_range;
#define HED_SLICE_BEGIN INT64_MIN /* start or stop left out */
#define HED_SLICE_END INT64_MAX
#ifdef __cplusplus
#  define HED_RANGE(start, stop, step) (hed_slice_range{ (start), (stop), (step) })
#else
#  define HED_RANGE(start, stop, step) ((hed_slice_range){ (start), (stop), (step) })
#endif
#define HED_ALL HED_RANGE(HED_SLICE_BEGIN, HED_SLICE_END, 1)

/* ---- regular families ---- */

#define HED_UNARY(ID, name, domain, result, doc)                              \
  HED_API hed_array *hed_##name(const hed_array *x);                          \
  HED_API hed_status hed_##name##_into(hed_array *out, const hed_array *x);
#define HED_BINARY(ID, name, domain, result, doc)                                                    \
  HED_API hed_array *hed_##name(const hed_array *a, const hed_array *b);                             \
  HED_API hed_status hed_##name##_into(hed_array *out, const hed_array *a, const hed_array *b);      \
  HED_API hed_array *hed_##name##_scalar(const hed_array *a, double s);                              \
  HED_API hed_array *hed_scalar_##name(double s, const hed_array *b);                                \
  HED_API hed_status hed_##name##_scalar_into(hed_array *out, const hed_array *a, double s);         \
  HED_API hed_status hed_scalar_##name##_into(hed_array *out, double s, const hed_array *b);
#define HED_REDUCE(ID, name, domain, result, doc)                                                    \
  HED_API hed_array *hed_##name(const hed_array *x, const hed_reduce *opt);                          \
  HED_API hed_status hed_##name##_into(hed_array *out, const hed_array *x, const hed_reduce *opt);
#include <heddle/ops.def>

/* ---- creation: in the current context's memory space ---- */

/* Weak 0-d scalars: they take the other operand's type (an integer array with a real scalar: REAL). */
HED_API hed_array *hed_scalar(double value);
HED_API hed_array *hed_scalar_int(int64_t value);
HED_API hed_array *hed_scalar_complex(double re, double im);

HED_API hed_array *hed_empty(hed_shape shape, hed_dtype t);
HED_API hed_array *hed_zeros(hed_shape shape, hed_dtype t);
HED_API hed_array *hed_ones(hed_shape shape, hed_dtype t);
HED_API hed_array *hed_full(hed_shape shape, double value, hed_dtype t);
/* In X's shape, dtype and memory space. */
HED_API hed_array *hed_zeros_like(const hed_array *x);
HED_API hed_array *hed_ones_like(const hed_array *x);
HED_API hed_array *hed_empty_like(const hed_array *x);
HED_API hed_array *hed_full_like(const hed_array *x, double value);
/* ceil((stop - start) / step) elements, empty when that is not positive; step 0 is an error */
HED_API hed_array *hed_arange(double start, double stop, double step, hed_dtype t);
HED_API hed_array *hed_linspace(double start, double stop, int64_t num, hed_dtype t);
HED_API hed_array *hed_eye(int64_t n, int64_t m, int64_t k, hed_dtype t);
HED_API hed_status hed_fill(hed_array *x, double value);
HED_API hed_status hed_fill_complex(hed_array *x, double re, double im);

/* ---- elementwise with more operands ---- */

HED_API hed_array *hed_where(const hed_array *condition, const hed_array *a, const hed_array *b);
HED_API hed_status hed_where_into(hed_array *out, const hed_array *condition, const hed_array *a, const hed_array *b);
/* -INFINITY and INFINITY leave a side open; low above high gives high; integers stay integers; NaN is HED_E_INVAL */
HED_API hed_array *hed_clip(const hed_array *x, double low, double high);
HED_API hed_status hed_clip_into(hed_array *out, const hed_array *x, double low, double high);

/* ---- conversion and movement ---- */

HED_API hed_array *hed_astype(const hed_array *x, hed_dtype t); /* a view of the same elements when already T */
HED_API hed_array *hed_copy(const hed_array *x);
HED_API hed_status hed_copy_into(hed_array *out, const hed_array *x); /* broadcasts and converts */
HED_API hed_array *hed_reshape(const hed_array *x, hed_shape shape);
HED_API hed_array *hed_transpose(const hed_array *x, const hed_axes *axes /* NULL = reverse */);
HED_API hed_array *hed_moveaxis(const hed_array *x, int32_t source, int32_t destination);
HED_API hed_array *hed_squeeze(const hed_array *x, const hed_axes *axes /* NULL = all of extent 1 */);
HED_API hed_array *hed_expand_dims(const hed_array *x, int32_t axis);
HED_API hed_array *hed_broadcast_to(const hed_array *x, hed_shape shape);
HED_API hed_status hed_broadcast_shapes(int n, const hed_shape *shapes, hed_shape *out);
HED_API hed_array *hed_flip(const hed_array *x, const hed_axes *axes /* NULL = all */);
/* the first N axes; out of range limits are clamped as in Python */
HED_API hed_array *hed_slice(const hed_array *x, int n, const hed_slice_range *ranges);
/* element or sub-array INDEX of AXIS, negatives from the end; a view with one axis less */
HED_API hed_array *hed_index(const hed_array *x, int32_t axis, int64_t index);
HED_API hed_array *hed_diagonal(const hed_array *x, int64_t offset, int32_t axis1, int32_t axis2);
HED_API hed_array *hed_concatenate(int n, const hed_array *const *arrays, int32_t axis);
HED_API hed_array *hed_stack(int n, const hed_array *const *arrays, int32_t axis);
/* SHIFTS.axis holds one shift per axis of AXES (NULL or n = 0: one shift of the flattened array) */
HED_API hed_array *hed_roll(const hed_array *x, const hed_axes *shifts, const hed_axes *axes);
HED_API hed_array *hed_pad(const hed_array *x, hed_shape before, hed_shape after, double value);
HED_API hed_array *hed_topleft_pad(const hed_array *x, hed_shape shape, double value);
HED_API hed_array *hed_extract_center(const hed_array *x, hed_shape shape);
HED_API hed_array *hed_nonzero(const hed_array *x);
HED_API hed_array *hed_take(const hed_array *x, const hed_array *indices, int32_t axis);

/* ---- sorting ---- */

HED_API hed_array *hed_sort(const hed_array *x, const hed_sort_options *opt);
HED_API hed_array *hed_argsort(const hed_array *x, const hed_sort_options *opt);
/* the k largest in descending order (opt->descending: the k smallest in ascending order), int64 indices */
HED_API hed_status hed_topk(const hed_array *x, int64_t k, const hed_sort_options *opt, hed_array **values,
                            hed_array **indices);

/* ---- linear algebra ---- */

HED_API hed_array *hed_matmul(const hed_array *a, const hed_array *b);
HED_API hed_status hed_matmul_into(hed_array *out, const hed_array *a, const hed_array *b);
/* pairs of axes, a_axes[k] with b_axes[k]; none (NULL or n = 0) gives the outer product */
HED_API hed_array *hed_tensordot(const hed_array *a, const hed_array *b, const hed_axes *a_axes,
                                 const hed_axes *b_axes);
/* "ij,jk->ik"; implicit output, repeated indices (diagonal) and "..." as in NumPy */
HED_API hed_array *hed_einsum(const char *subscripts, int n, const hed_array *const *operands);
/* u (.., m, k) or (.., m, m), s (.., k) real descending, vh (.., k, n) or (.., n, n); any of the three may be NULL */
HED_API hed_status hed_svd(const hed_array *a, bool full_matrices, hed_array **u, hed_array **s, hed_array **vh);

/* ---- Fourier transforms ---- */

HED_API hed_array *hed_fftn(const hed_array *x, const hed_fft *opt);
HED_API hed_array *hed_ifftn(const hed_array *x, const hed_fft *opt);
HED_API hed_array *hed_rfftn(const hed_array *x, const hed_fft *opt);
/* opt->s gives the real extents; without it the last is 2 (n - 1) */
HED_API hed_array *hed_irfftn(const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_fftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ifftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_rfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
/* may destroy nothing: X stays as it is */
HED_API hed_status hed_irfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
/* least m >= n that the current backend transforms fast (factors 2, 3, 5, 7) */
HED_API int64_t hed_fft_good_size(int64_t n);
/* full = s1 + s2 - 1; fast: good sizes of it; fast_ft: its rfftn's shape */
HED_API hed_status hed_compute_convolution_shapes(hed_shape s1, hed_shape s2, hed_shape *full, hed_shape *fast,
                                                  hed_shape *fast_ft);

/* ---- random ---- */

HED_API hed_array *hed_random_bits(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_API hed_array *hed_random_uniform(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_API hed_array *hed_random_normal(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_API hed_array *hed_random_integers(hed_shape shape, int64_t low, int64_t high, hed_dtype t,
                                       const hed_random *opt);

/* ---- images and template matching ---- */

typedef enum hed_spline { HED_SPLINE_DEFAULT, HED_SPLINE_NEAREST, HED_SPLINE_LINEAR, HED_SPLINE_CUBIC } hed_spline;

typedef struct hed_rigid {
  const double *translation; /* ndim values in elements, applied before the rotation; NULL = none */
  bool center_of_mass;       /* rotate about the centre of mass of values > 0 (a batch has one), default (shape - 1) / 2 */
  int32_t spline;            /* hed_spline; 0 = cubic */
  bool batched;              /* the leading axis is a batch */
} hed_rigid;

/* out(x) = arr(M x + t), zero outside [0, n - 1]; a point less than 1e-9 beyond an end counts as the end, so rounding of
 * a right angle blanks no side. MATRIX is row-major ndim x (ndim + 1), in array axis order. PREFILTER makes
 * cubic splines interpolate (off for masks). OUT may be larger than X: only the block of X's shape is written. */
HED_API hed_status hed_affine_transform_into(hed_array *out, const hed_array *x, const double *matrix, int32_t spline,
                                             bool prefilter);
/* ROTATION is row-major d x d in array axis order. Content is shifted by translation first, then rotated about the
 * centre: out(x) = arr(R^-1 (x - c) + c - t). MASK and OUT_MASK may be NULL; the mask is not prefiltered.
 * opt NULL: cubic, geometric centre. */
HED_API hed_status hed_rigid_transform(const hed_array *x, const hed_array *mask, const double *rotation,
                                       const hed_rigid *opt, hed_array **out, hed_array **out_mask);
HED_API hed_status hed_rigid_transform_into(hed_array *out, hed_array *out_mask, const hed_array *x,
                                            const hed_array *mask, const double *rotation, const hed_rigid *opt);
/* box of SIZE elements per axis: offsets -(size / 2) .. (size - 1) / 2; CVAL outside */
HED_API hed_array *hed_maximum_filter(const hed_array *x, int64_t size, double cval);

typedef struct hed_peaks {
  bool zero_border;      /* outside counts as 0 (pyTME); default -inf */
  bool exclude_plateaus; /* only the first element in C order of a connected run of equal maxima */
} hed_peaks;
/* coordinates (n, ndim) int64, C order, of elements that equal the maximum of the box of edge MIN_DISTANCE round them */
HED_API hed_array *hed_max_filter_coordinates(const hed_array *x, int64_t min_distance, const hed_peaks *opt);
/* v = max(exp_sq/n - (sq_exp/n)^2, 0); s = sqrt(v); x / (s n), 0 where s < eps. Operands keep their values.
 * X may be a scalar. OUT may be any of them. */
HED_API hed_array *hed_norm_scores(const hed_array *x, const hed_array *exp_sq, const hed_array *sq_exp, double n_obs,
                                   double eps);
HED_API hed_status hed_norm_scores_into(hed_array *out, const hed_array *x, const hed_array *exp_sq,
                                        const hed_array *sq_exp, double n_obs, double eps);
/* where scores > max_scores, or equal with index < rotations: max_scores = scores, rotations = index. One shape; scores and
 * max_scores of one dtype, rotations int32. */
HED_API hed_status hed_max_score_over_rotations(const hed_array *scores, hed_array *max_scores, hed_array *rotations,
                                                int32_t index);

HED_END_DECLS

#endif
