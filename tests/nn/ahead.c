// SPDX-License-Identifier: BSD-3-Clause
/* What threads do for training: batches that are read ahead, and batches that workers share. Neither may change a bit, an order or
 * an error.
 */
#include "arrays.h"
#include "train.h"
#include <heddle/kits/nn_data.h>
#include <heddle/kits/nn_layers.h>
#include <heddle/kits/nn_train.h>
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#define DATA(x) ((const hed_array *const *)(x))

static bool in_time(sem_t *s)
{
  struct timespec end;
  (void)clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 60; /* on a loaded machine, too */
  while (sem_timedwait(s, &end) != 0)
    if (errno != EINTR)
      return false;
  return true;
}

/* ---- readers of arrays ---- */

/* The batches of two readers have the same bits. */
static void same_batches(const char *what, const hed_array *const *data, const hed_nn_reading *a, const hed_nn_reading *b,
                         int64_t wanted)
{
  hed_nn_reader *r[2] = { NULL, NULL };
  const char *space = hed_array_space(hed_zeros(HED_SHAPE(1), HED_FLOAT32));
  int64_t n = 0;
  bool more[2] = { true, true }, same = true;
  if (hed_nn_reader_of(2, data, a, &r[0]) != HED_OK || hed_nn_reader_of(2, data, b, &r[1]) != HED_OK)
    bail("%s: %s", what, hed_error_text());
  is_int(hed_nn_reader_count(r[0]), wanted, "%s: batches", what);
  for (; more[0] || more[1]; n++)
    HED_SCOPE {
      hed_array *x[2][2];
      for (int k = 0; k < 2; k++)
        if (hed_nn_reader_next(r[k], x[k], &more[k]) != HED_OK)
          fail("%s: %s", what, hed_error_text());
      same = same && more[0] == more[1] && (!more[0] || strcmp(hed_array_space(x[0][0]), a->to ? space : "host") == 0) &&
             (!more[0] || (same_array(x[0][0], x[1][0]) && same_array(x[0][1], x[1][1]) &&
                           hed_array_is_contiguous(x[0][0]) == hed_array_is_contiguous(x[1][0])));
    }
  ok(same, "%s: the same bits", what);
  is_int(n - 1, wanted, "%s: all of them", what);
  for (int k = 0; k < 2; k++)
    hed_nn_reader_release(r[k]);
}

static void of_arrays(const char *backend)
{
  char path[64];
  (void)snprintf(path, sizeof path, "nn_ahead.%ld.npy", (long)getpid());
  hed_array *x = hed_random_normal(HED_SHAPE(211, 3), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true }), *data[2];
  if (hed_save_npy(path, x) != HED_OK)
    bail("%s", hed_error_text());
  hed_array *mapped = hed_map_npy(path, HED_MAP_READ);
  if (hed_nn_windows(mapped, &(hed_nn_window){ .length = 8, .horizon = 2 }, &data[0], &data[1]) != HED_OK)
    bail("%s", hed_error_text());
  static const int depths[] = { 0, 1, 3, 100 }; /* 202 windows */
  for (int k = 0; k < 4; k++) {
    hed_nn_reading o = { .ahead = depths[k], .batch = 25 }, plain = { .ahead = -1, .batch = 25 };
    o.to = plain.to = k % 2 ? hed_get_backend() : NULL;
    same_batches(backend, DATA(data), &o, &plain, 9);
    o.drop_last = plain.drop_last = true;
    o.order = plain.order = hed_nn_order(202, 7);
    same_batches(backend, DATA(data), &o, &plain, 8);
    o.order = plain.order = hed_from_doubles((double[]){ 201, 0, 0 }, HED_SHAPE(3), HED_INT32);
    o.drop_last = plain.drop_last = false;
    same_batches(backend, DATA(data), &o, &plain, 1);
  }
  (void)remove(path);
}

/* ---- readers of functions ---- */

typedef struct source {
  atomic_long taken;   /* batches that the caller has asked for */
  long depth;
  atomic_bool too_far, elsewhere;
  long announced, blocked; /* batches that post READ, and that wait for GO; -1: none */
  sem_t read, go;
  const char *backend;
} source;

