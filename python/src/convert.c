// SPDX-License-Identifier: BSD-3-Clause
/* Python values as arrays, and arrays as Python values. */
#include "binding.h"
#include "context.h"
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static hed_array *of_int(PyObject *o)
{
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (!overflow)
    return hed_scalar_int(value);
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
  if (overflow > 0 && !PyErr_Occurred())
    return hed_scalar_uint(large);
  PyErr_Clear();
  PyErr_Format(PyExc_OverflowError, "the integer %R does not fit into 64 bits", o);
  return NULL;
}

/* Can N numbers become T? Fractions are cut off, whole parts are not. */
static bool can_hold(hed_dtype t, const char *name, hed_kind held, const void *values, int64_t n)
{
  const hed_kind kind = hed_dtype_kind(t);
  if ((kind != HED_KIND_INT && kind != HED_KIND_UINT) || held == HED_KIND_COMPLEX)
    return true;
  const hp_limits r = hp_integer_range(hed_dtype_size(t), kind == HED_KIND_INT);
  return hp_check_integers(name, held, values, n, false, &r);
}

bool hp_number_fits(PyObject *o, hed_dtype t)
{
  double real = 0;
  int64_t whole = 0;
  if (PyFloat_Check(o)) {
    real = PyFloat_AsDouble(o);
    return can_hold(t, "value", HED_KIND_FLOAT, &real, 1);
  }
  if (!PyLong_Check(o))
    return true;
  int overflow = 0;
  whole = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow)
    whole = (int64_t)PyLong_AsUnsignedLongLong(o);   /* what of_int() has taken */
  return can_hold(t, "value", overflow ? HED_KIND_UINT : HED_KIND_INT, &whole, 1);
}

hed_array *hp_scalar(PyObject *o)
{
  PyTypeObject *type = Py_TYPE(o);
  if (type == &PyFloat_Type)
    return hed_scalar(PyFloat_AsDouble(o));
  if (type == &PyLong_Type)
    return of_int(o);
  if (type == &PyBool_Type)
    return hed_scalar_bool(o == Py_True);
  if (type == &PyComplex_Type)
    return hed_scalar_complex(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
  return NULL;
}

/* ---- nested sequences ---- */

typedef struct nest {
  hed_shape shape;
  hed_kind kind;       /* the widest seen of Python's numbers */
  hed_dtype strong;    /* what arrays without axes and NumPy's scalars promote to; NULL: there was none */
  bool any, large;     /* some number was seen; one of them is beyond int64 */
  bool rows;           /* an element is an array with axes: the list is a stack */
  void *values;        /* doubles, int64 or pairs of doubles, in C order */
  int64_t at;
  int depth;           /* where the elements are; -1: not known yet */
} nest;

static bool is_list(PyObject *o)
{
  return PyList_Check(o) || PyTuple_Check(o);
}

/* The dtype of an array without axes, or of NumPy's scalars, some of which are Python's floats too; else NULL. *ROW: it has axes. */
static hed_dtype strong_dtype(PyObject *o, bool *row)
{
  hed_dtype t = NULL;
  if (hp_is_array(o)) {
    *row = hed_array_ndim(HP_ARRAY(o)) != 0;
    return hed_array_dtype(HP_ARRAY(o));
  }
  PyTypeObject *type = Py_TYPE(o);
  if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyComplex_Type || !hp_converts(o))
    return NULL;
  PyObject *ndim = PyObject_GetAttrString(o, "ndim"), *dtype = PyObject_GetAttrString(o, "dtype");
  *row = !ndim || PyLong_AsLong(ndim) != 0;
  if (dtype && !hp_dtype(dtype, "element", &t))
    t = NULL;
  PyErr_Clear();
  Py_XDECREF(ndim);
  Py_XDECREF(dtype);
  return t;
}

static bool number_kind(nest *t, PyObject *o, hed_kind *kind)
{
  const hed_dtype strong = strong_dtype(o, &t->rows);
  if (strong) {
    t->strong = t->strong ? hed_dtype_promote(t->strong, strong) : strong;
    *kind = hed_dtype_kind(strong);
    *kind = *kind == HED_KIND_UINT ? HED_KIND_INT : *kind;
  } else if (PyBool_Check(o))
    *kind = HED_KIND_BOOL;
  else if (PyLong_Check(o))
    *kind = HED_KIND_INT;
  else if (PyFloat_Check(o))
    *kind = HED_KIND_FLOAT;
  else if (PyComplex_Check(o))
    *kind = HED_KIND_COMPLEX;
  else if (PyIndex_Check(o))
    *kind = HED_KIND_INT;
  else
    return t->rows;   /* something with axes, which says itself what is wrong with it */
  return true;
}

