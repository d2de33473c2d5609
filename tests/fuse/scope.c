// SPDX-License-Identifier: BSD-3-Clause
/* Fusion scopes: what is pending when, who computes it, what writing, contexts, threads and failures do to it. L5. */
#include "arrays.h"
#include "scenario.h"
#include <heddle/ops.h>
#include <math.h>

enum { N = 5000 };
static hed_array *a, *b, *c;

static uint64_t passes(void)
{
  hed_stats s = { .struct_size = sizeof s };
  hed_stats_get(&s);
  return s.fused_passes;
}

static hed_array *ramp(double start, double step)
{
  return hed_arange(start, start + step * (N - 0.5), step, HED_FLOAT64);
}

/* a * b + c, the product released. */
static hed_array *sum_of_products(void)
{
  hed_array *t = hed_multiply(a, b), *y = hed_add(t, c);
  hed_release(t);
  return y;
}

static double at(const hed_array *x, int64_t k)
{
  double v = NAN;
  hed_array *one = hed_index(x, 0, k);
  if (!one || hed_item(one, &v) != HED_OK)
    fail("element %lld: %s", (long long)k, hed_error_text());
  hed_release(one);
  return v;
}

static double want(int64_t k) { return (double)k * (1 + 0.5 * (double)k) + 7; }

static void test_pending(void)
{
  hed_array *y = NULL, *m = NULL;
  uint64_t before = passes();
  HED_FUSED {
    y = sum_of_products();
    m = hed_greater_scalar(y, 100);
    ok(hed_array_is_pending(y) && hed_array_is_pending(m), "results are pending");
    ok(hed_array_dtype(m) == HED_BOOL && hed_array_size(m) == N && hed_array_is_contiguous(m), "their kind is known");
    is_str(hed_array_space(y), "host", "and where they will be");
    is_str(hed_array_backend(y), "cpu", "and who computes them");
    hed_array *bad = hed_add(y, hed_empty(HED_SHAPE(3), HED_FLOAT64));
    ok(!bad && hed_error() == HED_E_SHAPE, "a wrong shape is an error of the call: %s", hed_error_text());
    bad = hed_bitwise_not(y);
    ok(!bad && hed_error() == HED_E_DTYPE, "so is a wrong dtype: %s", hed_error_text());
    hed_error_clear();
  }
  ok(!hed_array_is_pending(y) && !hed_array_is_pending(m), "none is after the end");
  ok(at(y, 4321) == want(4321) && at(m, 0) == 0 && at(m, N - 1) == 1, "they are right");
  ok(passes() > before, "a pass was made");
  RELEASE(y, m);
}

/* Each way to read computes. */
typedef bool (*reader)(hed_array *y);
static bool read_item(hed_array *y)
{
  hed_array *s = hed_sum(y, NULL);
  double v = 0, w = 0;
  bool pending = hed_array_is_pending(s), good = hed_item(s, &v) == HED_OK;
  for (int64_t k = 0; k < N; k++)
    w += want(k);
  hed_release(s);
  return pending && good && fabs(v - w) <= 1e-12 * w;
}
static bool read_data(hed_array *y)
{
  const double *p = hed_array_data(y);
  return p && p[77] == want(77);
}
static bool read_host(hed_array *y)
{
  static double p[N];
  return hed_to_host(y, p, sizeof p) == HED_OK && p[78] == want(78);
}
static bool read_wait(hed_array *y) { return hed_wait(y) == HED_OK; }
static bool read_eval(hed_array *y) { return hed_fuse_eval(y) == HED_OK; }
static bool read_view(hed_array *y)
{
  hed_array *v = hed_slice(y, 1, (hed_slice_range[]){ HED_RANGE(5, 10, 1) });
  bool good = v && !hed_array_is_pending(y) && at(v, 2) == want(7);
  hed_release(v);
  return good;
}
static bool read_other(hed_array *y)
{
  hed_array *v = hed_cumsum(y, NULL);
  bool good = v && !hed_array_is_pending(v) && at(v, 1) == want(0) + want(1);
  hed_release(v);
  return good;
}
static bool read_into(hed_array *y)
{
  hed_array *v = hed_empty_like(a);
  bool good = hed_add_into(v, y, y) == HED_OK && at(v, 9) == 2 * want(9);
  hed_release(v);
  return good;
}
static bool read_written(hed_array *y) { return hed_add_into(y, a, a) == HED_OK && at(y, 9) == 18; }
static bool read_dlpack(hed_array *y)
{
  hed_array *v = hed_read_only(y);
  bool good = v && at(v, 3) == want(3);
  hed_release(v);
  return good;
}

