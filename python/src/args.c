// SPDX-License-Identifier: BSD-3-Clause
/* From Python's arguments to the library's. */
#include "binding.h"
#include <math.h>
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
  c->writes = true;
  return weigh(c, *out);
}

bool hp_out(hp_call *c, PyObject *o, hed_array **out)
{
  const bool writes = c->writes;
  if (!hp_target(c, o, "out", out))
    return false;
  c->writes = writes;
  c->out = o;
  return true;
}

static bool list_of(hp_call *c, PyObject *o, const char *name, int *n, hed_array ***out,
                    bool (*one)(hp_call *c, PyObject *o, const char *name, hed_array **out))
{
  PyObject *list = hp_sequence(o, name, "a sequence of arrays");
  if (!list)
    return false;
  const Py_ssize_t count = PyTuple_Size(list);
  hed_array **arrays = hp_block(c, (size_t)count * sizeof *arrays);
  bool ok = arrays != NULL;
  for (Py_ssize_t k = 0; ok && k < count; k++) {
    PyObject *item = PyTuple_GetItem(list, k);
    ok = one(c, item, name, &arrays[k]);
    /* The list may be changed by others while the call runs. */
    if (ok && hp_is_array(item))
      ok = hp_hold(c, hed_retain(arrays[k]));
  }
  Py_DECREF(list);
  *n = (int)count;
  *out = arrays;
  return ok;
}

bool hp_operands(hp_call *c, PyObject *o, const char *name, int *n, hed_array ***out)
{
  return list_of(c, o, name, n, out, hp_operand);
}

