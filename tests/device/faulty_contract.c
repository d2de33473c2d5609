// SPDX-License-Identifier: BSD-3-Clause
/* The faulty test device by itself, without the library: it keeps the asynchronous contract of <heddle/backend.h>, and it
 * notices a host that does not. Each promise is also broken once. L5. */
#include "mock_host.h"
#include "tap.h"

#include <dlfcn.h>
#include <errno.h>
#include <heddle/op_names.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 64 };

static const hed_plugin *p;
static void *device[2];
static int (*control)(const char *);
static int64_t (*query)(const char *);
static const char *(*violation)(void);
static void *(*foreign_stream)(int);
static int (*launch)(void *, void (*)(void *), void *);
static void *(*pointer)(const void *);

static void symbol(void *module, const char *name, void *fn)
{
  void *s = dlsym(module, name);
  if (!s)
    bail("%s: %s", name, dlerror());
  memcpy(fn, &s, sizeof s);
}

/* ---- calls ---- */

static hed_view vector(void *data, int32_t dtype, int64_t n)
{
  return (hed_view){ .data = data, .dtype = dtype, .ndim = 1, .dim = { n }, .stride = { dtype == HED_ID_INT64 ? 8 : 4 } };
}

static void *block(void *d)
{
  void *x = NULL;
  if (p->alloc(d, N * sizeof(float), &x) != HED_OK)
    bail("alloc: %s", mock_text());
  return x;
}

typedef struct submission {
  const char *op;
  const void *in[3];
  void *out;
  const void *params;
  const uint64_t *wait_for, *after;
  int32_t n_wait_for, n_after;
  uint32_t host_in;
} submission;

static int32_t run_on(void *d, submission s, uint64_t *ticket)
{
  hed_view in[3], out = vector(s.out, HED_ID_FLOAT32, N);
  const hed_view *ins[3], *outs = &out;
  const hed_op_entry *e = p->ops;
  int32_t n = 0, op = 0;
  while (e->name && strcmp(e->name, s.op) != 0)
    e++;
  while (strcmp(hed_op_names[op], s.op) != 0)
    op++;
  for (; n < 3 && s.in[n]; n++) {
    in[n] = vector((void *)(uintptr_t)s.in[n], HED_ID_FLOAT32, N);
    if (s.host_in >> n & 1)
      in[n].stride[0] = 0;
    ins[n] = &in[n];
  }
  *ticket = 0;
  return e->fn(d, &(hed_call){ .struct_size = sizeof(hed_call), .op = op, .n_in = n, .n_out = 1, .in = ins, .out = &outs,
    .params = s.params, .compute = HED_ID_FLOAT32, .max_threads = 1, .ticket = ticket, .wait_for = s.wait_for,
    .n_wait_for = s.n_wait_for, .after = s.after, .n_after = s.n_after, .host_in = s.host_in });
}

static uint64_t submit(submission s)
{
  uint64_t ticket;
  if (run_on(device[0], s, &ticket) != HED_OK || !ticket)
    fail("%s was not taken: %s", s.op, mock_text());
  return ticket;
}

static uint64_t fill(void *x, double value, const uint64_t *after, int32_t n)
{
  return submit((submission){ .op = "fill", .out = x, .params = &(hed_fill_params){ .re = value }, .after = after, .n_after = n });
}

static void in_stream(int32_t n)
{
  if (p->stream_select(device[0], n) != HED_OK)
    fail("stream_select: %s", mock_text());
}

static int32_t failed_op;
static char failure[256];

static int32_t wait_for(void *d, uint64_t ticket)
{
  failed_op = -1;
  failure[0] = 0;
  return p->wait(d, ticket, &failed_op, failure, sizeof failure);
}