static void test_readers(void)
{
  static const struct { const char *name; reader read; } ways[] = {
    { "item", read_item }, { "data", read_data }, { "to_host", read_host }, { "wait", read_wait }, { "eval", read_eval },
    { "a view", read_view }, { "another operation", read_other }, { "as an operand of _into", read_into },
    { "as the result of _into", read_written }, { "a read-only view", read_dlpack },
  };
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
    HED_FUSED {
      hed_array *y = sum_of_products();
      bool pending = hed_array_is_pending(y);
      ok(pending && ways[k].read(y) && !hed_array_is_pending(y), "computed by: %s", ways[k].name);
      hed_release(y);
    }
}

/* What is read later has the values of the time of the call. */
static void test_writing(void)
{
  hed_array *x = ramp(0, 1), *y = NULL, *z = NULL, *w = NULL;
  HED_FUSED {
    y = hed_add_scalar(x, 1);
    ok(hed_fill(x, 5) == HED_OK && !hed_array_is_pending(y), "filling an operand computes first");
    z = hed_add_scalar(x, 1);
    ok(hed_negative_into(x, x) == HED_OK, "so does _into");
    w = hed_add_scalar(x, 1);
    double *p = hed_array_data(x);
    p[0] = 100;
  }
  ok(at(y, 3) == 4 && at(z, 3) == 6 && at(w, 0) == -4, "values are those of the time of the call");
  hed_array *const all[] = { x, y, z, w };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
}

static void test_memory(void)
{
  char spec[40];
  snprintf(spec, sizeof spec, ";memory=%d", (int)(1.5 * N * sizeof(double)));
  hed_array *y = NULL, *z = NULL;
  HED_BACKEND_CONTEXT(spec) {
    y = sum_of_products();
    ok(!y && hed_error() == HED_E_LIMIT, "one by one the limit is too low");
    hed_error_clear();
    HED_FUSED {
      y = sum_of_products();
      z = hed_negative(a);
      ok(y && z, "recorded");
      is_int(hed_fuse_eval(z), HED_E_LIMIT, "two results are too many");
      ok(hed_array_is_pending(y) && hed_array_is_pending(z), "both stay pending");
      hed_release(z);
      is_int(hed_fuse_eval(y), HED_OK, "without the second there is room");
      z = hed_negative(a);
    }
    ok(hed_error() == HED_E_LIMIT, "the end says what it could not compute");
    ok(at(y, 9) == want(9), "what there was room for is right");
    double v;
    hed_array *s = hed_sum(z, NULL);
    ok(!s && hed_error() == HED_E_LIMIT && hed_array_is_pending(z), "the other cannot be read: %s", hed_error_text());
    ok(hed_item(z, &v) == HED_E_LIMIT && !hed_negative(z) && !hed_array_data(z) && hed_wait(z) == HED_E_LIMIT, "by no way");
    hed_error_clear();
  }
  RELEASE(y, z);
}

static int leave_by_return(hed_array **y)
{
  HED_FUSED {
    *y = hed_negative(a);
    return 1;
  }
  return 0;
}

