// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small matrices, single or in batches, without LAPACK: groups of them go to the loops of batch.h, one matrix in each
 * lane. L1.
 */
#include "backends/cpu/kernels/linalg/batch.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/nest.h"
#include "base/shape.h"
#include <heddle/ops.h>
#include <stdatomic.h>

/* Orders up to which lanes may be idle: a call of LAPACK takes as long. */
enum { FULL_REAL = 8, FULL_COMPLEX = 4, FULL_ROTATED = 4 };
/* Rotations are more work than LAPACK's: up to which order, for each lane, they are ahead. */
enum { ROTATED_BY_LANE = 4 };

typedef struct groups {
  cpu_batch_fn fn;
  int64_t lanes, count;       /* of a group; matrices */
  hed__nest nest;             /* the batch: operands in, then those out that are wanted */
  cpu_batch b;
  int32_t index[CPU_BATCH_OUT]; /* of a result among the nest's operands */
  int32_t n_in;
  _Atomic int64_t failed;     /* CPU_BATCH_ORDER times the first matrix that failed, and its step; -1: none */
  uint16_t *left;             /* of functions that leave lanes: those of each group */
} groups;

/* Matrices FIRST on of operand K, one for each lane. */
static void lanes_of(const groups *g, int k, int64_t first, int64_t count, const char **at)
{
  const hed__nest *s = &g->nest;
  const int last = s->ndim - 1;
  int64_t index[HED_MAX_NDIM], lane = 0;
  hed__index_of(s->ndim, s->dim, first, index);
  const char *p = s->data[k] + hed__offset_at(s->ndim, index, s->stride[k]);
  if (last == 0)
    for (; lane < count; lane++)
      at[lane] = p + lane * s->stride[k][0];
  while (lane < count) {
    for (; lane < count && index[last] < s->dim[last]; index[last]++, p += s->stride[k][last])
      at[lane++] = p;
    for (int a = last; a > 0 && index[a] == s->dim[a]; a--) {
      p += s->stride[k][a - 1] - s->dim[a] * s->stride[k][a];
      index[a] = 0;
      index[a - 1]++;
    }
  }
  for (; lane < g->lanes; lane++)
    at[lane] = at[count - 1];
}

