// SPDX-License-Identifier: BSD-3-Clause
/* Functions that make arrays of other things, and those about dtypes and shapes. */
#include "binding.h"
#include "context.h"
#include <stdlib.h>
#include <string.h>

/* ---- arrays from elsewhere ---- */

static bool copy_policy(PyObject *o, hed_copy_policy *out)
{
  *out = !o || o == Py_None ? HED_COPY_IF_NEEDED : PyObject_IsTrue(o) ? HED_COPY_ALWAYS : HED_COPY_NEVER;
  return !PyErr_Occurred();
}

/* Is X on the memory of O, which it was made from? */
static bool shares_memory(PyObject *o, hed_array *x)
{
  hed_array *own = hp_is_array(o) ? hed_retain(HP_ARRAY(o)) : PyObject_CheckBuffer(o) ? hp_from_buffer(o, HED_COPY_NEVER) :
                   PyObject_HasAttrString(o, "__dlpack__") ? hp_from_capsule(o, NULL) : NULL;
  PyErr_Clear();
  const bool same = own && hed_array_dtype(own) == hed_array_dtype(x) && (hed_array_size(x) == 0 || hed_array_shares(own, x));
  hed_release(own);
  return same;
}

static PyObject *same_memory(PyObject *module, PyObject *args)
{
  PyObject *a, *b;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!O!:shares_memory", hp.array, &a, hp.array, &b))
    return NULL;
  return PyBool_FromLong(hed_array_shares(HP_ARRAY(a), HP_ARRAY(b)));
}

/* ---- bytes, for pickles ---- */

/* The elements of a contiguous array in host memory as bytes that share them. */
static PyObject *raw_bytes(PyObject *module, PyObject *o)
{
  (void)module;
  if (!hp_is_array(o) || !hed_array_is_contiguous(HP_ARRAY(o))) {
    PyErr_SetString(PyExc_ValueError, "raw_bytes: a contiguous array is needed");
    return NULL;
  }
  void *data = hed_array_data(HP_ARRAY(o));
  if (!data && hed_array_size(HP_ARRAY(o)) > 0)
    return hp_fail("raw_bytes");
  const hed_shape s = { 1, { (int64_t)hed_array_nbytes(HP_ARRAY(o)) } };
  hed_array *x = s.dim[0] ? hed_wrap(data, s, NULL, HED_UINT8, hp_drop_later, o) : hed_empty(s, HED_UINT8);
  if (x && s.dim[0])
    Py_INCREF(o);
  return hp_wrap("raw_bytes", x);
}

/* The inverse: an array on the bytes when they may be written, else a copy. */
static PyObject *from_bytes(PyObject *module, PyObject *args)
{
  PyObject *o, *shape, *type;
  hed_shape s = { 0, { 0 } };
  hed_dtype t = NULL;
  Py_buffer b;
  int64_t n = 1;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOO:from_bytes", &o, &shape, &type) || !hp_shape(shape, "shape", &s) ||
      !hp_present(type, "dtype") || !hp_dtype(type, "dtype", &t) || PyObject_GetBuffer(o, &b, PyBUF_SIMPLE) != 0)
    return NULL;
  for (int k = 0; k < s.ndim; k++)
    if (s.dim[k] < 0 || __builtin_mul_overflow(n, s.dim[k], &n))
      n = -1;
  hed_array *x = NULL;
  if (n < 0 || (size_t)b.len / hed_dtype_size(t) != (size_t)n || (size_t)b.len % hed_dtype_size(t))
    PyErr_Format(PyExc_ValueError, "from_bytes: %zd bytes are no array of that shape and dtype", b.len);
  else if (b.readonly || n == 0 || (uintptr_t)b.buf % 16)
    x = hed_from_host(b.buf, s, t);
  else {
    PyObject *view = PyMemoryView_FromObject(o);
    x = view ? hed_wrap(b.buf, s, NULL, t, hp_drop_later, view) : NULL;
    if (view && !x)
      Py_DECREF(view);
  }
  PyBuffer_Release(&b);
  return hp_wrap("from_bytes", hp_placed(x, NULL, HED_COPY_IF_NEEDED));
}