/* The elements of X, all of them equal, or NaN. */
static float value(void *d, void *x)
{
  float v[N];
  hed_view from = vector(x, HED_ID_FLOAT32, N), to = vector(v, HED_ID_FLOAT32, N);
  if (p->copy_out(d, &to, &from, NULL, 0) != HED_OK)
    return NAN;
  for (int k = 1; k < N; k++)
    if (v[k] != v[0])
      return NAN;
  return v[0];
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Runs what leaves something out, and tells whether the checker saw it, at the one job or at the other. */
#define CAUGHT(what, ...)                                          \
  do {                                                             \
    int64_t before_ = query("violations");                         \
    __VA_ARGS__;                                                   \
    ok(query("violations") > before_, "noticed: %s", what);         \
  } while (0)

/* ---- streams ---- */

static pthread_barrier_t both;

/* Two live threads at once, so that each has a slot of its own. */
static void *number_of_mine(void *out)
{
  *(int32_t *)out = p->stream(device[0]);
  if (p->stream(device[0]) != *(int32_t *)out)
    *(int32_t *)out = -1;
  pthread_barrier_wait(&both);
  return NULL;
}

enum { JOBS = 40 };

static void *many(void *x)
{
  uint64_t ticket = 0;
  for (int k = 0; k < JOBS; k++)
    ticket = fill(x, k, NULL, 0);
  (void)wait_for(device[0], ticket);
  return NULL;
}

static void test_streams(void)
{
  pthread_t t[2];
  int32_t number[2];
  double alone, together, best = 0;
  void *x[2] = { block(device[0]), block(device[0]) };
  pthread_barrier_init(&both, NULL, 2);
  for (int k = 0; k < 2; k++)
    pthread_create(&t[k], NULL, number_of_mine, &number[k]);
  for (int k = 0; k < 2; k++)
    pthread_join(t[k], NULL);
  is_int(number[0] + number[1], 1, "two threads have streams 0 and 1, each always the same");

  control("delay_us=1000");
  for (int tries = 0; tries < 10 && best < 1.9; tries++) { /* others have the processors too */
    double start = now();
    many(x[0]);
    many(x[1]);
    alone = now() - start;
    start = now();
    for (int k = 0; k < 2; k++)
      pthread_create(&t[k], NULL, many, x[k]);
    for (int k = 0; k < 2; k++)
      pthread_join(t[k], NULL);
    together = now() - start;
    best = alone / together > best ? alone / together : best;
  }
  ok(best >= 1.9, "jobs of two streams take the time of one: %.2f", best);
  is_int(query("overlap"), 2, "two ran at one time");
  control("delay_us=0");
  p->free(device[0], x[0]);
  p->free(device[0], x[1]);
}

/* A chain over both streams, and every one of its edges left out. */
static void test_order(void)
{
  void *x = block(device[0]), *y = block(device[0]);
  uint64_t a, b, c;
  control("delay_us=20000");
  in_stream(0);
  a = fill(x, 3, NULL, 0);
  is_int((int64_t)(a >> 48), 0, "a ticket has its stream's number");
  in_stream(1);
  b = submit((submission){ .op = "negative", .in = { x }, .out = y, .wait_for = &a, .n_wait_for = 1 });
  is_int((int64_t)(b >> 48), 1, "the other stream");
  is_int(p->done(device[0], b), 0, "not done yet");
  in_stream(0);
  c = fill(x, 9, &b, 1);
  is_int(wait_for(device[0], c), HED_OK, "a writer after the reader");
  is_int(p->done(device[0], a), 1, "done");
  is_near(value(device[0], y), -3, 0, 0, "the reader saw what was written before it");
  is_near(value(device[0], x), 9, 0, 0, "the writer came last");
  is_int(query("violations"), 0, "all in program order");

  in_stream(0);
  a = fill(x, 4, NULL, 0);
  in_stream(1);
  CAUGHT("a reader that does not wait for the writer", {
    control("delay_us=0");
    b = submit((submission){ .op = "negative", .in = { x }, .out = y });
    is_int(wait_for(device[0], b), HED_E_INTERNAL, "it fails");
    has_str(failure, "negative: argument 0", "and says which operand");
    (void)wait_for(device[0], a);
    control("delay_us=20000");
  });
  has_str(violation(), "negative", "the first one is kept");

  in_stream(0);
  b = submit((submission){ .op = "negative", .in = { x }, .out = y });
  in_stream(1);
  control("delay_us=0");
  CAUGHT("a writer that does not wait for the reader", c = fill(x, 5, NULL, 0); (void)wait_for(device[0], c));
  (void)wait_for(device[0], b);
  control("delay_us=20000");
  in_stream(0);
  a = fill(x, 6, NULL, 0);
  CAUGHT("copy_out before the writer is done", (void)value(device[0], x));
  (void)wait_for(device[0], a);
  a = fill(x, 6, NULL, 0);
  CAUGHT("free while a job uses the block", p->free(device[0], x));
  (void)wait_for(device[0], a);
  control("delay_us=0");
  p->free(device[0], y);

  float f[N] = { 0 };
  hed_view host = vector(f, HED_ID_FLOAT32, N), gone = vector(x, HED_ID_FLOAT32, N);
  is_int(p->copy_out(device[0], &host, &gone, NULL, 0), HED_E_INTERNAL, "a block that was given back cannot be read");
  is_int(run_on(device[0], (submission){ .op = "negative", .in = { x }, .out = x }, &a), HED_E_INTERNAL, "nor computed with");
  int fd[2];
  if (pipe(fd) != 0)
    bail("pipe");
  x = block(device[0]);
  ok(write(fd[1], x, 1) == -1 && errno == EFAULT, "an address of the device cannot be followed");
  close(fd[0]);
  close(fd[1]);
  p->free(device[0], x);
}

/* The order of two independent streams is not always the same; it is for one seed. */
static void test_jitter(void)
{
  void *x[2] = { block(device[0]), block(device[0]) };
  int first[2] = { 0, 0 };
  control("jitter_us=2000");
  for (int k = 0; k < 40 && (!first[0] || !first[1]); k++) {
    uint64_t t[2];
    for (int s = 0; s < 2; s++) {
      in_stream(s);
      t[s] = fill(x[s], k, NULL, 0);
    }
    while (!p->done(device[0], t[0]) && !p->done(device[0], t[1]))
      ;
    first[p->done(device[0], t[1]) && !p->done(device[0], t[0])]++;
    (void)wait_for(device[0], t[0]);
    (void)wait_for(device[0], t[1]);
  }
  control("jitter_us=0");
  ok(first[0] && first[1], "either stream may be the first");
  p->free(device[0], x[0]);
  p->free(device[0], x[1]);
}

/* A failure is known until each result of it is forgotten, and to what was submitted before that. */
static void test_forgotten(void)
{
  void *x = block(device[0]), *y = block(device[0]);
  const int64_t fates = query("fates");
  control("hold=1;fail=1");
  uint64_t a = fill(x, 1, NULL, 0);
  uint64_t b = submit((submission){ .op = "negative", .in = { x }, .out = y, .wait_for = &a, .n_wait_for = 1 });
  p->forget(device[0], a);
  control("hold=0");
  is_int(wait_for(device[0], b), HED_E_ASYNC, "forgotten before it failed, and listed before that: %s", failure);
  is_int(wait_for(device[0], a), HED_OK, "nobody may ask any more");
  is_int(query("fates") - fates, 1, "one failure is kept");
  is_int(wait_for(device[0], b), HED_E_ASYNC, "it can be asked for again");
  p->forget(device[0], b);
  is_int(query("fates") - fates, 0, "none is");
  p->forget(device[0], b);
  p->free(device[0], x);
  p->free(device[0], y);
}

static void test_failures(void)
{
  void *x = block(device[0]), *y = block(device[0]);
  uint64_t a, b, c;
  in_stream(0);
  (void)wait_for(device[0], fill(x, 1, NULL, 0));
  control("delay_us=2000;fail=1");
  a = submit((submission){ .op = "exp", .in = { x }, .out = y });
  in_stream(1);
  b = submit((submission){ .op = "negative", .in = { y }, .out = y, .wait_for = &a, .n_wait_for = 1 });
  c = fill(y, 7, &b, 1);
  is_int(wait_for(device[0], b), HED_E_ASYNC, "who waits for a failure fails");
  is_str(failed_op >= 0 ? hed_op_names[failed_op] : "", "exp", "with the operation that failed first");
  has_str(failure, "on request", "and its text");
  is_int(wait_for(device[0], c), HED_OK, "who only comes after it does not");
  is_near(value(device[0], y), 7, 0, 0, "and has run");
  control("delay_us=0");

  static const char *const kinds[] = { "oom", "fail_copy_in", "fail_copy_in_async", "fail_copy_out", "fail_submit",
                                       "fail_wait", "fail_done", "fail_stream", "fail_fuse", "fail_copy_peer" };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int any = 0; any < 2; any++) {
      char command[64];
      float f[N] = { 0 };
      void *z = NULL;
      uint64_t t = 0, u = 0;
      hed_view host = vector(f, HED_ID_FLOAT32, N), dev = vector(x, HED_ID_FLOAT32, N), other = vector(y, HED_ID_FLOAT32, N);
      const hed_view *in = &dev, *out = &other;
      const hed_fused_step step = { .op = HED_OP_NEGATIVE, .compute = HED_ID_FLOAT32, .dtype = HED_ID_FLOAT32, .n_in = 1 };
      const hed_fused_call fused = { .struct_size = sizeof fused, .n_in = 1, .n_out = 1, .n_steps = 1, .in = &in, .out = &out,
                                     .step = &step, .ndim = 1, .dim = dev.dim, .ticket = &t };
      uint64_t last = fill(x, 1, NULL, 0);
      (void)wait_for(device[0], last);
      snprintf(command, sizeof command, "%s=2", any ? "fail_any" : kinds[k]);
      control(command);
      int results[2];
      for (int n = 0; n < 2; n++) {
        switch (k) {
        case 0: results[n] = p->alloc(device[0], 256, &z) == HED_OK; break;
        case 1: results[n] = p->copy_in(device[0], &dev, &host, NULL, 0) == HED_OK; break;
        case 2: results[n] = p->copy_in_async(device[0], &dev, &host, NULL, 0, NULL, 0, &t) == HED_OK; break;
        case 3: results[n] = p->copy_out(device[0], &host, &dev, NULL, 0) == HED_OK; break;
        case 4: results[n] = run_on(device[0], (submission){ .op = "negative", .in = { x }, .out = y }, &t) == HED_OK; break;
        case 5: results[n] = wait_for(device[0], last) == HED_OK; break;
        case 6: results[n] = p->done(device[0], last); break;
        case 7: results[n] = p->stream(device[0]) >= 0; break;
        case 8: results[n] = p->fuse(device[0], &fused) == HED_OK; break;
        default: results[n] = p->copy_peer(device[0], &other, device[0], &dev, NULL, 0, NULL, 0, NULL, 0, &t, &u) == HED_OK; break;
        }
      }
      ok(results[0] && !results[1], "%s: the second %s fails", command, kinds[k]);
      (void)wait_for(device[0], t);
      (void)wait_for(device[0], u);
      p->free(device[0], z);
    }
  control("refuse=1");
  is_int(run_on(device[0], (submission){ .op = "negative", .in = { x }, .out = y }, &a), HED_E_UNSUPPORTED, "a call refused");
  p->free(device[0], x);
  p->free(device[0], y);
}

