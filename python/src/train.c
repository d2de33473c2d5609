// SPDX-License-Identifier: BSD-3-Clause
/* What trains on a loss that Python computes: what heddle/_training.py is made of. The loop runs on a thread of its own, where its
 * contexts and recordings are; the loss is asked there, on a worker's thread where there are workers, with the interpreter's lock. */
#include "kit.h"
#include "fields.h"
#include <heddle/kits/nn_train.h>
#include <pthread.h>
#include <string.h>

/* A function, and what it raised: of several workers the first one. */
typedef struct asked {
  const char *name;
  PyObject *function, *value;
  int who;
} asked;

/* Of workers of an interpreter without a lock of its own. */
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

static void keep_exception(asked *a, int who)
{
  PyObject *value = hp_take_raised();
  pthread_mutex_lock(&keeping); /* nothing in between waits for the interpreter */
  if (!a->value || who < a->who) {
    PyObject *const old = a->value;
    a->value = value, a->who = who;
    value = old;
  }
  pthread_mutex_unlock(&keeping);
  Py_XDECREF(value);
}

/* Did the function raise? Then that is raised; where Ctrl-C is, or what a callback raised, as its context. */
static bool raised(asked *a)
{
  if (!a->value)
    return false;
  hp_raise(hp_take_raised(), a->value);
  a->value = NULL;
  return true;
}

static PyObject *arrays(const char *name, int n, const hed_array *const *x)
{
  PyObject *list = PyList_New(n);
  for (int k = 0; list && k < n; k++) {
    PyObject *o = hp_wrap(name, hed_retain((hed_array *)x[k]));
    if (!o || PyList_SetItem(list, k, o) != 0)
      Py_CLEAR(list);
  }
  return list;
}

/* The number that the function makes of ARGS, which it takes; with the lock. */
static hed_status answer(asked *a, int who, PyObject *args, hed_array **out)
{
  PyObject *o = args ? PyObject_CallObject(a->function, args) : NULL;
  if (o && hp_is_array(o))
    *out = hed_retain(HP_ARRAY(o));
  else if (o)
    PyErr_Format(PyExc_TypeError, "%s: the loss is %R, no Array of one number", a->name, Py_TYPE(o));
  Py_XDECREF(o);
  Py_XDECREF(args);
  if (*out)
    return HED_OK;
  keep_exception(a, who);
  return hed_fail(HED_E_GRADIENT, "%s: the loss function failed", a->name);
}

static hp_kind *kind_named(const char *name)
{
  hp_kind *kind = hp_kinds;
  while (kind->c_name && strcmp(kind->c_name, name) != 0)
    kind++;
  return kind;
}

/* ---- the loop ---- */

typedef struct training {
  asked loss;
  int n, m;
  hed_array **params, **data, **validation;
  hed_nn_optimizer *s;
  hed_nn_fit_options o;
  hed_nn_schedule schedule;
  hed_nn_scale scale;
  hed_nn_history history;
  hed_status status;
} training;

static hed_status on_loss(void *arg, const hed_nn_at *at, int n, const hed_array *const *w, int m, const hed_array *const *batch,
                          hed_array **loss)
{
  training *t = arg;
  const PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *args = Py_BuildValue("(NNOLLLiK)", arrays("fit", n, w), arrays("fit", m, batch), at->training ? Py_True : Py_False,
                                 (long long)at->epoch, (long long)at->batch, (long long)at->step, (int)at->worker,
                                 (unsigned long long)at->key);
  const hed_status status = answer(&t->loss, at->worker, args, loss);
  PyGILState_Release(lock);
  return status;
}

static void run(void *a)
{
  training *t = a;
  t->status = hed_nn_fit(on_loss, t, t->n, t->params, t->s, t->m, (const hed_array *const *)t->data, &t->o, &t->history);
}

/* What the caller has chosen; (options, schedule, scale) are a dict, a dict or None, and a LossScale or None. */
static bool options(hp_call *c, training *t, hp_watch *w, PyObject *given, PyObject *schedule, PyObject *scale)
{
  void *box = NULL;
  if (!hp_struct_from(c, given, "fit", hp_struct_named("hed_nn_fit_options"), &t->o))
    return false;
  if (schedule != Py_None && !hp_struct_from(c, schedule, "schedule", hp_struct_named("hed_nn_schedule"), &t->schedule))
    return false;
  if (scale != Py_None && !hp_boxed(c, scale, "scale", kind_named("hed_nn_scale"), &box))
    return false;
  if (box)
    t->scale = *(const hed_nn_scale *)box;
  t->o.schedule = schedule != Py_None ? &t->schedule : NULL;
  t->o.scale = box ? &t->scale : NULL;
  t->o.validation = (const hed_array *const *)t->validation;
  t->o.cancel = &w->cancel;
  t->o.progress = hp_on_epoch;
  t->o.progress_arg = w;
  return true;
}

static PyObject *told(training *t)
{
  hed_nn_history *h = &t->history;
  PyObject *loss = hp_wrap("fit", h->loss), *validation = hp_wrap("fit", h->validation), *rate = hp_wrap("fit", h->rate);
  PyObject *scale = t->o.scale ? hp_box_struct(kind_named("hed_nn_scale"), &t->scale) : Py_NewRef(Py_None);
  return Py_BuildValue("(NNNLdsLdN)", loss, validation, rate, (long long)h->best_epoch, h->best,
                       hed_nn_stop_name((int)h->stopped), (long long)h->skipped, h->seconds, scale);
}

