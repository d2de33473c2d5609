// SPDX-License-Identifier: BSD-3-Clause
/* What a program is: inputs, constants, draws, writes in place, fusion, gradients of and in it, threads, errors. */
#include "arrays.h"
#include "fails.h"
#include <heddle.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

typedef const hed_array *const list[];
#define TWO(a, b) (list){ (a), (b) }
#define OF(expression) ((y[0] = (expression)) ? HED_OK : hed_error())
#define FUNCTION(name) static hed_status name(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
#define UNUSED (void)arg, (void)n, (void)m, (void)x, (void)y

static hed_array *vector(int n, double first)
{
  double values[64];
  for (int k = 0; k < n; k++)
    values[k] = first + 0.37 * k;
  return hed_from_host(values, HED_SHAPE(n), HED_FLOAT64);
}

/* ---- functions ---- */

static const hed_array *weights; /* what functions read that is no input */
static hed_array *state;

FUNCTION(chain)
{
  UNUSED;
  HED_SCOPE {
    hed_array *a = hed_multiply(hed_add(x[0], x[1]), weights);
    a = hed_subtract(hed_multiply_scalar(hed_exp(hed_negative(a)), 2.5), x[0]);
    y[0] = hed_keep(hed_maximum(hed_sqrt(hed_abs(a)), hed_sum(a, NULL)));
  }
  return y[0] ? HED_OK : hed_error();
}

FUNCTION(views)
{
  UNUSED;
  HED_SCOPE {
    hed_array *a = hed_reshape(hed_square(x[0]), HED_SHAPE(2, 4));
    y[0] = hed_keep(hed_matmul(hed_transpose(a, NULL), hed_slice(a, 1, (const hed_slice_range[]){ HED_RANGE(0, 2, 1) })));
  }
  return y[0] ? HED_OK : hed_error();
}

FUNCTION(draws)
{
  UNUSED;
  HED_SCOPE { y[0] = hed_keep(hed_add(x[0], hed_random_normal(HED_SHAPE(8), HED_FLOAT64, NULL))); }
  return y[0] ? HED_OK : hed_error();
}
FUNCTION(adds) { UNUSED; return hed_add_into(state, state, x[0]) == HED_OK ? OF(hed_multiply_scalar(state, 2)) : hed_error(); }
FUNCTION(writes)
{
  UNUSED;
  return hed_add_into((hed_array *)(uintptr_t)x[0], x[0], x[1]) == HED_OK ? OF(hed_copy(x[0])) : hed_error();
}
FUNCTION(adds_up) /* into what each call makes anew, and a run would not */
{
  UNUSED;
  y[0] = NULL;
  HED_SCOPE {
    hed_array *sum = vector(8, 0);
    if (hed_add_into(sum, sum, x[0]) == HED_OK)
      y[0] = hed_keep(sum);
  }
  return y[0] ? HED_OK : hed_error();
}
FUNCTION(fused)
{
  UNUSED;
  HED_SCOPE HED_FUSED { y[0] = hed_keep(hed_sum(hed_square(hed_sin(hed_multiply(x[0], x[1]))), NULL)); }
  return y[0] ? HED_OK : hed_error();
}
FUNCTION(trains) /* the gradient of (w x - 1)^2, and a step in place */
{
  UNUSED;
  hed_array *g = NULL;
  HED_RECORD HED_SCOPE {
    const hed_array *const w = hed_variable(state);
    hed_array *loss = hed_sum(hed_square(hed_subtract_scalar(hed_multiply(w, x[0]), 1)), NULL);
    y[0] = hed_keep(loss);
    if (hed_grad(loss, 1, &w, &g, NULL) != HED_OK)
      diag("%s", hed_error_text());
  }
  hed_array *step = hed_multiply(g, x[1]);
  const hed_status s = hed_subtract_into(state, state, step);
  RELEASE(g, step);
  return s;
}
FUNCTION(returns)
{
  UNUSED;
  y[0] = hed_retain((hed_array *)(uintptr_t)x[0]);
  y[1] = hed_exp(x[0]);
  y[2] = hed_retain(y[1]);
  return HED_OK;
}
FUNCTION(scales) { UNUSED; return OF(hed_multiply(x[0], x[1])); }
FUNCTION(cubes) { UNUSED; hed_array *q = hed_square(x[0]); y[0] = hed_multiply(q, x[0]); hed_release(q); return HED_OK; }

