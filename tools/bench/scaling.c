// SPDX-License-Identifier: BSD-3-Clause
/* Suite "scaling", workers with a context each times threads of an operation.
 *
 * Layer: L5. The time of a row is that of one piece of work, whoever did it: all workers together do pieces until as many as
 * asked for are done. Where workers times threads fit the processors the floor is one worker with one thread divided by the
 * processors in use: perfect scaling. Where more is asked for than there is, it is the best static split: so many of the
 * workers, each with its equal share of the processors. Floors are measured on the same pieces, between the samples of the row,
 * by all workers in turn: whose arrays lie where in the caches makes a difference. Rows of one kind of work are measured together.
 * With another team than the backend's own (setting team, which is read once) the row is in a process of its own, beside the
 * floor of this one.
 */
#include "bench.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WORKERS_MOST = 8 };

typedef struct crew crew;
typedef struct worker {
  crew *crew;
  pthread_t thread;
  hed_array *a[3];
} worker;

struct crew {
  bench_fn piece;
  const bench_spec *spec;
  char backend[160];
  int n, started;             /* workers, created */
  int first, active;          /* so many from this one on take part in this turn */
  int threads_each;           /* of an operation, in this turn */
  hed_status (*make)(hed_array **a);
  hed_status (*once)(hed_array **a, const hed_array *shared);
  worker worker[WORKERS_MOST];
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  int turn, busy;
  bool stop;
  atomic_llong left;
  _Atomic int status;
  int split_workers, split_threads, split_first; /* of the floor, and who begins next time */
  char note[64];
  hed_array *shared;          /* what all workers read; NULL: nothing */
  bench_child *child;         /* who does the work of another team; NULL: the workers do */
};

/* ---- pieces of work ---- */

static hed_status make_square(hed_array **a)
{
  a[0] = hed_ones(HED_SHAPE(256, 256), HED_FLOAT32);
  return a[0] ? HED_OK : hed_error();
}

static hed_status once_square(hed_array **a, const hed_array *shared)
{
  (void)shared;
  hed_array *r = hed_matmul(a[0], a[0]);
  hed_release(r);
  return r ? HED_OK : hed_error();
}

/* With four workers these stay in a shared cache of 32 MB: memory that one worker does not fill and two do would hide how
 * they share processors. */
enum { LONG = 400000, RANDOM = 200000 };

static hed_status make_long(hed_array **a)
{
  a[0] = hed_ones(HED_SHAPE(LONG), HED_FLOAT32);
  a[1] = hed_ones(HED_SHAPE(LONG), HED_FLOAT32);
  a[2] = hed_ones(HED_SHAPE(LONG), HED_FLOAT32);
  return a[0] && a[1] && a[2] ? HED_OK : hed_error();
}

static hed_status once_add(hed_array **a, const hed_array *shared)
{
  (void)shared;
  return hed_add_into(a[2], a[0], a[1]);
}

static hed_status once_exp(hed_array **a, const hed_array *shared)
{
  (void)shared;
  return hed_exp_into(a[2], a[0]);
}

static hed_status make_cube(hed_array **a)
{
  a[0] = hed_ones(HED_SHAPE(64, 64, 64), HED_FLOAT32);
  a[1] = hed_rfftn(a[0], NULL);
  a[2] = hed_ones(HED_SHAPE(64, 64, 64), HED_FLOAT32);
  return a[1] && a[2] ? HED_OK : hed_error();
}

static hed_status once_fft(hed_array **a, const hed_array *shared)
{
  (void)shared;
  hed_status status = hed_rfftn_into(a[1], a[0], NULL);
  return status == HED_OK ? hed_irfftn_into(a[2], a[1], NULL) : status;
}

static hed_status make_random(hed_array **a)
{
  const hed_random opt = { .seed = 1, .seeded = true };
  a[0] = hed_random_uniform(HED_SHAPE(RANDOM), HED_FLOAT32, &opt);
  return a[0] ? HED_OK : hed_error();
}

static hed_status once_sort(hed_array **a, const hed_array *shared)
{
  (void)shared;
  hed_array *r = hed_sort(a[0], NULL);
  hed_release(r);
  return r ? HED_OK : hed_error();
}

/* What workers of a search do for every rotation: a template of 32^3 in a target of 128^3, whose spectrum they share. As late
 * in a search no score improves: with maxima that one template over and over reaches, all would tie. */
static hed_array *share_spectrum(void)
{
  const hed_random opt = { .seed = 2, .seeded = true };
  hed_array *target = hed_random_normal(HED_SHAPE(128, 128, 128), HED_FLOAT32, &opt);
  hed_array *spectrum = target ? hed_rfftn(target, NULL) : NULL;
  hed_release(target);
  return spectrum;
}

