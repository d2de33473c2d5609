// SPDX-License-Identifier: BSD-3-Clause
/* Python's buffer protocol, both ways. What is shared is kept alive by the side that looks at it. */
#include "binding.h"
#include "context.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats: those of the struct module, with Zf and Zd for complex numbers as NumPy writes them ---- */

#if LONG_MAX == INT64_MAX   /* NumPy's int64 is long then, and long long another type */
#  define FORMAT_INT64 "l"
#  define FORMAT_UINT64 "L"
#else
#  define FORMAT_INT64 "q"
#  define FORMAT_UINT64 "Q"
#endif

static const char *const formats[] = {
  [HED_ID_BOOL] = "?", [HED_ID_INT8] = "b", [HED_ID_INT16] = "h", [HED_ID_INT32] = "i", [HED_ID_INT64] = FORMAT_INT64,
  [HED_ID_UINT8] = "B", [HED_ID_UINT16] = "H", [HED_ID_UINT32] = "I", [HED_ID_UINT64] = FORMAT_UINT64, [HED_ID_FLOAT16] = "e",
  [HED_ID_BFLOAT16] = NULL, [HED_ID_FLOAT32] = "f", [HED_ID_FLOAT64] = "d", [HED_ID_COMPLEX64] = "Zf",
  [HED_ID_COMPLEX128] = "Zd"
};

static hed_dtype integer_of(bool is_signed, size_t size)
{
  switch (size) {
  case 1: return is_signed ? HED_INT8 : HED_UINT8;
  case 2: return is_signed ? HED_INT16 : HED_UINT16;
  case 4: return is_signed ? HED_INT32 : HED_UINT32;
  default: return size == 8 ? (is_signed ? HED_INT64 : HED_UINT64) : NULL;
  }
}

/* The dtype of a buffer's elements, NULL for those that Heddle does not have. SWAPPED: their bytes are in the other order. */
static hed_dtype of_format(const char *f, size_t size, bool *swapped)
{
  const int one = 1;
  const bool little = *(const char *)&one;
  *swapped = false;
  if (!f)
    return HED_UINT8;
  if (*f && strchr("@=<>!", *f)) {
    *swapped = little ? *f == '>' || *f == '!' : *f == '<';
    f++;
  }
  if (f[0] == 'Z' && f[1] && !f[2])
    return f[1] == 'f' ? HED_COMPLEX64 : f[1] == 'd' ? HED_COMPLEX128 : NULL;
  if (!f[0] || f[1])
    return NULL;
  if (strchr("bhilqn", f[0]))
    return integer_of(true, size);
  if (strchr("BHILQN", f[0]))
    return integer_of(false, size);
  return f[0] == '?' ? HED_BOOL : f[0] == 'e' ? HED_FLOAT16 : f[0] == 'f' ? HED_FLOAT32 : f[0] == 'd' ? HED_FLOAT64 : NULL;
}

/* ---- in: an array on somebody's buffer ---- */

/* What holds somebody's buffer while arrays look at it: letting it go releases that, in its own time. */
typedef struct held_object {
  PyObject_HEAD
  Py_buffer b;
} held_object;

static PyTypeObject *held_type;

static void held_dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  PyBuffer_Release(&((held_object *)self)->b);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyType_Slot held_slots[] = { { Py_tp_dealloc, held_dealloc }, { 0, NULL } };
static PyType_Spec held_spec = { "heddle._core.Held", sizeof(held_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, held_slots };

int hp_buffer_init(PyObject *module)
{
  held_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &held_spec, NULL);
  return held_type ? 0 : -1;
}

static hed_array *wrap_held(held_object *held, hed_dtype t, const hed_shape *s, const int64_t *strides)
{
  hed_array *x = hed_wrap(held->b.buf, *s, strides, t, hp_drop_later, held);
  if (x)
    Py_INCREF((PyObject *)held);
  if (x && held->b.readonly) {
    hed_array *r = hed_read_only(x);
    hed_release(x);
    x = r;
  }
  return x;
}

/* N parts of SIZE bytes each, in the other order. */
static void swap_bytes(char *bytes, size_t n, size_t size)
{
  for (char *p = bytes; p < bytes + n * size; p += size)
    for (size_t i = 0; i < size / 2; i++) {
      const char c = p[i];
      p[i] = p[size - 1 - i];
      p[size - 1 - i] = c;
    }
}

