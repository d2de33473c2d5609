// SPDX-License-Identifier: BSD-3-Clause
/* Products that are cut into panels, blocks and stripes and shared between threads, for operands of any layout. Elements
 * are small whole numbers, so that every sum is exact: c x = a (b x) for whole numbers x, which the reference multiplies.
 */
#include "api.h"
#include "gen.h"
#include "scenario.h"
#include <math.h>
#include <string.h>

static gen g;

/* Small whole numbers; in memory by rows, by columns, with gaps or backwards. */
static hed_array *operand(int64_t batch, int64_t rows, int64_t columns, hed_dtype t)
{
  enum { BY_COLUMNS = 1, GAPS, BACKWARDS, KINDS };
  const int kind = (int)gen_below(&g, KINDS);
  const int64_t down = kind == BY_COLUMNS ? columns : rows, right = (kind == BY_COLUMNS ? rows : columns) + (kind == GAPS);
  int32_t *values = malloc((size_t)(batch * down * right) * sizeof *values);
  for (int64_t k = 0; values && k < batch * down * right; k++)
    values[k] = (int32_t)gen_int(&g, -3, 3);
  hed_array *x = hed_astype(hed_from_host(values, HED_SHAPE(batch, down, right), HED_INT32), t);
  free(values);
  if (kind == BY_COLUMNS)
    x = hed_moveaxis(x, -1, -2);
  else if (kind == GAPS)
    x = hed_slice(x, 3, (hed_slice_range[]){ HED_RANGE(0, batch, 1), HED_RANGE(0, rows, 1), HED_RANGE(1, columns + 1, 1) });
  else if (kind == BACKWARDS)
    x = hed_flip(x, &HED_AXES(1, 2));
  return x;
}

/* C x is AB, which is a (b x). */
static bool is_image(hed_array *c, hed_array *x, hed_array *ab)
{
  double same = 0;
  HED_BACKEND_CONTEXT("reference")
    if (hed_item(hed_all(hed_equal(hed_matmul(hed_astype(c, HED_INT64), x), ab), NULL), &same) != HED_OK)
      diag("status: %s", hed_error_text());
  return same == 1;
}

static hed_array *image(hed_array *a, hed_array *b, hed_array *x)
{
  hed_array *r = NULL;
  HED_BACKEND_CONTEXT("reference")
    r = hed_matmul(hed_astype(a, HED_INT64), hed_matmul(hed_astype(b, HED_INT64), x));
  return r;
}

static bool equal(hed_array *c, hed_array *a, hed_array *b, int64_t batch, int64_t n)
{
  hed_array *x = operand(batch, n, scaled(2), HED_INT64);
  return is_image(c, x, image(a, b, x));
}

static void one(const char *threads, int64_t batch, int64_t m, int64_t k, int64_t n, hed_dtype t)
{
  bool good = false;
  HED_SCOPE {
    hed_array *a = operand(batch, m, k, t), *b = operand(gen_chance(&g, 30) ? 1 : batch, k, n, t);
    hed_array *c = hed_matmul(a, b), *into = operand(batch, m, n, t);
    good = c && equal(c, a, b, batch, n);
    good = good && hed_matmul_into(into, a, b) == HED_OK && equal(into, a, b, batch, n);
    if (!good)
      diag("status: %s", hed_error_text());
  }
  ok(good, "%s: %d times %d x %d x %d, %s", threads, (int)batch, (int)m, (int)k, (int)n, hed_dtype_name(t));
}

