// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions at the end of a pass: accumulators of results side by side, and what a block adds to them. L1. See fuse.h.
 *
 * Sums of floats are kept in double, their products with an exponent apart (of real ones in a plane of its own), those of
 * integers and counts in 64-bit words, extremes in their own type. Variances have four planes (reduce/moments.h): a number that
 * follows the mean, sums of distances from it, plain and squared (complex: all of each component), and how many they are.
 * Indices of extremes have two: the extremes, which here alone are closer together than cells, and where they are along the
 * axes that go.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fuse/fuse.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/kernels/reduce/bool_columns.h"
#include "backends/cpu/move/words.h"
#include "backends/cpu/move/write_rows.h"
#include "backends/cpu/reduce/argextreme.h"
#include "backends/cpu/reduce/moments.h"
#include <math.h>
#include <string.h>

enum { SOME = 256 };
enum { ABOUT, SUM, SQUARE, COUNT, PLANES };
enum { MANTISSA, EXPONENT };

static bool extreme(int op) { return op == HED_OP_MAX || op == HED_OP_MIN; }
static bool is_argextreme(int op) { return op == HED_OP_ARGMAX || op == HED_OP_ARGMIN; }
bool cpu_fuse_is_argextreme(const fuse_fold *f) { return is_argextreme(f->op); }
static bool upwards(int op) { return op == HED_OP_MAX || op == HED_OP_ARGMAX; }
static bool is_integer(const fuse_fold *f) { return hed__id_kind(f->type) < HED_KIND_FLOAT; }
static bool real(const fuse_fold *f) { return hed__id_kind(f->type) == HED_KIND_FLOAT; }
static bool is_boolean(int op) { return op == HED_OP_ALL || op == HED_OP_ANY || op == HED_OP_COUNT_NONZERO; }
static bool counted(const fuse_fold *f) { return is_boolean(f->op) || (f->type == HED_ID_BOOL && f->op != HED_OP_PROD); }
static bool words(const fuse_fold *f) { return is_integer(f) || is_boolean(f->op); }
static bool product(const fuse_fold *f) { return f->op == HED_OP_PROD && real(f); }
static bool complex_product(const fuse_fold *f) { return f->op == HED_OP_PROD && hed__id_kind(f->type) == HED_KIND_COMPLEX; }

static bool squares(const fuse_fold *f) { return f->op == HED_OP_VAR || f->op == HED_OP_STD; }

void cpu_fuse_cell(fuse_fold *f)
{
  f->cell = extreme(f->op) ? hed__id_size(f->type) : complex_product(f) ? (int32_t)sizeof(hed__product)
            : words(f) || real(f) ? 8 : 16;
  f->planes = squares(f) ? PLANES : is_argextreme(f->op) || product(f) ? 2 : 1;
}

/* Plane K of the accumulators of variances or products from ACC on. */
static double *plane(const fuse_fold *f, char *acc, int k) { return (double *)(void *)(acc + k * f->plane); }

/* Those of extremes from ACC on. */
static int64_t *indices(const fuse_fold *f, char *acc) { return (int64_t *)(void *)(acc + f->plane); }

/* ---- the beginning ---- */

/* What every element is at least as large as, or small as. */
static void limit_of(const fuse_fold *f, char *to)
{
  const bool max = upwards(f->op);
  const int kind = hed__id_kind(f->type), size = hed__id_size(f->type);
  if (kind == HED_KIND_FLOAT) {
    const double v = max ? -(double)INFINITY : (double)INFINITY;
    hed__cast(HED_ID_FLOAT64, f->type)(1, to, 0, (const char *)&v, 0);
    return;
  }
  const uint64_t all = UINT64_MAX >> (64 - 8 * size);
  const int64_t least = -(int64_t)(all >> 1) - 1;
  const uint64_t v = kind == HED_KIND_INT ? (max ? (uint64_t)least : all >> 1) : max ? 0 : kind == HED_KIND_BOOL ? 1 : all;
  hed__cast(kind == HED_KIND_INT ? HED_ID_INT64 : HED_ID_UINT64, f->type)(1, to, 0, (const char *)&v, 0);
}

/* N cells of SIZE bytes become as the first one. */
static void repeat_first(int64_t n, int64_t size, char *to)
{
  for (int64_t have = 1; have < n; have *= 2)
    memcpy(to + have * size, to, (size_t)(CPU_MIN(have, n - have) * size));
}

