// SPDX-License-Identifier: BSD-3-Clause
/* Calls that Ctrl-C ends though the library goes on with them: the main thread, the only one that hears of signals, has a thread
 * of the call's own repeat the call, and waits. When it is interrupted it leaves, and that thread drops what comes out. So only
 * calls whose arrays are all new can go elsewhere: nothing that anybody has is written then. The one of out= stays with the caller,
 * who copies into it in the end; what a handle has is its own, and nobody else is let to it until the call is over. */
#include "context.h"
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONG_BYTES = 64 << 20, LONG_ELEMENTS = 1 << 16, LONG_TO_GROW = 1 << 12, LOOK_FOR_SIGNALS_MS = 50 };
enum { WORTH_COPYING_ELEMENTS = 1 << 20, BYTES_FOR_EACH_COPIED = 16 };

/* Python functions that a program is being made of: their calls belong to this thread. Changed with the interpreter's lock. */
static int captures;

void hp_capturing(int more)
{
  __atomic_fetch_add(&captures, more, __ATOMIC_RELAXED);
}

bool hp_free_to_go(void)
{
  if (gettid() != getpid() || __atomic_load_n(&captures, __ATOMIC_RELAXED))
    return false;
  hed_tape *tape = hed_record_take();
  return !tape || (hed_record_give(tape), false);
}

/* The draw that the call about to go elsewhere takes: of this thread's stream, which that thread does not see. */
static bool take_draw(hp_call *c)
{
  PyObject *strand;
  hed_frame frame;
  hed_generator unused;
  if (!hp_push(&strand, &frame)) {
    PyErr_Clear();   /* the call fails so, too */
    return false;
  }
  const bool taken = hed_get_seed(&c->draw) == HED_OK && hed_check_random_state(NULL, &unused) == HED_OK;
  hp_pop(&strand, &frame);
  return taken;
}

/* What is written in the place of the call's out=; NULL, without an error: the call stays, because a copy of it is dear beside the
 * work, has no room, or would hide that other operands lie in the same memory. */
static PyObject *stand_in(const hp_call *c, hp_cost cost)
{
  const hed_array *out = HP_ARRAY(c->out);
  int own = 0;
  const bool worth = cost == HP_STREAM ? c->bytes / BYTES_FOR_EACH_COPIED >= hed_array_nbytes(out)
                                       : c->elements >= WORTH_COPYING_ELEMENTS;
  if (!worth || hed_array_is_read_only(out))
    return NULL;
  for (Py_ssize_t k = 0; k < c->n_arguments; k++)
    own += hp_is_array(c->arguments[k]) && hed_array_shares(HP_ARRAY(c->arguments[k]), out);
  for (int k = 0; k < c->n_held; k++)
    own += hed_array_shares(c->held[k], out);
  hed_array *x = own > 1 ? NULL : hed_empty_like(out);
  PyObject *o = x ? hp_wrap(c->name, x) : NULL;
  if (!o) {
    hed_error_clear();
    PyErr_Clear();
  }
  return o;
}

bool hp_goes_elsewhere(hp_call *c, hp_cost cost)
{
  const bool takes_long = cost == HP_STREAM  ? c->bytes >= LONG_BYTES
                          : cost == HP_GROWS ? c->elements >= LONG_TO_GROW
                                             : cost != HP_VIEW && c->elements >= LONG_ELEMENTS;
  if (!takes_long || c->writes || c->device || !hp_free_to_go())
    return false;
  for (Py_ssize_t k = 0; k < c->n_arguments; k++)
    if (PyIter_Check(c->arguments[k]))   /* used up already: nothing is left to repeat the call with */
      return false;
  if (c->out && !(c->stand_in = stand_in(c, cost)))
    return false;
  if (c->draws && !take_draw(c)) {
    Py_CLEAR(c->stand_in);
    return false;
  }
  return c->elsewhere = true;
}

typedef struct errand {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool finished, left;
  hp_callback callback;             /* what the caller is asked to call, until it has */
  void *watch, *data;
  bool answer;
  hp_function function;
  PyObject *self;                   /* not counted */
  PyObject *keywords, **arguments;
  Py_ssize_t n, all;                /* by position, with those by keyword */
  Py_ssize_t out;                   /* which of these is what stands in for out= */
  PyObject *strand;
  bool draws;
  hed_generator stream;             /* what it then draws from */
  PyObject *result, *type, *value, *trace;
} errand;

