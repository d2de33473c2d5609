// SPDX-License-Identifier: BSD-3-Clause
/*
 * pool.c: threads that share out rotations, each in a context of its own.
 *
 * Layer: L4, match kit. A worker takes the next rotation from an atomic counter, so that a fast one does more; it
 * merges its maximum into the common one when nothing is left. Merging takes the larger score and of equal ones the
 * lower rotation, which is commutative: the result does not depend on who did what. The first failure stops all.
 * The calling thread waits, reports progress and watches for cancellation; it always joins every thread it started.
 * Where no thread can be made it is the first worker itself; where some cannot, the others do their share.
 */
#include "kits/match/statistics.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct pool {
  const hed__job *job;
  const hed_match_options *opt;
  atomic_size_t next, done;
  atomic_bool stop;
  pthread_mutex_t lock;     /* guards what follows, and best and index */
  pthread_cond_t changed;
  int running;
  bool cancelled;
  hed_status status;        /* of the first failure                    */
  char why[480];
  hed_array *best, *index;  /* of the first worker that was done, with those of the others in them */
  hed__statistics *statistics;
  size_t stride;            /* of the rotations that they look at      */
} pool;

typedef struct seat {
  pool *pool;
  hed_match_worker *worker;
  const hed_context *context;
  int number;
  bool alone;               /* the calling thread, which nobody watches */
} seat;

static bool cancelled(const pool *p)
{
  return p->opt->cancel && __atomic_load_n(p->opt->cancel, __ATOMIC_RELAXED) != 0;
}

/* Keeps the first failure and lets everybody stop. Cancelling is no failure of a worker's. */
static void fail_pool(pool *p, const seat *s, hed_status status)
{
  pthread_mutex_lock(&p->lock);
  if (p->status == HED_OK) {
    p->status = status;
    snprintf(p->why, sizeof p->why, "hed_match_run: worker %d, '%s': %s", s->number, s->worker->spec,
             hed_error_text());
  }
  pthread_mutex_unlock(&p->lock);
  atomic_store(&p->stop, true);
}

static void merge_values(float *to, int32_t *to_index, const float *best, const int32_t *index, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (index[i] >= 0 && (to_index[i] < 0 || best[i] > to[i] || (best[i] == to[i] && index[i] < to_index[i]))) {
      to[i] = best[i];
      to_index[i] = index[i];
    }
}

static hed_status merge(pool *p, const hed__buffers *w, hed__statistics *s)
{
  hed_array *best = hed__on_host(w->best), *index = hed__on_host(w->index);
  const float *from = best ? hed_array_data(best) : NULL;
  const int32_t *from_index = index ? hed_array_data(index) : NULL;
  hed_status status = from && from_index ? HED_OK : hed_error();
  pthread_mutex_lock(&p->lock);
  if (status == HED_OK && !p->best) {
    p->best = best;
    p->index = index;
    best = index = NULL;
  } else if (status == HED_OK) {
    merge_values(hed_array_data(p->best), hed_array_data(p->index), from, from_index, (size_t)hed_array_size(best));
  }
  if (status == HED_OK)
    hed__statistics_merge(p->statistics, s);
  pthread_mutex_unlock(&p->lock);
  hed_release(best);
  hed_release(index);
  return status;
}

/* One rotation into the worker's maximum. Where its scores are looked at they are made apart from it first. */
static hed_status rotate(pool *p, hed__buffers *w, hed__statistics *s, size_t i)
{
  const hed__job *job = p->job;
  const double *rotation = job->rotations + i * (size_t)(job->ndim * job->ndim);
  hed__buffers apart = *w;
  hed_status status;
  if (i % p->stride != 0)
    return job->score->rotate(job, w, rotation, (int32_t)i);
  apart.best = w->one;
  apart.index = w->number;
  if ((status = hed_fill(w->one, -INFINITY)) != HED_OK || (status = hed_fill_int(w->number, -1)) != HED_OK ||
      (status = job->score->rotate(job, &apart, rotation, (int32_t)i)) != HED_OK)
    return status;
  hed_array *scores = hed__on_host(w->one);
  const float *v = scores ? hed_array_data(scores) : NULL;
  if (v && isfinite(v[0])) /* a rotation that the mask does not survive leaves none */
    hed__statistics_add(s, job, v);
  hed_release(scores);
  return v ? hed_max_score_over_rotations(w->one, w->best, w->index, (int32_t)i) : hed_error();
}

/* The caller's callback says whether to go on. */
static void ask(pool *p)
{
  if (!p->opt->progress || atomic_load(&p->stop))
    return;
  if (p->opt->progress(p->opt->progress_arg, p->job->done + atomic_load(&p->done), p->job->in_all)) {
    p->cancelled = true;
    atomic_store(&p->stop, true);
  }
}

