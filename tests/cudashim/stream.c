// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: streams, a thread each, and events. */
#include "shim.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DECLARE(name, version, arguments) unsigned name arguments;
CUDA_DRIVER(DECLARE)

typedef struct item {
  struct item *next;
  unsigned (*run)(void *arg);
  CUevent event;               /* without RUN: to wait for until VALUE, or to set to it */
  bool wait;
  uint64_t value;
  max_align_t arg[];
} item;

struct CUstream_st {
  CUstream next;
  CUcontext context;
  item *first, *last;
  uint64_t issued, done;
};

struct CUevent_st {
  CUcontext context;
  uint64_t recorded, done;
  struct timespec when;        /* it was done last */
  bool timed;
  int users;                   /* items that know it, and the program */
};

/* ---- the thread ---- */

/* The lock is held. */
static void event_release(CUevent e)
{
  if (--e->users == 0)
    free(e);
}

static void step(CUstream s, item *i)
{
  if (i->event && i->wait) {
    while (i->event->done < i->value && !s->context->error)
      pthread_cond_wait(&shim_changed, &shim_lock);
  } else if (i->event) {
    if (i->event->done < i->value) { /* else it was recorded again meanwhile, in another stream, which was faster */
      i->event->done = i->value;
      clock_gettime(CLOCK_MONOTONIC, &i->event->when);
    }
  } else if (!s->context->error) {
    pthread_mutex_unlock(&shim_lock);
    const unsigned error = i->run(i->arg);
    pthread_mutex_lock(&shim_lock);
    if (error && !s->context->error)
      s->context->error = error;
  }
  if (i->event)
    event_release(i->event);
}

/* Streams stay: somebody may be waiting for one. */
static _Noreturn void *work(void *arg)
{
  CUstream s = arg;
  pthread_mutex_lock(&shim_lock);
  for (;;) {
    while (!s->first)
      pthread_cond_wait(&shim_changed, &shim_lock);
    item *i = s->first;
    s->first = i->next;
    if (!s->first)
      s->last = NULL;
    step(s, i);
    s->done++;
    free(i);
    pthread_cond_broadcast(&shim_changed);
  }
}

/* The lock is held. */
static CUstream stream_make(CUcontext c)
{
  CUstream s = calloc(1, sizeof *s);
  pthread_t thread;
  sigset_t all, old;
  if (!s)
    return NULL;
  s->context = c;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  const int failed = pthread_create(&thread, NULL, work, s);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (failed) {
    free(s);
    return NULL;
  }
  pthread_detach(thread);
  s->next = c->streams;
  return c->streams = s;
}

/* NULL and 1: the default stream of the current context; 2: the calling thread's. The lock is held. */
static CUstream resolve(CUstream stream)
{
  static _Thread_local CUstream of_thread[MOST_DEVICES];
  CUcontext c = shim_current();
  if ((uintptr_t)stream > 2)
    return stream;
  CUstream *standard = c ? (uintptr_t)stream == 2 ? &of_thread[c->device] : &c->standard : NULL;
  if (c && !*standard)
    *standard = stream_make(c);
  return c ? *standard : NULL;
}

CUcontext shim_context_of(CUstream stream) { return (uintptr_t)stream > 2 ? stream->context : shim_current(); }

/* ---- submissions ---- */

static item *item_make(size_t bytes)
{
  return calloc(1, sizeof(item) + bytes);
}

/* The lock is held. */
static void put(CUstream s, item *i)
{
  *(s->last ? &s->last->next : &s->first) = i;
  s->last = i;
  s->issued++;
  pthread_cond_broadcast(&shim_changed);
}

unsigned shim_submit(CUstream stream, unsigned (*run)(void *arg), const void *arg, size_t bytes)
{
  item *i = item_make(bytes);
  if (!i)
    return NV_CUDA_ERROR_OUT_OF_MEMORY;
  i->run = run;
  memcpy(i->arg, arg, bytes);
  pthread_mutex_lock(&shim_lock);
  CUstream s = resolve(stream);
  const bool good = s && s->context == shim_current();
  if (good)
    put(s, i);
  pthread_mutex_unlock(&shim_lock);
  if (!good)
    free(i);
  return good ? NV_CUDA_SUCCESS : NV_CUDA_ERROR_INVALID_HANDLE;
}

/* The lock is held. */
static void await(CUstream s)
{
  const uint64_t value = s->issued;
  while (s->done < value)
    pthread_cond_wait(&shim_changed, &shim_lock);
}