static PyObject *asarray(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "obj", "dtype", "device", "copy" };
  static const hp_signature s = { "asarray", 4, 1, 1, names };
  PyObject *v[4] = { NULL };
  hed_dtype t = NULL;
  hed_copy_policy copy;
  const char *device = NULL;
  (void)module;
  if (!hp_bind(&s, args, n, keywords, v) || !hp_dtype(v[1], "dtype", &t) || !hp_string(v[2], "device", &device) ||
      !copy_policy(v[3], &copy))
    return NULL;
  hed_array *x = hp_convert(v[0], t, copy);
  if (x && device) {
    hed_array *moved = hp_move(x, device);
    hed_release(x);
    x = moved;
  }
  if (x && copy == HED_COPY_NEVER && !shares_memory(v[0], x)) {
    hed_release(x);
    PyErr_SetString(PyExc_ValueError, "asarray: this cannot be done without a copy");
    return NULL;
  }
  return hp_wrap("asarray", x);
}

static PyObject *from_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "x", "device", "copy" };
  static const hp_signature s = { "from_dlpack", 3, 1, 1, names };
  PyObject *v[3] = { NULL };
  const char *device = NULL;
  hed_copy_policy copy;
  (void)module;
  if (!hp_bind(&s, args, n, keywords, v) || !hp_string(v[1], "device", &device) || !copy_policy(v[2], &copy))
    return NULL;
  if (!PyObject_HasAttrString(v[0], "__dlpack__")) {
    PyErr_Format(PyExc_TypeError, "from_dlpack: %R has no __dlpack__", Py_TYPE(v[0]));
    return NULL;
  }
  hed_array *x = hp_is_array(v[0]) ? hp_convert(v[0], NULL, copy) : hp_from_capsule(v[0], v[2]);
  const char *space = x ? hed_array_space(x) : "";
  if (x && device && copy == HED_COPY_NEVER && strcmp(device, space) != 0 && (hp_on_device(x) || strcmp(device, "cpu") != 0)) {
    PyErr_Format(PyExc_BufferError, "from_dlpack: the array is on %s; it comes to %s by a copy only", space, device);
    hed_release(x);
    return NULL;
  }
  if (x && device) {
    hed_array *moved = hp_move(x, device);
    hed_release(x);
    x = moved;
  }
  return hp_wrap("from_dlpack", x);
}

static PyObject *dtype(PyObject *module, PyObject *o)
{
  hed_dtype t = NULL;
  (void)module;
  if (o == Py_None) {
    PyErr_SetString(PyExc_TypeError, "dtype: None is no dtype");
    return NULL;
  }
  if (!hp_dtype(o, "dtype", &t))
    return NULL;
  PyObject *r = hp_dtype_object(t);
  Py_INCREF(r);
  return r;
}

static PyObject *promote_types(PyObject *module, PyObject *args)
{
  PyObject *a, *b;
  hed_dtype t = NULL, u = NULL;
  (void)module;
  if (!PyArg_ParseTuple(args, "OO:promote_types", &a, &b) || !hp_dtype(a, "type1", &t) || !hp_dtype(b, "type2", &u))
    return NULL;
  hed_dtype r = hed_dtype_promote(t, u);
  if (!r)
    return hp_fail("promote_types");
  PyObject *o = hp_dtype_object(r);
  Py_INCREF(o);
  return o;
}

bool hp_resolve(hed_dtype *t)
{
  PyObject *strand;
  hed_frame frame;
  hed_dtype_resolution r = { .struct_size = sizeof r };
  if (!hp_push(&strand, &frame))
    return false;
  const hed_status status = hed_dtype_resolve(*t, NULL, &r);
  hp_pop(&strand, &frame);
  if (status != HED_OK)
    (void)hp_fail("dtype");
  *t = r.storage;
  return status == HED_OK;
}

