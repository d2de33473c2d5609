// SPDX-License-Identifier: BSD-3-Clause
/* Batches that a thread prepares ahead: what heddle.nn.Reader is made of.
 *
 * A function of Python's is called on the reader's thread, with the interpreter's lock, so that nobody may hold that lock who waits
 * for the thread. What it raises is kept by the batch's number, and raised where that batch is asked for. */
#include "fields.h"
#include <heddle/kits/nn_data.h>
#include <pthread.h>

typedef struct reader {
  hp_later later;         /* first: of one that its own function has let go */
  hed_nn_reader *r;       /* NULL: closed */
  PyObject *function;     /* NULL: a reader of arrays */
  PyObject *raised;       /* exceptions by number */
  PyObject *left;         /* a batch that nobody got, as Ctrl-C came when it was there */
  int64_t given;
  int m;
  bool ahead;             /* it has a thread */
  bool busy;              /* a call is at it */
  bool calls;             /* the function runs */
  bool unowned;           /* it is stopped later */
  hp_watch watch;
} reader;

/* heddle._core._Reader, which the function may refer to: the collector of garbage sees both. */
typedef struct reader_object {
  PyObject_HEAD
  reader *s;
} reader_object;
static PyTypeObject *reader_type;

/* The reader whose function this thread is in. */
static _Thread_local const reader *inside;

/* ---- the function ---- */

/* Into the scope around the call; numbers of others are copied, as their memory may be that of the next batch. */
static bool taken(PyObject *o, hed_array **out)
{
  *out = hp_is_array(o) ? hed_positive(HP_ARRAY(o)) : hp_convert(o, NULL, HED_COPY_ALWAYS);
  if (!*out && !PyErr_Occurred())
    hp_fail("Reader");
  return *out != NULL;
}

/* What the function made, an array or M of them. */
static bool batch_of(PyObject *o, int m, hed_array **batch)
{
  if (m == 0)
    return taken(o, &batch[0]);
  PyObject *list = hp_sequence(o, "the batch", "a sequence of arrays");
  bool good = list != NULL;
  if (good && PyTuple_Size(list) != m) {
    PyErr_Format(PyExc_ValueError, "Reader: %zd arrays, not %d, in the batch", PyTuple_Size(list), m);
    good = false;
  }
  for (int k = 0; good && k < m; k++)
    good = taken(PyTuple_GetItem(list, k), &batch[k]);
  Py_XDECREF(list);
  return good;
}

/* The exception that is set, for who asks for batch K. */
static void keep(reader *s, PyObject *k)
{
  PyObject *value = hp_take_raised();
  if (!k || PyDict_SetItem(s->raised, k, value) != 0)
    PyErr_Clear(); /* without memory the sentence has to do */
  Py_DECREF(value);
}

static hed_status on_read(void *arg, int64_t k, int m, hed_array **batch)
{
  reader *s = arg;
  const PyGILState_STATE lock = PyGILState_Ensure();
  const reader *outer = inside;
  (void)m;
  inside = s;
  __atomic_store_n(&s->calls, true, __ATOMIC_RELEASE);
  PyObject *function = Py_NewRef(s->function), *number = PyLong_FromLongLong(k);
  PyObject *o = number ? PyObject_CallFunctionObjArgs(function, number, NULL) : NULL;
  const bool good = o && batch_of(o, s->m, batch);
  if (!good)
    keep(s, number);
  Py_XDECREF(o);
  Py_XDECREF(number);
  Py_DECREF(function);
  inside = outer;
  __atomic_store_n(&s->calls, false, __ATOMIC_RELEASE);
  if (s->unowned)
    hp_look_later();
  PyGILState_Release(lock);
  return good ? HED_OK : hed_fail(HED_E_INVAL, "Reader: the function failed for batch %lld", (long long)k);
}

/* ---- its life ---- */

static bool claim(reader *s)
{
  if (inside == s)
    PyErr_SetString(PyExc_RuntimeError, "Reader: its own function asks it");
  else if (__atomic_exchange_n(&s->busy, true, __ATOMIC_ACQUIRE))
    PyErr_SetString(PyExc_RuntimeError, "Reader: another thread is at it");
  else
    return true;
  return false;
}

