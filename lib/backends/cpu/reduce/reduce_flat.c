// SPDX-License-Identifier: BSD-3-Clause
/*
 * The short way of small reductions: for calls that say that there is nothing to look at. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/reduce/reduce.h"
#include <math.h>
#include <string.h>

bool cpu_reduce_flat(const hed_call *call, cpu_reduction what)
{
  enum { MOST = 65536 };
  const int64_t n = call->flat;
  const bool single = call->compute == HED_ID_FLOAT32;
  if (n <= 0 || n > MOST || what >= CPU_ARGMAX || !(single || call->compute == HED_ID_FLOAT64))
    return false;
  const cpu_reduce_loops *loops = &cpu_k->reduce[call->compute];
  const void *x = call->in[0]->data;
  void *out = call->out[0]->data;
  if (what >= CPU_MAX) {
    memcpy(out, x, single ? sizeof(float) : sizeof(double));
    (what == CPU_MAX ? loops->max : loops->min)(n, x, out);
    return true;
  }
  double sum[2] = { 0, 0 };
  loops->sum(n, x, sum);
  if (what == CPU_VAR || what == CPU_STD) {
    const double divisor = (double)n - ((const hed_reduce_params *)call->params)->ddof, mean[2] = { sum[0] / (double)n, 0 };
    sum[0] = 0;
    loops->sum_sq(n, x, mean, sum);
    sum[0] /= divisor < 0 ? 0 : divisor;
    if (what == CPU_STD)
      sum[0] = sqrt(sum[0]);
  } else if (what == CPU_MEAN) {
    sum[0] /= (double)n;
  }
  if (single)
    *(float *)out = (float)sum[0];
  else
    *(double *)out = sum[0];
  return true;
}