static PyObject *resolve_dtype(PyObject *module, PyObject *o)
{
  hed_dtype t = NULL;
  (void)module;
  if (!hp_dtype(o, "dtype", &t) || !hp_resolve(&t))
    return NULL;
  PyObject *d = hp_dtype_object(t);
  Py_INCREF(d);
  return d;
}

static PyObject *limits(PyObject *module, PyObject *o)
{
  hed_dtype t = NULL;
  hed_finfo f = { .struct_size = sizeof f };
  hed_iinfo i = { .struct_size = sizeof i };
  (void)module;
  if (!hp_dtype(o, "type", &t))
    return NULL;
  if (hed_dtype_kind(t) >= HED_KIND_FLOAT)
    return hed_dtype_finfo(t, &f) != HED_OK ? hp_fail("finfo") :
           Py_BuildValue("{s:i,s:d,s:d,s:d,s:d,s:d,s:i}", "bits", f.bits, "eps", f.eps, "max", f.max, "min", -f.max,
                         "smallest_normal", f.smallest_normal, "smallest_subnormal", f.smallest_subnormal, "digits", f.digits);
  return hed_dtype_iinfo(t, &i) != HED_OK ? hp_fail("iinfo") :
         Py_BuildValue("{s:i,s:L,s:K}", "bits", i.bits, "min", (long long)i.min, "max", (unsigned long long)i.max);
}

/* ---- broadcasting, which is about shapes alone ---- */

static PyObject *broadcast_shapes(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  hed_shape out = { 0, { 0 } };
  hed_shape *list = PyMem_Calloc(n ? (size_t)n : 1, sizeof *list);
  bool ok = list != NULL;
  (void)module;
  for (Py_ssize_t k = 0; ok && k < n; k++)
    ok = hp_shape(args[k], "shape", &list[k]);
  PyObject *r = NULL;
  if (ok && n == 0)
    r = PyTuple_New(0);
  else if (ok)
    r = hed_broadcast_shapes((int)n, list, &out) == HED_OK ? hp_shape_tuple(&out) : hp_fail("broadcast_shapes");
  PyMem_Free(list);
  return r;
}

PyMethodDef hp_exchange_functions[] = {
  HP_METHOD("asarray", asarray,
            "asarray(obj, /, *, dtype=None, device=None, copy=None)\n--\n\n"
            "Numbers, nested lists and what exports a buffer or DLPack as an Array where the context in force wants it; an Array\n"
            "stays where it is. Memory is shared where that is possible, unless COPY is true; with COPY false a copy is ValueError."),
  HP_METHOD("from_dlpack", from_dlpack,
            "from_dlpack(x, /, *, device=None, copy=None)\n--\n\nAn array on the memory of X, whatever library it is of."),
  { "shares_memory", same_memory, METH_VARARGS,
    "shares_memory(a, b, /)\n--\n\nHave both arrays elements in common?" },
  { "raw_bytes", raw_bytes, METH_O, "raw_bytes(x, /)\n--\n\nThe elements of a contiguous array as bytes, shared." },
  { "from_bytes", from_bytes, METH_VARARGS, "from_bytes(buffer, shape, dtype, /)\n--\n\nThe array that raw_bytes was of." },
  { "dtype", dtype, METH_O, "dtype(obj, /)\n--\n\nThe DType of a name, a Python type, or a dtype of NumPy." },
  { "promote_types", promote_types, METH_VARARGS, "promote_types(type1, type2, /)\n--\n\nThe dtype of an operation on both." },
  { "resolve_dtype", resolve_dtype, METH_O,
    "resolve_dtype(dtype, /)\n--\n\nWhat a dtype, also real, complex or index, means in the context in force." },
  { "limits", limits, METH_O, "limits(type, /)\n--\n\nBits, extremes and precision of a dtype." },
  { "broadcast_shapes", (PyCFunction)(void (*)(void))broadcast_shapes, METH_FASTCALL,
    "broadcast_shapes(*shapes)\n--\n\nThe shape that all of them broadcast to." },
  { NULL, NULL, 0, NULL }
};
