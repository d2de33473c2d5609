// SPDX-License-Identifier: BSD-3-Clause
/* faulty: one worker per device that does jobs in the order of their submission, each a little late. L1.
 *
 * Submitting copies the call and returns; a ticket stands for it. A job whose predecessors failed fails with their
 * origin and text and does not run. Tickets grow by one per submission, so "done" is one comparison.
 */
#include "backends/faulty/faulty.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The lock is held. */
static void record(hed__faulty_device *d, uint64_t ticket, int32_t op, const char *text)
{
  hed__faulty_failure *f = &d->failures[d->n_failures++ % HED__FAULTY_FAILURES];
  f->ticket = ticket;
  f->op = op;
  snprintf(f->text, sizeof f->text, "%s", text);
}

const hed__faulty_failure *hed__faulty_failed(const hed__faulty_device *d, const uint64_t *tickets, int32_t n)
{
  uint64_t count = d->n_failures < HED__FAULTY_FAILURES ? d->n_failures : HED__FAULTY_FAILURES;
  for (int32_t k = 0; k < n; k++)
    for (uint64_t i = 0; i < count; i++)
      if (d->failures[i].ticket == tickets[k])
        return &d->failures[i];
  return NULL;
}

/* What JOB's turn brings: true when it may run. The lock is held. */
static bool admit(hed__faulty_device *d, const hed__faulty_job *job)
{
  char text[200];
  const hed__faulty_failure *f = hed__faulty_failed(d, job->wait, job->n_wait);
  if (f) { /* a copy: the ring may put the new record in its place */
    hed__faulty_failure origin = *f;
    record(d, job->ticket, origin.op, origin.text);
    return false;
  }
  if (d->dead) {
    record(d, job->ticket, job->op, d->dead_text);
    return false;
  }
  if (job->inject) {
    snprintf(text, sizeof text, "faulty:%d: submission %llu failed on request%s", (int)d->index,
             (unsigned long long)job->ticket, job->sticky ? " and took the device with it" : "");
    record(d, job->ticket, job->op, text);
    if (job->sticky) {
      d->dead = true;
      snprintf(d->dead_text, sizeof d->dead_text, "%s", text);
    }
    return false;
  }
  return true;
}

static void pause_us(int64_t us)
{
  struct timespec t = { us / 1000000, us % 1000000 * 1000 };
  if (us > 0)
    nanosleep(&t, NULL);
}

static void *worker(void *arg)
{
  hed__faulty_device *d = arg;
  pthread_mutex_lock(&d->lock);
  for (;;) {
    while (!d->first || (d->first->run && d->waiting == 0 && hed_faulty_query("hold") != 0))
      pthread_cond_wait(&d->work, &d->lock);
    hed__faulty_job *job = d->first;
    d->first = job->next;
    if (!d->first)
      d->last = NULL;
    if (job->run) {
      pthread_mutex_unlock(&d->lock);
      pause_us(hed_faulty_query("delay_us"));
      pthread_mutex_lock(&d->lock);
      bool run = admit(d, job);
      pthread_mutex_unlock(&d->lock);
      if (run)
        job->run(job);
      pthread_mutex_lock(&d->lock);
      d->completed = job->ticket;
      d->host->free(job);
    } else {
      hed__faulty_block_release(d, (hed__faulty_block *)(void *)job);
    }
    d->finished++;
    pthread_cond_broadcast(&d->done);
  }
  return NULL;
}

bool hed__faulty_queue_start(hed__faulty_device *d)
{
  pthread_t t;
  sigset_t all, old;
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->work, NULL);
  pthread_cond_init(&d->done, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); /* the program's signals are not for this thread */
  int e = pthread_create(&t, NULL, worker, d);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (e == 0)
    pthread_detach(t);
  return e == 0;
}

void hed__faulty_enqueue(hed__faulty_device *d, hed__faulty_job *job)
{
  job->next = NULL;
  if (d->last)
    d->last->next = job;
  else
    d->first = job;
  d->last = job;
  d->queued++;
  pthread_cond_signal(&d->work);
}

