// SPDX-License-Identifier: BSD-3-Clause
/* DLPack in Python's clothes: __dlpack__, __dlpack_device__ and from_dlpack, with capsules of both kinds.
 *
 * The structs are those of DLPack 1.0 (https://github.com/dmlc/dlpack); consumers that say no max_version know the
 * unversioned one only, which cannot say that an array is read-only.
 */
#include "binding.h"
#include "context.h"
#include <heddle/dlpack.h>
#include <stdlib.h>
#include <string.h>

typedef struct tensor {
  void *data;
  struct { int32_t type, id; } device;
  int32_t ndim;
  struct { uint8_t code, bits; uint16_t lanes; } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} tensor;

typedef struct DLManagedTensorVersioned {
  struct { uint32_t major, minor; } version;
  void *manager;
  void (*deleter)(struct DLManagedTensorVersioned *);
  uint64_t flags;
  tensor t;
} versioned;

typedef struct unversioned {
  tensor t;
  void *manager;
  void (*deleter)(struct unversioned *);
} unversioned;

enum { READ_ONLY = 1, CPU = 1 };

/* ---- out ---- */

static void drop_versioned(PyObject *capsule)
{
  versioned *v = PyCapsule_IsValid(capsule, "dltensor_versioned") ? PyCapsule_GetPointer(capsule, "dltensor_versioned") : NULL;
  if (v && v->deleter)
    v->deleter(v);
}

static void drop_unversioned(PyObject *capsule)
{
  unversioned *u = PyCapsule_IsValid(capsule, "dltensor") ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
  if (u && u->deleter)
    u->deleter(u);
}

static void delete_unversioned(unversioned *u)
{
  versioned *v = u->manager;
  v->deleter(v);
  free(u);
}

static PyObject *versioned_capsule(versioned *v)
{
  PyObject *o = PyCapsule_New(v, "dltensor_versioned", drop_versioned);
  if (!o)
    v->deleter(v);
  return o;
}

static PyObject *unversioned_capsule(versioned *v)
{
  unversioned *u = malloc(sizeof *u);
  if (!u) {
    v->deleter(v);
    return PyErr_NoMemory();
  }
  *u = (unversioned){ v->t, v, delete_unversioned };
  PyObject *o = PyCapsule_New(u, "dltensor", drop_unversioned);
  if (!o)
    delete_unversioned(u);
  return o;
}

/* Copy policy of an argument that is None, True or False. */
static hed_copy_policy policy(PyObject *copy)
{
  return !copy || copy == Py_None ? HED_COPY_IF_NEEDED : PyObject_IsTrue(copy) ? HED_COPY_ALWAYS : HED_COPY_NEVER;
}

static bool modern(PyObject *version)
{
  if (!version || version == Py_None)
    return false;
  PyObject *first = PySequence_GetItem(version, 0);
  const long major = first ? PyLong_AsLong(first) : -1;
  Py_XDECREF(first);
  return major >= 1;
}

/* What DLPack calls the device of X: by its tensor, or where there is none by the name of its space. */
static void device_of(hed_array *x, int *type, int *id)
{
  static const struct { const char *name; int type; } kinds[] = { { "host", CPU }, { "cuda:", 2 }, { "opencl:", 4 } };
  const char *space = hed_array_space(x), *number = strchr(space, ':');
  versioned *t = NULL;
  *type = 12;   /* kDLExtDev */
  *id = number ? atoi(number + 1) : 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strncmp(space, kinds[k].name, strlen(kinds[k].name)) == 0)
      *type = kinds[k].type;
  if (*type == CPU || hed_to_dlpack_stream(x, HED_COPY_IF_NEEDED, HED_STREAM_NONE, &t) != HED_OK) {
    hed_error_clear();
    return;
  }
  *type = t->t.device.type;
  *id = t->t.device.id;
  t->deleter(t);
}

/* The array as it is to be handed out: on the device that DEVICE names, which is the host or where it is. */
static hed_array *on_device(hed_array *x, PyObject *device, hed_copy_policy copy)
{
  int type = 0, id = 0, own_type = 0, own_id = 0;
  if (!device || device == Py_None)
    return hed_retain(x);
  if (!PyTuple_Check(device)) {
    PyErr_Format(PyExc_TypeError, "dl_device: a tuple of two integers is needed, not %R", Py_TYPE(device));
    return NULL;
  }
  if (!PyArg_ParseTuple(device, "ii", &type, &id))
    return NULL;
  device_of(x, &own_type, &own_id);
  if (type == own_type && id == own_id)
    return hed_retain(x);
  if (type == CPU && copy != HED_COPY_NEVER)
    return hp_move(x, "host");
  PyErr_Format(PyExc_BufferError, "the array is on device (%d, %d) and cannot be exported to (%d, %d)%s", own_type, own_id, type, id,
               type == CPU ? " without a copy" : "");
  return NULL;
}

static bool stream_of(PyObject *o, bool host, intptr_t *stream)
{
  *stream = HED_STREAM_LEGACY;
  if (!o || o == Py_None)
    return true;
  int64_t value = 0;
  if (!hp_int64(o, "stream", &value))
    return false;
  if (host && value != HED_STREAM_NONE) {
    PyErr_SetString(PyExc_BufferError, "arrays in host memory have no stream");
    return false;
  }
  *stream = (intptr_t)value;
  return true;
}

