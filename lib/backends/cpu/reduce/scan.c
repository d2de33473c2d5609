// SPDX-License-Identifier: BSD-3-Clause
/*
 * Scans along one axis: cumsum, cumprod, cummax, cummin. L1.
 *
 * Elements are accumulated in the widest type of their kind and rounded when they are written, as the reference does it, by loops
 * of their own type where it has some (reduce/cumulative.h), else widened by blocks. Sums and products of floats along a slice may
 * group otherwise (reduce/scan.h). Where another axis lies closer together than the scanned one, several slices go side by side, so
 * that memory is read along its rows. Threads share slices.
 *
 * Contiguous sums go by pieces, whose own sums are added up from one to the next. Where slices are fewer than threads these take
 * pieces in turn: a thread that does not know yet what comes before its piece makes the piece's sum first, tells the next
 * thread, and then the running sums, of elements that are in its cache. What is added to what does not depend on threads.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "backends/cpu/runtime/team.h"
#include "base/cast.h"
#include "base/shape.h"
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { BLOCK_ELEMENTS = 256, WIDEST = 16, PIECE_ELEMENTS = 32768, LONG_ROW_BYTES = 4096 /* bytes */ };

typedef struct job {
  const cpu_scan_loops *loops;
  const hed_view *in, *out;
  int32_t axis, beside;  /* the scanned axis; the one whose slices go together, -1: none */
  int compute, type, size; /* the type of LOOPS */
  bool widened;          /* they carry a float64 for each float32 */
  hed__cast_fn narrow, widen, deliver; /* narrow: NULL when the operand has the compute type */
  int64_t groups;        /* slices, or bundles of slices */
  double (*whole)(int64_t n, const void *x, void *out, bool streams, bool store, double before); /* as they lie; NULL: none */
  bool streams;             /* the caches */
} job;

/* N elements in the type of the loops: where they are, or in BLOCK_ELEMENTS. */
static const char *read_block(const job *j, int64_t n, char *block, const char *from, int64_t step)
{
  char narrow[BLOCK_ELEMENTS * WIDEST];
  if (!j->narrow && j->compute == j->type && step == j->size)
    return from;
  if (j->narrow) {
    const int bytes = hed__id_size(j->compute);
    j->narrow(n, narrow, bytes, from, step);
    from = narrow;
    step = bytes;
  }
  j->widen(n, block, j->size, from, step);
  return block;
}

/* Where the loops may write N elements that go to TO: there, or to BLOCK_ELEMENTS. */
static char *written_at(const job *j, char *block, char *to, int64_t step)
{
  return j->out->dtype == j->type && step == j->size ? to : block;
}

/* The first of N slices' carries, from X, to OUT too. */
static void start(const job *j, int64_t n, char *out, const char *x, char *carry)
{
  if (j->widened)
    for (int64_t i = 0; i < n; i++)
      ((double *)(void *)carry)[i] = (double)((const float *)(const void *)x)[i];
  else
    memcpy(carry, x, (size_t)(n * j->size));
  if (out != x)
    memcpy(out, x, (size_t)(n * j->size));
}

/* Where group I begins; with slices side by side *n of them. */
static void locate(const job *j, int64_t i, const char **from, char **to, int64_t *n)
{
  *from = j->in->data;
  *to = j->out->data;
  *n = 1;
  if (j->beside >= 0) {
    int64_t width = j->in->dim[j->beside], bundles = (width + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    int64_t first = i % bundles * BLOCK_ELEMENTS;
    i /= bundles;
    *n = CPU_MIN(width - first, BLOCK_ELEMENTS);
    *from += first * j->in->stride[j->beside];
    *to += first * j->out->stride[j->beside];
  }
  int64_t index[HED_MAX_NDIM];
  hed__index_beside(j->in->ndim, j->in->dim, 1u << j->axis | (j->beside < 0 ? 0 : 1u << j->beside), i, index);
  *from += hed__offset_at(j->in->ndim, index, j->in->stride);
  *to += hed__offset_at(j->in->ndim, index, j->out->stride);
}

/* The piece from element AT of N, which lie at FROM. */
static double run_piece(const job *j, int64_t n, int64_t at, const char *from, char *to, bool store, double before)
{
  const int64_t size = hed__id_size(j->compute);
  return j->whole(CPU_MIN(n - at, PIECE_ELEMENTS), from + at * size, to + at * size, j->streams, store, before);
}

/* A slice whose pieces several threads take in turn. */
typedef struct relay {
  const job *j;
  const char *from;
  char *to;
  int64_t n;
  _Alignas(64) _Atomic(int64_t) taken; /* pieces that somebody has begun */
  _Alignas(64) _Atomic(int64_t) known; /* the piece of which is known what comes before it: */
  double before;
} relay;

/* Until PIECE_ELEMENTS is the one that is known. Whoever has the one before runs, or waits for the processor. */
static void await(relay *r, int64_t piece)
{
  enum { TRIES = 1 << 14 };
  for (int tries = TRIES; atomic_load_explicit(&r->known, memory_order_acquire) != piece;)
    if (tries > 0) {
      tries--;
      cpu_relax();
    } else {
      sched_yield();
    }
}

static void run_relay(void *arg, int32_t part, int32_t parts)
{
  relay *r = arg;
  (void)part, (void)parts;
  for (int64_t k; (k = atomic_fetch_add(&r->taken, 1)) * PIECE_ELEMENTS < r->n;) {
    const bool known = atomic_load_explicit(&r->known, memory_order_acquire) == k;
    const double sum = known ? run_piece(r->j, r->n, k * PIECE_ELEMENTS, r->from, r->to, true, r->before)
                             : run_piece(r->j, r->n, k * PIECE_ELEMENTS, r->from, r->to, false, 0);
    if (!known)
      await(r, k);
    const double before = r->before;
    r->before = before + sum;
    atomic_store_explicit(&r->known, k + 1, memory_order_release);
    if (!known)
      run_piece(r->j, r->n, k * PIECE_ELEMENTS, r->from, r->to, true, before);
  }
  if (r->j->streams)
    cpu_stream_end();
}

static void run_groups(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int64_t n = j->in->dim[j->axis], from_step = j->in->stride[j->axis], to_step = j->out->stride[j->axis];
  const bool together = j->beside >= 0;
  const int64_t in_step = together ? j->in->stride[j->beside] : from_step, out_step = together ? j->out->stride[j->beside] : to_step;
  const bool direct = !j->narrow && j->compute == j->type && j->out->dtype == j->type && in_step == j->size && out_step == j->size;
  _Alignas(64) char block[BLOCK_ELEMENTS * WIDEST], carry[BLOCK_ELEMENTS * WIDEST];
  for (int64_t i = begin; i < end; i++) {
    const char *from;
    char *to;
    int64_t width;
    locate(j, i, &from, &to, &width);
    if (j->whole && !together) {
      double before = -0.0; /* which changes nothing */
      for (int64_t k = 0; k < n; k += PIECE_ELEMENTS)
        before += run_piece(j, n, k, from, to, true, before);
      continue;
    }
    for (int64_t k = 0, m; k < n; k += m) {
      m = together ? 1 : direct ? n : CPU_MIN(n - k, BLOCK_ELEMENTS);
      const int64_t count = together ? width : m;
      const char *x = read_block(j, count, block, from + k * from_step, in_step);
      char *target = to + k * to_step, *out = written_at(j, block, target, out_step);
      const int64_t first = !together && k == 0; /* is its own carry */
      if (k == 0)
        start(j, together ? width : 1, out, x, carry);
      if (!together)
        j->loops->along(m - first, out + first * j->size, x + first * j->size, carry);
      else if (k > 0)
        j->loops->across(width, out, x, carry);
      if (out != target)
        j->deliver(count, target, out_step, out, j->size);
    }
  }
  if (j->streams)
    cpu_stream_end();
}

static int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }

