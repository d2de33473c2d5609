// SPDX-License-Identifier: BSD-3-Clause
/* Threads that share out rotations, each in a context of its own.
 *
 * Layer: L4, match kit. A worker takes the next rotation that nobody has, so that a fast one does more; it
 * merges its maximum into the common one when nothing is left. Merging takes the larger score and of equal ones the
 * lower rotation, which is commutative: the result does not depend on who did what. What a worker that fails has done since it
 * merged is done again by the others; without any left the run fails with the first one's sentence.
 * The calling thread waits, reports progress and watches for cancellation; it always joins every thread it started.
 * Where no thread can be made it is the first worker itself; where some cannot, the others do their share.
 */
#include "kits/match/run/checkpoint.h"
#include "kits/match/run/claims.h"
#include "kits/match/run/looks.h"
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
  size_t part;
  atomic_size_t done;
  atomic_bool stop;
  atomic_int epoch;         /* goes up when all are to merge what they have */
  pthread_mutex_t lock;     /* guards what follows, and best and index */
  hed__claims claims;
  pthread_cond_t changed;
  int running, busy, merged; /* threads; of these, that hold rotations nobody else has; that have merged in this epoch */
  bool cancelled;
  hed_status status, broken; /* of the first failure of a worker; of file or counter, which ends the run; and a sentence */
  char why[480];
  size_t *redo, n_redo;     /* rotations that a worker lost            */
  hed_array *best, *index;  /* what was merged so far; without checkpoints those of the first worker that was done */
  hed__record *record;
} pool;

typedef struct seat {
  pool *pool;
  hed_match_worker *worker;
  const hed_context *context;
  int number;
  bool alone;               /* the calling thread, which nobody watches */
  hed__looks looks;
  size_t *mine, n_mine, room; /* rotations that are in its maximum, and in nobody else's */
  int epoch;
} seat;

static bool cancelled(const pool *p)
{
  return p->opt->cancel && __atomic_load_n(p->opt->cancel, __ATOMIC_RELAXED) != 0;
}

