// SPDX-License-Identifier: BSD-3-Clause
/*
 * Random numbers: base/random/random.h in pieces, one per thread at a time. L1.
 *
 * Element i depends on its C-order index alone, so pieces give the same bits in any number and order.
 * Pieces begin at multiples of four elements, where Philox blocks begin.
 */
#include "base/random/random.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/random/random_rows.h"
#include "base/shape.h"
#include "base/random/variates.h"
#include <heddle/ops.h>
#include <string.h>

typedef struct job {
  const hed_random_params *p;
  const hed_view *out, *a, *b; /* operands that hold the parameters, or NULL */
  bool packed, streamed; /* one run of elements; by non-temporal stores */
} job;

enum { BLOCK_ELEMENTS = 512 };

/* Elements [begin, begin + n) in C order between a view with strides and a block. */
static void move(const hed_view *v, int64_t begin, int64_t n, char *block, size_t size, bool out)
{
  int64_t index[HED_MAX_NDIM];
  hed__index_of(v->ndim, v->dim, begin, index);
  char *at = (char *)v->data + hed__offset_at(v->ndim, index, v->stride);
  for (int64_t i = 0; i < n; i++) {
    memcpy(out ? at : block + (size_t)i * size, out ? block + (size_t)i * size : at, size);
    for (int32_t k = v->ndim - 1; k >= 0; k--) {
      at += v->stride[k];
      if (++index[k] < v->dim[k])
        break;
      at -= v->stride[k] * v->dim[k];
      index[k] = 0;
    }
  }
}

static void run(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const hed_view *out = j->out;
  size_t size = (size_t)hed__id_size(out->dtype);
  if (j->streamed) {
    enum { PART = 16 * CPU_STREAM_BLOCK };
    CPU_IN_ROOM(char, part, PART);
    const int64_t per = (int64_t)(PART / size);
    for (int64_t i = begin; i < end; i += per) {
      const int64_t n = CPU_MIN(end - i, per);
      cpu_k->random_fill(j->p, out->dtype, i, n, part);
      cpu_stream((char *)out->data + (size_t)i * size, part, (size_t)n * size);
    }
    cpu_stream_end();
    return;
  }
  if (j->packed) {
    cpu_k->random_fill(j->p, out->dtype, begin, end - begin, (char *)out->data + (size_t)begin * size);
    return;
  }
  CPU_IN_ROOM(double, a, 4 * BLOCK_ELEMENTS);
  double *const b = a + BLOCK_ELEMENTS;
  char *const block = (char *)(b + BLOCK_ELEMENTS);
  for (int64_t i = begin; i < end; i += BLOCK_ELEMENTS) {
    int64_t n = CPU_MIN(end - i, BLOCK_ELEMENTS);
    if (j->a) {
      move(j->a, i, n, (char *)a, sizeof *a, false);
      move(j->b, i, n, (char *)b, sizeof *b, false);
      cpu_k->variates(j->p, out->dtype, i, n, block, a, b);
    } else {
      cpu_k->random_fill(j->p, out->dtype, i, n, block);
    }
    move(out, i, n, block, size, true);
  }
}

/* Are the parameters of all elements the same? */
static bool repeated(const job *j)
{
  bool same = true;
  for (int32_t k = 0; k < j->out->ndim; k++)
    same = same && (j->out->dim[k] == 1 || (j->a->stride[k] == 0 && j->b->stride[k] == 0));
  return same;
}

/* The parameters of N elements are checked before anything is written. */
static int32_t check(const job *j, int64_t n)
{
  double a[BLOCK_ELEMENTS], b[BLOCK_ELEMENTS];
  for (int64_t i = 0; i < n; i += BLOCK_ELEMENTS) {
    int64_t count = CPU_MIN(n - i, BLOCK_ELEMENTS);
    move(j->a, i, count, (char *)a, sizeof *a, false);
    move(j->b, i, count, (char *)b, sizeof *b, false);
    for (int64_t k = 0; k < count; k++) {
      const char *fault = hed__variate_fault(j->p->kind, a[k], b[k]);
      if (fault)
        return cpu_host->fail(HED_E_INVAL, "random: element %lld has parameters %g and %g; %s", (long long)(i + k), a[k], b[k],
                              fault);
    }
  }
  return HED_OK;
}