static hed_status make_search(hed_array **a)
{
  const hed_random opt = { .seed = 3, .seeded = true };
  a[0] = hed_random_normal(HED_SHAPE(32, 32, 32), HED_FLOAT32, &opt);
  a[1] = hed_full(HED_SHAPE(128, 128, 128), INFINITY, HED_FLOAT32);
  a[2] = hed_zeros(HED_SHAPE(128, 128, 128), HED_INT32);
  return a[0] && a[1] && a[2] ? HED_OK : hed_error();
}

static hed_status once_search(hed_array **a, const hed_array *shared)
{
  return hed_max_correlation(a[0], shared, NULL, a[1], a[2], 1);
}

typedef struct piece {
  const char *name, *on_team;
  hed_status (*make)(hed_array **a), (*once)(hed_array **a, const hed_array *shared);
  hed_array *(*share)(void);
  double bytes, flops;
  int64_t least;              /* pieces that last some 20 ms, of a search 100: workers wake up for each sample and end apart */
  int samples;                /* what else the machine does lasts a tenth of a second now and then */
} piece;

static const piece pieces[] = {
  { "matmul256", "matmul256_team", make_square, once_square, NULL, NAN, 2.0 * 256 * 256 * 256, 320, 9 },
  { "exp4e5", "exp4e5_team", make_long, once_exp, NULL, 8.0 * LONG, 20.0 * LONG, 960, 9 },
  { "add4e5", "add4e5_team", make_long, once_add, NULL, 12.0 * LONG, LONG, 960, 9 },
  { "sort2e5", "sort2e5_team", make_random, once_sort, NULL, 8.0 * RANDOM, NAN, 128, 9 },
  { "fft64", "fft64_team", make_cube, once_fft, NULL, NAN, 2 * 2.5 * 262144 * 18, 160, 9 },
  { "match128", "match128_team", make_search, once_search, share_spectrum, NAN, 2 * 2.5 * 2097152 * 21, 96, 5 },
};

/* ---- workers ---- */

static hed_status work_on(crew *c, hed_array **a)
{
  char spec[256];
  hed_frame frame;
  snprintf(spec, sizeof spec, "%s;threads=%d;fft=measure", c->backend, c->threads_each);
  hed_status status = hed_backend_context_push(spec, &frame);
  if (status != HED_OK)
    return status;
  if (!a[0])
    status = c->make(a);
  while (status == HED_OK && atomic_fetch_sub(&c->left, 1) > 0)
    status = c->once(a, c->shared);
  hed_context_unwind(frame);
  return status;
}

static void *worker_main(void *arg)
{
  worker *me = arg;
  crew *c = me->crew;
  int seen = 0;
  for (;;) {
    pthread_mutex_lock(&c->lock);
    while (c->turn == seen && !c->stop)
      pthread_cond_wait(&c->wake, &c->lock);
    seen = c->turn;
    bool stop = c->stop, mine = ((int)(me - c->worker) - c->first + c->n) % c->n < c->active;
    pthread_mutex_unlock(&c->lock);
    if (stop)
      break;
    hed_status status = mine ? work_on(c, me->a) : HED_OK;
    if (status != HED_OK)
      atomic_store(&c->status, (int)status);
    pthread_mutex_lock(&c->lock);
    if (--c->busy == 0)
      pthread_cond_signal(&c->done);
    pthread_mutex_unlock(&c->lock);
  }
  for (int k = 0; k < 3; k++)
    hed_release(me->a[k]);
  return NULL;
}

static hed_status turn(crew *c, int first, int workers, int threads, int64_t n)
{
  pthread_mutex_lock(&c->lock);
  c->first = first;
  c->active = workers;
  c->threads_each = threads;
  atomic_store(&c->left, n);
  c->busy = c->n;
  c->turn++;
  pthread_cond_broadcast(&c->wake);
  while (c->busy > 0)
    pthread_cond_wait(&c->done, &c->lock);
  pthread_mutex_unlock(&c->lock);
  int status = atomic_exchange(&c->status, HED_OK);
  return status == HED_OK ? HED_OK : hed_fail((hed_status)status, "a worker failed: %s", hed_status_text(status));
}

static hed_status run(bench_work *w, int64_t n)
{
  crew *c = w->own;
  return c->child ? bench_child_run(c->child, n) : turn(c, 0, (int)w->spec->dim[0], (int)w->spec->dim[1], n);
}

/* Each worker alone does its share. */
static void alone(void *state, int64_t n)
{
  crew *c = state;
  for (int i = 0; i < c->n; i++)
    turn(c, i, 1, 1, n * (i + 1) / c->n - n * i / c->n);
}