/* Shape and kind. Every list of one depth has the same length. */
static bool survey(nest *t, PyObject *o, int depth)
{
  if (!is_list(o)) {
    hed_kind kind;
    if (!number_kind(t, o, &kind)) {
      PyErr_Format(PyExc_TypeError, "%R cannot be an element of an array", Py_TYPE(o));
      return false;
    }
    if (t->rows)
      return true;
    if (t->depth != depth && t->depth >= 0) {
      PyErr_SetString(PyExc_ValueError, "lists and numbers lie side by side");
      return false;
    }
    t->depth = depth;
    t->kind = !t->any || kind > t->kind ? kind : t->kind;
    t->any = true;
    return true;
  }
  const Py_ssize_t n = PySequence_Size(o);
  if (depth >= HED_MAX_NDIM || (t->depth >= 0 && depth >= t->depth)) {
    PyErr_SetString(PyExc_ValueError, depth >= HED_MAX_NDIM ? "lists are nested too deeply" :
                    "lists and numbers lie side by side");
    return false;
  }
  if (depth < t->shape.ndim && t->shape.dim[depth] != n) {
    PyErr_Format(PyExc_ValueError, "lists of axis %d have %lld and %zd elements", depth,
                 (long long)t->shape.dim[depth], n);
    return false;
  }
  if (depth >= t->shape.ndim) {
    t->shape.ndim = depth + 1;
    t->shape.dim[depth] = n;
  }
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject *item = PySequence_GetItem(o, k);
    const bool ok = item && survey(t, item, depth + 1);
    Py_XDECREF(item);
    if (!ok || t->rows)
      return ok;
  }
  return true;
}

static bool store(nest *t, PyObject *o)
{
  if (hp_is_array(o)) {
    PyObject *number = hp_item(HP_ARRAY(o));
    const bool ok = number && store(t, number);
    Py_XDECREF(number);
    return ok;
  }
  if (t->kind == HED_KIND_COMPLEX) {
    PyObject *z = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, o, NULL);
    if (!z)
      return false;
    ((double *)t->values)[2 * t->at] = PyComplex_RealAsDouble(z);
    ((double *)t->values)[2 * t->at + 1] = PyComplex_ImagAsDouble(z);
    Py_DECREF(z);
  } else if (t->kind == HED_KIND_FLOAT)
    ((double *)t->values)[t->at] = PyFloat_AsDouble(o);
  else {
    PyObject *index = PyIndex_Check(o) ? PyNumber_Index(o) : PyBool_FromLong(PyObject_IsTrue(o));   /* as NumPy's bool_ */
    int overflow = 0;
    const long long value = index ? PyLong_AsLongLongAndOverflow(index, &overflow) : -1;
    const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(index) : 0;
    ((int64_t *)t->values)[t->at] = overflow > 0 ? (int64_t)large : value;
    t->large |= overflow > 0;
    if (overflow < 0 || (overflow > 0 && PyErr_Occurred()))
      PyErr_Format(PyExc_OverflowError, "the integer %R does not fit into 64 bits", o);
    Py_XDECREF(index);
  }
  t->at++;
  return !PyErr_Occurred();
}

static bool collect(nest *t, PyObject *o, int depth)
{
  if (!is_list(o))
    return store(t, o);
  for (Py_ssize_t k = 0; k < (Py_ssize_t)t->shape.dim[depth]; k++) {
    PyObject *item = PySequence_GetItem(o, k);
    const bool ok = item && collect(t, item, depth + 1);
    Py_XDECREF(item);
    if (!ok)
      return false;
  }
  return true;
}

static bool is_whole(const nest *t) { return t->kind <= HED_KIND_INT && t->any; }

/* How numbers are held: exactly. */
static hed_dtype held_dtype(const nest *t)
{
  return is_whole(t) ? (t->large ? HED_UINT64 : HED_INT64) : t->kind == HED_KIND_COMPLEX ? HED_COMPLEX128 : HED_FLOAT64;
}

/* What the context has for them: Python's numbers are weak beside others. */
static hed_dtype default_of(const nest *t)
{
  const hed_dtype own = t->strong;
  if (own && t->kind <= (hed_dtype_kind(own) == HED_KIND_UINT ? HED_KIND_INT : hed_dtype_kind(own)))
    return own;
  if (own && t->kind == HED_KIND_COMPLEX && hed_dtype_kind(own) == HED_KIND_FLOAT)
    return hed_dtype_promote(own, HED_COMPLEX64);
  return !t->any ? HED_REAL : t->kind == HED_KIND_BOOL ? HED_BOOL : t->large ? HED_UINT64 : is_whole(t) ? HED_INDEX :
         t->kind == HED_KIND_COMPLEX ? HED_COMPLEX : HED_REAL;
}

