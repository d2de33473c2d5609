// SPDX-License-Identifier: BSD-3-Clause
/* Rotations near a given one, and the step that a particle needs.
 *
 * Layer: L4, match kit.
 */
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>

hed_status hed_rotations_around(const double matrix[9], double angle, double step_degrees, double **matrices, size_t *n)
{
  static const char op[] = "hed_rotations_around";
  static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  double *all = NULL;
  size_t total = 0, kept = 0;
  if (matrices)
    *matrices = NULL;
  if (n)
    *n = 0;
  if (!matrix || !matrices || !n)
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  if (!(angle >= 0) || angle > 180)
    return hed_fail(HED_E_INVAL, "%s: an angle of %g degrees, not from 0 to 180", op, angle);
  const hed_status status = hed_rotations_sample(3, step_degrees, &all, &total);
  if (status != HED_OK)
    return status;
  for (size_t i = 0; i < total; i++) {
    double near[9];
    if (hed_rotation_angle(all + 9 * i, identity) > angle)
      continue;
    for (int k = 0; k < 9; k++)
      near[k] = matrix[k / 3 * 3] * all[9 * i + (size_t)(k % 3)] + matrix[k / 3 * 3 + 1] * all[9 * i + 3 + (size_t)(k % 3)] +
                matrix[k / 3 * 3 + 2] * all[9 * i + 6 + (size_t)(k % 3)];
    for (int k = 0; k < 9; k++)
      all[9 * kept + (size_t)k] = near[k];
    kept++;
  }
  *matrices = all;
  *n = kept;
  return HED_OK;
}

double hed_rotations_step(double diameter, double resolution)
{
  const double step = diameter > 0 && resolution > 0 ? resolution / diameter * 180 / 3.14159265358979323846 : 0;
  return step > 0 && step <= 180 ? step : step > 180 ? 180 : 0;
}
