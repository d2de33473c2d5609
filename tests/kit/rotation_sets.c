// SPDX-License-Identifier: BSD-3-Clause
/* Lists of rotations: orders of point groups, and coverage: of 20000 random orientations each is within a step of some R S. */
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

/* All products of two turns: about axes of A[i][0..2] by A[i][3] degrees. */
static size_t products(const double a[2][4], double (*out)[9])
{
  double by[2][9];
  size_t n = 1;
  for (int i = 0; i < 2; i++)
    turn(a[i][0], a[i][1], a[i][2], a[i][3], by[i]);
  turn(1, 0, 0, 0, out[0]);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 2; k++) {
      bool known = false;
      product(out[i], by[k], out[n]);
      for (size_t j = 0; j < n && !known; j++)
        known = hed_rotation_angle(out[j], out[n]) < 1;
      n += !known && n < 63;
    }
  return n;
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

/* WANTED: the group's order, of which a reduced list saves nearly all. */
static void covered(gen *g, const char *symmetry, double (*group)[9], size_t members, double wanted)
{
  double *m;
  size_t n, all, full;
  double *whole;
  is_uint(members, (uint64_t)wanted, "%s: %g turns", symmetry, wanted);
  for (int i = 0; i < 2; i++) {
    const double step = i ? 14 : 20;
    if (hed_rotations_sample(3, step, &m, &n) != HED_OK)
      bail("%s", hed_error_text());
    all = n;
    if (!ok(hed_rotations_reduce(symmetry, step, m, &n) == HED_OK, "%s: reduced", symmetry))
      return;
    const double saved = (double)all / (double)n;
    ok(saved > 0.87 * wanted && saved < 1.06 * wanted, "%s, %g degrees: %zu of %zu rotations, %.2f times fewer", symmetry, step, n,
       all, saved);
    const double far = farthest(g, m, n, group, members, step);
    ok(far < 1.1, "%s: every orientation is within %g steps", symmetry, far);
    free(m);
  }
  const double step = 20;
  if (hed_rotations_healpix(step, symmetry, &m, &n) != HED_OK || hed_rotations_healpix(step, NULL, &whole, &full) != HED_OK)
    bail("%s", hed_error_text());
  const double ratio = (double)full / (double)n;
  /* whole turns: 45 degrees take three steps of 20 */
  ok(fabs(ratio / (double)members - 1) < 0.27, "%s: HEALPix: %zu of %zu, %.2f", symmetry, n, full, ratio);
  const double far_too = farthest(g, m, n, group, members, step);
  ok(far_too < 1.1, "%s: HEALPix: within %g steps", symmetry, far_too);
  free(m);
  free(whole);
}

/* Of a list that has no mate near the identity for all nothing is lost: a cone round y for a particle of C2 about z. */
static void cone_kept(void)
{
  double *m, half[2][9], s[9];
  size_t n, all;
  if (hed_rotations_cone((double[3]){ 0, 1, 0 }, 30, 10, 360, &m, &n) != HED_OK)
    bail("%s", hed_error_text());
  all = n;
  double *before = malloc(all * 9 * sizeof *before);
  memcpy(before, m, all * 9 * sizeof *before);
  (void)cyclic(2, false, half);
  ok(hed_rotations_reduce("C2", 10, m, &n) == HED_OK && n < 0.7 * (double)all, "half of a cone: %zu of %zu", n, all);
  double worst = 0;
  for (size_t i = 0; i < all; i++) {
    double least = 360;
    for (size_t k = 0; k < 2 * n; k++) {
      product(m + 9 * (k / 2), half[k % 2], s);
      least = fmin(least, hed_rotation_angle(before + 9 * i, s));
    }
    worst = fmax(worst, least);
  }
  ok(worst < 11, "all of the cone have one within %g degrees", worst);
  free(before);
  free(m);
}

/* Of a rotation and its mates at the very seam one stays. */
static void tied(void)
{
  double m[2][9];
  size_t n = 2;
  turn(0, 0, 1, 90, m[0]);
  turn(0, 0, 1, -90, m[1]);
  ok(hed_rotations_reduce("C2", 0, m[0], &n) == HED_OK && n == 1, "one of two at the seam: %zu", n);
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
  for (int k = 2; k <= 8; k++) {
    const char cn[] = { 'C', (char)('0' + k), 0 }, dn[] = { 'D', (char)('0' + k), 0 };
    covered(&g, cn, group, cyclic(k, false, group), k);
    if (k < 8)
      covered(&g, dn, group, cyclic(k, true, group), 2 * k);
  }
  covered(&g, "C1", group, cyclic(1, false, group), 1);
  static const double axes[3][2][4] = { { { 0, 0, 1, 120 }, { 0, 0.81649658092772603, 0.57735026918962576, 180 } },
                                        { { 0, 0, 1, 90 }, { 1, 0, 0, 90 } },
                                        { { 0, 0, 1, 180 }, { 0.52573111211913361, 0, 0.85065080835203993, 72 } } };
  for (int i = 0; i < 3; i++)
    covered(&g, groups[6 + i].name, group, products(axes[i], group), groups[6 + i].order);
  cone_kept();
  tied();
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
