// SPDX-License-Identifier: BSD-3-Clause
/* Rotations: conversions against SciPy's values (tests/data/kit_rotation.py), and how evenly
 * the samples cover all orientations, measured with random ones.
 */
#include "gen.h"
#include "tap.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct { double euler[3], xyz[9], q[4]; } known[] = {
    {{30, 40, 50},
     {0.04341204441673252, -0.82959837332570663, 0.55667039922641937,
      0.90961588642199054, 0.26325835480968673, 0.32139380484326963,
      -0.41317591116653474, 0.49240387650610407, 0.76604444311897812},
     {0.71984631039295421, 0.05939117461388474,
      0.33682408883346515, 0.60402277355505374}},
    {{-120.5, 75.25, 170},
     {0.27687744348923748, -0.82610021545236134, -0.49081291274417999,
      0.12790659041654268, 0.53792134320408869, -0.83323498045480759,
      0.95235433816142123, 0.16792576501261175, 0.25460194820552762},
     {0.71927059144991701, 0.347977783802221,
      -0.50160790252679521, 0.33158828444028349}},
    {{10, 179.5, -35},
     {-0.70707606424505776, -0.70708527295256574, 0.0085939598157349275,
      -0.70710136496099818, 0.70711057366850594, 0.0015153469866384158,
      -0.0071483593930534838, -0.0050053351328482355, -0.9999619230641712},
     {0.0042598814325274211, -0.38267978949462683,
      0.92387073784400908, -0.00094439297708309028}},
    {{0, 90, 0},
     {2.2204460492503131e-16, 0, 1,
      0, 1, 0,
      -1, 0, 2.2204460492503131e-16},
     {0.70710678118654757, 0,
      0.70710678118654746, 0}},
    {{123, 0.75, -100},
     {0.92049675093341199, -0.39068517682041459, -0.0071291047007140083,
      0.39074360527444441, 0.92043409408753529, 0.010977858551995351,
      0.0022729844173610837, -0.012890735202454271, 0.99991432757400722},
     {0.979903716264378, -0.0060895252661767318,
      -0.0023987277938688849, 0.19936366428781599}},
};

