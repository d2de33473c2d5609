// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies and conversions. L1.
 *
 * A copy is taken apart into axes that lie alike in both operands. Where the innermost axis of the result is not that of
 * the operand, the two form a matrix that is transposed by blocks (move/copy.h); short rows go two axes at a time, and
 * elements that lie backwards are reversed in vectors.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/move/words.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/cast.h"
#include "base/nest.h"
#include "base/shape.h"
#include <string.h>

/* Contiguous elements by non-temporal stores. */
static void copy_stream(int64_t n, char *const *p, const int64_t *s, const void *q)
{
  (void)q;
  cpu_stream_far(p[0], p[1], (size_t)(n * s[0]));
}

/* Elements backwards by non-temporal stores. */
static void reverse_stream(int64_t n, char *const *p, const int64_t *s, const void *q)
{
  (void)q;
  cpu_copy_k->reverse_stream[__builtin_ctzll((uint64_t)s[0])](n, p[0], p[1]);
}

typedef struct run {
  char *to;
  const char *from;
} run;

static void run_stream(void *arg, int64_t begin, int64_t end)
{
  const run *r = arg;
  cpu_stream_far(r->to + begin, r->from + begin, (size_t)(end - begin));
  cpu_stream_end();
}

/* A large copy that is one run, without the block in the cache that other loops need; false when it is not that. */
static bool copy_run(const hed_call *call, int64_t size)
{
  enum { ALIGN = 4096 };
  const hed_view *out = call->out[0], *in = call->in[0];
  const int64_t n = hed__view_size(out), bytes = n * size;
  if (!cpu_stream_large((size_t)bytes) || !hed__is_c_contiguous(out) || !hed__is_c_contiguous(in) || out->data == in->data)
    return false;
  run r = { out->data, in->data };
  cpu_parallel_for(call, bytes, ALIGN, (double)n, run_stream, &r);
  return true;
}

/* ---- copies that are not one run ---- */

/* Planes (rows, columns) of a nest without these two axes; the columns are contiguous in the result. */
typedef struct planes {
  hed__nest outer;                  /* result, operand */
  int64_t rows, columns, slab, slabs; /* a plane is SLABS pieces of SLAB rows, or columns if ALONG */
  bool along;
  int64_t row_step[2], column_step[2], size;
  hed__map_fn copy;
  cpu_transpose_fn transpose; /* instead of copying rows; or NULL */
  bool streams;                  /* the caches */
  bool same;                  /* rows are one row, again and again, without gaps */
} planes;

/* ROWS rows of BYTES bytes become the one at FROM: what is there already is copied, ever more of it as long as it is short. */
static void repeat_row(char *to, const char *from, int64_t rows, int64_t bytes)
{
  enum { SHORT = 4096 };
  const int64_t all = rows * bytes;
  memcpy(to, from, (size_t)bytes);
  for (int64_t done = bytes, n = bytes; done < all; done += n) {
    n = CPU_MIN(done <= SHORT ? done : n, all - done);
    memcpy(to + done, to, (size_t)n);
  }
}

static void run_planes(void *arg, int64_t begin, int64_t end)
{
  const planes *p = arg;
  while (begin < end) {
    const int64_t first = begin % p->slabs, last = CPU_MIN(p->slabs, first + end - begin);
    const int64_t at = first * p->slab, count = CPU_MIN(p->along ? p->columns : p->rows, last * p->slab) - at;
    const int64_t rows = p->along ? p->rows : count, columns = p->along ? count : p->columns;
    const int64_t *step = p->along ? p->column_step : p->row_step;
    hed__walk w;
    hed__walk_init(&w, &p->outer, begin / p->slabs, 1);
    hed__walk_next(&w);
    char *to = w.ptr[0] + at * step[0], *from = w.ptr[1] + at * step[1];
    if (p->transpose) {
      p->transpose(rows, columns, to, p->row_step[0], from, p->column_step[1]);
    } else if (p->same && !p->streams) {
      repeat_row(to, from, rows, p->row_step[0]);
    } else {
      for (int64_t r = 0; r < rows; r++, to += p->row_step[0], from += p->row_step[1]) {
        char *const ends[2] = { to, from };
        p->copy(columns, ends, p->column_step, NULL);
      }
    }
    begin += last - first;
  }
  if (p->streams)
    cpu_stream_end();
}

/* The order in which what OUTER walks is copied: axes along which the operand repeats come last, so that a row goes to all its places
 * while the caches have it. The very last has one element. */
