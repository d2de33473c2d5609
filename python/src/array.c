// SPDX-License-Identifier: BSD-3-Clause
/* heddle.Array: the type, its attributes, numbers and operators. Indexing: index.c. Methods that are operations are
 * generated; those that are conveniences are heddle/_methods.py's. */
#include "binding.h"
#include "context.h"
#include <stdlib.h>
#include <string.h>

/* ---- operators ---- */

#define OPERATOR(name) \
  static PyObject *slot_##name(PyObject *a, PyObject *b) { return hp_operator(&hp_##name, a, b); } \
  static PyObject *in_place_##name(PyObject *a, PyObject *b) { return hp_in_place(&hp_##name, a, b); }
OPERATOR(add) OPERATOR(subtract) OPERATOR(multiply) OPERATOR(divide) OPERATOR(floor_divide) OPERATOR(mod)
OPERATOR(bitwise_and) OPERATOR(bitwise_or) OPERATOR(bitwise_xor) OPERATOR(left_shift) OPERATOR(right_shift)
OPERATOR(matmul)

static PyObject *slot_power(PyObject *a, PyObject *b, PyObject *modulus)
{
  if (modulus != Py_None)
    Py_RETURN_NOTIMPLEMENTED;
  return hp_operator(&hp_power, a, b);
}

static PyObject *in_place_power(PyObject *a, PyObject *b, PyObject *modulus)
{
  if (modulus != Py_None)
    Py_RETURN_NOTIMPLEMENTED;
  return hp_in_place(&hp_power, a, b);
}

static PyObject *slot_negative(PyObject *x)
{
  return hp_unary_operator(&hp_negative, x);
}

static PyObject *slot_positive(PyObject *x)
{
  return hp_unary_operator(&hp_positive, x);
}

static PyObject *slot_abs(PyObject *x)
{
  return hp_unary_operator(&hp_abs, x);
}

static PyObject *slot_invert(PyObject *x)
{
  return hp_unary_operator(&hp_bitwise_not, x);
}

static PyObject *slot_compare(PyObject *a, PyObject *b, int op)
{
  static const hp_binary *const ops[] = { [Py_LT] = &hp_less, [Py_LE] = &hp_less_equal, [Py_EQ] = &hp_equal,
                                          [Py_NE] = &hp_not_equal, [Py_GT] = &hp_greater, [Py_GE] = &hp_greater_equal };
  return hp_operator(ops[op], a, b);
}

/* ---- as a Python number ---- */

static PyObject *number(PyObject *self, PyObject *(*convert)(PyObject *))
{
  PyObject *item = hp_item(HP_ARRAY(self));
  PyObject *r = item ? convert(item) : NULL;
  Py_XDECREF(item);
  return r;
}

static PyObject *slot_int(PyObject *self)
{
  return number(self, PyNumber_Long);
}

static PyObject *slot_float(PyObject *self)
{
  return number(self, PyNumber_Float);
}

static PyObject *slot_index(PyObject *self)
{
  const hed_kind k = hed_dtype_kind(hed_array_dtype(HP_ARRAY(self)));
  if ((k != HED_KIND_INT && k != HED_KIND_UINT) || hed_array_ndim(HP_ARRAY(self)) != 0) {
    PyErr_SetString(PyExc_TypeError, "only an integer array without axes can be an index");
    return NULL;
  }
  return number(self, PyNumber_Index);
}

static int slot_bool(PyObject *self)
{
  PyObject *item = NULL;
  if (hed_array_size(HP_ARRAY(self)) != 1)
    PyErr_Format(PyExc_ValueError, "the truth of an array of %lld elements is not defined; use heddle.any or heddle.all",
                 (long long)hed_array_size(HP_ARRAY(self)));
  else
    item = hp_item(HP_ARRAY(self));
  const int truth = item ? PyObject_IsTrue(item) : -1;
  Py_XDECREF(item);
  return truth;
}

static PyObject *as_complex(PyObject *self, PyObject *unused)
{
  PyObject *item = hp_item(HP_ARRAY(self));
  (void)unused;
  PyObject *r = item ? PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, item, NULL) : NULL;
  Py_XDECREF(item);
  return r;
}

