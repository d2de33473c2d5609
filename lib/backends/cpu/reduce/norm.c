// SPDX-License-Identifier: BSD-3-Clause
/*
 * Norms of vectors over any axes: reductions (reduce.c) of absolute values or powers of them. L1.
 *
 * Real numbers of the orders 0, 1, inf and -inf have loops of their own, and so have squares of all. Of complex numbers the
 * absolute values are made by blocks first, for other orders the powers are, in double. Sums are in double. Powers are taken as
 * they are, which no square of a float32 minds; where their sum says afterwards that something may have left the range, they
 * are taken again, of what is left after division by the largest (for negative orders, the smallest).
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/reduce/reduce.h"
#include "base/formulas/formulas.h"
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

enum { SOME = 256 }; /* elements of a block: parts of it, and what is made of it, stay in the L1 cache */

static bool is_complex(int dtype) { return hed__id_kind(dtype) == HED_KIND_COMPLEX; }

/* The loop of OP of float64, OUT = OP(x, y). Either may be OUT; Y is one number where Y_STEP is 0. */
static void apply(int op, int64_t n, double *out, double *x, const double *y, int64_t y_step)
{
  int32_t result;
  const hed__map_fn fn = cpu_map_loop(op, HED_ID_FLOAT64, &result);
  char *const p[3] = { (char *)out, (char *)x, (char *)(uintptr_t)y };
  fn(n, p, (const int64_t[]){ 8, 8, y_step }, NULL);
}

/* ---- what is reduced ---- */

/* Absolute values of complex numbers of TYPE, real ones of SIZE bytes. */
static void sizes_of(const cpu_reduce_job *j, int type, int64_t n, char *to, int64_t size, const char *from, int64_t step)
{
  int32_t result;
  const hed__map_fn fn = cpu_map_loop(HED_OP_ABS, type, &result);
  const hed__cast_fn cast = j->given == type ? NULL : hed__cast(j->given, type);
  _Alignas(64) char block[SOME * 16];
  for (int64_t i = 0; i < n; i += SOME) {
    const int64_t m = CPU_MIN(n - i, SOME);
    const char *x = from + i * step;
    if (cast)
      cast(m, block, 2 * size, x, step);
    char *const p[2] = { to + i * size, cast ? block : (char *)(uintptr_t)x };
    fn(m, p, (const int64_t[]){ size, cast ? 2 * size : step }, NULL);
  }
}

static void sizes(const cpu_reduce_job *j, int64_t n, char *to, const char *from, int64_t step)
{
  sizes_of(j, j->call->compute, n, to, j->size, from, step);
}

/* V to a power: by products where it is a small integer. */
static void to_power(int64_t n, double *v, double order)
{
  enum { WHOLE = 64 };
  double x[SOME];
  if (!(order >= 1 && order <= WHOLE && order == floor(order))) {
    apply(HED_OP_POWER, n, v, v, &order, 0);
    return;
  }
  int bit = 1;
  while (2 * bit <= (int)order)
    bit *= 2;
  memcpy(x, v, (size_t)n * sizeof *v);
  while (bit >>= 1) {
    apply(HED_OP_SQUARE, n, v, v, v, 8);
    if ((int)order & bit)
      apply(HED_OP_MULTIPLY, n, v, v, x, 8);
  }
}

/* (|x| / scale)^order */
static void powers(const cpu_reduce_job *j, int64_t n, char *to, const char *from, int64_t step)
{
  for (int64_t i = 0; i < n; i += SOME) {
    const int64_t m = CPU_MIN(n - i, SOME);
    double *v = (double *)(void *)to + i;
    if (is_complex(j->given)) {
      sizes_of(j, HED_ID_COMPLEX128, m, (char *)v, 8, from + i * step, step);
    } else {
      hed__cast(j->given, HED_ID_FLOAT64)(m, (char *)v, 8, from + i * step, step);
      apply(HED_OP_ABS, m, v, v, v, 8);
    }
    if (j->scale != 1)
      apply(HED_OP_DIVIDE, m, v, v, &j->scale, 0);
    to_power(m, v, j->order);
  }
}

/* J reduces the powers of order ORDER of |x| / SCALE. */
static void take_powers(cpu_reduce_job *j, double order, double scale)
{
  j->kind = CPU_SUM;
  j->loops = &cpu_k->reduce[HED_ID_FLOAT64];
  j->type = HED_ID_FLOAT64;
  j->size = 8;
  j->take = powers;
  j->cast = hed__cast(j->given, HED_ID_FLOAT64);
  j->order = order;
  j->scale = scale;
}