static hed_array *of_buffer(held_object *held, hed_copy_policy copy)
{
  const Py_buffer *b = &held->b;
  hed_shape s = { b->ndim, { 0 } };
  int64_t strides[HED_MAX_NDIM];
  bool swapped;
  const hed_dtype t = of_format(b->format, (size_t)b->itemsize, &swapped);
  bool aligned = true;
  if (!t || b->ndim > HED_MAX_NDIM || (size_t)b->itemsize != hed_dtype_size(t)) {
    PyErr_Format(PyExc_TypeError, "a buffer of format \"%s\" and %d axes is no array of Heddle", b->format ? b->format : "B",
                 b->ndim);
    return NULL;
  }
  /* A number, as NumPy's scalars are: the array is another thing, which may be written. */
  if (b->ndim == 0 && b->readonly && copy == HED_COPY_IF_NEEDED)
    copy = HED_COPY_ALWAYS;
  const size_t part = hed_dtype_kind(t) == HED_KIND_COMPLEX ? (size_t)b->itemsize / 2 : (size_t)b->itemsize;
  for (int k = 0; k < b->ndim; k++) {
    s.dim[k] = b->shape[k];
    strides[k] = b->strides[k];
    aligned = aligned && strides[k] % (int64_t)part == 0;
  }
  aligned = aligned && (uintptr_t)b->buf % part == 0;
  swapped = swapped && part > 1;
  if (swapped && copy == HED_COPY_NEVER) {
    PyErr_Format(PyExc_ValueError, "the buffer's bytes are in the other order (\"%s\"); a copy would be needed", b->format);
    return NULL;
  }
  if (!aligned && copy == HED_COPY_NEVER) {
    PyErr_SetString(PyExc_ValueError, "the buffer's elements are not aligned; a copy would be needed");
    return NULL;
  }
  if (aligned && !swapped && copy != HED_COPY_ALWAYS)
    return wrap_held(held, t, &s, strides);
  const bool ready = !swapped && PyBuffer_IsContiguous(b, 'C');
  char *bytes = ready ? NULL : malloc(b->len ? (size_t)b->len : 1);
  if (!ready && (!bytes || PyBuffer_ToContiguous(bytes, b, b->len, 'C') != 0)) {
    free(bytes);
    return PyErr_Occurred() ? NULL : (hed_array *)PyErr_NoMemory();
  }
  if (swapped)
    swap_bytes(bytes, (size_t)b->len / part, part);
  PyObject *strand;
  hed_frame frame;
  hed_array *x = NULL;
  if (hp_push(&strand, &frame)) {
    PyThreadState *const state = hp_unlock((size_t)b->len, false);
    x = hed_from_host(ready ? b->buf : bytes, s, t);
    hp_lock(state);
    hp_pop(&strand, &frame);
  }
  free(bytes);
  return x;
}

hed_array *hp_from_buffer(PyObject *o, hed_copy_policy copy)
{
  held_object *held = PyObject_New(held_object, held_type);
  if (!held)
    return NULL;
  held->b.obj = NULL;
  hed_array *x = PyObject_GetBuffer(o, &held->b, PyBUF_FULL_RO) == 0 ? of_buffer(held, copy) : NULL;
  Py_DECREF((PyObject *)held);
  return x;
}

/* ---- out: an array as a buffer ---- */

typedef struct extents { Py_ssize_t shape[HED_MAX_NDIM], strides[HED_MAX_NDIM]; } extents;

bool hp_writable(const hed_array *x)
{
  int64_t strides[HED_MAX_NDIM];
  const hed_shape s = hed_array_shape(x);
  hed_array_strides(x, strides);
  for (int k = 0; k < s.ndim; k++)
    if (strides[k] == 0 && s.dim[k] > 1)
      return false;
  return !hed_array_is_read_only(x);
}

static bool in_fortran_order(const extents *e, int n, Py_ssize_t size)
{
  for (int k = 0; k < n; size *= e->shape[k++])
    if (e->shape[k] != 1 && e->strides[k] != size)
      return false;
  return true;
}

/* Does the layout fit what the caller can handle? */
static const char *refused(hed_array *x, const extents *e, int flags)
{
  const bool c = hed_array_is_contiguous(x) || hed_array_size(x) == 0;
  const bool f = in_fortran_order(e, hed_array_ndim(x), (Py_ssize_t)hed_dtype_size(hed_array_dtype(x)));
  if ((flags & PyBUF_WRITABLE) && !hp_writable(x))
    return "the array is read-only";
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !c)
    return "the array is not contiguous in C order";
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !f)
    return "the array is not contiguous in Fortran order";
  if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !c && !f)
    return "the array is not contiguous";
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !c)
    return "the array has strides, which the caller does not take";
  return NULL;
}

int hp_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
  hed_array *x = HP_ARRAY(self);
  const hed_shape s = hed_array_shape(x);
  const hed_dtype t = hed_array_dtype(x);
  const char *format = formats[hed_dtype_id_of(t)], *why = NULL;
  extents *e = malloc(sizeof *e);
  int64_t strides[HED_MAX_NDIM];
  view->obj = NULL;
  if (!e) {
    PyErr_NoMemory();
    return -1;
  }
  hed_array_strides(x, strides);
  for (int k = 0; k < s.ndim; k++) {
    e->shape[k] = (Py_ssize_t)s.dim[k];
    e->strides[k] = (Py_ssize_t)strides[k];
  }
  if (!format)
    why = "the buffer protocol has no format for bfloat16";
  else if (strcmp(hed_array_space(x), "host") != 0)
    why = "the array is in a device's memory; move it with .to(\"host\")";
  else
    why = refused(x, e, flags);
  void *data = why ? NULL : hed_array_data(x);
  if (!why && !data && hed_error() != HED_OK) {
    free(e);
    hp_fail("buffer");
    return -1;
  }
  if (why) {
    free(e);
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
  }
  Py_INCREF(self);
  *view = (Py_buffer){ .buf = data, .obj = self, .len = (Py_ssize_t)hed_array_nbytes(x),
                       .itemsize = (Py_ssize_t)hed_dtype_size(t), .readonly = !hp_writable(x), .ndim = s.ndim,
                       .format = flags & PyBUF_FORMAT ? (char *)format : NULL,
                       .shape = flags & PyBUF_ND ? e->shape : NULL,
                       .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? e->strides : NULL, .internal = e };
  return 0;
}

void hp_release_buffer(PyObject *self, Py_buffer *view)
{
  (void)self;
  free(view->internal);
}