static hed_status numbers(void *arg, int64_t k, int m, hed_array **batch)
{
  source *s = arg;
  (void)m;
  if (k >= atomic_load(&s->taken) + s->depth)
    atomic_store(&s->too_far, true);
  if (strncmp(hed_get_backend(), s->backend, strlen(s->backend)) != 0)
    atomic_store(&s->elsewhere, true);
  if (k == s->announced)
    (void)sem_post(&s->read);
  if (k == s->blocked && !in_time(&s->go))
    return hed_fail(HED_E_INTERNAL, "nobody lets batch %ld go on", (long)k);
  if (k == 3)
    return hed_fail(HED_E_IO, "disk %ld is on fire", (long)k);
  if (k != 5) /* nothing comes back, and nothing was wrong */
    batch[0] = hed_add_scalar(hed_random_uniform(HED_SHAPE(4), HED_FLOAT32, NULL), (double)k);
  return HED_OK;
}

static void begin(source *s, const char *backend, long depth)
{
  *s = (source){ .depth = depth, .announced = -1, .blocked = -1, .backend = backend };
  (void)sem_init(&s->read, 0, 0);
  (void)sem_init(&s->go, 0, 0);
}

static hed_status next(source *s, hed_nn_reader *r, hed_array **x, bool *more)
{
  atomic_fetch_add(&s->taken, 1);
  return hed_nn_reader_next(r, x, more);
}

/* Draws, errors at their batch, how far ahead, in which context. */
static void of_functions(const char *backend)
{
  source plain, ahead;
  hed_nn_reader *r[2];
  bool more[2] = { true, true }, same = true;
  begin(&plain, backend, 1);
  begin(&ahead, backend, 3);
  ahead.announced = 2;
  if (hed_nn_reader_create(numbers, &plain, 8, 1, &(hed_nn_reading){ .ahead = -1, .key = 4 }, &r[0]) != HED_OK ||
      hed_nn_reader_create(numbers, &ahead, 8, 1, &(hed_nn_reading){ .ahead = 3, .key = 4 }, &r[1]) != HED_OK)
    bail("%s", hed_error_text());
  ok(in_time(&ahead.read), "%s: three batches are read before one is asked for", backend);
  for (int k = 0; k < 8; k++)
    HED_BACKEND_CONTEXT("reference") HED_SCOPE {
      hed_array *x[2] = { NULL, NULL };
      char text[2][200];
      hed_status status[2];
      for (int j = 0; j < 2; j++) {
        status[j] = next(j ? &ahead : &plain, r[j], &x[j], &more[j]);
        (void)snprintf(text[j], sizeof text[j], "%s", status[j] == HED_OK ? "" : hed_error_text());
      }
      const hed_status wanted = k == 3 ? HED_E_IO : k == 5 ? HED_E_INVAL : HED_OK;
      ok(status[0] == wanted && status[1] == wanted && strcmp(text[0], text[1]) == 0, "%s: batch %d: \"%s\"", backend, k, text[1]);
      same = same && (wanted != HED_OK ? !x[0] && !x[1] : same_array(x[0], x[1]));
    }
  ok(same, "%s: the same draws", backend);
  ok(!atomic_load(&ahead.too_far) && !atomic_load(&plain.too_far), "%s: no further ahead than asked for", backend);
  ok(!atomic_load(&ahead.elsewhere) && !atomic_load(&plain.elsewhere), "%s: in the context it was made in", backend);
  hed_array *x = NULL;
  for (int j = 0; j < 2; j++) {
    ok(next(&plain, r[j], &x, &more[j]) == HED_OK && !more[j] && !x, "and then no more");
    hed_nn_reader_release(r[j]);
  }
}

/* One array in two places, and one that the function holds. */
static hed_status repeated(void *held, int64_t k, int m, hed_array **batch)
{
  (void)m;
  batch[0] = batch[1] = hed_full(HED_SHAPE(3), (double)k, HED_FLOAT32);
  batch[2] = held;
  return batch[0] ? HED_OK : hed_error();
}

static void twice(const char *backend)
{
  hed_array *held = hed_ones(HED_SHAPE(2), HED_FLOAT32), *x[3];
  for (int ahead = -1; ahead < 3; ahead += 3) {
    hed_nn_reader *r = NULL;
    bool more, right = true;
    is_int(hed_nn_reader_create(repeated, held, 4, 3, &(hed_nn_reading){ .ahead = ahead }, &r), HED_OK, "%s: a reader", backend);
    for (int k = 0; k < 3; k++) /* one is left behind */
      HED_SCOPE {
        right = right && hed_nn_reader_next(r, x, &more) == HED_OK && more && train_item(hed_sum(x[0], NULL)) == 3 * k &&
                same_array(x[0], x[1]) && same_array(x[2], held);
        right = right && hed_array_refs(x[0]) == 1 && hed_array_refs(x[1]) == 1;
      }
    ok(right, "%s: ahead %d: one array in two places of a batch", backend, ahead);
    hed_nn_reader_release(r);
    is_int(hed_array_refs(held), 1, "%s: ahead %d: the function's own is left to it", backend, ahead);
  }
}

