// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quantiles over the last axis by selection. L1.
 *
 * A lane is copied as float64 without NaN; each wanted rank is put in its place by quickselect with three parts (C. A. R.
 * Hoare, Algorithm 65: Find, CACM 4, 1961), whose pivots come from a fixed sequence, so that no order of the elements is
 * a bad one for all lanes. Ranks are taken in ascending order: what is left of one is settled for the next.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/parallel.h"
#include "base/cast.h"
#include "base/quantile.h"
#include <string.h>

typedef struct job {
  const hed_view *in, *out;
  const hed_quantile_params *p;
  int compute;
  int32_t order[HED_QUANTILE_MOST]; /* q by rank */
  int64_t n, lanes;
  double *scratch;
} job;

static void swap(double *a, double *b)
{
  double t = *a;
  *a = *b;
  *b = t;
}

/* x[k] becomes what it would be in [low, high) sorted; smaller ones come before, larger ones after. */
static void select_rank(double *x, int64_t low, int64_t high, int64_t k)
{
  uint64_t random = 0x9e3779b97f4a7c15u;
  while (high - low > 1) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    double pivot = x[low + (int64_t)((random >> 33) % (uint64_t)(high - low))];
    int64_t less = low, more = high, i = low; /* [low, less) < pivot, [less, i) equal, [more, high) > pivot */
    while (i < more)
      if (x[i] < pivot)
        swap(&x[i++], &x[less++]);
      else if (x[i] > pivot)
        swap(&x[i], &x[--more]);
      else
        i++;
    if (k < less)
      high = less;
    else if (k >= more)
      low = more;
    else
      return;
  }
}

static void run_lane(const job *j, int64_t lane, double *x)
{
  const int32_t axis = j->in->ndim - 1;
  const char *from = j->in->data;
  char *to = j->out->data;
  for (int32_t k = axis - 1; k >= 0; k--) {
    from += lane % j->in->dim[k] * j->in->stride[k];
    to += lane % j->in->dim[k] * j->out->stride[k + 1];
    lane /= j->in->dim[k];
  }
  const int64_t n = j->n, step = j->in->stride[axis];
  int64_t m = 0;
  if (j->compute == HED_ID_FLOAT32 && j->in->dtype != HED_ID_FLOAT32) { /* rounded to float32 on the way */
    float block[256];
    for (int64_t i = 0; i < n; i += 256) {
      int64_t c = CPU_MIN(n - i, 256);
      hed__cast(j->in->dtype, HED_ID_FLOAT32)(c, (char *)block, 4, from + i * step, step);
      hed__cast(HED_ID_FLOAT32, HED_ID_FLOAT64)(c, (char *)(x + i), 8, (char *)block, 4);
    }
  } else {
    hed__cast(j->in->dtype, HED_ID_FLOAT64)(n, (char *)x, 8, from, step);
  }
  for (int64_t i = 0; i < n; i++)
    if (x[i] == x[i])
      x[m++] = x[i];
  bool none = m == 0 || (m < n && !j->p->omit_nan);
  hed__cast_fn deliver = hed__cast(HED_ID_FLOAT64, j->out->dtype);
  int64_t settled = 0;
  for (int32_t i = 0; i < j->p->n; i++) {
    int32_t k = j->order[i];
    double v = NAN;
    if (!none) {
      hed__ranks r = hed__quantile_ranks(m, j->p->q[k], j->p->method);
      for (int side = 0; side < 2; side++) {
        int64_t rank = side ? r.high : r.low;
        if (rank >= settled) {
          select_rank(x, settled, m, rank);
          settled = rank + 1;
        }
      }
      v = hed__quantile_between(x[r.low], x[r.high], r.t);
    }
    deliver(1, to + k * j->out->stride[0], 0, (const char *)&v, 0);
  }
}

static void run_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  for (int64_t lane = part; lane < j->lanes; lane += parts)
    run_lane(j, lane, j->scratch + (int64_t)part * j->n);
}

int32_t cpu_quantile(void *state, const hed_call *call)
{
  (void)state;
  job j = { .in = call->in[0], .out = call->out[0], .p = call->params, .compute = call->compute };
  j.n = j.in->dim[j.in->ndim - 1];
  j.lanes = 1;
  for (int32_t k = 0; k < j.in->ndim - 1; k++)
    j.lanes *= j.in->dim[k];
  if (j.lanes == 0)
    return HED_OK;
  for (int32_t k = 0; k < j.p->n; k++) {
    int32_t i = k;
    for (; i > 0 && j.p->q[j.order[i - 1]] > j.p->q[k]; i--)
      j.order[i] = j.order[i - 1];
    j.order[i] = k;
  }
  int64_t parts = CPU_MIN(j.lanes, call->max_threads);
  j.scratch = cpu_scratch_get((size_t)(parts * j.n) * sizeof *j.scratch + 64);
  if (!j.scratch)
    return cpu_host->fail(HED_E_NOMEM, "quantile: no memory for a lane of %lld elements", (long long)j.n);
  cpu_parallel_parts(call, parts, 30 * (double)j.n * (double)j.lanes, run_part, &j);
  cpu_scratch_put(j.scratch);
  return HED_OK;
}
