// SPDX-License-Identifier: BSD-3-Clause
/* argmax and argmin at the end of a fused pass: the first of several places, the first NaN, against a plain loop, for any
 * shape, axes, type and layout, wherever blocks and threads meet; beside other reductions, read on, and into arrays. L5. */
#include "arrays.h"
#include "gen.h"
#include "scenario.h"
#include <heddle/ops.h>
#include <math.h>

static const hed_shape shapes[] = {
  { 1, { 1 } },           { 1, { 37 } },          { 1, { 100003 } },      { 2, { 300, 1000 } },   { 2, { 2000, 65 } },
  { 2, { 50021, 3 } },    { 2, { 5, 40000 } },    { 2, { 1000, 17 } },    { 3, { 3, 20000, 2 } }, { 3, { 40, 50, 60 } },
  { 3, { 9, 600, 511 } }, { 2, { 1, 5 } },        { 3, { 3, 1, 4 } },     { 4, { 7, 1, 600, 1 } }, { 2, { 513, 512 } },
  { 3, { 2, 1030, 5 } },  { 2, { 4097, 1 } },     { 0, { 0 } },           { 4, { 2, 3, 4, 700 } }, { 2, { 3, 9001 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static gen g;

/* Whole numbers of at most 100, which every type holds; of few levels, or falling, rising, with the ends at a few places. */
static void fill(double *v, int64_t n, bool real)
{
  const int how = (int)gen_below(&g, 5);
  const int64_t levels = how == 0 ? 2 : 90;
  for (int64_t i = 0; i < n; i++)
    v[i] = how < 2    ? (double)gen_int(&g, 0, levels)
           : how == 2 ? (double)(1 + i * 90 / n)
           : how == 3 ? (double)(91 - i * 90 / n)
                      : (double)gen_int(&g, 10, 90);
  for (int k = 0; k < 6 && how > 0; k++)
    v[gen_below(&g, (uint64_t)n)] = k % 2 ? 0 : 100;
  if (!real)
    return;
  if (gen_chance(&g, 40))
    for (int64_t i = 0; i < n; i++)
      v[i] = v[i] == 0 && gen_chance(&g, 50) ? -0.0 : v[i] - 50;
  if (gen_chance(&g, 8)) /* nothing but what is least, or most */
    for (int64_t i = 0; i < n; i++)
      v[i] = how % 2 ? (double)INFINITY : -(double)INFINITY;
  if (gen_chance(&g, 40))
    for (int k = 0; k < 4; k++)
      v[gen_below(&g, (uint64_t)n)] = k == 3 ? (double)INFINITY : k == 2 ? -(double)INFINITY : (double)NAN;
}

/* The same elements in another order of axes, backwards, or every other one of more. */
static hed_array *laid_out(const hed_array *x, int how)
{
  const hed_shape s = hed_array_shape(x);
  if (how == 0 || s.ndim == 0)
    return hed_copy(x);
  if (how == 1) {
    hed_array *turned = hed_transpose(x, NULL), *c = hed_copy(turned), *y = hed_transpose(c, NULL);
    RELEASE(turned, c);
    return y;
  }
  if (how == 2) {
    hed_array *turned = hed_flip(x, NULL), *c = hed_copy(turned), *y = hed_flip(c, NULL);
    RELEASE(turned, c);
    return y;
  }
  hed_shape wide = s;
  wide.dim[s.ndim - 1] *= 2;
  hed_array *c = hed_zeros(wide, hed_array_dtype(x));
  hed_slice_range r[HED_MAX_NDIM];
  for (int k = 0; k < s.ndim; k++)
    r[k] = HED_RANGE(0, wide.dim[k], k == s.ndim - 1 ? 2 : 1);
  hed_array *y = hed_slice(c, s.ndim, r);
  hed_release(c);
  if (hed_copy_into(y, x) != HED_OK)
    fail("copy_into: %s", hed_error_text());
  return y;
}

/* What is reduced, of arrays Y and C, which is 100: element by element, and of the elements V. */
static hed_array *expression(int which, const hed_array *y, const hed_array *c)
{
  if (which == 0)
    return hed_maximum(y, y);
  if (which == 1)
    return hed_subtract(c, y);
  hed_array *t = hed_multiply(y, y), *e = hed_subtract(t, y);
  hed_release(t);
  return e;
}
static double value(int which, double v) { return which == 0 ? v : which == 1 ? 100 - v : v * v - v; }

/* The places along the axes in MASK: into AT, the results in C order. */
static void truth(const double *v, hed_shape s, uint32_t mask, bool max, int64_t *at)
{
  const int64_t n = elements_of(s);
  double *best = malloc((size_t)n * sizeof *best);
  bool *seen = calloc((size_t)n, sizeof *seen);
  for (int64_t i = 0; i < n; i++) {
    int64_t rest = i, out = 0, place = 0, out_step = 1, place_step = 1;
    for (int k = s.ndim - 1; k >= 0; k--) {
      const int64_t index = rest % s.dim[k];
      rest /= s.dim[k];
      if (mask >> k & 1u) {
        place += index * place_step;
        place_step *= s.dim[k];
      } else {
        out += index * out_step;
        out_step *= s.dim[k];
      }
    }
    const bool better = !seen[out] || (best[out] == best[out] && (v[i] != v[i] || (max ? v[i] > best[out] : v[i] < best[out])));
    if (better) {
      seen[out] = true;
      best[out] = v[i];
      at[out] = place;
    }
  }
  free(best);
  free(seen);
}

/* Is X what AT says, N values plus MORE? */
static bool agrees(const hed_array *x, const int64_t *at, int64_t n, int64_t more)
{
  int64_t *p = malloc((size_t)n * sizeof *p);
  hed_array *wide = x ? hed_astype(x, HED_INT64) : NULL;
  bool good = wide && hed_array_size(wide) == n && hed_to_host(wide, p, (size_t)n * sizeof *p) == HED_OK;
  for (int64_t i = 0; i < n && good; i++)
    if (!(good = p[i] == at[i] + more))
      diag("result %lld of %lld: %lld, not %lld", (long long)i, (long long)n, (long long)(p[i] - more), (long long)at[i]);
  hed_release(wide);
  free(p);
  return good;
}

static void one_round(int round)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_FLOAT16, HED_BFLOAT16, HED_INT8,   HED_UINT8,  HED_INT16,
                              HED_UINT16,  HED_INT32,   HED_UINT32,  HED_INT64,    HED_UINT64, HED_FLOAT32, HED_BOOL };
  const hed_dtype type = types[gen_below(&g, sizeof types / sizeof *types)];
  const bool real = type == HED_FLOAT32 || type == HED_FLOAT64 || type == HED_FLOAT16 || type == HED_BFLOAT16;
  const bool exact = type == HED_FLOAT32 || type == HED_FLOAT64;
  const hed_shape s = shapes[gen_below(&g, SHAPES)];
  const int64_t n = elements_of(s);
  const int which = exact ? (int)gen_below(&g, 3) : type == HED_BOOL ? 0 : (int)gen_below(&g, 2);
  double *v = malloc((size_t)n * sizeof *v);
  fill(v, n, real);
  hed_array *wide = hed_from_host(v, s, HED_FLOAT64), *x = hed_astype(wide, type), *c = hed_full(HED_SHAPE0, 100, type);
  hed_array *y = laid_out(x, (int)gen_below(&g, 4));
  for (int64_t i = 0; i < n; i++)
    v[i] = value(which, type == HED_BOOL ? v[i] != 0 : v[i]);
  hed_reduce o = { .keepdims = gen_chance(&g, 30) };
  uint32_t mask = (1u << s.ndim) - 1;
  if (s.ndim && gen_chance(&g, 70)) {
    const int first = (int)gen_below(&g, (uint64_t)s.ndim), last = first + (first + 1 < s.ndim && gen_chance(&g, 30));
    mask = 0;
    for (int k = first; k <= last; k++) {
      mask |= 1u << k;
      o.axes.axis[o.axes.n++] = k;
    }
  }
  int64_t results = 1;
  for (int k = 0; k < s.ndim; k++)
    results *= mask >> k & 1u ? 1 : s.dim[k];
  int64_t *at[2] = { malloc((size_t)n * sizeof **at), malloc((size_t)n * sizeof **at) };
  truth(v, s, mask, true, at[0]);
  truth(v, s, mask, false, at[1]);
  hed_array *most = NULL, *least = NULL, *top = NULL, *next = NULL, *into = NULL, *alone = hed_max(y, &o);
  if (gen_chance(&g, 40))
    into = hed_empty(hed_array_shape(alone), gen_chance(&g, 50) ? HED_INT64 : HED_INT32);
  hed_release(alone);
  bool pending = true;
  HED_FUSED {
    hed_array *e = expression(which, y, c);
    if (gen_chance(&g, 50))
      top = hed_max(e, &o);
    most = hed_argmax(e, &o);
    least = hed_argmin(e, &o);
    if (into && hed_argmax_into(into, e, &o) != HED_OK)
      fail("round %d: into: %s", round, hed_error_text());
    next = hed_add_scalar(most, 7);
    pending = hed_array_is_pending(most) && hed_array_is_pending(least) && (!into || hed_array_is_pending(into));
    hed_release(e);
  }
  if (!pending)
    fail("round %d: not recorded", round);
  if (!agrees(most, at[0], results, 0) || !agrees(least, at[1], results, 0) || !agrees(next, at[0], results, 7) ||
      (into && !agrees(into, at[0], results, 0)))
    fail("round %d: %s of ndim %d, axes %x, expression %d: %s", round, hed_dtype_name(type), s.ndim, mask, which,
         hed_error_text());
  if (most && hed_array_dtype(most) != HED_INT64)
    fail("round %d: the type of places is %s", round, hed_dtype_name(hed_array_dtype(most)));
  hed_array *const all[] = { wide, x, c, y, most, least, top, next, into };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
  free(v);
  free(at[0]);
  free(at[1]);
}

static int64_t place(const hed_array *x)
{
  int64_t p = -1;
  return x && hed_item_int(x, &p) == HED_OK ? p : -1;
}

/* Two equal extremes, and then a NaN before or behind them, at any distance from where blocks and pieces meet. */
static void test_borders(void)
{
  enum { N = 300007 };
  static float v[N];
  int wrong = 0;
  for (int k = 0; k < scaled(300); k++) {
    const int64_t p = gen_int(&g, 0, N - 2), q = gen_int(&g, p + 1, N - 1), nan = gen_int(&g, 0, N - 1);
    const bool odd = gen_chance(&g, 30);
    for (int64_t i = 0; i < N; i++)
      v[i] = (float)(i % 1000);
    v[p] = v[q] = 5000;
    if (odd)
      v[nan] = NAN;
    hed_array *x = hed_wrap(v, HED_SHAPE(N), NULL, HED_FLOAT32, NULL, NULL), *at = NULL;
    HED_FUSED HED_SCOPE
      at = hed_keep(hed_argmax(hed_multiply_scalar(x, 2), NULL));
    wrong += place(at) != (odd ? nan : p);
    HED_FUSED HED_SCOPE {
      hed_release(at);
      at = hed_keep(hed_argmin(hed_negative(x), NULL));
    }
    wrong += place(at) != (odd ? nan : p);
    RELEASE(at, x);
  }
  is_int(wrong, 0, "the first of two, and the first NaN, wherever they are");
}

/* One place and nothing else, of rows that end anywhere: levels so few that extremes are many, then a few that are alone, the
 * last of a row among them, and NaN. */
static void one_alone(int round)
{
  const bool all = gen_chance(&g, 50), max = gen_chance(&g, 50), single = gen_chance(&g, 50);
  const hed_shape s = { 2, { gen_int(&g, 1, 4), gen_chance(&g, 20) ? gen_int(&g, 60000, 140000) : gen_int(&g, 2048, 9000) } };
  const int64_t rows = s.dim[0], cols = s.dim[1], n = rows * cols;
  const hed_reduce o = { .axes = { all ? 0 : 1, { 1 } } };
  const int how = (int)gen_below(&g, 4);
  double *v = malloc((size_t)n * sizeof *v);
  int64_t *at = malloc((size_t)n * sizeof *at);
  for (int64_t i = 0; i < n; i++)
    v[i] = (double)gen_int(&g, -3, 3);
  for (int64_t r = 0; r < rows; r++) {
    if (how == 1)
      v[r * cols + cols - 1] = v[r * cols + (gen_chance(&g, 50) ? cols - 1 : gen_int(&g, 0, cols - 1))] = max ? 9 : -9;
    for (int k = 0; k < 3 && how == 2; k++)
      v[r * cols + (k ? gen_int(&g, 0, cols - 1) : cols - 1)] = (double)NAN;
  }
  for (int64_t i = 0; i < n && how == 3; i++)
    v[i] = max ? -(double)INFINITY : (double)INFINITY;
  hed_array *wide = hed_from_host(v, s, HED_FLOAT64), *x = hed_astype(wide, single ? HED_FLOAT32 : HED_FLOAT64), *got = NULL;
  hed_array *y = laid_out(x, gen_chance(&g, 70) ? 0 : 3), *zero = hed_zeros(HED_SHAPE(cols), hed_array_dtype(x));
  truth(v, s, all ? 3 : 2, max, at);
  HED_FUSED HED_SCOPE {
    const hed_array *e = hed_add(hed_negative(hed_negative(y)), zero);
    got = hed_keep(max ? hed_argmax(e, &o) : hed_argmin(e, &o));
  }
  if (!agrees(got, at, all ? 1 : rows, 0))
    fail("round %d: alone, %s of %lld x %lld %s, %s, values %d: %s", round, max ? "argmax" : "argmin", (long long)rows,
         (long long)cols, single ? "float32" : "float64", all ? "all" : "rows", how, hed_error_text());
  hed_array *const gone[] = { wide, x, y, zero, got };
  for (size_t k = 0; k < sizeof gone / sizeof *gone; k++)
    hed_release(gone[k]);
  free(v);
  free(at);
}

static uint64_t passes(void)
{
  hed_stats s = { .struct_size = sizeof s };
  hed_stats_get(&s);
  return s.fused_passes;
}

static void test_calls(void)
{
  hed_array *x = hed_arange(-500, 499.5, 1, HED_FLOAT64), *z = hed_astype(x, HED_COMPLEX128), *most = NULL, *sum = NULL;
  hed_array *none = hed_zeros(HED_SHAPE(3, 0), HED_FLOAT32), *matrix = hed_ones(HED_SHAPE(2, 3, 4), HED_FLOAT32);
  const uint64_t before = passes();
  HED_FUSED HED_SCOPE {
    const hed_array *t = hed_add_scalar(x, 0.5);
    most = hed_keep(hed_argmax(t, NULL));
    sum = hed_keep(hed_sum(t, NULL));
  }
  is_uint(passes() - before, 1, "beside a sum: one pass");
  is_int(place(most), 999, "the value");
  RELEASE(most, sum);
  HED_FUSED HED_SCOPE {
    const hed_reduce axis = { .axes = HED_AXES(3) }, apart = { .axes = HED_AXES(0, 2) }, first = { .axes = HED_AXES(0) };
    ok(!hed_argmax(hed_negative(z), NULL) && hed_error() == HED_E_DTYPE, "of complex numbers: %s", hed_error_text());
    hed_error_clear();
    ok(!hed_argmax(hed_negative(none), NULL) && hed_error() == HED_E_SHAPE, "of none: %s", hed_error_text());
    hed_error_clear();
    ok(!hed_argmin(hed_negative(matrix), &axis) && hed_error() == HED_E_AXIS, "no such axis: %s", hed_error_text());
    hed_error_clear();
    const hed_array *p = hed_argmax(hed_negative(matrix), &apart), *q = hed_argmin(matrix, &first);
    ok(p && !hed_array_is_pending(p) && hed_array_size(p) == 3, "axes that are no neighbours: at once");
    ok(q && !hed_array_is_pending(q), "of what is there: at once");
    const hed_array *narrow = hed_argmax(hed_negative(x), &(hed_reduce){ .dtype = HED_INT32 });
    ok(narrow && hed_array_dtype(narrow) == HED_INT32 && hed_array_is_pending(narrow), "in the type that is asked for");
    is_int(place(narrow), 0, "its value");
  }
  is_int(hed_error(), HED_OK, "the end is no error");
  hed_array *const all[] = { x, z, none, matrix };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
}

int main(void)
{
  static const char *const backends[] = { "cpu;threads=1", "cpu;threads=2", "cpu;threads=3" };
  if (hed_backend_require("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  gen_seed(&g, tap_seed());
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    hed_stats before = { .struct_size = sizeof before }, after = before;
    hed_set_default_backend(backends[b]);
    hed_stats_get(&before);
    const int rounds = scaled(150), failed = tap_failures();
    for (int k = 0; k < rounds && tap_failures() < failed + 5; k++) {
      one_round(k);
      one_alone(k);
    }
    ok(tap_failures() == failed, "%s: %d random places", backends[b], rounds);
    test_borders();
    hed_stats_get(&after);
    is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "%s: no handle is left", backends[b]);
  }
  test_calls();
  return done();
}