static void left_early(const char *backend)
{
  source s;
  hed_nn_reader *r = NULL;
  hed_array *x = NULL;
  bool more = false;
  int cancel = 0;
  for (int taken = 0; taken < 3; taken++) {
    begin(&s, backend, 2);
    is_int(hed_nn_reader_create(numbers, &s, 1000, 1, NULL, &r), HED_OK, "%s: a reader", backend);
    for (int k = 0; k < taken; k++)
      HED_SCOPE is_int(next(&s, r, &x, &more), HED_OK, "batch %d", k);
    hed_nn_reader_release(r);
  }
  begin(&s, backend, 2);
  s.blocked = 1;
  is_int(hed_nn_reader_create(numbers, &s, 3, 1, &(hed_nn_reading){ .cancel = &cancel }, &r), HED_OK, "one that is stuck");
  is_int(next(&s, r, &x, &more), HED_OK, "batch 0");
  __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  BAD(hed_nn_reader_next(r, &x, &more), HED_E_CANCELLED, "before batch 1", "%s: who waits may go", backend);
  __atomic_store_n(&cancel, 0, __ATOMIC_RELAXED);
  (void)sem_post(&s.go);
  is_int(next(&s, r, &x, &more), HED_OK, "the batch is still to come: %s", hed_error_text());
  ok(more && train_item(hed_floor(hed_max(x, NULL))) == 1, "%s: and is that one", backend);
  hed_nn_reader_release(r);
}

static void reader_mistakes(void)
{
  hed_nn_reader *r = NULL;
  hed_array *x = hed_zeros(HED_SHAPE(4), HED_FLOAT32), *y = hed_zeros(HED_SHAPE(3), HED_FLOAT32), *out[2];
  bool more;
  BAD(hed_nn_reader_create(NULL, NULL, 1, 1, NULL, &r), HED_E_INVAL, "f is NULL", "no function");
  BAD(hed_nn_reader_create(numbers, NULL, -1, 1, NULL, &r), HED_E_INVAL, "-1 batches", "fewer than none");
  BAD(hed_nn_reader_create(numbers, NULL, 1, 1, &(hed_nn_reading){ .ahead = 1 << 20 }, &r), HED_E_INVAL, "1048576", "all of it ahead");
  const hed_array *const uneven[] = { x, y };
  BAD(hed_nn_reader_of(2, uneven, NULL, &r), HED_E_SHAPE, "array 1 of the data has 3 samples, the first one 4", "uneven");
  BAD(hed_nn_reader_of(1, DATA(&x), &(hed_nn_reading){ .order = x }, &r), HED_E_DTYPE, "float32", "an order of floats");
  BAD(hed_nn_reader_of(1, DATA(&x), &(hed_nn_reading){ .batch = -2 }, &r), HED_E_INVAL, "-2", "batch");
  ok(!r, "no reader");
  hed_array *order = hed_from_doubles((double[]){ 0, 4 }, HED_SHAPE(2), HED_INT64);
  is_int(hed_nn_reader_of(1, DATA(&x), &(hed_nn_reading){ .order = order, .batch = 1 }, &r), HED_OK, "an order that ends nowhere");
  is_int(hed_nn_reader_next(r, out, &more), HED_OK, "its first batch");
  is_int(hed_nn_reader_next(r, out, &more), HED_E_INDEX, "its second: %s", hed_error_text());
  hed_nn_reader_release(r);
  BAD(hed_nn_reader_next(NULL, out, &more), HED_E_INVAL, "the reader", "none");
  hed_nn_reader_release(NULL);
  is_int(hed_nn_reader_count(NULL) + hed_nn_reader_arrays(NULL), 0, "nothing has no batches");
}

/* ---- workers ---- */

enum { TEAM = 4 };
static atomic_int ended;
static int late = -1;              /* the worker that waits for the others */
static uint64_t keys[TEAM + 1];
static float drawn[TEAM + 1];