/* A cancelled waiter must not keep the lock, nor count as one. */
static void unlock(void *device)
{
  hed__faulty_device *d = device;
  d->waiting--;
  pthread_mutex_unlock(&d->lock);
}

/* The lock is held. */
static void begin_wait(hed__faulty_device *d)
{
  d->waiting++;
  pthread_cond_signal(&d->work);
}

void hed__faulty_drain(hed__faulty_device *d, bool releases)
{
  uint64_t target = d->queued;
  if (releases) {
    while (d->first && !d->first->run)
      pthread_cond_wait(&d->done, &d->lock);
    return;
  }
  begin_wait(d);
  pthread_cleanup_push(unlock, d);
  while (d->finished < target)
    pthread_cond_wait(&d->done, &d->lock);
  pthread_cleanup_pop(0);
  d->waiting--;
}

int32_t hed__faulty_done(void *state, uint64_t ticket)
{
  hed__faulty_device *d = state;
  pthread_mutex_lock(&d->lock);
  int32_t done = d->completed >= ticket;
  pthread_mutex_unlock(&d->lock);
  return done;
}

int32_t hed__faulty_submit(void *state, const hed_call *call, hed__faulty_run run)
{
  hed__faulty_device *d = state;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  int32_t n_wait = call->n_wait_for > 0 ? call->n_wait_for : 0;
  hed__faulty_job *job = d->host->alloc(sizeof *job + (size_t)n_wait * sizeof job->wait[0], 0);
  if (!job)
    return d->host->fail(HED_E_NOMEM, "faulty:%d: no memory for a submission", (int)d->index);
  memset(job, 0, sizeof *job);
  job->run = run;
  job->op = call->op;
  job->n_in = call->n_in;
  for (int32_t k = 0; k < call->n_in; k++) {
    job->in[k] = *call->in[k];
    job->in[k].data = hed__faulty_real(d, call->in[k]->data);
  }
  job->out = *call->out[0];
  job->out.data = hed__faulty_real(d, call->out[0]->data);
  if (call->op == HED_OP_FILL)
    job->params.fill = *(const hed_fill_params *)call->params;
  else if (call->op == HED_OP_SUM)
    job->params.reduce = *(const hed_reduce_params *)call->params;
  job->n_wait = n_wait;
  job->wait = (uint64_t *)(void *)(job + 1);
  if (n_wait)
    memcpy(job->wait, call->wait_for, (size_t)n_wait * sizeof job->wait[0]);
  job->inject = hed__faulty_tick(&hed__faulty.submissions, &hed__faulty.fail);
  job->sticky = hed__faulty_tick(NULL, &hed__faulty.sticky);
  job->inject |= job->sticky;

  int32_t status = HED_OK;
  pthread_mutex_lock(&d->lock);
  if (d->dead) {
    status = d->host->fail(HED_E_UNAVAILABLE, "%s", d->dead_text);
  } else {
    job->ticket = ++d->issued;
    if (call->ticket)
      *call->ticket = job->ticket;
    hed__faulty_enqueue(d, job);
    job = NULL;
  }
  pthread_mutex_unlock(&d->lock);
  d->host->free(job);
  return status;
}

int32_t hed__faulty_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  hed__faulty_device *d = state;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  hed__faulty_tick(&hed__faulty.waits, NULL);
  int32_t status = HED_OK;
  pthread_mutex_lock(&d->lock);
  begin_wait(d);
  pthread_cleanup_push(unlock, d);
  while (d->completed < ticket)
    pthread_cond_wait(&d->done, &d->lock);
  const hed__faulty_failure *f = hed__faulty_failed(d, &ticket, 1);
  if (f) {
    status = d->dead ? HED_E_UNAVAILABLE : HED_E_ASYNC;
    *op = f->op;
    if (cap)
      snprintf(text, cap, "%s", f->text);
  }
  pthread_cleanup_pop(1);
  return status;
}