void cpu_fuse_begin(const fuse_fold *f, int64_t n, char *acc)
{
  const int32_t cell = f->cell;
  if (extreme(f->op) || is_argextreme(f->op)) {
    limit_of(f, acc);
    repeat_first(n, hed__id_size(f->type), acc);
    if (is_argextreme(f->op)) /* of elements that are all at the limit the first */
      memset(indices(f, acc), 0, (size_t)n * sizeof(int64_t));
    return;
  }
  for (int32_t k = 0; k < f->planes; k++)
    memset(acc + k * f->plane, 0, (size_t)(n * cell));
  if (f->op != HED_OP_PROD)
    return;
  const uint64_t one = 1;
  memcpy(acc, is_integer(f) ? (const void *)&one : (const void *)&hed__product_one, (size_t)cell);
  repeat_first(n, cell, acc);
}

/* ---- elements of one result ---- */

static void lane_squares(const fuse_fold *f, int64_t n, const char *x, char *acc)
{
  double *count = plane(f, acc, COUNT);
  cpu_moments_add(&cpu_k->reduce[f->type], hed__id_size(f->type), real(f) ? 1 : 2, n, x, plane(f, acc, ABOUT),
                 plane(f, acc, SUM), plane(f, acc, SQUARE), count);
  if (!real(f))
    count[1] = count[0];
}

/* Elements whose first is number FROM of result I. */
static void lane_place(const fuse_fold *f, int64_t n, const char *x, char *acc, int64_t i, int64_t from)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  const size_t size = (size_t)hed__id_size(f->type);
  char *best = acc + i * (int64_t)size, most[8];
  int64_t *at = indices(f, acc) + i, before = *at;
  memcpy(most, best, size);
  (upwards(f->op) ? loops->max : loops->min)(n, x, most);
  *at = -1;
  cpu_argextreme_loops_of(f->type)->improve(1, best, most, at, from);
  *at = *at < 0 ? before : from + loops->find(n, x, best);
}

static void lane_product(const fuse_fold *f, int64_t n, const char *x, char *acc)
{
  double *mantissa = plane(f, acc, MANTISSA), *exponent = plane(f, acc, EXPONENT);
  hed__product p = { { *mantissa, 0 }, *exponent };
  cpu_k->reduce[f->type].prod(n, x, &p);
  *mantissa = p.part[0];
  *exponent = p.exponent;
}

/* All elements of result I. */
static void whole_lane_place(const fuse_fold *f, int64_t n, const char *x, char *acc, int64_t i)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  int64_t (*const where)(int64_t, const void *) = upwards(f->op) ? loops->argmax : loops->argmin;
  char *best = acc + i * hed__id_size(f->type);
  if (where) {
    indices(f, acc)[i] = where(n, x);
    return;
  }
  (upwards(f->op) ? loops->max : loops->min)(n, x, best);
  indices(f, acc)[i] = loops->find(n, x, best);
}

/* The same in general. */
static void fold_lane(const fuse_fold *f, int64_t n, const char *x, char *acc, int64_t i, int64_t from)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  void *c = acc + i * f->cell;
  if (is_argextreme(f->op)) {
    lane_place(f, n, x, acc, i, from);
  } else if (extreme(f->op)) {
    (f->op == HED_OP_MAX ? loops->max : loops->min)(n, x, c);
  } else if (counted(f)) {
    *(uint64_t *)c += (uint64_t)cpu_k->boolean[f->type].count(n, x);
  } else if (is_integer(f)) {
    (f->op == HED_OP_PROD ? loops->prod_int : loops->sum_int)(n, x, c);
  } else if (product(f)) {
    lane_product(f, n, x, c);
  } else if (complex_product(f)) {
    loops->prod(n, x, c);
  } else if (squares(f)) {
    lane_squares(f, n, x, c);
  } else {
    loops->sum(n, x, c);
  }
}

void cpu_fuse_fold_sums(const fuse_fold *f, const cpu_chain_kept *kept, char *acc)
{
  if (squares(f)) {
    *plane(f, acc, ABOUT) = kept->about;
    *plane(f, acc, SUM) = kept->sum[0];
    *plane(f, acc, SQUARE) = kept->square[0];
    *plane(f, acc, COUNT) = kept->count;
  } else {
    *(double *)(void *)acc += kept->sum[0];
  }
}