/* y = tanh(x w) v, by the mean square; what is drawn and when it ends is noted. */
static hed_status shared(void *arg, const hed_nn_at *at, int n, const hed_array *const *w, int m, const hed_array *const *batch,
                         hed_array **loss)
{
  const int *bad = arg; /* two workers that fail */
  (void)n, (void)m;
  if (bad && (at->worker == bad[0] || at->worker == bad[1]))
    return hed_fail(HED_E_IO, "worker %d has had enough", (int)at->worker);
  if (at->training && at->step == 0 && at->worker < TEAM) {
    double d = 0;
    HED_SCOPE (void)hed_item(hed_random_uniform(HED_SHAPE(1), HED_FLOAT32, NULL), &d);
    drawn[at->worker] = (float)d;
    keys[at->worker] = at->key;
  }
  HED_SCOPE {
    hed_array *y = hed_matmul(hed_tanh(hed_matmul(batch[0], w[0])), w[1]);
    *loss = hed_keep(hed_mse(hed_reshape(y, hed_array_shape(batch[1])), batch[1], NULL));
  }
  while (late >= 0 && at->worker == late && atomic_load(&ended) % TEAM != TEAM - 1)
    (void)usleep(100);
  atomic_fetch_add(&ended, 1);
  return *loss ? HED_OK : hed_error();
}

static hed_status run_shared(const hed_nn_fit_options *o, int64_t samples, int *bad, hed_array **w, hed_nn_history *h)
{
  const hed_random of_x = { .seed = 3, .seeded = true }, of_w = { .seed = 5, .seeded = true };
  hed_array *x = hed_random_normal(HED_SHAPE(samples, 2), HED_FLOAT32, &of_x);
  hed_array *data[2] = { x, hed_multiply(hed_sin(hed_index(x, 1, 0)), hed_index(x, 1, 1)) };
  hed_nn_optimizer *s = NULL;
  w[0] = hed_random_normal(HED_SHAPE(2, 6), HED_FLOAT32, &of_w);
  w[1] = hed_multiply_scalar(hed_random_normal(HED_SHAPE(6, 1), HED_FLOAT32, &of_w), 0.3);
  hed_status status = hed_nn_optimizer_create(2, w, &(hed_nn_optimizer_options){ .rate = 0.1 }, &s);
  hed_nn_fit_options all = *o;
  all.validation = DATA(data);
  atomic_store(&ended, 0);
  if (status == HED_OK)
    status = hed_nn_fit(shared, bad, 2, w, s, 2, DATA(data), &all, h);
  hed_nn_optimizer_release(s);
  return status;
}

static void shares(const char *backend)
{
  char team[64];
  hed_array *w[2], *v[2];
  hed_nn_history h, g;
  (void)snprintf(team, sizeof team, "%s*4", backend);
  hed_nn_fit_options o = { .epochs = 3, .batch = 10, .key = 2 }; /* the last batch has 3 samples, which one worker misses */
  is_int(run_shared(&o, 43, NULL, w, &h), HED_OK, "%s: alone", backend);
  o.workers = team;
  is_int(run_shared(&o, 43, NULL, v, &g), HED_OK, "%s: four workers: %s", backend, hed_error_text());
  /* sums of at most 43 values of float32 in another order, 15 steps of rate 0.1 */
  ok(train_item(hed_max(hed_abs(hed_subtract(w[0], v[0])), NULL)) < 1e-4, "%s: learn the same", backend);
  ok(train_item(hed_max(hed_abs(hed_subtract(h.loss, g.loss)), NULL)) < 1e-4 &&
     train_item(hed_max(hed_abs(hed_subtract(h.validation, g.validation)), NULL)) < 1e-4, "%s: with the same losses", backend);
  hed_nn_history_clear(&h);
  hed_nn_history_clear(&g);
  bool differ = true;
  for (int k = 0; k < TEAM; k++)
    for (int j = 0; j < k; j++)
      differ = differ && keys[j] != keys[k] && drawn[j] != drawn[k];
  ok(differ, "%s: each draws its own", backend);
  o.batch = 8;
  o.epochs = 2;
  for (late = -1; late < TEAM; late += 1 + (late > 0)) /* -1, 0, 1, 3: another one is last */
    HED_SCOPE {
      o.ahead = late > 0 ? 2 : 0;
      is_int(run_shared(&o, 40, NULL, late < 0 ? w : v, NULL), HED_OK, "%s: worker %d is last", backend, late);
      if (late < 0)
        (void)hed_keep(w[0]), (void)hed_keep(w[1]);
      else
        ok(same_array(w[0], v[0]) && same_array(w[1], v[1]), "%s: and not a bit differs", backend);
    }
  late = -1;
  RELEASE(w[0], w[1]);
  BAD(run_shared(&o, 43, (int[]){ 3, 2 }, v, NULL), HED_E_IO, "worker 2, '", "%s: a worker that fails", backend);
  has_str(hed_error_text(), "has had enough", "says why");
}