/* ---- copies, scalars, passes, indices ---- */

static void test_copies(void)
{
  void *x = block(device[0]), *y = block(device[0]), *far = block(device[1]);
  float f[N], g[N];
  uint64_t a, b, src, c;
  hed_view host = vector(f, HED_ID_FLOAT32, N), dx = vector(x, HED_ID_FLOAT32, N), df = vector(far, HED_ID_FLOAT32, N);
  int64_t in = query("bytes_in"), out = query("bytes_out"), of_1 = query("bytes_in:1");
  for (int k = 0; k < N; k++)
    f[k] = 5;
  in_stream(0);
  control("delay_us=5000");
  is_int(p->copy_in_async(device[0], &dx, &host, NULL, 0, NULL, 0, &a), HED_OK, "copy_in_async");
  is_int(p->done(device[0], a), 0, "returns before the device has the data");
  for (int k = 0; k < N; k++)
    f[k] = 6; /* the source has been read */
  in_stream(1);
  b = submit((submission){ .op = "negative", .in = { x }, .out = y, .wait_for = &a, .n_wait_for = 1 });
  is_int(p->copy_in_async(device[0], &dx, &host, NULL, 0, &b, 1, &c), HED_OK, "another one over it, after its reader");
  is_int(wait_for(device[0], b), HED_OK, "the reader is done");
  is_near(value(device[0], y), -5, 0, 0, "and had the first one's data");
  is_int(p->copy_peer(device[1], &df, device[0], &dx, NULL, 0, NULL, 0, &c, 1, &a, &src), HED_OK, "copy_peer");
  c = fill(x, 8, &src, 1);
  is_int(wait_for(device[1], a), HED_OK, "is done");
  is_near(value(device[1], far), 6, 0, 0, "with what was there before the later writer");
  is_int(wait_for(device[0], c), HED_OK, "which waited");
  is_int(query("violations"), 0, "in program order");
  is_int(query("bytes_in") - in, 2 * (int64_t)sizeof f, "bytes copied in are counted");
  is_int(query("bytes_out") - out, 2 * (int64_t)sizeof f, "and out");
  is_int(query("bytes_in:1") - of_1, 0, "by device");

  control("delay_us=0");
  hed_view back = vector(g, HED_ID_FLOAT32, N / 2), odd = dx;
  back.dim[0] = odd.dim[0] = N / 2;
  odd.data = (char *)x + (N - 1) * sizeof(float);
  odd.stride[0] = -2 * (int64_t)sizeof(float);
  host.dim[0] = N / 2;
  for (int k = 0; k < N; k++)
    f[k] = (float)k;
  is_int(p->copy_in(device[0], &odd, &host, NULL, 0), HED_OK, "every second element from the end");
  is_int(p->copy_out(device[0], &back, &odd, NULL, 0), HED_OK, "and back");
  is_mem(g, f, N / 2 * sizeof(float), "they are the same");
  p->free(device[0], x);
  p->free(device[0], y);
  p->free(device[1], far);
}

