// SPDX-License-Identifier: BSD-3-Clause
/*
 * cmd_bench.c: `heddle bench`: what a call costs, and rotations per second.
 *
 * Layer: L5. A row has the members suite, case, backend, dtype, shape, threads, ns_median, ns_min, ns_q1, ns_q3, bytes,
 * flops, floor_ns. Samples of a short case are means over batches that last about a millisecond.
 */
#include "emit.h"
#include "tool.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEY_JSON = 256, KEY_WORKERS, KEY_SCORE, KEY_ROTATIONS, MOST_ROWS = 32, SAMPLES = 31 };

typedef struct row {
  char suite[16], name[40], backend[64], dtype[16], shape[32];
  int threads;
  double median, least, q1, q3; /* ns per call */
  double bytes, flops, floor;   /* per call; NaN: not known */
} row;

typedef struct request {
  const char *suite, *workers, *score;
  long long rotations;
  bool json;
  int n;
  row rows[MOST_ROWS];
} request;

static const struct argp_option options[] = {
  { "json", KEY_JSON, NULL, 0, "Rows as JSON (heddle.bench/1)", 0 },
  { "workers", KEY_WORKERS, "LIST", 0, "match: contexts to measure, each alone, separated by commas (\"cpu;threads=1\")", 0 },
  { "score", KEY_SCORE, "NAME", 0, "match: score (FLCSphericalMask)", 0 },
  { "rotations", KEY_ROTATIONS, "N", 0, "match: rotations to time, after as many to warm up (100)", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_JSON: r->json = true; return 0;
  case KEY_WORKERS: r->workers = arg; return 0;
  case KEY_SCORE: r->score = arg; return 0;
  case KEY_ROTATIONS: r->rotations = tool_integer(state, "--rotations", arg, 1, 100000); return 0;
  case ARGP_KEY_ARG:
    if (r->suite || (strcmp(arg, "dispatch") != 0 && strcmp(arg, "match") != 0))
      argp_error(state, "'%s': 'dispatch' or 'match' is expected", arg);
    r->suite = arg;
    return 0;
  case ARGP_KEY_END:
    if (!r->suite)
      argp_error(state, "'dispatch' or 'match' is expected");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

static row *new_row(request *r, const char *suite, const char *name)
{
  if (r->n == MOST_ROWS)
    return NULL;
  row *w = &r->rows[r->n++];
  *w = (row){ .threads = 1, .bytes = NAN, .flops = NAN, .floor = NAN };
  snprintf(w->suite, sizeof w->suite, "%s", suite);
  snprintf(w->name, sizeof w->name, "%s", name);
  snprintf(w->backend, sizeof w->backend, "%s", hed_get_backend());
  return w;
}

/* ---- dispatch ---- */

typedef struct call {
  hed_context *derived;
  hed_array *a, *b, *out;
  char name[64];
  hed_status status; /* of the first call that failed */
  unsigned sink;
} call;

static void keep(call *c, hed_status status)
{
  if (status != HED_OK && c->status == HED_OK)
    c->status = status;
}

static void get_backend(call *c, long n)
{
  for (long i = 0; i < n; i++)
    c->sink += (unsigned char)*hed_get_backend();
}

static void push_pop_derived(call *c, long n)
{
  hed_status bad = HED_OK;
  for (long i = 0; i < n; i++) {
    hed_frame f;
    bad |= hed_context_push(c->derived, &f);
    bad |= hed_context_pop(f);
  }
  keep(c, bad);
}

static void push_pop_name(call *c, long n)
{
  hed_status bad = HED_OK;
  for (long i = 0; i < n; i++) {
    bad |= hed_backend_context_push(c->name, NULL);
    bad |= hed_backend_context_pop();
  }
  keep(c, bad);
}

static void add_into(call *c, long n)
{
  hed_status bad = HED_OK;
  for (long i = 0; i < n; i++)
    bad |= hed_add_into(c->out, c->a, c->b);
  keep(c, bad);
}

static void add_new(call *c, long n)
{
  for (long i = 0; i < n; i++) {
    hed_array *x = hed_add(c->a, c->b);
    if (!x)
      keep(c, hed_error());
    hed_release(x);
  }
}

/* Batches of about a millisecond; quartiles of SAMPLES of them. */
static void measure(row *w, call *c, void (*fn)(call *c, long n))
{
  double sample[SAMPLES];
  long n = 64;
  for (;; n *= 2) {
    double start = now_ns();
    fn(c, n);
    if (now_ns() - start > 1e6 || n > 1L << 28)
      break;
  }
  for (int i = 0; i < SAMPLES; i++) {
    double start = now_ns();
    fn(c, n);
    sample[i] = (now_ns() - start) / (double)n;
  }
  qsort(sample, SAMPLES, sizeof *sample, ascending);
  w->least = sample[0];
  w->q1 = sample[SAMPLES / 4];
  w->median = sample[SAMPLES / 2];
  w->q3 = sample[SAMPLES - 1 - SAMPLES / 4];
}

static hed_status bench_dispatch(request *r)
{
  static const struct { const char *name; void (*fn)(call *c, long n); double goal; const char *dtype, *shape; } cases[] = {
    { "get_backend", get_backend, 4, "", "" },
    { "push_pop_derived", push_pop_derived, 25, "", "" },
    { "push_pop_name", push_pop_name, 120, "", "" },
    { "add_into", add_into, 60, "float32", "8" },
    { "add", add_new, NAN, "float32", "8" },
  };
  const float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  call c = { 0 };
  snprintf(c.name, sizeof c.name, "%s", hed_get_backend());
  hed_status status = hed_context_derive(NULL, ";threads=1", &c.derived);
  c.a = hed_from_host(values, HED_SHAPE(8), HED_FLOAT32);
  c.b = hed_from_host(values, HED_SHAPE(8), HED_FLOAT32);
  c.out = hed_empty(HED_SHAPE(8), HED_FLOAT32);
  if (status == HED_OK && (!c.a || !c.b || !c.out))
    status = hed_error();
  for (size_t i = 0; status == HED_OK && i < sizeof cases / sizeof cases[0]; i++) {
    row *w = new_row(r, "dispatch", cases[i].name);
    snprintf(w->dtype, sizeof w->dtype, "%s", cases[i].dtype);
    snprintf(w->shape, sizeof w->shape, "%s", cases[i].shape);
    w->floor = cases[i].goal;
    if (*cases[i].shape) {
      w->bytes = 96;
      w->flops = 8;
    }
    measure(w, &c, cases[i].fn);
    status = c.status;
  }
  hed_context_release(c.derived);
  hed_release(c.a);
  hed_release(c.b);
  hed_release(c.out);
  return status;
}

/* ---- match: 128^3 target, 32^3 template ---- */

/* One worker alone. A run of N rotations is timed against one of the same that warmed up plans and memory. */
static hed_status bench_worker(request *r, const char *spec, const hed_array *target, const hed_array *tmpl,
                               const double *matrices, size_t n)
{
  const hed_match_options opt = { .score = r->score, .workers = spec, .threshold = 0, .cancel = &tool_interrupted };
  hed_match_result out = { 0 };
  double sample[3];
  hed_status status = hed_match_run(&opt, target, tmpl, NULL, n, matrices, &out);
  for (int i = 0; status == HED_OK && i < 3; i++) {
    hed_match_result_clear(&out);
    if ((status = hed_match_run(&opt, target, tmpl, NULL, n, matrices, &out)) == HED_OK)
      sample[i] = 1e9 * out.seconds / (double)n;
  }
  if (status != HED_OK)
    return status;
  row *w = new_row(r, "match", r->score);
  if (w) {
    qsort(sample, 3, sizeof *sample, ascending);
    snprintf(w->backend, sizeof w->backend, "%s", out.worker[0].backend);
    snprintf(w->dtype, sizeof w->dtype, "float32");
    snprintf(w->shape, sizeof w->shape, "128x128x128,32x32x32");
    w->threads = out.worker[0].threads;
    w->least = w->q1 = sample[0];
    w->median = sample[1];
    w->q3 = sample[2];
    /* Real transforms there and back, 2.5 N log2 N operations each. */
    double cells = 128.0 * 128 * 128;
    w->flops = 2 * 2.5 * cells * log2(cells);
    w->floor = strcasecmp(r->score, "FLC") == 0 ? 2e7 : strcasecmp(r->score, "FLCSphericalMask") == 0 ? 1e9 / 120 : NAN;
  }
  hed_match_result_clear(&out);
  return HED_OK;
}

static hed_status bench_match(request *r)
{
  const hed_random noise = { .seed = 1, .seeded = true };
  const hed_shape box = HED_SHAPE(32, 32, 32);
  hed_model m = { 0 };
  hed_map map = { 0 };
  double *matrices = NULL;
  size_t n = 0;
  hed_array *target = hed_random_normal(HED_SHAPE(128, 128, 128), HED_FLOAT32, &noise);
  char *list = strdup(r->workers ? r->workers : "cpu;threads=1");
  hed_status status = target && list ? hed_model_example(&m) : !target ? hed_error()
                      : hed_fail(HED_E_NOMEM, "no memory");
  if (status == HED_OK)
    status = hed_model_to_map(&m, 5, 20, &box, &map);
  if (status == HED_OK)
    status = hed_rotations_sample(3, 20, &matrices, &n);
  if (status == HED_OK && (size_t)r->rotations < n)
    n = (size_t)r->rotations;
  char *rest = NULL;
  for (char *s = list ? strtok_r(list, ",", &rest) : NULL; s && status == HED_OK; s = strtok_r(NULL, ",", &rest))
    status = bench_worker(r, s, target, map.data, matrices, n);
  hed_release(target);
  hed_model_clear(&m);
  hed_map_clear(&map);
  free(matrices);
  free(list);
  return status;
}

/* ---- out ---- */

static int print_json(const request *r)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.bench/1");
  emit_string(&e, "version", hed_version());
  emit_array(&e, "rows");
  for (int i = 0; i < r->n; i++) {
    const row *w = &r->rows[i];
    emit_object(&e, NULL);
    emit_string(&e, "suite", w->suite);
    emit_string(&e, "case", w->name);
    emit_string(&e, "backend", w->backend);
    emit_string(&e, "dtype", *w->dtype ? w->dtype : NULL);
    emit_string(&e, "shape", *w->shape ? w->shape : NULL);
    emit_int(&e, "threads", w->threads);
    emit_number(&e, "ns_median", w->median);
    emit_number(&e, "ns_min", w->least);
    emit_number(&e, "ns_q1", w->q1);
    emit_number(&e, "ns_q3", w->q3);
    emit_number(&e, "bytes", w->bytes);
    emit_number(&e, "flops", w->flops);
    emit_number(&e, "floor_ns", w->floor);
    emit_object_end(&e);
  }
  emit_array_end(&e);
  emit_object_end(&e);
  return emit_close(&e, stdout) ? 0 : tool_fail(STATUS_MEMORY, "cannot write the rows");
}

static void print_text(const request *r)
{
  printf("%-10s %-18s %-12s %7s %14s %14s %14s\n", "suite", "case", "backend", "threads", "median ns", "least ns",
         "per second");
  for (int i = 0; i < r->n; i++) {
    const row *w = &r->rows[i];
    printf("%-10s %-18s %-12s %7d %14.1f %14.1f %14.1f\n", w->suite, w->name, w->backend, w->threads, w->median,
           w->least, 1e9 / w->median);
  }
}

int cmd_bench(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "dispatch|match",
    .doc = "Measure.\v"
           "dispatch: nanoseconds of get_backend, push and pop, and adding 8 numbers; floor_ns is the goal.\n"
           "match: a 32^3 template in a 128^3 target, time of one rotation."
  };
  request r = { .score = "FLCSphericalMask", .rotations = 100 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  tool_catch_signals();
  hed_status status = strcmp(r.suite, "match") == 0 ? bench_match(&r) : bench_dispatch(&r);
  if (status == HED_E_CANCELLED)
    return tool_fail(STATUS_INTERRUPTED, "interrupted");
  if (status != HED_OK)
    return tool_fail_status(status);
  if (r.json)
    return print_json(&r);
  print_text(&r);
  return 0;
}
