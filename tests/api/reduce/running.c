// SPDX-License-Identifier: BSD-3-Clause
/* Scans, differences, reductions that pass over NaN, and extremes of segments against loops written out: every axis and set of
 * axes, strides of both signs, gaps, repeated elements, into the operand itself; with several threads, and by the loops of older
 * processors.
 */
#include "api.h"
#include "gen.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ELEMENTS = 1 << 18, AXES = 3, DIFFERENCES = 3 };
static gen source;
static double given[ELEMENTS], got[ELEMENTS], want[ELEMENTS];

static bool take(const hed_array *x, double *to)
{
  hed_array *d = x ? hed_astype(x, HED_FLOAT64) : NULL;
  return d && hed_array_size(d) <= ELEMENTS && hed_to_host(d, to, (size_t)hed_array_size(d) * sizeof *to) == HED_OK;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool all_same(const hed_array *y, int64_t n)
{
  if (!take(y, got) || hed_array_size(y) != n)
    return false;
  for (int64_t i = 0; i < n; i++)
    if (!same(got[i], want[i]))
      return false;
  return true;
}

/* A view of type T of whole numbers between LOW and HIGH, or NaN in PERCENT of the places, that are in GIVEN in C order. */
static hed_array *operand(hed_dtype t, int64_t low, int64_t high, unsigned percent)
{
  static const int64_t extents[] = { 1, 2, 3, 7, 8, 9, 16, 17, 33, 70, 300, 3000 };
  hed_shape shape = { .ndim = AXES };
  hed_slice_range part[AXES];
  hed_axes turn = { .n = AXES };
  int64_t n = 1;
  int order[AXES];
  gen_permutation(&source, AXES, order);
  for (int k = 0; k < AXES; k++) {
    const int64_t dim = extents[gen_below(&source, sizeof extents / sizeof *extents)];
    const bool gaps = gen_chance(&source, 10);
    shape.dim[k] = n * dim * 4 > ELEMENTS ? 1 : gaps ? 2 * dim : dim;
    part[k] = gaps ? HED_RANGE(0, shape.dim[k], 2) : HED_ALL;
    turn.axis[k] = order[k];
    n *= shape.dim[k];
  }
  for (int64_t i = 0; i < n; i++)
    given[i] = gen_chance(&source, percent) ? (double)NAN : (double)gen_int(&source, low, high);
  hed_array *x = hed_slice(hed_transpose(hed_astype(hed_from_host(given, shape, HED_FLOAT64), t), &turn), AXES,
                           (const hed_slice_range[]){ part[order[0]], part[order[1]], part[order[2]] });
  for (int k = 0; k < AXES && x; k++) {
    hed_shape more = hed_array_shape(x);
    if (gen_chance(&source, 15))
      x = hed_flip(x, &HED_AXES(k));
    if (more.dim[k] == 1 && gen_chance(&source, 15)) {
      more.dim[k] = 5;
      x = hed_broadcast_to(x, more);
    }
  }
  return take(x, given) ? x : NULL;
}

/* How far the elements of AXIS are apart in C order. */
static int64_t step_of(const hed_shape *s, int axis)
{
  int64_t step = 1;
  for (int k = axis + 1; k < s->ndim; k++)
    step *= s->dim[k];
  return step;
}

/* ---- scans and differences ---- */

typedef hed_array *(*scan_fn)(const hed_array *x, const hed_scan *opt);
typedef hed_status (*scan_into_fn)(hed_array *out, const hed_array *x, const hed_scan *opt);
enum { SUM, PROD, MAX, MIN, SCANS };

static double combined(int op, double v, double a)
{
  return op == SUM ? v + a : op == PROD ? v * a : isnan(a) || (op == MAX ? a > v : a < v) ? a : v;
}

static bool scan_right(int op)
{
  static const scan_fn make[SCANS] = { hed_cumsum, hed_cumprod, hed_cummax, hed_cummin };
  static const scan_into_fn into[SCANS] = { hed_cumsum_into, hed_cumprod_into, hed_cummax_into, hed_cummin_into };
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_FLOAT16, HED_INT8, HED_UINT16, HED_INT32,
                              HED_UINT32, HED_INT64, HED_UINT64, HED_COMPLEX64, HED_COMPLEX128 };
  const hed_dtype t = types[gen_below(&source, op < MAX ? 11 : 9)];
  const bool real = hed_dtype_kind(t) == HED_KIND_FLOAT, is_signed = hed_dtype_kind(t) != HED_KIND_UINT;
  const int64_t most = op == PROD ? 1 : t == HED_FLOAT16 ? 2 : 100;
  const int axis = (int)gen_below(&source, AXES);
  const int64_t least = op == PROD && gen_chance(&source, 50) ? 1 : is_signed ? -most : 0;
  hed_array *x = operand(t, least, most, real && gen_chance(&source, 30) ? 1 : 0);
  if (!x)
    return false;
  const hed_shape s = hed_array_shape(x);
  const int64_t n = hed_array_size(x), step = step_of(&s, axis);
  const hed_scan opt = { .axis = HED_AXES(axis) };
  for (int64_t i = 0; i < n; i++)
    want[i] = i / step % s.dim[axis] ? combined(op, want[i - step], given[i]) : given[i];
  if (t == HED_FLOAT16 && op == SUM) /* 2048 is the end of its whole numbers */
    for (int64_t i = 0; i < n; i++)
      if (fabs(want[i]) > 2048)
        return true;
  hed_array *own = hed_copy(x);
  if (op >= MAX && into[op](own, own, &opt) != HED_OK)
    return false;
  return all_same(make[op](x, &opt), n) && (op < MAX || all_same(own, n));
}

