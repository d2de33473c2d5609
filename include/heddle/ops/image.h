// SPDX-License-Identifier: BSD-3-Clause
/* Images and template matching: resampling, filters, peaks and scores. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_IMAGE_H
#define HEDDLE_OPS_IMAGE_H

#include <heddle/array.h>
#include <heddle/params.h>

HED_BEGIN_DECLS

typedef enum hed_spline { HED_SPLINE_DEFAULT, HED_SPLINE_NEAREST, HED_SPLINE_LINEAR, HED_SPLINE_CUBIC } hed_spline;

typedef struct hed_rigid {
  const double *translation; /* ndim values in elements, applied before the rotation; NULL = none */
  bool center_of_mass;       /* rotate about the centre of mass of values > 0 (a batch has one), default (shape - 1) / 2 */
  int32_t spline;            /* hed_spline; 0 = cubic */
  bool batched;              /* the leading axis is a batch */
  bool homogeneous;          /* ROTATION is (d + 1) x (d + 1) and the map itself: out(x) = arr(M x), x as (x, 1) */
  bool prefiltered;          /* x holds cubic coefficients already (hed_spline_filter, mirror boundary): for many rotations */
} hed_rigid;

/* out(x) = arr(M x + t), zero outside [0, n - 1]; a point less than 1e-9 beyond an end counts as the end, so rounding of
 * a right angle blanks no side. MATRIX is row-major ndim x (ndim + 1), in array axis order. PREFILTER makes
 * cubic splines interpolate (off for masks). OUT may be larger than X: only the block of X's shape is written. */
HED_API hed_status hed_affine_transform_into(hed_array *out, const hed_array *x, const double *matrix, int32_t spline,
                                             bool prefilter);

typedef struct hed_resample {
  int32_t spline;        /* hed_spline; 0 = cubic */
  bool no_prefilter;     /* cubic: the elements are the spline's coefficients already */
  int32_t boundary;      /* hed_boundary; 0 = constant */
  double cval;
} hed_resample;
/* A new array of SHAPE (NULL: X's), 1 to 3 axes: out(x) = arr(M x + t). nearest takes the value at the nearest place inside;
 * reflect, mirror and wrap continue the spline, wrap with period n. Bool and integers give REAL. */
HED_NEW hed_array *hed_affine_transform(const hed_array *x, const double *matrix, const hed_shape *shape,
                                        const hed_resample *opt);
/* COORDINATES (ndim, ..) gives (..): the value at (c[0, ..], c[1, ..], ..). NaN, and what lies beyond 1e15, counts as outside. */
HED_NEW hed_array *hed_map_coordinates(const hed_array *x, const hed_array *coordinates, const hed_resample *opt);
/* cubic coefficients; AXES NULL = all; BOUNDARY 0 = mirror */
HED_NEW hed_array *hed_spline_filter(const hed_array *x, const hed_axes *axes, int32_t boundary);
/* first and last elements of each axis stay first and last: place i (n - 1) / (m - 1) */
HED_NEW hed_array *hed_zoom(const hed_array *x, hed_shape shape, const hed_resample *opt);

/* ROTATION is row-major d x d in array axis order. Content is shifted by translation first, then rotated about the
 * centre: out(x) = arr(R^-1 (x - c) + c - t). MASK and OUT_MASK may be NULL; the mask is not prefiltered.
 * A homogeneous matrix has (0, .., 0, 1) as its last row, and neither translation nor centre of mass go with it.
 * opt NULL: cubic, geometric centre. When only the mask fails, OUT has been written. */
HED_API hed_status hed_rigid_transform(const hed_array *x, const hed_array *mask, const double *rotation,
                                       const hed_rigid *opt, hed_array **out, hed_array **out_mask);
HED_API hed_status hed_rigid_transform_into(hed_array *out, hed_array *out_mask, const hed_array *x,
                                            const hed_array *mask, const double *rotation, const hed_rigid *opt);

