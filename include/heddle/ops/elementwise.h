// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations that are not regular rows of ops.def: three operands, scalar parameters, pairs of results.
 * Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_ELEMENTWISE_H
#define HEDDLE_OPS_ELEMENTWISE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

HED_NEW hed_array *hed_where(const hed_array *condition, const hed_array *a, const hed_array *b);
HED_API hed_status hed_where_into(hed_array *out, const hed_array *condition, const hed_array *a, const hed_array *b);
/* -INFINITY and INFINITY leave a side open; low above high gives high; integers stay integers; NaN is HED_E_INVAL */
HED_NEW hed_array *hed_clip(const hed_array *x, double low, double high);
HED_API hed_status hed_clip_into(hed_array *out, const hed_array *x, double low, double high);
/* limits by element; NULL leaves a side open, one is needed. As NumPy: min(max(x, low), high), NaN of any operand wins */
HED_NEW hed_array *hed_clip_array(const hed_array *x, const hed_array *low, const hed_array *high);
HED_API hed_status hed_clip_array_into(hed_array *out, const hed_array *x, const hed_array *low, const hed_array *high);

/* where with a number on one side or on both (then the result is of REAL, or int64 when both are integers) */
HED_NEW hed_array *hed_where_scalar(const hed_array *condition, const hed_array *a, double b);
HED_NEW hed_array *hed_scalar_where(const hed_array *condition, double a, const hed_array *b);
HED_NEW hed_array *hed_scalars_where(const hed_array *condition, double a, double b);
/* a / b where CONDITION is not 0, FILL elsewhere: no division is done there, so none can trap or warn */
HED_NEW hed_array *hed_divide_where(const hed_array *condition, const hed_array *a, const hed_array *b, double fill);
HED_API hed_status hed_divide_where_into(hed_array *out, const hed_array *condition, const hed_array *a,
                                         const hed_array *b, double fill);

/* Binary operations with a complex number on one side: hed_multiply_complex(x, 0, 1) is i x. Weak: a real float array
 * gives the complex type of its precision, integers the context's COMPLEX. */
HED_NEW hed_array *hed_add_complex(const hed_array *a, double re, double im);
HED_NEW hed_array *hed_complex_add(double re, double im, const hed_array *b);
HED_API hed_status hed_add_complex_into(hed_array *out, const hed_array *a, double re, double im);
HED_API hed_status hed_complex_add_into(hed_array *out, double re, double im, const hed_array *b);
HED_NEW hed_array *hed_subtract_complex(const hed_array *a, double re, double im);
HED_NEW hed_array *hed_complex_subtract(double re, double im, const hed_array *b);
HED_API hed_status hed_subtract_complex_into(hed_array *out, const hed_array *a, double re, double im);
HED_API hed_status hed_complex_subtract_into(hed_array *out, double re, double im, const hed_array *b);
HED_NEW hed_array *hed_multiply_complex(const hed_array *a, double re, double im);
HED_NEW hed_array *hed_complex_multiply(double re, double im, const hed_array *b);
HED_API hed_status hed_multiply_complex_into(hed_array *out, const hed_array *a, double re, double im);
HED_API hed_status hed_complex_multiply_into(hed_array *out, double re, double im, const hed_array *b);
HED_NEW hed_array *hed_divide_complex(const hed_array *a, double re, double im);
HED_NEW hed_array *hed_complex_divide(double re, double im, const hed_array *b);
HED_API hed_status hed_divide_complex_into(hed_array *out, const hed_array *a, double re, double im);
HED_API hed_status hed_complex_divide_into(hed_array *out, double re, double im, const hed_array *b);
HED_NEW hed_array *hed_power_complex(const hed_array *a, double re, double im);
HED_NEW hed_array *hed_complex_power(double re, double im, const hed_array *b);
HED_API hed_status hed_power_complex_into(hed_array *out, const hed_array *a, double re, double im);
HED_API hed_status hed_complex_power_into(hed_array *out, double re, double im, const hed_array *b);

