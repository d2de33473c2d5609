// SPDX-License-Identifier: BSD-3-Clause
/* Places in cells of a grid.
 *
 * Layer: L4, match kit.
 */
#include "base/invariant.h"
#include "kits/match/analyze/peaks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double hed__apart(const int64_t d[3], const int64_t a[3], const int64_t b[3], bool wraps)
{
  double s = 0;
  for (int i = 0; i < 3; i++) {
    int64_t k = llabs(a[i] - b[i]);
    if (wraps && d[i] - k < k)
      k = d[i] - k;
    s += (double)k * (double)k;
  }
  return s;
}

hed_status hed__cells_open(const char *op, hed__cells *c, const int64_t d[3], double reach, bool wraps)
{
  enum { LEAST = 4 }; /* voxels: the grid stays small beside the map */
  size_t cells = 1;
  *c = (hed__cells){ .edge = (int64_t)fmin(fmax(ceil(reach), LEAST), 1 << 30), .wraps = wraps };
  for (int i = 0; i < 3; i++) {
    c->n[i] = d[i] / c->edge > 0 ? d[i] / c->edge : 1;
    cells *= (size_t)c->n[i];
  }
  if (!(c->head = calloc(cells, sizeof *c->head)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for a grid of %zu cells", op, cells);
  return HED_OK;
}

void hed__cells_close(hed__cells *c)
{
  free(c->head);
  free(c->next);
  *c = (hed__cells){ 0 };
}

static int64_t cell_of(const hed__cells *c, int axis, int64_t p)
{
  HED__ASSERT(axis >= 0 && axis < 3 && p >= 0 && c->edge > 0);
  const int64_t k = p / c->edge;
  return k < c->n[axis] ? k : c->n[axis] - 1;
}

static size_t *head_of(const hed__cells *c, int64_t z, int64_t y, int64_t x)
{
  return &c->head[(z * c->n[1] + y) * c->n[2] + x];
}

hed_status hed__cells_add(const char *op, hed__cells *c, const int64_t p[3], size_t number)
{
  if (number >= c->room) {
    const size_t room = number < 32 ? 64 : 2 * number;
    size_t *more = realloc(c->next, room * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu places", op, room);
    c->next = more;
    c->room = room;
  }
  size_t *head = head_of(c, cell_of(c, 0, p[0]), cell_of(c, 1, p[1]), cell_of(c, 2, p[2]));
  c->next[number] = *head;
  *head = number + 1;
  return HED_OK;
}

/* The cells along an axis that reach P: at most three, none twice. */
static int around(const hed__cells *c, int axis, int64_t p, int64_t out[3])
{
  const int64_t at = cell_of(c, axis, p), n = c->n[axis];
  int k = 0;
  HED__ASSERT(n > 0 && at >= 0 && at < n);
  for (int64_t i = at - 1; i <= at + 1; i++) {
    const int64_t j = c->wraps ? (i + n) % n : i;
    bool twice = j < 0 || j >= n;
    for (int q = 0; q < k; q++)
      twice = twice || out[q] == j;
    if (!twice)
      out[k++] = j;
  }
  return k;
}

bool hed__cells_near(const hed__cells *c, const int64_t p[3], bool (*see)(void *arg, size_t number), void *arg)
{
  int64_t cell[3][3];
  int n[3];
  for (int i = 0; i < 3; i++)
    n[i] = around(c, i, p[i], cell[i]);
  for (int z = 0; z < n[0]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[2]; x++)
        for (size_t k = *head_of(c, cell[0][z], cell[1][y], cell[2][x]); k; k = c->next[k - 1])
          if (!see(arg, k - 1))
            return false;
  return true;
}
