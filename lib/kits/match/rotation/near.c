// SPDX-License-Identifier: BSD-3-Clause
/* A set of rotations that is asked for one near another.
 *
 * Layer: L4, match kit. Unit quaternions with w >= 0, in cells by their vector part, which are found by a hash. A turn by an angle a
 * between two of them is a distance of 2 sin(a / 4), one of the two signs.
 */
#include "kits/match/rotation/near.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

double hed__chord(double degrees)
{
  return 2 * sin(fmin(fmax(degrees, 1e-5), 180) / 4 * pi / 180);
}

hed_status hed__near_open(hed__near *s, double reach_degrees, size_t expected)
{
  size_t cells = 64;
  while (cells < expected && cells < UINT32_MAX / 2)
    cells *= 2;
  *s = (hed__near){ .side = hed__chord(reach_degrees), .mask = cells - 1 };
  if (!(s->head = malloc(cells * sizeof *s->head)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu cells", "hed_rotations_reduce", cells);
  memset(s->head, 0xff, cells * sizeof *s->head);
  return HED_OK;
}

void hed__near_close(hed__near *s)
{
  free(s->head);
  free(s->next);
  free(s->q);
  *s = (hed__near){ 0 };
}

static size_t cell_of(const hed__near *s, int64_t x, int64_t y, int64_t z)
{
  uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
  h ^= h >> 29;
  return (size_t)(h * 0xbf58476d1ce4e5b9u >> 20) & s->mask;
}

static int64_t slot(const hed__near *s, double v)
{
  return (int64_t)floor(v / s->side);
}

hed_status hed__near_add(hed__near *s, const double q[4])
{
  if (s->n == s->room) {
    const size_t room = s->room ? 2 * s->room : 256;
    double (*more)[4] = realloc(s->q, room * sizeof *more);
    s->q = more ? more : s->q;
    uint32_t *next = more ? realloc(s->next, room * sizeof *next) : NULL;
    if (!next)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rotations", "hed_rotations_reduce", room);
    s->next = next;
    s->room = room;
  }
  const double sign = q[0] < 0 ? -1 : 1;
  for (int i = 0; i < 4; i++)
    s->q[s->n][i] = sign * q[i];
  const double *at = s->q[s->n];
  uint32_t *head = s->head + cell_of(s, slot(s, at[1]), slot(s, at[2]), slot(s, at[3]));
  s->next[s->n] = *head;
  *head = (uint32_t)s->n++;
  return HED_OK;
}

/* Is one of the cell at a distance whose square is at most LIMIT? What else the hash brings there is farther. */
static bool in_cell(const hed__near *s, size_t cell, const double q[4], double limit)
{
  for (uint32_t k = s->head[cell]; k != UINT32_MAX; k = s->next[k]) {
    double d = 0;
    for (int i = 0; i < 4; i++)
      d += (s->q[k][i] - q[i]) * (s->q[k][i] - q[i]);
    if (d <= limit)
      return true;
  }
  return false;
}

bool hed__near_any(const hed__near *s, const double q[4], double chord)
{
  const double limit = chord * chord;
  for (int sign = q[0] < 0 ? -1 : 1, k = 0; k < 2; k++, sign = -sign) {
    const double p[4] = { sign * q[0], sign * q[1], sign * q[2], sign * q[3] };
    if (p[0] < -chord) /* all there are have w >= 0 */
      continue;
    const int64_t x = slot(s, p[1]), y = slot(s, p[2]), z = slot(s, p[3]);
    for (int c = 0; c < 27; c++) { /* its own cell first */
      const int at = (c + 13) % 27;
      if (in_cell(s, cell_of(s, x + at / 9 - 1, y + at / 3 % 3 - 1, z + at % 3 - 1), p, limit))
        return true;
    }
  }
  return false;
}
