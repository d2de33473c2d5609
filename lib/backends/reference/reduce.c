// SPDX-License-Identifier: BSD-3-Clause
/* Reductions over any set of axes. L1.
 *
 * For each element of the result its lane, the elements over the reduced axes in C order, is read in blocks: converted
 * to the compute type, then to the widest type of that kind (float64, complex128, 64-bit integers), in which all
 * reductions run. Sums of floats are pairwise from FEW elements on, however the lane lies in memory. Integers wrap, so one
 * word type serves signed and unsigned. For means and variances elements near the ends of the range are divided by a power of
 * two before, so that neither sums nor squares leave it.
 */
#include "backends/reference/reference.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/product.h"
#include "base/nest.h"
#include "base/shape.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128, FEW = 8, WIDEST = 16 };

/* Pairwise summation: part[k] is the sum of 2^k terms, present where bit k of the count is set. */
typedef struct tree {
  uint64_t terms;
  double part[64];
} tree;

static void tree_add(tree *t, double x)
{
  int k = 0;
  for (uint64_t n = t->terms++; n & 1; n >>= 1)
    x += t->part[k++];
  t->part[k] = x;
}

static double tree_total(const tree *t)
{
  double sum = 0;
  for (int k = 0; k < 64; k++)
    if (t->terms >> k & 1)
      sum += t->part[k];
  return sum;
}

/* Where the term of the sum that begins with element I of N ends. */
static int64_t few(int64_t i, int64_t n) { return n - i < FEW ? n : i + FEW; }

/* What is known of a lane. Only what the method uses is meaningful. */
typedef struct lane {
  const hed_reduce_params *params;
  int64_t n, seen;            /* elements in all, and read in this pass */
  int64_t at;                 /* index of the best element, -1 before the first */
  int64_t count;              /* elements that are not 0 */
  union { int64_t i; uint64_t u; double f; } best;
  uint64_t word;              /* sum or product of integers */
  hed__product product;       /* of floats */
  double largest;             /* absolute value of a finite part */
  int exponent;               /* means and variances are of elements divided by 2 to its power */
  double part[2];             /* mean, when it is known */
  tree sum[2];                /* real and imaginary part */
} lane;

typedef struct method {
  int32_t wide, result;       /* hed_dtype_id of the values that step reads, and of what end writes */
  void (*step[3])(lane *l, int64_t n, const void *values); /* by pass: all, or the largest, a sum, squares about the mean */
  void (*end)(const lane *l, void *result);
} method;

/* ---- sums, products ---- */

static void sum_word(lane *l, int64_t n, const void *values)
{
  const uint64_t *x = values;
  for (int64_t i = 0; i < n; i++)
    l->word += x[i];
}

static void prod_word(lane *l, int64_t n, const void *values)
{
  const uint64_t *x = values;
  for (int64_t i = 0; i < n; i++)
    l->word *= x[i];
}

static void sum_real(lane *l, int64_t n, const void *values)
{
  const double *x = values;
  for (int64_t i = 0; i < n;) {
    double sum = 0;
    for (const int64_t end = few(i, n); i < end; i++)
      sum += x[i];
    tree_add(&l->sum[0], sum);
  }
}

static void sum_complex(lane *l, int64_t n, const void *values)
{
  const double *x = values; /* pairs */
  for (int64_t i = 0; i < n;) {
    double sum[2] = { 0, 0 };
    for (const int64_t end = few(i, n); i < end; i++) {
      sum[0] += x[2 * i];
      sum[1] += x[2 * i + 1];
    }
    tree_add(&l->sum[0], sum[0]);
    tree_add(&l->sum[1], sum[1]);
  }
}

/* The same of the elements of which no part is NaN. */
static void nansum_real(lane *l, int64_t n, const void *values)
{
  const double *x = values;
  double kept[BLOCK];
  for (int64_t i = 0; i < n; i++)
    kept[i] = x[i] == x[i] ? x[i] : 0;
  sum_real(l, n, kept);
}