static void test_leaving(void)
{
  hed_array *y[6] = { NULL };
  is_int(leave_by_return(&y[0]), 1, "return");
  HED_FUSED {
    y[1] = hed_negative(a);
    break;
  }
  for (int k = 0; k < 2; k++)
    HED_FUSED {
      if (k == 1)
        continue;
      y[2] = hed_negative(a);
    }
  HED_FUSED {
    y[3] = hed_negative(a);
    goto out;
  }
out:
  HED_FUSED {
    HED_FUSED {
      y[4] = hed_negative(a);
    }
    ok(hed_array_is_pending(y[4]), "the end of an inner scope computes nothing");
    y[5] = hed_negative(y[4]);
  }
  for (int k = 0; k < 6; k++)
    ok(y[k] && !hed_array_is_pending(y[k]) && fabs(at(y[k], 9)) == 9, "left, way %d", k);
  hed_array *z = hed_negative(a);
  ok(!hed_array_is_pending(z), "nothing is recorded afterwards");
  hed_release(z);
  hed_fuse_scope s, t, u = { 99, false };
  ok(hed_fuse_begin(&s) == HED_OK && hed_fuse_begin(&t) == HED_OK, "two scopes");
  z = hed_negative(a);
  ok(hed_array_is_pending(z) && hed_fuse_end(&u) == HED_OK && hed_array_is_pending(z), "the end of no scope");
  ok(hed_fuse_end(&s) == HED_OK && !hed_array_is_pending(z) && hed_fuse_end(&t) == HED_OK && hed_fuse_end(&s) == HED_OK,
     "the end of the outer one ends both");
  hed_release(z);
  ok(hed_fuse_begin(NULL) == HED_E_INVAL && hed_fuse_end(NULL) == HED_OK && hed_fuse_eval(NULL) == HED_E_INVAL, "NULL");
  ok(!hed_array_is_pending(NULL), "NULL is not pending");
  hed_error_clear();
  for (int k = 0; k < 6; k++)
    hed_release(y[k]);
}

static void test_contexts(void)
{
  hed_array *y = NULL, *z = NULL, *w = NULL, *v = NULL;
  HED_FUSED {
    HED_BACKEND_CONTEXT(";threads=1") {
      y = hed_negative(a);
      HED_BACKEND_CONTEXT("reference") {
        z = hed_add(y, a);
        ok(!hed_array_is_pending(z), "a backend that does not fuse runs at once");
        is_str(hed_array_backend(z), "reference", "on itself");
      }
      w = hed_multiply_scalar(a, 2);
    }
    v = hed_add(w, y);
    ok(hed_array_is_pending(v) && hed_array_is_pending(w), "contexts that are gone are remembered");
  }
  ok(at(y, 8) == -8 && at(z, 8) == 0 && at(w, 8) == 16 && at(v, 8) == 8, "all right");
  hed_array *const all[] = { y, z, w, v };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
  is_int(hed_backend_fuses("cpu"), 1, "cpu fuses");
  is_int(hed_backend_fuses("reference"), 0, "reference does not");
  ok(hed_backend_fuses("no-such") < 0 && hed_backend_fuses(NULL) < 0, "others: %s", hed_error_text());
  hed_error_clear();
}

static void test_long(void)
{
  hed_array *x = hed_retain(a), *keep = NULL, *m = NULL;
  HED_FUSED {
    for (int k = 0; k < 100; k++) {
      hed_array *y = hed_add(x, b);
      hed_release(x);
      x = y;
      if (k == 50)
        keep = hed_retain(x);
    }
    m = hed_mean(x, NULL); /* and one pass after another: a result as operand */
    hed_array *d = hed_subtract(x, m);
    hed_release(x);
    x = d;
  }
  double mean = 0, v = NAN;
  for (int64_t k = 0; k < N; k++)
    mean += (double)k + 100 * (1 + 0.5 * (double)k);
  mean /= N;
  ok(hed_item(m, &v) == HED_OK && fabs(v - mean) < 1e-9 * mean, "a mean of a long chain");
  ok(fabs(at(x, 6) - (6 + 400 - mean)) < 1e-9 * mean && at(keep, 6) == 6 + 51 * 4, "used by what follows");
  RELEASE(x, keep, m);
}

/* What the graph is to read stays, whoever gives it back before, and its references are not the program's. */
static void test_scopes_of_arrays(void)
{
  enum { AT_END, EARLY, LATER, SHARED, WAYS };
  static const char *const way_name[WAYS] = { "at its scope's end", "early", "after its scope", "early, and a second reference" };
  for (int way = 0; way < WAYS; way++) {
    hed_array *y = NULL, *z = NULL, *x = NULL;
    HED_FUSED {
      HED_SCOPE {
        x = ramp(way, 1);
        y = hed_keep(hed_negative(x));
        if (way == SHARED)
          hed_retain(x);
        is_int(hed_array_refs(x), 1 + (way == SHARED), "an operand has the program's references");
        if (way == LATER)
          hed_keep(x);
        else if (way != AT_END)
          hed_release(x);
        if (way == SHARED)
          hed_release(x);
      }
      if (way == LATER)
        hed_release(x);
      z = hed_keep(ramp(7, 1)); /* where memory is free */
      ok(hed_array_is_pending(y), "nothing is computed");
    }
    ok(at(y, 9) == -9 - way && at(z, 9) == 16, "an operand released %s has its values", way_name[way]);
    RELEASE(y, z);
  }
}

