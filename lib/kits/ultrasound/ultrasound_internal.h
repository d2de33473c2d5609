// SPDX-License-Identifier: BSD-3-Clause
/* What the metrics share.
 *
 * Layer: L4, ultrasound kit, internal. Arrays that are made inside HED__US_RESULT belong to its scope.
 */
#ifndef HEDDLE_KITS_ULTRASOUND_INTERNAL_H
#define HEDDLE_KITS_ULTRASOUND_INTERNAL_H
#include "kits/given.h"
#include <heddle/kits/ultrasound.h>

/* The widest type that the context's device computes in: float64, or float32. */
hed_dtype hed__us_widest(void);
/* X as float32, float64 or a complex of them: itself, or converted (integers to the widest). The scope's, not the caller's. */
const hed_array *hed__us_float(const hed_array *x);
/* The same in the widest, or a complex of it, and the dtype that results for X have. */
const hed_array *hed__us_wide(const hed_array *x);
hed_dtype hed__us_result_dtype(const hed_array *x);

/* |x|^2 of what hed__us_wide() gave. */
hed_array *hed__us_power(const hed_array *x);
/* 10 log10 x */
hed_array *hed__us_decibels(const hed_array *x);
bool hed__us_is_complex(const hed_array *x);

/* The one axis of AXES, FALLBACK without any (both from the end when negative); -1 and an error when X has none such. */
int32_t hed__us_axis(const char *op, const hed_array *x, const hed_axes *axes, int32_t fallback);
/* AXES as ascending numbers from 0, and which axes of X are no part of them. HED_E_AXIS, HED_E_INVAL (listed twice). */
hed_status hed__us_axes(const char *op, const hed_array *x, const hed_axes *axes, hed_axes *sorted, hed_axes *others);

/* Whether MASK is bool and has the extents that X has along AXES. */
bool hed__us_mask_fits(const char *op, const char *name, const hed_array *mask, const hed_array *x, const hed_axes *axes);

/* What was kept out of a scope, as dtype T (NULL: its own), in the caller's. Releases KEPT, which may be NULL. */
hed_array *hed__us_hand_on(hed_array *kept, hed_dtype t);

/* A scope, within one of fusion when FUSED. By calls: the blocks of <heddle.h> would tie the library to an unwinder. */
typedef struct hed__us_work { hed_scope scope; hed_fuse_scope fuse; bool fused; uint64_t range; } hed__us_work;
/* STAGE: as a profile calls it. False and an error, nothing begun, without memory for the scope. */
bool hed__us_begin(hed__us_work *w, const char *stage, bool fused);
void hed__us_end(hed__us_work *w);

/* Returns an expression's array, computed in one pass where the backend can, as dtype T; what else it makes is released. In public
 * functions, whose names are those of stages. */
#define HED__US_RETURN(expression, t)          \
  do {                                         \
    hed_array *kept_ = NULL;                   \
    hed__us_work work_;                        \
    if (hed__us_begin(&work_, __func__ + sizeof "hed_" - 1, true)) { \
      kept_ = hed_keep(expression);            \
      hed__us_end(&work_);                     \
    }                                          \
    return hed__us_hand_on(kept_, t);          \
  } while (0)

/* ---- psf.c for fwhm.c and sll.c ---- */

/* A point target: where its peak is, and the axes that are measured. */
typedef struct hed__us_target {
  const char *op;
  int64_t peak[HED_MAX_NDIM];
  hed_axes axes;
  hed_shape shape;
  const double *spacing;
  bool db, power;
} hed__us_target;

/* psf.c: |X|, of decibels (of powers) the number that they are of. */
hed_array *hed__us_size(const hed_array *x, bool db, bool power);

hed_status hed__us_target_find(const char *op, const hed_array *image, const hed_us_psf *opt, hed__us_target *out);
/* |image| from FIRST, SIZE elements along each measured axis and through the peak along the others, as float64 from malloc(). */
hed_status hed__us_target_read(const hed__us_target *t, const hed_array *image, const int64_t *first, const int64_t *size,
                               double **out);
/* Where a line that has its peak at element PEAK falls to half of it, towards STEP (+1, -1); NAN when it does not. */
double hed__us_half(const double *line, int64_t n, int64_t peak, int step);

/* ---- fit.c ---- */

enum { HED__US_PARAMETERS = 2 + 2 * HED_MAX_NDIM };

/* Least squares of A exp(-q / 2) + c over N places of NDIM coordinates: q the sum of ((x - mu) / sigma)^2 along each axis, with
 * ROTATED along two axes at an angle. P: A, c, mu .., sigma .., angle; start values in, solution out. False when it diverges. */
bool hed__us_fit_gaussian(int ndim, bool rotated, size_t n, const double *place, const double *value, double *p);

#endif
