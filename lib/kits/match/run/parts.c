// SPDX-License-Identifier: BSD-3-Clause
/* Targets that do not fit into the memory limit, matched part by part.
 *
 * Layer: L4, match kit. All parts together are the positions that are searched. A part is a box of them, with the voxels
 * round it that templates at these positions cover: along an axis of which it has not all, SIZE positions need SIZE + n - 1
 * voxels. Beyond the target's faces a part continues as the undivided transform would, round its extents with its filling, so
 * that dividing changes no score but by rounding. All parts have one shape (and one set of plans): the last one along an axis
 * begins earlier instead of being smaller.
 */
#include "base/invariant.h"
#include "kits/match/run/parts.h"
#include <math.h>
#include <stdlib.h>

static size_t cells(hed_shape s)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    n *= (size_t)s.dim[i];
  return n;
}

static bool cut(const hed__job *all, const hed__parts *p, int axis)
{
  HED__ASSERT(axis >= 0 && axis < 3 && p->size[axis] > 0);
  return p->size[axis] < all->target.dim[axis];
}

hed_status hed__part_job(const hed__job *all, const hed__parts *p, hed__job *part)
{
  *part = *all;
  for (int i = 0; i < all->ndim; i++) {
    if (!cut(all, p, i))
      continue;
    part->keep[i] = p->size[i];
    part->target.dim[i] = p->size[i] + all->tmpl.dim[i] - 1;
    part->fast.dim[i] = part->fast_ft.dim[i] = hed_fft_good_size(part->target.dim[i]);
    if (part->fast.dim[i] < part->target.dim[i])
      return hed_error();
    if (i == all->ndim - 1)
      part->fast_ft.dim[i] = part->fast.dim[i] / 2 + 1;
  }
  return HED_OK;
}

bool hed__parts_cut(const hed__job *all, const hed__parts *p)
{
  for (int i = 0; i < all->ndim; i++)
    if (cut(all, p, i))
      return true;
  return false;
}

double hed__parts_positions(const hed__job *all, const hed__parts *p)
{
  double n = 1;
  for (int i = 0; i < all->ndim; i++)
    n *= (double)p->span[i];
  return n;
}

static int64_t count_along(const hed__parts *p, int axis)
{
  HED__ASSERT(axis >= 0 && axis < 3 && p->size[axis] > 0 && p->span[axis] > 0);
  return (p->span[axis] + p->size[axis] - 1) / p->size[axis];
}

/* What parts of this size need. */
static hed_status needed_by(const hed__job *all, const hed__parts *p, size_t filtering, size_t *needed)
{
  enum { SINGLE = 4, RESULTS = 8 }; /* bytes of a voxel in the target as float32; of score and rotation */
  const size_t whole = hed__parts_cut(all, p) ? (SINGLE + RESULTS) * cells(all->target) : 0;
  hed__job part;
  hed_status status = hed__part_job(all, p, &part);
  if (status != HED_OK || (status = hed__job_memory(&part, needed)) != HED_OK)
    return status;
  *needed += whole + all->more;
  if (all->masked) /* where something is known, and scored */
    *needed += 2 * cells(all->target);
  if (all->score->excludes && (all->masked || whole)) /* the target's mask */
    *needed += SINGLE * cells(all->target);
  *needed = *needed > filtering ? *needed : filtering;
  if (all->kept) /* scores and rotations are there from the beginning, and the merged maximum beside the workers' */
    *needed += RESULTS * (cells(part.fast) + (whole ? 0 : cells(all->target)));
  return HED_OK;
}