bool hp_targets(hp_call *c, PyObject *o, const char *name, int *n, hed_array ***out)
{
  return list_of(c, o, name, n, out, hp_target);
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

hp_limits hp_integer_range(size_t bytes, bool is_signed)
{
  const int unused = 64 - 8 * (int)bytes;
  const int64_t most = INT64_MAX >> unused;
  return is_signed ? (hp_limits){ -most - 1, (uint64_t)most } : (hp_limits){ 0, UINT64_MAX >> unused };
}

/* False, with an error that says what NAME, or element K of it, is and what it could be. Takes VALUE. */
static bool wrong_number(const char *name, int64_t k, PyObject *value, const hp_limits *r)
{
  PyObject *kind = value && PyLong_Check(value) ? PyExc_OverflowError : PyExc_ValueError;
  PyObject *which = !value ? NULL : k < 0 ? PyUnicode_FromString(name)
                    : PyUnicode_FromFormat("%s%selement %lld", name ? name : "", name ? ": " : "", (long long)k);
  if (which)
    PyErr_Format(kind, "%U is %R; integers from %lld to %llu are needed", which, value, (long long)r->low,
                 (unsigned long long)r->high);
  Py_XDECREF(which);
  Py_XDECREF(value);
  return false;
}

static bool fits(int64_t value, const hp_limits *r)
{
  return value >= r->low && (value < 0 || (uint64_t)value <= r->high);
}

bool hp_check_integers(const char *name, hed_kind kind, const void *values, int64_t n, bool whole, const hp_limits *r)
{
  for (int64_t k = 0; k < n; k++) {
    const int64_t which = name && n == 1 ? -1 : k;
    if (kind == HED_KIND_FLOAT) {
      const double x = ((const double *)values)[k], cut = trunc(x);
      /* one more than the largest is exact where that is not */
      if (!(cut >= (double)r->low && cut < (double)r->high + 1) || (whole && x != cut))
        return wrong_number(name, which, PyFloat_FromDouble(x), r);
    } else if (kind == HED_KIND_UINT) {
      const uint64_t i = ((const uint64_t *)values)[k];
      if (i > r->high)
        return wrong_number(name, which, PyLong_FromUnsignedLongLong(i), r);
    } else {
      const int64_t i = ((const int64_t *)values)[k];
      if (!fits(i, r))
        return wrong_number(name, which, PyLong_FromLongLong(i), r);
    }
  }
  return true;
}

bool hp_integer(PyObject *o, const char *name, const hp_limits *r, int64_t *out)
{
  int overflow = 0;
  if (PyFloat_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s is %R; an integer is needed", name, o);
    return false;
  }
  PyObject *index = PyNumber_Index(o);
  if (!index)
    return in_argument(name);
  int64_t value = PyLong_AsLongLongAndOverflow(index, &overflow);
  const uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(index) : 0;
  const bool ok = overflow == 0 ? fits(value, r) : overflow > 0 && !PyErr_Occurred() && large <= r->high;
  PyErr_Clear();
  if (!ok)
    return wrong_number(name, -1, index, r);
  Py_DECREF(index);
  *out = overflow ? (int64_t)large : value;
  return true;
}

static const hp_limits int32_range = { INT32_MIN, INT32_MAX }, int64_range = { INT64_MIN, INT64_MAX },
                      uint64_range = { 0, UINT64_MAX };

bool hp_int64(PyObject *o, const char *name, int64_t *out)
{
  return !o || o == Py_None || hp_integer(o, name, &int64_range, out);
}

bool hp_int32(PyObject *o, const char *name, int32_t *out)
{
  int64_t value = *out;
  if (o && o != Py_None && !hp_integer(o, name, &int32_range, &value))
    return false;
  *out = (int32_t)value;
  return true;
}

bool hp_uint64(PyObject *o, const char *name, uint64_t *out)
{
  int64_t value = (int64_t)*out;
  if (o && o != Py_None && !hp_integer(o, name, &uint64_range, &value))
    return false;
  *out = (uint64_t)value;
  return true;
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
  Py_ssize_t n = 0;
  const char *text = PyUnicode_AsUTF8AndSize(o, &n);
  if (text && (Py_ssize_t)strlen(text) != n)
    PyErr_Format(PyExc_ValueError, "%s: character %zu is null", name, strlen(text));
  *out = text && (Py_ssize_t)strlen(text) == n ? text : NULL;
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

static bool numbers(PyObject *o, const char *name, const hp_limits *r, int32_t *n, int64_t *values)
{
  PyObject *list = PySequence_Check(o) && !(hp_is_array(o) && hed_array_ndim(HP_ARRAY(o)) == 0) ? PySequence_Tuple(o) : NULL;
  if (!list && PyIndex_Check(o)) {   /* also NumPy's arrays without axes, which are sequences by name only */
    PyErr_Clear();
    *n = 1;
    return hp_integer(o, name, r, &values[0]);
  }
  if (!list)
    PyErr_Clear();
  if (!list && !(list = hp_sequence(o, name, "an integer or a sequence of integers")))
    return false;
  const Py_ssize_t count = PyTuple_Size(list);
  bool ok = count <= HED_MAX_NDIM;
  if (!ok)
    PyErr_Format(PyExc_ValueError, "%s has %zd entries; arrays have at most %d axes", name, count, HED_MAX_NDIM);
  for (Py_ssize_t k = 0; ok && k < count; k++)
    ok = hp_integer(PyTuple_GetItem(list, k), name, r, &values[k]);
  Py_DECREF(list);
  *n = (int32_t)count;
  return ok;
}

bool hp_shape(PyObject *o, const char *name, hed_shape *out)
{
  return !o || o == Py_None || numbers(o, name, &int64_range, &out->ndim, out->dim);
}

bool hp_axes(PyObject *o, const char *name, hed_axes *out)
{
  int64_t values[HED_MAX_NDIM];
  if (!o || o == Py_None)
    return true;
  if (!numbers(o, name, &int32_range, &out->n, values))
    return false;
  for (int k = 0; k < out->n; k++)
    out->axis[k] = (int32_t)values[k];
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

/* X's elements as T, of SIZE bytes, in memory of the call; takes X. */
static void *elements(hp_call *c, hed_array *x, const char *name, hed_dtype t, size_t size, int64_t *n)
{
  hed_array *y = x ? hed_astype(x, t) : NULL;
  hed_release(x);
  if (!y) {
    in_argument(name);
    return NULL;
  }
  *n = hed_array_size(y);
  void *values = hp_block(c, (size_t)*n * size);
  if (values && hp_to_host(y, values, (size_t)*n * size) != HED_OK)
    values = hp_fail(name);
  hed_release(y);
  return values;
}

bool hp_doubles(hp_call *c, PyObject *o, const char *name, int64_t *n, double **out)
{
  if (!o || o == Py_None)
    return true;
  *out = elements(c, hp_convert(o, HED_FLOAT64, HED_COPY_IF_NEEDED), name, HED_FLOAT64, sizeof **out, n);
  return *out != NULL;
}

bool hp_integers_in(hp_call *c, PyObject *o, const char *name, const hp_limits *r, int64_t *n, int64_t **out)
{
  if (!o || o == Py_None)
    return true;
  hed_array *x = hp_convert_exactly(o);
  const hed_kind kind = x ? hed_dtype_kind(hed_array_dtype(x)) : HED_KIND_INT;
  if (kind == HED_KIND_COMPLEX) {
    PyErr_Format(PyExc_TypeError, "%s: integers are needed, not %s", name, hed_dtype_name(hed_array_dtype(x)));
    hed_release(x);
    return false;
  }
  const hed_dtype t = kind == HED_KIND_FLOAT ? HED_FLOAT64 : kind == HED_KIND_UINT ? HED_UINT64 : HED_INT64;
  void *values = elements(c, x, name, t, sizeof **out, n);
  const double *real = values;
  *out = values;
  if (!values || !hp_check_integers(name, kind, values, *n, true, r))
    return false;
  for (int64_t k = 0; kind == HED_KIND_FLOAT && k < *n; k++)
    (*out)[k] = real[k] < 0x1p63 ? (int64_t)real[k] : (int64_t)(uint64_t)real[k];
  return true;
}

bool hp_integers(hp_call *c, PyObject *o, const char *name, int64_t *n, int64_t **out)
{
  return hp_integers_in(c, o, name, &int64_range, n, out);
}

bool hp_length(const char *name, int64_t count, int64_t wanted)
{
  if (count == wanted)
    return true;
  PyErr_Format(PyExc_ValueError, "%s has %lld values; %lld are needed", name, (long long)count, (long long)wanted);
  return false;
}