static void nansum_complex(lane *l, int64_t n, const void *values)
{
  const double *x = values; /* pairs */
  double kept[2 * BLOCK];
  for (int64_t i = 0; i < 2 * n; i += 2) {
    const bool number = x[i] == x[i] && x[i + 1] == x[i + 1];
    kept[i] = number ? x[i] : 0;
    kept[i + 1] = number ? x[i + 1] : 0;
  }
  sum_complex(l, n, kept);
}

static void prod_real(lane *l, int64_t n, const void *values)
{
  const double *x = values;
  for (int64_t i = 0; i < n; i++)
    hed__product_real(&l->product, x[i]);
}

static void prod_complex(lane *l, int64_t n, const void *values)
{
  const double *x = values; /* pairs */
  for (int64_t i = 0; i < n; i++)
    hed__product_complex(&l->product, x[2 * i], x[2 * i + 1]);
}

static void end_word(const lane *l, void *result) { memcpy(result, &l->word, sizeof l->word); }

static void end_prod(const lane *l, void *result)
{
  double v[2];
  hed__product_value(&l->product, v);
  memcpy(result, v, sizeof v);
}

static void end_sum(const lane *l, void *result)
{
  double total[2] = { tree_total(&l->sum[0]), tree_total(&l->sum[1]) };
  memcpy(result, total, sizeof total);
}

/* ---- means and variances: passes for the largest, the mean and squares ---- */

/* Of finite numbers: infinities and NaN stay what they are at any scale, and a part of a complex mean may be finite beside them. */
static void look(lane *l, int64_t n, const double *x)
{
  for (int64_t i = 0; i < n; i++)
    l->largest = isfinite(x[i]) ? fmax(l->largest, fabs(x[i])) : l->largest;
}
static void look_real(lane *l, int64_t n, const void *values) { look(l, n, values); }
static void look_complex(lane *l, int64_t n, const void *values) { look(l, 2 * n, values); }

/* Between these bounds squares, also of what rounding leaves of distances, neither overflow nor vanish. */
static void choose_exponent(lane *l)
{
  l->exponent = 0;
  if (l->largest > 0 && (l->largest > 0x1p400 || l->largest < 0x1p-400))
    frexp(l->largest, &l->exponent);
}

static void scale(const lane *l, int64_t n, double *x)
{
  for (int64_t i = 0; i < n && l->exponent != 0; i++)
    x[i] = ldexp(x[i], -l->exponent);
}

static void take_mean(lane *l)
{
  for (int k = 0; k < 2; k++) {
    l->part[k] = tree_total(&l->sum[k]) / (double)l->n;
    l->sum[k].terms = 0;
  }
}

static void end_mean(const lane *l, void *result)
{
  double mean[2] = { ldexp(l->part[0], l->exponent), ldexp(l->part[1], l->exponent) };
  memcpy(result, mean, sizeof mean);
}

static void square_real(lane *l, int64_t n, const void *values)
{
  const double *x = values;
  for (int64_t i = 0; i < n;) {
    double sum = 0;
    for (const int64_t end = few(i, n); i < end; i++)
      sum += (x[i] - l->part[0]) * (x[i] - l->part[0]);
    tree_add(&l->sum[0], sum);
  }
}

static void square_complex(lane *l, int64_t n, const void *values)
{
  const double *x = values; /* pairs */
  for (int64_t i = 0; i < n;) {
    double sum = 0;
    for (const int64_t end = few(i, n); i < end; i++) {
      double re = x[2 * i] - l->part[0], im = x[2 * i + 1] - l->part[1];
      sum += re * re + im * im;
    }
    tree_add(&l->sum[0], sum);
  }
}

/* Of scaled elements. No degree of freedom left: NaN, or infinity where a sum is not 0. */
static double variance(const lane *l)
{
  int64_t freedom = l->n - l->params->ddof;
  return tree_total(&l->sum[0]) / (freedom > 0 ? (double)freedom : 0.0);
}

static void end_var(const lane *l, void *result)
{
  double var = ldexp(variance(l), 2 * l->exponent);
  memcpy(result, &var, sizeof var);
}

