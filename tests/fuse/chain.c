// SPDX-License-Identifier: BSD-3-Clause
/* Fusion: operations one after the other on the same elements. Every operation that may keep its value in registers, with
 * that as each of its operands, the others whole, repeated or with gaps, gives the bits of the calls one by one, whatever the
 * length; so do values that others read on the way, results that are there already, and sums and variances to rounding. Huber's
 * loss, which is one step, too. L5. */
#include "arrays.h"
#include "gen.h"
#include "scenario.h"
#include <heddle/backend.h>
#include <heddle/ops.h>
#include <math.h>

typedef hed_array *(*unary_fn)(const hed_array *);
typedef hed_array *(*binary_fn)(const hed_array *, const hed_array *);
static const unary_fn unaries[] = { hed_negative, hed_abs, hed_square, hed_sqrt, hed_reciprocal, hed_floor, hed_ceil,
                                    hed_relu, hed_exp, hed_log, hed_tanh, hed_sigmoid, hed_silu, hed_sin };
static const binary_fn binaries[] = { hed_add, hed_subtract, hed_multiply, hed_divide, hed_maximum, hed_minimum };
static const binary_fn comparisons[] = { hed_equal, hed_not_equal, hed_less, hed_less_equal, hed_greater, hed_greater_equal };
#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { OPERANDS = 6, STEPS = 14, VALUES = OPERANDS + STEPS, CONDITION = OPERANDS - 1 };

/* By turns: what comes before is the first, second or third operand, or twice. */
typedef struct step {
  int kind, which, form, other[2];
  bool kept, into;
  double low, high;
} step;

static gen g;
static int odd_ones; /* of a hundred; with none, functions are made of formulas for numbers of middle size alone */

static double number(void)
{
  static const double odd[] = { 0, -0.0, INFINITY, -INFINITY, NAN, 1e-320, -1e300, 86.5, -90, 705 };
  return gen_chance(&g, odd_ones) ? odd[gen_below(&g, COUNT(odd))] : gen_double(&g, -3, 3);
}

/* ROWS x COLS: whole, one for all, a row, a column, every other element, or bool. */
static hed_array *operand(int which, int64_t rows, int64_t cols, hed_dtype t)
{
  const bool gaps = which == 4;
  const hed_shape s = { 2, { which == 1 || which == 2 ? 1 : rows, which == 1 || which == 3 ? 1 : gaps ? 2 * cols : cols } };
  const int64_t n = s.dim[0] * s.dim[1];
  double *v = calloc((size_t)n, sizeof *v);
  for (int64_t i = 0; i < n; i++)
    v[i] = which == CONDITION ? (double)gen_below(&g, 2) : number();
  hed_array *x = hed_from_host(v, s, HED_FLOAT64), *y = hed_astype(x, which == CONDITION ? HED_BOOL : t);
  free(v);
  hed_release(x);
  if (gaps) {
    const hed_slice_range r[] = { HED_RANGE(0, s.dim[0], 1), HED_RANGE(0, s.dim[1], 2) };
    x = hed_slice(y, 2, r);
    hed_release(y);
    y = x;
  }
  return y;
}

static void make_step(step *s)
{
  s->kind = (int)gen_below(&g, 11);
  s->which = (int)gen_below(&g, 100);
  s->form = (int)gen_below(&g, 4);
  for (int k = 0; k < 2; k++)
    s->other[k] = gen_chance(&g, 20) ? -1 - (int)gen_below(&g, 3) : (int)gen_below(&g, gen_chance(&g, 30) ? CONDITION : 4);
  s->kept = gen_chance(&g, 20);
  s->into = gen_chance(&g, 10);
  s->low = gen_double(&g, -2, 0);
  s->high = gen_chance(&g, 20) ? -0.0 : gen_double(&g, 0, 2);
}