PyObject *hp_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "stream", "max_version", "dl_device", "copy" };
  static const hp_signature s = { "__dlpack__", 4, 4, 0, names };
  PyObject *v[4] = { NULL };
  intptr_t stream;
  versioned *t = NULL;
  if (!hp_bind(&s, args, n, keywords, v) || PyErr_Occurred())
    return NULL;
  const bool host = !hp_on_device(HP_ARRAY(self)), new_kind = modern(v[1]);
  hed_copy_policy copy = policy(v[3]);
  if (PyErr_Occurred() || !stream_of(v[0], host, &stream))
    return NULL;
  if (!new_kind && !hp_writable(HP_ARRAY(self))) {
    if (copy == HED_COPY_NEVER) {
      PyErr_SetString(PyExc_BufferError, "the array is read-only, which a consumer without max_version cannot be told");
      return NULL;
    }
    copy = HED_COPY_ALWAYS;
  }
  hed_array *x = on_device(HP_ARRAY(self), v[2], copy);
  if (!x)
    return hp_fail("__dlpack__");
  const bool moved = !host && !hp_on_device(x);   /* a copy already, that no stream works on */
  const hed_status status = hed_to_dlpack_stream(x, moved ? HED_COPY_IF_NEEDED : copy, host || moved ? HED_STREAM_NONE : stream, &t);
  if (status == HED_OK && copy != HED_COPY_ALWAYS && !hp_writable(HP_ARRAY(self)))
    t->flags |= READ_ONLY;
  hed_release(x);
  if (status != HED_OK) {
    PyErr_SetString(PyExc_BufferError, hed_error_text());
    hed_error_clear();
    return NULL;
  }
  return new_kind ? versioned_capsule(t) : unversioned_capsule(t);
}

PyObject *hp_dlpack_device(PyObject *self, PyObject *unused)
{
  int type = 0, id = 0;
  (void)unused;
  device_of(HP_ARRAY(self), &type, &id);
  return Py_BuildValue("(ii)", type, id);
}

/* ---- in ---- */

static void delete_later(versioned *v)
{
  hp_drop_later(v->manager);
  free(v);
}

/* Producers that are not told a stream put the work in order on the device's legacy default one: ours waits for that. */
static hed_array *import(versioned *v)
{
  if (v->t.device.type == CPU)
    return hed_from_dlpack(v);
  hed_array *x = hed_from_dlpack_stream(v, HED_STREAM_LEGACY);
  if (x || hed_error() != HED_E_UNSUPPORTED)
    return x;
  hed_error_clear();
  return hed_from_dlpack(v);   /* a device without streams does one thing after the other */
}

/* The deleter of a Python library needs the interpreter's lock and may run Python code, so it waits as other references do:
 * a capsule of our own holds the tensor, and the library gets a copy of its description. */
static hed_array *take_capsule(PyObject *capsule)
{
  const bool old = PyCapsule_IsValid(capsule, "dltensor");
  const char *name = old ? "dltensor" : "dltensor_versioned";
  if (!PyCapsule_IsValid(capsule, name)) {
    PyErr_SetString(PyExc_TypeError, "from_dlpack: __dlpack__ gave no capsule of DLPack, or one that was used before");
    return NULL;
  }
  void *p = PyCapsule_GetPointer(capsule, name);
  versioned *v = calloc(1, sizeof *v);
  if (!v)
    return (hed_array *)PyErr_NoMemory();
  if (old) {
    v->version.major = 1;
    v->t = ((unversioned *)p)->t;
  } else
    *v = *(versioned *)p;
  v->deleter = delete_later;
  v->manager = PyCapsule_New(p, name, old ? drop_unversioned : drop_versioned);
  if (!v->manager) {
    free(v);
    return NULL;
  }
  PyCapsule_SetName(capsule, old ? "used_dltensor" : "used_dltensor_versioned");
  hed_array *x = import(v);
  if (!x)
    delete_later(v);
  if (!x || !old)
    return x;
  hed_array *shown = hed_read_only(x);   /* that kind cannot say whether it may be written */
  hed_release(x);
  return shown;
}

/* producer.__dlpack__(max_version=(1, 0)[, copy=..]), without the words where it does not know them. */
static PyObject *capsule_of(PyObject *producer, PyObject *copy)
{
  PyObject *method = PyObject_GetAttrString(producer, "__dlpack__"), *none = PyTuple_New(0);
  PyObject *words = Py_BuildValue("{s:(ii)}", "max_version", 1, 0), *r = NULL;
  if (words && copy && copy != Py_None && PyDict_SetItemString(words, "copy", copy) != 0)
    Py_CLEAR(words);
  if (method && none && words)
    r = PyObject_Call(method, none, words);
  if (!r && method && words && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    r = PyObject_CallNoArgs(method);
  }
  Py_XDECREF(words);
  Py_XDECREF(none);
  Py_XDECREF(method);
  return r;
}

hed_array *hp_from_capsule(PyObject *producer, PyObject *copy)
{
  PyObject *capsule = capsule_of(producer, copy);
  if (!capsule)
    return NULL;
  hed_array *x = take_capsule(capsule);
  Py_DECREF(capsule);
  return x;
}