static bool difference_right(void)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT32, HED_INT64, HED_BOOL };
  const hed_dtype t = types[gen_below(&source, 5)];
  const bool truth = t == HED_BOOL;
  const int axis = (int)gen_below(&source, AXES), times = (int)gen_below(&source, DIFFERENCES + 1);
  hed_array *x = operand(t, truth ? 0 : -50, truth ? 1 : 50, 0);
  if (!x)
    return false;
  hed_shape s = hed_array_shape(x);
  const int64_t step = step_of(&s, axis);
  int64_t n = hed_array_size(x);
  memcpy(want, given, (size_t)n * sizeof *want);
  for (int k = 0; k < times && s.dim[axis] > 0; k++) {
    int64_t to = 0;
    for (int64_t i = 0; i < n; i++)
      if (i / step % s.dim[axis] + 1 < s.dim[axis])
        want[to++] = truth ? want[i + step] != want[i] : want[i + step] - want[i];
    s.dim[axis]--;
    n = to;
  }
  return all_same(hed_diff(x, times, axis), n);
}

/* ---- what is not NaN ---- */

static bool numbers_right(int which)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_FLOAT16, HED_BFLOAT16, HED_COMPLEX64, HED_COMPLEX128 };
  const hed_dtype t = types[gen_below(&source, which == 0 ? 6 : 4)];
  const unsigned mask = 1 + (unsigned)gen_below(&source, (1u << AXES) - 1);
  const unsigned holes = (unsigned[]){ 0, 1, 20, 80, 100 }[gen_below(&source, 5)];
  const bool narrow = t == HED_FLOAT16 || t == HED_BFLOAT16;
  hed_array *x = operand(t, -9, 9, holes);
  if (!x)
    return false;
  const hed_shape s = hed_array_shape(x);
  hed_reduce opt = { .keepdims = gen_chance(&source, 30) };
  int64_t results = 1;
  for (int k = 0; k < AXES; k++)
    if (mask >> k & 1u)
      opt.axes.axis[opt.axes.n++] = k;
    else
      results *= s.dim[k];
  for (int64_t i = 0; i < results; i++)
    want[i] = which == 0 ? 0 : (double)NAN;
  for (int64_t i = 0; i < hed_array_size(x); i++) {
    int64_t at = 0, rest = i, stride = 1;
    for (int k = AXES - 1; k >= 0; k--) {
      if (!(mask >> k & 1u)) {
        at += rest % s.dim[k] * stride;
        stride *= s.dim[k];
      }
      rest /= s.dim[k];
    }
    if (!isnan(given[i]))
      want[at] = which == 0 ? want[at] + given[i] : which == 1 ? fmax(want[at], given[i]) : fmin(want[at], given[i]);
  }
  for (int64_t i = 0; i < results; i++)
    if (narrow && fabs(want[i]) > 256) /* the end of bfloat16's whole numbers */
      return true;
  return all_same((which == 0 ? hed_nansum : which == 1 ? hed_nanmax : hed_nanmin)(x, &opt), results);
}

/* ---- segments ---- */

