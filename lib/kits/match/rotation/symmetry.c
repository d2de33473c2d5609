// SPDX-License-Identifier: BSD-3-Clause
/*
 * symmetry.c: point groups, and lists of rotations without those that a symmetric particle does not need.
 *
 * Layer: L4, match kit. A group is the closure of two or three turns about axes; axes as RELION has them: Cn about z, Dn also
 * about x, T with a threefold and O with a fourfold axis along z, I with a twofold axis along z and a fivefold one in the x-z
 * plane.
 */
#include "kits/match/rotation/sets.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Matrix (z, y, x) of a turn by 360 / N degrees about a unit axis (x, y, z). */
static void turn(const double axis[3], int n, double out[9])
{
  const double half = 3.14159265358979323846 / n, s = sin(half);
  const double q[4] = { cos(half), s * axis[0], s * axis[1], s * axis[2] };
  (void)hed_rotation_from_quaternion(q, out);
}

static void product(const double a[9], const double b[9], double out[9])
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      out[3 * i + k] = a[3 * i] * b[k] + a[3 * i + 1] * b[3 + k] + a[3 * i + 2] * b[6 + k];
}

static bool known(const double *group, size_t n, const double r[9])
{
  for (size_t i = 0; i < n; i++)
    if (hed_rotation_angle(group + 9 * i, r) < 0.1)
      return true;
  return false;
}

/* All products of the first N_GENERATORS members. */
static void close_group(double *group, size_t *n, size_t generators)
{
  for (size_t i = 0; i < *n; i++)
    for (size_t k = 0; k < generators; k++) {
      double r[9];
      product(group + 9 * i, group + 9 * k, r);
      if (*n < HED__LARGEST_GROUP && !known(group, *n, r)) {
        memcpy(group + 9 * *n, r, sizeof r);
        ++*n;
      }
    }
}

hed_status hed__group_of(const char *op, const char *symmetry, double *group, size_t *n, char *letter, int *fold)
{
  static const double x[3] = { 1, 0, 0 }, z[3] = { 0, 0, 1 };
  static const double tetrahedral[3] = { 0, 0.81649658092772603, 0.57735026918962576 };
  static const double diagonal[3] = { 0.57735026918962576, 0.57735026918962576, 0.57735026918962576 };
  static const double five[3] = { 0.52573111211913361, 0, 0.85065080835203993 };
  static const double three[3] = { 0, 0.35682208977308993, 0.93417235896271571 };
  const char *s = symmetry ? symmetry : "C1";
  char *end = NULL;
  *letter = (char)toupper((unsigned char)*s);
  const long k = *s ? strtol(s + 1, &end, 10) : 0;
  *fold = (int)k;
  const bool numbered = *letter == 'C' || *letter == 'D';
  const bool good = *s && *end == '\0' &&
                    (numbered ? isdigit((unsigned char)s[1]) && k >= 1 && k <= HED__LARGEST_GROUP / 2
                              : !s[1] && strchr("TOI", *letter));
  if (!good)
    return hed_fail(HED_E_INVAL, "%s: symmetry '%.20s' is none of C1 to C%d, D1 to D%d, T, O and I", op, s,
                    HED__LARGEST_GROUP / 2, HED__LARGEST_GROUP / 2);
  size_t generators = 2;
  switch (*letter) {
  case 'C': turn(z, *fold, group); generators = 1; break;
  case 'D': turn(z, *fold, group); turn(x, 2, group + 9); break;
  case 'T': turn(z, 3, group); turn(tetrahedral, 2, group + 9); break;
  case 'O': turn(z, 4, group); turn(diagonal, 3, group + 9); break;
  default: turn(z, 2, group); turn(five, 5, group + 9); turn(three, 3, group + 18); generators = 3; break;
  }
  *n = generators;
  close_group(group, n, generators);
  return HED_OK;
}

static double angle_of(const double r[9])
{
  static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  return hed_rotation_angle(identity, r);
}

hed_status hed_rotations_reduce(const char *symmetry, double step_degrees, double *matrices, size_t *n)
{
  static const char op[] = "hed_rotations_reduce";
  double *group = NULL;
  size_t members, kept = 0;
  char letter;
  int fold;
  if (!n || (*n && !matrices))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, n ? "matrices" : "n");
  if (!(step_degrees >= 0) || !isfinite(step_degrees))
    return hed_fail(HED_E_INVAL, "%s: a step of %g degrees", op, step_degrees);
  if (!(group = malloc(9 * HED__LARGEST_GROUP * sizeof *group)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for a group", op);
  const hed_status status = hed__group_of(op, symmetry, group, &members, &letter, &fold);
  for (size_t i = 0; status == HED_OK && i < *n; i++) {
    double least = INFINITY, r[9];
    for (size_t k = 0; k < members; k++) {
      product(matrices + 9 * i, group + 9 * k, r);
      least = fmin(least, angle_of(r));
    }
    if (angle_of(matrices + 9 * i) <= least + step_degrees + 1e-6) {
      memmove(matrices + 9 * kept, matrices + 9 * i, 9 * sizeof *matrices);
      kept++;
    }
  }
  if (status == HED_OK)
    *n = kept;
  free(group);
  return status;
}
