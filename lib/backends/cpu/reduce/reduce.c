// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions: sum and mean (integers: fold.c), var, std, max, min, argmax, argmin; nansum, nanmax, nanmin, by loops that pass over
 * NaN. L1.
 *
 * Kept axes and reduced axes are walked apart, each sorted by how far apart neighbours are. Where results lie closer
 * together than the elements of one, or one has few elements in a row or runs of them in many rows, whole rows are
 * accumulated column by column (reduce_columns.c, reduce_argextreme.c); else every result gathers its own elements
 * (reduce_slice.c). Sums accumulate in double.
 */
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/reduce/fold.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

/* Results of no elements: sum 0; mean and var 0 / 0. */
static void fill_empty(const cpu_reduce_job *j)
{
  const double v = j->kind == CPU_SUM ? 0 : (double)NAN, both[2] = { v, v };
  for (int64_t i = 0; i < j->results; i++) {
    char *at[2];
    hed__nest_at(&j->kept, i, at);
    j->deliver(1, at[1], 16, (const char *)both, 16);
  }
}

/* Do whole rows go together? Of few columns they do where they lie one right after the other. */
static bool by_columns(const cpu_reduce_job *j)
{
  enum { FEW_ROWS = 16, WIDE_ROW_ELEMENTS = 32, NARROW_ROW_ELEMENTS = 8 };
  const int64_t size = hed__id_size(j->given);
  const int32_t kept = j->kept.ndim - 1, reduced = j->gone.ndim - 1;
  const int64_t width = j->kept.dim[kept], near = j->kept.stride[0][kept], far = j->gone.stride[0][reduced];
  if (width < 2
      || (j->kind >= CPU_ARGMAX && (reduced > 0 || far < 0 || (j->cast && !cpu_reduce_deinterleaves(j) && !cpu_reduce_narrow(j)))))
    return false;
  if (near < far)
    return width >= NARROW_ROW_ELEMENTS || (reduced == 0 && near == size && far == width * size);
  return j->gone.dim[reduced] < FEW_ROWS && width >= WIDE_ROW_ELEMENTS;
}

/* Are results runs of neighbours, side by side in each of several rows? Short runs of many rows take longer one by one; of what
 * comes from memory, not the last-level cache, longer ones too, as they are read in its order. */
static bool by_runs(const cpu_reduce_job *j)
{
  enum { ROWS = 8, PER_ROW = 50, NEAR = 1600, FAR_ROWS = 16, FAR = 8192 /* bytes of a run */ };
  const int32_t kept = j->kept.ndim - 1, reduced = j->gone.ndim - 1;
  const int64_t run = j->gone.dim[reduced], rows = j->count / run, bytes = run * j->size;
  if (j->kind >= CPU_ARGMAX || j->cast || j->take || j->make || reduced == 0 || j->gone.stride[0][reduced] != j->size
      || j->kept.stride[0][kept] != bytes || rows < ROWS)
    return false;
  if (rows >= FAR_ROWS && cpu_stream_large((size_t)(j->count * j->results * j->size / 2)))
    return bytes <= FAR;
  return bytes <= CPU_MIN(NEAR, rows * PER_ROW);
}

/* The last reduced axis goes to the last kept one. */
static int32_t run_runs(const cpu_reduce_job *j)
{
  cpu_reduce_job mine = *j;
  const int32_t kept = j->kept.ndim - 1;
  const int64_t run = j->gone.dim[--mine.gone.ndim];
  mine.kept.dim[kept] *= run;
  mine.kept.stride[0][kept] = j->size;
  mine.results *= run;
  mine.count /= run;
  return cpu_reduce_columns(&mine, run);
}

void cpu_reduce_split(cpu_reduce_job *j, const hed_view *in, const hed_view *out, uint32_t axes)
{
  const bool ordered = j->kind >= CPU_ARGMAX; /* the index is of the element in the order of the axes */
  hed__nest_axes(&j->gone, 1, &in, axes, ordered ? 0 : HED__NEST_REORDER);
  hed__nest_axes(&j->kept, 2, (const hed_view *const[]){ in, out }, ~axes, HED__NEST_REORDER);
  j->kept.data[0] += j->gone.data[0] - (char *)in->data;
  j->given = in->dtype;
  j->count = hed__nest_elements(&j->gone);
  j->results = hed__nest_elements(&j->kept);
}

int32_t cpu_reduce_run(cpu_reduce_job *j)
{
  if (by_runs(j))
    return run_runs(j);
  if (!by_columns(j))
    return cpu_reduce_slices(j);
  return j->kind >= CPU_ARGMAX ? cpu_reduce_argextremes(j) : cpu_reduce_columns(j, 1);
}