/* item(), item(k) counted through the whole, item(i, j), item((i, j)) */
static PyObject *item(PyObject *self, PyObject *index)
{
  const Py_ssize_t n = PyTuple_Size(index);
  if (n == 0)
    return hp_item(HP_ARRAY(self));
  PyObject *first = PyTuple_GetItem(index, 0);
  const bool one = n == 1 && PyTuple_Check(first), through = n == 1 && !one;
  const Py_ssize_t given = one ? PyTuple_Size(first) : n;
  if (!through && given != hed_array_ndim(HP_ARRAY(self))) {
    PyErr_Format(PyExc_ValueError, "item: %zd indices for %d axes", given, hed_array_ndim(HP_ARRAY(self)));
    return NULL;
  }
  PyObject *flat = through ? hp_wrap("item", hed_ravel(HP_ARRAY(self))) : NULL;
  PyObject *r = through && !flat ? NULL : hp_get_item(through ? flat : self, one || through ? first : index);
  PyObject *o = !r ? NULL : hp_is_array(r) ? hp_item(HP_ARRAY(r)) : NULL;
  Py_XDECREF(r);
  Py_XDECREF(flat);
  return o;
}

static PyObject *tolist(PyObject *self, PyObject *unused)
{
  (void)unused;
  return hp_to_list(HP_ARRAY(self));
}

/* ---- as text ---- */

static PyObject *text_of(PyObject *self)
{
  char *text = NULL;
  Py_BEGIN_ALLOW_THREADS
  text = hed_to_text(HP_ARRAY(self), NULL);
  Py_END_ALLOW_THREADS
  if (!text)
    return hp_fail("str");
  if (hed_array_dtype(HP_ARRAY(self)) == HED_BOOL)   /* True and False, as Python writes them */
    for (char *p = text; *p; p++)
      if ((*p == 't' && p[1] == 'r') || (*p == 'f' && p[1] == 'a'))
        *p += 'T' - 't';
  PyObject *o = PyUnicode_FromString(text);
  free(text);
  return o;
}

static PyObject *slot_repr(PyObject *self)
{
  const char *space = hed_array_space(HP_ARRAY(self));
  PyObject *text = text_of(self), *newline = PyUnicode_FromString("\n"), *indent = PyUnicode_FromString("\n      ");
  PyObject *body = text && newline && indent ? PyUnicode_Replace(text, newline, indent, -1) : NULL;
  const bool host = strcmp(space, "host") == 0;
  PyObject *r = body ? PyUnicode_FromFormat("Array(%U, dtype=%s%s%s%s)", body,
                                            hed_dtype_name(hed_array_dtype(HP_ARRAY(self))), host ? "" : ", device='",
                                            host ? "" : space, host ? "" : "'") : NULL;
  Py_XDECREF(body);
  Py_XDECREF(indent);
  Py_XDECREF(newline);
  Py_XDECREF(text);
  return r;
}

/* ---- attributes ---- */

static PyObject *get_shape(PyObject *self, void *unused)
{
  const hed_shape s = hed_array_shape(HP_ARRAY(self));
  (void)unused;
  return hp_shape_tuple(&s);
}

static PyObject *get_strides(PyObject *self, void *unused)
{
  hed_shape s = hed_array_shape(HP_ARRAY(self));
  (void)unused;
  return hed_array_strides(HP_ARRAY(self), s.dim) == HED_OK ? hp_shape_tuple(&s) : hp_fail("strides");
}

static PyObject *get_dtype(PyObject *self, void *unused)
{
  PyObject *t = hp_dtype_object(hed_array_dtype(HP_ARRAY(self)));
  (void)unused;
  Py_INCREF(t);
  return t;
}

static PyObject *get_ndim(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLong(hed_array_ndim(HP_ARRAY(self)));
}

static PyObject *get_size(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLongLong(hed_array_size(HP_ARRAY(self)));
}

static PyObject *get_nbytes(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromSize_t(hed_array_nbytes(HP_ARRAY(self)));
}

static PyObject *get_itemsize(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromSize_t(hed_dtype_size(hed_array_dtype(HP_ARRAY(self))));
}

