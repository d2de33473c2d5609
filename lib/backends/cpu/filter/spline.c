// SPDX-License-Identifier: BSD-3-Clause
/*
 * spline_filter, and coefficients for whoever resamples (spline.h), in the compute type. L1.
 *
 * Lines go side by side: neighbours of a row, or on the last axis a batch of rows turned into columns and back; a line that is
 * alone goes in pieces.
 */
#include "backends/cpu/filter/spline.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/filter/frame.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <math.h>

enum { LINES = 32, CUT = 4096 /* elements of a line that pays in pieces */ };

/* FACTOR(k) for the elements k of N that lie within reach of an end. */
static void find_sum(cpu_spline_sum *s, int64_t n, double (*factor)(int64_t n, int64_t k, double pole, int boundary), double pole,
                     int boundary)
{
  s->count = 0;
  for (int64_t k = 0; k < n; k++) {
    if (k == CPU_SPLINE_REACH && n > 2 * CPU_SPLINE_REACH)
      k = n - CPU_SPLINE_REACH;
    const double f = factor(n, k, pole, boundary);
    if (fabs(f) < 0x1p-70)
      continue;
    s->at[s->count] = k;
    s->factor[s->count++] = f;
  }
}

/* Of 6 x[k] in the sum of pole^i x[-i] over the extended line, whose powers fall together in a period. */
static double first_factor(int64_t n, int64_t k, double pole, int boundary)
{
  switch (boundary) {
  case HED_BOUNDARY_WRAP: /* period n */
    return 6 * pow(pole, (double)(k ? n - k : 0)) / (1 - pow(pole, (double)n));
  case HED_BOUNDARY_REFLECT: /* x[0], then once more from x[0] on, and back: period 2 n */
    return 6 * ((k == 0) + (pow(pole, (double)(k + 1)) + pow(pole, (double)(2 * n - k))) / (1 - pow(pole, (double)(2 * n))));
  default: /* the line and its mirror image: period 2 n - 2 */
    return 6 * (pow(pole, (double)k) + (k > 0 && k < n - 1 ? pow(pole, (double)(2 * n - 2 - k)) : 0))
           / (1 - pow(pole, (double)(2 * n - 2)));
  }
}

/* Of y[k], which the filter that runs forwards has left, in the last coefficient. */
static double last_factor(int64_t n, int64_t k, double pole, int boundary)
{
  switch (boundary) {
  case HED_BOUNDARY_WRAP:
    return -pow(pole, (double)(k == n - 1 ? 1 : k + 2)) / (1 - pow(pole, (double)n));
  case HED_BOUNDARY_REFLECT:
    return k == n - 1 ? pole / (pole - 1) : 0;
  default:
    return k == n - 1 ? pole / (pole * pole - 1) : k == n - 2 ? pole * pole / (pole * pole - 1) : 0;
  }
}

static void find_sums(cpu_spline *s, int boundary)
{
  const double pole = sqrt(3.0) - 2;
  find_sum(&s->first, s->n, first_factor, pole, boundary);
  find_sum(&s->last, s->n, last_factor, pole, boundary);
}

typedef struct job {
  const hed_call *call;
  const cpu_spline *spline;
  cpu_spline_fn fn;
  hed_view x;
  int64_t inner, rows; /* elements between neighbours of a line; lines of the last axis */
  char *spare;         /* per part: LINES columns */
} job;

/* Stretches of columns beside each other. */
static void columns_part(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int64_t size = hed__id_size(j->x.dtype), blocks = (j->inner + CPU_SPLINE_COLUMNS - 1) / CPU_SPLINE_COLUMNS;
  for (int64_t i = begin; i < end; i++) {
    const int64_t c = i % blocks * CPU_SPLINE_COLUMNS;
    j->fn(j->spline, (char *)j->x.data + (i / blocks * j->spline->n * j->inner + c) * size, j->inner,
          CPU_MIN(j->inner - c, CPU_SPLINE_COLUMNS));
  }
}

static void rows_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  const int64_t n = j->spline->n, size = hed__id_size(j->x.dtype);
  hed_call call = *j->call;
  call.max_threads = 1;
  for (int64_t r = part * LINES; r < j->rows; r += parts * LINES) {
    const int64_t lines = CPU_MIN(j->rows - r, LINES);
    char *block = j->spare + part * n * LINES * size;
    const hed_view row = { (char *)j->x.data + r * n * size, j->x.dtype, 2, { lines, n }, { n * size, size } };
    const hed_view column = { block, j->x.dtype, 2, { lines, n }, { size, LINES * size } };
    (void)cpu_convert(&call, &column, &row);
    j->fn(j->spline, block, LINES, lines);
    (void)cpu_convert(&call, &row, &column);
  }
}

