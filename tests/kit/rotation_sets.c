// SPDX-License-Identifier: BSD-3-Clause
/*
 * Lists of rotations: orders of point groups, and coverage: of 20000 random orientations each is within a step of some R S.
 */
#include "gen.h"
#include "tap.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of random rotations one in as many as the group has members is the one nearest to the identity. */
static double order_of(gen *g, const char *symmetry)
{
  enum { N = 4000 };
  double *m = malloc(9 * N * sizeof *m);
  size_t n = N;
  for (int i = 0; i < N; i++) {
    const double q[4] = { gen_normal(g), gen_normal(g), gen_normal(g), gen_normal(g) };
    (void)hed_rotation_from_quaternion(q, m + 9 * i);
  }
  if (hed_rotations_reduce(symmetry, 0, m, &n) != HED_OK)
    bail("%s", hed_error_text());
  free(m);
  return (double)N / (double)n;
}

static void turn(double ax, double ay, double az, double degrees, double out[9])
{
  const double h = degrees * 3.14159265358979323846 / 360, l = sqrt(ax * ax + ay * ay + az * az);
  (void)hed_rotation_from_quaternion((double[4]){ cos(h), sin(h) * ax / l, sin(h) * ay / l, sin(h) * az / l }, out);
}

static void product(const double a[9], const double b[9], double out[9])
{
  for (int i = 0; i < 9; i++)
    out[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] + a[i / 3 * 3 + 2] * b[6 + i % 3];
}

/* Turns of the cube's group, by hand: about z by quarters, and the six faces up. */
static size_t octahedral(double out[24][9])
{
  static const double up[6][4] = { { 1, 0, 0, 0 },   { 1, 0, 0, 90 }, { 1, 0, 0, 180 },
                                   { 1, 0, 0, 270 }, { 0, 1, 0, 90 }, { 0, 1, 0, 270 } };
  for (int i = 0; i < 24; i++) {
    double a[9], b[9];
    turn(up[i / 4][0] + (up[i / 4][3] == 0), up[i / 4][1], 0, up[i / 4][3], a);
    turn(0, 0, 1, 90 * (i % 4), b);
    product(a, b, out[i]);
  }
  return 24;
}

static size_t cyclic(int n, bool dihedral, double (*out)[9])
{
  for (int i = 0; i < n; i++) {
    turn(0, 0, 1, 360.0 * i / n, out[i]);
    if (dihedral) {
      double flip[9];
      turn(1, 0, 0, 180, flip);
      product(out[i], flip, out[n + i]);
    }
  }
  return (size_t)(dihedral ? 2 * n : n);
}

/* The farthest of random orientations from the nearest R S, in steps. */
static double farthest(gen *g, const double *m, size_t n, double (*group)[9], size_t members, double step)
{
  double worst = 0;
  for (int i = 0; i < 3000; i++) {
    double q[4] = { gen_normal(g), gen_normal(g), gen_normal(g), gen_normal(g) }, r[9], s[9], best = -4;
    (void)hed_rotation_from_quaternion(q, r);
    for (size_t k = 0; k < members; k++) { /* the largest trace of M^T R S */
      product(r, group[k], s);
      for (size_t j = 0; j < n; j++) {
        double trace = 0;
        for (int e = 0; e < 9; e++)
          trace += m[9 * j + (size_t)e] * s[e];
        best = trace > best ? trace : best;
      }
    }
    worst = fmax(worst, acos(fmin(1, (best - 1) / 2)) * 180 / 3.14159265358979323846 / step);
  }
  return worst;
}

static void covered(gen *g, const char *symmetry, double (*group)[9], size_t members)
{
  const double step = 20;
  double *m;
  size_t n, all, full;
  double *whole;
  if (hed_rotations_sample(3, step, &m, &n) != HED_OK)
    bail("%s", hed_error_text());
  all = n;
  ok(hed_rotations_reduce(symmetry, step, m, &n) == HED_OK && n <= all && n * members >= all,
     "%s: fewer rotations, and enough", symmetry);
  diag("%s: %zu of %zu rotations", symmetry, n, all);
  const double far = farthest(g, m, n, group, members, step);
  ok(far < 1.1, "%s: every orientation is within %g steps", symmetry, far);
  free(m);
  if (hed_rotations_healpix(step, symmetry, &m, &n) != HED_OK || hed_rotations_healpix(step, NULL, &whole, &full) != HED_OK)
    bail("%s", hed_error_text());
  const double ratio = (double)full / (double)n;
  ok(strchr("CD", *symmetry) == NULL || fabs(ratio / (double)members - 1) < 0.2, "%s: HEALPix: %zu of %zu", symmetry, n, full);
  const double far_too = farthest(g, m, n, group, members, step);
  ok(far_too < 1.1, "%s: HEALPix: within %g steps", symmetry, far_too);
  free(m);
  free(whole);
}