/* What a worker has done alone since it merged is for the others to do again; they go on. Without any the run has failed. */
static void fail_worker(pool *p, seat *s, hed_status status)
{
  snprintf(s->worker->failure, sizeof s->worker->failure, "%s", hed_error_text());
  pthread_mutex_lock(&p->lock);
  if (p->status == HED_OK) {
    p->status = status;
    snprintf(p->why, sizeof p->why, "hed_match_run: worker %d, '%s': %s", s->number, s->worker->spec,
             hed_error_text());
  }
  size_t *more = s->n_mine ? realloc(p->redo, (p->n_redo + s->n_mine) * sizeof *more) : NULL;
  if (more) {
    p->redo = more;
    memcpy(more + p->n_redo, s->mine, s->n_mine * sizeof *more);
    p->n_redo += s->n_mine;
  } else if (s->n_mine) {
    atomic_store(&p->stop, true); /* they cannot be kept account of */
  }
  atomic_fetch_sub(&p->done, s->n_mine);
  s->worker->rotations -= s->n_mine;
  s->n_mine = 0;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

static void merge_values(float *to, int32_t *to_index, const float *best, const int32_t *index, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (index[i] >= 0 && (to_index[i] < 0 || best[i] > to[i] || (best[i] == to[i] && index[i] < to_index[i]))) {
      to[i] = best[i];
      to_index[i] = index[i];
    }
}

/* S's maximum into the common one, and the account of what is in there. While it goes on it keeps its own buffers to itself. */
static hed_status merge(pool *p, seat *s, const hed__buffers *w, bool goes_on)
{
  hed_array *best = hed__on_host(w->best), *index = hed__on_host(w->index);
  const float *from = best ? hed_array_data(best) : NULL;
  const int32_t *from_index = index ? hed_array_data(index) : NULL;
  hed_status status = from && from_index ? HED_OK : hed_error();
  pthread_mutex_lock(&p->lock);
  if (status == HED_OK && !p->best && goes_on) {
    p->best = hed__host_empty(p->job->fast, HED_FLOAT32);
    p->index = p->best ? hed__host_empty(p->job->fast, HED_INT32) : NULL;
    if (p->index) {
      memcpy(hed_array_data(p->best), from, hed_array_nbytes(best));
      memcpy(hed_array_data(p->index), from_index, hed_array_nbytes(index));
    } else {
      hed_release(p->best);
      p->best = NULL;
      status = hed_error();
    }
  } else if (status == HED_OK && !p->best) {
    p->best = best;
    p->index = index;
    best = index = NULL;
  } else if (status == HED_OK) {
    merge_values(hed_array_data(p->best), hed_array_data(p->index), from, from_index, (size_t)hed_array_size(best));
  }
  if (status == HED_OK) {
    hed__statistics_merge(&p->record->statistics, &s->looks.sums);
    if (s->looks.analyzer)
      status = s->looks.analyzer->merge(s->looks.analyzer->arg, s->looks.state);
    for (size_t i = 0; i < s->n_mine && p->record->done; i++)
      hed__set_done(p->record, p->part, s->mine[i]);
    s->n_mine = 0;
  }
  pthread_mutex_unlock(&p->lock);
  hed_release(best);
  hed_release(index);
  return status;
}

/* Rotations done of all parts; where other processes take some, too, those that were taken. */
static size_t progress_of(pool *p)
{
  pthread_mutex_lock(&p->lock);
  const size_t n = p->opt->counter ? p->claims.until : atomic_load(&p->done);
  pthread_mutex_unlock(&p->lock);
  return p->job->done + n;
}

/* The caller's callback says whether to go on. */
static void ask(pool *p)
{
  if (!p->opt->progress || atomic_load(&p->stop))
    return;
  if (p->opt->progress(p->opt->progress_arg, progress_of(p), p->job->in_all)) {
    p->cancelled = true;
    atomic_store(&p->stop, true);
  }
}

/* The end of the run with this thread's error; with the lock held. */
static void break_off(pool *p, hed_status status)
{
  p->broken = status;
  snprintf(p->why, sizeof p->why, "%s", hed_error_text());
  atomic_store(&p->stop, true);
}

/* A rotation that nobody has taken yet. */
static bool claim(pool *p, size_t *i)
{
  hed_status status;
  do {
    if ((status = hed__claim(&p->claims, p->opt->counter, p->job, i)) != HED_OK)
      break_off(p, status);
  } while (status == HED_OK && *i < p->job->n_rotations && (!hed__is_mine(p->record, *i) || hed__is_settled(p->record, p->part, *i)));
  return status == HED_OK && *i < p->job->n_rotations;
}

/* The next rotation that nobody has done, those that a worker lost included; waits while others may still lose some. False:
 * there is none left, or an end to it. */
static bool next_rotation(pool *p, size_t *i)
{
  if (atomic_load(&p->stop) || cancelled(p))
    return false;
  pthread_mutex_lock(&p->lock);
  bool some = claim(p, i);
  if (!some) {
    p->busy--;
    pthread_cond_broadcast(&p->changed);
    while (p->n_redo == 0 && p->busy > 0 && !atomic_load(&p->stop) && !cancelled(p))
      pthread_cond_wait(&p->changed, &p->lock);
    some = p->n_redo > 0 && !atomic_load(&p->stop) && !cancelled(p);
    if (some)
      *i = p->redo[--p->n_redo];
    p->busy++;
  }
  pthread_mutex_unlock(&p->lock);
  return some;
}

static hed_status take_account(seat *s, size_t i)
{
  if (s->n_mine == s->room) {
    const size_t room = s->room ? 2 * s->room : 64;
    size_t *more = realloc(s->mine, room * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "hed_match_run: no memory to keep account of %zu rotations", room);
    s->mine = more;
    s->room = room;
  }
  s->mine[s->n_mine++] = i;
  return HED_OK;
}

/* Merges when all are to. */
static hed_status keep_epoch(pool *p, seat *s, const hed__buffers *w)
{
  const int epoch = atomic_load(&p->epoch);
  if (epoch == s->epoch)
    return HED_OK;
  s->epoch = epoch;
  hed_status status = hed_wait(w->best);
  if (status == HED_OK)
    status = merge(p, s, w, true);
  pthread_mutex_lock(&p->lock);
  p->merged++;
  pthread_mutex_unlock(&p->lock);
  return status;
}

static hed_status rotations(pool *p, seat *s)
{
  hed__buffers w;
  size_t i;
  hed_status status = hed__looks_open(&s->looks, p->job, p->opt->analyzer);
  if (status != HED_OK)
    return status;
  status = hed__buffers_open(&w, p->job, p->opt->analyzer != NULL);
  while (status == HED_OK && next_rotation(p, &i)) {
    if ((status = take_account(s, i)) != HED_OK)
      break;
    atomic_fetch_add(&p->done, 1);
    s->worker->rotations++;
    HED_PROFILE_RANGE("rotation")
      status = hed__rotate(p->job, &w, &s->looks, i);
    if (status == HED_OK)
      status = keep_epoch(p, s, &w);
    if (s->alone)
      ask(p);
  }
  const bool ended = atomic_load(&p->stop) || cancelled(p);
  if (status == HED_OK && (!ended || p->opt->checkpoint))
    status = hed_wait(w.best);
  if (status == HED_OK && (!ended || p->opt->checkpoint))
    HED_PROFILE_RANGE("merge")
      status = merge(p, s, &w, false);
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
      fail_worker(p, s, status); /* before the scope's end, which must not change the sentence */
    hed_scope_end(&scope);
  } else {
    fail_worker(p, s, status);
  }
  hed__looks_close(&s->looks);
  free(s->mine);
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  s->worker->seconds += hed__now() - start;
  pthread_mutex_lock(&p->lock);
  p->running--;
  p->busy--;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* What is merged so far, into the file; with the lock held. A failure to write ends the run. */
static void write_checkpoint(pool *p)
{
  if (p->best)
    hed__raw_keep(p->record, p->job, hed_array_data(p->best), hed_array_data(p->index));
  const hed_status status = hed__record_write(p->opt->checkpoint, p->record);
  if (status != HED_OK)
    break_off(p, status);
}

/* Now and then all workers are told to merge, and once they have, or after ten seconds, the file is written. */
static void keep_checkpoint(pool *p, double *last, bool *waiting)
{
  const double now = hed__now(), every = p->opt->checkpoint_seconds > 0 ? p->opt->checkpoint_seconds : 300;
  if (!p->opt->checkpoint)
    return;
  if (*waiting && (p->merged >= p->busy || now - *last > 10)) {
    *waiting = false;
    *last = now;
    write_checkpoint(p);
  } else if (!*waiting && now - *last >= every) {
    *waiting = true;
    *last = now;
    p->merged = 0;
    atomic_fetch_add(&p->epoch, 1);
  }
}

/* Until no worker runs; ten times a second the caller's callback is asked whether to go on. */
static void watch(pool *p)
{
  double last = hed__now();
  bool waiting = false;
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
    keep_checkpoint(p, &last, &waiting);
    pthread_mutex_unlock(&p->lock);
    ask(p);
    pthread_mutex_lock(&p->lock);
    if (cancelled(p) || atomic_load(&p->stop)) /* some may wait for what others lose */
      pthread_cond_broadcast(&p->changed);
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
    seats[started] = (seat){ .pool = p, .worker = &list->worker[started], .context = list->context[started],
                             .number = started };
    pthread_mutex_lock(&p->lock);
    p->running++;
    p->busy++;
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
    p->busy--;
    pthread_mutex_unlock(&p->lock);
  }
  watch(p);
  for (int i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  free(seats);
  free(threads);
  return HED_OK;
}

/* Every rotation of this share is in the maximum: a worker that failed has been replaced by the others. */
static bool complete(const pool *p)
{
  return p->best && p->n_redo == 0 && p->claims.next >= p->job->n_rotations && !atomic_load(&p->stop);
}

/* An interrupted part's maximum goes on where it was. */
static hed_status take_up(pool *p)
{
  const hed__record *r = p->record;
  bool some = false;
  for (size_t i = 0; i < r->n_rotations && !some; i++)
    some = hed__is_done(r, p->part, i);
  if (!some)
    return HED_OK;
  p->best = hed__host_empty(p->job->fast, HED_FLOAT32);
  p->index = p->best ? hed__host_empty(p->job->fast, HED_INT32) : NULL;
  if (!p->index)
    return hed_error();
  float *best = hed_array_data(p->best);
  int32_t *index = hed_array_data(p->index);
  hed__no_scores(best, index, (size_t)hed_array_size(p->best));
  hed__raw_give(r, p->job, best, index);
  for (size_t i = 0; i < r->n_rotations; i++)
    if (hed__is_done(r, p->part, i))
      atomic_fetch_add(&p->done, 1);
  return HED_OK;
}

hed_status hed__pool_run(const hed__job *job, hed__worker_list *list, const hed_match_options *opt, hed_array **best,
                         hed_array **index, hed__record *record, double *seconds)
{
  pool p = { .job = job, .opt = opt, .record = record, .part = job->part };
  const double start = hed__now();
  pthread_condattr_t clock;
  int cancel;

  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* workers use what is on this stack; opt->cancel ends them */
  pthread_mutex_init(&p.lock, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&p.changed, &clock);
  pthread_condattr_destroy(&clock);
  hed_status status = take_up(&p);
  if (status == HED_OK)
    status = start_and_join(&p, list);
  if (status == HED_OK && complete(&p) && opt->progress && !p.cancelled && !cancelled(&p) &&
      opt->progress(opt->progress_arg, progress_of(&p), job->in_all))
    p.cancelled = true;
  const bool ended = p.cancelled || cancelled(&p);
  record->ended = ended;
  if (status == HED_OK && opt->checkpoint && ended)
    write_checkpoint(&p);
  record->ended = false;
  if (status == HED_OK && p.broken != HED_OK)
    status = hed_fail(p.broken, "%s", p.why);
  if (status == HED_OK && !ended && !complete(&p) && p.status != HED_OK)
    status = hed_fail(p.status, "%s", p.why);
  pthread_cond_destroy(&p.changed);
  pthread_mutex_destroy(&p.lock);
  *seconds += hed__now() - start;
  for (int i = 0; i < list->n; i++)
    list->worker[i].share = (double)list->worker[i].rotations / (double)job->in_all;
  if (status == HED_OK && ended)
    status = hed_fail(HED_E_CANCELLED, "hed_match_run: cancelled after %zu of %zu rotations",
                      job->done + atomic_load(&p.done), job->in_all);
  if (status == HED_OK) {
    *best = p.best;
    *index = p.index;
  } else {
    hed_release(p.best);
    hed_release(p.index);
  }
  free(p.redo);
  pthread_setcancelstate(cancel, NULL);
  return status;
}
