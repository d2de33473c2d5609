// SPDX-License-Identifier: BSD-3-Clause
/* x[key], x[key] = value, and the operations of the table that take keys: NumPy's rules. */
#include "binding.h"
#include <string.h>

enum { MOST_KEYS = 2 * HED_MAX_NDIM };

typedef struct keys {
  int n;
  hed_key key[MOST_KEYS];
} keys;

/* What is left out comes as the ends of Py_ssize_t, which are the library's words for it too. */
static bool slice_key(PyObject *o, hed_key *k)
{
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(o, &start, &stop, &step) != 0)
    return false;
  k->kind = HED_KEY_SLICE;
  k->range = HED_RANGE(start, stop, step);
  return true;
}

static bool integer_key(PyObject *o, hed_key *k)
{
  k->kind = HED_KEY_INTEGER;
  k->range.start = PyNumber_AsSsize_t(o, PyExc_IndexError);
  return k->range.start != -1 || !PyErr_Occurred();
}

/* Arrays, lists, and what converts: integers are indices, bool a mask. An empty list has no kind of its own. */
static bool array_key(hp_call *c, PyObject *o, hed_key *k)
{
  hed_array *x = NULL;
  const bool empty = (PyList_Check(o) || PyTuple_Check(o)) && PySequence_Size(o) == 0;
  if (empty) {
    x = hp_convert(o, HED_INT64, HED_COPY_IF_NEEDED);
    if (!x || !hp_hold(c, x))
      return false;
  } else if (!hp_operand(c, o, "index", &x))
    return false;
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  if (kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX) {
    PyErr_Format(PyExc_IndexError, "arrays of indices are integers or bool, not %s", hed_dtype_name(hed_array_dtype(x)));
    return false;
  }
  k->kind = kind == HED_KIND_BOOL ? HED_KEY_MASK : HED_KEY_INDICES;
  k->array = x;
  return true;
}

static bool one_key(hp_call *c, PyObject *o, hed_key *k)
{
  *k = HED_WHOLE;
  if (o == Py_None)
    *k = HED_NEWAXIS;
  else if (o == Py_Ellipsis)
    *k = HED_ELLIPSIS;
  else if (PySlice_Check(o))
    return slice_key(o, k);
  else if (PyLong_Check(o) && !PyBool_Check(o))
    return integer_key(o, k);
  else if (hp_is_array(o) || PyBool_Check(o) || PyList_Check(o) || PyTuple_Check(o) || hp_converts(o))
    return array_key(c, o, k);
  else if (PyIndex_Check(o))
    return integer_key(o, k);
  else {
    PyErr_Format(PyExc_IndexError, "%R is no index: integers, slices, None, Ellipsis and arrays of integers or bool are",
                 Py_TYPE(o));
    return false;
  }
  return true;
}

static bool parse(hp_call *c, PyObject *o, keys *list)
{
  if (!PyTuple_Check(o)) {
    list->n = 1;
    return one_key(c, o, &list->key[0]);
  }
  const Py_ssize_t n = PyTuple_Size(o);
  if (n > MOST_KEYS) {
    PyErr_Format(PyExc_IndexError, "%zd indices are too many: at most %d", n, (int)MOST_KEYS);
    return false;
  }
  list->n = (int)n;
  for (Py_ssize_t k = 0; k < n; k++)
    if (!one_key(c, PyTuple_GetItem(o, k), &list->key[k]))
      return false;
  return true;
}

bool hp_keys(hp_call *c, PyObject *o, int *n, const hed_key **out)
{
  keys *list = hp_block(c, sizeof *list);
  if (!list || !parse(c, o, list))
    return false;
  *n = list->n;
  *out = list->key;
  return true;
}

