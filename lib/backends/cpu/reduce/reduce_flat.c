// SPDX-License-Identifier: BSD-3-Clause
/*
 * The short way of small reductions: for calls that say that there is nothing to look at. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/reduce/moments.h"
#include <math.h>
#include <string.h>

/* Squared distances from the mean of real elements. */
static double squares(const cpu_reduce_loops *loops, int64_t size, int64_t n, const void *x)
{
  double about[2], sum[2] = { 0, 0 }, square[2] = { 0, 0 }, count = 0;
  cpu_moments_add(loops, size, 1, n, x, about, sum, square, &count);
  const double made = cpu_moments_squares(1, sum, square, count);
  if (isfinite(made))
    return made;
  sum[0] = square[0] = 0; /* as in reduce_slice.c */
  loops->sum(n, x, sum);
  about[0] = sum[0] / count;
  loops->sum_sq(n, x, about, square);
  return square[0];
}

bool cpu_reduce_flat(const hed_call *call, cpu_reduction what)
{
  enum { MOST_ELEMENTS = 65536 };
  const int64_t n = call->flat;
  const bool single = call->compute == HED_ID_FLOAT32;
  if (n <= 0 || n > MOST_ELEMENTS || what >= CPU_ARGMAX || !(single || call->compute == HED_ID_FLOAT64))
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
  double divisor = (double)n;
  if (what == CPU_VAR || what == CPU_STD) {
    divisor -= ((const hed_reduce_params *)call->params)->ddof;
    sum[0] = squares(loops, single ? 4 : 8, n, x) / (divisor < 0 ? 0 : divisor);
    if (what == CPU_STD)
      sum[0] = sqrt(sum[0]);
  } else {
    loops->sum(n, x, sum);
    if (what == CPU_MEAN)
      sum[0] /= (double)n;
  }
  if (divisor > 0 && cpu_reduce_left_range(what, !single, sum[0]))
    return false;
  if (single)
    *(float *)out = (float)sum[0];
  else
    *(double *)out = sum[0];
  return true;
}
