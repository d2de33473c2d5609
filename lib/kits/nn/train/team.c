// SPDX-License-Identifier: BSD-3-Clause
/* A batch by several workers, each on a thread and in a context of its own.
 *
 * Layer: L4, nn kit. Who has which samples, what it draws and in which order results are added up follow from numbers alone, so
 * that results do not depend on who is done first. Threads stay for the run. A worker for which there is no thread is done by the
 * calling thread, with the same bits.
 */
#include "kits/nn/train/fit.h"
#include "kits/workers.h"
#include <heddle/thread.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_nn_fit";

typedef struct seat {
  struct hed__nn_team *team;
  int number;
  char spec[HED__WORKER_SPEC];
  hed_context *context;
  pthread_t thread;
  bool threaded;
  int64_t count; /* samples of its part */
  hed_array **g; /* of its part, where it was computed */
  double loss;
  hed_status status;
  char why[400];
} seat;

struct hed__nn_team {
  const hed__nn_run *run;
  int n;
  seat *seat;
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t changed;
  uint64_t round;
  int busy;
  bool stop;
  /* of the round, written before it begins */
  const hed_nn_at *at;
  int64_t count;
  double scale;
};

/* ---- a part ---- */

/* X, of it samples FROM to TO where that is not all, where the context in force computes. */
static hed_array *here(const hed_array *x, int64_t from, int64_t to)
{
  hed_array *part = to < 0 ? hed_to(x, hed_get_backend()) : hed_slice(x, 1, &HED_RANGE(from, to, 1));
  return part && to >= 0 ? hed_to(part, hed_get_backend()) : part;
}

static hed_status work_on(seat *s, int64_t from, int64_t to)
{
  const hed__nn_team *t = s->team;
  const hed__nn_run *r = t->run;
  hed_nn_at at = *t->at;
  hed_array **x = hed__train_room(op, r->n + r->m, sizeof *x);
  hed_status status = x ? HED_OK : hed_error();
  at.worker = s->number;
  at.key = s->number ? hed_fold_key(at.key, (uint64_t)s->number) : at.key;
  hed_generator draws = { hed_fold_key(at.key, UINT64_MAX), 0 };
  hed_frame frame = { 0 };
  if (status == HED_OK)
    status = hed_context_push_stream(s->context, &draws, &frame);
  if (status == HED_OK)
    HED_PROFILE_RANGE("part") HED_SCOPE_OR(status = hed_error()) {
      for (int k = 0; k < r->n + r->m && status == HED_OK; k++) {
        x[k] = k < r->n ? here(r->params[k], 0, -1) : here(r->batch[k - r->n], from, to);
        status = x[k] ? HED_OK : hed_error();
      }
      if (status == HED_OK)
        status = hed__nn_value(r, &at, (const hed_array *const *)x, x + r->n, t->scale, s->g, &s->loss);
      for (int k = 0; k < r->n && status == HED_OK && at.training; k++)
        status = hed_wait(s->g[k]);
    }
  if (frame.cookie)
    (void)hed_context_pop(frame);
  free(x);
  return status;
}

/* The part of S of this round. */
static void do_part(seat *s)
{
  const hed__nn_team *t = s->team;
  const int64_t from = t->count * s->number / t->n, to = t->count * (s->number + 1) / t->n;
  s->count = to - from;
  s->status = s->count > 0 ? work_on(s, from, to) : HED_OK;
  if (s->status != HED_OK)
    (void)strncpy(s->why, hed_error_text(), sizeof s->why - 1);
}

static void *work(void *arg)
{
  seat *s = arg;
  hed__nn_team *t = s->team;
  for (uint64_t round = 1;; round++) {
    pthread_mutex_lock(&t->lock);
    while (t->round < round && !t->stop)
      pthread_cond_wait(&t->changed, &t->lock);
    const bool stop = t->stop;
    pthread_mutex_unlock(&t->lock);
    if (stop)
      return NULL;
    do_part(s);
    pthread_mutex_lock(&t->lock);
    t->busy--;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
  }
}

/* ---- the team ---- */

static hed_status add(void *list, const char *spec)
{
  hed__nn_team *t = list;
  seat *more = realloc(t->seat, ((size_t)t->n + 1) * sizeof *more);
  if (!more)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %d workers", op, t->n + 1);
  t->seat = more;
  t->seat[t->n] = (seat){ .number = t->n };
  (void)snprintf(t->seat[t->n++].spec, HED__WORKER_SPEC, "%s", spec);
  return HED_OK;
}

