// SPDX-License-Identifier: BSD-3-Clause
/* Suite "dispatch", what a call costs whatever it computes.
 *
 * Layer: L5. Floors: a call through a function pointer; malloc and free of the bytes that an operation's result takes; for
 * push and pop of a context, two calls; for a process's first operation, a process that does all but that.
 */
#include "bench.h"
#include <math.h>

typedef struct own {
  hed_context *derived;
  char name[192];
  unsigned sink;
} own;

static hed_status get_backend(bench_work *w, int64_t n)
{
  own *o = w->own;
  for (int64_t i = 0; i < n; i++)
    o->sink += (unsigned char)*hed_get_backend();
  return HED_OK;
}

static hed_status push_pop_derived(bench_work *w, int64_t n)
{
  own *o = w->own;
  hed_status bad = HED_OK;
  for (int64_t i = 0; i < n; i++) {
    hed_frame f;
    bad |= hed_context_push(o->derived, &f);
    bad |= hed_context_pop(f);
  }
  return bad;
}

static hed_status push_pop_name(bench_work *w, int64_t n)
{
  own *o = w->own;
  hed_status bad = HED_OK;
  for (int64_t i = 0; i < n; i++) {
    bad |= hed_backend_context_push(o->name, NULL);
    bad |= hed_backend_context_pop();
  }
  return bad;
}

static hed_status scope(bench_work *w, int64_t n)
{
  (void)w;
  for (int64_t i = 0; i < n; i++)
    HED_SCOPE { hed_error_clear(); }
  return HED_OK;
}

static hed_status retain_release(bench_work *w, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    hed_release(hed_retain(w->a[0]));
  return HED_OK;
}

BENCH_STATUS(add_into, hed_add_into(w->a[2], w->a[0], w->a[1]))
BENCH_NEW(add, hed_add(w->a[0], w->a[1]))
BENCH_NEW(exp_new, hed_exp(w->a[0]))
BENCH_NEW(less, hed_less(w->a[0], w->a[1]))
BENCH_NEW(where, hed_where(w->a[3], w->a[0], w->a[1]))
BENCH_NEW(add_bcast, hed_add(w->a[0], w->a[4]))
BENCH_NEW(sum, hed_sum(w->a[0], NULL))
BENCH_NEW(max, hed_max(w->a[0], NULL))
BENCH_NEW(matmul, hed_matmul(w->a[5], w->a[5]))
BENCH_NEW(slice, hed_slice(w->a[0], 1, &HED_RANGE(1, 5, 1)))
BENCH_NEW(reshape, hed_reshape(w->a[0], HED_SHAPE(2, 4)))
BENCH_NEW(view, hed_transpose(w->a[0], NULL))
BENCH_NEW(empty, hed_empty(HED_SHAPE(8), HED_FLOAT32))

/* ---- what a call costs from the host and back, and in a process that has done none yet ---- */

static const float ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };

/* To the device and, by way of ADD, back. */
static hed_status exchange(int64_t n, bool add)
{
  hed_status status = HED_OK;
  float v[8];
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_array *x = hed_from_host(ones, HED_SHAPE(8), HED_FLOAT32), *y = add ? hed_add(x, x) : hed_retain(x);
    status = hed_to_host(y, v, sizeof v);
    hed_release(x);
    hed_release(y);
  }
  return status;
}

static hed_status send(bench_work *w, int64_t n)
{
  (void)w;
  return exchange(n, false);
}

static hed_status round_trip(bench_work *w, int64_t n)
{
  (void)w;
  return exchange(n, true);
}

/* Other processes, in each of which ID runs once. */
static hed_status in_processes(const bench *b, const char *id, int64_t n)
{
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    bench_child *c;
    status = bench_child_open(b, "HEDDLE_LOG", "off", id, &c);
    if (status == HED_OK)
      status = bench_child_run(c, 1);
    bench_child_close(c);
  }
  return status;
}

static const bench *of_processes; /* whose backend others are to use */