static PyObject *get_space(PyObject *self, void *unused)
{
  (void)unused;
  return PyUnicode_FromString(hed_array_space(HP_ARRAY(self)));
}

static PyObject *get_backend(PyObject *self, void *unused)
{
  (void)unused;
  return PyUnicode_FromString(hed_array_backend(HP_ARRAY(self)));
}

static PyObject *get_read_only(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(hed_array_is_read_only(HP_ARRAY(self)));
}

static PyObject *get_contiguous(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(hed_array_is_contiguous(HP_ARRAY(self)));
}

static PyObject *get_t(PyObject *self, void *unused)
{
  (void)unused;
  return hp_wrap("T", hed_transpose(HP_ARRAY(self), NULL));
}

static PyObject *get_mt(PyObject *self, void *unused)
{
  (void)unused;
  return hp_wrap("mT", hed_matrix_transpose(HP_ARRAY(self)));
}

static PyObject *to(PyObject *self, PyObject *spec)
{
  const char *text = NULL;
  if (!PyUnicode_Check(spec)) {
    PyErr_Format(PyExc_TypeError, "to: the spec must be a string such as \"cuda:0\" or \"host\", not %R", Py_TYPE(spec));
    return NULL;
  }
  return hp_string(spec, "spec", &text) ? hp_wrap("to", hp_move(HP_ARRAY(self), text)) : NULL;
}

static PyObject *wait_for(PyObject *self, PyObject *unused)
{
  (void)unused;
  return hp_wait(HP_ARRAY(self)) ? hp_none("wait", HED_OK) : NULL;
}

static PyObject *read_only(PyObject *self, PyObject *unused)
{
  (void)unused;
  return hp_wrap("read_only", hed_read_only(HP_ARRAY(self)));
}

/* ---- the type ---- */