/* Of one element, in units of CPU_GRAIN's. */
static double cost(int kind)
{
  return kind >= HED_RANDOM_TRUNCATED_NORMAL ? 500 : kind > HED_RANDOM_INTEGERS ? 20 : 10;
}

int32_t cpu_random(void *state, const hed_call *call)
{
  (void)state;
  const hed_view *out = call->out[0];
  int64_t n = hed__view_size(out);
  if (n == 0)
    return HED_OK;
  hed_random_params one;
  job j = { .p = call->params, .out = out };
  int32_t status = HED_OK;
  if (call->n_in == 2) {
    j.a = call->in[0];
    j.b = call->in[1];
    const bool same = repeated(&j);
    status = check(&j, same ? 1 : n);
    if (same) { /* as if they had been no operands */
      one = *j.p;
      memcpy(&one.a, j.a->data, sizeof one.a);
      memcpy(&one.b, j.b->data, sizeof one.b);
      j.p = &one;
      j.a = j.b = NULL;
    }
  }
  j.packed = !j.a && hed__is_c_contiguous(out);
  j.streamed = j.packed && cpu_stream_pays(out->data, (size_t)n * (size_t)hed__id_size(out->dtype));
  if (status == HED_OK)
    cpu_parallel_for(call, n, 4096, cost(j.p->kind) * (double)n, run, &j);
  return status;
}

/* ---- categories, shares, orthonormal matrices ---- */

typedef struct row_job {
  const hed_call *call;
  double *work;
  int64_t size, rows;  /* of work per part */
  int64_t bad;         /* the least row that cannot be used, or ROWS */
} row_job;

static void run_rows(void *arg, int32_t part, int32_t parts)
{
  row_job *j = arg;
  int64_t begin = j->rows * part / parts, end = j->rows * (part + 1) / parts;
  int64_t bad = cpu_k->random_rows(j->call, begin, end, j->work + part * j->size), least = __atomic_load_n(&j->bad, __ATOMIC_RELAXED);
  while (bad >= 0 && bad < least && !__atomic_compare_exchange_n(&j->bad, &least, bad, false, __ATOMIC_RELAXED,
                                                                 __ATOMIC_RELAXED))
    continue;
}

int32_t cpu_random_rows(void *state, const hed_call *call)
{
  (void)state;
  const char *name = hed__random_row_name(call);
  row_job j = { .call = call, .size = hed__random_row_work(call), .rows = hed__random_row_count(call) };
  if (j.rows == 0)
    return HED_OK;
  int64_t parts = CPU_MIN(j.rows, call->max_threads), total;
  size_t bytes;
  if (j.size < 0 || __builtin_mul_overflow(j.size, parts, &total) || __builtin_mul_overflow((size_t)total, sizeof(double), &bytes)
      || !(j.work = cpu_scratch_get(bytes)))
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory for %lld rows of work space", name, (long long)parts);
  j.bad = j.rows;
  double n = (double)call->out[0]->dim[call->out[0]->ndim - 1];
  double each = call->op == HED_OP_RANDOM_HAAR ? 4 * n * n * n : 60 * (n + (double)call->in[0]->dim[call->in[0]->ndim - 1]);
  cpu_parallel_parts(call, parts, each * (double)j.rows, run_rows, &j);
  cpu_scratch_put(j.work);
  if (j.bad < j.rows)
    return cpu_host->fail(HED_E_INVAL, HED__RANDOM_ROW_FAULT, name, (long long)j.bad);
  return HED_OK;
}
