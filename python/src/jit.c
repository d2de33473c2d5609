// SPDX-License-Identifier: BSD-3-Clause
/* heddle._core._Jit: how heddle/_jit.py's objects are called. What has run before, with arguments that are arrays and floats, is found
 * and run here without a line of Python: the program itself knows what it takes. Everything else goes to the object's _slow(). */
#include "binding.h"
#include "context.h"

enum { MOST_KEPT = 8, MOST_ARGUMENTS = 16, MOST_RESULTS = 16 };
static const char program_name[] = "heddle.program";

/* What is made of a run's arrays: the one, a tuple or a list of them, or what the entry's rebuild() makes of the list. */
typedef enum form { ONE, TUPLE, LIST, OTHER } form;

typedef struct kept {
  PyObject *entry, *capsule;    /* of _jit.py; of the program */
  PyObject *strand;             /* the context that it was kept in; NULL: the thread's own view, of the backend: */
  const char *backend;
  int n, m;
  uint32_t floats;              /* bit k: argument k is one */
  int form;
} kept;

typedef struct jit_object {
  PyObject_HEAD
  int n;
  kept kept[MOST_KEPT];         /* what was used last, first */
} jit_object;

#ifdef Py_GIL_DISABLED
#  define BEGIN(o) Py_BEGIN_CRITICAL_SECTION(o)
#  define END() Py_END_CRITICAL_SECTION()
#else
#  define BEGIN(o) {
#  define END() }
#endif

static void drop(kept *k)
{
  Py_CLEAR(k->entry);
  Py_CLEAR(k->capsule);
  Py_CLEAR(k->strand);
}

