// SPDX-License-Identifier: BSD-3-Clause
/* From the library's results to Python's, and its failures to exceptions. */
#include "binding.h"
#include <string.h>

/* ---- exceptions: heddle.Error and a class for each kind, which is the builtin one that a caller would expect too ---- */


static PyObject *class_of(int status)
{
  const int k = -status;
  PyObject *type = k > 0 && k < (int)(sizeof hp.errors / sizeof *hp.errors) ? hp.errors[k] : NULL;
  return type ? type : hp.errors[0];
}

enum { MISSING = 127 }; /* no status: the class of names that a container does not have */

/* The class of STATUS, whose sentence TEXT begins with the function. */
static PyObject *class_for(int status, const char *text)
{
  const bool container = strncmp(text, "hed_vsa_items", 13) == 0 || strncmp(text, "hed_load_mat", 12) == 0 ||
                         strstr(text, "npz_load");
  return status == HED_E_NOTFOUND && container ? hp.errors[MISSING] : class_of(status);
}

static const char *const status_names[] = {
#define HED_STATUS(name, number, text) [-(number)] = #name,
#include <heddle/status.def>
#undef HED_STATUS
};

/* MESSAGE, which is taken, as Python's readers would write it. */
static PyObject *in_python(PyObject *message)
{
  static const char *const words[][2] = {
    { "is NULL", "is None" }, { "hed_to(x, \"reference\")", "x.to(\"host\")" }, { "hed_to(x, ", "x.to(" },
    { "hed_wait()", "x.wait()" }, { "hed_", "" }, { "HED_E_", "" }, { "HED_", "" }
  };
  for (size_t k = 0; message && k < sizeof words / sizeof *words; k++) {
    PyObject *from = PyUnicode_FromString(words[k][0]), *to = PyUnicode_FromString(words[k][1]);
    PyObject *said = from && to ? PyUnicode_Replace(message, from, to, -1) : NULL;
    Py_XDECREF(from);
    Py_XDECREF(to);
    Py_DECREF(message);
    message = said;
  }
  return message;
}

PyObject *hp_take_raised(void)
{
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace)
    (void)PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return value;
}

void hp_raise(PyObject *e, PyObject *during)
{
  if (e && during && e != during) {
    PyObject *older = PyException_GetContext(e), *other = PyException_GetContext(during);
    if (!other && older != during)
      PyException_SetContext(during, Py_XNewRef(older));
    PyException_SetContext(e, Py_NewRef(during));
    Py_XDECREF(older);
    Py_XDECREF(other);
  }
  PyObject *raised = Py_XNewRef(e ? e : during);
  if (raised)
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(raised)), raised, PyException_GetTraceback(raised));
  Py_XDECREF(e);
  Py_XDECREF(during);
}

PyObject *hp_fail(const char *name)
{
  int status = hed_error();
  if (PyErr_Occurred()) {   /* a conversion failed before, in Python's own words */
    hed_error_clear();
    return NULL;
  }
  const char *text = hed_error_text();
  PyObject *type = class_for(status, text);
  PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  if (message && PyUnicode_GetLength(message) == 0) {
    Py_DECREF(message);
    message = PyUnicode_FromFormat("%s failed", name);
  }
  message = in_python(message);
  hed_error_clear();
  PyObject *e = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
  if (e) {
    PyObject *number = PyLong_FromLong(status);
    const int k = -status;
    const char *word = k >= 0 && k < (int)(sizeof status_names / sizeof *status_names) ? status_names[k] : NULL;
    PyObject *code = PyUnicode_FromString(word ? word : "?");
    if (number && code && PyObject_SetAttrString(e, "status", number) == 0 && PyObject_SetAttrString(e, "name", code) == 0)
      PyErr_SetObject(type, e);
    Py_XDECREF(number);
    Py_XDECREF(code);
    Py_DECREF(e);
  }
  Py_XDECREF(message);
  return NULL;
}

static PyObject *make_class(PyObject *module, const char *name, PyObject *builtin, PyObject *second)
{
  char qualified[64] = "heddle.";
  strncat(qualified, name, sizeof qualified - 8);
  PyObject *bases = second ? PyTuple_Pack(3, hp.error, builtin, second) : PyTuple_Pack(2, hp.error, builtin);
  PyObject *type = bases ? PyErr_NewException(qualified, bases, NULL) : NULL;
  Py_XDECREF(bases);
  if (type && PyModule_AddObjectRef(module, name, type) != 0)
    Py_CLEAR(type);
  return type;
}