static void dealloc(PyObject *self)
{
  hp_array_object *o = (hp_array_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  if (o->weak)
    PyObject_ClearWeakRefs(self);
  hp_release(o->x);
  PyObject_Free(self);
  Py_DECREF(type);
}

static Py_ssize_t length(PyObject *self)
{
  const hed_shape s = hed_array_shape(HP_ARRAY(self));
  if (s.ndim > 0)
    return (Py_ssize_t)s.dim[0];
  PyErr_SetString(PyExc_TypeError, "an array without axes has no length");
  return -1;
}

static PyObject *iterate(PyObject *self)
{
  if (hed_array_ndim(HP_ARRAY(self)) > 0)
    return PySeqIter_New(self);
  PyErr_SetString(PyExc_TypeError, "an array without axes cannot be iterated over");
  return NULL;
}

/* For the sequence protocol, which PySeqIter and `in' use. */
static PyObject *at(PyObject *self, Py_ssize_t k)
{
  PyObject *index = PyLong_FromSsize_t(k);
  PyObject *r = index ? hp_get_item(self, index) : NULL;
  Py_XDECREF(index);
  return r;
}

static PyGetSetDef getset[] = {
  { "shape", get_shape, NULL, "extents of the axes", NULL },
  { "strides", get_strides, NULL, "bytes from an element to the next along each axis", NULL },
  { "dtype", get_dtype, NULL, "what its elements are", NULL },
  { "ndim", get_ndim, NULL, "number of axes", NULL },
  { "size", get_size, NULL, "number of elements", NULL },
  { "nbytes", get_nbytes, NULL, "bytes of its elements", NULL },
  { "itemsize", get_itemsize, NULL, "bytes of an element", NULL },
  { "space", get_space, NULL, "the memory that it is in: \"host\", \"cuda:0\"", NULL },
  { "backend", get_backend, NULL, "the backend that produced it", NULL },
  { "is_read_only", get_read_only, NULL, "is writing refused?", NULL },
  { "is_contiguous", get_contiguous, NULL, "C order without gaps?", NULL },
  { "T", get_t, NULL, "the axes reversed; a view", NULL },
  { "mT", get_mt, NULL, "the last two axes exchanged; a view", NULL },
  { NULL, NULL, NULL, NULL, NULL }
};

static PyMemberDef members[] = {
  { "__weaklistoffset__", T_PYSSIZET, offsetof(hp_array_object, weak), READONLY, NULL },
  { NULL, 0, 0, 0, NULL }
};

static PyMethodDef own_methods[] = {
  { "__complex__", as_complex, METH_NOARGS, NULL },
  { "item", item, METH_VARARGS,
    "item($self, /, *index)\n--\n\nAn element as a Python number: that of an array of one, or the one at INDEX, a number for each\n"
    "axis, or one through all in C order." },
  { "tolist", tolist, METH_NOARGS, "tolist($self, /)\n--\n\nThe elements as nested lists of Python numbers." },
  { "to", to, METH_O, "to($self, spec, /)\n--\n\nMoved to the memory of a backend or device; \"host\" is host memory." },
  { "wait", wait_for, METH_NOARGS, "wait($self, /)\n--\n\nWait for asynchronous work on it, and learn of its failure." },
  { "read_only", read_only, METH_NOARGS, "read_only($self, /)\n--\n\nA view through which nothing is written." },
  HP_METHOD("__dlpack__", hp_dlpack,
            "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
            "A capsule of DLPack that shares its memory."),
  { "__dlpack_device__", hp_dlpack_device, METH_NOARGS, "__dlpack_device__($self, /)\n--\n\nDLPack's device type and number." },
  { NULL, NULL, 0, NULL }
};

static const char doc[] = "An array of Heddle: counted elements in a memory space. Made by heddle.asarray, heddle.zeros and the\n"
                          "other functions of the package.";

/* The generated methods after those of this file; the type keeps the list. */
static PyMethodDef *all_methods(void)
{
  size_t n = 0, own = sizeof own_methods / sizeof *own_methods - 1;
  while (hp_array_methods[n].ml_name)
    n++;
  PyMethodDef *list = PyMem_Calloc(own + n + 1, sizeof *list);
  if (list) {
    memcpy(list, own_methods, own * sizeof *list);
    memcpy(list + own, hp_array_methods, n * sizeof *list);
  }
  return list;
}

int hp_array_init(PyObject *module)
{
  PyMethodDef *methods = all_methods();
#define IN_PLACE_AND(slot, name) { Py_nb_##slot, slot_##name }, { Py_nb_inplace_##slot, in_place_##name }
  PyType_Slot slots[] = {
    { Py_tp_dealloc, dealloc }, { Py_tp_doc, (void *)doc }, { Py_tp_repr, slot_repr }, { Py_tp_str, text_of },
    { Py_tp_hash, PyObject_HashNotImplemented }, { Py_tp_richcompare, slot_compare }, { Py_tp_iter, iterate },
    { Py_tp_getset, getset }, { Py_tp_members, members }, { Py_tp_methods, methods },
    { Py_mp_length, length }, { Py_mp_subscript, hp_get_item }, { Py_mp_ass_subscript, hp_set_item },
    { Py_sq_item, at }, { Py_bf_getbuffer, hp_get_buffer }, { Py_bf_releasebuffer, hp_release_buffer },
    IN_PLACE_AND(add, add), IN_PLACE_AND(subtract, subtract), IN_PLACE_AND(multiply, multiply),
    IN_PLACE_AND(true_divide, divide), IN_PLACE_AND(floor_divide, floor_divide), IN_PLACE_AND(remainder, mod),
    IN_PLACE_AND(power, power), IN_PLACE_AND(and, bitwise_and), IN_PLACE_AND(or, bitwise_or),
    IN_PLACE_AND(xor, bitwise_xor), IN_PLACE_AND(lshift, left_shift), IN_PLACE_AND(rshift, right_shift),
    IN_PLACE_AND(matrix_multiply, matmul),
    { Py_nb_negative, slot_negative }, { Py_nb_positive, slot_positive }, { Py_nb_absolute, slot_abs },
    { Py_nb_invert, slot_invert }, { Py_nb_bool, slot_bool }, { Py_nb_int, slot_int }, { Py_nb_float, slot_float },
    { Py_nb_index, slot_index }, { 0, NULL }
  };
#undef IN_PLACE_AND
  PyType_Spec spec = { "heddle.Array", sizeof(hp_array_object), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };
  if (!methods)
    return -1;
  hp.array = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  return hp.array ? PyModule_AddObjectRef(module, "Array", (PyObject *)hp.array) : -1;
}
