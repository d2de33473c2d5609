// SPDX-License-Identifier: BSD-3-Clause
/* Suites "gradient" and "program", values with their derivatives, and calls that are kept.
 *
 * Layer: L5. Floors: of a gradient the same values without it (kind "values"), fused where the gradient is; of a program its calls
 * one by one ("calls"): so the shares are what the derivative costs, and what a program saves.
 */
#include "bench.h"
#include <math.h>

typedef struct job {
  const char *suite, *name;
  int64_t n;                /* elements; rows of the batch */
  int arrays, variables;    /* what is differentiated by comes first; 0: it is a program of all of them */
  hed_function f;           /* ARG is the work, whose other arrays are constants */
  bool dense, fused;
} job;

#define FUNCTION(name) static hed_status name(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
#define ONE(expression)                                   \
  do {                                                    \
    bench_work *const w = arg;                            \
    (void)n, (void)m, (void)w;                            \
    HED_SCOPE_OR(return hed_error())                      \
      y[0] = hed_keep(expression);                        \
    return y[0] ? HED_OK : hed_error();                   \
  } while (0)
#define B w->a[1]
#define C w->a[2]

/* The sum of (sqrt(((a b + c) a - b) c + 2) 0.5 + a - b), ten operations. */
static hed_array *chain_of(const hed_array *a, const hed_array *b, const hed_array *c)
{
  const hed_array *t = hed_subtract(hed_multiply(hed_add(hed_multiply(a, b), c), a), b);
  t = hed_multiply_scalar(hed_sqrt(hed_add_scalar(hed_multiply(t, c), 2)), 0.5);
  return hed_sum(hed_subtract(hed_add(t, a), b), NULL);
}
FUNCTION(chain) { ONE(chain_of(x[0], B, C)); }

/* Ten small operations. */
static hed_array *ten_of(const hed_array *a, const hed_array *b, const hed_array *c)
{
  const hed_array *t = hed_add(hed_multiply(hed_add(a, b), c), a);
  t = hed_subtract(hed_multiply(hed_subtract(hed_multiply(t, b), c), a), b);
  return hed_add(hed_multiply(hed_subtract(t, c), a), b);
}
FUNCTION(ten) { ONE(ten_of(x[0], x[1], x[2])); }

/* Three dense layers, 256 to 1024, and the mean of the squares. */
FUNCTION(dense)
{
  ONE(hed_mean(hed_square(hed_matmul(hed_relu(hed_matmul(hed_relu(hed_matmul(w->a[3], x[0])), x[1])), x[2])), NULL));
}

/* Seven layers of fifty, about. */
FUNCTION(layers)
{
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *t = x[0];
    for (int k = 0; k < 7; k++)
      t = hed_tanh(hed_multiply(t, x[1]));
    y[0] = hed_keep(hed_positive(t));
  }
  (void)arg, (void)n, (void)m;
  return y[0] ? HED_OK : hed_error();
}

static hed_status deep_of(bench_work *w, const hed_array *x, bool kept, hed_array **y)
{
  enum { STRETCHES = 7 };
  hed_array *made[STRETCHES] = { NULL };
  const hed_array *at = x;
  hed_status status = HED_OK;
  for (int k = 0; k < STRETCHES && status == HED_OK; k++) {
    const hed_array *const in[2] = { at, B };
    status = kept ? hed_checkpoint(layers, NULL, NULL, 2, in, 1, &made[k]) : layers(NULL, 2, in, 1, &made[k]);
    at = made[k];
  }
  y[0] = status == HED_OK ? hed_sum(at, NULL) : NULL;
  for (int k = 0; k < STRETCHES; k++)
    hed_release(made[k]);
  return y[0] ? HED_OK : hed_error();
}
FUNCTION(deep) { (void)n, (void)m; return deep_of(arg, x[0], false, y); }
FUNCTION(checkpoints) { (void)n, (void)m; return deep_of(arg, x[0], true, y); }

static const job jobs[] = {
  { "gradient", "chain10", 1000000, 3, 1, chain, false, true },
  { "gradient", "chain10", 1000, 3, 1, chain, false, true },
  { "gradient", "small", 8, 3, 1, chain, false, false },
  { "gradient", "dense3", 128, 4, 3, dense, true, false },
  { "gradient", "deep49", 100000, 2, 1, deep, false, false },
  { "gradient", "deep49_checkpoints", 100000, 2, 1, checkpoints, false, false },
  { "program", "ten", 8, 3, 0, ten, false, false },
  { "program", "ten", 1000, 3, 0, ten, false, false },
  { "program", "ten", 1000000, 3, 0, ten, false, false },
};

