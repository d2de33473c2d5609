// SPDX-License-Identifier: BSD-3-Clause
/*
 * affine_transform of two and three axes by a matrix that mixes none of them (zoom, shift): axis after axis. L1.
 *
 * Indices and weights are found once for each axis. A row of the operand, the sum of some of the planes in three dimensions, is
 * sampled along the last axis once and kept while rows of the result need it, which are sums of such rows.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/filter/spline.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/boundary.h"
#include "base/shape.h"
#include <string.h>

enum { TAPS = 4, BEFORE = CPU_SAMPLE_BEFORE, AFTER = CPU_SAMPLE_AFTER,
       NARROWER = 8 /* a result so much narrower than the operand needs few of its elements */ };

typedef struct job {
  const cpu_grid_loops *loops;
  int32_t order, edge;        /* edge: of elements beyond an end */
  int type, no_memory;        /* no_memory: set by any thread */
  int64_t size;
  cpu_grid_axis axis[3];      /* padded to three; the first is left out of a plane */
  bool planes;
  const char *x;              /* dense, as the result */
  char *out, cval[sizeof(double)];
  int64_t in_from, in_to;     /* what of a row is inside */
} job;

/* What lies outside of a row of the result, or all of it. */
static void fill(const job *j, char *out, int64_t from, int64_t to)
{
  for (int64_t i = from; i < to; i++)
    memcpy(out + i * j->size, j->cval, (size_t)j->size);
}

static void fill_sides(const job *j, char *out)
{
  fill(j, out, 0, j->in_from);
  fill(j, out, j->in_to, j->axis[2].n);
}

static bool blank(const job *j, int64_t row)
{
  const int64_t m = j->axis[1].n;
  return j->axis[1].outside[row % m] || j->axis[0].outside[row / m] || j->in_from == j->in_to;
}

/* ---- the nearest element ---- */

static void nearest_rows(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int32_t *z = j->axis[0].from, *y = j->axis[1].from;
  const int64_t m = j->axis[1].n, bytes = j->axis[2].n * j->size;
  char *out = j->out + begin * bytes;
  for (int64_t row = begin; row < end; row++, out += bytes) {
    const int64_t iz = row / m, iy = row % m;
    if (blank(j, row))
      fill(j, out, 0, j->axis[2].n);
    else if (iy > 0 && row > begin && y[iy] == y[iy - 1] && !blank(j, row - 1))
      memcpy(out, out - bytes, (size_t)bytes);
    else if (iz > 0 && row - m >= begin && z[iz] == z[iz - 1] && !blank(j, row - m))
      memcpy(out, out - m * bytes, (size_t)bytes);
    else {
      j->loops->row(&j->axis[2], out, j->x + (z[iz] * j->axis[1].extent + y[iy]) * j->axis[2].extent * j->size);
      fill_sides(j, out);
    }
  }
}

/* ---- sums ---- */

/* The weights of point I of an axis, next to each other. */
static void weights_of(const job *j, const cpu_grid_axis *a, int64_t i, char *w)
{
  for (int32_t k = 0; k <= j->order; k++)
    memcpy(w + k * j->size, (char *)a->weights + (k * a->n + i) * j->size, (size_t)j->size);
}

/* Row U of the operand, summed over the planes that plane Z of the result needs, sampled. LINE: room for it and what is beyond. */
static void sample_row(const job *j, int64_t z, int64_t u, char *line, char *to)
{
  const cpu_grid_axis *a = j->axis;
  const int64_t n = a[2].extent, size = j->size;
  const char *row = j->x + hed__boundary_index(u, a[1].extent, j->edge) * n * size;
  line += BEFORE * size;
  if (j->planes) {
    const void *rows[TAPS];
    char w[TAPS * sizeof(double)];
    weights_of(j, &a[0], z, w);
    for (int32_t k = 0; k <= j->order; k++)
      rows[k] = row + hed__boundary_index(a[0].from[z] + k, a[0].extent, j->edge) * a[1].extent * n * size;
    cpu_filters[j->type].weigh(n, line, rows, j->order + 1, w);
  } else {
    memcpy(line, row, (size_t)(n * size));
  }
  for (int64_t k = -BEFORE; k < AFTER; k++) {
    const int64_t at = k < 0 ? k : n + k;
    memcpy(line + at * size, line + hed__boundary_index(at, n, j->edge) * size, (size_t)size);
  }
  j->loops->row(&a[2], to, line);
}