/* X's only line, along AXIS, in LINES pieces side by side. What the powers of the pole reach is filtered with each piece, from
 * the extended line: what its own ends do is then forgotten in the middle. */
static bool long_line(const hed_call *call, const hed_view *x, int32_t axis, int boundary)
{
  const bool ends = boundary == HED_BOUNDARY_CONSTANT || boundary == HED_BOUNDARY_NEAREST;
  const int64_t n = x->dim[axis], size = hed__id_size(x->dtype), length = (n + LINES - 1) / LINES;
  const int64_t full = n / length, before = CPU_SPLINE_REACH, after = before + length * LINES - n;
  const hed_view line = { x->data, x->dtype, 1, { n }, { size } };
  cpu_spline spline = { .n = length + 2 * before };
  hed_view frame;
  char *extended = cpu_frame(call, &line, x->dtype, &before, &after, ends ? HED_BOUNDARY_MIRROR : boundary, NULL, &frame);
  char *block = cpu_scratch_get((size_t)(spline.n * LINES * size));
  if (extended && block) {
    const hed_view pieces = { extended, x->dtype, 2, { LINES, spline.n }, { length * size, size } };
    const hed_view columns = { block, x->dtype, 2, { LINES, spline.n }, { size, LINES * size } };
    const hed_view middle = { block + before * LINES * size, x->dtype, 2, { full, length }, { size, LINES * size } };
    const hed_view to = { x->data, x->dtype, 2, { full, length }, { length * size, size } };
    find_sums(&spline, HED_BOUNDARY_MIRROR);
    (void)cpu_convert(call, &columns, &pieces);
    cpu_splines[x->dtype == HED_ID_FLOAT64](&spline, block, LINES, LINES);
    (void)cpu_convert(call, &to, &middle);
    if (full * length < n) {
      const hed_view rest = { block + (before * LINES + full) * size, x->dtype, 1, { n - full * length }, { LINES * size } };
      const hed_view last = { (char *)x->data + full * length * size, x->dtype, 1, { n - full * length }, { size } };
      (void)cpu_convert(call, &last, &rest);
    }
  }
  const bool good = extended && block;
  cpu_scratch_put(extended);
  cpu_scratch_put(block);
  return good;
}

bool cpu_spline_coefficients(const hed_call *call, const hed_view *x, uint32_t axes, int boundary)
{
  const int64_t total = hed__view_size(x), size = hed__id_size(x->dtype);
  job j = { .call = call, .fn = cpu_splines[x->dtype == HED_ID_FLOAT64], .x = *x, .inner = 1 };
  for (int32_t k = x->ndim - 1; k >= 0 && total > 0; j.inner *= x->dim[k], k--) {
    cpu_spline spline = { .n = x->dim[k] };
    if (spline.n < 2 || !(axes >> k & 1))
      continue;
    find_sums(&spline, boundary);
    j.spline = &spline;
    j.rows = total / spline.n;
    if (j.rows == 1 && spline.n >= CUT) {
      if (!long_line(call, x, k, boundary))
        return false;
      continue;
    }
    if (j.inner > 1 || j.rows == 1) {
      cpu_parallel_for(call, j.rows / j.inner * ((j.inner + CPU_SPLINE_COLUMNS - 1) / CPU_SPLINE_COLUMNS), 1, 3 * (double)total,
                       columns_part, &j);
      continue;
    }
    if (!(j.spare = cpu_scratch_get((size_t)(call->max_threads * spline.n * LINES * size))))
      return false;
    cpu_parallel_parts(call, (j.rows + LINES - 1) / LINES, 6 * (double)total, rows_part, &j);
    cpu_scratch_put(j.spare);
  }
  return true;
}

int32_t cpu_spline_filter(void *state, const hed_call *call)
{
  (void)state;
  const hed_spline_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int type = call->compute;
  const int64_t n = hed__view_size(out);
  const bool direct = out->dtype == type && hed__is_c_contiguous(out);
  hed_view work = *out;
  void *made = direct ? NULL : cpu_scratch_get((size_t)CPU_MAX(n, 1) * (size_t)hed__id_size(type));
  if (!direct) {
    work.dtype = type;
    work.data = made;
    hed__c_strides(work.ndim, work.dim, hed__id_size(type), work.stride);
  }
  bool good = direct || made;
  if (good) {
    (void)cpu_convert(call, &work, in);
    good = cpu_spline_coefficients(call, &work, p->axes, p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_MIRROR : p->boundary);
  }
  if (good && !direct)
    (void)cpu_convert(call, out, &work);
  cpu_scratch_put(made);
  return good ? HED_OK : cpu_host->fail(HED_E_NOMEM, "spline_filter: no memory for %lld elements of scratch", (long long)n);
}
