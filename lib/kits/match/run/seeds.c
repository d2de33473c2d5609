// SPDX-License-Identifier: BSD-3-Clause
/* Ellipsoids round given places, and cones round given axes.
 *
 * Layer: L4, match kit. Of a seed the rows of voxels are kept that its ellipsoid has: a rotation looks at few seeds, and at few
 * voxels of each, so that the maximum over rotations is taken on the host.
 */
#include "kits/match/run/seeds.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One seed's ellipsoid: what takes (z, y, x) from its centre to its own axes, over the radii. */
typedef struct ellipsoid { double centre[3], own[3][3], reach; } ellipsoid;

static hed_status check(const char *op, const hed_match_seeds *g, const hed__job *all)
{
  if (!g->table || g->table->n == 0)
    return hed_fail(HED_E_INVAL, "%s: seeds without a table of places", op);
  if (!(g->cone >= 0) || g->cone > 180)
    return hed_fail(HED_E_INVAL, "%s: the cone of seeds is %g degrees; 0 to 180", op, g->cone);
  for (int i = 0; i < 3; i++)
    if (!(g->radius[i] >= 0) || isinf(g->radius[i]) || !isfinite(g->offset[i]))
      return hed_fail(HED_E_INVAL, "%s: radius %g and offset %g of seeds; voxels, finite, radii not below 0", op, g->radius[i],
                      g->offset[i]);
  for (size_t i = 0; i < g->table->n; i++)
    for (int a = 0; a < 3; a++)
      if (!isfinite(g->table->row[i].position[a]) || !isfinite(g->table->row[i].euler[a]))
        return hed_fail(HED_E_INVAL, "%s: place and angles of seed %zu are not finite", op, i);
  for (int i = 0; i < all->ndim; i++)
    if (all->target.dim[i] > INT32_MAX)
      return hed_fail(HED_E_LIMIT, "%s: seeds in a target of %lld voxels along axis %d", op, (long long)all->target.dim[i], i);
  return HED_OK;
}

static ellipsoid ellipsoid_of(const hed_match_seeds *g, const hed_table_row *row, const hed__job *all, double axis[3])
{
  ellipsoid e = { .reach = 0 };
  double r[9], radius[3], least = INFINITY;
  for (int i = 0; i < all->ndim; i++)
    least = fmin(least, (double)all->tmpl.dim[i]);
  for (int i = 0; i < 3; i++) {
    radius[i] = g->radius[i] > 0 ? g->radius[i] : g->radius[0] > 0 ? g->radius[0] : least / 2;
    e.reach = fmax(e.reach, radius[i]);
  }
  hed_rotation_from_euler(all->ndim == 3 ? row->euler : (const double[3]){ row->euler[0], 0, 0 }, r);
  for (int a = 0; a < 3; a++) { /* array axis a is physical axis 2 - a */
    e.centre[a] = all->ndim == 2 && a == 0 ? 0 : row->position[a];
    axis[2 - a] = all->ndim == 3 ? r[3 * a] : r[3 * a + 2];
    for (int own = 0; own < 3; own++) {
      e.centre[a] += all->ndim == 2 && a == 0 ? 0 : r[3 * a + 2 - own] * g->offset[own];
      e.own[own][a] = r[3 * a + 2 - own] / radius[own];
    }
  }
  return e;
}

static bool inside(const ellipsoid *e, double z, double y, double x)
{
  double sum = 0;
  for (int own = 0; own < 3; own++) {
    const double v = e->own[own][0] * (z - e->centre[0]) + e->own[own][1] * (y - e->centre[1]) + e->own[own][2] * (x - e->centre[2]);
    sum += v * v;
  }
  return sum <= 1 + 1e-9;
}

static hed_status add_span(const char *op, hed__seeds *s, size_t *room, hed__span span)
{
  if (s->n_spans == *room) {
    const size_t more = *room ? 2 * *room : 256;
    hed__span *to = realloc(s->span, more * sizeof *to);
    if (!to)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows of voxels round seeds", op, more);
    s->span = to;
    *room = more;
  }
  s->span[s->n_spans++] = span;
  return HED_OK;
}

/* Rows of an ellipsoid, which is convex, inside the target of extents D. */
static hed_status add_rows(const char *op, hed__seeds *s, size_t *room, const ellipsoid *e, const int64_t d[3])
{
  int64_t low[3], high[3];
  for (int a = 0; a < 3; a++) {
    low[a] = (int64_t)fmax(ceil(fmax(e->centre[a] - e->reach, -1)), 0);
    high[a] = (int64_t)fmin(floor(fmin(e->centre[a] + e->reach, (double)d[a])), (double)(d[a] - 1));
  }
  hed_status status = HED_OK;
  for (int64_t z = low[0]; z <= high[0]; z++)
    for (int64_t y = low[1]; y <= high[1] && status == HED_OK; y++) {
      int64_t x0 = low[2], x1 = high[2];
      while (x0 <= x1 && !inside(e, (double)z, (double)y, (double)x0))
        x0++;
      while (x1 > x0 && !inside(e, (double)z, (double)y, (double)x1))
        x1--;
      if (x0 <= x1)
        status = add_span(op, s, room, (hed__span){ (int32_t)z, (int32_t)y, (int32_t)x0, (int32_t)x1 + 1 });
    }
  return status;
}