static hed_program *inner;
FUNCTION(outer)
{
  UNUSED;
  hed_array *a = NULL;
  if (hed_program_run(inner, 2, x, 1, &a) != HED_OK)
    return hed_error();
  y[0] = hed_exp(a);
  hed_release(a);
  return HED_OK;
}

/* ---- refused ---- */

FUNCTION(reads)
{
  UNUSED;
  double v;
  hed_array *s = hed_sum(x[0], NULL);
  const hed_status q = hed_item(s, &v);
  hed_release(s);
  return q == HED_OK ? OF(hed_add_scalar(x[0], v)) : q;
}
FUNCTION(peeks) { UNUSED; return hed_array_data(x[0]) ? OF(hed_copy(x[0])) : hed_error(); }
FUNCTION(shapes) { UNUSED; return OF(hed_flatnonzero(x[0])); }
static hed_generator generator = { 1, 0 };
FUNCTION(own) { UNUSED; return OF(hed_random_uniform(HED_SHAPE(8), HED_FLOAT64, &(hed_random){ .generator = &generator })); }

/* ---- F by itself and as a program ---- */

static void agrees(hed_function f, const char *what)
{
  hed_array *x[4] = { vector(8, 0.5), vector(8, -1), vector(8, 2), vector(8, 0.25) }, *made = NULL;
  hed_program *p = NULL;
  hed_array *start = vector(8, 1);
  bool good = hed_positive_into(state, start) == HED_OK;
  hed_set_seed(4);
  good = good && hed_program_create(f, NULL, 2, TWO(x[0], x[1]), 1, &made, NULL, &p) == HED_OK;
  for (int turn = 0; turn < 6 && good; turn++) {
    hed_array *a = NULL, *b = NULL, *copies[4];
    for (int k = 0; k < 4; k++)
      copies[k] = hed_copy(x[k]);
    const int from = turn & 2;
    good = hed_positive_into(state, start) == HED_OK;
    hed_set_seed((uint64_t)turn);
    good = good && f(NULL, 2, TWO(x[from], x[from + 1]), 1, &a) == HED_OK && f(NULL, 2, TWO(x[from + 1], x[from]), 1, &b) == HED_OK;
    hed_release(b);
    hed_array *after = hed_copy(state), *c = NULL, *d = NULL;
    good = good && hed_positive_into(state, start) == HED_OK;
    hed_set_seed((uint64_t)turn);
    good = good && hed_program_run(p, 2, TWO(copies[from], copies[from + 1]), 1, &c) == HED_OK &&
           hed_program_run(p, 2, TWO(copies[from + 1], copies[from]), 1, &d) == HED_OK;
    good = good && same_array(a, c) && same_array(after, state);
    for (int k = 0; k < 4; k++) {
      good = good && same_array(x[k], copies[k]);
      hed_release(copies[k]);
    }
    RELEASE(a, c, d, after);
  }
  if (!good)
    diag("%s", hed_error_text());
  ok(good, "%s: the bits of the calls", what);
  RELEASE(made, start);
  for (int k = 0; k < 4; k++)
    hed_release(x[k]);
  hed_program_release(p);
}

static hed_program *program(hed_function f, const char *name)
{
  hed_program *p = NULL;
  hed_array *a = vector(8, 0.5), *b = vector(8, 1);
  if (hed_program_create(f, NULL, 2, TWO(a, b), 1, NULL, &(hed_program_options){ .name = name }, &p) != HED_OK)
    diag("%s", hed_error_text());
  RELEASE(a, b);
  return p;
}