/* A matrix times its own transpose, of which half is computed: symmetric, and what it would be with a copy. */
static void grams(const char *threads, hed_dtype t)
{
  static const int64_t sizes[][2] = { { 128, 64 }, { 131, 70 }, { 250, 400 }, { 300, 65 }, { 1100, 64 },
                                     { 64, 400 }, { 97, 411 }, { 150, 450 } };
  int bad = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (int side = 0; side < 2; side++)
      HED_SCOPE {
        const int64_t m = sizes[s][0], k = sizes[s][1];
        /* matrices within wider ones */
        hed_array *wide = operand(1, side ? k : m, (side ? m : k) + 3, t), *a = hed_slice(wide, 3, (hed_slice_range[]){
          HED_ALL, HED_ALL, { .start = 2, .stop = (side ? m : k) + 2, .step = 1 } }), *b = hed_swapaxes(a, 1, 2);
        hed_array *into = hed_slice(operand(1, m, m + 5, t), 3, (hed_slice_range[]){ HED_ALL, HED_ALL,
          { .start = 1, .stop = m + 1, .step = 1 } });
        hed_array *c = side ? hed_matmul(b, a) : hed_matmul(a, b);
        hed_array *other = side ? hed_matmul(hed_copy(b), a) : hed_matmul(a, hed_copy(b));
        double same = 0, even = 0, put = 0;
        bad += hed_item(hed_all(hed_equal(c, other), NULL), &same) != HED_OK || same != 1
               || hed_item(hed_all(hed_equal(c, hed_swapaxes(c, 1, 2)), NULL), &even) != HED_OK || even != 1
               || (side ? hed_matmul_into(into, b, a) : hed_matmul_into(into, a, b)) != HED_OK
               || hed_item(hed_all(hed_equal(into, other), NULL), &put) != HED_OK || put != 1;
      }
  is_int(bad, 0, "%s: matrices times their transposes, %s", threads, hed_dtype_name(t));
}

/* Tall matrices times transposes of flat ones, which are copied to lie by rows. */
static void turned(const char *const threads[3], hed_dtype t)
{
  bool good = true;
  for (int round = 0; round < scaled(30) && good; round++)
    HED_SCOPE {
      const int64_t m = gen_int(&g, 120, 2000), k = gen_int(&g, 2, 200), n = gen_int(&g, 2, 63);
      hed_array *a = operand(1, m, k, t), *b = hed_moveaxis(hed_copy(operand(1, n, k, t)), 1, 2);
      hed_array *x = operand(1, n, scaled(2), HED_INT64), *ab = image(a, b, x);
      for (int i = 0; i < 3 && good; i++)
        HED_BACKEND_CONTEXT(threads[i]) {
          hed_array *c = hed_matmul(a, b), *into = operand(1, m, n, t);
          good = c && is_image(c, x, ab) && hed_matmul_into(into, a, b) == HED_OK && is_image(into, x, ab);
          if (!good)
            diag("%s: %d x %d times %d x %d: %s", threads[i], (int)m, (int)k, (int)k, (int)n, hed_error_text());
        }
    }
  ok(good, "times transposes, %s", hed_dtype_name(t));
}

/* The matrix that is all of a batch, without its first axis. */
static hed_array *alone(hed_array *x) { return hed_squeeze(x, &HED_AXES(0)); }

/* Single small matrices, which have a way of their own. */
static void small(hed_dtype t)
{
  bool good = true;
  for (int round = 0; round < scaled(300) && good; round++)
    HED_SCOPE {
      const int64_t m = gen_int(&g, 1, 34), k = gen_int(&g, 1, 34), n = gen_int(&g, 1, 34);
      hed_array *a = operand(1, m, k, t), *b = operand(1, k, n, t), *into = operand(1, m, n, t);
      hed_array *c = hed_reshape(hed_matmul(alone(a), alone(b)), HED_SHAPE(1, m, n));
      good = c && equal(c, a, b, 1, n) && hed_matmul_into(alone(into), alone(a), alone(b)) == HED_OK &&
             equal(into, a, b, 1, n);
      if (!good)
        diag("%d x %d times %d x %d: %s", (int)m, (int)k, (int)k, (int)n, hed_error_text());
    }
  ok(good, "small matrices of %s, in memory in any way", hed_dtype_name(t));
}

/* A vector of N in a matrix of random layout: its first row or column. */
static hed_array *vector_of(int64_t n, hed_dtype t)
{
  const bool row = gen_chance(&g, 50);
  return hed_index(alone(row ? operand(1, 2, n, t) : operand(1, n, 2, t)), row ? 0 : 1, 0);
}