static void end_std(const lane *l, void *result)
{
  double std = ldexp(sqrt(variance(l)), l->exponent);
  memcpy(result, &std, sizeof std);
}

/* ---- the best element: the first of equals; a NaN beats numbers and stays ---- */

#define BEST(name, type, field, better)                                                           \
  static void name(lane *l, int64_t n, const void *values)                                        \
  {                                                                                               \
    const type *x = values;                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                             \
      const type best = l->best.field;                                                            \
      if (l->at < 0 || (best == best && (x[i] better best || x[i] != x[i]))) {                    \
        l->best.field = x[i];                                                                     \
        l->at = l->seen + i;                                                                      \
      }                                                                                           \
    }                                                                                             \
  }
BEST(max_int, int64_t, i, >)
BEST(max_uint, uint64_t, u, >)
BEST(max_float, double, f, >)
BEST(min_int, int64_t, i, <)
BEST(min_uint, uint64_t, u, <)
BEST(min_float, double, f, <)

/* The best element that is not NaN, which comes out where there is none. */
#define BEST_NUMBER(name, better)                                                                 \
  static void name(lane *l, int64_t n, const void *values)                                        \
  {                                                                                               \
    const double *x = values;                                                                     \
    for (int64_t i = 0; i < n; i++)                                                               \
      if (x[i] == x[i] && (l->at < 0 || x[i] better l->best.f)) {                                 \
        l->best.f = x[i];                                                                         \
        l->at = l->seen + i;                                                                      \
      }                                                                                           \
  }
BEST_NUMBER(nanmax_float, >)
BEST_NUMBER(nanmin_float, <)

static void end_number(const lane *l, void *result)
{
  const double best = l->at < 0 ? (double)NAN : l->best.f;
  memcpy(result, &best, sizeof best);
}

static void end_best(const lane *l, void *result) { memcpy(result, &l->best, sizeof l->best); }
static void end_at(const lane *l, void *result) { memcpy(result, &l->at, sizeof l->at); }

/* ---- all, any ---- */

static void count_true(lane *l, int64_t n, const void *values)
{
  const uint8_t *x = values;
  for (int64_t i = 0; i < n; i++)
    l->count += x[i];
}

static void end_count(const lane *l, void *result) { memcpy(result, &l->count, sizeof l->count); }
static void end_any(const lane *l, void *result) { *(uint8_t *)result = l->count > 0; }
static void end_all(const lane *l, void *result) { *(uint8_t *)result = l->count == l->n; }

/* ---- the walk ---- */

static const hed_view *fold(const hed_view *v, uint32_t axes, hed_view *out)
{
  *out = *v;
  for (int32_t k = 0; k < v->ndim; k++)
    if (axes >> k & 1u)
      out->dim[k] = 1;
  return out;
}

/* Reads the lane that begins OFFSET bytes after NEST's data through both conversions, in blocks. */
static void read_lane(lane *l, const method *m, int pass, const hed__nest *nest, int64_t offset, int from, int compute)
{
  _Alignas(16) char narrow[BLOCK * WIDEST], wide[BLOCK * WIDEST];
  hed__cast_fn to_compute = hed__cast(from, compute), to_wide = hed__cast(compute, m->wide);
  int32_t last = nest->ndim - 1, bytes = hed__id_size(compute), wide_bytes = hed__id_size(m->wide);
  int64_t step = nest->stride[0][last];
  hed__walk walk;
  l->seen = 0;
  hed__walk_init(&walk, nest, 0, hed__nest_rows(nest));
  while (hed__walk_next(&walk))
    for (int64_t done = 0; done < nest->dim[last]; done += BLOCK) {
      int64_t n = nest->dim[last] - done < BLOCK ? nest->dim[last] - done : BLOCK;
      const char *at = walk.ptr[0] + offset + done * step;
      if (from == compute) {
        to_wide(n, wide, wide_bytes, at, step);
      } else {
        to_compute(n, narrow, bytes, at, step);
        to_wide(n, wide, wide_bytes, narrow, bytes);
      }
      if (pass > 0)
        scale(l, m->wide == HED_ID_COMPLEX128 ? 2 * n : n, (double *)(void *)wide);
      m->step[pass](l, n, wide);
      l->seen += n;
    }
}

