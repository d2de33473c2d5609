// SPDX-License-Identifier: BSD-3-Clause
/* Fusion on the device: chains of operations whose results are exact come out with the reference backend's bits, one by one and in
 * one kernel, in types and layouts that its text tells apart; what the text does not hold, scalars and extents, compiles nothing
 * more. HEDDLE_TEST_FULL=1 takes all types, HEDDLE_TEST_BACKEND another backend. */
#include "arrays.h"
#include "gen.h"
#include "tap.h"

#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 33, COLUMNS = 47, OPERANDS = 5 };

/* Two matrices of the type, a row, one seen transposed, and one of bool. */
enum { A, B, ROW, T, MASK };

typedef struct made {
  hed_array *x[12];
  int n;
} made;

static hed_array *keep(made *m, hed_array *x) { return m->x[m->n++] = x; }

static void drop(made *m)
{
  for (int k = 0; k < m->n; k++)
    hed_release(m->x[k]);
  m->n = 0;
}

/* ---- chains: of each the last value counts, but for those of which several do ---- */

typedef hed_array *(*chain_fn)(made *m, hed_array *const *x, double s);

static hed_array *divided(made *m, hed_array *const *x, double s)
{
  return hed_subtract(keep(m, hed_divide_scalar(keep(m, hed_add(x[A], x[B])), s)), x[ROW]);
}

static hed_array *transposed(made *m, hed_array *const *x, double s)
{
  return hed_maximum(keep(m, hed_multiply(keep(m, hed_add_scalar(x[T], s)), x[A])), x[ROW]);
}

static hed_array *chosen(made *m, hed_array *const *x, double s)
{
  hed_array *less = keep(m, hed_less(x[A], x[B])), *both = keep(m, hed_logical_and(less, x[MASK]));
  return hed_where(both, x[A], keep(m, hed_clip(keep(m, hed_square(x[B])), -s, s)));
}

static hed_array *converted(made *m, hed_array *const *x, double s)
{
  hed_array *wide = keep(m, hed_astype(keep(m, hed_multiply_scalar(x[A], s)), HED_FLOAT64));
  return hed_astype(keep(m, hed_add(wide, x[B])), hed_array_dtype(x[A]));
}

static hed_array *parts(made *m, hed_array *const *x, double s)
{
  hed_array *z = keep(m, hed_multiply(keep(m, hed_conj(x[A])), x[B]));
  return hed_multiply_scalar(keep(m, hed_add(keep(m, hed_real(z)), keep(m, hed_imag(z)))), s);
}

static hed_array *bits(made *m, hed_array *const *x, double s)
{
  (void)s;
  return hed_bitwise_xor(keep(m, hed_negative(keep(m, hed_bitwise_and(x[A], x[T])))), x[ROW]);
}

static hed_array *summed(made *m, hed_array *const *x, double s) /* a reduction: whole numbers */
{
  (void)s;
  return hed_sum(keep(m, hed_multiply(keep(m, hed_add(x[A], x[B])), x[MASK])), &(hed_reduce){ .axes = HED_AXES(1) });
}

/* ---- that end in a reduction; their sums are not exact, so that the order of elements shows ---- */

#define OVER(k) (&(hed_reduce){ .axes = HED_AXES(k) })

static hed_array *summed_all(made *m, hed_array *const *x, double s) /* neighbours all the way */
{
  return hed_sum(keep(m, hed_add(keep(m, hed_multiply_scalar(x[A], s)), x[B])), NULL);
}

static hed_array *averaged(made *m, hed_array *const *x, double s) /* columns, a row for all rows */
{
  return hed_mean(keep(m, hed_multiply(keep(m, hed_divide_scalar(x[A], s)), x[ROW])), OVER(0));
}

static hed_array *largest(made *m, hed_array *const *x, double s) /* rows, of one that is transposed too */
{
  return hed_max(keep(m, hed_subtract(keep(m, hed_multiply_scalar(x[T], s)), x[A])), OVER(1));
}

static hed_array *placed(made *m, hed_array *const *x, double s) /* over axes that do not lie as one */
{
  return hed_argmin(keep(m, hed_add(keep(m, hed_multiply_scalar(x[T], s)), x[ROW])), NULL);
}

static hed_array *counted(made *m, hed_array *const *x, double s)
{
  (void)s;
  return hed_count_nonzero(keep(m, hed_logical_and(keep(m, hed_less(x[A], x[B])), x[MASK])), OVER(1));
}

