// SPDX-License-Identifier: BSD-3-Clause
/* Euler angles, quaternions and matrices, and their distance.
 *
 * Layer: L4, match kit. All arithmetic is done in physical axes (x, y, z); matrices are
 * reversed along both axes on the way in and out, as rotation.h says. Formulas: J. B.
 * Kuipers, "Quaternions and Rotation Sequences", Princeton 1999, chapters 3, 4 and 7; the
 * quaternion of a matrix by the largest of the four components, S. W. Shepperd, J. Guidance
 * and Control 1 (1978) 223-224.
 */
#include <heddle/kits/rotation.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

/* Between (x, y, z) and (z, y, x); its own inverse. */
static void reverse_axes(const double in[9], double out[9]) {
  for (int k = 0; k < 9; k++)
    out[k] = in[8 - k];
}

/* Sines and cosines of whole quarter turns come out exact, so that a rotation by 90 degrees
 * has no entries of 6e-17. */
static void sincos_degrees(double degrees, double *s, double *c) {
  double turn = fmod(degrees, 360.0);
  double quarter = turn / 90.0;
  if (quarter == rint(quarter)) {
    static const double sines[4] = {0, 1, 0, -1};
    int k = ((int)quarter % 4 + 4) % 4;
    *s = sines[k];
    *c = sines[(k + 1) % 4];
    return;
  }
  *s = sin(turn * pi / 180.0);
  *c = cos(turn * pi / 180.0);
}

void hed_rotation_from_euler(const double euler[3], double matrix[9]) {
  double s1, c1, s2, c2, s3, c3;
  sincos_degrees(euler[0], &s1, &c1);
  sincos_degrees(euler[1], &s2, &c2);
  sincos_degrees(euler[2], &s3, &c3);
  double m[9] = {c1 * c2 * c3 - s1 * s3, -c1 * c2 * s3 - s1 * c3, c1 * s2,
                 s1 * c2 * c3 + c1 * s3, -s1 * c2 * s3 + c1 * c3, s1 * s2,
                 -s2 * c3,               s2 * s3,                 c2};
  reverse_axes(m, matrix);
}

/* (-180, 180], and no negative zero. */
static double degrees_of(double y, double x) {
  double d = atan2(y, x) * 180.0 / pi;
  return d <= -180.0 ? d + 360.0 : d + 0.0;
}

void hed_rotation_to_euler(const double matrix[9], double euler[3]) {
  double m[9];
  reverse_axes(matrix, m);
  /* Both sines are sin(theta); the longer of the two is the more certain one. */
  double s = fmax(hypot(m[2], m[5]), hypot(m[6], m[7]));
  if (s < 1e-9) {
    euler[0] = m[8] > 0 ? degrees_of(m[3], m[0]) : degrees_of(-m[3], -m[0]);
    euler[1] = m[8] > 0 ? 0.0 : 180.0;
    euler[2] = 0.0;
    return;
  }
  euler[0] = degrees_of(m[5], m[2]);
  euler[1] = degrees_of(s, m[8]);
  euler[2] = degrees_of(m[7], -m[6]);
}

hed_status hed_rotation_from_quaternion(const double q[4], double matrix[9]) {
  double big = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  if (!(big > 0) || !isfinite(q[0]) || !isfinite(q[1]) || !isfinite(q[2]) ||
      !isfinite(q[3]))
    return hed_fail(HED_E_INVAL,
                    "hed_rotation_from_quaternion: (%g, %g, %g, %g) is no rotation", q[0],
                    q[1], q[2], q[3]);
  double w = q[0] / big, x = q[1] / big, y = q[2] / big, z = q[3] / big;
  double length = sqrt(w * w + x * x + y * y + z * z);
  w /= length;
  x /= length;
  y /= length;
  z /= length;
  double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                 2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                 2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  reverse_axes(m, matrix);
  return HED_OK;
}

void hed_rotation_to_quaternion(const double matrix[9], double q[4]) {
  double m[9];
  reverse_axes(matrix, m);
  double d[4] = {m[0] + m[4] + m[8], m[0] - m[4] - m[8], m[4] - m[0] - m[8],
                 m[8] - m[0] - m[4]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (d[i] > d[k])
      k = i;
  double r = sqrt(fmax(0.0, 1 + d[k])), f = 0.5 / r;
  double odd[3] = {m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  double even[3] = {m[5] + m[7], m[2] + m[6], m[1] + m[3]}; /* yz, xz, xy */
  if (k == 0) {
    q[0] = 0.5 * r;
    for (int i = 0; i < 3; i++)
      q[1 + i] = odd[i] * f;
  } else {
    int a = k - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    q[0] = odd[a] * f;
    q[1 + a] = 0.5 * r;
    q[1 + b] = even[c] * f;
    q[1 + c] = even[b] * f;
  }
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double sign = q[0] < 0 ? -1.0 : 1.0;
  for (int i = 0; i < 4; i++)
    q[i] *= sign / length;
}

void hed_rotation_from_angle(double degrees, double matrix[4]) {
  double s, c;
  sincos_degrees(degrees, &s, &c);
  matrix[0] = c;
  matrix[1] = s;
  matrix[2] = -s;
  matrix[3] = c;
}

/* |a - b|^2 = 8 sin^2(angle / 2) and trace(a^T b) = 4 cos^2(angle / 2) - 1: the first is
 * good at small angles, the second near 180 degrees, and atan2() takes the better. */
double hed_rotation_angle(const double a[9], const double b[9]) {
  double squares = 0, trace = 0;
  for (int i = 0; i < 9; i++) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
    trace += a[i] * b[i];
  }
  return 2 * atan2(sqrt(squares / 8), sqrt(fmax(0.0, (1 + trace) / 4))) * 180.0 / pi;
}