static int32_t scan(const hed_call *call, cpu_scan op)
{
  static const int32_t widest[] = { HED_ID_UINT64, HED_ID_UINT64, HED_ID_INT64, HED_ID_FLOAT64, HED_ID_COMPLEX128 };
  const hed_scan_params *p = call->params;
  job j = { .in = call->in[0], .out = call->out[0], .axis = p->axis, .beside = -1, .compute = call->compute };
  j.type = cpu_k->scan[op][j.compute].along ? j.compute : widest[hed__id_kind(j.compute)];
  j.loops = &cpu_k->scan[op][j.type];
  j.size = hed__id_size(j.type);
  j.widened = j.type == HED_ID_FLOAT32 && op <= CPU_SCAN_PROD;
  j.narrow = j.in->dtype == j.compute ? NULL : cpu_k->cast(j.in->dtype, j.compute);
  j.widen = cpu_k->cast(j.compute, j.type);
  j.deliver = cpu_k->cast(j.type, j.out->dtype);
  int64_t n = j.in->dim[j.axis];
  if (op == CPU_SCAN_SUM && !j.narrow && j.out->dtype == j.compute && j.in->stride[j.axis] == hed__id_size(j.compute)
      && j.out->stride[j.axis] == hed__id_size(j.compute))
    j.whole = cpu_k->reduce[j.compute].scan_sum;
  j.groups = 1;
  for (int32_t k = 0; k < j.in->ndim; k++)
    if (k != j.axis) {
      j.groups *= j.in->dim[k];
      if (j.in->dim[k] >= 8 && distance(j.in->stride[k]) < distance(j.in->stride[j.axis])
          && (j.beside < 0 || distance(j.in->stride[k]) < distance(j.in->stride[j.beside])))
        j.beside = k;
    }
  j.streams = j.whole && j.beside < 0 && n * j.size >= CPU_STREAM_BLOCK
           && cpu_stream_large((size_t)(hed__view_size(j.out) * hed__id_size(j.compute)));
  double work = 4 * (double)n * (double)j.groups;
  if (n == 0 || j.groups == 0)
    return HED_OK;
  int64_t bundles = 1;
  if (j.beside >= 0) {
    bundles = (j.in->dim[j.beside] + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    j.groups = j.groups / j.in->dim[j.beside] * bundles;
  }
  const bool relayed = j.streams && j.groups < call->max_threads && n >= 4 * PIECE_ELEMENTS;
  for (int64_t i = 0; i < j.groups && relayed; i++) {
    int64_t width;
    relay r = { .j = &j, .n = n, .before = -0.0 };
    locate(&j, i, &r.from, &r.to, &width);
    cpu_parallel_parts(call, n / PIECE_ELEMENTS, work / (double)j.groups, run_relay, &r);
  }
  /* threads that write to the same line of every row wait for it: short rows are not divided */
  const bool divided = bundles * BLOCK_ELEMENTS * hed__id_size(j.out->dtype) >= 2 * LONG_ROW_BYTES;
  if (!relayed)
    cpu_parallel_for(call, j.groups, divided ? 1 : bundles, work, run_groups, &j);
  return HED_OK;
}

#define ROW(name, op)                                        \
  int32_t cpu_##name(void *state, const hed_call *call)      \
  {                                                          \
    (void)state;                                             \
    return scan(call, op);                                   \
  }
ROW(cumsum, CPU_SCAN_SUM)
ROW(cumprod, CPU_SCAN_PROD)
ROW(cummax, CPU_SCAN_MAX)
ROW(cummin, CPU_SCAN_MIN)