/* ---- a row of results ---- */

static void row_products(const fuse_fold *f, int64_t n, const char *x, hed__product *c)
{
  double z[SOME][2];
  const int64_t size = hed__id_size(f->type);
  const hed__cast_fn widen = hed__cast(f->type, HED_ID_COMPLEX128);
  for (int64_t done = 0; done < n; done += SOME, c += SOME) {
    const int64_t m = CPU_MIN(n - done, SOME);
    widen(m, (char *)z, 16, x + done * size, size);
    for (int64_t i = 0; i < m; i++)
      hed__product_complex(&c[i], z[i][0], z[i][1]);
  }
}

/* Columns that have had as many elements go together: a piece may begin in the middle of a row. */
static void row_squares(const fuse_fold *f, int64_t rows, int64_t n, const char *x, int64_t step, char *acc)
{
  const int type = f->type == HED_ID_COMPLEX64 ? HED_ID_FLOAT32 : f->type == HED_ID_COMPLEX128 ? HED_ID_FLOAT64 : f->type;
  double *count = plane(f, acc, COUNT);
  n *= real(f) ? 1 : 2;
  for (int64_t m, i = 0; i < n; i += m) {
    const double before = count[i];
    m = n - i;
    if (count[n - 1] != before)
      for (m = 1; count[i + m] == before;)
        m++;
    cpu_k->reduce[type].col_moments(rows, m, x + i * hed__id_size(type), step, before, plane(f, acc, ABOUT) + i,
                                   plane(f, acc, SUM) + i, plane(f, acc, SQUARE) + i);
    for (int64_t k = i; k < i + m; k++)
      count[k] = before + (double)rows;
  }
}

void cpu_fuse_fold_rows(const fuse_fold *f, int64_t rows, int64_t n, const char *x, int64_t step, char *acc, int64_t at,
                        int64_t from)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  void *c = acc + at * f->cell;
  if (is_argextreme(f->op)) {
    (upwards(f->op) ? loops->col_argmax : loops->col_argmin)(rows, n, x, step, acc + at * hed__id_size(f->type),
                                                                   indices(f, acc) + at, from);
    return;
  }
  if (extreme(f->op)) {
    (f->op == HED_OP_MAX ? loops->col_max : loops->col_min)(rows, n, x, step, c);
    return;
  }
  if (squares(f))
    row_squares(f, rows, n, x, step, c);
  else if (product(f))
    loops->col_prod(rows, n, x, step, plane(f, c, MANTISSA), plane(f, c, EXPONENT));
  else if (is_boolean(f->op) && f->type != HED_ID_BOOL)
    cpu_bool_columns[f->type](rows, n, x, step, c);
  else if (is_integer(f))
    (f->op == HED_OP_PROD ? loops->col_prod_int : loops->col_sum_int)(rows, n, x, step, c);
  else if (!complex_product(f))
    loops->col_sum(rows, n, x, step, c);
  else
    for (int64_t r = 0; r < rows; r++, x += step)
      row_products(f, n, x, c);
}

/* ---- a block ---- */

/* Bytes of pages that are taken together. */
enum { TOGETHER = 8192 };

/* Is a page so small that a loop is better called for several? */
static bool few_in_page(const fuse_program *p, const fuse_fold *f)
{
  enum { NARROW_ROW_ELEMENTS = 8, SHORT_SLICE_ELEMENTS = 32, SHORT_SLICE_FAST_ELEMENTS = 16 };
  const bool fast = is_argextreme(f->op) ? !is_integer(f) : is_boolean(f->op) && f->type != HED_ID_BOOL; /* of lanes */
  if (2 * p->count * p->inner * hed__id_size(f->type) > TOGETHER)
    return false;
  return p->inner == 1 ? p->count < (fast ? SHORT_SLICE_FAST_ELEMENTS : SHORT_SLICE_ELEMENTS) : p->inner < NARROW_ROW_ELEMENTS;
}

/* N lanes of COUNT elements as COUNT rows of N. Tiles of short elements that are not whole take long: the last may begin among
 * what is there already. */