static void dealloc(PyObject *self)
{
  jit_object *j = (jit_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  for (int i = 0; i < j->n; i++)
    drop(&j->kept[i]);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* The program that takes N arrays X, of which FLOATS were numbers, in the context that is pushed; copied to *OUT with references to
 * ENTRY and CAPSULE. */
static bool find(jit_object *j, const PyObject *strand, int n, uint32_t floats, const hed_array *const *x, kept *out)
{
  const char *const backend = strand ? NULL : hed_get_backend();
  bool found = false;
  BEGIN(j)
  for (int i = 0; i < j->n && !found; i++) {
    const kept *k = &j->kept[i];
    if (k->n != n || k->floats != floats || k->strand != strand || k->backend != backend ||
        !hed_program_takes(PyCapsule_GetPointer(k->capsule, program_name), n, x))
      continue;
    found = true;
    *out = *k;
    Py_INCREF(out->entry);
    Py_INCREF(out->capsule);
    if (i > 0) {
      const kept used = *k;
      for (int m = i; m > 0; m--)
        j->kept[m] = j->kept[m - 1];
      j->kept[0] = used;
    }
  }
  END()
  return found;
}

static PyObject *results(const kept *k, hed_status status, hed_array **y)
{
  if (k->form == ONE)
    return hp_wrap("jit", status == HED_OK ? y[0] : NULL);
  if (k->form == TUPLE)
    return hp_tuple("jit", status, k->m, y);
  PyObject *list = hp_list("jit", status, k->m, y);
  if (!list || k->form == LIST)
    return list;
  PyObject *made = PyObject_CallMethod(k->entry, "rebuild", "O", list);
  Py_DECREF(list);
  return made;
}

/* NULL without an exception: nothing that is kept takes these arguments. */
static PyObject *quick(jit_object *j, PyObject *args, int n)
{
  hp_call c = HP_CALL("jit");
  hed_array *x[MOST_ARGUMENTS], *y[MOST_RESULTS];
  PyObject *made = NULL;
  kept k;
  uint32_t floats = 0;
  for (int i = 0; i < n; i++) {
    PyObject *o = PyTuple_GetItem(args, i);
    const bool number = PyFloat_CheckExact(o);
    if (!number && !hp_is_array(o))
      goto end;
    floats |= (uint32_t)number << i;
    if (!hp_weak(&c, o, "x", &x[i]))
      goto end;
  }
  if (!hp_push(&c.strand, &c.frame))
    goto end;
  if (find(j, c.strand, n, floats, (const hed_array *const *)x, &k)) {
    c.released = hp_unlock(c.bytes, c.device);
    const hed_status status = hed_program_run(PyCapsule_GetPointer(k.capsule, program_name), n, (const hed_array *const *)x, k.m, y);
    hp_end(&c);
    made = results(&k, status, y);
    Py_DECREF(k.entry);
    Py_DECREF(k.capsule);
  } else {
    hp_pop(&c.strand, &c.frame);
  }
end:
  hp_done(&c);
  return made;
}

static PyObject *call(PyObject *self, PyObject *args, PyObject *keywords)
{
  jit_object *j = (jit_object *)self;
  const Py_ssize_t n = PyTuple_Size(args);
  if (j->n > 0 && n <= MOST_ARGUMENTS && (!keywords || PyDict_Size(keywords) == 0)) {
    PyObject *made = quick(j, args, (int)n);
    if (made || PyErr_Occurred())
      return made;
  }
  PyObject *none = keywords ? NULL : PyDict_New();
  PyObject *made = keywords || none ? PyObject_CallMethod(self, "_slow", "OO", args, keywords ? keywords : none) : NULL;
  Py_XDECREF(none);
  return made;
}

/* (entry, capsule, number of results, form, arguments): they are run without _slow() from now on, where that can be. */
static PyObject *keep(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
  jit_object *j = (jit_object *)self;
  int32_t m = 0, shape = 0;
  if (count != 5 || !PyTuple_Check(args[4]))
    return PyErr_Format(PyExc_TypeError, "jit: five arguments are needed, the last a tuple");
  if (!hp_int32(args[2], "m", &m) || !hp_int32(args[3], "form", &shape) || !PyCapsule_GetPointer(args[1], program_name))
    return NULL;
  const Py_ssize_t n = PyTuple_Size(args[4]);
  kept k = { .entry = args[0], .capsule = args[1], .n = (int)n, .m = m, .form = shape };
  if (n > MOST_ARGUMENTS || m > MOST_RESULTS)
    Py_RETURN_NONE;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *o = PyTuple_GetItem(args[4], i);
    if (!PyFloat_CheckExact(o) && !hp_is_array(o))
      Py_RETURN_NONE;
    k.floats |= (uint32_t)PyFloat_CheckExact(o) << i;
  }
  hed_frame frame;
  if (!hp_push(&k.strand, &frame))
    return NULL;
  k.backend = k.strand ? NULL : hed_get_backend();
  Py_XINCREF(k.strand);
  PyObject *const strand = k.strand;
  hp_pop(&k.strand, &frame);
  k.strand = strand;
  Py_INCREF(k.entry);
  Py_INCREF(k.capsule);
  kept last = { .entry = NULL };
  BEGIN(self)
  if (j->n == MOST_KEPT)
    last = j->kept[--j->n];
  for (int i = j->n++; i > 0; i--)
    j->kept[i] = j->kept[i - 1];
  j->kept[0] = k;
  END()
  drop(&last);
  Py_RETURN_NONE;
}

/* What is kept of an entry, or with None of all, is let go. */
static PyObject *forget(PyObject *self, PyObject *entry)
{
  jit_object *j = (jit_object *)self;
  kept gone[MOST_KEPT];
  int left = 0, n = 0;
  BEGIN(self)
  for (int i = 0; i < j->n; i++)
    if (entry == Py_None || j->kept[i].entry == entry)
      gone[n++] = j->kept[i];
    else
      j->kept[left++] = j->kept[i];
  j->n = left;
  END()
  for (int i = 0; i < n; i++)
    drop(&gone[i]);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
  { "_keep", (PyCFunction)(void (*)(void))keep, METH_FASTCALL, NULL },
  { "_forget", forget, METH_O, NULL },
  { NULL, NULL, 0, NULL }
};
static PyType_Slot slots[] = { { Py_tp_dealloc, dealloc }, { Py_tp_call, call }, { Py_tp_methods, methods }, { 0, NULL } };
static PyType_Spec spec = { "heddle._core._Jit", sizeof(jit_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };

int hp_jit_init(PyObject *module)
{
  PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
  const int status = type ? PyModule_AddObjectRef(module, "_Jit", type) : -1;
  Py_XDECREF(type);
  return status;
}