static void run_groups(void *arg, int64_t begin, int64_t end)
{
  groups *g = arg;
  cpu_batch b = g->b;
  CPU_IN_ROOM(char, room, CPU_BATCH_ROOM + CPU_BATCH_SPARE);
  b.room = room;
  for (int k = 0; k < CPU_BATCH_IN; k++)
    b.in[k].spare = room + CPU_BATCH_ROOM;
  for (int k = 0; k < CPU_BATCH_OUT; k++)
    b.out[k].spare = room + CPU_BATCH_ROOM;
  for (int64_t q = begin; q < end; q++) {
    const int64_t first = q * g->lanes;
    b.count = CPU_MIN(g->lanes, g->count - first);
    for (int k = 0; k < g->n_in; k++)
      lanes_of(g, k, first, b.count, b.in[k].at);
    for (int k = 0; k < CPU_BATCH_OUT; k++)
      if (b.want[k])
        lanes_of(g, g->index[k], first, b.count, b.out[k].at);
    const int64_t failed = g->fn(&b);
    if (g->left)
      g->left[q] = (uint16_t)failed;
    if (g->left || failed < 0)
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

/* The index of DTYPE among the loops' types; CPU_BATCH_TYPES: it has none. */
static int type_of(int dtype)
{
  static const int types[CPU_BATCH_TYPES] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128 };
  int type = 0;
  while (type < CPU_BATCH_TYPES && types[type] != dtype)
    type++;
  return type;
}

static int64_t batch_of(const hed_view *a)
{
  int64_t count = 1;
  for (int i = 0; i < a->ndim - 2; i++)
    count *= a->dim[i];
  return count;
}

/* CALL's operands, the last AXES axes of each result its matrices and DTYPES their types; the number of them, or -1 where a
 * type is another. */
static int32_t take_operands(groups *g, const hed_call *call, const int *axes, const int *dtypes)
{
  hed_view batch[CPU_BATCH_IN + CPU_BATCH_OUT];
  const hed_view *all[CPU_BATCH_IN + CPU_BATCH_OUT];
  int32_t operands = 0;
  g->n_in = call->n_in;
  for (int i = 0; i < call->n_in; i++) {
    if (call->in[i]->dtype != call->compute)
      return -1;
    take_side(&batch[operands++], call->in[i], 2, hed__id_size(call->compute), &g->b.in[i]);
  }
  for (int i = 0; i < call->n_out; i++) {
    const hed_view *v = call->out[i];
    if (!v)
      continue;
    if (v->dtype != dtypes[i])
      return -1;
    g->b.want[i] = true;
    g->index[i] = operands;
    take_side(&batch[operands++], v, axes[i], hed__id_size(v->dtype), &g->b.out[i]);
  }
  for (int i = 0; i < operands; i++)
    all[i] = &batch[i];
  hed__nest_init(&g->nest, operands, all, 0);
  return operands;
}

/* WORK: operations in a matrix. */
static void run(groups *g, const hed_call *call, double work)
{
  cpu_parallel_for(call, (g->count + g->lanes - 1) / g->lanes, 1, 2 * work * (double)g->count / (double)g->lanes, run_groups, g);
}

bool cpu_lapack_batch(const hed_call *call, const char *op, int32_t *status)
{
  const hed_view *a = call->in[0];
  const int dtype = call->compute, type = type_of(dtype);
  const int64_t n = a->dim[a->ndim - 1], k = call->n_in > 1 ? call->in[1]->dim[call->in[1]->ndim - 1] : 0;
  if (type == CPU_BATCH_TYPES || n < 1 || n > CPU_BATCH_ORDER || a->dim[a->ndim - 2] != n || k > CPU_BATCH_ORDER)
    return false;
  const cpu_batch_loops *loops = &cpu_batches[type];
  groups g = { .lanes = loops->lanes, .b = { .n = n, .k = k }, .count = batch_of(a), .failed = -1 };
  if (n > (type < 2 ? FULL_REAL : FULL_COMPLEX) && 2 * g.count < g.lanes)
    return false;
  static const int axes[2][CPU_BATCH_OUT] = { { 2, 2, 2, 0 }, { 1, 2, 2, 0 } }, of_det[CPU_BATCH_OUT] = { 0 };
  const bool is_lu = call->op == HED_OP_LU, is_det = call->op == HED_OP_DET;
  const int dtypes[CPU_BATCH_OUT] = { is_lu ? HED_ID_INT64 : dtype, dtype, dtype, dtype };
  g.fn = is_lu ? loops->lu : is_det ? loops->det : call->op == HED_OP_CHOLESKY ? loops->cholesky : loops->solve;
  const int32_t operands = take_operands(&g, call, is_det ? of_det : axes[is_lu], dtypes);
  if (operands < 0)
    return false;
  *status = HED_OK;
  if (g.count == 0 || operands == call->n_in)
    return true;
  if (call->op == HED_OP_CHOLESKY && ((const hed_cholesky_params *)call->params)->upper) { /* all of it turned */
    g.b.in[0] = (cpu_batch_side){ .row = g.b.in[0].col, .col = g.b.in[0].row };
    g.b.out[0] = (cpu_batch_side){ .row = g.b.out[0].col, .col = g.b.out[0].row };
  }
  const double size = (double)n;
  run(&g, call, size * size * (size + 2 * (double)k + 8) * (type < 2 ? 1 : 4));
  const int64_t failed = atomic_load(&g.failed);
  if (failed >= 0) {
    const lapack l = { .call = call, .op = op, .batch_axes = a->ndim - 2 };
    const int64_t at = failed / CPU_BATCH_ORDER;
    const int info = (int)(failed % CPU_BATCH_ORDER) + 1;
    *status = call->op == HED_OP_CHOLESKY ? cpu_lapack_report_minor(&l, at, info) : cpu_lapack_report_singular(&l, at, info);
  }
  return true;
}

/* ---- functions that leave lanes ---- */

/* L is for the matrices that are LEFT; false: for none. */
static bool keep_left(lapack *l, const groups *g)
{
  int64_t count = 0;
  for (int64_t q = 0; q * g->lanes < g->count; q++)
    count += __builtin_popcount(g->left[q]);
  if (count == 0)
    return false;
  l->which = cpu_scratch_get((size_t)count * sizeof *l->which);
  if (!l->which) /* all of them again */
    return true;
  l->batch = count;
  for (int64_t q = g->count / g->lanes; q >= 0; q--)
    for (int64_t lane = g->lanes - 1; lane >= 0; lane--)
      if (q * g->lanes + lane < g->count && g->left[q] >> lane & 1)
        l->which[--count] = q * g->lanes + lane;
  return true;
}

bool cpu_lapack_lanes(lapack *l)
{
  const hed_call *call = l->call;
  const int type = type_of(l->dtype), real = hed__real_of(l->dtype);
  const int64_t longest = CPU_MAX(l->m, l->n);
  if (type == CPU_BATCH_TYPES || l->k < 1 || longest > CPU_BATCH_ORDER || l->batch < 1)
    return false;
  const cpu_batch_loops *loops = &cpu_batches[type];
  groups g = { .lanes = loops->lanes, .b = { .m = l->m, .n = l->n }, .count = l->batch, .failed = -1 };
  const bool is_qr = call->op == HED_OP_QR, is_svd = call->op == HED_OP_SVD;
  if (longest > (!is_qr ? FULL_ROTATED : type < 2 ? FULL_REAL : FULL_COMPLEX) && 2 * g.count < g.lanes)
    return false;
  if (!is_qr && longest > ROTATED_BY_LANE * g.lanes)
    return false;
  if (is_svd && l->m != l->n && ((const hed_svd_params *)call->params)->full_matrices)
    return false;
  const int of_qr[2] = { 2, 2 }, of_eigh[2] = { 1, 2 }, of_svd[3] = { 2, 1, 2 };
  const int dtypes[3] = { is_qr || is_svd ? l->dtype : real, is_svd ? real : l->dtype, l->dtype };
  const int32_t operands = take_operands(&g, call, is_qr ? of_qr : is_svd ? of_svd : of_eigh, dtypes);
  if (operands < 0)
    return false;
  if (operands == 1)
    return true;
  if (is_qr) {
    g.b.complete = ((const hed_qr_params *)call->params)->complete;
  } else if (!is_svd) {
    const hed_eigh_params *p = call->params;
    g.b.upper = p->upper;
    g.b.first = p->first;
    g.b.k = p->count;
  }
  g.fn = is_qr ? loops->qr : is_svd ? loops->svd : loops->eigh;
  g.left = cpu_scratch_get((size_t)((g.count + g.lanes - 1) / g.lanes) * sizeof *g.left);
  if (!g.left)
    return false;
  const double size = (double)l->m * (double)l->n * ((double)l->k + 4) * (type < 2 ? 1 : 4);
  run(&g, call, size * (is_qr ? 4 : 40));
  const bool done = !keep_left(l, &g);
  cpu_scratch_put(g.left);
  return done;
}
