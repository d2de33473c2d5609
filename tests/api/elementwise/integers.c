// SPDX-License-Identifier: BSD-3-Clause
/* Integers of 64 bits are not rounded on their way: signed against unsigned, in comparisons, sets, searches and medians, and as
 * numbers of C. Right values are made here, from the integers themselves.
 */
#include "api.h"
#include "gen.h"
#include <math.h>

enum { N = 600 };
static const uint64_t top = (uint64_t)1 << 63, far = (uint64_t)1 << 62;

static hed_array *signed_list(int64_t n, const int64_t *v) { return hed_from_host(v, HED_SHAPE(n), HED_INT64); }
static hed_array *unsigned_list(int64_t n, const uint64_t *v) { return hed_from_host(v, HED_SHAPE(n), HED_UINT64); }

/* Elements of bool or int64 array X, which is released, are those of WANT. */
static void same(hed_array *x, const void *want, size_t bytes, const char *name)
{
  static char got[8 * N];
  memset(got, 0x5a, bytes);
  ok(x && hed_to_host(x, got, bytes) == HED_OK, "%s: there (%s)", name, x ? "" : hed_error_text());
  is_mem(got, want, bytes, "%s", name);
  hed_release(x);
}

/* Below, equal to or above 0. */
static int order(int64_t a, uint64_t b) { return a < 0 || (uint64_t)a < b ? -1 : (uint64_t)a > b; }

static void comparisons(const char *backend)
{
  static const struct {
    const char *name;
    hed_array *(*op)(const hed_array *, const hed_array *);
    hed_status (*into)(hed_array *, const hed_array *, const hed_array *);
    bool below, equal, above;
  } ops[] = {
    { "equal", hed_equal, hed_equal_into, false, true, false },
    { "not_equal", hed_not_equal, hed_not_equal_into, true, false, true },
    { "less", hed_less, hed_less_into, true, false, false },
    { "less_equal", hed_less_equal, hed_less_equal_into, true, true, false },
    { "greater", hed_greater, hed_greater_into, false, false, true },
    { "greater_equal", hed_greater_equal, hed_greater_equal_into, false, true, true },
  };
  int64_t a[N];
  uint64_t b[N];
  bool want[N], back[N];
  gen g;
  diag("comparisons on %s, %d threads", backend, api_threads);
  gen_seed(&g, tap_seed());
  for (int k = 0; k < N; k++) {
    b[k] = (k % 3 == 0 ? far : k % 3 == 1 ? top : 0) + gen_below(&g, 9) - 4;
    a[k] = (int64_t)(b[k] + gen_below(&g, 3) - 1); /* next to it, or 2^64 below */
  }
  hed_array *x = signed_list(N, a), *y = unsigned_list(N, b), *out = hed_empty(HED_SHAPE(N), HED_BOOL);
  for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
    for (int k = 0; k < N; k++) {
      const int c = order(a[k], b[k]);
      want[k] = c < 0 ? ops[o].below : c > 0 ? ops[o].above : ops[o].equal;
      back[k] = c < 0 ? ops[o].above : c > 0 ? ops[o].below : ops[o].equal;
    }
    same(ops[o].op(x, y), want, sizeof want, ops[o].name);
    same(ops[o].op(y, x), back, sizeof back, ops[o].name);
    is_int(ops[o].into(out, x, y), HED_OK, "%s_into", ops[o].name);
    same(hed_copy(out), want, sizeof want, ops[o].name);
    HED_FUSED {
      hed_array *zero = hed_scalar_int(0), *sum = hed_add(x, zero);
      is_int(ops[o].into(out, sum, y), HED_OK, "fused");
      RELEASE(sum, zero);
    }
    same(hed_copy(out), want, sizeof want, ops[o].name);
  }
  hed_array *ints = API_VECTOR(HED_INT32, -1, 2, 3), *words = unsigned_list(3, (uint64_t[]){ UINT64_MAX, 2, 4 });
  api_is(hed_less(ints, words), HED_SHAPE(3), HED_BOOL, API_LIST(1, 0, 1), "int32 less than uint64");
  api_is(hed_greater(words, ints), HED_SHAPE(3), HED_BOOL, API_LIST(1, 0, 1), "uint64 greater than int32");
  hed_array *column = hed_reshape(ints, HED_SHAPE(3, 1));
  api_is(hed_equal(column, words), HED_SHAPE(3, 3), HED_BOOL, API_LIST(0, 0, 0, 0, 1, 0, 0, 0, 0), "broadcast");
  for (int k = 0; k < 6; k++)
    hed_release((hed_array *[]){ x, y, out, ints, words, column }[k]);
}

/* Two operands of every pair of types, of numbers that one of them may not hold; long double, which has them all, is the truth. */
typedef struct numbers {
  hed_array *array;
  long double value[64];
  int n;
} numbers;