static void reduce_lane(lane *l, const method *m, const hed__nest *nest, int64_t offset, int from, int compute)
{
  l->at = -1;
  l->count = 0;
  l->sum[0].terms = l->sum[1].terms = 0;
  l->largest = 0;
  read_lane(l, m, 0, nest, offset, from, compute);
  if (m->step[1]) {
    choose_exponent(l);
    read_lane(l, m, 1, nest, offset, from, compute);
    take_mean(l);
  }
  if (m->step[2])
    read_lane(l, m, 2, nest, offset, from, compute);
}

/* START is the neutral element of the word. */
static void reduce(const hed_call *call, const method *m, int compute, int start)
{
  const hed_reduce_params *params = call->params;
  const hed_view *x = call->in[0], *out = call->out[0];
  hed_view first, rest;
  hed__nest results, elements;
  hed__walk walk;
  hed__cast_fn deliver = hed__cast(m->result, out->dtype);

  /* first: the first element of each lane; rest: the lane of the first of those */
  hed__nest_init(&results, 2, (const hed_view *const[]){ out, fold(x, params->axes, &first) }, 0);
  hed__nest_init(&elements, 1, (const hed_view *const[]){ fold(x, ~params->axes, &rest) }, 0);
  lane l = { .params = params, .n = hed__view_size(&rest) };
  int32_t last = results.ndim - 1;
  hed__walk_init(&walk, &results, 0, hed__nest_rows(&results));
  while (hed__walk_next(&walk))
    for (int64_t i = 0; i < results.dim[last]; i++) {
      _Alignas(16) char result[WIDEST];
      int64_t offset = walk.ptr[1] - (char *)x->data + i * results.stride[1][last];
      l.word = (uint64_t)start;
      l.product = hed__product_one;
      reduce_lane(&l, m, &elements, offset, x->dtype, compute);
      m->end(&l, result);
      deliver(1, walk.ptr[0] + i * results.stride[0][last], 0, result, 0);
    }
}

/* ---- methods by kind of the compute type, and kernels ---- */

#define WORDS(step, end)                                                                          \
  [HED_KIND_BOOL] = { HED_ID_UINT64, HED_ID_UINT64, { step }, end },                              \
  [HED_KIND_UINT] = { HED_ID_UINT64, HED_ID_UINT64, { step }, end },                              \
  [HED_KIND_INT] = { HED_ID_UINT64, HED_ID_INT64, { step }, end }
#define REALS(real_step, end)                                                                     \
  [HED_KIND_FLOAT] = { HED_ID_FLOAT64, HED_ID_FLOAT64, { real_step }, end }
#define COMPLEXES(complex_step, end)                                                              \
  [HED_KIND_COMPLEX] = { HED_ID_COMPLEX128, HED_ID_COMPLEX128, { complex_step }, end }
/* Integers reach mean and var only when asked to accumulate as such; they are taken as reals all the same. */
#define MOMENTS(result, square_of_reals, square_of_complexes, end)                                \
  [HED_KIND_BOOL] = { HED_ID_FLOAT64, HED_ID_FLOAT64, { look_real, sum_real, square_of_reals }, end }, \
  [HED_KIND_UINT] = { HED_ID_FLOAT64, HED_ID_FLOAT64, { look_real, sum_real, square_of_reals }, end }, \
  [HED_KIND_INT] = { HED_ID_FLOAT64, HED_ID_FLOAT64, { look_real, sum_real, square_of_reals }, end },  \
  [HED_KIND_FLOAT] = { HED_ID_FLOAT64, HED_ID_FLOAT64, { look_real, sum_real, square_of_reals }, end }, \
  [HED_KIND_COMPLEX] = { HED_ID_COMPLEX128, result, { look_complex, sum_complex, square_of_complexes }, end }