static void turn(int64_t count, int64_t n, int64_t size, char *to, int64_t step, const char *from, int64_t lane)
{
  const cpu_transpose_fn transpose = cpu_copy_k->transpose[__builtin_ctzll((uint64_t)size)];
  const int64_t tile = 16 / size, some = size <= 2 && count > tile ? count / tile * tile : count;
  transpose(some, n, to, step, from, lane);
  if (some < count)
    transpose(tile, n, to + (count - tile) * step, step, from + (count - tile) * size, lane);
}

/* PAGES whole pages of elements from X on, for accumulators from AT on: elements of equal indices in their pages go side by side,
 * in rows as long as several pages have results. */
static void fold_pages(const fuse_program *p, const fuse_fold *f, int64_t pages, const char *x, char *acc, int64_t at)
{
  _Alignas(64) char row[TOGETHER + CPU_REPEAT_OVER];
  const int64_t size = hed__id_size(f->type), count = p->count, inner = p->inner, page = count * inner * size;
  for (int64_t m; pages > 0; pages -= m, x += m * page, at += m * inner) {
    m = CPU_MIN(pages, TOGETHER / page);
    const int64_t step = m * inner * size;
    if (inner == 1 && count > 2) /* every other element has a loop of its own */
      turn(count, m, size, row, step, x, page);
    else
      for (int64_t k = 0; k < count; k++)
        if (inner == 1)
          cpu_copy_loop(size)(m, (char *[]){ row + k * step, (char *)x + k * size }, (int64_t[]){ size, page }, NULL);
        else
          cpu_write_rows(m, inner, size, row + k * step, x + k * inner * size, page, size);
    cpu_fuse_fold_rows(f, count, m * inner, row, step, acc, at, 0);
  }
}

void cpu_fuse_fold(const fuse_program *p, const fuse_fold *f, int64_t first, int64_t n, const char *x, char *acc,
                   int64_t from)
{
  const int64_t size = hed__id_size(f->type), inner = p->inner, page = p->count * inner;
  int64_t rest = first % page, at = first / page * inner - from;
  if (rest == 0 && n / page > 1 && few_in_page(p, f)) {
    const int64_t pages = n / page, m = pages * page;
    fold_pages(p, f, pages, x, acc, at);
    n -= m;
    x += m * size;
    at += pages * inner;
  }
  if (inner == 1) {
    for (int64_t m; n > 0; n -= m, x += m * size, at++, rest = 0) {
      m = CPU_MIN(n, page - rest);
      if (m == page && is_argextreme(f->op)) /* nothing else will be compared with its extreme */
        whole_lane_place(f, m, x, acc, at);
      else
        fold_lane(f, m, x, acc, at, rest);
    }
    return;
  }
  for (int64_t m; n > 0; n -= m, x += m * size, rest += m) {
    if (rest == page) {
      rest = 0;
      at += inner;
    }
    const int64_t column = rest % inner;
    const bool part = column || n < inner;
    m = part ? CPU_MIN(n, inner - column) : CPU_MIN(n / inner * inner, page - rest);
    if (part)
      cpu_fuse_fold_rows(f, 1, m, x, 0, acc, at + column, rest / inner);
    else
      cpu_fuse_fold_rows(f, m / inner, inner, x, inner * size, acc, at, rest / inner);
  }
}

static void merge_squares(const fuse_fold *f, int64_t n, char *into, char *from)
{
  double *count = plane(f, into, COUNT), *more = plane(f, from, COUNT);
  for (int64_t i = 0; i < (real(f) ? n : 2 * n); i++) {
    if (more[i] == 0)
      continue;
    cpu_moments_join(plane(f, into, ABOUT) + i, plane(f, into, SUM) + i, plane(f, into, SQUARE) + i, count[i],
                    plane(f, from, ABOUT)[i], plane(f, from, SUM)[i], plane(f, from, SQUARE)[i], more[i],
                    1 / (count[i] + more[i]));
    count[i] += more[i];
  }
}

static void merge_products(const fuse_fold *f, int64_t n, char *into, char *from)
{
  double *mantissa = plane(f, into, MANTISSA), *exponent = plane(f, into, EXPONENT);
  for (int64_t i = 0; i < n; i++) {
    hed__product p = { { mantissa[i], 0 }, exponent[i] };
    hed__product_join(&p, &(hed__product){ { plane(f, from, MANTISSA)[i], 0 }, plane(f, from, EXPONENT)[i] }, false);
    mantissa[i] = p.part[0];
    exponent[i] = p.exponent;
  }
}