/* ---- rows ---- */

static hed_status values(bench_work *w, int64_t n, bool gradient)
{
  const job *j = w->spec->what;
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_array *y = NULL, *g[BENCH_ARRAYS] = { NULL };
    const hed_array *const *x = (const hed_array *const *)w->a;
    hed_fuse_scope fused = { 0 };
    if (j->fused)
      status = hed_fuse_begin(&fused);
    if (status == HED_OK && gradient)
      status = hed_value_and_grad(j->f, w, j->variables, x, &y, g);
    else if (status == HED_OK && j->f == checkpoints)
      status = deep(w, 1, x, 1, &y);
    else if (status == HED_OK)
      status = j->f(w, j->variables, x, 1, &y);
    const hed_status end = j->fused ? hed_fuse_end(&fused) : HED_OK;
    status = status == HED_OK ? end : status;
    hed_release(y);
    for (int k = 0; k < j->variables; k++)
      hed_release(g[k]);
  }
  return status;
}

static hed_status run_gradient(bench_work *w, int64_t n) { return values(w, n, true); }
static void run_values(void *w, int64_t n) { (void)values(w, n, false); }

static hed_status run_program(bench_work *w, int64_t n)
{
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_array *y = NULL;
    status = hed_program_run(w->own, 3, (const hed_array *const *)w->a, 1, &y);
    hed_release(y);
  }
  return status;
}

/* The calls without a scope round them, as a program that releases by itself makes them. */
static void run_calls(void *work, int64_t n)
{
  bench_work *w = work;
  const hed_array *a = w->a[0], *b = B, *c = C;
  static hed_array *(*const op[10])(const hed_array *, const hed_array *) = {
    hed_add, hed_multiply, hed_add, hed_multiply, hed_subtract, hed_multiply, hed_subtract, hed_subtract, hed_multiply, hed_add
  };
  const hed_array *const with[10] = { b, c, a, b, c, a, b, c, a, b };
  for (int64_t i = 0; i < n; i++) {
    hed_array *t = hed_retain(w->a[0]);
    for (int k = 0; k < 10; k++) {
      hed_array *next = op[k](t, with[k]);
      hed_release(t);
      t = next;
    }
    hed_release(t);
  }
}

static void drop(bench_work *w) { hed_program_release(w->own); }

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const job *j = s->what;
  static const int64_t layer[4][2] = { { 256, 1024 }, { 1024, 1024 }, { 1024, 256 } };
  for (int k = 0; k < j->arrays; k++)
    w->a[k] = !j->dense ? bench_values(s, HED_SHAPE(j->n))
                        : bench_values(s, k < 3 ? HED_SHAPE(layer[k][0], layer[k][1]) : HED_SHAPE(j->n, 256));
  hed_status status = bench_have(w, j->arrays);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[j->arrays - 1]);
  w->read = w->written = NAN;
  if (j->variables) {
    w->run = run_gradient;
    w->floor = (bench_floor){ "values", run_values, w, NULL, NAN, 0, false };
    return HED_OK;
  }
  hed_program *p = NULL;
  status = hed_program_create(j->f, w, 3, (const hed_array *const *)w->a, 1, NULL, NULL, &p);
  w->own = p;
  w->drop = drop;
  w->run = run_program;
  w->floor = (bench_floor){ "calls", run_calls, w, NULL, NAN, 0, false };
  return status;
}

static void list(bench *b, const char *suite)
{
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
    const job *j = &jobs[i];
    bench_spec s = { .suite = j->suite, .name = j->name, .what = j, .prepare = prepare, .dim = { j->n }, .dtype = HED_FLOAT32 };
    if (strcmp(j->suite, suite) != 0)
      continue;
    snprintf(s.size, sizeof s.size, j->n < 1000 ? "%.0f" : "%.0e", (double)j->n);
    char *e = strstr(s.size, "e+0"); /* 1e6 */
    if (e)
      memmove(e + 1, e + 3, strlen(e + 3) + 1);
    bench_add(b, &s, j->n <= 1000);
  }
}

void bench_list_gradient(bench *b) { list(b, "gradient"); }
void bench_list_program(bench *b) { list(b, "program"); }
