// SPDX-License-Identifier: BSD-3-Clause
/* Creation: new arrays in the current context's memory space. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_CREATE_H
#define HEDDLE_OPS_CREATE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

/* Weak 0-d scalars: they take the other operand's type (an integer array with a real scalar: REAL). An integer that the other
 * operand's type does not hold is HED_E_RANGE, but comparisons answer: no uint8 equals 300, all are less. */
HED_NEW hed_array *hed_scalar(double value);
HED_NEW hed_array *hed_scalar_bool(bool value);
HED_NEW hed_array *hed_scalar_int(int64_t value);
HED_NEW hed_array *hed_scalar_uint(uint64_t value);
HED_NEW hed_array *hed_scalar_complex(double re, double im);

/* New arrays are contiguous; in host memory element 0 lies at a multiple of 64 bytes. */
HED_NEW hed_array *hed_empty(hed_shape shape, hed_dtype t);
HED_NEW hed_array *hed_zeros(hed_shape shape, hed_dtype t);
HED_NEW hed_array *hed_ones(hed_shape shape, hed_dtype t);
HED_NEW hed_array *hed_full(hed_shape shape, double value, hed_dtype t);
/* The same with integers, whole (HED_E_RANGE: not of an integer type's range), and with complex values. */
HED_NEW hed_array *hed_full_int(hed_shape shape, int64_t value, hed_dtype t);
HED_NEW hed_array *hed_full_uint(hed_shape shape, uint64_t value, hed_dtype t);
HED_NEW hed_array *hed_full_complex(hed_shape shape, double re, double im, hed_dtype t);
/* In X's shape, dtype and memory space. */
HED_NEW hed_array *hed_zeros_like(const hed_array *x);
HED_NEW hed_array *hed_ones_like(const hed_array *x);
HED_NEW hed_array *hed_empty_like(const hed_array *x);
HED_NEW hed_array *hed_full_like(const hed_array *x, double value);
/* The same with another dtype. */
HED_NEW hed_array *hed_empty_like_as(const hed_array *x, hed_dtype t);
HED_NEW hed_array *hed_zeros_like_as(const hed_array *x, hed_dtype t);
HED_NEW hed_array *hed_ones_like_as(const hed_array *x, hed_dtype t);
HED_NEW hed_array *hed_full_like_as(const hed_array *x, double value, hed_dtype t);

/* Host data in C order, converted to T: hed_from_doubles(HED_SHAPE(2), (double[]){ 1, 2 }, HED_FLOAT32). */
HED_NEW hed_array *hed_from_doubles(const double *values, hed_shape shape, hed_dtype t);
/* The type that N arrays and M dtypes promote to together, weak scalars as in operations. NULL with the error set when there are
 * none, or when one is NULL. */
HED_API hed_dtype hed_result_type(int n, const hed_array *const *arrays, int m, const hed_dtype *dtypes);

/* X as dtype T (NULL: its own) where the context would have it: a view of X when nothing is to be done. */
HED_NEW hed_array *hed_asarray(const hed_array *x, hed_dtype t);

/* ceil((stop - start) / step) elements, empty when that is not positive; step 0 is an error. With
 * whole START and STEP elements of integer types are exact. */
HED_NEW hed_array *hed_arange(double start, double stop, double step, hed_dtype t);
/* The same in 64-bit integers, exact throughout; values beyond T wrap. */
HED_NEW hed_array *hed_arange_int(int64_t start, int64_t stop, int64_t step, hed_dtype t);
/* NUM values from START to STOP, both included: the last is STOP itself. */
HED_NEW hed_array *hed_linspace(double start, double stop, int64_t num, hed_dtype t);
/* NUM values in steps of (stop - start) / num: STOP is not one of them. */
HED_NEW hed_array *hed_linspace_open(double start, double stop, int64_t num, hed_dtype t);
/* base^start to base^stop with evenly spaced exponents; computed in double. */
HED_NEW hed_array *hed_logspace(double start, double stop, int64_t num, double base, hed_dtype t);
/* START to STOP, both included, in constant ratio; both of one sign and not 0. Computed in double. */
HED_NEW hed_array *hed_geomspace(double start, double stop, int64_t num, hed_dtype t);
HED_NEW hed_array *hed_eye(int64_t n, int64_t m, int64_t k, hed_dtype t);
HED_NEW hed_array *hed_identity(int64_t n, hed_dtype t);
/* A vector on diagonal K of a new matrix of zeros; of a matrix, a view of its diagonal K. */
HED_NEW hed_array *hed_diag(const hed_array *x, int64_t k);

/* ---- grids and triangles ---- */

/* OUT[k] is vector arrays[k] (n elements; 0-d counts as 1) along axis k of a grid of shape (n0, n1, ..), repeated along the
 * others; with XY the first two axes of the grid are exchanged (the default of numpy.meshgrid). SPARSE: extents of 1 instead of
 * repetition. Views; NULL after an error. */
HED_API hed_status hed_meshgrid(int n, const hed_array *const *arrays, bool xy, bool sparse, hed_array **out);
/* (ndim, *shape): element (k, i0, i1, ..) is ik. T NULL: int64. */
HED_NEW hed_array *hed_indices(hed_shape shape, hed_dtype t);
/* An N by M matrix with ones on and below diagonal K. */
HED_NEW hed_array *hed_tri(int64_t n, int64_t m, int64_t k, hed_dtype t);
/* X with zeros above (tril) or below (triu) diagonal K of its last two axes. */
HED_NEW hed_array *hed_tril(const hed_array *x, int64_t k);
HED_NEW hed_array *hed_triu(const hed_array *x, int64_t k);
/* Row and column numbers, in C order, of the elements of an N by M matrix on and below (above) diagonal K. */
HED_API hed_status hed_tril_indices(int64_t n, int64_t k, int64_t m, hed_array **rows, hed_array **columns);
HED_API hed_status hed_triu_indices(int64_t n, int64_t k, int64_t m, hed_array **rows, hed_array **columns);

/* Every element of X set in place. HED_E_RANGE: an integer that X's integer type does not hold; X keeps its values. */
HED_API hed_status hed_fill(hed_array *x, double value);
HED_API hed_status hed_fill_int(hed_array *x, int64_t value);
HED_API hed_status hed_fill_uint(hed_array *x, uint64_t value);
HED_API hed_status hed_fill_complex(hed_array *x, double re, double im);

HED_END_DECLS

#endif