static void test_threads_agree(void)
{
  hed_array *x = hed_random_normal(HED_SHAPE(1000003), HED_FLOAT32, NULL);
  double v[3];
  for (int k = 0; k < 3; k++) {
    char spec[20];
    snprintf(spec, sizeof spec, ";threads=%d", k + 1);
    HED_BACKEND_CONTEXT(spec) {
      HED_FUSED {
        hed_array *y = hed_exp(x), *s = hed_sum(y, NULL);
        hed_item(s, &v[k]);
        RELEASE(y, s);
      }
    }
  }
  ok(v[0] == v[1] && v[0] == v[2], "sums do not depend on the number of threads");
  hed_release(x);
}

/* ---- tracing ---- */

static void traced(void *arg, const hed_trace_event *e)
{
  int *seen = arg;
  if (e->fused)
    *seen = e->fused * 1000 + e->op;
}

static void test_trace(void)
{
  int seen = 0;
  hed_array *y = NULL;
  hed_trace(traced, &seen);
  HED_FUSED { y = sum_of_products(); }
  hed_trace(NULL, NULL);
  is_int(seen, 2000 + HED_OP_ADD, "a tracer is told of two operations that end with an addition");
  hed_release(y);
}

/* ---- threads ---- */

typedef struct shared { hed_array *x; bool good; } shared;

static void *use(void *arg)
{
  shared *s = arg;
  hed_array *y = hed_negative(s->x);
  s->good = y && at(y, 11) == -want(11) && at(s->x, 12) == want(12);
  RELEASE(y, s->x);
  return NULL;
}

static void *leave_open(void *arg)
{
  hed_fuse_scope s;
  hed_array **y = arg;
  if (hed_fuse_begin(&s) == HED_OK)
    *y = hed_negative(a);
  return NULL;
}

static void test_other_threads(void)
{
  enum { USERS = 4 };
  int rounds = scaled(200);
  bool good = true;
  for (int k = 0; k < rounds; k++) {
    pthread_t t[USERS];
    shared s[USERS];
    HED_FUSED {
      hed_array *y = sum_of_products(), *z = hed_negative(y);
      for (int i = 0; i < USERS; i++) {
        s[i] = (shared){ hed_retain(y), false };
        if (pthread_create(&t[i], NULL, use, &s[i]) != 0)
          bail("pthread_create");
      }
      if (k % 3 == 0)
        good &= at(z, 5) == -want(5);
      hed_array *w = hed_add(z, y);
      good &= k % 2 == 0 || at(w, 5) == 0;
      RELEASE(y, z, w);
    }
    for (int i = 0; i < USERS; i++) {
      pthread_join(t[i], NULL);
      good &= s[i].good;
    }
  }
  ok(good, "other threads use pending arrays, %d times", rounds);
  hed_array *y = NULL;
  pthread_t t;
  pthread_create(&t, NULL, leave_open, &y);
  pthread_join(t, NULL);
  ok(hed_array_is_pending(y) && hed_wait(y) == HED_E_EXITING, "its thread ended in the scope: %s", hed_error_text());
  hed_error_clear();
  hed_release(y);
}

int main(void)
{
  if (hed_backend_require("cpu") != HED_OK || hed_set_default_backend("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  a = ramp(0, 1);
  b = ramp(1, 0.5);
  c = hed_full(HED_SHAPE(N), 7, HED_FLOAT64);
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_stats_get(&before);
  HED_SCOPE {
    test_pending();
    test_readers();
    test_writing();
    test_memory();
    test_leaving();
    test_contexts();
    test_long();
    test_scopes_of_arrays();
    test_threads_agree();
    test_trace();
    test_other_threads();
  }
  hed_stats_get(&after);
  is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "no handle is left");
  RELEASE(a, b, c);
  return done();
}