#define BY_ORDER(which, result_uint, result_int, result_float, end)                               \
  [HED_KIND_BOOL] = { HED_ID_UINT64, result_uint, { which##_uint }, end },                        \
  [HED_KIND_UINT] = { HED_ID_UINT64, result_uint, { which##_uint }, end },                        \
  [HED_KIND_INT] = { HED_ID_INT64, result_int, { which##_int }, end },                            \
  [HED_KIND_FLOAT] = { HED_ID_FLOAT64, result_float, { which##_float }, end }
#define BEST_VALUE(which) BY_ORDER(which, HED_ID_UINT64, HED_ID_INT64, HED_ID_FLOAT64, end_best)
#define BEST_PLACE(which) BY_ORDER(which, HED_ID_INT64, HED_ID_INT64, HED_ID_INT64, end_at)

enum { KINDS = HED_KIND_COMPLEX + 1 };
static const method
  sum[KINDS] = { WORDS(sum_word, end_word), REALS(sum_real, end_sum), COMPLEXES(sum_complex, end_sum) },
  nansum[KINDS] = { WORDS(sum_word, end_word), REALS(nansum_real, end_sum), COMPLEXES(nansum_complex, end_sum) },
  prod[KINDS] = { WORDS(prod_word, end_word), REALS(prod_real, end_prod), COMPLEXES(prod_complex, end_prod) },
  mean[KINDS] = { MOMENTS(HED_ID_COMPLEX128, NULL, NULL, end_mean) },
  var[KINDS] = { MOMENTS(HED_ID_FLOAT64, square_real, square_complex, end_var) },
  std[KINDS] = { MOMENTS(HED_ID_FLOAT64, square_real, square_complex, end_std) },
  max[KINDS] = { BEST_VALUE(max) },
  min[KINDS] = { BEST_VALUE(min) },
  nanmax[KINDS] = { [HED_KIND_FLOAT] = { HED_ID_FLOAT64, HED_ID_FLOAT64, { nanmax_float }, end_number } },
  nanmin[KINDS] = { [HED_KIND_FLOAT] = { HED_ID_FLOAT64, HED_ID_FLOAT64, { nanmin_float }, end_number } },
  argmax[KINDS] = { BEST_PLACE(max) },
  argmin[KINDS] = { BEST_PLACE(min) };

static int32_t run(void *state, const hed_call *call, const method *methods, int start, const char *name)
{
  int compute = hed__compute_of(call->compute);
  const method *m = &methods[hed__id_kind(compute)];
  if (!m->end)
    return ref_host(state)->fail(HED_E_DTYPE, "%s: cannot compute in %s", name, hed__dtypes[compute]->name);
  reduce(call, m, compute, start);
  return HED_OK;
}

#define KERNEL(name, start)                                                                       \
  REF_KERNEL(name)                                                                               \
  {                                                                                               \
    return run(state, call, name, start, #name);                                                  \
  }
KERNEL(sum, 0)
KERNEL(nansum, 0)
KERNEL(prod, 1)
KERNEL(mean, 0)
KERNEL(var, 0)
KERNEL(std, 0)
KERNEL(max, 0)
KERNEL(min, 0)
KERNEL(nanmax, 0)
KERNEL(nanmin, 0)
KERNEL(argmax, 0)
KERNEL(argmin, 0)

/* Elements are compared with 0 as they are: conversion could make a small one 0. */
#define TRUTH_KERNEL(name, result, end)                                                           \
  REF_KERNEL(name)                                                                               \
  {                                                                                               \
    static const method m = { HED_ID_BOOL, result, { count_true }, end };                         \
    (void)state;                                                                                  \
    reduce(call, &m, call->in[0]->dtype, 0);                                                      \
    return HED_OK;                                                                                \
  }
TRUTH_KERNEL(any, HED_ID_BOOL, end_any)
TRUTH_KERNEL(all, HED_ID_BOOL, end_all)
TRUTH_KERNEL(count_nonzero, HED_ID_INT64, end_count)