/* (loss, params, optimizer, data, validation or None, options, schedule, scale, progress) */
static PyObject *fit(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("fit");
  PyObject *out = NULL;
  (void)module;
  if (n != 9)
    return PyErr_Format(PyExc_TypeError, "_nn_fit: nine arguments are needed");
  training t = { .loss = { .name = "fit", .function = args[0] } };
  hp_watch w = { .progress = args[8] };
  int checks = 0;
  bool good = hp_operands(&c, args[1], "params", &t.n, &t.params) && hp_operands(&c, args[3], "data", &t.m, &t.data);
  if (good && args[4] != Py_None)
    good = hp_operands(&c, args[4], "validation", &checks, &t.validation) && hp_length("validation", checks, t.m);
  good = good && options(&c, &t, &w, args[5], args[6], args[7])
         && hp_use_handle(args[2], "optimizer", kind_named("hed_nn_optimizer"), true, (void **)&t.s);
  const bool ran = good && hp_run(&c, run, &t, &w);
  if (!raised(&t.loss) && ran)
    out = t.status == HED_OK ? told(&t) : hp_fail("fit");
  if (t.status != HED_OK || !ran)
    hed_nn_history_clear(&t.history); /* which else the result has */
  if (good)
    hp_leave_handle(args[2], t.s);
  hp_done(&c);
  return out;
}

/* (loss, validation, rate, path) */
static PyObject *history_save(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("save");
  hed_nn_history h = { .epochs = 0 };
  const char *path = NULL;
  hed_status status = HED_E_INVAL;
  (void)module;
  const bool good = n == 4 && hp_operand(&c, args[0], "loss", &h.loss) && hp_operand(&c, args[1], "validation", &h.validation)
                    && hp_operand(&c, args[2], "rate", &h.rate) && hp_path(&c, args[3], "path", &path) && hp_begin(&c, HP_LONG);
  if (good) {
    h.epochs = hed_array_size(h.loss);
    status = hed_nn_history_save(&h, path);
    hp_end(&c);
  }
  hp_done(&c);
  return good ? hp_none("save", status) : NULL;
}

/* ---- L-BFGS ---- */

static const char lbfgs_name[] = "heddle.lbfgs";

typedef struct searcher {
  hed_nn_lbfgs *s;
  bool busy; /* in a step, which is one thread's */
} searcher;

static void drop_lbfgs(PyObject *capsule)
{
  searcher *s = PyCapsule_GetPointer(capsule, lbfgs_name);
  hed_nn_lbfgs_release(s->s);
  PyMem_Free(s);
}

/* The capsule of S, which it takes. */
static PyObject *search_object(hed_nn_lbfgs *s)
{
  searcher *o = PyMem_Calloc(1, sizeof *o);
  PyObject *capsule = o ? PyCapsule_New(o, lbfgs_name, drop_lbfgs) : PyErr_NoMemory();
  if (capsule) {
    o->s = s;
    return capsule;
  }
  PyMem_Free(o);
  hed_nn_lbfgs_release(s);
  return NULL;
}

/* (params, options) */
static PyObject *lbfgs(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("LBFGS");
  hed_nn_lbfgs_options o = { .rate = 0 };
  hed_nn_lbfgs *s = NULL;
  hed_array **params = NULL;
  PyObject *capsule = NULL;
  int count = 0;
  (void)module;
  if (n == 2 && hp_operands(&c, args[0], "params", &count, &params)
      && hp_struct_from(&c, args[1], "LBFGS", hp_struct_named("hed_nn_lbfgs_options"), &o) && hp_begin(&c, HP_LONG)) {
    const hed_status status = hed_nn_lbfgs_create(count, params, &o, &s);
    hp_end(&c);
    capsule = status == HED_OK ? search_object(s) : hp_fail("LBFGS");
  }
  hp_done(&c);
  return capsule;
}

typedef struct search {
  asked loss;
  hed_nn_lbfgs *s;
  const int *cancel;
  double value;
  hed_status status;
} search;

static hed_status on_function(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  search *s = arg;
  (void)m;
  if (__atomic_load_n(s->cancel, __ATOMIC_RELAXED))
    return hed_fail(HED_E_CANCELLED, "LBFGS.step: cancelled");
  const PyGILState_STATE lock = PyGILState_Ensure();
  const hed_status status = answer(&s->loss, 0, Py_BuildValue("(N)", arrays("LBFGS", n, x)), &y[0]);
  PyGILState_Release(lock);
  return status;
}

static void run_step(void *a)
{
  search *s = a;
  s->status = hed_nn_lbfgs_step(s->s, on_function, s, &s->value);
}

/* (lbfgs, loss): the loss at the beginning */
static PyObject *lbfgs_step(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("LBFGS.step");
  (void)module;
  if (n != 2)
    return PyErr_Format(PyExc_TypeError, "_nn_lbfgs_step: two arguments are needed");
  searcher *const o = PyCapsule_GetPointer(args[0], lbfgs_name);
  if (!o)
    return NULL;
  if (__atomic_exchange_n(&o->busy, true, __ATOMIC_ACQUIRE))
    return PyErr_Format(PyExc_RuntimeError, "LBFGS.step: another step of it runs");
  hp_watch w = { .progress = Py_None };
  search s = { .loss = { .name = "LBFGS.step", .function = args[1] }, .s = o->s, .cancel = &w.cancel };
  const bool ran = hp_run(&c, run_step, &s, &w);
  PyObject *out = raised(&s.loss) || !ran ? NULL : s.status == HED_OK ? PyFloat_FromDouble(s.value) : hp_fail("LBFGS.step");
  hp_done(&c);
  __atomic_store_n(&o->busy, false, __ATOMIC_RELEASE);
  return out;
}

#define FAST(name, function) { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL }
PyMethodDef hp_train_functions[] = {
  FAST("_nn_fit", fit), FAST("_nn_history_save", history_save), FAST("_nn_lbfgs", lbfgs), FAST("_nn_lbfgs_step", lbfgs_step),
  { NULL, NULL, 0, NULL }
};