static numbers numbers_of(hed_dtype t)
{
  static const int powers[] = { 8, 11, 15, 24, 31, 32, 53, 62, 63, 64 };
  const int bits = (int)hed_dtype_size(t) * 8, sign = hed_dtype_kind(t) == HED_KIND_INT;
  const bool is_float = hed_dtype_kind(t) == HED_KIND_FLOAT;
  const long double most = is_float ? 1e30L : ldexpl(1, bits - sign) - 1, least = is_float ? -1e30L : sign ? -most - 1 : 0;
  double floats[64];
  uint64_t words[64];
  numbers x = { .n = 0 };
  for (size_t k = 0; k < sizeof powers / sizeof *powers; k++)
    for (int d = -1; d <= 1; d++)
      for (int s = 1; s >= -1; s -= 2) {
        const long double v = s * (ldexpl(1, powers[k]) + d);
        if (v >= least && v <= most && x.n < 60 && (!is_float || (long double)(double)v == v))
          x.value[x.n++] = v;
      }
  if (is_float) {
    const double more[] = { 0.5, -0.5, NAN, INFINITY };
    for (int k = 0; k < 4; k++)
      x.value[x.n++] = more[k];
  }
  for (int k = 0; k < x.n; k++) {
    floats[k] = is_float ? (double)x.value[k] : 0;
    words[k] = is_float ? 0 : x.value[k] < 0 ? (uint64_t)(int64_t)x.value[k] : (uint64_t)x.value[k];
  }
  hed_array *wide = is_float ? hed_from_host(floats, HED_SHAPE(x.n), HED_FLOAT64) : hed_from_host(words, HED_SHAPE(x.n), HED_UINT64);
  x.array = hed_astype(wide, t);
  hed_array *back = is_float ? hed_astype(x.array, HED_FLOAT64) : NULL; /* what the type made of them */
  if (!x.array || (back && hed_to_host(back, floats, (size_t)x.n * sizeof *floats) != HED_OK))
    bail("numbers of %s: %s", hed_dtype_name(t), hed_error_text());
  for (int k = 0; k < x.n && is_float; k++)
    x.value[k] = floats[k];
  return x;
}

static bool holds(int op, long double a, long double b)
{
  return op == 0 ? a == b : op == 1 ? a != b : op == 2 ? a < b : op == 3 ? a <= b : op == 4 ? a > b : a >= b;
}

static void apart(const char *backend)
{
  const hed_dtype types[] = { HED_INT8, HED_UINT8, HED_INT16, HED_UINT16, HED_INT32, HED_UINT32, HED_INT64, HED_UINT64,
                              HED_FLOAT16, HED_BFLOAT16, HED_FLOAT32, HED_FLOAT64 };
  enum { TYPES = sizeof types / sizeof *types };
  hed_array *(*const ops[])(const hed_array *, const hed_array *) = { hed_equal, hed_not_equal, hed_less, hed_less_equal, hed_greater,
                                                                      hed_greater_equal };
  static const char *const names[] = { "equal", "not_equal", "less", "less_equal", "greater", "greater_equal" };
  const bool all = strcmp(backend, "reference") == 0 || strcmp(backend, "cpu") == 0; /* a device compiles each */
  static bool got[64 * 64];
  int wrong = 0, tried = 0;
  numbers list[TYPES];
  HED_SCOPE
    for (int i = 0; i < TYPES; i++) {
      list[i] = numbers_of(types[i]);
      list[i].array = hed_keep(list[i].array);
    }
  for (int i = 0; i < TYPES; i++)
    for (int j = 0; j < TYPES; j++)
      for (int o = 0; o < 7; o++)
        if (all || share(7 * (TYPES * i + j) + o, 24))
          HED_SCOPE
          {
            const numbers x = list[i], y = list[j];
            const bool is_in = o == 6;
            hed_array *z = is_in ? hed_isin(x.array, y.array) : ops[o](hed_reshape(x.array, HED_SHAPE(x.n, 1)), y.array);
            int bad = !z || hed_to_host(z, got, hed_array_nbytes(z)) != HED_OK;
            for (int k = 0; k < x.n && is_in && !bad; k++) {
              bool found = false;
              for (int l = 0; l < y.n; l++)
                found |= x.value[k] == y.value[l];
              bad = got[k] != found;
            }
            for (int k = 0; k < x.n * y.n && !is_in && !bad; k++)
              bad = got[k] != holds(o, x.value[k / y.n], y.value[k % y.n]);
            if (bad && wrong++ < 5)
              diag("%s of %s and %s: %s", is_in ? "isin" : names[o], hed_dtype_name(types[i]), hed_dtype_name(types[j]),
                   z ? "wrong" : hed_error_text());
            tried++;
          }
  for (int i = 0; i < TYPES; i++)
    hed_release(list[i].array);
  ok(wrong == 0 && tried > 20, "%s: %d comparisons of pairs of types as of their numbers, %d of them wrong", backend, tried, wrong);
}