/* Pixel centres of nside 1 and 2, from the paper's formulas. */
static void pixels(void)
{
  double *m, e[3];
  size_t n = 0;
  ok(hed_rotations_healpix(58, NULL, &m, &n) == HED_OK && n == 336, "48 directions times 7 turns");
  free(m);
  ok(hed_rotations_healpix(60, NULL, &m, &n) == HED_OK && n == 72, "12 directions times 6 turns");
  if (n == 72) {
    hed_rotation_to_euler(m, e);
    is_near(cos(e[1] * 3.14159265358979323846 / 180), 2.0 / 3, 1e-12, 0, "the first ring is at z = 2/3");
    is_near(e[0], 45, 1e-9, 0, "its first pixel at 45 degrees");
    hed_rotation_to_euler(m + 9 * 6 * 4, e);
    is_near(e[1], 90, 1e-9, 0, "the second is the equator");
    is_near(fmod(e[0] + 360, 90), 0, 0, 1e-9, "and begins at a multiple of 90 degrees");
  }
  free(m);
}

static void cones(void)
{
  const double axis[3] = { 1, 2, -0.5 };
  double *m;
  size_t n;
  if (!ok(hed_rotations_cone(axis, 25, 5, 40, &m, &n) == HED_OK, "a cone"))
    return;
  const double degree = 3.14159265358979323846 / 180;
  const double directions = ceil(2 * 3.14159265358979323846 * (1 - cos(25 * degree)) / (25 * degree * degree));
  is_uint(n, (uint64_t)directions * 9, "directions times nine turns");
  double widest = 0;
  for (size_t i = 0; i < n; i++) { /* the particle's z axis: the first column, (z, y, x) */
    const double dot = (m[9 * i + 6] * axis[0] + m[9 * i + 3] * axis[1] + m[9 * i] * axis[2]) / sqrt(5.25);
    widest = fmax(widest, acos(fmin(1, dot)) * 180 / 3.14159265358979323846);
  }
  ok(widest <= 25 && widest > 24, "its axes are within the cone: %g degrees", widest);
  free(m);
  ok(hed_rotations_cone(axis, 0, 5, 0, &m, &n) == HED_OK && n == 1, "one direction, no turn");
  free(m);
  is_int(hed_rotations_cone((double[3]){ 0, 0, 0 }, 10, 5, 0, &m, &n), HED_E_INVAL, "no axis");
  is_int(hed_rotations_cone(axis, 200, 5, 0, &m, &n), HED_E_INVAL, "a half angle of 200");
}

int main(void)
{
  static const struct { const char *name; double order; } groups[] = {
    { "C1", 1 }, { "C2", 2 }, { "c8", 8 }, { "D1", 2 }, { "D2", 4 }, { "D7", 14 }, { "T", 12 }, { "O", 24 }, { "I", 60 } };
  static double group[64][9];
  gen g;
  gen_seed(&g, tap_seed());
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
    const double order = order_of(&g, groups[i].name);
    ok(fabs(order / groups[i].order - 1) < 0.4, "%s has about %g members: %g", groups[i].name, groups[i].order, order);
  }
  static const int folds[] = { 1, 2, 4, 7 };
  for (int i = 0; i < 4; i++) {
    char name[4] = { 'C', (char)('0' + folds[i]), 0, 0 };
    covered(&g, name, group, cyclic(folds[i], false, group));
    name[0] = 'D';
    covered(&g, name, group, cyclic(folds[i], true, group));
  }
  covered(&g, "O", group, octahedral(group));
  pixels();
  cones();
  double *m;
  size_t n = 0;
  static const char *const wrong[] = { "", "C", "C0", "C65", "X", "T1", "C2x", "D" };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    is_int(hed_rotations_reduce(wrong[i], 10, NULL, &n), HED_E_INVAL, "no symmetry: '%s'", wrong[i]);
  is_int(hed_rotations_healpix(0, NULL, &m, &n), HED_E_INVAL, "a step of 0");
  is_int(hed_rotations_healpix(1e-3, NULL, &m, &n), HED_E_INVAL, "too many");
  done_testing();
  return done();
}
