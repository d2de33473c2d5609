// SPDX-License-Identifier: BSD-3-Clause
/*
 * How the operands of an elementwise call lie, and the route that its loop takes over them: route_of(). L1.
 */
#include "backends/cpu/elementwise/layout.h"
#include "base/invariant.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include <stddef.h>
#include <string.h>

typedef enum route {
  FLAT,    /* one call of the loop for each thread's share */
  BLOCKS,  /* block by block: operands are packed, repeated or converted into buffers, large results leave by non-temporal stores */
  TILES,   /* tile by tile: operands that are contiguous along another axis than the result are transposed */
  BY_ROWS, /* row by row, converted where types differ (base/map.h) */
} route;

static route route_of(const cpu_layout *l)
{
  if (l->flat)
    return l->streams || l->packs ? BLOCKS : FLAT;
  if (l->across >= 0)
    return TILES;
  return l->together > 0 || l->streams || l->packs ? BLOCKS : BY_ROWS;
}

static const hed_view *view_of(const cpu_layout *l, int32_t k) { return k ? l->call->in[k - 1] : l->call->out[0]; }

/* The stride of all elements of V one after the other, 0 for one repeated; -1: there is none, or it is longer than loops by
 * blocks are for. */
static inline int64_t flat_step(const hed_view *v, int64_t size)
{
  enum { LONGEST = 16 };
  int64_t step = size, want = 0;
  bool first = true, repeated = true, even = true;
  for (int32_t k = v->ndim - 1; k >= 0; k--) {
    if (v->dim[k] == 1)
      continue;
    if (first)
      want = step = v->stride[k];
    first = false;
    repeated &= v->stride[k] == 0;
    even &= v->stride[k] == want;
    want *= v->dim[k];
  }
  return even && (step == size || (step > size && step <= LONGEST)) ? step : repeated ? 0 : -1;
}

static void find_flat(cpu_layout *l)
{
  HED__ASSERT(l->n >= 1 && l->n <= CPU_MAP_MOST);
  l->flat = true;
  for (int32_t k = 0; k < l->n; k++) {
    const hed_view *v = view_of(l, k);
    l->size[k] = hed__id_size(l->map->types[k]);
    l->data[k] = v->data;
    l->casts |= v->dtype != l->map->types[k];
    l->step[k] = l->casts ? -1 : flat_step(v, l->size[k]);
    l->flat &= k ? l->step[k] >= 0 : l->step[k] == l->size[k];
  }
}

/* A large result, or one of which operands would leave little in the caches, that is not one of the operands, whose lines are
 * there anyway. */
static bool is_large(const cpu_layout *l)
{
  enum { MOST = 16 * CPU_MAP_MOST }; /* bytes of all operands' elements */
  int64_t bytes = 0;
  if (!cpu_stream_large((size_t)(l->total * MOST)))
    return false;
  for (int32_t k = 0; k < l->n; k++) {
    const hed_view *v = view_of(l, k);
    int64_t own = hed__id_size(v->dtype);
    for (int32_t d = 0; d < v->ndim; d++)
      own *= v->stride[d] ? v->dim[d] : 1;
    bytes += own;
    if (k && v->data == l->data[0])
      return false;
  }
  return cpu_stream_large((size_t)(l->total * hed__id_size(l->call->out[0]->dtype))) || cpu_stream_large((size_t)(bytes / 2));
}

/* Operands that vectors pack into contiguous ones faster than a loop reads them: every other element, rows backwards. From FEW
 * elements on it is worth it. */
static void find_packs(cpu_layout *l, const int64_t *step, int64_t width, int64_t few)
{
  enum { WIDEST = 8 }; /* bytes */
  if (l->casts || width < few || (l->map->copies && !l->streams))
    return;
  for (int32_t k = 1; k < l->n; k++) {
    l->pack[k] = l->size[k] <= WIDEST && (step[k] == 2 * l->size[k] || step[k] == -l->size[k]);
    l->packs |= l->pack[k];
  }
}

/* Is what all axes hold of operand K evenly spaced, in the order of the nest? */
static bool lies_evenly(const hed__nest *nest, int32_t k)
{
  for (int32_t i = nest->ndim - 1; i > 0; i--)
    if (nest->stride[k][i - 1] != nest->stride[k][i] * nest->dim[i])
      return false;
  return true;
}

/* Rows that are too short for a call of the loop each, which costs about ten nanoseconds: how many make a block. A conversion is a
 * call too; of rows that repeat, or that repeat one element, a block is cheap to make. */
static int64_t rows_together(const cpu_layout *l)
{
  enum { FEW = 8 /* rows that are not worth it */, ANY = 256, ONE_ELEMENT = 512, ONE_ROW = 1024, CAST = 2048 /* bytes of a row */ };
  const int32_t last = l->nest.ndim - 1;
  int64_t widest = 1, most = l->casts ? CAST : ONE_ROW, whole = 1;
  if (l->rows < FEW || !l->even[0])
    return 0;
  for (int32_t k = 0; k < l->n; k++) {
    const int64_t step = l->nest.stride[k][last];
    const bool one_row = l->nest.stride[k][last - 1] == 0 && step == l->own[k];
    widest = CPU_MAX(widest, CPU_MAX(l->size[k], l->own[k]));
    if (!l->even[k] && !l->casts)
      most = CPU_MIN(most, one_row || l->pack[k] ? ONE_ROW : step == 0 ? ONE_ELEMENT : ANY);
  }
  if (l->width * widest > most)
    return 0;
  while (whole * l->width * l->own[0] % CPU_MAP_LINE) /* rows that fill whole lines of the result */
    whole *= 2;
  const int64_t fit = CPU_MAP_TILE / (l->width * widest);
  return fit > whole ? fit / whole * whole : fit;
}

