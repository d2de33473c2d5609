// SPDX-License-Identifier: BSD-3-Clause
/* Fusion: operations that write to an array are recorded too. Whatever reads it before and after, in whatever shape, has the
 * values of the calls one by one; its memory stays its own. L5. */
#include "arrays.h"
#include "gen.h"
#include "scenario.h"
#include <heddle/ops.h>
#include <math.h>

enum { N = 3000 };
static gen g;

static uint64_t passes(void)
{
  hed_stats s = { .struct_size = sizeof s };
  hed_stats_get(&s);
  return s.fused_passes;
}

static hed_array *ramp(double start) { return hed_arange(start, start + N - 0.5, 1, HED_FLOAT64); }

static double at(const hed_array *x, int64_t k)
{
  const double *p = hed_array_data((hed_array *)(uintptr_t)x);
  return p ? p[k] : NAN;
}

static void test_recorded(void)
{
  hed_array *x = ramp(0), *y = hed_empty_like(x), *z = NULL;
  double *where = hed_array_data(y);
  uint64_t before = passes();
  HED_FUSED {
    ok(hed_add_scalar_into(y, x, 1) == HED_OK && hed_array_is_pending(y), "a result that is there already is pending");
    z = hed_multiply(y, x);
    ok(hed_square_into(y, y) == HED_OK, "in place");
  }
  is_uint(passes() - before, 1, "one pass");
  ok(!hed_array_is_pending(y) && hed_array_data(y) == where, "in the memory it had");
  ok(at(y, 7) == 64 && at(z, 7) == 56, "values");
  before = passes();
  HED_FUSED {
    hed_array *t = hed_negative(x);
    ok(hed_add_into(t, t, y) == HED_OK && hed_array_is_pending(t), "into a result that is pending");
    ok(hed_sqrt_into(x, y) == HED_OK && hed_array_is_pending(x), "over an operand of what is pending");
    ok(hed_copysign_into(y, t, x) == HED_OK, "and again");
    hed_release(z);
    z = t;
  }
  is_uint(passes() - before, 1, "still one pass");
  ok(at(x, 7) == 8 && at(y, 7) == 57 && at(z, 7) == 57, "values of the calls in order");
  HED_FUSED {
    ok(hed_add_scalar_into(y, x, 1) == HED_OK && at(y, 3) == 5, "a look at it computes it");
    ok(hed_negative_into(y, x) == HED_OK, "and it goes on");
    ok(hed_fill(y, 2) == HED_OK && !hed_array_is_pending(y), "what is not recorded comes after");
  }
  ok(at(y, 3) == 2, "and stays");
  hed_array *const all[] = { x, y, z };
  for (int k = 0; k < 3; k++)
    hed_release(all[k]);
}

/* Readers in other passes: a larger shape, a reduction, what is added up over other axes. */
static void test_shapes(void)
{
  hed_array *row = ramp(0), *x = hed_ones(HED_SHAPE(4, N), HED_FLOAT64), *y = NULL, *m = NULL;
  hed_array *s = hed_zeros(HED_SHAPE(N), HED_FLOAT64), *total = hed_zeros(HED_SHAPE0, HED_FLOAT64);
  const hed_reduce first = { .axes = { 1, { 0 } } };
  HED_FUSED {
    y = hed_add(x, row);                                        /* reads row as 4 rows */
    ok(hed_multiply_scalar_into(row, row, 10) == HED_OK && hed_array_is_pending(row), "read by a pass of another shape");
    ok(hed_sum_into(s, y, &first) == HED_OK && hed_array_is_pending(s), "sums into an array");
    m = hed_add(y, s);
    ok(hed_add_into(s, s, row) == HED_OK && hed_array_is_pending(s), "which is written again");
    ok(hed_mean_into(total, y, NULL) == HED_OK && hed_array_is_pending(total), "a mean into a number");
  }
  ok(at(y, N + 5) == 6 && at(row, 5) == 50 && at(m, 5) == 6 + 24 && at(s, 5) == 24 + 50, "each has what was there");
  ok(fabs(at(total, 0) - (1 + (N - 1) / 2.0)) < 1e-9, "the mean");
  HED_FUSED {
    hed_array *t = hed_negative(y);
    const hed_array *u = hed_add(y, row);
    ok(hed_max_into(row, t, &first) == HED_OK && hed_array_is_pending(row), "a reduction over an operand of its own pass");
    RELEASE(t, m);
    m = (hed_array *)(uintptr_t)u;
  }
  ok(at(row, 5) == -6 && at(m, 5) == 56, "values");
  hed_array *const all[] = { row, x, y, s, m, total };
  for (int k = 0; k < 6; k++)
    hed_release(all[k]);
}