/* The same with vectors: a row, a column, both. */
static void vectors(hed_dtype t)
{
  bool good = true;
  for (int round = 0; round < scaled(300) && good; round++)
    HED_SCOPE {
      const int64_t m = gen_int(&g, 1, 40), k = gen_int(&g, 1, 40);
      const bool row = round & 1, column = round & 2 || !row;
      hed_array *a = row ? vector_of(k, t) : alone(operand(1, m, k, t));
      hed_array *b = column ? vector_of(k, t) : alone(operand(1, k, m, t));
      hed_array *out = row && column ? hed_ones(HED_SHAPE0, t) : hed_ones(HED_SHAPE(m), t), *c = hed_matmul(a, b);
      hed_array *first = hed_reshape(a, HED_SHAPE(1, row ? 1 : m, k));
      hed_array *second = hed_reshape(b, HED_SHAPE(1, k, column ? 1 : m));
      const hed_shape full = HED_SHAPE(1, row ? 1 : m, column ? 1 : m);
      good = c && equal(hed_reshape(c, full), first, second, 1, full.dim[2]) && hed_matmul_into(out, a, b) == HED_OK
             && equal(hed_reshape(out, full), first, second, 1, full.dim[2])
             && hed_array_ndim(c) == (row ? 0 : 1) + (column ? 0 : 1);
      if (!good)
        diag("%s %d, %s %d: %s", row ? "row" : "matrix", (int)m, column ? "column" : "matrix", (int)k, hed_error_text());
    }
  ok(good, "vectors of %s", hed_dtype_name(t));
}

static bool same(hed_array *x, hed_array *y)
{
  double all = 0;
  return hed_item(hed_all(hed_equal(x, y), NULL), &all) == HED_OK && all == 1;
}

/* P x Q matrices of which the batch axes are one, are not, or are repeated. */
static hed_array *grid(int64_t p, int64_t q, int64_t rows, int64_t columns, hed_dtype t)
{
  enum { TURNED = 1, SOME, FIRST, ONE, GAPS, KINDS };
  const int kind = (int)gen_below(&g, KINDS);
  const int64_t step = kind == SOME ? 2 : 1, gap = kind == GAPS;
  if (kind == FIRST || kind == ONE)
    p = 1;
  if (kind == ONE)
    q = 1;
  hed_array *x = hed_reshape(operand(p * q * step, rows + gap, columns, t),
                             kind == TURNED ? HED_SHAPE(q, p, rows, columns) : HED_SHAPE(p, q * step, rows + gap, columns));
  if (kind == TURNED)
    return hed_moveaxis(x, 0, 1);
  return hed_slice(x, 4, (hed_slice_range[]){ HED_RANGE(0, p, 1), HED_RANGE(0, q * step, step), HED_RANGE(0, rows, 1),
                                              HED_RANGE(0, columns, 1) });
}

static hed_array *matrix_at(hed_array *x, int64_t i, int64_t j)
{
  const hed_shape s = hed_array_shape(x);
  return hed_index(hed_index(x, 0, i % s.dim[0]), 0, j % s.dim[1]);
}

static void batches(hed_dtype t)
{
  int bad = 0;
  for (int round = 0; round < scaled(100); round++)
    HED_SCOPE {
      const int64_t p = gen_int(&g, 1, 4), q = gen_int(&g, 1, 4), m = gen_int(&g, 1, 20), k = gen_int(&g, 1, 20);
      hed_array *a = grid(p, q, m, k, t), *b = grid(p, q, k, gen_int(&g, 1, 20), t), *c = hed_matmul(a, b);
      const hed_shape s = c ? hed_array_shape(c) : HED_SHAPE(0, 0);
      bad += !c;
      for (int64_t i = 0; i < s.dim[0]; i++)
        for (int64_t j = 0; j < s.dim[1]; j++)
          bad += !same(matrix_at(c, i, j), hed_matmul(matrix_at(a, i, j), matrix_at(b, i, j)));
    }
  ok(bad == 0, "batches of two axes, %s", hed_dtype_name(t));
}

static hed_array *complex_of(hed_array *parts)
{
  return hed_add(hed_index(parts, 0, 0), hed_multiply_complex(hed_index(parts, 0, 1), 0, 1));
}