static void test_scalars_and_passes(void)
{
  void *x = block(device[0]), *y = block(device[0]), *z = block(device[0]), *wide = NULL;
  float two = 2;
  uint64_t t, u;
  in_stream(0);
  t = fill(x, 3, NULL, 0);
  control("delay_us=5000");
  t = submit((submission){ .op = "multiply", .in = { x, &two }, .out = y, .host_in = 2 });
  two = 100; /* it is there during the call only */
  is_int(wait_for(device[0], t), HED_OK, "a scalar from host memory");
  is_near(value(device[0], y), 6, 0, 0, "as it was at the call");

  /* z = -(x * 4), and its sum: two results, one of them a reduction, an operand of the host's */
  float four = 4, sum = 0;
  hed_view in[2] = { vector(x, HED_ID_FLOAT32, N), vector(&four, HED_ID_FLOAT32, N) };
  hed_view out[2] = { vector(z, HED_ID_FLOAT32, N), vector(y, HED_ID_FLOAT32, 1) };
  in[1].stride[0] = 0;
  const hed_view *ins[] = { &in[0], &in[1] }, *outs[] = { &out[0], &out[1] };
  const hed_fused_step step[] = {
    { .op = HED_OP_MULTIPLY, .compute = HED_ID_FLOAT32, .dtype = HED_ID_FLOAT32, .n_in = 2, .in = { 0, 1 }, .out = -1 },
    { .op = HED_OP_NEGATIVE, .compute = HED_ID_FLOAT32, .dtype = HED_ID_FLOAT32, .n_in = 1, .in = { 2 }, .out = 0 },
    { .op = HED_OP_SUM, .compute = HED_ID_FLOAT32, .dtype = HED_ID_FLOAT32, .n_in = 1, .in = { 3 }, .out = 1,
      .params = &(hed_reduce_params){ .axes = 1 } },
  };
  const int64_t dim = N;
  is_int(p->fuse(device[0], &(hed_fused_call){ .struct_size = sizeof(hed_fused_call), .n_in = 2, .n_out = 2, .n_steps = 3,
    .in = ins, .out = outs, .step = step, .ndim = 1, .dim = &dim, .ticket = &u, .host_in = { 2 } }), HED_OK, "a fused pass");
  is_int(p->done(device[0], u), 0, "does not wait");
  four = 0;
  is_int(wait_for(device[0], u), HED_OK, "is done");
  is_near(value(device[0], z), -12, 0, 0, "with its results");
  hed_view one = vector(&sum, HED_ID_FLOAT32, 1);
  ok(p->copy_out(device[0], &one, &out[1], NULL, 0) == HED_OK && sum == -12 * N, "and the reduction's: %g", (double)sum);

  control("delay_us=0");
  if (p->alloc(device[0], N * sizeof(int64_t), &wide) != HED_OK)
    bail("alloc");
  int64_t index[N] = { 0 };
  for (int round = 0; round < 2; round++) {
    hed_view host = vector(index, HED_ID_INT64, N), places = vector(wide, HED_ID_INT64, N), dx = in[0], dz = out[0];
    const hed_view *args[] = { &dx, &places }, *result = &dz;
    const hed_op_entry *e = p->ops;
    while (strcmp(e->name, "take") != 0)
      e++;
    for (int k = 0; k < N; k++)
      index[k] = k % 2 ? -1 : N - 1;
    index[5] = round ? N : -N;
    (void)p->copy_in(device[0], &places, &host, NULL, 0);
    is_int(e->fn(device[0], &(hed_call){ .struct_size = sizeof(hed_call), .op = HED_OP_TAKE, .n_in = 2, .n_out = 1,
      .in = args, .out = &result, .params = &(hed_take_params){ .axis = 0 }, .compute = HED_ID_FLOAT32, .max_threads = 1,
      .ticket = &t }), HED_OK, "take with indices that nobody has looked at");
    is_int(wait_for(device[0], t), round ? HED_E_INDEX : HED_OK, round ? "one is out of range" : "all are in range");
    if (round) {
      is_str(failed_op >= 0 ? hed_op_names[failed_op] : "", "take", "the operation is named");
      is_str(failure, "take: index 64 is out of range for axis 0 of x with extent 64", "the index and the extent too");
    } else {
      is_near(value(device[0], z), 3, 0, 0, "negative ones count from the end");
    }
  }
  void *all[] = { x, y, z, wide };
  for (int k = 0; k < 4; k++)
    p->free(device[0], all[k]);
}

