// SPDX-License-Identifier: BSD-3-Clause
/* Rows of tests/gpu-check: seconds of a call on the device, as JSON, a line each. peers.py has the same rows.
 *
 *   bench BACKEND SCALE [PREFIX | --after ROW]
 *
 * SCALE 1 is full size; larger numbers divide the sizes; `once': tiny, each row is called once, and what vendors' libraries do is
 * left out. A sample is as many calls as fill 20 ms, then a wait for the device; of five the median. `host' is what the calling
 * thread took for a call, without the wait.
 */
#include <heddle.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 5, ROW_SECONDS = 25, TRIAL_SECONDS = 120, LOST = 3 };

typedef struct operands {
  hed_array *a, *b, *c, *p;
} operands;

typedef struct row {
  const char *name;
  void (*make)(operands *o, int64_t scale);
  hed_array *(*call)(const operands *o);
} row;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- operands ---- */

static hed_array *normal(hed_shape shape, hed_dtype t)
{
  return hed_random_normal(shape, t, &(hed_random){ .seed = 1, .seeded = true });
}

static hed_array *vector(int64_t n, hed_dtype t) { return normal(HED_SHAPE(n > 1 ? n : 1), t); }

static void vectors(operands *o, int64_t scale)
{
  o->a = vector(100000000 / scale, HED_FLOAT32);
  o->b = vector(100000000 / scale, HED_FLOAT32);
  o->p = hed_abs(o->a);
}

static void doubles(operands *o, int64_t scale)
{
  o->a = vector(50000000 / scale, HED_FLOAT64);
  o->b = vector(50000000 / scale, HED_FLOAT64);
}

static void keys(operands *o, int64_t scale) { o->a = vector(10000000 / scale, HED_FLOAT32); }

/* A side of about N, smaller by the square root of SCALE, even. */
static int64_t side(int64_t n, int64_t scale)
{
  while (scale > 3 && n > 4) {
    n /= 2;
    scale /= 4;
  }
  return n;
}

static void table(operands *o, int64_t scale)
{
  const int64_t n = side(8192, scale);
  o->a = normal(HED_SHAPE(n, n), HED_FLOAT32);
  o->b = normal(HED_SHAPE(n, n), HED_FLOAT32);
  o->c = vector(n, HED_FLOAT32);
}

static void table64(operands *o, int64_t scale)
{
  const int64_t n = side(4096, scale);
  o->a = normal(HED_SHAPE(n, n), HED_FLOAT64);
  o->b = normal(HED_SHAPE(n, n), HED_FLOAT64);
}

static void batches_of(operands *o, int64_t scale, int64_t k)
{
  const int64_t n = 4096 / scale > 1 ? 4096 / scale : 1;
  o->a = normal(HED_SHAPE(n, k, k), HED_FLOAT32);
  o->b = normal(HED_SHAPE(n, k, k), HED_FLOAT32);
}

static void batches(operands *o, int64_t scale) { batches_of(o, scale, 64); }
static void small_batches(operands *o, int64_t scale) { batches_of(o, scale, 32); }

/* A matrix, and a positive definite one. */
static void square(operands *o, int64_t n)
{
  o->a = normal(HED_SHAPE(n, n), HED_FLOAT32);
  o->c = hed_add(hed_multiply_scalar(hed_matmul(o->a, hed_transpose(o->a, NULL)), 1.0 / (double)n), hed_eye(n, n, 0, HED_FLOAT32));
}

static void square2048(operands *o, int64_t scale) { square(o, side(2048, scale)); }
static void square1024(operands *o, int64_t scale) { square(o, side(1024, scale)); }
static void square512(operands *o, int64_t scale) { square(o, side(512, scale)); }

static void volume(operands *o, int64_t scale)
{
  const int64_t n = side(256, scale);
  o->a = normal(HED_SHAPE(n, n, n), HED_FLOAT32);
  o->c = hed_rfftn(o->a, NULL);
}

static void lines(operands *o, int64_t scale)
{
  o->a = hed_astype(normal(HED_SHAPE(16384 / scale > 1 ? 16384 / scale : 1, 1024), HED_FLOAT32), HED_COMPLEX64);
}

static void small(operands *o, int64_t scale)
{
  (void)scale;
  o->a = vector(8, HED_FLOAT32);
  o->b = vector(8, HED_FLOAT32);
}

static void system_of(operands *o, int64_t scale)
{
  const int64_t n = side(2048, scale);
  o->a = normal(HED_SHAPE(n, n), HED_FLOAT32);
  o->b = normal(HED_SHAPE(n, 16), HED_FLOAT32);
}