/* Non-temporal stores write whole lines: of one run its beginning is set apart, several rows or blocks of them begin lines. */
static bool writes_lines(const cpu_layout *l)
{
  const hed__nest *n = &l->nest;
  const uintptr_t to = (uintptr_t)n->data[0];
  uintptr_t odd = to % CPU_MAP_LINE | (uintptr_t)(l->together * l->width * l->size[0] % CPU_MAP_LINE);
  if (l->casts || n->stride[0][n->ndim - 1] != l->size[0])
    return false;
  if (n->ndim == 1)
    return to % (uintptr_t)l->size[0] == 0;
  for (int32_t d = 0; d < n->ndim - 1 && !l->together; d++)
    odd |= (uintptr_t)n->stride[0][d] % CPU_MAP_LINE;
  return odd == 0;
}

/* Operands that are contiguous along another axis than the result. */
static void find_across(cpu_layout *l)
{
  enum { WIDEST = 8, FEW = 8 }; /* bytes of an element; elements of an axis */
  const hed__nest *n = &l->nest;
  const int32_t last = n->ndim - 1;
  if (last < 1 || l->casts || n->dim[last] < FEW || n->stride[0][last] != l->size[0])
    return;
  for (int32_t k = 1; k < l->n; k++) {
    if (n->stride[k][last] == l->size[k] || n->stride[k][last] == 0 || l->size[k] > WIDEST)
      continue;
    for (int32_t a = 0; a < last; a++)
      if (n->stride[k][a] == l->size[k] && n->dim[a] >= FEW && (l->across < 0 || l->across == a)) {
        l->across = a;
        l->transposed[k] = true;
      }
  }
}

static void describe(cpu_layout *l)
{
  enum { FEW_FLAT = 256, FEW_IN_ROWS = 32 };
  const hed_view *views[CPU_MAP_MOST];
  int64_t row_step[CPU_MAP_MOST];
  memset(&l->casts, 0, offsetof(cpu_layout, nest) - offsetof(cpu_layout, casts));
  memset(l->transposed, 0, sizeof l->transposed);
  l->across = -1;
  find_flat(l);
  l->streams = is_large(l);
  if (l->flat)
    find_packs(l, l->step, l->total, FEW_FLAT);
  if (l->flat && !l->streams && !l->packs)
    return;
  for (int32_t k = 0; k < l->n; k++) {
    views[k] = view_of(l, k);
    l->own[k] = hed__id_size(views[k]->dtype);
  }
  hed__nest_init(&l->nest, l->n, views, HED__NEST_REORDER);
  const int32_t last = l->nest.ndim - 1;
  l->width = l->nest.dim[last];
  l->rows = hed__nest_rows(&l->nest);
  for (int32_t k = 0; k < l->n; k++) {
    l->even[k] = lies_evenly(&l->nest, k);
    row_step[k] = l->nest.stride[k][last];
  }
  if (!l->flat)
    find_packs(l, row_step, l->width, FEW_IN_ROWS);
  l->together = rows_together(l);
  l->streams = l->streams && writes_lines(l);
  find_across(l);
}

static void run_flat(void *arg, int64_t begin, int64_t end)
{
  const cpu_layout *l = arg;
  char *p[CPU_MAP_MOST];
  for (int32_t k = 0; k < l->n; k++)
    p[k] = l->data[k] + begin * l->step[k];
  l->map->fn(end - begin, p, l->step, l->call->params);
}

typedef struct rows_job {
  hed__map map;
  const hed_call *call;
} rows_job;

static void run_rows(void *arg, int32_t part, int32_t parts)
{
  const rows_job *j = arg;
  hed__map_run_part(&j->map, j->call, part, parts);
}

static void by_rows(const hed_call *call, const cpu_map *map, int64_t total)
{
  rows_job j = { { .fn = map->fn }, call };
  for (int32_t k = 0; k <= call->n_in; k++)
    j.map.types[k] = map->types[k];
  cpu_parallel_parts(call, total, 2 * (double)total * map->work, run_rows, &j);
}

int32_t cpu_map_run(const hed_call *call, const cpu_map *map)
{
  cpu_layout l;
  l.call = call;
  l.map = map;
  l.n = call->n_in + 1;
  l.total = hed__view_size(call->out[0]);
  if (l.total == 0)
    return HED_OK;
  describe(&l);
  switch (route_of(&l)) {
  case FLAT:
    if ((double)l.total * map->work < 2.0 * CPU_GRAIN)
      map->fn(l.total, l.data, l.step, call->params);
    else
      cpu_parallel_for(call, l.total, 1024, (double)l.total * map->work, run_flat, &l);
    break;
  case BLOCKS: cpu_map_blocks(&l); break;
  case TILES: cpu_map_tiles(&l); break;
  case BY_ROWS: by_rows(call, map, l.total); break;
  }
  return HED_OK;
}
