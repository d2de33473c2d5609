// SPDX-License-Identifier: BSD-3-Clause
/* A set of rotations that is asked for one near another.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_ROTATION_NEAR_H
#define HEDDLE_KITS_MATCH_ROTATION_NEAR_H
#include <heddle.h>

/* All zero is none. */
typedef struct hed__near {
  double side;          /* of a cell */
  size_t mask, n, room; /* cells less one; quaternions; room for them */
  uint32_t *head, *next;
  double (*q)[4];
} hed__near;

/* Distance of two unit quaternions that are a turn by so many degrees apart, at least 1e-5 and at most 180. */
double hed__chord(double degrees);

/* A set that is asked within REACH degrees at most; of about EXPECTED quaternions, fewer than 2^32. HED_E_NOMEM. */
hed_status hed__near_open(hed__near *s, double reach_degrees, size_t expected);
void hed__near_close(hed__near *s);
hed_status hed__near_add(hed__near *s, const double q[4]);

/* Whether there is one within CHORD of Q or -Q, both unit quaternions. */
bool hed__near_any(const hed__near *s, const double q[4], double chord);

#endif