static hed_status rotations(pool *p, seat *s)
{
  const hed__job *job = p->job;
  hed__buffers w;
  hed__statistics sums;
  hed_status status = hed__statistics_open(&sums, job->undivided);
  if (status != HED_OK)
    return status;
  status = hed__buffers_open(&w, job);
  while (status == HED_OK && !atomic_load(&p->stop) && !cancelled(p)) {
    size_t i = atomic_fetch_add(&p->next, 1);
    if (i >= job->n_rotations)
      break;
    status = rotate(p, &w, &sums, i);
    s->worker->rotations++;
    atomic_fetch_add(&p->done, 1);
    if (s->alone)
      ask(p);
  }
  if (status == HED_OK && !atomic_load(&p->stop) && !cancelled(p))
    status = hed_wait(w.best);
  if (status == HED_OK && !atomic_load(&p->stop) && !cancelled(p))
    status = merge(p, &w, &sums);
  hed__statistics_close(&sums);
  hed__buffers_close(&w);
  return status;
}

static void *work(void *arg)
{
  seat *s = arg;
  pool *p = s->pool;
  const double start = hed__now();
  hed_frame frame = { 0, 0, 0, 0 };
  hed_scope scope = { 0, NULL };
  hed_context_info info = { .struct_size = sizeof info };

  hed_status status = hed_context_push(s->context, &frame);
  if (status == HED_OK && (status = hed_context_query(NULL, &info)) == HED_OK) {
    snprintf(s->worker->backend, sizeof s->worker->backend, "%s", info.name);
    s->worker->threads = info.threads;
  }
  if (status == HED_OK && (status = hed_scope_begin(&scope)) == HED_OK) {
    status = rotations(p, s);
    if (status != HED_OK)
      fail_pool(p, s, status); /* before the scope's end, which must not change the sentence */
    hed_scope_end(&scope);
  } else {
    fail_pool(p, s, status);
  }
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  s->worker->seconds += hed__now() - start;
  pthread_mutex_lock(&p->lock);
  p->running--;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* Until no worker runs; ten times a second the caller's callback is asked whether to go on. */
static void watch(pool *p)
{
  pthread_mutex_lock(&p->lock);
  while (p->running > 0) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
      until.tv_nsec -= 1000000000;
      until.tv_sec++;
    }
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
    if (p->running == 0)
      continue;
    pthread_mutex_unlock(&p->lock);
    ask(p);
    pthread_mutex_lock(&p->lock);
  }
  pthread_mutex_unlock(&p->lock);
}

static hed_status start_and_join(pool *p, hed__worker_list *list)
{
  seat *seats = calloc((size_t)list->n, sizeof *seats);
  pthread_t *threads = calloc((size_t)list->n, sizeof *threads);
  int started = 0;
  bool more = true;
  if (!seats || !threads) {
    free(seats);
    free(threads);
    return hed_fail(HED_E_NOMEM, "hed_match_run: no memory for %d workers", list->n);
  }
  while (started < list->n && more) {
    seats[started] = (seat){ p, &list->worker[started], list->context[started], started, false };
    pthread_mutex_lock(&p->lock);
    p->running++;
    pthread_mutex_unlock(&p->lock);
    more = hed_thread_create(&threads[started], NULL, work, &seats[started]) == 0;
    started += more;
  }
  if (!more && started == 0) {
    seats[0].alone = true;
    work(&seats[0]);
  } else if (!more) {
    pthread_mutex_lock(&p->lock);
    p->running--;
    pthread_mutex_unlock(&p->lock);
  }
  watch(p);
  for (int i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  free(seats);
  free(threads);
  return p->status == HED_OK ? HED_OK : hed_fail(p->status, "%s", p->why);
}

hed_status hed__pool_run(const hed__job *job, hed__worker_list *list, const hed_match_options *opt, hed_array **best,
                         hed_array **index, hed__statistics *statistics, double *seconds)
{
  pool p = { .job = job, .opt = opt, .statistics = statistics, .stride = hed__statistics_stride(job->n_rotations) };
  const double start = hed__now();
  pthread_condattr_t clock;

  pthread_mutex_init(&p.lock, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&p.changed, &clock);
  pthread_condattr_destroy(&clock);
  hed_status status = start_and_join(&p, list);
  pthread_cond_destroy(&p.changed);
  pthread_mutex_destroy(&p.lock);
  *seconds += hed__now() - start;
  for (int i = 0; i < list->n; i++)
    list->worker[i].share = (double)list->worker[i].rotations / (double)job->in_all;
  if (status == HED_OK && opt->progress && !p.cancelled && !cancelled(&p) &&
      opt->progress(opt->progress_arg, job->done + atomic_load(&p.done), job->in_all))
    p.cancelled = true;
  if (status == HED_OK && (p.cancelled || cancelled(&p)))
    status = hed_fail(HED_E_CANCELLED, "hed_match_run: cancelled after %zu of %zu rotations",
                      job->done + atomic_load(&p.done), job->in_all);
  if (status == HED_OK) {
    *best = p.best;
    *index = p.index;
  } else {
    hed_release(p.best);
    hed_release(p.index);
  }
  return status;
}
