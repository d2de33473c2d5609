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

/* Axis K of A walked forwards; B (may be NULL) goes along. *BASE is the address of A's first element. */
static void turn(hed_view *a, hed_view *b, int32_t k, char **base)
{
  if (a->stride[k] >= 0)
    return;
  *base += a->stride[k] * (a->dim[k] - 1);
  a->stride[k] = -a->stride[k];
  if (b) {
    b->data = (char *)b->data + b->stride[k] * (a->dim[k] - 1);
    b->stride[k] = -b->stride[k];
  }
}

/* Axes by falling distance of neighbours; of equal ones the order stays. */
static void arrange(hed_view *a, hed_view *b, char **base)
{
  for (int32_t k = 0; k < a->ndim; k++) {
    turn(a, b, k, base);
    int64_t dim = a->dim[k], stride = a->stride[k], other = b ? b->stride[k] : 0;
    int32_t i = k;
    for (; i > 0 && a->stride[i - 1] < stride; i--) {
      a->dim[i] = a->dim[i - 1];
      a->stride[i] = a->stride[i - 1];
      if (b)
        b->stride[i] = b->stride[i - 1];
    }
    a->dim[i] = dim;
    a->stride[i] = stride;
    if (b)
      b->stride[i] = other;
  }
}

/* Drops axes of extent 1 and merges neighbours, keeping the order; B may be NULL. */
static void simplify(hed_view *a, hed_view *b)
{
  int32_t n = 0;
  for (int32_t k = 0; k < a->ndim; k++) {
    if (a->dim[k] == 1)
      continue;
    if (n && a->stride[n - 1] == a->stride[k] * a->dim[k]
        && (!b || b->stride[n - 1] == b->stride[k] * a->dim[k])) {
      a->dim[n - 1] *= a->dim[k];
      a->stride[n - 1] = a->stride[k];
      if (b)
        b->stride[n - 1] = b->stride[k];
      continue;
    }
    a->dim[n] = a->dim[k];
    a->stride[n] = a->stride[k];
    if (b)
      b->stride[n] = b->stride[k];
    n++;
  }
  if (n == 0) {
    a->dim[0] = 1;
    a->stride[0] = hed__id_size(a->dtype);
    if (b)
      b->stride[0] = hed__id_size(b->dtype);
    n = 1;
  }
  a->ndim = n;
  if (b) {
    b->ndim = n;
    memcpy(b->dim, a->dim, sizeof b->dim);
  }
}

/* Results of no elements: sum 0; mean and var 0 / 0. */
static void fill_empty(const cpu_reduce_job *j)
{
  const double v = j->kind == CPU_SUM ? 0 : (double)NAN, both[2] = { v, v };
  for (int64_t i = 0; i < j->results; i++) {
    char *from, *to;
    cpu_reduce_locate(j, i, &from, &to);
    j->deliver(1, to, 16, (const char *)both, 16);
  }
}

/* Do whole rows go together? Of few columns they do where they lie one right after the other. */
static bool by_columns(const cpu_reduce_job *j)
{
  enum { FEW = 16, MANY = 32, SOME = 8 };
  const int64_t size = hed__id_size(j->kept_in.dtype);
  const int32_t kept = j->kept_in.ndim - 1, reduced = j->reduced.ndim - 1;
  const int64_t width = j->kept_in.dim[kept], near = j->kept_in.stride[kept], far = j->reduced.stride[reduced];
  if (width < 2
      || (j->kind >= CPU_ARGMAX && (reduced > 0 || far < 0 || (j->cast && !cpu_reduce_deinterleaves(j) && !cpu_reduce_narrow(j)))))
    return false;
  if (near < far)
    return width >= SOME || (reduced == 0 && near == size && far == width * size);
  return j->reduced.dim[reduced] < FEW && width >= MANY;
}

/* Are results runs of neighbours, side by side in each of several rows? Short runs of many rows take longer one by one; of what
 * comes from memory, not the last-level cache, longer ones too, as they are read in its order. */
static bool by_runs(const cpu_reduce_job *j)
{
  enum { ROWS = 8, PER_ROW = 50, NEAR = 1600, FAR_ROWS = 16, FAR = 8192 /* bytes of a run */ };
  const int32_t kept = j->kept_in.ndim - 1, reduced = j->reduced.ndim - 1;
  const int64_t run = j->reduced.dim[reduced], rows = j->count / run, bytes = run * j->size;
  if (j->kind >= CPU_ARGMAX || j->cast || j->take || j->make || reduced == 0 || j->reduced.stride[reduced] != j->size
      || j->kept_in.stride[kept] != bytes || rows < ROWS)
    return false;
  if (rows >= FAR_ROWS && cpu_stream_large((size_t)(j->count * j->results * j->size / 2)))
    return bytes <= FAR;
  return bytes <= CPU_MIN(NEAR, rows * PER_ROW);
}

/* The last reduced axis goes to the last kept one. */
static int32_t run_runs(const cpu_reduce_job *j)
{
  cpu_reduce_job mine = *j;
  const int32_t kept = j->kept_in.ndim - 1;
  const int64_t run = j->reduced.dim[--mine.reduced.ndim];
  mine.kept_in.dim[kept] *= run;
  mine.kept_in.stride[kept] = j->size;
  mine.results *= run;
  mine.count /= run;
  return cpu_reduce_columns(&mine, run);
}

void cpu_reduce_split(cpu_reduce_job *j, const hed_view *in, const hed_view *out, uint32_t axes)
{
  cpu_split_axes(in, out, axes, &j->reduced, &j->kept_in, &j->kept_out);
  j->count = hed__view_size(&j->reduced);
  j->results = hed__view_size(&j->kept_in);
}

int32_t cpu_reduce_run(cpu_reduce_job *j)
{
  char *base = j->kept_in.data;
  arrange(&j->kept_in, &j->kept_out, &base);
  if (j->kind < CPU_ARGMAX)
    arrange(&j->reduced, NULL, &base);
  j->kept_in.data = base;
  simplify(&j->reduced, NULL);
  simplify(&j->kept_in, &j->kept_out);
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