static bool fit(const nest *t, int64_t n, hed_dtype want)
{
  return can_hold(want, NULL, hed_dtype_kind(held_dtype(t)), t->values, n);
}

static hed_array *from_sequence(PyObject *o, hed_dtype want, bool exact);

/* A list whose elements are arrays, or lists of such, along a new axis. */
static hed_array *stacked(PyObject *o, hed_dtype want, bool exact)
{
  const Py_ssize_t n = PySequence_Size(o);
  hed_array **parts = calloc(n > 0 ? (size_t)n : 1, sizeof *parts), *x = NULL;
  PyObject *strand;
  hed_frame frame;
  bool ok = parts != NULL;
  for (Py_ssize_t k = 0; ok && k < n; k++) {
    PyObject *item = PySequence_GetItem(o, k);
    parts[k] = !item ? NULL : is_list(item) ? from_sequence(item, want, exact) : hp_convert(item, want, HED_COPY_IF_NEEDED);
    Py_XDECREF(item);
    ok = parts[k] != NULL;
    if (!ok && !PyErr_Occurred())
      hp_fail("asarray");
  }
  if (ok && hp_push(&strand, &frame)) {
    x = hed_stack((int32_t)n, (const hed_array *const *)parts, 0);
    hp_pop(&strand, &frame);
    if (!x)
      hp_fail("asarray");
  } else if (!parts)
    PyErr_NoMemory();
  for (Py_ssize_t k = 0; parts && k < n; k++)
    hed_release(parts[k]);
  free(parts);
  return x;
}

/* WANT NULL: the context says, or with EXACT nothing is changed. */
static hed_array *from_sequence(PyObject *o, hed_dtype want, bool exact)
{
  nest t = { .depth = -1 };
  hed_array *x = NULL;
  if (!survey(&t, o, 0))
    return NULL;
  if (t.rows)
    return stacked(o, want, exact);
  size_t n = 1;
  for (int k = 0; k < t.shape.ndim; k++)
    n *= (size_t)t.shape.dim[k];
  t.values = calloc(n ? n : 1, 2 * sizeof(double));
  if (!t.values)
    PyErr_NoMemory();
  else if (n == 0 || collect(&t, o, 0)) {
    PyObject *strand;
    hed_frame frame;
    if (hp_push(&strand, &frame)) {
      hed_array *held = hed_from_host(t.values, t.shape, held_dtype(&t));
      x = hed_astype(held, want ? want : exact ? held_dtype(&t) : default_of(&t));
      hed_release(held);
      hp_pop(&strand, &frame);
    }
    if (x && !fit(&t, (int64_t)n, hed_array_dtype(x))) {
      hed_release(x);
      x = NULL;
    }
  }
  free(t.values);
  return x;
}

hed_array *hp_from_sequence(PyObject *o, hed_dtype want)
{
  return from_sequence(o, want, false);
}

/* ---- anything ---- */

static bool exports_dlpack(PyObject *o)
{
  return PyObject_HasAttrString(o, "__dlpack__");
}

bool hp_converts(PyObject *o)
{
  return !PyUnicode_Check(o) && !PyBytes_Check(o) && !PyByteArray_Check(o) &&
         (PyObject_CheckBuffer(o) || exports_dlpack(o));
}

/* Does the context in force compute in host memory? The backend's name, which stays as it is, is asked about once. */
static bool is_host_here(void)
{
  static const char *known;
  const char *const name = hed_get_backend();
  hed_backend_info b = { .struct_size = sizeof b };
  if (name == __atomic_load_n(&known, __ATOMIC_RELAXED))
    return true;
  if (hed_backend_query(name, &b) != HED_OK || !b.host_memory) {
    hed_error_clear();
    return false;
  }
  __atomic_store_n(&known, name, __ATOMIC_RELAXED);
  return true;
}

