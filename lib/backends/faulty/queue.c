// SPDX-License-Identifier: BSD-3-Clause
/* faulty: streams: a thread each that does jobs in the order of their submission, each a little late. L1.
 *
 * A job begins when every ticket that it lists is over. One whose predecessors failed fails with their origin and text and
 * does not run. Values of tickets grow by one per submission, so "done" is one comparison.
 */
#include "backends/faulty/faulty.h"
#include "base/cancel.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t waiting; /* threads of the host */
static int64_t running; /* jobs */

static const uint64_t value_bits = ((uint64_t)1 << 48) - 1;

void faulty_forget_threads(void)
{
  pthread_mutex_init(&faulty_lock, NULL);
  pthread_cond_init(&faulty_changed, NULL);
  waiting = running = 0;
}

/* ---- a device that dies ---- */

static void die(faulty_device *d, const char *text)
{
  d->dead = true;
  snprintf(d->dead_text, sizeof d->dead_text, "%s", text);
}

bool faulty_is_dead(faulty_device *d)
{
  char text[FAULTY_TEXT];
  if (!d->dead && atomic_load(&faulty_state.lose) == d->index + 1) {
    snprintf(text, sizeof text, "faulty:%d was lost on request", (int)d->index);
    die(d, text);
  }
  return d->dead;
}

/* ---- the streams' threads ---- */

static bool is_over(const faulty_device *d, uint64_t ticket)
{
  uint64_t s = ticket >> 48;
  return s >= FAULTY_STREAMS || d->stream[s].completed >= (ticket & value_bits);
}

static bool may_begin(const faulty_job *job)
{
  bool yes = true;
  for (int32_t k = 0; k < job->n_deps; k++)
    yes = yes && is_over(job->dep[k].device, job->dep[k].ticket);
  return yes;
}

/* A short time is none: half of those that jitter_us=100 gives. */
static void pause_us(int64_t us)
{
  struct timespec t = { us / 1000000, us % 1000000 * 1000 };
  if (us > 50)
    nanosleep(&t, NULL);
}

static int32_t refuse(faulty_job *job, int32_t status, const char *text)
{
  job->status = status;
  snprintf(job->text, sizeof job->text, "%s", text);
  return status;
}

/* What JOB's turn brings: HED_OK when it may run. *OP is the operation to blame. The lock is held. */
static int32_t admit(faulty_job *job, uint64_t ticket, int32_t *op)
{
  faulty_device *d = job->device;
  char text[FAULTY_TEXT];
  for (int32_t k = 0; k < job->n_deps; k++) {
    const faulty_fate *f = job->dep[k].fate;
    if (f && f->status != HED_OK) {
      *op = f->op;
      return refuse(job, f->status, f->text);
    }
  }
  if (faulty_is_dead(d))
    return refuse(job, HED_E_UNAVAILABLE, d->dead_text);
  if (job->inject) {
    snprintf(text, sizeof text, "faulty:%d: submission %llu of stream %llu failed on request%s", (int)d->index,
             (unsigned long long)(ticket & value_bits), (unsigned long long)(ticket >> 48),
             job->sticky ? " and took the device with it" : "");
    if (job->sticky)
      die(d, text);
    return refuse(job, job->sticky ? HED_E_UNAVAILABLE : HED_E_ASYNC, text);
  }
  const char *what = job->call.op >= 0 ? faulty_name(d, job->call.op) : "copy";
  return job->status = faulty_versions(job->use, job->n_uses, what, job->text);
}

/* JOB from its beginning to its end, and gives it back. The lock is held, but not while it runs. */
static void work(faulty_stream *s, faulty_job *job)
{
  faulty_device *d = job->device;
  const uint64_t ticket = (uint64_t)s->number << 48 | job->value;
  int32_t op = job->call.op;
  while (!may_begin(job))
    pthread_cond_wait(&faulty_changed, &faulty_lock);
  if (++running > atomic_load(&faulty_state.overlap))
    atomic_store(&faulty_state.overlap, running);
  pthread_mutex_unlock(&faulty_lock);
  pause_us(job->late_us);
  pthread_mutex_lock(&faulty_lock);
  if (admit(job, ticket, &op) == HED_OK) {
    pthread_mutex_unlock(&faulty_lock);
    faulty_run_job(job);
    pthread_mutex_lock(&faulty_lock);
  }
  faulty_fate_end(job, op);
  faulty_over(job->use, job->n_uses);
  running--;
  s->completed = job->value;
  d->host->free(job);
  pthread_cond_broadcast(&faulty_changed);
}