/* Complex matrices, whose rows or columns lie side by side, times vectors of which copies are made here or there. */
static void complex_vectors(hed_dtype t)
{
  static const int64_t lengths[] = { 100, 127, 128, 129, 200, 255, 256, 257, 300, 511, 513, 600 };
  int bad = 0;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int turned = 0; turned < 2; turned++)
      HED_SCOPE {
        const int64_t k = lengths[i], m = gen_int(&g, 6, 20);
        hed_array *parts = operand(2, turned ? k : m, turned ? m : k, HED_FLOAT64), *x = operand(2, 1, k, HED_FLOAT64);
        hed_array *a = hed_astype(complex_of(parts), t);
        x = hed_reshape(hed_astype(complex_of(x), t), HED_SHAPE(k));
        if (turned)
          a = hed_transpose(hed_copy(a), NULL);
        bad += !same(hed_matmul(a, x), hed_sum(hed_multiply(a, x), &(hed_reduce){ .axes = HED_AXES(1) }));
      }
  ok(bad == 0, "matrices times vectors, %s", hed_dtype_name(t));
}

/* COUNT matrices of T, by rows or by columns. */
static hed_array *matrices(int64_t count, int64_t rows, int64_t columns, hed_dtype t)
{
  const bool turned = gen_chance(&g, 40);
  if (turned) {
    const int64_t r = rows;
    rows = columns;
    columns = r;
  }
  hed_array *x = t == HED_COMPLEX64 || t == HED_COMPLEX128
                   ? complex_of(hed_reshape(operand(2 * count, rows, columns, HED_FLOAT64), HED_SHAPE(2, count, rows, columns)))
                   : operand(count, rows, columns, t);
  x = hed_copy(hed_astype(x, t));
  return turned ? hed_swapaxes(x, 1, 2) : x;
}

/* Small products in a row, of a row or a column too, against sums of products of elements. */
static void in_a_row(hed_dtype t)
{
  int bad = 0;
  for (int round = 0; round < scaled(300); round++)
    HED_SCOPE {
      const int64_t most = round % 5 ? 20 : 70, count = gen_int(&g, 1, 4), k = gen_int(&g, 1, most);
      const int64_t m = round % 3 == 0 ? 1 : gen_int(&g, 1, most), n = round % 3 == 1 ? 1 : gen_int(&g, 1, most);
      hed_array *a = matrices(count, m, k, t), *b = matrices(gen_chance(&g, 30) ? 1 : count, k, n, t), *c = hed_matmul(a, b);
      hed_array *all = hed_multiply(hed_expand_dims(a, -1), hed_expand_dims(b, -3));
      if (!c || !same(c, hed_sum(all, &(hed_reduce){ .axes = HED_AXES(-2) }))) {
        diag("%d times %d x %d x %d wrong", (int)count, (int)m, (int)k, (int)n);
        bad++;
      }
    }
  ok(bad == 0, "small products in a row, %s", hed_dtype_name(t));
}

/* M rows of N numbers of all values of T, which products overflow; every second column where GAPS. */
static hed_array *wide_values(int64_t m, int64_t n, bool gaps, hed_dtype t)
{
  const hed_random opt = { .seed = gen_below(&g, 1 << 30), .seeded = true };
  hed_array *x = hed_astype(hed_random_bits(HED_SHAPE(m, gaps ? 2 * n : n), HED_UINT64, &opt), t);
  return gaps ? hed_slice(x, 2, (hed_slice_range[]){ HED_RANGE(0, m, 1), HED_RANGE(0, 2 * n, 2) }) : x;
}