static void indices(operands *o, int64_t scale)
{
  const int64_t n = 100000000 / scale > 2 ? 100000000 / scale : 2;
  o->a = vector(n, HED_FLOAT32);
  o->b = hed_random_integers(HED_SHAPE(n / 10 > 1 ? n / 10 : 1), 0, n, HED_INT64, &(hed_random){ .seed = 2, .seeded = true });
}

/* ---- calls ---- */

static hed_array *call_copy(const operands *o) { return hed_copy(o->a); }
static hed_array *call_add(const operands *o) { return hed_add(o->a, o->b); }
static hed_array *call_multiply(const operands *o) { return hed_multiply(o->a, o->b); }
static hed_array *call_divide(const operands *o) { return hed_divide(o->a, o->b); }
static hed_array *call_scale(const operands *o) { return hed_multiply_scalar(o->a, 2.5); }
static hed_array *call_exp(const operands *o) { return hed_exp(o->a); }
static hed_array *call_log(const operands *o) { return hed_log(o->p); }
static hed_array *call_sin(const operands *o) { return hed_sin(o->a); }
static hed_array *call_sqrt(const operands *o) { return hed_sqrt(o->p); }
static hed_array *call_tanh(const operands *o) { return hed_tanh(o->a); }
static hed_array *call_less(const operands *o) { return hed_less(o->a, o->b); }
static hed_array *call_cast(const operands *o) { return hed_astype(o->a, HED_FLOAT64); }
static hed_array *call_sum(const operands *o) { return hed_sum(o->a, NULL); }
static hed_array *call_max(const operands *o) { return hed_max(o->a, NULL); }
static hed_array *call_var(const operands *o) { return hed_var(o->a, NULL); }
static hed_array *call_argmax(const operands *o) { return hed_argmax(o->a, NULL); }
static hed_array *call_sum_0(const operands *o) { return hed_sum(o->a, &(hed_reduce){ .axes = HED_AXES(0) }); }
static hed_array *call_sum_1(const operands *o) { return hed_sum(o->a, &(hed_reduce){ .axes = HED_AXES(1) }); }
static hed_array *call_softmax(const operands *o) { return hed_softmax(o->a, 1); }
static hed_array *call_transpose(const operands *o) { return hed_copy(hed_transpose(o->a, NULL)); }
static hed_array *call_row(const operands *o) { return hed_add(o->a, o->c); }
static hed_array *call_cumsum(const operands *o) { return hed_cumsum(o->a, &(hed_scan){ .axis = HED_AXES(0) }); }
static hed_array *call_sort(const operands *o) { return hed_sort(o->a, NULL); }
static hed_array *call_argsort(const operands *o) { return hed_argsort(o->a, NULL); }
static hed_array *call_take(const operands *o) { return hed_take(o->a, o->b, 0); }
static hed_array *call_normal(const operands *o) { return normal(hed_array_shape(o->a), HED_FLOAT32); }
static hed_array *call_uniform(const operands *o)
{
  return hed_random_uniform(hed_array_shape(o->a), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
}
static hed_array *call_matmul(const operands *o) { return hed_matmul(o->a, o->b); }
static hed_array *call_rfftn(const operands *o) { return hed_rfftn(o->a, NULL); }
static hed_array *call_irfftn(const operands *o) { return hed_irfftn(o->c, NULL); }
static hed_array *call_fft1(const operands *o) { return hed_fft1(o->a, NULL); }
static hed_array *call_solve(const operands *o) { return hed_solve(o->a, o->b); }
static hed_array *call_tf32(const operands *o)
{
  HED_BACKEND_CONTEXT(";math=tf32") return hed_matmul(o->a, o->b);
  return NULL;
}
static hed_array *call_det(const operands *o) { return hed_det(o->a); }
static hed_array *call_cholesky(const operands *o) { return hed_cholesky(o->c, false); }
/* The last result of a decomposition, when there was one. */
static hed_array *last(hed_status status, hed_array *const *x) { return status == HED_OK ? *x : NULL; }
static hed_array *call_lu(const operands *o)
{
  hed_array *perm = NULL, *l = NULL, *u = NULL;
  return last(hed_lu(o->a, &perm, &l, &u), &u);
}
static hed_array *call_qr(const operands *o)
{
  hed_array *q = NULL, *r = NULL;
  return last(hed_qr(o->a, HED_QR_REDUCED, &q, &r), &r);
}
static hed_array *call_eigh(const operands *o)
{
  hed_array *w = NULL, *v = NULL;
  return last(hed_eigh(o->c, false, &w, &v), &v);
}
static hed_array *call_eig(const operands *o)
{
  hed_array *w = NULL, *v = NULL;
  return last(hed_eig(o->a, &w, &v), &v);
}
static hed_array *call_svd(const operands *o)
{
  hed_array *u = NULL, *s = NULL, *vh = NULL;
  return last(hed_svd(o->a, false, &u, &s, &vh), &vh);
}

static const row rows[] = {
  { "dispatch/add/float32/8", small, call_add },
  { "dispatch/exp/float32/8", small, call_exp },
  { "dispatch/sum/float32/8", small, call_sum },
  { "elementwise/copy/float32/1e8", vectors, call_copy },
  { "elementwise/add/float32/1e8", vectors, call_add },
  { "elementwise/multiply/float32/1e8", vectors, call_multiply },
  { "elementwise/divide/float32/1e8", vectors, call_divide },
  { "elementwise/scale/float32/1e8", vectors, call_scale },
  { "elementwise/exp/float32/1e8", vectors, call_exp },
  { "elementwise/log/float32/1e8", vectors, call_log },
  { "elementwise/sin/float32/1e8", vectors, call_sin },
  { "elementwise/sqrt/float32/1e8", vectors, call_sqrt },
  { "elementwise/tanh/float32/1e8", vectors, call_tanh },
  { "elementwise/less/float32/1e8", vectors, call_less },
  { "elementwise/astype/float32/1e8", vectors, call_cast },
  { "elementwise/add/float64/5e7", doubles, call_add },
  { "elementwise/exp/float64/5e7", doubles, call_exp },
  { "elementwise/add_row/float32/8192x8192", table, call_row },
  { "elementwise/transpose/float32/8192x8192", table, call_transpose },
  { "reduce/sum/float32/1e8", vectors, call_sum },
  { "reduce/max/float32/1e8", vectors, call_max },
  { "reduce/var/float32/1e8", vectors, call_var },
  { "reduce/argmax/float32/1e8", vectors, call_argmax },
  { "reduce/sum_0/float32/8192x8192", table, call_sum_0 },
  { "reduce/sum_1/float32/8192x8192", table, call_sum_1 },
  { "reduce/softmax/float32/8192x8192", table, call_softmax },
  { "reduce/cumsum/float32/1e8", vectors, call_cumsum },
  { "sort/sort/float32/1e7", keys, call_sort },
  { "sort/argsort/float32/1e7", keys, call_argsort },
  { "index/take/float32/1e7_of_1e8", indices, call_take },
  { "random/normal/float32/1e8", vectors, call_normal },
  { "random/uniform/float32/1e8", vectors, call_uniform },
  { "fft/rfftn/float32/256x256x256", volume, call_rfftn },
  { "fft/irfftn/float32/256x256x256", volume, call_irfftn },
  { "fft/fft1/complex64/16384x1024", lines, call_fft1 },
  { "linalg/matmul/float32/8192", table, call_matmul },
  { "linalg/matmul/float64/4096", table64, call_matmul },
  { "linalg/matmul/float32/4096x64x64", batches, call_matmul },
  { "linalg/matmul_tf32/float32/8192", table, call_tf32 },
  { "linalg/solve/float32/2048x16", system_of, call_solve },
  { "linalg/solve/float32/4096x32x32", small_batches, call_solve },
  { "linalg/det/float32/4096x32x32", small_batches, call_det },
  { "linalg/cholesky/float32/2048", square2048, call_cholesky },
  { "linalg/lu/float32/2048", square2048, call_lu },
  { "linalg/qr/float32/2048", square2048, call_qr },
  { "linalg/eigh/float32/1024", square1024, call_eigh },
  { "linalg/svd/float32/512", square512, call_svd },
  { "linalg/eig/float32/512", square512, call_eig },
};

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* N calls; false when one failed. *HOST: until the last one came back, *ALL: until the device was done. */
static bool sample(const row *r, const operands *o, const char *backend, int n, double *host, double *all)
{
  bool good = true;
  const double begin = now();
  for (int k = 0; k < n && good; k++)
    HED_SCOPE { good = r->call(o); }
  *host = (now() - begin) / n;
  good = good && hed_synchronize(backend) == HED_OK;
  *all = (now() - begin) / n;
  return good;
}

static void print_error(const char *name)
{
  printf("{\"row\": \"%s\", \"who\": \"heddle\", \"error\": \"%s\"}\n", name, hed_status_text(hed_error()));
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", name, hed_error_text());
}

static bool measure(const row *r, const operands *o, const char *backend, bool only_once)
{
  double host[SAMPLES], all[SAMPLES], first = 0, once = 0, unused;
  int n = 1, taken = 1;
  bool good = sample(r, o, backend, 1, &host[0], &first) && (only_once || sample(r, o, backend, 1, &host[0], &once));
  if (only_once)
    once = first;
  all[0] = once;
  while (good && !only_once && n < 100000 && once < 0.02 / n && taken == 1) { /* so many calls that a sample is 20 ms */
    n *= 4;
    good = sample(r, o, backend, n, &unused, &once);
  }
  const bool enough = only_once || once >= 1;
  for (taken = enough; good && !enough && taken < SAMPLES; taken++)
    good = sample(r, o, backend, n, &host[taken], &all[taken]);
  if (good) {
    qsort(all, (size_t)taken, sizeof *all, compare);
    qsort(host, (size_t)taken, sizeof *host, compare);
    printf("{\"row\": \"%s\", \"who\": \"heddle\", \"seconds\": %.9g, \"host\": %.9g, \"first\": %.9g, \"calls\": %d}\n", r->name,
           all[taken / 2], host[taken / 2], first, n);
    fflush(stdout);
  } else {
    print_error(r->name);
  }
  return good;
}

/* ---- threads: each with a context of its own on the device, small calls ---- */

enum { THREADS = 64, CALLS = 2000 };

typedef struct worker {
  const char *backend;
  pthread_barrier_t *start;
  int calls;
  bool good;
  double begin, end;
} worker;

static void *work(void *arg)
{
  worker *w = arg;
  operands o = { 0 };
  w->good = hed_set_backend(w->backend) == HED_OK;
  HED_SCOPE
  {
    small(&o, 1);
    w->good = w->good && o.a && o.b && hed_synchronize(w->backend) == HED_OK;
    pthread_barrier_wait(w->start);
    w->begin = now();
    for (int k = 0; k < w->calls && w->good; k++)
      HED_SCOPE { w->good = call_add(&o) && (k % 16 || hed_synchronize(w->backend) == HED_OK); }
    w->end = now();
  }
  return NULL;
}

/* Seconds of a call when N threads make CALLS each at once; negative when one failed. */
static double together(const char *backend, int n, int calls)
{
  pthread_t thread[THREADS];
  worker w[THREADS];
  pthread_barrier_t start;
  bool good = true;
  int made = 0;
  pthread_barrier_init(&start, NULL, (unsigned)n);
  for (; made < n; made++) {
    w[made] = (worker){ .backend = backend, .start = &start, .calls = calls };
    if (pthread_create(&thread[made], NULL, work, &w[made]) != 0)
      return -1;
  }
  double begin = 0, end = 0;
  for (int k = 0; k < n; k++) {
    pthread_join(thread[k], NULL);
    good = good && w[k].good;
    begin = k == 0 || w[k].begin < begin ? w[k].begin : begin;
    end = w[k].end > end ? w[k].end : end;
  }
  pthread_barrier_destroy(&start);
  return good ? (end - begin) / ((double)calls * n) : -1;
}

/* Of tiny sizes no more than eight. */
static bool measure_threads(const char *backend, bool only_once, int64_t scale)
{
  bool good = true;
  for (int n = 1; n <= (scale > 1000 ? 8 : THREADS) && good; n *= 8) {
    const int calls = only_once ? 16 : n > 8 ? CALLS * 8 / n : CALLS;
    const double first = together(backend, n, 16), seconds = together(backend, n, calls);
    good = first > 0 && seconds > 0;
    if (good)
      printf("{\"row\": \"threads/add/float32/%d\", \"who\": \"heddle\", \"seconds\": %.9g, \"host\": %.9g, \"first\": %.9g}\n", n,
             seconds, seconds, first);
    else
      fprintf(stderr, "threads: a thread's call failed\n");
  }
  fflush(stdout);
  return good;
}

/* ---- copies: to the device from memory of the program and from pinned memory, back, and to the next device, if there is one ---- */

/* A copy of SOURCE to SPACE, which is over when this returns. */
static double copy_seconds(const hed_array *source, const char *space)
{
  double least = -1;
  for (int k = 0; k < SAMPLES + 1; k++) /* the first one makes buffers */
    HED_SCOPE
    {
      const double begin = now();
      hed_array *there = hed_to(source, space);
      const double seconds = there && hed_wait(there) == HED_OK ? now() - begin : -1;
      least = k > 1 && seconds > least ? least : seconds;
    }
  return least;
}

static bool print_copy(const char *name, size_t bytes, double seconds)
{
  if (seconds > 0)
    printf("{\"row\": \"transfer/%s/float32/256MiB\", \"who\": \"heddle\", \"seconds\": %.9g, \"host\": %.9g, "
           "\"first\": %.9g, \"gigabytes_per_second\": %.4g}\n", name, seconds, seconds, seconds, 1e-9 * (double)bytes / seconds);
  else
    fprintf(stderr, "transfer/%s: %s\n", name, hed_error_text());
  fflush(stdout);
  return seconds > 0;
}

static bool measure_copies(const char *backend, int64_t scale)
{
  const int64_t n = ((int64_t)64 << 20) / scale > 1 ? ((int64_t)64 << 20) / scale : 1;
  const size_t bytes = (size_t)n * 4;
  const int devices = hed_device_count(backend);
  char first[64], next[64];
  bool good = true;
  snprintf(first, sizeof first, "%.40s:0", backend);
  snprintf(next, sizeof next, "%.40s:1", backend);
  HED_SCOPE
  {
    float *given = calloc((size_t)n, sizeof *given);
    hed_array *plain = given ? hed_wrap(given, HED_SHAPE(n), NULL, HED_FLOAT32, NULL, NULL) : NULL;
    hed_array *pinned = hed_empty_pinned(HED_SHAPE(n), HED_FLOAT32, first), *there = plain ? hed_to(plain, first) : NULL;
    good = there && print_copy("to_device", bytes, copy_seconds(plain, first));
    good = good && print_copy("to_host", bytes, copy_seconds(there, "reference"));
    good = good && pinned && print_copy("pinned_to_device", bytes, copy_seconds(pinned, first));
    if (devices > 1)
      good = good && print_copy("peer", bytes, copy_seconds(there, next));
    hed_release(plain);
    plain = NULL;
    free(given);
  }
  return good;
}

/* ---- all rows ---- */

typedef struct choice {
  const char *prefix, *after;  /* NULL: all of them */
  bool reached;                /* AFTER has been seen */
  unsigned seconds;            /* for a row */
} choice;

/* Is NAME to be measured now? */
static bool begins(choice *c, const char *name)
{
  const bool wanted = c->after ? c->reached : !c->prefix || strncmp(name, c->prefix, strlen(c->prefix)) == 0;
  c->reached = c->reached || (c->after && strcmp(name, c->after) == 0);
  if (wanted) {
    fprintf(stderr, "row %s\n", name);
    alarm(c->seconds);
  }
  return wanted;
}

static bool measure_row(const row *r, const char *backend, int64_t scale, bool once)
{
  bool good = false;
  HED_SCOPE
  {
    operands o = { 0 };
    r->make(&o, scale);
    if (o.a && hed_synchronize(backend) == HED_OK)
      good = measure(r, &o, backend, once);
    else
      print_error(r->name);
  }
  return good;
}

int main(int argc, char **argv)
{
  int bad = 0;
  if (argc < 3 || argc > 5 || (argc > 4) != (argc > 3 && strcmp(argv[3], "--after") == 0)) {
    fprintf(stderr, "usage: bench BACKEND SCALE [PREFIX | --after ROW]\n");
    return 2;
  }
  if (hed_set_backend(argv[1]) != HED_OK) {
    fprintf(stderr, "%s\n", hed_error_text());
    return 1;
  }
  const bool once = strcmp(argv[2], "once") == 0;
  const int64_t scale = once ? 100000 : atoll(argv[2]) > 0 ? atoll(argv[2]) : 1;
  choice c = { .prefix = argc == 4 ? argv[3] : NULL, .after = argc > 4 ? argv[4] : NULL,
               .seconds = scale > 1 ? TRIAL_SECONDS : ROW_SECONDS };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const row *r = &rows[k];
    const bool of_library = strncmp(r->name, "fft/", 4) == 0 || strncmp(r->name, "linalg/", 7) == 0;
    if ((once && of_library) || !begins(&c, r->name) || measure_row(r, argv[1], scale, once))
      continue;
    bad++;
    if (hed_error() == HED_E_UNAVAILABLE)
      return LOST;
  }
  if (begins(&c, "threads") && !measure_threads(argv[1], once, scale))
    bad++;
  if (bad && hed_error() == HED_E_UNAVAILABLE)
    return LOST;
  if (begins(&c, "transfer"))
    bad += !measure_copies(argv[1], scale);
  return bad > 0;
}