/* A function that runs its own program once there is one: when that is checked. */
static hed_program *myself;
FUNCTION(recurs)
{
  UNUSED;
  return myself ? hed_program_run(myself, n, x, m, y) : OF(hed_add(x[0], x[1]));
}

static void runs_itself(void)
{
  hed_array *a = vector(8, 0.5), *b = vector(8, 1), *y = NULL;
  ok(hed_program_create(recurs, NULL, 2, TWO(a, b), 1, NULL, &(hed_program_options){ .name = "recurs", .check = true }, &myself) ==
     HED_OK, "a function that will run its own program");
  fails(hed_program_run(myself, 2, TWO(a, b), 1, &y), HED_E_PROGRAM, "'recurs' is run by the function that it is made of",
        "a program that is checked, inside itself");
  ok(!y, "makes nothing");
  hed_program_release(myself);
  myself = NULL;
  RELEASE(a, b);
}

static void refuses(void)
{
  hed_array *a = vector(8, 0.5), *b = vector(8, 1), *y = NULL;
  hed_program *p = NULL;
#define REFUSED(f, status, words) fails(hed_program_create(f, NULL, 2, TWO(a, b), 1, &y, &(hed_program_options){ .name = "f" }, &p), \
                                        status, words, #f)
  REFUSED(reads, HED_E_PROGRAM, "elements of 'sum' are read, which depend on input 0");
  REFUSED(peeks, HED_E_PROGRAM, "are read, which depend on input 0");
  REFUSED(shapes, HED_E_PROGRAM, "the shape of what flatnonzero gives depends on input 0");
  REFUSED(own, HED_E_PROGRAM, "random_uniform draws from a generator");
  REFUSED(adds_up, HED_E_PROGRAM, "add writes an array that is made of the host's numbers");
  ok(!p && !y, "nothing is made");
  fails(hed_program_create(NULL, NULL, 0, NULL, 0, NULL, NULL, &p), HED_E_INVAL, "f is NULL", "no function");
  fails(hed_program_run(NULL, 0, NULL, 0, NULL), HED_E_INVAL, "p is NULL", "no program");

  p = program(chain, "chain");
  hed_array *shorter = vector(7, 1), *narrow = hed_astype(a, HED_FLOAT32), *weak = hed_scalar(1);
  hed_array *turned = hed_flip(a, NULL);
#define RUN(x0, x1) hed_program_run(p, 2, TWO(x0, x1), 1, &y)
  fails(RUN(a, shorter), HED_E_SHAPE, "x[1] has shape (7,), it was made with (8,)", "another shape");
  fails(RUN(narrow, a), HED_E_DTYPE, "x[0] is float32, it was made with float64", "another dtype");
  fails(RUN(a, NULL), HED_E_INVAL, "x[1] is NULL", "no array");
  fails(hed_program_run(p, 1, TWO(a, b), 1, &y), HED_E_INVAL, "1 inputs and 1 results, it has 2 and 1", "another number");
  ok(RUN(turned, a) == HED_OK, "other strides: %s", hed_error_text());
  hed_release(y);
  hed_program_release(p);
  p = NULL;

  p = program(writes, "writes");
  fails(RUN(a, a), HED_E_INVAL, "x[1] overlaps x0, which is written", "an input that is written, twice");
  hed_array *locked = hed_read_only(a);
  fails(RUN(locked, b), HED_E_INVAL, "read-only", "an input that is written, and must not be");
  hed_program_release(p);
  RELEASE(shorter, narrow, weak, turned, locked, a, b);
}