/* How fast exp(-a t) falls, from its values after irregular times: a cell learns what no single step shows. */
enum { FELL = 32, STEPS = 8, PARAMS = 16 };
static const hed_nn_cell cell = { .kind = HED_NN_CFC, .input = 1, .units = 8, .backbone_units = 16 };

static hed_status falling(void *tree, const hed_nn_at *at, int n, const hed_array *const *w, int m, const hed_array *const *batch,
                          hed_array **loss)
{
  hed_nn_params *p = NULL;
  (void)at, (void)m;
  hed_status status = hed_nn_params_create(&p);
  for (int k = 0; k < n && status == HED_OK; k++)
    status = hed_nn_params_set(p, hed_nn_params_name(tree, k), w[k]);
  HED_SCOPE {
    const hed_nn_sequence_options o = { .dt = batch[1], .last_only = true };
    const hed_array *y = hed_nn_linear(p, "out", hed_nn_sequence(&cell, &o, p, "net", batch[0], NULL));
    *loss = hed_keep(hed_mse(y, batch[2], NULL));
  }
  hed_nn_params_release(p);
  return *loss ? HED_OK : hed_error();
}

/* The loss after 40 epochs by TEAM; the weights in W, of which the caller has N. */
static double fell(const char *team, hed_array **w, int *n)
{
  const hed_random r = { .seed = 8, .seeded = true };
  const hed_array *a = hed_random_uniform(HED_SHAPE(FELL, 1), HED_FLOAT32, &(hed_random){ .seed = 6, .seeded = true, .low = 0.2,
                                                                                          .high = 1.5 });
  const hed_array *dt = hed_random_uniform(HED_SHAPE(FELL, STEPS), HED_FLOAT32, &(hed_random){ .seed = 7, .seeded = true, .low = 0.1,
                                                                                              .high = 0.9 });
  const hed_array *x = hed_exp(hed_negative(hed_multiply(a, hed_cumsum(dt, &(hed_scan){ .axis = HED_AXES(1) }))));
  const hed_array *data[] = { hed_expand_dims(x, -1), dt, a };
  hed_nn_params *p = NULL;
  hed_nn_optimizer *s = NULL;
  hed_nn_history h = { .epochs = 0 };
  if (hed_nn_params_create(&p) != HED_OK || hed_nn_sequence_init(&cell, NULL, p, "net", HED_FLOAT32, &r) != HED_OK ||
      hed_nn_linear_init(p, "out", 8, 1, true, HED_FLOAT32, &r) != HED_OK)
    bail("%s", hed_error_text());
  *n = (int)hed_nn_params_count(p);
  for (int k = 0; k < *n; k++)
    w[k] = hed_retain(hed_nn_params_at(p, k));
  hed_status status = hed_nn_optimizer_create(*n, w, &(hed_nn_optimizer_options){ .rule = HED_NN_ADAM, .rate = 0.02 }, &s);
  if (status == HED_OK)
    status = hed_nn_fit(falling, p, *n, w, s, 3, data, &(hed_nn_fit_options){ .epochs = 40, .batch = 16, .workers = team }, &h);
  is_int(status, HED_OK, "%s: %s", team ? team : "alone", hed_error_text());
  const double last = h.loss ? train_item(hed_index(h.loss, 0, -1)) : NAN;
  hed_nn_history_clear(&h);
  hed_nn_optimizer_release(s);
  hed_nn_params_release(p);
  return last;
}

/* A mean guess would be off by 0.14, the variance of a. */
static void irregular(const char *backend)
{
  char team[64];
  hed_array *w[2][PARAMS];
  int n = 0;
  (void)snprintf(team, sizeof team, "%s*4", backend);
  const double alone = fell(NULL, w[0], &n);
  ok(alone < 0.02, "%s: learnt to %g", backend, alone);
  for (int k = 0; k < n; k++)
    hed_release(w[0][k]);
  const double one = fell(team, w[0], &n), two = fell(team, w[1], &n);
  ok(one < 0.02 && one == two, "%s: by four workers to %g, and %g again", backend, one, two);
  bool same = true;
  for (int k = 0; k < n; k++) {
    same = same && same_array(w[0][k], w[1][k]);
    RELEASE(w[0][k], w[1][k]);
  }
  ok(same, "%s: all weights are equal", backend);
}