/* What others may see is written at once. */
static void test_seen(void)
{
  hed_array *x = ramp(0), *y = ramp(5), *v = hed_slice(y, 1, (hed_slice_range[]){ HED_RANGE(1, N, 1) }), *r, *w;
  static double mine[N];
  r = hed_read_only(x);
  w = hed_wrap(mine, HED_SHAPE(N), NULL, HED_FLOAT64, NULL, NULL);
  HED_FUSED {
    hed_array *before = hed_negative(y);
    ok(hed_add_into(y, x, x) == HED_OK && !hed_array_is_pending(y) && at(v, 0) == 2, "an array with a view");
    ok(hed_add_into(w, x, x) == HED_OK && !hed_array_is_pending(w) && mine[3] == 6, "memory of the program");
    ok(hed_add_into(r, x, x) == HED_E_INVAL, "a read-only one is an error at once: %s", hed_error_text());
    ok(hed_add_into(v, x, x) == HED_E_SHAPE, "so is a wrong shape: %s", hed_error_text());
    hed_error_clear();
    ok(hed_add_into(NULL, x, x) == HED_E_INVAL, "and none");
    hed_error_clear();
    hed_array *pending = hed_negative(x);
    ok(hed_copy_into(w, pending) == HED_OK && !hed_array_is_pending(w) && mine[3] == -3, "a copy to memory of the program");
    ok(hed_copy_into(v, w) == HED_E_SHAPE, "to a wrong shape: %s", hed_error_text());
    ok(hed_copy_into(r, pending) == HED_E_INVAL, "to what is only read: %s", hed_error_text());
    ok(hed_copy_into(NULL, pending) == HED_E_INVAL && hed_copy_into(x, NULL) == HED_E_INVAL, "to and of none");
    ok(at(x, 3) == 3, "nothing came of these");
    hed_release(pending);
    hed_error_clear();
    ok(at(before, 2) == -7, "a reader of before");
    hed_release(before);
  }
  hed_array *const all[] = { x, y, v, r, w };
  for (int k = 0; k < 5; k++)
    hed_release(all[k]);
}

/* Copies: of what is pending, of operands, of one row, of a number; into other types; of what is written afterwards. */
static void test_copied(int64_t rows)
{
  const hed_shape shape = HED_SHAPE(rows, N);
  hed_array *row = ramp(0), *x = hed_zeros(shape, HED_FLOAT64), *y = hed_zeros(shape, HED_FLOAT64), *m = NULL;
  hed_array *f = hed_zeros(shape, HED_FLOAT32), *n = hed_ones(shape, HED_INT32), *w = hed_zeros(shape, HED_FLOAT64);
  double *where = hed_array_data(y);
  uint64_t before = passes();
  HED_FUSED {
    ok(hed_copy_into(x, row) == HED_OK && hed_array_is_pending(x), "a copy of a row to all rows is pending");
    hed_array *t = hed_add_scalar(x, 1);
    ok(hed_copy_into(y, t) == HED_OK && hed_array_is_pending(y), "a copy of what is pending");
    ok(hed_copy_into(f, t) == HED_OK && hed_array_is_pending(f), "as float32");
    ok(hed_copy_into(w, t) == HED_OK && hed_array_is_pending(w), "again");
    ok(hed_negative_into(t, t) == HED_OK, "which is written afterwards");
    ok(hed_copy_into(t, t) == HED_OK && hed_array_is_pending(t), "onto itself");
    hed_array *two = hed_scalar(2.75);
    ok(hed_copy_into(n, two) == HED_OK && hed_array_is_pending(n), "a number, as integers");
    hed_release(two);
    m = t;
  }
  is_uint(passes() - before, 1, "one pass");
  ok(hed_array_data(y) == where, "in the memory it had");
  const int64_t last = rows * N - 1;
  ok(at(x, 7) == 7 && at(x, last) == N - 1, "the row");
  ok(at(y, 7) == 8 && at(y, last) == N && at(w, 7) == 8 && at(w, last) == N, "copies have what was there");
  ok(at(m, 7) == -8 && at(m, last) == -N, "and what was written then");
  ok(((float *)hed_array_data(f))[last] == N && ((int32_t *)hed_array_data(n))[last] == 2, "converted");
  before = passes();
  HED_FUSED {
    ok(hed_copy_into(w, x) == HED_OK && hed_array_is_pending(w), "a copy of an operand");
    hed_array *t = hed_copysign(w, m);
    ok(hed_multiply_scalar_into(x, x, 10) == HED_OK && hed_array_is_pending(x), "that is written in the same pass");
    ok(hed_subtract_into(y, w, x) == HED_OK, "stays as it was");
    hed_array *temporary = hed_zeros(shape, HED_FLOAT64);
    ok(hed_copy_into(temporary, x) == HED_OK && hed_add_scalar_into(x, x, 1) == HED_OK, "also if it");
    ok(hed_add_into(m, temporary, t) == HED_OK, "is never in memory");
    RELEASE(temporary, t);
  }
  is_uint(passes() - before, 1, "one pass");
  ok(at(w, 7) == 7 && at(w, last) == N - 1 && at(x, 7) == 71 && at(y, 7) == -63 && at(m, 7) == 63, "values of the calls in order");
  ok(at(m, last) == 9 * (N - 1) && at(y, last) == -9 * (N - 1), "to the end");
  hed_array *const all[] = { row, x, y, m, f, n, w };
  for (int k = 0; k < 7; k++)
    hed_release(all[k]);
}