hed_array *hp_placed(hed_array *x, hed_dtype t, hed_copy_policy copy)
{
  PyObject *strand;
  hed_frame frame;
  hed_array *y = NULL;
  if (x && hp_push(&strand, &frame)) {
    if (!t && copy != HED_COPY_ALWAYS && !hp_on_device(x) && is_host_here()) {
      hp_pop(&strand, &frame);
      return x;
    }
    hed_dtype own = hed_array_dtype(x);
    PyThreadState *const state = hp_unlock(hed_array_nbytes(x), hp_on_device(x));
    y = hed_asarray(x, t ? t : own);
    if (y && copy == HED_COPY_ALWAYS) {
      hed_array *z = hed_copy(y);
      hed_release(y);
      y = z;
    }
    hp_lock(state);
    hp_pop(&strand, &frame);
  }
  hed_release(x);
  return y;
}

/* X in the memory of SPEC, which may be "host"; a new reference. */
hed_array *hp_move(const hed_array *x, const char *spec)
{
  hp_call c = HP_CALL("to");
  hed_array *moved = NULL;
  c.device = true;   /* it waits */
  if (hp_wait(x) && hp_begin(&c, HP_WORK)) {
    moved = hed_to(x, strcmp(spec, "host") == 0 ? "reference" : spec);
    hp_end(&c);
  }
  return moved;
}

/* What a number becomes that stands alone. */
static hed_dtype default_dtype(PyObject *o, const hed_array *weak)
{
  return PyFloat_Check(o) ? HED_REAL : PyComplex_Check(o) ? HED_COMPLEX :
         PyBool_Check(o) || hed_array_dtype(weak) == HED_UINT64 ? hed_array_dtype(weak) : HED_INDEX;
}

static hed_array *of_number(PyObject *o, hed_dtype t)
{
  hed_array *weak = hp_scalar(o), *x = NULL;
  PyObject *strand;
  hed_frame frame;
  if (weak && hp_push(&strand, &frame)) {
    hed_array *same = hed_astype(weak, t ? t : default_dtype(o, weak));
    x = hed_copy(same);   /* no view of the scalar: that would be as weak as it is */
    hed_release(same);
    hp_pop(&strand, &frame);
  }
  hed_release(weak);
  if (x && !hp_number_fits(o, hed_array_dtype(x))) {
    hed_release(x);
    x = NULL;
  }
  return x;
}

/* By DLPack what the buffer protocol did not give, whose words are the better ones when that fails too. */
static hed_array *second_way(PyObject *o)
{
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  hed_array *x = exports_dlpack(o) ? hp_from_capsule(o, NULL) : NULL;
  if (!x) {
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return NULL;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return x;
}

/* An Array stays where it is: operations never move. */
static hed_array *own_array(hed_array *x, hed_dtype t, hed_copy_policy copy)
{
  PyObject *strand;
  hed_frame frame;
  hed_array *y = NULL;
  if (!t && copy != HED_COPY_ALWAYS)
    return hed_retain(x);
  if (hp_push(&strand, &frame)) {
    PyThreadState *const state = hp_unlock(hed_array_nbytes(x), hp_on_device(x));
    y = t ? hed_astype(x, t) : hed_retain(x);
    if (y && copy == HED_COPY_ALWAYS && hed_array_shares(x, y)) {
      hed_array *z = hed_copy(y);
      hed_release(y);
      y = z;
    }
    hp_lock(state);
    hp_pop(&strand, &frame);
  }
  return y;
}

hed_array *hp_convert(PyObject *o, hed_dtype t, hed_copy_policy copy)
{
  PyTypeObject *type = Py_TYPE(o);
  if (hp_is_array(o))
    return own_array(HP_ARRAY(o), t, copy);
  if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyComplex_Type)
    return of_number(o, t);
  if (is_list(o))
    return hp_from_sequence(o, t);
  if (PyUnicode_Check(o))
    PyErr_SetString(PyExc_TypeError, "text is no array");
  else if (PyObject_CheckBuffer(o)) {
    hed_array *x = hp_from_buffer(o, copy);
    if (x)
      return hp_placed(x, t, HED_COPY_IF_NEEDED);
    return hp_placed(second_way(o), t, copy);
  } else if (exports_dlpack(o))
    return hp_placed(hp_from_capsule(o, NULL), t, copy);
  else if (PySequence_Check(o) && !PyDict_Check(o)) {
    PyObject *list = PySequence_List(o);
    hed_array *x = list ? hp_from_sequence(list, t) : NULL;
    Py_XDECREF(list);
    return x;
  } else
    PyErr_Format(PyExc_TypeError, "%R cannot be converted to an array", type);
  return NULL;
}

