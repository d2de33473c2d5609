// SPDX-License-Identifier: BSD-3-Clause
/*
 * softmax and log_softmax along an axis. L1.
 *
 * A slice that lies in one piece goes through the cache three times: its largest element, the exponentials and their sum,
 * and the result. One that no cache holds is cut into pieces of fixed size, whose largest elements and sums come in one
 * pass, so that memory is read twice and written once; the value does not depend on the number of threads. Where another
 * axis is the contiguous one, batches of slices go side by side. Anything else is gathered into a slice of scratch memory.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include "base/shape.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { BLOCK_ELEMENTS = 1024, PIECE_ELEMENTS = 1 << 16, WIDE_COLUMNS = 256, PANEL_BYTES = 1 << 18 /* bytes */, WORK = 6 };

typedef struct job {
  const hed_call *call;
  const cpu_softmax_loops *loops;
  const cpu_reduce_loops *reduce;
  hed_view in, out;      /* without the axis; the axis that lies beside has extent 1 too */
  int64_t n, in_step, out_step, width, batch, batches;
  int32_t compute, size;
  bool log, dense;       /* slices can be read and written where they are */
  hed__cast_fn read, deliver;
  int64_t groups, lane_bytes;
  char *slices;           /* where they cannot: room for one of each part */
} job;

/* A value in the compute type. */
typedef union number { float f; double d; } number;
static number number_of(const job *j, double v)
{
  return j->compute == HED_ID_FLOAT32 ? (number){ .f = (float)v } : (number){ .d = v };
}
static double value(const job *j, const void *p)
{
  return j->compute == HED_ID_FLOAT32 ? (double)*(const float *)p : *(const double *)p;
}

/* What softmax divides by, as a factor, or its logarithm; OTHERS: sum of the exponentials but that of the largest. */
static double last_step(const job *j, double most, double others)
{
  if (!isfinite(most))
    return (double)NAN;
  return j->log ? log1p(others) : 1 / (1 + others);
}

/* Largest element of N at X, and the sum of the other exponentials; these go to E, or nowhere when it is NULL. */
static double measure(const job *j, int64_t n, char *e, const char *x, number *most)
{
  _Alignas(64) char block[BLOCK_ELEMENTS * 8];
  double sum[2] = { 0, 0 };
  memcpy(most, x, (size_t)j->size);
  j->reduce->max(n, x, most);
  for (int64_t i = 0; i < n; i += BLOCK_ELEMENTS)
    j->loops->exps(CPU_MIN(n - i, BLOCK_ELEMENTS), e ? e + i * j->size : block, x + i * j->size, most, sum);
  return sum[0] + (sum[1] - 1);
}

static void one_lane(const job *j, char *out, const char *x)
{
  number most;
  double others = measure(j, j->n, j->log ? NULL : out, x, &most);
  number last = number_of(j, last_step(j, value(j, &most), others));
  if (j->log)
    j->loops->less(j->n, out, x, &most, &last);
  else
    j->loops->times(j->n, out, out, &last);
}

/* ---- slices side by side ---- */

static void one_bundle(const job *j, int64_t n, char *out, const char *x)
{
  _Alignas(64) char most[WIDE_COLUMNS * 8], last[WIDE_COLUMNS * 8];
  double sum[WIDE_COLUMNS] = { 0 }, ones[WIDE_COLUMNS] = { 0 };
  memcpy(most, x, (size_t)(n * j->size));
  j->reduce->col_max(j->n, n, x, j->in_step, most);
  for (int64_t k = 0; k < j->n; k++)
    j->loops->exps_each(n, j->log ? last : out + k * j->out_step, x + k * j->in_step, most, sum, ones);
  for (int64_t i = 0; i < n; i++) {
    number v = number_of(j, last_step(j, value(j, most + i * j->size), sum[i] + (ones[i] - 1)));
    memcpy(last + i * j->size, &v, (size_t)j->size);
  }
  for (int64_t k = 0; k < j->n; k++)
    if (j->log)
      j->loops->less_each(n, out + k * j->out_step, x + k * j->in_step, most, last);
    else
      j->loops->times_each(n, out + k * j->out_step, out + k * j->out_step, last);
}

static void run_lanes(const job *j, char *slice, int64_t begin, int64_t end)
{
  for (int64_t i = begin; i < end; i++) {
    const int64_t first = i % j->batches * j->batch;
    int64_t index[HED_MAX_NDIM];
    hed__index_of(j->in.ndim, j->in.dim, i / j->batches, index);
    const char *from = (const char *)j->in.data + hed__offset_at(j->in.ndim, index, j->in.stride);
    char *to = (char *)j->out.data + hed__offset_at(j->in.ndim, index, j->out.stride);
    if (j->width > 1) {
      one_bundle(j, CPU_MIN(j->batch, j->width - first), to + first * j->size, from + first * j->size);
    } else if (j->dense) {
      one_lane(j, to, from);
    } else {
      j->read(j->n, slice, j->size, from, j->in_step);
      one_lane(j, slice, slice);
      j->deliver(j->n, to, j->out_step, slice, j->size);
    }
  }
}

static void run_dense(void *arg, int64_t begin, int64_t end) { run_lanes(arg, NULL, begin, end); }

static void run_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  run_lanes(j, j->slices + part * j->lane_bytes, j->groups * part / parts, j->groups * (part + 1) / parts);
}

/* ---- one long slice ---- */