static void others(void)
{
  hed_array *a = vector(8, 0.5), *b = vector(8, 1), *y[3] = { NULL }, *z[3] = { NULL };
  hed_program *p = NULL;
  ok(hed_program_create(returns, NULL, 1, TWO(a, b), 3, y, NULL, &p) == HED_OK && hed_program_run(p, 1, TWO(b, a), 3, z) == HED_OK &&
     same_array(z[0], b) && same_array(z[1], z[2]) && z[1] != z[2], "an input as a result, and one result twice");
  for (int j = 0; j < 3; j++) {
    RELEASE(y[j], z[j]);
  }
  hed_program_release(p);

  const hed_array *const was = weights;
  hed_array *other = vector(8, 9), *want = NULL;
  p = program(chain, "chain");
  y[0] = y[1] = NULL;
  hed_array *kept = hed_copy(was);
  hed_positive_into((hed_array *)(uintptr_t)was, other);
  chain(NULL, 2, TWO(a, b), 1, &want);
  ok(hed_program_run(p, 2, TWO(a, b), 1, y) == HED_OK && same_array(y[0], want), "constants are seen as they are at the run");
  hed_positive_into((hed_array *)(uintptr_t)was, kept);
  ok(hed_program_run(p, 2, TWO(a, b), 1, y + 1) == HED_OK && !same_array(y[0], y[1]), "results of an earlier run stay");
  RELEASE(y[0], y[1], want, kept, other);
  hed_program_release(p);

  p = program(cubes, "cubes");
  hed_array *g = NULL;
  double got[8];
  HED_RECORD HED_SCOPE {
    const hed_array *const v = hed_variable(a);
    hed_array *r = NULL;
    if (hed_program_run(p, 2, TWO(v, b), 1, &r) != HED_OK || hed_grad(hed_sum(r, NULL), 1, &v, &g, NULL) != HED_OK)
      diag("%s", hed_error_text());
  }
  ok(g && hed_tolist(g, got, 8) == HED_OK && fabs(got[2] - 3 * 1.24 * 1.24) < 1e-12, "the gradient of a program");
  hed_release(g);
  hed_program_release(p);

  inner = program(scales, "inner");
  agrees(outer, "a program in a program");
  hed_program_release(inner);
  RELEASE(a, b);
}

/* ---- what has changed, and what there is ---- */

static double rate = 0.1;
static int axis = 0;
static const hed_array *other;
FUNCTION(changes)
{
  UNUSED;
  HED_SCOPE {
    hed_array *a = hed_reshape(hed_multiply_scalar(hed_add(x[0], other), rate), HED_SHAPE(2, 4));
    y[0] = hed_keep(hed_cumsum(a, &(hed_scan){ .axis = HED_AXES(axis) }));
  }
  return y[0] ? HED_OK : hed_error();
}

static void checks(void)
{
  hed_array *a = vector(8, 0.5), *b = vector(8, 1), *y = NULL, *want = NULL;
  hed_array *c = vector(8, 3);
  hed_program *p = NULL;
  other = c;
  static const hed_program_options checked = { .name = "step", .check = true };
#define CHECKED hed_program_release(p); \
  p = NULL; \
  if (hed_program_create(changes, NULL, 1, TWO(b, a), 1, NULL, &checked, &p) != HED_OK) \
    diag("%s", hed_error_text())
#define FIRST hed_program_run(p, 1, TWO(a, b), 1, &y)
  CHECKED;
  rate = 0.25;
  fails(FIRST, HED_E_PROGRAM, "multiply: b was 0.10000000000000001, is 0.25: give it as an input", "another number");
  rate = 0.1;
  ok(FIRST == HED_OK && changes(NULL, 1, TWO(a, b), 1, &want) == HED_OK && same_array(y, want),
     "a check that finds nothing has results");
  hed_release(y);
  rate = 0.25;
  ok(FIRST == HED_OK && same_array(y, want), "and is the only one");
  RELEASE(y, want);
  rate = 0.1;
  CHECKED;
  axis = 1;
  fails(FIRST, HED_E_PROGRAM, "cumsum: axis was 0, is 1: give it as an input", "another axis");
  axis = 0;
  CHECKED;
  other = b;
  fails(FIRST, HED_E_PROGRAM, "is another array than before: give it as an input", "another constant");
  hed_program_release(p);

  p = program(views, "views");
  hed_program_info q = { .struct_size = sizeof q };
  ok(hed_program_query(p, &q) == HED_OK && q.inputs == 2 && q.results == 1 &&
     q.calls == 5 && q.kernels == 2 && q.views == 3 && q.runs == 0,
     "what it is: %d calls, %d kernels, %d views", q.calls, q.kernels, q.views);
  char text[2000] = "";
  FILE *f = fmemopen(text, sizeof text, "w");
  ok(f && hed_program_print(p, f) == HED_OK && fclose(f) == 0 && strstr(text, "square") && strstr(text, "kernel of cpu"), "its lines");
  hed_program_release(p);
  RELEASE(c, a, b);
}