static hed_array *apply(const step *s, hed_array *const *v, int at)
{
  hed_array *x = v[at - 1];
  const hed_array *o[2];
  for (int k = 0; k < 2; k++) /* below 0: an earlier step's */
    o[k] = s->other[k] >= 0 ? v[s->other[k]] : v[at + s->other[k] >= OPERANDS ? at + s->other[k] : at - 1];
  if (s->kind < 3)
    return unaries[(size_t)s->which % COUNT(unaries)](x);
  if (s->kind == 3)
    return hed_clip(x, s->low, s->high);
  if (s->kind == 4)
    return s->form == 0 ? hed_fma(x, o[0], o[1]) : s->form == 1 ? hed_fma(o[0], x, o[1]) : hed_fma(o[0], o[1], x);
  if (s->kind == 5)
    return s->form < 2 ? hed_where(v[CONDITION], x, o[0]) : hed_where(v[CONDITION], o[0], x);
  if (s->kind == 6) { /* of the value before, by what it is beside another, and of what is made of it meanwhile */
    const binary_fn tell = comparisons[(size_t)s->which % COUNT(comparisons)];
    hed_array *is = s->form & 1 ? tell(x, o[0]) : tell(o[0], x), *was = hed_not_equal(x, o[1]);
    hed_array *y = unaries[((size_t)s->which / 6) % COUNT(unaries)](x);
    hed_array *z = s->form < 2 ? hed_where(is, y, o[1]) : hed_where(is, o[1], y);
    hed_array *both = hed_where(was, z, v[0]), *const gone[] = { is, was, y, z };
    for (size_t k = 0; k < COUNT(gone); k++)
      hed_release(gone[k]);
    return both;
  }
  if (s->kind == 7) { /* Huber's loss of the value before, or nearly: its clipped value is read once more, or lies the other way */
    hed_array *q = hed_clip(x, s->low, s->high), *part = s->form & 1 ? hed_multiply_scalar(q, s->high) : hed_multiply(o[0], q);
    hed_array *rest = s->which % 5 ? hed_subtract(x, part) : hed_subtract(part, x);
    hed_array *y = s->form & 2 ? hed_multiply(q, rest) : hed_multiply(rest, q), *z = s->which % 3 ? hed_negative(y) : hed_add(y, q);
    hed_array *const gone[] = { q, part, rest, y };
    for (size_t k = 0; k < COUNT(gone); k++)
      hed_release(gone[k]);
    return z;
  }
  const binary_fn f = binaries[(size_t)s->which % COUNT(binaries)];
  return s->form == 0 ? f(x, x) : s->form == 1 ? f(o[0], x) : f(x, o[0]);
}

/* V has the operands, and gets what is kept; TOTAL the sum, mean and variance along AXES of what the last makes. */
static void run(const step *program, hed_array **v, const hed_axes *axes, hed_array **total)
{
  for (int k = 0; k < STEPS; k++) {
    const int at = OPERANDS + k;
    hed_array *x = k ? apply(&program[k], v, at) : hed_multiply(v[0], v[program[0].other[0] & 3]);
    if (program[k].into && x) { /* over itself, as far as it is there */
      if (hed_add_into(x, x, v[0]) != HED_OK)
        fail("add_into: %s", hed_error_text());
    }
    v[at] = x;
  }
  hed_array *finite = hed_nan_to_num(v[VALUES - 1], &(hed_nan_options){ .posinf = 2, .neginf = -3 });
  hed_array *less = hed_clip(finite, -100, 100), *last = hed_multiply(less, v[1]), *none = hed_multiply(less, less);
  const hed_reduce opt = { .axes = *axes };
  total[0] = hed_sum(none, &opt);
  total[1] = hed_mean(none, &opt);
  total[2] = hed_var(none, &opt);
  hed_array *const gone[] = { finite, less, last, none };
  for (size_t k = 0; k < COUNT(gone); k++)
    hed_release(gone[k]);
  for (int k = OPERANDS; k < VALUES - 1; k++)
    if (!program[k - OPERANDS].kept) {
      hed_release(v[k]);
      v[k] = NULL;
    }
}

static bool same(const hed_array *a, const hed_array *b)
{
  const size_t bytes = hed_array_nbytes(a);
  if (hed_array_nbytes(b) != bytes || hed_array_dtype(a) != hed_array_dtype(b) || hed_array_is_pending(b))
    return false;
  const char *p = hed_array_data((hed_array *)(uintptr_t)a), *q = hed_array_data((hed_array *)(uintptr_t)b);
  for (size_t i = 0, size = (size_t)hed_dtype_size(hed_array_dtype(a)); i < bytes; i += size) {
    double x = 0, y = 0;
    if (size == 8) {
      memcpy(&x, p + i, 8);
      memcpy(&y, q + i, 8);
    } else {
      float f;
      memcpy(&f, p + i, 4);
      x = (double)f;
      memcpy(&f, q + i, 4);
      y = (double)f;
    }
    if (!(x != x && y != y) && memcmp(p + i, q + i, size) != 0) {
      diag("element %zu of %s: %g, not %g", i / size, hed_dtype_name(hed_array_dtype(a)), y, x);
      return false;
    }
  }
  return true;
}

