// SPDX-License-Identifier: BSD-3-Clause
/* Recordings and derivatives: what heddle/_grad.py is made of. Recording is the thread's, so that it sees every call between begin
 * and end. */
#include "binding.h"

static PyObject *begin(PyObject *module, PyObject *pauses)
{
  hed_record_scope s;
  (void)module;
  const int pause = PyObject_IsTrue(pauses);
  if (pause < 0)
    return NULL;
  if ((pause ? hed_record_pause(&s) : hed_record_begin(&s)) != HED_OK)
    return hp_fail("grad");
  return Py_BuildValue("(KO)", (unsigned long long)s.depth, s.outer ? Py_True : Py_False);
}

static PyObject *end(PyObject *module, PyObject *scope)
{
  unsigned long long depth = 0;
  int outer = 0;
  (void)module;
  if (!PyArg_ParseTuple(scope, "Kp", &depth, &outer))
    return NULL;
  hed_record_scope s = { depth, outer != 0 };
  hed_record_end(&s);
  Py_RETURN_NONE;
}

static const char tape_name[] = "heddle.tape";

static void drop_tape(PyObject *capsule)
{
  hed_tape_release(PyCapsule_GetPointer(capsule, tape_name));
}

static PyObject *take(PyObject *module, PyObject *unused)
{
  (void)module, (void)unused;
  hed_tape *tape = hed_record_take();
  if (!tape)
    Py_RETURN_NONE;
  PyObject *capsule = PyCapsule_New(tape, tape_name, drop_tape);
  if (!capsule)
    hed_tape_release(tape);
  return capsule;
}

/* The capsule is empty then. */
static PyObject *give(PyObject *module, PyObject *capsule)
{
  (void)module;
  hed_tape *tape = PyCapsule_GetPointer(capsule, tape_name);
  if (!tape)
    return NULL;
  if (hed_record_give(tape) != HED_OK)
    return hp_fail("grad");
  PyCapsule_SetDestructor(capsule, NULL);
  PyCapsule_SetName(capsule, "heddle.tape, given");
  Py_RETURN_NONE;
}

static PyObject *alias(const char *name, hed_array *(*make)(const hed_array *), PyObject *o)
{
  hp_call c = HP_CALL(name);
  hed_array *x = NULL, *y = NULL;
  if (hp_operand(&c, o, "x", &x) && hp_begin(&c, HP_VIEW)) {
    y = make(x);
    hp_end(&c);
  }
  hp_done(&c);
  return y || !PyErr_Occurred() ? hp_wrap(name, y) : NULL;
}

static PyObject *variable(PyObject *module, PyObject *o)
{
  (void)module;
  return alias("variable", hed_variable, o);
}

static PyObject *stop_gradient(PyObject *module, PyObject *o)
{
  (void)module;
  return alias("stop_gradient", hed_stop_gradient, o);
}

static PyObject *is_recorded(PyObject *module, PyObject *o)
{
  (void)module;
  return PyBool_FromLong(hp_is_array(o) && hed_array_is_recorded(HP_ARRAY(o)));
}

/* (y, cotangents or None, x, keep, record): the gradients by x. */
static PyObject *vjp(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("vjp");
  hed_array **y, **x, **g = NULL;
  const hed_array **cotangent = NULL;
  int m = 0, count = 0;
  bool good = n == 5 && hp_operands(&c, args[0], "y", &m, &y) && hp_operands(&c, args[2], "x", &count, &x);
  (void)module;
  PyObject *list = good ? hp_sequence(args[1], "cotangent", "a sequence of arrays") : NULL;
  good = list && PyTuple_Size(list) == m && (cotangent = hp_block(&c, (size_t)m * sizeof *cotangent))
         && (g = hp_block(&c, (size_t)count * sizeof *g));
  for (int j = 0; good && j < m; j++) {
    hed_array *o = NULL;
    good = hp_optional(&c, PyTuple_GetItem(list, j), "cotangent", &o);
    cotangent[j] = o;
  }
  hed_status status = HED_E_INVAL;
  const hed_grad_options opt = { good && PyObject_IsTrue(args[3]) == 1, good && PyObject_IsTrue(args[4]) == 1 };
  if (good && (good = hp_begin(&c, HP_LONG))) {
    status = hed_vjp(m, (const hed_array *const *)y, cotangent, count, (const hed_array *const *)x, g, &opt);
    hp_end(&c);
  }
  PyObject *out = good ? hp_list("grad", status, count, g) : NULL;
  if (!good && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "vjp: five arguments are needed, with a cotangent for each y");
  Py_XDECREF(list);
  hp_done(&c);
  return out;
}

