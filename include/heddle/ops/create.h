// SPDX-License-Identifier: BSD-3-Clause
/* Creation: new arrays in the current context's memory space. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_CREATE_H
#define HEDDLE_OPS_CREATE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

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

HED_END_DECLS

#endif