static bool segments_right(bool max)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_FLOAT16, HED_INT8, HED_INT32, HED_INT64, HED_UINT8, HED_UINT64, HED_BOOL };
  const hed_dtype t = types[gen_below(&source, 9)];
  const bool real = hed_dtype_kind(t) == HED_KIND_FLOAT, is_signed = real || hed_dtype_kind(t) == HED_KIND_INT;
  const int axis = (int)gen_below(&source, AXES);
  hed_array *x = operand(t, is_signed ? -9 : 0, t == HED_BOOL ? 1 : 9, real && gen_chance(&source, 30) ? 5 : 0);
  static int64_t list[ELEMENTS];
  static bool found[ELEMENTS];
  if (!x)
    return false;
  if (real && gen_chance(&source, 30)) { /* the least numbers of all */
    x = hed_where_scalar(hed_greater_scalar(x, max ? -3 : 3), max ? hed_full_like(x, -INFINITY) : x, max ? -5 : INFINITY);
    if (!take(x, given))
      return false;
  }
  hed_shape s = hed_array_shape(x);
  const int64_t step = step_of(&s, axis), m = s.dim[axis], n = gen_int(&source, 1, 40), size = hed_array_size(x);
  for (int64_t i = 0; i < m; i++)
    list[i] = (int64_t)gen_below(&source, (uint64_t)n);
  const int64_t results = size / m * n;
  if (results > ELEMENTS)
    return true;
  for (int64_t i = 0; i < results; i++) {
    want[i] = 0;
    found[i] = false;
  }
  for (int64_t i = 0; i < size; i++) {
    const int64_t at = (i / step / m * n + list[i / step % m]) * step + i % step;
    want[at] = found[at] ? combined(max ? MAX : MIN, want[at], given[i]) : given[i];
    found[at] = true;
  }
  hed_array *index = hed_from_host(list, HED_SHAPE(m), HED_INT64);
  return all_same((max ? hed_scatter_max : hed_scatter_min)(x, index, n, axis), results);
}

/* ---- all of it ---- */

/* Products that sink below the least number, some of them from just above it, of factors to either side of 1: near the exact ones
 * as long as all before are normal numbers, small behind that, and once they are 0 they stay 0 and have the signs of products. */
static bool vanishing_right(void)
{
  enum { N = 6000 };
  const double begin = gen_chance(&source, 50) ? 1 : ldexp(1, -(int)gen_int(&source, 900, 1070));
  long double exact = 1, lowest = 1;
  for (int k = 0; k < N; k++)
    given[k] = (gen_chance(&source, 30) ? -1 : 1) * gen_double(&source, 0.4, 1.6) * (k ? 1 : begin);
  if (!take(hed_cumprod(hed_from_host(given, HED_SHAPE(N), HED_FLOAT64), NULL), got))
    return false;
  for (int k = 0; k < N; k++) {
    exact *= (long double)given[k];
    lowest = fminl(lowest, fabsl(exact));
    if (lowest > 0x1p-1022L ? !(fabsl(got[k] - exact) <= 1e-11L * fabsl(exact)) : !(fabs(got[k]) < 0x1p-900))
      return false;
    if (k && got[k - 1] == 0 && (got[k] != 0 || (signbit(got[k]) != 0) != ((signbit(got[k - 1]) != 0) != (given[k] < 0))))
      return false;
  }
  return true;
}

static const char *failure; /* the first */
static void check(bool right, const char *what)
{
  if (!right && !failure)
    failure = what;
}

static void rounds(int many)
{
  static const char *const scans[SCANS] = { "cumsum", "cumprod", "cummax", "cummin" };
  static const char *const reductions[] = { "nansum", "nanmax", "nanmin" };
  for (int k = 0; k < scaled(many) && !failure; k++)
    HED_SCOPE
    {
      for (int op = 0; op < SCANS; op++)
        check(scan_right(op), scans[op]);
      check(difference_right(), "diff");
      for (int which = 0; which < 3; which++)
        check(numbers_right(which), reductions[which]);
      check(segments_right(k % 2), "scatter_max or scatter_min");
      check(vanishing_right(), "products that vanish");
    }
}

static void all(const char *backend)
{
  failure = NULL;
  rounds(strcmp(backend, "reference") == 0 ? 60 : 250);
  ok(!failure, "%s: %s", backend, failure ? failure : "scans, differences, what is not NaN, segments");
}

/* By the loops of older processors; a set is chosen when the backend is loaded. */
static void old_processor(const char *level)
{
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("HEDDLE_CPU_LEVEL", level, 1);
    if (hed_backend_require("cpu") != HED_OK)
      _exit(0);
    HED_BACKEND_CONTEXT("cpu;threads=1")
      rounds(150);
    _exit(failure ? 1 : 0);
  }
  int status = 0;
  ok(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "the same by loops of the level %s", level);
}

int main(void)
{
  gen_seed(&source, tap_seed());
  old_processor("base");
  old_processor("avx2");
  api_each_context(all);
  done_testing();
  return done();
}
