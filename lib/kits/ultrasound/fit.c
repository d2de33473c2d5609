// SPDX-License-Identifier: BSD-3-Clause
/* Least squares by Levenberg and Marquardt.
 *
 * Layer: L4, ultrasound kit. Normal equations with a damped diagonal (D. W. Marquardt, SIAM J. 11 (1963) 431-441): the damping
 * falls after a step that helps and grows after one that does not.
 */
#include "base/invariant.h"
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>
#include <string.h>

enum { MOST = HED__US_PARAMETERS + 1 };

typedef struct problem {
  int ndim, parameters;
  bool rotated;
  size_t n;
  const double *place, *value;
} problem;

/* The model at one place, and its derivatives in G. */
static double model(const problem *f, const double *p, const double *x, double *g)
{
  const double *mu = p + 2, *sigma = mu + f->ndim, angle = f->rotated ? p[2 + 2 * f->ndim] : 0;
  const double cosine = cos(angle), sine = sin(angle);
  double u[HED_MAX_NDIM], q = 0;
  for (int i = 0; i < f->ndim; i++)
    u[i] = x[i] - mu[i];
  if (f->rotated) {
    const double a = cosine * u[0] + sine * u[1], b = cosine * u[1] - sine * u[0];
    u[0] = a;
    u[1] = b;
  }
  for (int i = 0; i < f->ndim; i++)
    q += u[i] / sigma[i] * (u[i] / sigma[i]);
  const double e = exp(-q / 2), height = p[0] * e;
  g[0] = e;
  g[1] = 1;
  for (int i = 0; i < f->ndim; i++) {
    g[2 + i] = height * u[i] / (sigma[i] * sigma[i]);
    g[2 + f->ndim + i] = height * u[i] * u[i] / (sigma[i] * sigma[i] * sigma[i]);
  }
  if (f->rotated) {
    const double a = g[2], b = g[3];
    g[2] = cosine * a - sine * b;
    g[3] = sine * a + cosine * b;
    g[2 + 2 * f->ndim] = height * u[0] * u[1] * (1 / (sigma[1] * sigma[1]) - 1 / (sigma[0] * sigma[0]));
  }
  return height + p[1];
}

/* Sum of squares; when A is given the normal matrix too, and B the right-hand side. */
static double residual(const problem *f, const double *p, double (*a)[MOST], double *b)
{
  double g[MOST], sum = 0;
  if (a) {
    memset(a, 0, MOST * sizeof *a);
    memset(b, 0, MOST * sizeof *b);
  }
  for (size_t e = 0; e < f->n; e++) {
    const double r = f->value[e] - model(f, p, f->place + e * (size_t)f->ndim, g);
    sum += r * r;
    for (int i = 0; a && i < f->parameters; i++) {
      b[i] += g[i] * r;
      for (int j = 0; j <= i; j++)
        a[i][j] += g[i] * g[j];
    }
  }
  return sum;
}

/* x = A^-1 b of a positive definite lower triangle with its diagonal times 1 + DAMPING; false when it is none. */
static __attribute__((noinline)) bool solve(int n, double (*a)[MOST], double damping, const double *b, double *x)
{
  double l[MOST][MOST];
  HED__ASSERT(n >= 1 && n <= MOST);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i][j] * (i == j ? 1 + damping : 1);
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0))
        return false;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int k = 0; k < i; k++)
      x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return true;
}

/* The angle within (-pi/4, pi/4], widths exchanged where that takes a quarter turn. */
static void upright(double *sigma, double *angle)
{
  const double quarter = 1.57079632679489661923;
  const double turns = ceil(*angle / quarter - 0.5);
  *angle -= turns * quarter;
  if (fmod(fabs(turns), 2) == 1) {
    const double first = sigma[0];
    sigma[0] = sigma[1];
    sigma[1] = first;
  }
}

bool hed__us_fit_gaussian(int ndim, bool rotated, size_t n, const double *place, const double *value, double *p)
{
  const problem f = { ndim, 2 + 2 * ndim + rotated, rotated, n, place, value };
  double a[MOST][MOST], b[MOST], step[MOST] = { 0 }, tried[MOST] = { 0 }, damping = 1e-3;
  double best = residual(&f, p, a, b);
  for (int round = 0; round < 200 && damping < 1e12; round++) {
    const bool solved = solve(f.parameters, a, damping, b, step);
    for (int i = 0; i < f.parameters; i++)
      tried[i] = p[i] + step[i];
    const double sum = solved ? residual(&f, tried, NULL, NULL) : NAN;
    if (!(sum <= best)) {
      damping *= 10;
      continue;
    }
    const bool done = best - sum <= 1e-14 * best;
    memcpy(p, tried, (size_t)f.parameters * sizeof *p);
    if (done)
      break;
    best = residual(&f, p, a, b);
    damping /= 10;
  }
  bool fits = isfinite(best);
  for (int i = 0; i < ndim; i++)
    fits = fits && isfinite(p[2 + ndim + i]) && p[2 + ndim + i] != 0;
  if (fits && rotated)
    upright(p + 2 + ndim, p + 2 + 2 * ndim);
  return fits;
}