typedef struct hed_filter {
  int32_t boundary;      /* hed_boundary; 0 = reflect */
  double cval;           /* of constant */
  hed_axes axes;         /* filtered axes; n = 0: all */
  double truncate;       /* gaussian_filter: half width in sigmas; 0 = 4 */
} hed_filter;
/* WEIGHTS: one axis, at least one value. Bool and integers give REAL, here and below. */
HED_NEW hed_array *hed_correlate1d(const hed_array *x, const hed_array *weights, int32_t axis, const hed_filter *opt);
/* N is 1 (SIGMA for all of the axes) or their number; 0 leaves an axis alone */
HED_NEW hed_array *hed_gaussian_filter(const hed_array *x, int n, const double *sigma, const hed_filter *opt);
HED_NEW hed_array *hed_uniform_filter(const hed_array *x, int64_t size, const hed_filter *opt);
HED_NEW hed_array *hed_laplace(const hed_array *x, const hed_filter *opt);
/* the difference along AXIS, weights 1 2 1 along the others of opt->axes; no factor 1/8 */
HED_NEW hed_array *hed_sobel(const hed_array *x, int32_t axis, const hed_filter *opt);
HED_NEW hed_array *hed_gradient_magnitude(const hed_array *x, const hed_filter *opt);
/* boxes over all axes (opt->axes must be empty), offsets -(size / 2) .. (size - 1) / 2; NaN in a box is the result */
HED_NEW hed_array *hed_maximum_filter_with(const hed_array *x, int64_t size, const hed_filter *opt);
HED_NEW hed_array *hed_minimum_filter(const hed_array *x, int64_t size, const hed_filter *opt);
HED_NEW hed_array *hed_median_filter(const hed_array *x, int64_t size, const hed_filter *opt);

/* box of SIZE elements per axis: offsets -(size / 2) .. (size - 1) / 2; CVAL outside */
HED_NEW hed_array *hed_maximum_filter(const hed_array *x, int64_t size, double cval);

typedef struct hed_peaks {
  bool zero_border;      /* outside counts as 0 (pyTME); default -inf */
  bool exclude_plateaus; /* only the first element in C order of a connected run of equal maxima */
} hed_peaks;
/* coordinates (n, ndim) int64, C order, of elements that equal the maximum of the box of edge MIN_DISTANCE round them */
HED_NEW hed_array *hed_max_filter_coordinates(const hed_array *x, int64_t min_distance, const hed_peaks *opt);
/* v = max(exp_sq/n - (sq_exp/n)^2, 0); s = sqrt(v); x / (s n), 0 where s < eps. Operands keep their values.
 * X may be a scalar. OUT may be any of them. */
HED_NEW hed_array *hed_norm_scores(const hed_array *x, const hed_array *exp_sq, const hed_array *sq_exp, double n_obs,
                                   double eps);
HED_API hed_status hed_norm_scores_into(hed_array *out, const hed_array *x, const hed_array *exp_sq,
                                        const hed_array *sq_exp, double n_obs, double eps);
/* The same with x / n where s < eps (pyTME's NumPy rule: s counts as 1) when UNIT_LOW. */
HED_NEW hed_array *hed_norm_scores_with(const hed_array *x, const hed_array *exp_sq, const hed_array *sq_exp,
                                        double n_obs, double eps, bool unit_low);
/* where scores > max_scores, or equal with index < rotations: max_scores = scores, rotations = index. One shape; scores and
 * max_scores of one dtype, rotations int32. */
HED_API hed_status hed_max_score_over_rotations(const hed_array *scores, hed_array *max_scores, hed_array *rotations,
                                                int32_t index);