/* The longest axis is divided once more, until a part's run and the whole target's arrays fit. */
hed_status hed__parts_choose(const char *op, const hed__job *all, const int64_t box[3][2], const int64_t at_least[3], size_t limit,
                             hed__parts *p)
{
  *p = (hed__parts){ .count.ndim = all->ndim };
  for (int i = 0; i < all->ndim; i++) {
    const int64_t n = at_least[i] > 0 ? at_least[i] : 1;
    p->low[i] = box[i][0];
    p->span[i] = box[i][1] - box[i][0];
    if (n > p->span[i])
      return hed_fail(HED_E_INVAL, "%s: %lld sub-volumes along axis %d, where %lld positions are searched", op, (long long)n, i,
                      (long long)p->span[i]);
    p->size[i] = (p->span[i] + n - 1) / n;
    p->count.dim[i] = count_along(p, i);
  }
  const size_t filtering = (size_t)all->filtering; /* of all of the target */
  if (limit && filtering > limit)
    return hed_fail(HED_E_LIMIT, "%s: filtering the target takes about %zu bytes, the limit is %zu", op, filtering, limit);
  hed_status status = needed_by(all, p, filtering, &p->memory);
  const size_t needed = p->memory;
  while (status == HED_OK && limit && p->memory > limit) {
    int longest = 0;
    for (int i = 1; i < all->ndim; i++)
      if (p->size[i] > p->size[longest])
        longest = i;
    const int64_t n = p->span[longest];
    int64_t count = p->count.dim[longest] + 1;
    while (count < n && (n + count - 1) / count == p->size[longest])
      count++;
    if (count > n)
      return hed_fail(HED_E_LIMIT, "%s: about %zu bytes are needed (workers: %d), the limit is %zu bytes, and no part of "
                      "the target is small enough for it", op, needed, all->workforce.n * all->workforce.workers, limit);
    p->count.dim[longest] = count;
    p->size[longest] = (n + count - 1) / count;
    status = needed_by(all, p, filtering, &p->memory);
  }
  return status;
}

int64_t hed__parts_in(const hed__job *all, const hed__parts *p)
{
  int64_t n = 1;
  for (int i = 0; i < all->ndim; i++)
    n *= count_along(p, i);
  return n;
}

bool hed__sub_volumes(const hed_match_options *o)
{
  return o->sub_volumes[0] > 1 || o->sub_volumes[1] > 1 || o->sub_volumes[2] > 1;
}

hed_status hed__part_filter(const hed__parts *p, const hed_match_options *o, hed__job *part)
{
  if (!hed__sub_volumes(o))
    return HED_OK;
  hed_match_filter f = *o->template_filter;
  for (int i = 0; i < part->ndim; i++) {
    const double begin = (double)(part->begin[i] + part->fresh[i]), end = (double)(part->begin[i] + p->size[i]);
    const int a = 3 - part->ndim + i;
    f.offset[a] += ((begin + end) / 2 - (double)part->undivided.dim[i] / 2) * (f.voxel[a] > 0 ? f.voxel[a] : 1);
  }
  part->filter = hed_match_filter_make(&f, part->tmpl);
  return part->filter ? HED_OK : hed_error();
}

void hed__part_begin(const hed__job *all, const hed__parts *p, int64_t k, hed__job *part)
{
  for (int i = all->ndim - 1; i >= 0; i--) {
    const int64_t n = p->span[i], count = count_along(p, i), begin = k % count * p->size[i];
    part->begin[i] = p->low[i] + (begin + p->size[i] <= n ? begin : n - p->size[i]);
    part->fresh[i] = p->low[i] + begin - part->begin[i];
    k /= count;
  }
}

hed_array *hed__part_of(const hed__job *all, const hed__job *part, const float *values, const hed__whole *w)
{
  int64_t d[3] = { 1, 1, 1 }, round[3] = { 1, 1, 1 }, size[3] = { 1, 1, 1 }, first[3] = { 0, 0, 0 };
  hed_array *array = hed__host_empty(part->target, HED_FLOAT32);
  if (!array)
    return NULL;
  for (int i = 0; i < all->ndim; i++) {
    const int a = 3 - all->ndim + i;
    d[a] = all->target.dim[i];
    round[a] = all->fast.dim[i];
    size[a] = part->target.dim[i];
    first[a] = part->keep[i] ? part->begin[i] - all->tmpl.dim[i] / 2 + round[a] : 0;
  }
  float *to = hed_array_data(array);
  for (int64_t z = 0; z < size[0]; z++)
    for (int64_t y = 0; y < size[1]; y++) {
      const int64_t from_z = (first[0] + z) % round[0], from_y = (first[1] + y) % round[1];
      const bool inside = from_z < d[0] && from_y < d[1];
      const float *row = values + (inside ? (from_z * d[1] + from_y) * d[2] : 0);
      for (int64_t x = 0; x < size[2]; x++) {
        const int64_t from = (first[2] + x) % round[2];
        *to++ = inside && from < d[2] ? (float)(((double)row[from] - w->mean) / w->deviation) : 0;
      }
    }
  return array;
}

hed_status hed__whole_standard(const char *op, const float *values, size_t n, hed__whole *w)
{
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    sum += (double)values[i];
  w->mean = sum / (double)n;
  for (size_t i = 0; i < n; i++)
    squares += ((double)values[i] - w->mean) * ((double)values[i] - w->mean);
  w->deviation = sqrt(squares / (double)n);
  return hed__has_variance(op, w->mean, w->deviation);
}