static void leave(reader *s) { __atomic_store_n(&s->busy, false, __ATOMIC_RELEASE); }

static void stop(reader *s)
{
  hed_nn_reader *r = s->r;
  s->r = NULL;
  Py_BEGIN_ALLOW_THREADS
  hed_nn_reader_release(r);
  Py_END_ALLOW_THREADS
  Py_CLEAR(s->function);
  Py_CLEAR(s->raised);
  Py_CLEAR(s->left);
}

/* Not while the function runs, which may wait for who is asked to do this. */
static bool stop_later(hp_later *later)
{
  reader *s = (reader *)later;
  if (__atomic_load_n(&s->calls, __ATOMIC_ACQUIRE))
    return false;
  stop(s);
  PyMem_Free(s);
  return true;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
  const reader *s = ((reader_object *)self)->s;
  Py_VISIT(Py_TYPE(self));
  if (s) {
    Py_VISIT(s->function);
    Py_VISIT(s->raised);
    Py_VISIT(s->left);
  }
  return 0;
}

/* While its own function runs, that is no garbage, and what it raised may be what holds the reader. */
static int clear(PyObject *self)
{
  reader *s = ((reader_object *)self)->s;
  if (inside != s) {
    stop(s);
  } else {
    PyDict_Clear(s->raised);
    Py_CLEAR(s->left);
  }
  return 0;
}

/* Let go by its own function, it cannot be waited for here. */
static void dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  reader *s = ((reader_object *)self)->s;
  PyObject_GC_UnTrack(self);
  if (s && inside == s) {
    s->unowned = true;
    s->later.run = stop_later;
    hp_do_later(&s->later);
  } else if (s) {
    stop(s);
    PyMem_Free(s);
  }
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyType_Slot slots[] = { { Py_tp_dealloc, dealloc }, { Py_tp_traverse, traverse }, { Py_tp_clear, clear }, { 0, NULL } };
static PyType_Spec spec = { "heddle._core._Reader", sizeof(reader_object), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };

int hp_reader_init(PyObject *module)
{
  reader_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  return reader_type ? 0 : -1;
}

static PyObject *new_reader(reader **out)
{
  PyObject *raised = PyDict_New(), *self = raised ? PyType_GenericAlloc(reader_type, 0) : NULL;
  reader *s = self ? PyMem_Calloc(1, sizeof *s) : NULL;
  *out = s;
  if (s) {
    s->raised = raised;
    ((reader_object *)self)->s = s;
    return self;
  }
  Py_XDECREF(self);
  Py_XDECREF(raised);
  return self ? PyErr_NoMemory() : NULL;
}

static reader *of(PyObject *self)
{
  if (Py_TYPE(self) == reader_type)
    return ((reader_object *)self)->s;
  PyErr_SetString(PyExc_TypeError, "Reader: no reader");
  return NULL;
}

/* (source, arrays, count, options): the reader and how many batches. COUNT None: SOURCE are arrays, else a function. */
static PyObject *create(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("Reader");
  reader *s = NULL;
  hed_nn_reading o = { .ahead = 0 };
  hed_array **data = NULL;
  int64_t count = 0;
  int m = 0;
  (void)module;
  if (n != 4)
    return PyErr_Format(PyExc_TypeError, "_nn_reader: four arguments are needed");
  const bool calls = args[2] != Py_None;
  PyObject *self = new_reader(&s), *out = NULL;
  if (self && calls)
    s->function = Py_NewRef(args[0]);
  const bool good = self && hp_int32(args[1], "arrays", &s->m) && hp_int64(args[2], "count", &count)
                    && hp_struct_from(&c, args[3], "Reader", hp_struct_named("hed_nn_reading"), &o)
                    && (calls || hp_operands(&c, args[0], "data", &m, &data)) && hp_begin(&c, HP_LONG);
  if (good) {
    o.cancel = &s->watch.cancel;
    const hed_status status = calls ? hed_nn_reader_create(on_read, s, count, s->m ? s->m : 1, &o, &s->r)
                                    : hed_nn_reader_of(m, (const hed_array *const *)data, &o, &s->r);
    s->ahead = o.ahead >= 0;
    hp_end(&c);
    out = status == HED_OK ? Py_BuildValue("(OL)", self, (long long)hed_nn_reader_count(s->r)) : hp_fail("Reader");
  }
  hp_done(&c);
  Py_XDECREF(self);
  return out;
}