/* Who comes later has to be more. */
static void merge_indices(const fuse_fold *f, int64_t n, char *into, char *from)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  int64_t *at = indices(f, into), *later = indices(f, from);
  (upwards(f->op) ? loops->col_max : loops->col_min)(1, n, into, 0, from);
  for (int64_t i = 0, size = hed__id_size(f->type); i < n; i++)
    cpu_argextreme_loops_of(f->type)->improve(1, into + i * size, from + i * size, at + i, later[i]);
}

void cpu_fuse_merge(const fuse_fold *f, int64_t n, char *into, char *from)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  void *a = into;
  const void *b = from;
  if (extreme(f->op)) {
    (f->op == HED_OP_MAX ? loops->col_max : loops->col_min)(1, n, from, 0, into);
  } else if (is_argextreme(f->op)) {
    merge_indices(f, n, into, from);
  } else if (squares(f)) {
    merge_squares(f, n, into, from);
  } else if (words(f)) {
    for (int64_t i = 0; i < n; i++)
      if (f->op == HED_OP_PROD)
        ((uint64_t *)a)[i] *= ((const uint64_t *)b)[i];
      else
        ((uint64_t *)a)[i] += ((const uint64_t *)b)[i];
  } else if (product(f)) {
    merge_products(f, n, into, from);
  } else if (complex_product(f)) {
    for (int64_t i = 0; i < n; i++)
      hed__product_join((hed__product *)a + i, (const hed__product *)b + i, true);
  } else {
    for (int64_t i = 0; i < (real(f) ? n : 2 * n); i++)
      ((double *)a)[i] += ((const double *)b)[i];
  }
}

void cpu_fuse_store(const fuse_program *p, const fuse_fold *f, int64_t at, int64_t n, char *acc)
{
  const hed_view *out = p->call->out[f->out];
  const int64_t size = hed__id_size(out->dtype);
  const int kind = hed__id_kind(f->type);
  void *c = acc;
  int from = is_boolean(f->op) ? HED_ID_UINT64 : kind == HED_KIND_COMPLEX ? HED_ID_COMPLEX128 : kind == HED_KIND_FLOAT ? HED_ID_FLOAT64
             : kind == HED_KIND_INT ? HED_ID_INT64 : HED_ID_UINT64;
  if (extreme(f->op))
    from = f->type;
  if (is_argextreme(f->op)) {
    hed__cast(HED_ID_INT64, out->dtype)(n, (char *)out->data + at * size, size, (const char *)indices(f, acc), sizeof(int64_t));
    return;
  }
  const int64_t count = p->count;
  const double all = (double)count;
  if (f->op == HED_OP_ALL)
    for (int64_t i = 0; i < n; i++)
      ((uint64_t *)c)[i] = ((uint64_t *)c)[i] == (uint64_t)count;
  for (int64_t i = 0; i < n && product(f); i++)
    plane(f, acc, MANTISSA)[i] = hed__product_scaled(plane(f, acc, MANTISSA)[i], plane(f, acc, EXPONENT)[i]);
  for (int64_t i = 0; i < n && complex_product(f); i++)
    hed__product_value((hed__product *)c + i, ((hed__product *)c)[i].part);
  if (squares(f)) {
    double *result = c, *sum = plane(f, acc, SUM), *square = plane(f, acc, SQUARE);
    const double freedom = all - f->ddof;
    const int parts = real(f) ? 1 : 2;
    for (int64_t i = 0; i < n; i++) {
      const double v = cpu_moments_squares(parts, sum + parts * i, square + parts * i, all) / (freedom < 0 ? 0 : freedom);
      result[i] = f->op == HED_OP_STD ? sqrt(v) : v;
    }
    hed__cast(HED_ID_FLOAT64, out->dtype)(n, (char *)out->data + at * size, size, acc, 8);
    return;
  }
  if (f->op == HED_OP_MEAN && is_integer(f)) {
    for (int64_t i = 0; i < n; i++)
      ((double *)c)[i] = (double)((int64_t *)c)[i] / all;
    from = HED_ID_FLOAT64;
  } else if (f->op == HED_OP_MEAN)
    for (int64_t i = 0, cells = n * (f->cell / 8); i < cells; i++)
      ((double *)c)[i] /= all;
  hed__cast(from, out->dtype)(n, (char *)out->data + at * size, size, acc, f->cell);
}