static hed_array *dotted(made *m, hed_array *const *x, double s)
{
  return hed_sum(keep(m, hed_multiply_scalar(keep(m, hed_multiply(keep(m, hed_conj(x[A])), x[B])), s)), OVER(0));
}

static const struct {
  const char *name;
  chain_fn fn;
  const char *domain;
} chains[] = {
  { "divided", divided, "f" }, { "transposed", transposed, "if" }, { "chosen", chosen, "if" }, { "converted", converted, "if" },
  { "parts", parts, "c" }, { "bits", bits, "i" }, { "summed", summed, "i" },
  { "summed_all", summed_all, "f" }, { "averaged", averaged, "f" }, { "largest", largest, "f" }, { "placed", placed, "f" },
  { "counted", counted, "if" }, { "dotted", dotted, "c" },
};

/* ---- operands ---- */

static hed_array *numbers(gen *g, hed_shape shape, hed_dtype t)
{
  double v[ROWS * COLUMNS];
  for (int k = 0; k < ROWS * COLUMNS; k++)
    v[k] = gen_int(g, -9, 9) / (t == HED_INT32 || t == HED_UINT8 ? 1.0 : 4.0);
  hed_array *wide = hed_from_host(v, shape, HED_FLOAT64), *x = hed_astype(wide, t);
  hed_release(wide);
  return x;
}

static void make_operands(uint64_t seed, hed_dtype t, hed_array **x)
{
  gen g;
  gen_seed(&g, seed);
  x[A] = numbers(&g, HED_SHAPE(ROWS, COLUMNS), t);
  x[B] = numbers(&g, HED_SHAPE(ROWS, COLUMNS), t);
  x[ROW] = numbers(&g, HED_SHAPE(COLUMNS), t);
  hed_array *tall = numbers(&g, HED_SHAPE(COLUMNS, ROWS), t);
  x[T] = hed_transpose(tall, NULL);
  hed_release(tall);
  x[MASK] = numbers(&g, HED_SHAPE(ROWS, COLUMNS), HED_BOOL);
}

/* ---- one chain ---- */

typedef struct outcome {
  hed_dtype dtype;
  size_t bytes;
  char data[16 * ROWS * COLUMNS];
  char text[160];
} outcome;

static void keep_outcome(outcome *o, hed_array *y)
{
  o->bytes = y ? hed_array_nbytes(y) : 0;
  o->dtype = y ? hed_array_dtype(y) : HED_BOOL;
  if (!y || o->bytes > sizeof o->data || hed_to_host(y, o->data, o->bytes) != HED_OK)
    snprintf(o->text, sizeof o->text, "%s", hed_error_text());
  hed_release(y);
}

static void run(const char *spec, bool fused, chain_fn fn, hed_dtype t, double s, outcome *o)
{
  hed_array *x[OPERANDS];
  made m = { .n = 0 };
  memset(o, 0, sizeof *o);
  HED_BACKEND_CONTEXT(spec) {
    make_operands(7, t, x);
    hed_array *y = NULL;
    if (fused)
      HED_FUSED {
        y = fn(&m, x, s);
        drop(&m);
      }
    else
      y = fn(&m, x, s);
    drop(&m);
    keep_outcome(o, y);
    for (int k = 0; k < OPERANDS; k++)
      hed_release(x[k]);
  }
}

static bool same(const outcome *a, const outcome *b)
{
  return !a->text[0] && !b->text[0] && a->bytes > 0 && a->bytes == b->bytes && a->dtype == b->dtype &&
         memcmp(a->data, b->data, a->bytes) == 0;
}

static outcome want, alone, together;

static uint64_t passes(void)
{
  hed_stats s = { .struct_size = sizeof s };
  hed_stats_get(&s);
  return s.fused_passes;
}

/* Their sums are rounded otherwise than those of the reference backend. */
static bool rounds(chain_fn fn) { return fn == summed_all || fn == averaged || fn == dotted; }

static void one_chain(const char *spec, size_t k, hed_dtype t)
{
  run("reference", false, chains[k].fn, t, 3.1, &want);
  run(spec, false, chains[k].fn, t, 3.1, &alone);
  const uint64_t before = passes();
  run(spec, true, chains[k].fn, t, 3.1, &together);
  const char *name = hed_dtype_name(t);
  ok(same(&want, &alone) || rounds(chains[k].fn), "%s, %s, one by one %s%s", chains[k].name, name, want.text, alone.text);
  ok(same(&alone, &together), "%s, %s, fused %s", chains[k].name, name, together.text);
  ok(passes() > before, "%s, %s: in one pass", chains[k].name, name);
}

