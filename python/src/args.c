// SPDX-License-Identifier: BSD-3-Clause
/* From Python's arguments to the library's. */
#include "binding.h"
#include <string.h>

/* ---- arrays ---- */

static bool weigh(hp_call *c, const hed_array *x)
{
  c->bytes += hed_array_nbytes(x);
  const int64_t n = hed_array_size(x);
  c->elements = n > c->elements ? n : c->elements;
  c->device |= hp_on_device(x);
  return true;
}

/* Prefix the message of the exception that is raised with NAME, where it does not say which argument it means. */
static bool in_argument(const char *name)
{
  PyObject *type, *value, *trace;
  if (!PyErr_Occurred()) {
    hp_fail(name);
    return false;
  }
  PyErr_Fetch(&type, &value, &trace);
  PyObject *text = value ? PyObject_Str(value) : NULL;
  if (text && (type == PyExc_TypeError || type == PyExc_ValueError || type == PyExc_OverflowError)) {
    PyErr_Format(type, "%s: %U", name, text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  } else
    PyErr_Restore(type, value, trace);
  Py_XDECREF(text);
  return false;
}

PyObject *hp_sequence(PyObject *o, const char *name, const char *what)
{
  PyObject *list = PySequence_Tuple(o);
  if (!list && PyErr_ExceptionMatches(PyExc_TypeError) && !PySequence_Check(o) && !PyIter_Check(o))
    PyErr_Format(PyExc_TypeError, "%s: %s is needed, not %R", name, what, Py_TYPE(o));
  else if (!list)
    in_argument(name);
  return list;
}

bool hp_operand(hp_call *c, PyObject *o, const char *name, hed_array **out)
{
  if (hp_is_array(o)) {
    *out = HP_ARRAY(o);
    return weigh(c, *out);
  }
  hed_array *x = hp_convert(o, NULL, HED_COPY_IF_NEEDED);
  if (!x)
    return in_argument(name);
  *out = x;
  return hp_hold(c, x) && weigh(c, x);
}

bool hp_weak(hp_call *c, PyObject *o, const char *name, hed_array **out)
{
  hed_array *x = hp_is_array(o) ? NULL : hp_scalar(o);
  if (!x)
    return !PyErr_Occurred() && hp_operand(c, o, name, out);
  *out = x;
  return hp_hold(c, x);
}

bool hp_optional(hp_call *c, PyObject *o, const char *name, hed_array **out)
{
  return !o || o == Py_None || hp_operand(c, o, name, out);
}

bool hp_target(hp_call *c, PyObject *o, const char *name, hed_array **out)
{
  if (!hp_is_array(o)) {
    PyErr_Format(PyExc_TypeError, "%s: a heddle.Array is needed, as it is written, not %R", name, Py_TYPE(o));
    return false;
  }
  *out = HP_ARRAY(o);
  return weigh(c, *out);
}

bool hp_operands(hp_call *c, PyObject *o, const char *name, int *n, hed_array ***out)
{
  PyObject *list = hp_sequence(o, name, "a sequence of arrays");
  if (!list)
    return false;
  const Py_ssize_t count = PyTuple_Size(list);
  hed_array **arrays = hp_block(c, (size_t)count * sizeof *arrays);
  bool ok = arrays != NULL;
  for (Py_ssize_t k = 0; ok && k < count; k++) {
    PyObject *item = PyTuple_GetItem(list, k);
    ok = hp_operand(c, item, name, &arrays[k]);
    /* The list may be changed by others while the call runs. */
    if (ok && hp_is_array(item))
      ok = hp_hold(c, hed_retain(arrays[k]));
  }
  Py_DECREF(list);
  *n = (int)count;
  *out = arrays;
  return ok;
}

/* ---- numbers ---- */

bool hp_present(PyObject *o, const char *name)
{
  if (o != Py_None)
    return true;
  PyErr_Format(PyExc_TypeError, "%s is None; it must be given", name);
  return false;
}

bool hp_double(PyObject *o, const char *name, double *out)
{
  if (!o || o == Py_None)
    return true;
  *out = PyFloat_AsDouble(o);
  return *out != -1 || !PyErr_Occurred() || in_argument(name);
}

bool hp_int64(PyObject *o, const char *name, int64_t *out)
{
  if (!o || o == Py_None)
    return true;
  PyObject *index = PyNumber_Index(o);
  if (!index)
    return in_argument(name);
  *out = PyLong_AsLongLong(index);
  Py_DECREF(index);
  return *out != -1 || !PyErr_Occurred() || in_argument(name);
}

bool hp_int32(PyObject *o, const char *name, int32_t *out)
{
  int64_t value = *out;
  if (!hp_int64(o, name, &value))
    return false;
  if (value != (int32_t)value) {
    PyErr_Format(PyExc_OverflowError, "%s: %lld does not fit into 32 bits", name, (long long)value);
    return false;
  }
  *out = (int32_t)value;
  return true;
}

bool hp_uint64(PyObject *o, const char *name, uint64_t *out)
{
  if (!o || o == Py_None)
    return true;
  PyObject *index = PyNumber_Index(o);
  if (!index)
    return in_argument(name);
  *out = PyLong_AsUnsignedLongLong(index);
  Py_DECREF(index);
  return *out != UINT64_MAX || !PyErr_Occurred() || in_argument(name);
}

bool hp_bool(PyObject *o, const char *name, bool *out)
{
  if (!o || o == Py_None)
    return true;
  if (PyLong_Check(o) && !PyBool_Check(o)) { /* 2 is a number that was meant for another argument */
    const long value = PyLong_AsLong(o);
    if (value != 0 && value != 1) {
      PyErr_Format(PyExc_ValueError, "%s is %S; it can be True or False", name, o);
      return false;
    }
  }
  const int truth = PyObject_IsTrue(o);
  *out = truth == 1;
  return truth >= 0;
}

bool hp_string(PyObject *o, const char *name, const char **out)
{
  if (!o || o == Py_None)
    return true;
  if (!PyUnicode_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s: a string is needed, not %R", name, Py_TYPE(o));
    return false;
  }
  *out = PyUnicode_AsUTF8AndSize(o, NULL);
  return *out != NULL;
}

bool hp_enum(PyObject *o, const char *name, const hp_word *words, int *out)
{
  if (!o || o == Py_None)
    return true;
  int32_t number = 0;
  const bool is_word = PyUnicode_Check(o);
  if (!is_word && !hp_int32(o, name, &number))
    return false;
  for (const hp_word *w = words; w->word; w++)
    if (is_word ? PyUnicode_CompareWithASCIIString(o, w->word) == 0 : w->value == number) {
      *out = w->value;
      return true;
    }
  PyObject *list = PyUnicode_FromString("");
  for (const hp_word *w = words; list && w->word; w++) {
    PyObject *more = PyUnicode_FromFormat("%U%s\"%s\"", list, w == words ? "" : ", ", w->word);
    Py_DECREF(list);
    list = more;
  }
  if (list)
    PyErr_Format(PyExc_ValueError, "%s is %R; it can be %U", name, o, list);
  Py_XDECREF(list);
  return false;
}

/* ---- shapes and axes: a number or a sequence of numbers ---- */

static bool numbers(PyObject *o, const char *name, int32_t *n, int64_t *values)
{
  if (PyIndex_Check(o) && !(hp_is_array(o) && hed_array_ndim(HP_ARRAY(o)) != 0)) {
    *n = 1;
    return hp_int64(o, name, &values[0]);
  }
  PyObject *list = hp_sequence(o, name, "an integer or a sequence of integers");
  if (!list)
    return false;
  const Py_ssize_t count = PyTuple_Size(list);
  bool ok = count <= HED_MAX_NDIM;
  if (!ok)
    PyErr_Format(PyExc_ValueError, "%s has %zd entries; arrays have at most %d axes", name, count, HED_MAX_NDIM);
  for (Py_ssize_t k = 0; ok && k < count; k++) {
    values[k] = 0;
    ok = hp_int64(PyTuple_GetItem(list, k), name, &values[k]);
  }
  Py_DECREF(list);
  *n = (int32_t)count;
  return ok;
}

bool hp_shape(PyObject *o, const char *name, hed_shape *out)
{
  return !o || o == Py_None || numbers(o, name, &out->ndim, out->dim);
}

bool hp_axes(PyObject *o, const char *name, hed_axes *out)
{
  int64_t values[HED_MAX_NDIM];
  if (!o || o == Py_None)
    return true;
  if (!numbers(o, name, &out->n, values))
    return false;
  for (int k = 0; k < out->n; k++) {
    if (values[k] != (int32_t)values[k]) {
      PyErr_Format(PyExc_OverflowError, "%s: %lld does not fit into 32 bits", name, (long long)values[k]);
      return false;
    }
    out->axis[k] = (int32_t)values[k];
  }
  return true;
}

/* An empty tuple are no axes, where None are all. */
bool hp_axes_or_none(PyObject *o, const char *name, hed_axes *out)
{
  if (!hp_axes(o, name, out))
    return false;
  if (o && o != Py_None && out->n == 0)
    *out = HED_NO_AXES;
  return true;
}

/* ---- lists of numbers: from any array, sequence or number, in C order ---- */

static void *numbers_of(hp_call *c, PyObject *o, const char *name, hed_dtype t, size_t size, int64_t *n)
{
  hed_array *x = hp_convert(o, t, HED_COPY_IF_NEEDED);
  if (!x) {
    in_argument(name);
    return NULL;
  }
  *n = hed_array_size(x);
  void *values = hp_block(c, (size_t)*n * size);
  if (values && hp_to_host(x, values, (size_t)*n * size) != HED_OK)
    values = hp_fail(name);
  hed_release(x);
  return values;
}

bool hp_doubles(hp_call *c, PyObject *o, const char *name, int64_t *n, double **out)
{
  if (!o || o == Py_None)
    return true;
  *out = numbers_of(c, o, name, HED_FLOAT64, sizeof **out, n);
  return *out != NULL;
}

bool hp_integers(hp_call *c, PyObject *o, const char *name, int64_t *n, int64_t **out)
{
  if (!o || o == Py_None)
    return true;
  *out = numbers_of(c, o, name, HED_INT64, sizeof **out, n);
  return *out != NULL;
}

bool hp_length(const char *name, int64_t count, int64_t wanted)
{
  if (count == wanted)
    return true;
  PyErr_Format(PyExc_ValueError, "%s has %lld values; %lld are needed", name, (long long)count, (long long)wanted);
  return false;
}
