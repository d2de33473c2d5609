// SPDX-License-Identifier: BSD-3-Clause
/* Calls of the kits, and the callbacks of those that take long. */
#include "context.h"
#include "kit.h"
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { LOOK_FOR_SIGNALS_MS = 50, SHOW_FROM_SECONDS = 2 };

typedef struct hp_job {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  void (*run)(void *);
  void *a;
  PyObject *strand;
  hed_status status;      /* and the sentence: the run's thread has them */
  char text[512];
  bool finished, failed;  /* failed: an exception waits in the caller's thread */
  /* What the run asks the caller for: ASK is called there, with the interpreter's lock. */
  hp_callback ask;
  void *data;
  bool answer;
} hp_job;

/* ---- the run's side ---- */

static void *work(void *arg)
{
  hp_job *j = arg;
  hed_frame frame = { 0, 0, 0, 0 };
  j->status = j->strand ? hp_strand_push(j->strand, &frame) : HED_OK;
  if (j->status == HED_OK) {
    hed_error_clear();
    j->run(j->a);
    j->status = hed_error();
  }
  if (j->status != HED_OK)
    strncpy(j->text, hed_error_text(), sizeof j->text - 1);
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  pthread_mutex_lock(&j->mutex);
  j->finished = true;
  pthread_cond_broadcast(&j->changed);
  pthread_mutex_unlock(&j->mutex);
  return NULL;
}

/* False: the run is to end. */
static bool ask(hp_watch *w, hp_callback what, void *data)
{
  hp_job *j = w->job;
  pthread_mutex_lock(&j->mutex);
  if (!j->failed) {
    j->data = data;
    j->ask = what;
    pthread_cond_broadcast(&j->changed);
    while (j->ask)
      pthread_cond_wait(&j->changed, &j->mutex);
  }
  const bool go_on = !j->failed && j->answer;
  pthread_mutex_unlock(&j->mutex);
  return go_on;
}

/* ---- the caller's side ---- */

/* Until the run has ended; with each look also what it asked for. */
static void wait_for(hp_watch *w)
{
  hp_job *j = w->job;
  PyObject *type = NULL, *value = NULL, *trace = NULL;
  pthread_mutex_lock(&j->mutex);
  while (!j->finished) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_FOR_SIGNALS_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (!j->ask)
      pthread_cond_timedwait(&j->changed, &j->mutex, &until);
    if (j->finished)
      break;
    const hp_callback what = j->ask;
    pthread_mutex_unlock(&j->mutex);
    PyGILState_STATE state = PyGILState_Ensure();
    bool ok = j->failed || (PyErr_CheckSignals() == 0 && !hp_was_left()), answer = false;
    if (ok && what && !j->failed) {
      answer = hp_by_caller(what, w, j->data);
      ok = !PyErr_Occurred();
    }
    if (!ok)
      PyErr_Fetch(&type, &value, &trace);
    PyGILState_Release(state);
    pthread_mutex_lock(&j->mutex);
    if (!ok) {
      j->failed = true;
      __atomic_store_n(&w->cancel, 1, __ATOMIC_RELAXED);
    }
    if (what) {
      j->answer = answer;
      j->ask = NULL;
      pthread_cond_broadcast(&j->changed);
    }
  }
  pthread_mutex_unlock(&j->mutex);
  if (j->failed) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(state);
  }
}

static bool run_watched(hp_job *j, hp_watch *w)
{
  pthread_t thread;
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&j->mutex, NULL);
  pthread_cond_init(&j->changed, &clock);
  pthread_condattr_destroy(&clock);
  w->job = j;
  const int failed = hed_thread_create(&thread, NULL, work, j);
  if (failed)
    PyErr_Format(PyExc_RuntimeError, "no thread can be made: %s", strerror(failed));
  else {
    Py_BEGIN_ALLOW_THREADS
    wait_for(w);
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
  }
  pthread_cond_destroy(&j->changed);
  pthread_mutex_destroy(&j->mutex);
  if (failed || j->failed)
    return false;
  hed_error_clear();
  if (j->status != HED_OK)
    hed_fail(j->status, "%s", j->text);
  return PyErr_CheckSignals() == 0;
}

/* With whatever exception the run ended with. */
static void close_bar(hp_watch *w)
{
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *o = PyObject_CallMethod(w->progress, "close", NULL);
  if (!o)
    PyErr_WriteUnraisable(w->progress);
  Py_XDECREF(o);
  Py_CLEAR(w->progress);
  w->bar = false;
  PyErr_Restore(type, value, trace);
}