/* Sums of float16 and bfloat16 to float32 need no conversion where there are loops that read them. NUMBERS: without NaN. */
static void sum_half(cpu_reduce_job *j, int type, bool numbers)
{
  if (j->kind > CPU_MEAN || j->type != HED_ID_FLOAT32 || (type != HED_ID_FLOAT16 && type != HED_ID_BFLOAT16))
    return;
  const cpu_reduce_loops *loops = &(*cpu_k->half_sums)[numbers][type == HED_ID_BFLOAT16];
  if (!loops->sum)
    return;
  j->loops = loops;
  j->size = hed__id_size(type);
  j->cast = NULL;
}

/* LOOPS: by type. */
static int32_t reduce(const hed_call *call, cpu_reduction what, const cpu_reduce_loops *loops)
{
  const hed_reduce_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  cpu_reduce_job j = { .kind = what, .call = call, .type = call->compute, .cost = 0.5 };
  j.loops = &loops[j.type];
  j.size = hed__id_size(j.type);
  j.parts = hed__id_kind(j.type) == HED_KIND_COMPLEX ? 2 : 1;
  j.cast = in->dtype == j.type ? NULL : hed__cast(in->dtype, j.type);
  j.deliver = hed__cast(what >= CPU_ARGMAX ? (int)HED_ID_INT64 : what >= CPU_MAX ? j.type
                        : j.parts == 2 && !cpu_is_square(&j) ? (int)HED_ID_COMPLEX128 : (int)HED_ID_FLOAT64, out->dtype);
  j.skipnan = loops == cpu_k->skipnan;
  j.scaled = true;
  sum_half(&j, in->dtype, j.skipnan);
  cpu_reduce_split(&j, in, out, p->axes);
  if (j.results == 0)
    return HED_OK;
  j.divisor = cpu_is_square(&j) ? (double)j.count - p->ddof : (double)j.count;
  if (j.divisor < 0)
    j.divisor = 0;
  if (j.count == 0) {
    fill_empty(&j);
    return HED_OK;
  }
  return cpu_reduce_run(&j);
}

static int32_t all(const hed_call *call, cpu_reduction what)
{
  return cpu_reduce_flat(call, what) ? HED_OK : reduce(call, what, cpu_k->reduce);
}

int32_t cpu_reduce_moment(const hed_call *call)
{
  return all(call, call->op == HED_OP_MEAN ? CPU_MEAN : call->op == HED_OP_VAR ? CPU_VAR : CPU_STD);
}

#define ROW(name, run)                                               \
  static int32_t name##_row(void *state, const hed_call *call)       \
  {                                                                  \
    (void)state;                                                     \
    return run;                                                      \
  }
ROW(sum, hed__id_kind(call->compute) < HED_KIND_FLOAT ? cpu_sum_int(call) : all(call, CPU_SUM))
ROW(mean, cpu_mean_is_int(call) ? cpu_mean_int(call) : all(call, CPU_MEAN))
ROW(var, all(call, CPU_VAR))
ROW(std, all(call, CPU_STD))
ROW(max, all(call, CPU_MAX))
ROW(min, all(call, CPU_MIN))
ROW(argmax, all(call, CPU_ARGMAX))
ROW(argmin, all(call, CPU_ARGMIN))
ROW(nansum, reduce(call, CPU_SUM, cpu_k->skipnan))
ROW(nanmax, reduce(call, CPU_MAX, cpu_k->skipnan))
ROW(nanmin, reduce(call, CPU_MIN, cpu_k->skipnan))

int cpu_reduce_rows(hed_op_entry *out)
{
  uint32_t sums = 0, extremes = 0, whole = 0, ordered = 0;
  for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++) {
    whole |= (uint32_t)(hed__id_kind(t) < HED_KIND_FLOAT) << t;
    sums |= (uint32_t)(cpu_k->reduce[t].sum != NULL) << t;
    extremes |= (uint32_t)(cpu_k->reduce[t].max != NULL) << t;
    ordered |= (uint32_t)(cpu_k->skipnan[t].max != NULL) << t;
  }
  const hed_op_entry rows[] = {
    { "sum", sum_row, sums | whole },      { "mean", mean_row, sums },     { "var", var_row, sums },
    { "std", std_row, sums },       { "max", max_row, extremes },   { "min", min_row, extremes },
    { "argmax", argmax_row, extremes }, { "argmin", argmin_row, extremes },
    { "nansum", nansum_row, sums }, { "nanmax", nanmax_row, ordered }, { "nanmin", nanmin_row, ordered },
  };
  memcpy(out, rows, sizeof rows);
  return (int)(sizeof rows / sizeof *rows);
}