/* ---- threads ---- */

typedef struct work { hed_program *p; int first; bool good; } work;
static void *runs(void *arg)
{
  work *w = arg;
  hed_set_backend("cpu");
  for (int k = 0; k < 200 && w->good; k++) {
    hed_array *a = vector(8, w->first + k), *b = vector(8, -k), *want = NULL, *got = NULL;
    w->good = chain(NULL, 2, TWO(a, b), 1, &want) == HED_OK && hed_program_run(w->p, 2, TWO(a, b), 1, &got) == HED_OK &&
              same_array(want, got);
    RELEASE(a, b, want, got);
  }
  return NULL;
}

/* One is added to an array of others, by the program that all have. */
static void *counts(void *arg)
{
  work *w = arg;
  hed_set_backend("cpu");
  hed_array *one = hed_ones(HED_SHAPE(8), HED_FLOAT64), *got = NULL;
  for (int k = 0; k < 200 && w->good; k++) {
    w->good = hed_program_run(w->p, 1, TWO(one, one), 1, &got) == HED_OK;
    hed_release(got);
  }
  hed_release(one);
  return NULL;
}

static bool by_four(void *(*f)(void *), hed_program *p)
{
  work w[4];
  pthread_t t[4];
  bool good = true;
  for (int k = 0; k < 4; k++) {
    w[k] = (work){ p, 10 * k, true };
    pthread_create(&t[k], NULL, f, &w[k]);
  }
  for (int k = 0; k < 4; k++) {
    pthread_join(t[k], NULL);
    good = good && w[k].good;
  }
  hed_program_release(p);
  return good;
}

static void threads(void)
{
  ok(by_four(runs, program(chain, "chain")), "four threads run one program");
  hed_array *zero = hed_zeros(HED_SHAPE(8), HED_FLOAT64), *want = hed_full(HED_SHAPE(8), 800, HED_FLOAT64);
  hed_program *p = NULL;
  hed_program_create(adds, NULL, 1, TWO(zero, zero), 1, NULL, &(hed_program_options){ .check = true }, &p);
  ok(hed_positive_into(state, zero) == HED_OK && by_four(counts, p) && same_array(state, want),
     "one that writes others' arrays, and is checked, one after the other");
  RELEASE(zero, want);
}

/* ---- passes, and results that go into arrays of the caller's ---- */

#include "tangle.h"