typedef struct hed_correlation { /* all zero: the correlation as it is */
  const hed_array *mask, *spectrum_sq; /* both or none; of the shapes and dtypes of x and spectrum */
  double n_obs, eps;                   /* hed_norm_scores; for a mask */
} hed_correlation;
/* One step of a search, for a template X of 1 to 3 axes, float32 or float64, no larger than MAX_SCORES along any: X filled up
 * with zeros to the extents of MAX_SCORES, transformed (rfftn), times SPECTRUM (complex, those extents with the last one
 * halved), transformed back without a scale (irfftn, HED_NORM_FORWARD) is s. With a mask (opt not NULL): e1 and e2 are the
 * same of the mask with SPECTRUM and with opt->spectrum_sq, and s becomes hed_norm_scores(s, e2, e1, n_obs, eps). Then
 * hed_max_score_over_rotations(s, MAX_SCORES, ROTATIONS, INDEX). Neither X in its zeros nor s, e1, e2 are made where the
 * backend can do without. MAX_SCORES: X's dtype; ROTATIONS: int32. HED_E_SHAPE, HED_E_DTYPE, HED_E_INVAL, HED_E_NOMEM; any
 * number of threads at once on different results. */
HED_API hed_status hed_max_correlation(const hed_array *x, const hed_array *spectrum, const hed_correlation *opt,
                                       hed_array *max_scores, hed_array *rotations, int32_t index);

/* *BYTES: the most memory at once that one such step takes in the calling thread's context besides operands and results, for
 * a template of shape X, results of shape MAX_SCORES, elements of type T (float32 or float64), and with a mask if MASKED; in
 * host memory, and without what is kept for later calls (plans). Errors as above. Any number of threads at once. */
HED_API hed_status hed_max_correlation_workspace(hed_shape x, hed_shape max_scores, hed_dtype t, bool masked, size_t *bytes);

/* float64 (ndim,): mean index weighted by the elements above CUTOFF (-INFINITY: all); NaN when they add up to 0 */
HED_NEW hed_array *hed_center_of_mass(const hed_array *x, double cutoff);
/* In place: mean = sum(g m) / n, var = max(sum(g^2 m) / n - mean^2, 0), g := (g - mean) / sqrt(var) m, sums in float64 over
 * AXES (NULL: all). N_OBS 0: the sum of the mask. 0 where the variance is 0. MASK broadcasts to TEMPLATE. */
HED_API hed_status hed_normalize_template(hed_array *template_, const hed_array *mask, double n_obs, const hed_axes *axes);

/* ---- masks ---- */

typedef struct hed_mask {
  const double *center;      /* ndim places; NULL = (shape - 1) / 2 */
  const double *orientation; /* ellipse: row-major rotation of the ellipsoid; NULL = none */
  double sigma;              /* ellipse: width of the fall outside, in elements; 0 = a sharp edge */
  double cutoff;             /* the fall ends at so many sigmas; 0 = 3 */
} hed_mask;
/* d = |R^-1 (x - c) / radii|; 1 where d <= 1, else exp(-(d - 1)^2 / (2 (sigma / mean radius)^2)), 0 beyond the cutoff */
HED_NEW hed_array *hed_mask_ellipse(hed_shape shape, const double *radii, hed_dtype t, const hed_mask *opt);
/* [c - h / 2, c + h / 2 + h % 2) on each axis, integer halves; default c = shape / 2 */
HED_NEW hed_array *hed_mask_box(hed_shape shape, hed_shape extent, hed_dtype t, const hed_mask *opt);
/* distance from the axis in (INNER, OUTER] (INNER 0: all of the inside), within HEIGHT / 2 along it; 2 axes or more */
HED_NEW hed_array *hed_mask_tube(hed_shape shape, int32_t axis, double inner, double outer, double height, hed_dtype t,
                                 const hed_mask *opt);
/* distance from the axis at most RADIUS; the larger of two Gaussians of width thickness / 3 at +-separation / 2 */
HED_NEW hed_array *hed_mask_membrane(hed_shape shape, int32_t axis, double radius, double thickness, double separation,
                                     hed_dtype t, const hed_mask *opt);

HED_END_DECLS

#endif
