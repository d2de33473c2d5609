// SPDX-License-Identifier: BSD-3-Clause
/* heddle.DType: the library's dtypes as singletons. They compare and hash as their names, so "float32" finds float32. */
#include "binding.h"
#include <string.h>

typedef struct dtype_object {
  PyObject_HEAD
  hed_dtype t;
  PyObject *name;
} dtype_object;

static const char *const kinds[] = { "b", "u", "i", "f", "c" };   /* hed_kind in NumPy's letters */

PyObject *hp_dtype_object(hed_dtype t)
{
  return hp.dtypes[hed_dtype_id_of(t)];
}

static void dtype_dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(((dtype_object *)self)->name);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *dtype_repr(PyObject *self)
{
  return PyUnicode_FromFormat("heddle.%U", ((dtype_object *)self)->name);
}

static PyObject *dtype_str(PyObject *self)
{
  PyObject *name = ((dtype_object *)self)->name;
  Py_INCREF(name);
  return name;
}

static Py_hash_t dtype_hash(PyObject *self)
{
  return PyObject_Hash(((dtype_object *)self)->name);
}

/* NumPy's scalar types and dtypes, told by their names: NumPy is not imported for them. */
static bool is_numpys(PyObject *o)
{
  PyObject *type = PyType_Check(o) ? o : (PyObject *)Py_TYPE(o);
  PyObject *module = PyObject_GetAttrString(type, "__module__");
  const bool yes = module && PyUnicode_Check(module) && (PyUnicode_CompareWithASCIIString(module, "numpy") == 0 ||
                                                          PyUnicode_CompareWithASCIIString(module, "numpy.dtypes") == 0);
  PyErr_Clear();
  Py_XDECREF(module);
  return yes;
}

static hed_dtype of_python_type(PyObject *o)
{
  return o == (PyObject *)&PyBool_Type ? HED_BOOL : o == (PyObject *)&PyLong_Type ? HED_INDEX :
         o == (PyObject *)&PyFloat_Type ? HED_REAL : o == (PyObject *)&PyComplex_Type ? HED_COMPLEX : NULL;
}

static PyObject *dtype_compare(PyObject *self, PyObject *other, int op)
{
  if (op != Py_EQ && op != Py_NE)
    Py_RETURN_NOTIMPLEMENTED;
  if (Py_TYPE(other) == hp.dtype)
    return PyBool_FromLong((self == other) == (op == Py_EQ));
  hed_dtype t = of_python_type(other);
  if (!t && !PyUnicode_Check(other) && !is_numpys(other))
    Py_RETURN_NOTIMPLEMENTED;
  if (!hp_dtype(other, "dtype", &t))
    PyErr_Clear();
  if (t && !hp_resolve(&t))
    return NULL;
  return PyBool_FromLong((t == ((dtype_object *)self)->t) == (op == Py_EQ));
}

/* A number or an array as this dtype: heddle.float32(2). */
static PyObject *dtype_call(PyObject *self, PyObject *args, PyObject *keywords)
{
  PyObject *value = NULL;
  (void)keywords;
  if (!PyArg_ParseTuple(args, "O", &value))
    return NULL;
  return hp_wrap("dtype", hp_convert(value, ((dtype_object *)self)->t, HED_COPY_IF_NEEDED));
}

static PyObject *dtype_itemsize(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromSize_t(hed_dtype_size(((dtype_object *)self)->t));
}

static PyObject *dtype_kind(PyObject *self, void *unused)
{
  (void)unused;
  return PyUnicode_FromString(kinds[hed_dtype_kind(((dtype_object *)self)->t)]);
}

/* What numpy.dtype(..) looks at. */
static PyObject *dtype_numpy(PyObject *self, void *unused)
{
  (void)unused;
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *r = numpy ? PyObject_CallMethod(numpy, "dtype", "O", ((dtype_object *)self)->name) : NULL;
  Py_XDECREF(numpy);
  if (!r && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_AttributeError, "NumPy has no dtype %U", ((dtype_object *)self)->name);
  }
  return r;
}

static PyObject *dtype_type(PyObject *self, void *unused)
{
  PyObject *d = dtype_numpy(self, unused);
  PyObject *r = d ? PyObject_GetAttrString(d, "type") : NULL;
  Py_XDECREF(d);
  return r;
}

static PyObject *dtype_reduce(PyObject *self, PyObject *unused)
{
  (void)unused;
  PyObject *module = PyImport_ImportModule("heddle._core");
  PyObject *f = module ? PyObject_GetAttrString(module, "dtype") : NULL;
  PyObject *r = f ? Py_BuildValue("(O(O))", f, ((dtype_object *)self)->name) : NULL;
  Py_XDECREF(f);
  Py_XDECREF(module);
  return r;
}