static hed_status set_up(hed__nn_team *t)
{
  for (int i = 0; i < t->n; i++) {
    seat *s = &t->seat[i];
    s->team = t;
    const hed_status status = hed__worker_context(op, i, s->spec, hed__worker_threads(t->n, s->spec), &s->context);
    if (status != HED_OK || !(s->g = hed__train_room(op, t->run->n, sizeof *s->g)))
      return hed_error();
  }
  for (int i = 0; i < t->n; i++)
    t->seat[i].threaded = hed_thread_create(&t->seat[i].thread, NULL, work, &t->seat[i]) == 0;
  return HED_OK;
}

hed_status hed__nn_team_open(hed__nn_run *r, const char *workers)
{
  hed__nn_team *t = hed__train_room(op, 1, sizeof *t);
  if (!t)
    return hed_error();
  t->run = r;
  r->team = t;
  (void)pthread_mutex_init(&t->lock, NULL);
  (void)pthread_cond_init(&t->changed, NULL);
  const hed_status status = hed__each_worker(op, workers, add, t);
  return status == HED_OK ? set_up(t) : status;
}

void hed__nn_team_close(hed__nn_team *t)
{
  int cancel;
  if (!t)
    return;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_mutex_lock(&t->lock);
  t->stop = true;
  pthread_cond_broadcast(&t->changed);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->n; i++) {
    seat *s = &t->seat[i];
    if (s->threaded)
      (void)pthread_join(s->thread, NULL);
    hed__nn_release_all(t->run->n, s->g);
    free(s->g);
    hed_context_release(s->context);
  }
  free(t->seat);
  (void)pthread_cond_destroy(&t->changed);
  (void)pthread_mutex_destroy(&t->lock);
  free(t);
  (void)pthread_setcancelstate(cancel, NULL);
}

/* All parts, whose threads and arrays are this call's: who is cancelled meanwhile would leave them. */
static void do_round(hed__nn_team *t)
{
  int cancel;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_mutex_lock(&t->lock);
  for (int i = 0; i < t->n; i++)
    t->busy += t->seat[i].threaded;
  t->round++;
  pthread_cond_broadcast(&t->changed);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->n; i++)
    if (!t->seat[i].threaded)
      do_part(&t->seat[i]);
  pthread_mutex_lock(&t->lock);
  while (t->busy > 0)
    pthread_cond_wait(&t->changed, &t->lock);
  pthread_mutex_unlock(&t->lock);
  (void)pthread_setcancelstate(cancel, NULL);
}

/* Parameter K's gradient: what the workers have, in their order, where the parameter is. */
static hed_status sum_up(hed__nn_run *r, int k)
{
  const hed__nn_team *t = r->team;
  hed_status status = HED_OK;
  for (int i = 0; i < t->n && status == HED_OK; i++) {
    const double weight = (double)t->seat[i].count / (double)t->count;
    if (t->seat[i].count == 0)
      continue;
    const hed_array *part = hed_to(t->seat[i].g[k], hed__train_home(r->params[k]));
    if (!part)
      status = hed_error();
    else if (r->g[k])
      status = hed_nn_accumulate(1, &r->g[k], &part, weight);
    else
      status = (r->g[k] = hed_keep(hed_multiply_scalar(part, weight))) ? HED_OK : hed_error();
  }
  return status;
}

hed_status hed__nn_team_ask(hed__nn_run *r, const hed_nn_at *at, int64_t count, double scale, double *loss)
{
  hed__nn_team *t = r->team;
  hed_status status = HED_OK;
  t->at = at;
  t->count = count;
  t->scale = scale;
  do_round(t);
  *loss = 0;
  for (int i = 0; i < t->n && status == HED_OK; i++) {
    const seat *s = &t->seat[i];
    if (s->status != HED_OK)
      status = hed_fail(s->status, "%s: worker %d, '%.40s': %s", op, i, s->spec, s->why);
    else if (s->count > 0)
      *loss += s->loss * ((double)s->count / (double)count);
  }
  for (int k = 0; k < r->n && status == HED_OK && at->training; k++)
    status = sum_up(r, k);
  for (int i = 0; i < t->n; i++)
    hed__nn_release_all(r->n, t->seat[i].g);
  return status;
}