static void split(void *state, int64_t n)
{
  crew *c = state;
  turn(c, c->split_first, c->split_workers, c->split_threads, n);
  c->split_first = (c->split_first + c->split_workers) % c->n;
}

/* The fastest of the static splits of PROCESSORS, each worker with THREADS at most: fewer workers only where they are clearly
 * faster when this is found out, as what threads gain in one operation is not always the same. */
static const double CLEARLY = 0.95;

static hed_status choose_split(crew *c, int processors, int threads, int64_t n)
{
  double best = INFINITY;
  hed_status status = HED_OK;
  for (int most = c->n < processors ? c->n : processors, k = most; k > 0; k--) {
    int each = threads < processors / k ? threads : processors / k;
    double least = INFINITY;
    if (k < most && processors / (k + 1) >= each)
      continue; /* a worker more would have as many threads */
    for (int i = 0; i < 3 && status == HED_OK; i++) { /* the first one warms up */
      double start = bench_now();
      status = turn(c, 0, k, each, n);
      if (i > 0)
        least = fmin(least, bench_now() - start);
    }
    if (least < CLEARLY * best) {
      best = least;
      c->split_workers = k;
      c->split_threads = each;
    }
  }
  snprintf(c->note, sizeof c->note, "floor: best static split, %dx%d", c->split_workers, c->split_threads);
  return status;
}

static void drop(bench_work *w)
{
  crew *c = w->own;
  pthread_mutex_lock(&c->lock);
  c->stop = true;
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->lock);
  for (int i = 0; i < c->started; i++)
    pthread_join(c->worker[i].thread, NULL);
  hed_release(c->shared);
  bench_child_close(c->child);
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->wake);
  pthread_cond_destroy(&c->done);
  free(c);
}

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const piece *p = &pieces[s->dim[2]];
  const bench *b = s->what;
  crew *c = calloc(1, sizeof *c);
  if (!c)
    return hed_fail(HED_E_NOMEM, "no memory");
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->wake, NULL);
  pthread_cond_init(&c->done, NULL);
  w->own = c;
  w->drop = drop;
  c->n = (int)s->dim[0];
  c->make = p->make;
  c->once = p->once;
  snprintf(c->backend, sizeof c->backend, "%s", b->backend);
  for (; c->started < c->n; c->started++) {
    worker *one = &c->worker[c->started];
    one->crew = c;
    if (hed_thread_create(&one->thread, NULL, worker_main, one) != 0)
      return hed_fail(HED_E_NOMEM, "no thread for a worker");
  }
  c->shared = p->share ? p->share() : NULL;
  if (p->share && !c->shared)
    return hed_error();
  if (s->dim[3]) {
    char id[160];
    bench_spec plain = *s;
    plain.name = p->name;
    bench_id(&plain, id, sizeof id);
    const hed_status status = bench_child_open(b, "HEDDLE_TEAM", b->team, id, &c->child);
    if (status != HED_OK)
      return status;
  }
  int threads = (int)s->dim[1], together = c->n * threads, processors = hed_thread_capacity();
  w->run = run;
  w->least = p->least;
  w->samples = p->samples;
  w->read = p->bytes;
  w->written = 0;
  w->flops = p->flops;
  snprintf(w->shape, sizeof w->shape, "%d workers x %d threads", c->n, threads);
  w->floor = (bench_floor){ "ideal", alone, c, NULL, NAN, 1.0 / together, true };
  if (together <= processors)
    return HED_OK;
  w->floor.kind = "split";
  w->floor.run = split;
  w->floor.repeat = 0;
  w->note = c->note;
  return choose_split(c, processors, threads, p->least / 2);
}

static void list(bench *b, int64_t p, int workers, int threads, bool team)
{
  bench_spec s = { .suite = "scaling", .name = team ? pieces[p].on_team : pieces[p].name, .what = b, .together = &pieces[p],
                   .prepare = prepare, .dim = { workers, threads, p, team } };
  snprintf(s.size, sizeof s.size, "%dx%d", workers, threads);
  s.dtype = HED_FLOAT32;
  bench_add(b, &s, true);
}

void bench_list_scaling(bench *b)
{
  static const int workers[] = { 1, 2, 4 };
  for (int64_t p = 0; p < (int64_t)(sizeof pieces / sizeof pieces[0]); p++)
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++)
      for (int t = 0; t < b->n_threads; t++) {
        list(b, p, workers[i], b->threads[t], false);
        if (b->team && workers[i] == 1)
          list(b, p, 1, b->threads[t], true);
      }
}