static void sets(const char *backend)
{
  int64_t a[N];
  uint64_t b[40];
  bool in_b[N], in_a[40];
  diag("sets on %s, %d threads", backend, api_threads);
  for (int k = 0; k < N; k++)
    a[k] = k % 2 ? (int64_t)far + k : -k;
  for (int m = 5; m <= 40; m += 35) { /* few, which are compared with one by one, and many */
    for (int k = 0; k < m; k++)
      b[k] = k % 3 == 0 ? far + 4 * (uint64_t)k : k % 3 == 1 ? (uint64_t)-(int64_t)k : far + 2 * (uint64_t)k + 1;
    for (int k = 0; k < N; k++) {
      in_b[k] = false;
      for (int i = 0; i < m; i++)
        in_b[k] |= order(a[k], b[i]) == 0;
    }
    for (int i = 0; i < m; i++) {
      in_a[i] = false;
      for (int k = 0; k < N; k++)
        in_a[i] |= order(a[k], b[i]) == 0;
    }
    hed_array *x = signed_list(N, a), *y = unsigned_list(m, b);
    same(hed_isin(x, y), in_b, sizeof in_b, "isin of int64 among uint64");
    same(hed_isin(y, x), in_a, (size_t)m, "isin of uint64 among int64");
    RELEASE(x, y);
  }
  /* by half types too isin says what equal does */
  static double values[40];
  for (int k = 0; k < 40; k++)
    values[k] = k == 0 ? INFINITY : k == 1 ? 2048 : k == 2 ? 65504 : 3 * k;
  const double whole[4] = { 70000, 2049, 65504, 65505 };
  for (int m = 3; m <= 40; m += 37) {
    hed_array *h = api_array(HED_SHAPE(m), HED_FLOAT16, values), *i = api_array(HED_SHAPE(4), HED_INT32, whole);
    api_is(hed_isin(i, h), HED_SHAPE(4), HED_BOOL, API_LIST(0, 0, 1, 0), "isin of int32 among float16");
    hed_array *column = hed_reshape(i, HED_SHAPE(4, 1)), *equal = hed_equal(column, h);
    api_is(hed_any(equal, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(4), HED_BOOL, API_LIST(0, 0, 1, 0),
           "equal of int32 and float16");
    for (int k = 0; k < 4; k++)
      hed_release((hed_array *[]){ h, i, column, equal }[k]);
  }
}

/* Compared as they are; the result is float64, where 2^62 + 1 and 2^62 are one number. */
static void mixed_sets(const char *backend)
{
  diag("sets of both signs on %s, %d threads", backend, api_threads);
  hed_array *x = signed_list(4, (int64_t[]){ (int64_t)far + 25, -1, 7, (int64_t)far + 3 });
  hed_array *y = unsigned_list(4, (uint64_t[]){ far, far + 1, 7, UINT64_MAX });
  api_is(hed_intersect1d(x, y), HED_SHAPE(1), HED_FLOAT64, API_LIST(7), "intersect1d of int64 and uint64");
  api_is(hed_intersect1d(y, x), HED_SHAPE(1), HED_FLOAT64, API_LIST(7), "intersect1d of uint64 and int64");
  api_is(hed_setdiff1d(x, y), HED_SHAPE(2), HED_FLOAT64, API_LIST(-1, 0x1p62), "setdiff1d of int64 and uint64");
  api_is(hed_setdiff1d(y, x), HED_SHAPE(2), HED_FLOAT64, API_LIST(0x1p62, 0x1p64), "setdiff1d of uint64 and int64");
  api_is(hed_setxor1d(x, y), HED_SHAPE(3), HED_FLOAT64, API_LIST(-1, 0x1p62, 0x1p64), "setxor1d of int64 and uint64");
  RELEASE(x, y);
}

static void searches(const char *backend)
{
  enum { M = 50 };
  uint64_t sorted[M], words[5] = { far + 25, 0, UINT64_MAX, top, far + 26 };
  int64_t lows[M], values[5] = { (int64_t)far + 25, -1, INT64_MIN, INT64_MAX, (int64_t)far + 49 };
  diag("searches on %s, %d threads", backend, api_threads);
  for (int k = 0; k < M; k++) {
    sorted[k] = far + (uint64_t)k;
    lows[k] = (int64_t)far + k;
  }
  hed_array *s = unsigned_list(M, sorted), *v = signed_list(5, values);
  hed_array *l = signed_list(M, lows), *w = unsigned_list(5, words);
  api_is(hed_searchsorted(s, v, false), HED_SHAPE(5), HED_INT64, API_LIST(25, 0, 0, 50, 49), "int64 among uint64");
  api_is(hed_searchsorted(s, v, true), HED_SHAPE(5), HED_INT64, API_LIST(26, 0, 0, 50, 50), "to the right");
  api_is(hed_searchsorted(l, w, false), HED_SHAPE(5), HED_INT64, API_LIST(25, 0, 50, 50, 26), "uint64 among int64");
  api_is(hed_searchsorted(l, w, true), HED_SHAPE(5), HED_INT64, API_LIST(26, 0, 50, 50, 27), "to the right");
  api_is(hed_digitize(v, s, false), HED_SHAPE(5), HED_INT64, API_LIST(26, 0, 0, 50, 50), "digitize int64 by uint64");
  hed_array *down = hed_flip(s, NULL);
  api_is(hed_digitize(v, down, false), HED_SHAPE(5), HED_INT64, API_LIST(24, 50, 50, 0, 0), "descending bins");
  hed_array *half = API_VECTOR(HED_FLOAT16, 1, 2048, INFINITY), *whole = API_VECTOR(HED_INT32, 2049, 70000);
  api_is(hed_searchsorted(half, whole, false), HED_SHAPE(2), HED_INT64, API_LIST(2, 2), "int32 among float16");
  for (int k = 0; k < 7; k++)
    hed_release((hed_array *[]){ s, v, l, w, down, half, whole }[k]);
}

static void medians(const char *backend)
{
  const int64_t a[5] = { (int64_t)far + 3, (int64_t)far + 1, (int64_t)far + 2, -(int64_t)far - 1, -(int64_t)far - 3 };
  const int64_t want[5] = { (int64_t)far + 3, (int64_t)far + 2, (int64_t)far + 1, -(int64_t)far - 1, -(int64_t)far - 3 };
  const uint64_t b[5] = { top + 3, top + 1, top + 2, top - 1, top - 3 };
  const uint64_t words[5] = { top + 3, top + 2, top + 1, top - 1, top - 3 };
  diag("medians on %s, %d threads", backend, api_threads);
  hed_array *x = signed_list(5, a), *y = unsigned_list(5, b);
  same(hed_median_filter(x, 3, NULL), want, sizeof want, "median_filter of int64");
  same(hed_median_filter(y, 3, NULL), words, sizeof words, "median_filter of uint64");
  RELEASE(x, y);
}

static void items(const char *backend)
{
  int64_t v = 7;
  diag("items on %s", backend);
  hed_array *most = unsigned_list(1, (uint64_t[]){ UINT64_MAX }), *fits = unsigned_list(1, (uint64_t[]){ INT64_MAX });
  hed_array *nan = API_VECTOR(HED_FLOAT32, NAN), *half = API_VECTOR(HED_FLOAT16, INFINITY);
  hed_array *large = API_VECTOR(HED_FLOAT64, 0x1p63), *least = API_VECTOR(HED_FLOAT64, -0x1p63);
  hed_array *one = API_VECTOR(HED_INT64, 1), *unit = hed_multiply_complex(one, 0, 1);
  API_FAIL(hed_item_int(most, &v), HED_E_RANGE, "x is 18446744073709551615; -9223372036854775808 to 9223372036854775807 fit");
  API_FAIL(hed_item_int(nan, &v), HED_E_RANGE, "item_int: x is nan");
  API_FAIL(hed_item_int(large, &v), HED_E_RANGE, "item_int: x is 9.22337e+18");
  API_FAIL(hed_item_int(half, &v), HED_E_RANGE, "item_int: x is inf");
  API_FAIL(hed_item_int(unit, &v), HED_E_RANGE, "item_int: x is 0+1i");
  is_int(v, 7, "nothing is written then");
  ok(hed_item_int(fits, &v) == HED_OK && v == INT64_MAX, "the largest");
  ok(hed_item_int(least, &v) == HED_OK && v == INT64_MIN, "the least");
  hed_array *labels = unsigned_list(2, (uint64_t[]){ 1, UINT64_MAX });
  API_NULL(hed_bincount(labels, NULL, 0), HED_E_RANGE, "18446744073709551615");
  for (int k = 0; k < 9; k++)
    hed_release((hed_array *[]){ most, fits, nan, large, least, half, one, unit, labels }[k]);
}

int main(void)
{
  api_each_context(comparisons);
  api_each_backend(apart);
  api_in("opencl", "opencl;dtype=relaxed", apart);
  api_each_context(sets);
  api_each_context(mixed_sets);
  api_each_context(searches);
  api_each_context(medians);
  api_each_backend(items);
  done_testing();
  return done();
}