/* Too many indices, or one that is out of range, is IndexError, which iteration and Python's own rules rest on. */
static PyObject *as_index_error(void)
{
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *text = value ? PyObject_Str(value) : NULL;
  if (text && type && PyErr_GivenExceptionMatches(type, PyExc_ValueError) && !PyErr_GivenExceptionMatches(type, PyExc_IndexError)) {
    PyErr_SetObject(PyExc_IndexError, text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  } else
    PyErr_Restore(type, value, trace);
  Py_XDECREF(text);
  return NULL;
}

static PyObject *index_failed(void)
{
  hp_fail("index");
  return as_index_error();
}

/* Is the list views alone? Those cost nothing, wherever the array is. */
static hp_cost cost_of(hp_call *c, const keys *list)
{
  for (int k = 0; k < list->n; k++)
    if (list->key[k].array)
      return HP_WORK;
  c->device = false;
  return HP_VIEW;
}

/* x[i] with a plain integer: by far the most frequent. */
static PyObject *get_integer(hed_array *x, PyObject *key)
{
  const hed_shape s = hed_array_shape(x);
  const Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred())
    return NULL;
  if (s.ndim == 0 || i >= s.dim[0] || i < -s.dim[0]) {
    if (s.ndim == 0)
      PyErr_SetString(PyExc_IndexError, "an array without axes takes no integer index");
    else
      PyErr_Format(PyExc_IndexError, "index %zd is out of range for axis 0 of extent %lld", i, (long long)s.dim[0]);
    return NULL;
  }
  return hp_wrap("index", hed_index(x, 0, i));
}

static PyObject *get_again(PyObject *unused, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  (void)unused, (void)n, (void)keywords;
  return hp_get_item(args[0], args[1]);
}

PyObject *hp_get_item(PyObject *self, PyObject *key)
{
  if (PyLong_Check(key) && !PyBool_Check(key))
    return get_integer(HP_ARRAY(self), key);
  PyObject *const both[] = { self, key };
  hp_call c = HP_CALL("index");
  keys list;
  hed_array *x = NULL, *r = NULL;
  c.arguments = both;
  c.n_arguments = 2;
  PyObject *result = NULL;
  if (hp_operand(&c, self, "x", &x) && parse(&c, key, &list)) {
    if (hp_begin(&c, cost_of(&c, &list))) {
      r = hed_get(x, list.n, list.key);
      hp_end(&c);
      result = r ? hp_wrap("index", r) : index_failed();
    }
  }
  hp_done(&c);
  return c.elsewhere ? hp_elsewhere(&c, get_again, NULL, both, 2, NULL) : result;
}

/* What is assigned: an array, a weak number, or a list in the dtype of the target. Values in host memory go to the target's;
 * those of another device are the library's error. */
static bool value_of(hp_call *c, const hed_array *x, PyObject *o, hed_array **out)
{
  hed_array *v = hp_is_array(o) ? hed_retain(HP_ARRAY(o)) : hp_scalar(o);
  if (!v && !PyErr_Occurred())
    v = PyList_Check(o) || PyTuple_Check(o) ? hp_from_sequence(o, hed_array_dtype(x)) : hp_convert(o, NULL, HED_COPY_IF_NEEDED);
  if (!v) {
    hp_fail("value");
    return false;
  }
  if (!hp_number_fits(o, hed_array_dtype(x))) {
    hed_release(v);
    return false;
  }
  if (!hp_on_device(v) && hp_on_device(x) && hed_array_ndim(v) > 0) {
    hed_array *moved = hp_move(v, hed_array_space(x));
    hed_release(v);
    if (!moved) {
      hp_fail("value");
      return false;
    }
    v = moved;
  }
  *out = v;
  c->bytes += hed_array_nbytes(v);
  return hp_hold(c, v);
}

/* The keys are wrong when nothing can be read with them, else the value or the array is. */
static PyObject *set_failed(hed_array *x, const keys *list)
{
  hp_fail("assignment");
  hed_array *there = hed_get(x, list->n, list->key);
  hed_error_clear();
  PyObject *r = there ? NULL : as_index_error();
  hed_release(there);
  return r;
}

/* x[i] = number for a vector of floats in host memory. False: the general way does it, or says what is wrong. */
static bool set_element(hed_array *x, PyObject *key, PyObject *value)
{
  int64_t stride = 0;
  if (Py_TYPE(key) != &PyLong_Type || Py_TYPE(value) != &PyFloat_Type || hed_array_ndim(x) != 1 || hed_array_is_read_only(x) ||
      hp_on_device(x))
    return false;
  const int id = (int)hed_dtype_id_of(hed_array_dtype(x));
  const int64_t n = hed_array_size(x);
  int overflow = 0;
  int64_t i = PyLong_AsLongLongAndOverflow(key, &overflow);
  i += i < 0 ? n : 0;
  if (overflow || i < 0 || i >= n || (id != HED_ID_FLOAT32 && id != HED_ID_FLOAT64) || hed_array_strides(x, &stride) != HED_OK)
    return false;
  char *p = hed_array_data(x);
  if (!p) {
    hed_error_clear();
    return false;
  }
  const double v = PyFloat_AsDouble(value);
  if (id == HED_ID_FLOAT64)
    *(double *)(void *)(p + i * stride) = v;
  else
    *(float *)(void *)(p + i * stride) = (float)v;
  return true;
}