/* With the interpreter's lock. */
static void drop(errand *e)
{
  for (Py_ssize_t k = 0; e->arguments && k < e->all; k++)
    Py_DECREF(e->arguments[k]);
  PyMem_Free(e->arguments);
  Py_XDECREF(e->keywords);
  Py_XDECREF(e->strand);
  Py_XDECREF(e->result);
  Py_XDECREF(e->type);
  Py_XDECREF(e->value);
  Py_XDECREF(e->trace);
  pthread_cond_destroy(&e->changed);
  pthread_mutex_destroy(&e->mutex);
  PyMem_Free(e);
}

static _Thread_local errand *mine;   /* what this thread is out for */

bool hp_was_left(void)
{
  if (!mine)
    return false;
  pthread_mutex_lock(&mine->mutex);
  const bool left = mine->left;
  pthread_mutex_unlock(&mine->mutex);
  if (left)
    PyErr_SetNone(PyExc_KeyboardInterrupt);   /* which nobody sees: the caller has its own */
  return left;
}

bool hp_by_caller(hp_callback callback, void *watch, void *data)
{
  errand *e = mine;
  if (!e)
    return callback(watch, data);
  Py_BEGIN_ALLOW_THREADS
  pthread_mutex_lock(&e->mutex);
  e->watch = watch;
  e->data = data;
  e->callback = callback;
  pthread_cond_broadcast(&e->changed);
  while (e->callback && !e->left)
    pthread_cond_wait(&e->changed, &e->mutex);
  pthread_mutex_unlock(&e->mutex);
  Py_END_ALLOW_THREADS
  if (hp_was_left())
    return false;
  PyErr_Restore(e->type, e->value, e->trace);
  e->type = e->value = e->trace = NULL;
  return e->answer;
}

/* The caller's side of it. */
static void call_back(errand *e)
{
  e->answer = e->callback(e->watch, e->data);
  PyErr_Fetch(&e->type, &e->value, &e->trace);
  pthread_mutex_lock(&e->mutex);
  e->callback = NULL;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->mutex);
}

static void *run(void *arg)
{
  errand *e = mine = arg;
  hed_frame frame = { 0, 0, 0, 0 };
  hed_status pushed = e->strand ? hp_strand_push(e->strand, &frame) : HED_OK;
  if (pushed == HED_OK && e->draws) {
    hed_context *c = hed_context_current();
    hed_frame inner = { 0, 0, 0, 0 };
    pushed = c ? hed_context_push_stream(c, &e->stream, &inner) : hed_error();
    if (!frame.cookie)   /* what is unwound to */
      frame = inner;
    hed_context_release(c);
  }
  const PyGILState_STATE state = PyGILState_Ensure();
  e->result = pushed == HED_OK ? e->function(e->self, e->arguments, e->n, e->keywords) : hp_fail("backend");
  if (!e->result)
    PyErr_Fetch(&e->type, &e->value, &e->trace);
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  pthread_mutex_lock(&e->mutex);
  const bool left = e->left;
  e->finished = true;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->mutex);
  if (left)
    drop(e);
  PyGILState_Release(state);
  return NULL;
}

static Py_ssize_t place_of_out(Py_ssize_t n, PyObject *keywords)
{
  Py_ssize_t k = 0;
  while (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, k), "out") != 0)
    k++;
  return n + k;
}

/* C NULL: a call that neither draws nor writes. */
static errand *make(hp_call *c, hp_function function, PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *keywords)
{
  pthread_condattr_t clock;
  errand *e = PyMem_Calloc(1, sizeof *e);
  if (!e)
    return NULL;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&e->mutex, NULL);
  pthread_cond_init(&e->changed, &clock);
  pthread_condattr_destroy(&clock);
  e->function = function;
  e->draws = c && c->draws;
  if (e->draws)
    e->stream = c->draw;
  e->n = n;
  const Py_ssize_t all = hp_argument_count(n, keywords);
  e->arguments = PyMem_Calloc((size_t)all + 1, sizeof *e->arguments);
  if (!e->arguments) {
    drop(e);
    return NULL;
  }
  e->all = all;
  for (Py_ssize_t k = 0; k < all; k++)
    e->arguments[k] = Py_NewRef(arguments[k]);
  if (c && c->stand_in) {
    e->out = place_of_out(n, keywords);
    Py_DECREF(e->arguments[e->out]);
    e->arguments[e->out] = Py_NewRef(c->stand_in);
  }
  e->self = self;
  e->keywords = Py_XNewRef(keywords);
  return e;
}

