// SPDX-License-Identifier: BSD-3-Clause
/* Images and template matching: resampling, filters, peaks and scores. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_IMAGE_H
#define HEDDLE_OPS_IMAGE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

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