/* Inner products of whole numbers, which wrap, against the reference: alone, along either axis, and of few elements each. */
static void whole_dots(const char *threads, hed_dtype t)
{
  int bad = 0;
  for (int round = 0; round < scaled(16); round++)
    HED_SCOPE {
      const bool gaps = gen_chance(&g, 30), one = round % 4 == 0; /* and long */
      const int64_t m = one ? 1 : gen_int(&g, 1, 70), n = gen_int(&g, 1, one ? 300000 : 40);
      hed_array *x = wide_values(m, n, gaps, t), *y = wide_values(m, n, gaps, t), *ones = hed_expand_dims(x, -2);
      hed_array *got[3] = { hed_vecdot(x, y, -1), hed_vecdot(x, y, 0), hed_matmul(ones, hed_expand_dims(y, -1)) };
      HED_BACKEND_CONTEXT("reference") {
        hed_array *rows = hed_vecdot(x, y, -1);
        hed_array *columns = one ? hed_multiply(hed_index(x, 0, 0), hed_index(y, 0, 0)) : hed_vecdot(x, y, 0);
        hed_array *want[3] = { rows, columns, hed_reshape(rows, HED_SHAPE(m, 1, 1)) };
        for (int k = 0; k < 3; k++)
          if (!got[k] || !same(got[k], want[k])) {
            diag("%d rows of %d%s, %d", (int)m, (int)n, gaps ? ", with gaps" : "", k);
            bad++;
          }
      }
    }
  for (int64_t k = 1; k < 10; k++)
    HED_SCOPE {
      hed_array *a = hed_reshape(wide_values(35, k, false, t), HED_SHAPE(7, 5, k));
      hed_array *b = hed_expand_dims(wide_values(7, k, false, t), -1);
      hed_array *c = hed_matmul(a, b);
      HED_BACKEND_CONTEXT("reference")
        bad += !c || !same(c, hed_matmul(a, b));
    }
  ok(bad == 0, "%s: inner products of all values of %s", threads, hed_dtype_name(t));
}

static bool refused(hed_status got, hed_status want, const char *text)
{
  const bool good = got == want && strstr(hed_error_text(), text);
  if (!good)
    diag("status: %d, %s", (int)got, hed_error_text());
  hed_error_clear();
  return good;
}

/* What a short way must see: memory in common, whoever owns it, a result that nobody may write, extents that differ. */
static void checks(void)
{
  float room[64] = { 0 }, value = 0;
  bool good = true;
  HED_SCOPE {
    hed_array *a = hed_wrap(room, HED_SHAPE(4, 4), NULL, HED_FLOAT32, NULL, NULL);
    hed_array *b = hed_wrap(room + 16, HED_SHAPE(4, 4), NULL, HED_FLOAT32, NULL, NULL);
    hed_array *half = hed_wrap(room + 24, HED_SHAPE(4, 4), NULL, HED_FLOAT32, NULL, NULL);
    hed_array *next = hed_wrap(room + 32, HED_SHAPE(4, 4), NULL, HED_FLOAT32, NULL, NULL);
    hed_array *o = hed_ones(HED_SHAPE(4, 4), HED_FLOAT32), *wide = hed_ones(HED_SHAPE(4, 4), HED_FLOAT64);
    good = refused(hed_matmul_into(half, a, b), HED_E_INVAL, "out and b share memory")
           && refused(hed_matmul_into(half, b, a), HED_E_INVAL, "out and a share memory")
           && refused(hed_matmul_into(o, o, b), HED_E_INVAL, "out and a share memory")
           && refused(hed_matmul_into(hed_read_only(o), a, b), HED_E_INVAL, "read-only")
           && refused(hed_matmul_into(hed_reshape(o, HED_SHAPE(2, 8)), a, b), HED_E_SHAPE, "out has shape (2, 8)")
           && hed_matmul_into(next, a, b) == HED_OK && hed_matmul_into(wide, a, b) == HED_OK;
    hed_array *none = hed_matmul(hed_ones(HED_SHAPE(3, 0), HED_FLOAT32), hed_ones(HED_SHAPE(0, 2), HED_FLOAT32));
    good = good && none && hed_item(hed_max(hed_abs(none), NULL), &(double){ 0 }) == HED_OK;
    hed_array *many = hed_broadcast_to(hed_ones(HED_SHAPE(1, 1), HED_FLOAT32), HED_SHAPE(INT64_C(1) << 40, 1));
    good = good && !hed_matmul(many, hed_swapaxes(many, 0, 1)) && hed_error() != HED_OK;
    hed_error_clear();
    room[0] = NAN;
    hed_array *c = hed_matmul(a, b), *corner = hed_index(hed_index(c, 0, 0), 0, 0);
    good = good && hed_to_host(corner, &value, sizeof value) == HED_OK && isnan(value);
    HED_FUSED {
      hed_array *sum = hed_add(o, o), *twice = hed_matmul(sum, o); /* an operand that is not computed yet */
      good = good && hed_to_host(hed_index(hed_index(twice, 0, 0), 0, 0), &value, sizeof value) == HED_OK && value == 8;
    }
  }
  ok(good, "what is wrong is refused: %s", hed_error_text());
}