int hp_errors_init(PyObject *module)
{
  const struct { const char *name; PyObject *builtin, *second; int statuses[8]; } kinds[] = {
    { "RuntimeFailure", PyExc_RuntimeError, NULL, { 0 } },
    { "InvalidError", PyExc_ValueError, NULL, { HED_E_INVAL, HED_E_SHAPE, HED_E_MISMATCH, HED_E_FORMAT } },
    { "DTypeError", PyExc_TypeError, NULL, { HED_E_DTYPE } },
    { "OutOfMemoryError", PyExc_MemoryError, NULL, { HED_E_NOMEM, HED_E_DEVMEM, HED_E_LIMIT } },
    { "UnsupportedError", PyExc_NotImplementedError, NULL, { HED_E_UNSUPPORTED } },
    { "BackendError", PyExc_LookupError, NULL, { HED_E_NOTFOUND, HED_E_UNAVAILABLE } },
    { "FileError", PyExc_OSError, NULL, { HED_E_IO } },
    { "AxisError", PyExc_ValueError, PyExc_IndexError, { HED_E_AXIS } },
    { "IndexOutOfRangeError", PyExc_IndexError, NULL, { HED_E_INDEX } },
    { "RangeError", PyExc_OverflowError, NULL, { HED_E_RANGE } },
    { "GradientError", PyExc_ValueError, NULL, { HED_E_GRADIENT } },
    { "ProgramError", PyExc_ValueError, NULL, { HED_E_PROGRAM } },
  };
  hp.error = PyErr_NewExceptionWithDoc("heddle.Error", "A failure of the library: its sentence, with status and name.",
                                       NULL, NULL);
  if (!hp.error || PyModule_AddObjectRef(module, "Error", hp.error) != 0)
    return -1;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    PyObject *type = make_class(module, kinds[k].name, kinds[k].builtin, kinds[k].second);
    if (!type)
      return -1;
    if (k == 0)
      hp.errors[0] = type;
    for (const int *s = kinds[k].statuses; *s; s++)
      hp.errors[-*s] = type;
  }
  if (!(hp.errors[MISSING] = make_class(module, "MissingError", PyExc_KeyError, NULL)))
    return -1;
  PyObject *linalg = make_class(module, "LinAlgError", PyExc_ValueError, NULL);
  if (linalg)
    hp.errors[-HED_E_SINGULAR] = linalg;
  return linalg ? 0 : -1;
}

/* ---- results ---- */

PyObject *hp_wrap(const char *name, hed_array *x)
{
  if (!x)
    return hp_fail(name);
  hp_array_object *o = PyObject_New(hp_array_object, hp.array);
  if (!o) {
    hed_release(x);
    return NULL;
  }
  o->x = hed_keep(x); /* in a derivative by hand the library has a scope open */
  o->weak = NULL;
  return (PyObject *)o;
}

PyObject *hp_none(const char *name, hed_status status)
{
  if (status != HED_OK)
    return hp_fail(name);
  Py_RETURN_NONE;
}

PyObject *hp_given(const char *name, hed_status status, PyObject *out)
{
  if (status != HED_OK)
    return hp_fail(name);
  Py_INCREF(out);
  return out;
}

static PyObject *array_or_none(const char *name, hed_array *x)
{
  if (x)
    return hp_wrap(name, x);
  Py_RETURN_NONE;
}

static PyObject *sequence(const char *name, hed_status status, Py_ssize_t n, hed_array **arrays, PyObject *out,
                          int (*put)(PyObject *, Py_ssize_t, PyObject *))
{
  if (status != HED_OK)
    hp_fail(name);
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject *o = out && status == HED_OK ? array_or_none(name, arrays[k]) : (hed_release(arrays[k]), NULL);
    if (!o || put(out, k, o) != 0)
      Py_CLEAR(out);
  }
  if (status != HED_OK)
    Py_CLEAR(out);
  return out;
}

PyObject *hp_tuple(const char *name, hed_status status, int n, hed_array **arrays)
{
  return sequence(name, status, n, arrays, PyTuple_New(n), PyTuple_SetItem);
}

PyObject *hp_list(const char *name, hed_status status, int64_t n, hed_array **arrays)
{
  const Py_ssize_t count = n > 0 ? (Py_ssize_t)n : 0;   /* a call that failed may have asked for fewer than none */
  return sequence(name, status, count, arrays, PyList_New(count), PyList_SetItem);
}

PyObject *hp_shape_tuple(const hed_shape *s)
{
  PyObject *out = PyTuple_New(s->ndim);
  for (int k = 0; out && k < s->ndim; k++) {
    PyObject *n = PyLong_FromLongLong(s->dim[k]);
    if (!n || PyTuple_SetItem(out, k, n) != 0)
      Py_CLEAR(out);
  }
  return out;
}