hed_array *hp_convert_exactly(PyObject *o)
{
  hed_array *x = hp_scalar(o);
  if (x || PyErr_Occurred())
    return x;
  if (PyUnicode_Check(o) || PyDict_Check(o) || hp_is_array(o) || hp_converts(o) || !PySequence_Check(o))
    return hp_convert(o, NULL, HED_COPY_IF_NEEDED);
  PyObject *list = PySequence_List(o);
  x = list ? from_sequence(list, NULL, true) : NULL;
  Py_XDECREF(list);
  return x;
}

/* ---- elements as Python numbers ---- */

hed_status hp_to_host(const hed_array *x, void *out, size_t bytes)
{
  if (!hp_on_device(x))
    return hed_to_host(x, out, bytes);
  if (!hp_wait(x))
    return HED_E_CANCELLED;
  hed_status status = HED_OK;
  Py_BEGIN_ALLOW_THREADS
  status = hed_to_host(x, out, bytes);
  Py_END_ALLOW_THREADS
  return status;
}

PyObject *hp_element(hed_dtype_id id, const void *p)
{
  switch (id) {
  case HED_ID_BOOL: return PyBool_FromLong(*(const bool *)p);
  case HED_ID_INT8: return PyLong_FromLong(*(const int8_t *)p);
  case HED_ID_INT16: return PyLong_FromLong(*(const int16_t *)p);
  case HED_ID_INT32: return PyLong_FromLong(*(const int32_t *)p);
  case HED_ID_INT64: return PyLong_FromLongLong(*(const int64_t *)p);
  case HED_ID_UINT8: return PyLong_FromLong(*(const uint8_t *)p);
  case HED_ID_UINT16: return PyLong_FromLong(*(const uint16_t *)p);
  case HED_ID_UINT32: return PyLong_FromUnsignedLong(*(const uint32_t *)p);
  case HED_ID_UINT64: return PyLong_FromUnsignedLongLong(*(const uint64_t *)p);
  case HED_ID_FLOAT32: return PyFloat_FromDouble((double)*(const float *)p);
  case HED_ID_FLOAT64: return PyFloat_FromDouble(*(const double *)p);
  case HED_ID_COMPLEX64: return PyComplex_FromDoubles((double)((const float *)p)[0], (double)((const float *)p)[1]);
  case HED_ID_COMPLEX128: return PyComplex_FromDoubles(((const double *)p)[0], ((const double *)p)[1]);
  default: PyErr_SetString(PyExc_SystemError, "an element of no known type"); return NULL;
  }
}

/* The array in a type that hp_element knows: 16-bit floats as float32. */
static hed_array *plain(const hed_array *x)
{
  const hed_dtype t = hed_array_dtype(x);
  return hed_astype(x, t == HED_FLOAT16 || t == HED_BFLOAT16 ? HED_FLOAT32 : t);
}

PyObject *hp_item(hed_array *x)
{
  union { double d[2]; int64_t i; } raw = { { 0, 0 } };
  if (hed_array_size(x) != 1) {
    PyErr_Format(PyExc_TypeError, "an array of %lld elements is no number", (long long)hed_array_size(x));
    return NULL;
  }
  hed_array *p = plain(x);
  const hed_dtype t = hed_array_dtype(p);
  const bool ok = p && hp_to_host(p, &raw, hed_dtype_size(t)) == HED_OK;
  hed_release(p);
  return ok ? hp_element(hed_dtype_id_of(t), &raw) : hp_fail("item");
}

static PyObject *nested(const hed_shape *s, int axis, hed_dtype_id id, size_t size, const char **p)
{
  if (axis == s->ndim) {
    PyObject *o = hp_element(id, *p);
    *p += size;
    return o;
  }
  PyObject *list = PyList_New((Py_ssize_t)s->dim[axis]);
  for (int64_t k = 0; list && k < s->dim[axis]; k++) {
    PyObject *o = nested(s, axis + 1, id, size, p);
    if (!o || PyList_SetItem(list, (Py_ssize_t)k, o) != 0)
      Py_CLEAR(list);
  }
  return list;
}

PyObject *hp_to_list(hed_array *x)
{
  hed_array *p = plain(x);
  const hed_shape s = hed_array_shape(x);
  const size_t bytes = hed_array_nbytes(p);
  char *values = p ? malloc(bytes ? bytes : 1) : NULL;
  PyObject *list = NULL;
  if (!p || (values && hp_to_host(p, values, bytes) != HED_OK))
    hp_fail("tolist");
  else if (!values)
    PyErr_NoMemory();
  else {
    const char *at = values;
    list = nested(&s, 0, hed_dtype_id_of(hed_array_dtype(p)), hed_dtype_size(hed_array_dtype(p)), &at);
  }
  free(values);
  hed_release(p);
  return list;
}