/* Vector products in one pass and, of what does not lie so, in parts: with the roundings of the definition. */
static void crosses(const char *threads, hed_dtype t)
{
  static const int64_t sizes[] = { 1, 2, 7, 16, 63, 1001, 40009 };
  int bad = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    HED_SCOPE {
      const int64_t n = sizes[s];
      hed_array *x[2], *parts[2][3], *want[3];
      for (int k = 0; k < 2; k++) {
        x[k] = hed_random_normal(HED_SHAPE(n, 3), t, NULL);
        for (int j = 0; j < 3; j++)
          parts[k][j] = hed_index(x[k], 1, j);
      }
      for (int j = 0; j < 3; j++)
        want[j] = hed_subtract(hed_multiply(parts[0][(j + 1) % 3], parts[1][(j + 2) % 3]),
                               hed_multiply(parts[0][(j + 2) % 3], parts[1][(j + 1) % 3]));
      hed_array *whole = hed_stack(3, (const hed_array *const *)want, 1);
      hed_array *turned = hed_transpose(hed_copy(hed_transpose(x[0], NULL)), NULL);
      hed_array *got[3] = { hed_cross(x[0], x[1], 1), hed_cross(turned, x[1], -1),
                            hed_transpose(hed_cross(hed_transpose(x[0], NULL), hed_transpose(x[1], NULL), 0), NULL) };
      for (int k = 0; k < 3; k++) {
        double same = 0;
        bad += hed_item(hed_all(hed_equal(got[k], whole), NULL), &same) != HED_OK || same != 1;
      }
    }
  is_int(bad, 0, "%s: vector products, %s", threads, hed_dtype_name(t));
}

int main(void)
{
  static const char *const threads[] = { "cpu;threads=1", "cpu;threads=2", "cpu;threads=5" };
  static const int64_t sizes[][4] = { /* batch, m, k, n */
    { 1, 64, 64, 64 }, { 1, 130, 1100, 70 }, { 1, 500, 520, 200 }, { 1, 70, 513, 1000 }, { 1, 1024, 64, 128 },
    { 1, 100, 128, 2100 }, { 3, 129, 200, 131 }, { 20, 100, 99, 98 }, { 1, 1000, 10, 1000 }, { 1, 9, 3000, 7 },
  };
  static const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT32, HED_INT64 };
  gen_seed(&g, tap_seed());
  for (int i = 0; i < 3; i++)
    HED_BACKEND_CONTEXT(threads[i])
      for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int t = 0; t < 4; t++)
          if (thorough(i + (int)s + t))
            one(threads[i], sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3], types[t]);
  static const hed_dtype floats[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  for (int i = 0; i < 3; i++)
    HED_BACKEND_CONTEXT(threads[i])
      for (int t = 0; t < 4; t++) {
        grams(threads[i], floats[t]);
        if (t < 2)
          crosses(threads[i], floats[t]);
      }
  HED_BACKEND_CONTEXT(threads[0])
    for (int t = 0; t < 4; t++)
      turned(threads, floats[t]);
  HED_BACKEND_CONTEXT(threads[0]) {
    for (int t = 0; t < 4; t++) {
      small(types[t]);
      vectors(types[t]);
      batches(types[t]);
    }
    complex_vectors(HED_COMPLEX64);
    complex_vectors(HED_COMPLEX128);
    for (int t = 0; t < 4; t++) {
      in_a_row(types[t]);
      if (floats[t] != types[t])
        in_a_row(floats[t]);
    }
    in_a_row(HED_INT16);
  }
  static const hed_dtype whole[] = { HED_INT8, HED_UINT8, HED_INT16, HED_UINT16, HED_INT32, HED_UINT32, HED_INT64, HED_UINT64 };
  for (int i = 0; i < 2; i++)
    HED_BACKEND_CONTEXT(threads[i])
      for (int t = 0; t < 8; t++)
        if (thorough(i + t))
          whole_dots(threads[i], whole[t]);
  HED_BACKEND_CONTEXT(threads[0])
    checks();
  done_testing();
  return done();
}
