// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small matrices, single or in batches, without LAPACK: groups of them go to the loops of batch.h, one matrix in each
 * lane. L1.
 */
#include "backends/cpu/kernels/batch.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <stdatomic.h>

/* Orders up to which lanes may be idle: a call of LAPACK takes as long. */
enum { FULL_REAL = 8, FULL_COMPLEX = 4 };

typedef struct groups {
  cpu_batch_fn fn;
  int64_t lanes, count;       /* of a group; matrices */
  hed__nest nest;             /* the batch: operands in, then those out that are wanted */
  cpu_batch b;
  int32_t place[CPU_BATCH_OUT]; /* of a result among the nest's operands */
  int32_t n_in;
  _Atomic int64_t failed;     /* CPU_BATCH_ORDER times the first matrix that failed, and its step; -1: none */
} groups;

/* Matrices FIRST on of operand K, one for each lane. */
static void lanes_of(const groups *g, int k, int64_t first, int64_t count, const char **at)
{
  const hed__nest *s = &g->nest;
  const int last = s->ndim - 1;
  int64_t place[HED_MAX_NDIM], lane = 0;
  const char *p = s->data[k];
  for (int a = last; a >= 0; a--, first /= s->dim[a + 1]) {
    place[a] = first % s->dim[a];
    p += place[a] * s->stride[k][a];
  }
  if (last == 0)
    for (; lane < count; lane++)
      at[lane] = p + lane * s->stride[k][0];
  while (lane < count) {
    for (; lane < count && place[last] < s->dim[last]; place[last]++, p += s->stride[k][last])
      at[lane++] = p;
    for (int a = last; a > 0 && place[a] == s->dim[a]; a--) {
      p += s->stride[k][a - 1] - s->dim[a] * s->stride[k][a];
      place[a] = 0;
      place[a - 1]++;
    }
  }
  for (; lane < g->lanes; lane++)
    at[lane] = at[count - 1];
}

static void run_groups(void *arg, int64_t begin, int64_t end)
{
  groups *g = arg;
  cpu_batch b = g->b;
  for (int64_t q = begin; q < end; q++) {
    const int64_t first = q * g->lanes;
    b.count = CPU_MIN(g->lanes, g->count - first);
    for (int k = 0; k < g->n_in; k++)
      lanes_of(g, k, first, b.count, b.in[k].at);
    for (int k = 0; k < CPU_BATCH_OUT; k++)
      if (b.want[k])
        lanes_of(g, g->place[k], first, b.count, b.out[k].at);
    const int64_t failed = g->fn(&b);
    if (failed < 0)
      continue;
    const int64_t mine = first * CPU_BATCH_ORDER + failed;
    int64_t seen = atomic_load(&g->failed);
    while ((seen < 0 || mine < seen) && !atomic_compare_exchange_weak(&g->failed, &seen, mine))
      ;
    return;
  }
}

/* Adds operand V, of which the last AXES axes are each matrix, to the nest's; S gets their strides. */
static void take_side(hed_view *batch, const hed_view *v, int axes, int64_t size, cpu_batch_side *s)
{
  *batch = *v;
  batch->ndim = v->ndim - axes;
  const int64_t cols = axes == 2 ? v->dim[v->ndim - 1] : 1, rows = axes > 0 ? v->dim[batch->ndim] : 1;
  s->col = cols == 1 ? size : v->stride[v->ndim - 1]; /* of one line there is no step: the one that a dense matrix has */
  s->row = rows == 1 ? cols * size : v->stride[batch->ndim];
}

bool lapack_batch(const hed_call *call, const char *op, int32_t *status)
{
  const hed_view *a = call->in[0];
  static const int types[CPU_BATCH_TYPES] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128 };
  const int dtype = call->compute;
  const int64_t n = a->dim[a->ndim - 1], k = call->n_in > 1 ? call->in[1]->dim[call->in[1]->ndim - 1] : 0;
  int type = 0;
  while (type < CPU_BATCH_TYPES && types[type] != dtype)
    type++;
  if (type == CPU_BATCH_TYPES || n < 1 || n > CPU_BATCH_ORDER || a->dim[a->ndim - 2] != n || k > CPU_BATCH_ORDER)
    return false;
  const cpu_batch_loops *loops = &cpu_batches[type];
  int64_t count = 1;
  for (int i = 0; i < a->ndim - 2; i++)
    count *= a->dim[i];
  if (n > (type < 2 ? FULL_REAL : FULL_COMPLEX) && 2 * count < loops->lanes)
    return false;
  static const int axes[2][CPU_BATCH_OUT] = { { 2, 2, 2, 0 }, { 1, 2, 2, 0 } };
  const bool is_lu = call->op == HED_OP_LU, is_det = call->op == HED_OP_DET;
  groups g = { .lanes = loops->lanes, .b = { .n = n, .k = k }, .n_in = call->n_in, .count = count, .failed = -1 };
  hed_view batch[CPU_BATCH_IN + CPU_BATCH_OUT];
  const hed_view *all[CPU_BATCH_IN + CPU_BATCH_OUT];
  int32_t operands = 0;
  g.fn = is_lu ? loops->lu : is_det ? loops->det : call->op == HED_OP_CHOLESKY ? loops->cholesky : loops->solve;
  for (int i = 0; i < call->n_in; i++) {
    if (call->in[i]->dtype != dtype)
      return false;
    take_side(&batch[operands++], call->in[i], 2, hed__id_size(dtype), &g.b.in[i]);
  }
  for (int i = 0; i < call->n_out; i++) {
    const hed_view *v = call->out[i];
    if (!v)
      continue;
    if (v->dtype != (is_lu && i == 0 ? HED_ID_INT64 : dtype))
      return false;
    g.b.want[i] = true;
    g.place[i] = operands;
    take_side(&batch[operands++], v, is_det ? 0 : axes[is_lu][i], hed__id_size(v->dtype), &g.b.out[i]);
  }
  for (int i = 0; i < operands; i++)
    all[i] = &batch[i];
  *status = HED_OK;
  if (g.count == 0 || operands == call->n_in)
    return true;
  if (call->op == HED_OP_CHOLESKY && ((const hed_cholesky_params *)call->params)->upper) { /* all of it turned */
    g.b.in[0] = (cpu_batch_side){ .row = g.b.in[0].col, .col = g.b.in[0].row };
    g.b.out[0] = (cpu_batch_side){ .row = g.b.out[0].col, .col = g.b.out[0].row };
  }
  hed__nest_init(&g.nest, operands, all, false);
  const double size = (double)n, work = size * size * (size + 2 * (double)k + 8) * (type < 2 ? 1 : 4);
  cpu_parallel_for(call, (g.count + g.lanes - 1) / g.lanes, 1, work / 2 * (double)g.count / (double)g.lanes * 4, run_groups,
                   &g);
  const int64_t failed = atomic_load(&g.failed);
  if (failed >= 0) {
    const lapack l = { .call = call, .op = op, .batch_axes = a->ndim - 2 };
    const int64_t at = failed / CPU_BATCH_ORDER;
    const int info = (int)(failed % CPU_BATCH_ORDER) + 1;
    *status = call->op == HED_OP_CHOLESKY ? lapack_report_minor(&l, at, info) : lapack_report_singular(&l, at, info);
  }
  return true;
}