typedef struct cell { double most, others; } cell;
typedef struct long_job {
  const job *j;
  const char *x;
  char *out;
  number most, last;
  cell *part;
} long_job;

static void measure_piece(void *arg, int64_t i)
{
  long_job *l = arg;
  number most;
  int64_t first = i * PIECE_ELEMENTS;
  l->part[i].others = measure(l->j, CPU_MIN(l->j->n - first, PIECE_ELEMENTS), NULL, l->x + first * l->j->size, &most);
  l->part[i].most = value(l->j, &most);
}

static void finish_piece(void *arg, int64_t i)
{
  const long_job *l = arg;
  const job *j = l->j;
  const int64_t first = i * PIECE_ELEMENTS, end = CPU_MIN(first + PIECE_ELEMENTS, j->n);
  double ignored[2] = { 0, 0 };
  for (int64_t k = first; k < end; k += BLOCK_ELEMENTS) {
    const int64_t m = CPU_MIN(BLOCK_ELEMENTS, end - k);
    if (j->log) {
      j->loops->less(m, l->out + k * j->size, l->x + k * j->size, &l->most, &l->last);
    } else {
      j->loops->exps(m, l->out + k * j->size, l->x + k * j->size, &l->most, ignored);
      j->loops->times(m, l->out + k * j->size, l->out + k * j->size, &l->last);
    }
  }
}

/* A takes in B: a piece of -infinities weighs nothing beside another. */
static void join(cell *a, cell b)
{
  if (b.most > a->most || isnan(b.most)) {
    cell c = *a;
    *a = b;
    b = c;
  }
  if (b.most > -INFINITY)
    a->others += (1 + b.others) * exp(b.most - a->most);
}

static int32_t long_lane(const job *j)
{
  const int64_t pieces = (j->n + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS;
  long_job l = { .j = j, .x = j->in.data, .out = j->out.data };
  l.part = cpu_scratch_get((size_t)pieces * sizeof *l.part);
  if (!l.part)
    return cpu_host->fail(HED_E_NOMEM, "softmax: no memory for partial results");
  cpu_parallel_items(j->call, pieces, WORK * (double)j->n, measure_piece, &l);
  cell all = l.part[0];
  for (int64_t i = 1; i < pieces; i++)
    join(&all, l.part[i]);
  l.most = number_of(j, all.most);
  l.last = number_of(j, last_step(j, all.most, all.others));
  cpu_parallel_items(j->call, pieces, WORK * (double)j->n, finish_piece, &l);
  cpu_scratch_put(l.part);
  return HED_OK;
}

static int32_t run(const hed_call *call, bool log)
{
  const hed_scan_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  job j = { .call = call, .log = log, .compute = call->compute, .in = { .data = in->data }, .out = { .data = out->data },
            .n = in->dim[p->axis], .in_step = in->stride[p->axis], .out_step = out->stride[p->axis],
            .width = 1, .batch = 1, .batches = 1 };
  j.loops = &cpu_k->softmax[j.compute == HED_ID_FLOAT64];
  j.reduce = &cpu_k->reduce[j.compute];
  j.size = hed__id_size(j.compute);
  const bool same = in->dtype == j.compute && out->dtype == j.compute;
  j.dense = same && (j.n == 1 || (j.in_step == j.size && j.out_step == j.size));
  int64_t slices = 1;
  for (int32_t k = 0; k < in->ndim; k++) {
    if (k == p->axis || in->dim[k] == 1)
      continue;
    if (same && !j.dense && j.width == 1 && in->stride[k] == j.size && out->stride[k] == j.size) {
      j.width = in->dim[k];
      continue;
    }
    j.in.dim[j.in.ndim] = in->dim[k];
    j.in.stride[j.in.ndim] = in->stride[k];
    j.out.stride[j.in.ndim++] = out->stride[k];
    slices *= in->dim[k];
  }
  if (j.width > 1) {
    j.batch = CPU_MIN(CPU_MAX(PANEL_BYTES / (j.n * j.size), 128 / j.size), WIDE_COLUMNS);
    j.batches = (j.width + j.batch - 1) / j.batch;
  }
  if (slices == 1 && j.dense && j.n >= 4 * PIECE_ELEMENTS)
    return long_lane(&j);
  const double work = WORK * (double)slices * (double)j.width * (double)j.n;
  j.groups = slices * j.batches;
  j.dense |= j.width > 1;
  j.read = hed__cast(in->dtype, j.compute);
  j.deliver = hed__cast(j.compute, out->dtype);
  if (j.dense) {
    cpu_parallel_for(call, j.groups, 1, work, run_dense, &j);
    return HED_OK;
  }
  const int64_t parts = CPU_MIN(j.groups, (int64_t)call->max_threads);
  j.lane_bytes = CPU_LINES(j.n * j.size);
  _Alignas(64) char few[2048];
  const size_t bytes = (size_t)(parts * j.lane_bytes);
  j.slices = bytes <= sizeof few ? few : cpu_scratch_get(bytes);
  if (!j.slices)
    return cpu_host->fail(HED_E_NOMEM, "softmax: no memory for a slice of %lld elements", (long long)j.n);
  cpu_parallel_parts(call, parts, work, run_part, &j);
  if (j.slices != few)
    cpu_scratch_put(j.slices);
  return HED_OK;
}

int32_t cpu_softmax(void *state, const hed_call *call)
{
  (void)state;
  return run(call, false);
}

int32_t cpu_log_softmax(void *state, const hed_call *call)
{
  (void)state;
  return run(call, true);
}