hed_status hed__seeds_open(const char *op, hed__seeds *s, const hed_match_seeds *given, const hed__job *all)
{
  int64_t d[3] = { 1, 1, 1 };
  size_t room = 0;
  hed_status status = check(op, given, all);
  if (status != HED_OK)
    return status;
  for (int i = 0; i < all->ndim; i++)
    d[3 - all->ndim + i] = all->target.dim[i];
  const double cone = given->cone > 0 ? given->cone : 180;
  *s = (hed__seeds){ .n = given->table->n, .least = cone < 180 ? cos(cone * (M_PI / 180)) - 1e-9 : -2 };
  if (!(s->seed = calloc(s->n, sizeof *s->seed)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu seeds", op, s->n);
  for (size_t i = 0; i < s->n && status == HED_OK; i++) {
    const ellipsoid e = ellipsoid_of(given, &given->table->row[i], all, s->seed[i].axis);
    s->seed[i].first = s->n_spans;
    status = add_rows(op, s, &room, &e, d);
    s->seed[i].spans = s->n_spans - s->seed[i].first;
  }
  if (status == HED_OK && s->n_spans == 0)
    status = hed_fail(HED_E_INVAL, "%s: none of the %zu seeds is in the target", op, s->n);
  return status;
}

void hed__seeds_close(hed__seeds *s)
{
  free(s->seed);
  free(s->span);
  *s = (hed__seeds){ 0 };
}

bool hed__seed_admits(const hed__seeds *s, size_t i, int ndim, const double *r)
{
  const double axis3[3] = { r[ndim * (ndim - 1)], r[ndim], r[0] }, axis2[3] = { r[3], r[1], 0 };
  const double *axis = ndim == 3 ? axis3 : axis2, *own = s->seed[i].axis;
  return s->seed[i].spans > 0 && axis[0] * own[0] + axis[1] * own[1] + axis[2] * own[2] >= s->least;
}

bool hed__seeds_admit(const hed__seeds *s, int ndim, const double *rotation)
{
  for (size_t i = 0; i < s->n; i++)
    if (hed__seed_admits(s, i, ndim, rotation))
      return true;
  return false;
}

void hed__seeds_rows(const hed__seeds *s, const hed__job *job, const double *rotation, hed__see_row *see, void *arg)
{
  const hed__positions p = hed__positions_of(job);
  for (size_t i = 0; i < s->n; i++) {
    if (!hed__seed_admits(s, i, job->ndim, rotation))
      continue;
    for (const hed__span *r = s->span + s->seed[i].first, *end = r + s->seed[i].spans; r < end; r++) {
      const int64_t z = r->z - p.begin[0], y = r->y - p.begin[1];
      const int64_t x0 = r->x0 - p.begin[2], x1 = r->x1 - p.begin[2];
      if (z >= p.first[0] && z < p.n[0] && y >= p.first[1] && y < p.n[1])
        see(arg, &p, z, y, x0 > p.first[2] ? x0 : p.first[2], x1 < p.n[2] ? x1 : p.n[2]);
    }
  }
}

double hed__seeds_scores(const hed__seeds *s, const hed__job *all)
{
  double n = 0;
  for (size_t i = 0; i < s->n; i++) {
    double cells = 0, rotations = 0;
    for (const hed__span *r = s->span + s->seed[i].first, *end = r + s->seed[i].spans; r < end; r++)
      for (int64_t x = r->x0; x < r->x1; x++) {
        const hed_shape t = all->target;
        const int64_t ny = t.dim[t.ndim - 2], nx = t.dim[t.ndim - 1];
        cells += !all->scored || all->scored[(r->z * ny + r->y) * nx + x];
      }
    for (size_t k = 0; k < all->n_rotations; k++)
      rotations += hed__seed_admits(s, i, all->ndim, all->rotations + k * (size_t)(all->ndim * all->ndim));
    n += cells * rotations;
  }
  return n;
}

void hed__seeds_digest(const hed__seeds *s, hed__digest *d)
{
  hed__digest_add(d, s->seed, s->n * sizeof *s->seed);
  hed__digest_add(d, s->span, s->n_spans * sizeof *s->span);
  hed__digest_add(d, &s->least, sizeof s->least);
}