static double distance(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* Rows and columns in the opposite order: (z, y, x) instead of (x, y, z). */
static void reverse(const double in[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = in[3 * (2 - i) + 2 - j];
}

static void known_values(void) {
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    double want[9], m[9], e[3], q[4];
    const double *a = known[k].euler;
    reverse(known[k].xyz, want);
    hed_rotation_from_euler(a, m);
    ok(distance(m, want, 9) < 1e-14, "matrix of (%g, %g, %g)", a[0], a[1], a[2]);
    hed_rotation_to_euler(want, e);
    ok(distance(e, a, 3) < 1e-9, "... and back: (%g, %g, %g)", e[0], e[1], e[2]);
    hed_rotation_to_quaternion(want, q);
    ok(distance(q, known[k].q, 4) < 1e-14, "its quaternion (%g, %g, %g, %g)", q[0], q[1],
       q[2], q[3]);
    for (int i = 0; i < 4; i++)
      q[i] = -3 * known[k].q[i];
    is_int(hed_rotation_from_quaternion(q, m), HED_OK, "from a quaternion that is not unit");
    ok(distance(m, want, 9) < 1e-14, "... the same matrix");
  }
}

/* What the conventions say in words. */
static void conventions(void) {
  double m[9];
  hed_rotation_from_euler((double[3]){90, 0, 0}, m);
  /* About z: x goes to y, y to -x. Vectors are (z, y, x). */
  static const double about_z[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
  ok(distance(m, about_z, 9) == 0, "phi = 90 takes x to y, exactly");
  hed_rotation_from_euler((double[3]){0, 90, 0}, m);
  /* About y: z goes to x, x to -z. */
  static const double about_y[9] = {0, 0, -1, 0, 1, 0, 1, 0, 0};
  ok(distance(m, about_y, 9) == 0, "theta = 90 takes z to x, exactly");
  double p[4];
  hed_rotation_from_angle(90, p);
  static const double plane[4] = {0, 1, -1, 0};
  ok(distance(p, plane, 4) == 0, "in the plane 90 takes x to y, exactly");
  hed_rotation_from_angle(-450, p);
  ok(p[0] == 0 && p[1] == -1 && p[2] == 1, "more than a turn");
  hed_rotation_from_angle(30, p);
  is_near(p[1], 0.5, 1e-15, 0, "sine of 30 degrees");
}

static void random_quaternion(gen *g, double q[4]) {
  double length = 0;
  for (int i = 0; i < 4; i++)
    q[i] = gen_normal(g);
  for (int i = 0; i < 4; i++)
    length += q[i] * q[i];
  for (int i = 0; i < 4; i++)
    q[i] /= sqrt(length);
}

static void round_trips(gen *g) {
  double worst_euler = 0, worst_q = 0, worst_det = 0;
  bool in_range = true;
  for (int k = 0; k < 2000; k++) {
    double q[4], m[9], e[3], back[9], r[4];
    random_quaternion(g, q);
    if (k % 4 == 1) /* every branch of the way back, and exact half turns */
      q[0] = 0;
    if (k % 8 == 2)
      q[0] = q[1] = 0;
    if (k % 8 == 6)
      q[1] = q[2] = 0;
    hed_rotation_from_quaternion(q, m);
    hed_rotation_to_euler(m, e);
    hed_rotation_from_euler(e, back);
    worst_euler = fmax(worst_euler, distance(m, back, 9));
    in_range = in_range && e[0] > -180 && e[0] <= 180 && e[1] >= 0 && e[1] <= 180 &&
               e[2] > -180 && e[2] <= 180;
    hed_rotation_to_quaternion(m, r);
    hed_rotation_from_quaternion(r, back);
    worst_q = fmax(worst_q, distance(m, back, 9));
    double det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                 m[2] * (m[3] * m[7] - m[4] * m[6]);
    worst_det = fmax(worst_det, fabs(det - 1));
  }
  ok(worst_euler < 1e-9, "matrix to Euler angles and back: %g", worst_euler);
  ok(in_range, "the angles are in their ranges");
  ok(worst_q < 1e-14, "matrix to quaternion and back: %g", worst_q);
  ok(worst_det < 1e-14, "determinant 1: %g", worst_det);
}

static void angles(void) {
  static const double size[] = {0, 1e-7, 0.5, 90, 179.9999999, 180};
  double one[9], m[9];
  hed_rotation_from_euler((double[3]){33, 44, 55}, one);
  is_near(hed_rotation_angle(one, one), 0, 0, 0, "no distance to itself");
  hed_rotation_from_euler((double[3]){0, 0, 0}, one);
  for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
    hed_rotation_from_euler((double[3]){20, size[k], -20}, m);
    is_near(hed_rotation_angle(one, m), size[k], 1e-8, 1e-13, "a turn by %.10g degrees",
            size[k]);
    is_near(hed_rotation_angle(m, one), size[k], 1e-8, 1e-13, "... and the other way");
  }
}

static void degenerate(void) {
  static const double zero[4] = {0}, bad[4] = {1, NAN, 0, 0}, huge[4] = {1e300, 1e300, 0, 0},
                      tiny[4] = {1e-300, 1e-300, 0, 0};
  double m[9], e[3];
  is_int(hed_rotation_from_quaternion(zero, m), HED_E_INVAL, "the zero quaternion");
  is_int(hed_rotation_from_quaternion(bad, m), HED_E_INVAL, "a quaternion with NaN");
  has_str(hed_error_text(), "nan", "... is shown");
  is_int(hed_rotation_from_quaternion(huge, m), HED_OK, "a huge quaternion");
  hed_rotation_to_euler(m, e);
  is_near(m[0], 0, 0, 1e-15, "... is a quarter turn about x");
  is_int(hed_rotation_from_quaternion(tiny, m), HED_OK, "a tiny quaternion");
  is_near(m[0], 0, 0, 1e-15, "... too");
  hed_rotation_from_euler((double[3]){20, 0, 30}, m);
  hed_rotation_to_euler(m, e);
  ok(distance(e, (double[3]){50, 0, 0}, 3) < 1e-9, "theta 0: phi + psi");
  hed_rotation_from_euler((double[3]){20, 180, 30}, m);
  hed_rotation_to_euler(m, e);
  ok(distance(e, (double[3]){-10, 180, 0}, 3) < 1e-9, "theta 180: phi - psi");
}

/* Covering radius and root mean square distance to the nearest sample, in steps. */
static void covering(gen *g, double step, size_t want, int trials) {
  double *m = NULL, worst = 0, squares = 0;
  size_t n = 0;
  is_int(hed_rotations_sample(3, step, &m, &n), HED_OK, "samples at %g degrees", step);
  is_uint(n, want, "... their number");
  bool identity = n > 0;
  for (int i = 0; identity && i < 9; i++)
    identity = m[i] == (i % 4 == 0);
  ok(identity, "... the first is the identity");
  for (int t = 0; t < trials && n > 0; t++) {
    double q[4], r[9], best = -2;
    size_t nearest = 0;
    random_quaternion(g, q);
    hed_rotation_from_quaternion(q, r);
    for (size_t i = 0; i < n; i++) {
      double trace = 0;
      for (int k = 0; k < 9; k++)
        trace += m[9 * i + (size_t)k] * r[k];
      if (trace > best) {
        best = trace;
        nearest = i;
      }
    }
    double d = hed_rotation_angle(r, m + 9 * nearest) / step;
    worst = fmax(worst, d);
    squares += d * d;
  }
  double rms = sqrt(squares / trials);
  diag("step %g: %zu rotations, covering radius %.3f steps, rms %.3f steps", step, n, worst,
       rms);
  ok(worst < 1.15 && worst > 0.75, "... their covering radius is about a step: %.3f", worst);
  ok(rms < 0.62 && rms > 0.5, "... the root mean square distance is 0.57 steps: %.3f", rms);
  free(m);
}

/* All distances from the first sample are those of the spiral, by its formula. */
static void spiral(void) {
  double *m = NULL, worst = 0, first[4] = {0};
  size_t n = 0;
  hed_rotations_sample(3, 40, &m, &n);
  for (size_t i = 0; i < n; i++) {
    double s = (double)i + 0.5, t = s / (double)n, pi = acos(-1);
    double a = 2 * pi * s / sqrt(2), b = 2 * pi * s / 1.533751168755204288118041413;
    double q[4] = {sqrt(t) * sin(a), sqrt(t) * cos(a), sqrt(1 - t) * sin(b),
                   sqrt(1 - t) * cos(b)};
    double dot = 0;
    if (i == 0)
      memcpy(first, q, sizeof q);
    for (int k = 0; k < 4; k++)
      dot += q[k] * first[k];
    double want = 2 * acos(fmin(1, fabs(dot))) * 180 / pi;
    worst = fmax(worst, fabs(hed_rotation_angle(m, m + 9 * i) - want));
  }
  ok(n > 0 && worst < 1e-5, "the samples are a super-Fibonacci spiral, turned: %g", worst);
  free(m);
}

static void planes(void) {
  double *m = NULL, want[4];
  size_t n = 0;
  is_int(hed_rotations_sample(2, 90, &m, &n), HED_OK, "the plane at 90 degrees");
  is_uint(n, 4, "... 4 angles");
  ok(n == 4 && m[0] == 1 && m[1] == 0 && m[4] == 0 && m[5] == 1 && m[8] == -1,
     "... exact ones");
  free(m);
  is_int(hed_rotations_sample(2, 7, &m, &n), HED_OK, "a step that does not divide the turn");
  is_uint(n, 52, "... is rounded down");
  hed_rotation_from_angle(51 * 360.0 / 52, want);
  ok(n == 52 && distance(m + 4 * 51, want, 4) == 0, "... to equal steps");
  free(m);
  is_int(hed_rotations_sample(2, 0.1, &m, &n), HED_OK, "a tenth of a degree");
  is_uint(n, 3600, "... no more than 3600");
  free(m);
  is_int(hed_rotations_sample(2, 1000, &m, &n), HED_OK, "more than a turn");
  is_uint(n, 1, "... one angle");
  free(m);
}

static void same_twice(void) {
  double *a = NULL, *b = NULL;
  size_t n = 0, k = 0;
  hed_rotations_sample(3, 30, &a, &n);
  hed_rotations_sample(3, 30, &b, &k);
  ok(n == k && n > 0 && memcmp(a, b, 9 * n * sizeof *a) == 0, "the same every time");
  free(a);
  free(b);
}

static void refused(void) {
  static const struct { int ndim; double step; const char *part; } t[] = {
      {1, 10, "ndim is 1"}, {4, 10, "ndim is 4"}, {3, 0, "step of 0"}, {3, -5, "step of -5"},
      {3, NAN, "nan"}, {3, INFINITY, "inf"}, {3, 0.01, "at most 100000000"},
      {2, 1e-9, "at most 100000000"}, {3, 1e-300, "inf rotations"}};
  for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
    double *m = (double *)&m;
    size_t n = 7;
    is_int(hed_rotations_sample(t[k].ndim, t[k].step, &m, &n), HED_E_INVAL, "%d-D at %g",
           t[k].ndim, t[k].step);
    has_str(hed_error_text(), t[k].part, "... says why");
    ok(m == NULL && n == 0, "... and gives nothing");
  }
  double *m = NULL;
  is_int(hed_rotations_sample(3, 10, &m, NULL), HED_E_INVAL, "nowhere to put the number");
}

int main(void) {
  gen g;
  gen_seed(&g, tap_seed());
  known_values();
  conventions();
  round_trips(&g);
  angles();
  degenerate();
  covering(&g, 40, 162, 4000);
  covering(&g, 20, 1293, 4000);
  covering(&g, 10, 10345, 1000);
  spiral();
  planes();
  same_twice();
  refused();
  return done();
}