/* ---- what compiles ---- */

static atomic_int built;

static void count_builds(void *arg, hed_log_level level, const char *subsystem, const char *message)
{
  (void)arg, (void)level, (void)subsystem;
  built += strstr(message, " fuse") != NULL;
}

static void look(void *arg, const hed_cache_stats *c)
{
  const size_t n = strlen(c->name), end = sizeof ".programs" - 1;
  if (n > end && strcmp(c->name + n - end, ".programs") == 0)
    *(hed_cache_stats *)arg = *c;
}

/* Other numbers and extents: the program is there. */
static void check_programs(const char *spec)
{
  int first = 0;
  hed_cache_stats before = { .hits = 0 }, after = before;
  (void)hed_cache_list(look, &before);
  hed_log_set(HED_LOG_DEBUG, count_builds, NULL);
  for (int k = 0; k < 4; k++)
    HED_BACKEND_CONTEXT(spec) {
      made m = { .n = 0 };
      hed_array *x = hed_arange(0, 100 + k, 1, HED_FLOAT32), *y = NULL;
      float v[104] = { 0 };
      HED_FUSED {
        y = hed_subtract_scalar(keep(&m, hed_multiply_scalar(x, k + 2)), 1);
        drop(&m);
      }
      ok(hed_to_host(y, v, sizeof *v * (size_t)(100 + k)) == HED_OK && v[0] == -1 && v[99 + k] == (float)((99 + k) * (k + 2) - 1),
         "times %d, less 1", k + 2);
      RELEASE(x, y);
      first = k == 0 ? built : first;
    }
  hed_log_set(HED_LOG_OFF, NULL, NULL);
  is_int(first, 1, "a chain is built once");
  is_int(built, first, "and serves other scalars and extents");
  (void)hed_cache_list(look, &after);
  ok(before.entries > 0 && after.misses > before.misses && after.hits >= before.hits + 3 && after.misses == (uint64_t)after.entries,
     "which the list of caches counts");
}

/* ---- results that are written into operands, more of them than a kernel takes, and without elements ---- */

enum { N = 1000, MANY = 40 };

static void check_results(const char *spec)
{
  HED_BACKEND_CONTEXT(spec) {
    made m = { .n = 0 };
    float v[N];
    hed_array *x = hed_arange(0, N, 1, HED_FLOAT32), *y = hed_full(HED_SHAPE(N), 2, HED_FLOAT32), *many[MANY];
    hed_array *none = hed_zeros(HED_SHAPE(3, 0), HED_FLOAT32), *still = NULL;
    hed_status s = HED_OK;
    HED_FUSED {
      s = hed_multiply_into(x, keep(&m, hed_add(x, y)), y);
      drop(&m);
      for (int k = 0; k < MANY; k++)
        many[k] = hed_add_scalar(k ? many[k - 1] : x, 1);
      still = hed_add_scalar(keep(&m, hed_square(none)), 1);
      drop(&m);
    }
    ok(s == HED_OK && hed_to_host(x, v, sizeof v) == HED_OK && v[0] == 4 && v[N - 1] == 2 * (N + 1), "into an operand");
    bool good = true;
    for (int k = 0; k < MANY; k++) {
      good &= hed_to_host(many[k], v, sizeof v) == HED_OK && v[7] == 18 + k + 1;
      hed_release(many[k]);
    }
    ok(good, "%d results", MANY);
    ok(still && hed_wait(still) == HED_OK && hed_array_size(still) == 0, "no elements");
    RELEASE(still, none, x, y);
  }
}

/* Axes that no order makes few, more than a kernel's four. */
static void check_axes(const char *spec)
{
  enum { D = 6 };
  static double plain[1 << (2 * D)], fused[1 << (2 * D)];
  const char *const specs[2] = { "reference", spec };
  double *const to[2] = { plain, fused };
  for (int b = 0; b < 2; b++)
    HED_BACKEND_CONTEXT(specs[b]) {
      made m = { .n = 0 };
      const hed_shape shape = { D, { 4, 4, 4, 4, 4, 4 } };
      hed_array *flat = hed_arange(0, 1 << (2 * D), 1, HED_FLOAT64), *x = hed_reshape(flat, shape);
      hed_array *mixed = hed_transpose(x, &HED_AXES(4, 0, 5, 1, 3, 2)), *y = NULL;
      HED_FUSED {
        y = hed_subtract(keep(&m, hed_multiply_scalar(x, 3)), mixed);
        drop(&m);
      }
      ok(hed_to_host(y, to[b], sizeof plain) == HED_OK, "%s: six axes", specs[b]);
      RELEASE(y, mixed, x, flat);
    }
  ok(memcmp(plain, fused, sizeof plain) == 0, "the same");
}

