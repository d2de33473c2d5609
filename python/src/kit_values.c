// SPDX-License-Identifier: BSD-3-Clause
/* Arguments and results of the kits that operations do not have. */
#include "kit.h"
#include <string.h>

/* ---- arguments ---- */

bool hp_callable(PyObject *o, const char *name, PyObject **out)
{
  if (o && o != Py_None && !PyCallable_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s: a callable is needed, not %R", name, Py_TYPE(o));
    return false;
  }
  *out = o;
  return true;
}

bool hp_strings(hp_call *c, PyObject *o, const char *name, int64_t *n, const char ***out)
{
  if (PyUnicode_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s: a list of strings is needed, not one", name);
    return false;
  }
  PyObject *list = hp_sequence(o, name, "a list of strings");
  if (!list || !hp_keep(c, list)) {
    Py_XDECREF(list);
    return false;
  }
  *n = PyTuple_Size(list);
  *out = hp_block(c, (size_t)*n * sizeof **out);
  bool ok = *out != NULL;
  for (int64_t k = 0; ok && k < *n; k++)
    ok = hp_string(PyTuple_GetItem(list, (Py_ssize_t)k), name, &(*out)[k]);
  for (int64_t k = 0; ok && k < *n; k++)
    if (!(*out)[k]) {
      PyErr_Format(PyExc_TypeError, "%s: entry %lld is None", name, (long long)k);
      ok = false;
    }
  Py_DECREF(list);
  return ok;
}

bool hp_path(hp_call *c, PyObject *o, const char *name, const char **out)
{
  PyObject *bytes = NULL;
  (void)name;
  if (!PyUnicode_FSConverter(o, &bytes))
    return false;
  *out = PyBytes_AsString(bytes);
  const bool ok = *out && hp_keep(c, bytes);
  Py_DECREF(bytes);
  return ok;
}

bool hp_pair(PyObject *pair, const char *name, PyObject **key, PyObject **value)
{
  if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
    PyErr_Format(PyExc_TypeError, "%s: its items are %R, not pairs of a name and a value", name, Py_TYPE(pair));
    return false;
  }
  *key = PyTuple_GetItem(pair, 0);
  *value = PyTuple_GetItem(pair, 1);
  return true;
}

bool hp_size(PyObject *o, const char *name, size_t *out)
{
  uint64_t value = *out;
  if (!hp_uint64(o, name, &value))
    return false;
  *out = (size_t)value;
  return true;
}

bool hp_range(PyObject *o, const char *name, hed_slice_range *out)
{
  Py_ssize_t start, stop, step;
  if (!PySlice_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s: a slice is needed, not %R", name, Py_TYPE(o));
    return false;
  }
  if (PySlice_Unpack(o, &start, &stop, &step) != 0)
    return false;
  *out = HED_RANGE(start, stop, step);
  return true;
}

bool hp_matrices(const char *name, int64_t n, int64_t d)
{
  if (d > 0 && n % (d * d) == 0)
    return true;
  PyErr_Format(PyExc_ValueError, "%s has %lld numbers; matrices of %lld by %lld are needed", name, (long long)n, (long long)d,
               (long long)d);
  return false;
}

/* ---- results ---- */

PyObject *hp_axes_tuple(const hed_axes *axes)
{
  hed_shape s = { .ndim = axes->n > 0 ? axes->n : 0 };
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = axes->axis[k];
  return hp_shape_tuple(&s);
}

PyObject *hp_values(const void *p, hed_dtype t, hed_shape shape)
{
  return hp_wrap("numbers", hed_from_host(p, shape, t));
}

PyObject *hp_text(const char *text)
{
  if (!text)
    Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *hp_results(int n, PyObject **list)
{
  bool ok = true;
  for (int k = 0; k < n; k++)
    ok &= list[k] != NULL;
  PyObject *out = ok && n > 1 ? PyTuple_New(n) : NULL;
  for (int k = 0; k < n; k++) {
    if (out)
      (void)PyTuple_SetItem(out, k, list[k]);
    else if (!ok || n > 1)
      Py_XDECREF(list[k]);
  }
  return ok && n == 1 ? list[0] : out;
}

PyObject *hp_number(const char *name, PyObject *value)
{
  if (hed_error() == HED_OK)
    return value;
  Py_XDECREF(value);
  return hp_fail(name);
}
