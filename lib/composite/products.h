// SPDX-License-Identifier: BSD-3-Clause
/* Checks and steps that products of several arrays share. L3. */
#ifndef HED_COMPOSITE_PRODUCTS_H
#define HED_COMPOSITE_PRODUCTS_H

#include <heddle/array.h>

/* "array 3", for sentences. */
extern const char *const hed__operand_names[HED_MAX_NDIM];

/* LEAST to HED_MAX_NDIM arrays, none of them NULL; false with the error set. */
bool hed__given_list(const char *op, int least, int n, const hed_array *const *arrays);
bool hed__given_pair(const char *op, const hed_array *a, const hed_array *b);

/* The complex conjugate, X itself when it is real. */
const hed_array *hed__conjugate(const hed_array *x);

/* One axis. */
hed_array *hed__flat(const hed_array *x);

/* MATRICES[AT[k]], k < N, are matrices with equally many COLUMNS. */
hed_status hed__check_columns(const char *op, int n, const int *at, const hed_array *const *matrices, int64_t *columns);

/* OUT := MADE, of the same shape; the error that stands when MADE is NULL. */
hed_status hed__write_result(const char *op, hed_array *out, const hed_array *made);

#endif
