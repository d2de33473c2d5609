// SPDX-License-Identifier: BSD-3-Clause
/*
 * Unitary factors by the weighted Halley iteration, one set of loops (polar.h), compiled once per instruction set with CPU_VARIANT
 * naming it. L1.
 *
 * X := b/c X + (a - b/c) X (1 + c X^H X)^-1 takes the singular values, 1 at most in the beginning, to 1 (Nakatsukasa, Bai and
 * Gygi, SIAM J. Matrix Anal. Appl. 31, 2010); the inverse is that of a matrix which is positive definite whatever X is, by
 * Cholesky's factor without pivots, so all lanes take the same steps. The weights are the best ones for values from 3e-7 on,
 * with a kept at 18, beyond which the factor would lose digits.
 */
#include "backends/cpu/kernels/linalg/polar.h"
#include "backends/cpu/kernels/variant.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(CPU_POLAR_LANES * sizeof(double))));
typedef struct number { lanes re, im; } number;

INLINE lanes every(double x) { return (lanes){ 0 } + x; }

INLINE lanes root(lanes x)
{
  for (int k = 0; k < CPU_POLAR_LANES; k++)
    x[k] = __builtin_sqrt(x[k]);
  return x;
}

/* SUM less a conj(b) or a b. */
INLINE void less_conj(number *sum, const number *a, const number *b)
{
  sum->re -= a->re * b->re + a->im * b->im;
  sum->im -= a->im * b->re - a->re * b->im;
}

INLINE void less(number *sum, const number *a, const number *b)
{
  sum->re -= a->re * b->re - a->im * b->im;
  sum->im -= a->im * b->re + a->re * b->im;
}

/* The lower triangle of one + c x^H x becomes Cholesky's factor, of which the diagonal is kept inverted. */
INLINE void factor(int m, const number *x, double c, number *l)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      number g = { every(0), every(0) };
      for (int k = 0; k < m; k++) { /* of the Gram matrix: conj(x_ki) x_kj */
        const number *a = &x[k * m + j], *b = &x[k * m + i];
        g.re += a->re * b->re + a->im * b->im;
        g.im += a->im * b->re - a->re * b->im;
      }
      g.re = every(i == j) + every(c) * g.re;
      g.im = every(c) * g.im;
      for (int k = 0; k < j; k++)
        less_conj(&g, &l[i * m + k], &l[j * m + k]);
      if (i == j) {
        l[i * m + i] = (number){ every(1) / root(g.re), every(0) };
      } else {
        g.re *= l[j * m + j].re;
        g.im *= l[j * m + j].re;
        l[i * m + j] = g;
      }
    }
}

/* Row Y of X becomes y (l l^H)^-1. */
INLINE void solve(int m, const number *l, number *y)
{
  for (int j = 0; j < m; j++) {
    for (int k = 0; k < j; k++)
      less_conj(&y[j], &y[k], &l[j * m + k]);
    y[j].re *= l[j * m + j].re;
    y[j].im *= l[j * m + j].re;
  }
  for (int j = m - 1; j >= 0; j--) {
    for (int k = j + 1; k < m; k++)
      less(&y[j], &y[k], &l[k * m + j]);
    y[j].re *= l[j * m + j].re;
    y[j].im *= l[j * m + j].re;
  }
}

/* Lanes in which x^H x is not the identity to a part in 10^9: one step more would not change the rest. */
INLINE unsigned unfinished(int m, const number *x)
{
  lanes off = every(0);
  unsigned bits = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      lanes re = every(-(i == j)), im = every(0);
      for (int k = 0; k < m; k++) {
        const number *a = &x[k * m + i], *b = &x[k * m + j];
        re += a->re * b->re + a->im * b->im;
        im += a->re * b->im - a->im * b->re;
      }
      off += re * re + im * im;
    }
  for (int k = 0; k < CPU_POLAR_LANES; k++)
    bits |= (unsigned)!(off[k] < 1e-18) << k;
  return bits;
}

INLINE unsigned polar(int m, cpu_polar_lanes *p, number *x, number *l)
{
  static const double weights[][3] = {
    { 18, 72.25, 89.25 }, { 18, 72.25, 89.25 }, { 18, 72.25, 89.25 }, { 18, 72.25, 89.25 }, { 18, 72.25, 89.25 },
    { 4.249903925961304, 2.640468881994674, 5.890372807955978 },
    { 3.0062439004567096, 1.006253647029938, 3.0124975474866478 }, { 3, 1, 3 },
  };
  lanes square = every(0);
  for (int k = 0; k < m * m; k++) {
    memcpy(&x[k].re, p->re[k], sizeof x[k].re);
    memcpy(&x[k].im, p->im[k], sizeof x[k].im);
    square += x[k].re * x[k].re + x[k].im * x[k].im;
  }
  const lanes scale = every(1) / root(square);
  for (int k = 0; k < m * m; k++) {
    x[k].re *= scale;
    x[k].im *= scale;
  }
  for (int step = 0; step < (int)(sizeof weights / sizeof weights[0]); step++) {
    const double a = weights[step][0], b = weights[step][1], c = weights[step][2];
    factor(m, x, c, l);
    for (int i = 0; i < m; i++) {
      number y[HED_POLAR_MOST];
      memcpy(y, x + i * m, (size_t)m * sizeof *y);
      solve(m, l, y);
      for (int j = 0; j < m; j++) {
        x[i * m + j].re = every(b / c) * x[i * m + j].re + every(a - b / c) * y[j].re;
        x[i * m + j].im = every(b / c) * x[i * m + j].im + every(a - b / c) * y[j].im;
      }
    }
  }
  for (int k = 0; k < m * m; k++) {
    memcpy(p->re[k], &x[k].re, sizeof x[k].re);
    memcpy(p->im[k], &x[k].im, sizeof x[k].im);
  }
  return unfinished(m, x);
}

unsigned CPU_OF_SET(cpu_polar_)(int m, cpu_polar_lanes *x)
{
  number a[4 * 4], l[4 * 4], *const work = (number *)(void *)x->work;
  switch (m) { /* loops of known length are unrolled */
  case 2: return polar(2, x, a, l);
  case 3: return polar(3, x, a, l);
  case 4: return polar(4, x, a, l);
  default: return polar(m, x, work, work + CPU_POLAR_ELEMENTS);
  }
}
