// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of streams share: threads that do one step at a time, each with a stream of its own. L5. */
#ifndef HED_TESTS_STREAMS_H
#define HED_TESTS_STREAMS_H

#include "memory.h"
#include <pthread.h>

enum { WORKERS = 5, COUNT = 1000 };

typedef void step_fn(void *arg);

typedef struct worker {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  step_fn *step;
  void *arg;
  bool end;
} worker;

static worker workers[WORKERS];

static void *work(void *p)
{
  worker *w = p;
  if (hed_set_backend("faulty") != HED_OK)
    bail("faulty: %s", hed_error_text());
  pthread_mutex_lock(&w->lock);
  for (;;) {
    while (!w->step && !w->end)
      pthread_cond_wait(&w->changed, &w->lock);
    if (!w->step)
      break;
    w->step(w->arg);
    w->step = NULL;
    pthread_cond_broadcast(&w->changed);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static inline void begin(int k, step_fn *step, void *arg)
{
  worker *w = &workers[k];
  pthread_mutex_lock(&w->lock);
  w->arg = arg;
  w->step = step;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

static inline void finish(int k)
{
  worker *w = &workers[k];
  pthread_mutex_lock(&w->lock);
  while (w->step)
    pthread_cond_wait(&w->changed, &w->lock);
  pthread_mutex_unlock(&w->lock);
}

/* STEP by worker K, to the end of it. */
static inline void on(int k, step_fn *step, void *arg)
{
  begin(k, step, arg);
  finish(k);
}

static void ask_stream(void *handle)
{
  if (hed_stream_native(NULL, handle) != HED_OK)
    bail("stream_native: %s", hed_error_text());
}

/* Workers 0, 1, ... with streams 0, 1, ... of device 0. */
static inline void start_workers(void)
{
  for (int k = 0; k < WORKERS; k++) {
    void *handle;
    pthread_mutex_init(&workers[k].lock, NULL);
    pthread_cond_init(&workers[k].changed, NULL);
    if (hed_thread_create(&workers[k].thread, NULL, work, &workers[k]) != 0)
      bail("no thread");
    on(k, ask_stream, &handle);
  }
}

static inline void end_workers(void)
{
  for (int k = 0; k < WORKERS; k++) {
    pthread_mutex_lock(&workers[k].lock);
    workers[k].end = true;
    pthread_cond_broadcast(&workers[k].changed);
    pthread_mutex_unlock(&workers[k].lock);
    pthread_join(workers[k].thread, NULL);
  }
}

/* ---- steps ---- */

typedef struct job {
  hed_array *x, *y;
  float value;
  int64_t n;
} job;

static inline void make(void *j) { ((job *)j)->x = hed_full(HED_SHAPE(((job *)j)->n), ((job *)j)->value, HED_FLOAT32); }
static inline void negate(void *j) { ((job *)j)->y = hed_negative(((job *)j)->x); }
static inline void drop(void *j) { hed_release(((job *)j)->x); }
static inline void wait_y(void *j) { ((job *)j)->n = hed_wait(((job *)j)->y); }
/* x becomes value times x. */
static inline void scale(void *j)
{
  job *p = j;
  p->n = hed_multiply_scalar_into(p->x, p->x, (double)p->value);
}

static inline bool all_are(const hed_array *x, float want)
{
  int64_t n = hed_array_size(x), k = 0;
  float *v = malloc((size_t)(n > 0 ? n : 1) * sizeof *v);
  if (!x || !v || hed_to_host(x, v, hed_array_nbytes(x)) != HED_OK)
    n = -1;
  while (k < n && v[k] == want)
    k++;
  if (n >= 0 && k < n)
    diag("element %lld is %g, not %g", (long long)k, (double)v[k], (double)want);
  free(v);
  return k == n;
}

/* What the device has to say of its host's order. */
static inline void is_in_order(const char *what)
{
  static const char *(*violation)(void);
  if (!violation) {
    void *p = faulty_symbol("hed_faulty_violation");
    memcpy(&violation, &p, sizeof violation);
  }
  is_int(query("violations"), 0, "%s: all is in the version that the program says", what);
  if (violation()[0])
    diag("%s", violation());
}

#endif
