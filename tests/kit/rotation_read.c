// SPDX-License-Identifier: BSD-3-Clause
/* Lists of rotations from files: each kind the matrices that it means, multiplied out here; what is refused. Rotations round a given
 * one: all that are near, none that are not.
 */
#include "gen.h"
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turn about axis 0 z, 1 y, 2 x of arrays, right-handed in x, y, z; onto M from the right. */
static void turned(double m[9], char axis, double degrees)
{
  const double h = degrees * 3.14159265358979323846 / 360;
  double r[9], out[9];
  (void)hed_rotation_from_quaternion((double[4]){ cos(h), axis == 'x' ? sin(h) : 0, axis == 'y' ? sin(h) : 0,
       axis == 'z' ? sin(h) : 0 }, r);
  for (int i = 0; i < 9; i++)
    out[i] = m[i / 3 * 3] * r[i % 3] + m[i / 3 * 3 + 1] * r[3 + i % 3] + m[i / 3 * 3 + 2] * r[6 + i % 3];
  memcpy(m, out, sizeof out);
}

static void product(const char *axes, const double angles[3], double m[9])
{
  for (int i = 0; i < 9; i++)
    m[i] = i % 4 == 0;
  for (int i = 0; i < 3; i++)
    turned(m, axes[i], angles[i]);
}

static const char *save(const char *text)
{
  const char *path = kit_path("list");
  kit_write(path, text, strlen(text));
  return path;
}

static void is_rotation(const double got[9], const double want[9], bool transposed, const char *name)
{
  double worst = 0;
  for (int i = 0; i < 9; i++)
    worst = fmax(worst, fabs(got[i] - want[transposed ? i % 3 * 3 + i / 3 : i]));
  ok(worst < 1e-9, "%s (%g)", name, worst);
}

static void reads(const char *text, int convention, size_t n, double **m, const char *name)
{
  size_t got;
  if (!ok(hed_rotations_read(save(text), convention, m, &got) == HED_OK && got == n, "%s: %zu", name, n))
    bail("%s", hed_error_text());
}

static void refuse(const char *text, const char *part)
{
  double *m;
  size_t n;
  hed_error_clear();
  is_int(hed_rotations_read(save(text), HED_EULER_ZYZ, &m, &n), HED_E_FORMAT, "refused: %s", part);
  has_str(hed_error_text(), part, "the sentence");
  ok(!m && n == 0, "nothing comes out");
}

static void around(gen *g)
{
  const double q[4] = { gen_normal(g), gen_normal(g), gen_normal(g), gen_normal(g) };
  double seed[9], *m, farthest = 0, gap = 0;
  size_t n;
  (void)hed_rotation_from_quaternion(q, seed);
  ok(hed_rotations_around(seed, 20, 6, &m, &n) == HED_OK, "round a rotation");
  is_rotation(m, seed, false, "the first is itself");
  for (size_t i = 0; i < n; i++)
    farthest = fmax(farthest, hed_rotation_angle(seed, m + 9 * i));
  ok(farthest <= 20 && farthest > 15, "as far as 20 degrees: %g", farthest);
  for (int k = 0; k < 300; k++) { /* whatever is within 14 degrees is near one of them */
    double p[9], nearest = 180;
    memcpy(p, seed, sizeof p);
    turned(p, "xyz"[gen_below(g, 3)], 8 * (2 * gen_unit(g) - 1));
    turned(p, "xyz"[gen_below(g, 3)], 6 * (2 * gen_unit(g) - 1));
    for (size_t i = 0; i < n; i++)
      nearest = fmin(nearest, hed_rotation_angle(p, m + 9 * i));
    gap = fmax(gap, nearest);
  }
  ok(gap < 6.6, "within about a step: %g", gap);
  free(m);
  is_int(hed_rotations_around(seed, 200, 6, &m, &n), HED_E_INVAL, "200 degrees");
  is_near(hed_rotations_step(200, 10), 0.05 * 180 / 3.14159265358979323846, 1e-9, 0, "a step from a diameter");
  is_near(hed_rotations_step(0, 10), 0, 0, 0, "none without");
}

int main(void)
{
  const double a[3] = { 10, 20, 30 }, b[3] = { -40, 100, 170 };
  double want[9], *m;
  gen g;
  gen_seed(&g, tap_seed());
  kit_folder();
  reads("10 20 30\n# a comment\n-40 100 170\n", HED_EULER_ZYZ, 2, &m, "ZYZ");
  product("zyz", a, want);
  is_rotation(m, want, false, "the first");
  product("zyz", b, want);
  is_rotation(m + 9, want, false, "the second");
  free(m);
  reads("10 20 30\n-40 100 170\n", HED_EULER_ZXZ, 2, &m, "ZXZ");
  product("zxz", b, want);
  is_rotation(m + 9, want, false, "the second");
  free(m);
  reads("0.5 0.5 0.5 0.5\n2 0 0 0\n", HED_EULER_ZYZ, 2, &m, "quaternions");
  hed_rotation_from_quaternion((double[4]){ 1, 1, 1, 1 }, want);
  is_rotation(m, want, false, "one");
  free(m);
  reads("data_\nloop_\n_rlnAnglePsi\n_rlnAngleRot\n_rlnAngleTilt\n30 10 20\n", HED_EULER_ZYZ, 1, &m, "a STAR file");
  product("zyz", a, want);
  is_rotation(m, want, true, "the transpose");
  double two[18];
  memcpy(two, want, sizeof want);
  product("zyz", b, two + 9);
  free(m);
  hed_array *list = hed_wrap(two, HED_SHAPE(2, 3, 3), NULL, HED_FLOAT64, NULL, NULL);
  size_t n;
  ok(hed_save_npy(kit_path("list.npy"), list) == HED_OK && hed_rotations_read(kit_path("list.npy"), HED_EULER_ZYZ, &m, &n) == HED_OK &&
     n == 2, "matrices");
  is_mem(m, two, sizeof two, "as they are");
  free(m);
  hed_release(list);
  two[3] += 0.1;
  list = hed_wrap(two, HED_SHAPE(2, 3, 3), NULL, HED_FLOAT64, NULL, NULL);
  ok(hed_save_npy(kit_path("list.npy"), list) == HED_OK, "a matrix that is none");
  is_int(hed_rotations_read(kit_path("list.npy"), HED_EULER_ZYZ, &m, &n), HED_E_FORMAT, "is refused");
  hed_release(list);
  refuse("", "has no rotations");
  refuse("1 2\n", "line 1 has 2 columns");
  refuse("1 2 3\n1 2 3 4\n", "line 2 has 4 columns");
  refuse("1 2 up\n", "an angle is 'up'");
  refuse("0 0 0 0\n", "is no quaternion");
  refuse("data_\nloop_\n_other\n1\n", "no loop with rlnAngleRot");
  is_int(hed_rotations_read(kit_path("absent"), HED_EULER_ZYZ, &m, &n), HED_E_IO, "a file that is not there");
  is_int(hed_rotations_read(save("1 2 3\n"), 7, &m, &n), HED_E_INVAL, "a convention that there is not");
  around(&g);
  done_testing();
  return done();
}