/* Released before it is written; a scope that fails; other types. */
static void test_ends(void)
{
  hed_array *x = ramp(0), *y = hed_copy(x), *z = NULL, *f = hed_zeros(HED_SHAPE(N), HED_FLOAT32);
  HED_FUSED {
    ok(hed_add_into(y, x, x) == HED_OK, "to be released");
    z = hed_negative(y);
    hed_release(y);
    ok(hed_add_into(f, x, x) == HED_OK && hed_array_is_pending(f), "of a narrower type");
    hed_array *t = hed_copy(x);
    ok(hed_greater_scalar_into(t, x, 10) == HED_OK && hed_array_is_pending(t), "truth as numbers");
    ok(hed_where_into(x, t, z, f) == HED_OK && hed_array_is_pending(x), "over what is read");
    hed_release(t);
  }
  ok(at(z, 9) == -18 && at(x, 9) == 18 && at(x, 11) == -22, "values");
  double v = 0;
  hed_array *one = hed_index(f, 0, 9);
  ok(hed_item(one, &v) == HED_OK && v == 18, "as float32");
  RELEASE(one, z);
  char spec[40];
  snprintf(spec, sizeof spec, ";memory=%d", (int)(0.5 * N * sizeof(double)));
  z = ramp(1);
  y = NULL;
  HED_BACKEND_CONTEXT(spec) {
    HED_FUSED {
      ok(hed_negative_into(z, z) == HED_OK, "recorded");
      y = hed_add(z, z);
      is_int(hed_fuse_eval(z), HED_E_LIMIT, "there is no room for another result");
      ok(hed_array_is_pending(z), "it stays pending");
    }
    ok(hed_error() == HED_E_LIMIT && hed_array_is_pending(y), "the end says so too");
    hed_error_clear();
  }
  ok(!hed_array_is_pending(z) && at(z, 4) == 5, "an array that could not be written is as before");
  RELEASE(y, z, x, f);
}

/* ---- random programs ---- */

enum { ARRAYS = 7, LINES = 60 };
typedef struct line { int kind, to, in[2]; double number; } line;

/* Arrays 0..3: the whole shape; 4: one row; 5: columns' sums, of another type; 6: a number. */
static void make_arrays(hed_array **x, const double *v, int64_t rows, int64_t cols, const hed_dtype *t)
{
  for (int k = 0; k < ARRAYS; k++) {
    hed_shape s = k < 4 ? HED_SHAPE(rows, cols) : k < 6 ? HED_SHAPE(cols) : HED_SHAPE0;
    hed_array *a = hed_from_host(v + k, s, HED_FLOAT64);
    x[k] = hed_astype(a, t[k]);
    hed_release(a);
  }
}