static hed_status first_call(bench_work *w, int64_t n)
{
  (void)w;
  return in_processes(of_processes, "dispatch/round_trip/t1", n);
}

/* ---- floors ---- */

/* The same without the operation: the program and the driver begin, an array goes there and back. */
static void begin_run(void *state, int64_t n)
{
  (void)state;
  (void)in_processes(of_processes, "dispatch/send/t1", n);
}

static unsigned nothing(unsigned x)
{
  return x;
}

static void call_run(void *state, int64_t n)
{
  unsigned (*volatile fn)(unsigned) = nothing;
  unsigned sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += fn((unsigned)i);
  *(volatile unsigned *)state = sum;
}

static void malloc_run(void *state, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    void *volatile p = malloc(64);
    free(p);
  }
  (void)state;
}

static void atomic_run(void *state, int64_t n)
{
  int *count = state;
  for (int64_t i = 0; i < n; i++) {
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL);
  }
}

typedef struct test {
  const char *name;
  bench_fn run;
  const char *kind;
  void (*floor)(void *state, int64_t n);
  bool arrays;
} test;

static const test tests[] = {
  { "get_backend", get_backend, "call", call_run, false },
  { "push_pop_derived", push_pop_derived, "call", call_run, false },
  { "push_pop_name", push_pop_name, "call", call_run, false },
  { "scope", scope, "call", call_run, false },
  { "retain_release", retain_release, "atomic", atomic_run, true },
  { "view", view, "malloc", malloc_run, true },
  { "empty", empty, "malloc", malloc_run, true },
  { "add_into", add_into, "call", call_run, true },
  { "add", add, "malloc", malloc_run, true },
  { "exp", exp_new, "malloc", malloc_run, true },
  { "less", less, "malloc", malloc_run, true },
  { "where", where, "malloc", malloc_run, true },
  { "add_bcast", add_bcast, "malloc", malloc_run, true },
  { "sum", sum, "malloc", malloc_run, true },
  { "max", max, "malloc", malloc_run, true },
  { "matmul", matmul, "malloc", malloc_run, true },
  { "slice", slice, "malloc", malloc_run, true },
  { "reshape", reshape, "malloc", malloc_run, true },
  { "send", send, NULL, NULL, false },
  { "round_trip", round_trip, NULL, NULL, false },
  { "first_call", first_call, "process", begin_run, false },
};

static void drop(bench_work *w)
{
  own *o = w->own;
  hed_context_release(o->derived);
  free(o);
}

static hed_status prepare(bench_work *w)
{
  static unsigned state;
  const test *t = w->spec->what;
  own *o = calloc(1, sizeof *o);
  if (!o)
    return hed_fail(HED_E_NOMEM, "no memory");
  w->own = o;
  w->drop = drop;
  snprintf(o->name, sizeof o->name, "%s", hed_get_backend());
  hed_status status = hed_context_derive(NULL, ";threads=1", &o->derived);
  if (status == HED_OK && t->arrays) {
    const int64_t n = w->spec->dim[0];
    for (int i = 0; i < 3; i++)
      w->a[i] = hed_ones(HED_SHAPE(n), HED_FLOAT32);
    w->a[3] = hed_ones(HED_SHAPE(n), HED_BOOL);
    w->a[4] = hed_ones(HED_SHAPE(1), HED_FLOAT32);
    w->a[5] = hed_ones(HED_SHAPE(n, n), HED_FLOAT32);
    status = bench_have(w, 6);
    bench_say_shape(w, w->a[0]);
  }
  w->run = t->run;
  w->floor = (bench_floor){ t->kind, t->floor, &state, NULL, NAN, 0, false };
  return status;
}

void bench_list_dispatch(bench *b)
{
  of_processes = b;
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    bench_spec s = { .suite = "dispatch", .name = tests[i].name, .what = &tests[i], .prepare = prepare, .dim = { 8 } };
    if (tests[i].arrays) {
      s.dtype = HED_FLOAT32;
      snprintf(s.size, sizeof s.size, "8");
    }
    bench_add(b, &s, true);
  }
}