/* ---- several reductions of one value, of variances too; their sums are not exact, so that the order of elements shows ---- */

enum { FOLDS = 6 };

static void fold(hed_array *const *x, const hed_reduce *over, hed_array **y)
{
  made m = { .n = 0 };
  hed_reduce one = *over;
  one.ddof = 1;
  hed_array *v = keep(&m, hed_add(keep(&m, hed_divide_scalar(x[A], 3.1)), x[ROW]));
  y[0] = hed_std(v, over);
  y[1] = hed_sum(v, over);
  y[2] = hed_argmax(v, over);
  y[3] = hed_mean(v, over);
  y[4] = hed_var(v, &one);
  y[5] = hed_max(v, over);
  drop(&m);
}

static void check_folds(const char *spec, int axis)
{
  static outcome plain[FOLDS], fused[FOLDS];
  const hed_reduce all = { .axes = { 0 } }, over = axis < 0 ? all : (hed_reduce){ .axes = HED_AXES(axis) };
  HED_BACKEND_CONTEXT(spec) {
    hed_array *x[OPERANDS], *y[FOLDS];
    uint64_t before;
    make_operands(7, HED_FLOAT32, x);
    memset(plain, 0, sizeof plain);
    memset(fused, 0, sizeof fused);
    fold(x, &over, y);
    for (int k = 0; k < FOLDS; k++)
      keep_outcome(&plain[k], y[k]);
    before = passes();
    HED_FUSED fold(x, &over, y);
    is_int((int)(passes() - before), 1, "six reductions over axis %d in one pass", axis);
    for (int k = 0; k < FOLDS; k++) {
      keep_outcome(&fused[k], y[k]);
      ok(same(&plain[k], &fused[k]), "reduction %d has the bits that it has alone %s", k, fused[k].text);
    }
    HED_FUSED {
      made m = { .n = 0 };
      y[0] = hed_std(keep(&m, hed_add(keep(&m, hed_divide_scalar(x[A], 3.1)), x[ROW])), &over);
      drop(&m);
    }
    keep_outcome(&fused[0], y[0]);
    ok(same(&plain[0], &fused[0]), "so has a variance's root by itself");
    for (int k = 0; k < OPERANDS; k++)
      hed_release(x[k]);
  }
}

int main(void)
{
  static const char letter[] = {
    [HED_KIND_BOOL] = 'b', [HED_KIND_UINT] = 'i', [HED_KIND_INT] = 'i', [HED_KIND_FLOAT] = 'f', [HED_KIND_COMPLEX] = 'c',
  };
  static const hed_dtype types[] = { HED_BFLOAT16, HED_FLOAT32, HED_INT32, HED_COMPLEX64, HED_UINT8, HED_FLOAT16, HED_FLOAT64,
                                     HED_COMPLEX128 };
  const char *one = getenv("HEDDLE_TEST_BACKEND"), *name = one ? one : "opencl";
  char spec[64];
  const int most = full_run() ? 8 : 1;
  if (hed_backend_require(name) != HED_OK)
    skip_all("%s", hed_error_text());
  snprintf(spec, sizeof spec, "%s;fallback=error;dtype=relaxed", name);
  is_int(hed_backend_fuses(name), 1, "%s fuses", name);
  for (size_t k = 0; k < sizeof chains / sizeof *chains; k++)
    for (size_t t = 0, n = 0; t < sizeof types / sizeof *types && n < (size_t)most; t++)
      if (strchr(chains[k].domain, letter[hed_dtype_kind(types[t])]) && hed_device_supports(name, hed_dtype_name(types[t]))) {
        n++;
        one_chain(spec, k, types[t]);
      }
  for (int axis = -1; axis < 2; axis++)
    check_folds(spec, axis);
  check_programs(spec);
  check_results(spec);
  check_axes(spec);
  return done();
}
