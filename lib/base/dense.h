// SPDX-License-Identifier: BSD-3-Clause
/* Conventions of dense linear algebra that every backend keeps, so that factors which mathematics leaves free come out
 * the same: the order of eigenvalues, the phase of vectors, and how an element of a batch is called. L0.
 *
 * Order: ascending real parts; real parts that differ by at most 16 n eps max|w| from their neighbour count as equal and
 * are ordered by imaginary part, so that a conjugate pair is always (-, +). Phase: a vector is turned until its leading
 * component is real and positive. The leading component is the first whose absolute value is at least 0.999 times the
 * largest: components that are equal in exact arithmetic then give the same choice in spite of rounding.
 */
#ifndef HED_BASE_DENSE_H
#define HED_BASE_DENSE_H

#include <stddef.h>
#include <stdint.h>

/* ORDER of N eigenvalues W (pairs of parts), found with precision EPS. */
void hed__order_eigenvalues(int64_t n, const double *w, double eps, int64_t *order);

/* The factor of absolute value 1 that makes the leading component of N elements of dtype ID (float32, float64,
 * complex64, complex128; STRIDE bytes apart) positive; 1 for a vector of zeros. Returns the component's index, or -1. */
int64_t hed__phase(int id, int64_t n, const void *x, int64_t stride, double factor[2]);

/* X := factor X, or conj(factor) X; the element at LEADING (-1: none) is made exactly real. */
void hed__rotate_phase(int id, int64_t n, void *x, int64_t stride, const double factor[2], int conjugate, int64_t leading);

/* "matrix 3 of the batch", or "the matrix" when there is no batch. Returns BUF. */
enum { HED__MATRIX_TEXT = 48 };
char *hed__matrix_text(int64_t at, int batch_axes, char *buf);

#endif