void shim_drain(CUcontext c)
{
  for (CUstream s = c->streams; s; s = s->next)
    await(s);
}

unsigned cuStreamCreate(CUstream *stream, unsigned flags)
{
  CALL_IN(c);
  (void)flags;
  pthread_mutex_lock(&shim_lock);
  *stream = stream_make(c);
  pthread_mutex_unlock(&shim_lock);
  return *stream ? NV_CUDA_SUCCESS : NV_CUDA_ERROR_OUT_OF_MEMORY;
}

unsigned shim_await(CUstream stream)
{
  pthread_mutex_lock(&shim_lock);
  CUstream s = resolve(stream);
  if (s)
    await(s);
  const unsigned error = s ? s->context->error : NV_CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_unlock(&shim_lock);
  return error;
}

unsigned cuStreamSynchronize(CUstream stream)
{
  CALL_IN(c);
  return shim_await(stream);
}

unsigned cuStreamQuery(CUstream stream)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  CUstream s = resolve(stream);
  const unsigned error = s && s->done < s->issued ? NV_CUDA_ERROR_NOT_READY : c->error;
  pthread_mutex_unlock(&shim_lock);
  return error;
}

unsigned cuStreamGetCtx(CUstream stream, CUcontext *context)
{
  CALL_IN(c);
  *context = shim_context_of(stream);
  return NV_CUDA_SUCCESS;
}

/* ---- events ---- */

/* For tests: how many were made so far. */
static atomic_int events;
HED_API int shim_events(void);
HED_API int shim_events(void) { return atomic_load(&events); }

unsigned cuEventCreate(CUevent *event, unsigned flags)
{
  CALL_IN(c);
  atomic_fetch_add(&events, 1);
  CUevent e = calloc(1, sizeof *e);
  if (!e)
    return NV_CUDA_ERROR_OUT_OF_MEMORY;
  e->timed = !(flags & NV_CU_EVENT_DISABLE_TIMING);
  e->context = c;
  e->users = 1;
  *event = e;
  return NV_CUDA_SUCCESS;
}

/* A stream's item about E: the device's side of both functions. */
static unsigned about(CUstream stream, CUevent e, bool wait)
{
  item *i = item_make(0);
  if (!i)
    return NV_CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_lock(&shim_lock);
  CUstream s = resolve(stream);
  const bool good = s && (wait || e->context == s->context);
  if (good) {
    i->event = e;
    i->wait = wait;
    i->value = wait ? e->recorded : ++e->recorded;
    e->users++;
    put(s, i);
  }
  pthread_mutex_unlock(&shim_lock);
  if (!good)
    free(i);
  return good ? NV_CUDA_SUCCESS : NV_CUDA_ERROR_INVALID_HANDLE;
}

unsigned cuEventRecord(CUevent event, CUstream stream)
{
  CALL_IN(c);
  return about(stream, event, false);
}

unsigned cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
  CALL_IN(c);
  (void)flags;
  return about(stream, event, true);
}

unsigned cuEventQuery(CUevent event)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  const unsigned error = event->done < event->recorded ? NV_CUDA_ERROR_NOT_READY : c->error;
  pthread_mutex_unlock(&shim_lock);
  return error;
}

unsigned cuEventSynchronize(CUevent event)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  const uint64_t value = event->recorded;
  while (event->done < value)
    pthread_cond_wait(&shim_changed, &shim_lock);
  const unsigned error = c->error;
  pthread_mutex_unlock(&shim_lock);
  return error;
}

unsigned cuEventElapsedTime(float *milliseconds, CUevent first, CUevent last)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  const bool good = first->timed && last->timed && first->recorded && last->recorded && first->context == last->context;
  const bool over = first->done == first->recorded && last->done == last->recorded;
  const double seconds = difftime(last->when.tv_sec, first->when.tv_sec), ns = (double)(last->when.tv_nsec - first->when.tv_nsec);
  pthread_mutex_unlock(&shim_lock);
  *milliseconds = (float)(seconds * 1e3 + ns * 1e-6);
  return !good ? NV_CUDA_ERROR_INVALID_HANDLE : !over ? NV_CUDA_ERROR_NOT_READY : c->error;
}

unsigned cuEventDestroy(CUevent event)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  event_release(event);
  pthread_mutex_unlock(&shim_lock);
  return NV_CUDA_SUCCESS;
}