/* ---- exchange with a program that has streams of its own ---- */

typedef struct work {
  float *at;
  float add;
} work;

static void add_to_all(void *arg)
{
  const work *w = arg;
  const struct timespec t = { 0, 5000000 };
  nanosleep(&t, NULL);
  for (int k = 0; k < N; k++)
    w->at[k] += w->add;
}

static void test_exchange(void)
{
  void *x = block(device[0]), *mine = NULL, *theirs = foreign_stream(0), *again;
  work w = { pointer(x), 10 };
  uint64_t t;
  in_stream(0);
  ok(theirs && p->stream_native(device[0], &mine) == HED_OK && mine != theirs, "a stream that the program made");
  int32_t number = p->stream_adopt(device[0], theirs);
  is_int(number, 2, "has a number once it is adopted");
  is_int(p->stream_adopt(device[0], theirs), number, "always the same");
  ok(p->stream_adopt(device[0], x) < 0, "a foreign pointer has none");
  control("delay_us=5000");
  (void)fill(x, 1, NULL, 0);
  is_int(p->stream_after(device[0], theirs, NULL, 0), HED_OK, "the program's stream after ours");
  is_int(launch(theirs, add_to_all, &w), HED_OK, "the program's work");
  is_int(p->after_stream(device[0], theirs), HED_OK, "ours after the program's");
  t = submit((submission){ .op = "negative", .in = { x }, .out = x });
  is_int(wait_for(device[0], t), HED_OK, "all is done");
  is_near(value(device[0], x), -11, 0, 0, "in that order");
  t = fill(x, 2, NULL, 0);
  is_int(p->stream_after(device[0], theirs, &t, 1), HED_OK, "after a ticket");
  (void)launch(theirs, add_to_all, &w);
  in_stream(number);
  is_int(p->stream(device[0]), number, "the thread submits to the program's stream");
  is_int(p->stream_native(device[0], &again), HED_OK, "whose handle");
  is_ptr(again, theirs, "is what it was");
  t = submit((submission){ .op = "negative", .in = { x }, .out = x, .wait_for = &t, .n_wait_for = 1 });
  is_int((int64_t)(t >> 48), number, "tickets are of that stream");
  is_int(wait_for(device[0], t), HED_OK, "done");
  is_near(value(device[0], x), -12, 0, 0, "after what the program did");
  in_stream(-1);
  ok(p->stream(device[0]) != number && p->stream_select(device[0], 7) == HED_E_INVAL, "its own again; not one that is not there");
  control("delay_us=0");
  p->free(device[0], x);
}