static PyMemberDef members[] = {
  { "name", T_OBJECT, offsetof(dtype_object, name), READONLY, "its name: \"float32\"" },
  { NULL, 0, 0, 0, NULL }
};
static PyGetSetDef getset[] = {
  { "itemsize", dtype_itemsize, NULL, "bytes of an element", NULL },
  { "kind", dtype_kind, NULL, "b (bool), i, u (integers), f or c (real or complex numbers)", NULL },
  { "type", dtype_type, NULL, "NumPy's scalar type of the same elements", NULL },
  { "dtype", dtype_numpy, NULL, "NumPy's dtype of the same elements", NULL },
  { NULL, NULL, NULL, NULL, NULL }
};
static PyMethodDef methods[] = { { "__reduce__", dtype_reduce, METH_NOARGS, NULL }, { NULL, NULL, 0, NULL } };
static PyType_Slot slots[] = { { Py_tp_dealloc, dtype_dealloc }, { Py_tp_repr, dtype_repr }, { Py_tp_str, dtype_str },
                               { Py_tp_hash, dtype_hash }, { Py_tp_richcompare, dtype_compare },
                               { Py_tp_call, dtype_call }, { Py_tp_members, members }, { Py_tp_getset, getset },
                               { Py_tp_methods, methods }, { 0, NULL } };
static PyType_Spec spec = { "heddle.DType", sizeof(dtype_object), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };

/* ---- what counts as a dtype ---- */

/* NumPy's codes: 'f8', '<i4', 'd', '?'. */
static hed_dtype by_code(const char *text)
{
  static const struct { const char *code; int id; } codes[] = {
    { "?", HED_ID_BOOL }, { "b1", HED_ID_BOOL }, { "b", HED_ID_INT8 }, { "i1", HED_ID_INT8 }, { "h", HED_ID_INT16 },
    { "i2", HED_ID_INT16 }, { "i", HED_ID_INT32 }, { "i4", HED_ID_INT32 }, { "l", HED_ID_INT64 }, { "q", HED_ID_INT64 },
    { "i8", HED_ID_INT64 }, { "B", HED_ID_UINT8 }, { "u1", HED_ID_UINT8 }, { "H", HED_ID_UINT16 }, { "u2", HED_ID_UINT16 },
    { "I", HED_ID_UINT32 }, { "u4", HED_ID_UINT32 }, { "L", HED_ID_UINT64 }, { "Q", HED_ID_UINT64 }, { "u8", HED_ID_UINT64 },
    { "e", HED_ID_FLOAT16 }, { "f2", HED_ID_FLOAT16 }, { "f", HED_ID_FLOAT32 }, { "f4", HED_ID_FLOAT32 },
    { "d", HED_ID_FLOAT64 }, { "f8", HED_ID_FLOAT64 }, { "F", HED_ID_COMPLEX64 }, { "c8", HED_ID_COMPLEX64 },
    { "D", HED_ID_COMPLEX128 }, { "c16", HED_ID_COMPLEX128 }, { "int", HED_ID_ABSTRACT_INDEX }, { "float", HED_ID_ABSTRACT_REAL },
    { "complex", HED_ID_ABSTRACT_COMPLEX }, { "half", HED_ID_FLOAT16 }, { "single", HED_ID_FLOAT32 }, { "double", HED_ID_FLOAT64 },
    { "intp", HED_ID_INT64 }, { "uint", HED_ID_UINT64 }
  };
  const int one = 1;
  if (*text && text[1] && strchr(*(const char *)&one ? "<=|" : ">=|", *text))
    text++;
  for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
    if (strcmp(codes[k].code, text) == 0)
      return hed_dtype_of(codes[k].id);
  return NULL;
}

/* "bool" of NumPy's scalar type bool_, which has its name in __name__ as numpy.float32 has. */
static hed_dtype by_name(PyObject *name)
{
  const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  if (!text) {
    PyErr_Clear();
    return NULL;
  }
  hed_dtype t = hed_dtype_by_name(strcmp(text, "bool_") == 0 ? "bool" : text);
  hed_error_clear();
  return t ? t : by_code(text);
}

bool hp_dtype(PyObject *o, const char *name, hed_dtype *out)
{
  if (!o || o == Py_None)
    return true;
  hed_dtype t = Py_TYPE(o) == hp.dtype ? ((dtype_object *)o)->t : of_python_type(o);
  if (!t && PyUnicode_Check(o))
    t = by_name(o);
  else if (!t)
    for (int k = 0; k < 2 && !t; k++) {
      PyObject *text = PyObject_GetAttrString(o, k ? "__name__" : "name");
      t = by_name(text);
      PyErr_Clear();
      Py_XDECREF(text);
    }
  if (!t) {
    PyErr_Format(PyExc_TypeError, "%s: %R is no dtype of Heddle", name, o);
    return false;
  }
  *out = t;
  return true;
}

static PyObject *dtype_new(hed_dtype t)
{
  dtype_object *d = PyObject_New(dtype_object, hp.dtype);
  if (!d)
    return NULL;
  d->t = t;
  d->name = PyUnicode_InternFromString(hed_dtype_name(t));
  return (PyObject *)d;
}

int hp_dtype_init(PyObject *module)
{
  hp.dtype = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  if (!hp.dtype || PyModule_AddObjectRef(module, "DType", (PyObject *)hp.dtype) != 0)
    return -1;
  for (int k = 0; k < HED_ID_COUNT_; k++) {
    static const char *const abstract[] = { "REAL", "COMPLEX", "INDEX" };   /* real is an operation's name */
    const char *name = k < HED_ID_CONCRETE_COUNT_ ? hed_dtype_name(hed_dtype_of(k)) : abstract[k - HED_ID_CONCRETE_COUNT_];
    hp.dtypes[k] = dtype_new(hed_dtype_of(k));
    if (!hp.dtypes[k] || PyModule_AddObjectRef(module, name, hp.dtypes[k]) != 0)
      return -1;
  }
  return 0;
}
