// SPDX-License-Identifier: BSD-3-Clause
/* Directions of equal area with turns in their plane, and cones round one direction.
 *
 * Layer: L4, match kit. Pixel centres: K. M. Gorski et al., Astrophys. J. 622 (2005) 759-771, equations 2 to 9, ring by ring;
 * the southern half mirrors the northern one.
 */
#include "kits/match/rotation/sets.h"
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double most = 1e8;

/* Room for COUNT matrices. */
static hed_status room_for(const char *op, double count, double **matrices)
{
  if (!(count >= 1 && count <= most))
    return hed_fail(HED_E_INVAL, "%s: %.3g rotations; 1 to %.0f are made", op, count, most);
  if (!(*matrices = malloc((size_t)count * 9 * sizeof **matrices)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %.0f rotations", op, count);
  return HED_OK;
}

/* Pixel J (from 1) of ring I (from 1) of NSIDE: z and the azimuth in degrees. */
static void pixel(int64_t nside, int64_t i, int64_t j, double *z, double *phi)
{
  const int64_t north = i <= 2 * nside ? i : 4 * nside - i;
  const double n = (double)nside, k = (double)north;
  const bool cap = north < nside;
  const double shift = cap || (north - nside) % 2 == 0 ? 0.5 : 0;
  *z = cap ? 1 - k * k / (3 * n * n) : 4.0 / 3 - 2 * k / (3 * n);
  if (i > 2 * nside)
    *z = -*z;
  *phi = 90 / (cap ? k : n) * ((double)j - shift);
}

hed_status hed_rotations_healpix(double step_degrees, const char *symmetry, double **matrices, size_t *n)
{
  static const char op[] = "hed_rotations_healpix";
  double *group = NULL;
  size_t members, at = 0;
  char letter;
  int fold;
  if (matrices)
    *matrices = NULL;
  if (n)
    *n = 0;
  if (!matrices || !n)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, matrices ? "n" : "matrices");
  if (!(step_degrees > 0) || !(step_degrees <= 180))
    return hed_fail(HED_E_INVAL, "%s: a step of %g degrees, not above 0 and up to 180", op, step_degrees);
  if (!(group = malloc(9 * HED__LARGEST_GROUP * sizeof *group)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for a group", op);
  hed_status status = hed__group_of(op, symmetry, group, &members, &letter, &fold);
  free(group);
  if (status != HED_OK)
    return status;
  const double step = step_degrees * pi / 180, range = letter == 'C' || letter == 'D' ? 360.0 / fold : 360;
  const int64_t nside = (int64_t)fmax(ceil(sqrt(pi / 3) / step - 1e-9), 1);
  const double turns = fmax(ceil(range / step_degrees - 1e-9), 1);
  if ((status = room_for(op, 12 * (double)nside * (double)nside * turns, matrices)) != HED_OK)
    return status;
  for (int64_t i = 1; i < 4 * nside; i++) {
    const int64_t in_ring = 4 * (i < nside ? i : i <= 3 * nside ? nside : 4 * nside - i);
    for (int64_t j = 1; j <= in_ring; j++) {
      double z, phi;
      pixel(nside, i, j, &z, &phi);
      /* a twofold axis along x takes every direction to the other half */
      if (letter == 'D' && (z < -1e-12 || (fabs(z) <= 1e-12 && phi > 180 + 1e-9)))
        continue;
      for (double k = 0; k < turns; k++)
        hed_rotation_from_euler((double[3]){ phi, acos(z) * 180 / pi, range * k / turns }, *matrices + 9 * at++);
    }
  }
  *n = at;
  if (letter == 'C' || letter == 'D')
    return HED_OK;
  status = hed_rotations_reduce(symmetry, step_degrees, *matrices, n);
  if (status != HED_OK) {
    free(*matrices);
    *matrices = NULL;
    *n = 0;
  }
  return status;
}

hed_status hed_rotations_cone(const double axis[3], double half_angle, double step_degrees, double in_plane, double **matrices,
                              size_t *n)
{
  static const char op[] = "hed_rotations_cone";
  if (matrices)
    *matrices = NULL;
  if (n)
    *n = 0;
  if (!matrices || !n || !axis)
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!(length > 0) || !isfinite(length))
    return hed_fail(HED_E_INVAL, "%s: the axis (%g, %g, %g) is no direction", op, axis[0], axis[1], axis[2]);
  if (!(step_degrees > 0) || !(step_degrees <= 180) || !(half_angle >= 0) || !(half_angle <= 180) || !(in_plane >= 0) ||
      !(in_plane <= 360))
    return hed_fail(HED_E_INVAL, "%s: half angle %g, step %g, range in plane %g degrees", op, half_angle, step_degrees, in_plane);
  const double step = step_degrees * pi / 180, cap = 1 - cos(half_angle * pi / 180);
  const double directions = fmax(ceil(2 * pi * cap / (step * step) - 1e-9), 1);
  const double turns = fmax(ceil(in_plane / step_degrees - 1e-9) + (in_plane < 360), 1);
  const hed_status status = room_for(op, directions * turns, matrices);
  if (status != HED_OK)
    return status;
  const double tilt = acos(axis[2] / length) * 180 / pi, azimuth = atan2(axis[1], axis[0]) * 180 / pi;
  double to_axis[9], local[9];
  hed_rotation_from_euler((double[3]){ azimuth, tilt, -azimuth }, to_axis);
  for (double i = 0; i < directions; i++) {
    const double z = 1 - cap * (directions > 1 ? (i + 0.5) / directions : 0);
    for (double k = 0; k < turns; k++) {
      double *out = *matrices + 9 * (*n)++;
      const double golden = 137.50776405003785 * i;
      const double psi = turns > 1 ? in_plane * (k / (in_plane < 360 ? turns - 1 : turns) - 0.5) : 0;
      hed_rotation_from_euler((double[3]){ golden, acos(z) * 180 / pi, psi - golden }, local);
      for (int r = 0; r < 9; r++)
        out[r] = to_axis[r / 3 * 3] * local[r % 3] + to_axis[r / 3 * 3 + 1] * local[3 + r % 3] +
                 to_axis[r / 3 * 3 + 2] * local[6 + r % 3];
    }
  }
  return HED_OK;
}