static void passes(void)
{
  int wrong = 0, made = 0;
  for (seed = 1; seed <= 200; seed++) {
    hed_array *x[3] = { wide(0), wide(1), hed_scalar(0.25) }, *y[3], *want[3], *got[3], *into[3];
    hed_program *p = NULL;
    bool good = hed_program_create(tangle, NULL, 3, (const hed_array *const *)x, 3, y, NULL, &p) == HED_OK;
    hed_program_info q = { .struct_size = sizeof q };
    good = good && hed_program_query(p, &q) == HED_OK;
    made += q.passes;
    for (int run = 0; run < 3 && good; run++) {
      hed_array *z[3] = { wide(run + 2), wide(-run), hed_scalar(0.5 + run) };
      good = tangle(NULL, 3, (const hed_array *const *)z, 3, want) == HED_OK &&
             hed_program_run(p, 3, (const hed_array *const *)z, 3, got) == HED_OK;
      for (int j = 0; j < 3 && good; j++)
        into[j] = run == 1 && j == 0 ? hed_retain(z[0]) : run == 2 && j == 1 ? hed_flip(got[j], NULL) : hed_zeros_like(got[j]);
      for (int j = 0; j < 3 && good; j++)
        good = same_array(want[j], got[j]);
      good = good && hed_program_run_into(p, 3, (const hed_array *const *)z, 3, into) == HED_OK;
      for (int j = 0; j < 3 && good; j++)
        good = same_array(want[j], into[j]);
      for (int j = 0; j < 3 && good; j++) {
        RELEASE(want[j], got[j], into[j], z[j]);
      }
    }
    if (!good && ++wrong < 4)
      diag("seed %u: %s", seed, hed_error_text());
    for (int j = 0; j < 3; j++) {
      RELEASE(x[j], y[j]);
    }
    hed_program_release(p);
  }
  ok(wrong == 0 && made > 200, "elementwise steps by chance, in %d passes: the same bits, into given arrays too", made);
}

static void into(void)
{
  hed_array *a = vector(8, 0.5), *b = vector(8, 1), *y = vector(8, 0), *shorter = vector(7, 0), *narrow = hed_astype(y, HED_FLOAT32);
  hed_array *locked = hed_read_only(y);
  hed_program *p = program(chain, "chain");
#define INTO(z) hed_program_run_into(p, 2, TWO(a, b), 1, (hed_array *const[]){ z })
  fails(INTO(shorter), HED_E_SHAPE, "y[0] has shape (7,), the result has (8,)", "into another shape");
  fails(INTO(narrow), HED_E_DTYPE, "y[0] is float32, the result is float64", "into another dtype");
  fails(INTO(locked), HED_E_INVAL, "y[0] is read-only", "into what must not be written");
  fails(INTO(NULL), HED_E_INVAL, "y is NULL", "into nothing");
  fails(hed_program_run_into(NULL, 0, NULL, 0, NULL), HED_E_INVAL, "p is NULL", "of no program");
  ok(hed_program_takes(p, 2, TWO(a, b)) && !hed_program_takes(p, 2, TWO(a, shorter)) && !hed_program_takes(p, 1, TWO(a, b)) &&
     !hed_program_takes(p, 2, TWO(narrow, b)) && !hed_program_takes(p, 2, TWO(a, NULL)) && !hed_program_takes(NULL, 2, TWO(a, b)) &&
     hed_error() == HED_OK, "what a program takes");
  hed_program_release(p);
  RELEASE(a, b, y, shorter, narrow, locked);
}

/* Sums too, which are added in another order then. */
FUNCTION(sums)
{
  UNUSED;
  y[0] = NULL;
  HED_SCOPE y[0] = hed_keep(hed_sum(hed_exp(hed_multiply(x[0], x[1])), NULL));
  return y[0] ? HED_OK : hed_error();
}
static void in_a_scope(void)
{
  hed_array *a = wide(0), *b = wide(1), *y = NULL, *want = NULL;
  hed_program *p = NULL;
  hed_stats before = { .struct_size = sizeof before }, after = before;
  double got[2] = { 0 };
  ok(hed_program_create(sums, NULL, 2, TWO(a, b), 1, NULL, &(hed_program_options){ .fuse = true }, &p) == HED_OK, "option fuse");
  HED_FUSED sums(NULL, 2, TWO(b, a), 1, &want);
  hed_stats_get(&before);
  ok(hed_program_run(p, 2, TWO(b, a), 1, &y) == HED_OK && hed_stats_get(&after) == HED_OK &&
     after.fused_passes == before.fused_passes + 1 && hed_item(y, &got[0]) == HED_OK && hed_item(want, &got[1]) == HED_OK &&
     got[0] == got[1], "is a fusion scope round the function: %.17g, %.17g", got[0], got[1]);
  RELEASE(a, b, y, want);
  hed_program_release(p);
}