static void one_round(int round)
{
  const hed_dtype t = gen_chance(&g, 50) ? HED_FLOAT32 : HED_FLOAT64;
  static const hed_axes ways[] = { { 0 }, { 1, { 1 } }, { 1, { 0 } } };
  const hed_axes *axes = &ways[gen_below(&g, COUNT(ways))];
  const int64_t rows = gen_int(&g, 1, 5), cols = (5000 / rows + gen_int(&g, 0, 700)) / (gen_chance(&g, 30) ? 64 : 1) * 1 + 1;
  const int64_t lines = rows * cols < 2048 ? 60 * rows : rows;
  odd_ones = gen_chance(&g, 50) ? 10 : 0;
  step program[STEPS];
  hed_array *plain[VALUES] = { NULL }, *fused[VALUES] = { NULL }, *total[2][3] = { { NULL } };
  for (int k = 0; k < OPERANDS; k++)
    plain[k] = fused[k] = operand(k, lines, cols, t);
  for (int k = 0; k < STEPS; k++)
    make_step(&program[k]);
  run(program, plain, axes, total[0]);
  HED_FUSED
    run(program, fused, axes, total[1]);
  for (int k = OPERANDS; k < VALUES; k++)
    if ((!plain[k] != !fused[k]) || (plain[k] && !same(plain[k], fused[k])))
      fail("round %d: %lld x %lld: step %d of kind %d, which %d, form %d differs: %s", round, (long long)lines, (long long)cols,
           k - OPERANDS, program[k - OPERANDS].kind, program[k - OPERANDS].which, program[k - OPERANDS].form, hed_error_text());
  for (int k = 0; k < 3; k++) {
    const hed_tolerance close = { .rtol = t == HED_FLOAT32 ? 1e-6 : 1e-12, .atol = k == 2 ? 1e-20 : 0 };
    bool good = false;
    if (!total[0][k] || !total[1][k] || hed_allclose(total[0][k], total[1][k], &close, &good) != HED_OK || !good)
      fail("round %d: %lld x %lld: %s differs", round, (long long)lines, (long long)cols, k == 2 ? "variance" : k ? "mean" : "sum");
    RELEASE(total[0][k], total[1][k]);
  }
  for (int k = 0; k < VALUES; k++) {
    hed_release(plain[k]);
    if (k >= OPERANDS)
      hed_release(fused[k]);
  }
}

/* More operands than a chain has room for. */
static void many_operands(void)
{
  enum { MANY = HED_FUSED_STEPS - 2, N = 3001 };
  hed_array *x[MANY], *last[2] = { NULL }, *sum[2] = { NULL };
  for (int k = 0; k < MANY; k++) {
    float v[N];
    for (int i = 0; i < N; i++)
      v[i] = (float)gen_int(&g, -1000, 1000);
    x[k] = hed_from_host(v, HED_SHAPE(N), HED_FLOAT32);
  }
  for (int fused = 0; fused < 2; fused++) {
    hed_fuse_scope s = { 0, false };
    if (fused)
      hed_fuse_begin(&s);
    last[fused] = hed_add(x[0], x[0]);
    for (int k = 1; k < MANY; k++) {
      hed_array *t = hed_add(last[fused], x[k]);
      hed_release(last[fused]);
      last[fused] = t;
    }
    sum[fused] = hed_sum(last[fused], NULL);
    is_int(hed_fuse_end(&s), HED_OK, "%d operands%s", (int)MANY, fused ? ", fused" : "");
  }
  ok(last[0] && last[1] && same(last[0], last[1]), "their sum is the same");
  ok(sum[0] && sum[1] && same(sum[0], sum[1]), "and the whole numbers' total");
  for (int k = 0; k < MANY; k++)
    hed_release(x[k]);
  for (int k = 0; k < 2; k++) {
    RELEASE(last[k], sum[k]);
  }
}

/* As many functions one after the other as a call takes, of numbers that formulas are for and others. */
static void many_functions(void)
{
  enum { MANY = HED_FUSED_STEPS, N = 3001 };
  static const unary_fn often[] = { hed_tanh, hed_exp, hed_log, hed_sigmoid, hed_silu, hed_negative };
  for (int wide = 0; wide < 2; wide++) {
    const hed_dtype t = wide ? HED_FLOAT64 : HED_FLOAT32;
    odd_ones = 10;
    hed_array *const x = operand(0, 1, N, t);
    hed_array *last[2] = { NULL };
    for (int fused = 0; fused < 2; fused++) {
      hed_fuse_scope s = { 0, false };
      if (fused)
        hed_fuse_begin(&s);
      last[fused] = hed_tanh(x);
      for (size_t k = 1; k < MANY; k++) {
        hed_array *y = often[k % COUNT(often)](last[fused]);
        hed_release(last[fused]);
        last[fused] = y;
      }
      is_int(hed_fuse_end(&s), HED_OK, "%d functions of %s%s", (int)MANY, hed_dtype_name(t), fused ? ", fused" : "");
    }
    ok(last[0] && last[1] && same(last[0], last[1]), "their values are the same");
    RELEASE(last[0], last[1], x);
  }
}

int main(void)
{
  static const char *const backends[] = { "cpu;threads=1", "cpu;threads=2" };
  if (hed_backend_require("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  gen_seed(&g, tap_seed());
  for (size_t b = 0; b < COUNT(backends); b++) {
    hed_set_default_backend(backends[b]);
    hed_stats before = { .struct_size = sizeof before }, after = before;
    hed_stats_get(&before);
    many_operands();
    many_functions();
    const int failed = tap_failures(), rounds = scaled(300);
    for (int k = 0; k < rounds && tap_failures() < failed + 5; k++)
      one_round(k);
    hed_stats_get(&after);
    ok(tap_failures() == failed, "%s: %d random chains, the same bits", backends[b], rounds);
    ok(after.fused_passes >= before.fused_passes + (uint64_t)rounds, "%s: in passes", backends[b]);
    is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "%s: nothing left", backends[b]);
  }
  return done();
}