static void repeats_last(hed__nest *outer)
{
  const hed__nest n = *outer;
  int32_t to = 0;
  for (int repeats = 0; repeats < 2; repeats++)
    for (int32_t a = 0; a < n.ndim - 1; a++)
      if ((n.stride[1][a] == 0) == repeats) {
        outer->dim[to] = n.dim[a];
        outer->stride[0][to] = n.stride[0][a];
        outer->stride[1][to++] = n.stride[1][a];
      }
}

/* The copy by planes; false when one loop, or one over rows that are long, does as well. */
static bool copy_planes(const hed_call *call, int64_t size)
{
  enum { LONG = 256, SLAB = 64, STREAM_SLAB = 512 /* bytes */, LONG_SLAB = 4096 };
  hed__nest n;
  hed__nest_init(&n, 2, (const hed_view *const[]){ call->out[0], call->in[0] }, HED__NEST_REORDER);
  const int32_t last = n.ndim - 1;
  if (n.ndim < 2 || n.dim[last] == 0)
    return false;
  planes p = { .size = size, .columns = n.dim[last], .copy = cpu_copy_loop(size) };
  const int word = __builtin_ctzll((uint64_t)size);
  int32_t other = last - 1;
  if (n.stride[0][last] == size && n.stride[1][last] != size && n.stride[1][last] != 0)
    for (int32_t k = 0; k < last && !p.transpose; k++)
      if (n.stride[1][k] == size || n.stride[1][k] == -size) {
        other = k;
        p.transpose = cpu_copy_k->transpose[word];
      }
  if (p.transpose && n.stride[1][other] < 0) /* rows of the result from the last to the first */
    for (int i = 0; i < 2; i++) {
      n.data[i] += (n.dim[other] - 1) * n.stride[i][other];
      n.stride[i][other] = -n.stride[i][other];
    }
  const bool large = p.columns * size >= CPU_STREAM_BLOCK && cpu_stream_large((size_t)(hed__view_size(call->out[0]) * size));
  if (large && p.transpose && cpu_copy_k->transpose_stream[word]) {
    p.transpose = cpu_copy_k->transpose_stream[word];
    p.streams = true;
  }
  const bool long_rows = !p.transpose && p.columns >= LONG;
  if (long_rows && large && n.stride[0][last] == size && (n.stride[1][last] == size || n.stride[1][last] == -size)) {
    p.copy = n.stride[1][last] > 0 ? copy_stream : reverse_stream;
    p.streams = true;
  } else if (long_rows) {
    return false;
  }
  p.rows = n.dim[other];
  for (int k = 0; k < 2; k++) {
    p.row_step[k] = n.stride[k][other];
    p.column_step[k] = n.stride[k][last];
  }
  p.same = p.row_step[1] == 0 && p.column_step[0] == size && p.column_step[1] == size && p.row_step[0] == p.columns * size;
  p.outer = hed__nest_outside(&n, other);
  if (p.streams && !p.transpose)
    repeats_last(&p.outer);
  p.along = p.transpose && p.rows <= SLAB; /* so that threads share planes of few rows */
  p.slab = p.along ? LONG_SLAB : p.transpose && p.streams ? STREAM_SLAB / size : SLAB;
  p.slabs = ((p.along ? p.columns : p.rows) + p.slab - 1) / p.slab;
  const int64_t units = hed__nest_rows(&p.outer) * p.slabs;
  cpu_parallel_for(call, units, 1, 2 * (double)hed__view_size(call->out[0]), run_planes, &p);
  return true;
}

static void cast_loop(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const hed__cast_fn *fn = params;
  (*fn)(n, p[0], s[0], p[1], s[1]);
}

/* Elements of the result's type. */
static int32_t copy(const hed_call *call)
{
  const int32_t type = call->out[0]->dtype;
  const int64_t size = hed__id_size(type);
  if (copy_run(call, size) || copy_planes(call, size))
    return HED_OK;
  return cpu_map_run(call, &(cpu_map){ .fn = cpu_copy_loop(size), .types = { type, type }, .work = 1, .copies = true });
}

int32_t cpu_astype(void *state, const hed_call *call)
{
  (void)state;
  const int32_t to = call->out[0]->dtype, from = call->in[0]->dtype;
  if (to == from)
    return copy(call);
  hed__cast_fn fn = hed__cast(from, to);
  hed_call c = *call;
  c.params = &fn;
  return cpu_map_run(&c, &(cpu_map){ .fn = cast_loop, .types = { to, from }, .work = 2 });
}

int32_t cpu_convert(const hed_call *call, const hed_view *to, const hed_view *from)
{
  hed_call c = *call;
  c.n_in = c.n_out = 1;
  c.in = &from;
  c.out = &to;
  c.params = NULL;
  return cpu_astype(NULL, &c);
}
