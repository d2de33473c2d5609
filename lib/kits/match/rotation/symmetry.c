// SPDX-License-Identifier: BSD-3-Clause
/* Point groups, and lists of rotations without those that a symmetric particle does not need.
 *
 * Layer: L4, match kit. A group is the closure of two or three turns about axes; axes as RELION has them: Cn about z, Dn also
 * about x, T with a threefold and O with a fourfold axis along z, I with a twofold axis along z and a fivefold one in the x-z
 * plane.
 */
#include "kits/match/rotation/near.h"
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

/* ---- which of a list are needed ---- */

/* What is asked of a list: the group as quaternions, and what is kept so far. */
typedef struct reduction {
  double step, group[HED__LARGEST_GROUP][4];
  size_t members;
  hed__near kept;
  uint8_t *keep;
} reduction;

/* a b */
static void combine(const double a[4], const double b[4], double out[4])
{
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
  out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

static double degrees_of(double w)
{
  return 2 * acos(fmin(fabs(w), 1)) * 180 / 3.14159265358979323846;
}

/* How much farther from the identity Q is than its nearest mate, in degrees; below 0: how much nearer than any. */
static double excess(const reduction *r, const double q[4])
{
  double largest = 0;
  for (size_t k = 1; k < r->members; k++) {
    const double *g = r->group[k];
    largest = fmax(largest, fabs(q[0] * g[0] - q[1] * g[1] - q[2] * g[2] - q[3] * g[3]));
  }
  return r->members == 1 ? -360 : degrees_of(q[0]) - degrees_of(largest);
}

/* Is one that is kept within DEGREES of Q or a mate of it? Mates near the identity, where most are, come first. */
static bool served(const reduction *r, const double q[4], double degrees)
{
  double mate[HED__LARGEST_GROUP][4], largest = 0;
  const double chord = hed__chord(degrees);
  for (size_t k = 0; k < r->members; k++) {
    combine(q, r->group[k], mate[k]);
    largest = fmax(largest, fabs(mate[k][0]));
  }
  const double first = cos(fmin(degrees_of(largest) + 2 * r->step, 360) / 2 * 3.14159265358979323846 / 180);
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < r->members; k++)
      if ((fabs(mate[k][0]) >= first) == (pass == 0) && hed__near_any(&r->kept, mate[k], chord))
        return true;
  return false;
}

static hed_status keep(reduction *r, size_t i, const double q[4])
{
  r->keep[i] = 1;
  return hed__near_add(&r->kept, q);
}

/* Turns at 0.6 and 0.9 of a step about axes all round (a spiral of Fibonacci). */
enum { PROBES = 96 };

static void make_probes(double step, double probe[PROBES][4])
{
  for (int i = 0; i < PROBES; i++) {
    const int k = i % (PROBES / 2);
    const double z = 1 - (2 * k + 1.0) / (PROBES / 2), across = sqrt(1 - z * z), a = 2.3999632297286533 * k;
    const double half = fmin(step, 180) * (i < PROBES / 2 ? 0.6 : 0.9) / 2 * 3.14159265358979323846 / 180;
    probe[i][0] = cos(half);
    probe[i][1] = sin(half) * across * cos(a);
    probe[i][2] = sin(half) * across * sin(a);
    probe[i][3] = sin(half) * z;
  }
}

/* Beyond these parts of a step nothing serves: those about the seam; what would have been seen by one that was left out; and
 * those far from the seam, which the inside of the domain serves where the list is one of all orientations. */
static const double at_seam = 1, seen = 1.04, far_off = 1.1;

typedef struct beside { double excess; size_t i; } beside;

static int by_excess(const void *a, const void *b)
{
  const beside *p = a, *q = b;
  return p->excess != q->excess ? (p->excess > q->excess) - (p->excess < q->excess) : (p->i > q->i) - (p->i < q->i);
}