/* a + t (b - a): A at t = 0 and B at t = 1 exactly */
HED_NEW hed_array *hed_lerp(const hed_array *a, const hed_array *b, const hed_array *t);
HED_API hed_status hed_lerp_into(hed_array *out, const hed_array *a, const hed_array *b, const hed_array *t);
/* a b + c with one rounding; integers wrap */
HED_NEW hed_array *hed_fma(const hed_array *a, const hed_array *b, const hed_array *c);
HED_API hed_status hed_fma_into(hed_array *out, const hed_array *a, const hed_array *b, const hed_array *c);

typedef struct hed_tolerance {
  double rtol, atol; /* both 0: 1e-5 and 1e-8. Negative or NaN is HED_E_INVAL */
  bool equal_nan;    /* NaN is close to NaN */
} hed_tolerance;
/* equal, or both finite and |a - b| <= atol + rtol |b|; not symmetric, computed in float64 */
HED_NEW hed_array *hed_isclose(const hed_array *a, const hed_array *b, const hed_tolerance *opt);
HED_API hed_status hed_isclose_into(hed_array *out, const hed_array *a, const hed_array *b, const hed_tolerance *opt);
/* all of isclose, true for no elements; waits for the operands */
HED_API hed_status hed_allclose(const hed_array *a, const hed_array *b, const hed_tolerance *opt, bool *out);

/* The low BIT_WIDTH bits (0: all of the type) turned by SHIFTS, modulo the width; a negative shift turns the other way.
 * Signed types turn their bits in two's complement. Bits above the width become 0. */
HED_NEW hed_array *hed_rotate_left(const hed_array *x, const hed_array *shifts, int32_t bit_width);
HED_API hed_status hed_rotate_left_into(hed_array *out, const hed_array *x, const hed_array *shifts, int32_t bit_width);
HED_NEW hed_array *hed_rotate_right(const hed_array *x, const hed_array *shifts, int32_t bit_width);
HED_API hed_status hed_rotate_right_into(hed_array *out, const hed_array *x, const hed_array *shifts,
                                         int32_t bit_width);
/* bit POSITION of X set to 1 where VALUE is not 0, else to 0; X unchanged where there is no such bit */
HED_NEW hed_array *hed_set_bit(const hed_array *x, const hed_array *position, const hed_array *value);

/* ABOVE where x >= t, else BELOW (NaN too) */
HED_NEW hed_array *hed_threshold(const hed_array *x, double t, double above, double below);
HED_API hed_status hed_threshold_into(hed_array *out, const hed_array *x, double t, double above, double below);

typedef struct hed_nan_options {
  double nan;            /* instead of NaN */
  double posinf, neginf; /* instead of infinities; 0: the largest and least finite number of the type */
} hed_nan_options;
/* each part of a complex number by itself; OPT NULL: 0 and the largest finite numbers */
HED_NEW hed_array *hed_nan_to_num(const hed_array *x, const hed_nan_options *opt);
HED_API hed_status hed_nan_to_num_into(hed_array *out, const hed_array *x, const hed_nan_options *opt);

/* floor_divide and mod at once; both results or none */
HED_API hed_status hed_divmod(const hed_array *a, const hed_array *b, hed_array **quotient, hed_array **remainder);

typedef struct hed_gradient_options {
  hed_axes axes;                       /* n = 0: all */
  double spacing[HED_MAX_NDIM];        /* per listed axis, between neighbours; 0 = 1 */
  const hed_array *const *coordinates; /* per listed axis a 1-D array of its extent, or NULL: the spacing; NULL: none */
  int32_t edge_order;                  /* 1 (0 too) or 2: order of the one-sided differences at both ends */
} hed_gradient_options;
/* OUT[k] is the derivative along the k-th listed axis, in f's shape: numpy.gradient. Even spacing gives
 * (f[i + 1] - f[i - 1]) / 2h; uneven coordinates the formula of second order for them. An axis needs edge_order + 1
 * elements (HED_E_SHAPE). */
HED_API hed_status hed_gradient(const hed_array *f, const hed_gradient_options *opt, hed_array **out);

HED_END_DECLS

#endif