/* Until it is done, or what a signal's handler raised takes the caller away: false. */
static bool wait_for(errand *e)
{
  bool finished = false, interrupted = false, asked;
  while (!finished && !interrupted) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_FOR_SIGNALS_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&e->mutex);
    while (!e->finished && !e->callback && pthread_cond_timedwait(&e->changed, &e->mutex, &until) == 0)
      ;
    finished = e->finished;
    asked = e->callback;
    pthread_mutex_unlock(&e->mutex);
    Py_END_ALLOW_THREADS
    interrupted = !finished && PyErr_CheckSignals() != 0;
    if (!finished && !interrupted && asked)
      call_back(e);
  }
  if (finished)
    return true;
  pthread_mutex_lock(&e->mutex);
  e->left = true;
  finished = e->finished;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->mutex);
  if (finished)   /* just now: nobody else drops it */
    drop(e);
  return false;
}

/* The result of a call that is over, which has written to what stood in for OUT. */
static PyObject *copied(PyObject *result, PyObject *from, PyObject *out)
{
  PyObject *to = hp_copy_to(from, out);
  Py_DECREF(result);
  return to;
}

PyObject *hp_elsewhere(hp_call *c, hp_function function, PyObject *self, PyObject *const *arguments, Py_ssize_t n,
                       PyObject *keywords)
{
  hed_frame frame = { 0, 0, 0, 0 };
  errand *e = make(c, function, self, arguments, n, keywords);
  pthread_t thread;
  const bool writes = c && c->stand_in;
  if (writes)
    Py_CLEAR(c->stand_in);   /* the errand's now */
  if (!e)
    return PyErr_NoMemory();
  if (!hp_push(&e->strand, &frame)) {
    drop(e);
    return NULL;
  }
  if (e->strand) {   /* off this thread's stack again: the other one pushes it */
    Py_INCREF(e->strand);
    hp_pop_chosen(e->strand, frame);
  }
  const int failed = hed_thread_create(&thread, NULL, run, e);
  if (failed) {
    drop(e);
    return PyErr_Format(PyExc_RuntimeError, "no thread can be made: %s", strerror(failed));
  }
  pthread_detach(thread);
  if (!wait_for(e))
    return NULL;
  PyObject *result = e->result;
  e->result = NULL;
  if (!result)
    PyErr_Restore(e->type, e->value, e->trace);
  e->type = e->value = e->trace = NULL;
  if (result && writes)
    result = copied(result, e->arguments[e->out], arguments[e->out]);
  drop(e);
  return result;
}

PyObject *hp_wait_by(hp_function function, PyObject *const *arguments, Py_ssize_t n)
{
  return hp_free_to_go() ? hp_elsewhere(NULL, function, NULL, arguments, n, NULL) : function(NULL, arguments, n, NULL);
}

static PyObject *wait_here(PyObject *self, PyObject *const *arguments, Py_ssize_t n, PyObject *keywords)
{
  hed_status status = HED_OK;
  (void)self, (void)n, (void)keywords;
  const hed_array *x = HP_ARRAY(arguments[0]);
  Py_BEGIN_ALLOW_THREADS
  status = hed_wait(x);
  Py_END_ALLOW_THREADS
  return hp_none("wait", status);
}

bool hp_wait(const hed_array *x)
{
  if (!hp_on_device(x))
    return true;
  PyObject *o = hp_wrap("wait", hed_retain((hed_array *)(uintptr_t)x));
  PyObject *done = o ? hp_wait_by(wait_here, &o, 1) : NULL;
  Py_XDECREF(o);
  Py_XDECREF(done);
  return done != NULL;
}