int hp_set_item(PyObject *self, PyObject *key, PyObject *value)
{
  if (value && set_element(HP_ARRAY(self), key, value))
    return 0;
  hp_call c = HP_CALL("assignment");
  keys list;
  hed_array *x = NULL, *v = NULL;
  int result = -1;
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
    return -1;
  }
  if (hp_operand(&c, self, "x", &x) && parse(&c, key, &list) && value_of(&c, x, value, &v) && hp_begin(&c, HP_STREAM)) {
    const hed_status status = hed_set(x, list.n, list.key, v);
    hp_end(&c);
    result = status == HED_OK ? 0 : (set_failed(x, &list), -1);
  }
  hp_done(&c);
  return result;
}

/* ---- operations of the table that take keys ---- */

static PyObject *with_keys(const hp_signature *s, PyObject *const *args, Py_ssize_t n, PyObject *keywords,
                           hed_status (*change)(hed_array *, int, const hed_key *, const hed_array *, hed_scatter_op),
                           bool in_place)
{
  static const hp_word ops[] = { { "set", HED_SCATTER_SET }, { "add", HED_SCATTER_ADD },
                                 { "multiply", HED_SCATTER_MULTIPLY }, { "max", HED_SCATTER_MAX },
                                 { "min", HED_SCATTER_MIN }, { NULL, 0 } };
  PyObject *v[4] = { NULL }, *result = NULL;
  hp_call c = HP_CALL(s->name);
  keys list;
  hed_array *x = NULL, *value = NULL;
  int op = HED_SCATTER_ADD;
  if (hp_bind(s, args, n, keywords, v) && (in_place ? hp_target(&c, v[0], "x", &x) : hp_operand(&c, v[0], "x", &x)) &&
      parse(&c, v[1], &list) && value_of(&c, x, v[2], &value) && hp_enum(v[3], "op", ops, &op) && hp_begin(&c, HP_WORK)) {
    hed_array *r = in_place ? hed_retain(x) : hed_copy(x);
    const hed_status status = r ? change(r, list.n, list.key, value, (hed_scatter_op)op) : hed_error();
    hp_end(&c);
    if (status != HED_OK)
      set_failed(x, &list);
    else
      result = in_place ? hp_none(s->name, HED_OK) : hp_wrap(s->name, hed_retain(r));
    hed_release(r);
  }
  hp_done(&c);
  return result;
}

static hed_status set(hed_array *x, int n, const hed_key *list, const hed_array *value, hed_scatter_op unused)
{
  (void)unused;
  return hed_set(x, n, list, value);
}

#define WITH_KEYS(name, count, change, in_place)                                                             \
  static PyObject *f_##name(PyObject *m, PyObject *const *args, Py_ssize_t n, PyObject *keywords)            \
  {                                                                                                          \
    static const char *const names[] = { "x", "keys", "value", "op" };                                       \
    static const hp_signature s = { #name, count, count, 3, names };                                         \
    (void)m;                                                                                                 \
    return with_keys(&s, args, n, keywords, change, in_place);                                               \
  }
WITH_KEYS(accumulate, 4, hed_accumulate, true)
WITH_KEYS(addat, 3, hed_accumulate, true)
WITH_KEYS(index_update, 3, set, false)

PyMethodDef hp_index_functions[] = {
  HP_METHOD("accumulate", f_accumulate,
            "accumulate(x, keys, value, op='add')\n--\n\n"
            "x[keys] = x[keys] op value in place; an element that is listed k times gets k values, in C order. OP is \"set\",\n"
            "\"add\", \"multiply\", \"max\" or \"min\"."),
  HP_METHOD("addat", f_addat, "addat(x, keys, value)\n--\n\nx[keys] += value, repeated elements as often as they are listed."),
  HP_METHOD("index_update", f_index_update, "index_update(x, keys, value)\n--\n\nA copy of x after x[keys] = value."),
  HP_METHOD("at", f_index_update, "at(x, keys, value)\n--\n\nA copy of x after x[keys] = value."),
  { NULL, NULL, 0, NULL }
};
