// SPDX-License-Identifier: BSD-3-Clause
/* Programs: what heddle/_jit.py is made of. The function runs on the caller's thread, which captures what it calls. */
#include "binding.h"
#include "context.h"
#include <stdlib.h>

static const char program_name[] = "heddle.program";

typedef struct function {
  PyObject *call;           /* borrowed, while it may be called; NULL: it may not */
  bool raised;              /* a Python exception is set, which says more than the status */
} function;

static void drop(PyObject *capsule)
{
  hed_program_release(PyCapsule_GetPointer(capsule, program_name));
  free(PyCapsule_GetContext(capsule));
}

/* The inputs: arrays, and numbers that stay weak. */
static bool inputs(hp_call *c, PyObject *o, int *n, hed_array ***out)
{
  PyObject *list = hp_sequence(o, "x", "a sequence of arrays");
  bool good = list && (*out = hp_block(c, ((size_t)PyTuple_Size(list) + 1) * sizeof **out));
  *n = list ? (int)PyTuple_Size(list) : 0;
  for (int k = 0; good && k < *n; k++)
    good = hp_weak(c, PyTuple_GetItem(list, k), "x", &(*out)[k]);
  good = good && hp_keep(c, list);   /* what made the list may not */
  Py_XDECREF(list);
  return good;
}

static PyObject *call_captured(PyObject *function, PyObject *list)
{
  hp_capturing(1);
  PyObject *made = PyObject_CallFunctionObjArgs(function, list, NULL);
  hp_capturing(-1);
  return made;
}

/* F(arrays) gives a list of arrays, as many as are wanted. */
static hed_status call_back(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  function *f = arg;
  if (!f->call)   /* nor is the interpreter's lock held */
    return hed_fail(HED_E_PROGRAM, "jit: the function has to be called once more, and is not given");
  PyObject *list = PyList_New(n), *made = NULL;
  for (int k = 0; list && k < n; k++) {
    PyObject *o = hp_wrap("jit", hed_retain((hed_array *)(uintptr_t)x[k]));
    if (!o || PyList_SetItem(list, k, o) != 0)
      Py_CLEAR(list);
  }
  if (list && (made = call_captured(f->call, list)) && (!PyList_Check(made) || PyList_Size(made) > m))
    PyErr_Format(PyExc_TypeError, "jit: a list of at most %d arrays is needed", m);
  for (int j = 0; made && !PyErr_Occurred() && j < PyList_Size(made); j++) {
    PyObject *o = PyList_GetItem(made, j);
    if (!hp_is_array(o))
      PyErr_SetString(PyExc_TypeError, "jit: a result is no Array");
    else
      y[j] = hed_retain(HP_ARRAY(o));
  }
  Py_XDECREF(list);
  Py_XDECREF(made);
  f->raised = PyErr_Occurred() != NULL;
  for (int j = 0; f->raised && j < m; j++) {
    hed_release(y[j]);
    y[j] = NULL;
  }
  return f->raised ? HED_E_INVAL : HED_OK;
}

/* The status of a call of F's: true, or an exception is set. */
static bool went(function *f, hed_status status)
{
  if (f->raised)
    hed_error_clear();
  else if (status != HED_OK)
    hp_fail("jit");
  const bool good = !f->raised && status == HED_OK;
  f->raised = false;
  return good;
}

/* (f, arrays, name, check, fuse): the program, whose next run is given f once more when it checks, and the results. */
static PyObject *create(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  enum { MOST = 4096 };
  hp_call c = HP_CALL("jit");
  hed_array **x, **y = NULL;
  int count = 0;
  const char *name = NULL;
  PyObject *strand = NULL, *out = NULL, *made = NULL;
  hed_frame frame;
  hed_program *p = NULL;
  (void)module;
  if (n != 5)
    return PyErr_Format(PyExc_TypeError, "jit: five arguments are needed");
  function *f = malloc(sizeof *f);
  if (!f)
    return PyErr_NoMemory();
  f->call = args[0];
  f->raised = false;
  if (inputs(&c, args[1], &count, &x) && hp_string(args[2], "name", &name) && (y = hp_block(&c, MOST * sizeof *y)) &&
      hp_push(&strand, &frame)) {
    const hed_program_options options = { .name = name, .check = PyObject_IsTrue(args[3]) == 1,
                                           .fuse = PyObject_IsTrue(args[4]) == 1 };
    const hed_status status = hed_program_create(call_back, f, count, (const hed_array *const *)x, MOST, y, &options, &p);
    hp_pop(&strand, &frame);
    f->call = NULL;
    int m = 0;
    while (m < MOST && y[m])
      m++;
    made = went(f, status) ? hp_list("jit", status, m, y) : NULL;
  }
  PyObject *capsule = made ? PyCapsule_New(p, program_name, drop) : NULL;
  if (capsule && PyCapsule_SetContext(capsule, f) == 0)
    out = Py_BuildValue("(OO)", capsule, made);
  if (!capsule) {
    hed_program_release(p);
    free(f);
  }
  Py_XDECREF(capsule);
  Py_XDECREF(made);
  hp_done(&c);
  return out;
}

/* (program, arrays, number of results, f): those of a run. F is given to the one that checks, and called by it. */
static PyObject *run(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("jit");
  hed_array **x, **y = NULL;
  int32_t m = 0;
  int count = 0;
  PyObject *out = NULL, *strand = NULL;
  hed_frame frame;
  (void)module;
  if (n != 4)
    return PyErr_Format(PyExc_TypeError, "jit: four arguments are needed");
  hed_program *p = PyCapsule_GetPointer(args[0], program_name);
  function *f = p ? PyCapsule_GetContext(args[0]) : NULL;
  if (!f || !inputs(&c, args[1], &count, &x) || !hp_int32(args[2], "m", &m) || !(y = hp_block(&c, ((size_t)m + 1) * sizeof *y)))
    goto end;
  if (args[3] != Py_None) { /* Python runs */
    if (!hp_push(&strand, &frame))
      goto end;
    f->call = args[3];
    const hed_status status = hed_program_run(p, count, (const hed_array *const *)x, m, y);
    hp_pop(&strand, &frame);
    f->call = NULL;
    if (went(f, status))
      out = hp_list("jit", status, m, y);
  } else if (hp_begin(&c, HP_STREAM)) {
    const hed_status status = hed_program_run(p, count, (const hed_array *const *)x, m, y);
    hp_end(&c);
    out = hp_list("jit", status, m, y);
  }
end:
  hp_done(&c);
  return out;
}

/* What the program is, as numbers. */
static PyObject *query(PyObject *module, PyObject *capsule)
{
  hed_program_info q = { .struct_size = sizeof q };
  (void)module;
  hed_program *p = PyCapsule_GetPointer(capsule, program_name);
  if (!p)
    return NULL;
  if (hed_program_query(p, &q) != HED_OK)
    return hp_fail("jit");
#define I(field) #field, q.field
#define U(field) #field, (unsigned long long)q.field
  return Py_BuildValue("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:K,s:K,s:K,s:K}", I(inputs), I(results), I(constants), I(numbers),
                       I(written), I(draws), I(calls), I(kernels), I(views),
                       I(passes), U(constant_bytes), U(block_bytes), U(runs), U(called));
#undef I
#undef U
}

PyMethodDef hp_program_functions[] = {
  { "_program_create", (PyCFunction)(void (*)(void))create, METH_FASTCALL, NULL },
  { "_program_run", (PyCFunction)(void (*)(void))run, METH_FASTCALL, NULL },
  { "_program_query", query, METH_O, NULL },
  { NULL, NULL, 0, NULL }
};