/* J reduces absolute values, by loops for MEASURE where they are real numbers already. */
static void take_sizes(cpu_reduce_job *j, int measure)
{
  const int type = j->call->compute;
  const bool pairs = is_complex(type);
  j->type = pairs ? type == HED_ID_COMPLEX64 ? (int)HED_ID_FLOAT32 : (int)HED_ID_FLOAT64 : type;
  j->size = hed__id_size(j->type);
  j->loops = pairs && measure == CPU_NORM_SIZES ? &cpu_k->reduce[j->type] : &(*cpu_k->norm)[measure][j->type];
  j->take = pairs ? sizes : NULL;
  j->cast = j->given == j->type ? NULL : hed__cast(j->given, j->type);
}

/* ---- what becomes of sums ---- */

/* One result of J, of the elements from BASE on. */
static double one(cpu_reduce_job *j, const char *base)
{
  double v;
  j->make = NULL;
  j->deliver = hed__cast(j->kind == CPU_SUM ? (int)HED_ID_FLOAT64 : j->type, HED_ID_FLOAT64);
  cpu_reduce_one(j, base, (char *)&v);
  return v;
}

/* By powers of what is at most 1, or for negative orders at least 1. */
static double scaled(const cpu_reduce_job *j, const char *base)
{
  cpu_reduce_job k = *j;
  k.kind = j->order > 0 ? CPU_MAX : CPU_MIN;
  take_sizes(&k, CPU_NORM_SIZES);
  const double scale = one(&k, base);
  if (scale == 0 || !isfinite(scale))
    return scale;
  take_powers(&k, j->order, scale);
  const double sum = one(&k, base);
  return scale * (j->order == 2 ? sqrt(sum) : pow(sum, 1 / j->order));
}

/* In double no square of a float32 leaves the range. Of complex numbers one that is infinite may have a NaN beside it. */
static void roots_of_squares(const cpu_reduce_job *j, int64_t n, double *v, const char *base, int64_t step)
{
  const bool pairs = is_complex(j->type), wide = j->size == (pairs ? 16 : 8);
  const double least = wide ? 0x1p-450 : 0;
  if (n > 1)
    apply(HED_OP_SQRT, n, v, v, v, 8);
  else
    *v = sqrt(*v);
  if (!wide && !pairs)
    return;
  for (int64_t i = 0; i < n; i++)
    if (!(v[i] >= least && v[i] < INFINITY) && (v[i] == v[i] || pairs))
      v[i] = scaled(j, base + i * step);
}

static void roots(const cpu_reduce_job *j, int64_t n, double *v, const char *base, int64_t step)
{
  static const double range = 0x1p200; /* the rounded exponent of the root does little harm to these */
  for (int64_t i = 0; i < n; i++)
    v[i] = v[i] > 1 / range && v[i] < range ? pow(v[i], 1 / j->order) : scaled(j, base + i * step);
}

/* Absolute values of complex64 are rounded to float32: those that are subnormal lost digits. */
static void sums(const cpu_reduce_job *j, int64_t n, double *v, const char *base, int64_t step)
{
  for (int64_t i = 0; i < n; i++)
    if (v[i] > 0 && v[i] < (double)j->count * 0x1p-120) {
      cpu_reduce_job k = *j;
      take_powers(&k, 1, 1);
      v[i] = one(&k, base + i * step);
    }
}

int32_t cpu_vector_norm(void *state, const hed_call *call)
{
  const hed_reduce_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int type = call->compute;
  const bool pairs = is_complex(type);
  cpu_reduce_job j = { .kind = CPU_SUM, .call = call, .parts = 1, .cost = pairs ? 2 : 0.5, .order = p->order, .scale = 1 };
  (void)state;
  cpu_reduce_split(&j, in, out, p->axes);
  if (j.results == 0)
    return HED_OK;
  if (j.count == 0)
    return HED_E_UNSUPPORTED;
  if (p->order == 0) {
    take_sizes(&j, CPU_NORM_THERE);
  } else if (p->order == 1) {
    take_sizes(&j, CPU_NORM_SIZES);
    j.make = type == HED_ID_COMPLEX64 ? sums : NULL;
  } else if (p->order == 2) {
    j.type = type;
    j.size = hed__id_size(type);
    j.loops = &(*cpu_k->norm)[CPU_NORM_SQUARES][type];
    j.cast = in->dtype == type ? NULL : hed__cast(in->dtype, type);
    j.make = roots_of_squares;
    j.cost = pairs ? 1 : 0.5;
  } else if (isinf(p->order)) {
    j.kind = p->order > 0 ? CPU_MAX : CPU_MIN;
    take_sizes(&j, CPU_NORM_SIZES);
  } else {
    take_powers(&j, p->order, 1);
    j.make = roots;
    j.cost = p->order == floor(p->order) ? 4 : 10;
  }
  j.deliver = hed__cast(j.kind == CPU_SUM ? (int)HED_ID_FLOAT64 : j.type, out->dtype);
  return cpu_reduce_run(&j);
}