static void run_line(const line *p, hed_array **x)
{
  const hed_reduce first = { .axes = { 1, { 0 } } };
  hed_array *to = x[p->to], *a = x[p->in[0]], *b = x[p->in[1]];
  if (p->to == 5 || p->to == 6) {
    HED_SCOPE {
      hed_array *t = hed_add(x[p->in[0] % 4], b); /* pending in a fusion scope */
      (void)(p->kind < 50 ? hed_max_into : hed_min_into)(to, t, p->to == 5 ? &first : NULL);
    }
  } else if (p->kind < 20) {
    (void)hed_subtract_into(to, a, b);
  } else if (p->kind < 35) {
    (void)hed_maximum_into(to, a, b);
  } else if (p->kind < 50) {
    (void)hed_multiply_scalar_into(to, a, p->number);
  } else if (p->kind < 60) {
    (void)hed_negative_into(to, a);
  } else if (p->kind < 70) {
    (void)hed_less_into(to, a, b);
  } else if (p->kind < 75) {
    (void)hed_clip_into(to, a, -3, 4);
  } else if (p->kind < 83) {
    (void)hed_copy_into(to, a);
  } else { /* a new array in its place */
    hed_array *t = p->kind < 92 ? hed_add(a, b) : hed_negative(a), *u = NULL;
    if (t && hed_array_ndim(t) == hed_array_ndim(to) && hed_array_size(t) == hed_array_size(to))
      u = hed_astype(t, hed_array_dtype(to));
    hed_release(t);
    if (u) {
      hed_release(x[p->to]);
      x[p->to] = u;
    }
  }
  hed_error_clear();
}

static void one_round(int round)
{
  static const hed_dtype dtypes[] = { HED_FLOAT64, HED_FLOAT32, HED_INT32, HED_FLOAT64, HED_FLOAT16, HED_COMPLEX64 };
  const int64_t rows = gen_int(&g, 1, 5), cols = gen_chance(&g, 50) ? gen_int(&g, 1, 40) : gen_int(&g, 500, 3000);
  double *v = malloc((size_t)(rows * cols + ARRAYS) * sizeof *v);
  for (int64_t k = 0; k < rows * cols + ARRAYS; k++)
    v[k] = (double)gen_int(&g, -9, 9);
  hed_dtype t[ARRAYS];
  line program[LINES];
  hed_array *plain[ARRAYS], *fused[ARRAYS];
  for (int k = 0; k < ARRAYS; k++)
    t[k] = dtypes[gen_below(&g, k > 4 ? 2 : gen_chance(&g, 80) ? 4 : 6)];
  for (int k = 0; k < LINES; k++)
    program[k] = (line){ (int)gen_below(&g, 100), (int)gen_below(&g, ARRAYS),
                         { (int)gen_below(&g, ARRAYS), (int)gen_below(&g, ARRAYS) }, (double)gen_int(&g, -1, 2) };
  make_arrays(plain, v, rows, cols, t);
  make_arrays(fused, v, rows, cols, t);
  for (int k = 0; k < LINES; k++)
    run_line(&program[k], plain);
  HED_FUSED for (int k = 0; k < LINES; k++)
    run_line(&program[k], fused);
  for (int k = 0; k < ARRAYS; k++) {
    const hed_tolerance exact = { .rtol = 1e-300, .equal_nan = true };
    bool same = false;
    if (hed_array_is_pending(fused[k]) || hed_array_dtype(plain[k]) != hed_array_dtype(fused[k]) ||
        hed_allclose(plain[k], fused[k], &exact, &same) != HED_OK || !same)
      fail("round %d: %lld x %lld: array %d of %s differs: %s", round, (long long)rows, (long long)cols, k,
           hed_dtype_name(t[k]), hed_error_text());
    RELEASE(plain[k], fused[k]);
  }
  free(v);
}

/* A reduction goes over what an earlier operation of its own shape reads, by rows where that reads it along them. */
static void test_read_before(void)
{
  enum { SIDE = 600 };
  hed_array *x = hed_ones(HED_SHAPE(SIDE, SIDE), HED_FLOAT64), *y = hed_arange(0, SIDE - 0.5, 1, HED_FLOAT64);
  HED_FUSED {
    hed_array *t = hed_multiply(x, y);
    ok(hed_sum_into(y, t, &(hed_reduce){ .axes = HED_AXES(1) }) == HED_OK && hed_array_is_pending(y), "a sum over an operand");
    hed_release(t);
  }
  const double sum = SIDE * (SIDE - 1) / 2;
  ok(at(y, 0) == sum && at(y, 1) == sum && at(y, SIDE - 1) == sum, "which is read before it is written");
  RELEASE(x, y);
}

int main(void)
{
  if (hed_backend_require("cpu") != HED_OK || hed_set_default_backend("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  gen_seed(&g, tap_seed());
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_stats_get(&before);
  test_recorded();
  test_shapes();
  test_seen();
  test_copied(1);
  test_copied(400);
  test_ends();
  test_read_before();
  int rounds = scaled(400), failed = tap_failures();
  for (int k = 0; k < rounds && tap_failures() < failed + 5; k++)
    one_round(k);
  ok(tap_failures() == failed, "%d random programs", rounds);
  hed_stats_get(&after);
  is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "no handle is left");
  return done();
}