static void sum_rows(void *arg, int64_t begin, int64_t end)
{
  job *j = arg;
  const cpu_grid_axis *y = &j->axis[1];
  const int64_t size = j->size, m = y->n, bytes = j->axis[2].n * size, last = j->order;
  const int64_t line = (j->axis[2].extent + BEFORE + AFTER) * size;
  char *const room = cpu_scratch_get((size_t)(line + TAPS * bytes)), *const kept = room + line;
  int64_t plane = -1, have[TAPS];
  if (!room) {
    __atomic_store_n(&j->no_memory, 1, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t row = begin; row < end; row++) {
    char *const out = j->out + row * bytes;
    if (blank(j, row)) {
      fill(j, out, 0, j->axis[2].n);
      continue;
    }
    if (plane != row / m)
      for (int32_t k = 0; k < TAPS; k++)
        have[k] = INT64_MIN;
    plane = row / m;
    const void *rows[TAPS];
    char w[TAPS * sizeof(double)];
    weights_of(j, y, row % m, w);
    for (int64_t k = 0; k <= last; k++) {
      const int64_t u = y->from[row % m] + k, at = u & last; /* 2 or 4 rows, which take turns */
      if (have[at] != u)
        sample_row(j, plane, u, room, kept + at * bytes);
      have[at] = u;
      rows[k] = kept + at * bytes;
    }
    cpu_filters[j->type].weigh(j->axis[2].n, out, rows, last + 1, w);
    fill_sides(j, out);
  }
  cpu_scratch_put(room);
}

/* ---- the call ---- */

bool cpu_affine_is_grid(const hed_call *call)
{
  const hed_affine_params *p = call->params;
  const int64_t *from = call->in[0]->dim + call->in[0]->ndim - 1, *to = call->out[0]->dim + call->out[0]->ndim - 1;
  const int64_t size = hed__id_size(call->compute), least = CPU_WEIGH_LEAST / size, most = INT32_MAX - BEFORE - AFTER;
  if (p->ndim < 2 || *from < least || *to < least || *from / NARROWER > *to)
    return false;
  for (int32_t a = 0; a < p->ndim; a++) {
    if (from[-a] < 1 || from[-a] > most || to[-a] > most)
      return false;
    for (int32_t b = 0; b < p->ndim; b++)
      if (a != b && p->matrix[a][b] != 0)
        return false;
  }
  return true;
}

/* Indices and weights along the axes; scratch memory, NULL: there is none. */
static void *make_axes(job *j, const hed_affine_params *p, const hed_view *in, const hed_view *out, int32_t boundary)
{
  int64_t all = 0;
  for (int32_t a = 0; a < 3; a++) {
    const int32_t k = a - (3 - p->ndim);
    j->axis[a] = (cpu_grid_axis){ .order = j->order, .boundary = boundary, .extent = k < 0 ? 1 : in->dim[k],
                                  .n = k < 0 ? 1 : out->dim[k], .start = k < 0 ? 0 : p->matrix[k][p->ndim],
                                  .step = k < 0 ? 0 : p->matrix[k][k] };
    all += j->axis[a].n;
  }
  const int64_t point = TAPS * j->size + (int64_t)sizeof(int32_t) + 1;
  char *const room = cpu_scratch_get((size_t)(all * point)), *weights = room;
  if (!room)
    return NULL;
  int32_t *from = (int32_t *)(void *)(room + all * TAPS * j->size);
  bool *outside = (bool *)(from + all);
  for (int32_t a = 0; a < 3; a++) {
    cpu_grid_axis *g = &j->axis[a];
    g->weights = weights;
    g->from = from;
    g->outside = outside;
    j->loops->axis(g);
    weights += g->n * TAPS * j->size;
    from += g->n;
    outside += g->n;
  }
  const cpu_grid_axis *row = &j->axis[2]; /* positions go up or down: what is inside is one piece */
  j->in_from = 0;
  while (j->in_from < row->n && row->outside[j->in_from])
    j->in_from++;
  j->in_to = row->n;
  while (j->in_to > j->in_from && row->outside[j->in_to - 1])
    j->in_to--;
  return room;
}

int32_t cpu_affine_grid(const hed_call *call)
{
  const hed_affine_params *p = call->params;
  const int32_t nd = p->ndim, type = call->compute;
  const int32_t boundary = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_CONSTANT : p->boundary;
  const bool ends = boundary == HED_BOUNDARY_CONSTANT || boundary == HED_BOUNDARY_NEAREST;
  const bool filter = p->order == 3 && p->prefilter, overlap = hed__may_overlap(call->in[0], call->out[0]);
  const hed_view in = cpu_affine_part(call->in[0], nd, 0), out = cpu_affine_part(call->out[0], nd, 0);
  const int64_t n_out = hed__view_size(&out), batch = hed__view_size(call->out[0]) / n_out, rows = n_out / out.dim[nd - 1];
  job j = { .loops = &cpu_grids[type == HED_ID_FLOAT64], .order = p->order, .edge = ends ? HED_BOUNDARY_MIRROR : boundary,
            .type = type, .size = hed__id_size(type), .planes = nd == 3 };
  if (type == HED_ID_FLOAT64)
    memcpy(j.cval, &p->cval, sizeof p->cval);
  else
    memcpy(j.cval, &(float){ (float)p->cval }, sizeof(float));
  void *const axes = make_axes(&j, p, &in, &out, boundary);
  bool good = axes != NULL;
  for (int64_t i = 0; i < batch && good; i++) {
    const hed_view x = cpu_affine_part(call->in[0], nd, i), to = cpu_affine_part(call->out[0], nd, i);
    const bool direct_in = !filter && !overlap && x.dtype == type && hed__is_c_contiguous(&x);
    const bool direct_out = to.dtype == type && hed__is_c_contiguous(&to);
    hed_view own = x, made = to;
    own.data = direct_in ? x.data : cpu_scratch_get((size_t)(hed__view_size(&x) * j.size));
    made.data = direct_out ? to.data : cpu_scratch_get((size_t)(n_out * j.size));
    good = own.data && made.data;
    own.dtype = made.dtype = type;
    hed__c_strides(nd, own.dim, j.size, own.stride);
    hed__c_strides(nd, made.dim, j.size, made.stride);
    if (good && !direct_in)
      (void)cpu_convert(call, &own, &x);
    good = good && (!filter || cpu_spline_coefficients(call, &own, ~0u, boundary));
    if (good) {
      j.x = own.data;
      j.out = made.data;
      cpu_parallel_for(call, rows, 1, (p->order + 1) * 2.0 * (double)n_out, p->order ? sum_rows : nearest_rows, &j);
      if (!direct_out && !j.no_memory)
        (void)cpu_convert(call, &to, &made);
    }
    good = good && !j.no_memory;
    if (!direct_in)
      cpu_scratch_put(own.data);
    if (!direct_out)
      cpu_scratch_put(made.data);
  }
  cpu_scratch_put(axes);
  return good ? HED_OK : cpu_host->fail(HED_E_NOMEM, "affine_transform: no memory for %lld elements", (long long)n_out);
}