/* None: it was closed before. */
static PyObject *close_reader(PyObject *module, PyObject *self)
{
  reader *s = of(self);
  (void)module;
  if (!s || !claim(s))
    return NULL;
  stop(s);
  leave(s);
  Py_RETURN_NONE;
}

/* ---- the next batch ---- */

typedef struct question {
  reader *s;
  hed_array **batch;
  bool more;
  hed_status status;
} question;

static void ask(void *a)
{
  question *q = a;
  q->status = hed_nn_reader_next(q->s->r, q->batch, &q->more);
}

/* Raise what made batch K fail; where Ctrl-C is raised, as its context. */
static PyObject *fail(reader *s, int64_t k)
{
  PyObject *set = hp_take_raised(), *number = PyLong_FromLongLong(k);
  PyObject *value = number ? PyDict_GetItemWithError(s->raised, number) : NULL;
  if (value) {
    Py_INCREF(value);
    (void)PyDict_DelItem(s->raised, number);
    hed_error_clear();
  }
  Py_XDECREF(number);
  if (set || value)
    hp_raise(set, value);
  else
    hp_fail("Reader");
  return NULL;
}

/* An exception is set, and a batch was taken: it is the next call's. */
static void put_back(reader *s, const question *q, int m)
{
  PyObject *set = hp_take_raised();
  s->left = hp_tuple("Reader", HED_OK, m, q->batch);
  if (!s->left)
    PyErr_Clear();
  hp_raise(set, NULL);
}

/* What is ready is taken at once. What has to be waited for, or made, is so on a thread of its own, and Ctrl-C ends the wait. */
static PyObject *next_of(reader *s, hp_call *c)
{
  const int m = hed_nn_reader_arrays(s->r);
  question q = { .s = s, .batch = hp_block(c, (size_t)m * sizeof *q.batch), .status = HED_E_CANCELLED };
  bool ran = q.batch != NULL;
  if (ran && s->ahead && (ran = hp_begin(c, HP_VIEW))) {
    __atomic_store_n(&s->watch.cancel, 1, __ATOMIC_RELAXED);
    ask(&q);
    hp_end(c);
  }
  if (ran && q.status == HED_E_CANCELLED) {
    hed_error_clear();
    s->watch = (hp_watch){ .progress = Py_None };
    ran = hp_run(c, ask, &q, &s->watch);
  }
  const int64_t k = s->given;
  const bool took = q.batch && q.status == HED_OK && q.more;
  s->given += q.status != HED_E_CANCELLED;
  if (!ran && took)
    put_back(s, &q, m);
  if (q.status != HED_OK && (ran || q.status != HED_E_CANCELLED))
    return fail(s, k);
  if (!ran)
    return NULL;
  return took ? hp_tuple("Reader", HED_OK, m, q.batch) : Py_NewRef(Py_None);
}

/* A tuple; None after the last one. */
static PyObject *next(PyObject *module, PyObject *self)
{
  hp_call c = HP_CALL("Reader");
  reader *s = of(self);
  PyObject *out = NULL;
  (void)module;
  if (!s || !claim(s))
    return NULL;
  if (!s->r)
    PyErr_SetString(PyExc_ValueError, "Reader: it is closed");
  else if (s->left) {
    out = s->left;
    s->left = NULL;
  } else
    out = next_of(s, &c);
  hp_done(&c);
  leave(s);
  return out;
}

PyMethodDef hp_reader_functions[] = {
  { "_nn_reader", (PyCFunction)(void (*)(void))create, METH_FASTCALL, NULL },
  { "_nn_reader_next", next, METH_O, NULL },
  { "_nn_reader_close", close_reader, METH_O, NULL },
  { NULL, NULL, 0, NULL }
};