/* (y, x, tangents): those of y. */
static PyObject *jvp(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("jvp");
  hed_array **y, **x, **t, **ty = NULL;
  int m = 0, count = 0, tangents = 0;
  bool good = n == 3 && hp_operands(&c, args[0], "y", &m, &y) && hp_operands(&c, args[1], "x", &count, &x)
              && hp_operands(&c, args[2], "t", &tangents, &t) && tangents == count
              && (ty = hp_block(&c, (size_t)m * sizeof *ty)) && hp_begin(&c, HP_LONG);
  hed_status status = HED_E_INVAL;
  (void)module;
  if (good) {
    status = hed_jvp(m, (const hed_array *const *)y, count, (const hed_array *const *)x, (const hed_array *const *)t, ty);
    hp_end(&c);
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_TypeError, "jvp: a tangent for each x is needed");
  }
  PyObject *out = good ? hp_list("jvp", status, m, ty) : NULL;
  hp_done(&c);
  return out;
}

/* ---- derivatives by hand ---- */

/* A Python exception stays set on the thread, and is what the caller of the gradient sees. */
static hed_status call_back(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient)
{
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *list = PyTuple_New(m), *out = NULL, *items = NULL;
  bool good = list != NULL;
  for (int j = 0; good && j < m; j++) {
    PyObject *o = Py_NewRef(Py_None);
    if (cotangent[j]) {
      Py_DECREF(o);
      o = hp_wrap("custom_vjp", hed_positive(cotangent[j]));
    }
    good = o && PyTuple_SetItem(list, j, o) == 0;
  }
  out = good ? PyObject_CallFunctionObjArgs(state, list, NULL) : NULL;
  items = out ? hp_sequence(out, "gradient", "a sequence of arrays or None") : NULL;
  good = items != NULL;
  if (items && PyTuple_Size(items) != n) {
    PyErr_Format(PyExc_TypeError, "custom_vjp: %zd gradients for %d operands", PyTuple_Size(items), n);
    good = false;
  }
  for (int k = 0; good && k < n; k++) {
    PyObject *o = PyTuple_GetItem(items, k);
    if (o == Py_None)
      continue;
    if (!hp_is_array(o)) {
      PyErr_Format(PyExc_TypeError, "custom_vjp: gradient %d is no Array, nor None", k);
      good = false;
    } else {
      gradient[k] = hed_retain(HP_ARRAY(o));
    }
  }
  Py_XDECREF(items);
  Py_XDECREF(out);
  Py_XDECREF(list);
  PyGILState_Release(lock);
  return good ? HED_OK : hed_fail(HED_E_GRADIENT, "custom_vjp: the function failed");
}

static void drop_function(void *state) { hp_drop_later(state); }

/* (name, function of cotangents, x, y): y count as made from x. */
static PyObject *custom(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hp_call c = HP_CALL("custom_vjp");
  const char *name = NULL;
  hed_array **x, **y;
  int count = 0, m = 0;
  hed_status status = HED_E_INVAL;
  (void)module;
  bool good = n == 4 && hp_string(args[0], "name", &name) && hp_operands(&c, args[2], "x", &count, &x)
              && hp_operands(&c, args[3], "y", &m, &y) && hp_begin(&c, HP_VIEW);
  if (good) {
    status = hed_custom_vjp(name, call_back, Py_NewRef(args[1]), drop_function, count, (const hed_array *const *)x, m, y);
    hp_end(&c);
  }
  hp_done(&c);
  return good ? hp_none("custom_vjp", status) : NULL;
}

#define FAST(name, function, doc) { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, doc }
PyMethodDef hp_grad_functions[] = {
  { "_record_begin", begin, METH_O, NULL },
  { "_record_end", end, METH_O, NULL },
  { "_record_take", take, METH_NOARGS, NULL },
  { "_record_give", give, METH_O, NULL },
  { "_variable", variable, METH_O, NULL },
  { "_is_recorded", is_recorded, METH_O, NULL },
  FAST("_vjp", vjp, NULL),
  FAST("_jvp", jvp, NULL),
  FAST("_custom_vjp", custom, NULL),
  { "_stop_gradient", stop_gradient, METH_O, NULL },
  { NULL, NULL, 0, NULL }
};