static void grows(void)
{
  hed_array *a = vector(8, 0.5), *b = vector(8, 1), *y = NULL;
  hed_program *p = program(chain, "chain");
  hed_stats before = { .struct_size = sizeof before }, after = before;
  bool good = hed_program_run(p, 2, TWO(a, b), 1, &y) == HED_OK;
  hed_release(y);
  good = good && hed_stats_get(&before) == HED_OK;
  for (int k = 0; k < scaled(100000) && good; k++) {
    good = hed_program_run(p, 2, TWO(a, b), 1, &y) == HED_OK;
    hed_release(y);
  }
  good = good && hed_stats_get(&after) == HED_OK;
  ok(good && after.arrays_live == before.arrays_live, "nothing grows over many runs");
  RELEASE(a, b);
  hed_program_release(p);
}

/* Functions that hand over references of their own to arrays that a scope has: ARG is one that was there before. They fail, or not. */
static bool refusing;
FUNCTION(twice)
{
  UNUSED;
  y[0] = hed_exp(x[0]);
  y[1] = hed_retain(y[0]);
  y[2] = hed_retain(arg);
  y[3] = hed_add(arg, x[0]);
  return refusing ? hed_fail(HED_E_INVAL, "fails") : HED_OK;
}
FUNCTION(one_of_before)
{
  UNUSED;
  y[0] = hed_retain(arg);
  return refusing ? hed_fail(HED_E_INVAL, "fails") : HED_OK;
}

static bool leaves_nothing(bool scoped)
{
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_array *a = vector(8, 0.5);
  hed_scope scope = { 0, NULL };
  hed_stats_get(&before);
  if (scoped)
    hed_scope_begin(&scope);
  hed_array *w = hed_add_scalar(a, 1), *one = hed_sum(a, NULL), *g = NULL;
  hed_program *p = NULL;
  bool good = (hed_program_create(twice, w, 1, TWO(a, a), 4, NULL, NULL, &p) == HED_OK) != refusing;
  hed_program_release(p);
  good = good && hed_value_and_grad(one_of_before, one, 1, TWO(a, a), NULL, &g) != HED_OK; /* it depends on no variable */
  if (!good)
    diag("%s", hed_error_text());
  hed_release(g);
  double x = 0;
  good = good && hed_item(one, &x) == HED_OK; /* it is there still */
  if (!scoped) {
    RELEASE(w, one);
  }
  hed_scope_end(&scope);
  hed_error_clear();
  hed_stats_get(&after);
  hed_release(a);
  return good && after.arrays_live == before.arrays_live;
}

static void leaves(void)
{
  for (int k = 0; k < 4; k++) {
    refusing = k & 1;
    ok(leaves_nothing(k & 2), "nothing is left of references that a function %s %s a scope", refusing ? "fails with," : "gives,",
       k & 2 ? "in" : "outside");
  }
}

int main(void)
{
  if (hed_set_backend("cpu") != HED_OK)
    bail("%s", hed_error_text());
  weights = vector(8, 0.75);
  state = vector(8, 1);
  agrees(chain, "elementwise operations and a sum");
  agrees(views, "views and a product");
  agrees(draws, "draws");
  agrees(adds, "an array of others, written");
  agrees(fused, "a fusion scope");
  agrees(trains, "a training step");
  refuses();
  runs_itself();
  others();
  checks();
  passes();
  into();
  in_a_scope();
  threads();
  grows();
  leaves();
  hed_release((hed_array *)(uintptr_t)weights);
  hed_release(state);
  done_testing();
  return done();
}