bool hp_run(hp_call *c, void (*run)(void *), void *a, hp_watch *w)
{
  if (w && c->arguments && hp_goes_elsewhere(c, HP_LONG))
    return false;
  if (!w) {
    if (!hp_begin(c, HP_LONG))
      return false;
    hed_error_clear();
    run(a);
    hp_end(c);
    return true;
  }
  hp_job j = { .run = run, .a = a };
  hed_frame frame = { 0, 0, 0, 0 };
  if (!hp_push(&j.strand, &frame))
    return false;
  if (j.strand) {   /* off this thread's stack again: the run's thread pushes it */
    Py_INCREF(j.strand);
    hp_pop_chosen(j.strand, frame);
  }
  w->name = c->name;
  clock_gettime(CLOCK_MONOTONIC, &w->begun);
  const bool ok = run_watched(&j, w);
  if (w->bar)
    close_bar(w);
  Py_XDECREF(j.strand);
  return ok;
}

/* ---- callbacks ---- */

/* Calls w->progress with ARGS, which it takes; what is true ends the run. */
static bool tell(hp_watch *w, PyObject *args)
{
  PyObject *o = args ? PyObject_CallObject(w->progress, args) : NULL;
  const int stop = o ? PyObject_IsTrue(o) : -1;
  Py_XDECREF(o);
  Py_XDECREF(args);
  return stop == 0;
}

/* A run that nobody asked about is shown by heddle's own bar, if it takes long and there is one. */
static bool make_bar(void *watch, void *unused)
{
  hp_watch *w = watch;
  (void)unused;
  PyObject *bar = PyObject_CallFunction(hp.bar, "s", w->name);
  w->progress = bar;
  w->bar = bar && bar != Py_None;
  if (bar == Py_None)
    Py_DECREF(bar);   /* which stays where it is */
  return bar != NULL;
}

static bool no_progress(hp_watch *w)
{
  struct timespec now;
  if (!w->progress && hp.bar && clock_gettime(CLOCK_MONOTONIC, &now) == 0 &&
      now.tv_sec - w->begun.tv_sec >= SHOW_FROM_SECONDS && !ask(w, make_bar, NULL))
    return true;
  return !w->progress || w->progress == Py_None;
}

static bool tell_count(void *w, void *data)
{
  const int64_t *count = data;
  return tell(w, Py_BuildValue("(LL)", (long long)count[0], (long long)count[1]));
}

int hp_on_count64(void *arg, int64_t done, int64_t total)
{
  int64_t count[2] = { done, total };
  return !no_progress(arg) && !ask(arg, tell_count, count);
}

int hp_on_count(void *arg, size_t done, size_t total)
{
  return hp_on_count64(arg, (int64_t)done, (int64_t)total);
}

static bool tell_sweep(void *w, void *data)
{
  const hed_sweep *s = data;
  return tell(w, Py_BuildValue("(LLdd)", (long long)s->sweep, (long long)s->restart, s->error, s->seconds));
}

int hp_on_sweep(void *arg, const hed_sweep *now)
{
  hed_sweep copy = *now;
  return !no_progress(arg) && !ask(arg, tell_sweep, &copy);
}

static bool tell_epoch(void *w, void *data)
{
  const hed_nn_epoch *e = data;
  return tell(w, Py_BuildValue("(LdddOd)", (long long)e->epoch, e->loss, e->validation, e->rate, e->best ? Py_True : Py_False,
                               e->seconds));
}

int hp_on_epoch(void *arg, const hed_nn_epoch *now)
{
  const hp_watch *w = arg;
  hed_nn_epoch copy = *now;
  return w->progress && w->progress != Py_None && !ask(arg, tell_epoch, &copy);
}

typedef struct entries { int64_t n; const int64_t *indices; double *values; } entries;

static bool call_function(void *w, void *data)
{
  const entries *e = data;
  const hp_watch *watch = w;
  hp_call c = HP_CALL("function");
  int64_t n = 0;
  double *values = NULL;
  PyObject *x = hp_values(e->indices, HED_INT64, HED_SHAPE(e->n, watch->axes));
  PyObject *o = x ? PyObject_CallFunctionObjArgs(watch->function, x, NULL) : NULL;
  const bool ok = o && hp_doubles(&c, o, "the function's result", &n, &values) && hp_length("the function's result", n, e->n);
  if (ok)
    memcpy(e->values, values, (size_t)n * sizeof *values);
  hp_done(&c);
  Py_XDECREF(o);
  Py_XDECREF(x);
  return ok;
}

hed_status hp_on_function(void *arg, int64_t n, const int64_t *indices, double *values)
{
  entries e = { n, indices, values };
  return ask(arg, call_function, &e) ? HED_OK : hed_fail(HED_E_CANCELLED, "the function failed");
}