static void test_loss(void)
{
  void *x = block(device[0]), *y = block(device[1]);
  uint64_t t;
  control("delay_us=5000");
  is_int(run_on(device[1], (submission){ .op = "fill", .out = y, .params = &(hed_fill_params){ .re = 1 } }, &t), HED_OK, "a job");
  control("delay_us=0;lose=2");
  is_int(wait_for(device[1], t), HED_E_UNAVAILABLE, "on a device that is lost meanwhile");
  has_str(failure, "faulty:1 was lost", "its name is told");
  is_int(run_on(device[1], (submission){ .op = "negative", .in = { y }, .out = y }, &t), HED_E_UNAVAILABLE,
         "nothing is taken any more");
  is_int(wait_for(device[0], fill(x, 4, NULL, 0)), HED_OK, "the other device");
  is_near(value(device[0], x), 4, 0, 0, "goes on");
  p->free(device[1], y);
  p->free(device[0], x);
}

int main(void)
{
  char path[4096];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR"), *why;
  snprintf(path, sizeof path, "%s/tests/backends/.libs/faulty.so", build ? build : ".");
  setenv("HEDDLE_TEST_FAULTY", "streams=1;scalars=1;fusion=1;indices=1;delay_us=0", 1);
  if (!(p = mock_load(path, &why)))
    bail("%s: %s", path, why);
  void *module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  symbol(module, "hed_faulty_control", &control);
  symbol(module, "hed_faulty_query", &query);
  symbol(module, "hed_faulty_violation", &violation);
  symbol(module, "hed_faulty_stream", &foreign_stream);
  symbol(module, "hed_faulty_launch", &launch);
  symbol(module, "hed_faulty_pointer", &pointer);
  for (int k = 0; k < 2; k++)
    if (p->init(&mock_host, k, &device[k]) != HED_OK)
      bail("init: %s", mock_text());
  test_streams();
  test_copies();
  test_scalars_and_passes();
  test_exchange();
  test_failures();
  test_forgotten();
  is_int(query("violations"), 0, "up to here nothing was out of order");
  test_jitter();
  test_order();
  test_loss();
  return done();
}