/* Gradients 1e8, 1 and -1e8 in float32, of which the order makes 0 or not: that of the workers' numbers. */
static hed_status product(void *arg, const hed_nn_at *at, int n, const hed_array *const *w, int m, const hed_array *const *batch,
                          hed_array **loss)
{
  (void)arg, (void)at, (void)n, (void)m;
  HED_SCOPE *loss = hed_keep(hed_mean(hed_multiply(batch[0], w[0]), NULL));
  return *loss ? HED_OK : hed_error();
}

static void in_order(const char *backend)
{
  static const double x[2][4] = { { 4e8, 4, -4e8, 0 }, { 4e8, -4e8, 4, 0 } };
  for (int k = 0; k < 2; k++) {
    char team[64];
    hed_nn_optimizer *s = NULL;
    hed_array *w = hed_zeros(HED_SHAPE(1), HED_FLOAT32), *data = hed_from_doubles(x[k], HED_SHAPE(4, 1), HED_FLOAT32);
    (void)snprintf(team, sizeof team, "%s,%s*2, %s;threads=1", backend, backend, backend);
    const hed_nn_fit_options o = { .epochs = 1, .batch = 4, .keep_order = true, .workers = team };
    if (hed_nn_optimizer_create(1, &w, &(hed_nn_optimizer_options){ .rate = 1 }, &s) != HED_OK)
      bail("%s", hed_error_text());
    is_int(hed_nn_fit(product, NULL, 1, &w, s, 1, DATA(&data), &o, NULL), HED_OK, "%s: one sample each: %s", backend,
           hed_error_text());
    is_near(train_item(w), k ? -1 : 0, 0, 0, "%s: added up in order", backend);
    hed_nn_optimizer_release(s);
  }
}

static void worker_mistakes(void)
{
  hed_array *w[2];
  static const char *const wrong[][2] = { { "reference*x", "'reference*x' should end with *COUNT" }, { "reference,", "is empty" },
                                          { "nosuch*2", "worker 0, 'nosuch'" } };
  for (int k = 0; k < 3; k++) {
    hed_error_clear();
    ok(run_shared(&(hed_nn_fit_options){ .workers = wrong[k][0] }, 8, NULL, w, NULL) != HED_OK, "workers \"%s\"", wrong[k][0]);
    has_str(hed_error_text(), wrong[k][1], "are refused");
    has_str(hed_error_text(), "hed_nn_fit: ", "by name");
  }
  BAD(run_shared(&(hed_nn_fit_options){ .ahead = -1 }, 8, NULL, w, NULL), HED_E_INVAL, "ahead is -1", "ahead");
  hed_array *v[2];
  const hed_nn_fit_options mixed = { .epochs = 2, .workers = "reference,faulty,reference;threads=1" };
  if (hed_backend_require("faulty") != HED_OK)
    skip(1, "no other space");
  else {
    is_int(run_shared(&mixed, 30, NULL, w, NULL), HED_OK, "workers in two memory spaces: %s", hed_error_text());
    is_int(run_shared(&mixed, 30, NULL, v, NULL), HED_OK, "again");
    ok(same_array(w[0], v[0]) && same_array(w[1], v[1]), "give the same bits");
    is_str(hed_array_space(w[0]), "host", "and leave parameters where they are");
  }
  hed_error_clear();
}

int main(void)
{
  train_on_each(of_arrays);
  train_on_each(of_functions);
  train_on_each(twice);
  train_on_each(left_early);
  train_on_each(shares);
  train_on_each(in_order);
  static const char *const hosts[] = { "reference", "cpu" };
  for (int k = 0; k < 2; k++)
    if (hed_backend_require(hosts[k]) == HED_OK)
      HED_BACKEND_CONTEXT_OR(hosts[k], bail("%s", hed_error_text())) HED_SCOPE irregular(hosts[k]);
  HED_BACKEND_CONTEXT_OR("reference", bail("%s", hed_error_text())) HED_SCOPE {
    reader_mistakes();
    worker_mistakes();
  }
  return done();
}
