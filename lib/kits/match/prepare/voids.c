// SPDX-License-Identifier: BSD-3-Clause
/* Padding in a volume: where a reconstruction, or what cut it, left one value.
 *
 * Layer: L4, match kit. A voxel is padding when some cube of 5 voxels an edge that has it is of one value throughout; where there is
 * any, cubes may reach over a face of the volume, too. Smaller cubes
 * are met by chance in volumes of few levels: 3 voxels an edge in 2.5 % of one with a level per deviation of its noise.
 */
#include "base/invariant.h"
#include "kits/match/filter/apply.h"
#include <heddle/kits/filter.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 5 };

/* The volume as OUTER pieces of N rows of INNER voxels, the rows along an axis, counted from its end where STEP is below 0; of which a
 * cube takes EDGE, fewer at the last ones where it may reach OVER the face. */
typedef struct rows { int64_t outer, n, inner, edge, step; bool over; } rows;

static rows along(const int64_t n[3], int axis, bool over, bool back)
{
  HED__ASSERT(axis >= 0 && axis < 3 && n[axis] > 0);
  rows r = { .outer = 1, .n = n[axis], .inner = 1, .edge = n[axis] < EDGE ? n[axis] : EDGE, .over = over };
  for (int i = 0; i < axis; i++)
    r.outer *= n[i];
  for (int i = axis + 1; i < 3; i++)
    r.inner *= n[i];
  r.step = back ? -r.inner : r.inner;
  return r;
}

/* The first voxel of row I of piece O. */
static int64_t first_of(const rows *r, int64_t o, int64_t i)
{
  return (o * r->n + (r->step < 0 ? r->n - 1 - i : i)) * r->inner;
}

/* SAME stays where it is set, and V one value, in all rows of the cube that begins there. */
static void narrow(const rows *r, const float *v, uint8_t *same)
{
  for (int64_t o = 0; o < r->outer; o++)
    for (int64_t i = 0; i < r->n; i++) {
      const int64_t at = first_of(r, o, i), left = r->n - i;
      if (left < r->edge && !r->over)
        memset(same + at, 0, (size_t)r->inner);
      for (int64_t k = 1; k < r->edge && k < left; k++)
        for (int64_t j = at; j < at + r->inner; j++)
          same[j] &= same[j + k * r->step] & (uint8_t)(v[j] == v[j + k * r->step]);
    }
}

/* SAME of the cubes' beginnings becomes that of all their rows. */
static void widen(const rows *r, uint8_t *same)
{
  for (int64_t o = 0; o < r->outer; o++)
    for (int64_t i = r->n - 1; i >= 0; i--) {
      const int64_t at = first_of(r, o, i);
      for (int64_t k = 1; k < r->edge && k <= i; k++)
        for (int64_t j = at; j < at + r->inner; j++)
          same[j] |= same[j - k * r->step];
    }
}

/* SAME: 1 in cubes of one value, which may reach over the last face (BACK: the first) along axis OVER; -1: none. How many voxels. */
static size_t mark(const float *v, const int64_t n[3], int over, bool back, uint8_t *same)
{
  const size_t cells = (size_t)(n[0] * n[1] * n[2]);
  size_t found = 0;
  memset(same, 1, cells);
  for (int axis = 2; axis >= 0; axis--) {
    const rows r = along(n, axis, axis == over, axis == over && back);
    narrow(&r, v, same);
  }
  for (int axis = 2; axis >= 0; axis--) {
    const rows r = along(n, axis, axis == over, axis == over && back);
    widen(&r, same);
  }
  for (size_t i = 0; i < cells; i++)
    found += same[i];
  return found;
}

hed_status hed__find_voids(const char *op, const float *v, const int64_t n[3], size_t least, uint8_t **known, size_t *n_void)
{
  const size_t cells = (size_t)(n[0] * n[1] * n[2]);
  uint8_t *same = malloc(cells + 1), *all = malloc(cells + 1);
  hed_status status = HED_OK;
  *known = NULL;
  *n_void = 0;
  if (!same || !all)
    status = hed_fail(HED_E_NOMEM, "%s: no memory to look for padding in %zu voxels", op, cells);
  size_t found = status == HED_OK ? mark(v, n, -1, false, all) : 0;
  /* what a slanting face of padding leaves at the volume's own faces is narrower than a cube; alone it would be met by chance */
  for (int k = 0; found > 0 && k < 6; k++)
    if (n[k / 2] > 1 && mark(v, n, k / 2, k % 2, same) > 0)
      for (size_t i = 0; i < cells; i++)
        all[i] |= same[i];
  free(same);
  found = 0;
  for (size_t i = 0; status == HED_OK && i < cells; i++) {
    found += all[i];
    all[i] ^= 1;
  }
  if (found == 0 || found < least || found == cells) {
    free(all);
    return status;
  }
  *known = all;
  *n_void = found;
  return HED_OK;
}

hed_array *hed_match_known(const hed_array *volume, size_t least)
{
  static const char op[] = "hed_match_known";
  hed_array *x = hed__checked(op, "volume", volume), *host = x ? hed__on_host(x) : NULL, *out = NULL;
  hed_release(x);
  if (!host)
    return NULL;
  const hed_shape s = hed_array_shape(host);
  int64_t n[3] = { 1, 1, 1 };
  uint8_t *known = NULL;
  size_t n_void;
  for (int i = 0; i < s.ndim && s.ndim <= 3; i++)
    n[3 - s.ndim + i] = s.dim[i];
  if (s.ndim != 2 && s.ndim != 3)
    (void)hed_fail(HED_E_SHAPE, "%s: the volume has %d dimensions, not 2 or 3", op, (int)s.ndim);
  else if (hed__find_voids(op, hed_array_data(host), n, least, &known, &n_void) == HED_OK &&
           (out = hed__host_empty(s, HED_BOOL)) != NULL) {
    if (known)
      memcpy(hed_array_data(out), known, hed_array_nbytes(out));
    else
      memset(hed_array_data(out), 1, hed_array_nbytes(out));
  }
  free(known);
  hed_release(host);
  return out;
}
