// SPDX-License-Identifier: BSD-3-Clause
/* The unitary factor of a small square matrix by one-sided Jacobi rotations (Hestenes, J. SIAM 6, 1958): A V = U S gives
 * U V^H, whatever the rank. Header only, for the backends. L0.
 */
#ifndef HED_BASE_POLAR_H
#define HED_BASE_POLAR_H

#include "base/cmplx.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { HED__POLAR_SWEEPS = 60, HED__POLAR_ROOM = 8 * sizeof(unsigned) /* columns, in a set of bits */ };

/* conj(a) . b of columns P and Q of M by M matrices by rows. */
static inline double complex hed__polar_dot(int m, const double complex *a, int p, const double complex *b, int q)
{
  double complex sum = 0;
  for (int i = 0; i < m; i++)
    sum += conj(a[i * m + p]) * b[i * m + q];
  return sum;
}

/* Columns P and Q of A, and of V with them, are made orthogonal; true when they had not been. */
static inline bool hed__polar_rotate(int m, double complex *a, double complex *v, int p, int q)
{
  const double alpha = creal(hed__polar_dot(m, a, p, a, p)), beta = creal(hed__polar_dot(m, a, q, a, q));
  const double complex product = hed__polar_dot(m, a, p, a, q);
  const double size = cabs(product);
  if (size <= DBL_EPSILON * sqrt(alpha) * sqrt(beta) || size == 0)
    return false;
  const double zeta = (beta - alpha) / (2 * size), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(1, zeta));
  const double c = 1 / hypot(1, t), s = c * t;
  const double complex phase = product / size;
  for (int k = 0; k < 2; k++) {
    double complex *x = k ? v : a;
    for (int i = 0; i < m; i++) {
      const double complex left = x[i * m + p], right = x[i * m + q] * conj(phase);
      x[i * m + p] = c * left - s * right;
      x[i * m + q] = s * left + c * right;
    }
  }
  return true;
}

/* Column J of A, of which nothing is left, becomes a unit vector orthogonal to the columns in DONE. */
static inline void hed__polar_complete(int m, double complex *a, int j, unsigned done)
{
  double best = -1;
  int from = 0;
  for (int e = 0; e < m; e++) {
    double rest = 1;
    for (int q = 0; q < m; q++)
      if (done >> q & 1)
        rest -= creal(a[e * m + q]) * creal(a[e * m + q]) + cimag(a[e * m + q]) * cimag(a[e * m + q]);
    if (rest > best) {
      best = rest;
      from = e;
    }
  }
  for (int i = 0; i < m; i++)
    a[i * m + j] = i == from;
  for (int pass = 0; pass < 2; pass++)
    for (int q = 0; q < m; q++)
      if (done >> q & 1) {
        const double complex along = hed__polar_dot(m, a, q, a, j);
        for (int i = 0; i < m; i++)
          a[i * m + j] -= along * a[i * m + q];
      }
  const double norm = sqrt(creal(hed__polar_dot(m, a, j, a, j)));
  for (int i = 0; i < m; i++)
    a[i * m + j] /= norm;
}

/* A, M by M by rows, its largest part near 1, becomes its unitary factor; V is room for as much. */
static inline void hed__polar(int m, double complex *a, double complex *v)
{
  double largest = 0;
  unsigned done = 0;
  for (int k = 0; k < m * m; k++)
    v[k] = k % (m + 1) == 0;
  bool changed = true;
  for (int sweep = 0; changed && sweep < HED__POLAR_SWEEPS; sweep++) {
    changed = false;
    for (int p = 0; p + 1 < m; p++)
      for (int q = p + 1; q < m; q++)
        changed |= hed__polar_rotate(m, a, v, p, q);
  }
  for (int j = 0; j < m; j++)
    largest = fmax(largest, creal(hed__polar_dot(m, a, j, a, j)));
  for (int j = 0; j < m; j++) {
    const double norm = sqrt(creal(hed__polar_dot(m, a, j, a, j)));
    if (norm > 0 && norm > 0x1p-200 * sqrt(largest)) {
      for (int i = 0; i < m; i++)
        a[i * m + j] /= norm;
      done |= 1u << j;
    }
  }
  for (int j = 0; j < m; j++)
    if (!(done >> j & 1)) {
      hed__polar_complete(m, a, j, done);
      done |= 1u << j;
    }
  for (int i = 0; i < m; i++) {
    double complex row[HED__POLAR_ROOM];
    for (int k = 0; k < m; k++) {
      row[k] = 0;
      for (int j = 0; j < m; j++)
        row[k] += a[i * m + j] * conj(v[k * m + j]);
    }
    for (int k = 0; k < m; k++)
      a[i * m + k] = row[k];
  }
}

#endif
