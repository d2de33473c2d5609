// SPDX-License-Identifier: BSD-3-Clause
/* Even coverings of the rotations in two and three dimensions.
 *
 * Layer: L4, match kit. In three dimensions a super-Fibonacci spiral on the unit
 * quaternions (M. Alexa, CVPR 2022, algorithm 1 with phi = sqrt 2 and psi the root of
 * psi^4 = psi + 4 near 1.5338); multiplying all of it by the inverse of its first point
 * moves that point to the identity and changes no distance.
 */
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_rotations_sample";
static const double pi = 3.14159265358979323846;
static const double most = 1e8;

static void spiral(size_t i, size_t n, double q[4]) {
  double s = (double)i + 0.5, part = s / (double)n;
  double alpha = 2 * pi * fmod(s / sqrt(2.0), 1.0);
  double beta = 2 * pi * fmod(s / 1.533751168755204288118041413, 1.0);
  double r = sqrt(part), big = sqrt(1 - part);
  q[0] = r * sin(alpha);
  q[1] = r * cos(alpha);
  q[2] = big * sin(beta);
  q[3] = big * cos(beta);
}

/* conj(a) * b */
static void turn_back(const double a[4], const double b[4], double out[4]) {
  out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  out[1] = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
  out[2] = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
  out[3] = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
}

static hed_status fill(int ndim, size_t n, double *m) {
  double first[4], q[4], p[4];
  if (ndim == 2) {
    for (size_t i = 0; i < n; i++)
      hed_rotation_from_angle(360.0 * (double)i / (double)n, m + 4 * i);
    return HED_OK;
  }
  spiral(0, n, first);
  for (size_t i = 1; i < n; i++) {
    spiral(i, n, q);
    turn_back(first, q, p);
    hed_status status = hed_rotation_from_quaternion(p, m + 9 * i);
    if (status != HED_OK)
      return status;
  }
  for (int k = 0; k < 9; k++)
    m[k] = k % 4 == 0; /* the identity to the last bit */
  return HED_OK;
}

hed_status hed_rotations_sample(int ndim, double step_degrees, double **matrices,
                                size_t *n) {
  if (matrices)
    *matrices = NULL;
  if (n)
    *n = 0;
  if (!matrices || !n)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, matrices ? "n" : "matrices");
  if (ndim != 2 && ndim != 3)
    return hed_fail(HED_E_INVAL, "%s: ndim is %d, must be 2 or 3", op, ndim);
  if (!(step_degrees > 0) || !isfinite(step_degrees))
    return hed_fail(HED_E_INVAL, "%s: a step of %g degrees; it must be positive", op,
                    step_degrees);

  double step = step_degrees * pi / 180.0, count;
  if (ndim == 2) /* 360 / 0.1 must not become 3601 by rounding */
    count = ceil(360.0 / step_degrees * (1 - 1e-12));
  else
    count = step_degrees >= 180.0 ? 1.0 : floor(55.0 / (step * step * step) + 0.5);
  if (count < 1)
    count = 1;
  if (count > most)
    return hed_fail(HED_E_INVAL,
                    "%s: a step of %g degrees makes %.3g rotations; at most %.0f are made",
                    op, step_degrees, count, most);
  size_t total = (size_t)count;
  double *m = malloc(total * (size_t)(ndim * ndim) * sizeof *m);
  if (!m)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rotations", op, total);
  hed_status status = fill(ndim, total, m);
  if (status != HED_OK) {
    free(m);
    return status;
  }
  *matrices = m;
  *n = total;
  return HED_OK;
}