static void *worker(void *arg)
{
  faulty_stream *s = arg;
  pthread_mutex_lock(&faulty_lock);
  for (;;) {
    while (!s->first || (waiting == 0 && atomic_load(&faulty_state.hold) != 0))
      pthread_cond_wait(&faulty_changed, &faulty_lock);
    faulty_job *job = s->first;
    s->first = job->next;
    if (!s->first)
      s->last = NULL;
    work(s, job);
  }
  return NULL;
}

bool faulty_stream_start(faulty_device *d)
{
  pthread_t t;
  sigset_t all, old;
  faulty_stream *s = &d->stream[d->n_streams];
  s->device = d;
  s->number = d->n_streams;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); /* the program's signals are not for this thread */
  int e = pthread_create(&t, NULL, worker, s);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (e == 0) {
    pthread_detach(t);
    d->n_streams++;
  }
  return e == 0;
}

/* Microseconds by which JOB is late: the same in every run that submits the same to the same streams. */
static int64_t delay_of(const faulty_job *job, const faulty_stream *s)
{
  int64_t jitter = atomic_load(&faulty_state.jitter_us);
  uint64_t z = (uint64_t)atomic_load(&faulty_state.seed) + job->value * 0x9e3779b97f4a7c15 +
               (uint64_t)(s->device->index * FAULTY_STREAMS + s->number) * 0xd1b54a32d192ed03;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return atomic_load(&faulty_state.delay_us) + (jitter > 0 ? (int64_t)((z ^ z >> 31) % (uint64_t)jitter) : 0);
}

void faulty_enqueue(faulty_stream *s, faulty_job *job)
{
  job->next = NULL;
  job->value = ++s->issued;
  job->late_us = job->run ? delay_of(job, s) : 0;
  if (s->last)
    s->last->next = job;
  else
    s->first = job;
  s->last = job;
  pthread_cond_broadcast(&faulty_changed);
}

/* ---- waiting ---- */

void faulty_await(const faulty_device *d, const uint64_t *tickets, int32_t n)
{
  HED__UNCANCELLED;
  waiting++;
  pthread_cond_broadcast(&faulty_changed);
  for (int32_t k = 0; k < n; k++)
    while (!is_over(d, tickets[k]))
      pthread_cond_wait(&faulty_changed, &faulty_lock);
  waiting--;
}

void faulty_drain(const faulty_device *d)
{
  uint64_t last[FAULTY_STREAMS];
  for (int32_t k = 0; k < d->n_streams; k++)
    last[k] = (uint64_t)k << 48 | d->stream[k].issued;
  faulty_await(d, last, d->n_streams);
}

int32_t faulty_done(void *state, uint64_t ticket)
{
  faulty_device *d = state;
  if (d->forked || faulty_call(NULL, &faulty_state.fail_done))
    return 0;
  pthread_mutex_lock(&faulty_lock);
  int32_t done = is_over(d, ticket);
  pthread_mutex_unlock(&faulty_lock);
  return done;
}

int32_t faulty_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  faulty_device *d = state;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  bool fails = faulty_call(&faulty_state.waits, &faulty_state.fail_wait);
  pthread_mutex_lock(&faulty_lock);
  faulty_await(d, &ticket, 1);
  const faulty_fate *f = faulty_failed(d, ticket);
  int32_t status = f ? faulty_is_dead(d) ? HED_E_UNAVAILABLE : f->status : fails ? HED_E_ASYNC : HED_OK;
  if (status != HED_OK) {
    if (f)
      *op = f->op;
    if (cap)
      snprintf(text, cap, "%s", f ? f->text : "a wait failed on request");
  }
  pthread_mutex_unlock(&faulty_lock);
  return status;
}