/* Of those about the seam of the domain, SEAM in order: what nothing kept serves, and then what leaves a hole. */
static hed_status keep_at_seam(reduction *r, const double *matrices, const beside *seam, size_t n)
{
  double probe[PROBES][4], q[4], p[4];
  hed_status status = HED_OK;
  make_probes(r->step, probe);
  for (size_t k = 0; k < n && status == HED_OK; k++) {
    hed_rotation_to_quaternion(matrices + 9 * seam[k].i, q);
    if (!served(r, q, at_seam * r->step))
      status = keep(r, seam[k].i, q);
  }
  for (size_t k = 0; k < n && status == HED_OK; k++) {
    if (r->keep[seam[k].i])
      continue;
    hed_rotation_to_quaternion(matrices + 9 * seam[k].i, q);
    bool whole = true;
    for (int i = 0; i < PROBES && whole; i++) {
      combine(q, probe[i], p);
      whole = served(r, p, seen * r->step);
    }
    if (!whole)
      status = keep(r, seam[k].i, q);
  }
  return status;
}

static hed_status choose(reduction *r, const double *matrices, size_t n)
{
  size_t count = 0, room = 0;
  beside *seam = NULL;
  double q[4];
  hed_status status = HED_OK;
  for (size_t i = 0; i < n && status == HED_OK; i++) {
    hed_rotation_to_quaternion(matrices + 9 * i, q);
    const double more = excess(r, q);
    if (more < -1e-6) {
      status = keep(r, i, q);
      continue;
    }
    if (more > 2 * r->step + 1e-6)
      continue;
    if (count == room) {
      beside *wider = realloc(seam, (room = 2 * room + 64) * sizeof *seam);
      if (!wider)
        status = hed_fail(HED_E_NOMEM, "hed_rotations_reduce: no memory for %zu rotations", room);
      seam = wider ? wider : seam;
    }
    if (status == HED_OK)
      seam[count++] = (beside){ more, i };
  }
  if (status == HED_OK && count)
    qsort(seam, count, sizeof *seam, by_excess);
  if (status == HED_OK)
    status = keep_at_seam(r, matrices, seam, count);
  free(seam);
  for (size_t i = 0; i < n && status == HED_OK; i++) {
    hed_rotation_to_quaternion(matrices + 9 * i, q);
    if (!r->keep[i] && r->step > 0 && excess(r, q) > 2 * r->step + 1e-6 && !served(r, q, far_off * r->step))
      status = keep(r, i, q);
  }
  return status;
}

hed_status hed_rotations_reduce(const char *symmetry, double step_degrees, double *matrices, size_t *n)
{
  static const char op[] = "hed_rotations_reduce";
  double *group = NULL;
  reduction *r = NULL;
  size_t kept = 0;
  char letter;
  int fold;
  if (!n || (*n && !matrices))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, n ? "matrices" : "n");
  if (!(step_degrees >= 0) || !isfinite(step_degrees))
    return hed_fail(HED_E_INVAL, "%s: a step of %g degrees", op, step_degrees);
  if (*n > UINT32_MAX - 1)
    return hed_fail(HED_E_INVAL, "%s: %zu rotations; at most %lu are taken", op, *n, (unsigned long)UINT32_MAX - 1);
  if (!(group = malloc(9 * HED__LARGEST_GROUP * sizeof *group)) || !(r = calloc(1, sizeof *r)) || !(r->keep = calloc(*n + 1, 1))) {
    free(group);
    free(r);
    return hed_fail(HED_E_NOMEM, "%s: no memory for a group and %zu rotations", op, *n);
  }
  r->step = step_degrees;
  hed_status status = hed__group_of(op, symmetry, group, &r->members, &letter, &fold);
  for (size_t k = 0; status == HED_OK && k < r->members; k++)
    hed_rotation_to_quaternion(group + 9 * k, r->group[k]);
  for (size_t k = 1; status == HED_OK && k < r->members; k++) /* the identity first */
    if (r->group[k][0] > 1 - 1e-9) {
      memcpy(r->group[k], r->group[0], sizeof r->group[0]);
      memcpy(r->group[0], (double[4]){ 1 }, sizeof r->group[0]);
    }
  if (status == HED_OK)
    status = hed__near_open(&r->kept, far_off * step_degrees, *n / r->members);
  if (status == HED_OK)
    status = choose(r, matrices, *n);
  for (size_t i = 0; status == HED_OK && i < *n; i++)
    if (r->keep[i]) {
      memmove(matrices + 9 * kept, matrices + 9 * i, 9 * sizeof *matrices);
      kept++;
    }
  if (status == HED_OK)
    *n = kept;
  hed__near_close(&r->kept);
  free(r->keep);
  free(r);
  free(group);
  return status;
}
