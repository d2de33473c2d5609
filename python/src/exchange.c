// SPDX-License-Identifier: BSD-3-Clause
/* Functions that make arrays of other things, and those that look at the runtime. */
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
  const bool same = own && hed_array_dtype(own) == hed_array_dtype(x) && (hed_array_size(x) == 0 || hp_same_place(own, x));
  hed_release(own);
  return same;
}

static PyObject *same_memory(PyObject *module, PyObject *args)
{
  PyObject *a, *b;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!O!:shares_memory", hp.array, &a, hp.array, &b))
    return NULL;
  return PyBool_FromLong(hp_same_place(HP_ARRAY(a), HP_ARRAY(b)));
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
      !hp_dtype(type, "dtype", &t) || PyObject_GetBuffer(o, &b, PyBUF_SIMPLE) != 0)
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
    hed_array *moved = hed_to(x, strcmp(device, "host") == 0 ? "reference" : device);
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
  hed_array *x = hp_from_capsule(v[0], v[2]);
  if (x && device) {
    hed_array *moved = hed_to(x, strcmp(device, "host") == 0 ? "reference" : device);
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

/* What an abstract dtype means in the context in force. */
static PyObject *resolve_dtype(PyObject *module, PyObject *o)
{
  hed_dtype t = NULL;
  PyObject *strand;
  hed_frame frame;
  hed_dtype_resolution r = { .struct_size = sizeof r };
  (void)module;
  if (!hp_dtype(o, "dtype", &t) || !hp_push(&strand, &frame))
    return NULL;
  const hed_status status = hed_dtype_resolve(t, NULL, &r);
  hp_pop(&strand, &frame);
  if (status != HED_OK)
    return hp_fail("dtype");
  PyObject *d = hp_dtype_object(r.storage);
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

/* ---- the runtime ---- */

static PyObject *names_of(int n, const char **names)
{
  PyObject *list = PyList_New(0);
  for (int k = 0; list && k < n; k++) {
    PyObject *o = PyUnicode_FromString(names[k]);
    if (!o || PyList_Append(list, o) != 0)
      Py_CLEAR(list);
    Py_XDECREF(o);
  }
  return list;
}

enum { MOST_NAMES = 64 };

static PyObject *devices(PyObject *module, PyObject *unused)
{
  const char *names[MOST_NAMES];
  int n = 0;
  (void)module, (void)unused;
  Py_BEGIN_ALLOW_THREADS
  n = hed_available_devices(names, MOST_NAMES);
  Py_END_ALLOW_THREADS
  return names_of(n < MOST_NAMES ? n : MOST_NAMES, names);
}

static PyObject *backends(PyObject *module, PyObject *unused)
{
  const char *names[MOST_NAMES];
  (void)module, (void)unused;
  const int n = hed_backend_list(names, MOST_NAMES);
  return names_of(n < MOST_NAMES ? n : MOST_NAMES, names);
}

static PyObject *backend_info(PyObject *module, PyObject *o)
{
  static const char *const states[] = { "not probed", "loading", "ready", "failed", "forked", "disabled" };
  hed_backend_info b = { .struct_size = sizeof b };
  const char *name = NULL;
  (void)module;
  if (!hp_string(o, "name", &name))
    return NULL;
  if (hed_backend_query(name, &b) != HED_OK)
    return hp_fail("backend_info");
  return Py_BuildValue("{s:s,s:s,s:s,s:i,s:i,s:O,s:s,s:s}", "name", b.name, "state",
                       b.state >= 0 && b.state < 6 ? states[b.state] : "?", "version", b.version, "devices", b.devices,
                       "score", b.score, "host_memory", b.host_memory ? Py_True : Py_False, "path", b.path, "reason", b.reason);
}

typedef struct report { PyObject *list; } report;

static void attempt(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  report *r = arg;
  PyObject *o = Py_BuildValue("{s:s,s:s,s:s,s:s}", "candidate", candidate, "stage", stage, "status",
                              status == HED_OK ? "ok" : hed_status_text(status), "reason", reason);
  if (o && r->list && PyList_Append(r->list, o) != 0)
    Py_CLEAR(r->list);
  Py_XDECREF(o);
}

static PyObject *attempts(PyObject *module, PyObject *o)
{
  const char *name = NULL;
  report r = { NULL };
  (void)module;
  if (!hp_string(o, "name", &name))
    return NULL;
  Py_BEGIN_ALLOW_THREADS
  if (hed_backend_require(name) != HED_OK)
    hed_error_clear();   /* the list says it */
  Py_END_ALLOW_THREADS
  r.list = PyList_New(0);
  if (r.list)
    hed_backend_explain(name, attempt, &r);
  return r.list;
}

static void setting(void *arg, const char *name, const char *value, const char *source)
{
  report *r = arg;
  PyObject *o = Py_BuildValue("(ss)", value, source);
  if (o && r->list && PyDict_SetItemString(r->list, name, o) != 0)
    Py_CLEAR(r->list);
  Py_XDECREF(o);
}

static PyObject *settings(PyObject *module, PyObject *unused)
{
  report r = { PyDict_New() };
  (void)module, (void)unused;
  if (r.list)
    hed_config_list(setting, &r);
  return r.list;
}

static PyObject *version(PyObject *module, PyObject *unused)
{
  (void)module, (void)unused;
  return PyUnicode_FromString(hed_version());
}

static PyObject *stats(PyObject *module, PyObject *unused)
{
  hed_stats s = { .struct_size = sizeof s };
  (void)module, (void)unused;
  if (hed_stats_get(&s) != HED_OK)
    return hp_fail("stats");
#define U(name) #name, (unsigned long long)s.name
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", U(calls), U(fallbacks), U(fallbacks_reference), U(copies),
                       U(narrowed), U(leaked_frames), U(arrays_live), U(bytes_live), U(bytes_peak), U(fused_passes));
#undef U
}

static PyObject *memory_info(PyObject *module, PyObject *o)
{
  const char *spec = NULL;
  hed_memory_info m = { .struct_size = sizeof m };
  (void)module;
  if (!hp_string(o, "spec", &spec))
    return NULL;
  if (hed_memory_query(spec, &m) != HED_OK)
    return hp_fail("memory_info");
#define U(name) #name, (unsigned long long)m.name
  return Py_BuildValue("{s:s,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "space", m.space, U(in_use), U(in_flight), U(cached), U(peak),
                       U(pool_limit), U(limit), U(total), U(available));
#undef U
}

static PyObject *available_memory(PyObject *module, PyObject *unused)
{
  PyObject *strand;
  hed_frame frame;
  (void)module, (void)unused;
  if (!hp_push(&strand, &frame))
    return NULL;
  const int64_t bytes = hed_get_available_memory();
  hp_pop(&strand, &frame);
  return bytes < 0 ? hp_fail("available_memory") : PyLong_FromLongLong(bytes);
}

static PyObject *free_cache(PyObject *module, PyObject *unused)
{
  (void)module, (void)unused;
  return PyLong_FromSize_t(hed_free_cache());
}

static PyObject *synchronize(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  const char *spec = NULL;
  hp_call c = HP_CALL("synchronize");
  (void)module;
  c.device = true;
  if ((n > 0 && !hp_string(args[0], "spec", &spec)) || !hp_begin(&c, HP_WORK))
    return NULL;
  const hed_status status = hed_synchronize(spec);
  hp_end(&c);
  return hp_none("synchronize", status);
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
            "Numbers, nested lists, what exports a buffer or DLPack, or an Array, as an Array where the context in force wants it.\n"
            "Memory is shared where that is possible, unless COPY is true; with COPY false a copy is ValueError."),
  HP_METHOD("from_dlpack", from_dlpack,
            "from_dlpack(x, /, *, device=None, copy=None)\n--\n\nAn array on the memory of X, whatever library it is of."),
  { "shares_memory", same_memory, METH_VARARGS,
    "shares_memory(a, b, /)\n--\n\nDo both arrays begin at the same place of the same memory?" },
  { "raw_bytes", raw_bytes, METH_O, "raw_bytes(x, /)\n--\n\nThe elements of a contiguous array as bytes, shared." },
  { "from_bytes", from_bytes, METH_VARARGS, "from_bytes(buffer, shape, dtype, /)\n--\n\nThe array that raw_bytes was of." },
  { "dtype", dtype, METH_O, "dtype(obj, /)\n--\n\nThe DType of a name, a Python type, or a dtype of NumPy." },
  { "promote_types", promote_types, METH_VARARGS, "promote_types(type1, type2, /)\n--\n\nThe dtype of an operation on both." },
  { "resolve_dtype", resolve_dtype, METH_O,
    "resolve_dtype(dtype, /)\n--\n\nWhat a dtype, also real, complex or index, means in the context in force." },
  { "limits", limits, METH_O, "limits(type, /)\n--\n\nBits, extremes and precision of a dtype." },
  { "devices", devices, METH_NOARGS, "devices()\n--\n\nNames of the usable devices, best backend first." },
  { "backends", backends, METH_NOARGS, "backends()\n--\n\nNames of the backends that are known; none is loaded." },
  { "backend_info", backend_info, METH_O, "backend_info(name, /)\n--\n\nState of a backend, and one sentence why." },
  { "attempts", attempts, METH_O, "attempts(name, /)\n--\n\nEvery attempt at loading a backend, in order." },
  { "settings", settings, METH_NOARGS, "settings()\n--\n\nEvery setting: its value and where that came from." },
  { "version", version, METH_NOARGS, "version()\n--\n\nVersion of the library." },
  { "stats", stats, METH_NOARGS, "stats()\n--\n\nCounts since the start of the process." },
  { "memory_info", memory_info, METH_O, "memory_info(spec, /)\n--\n\nBytes of the memory of a backend or device; None: the current one's." },
  { "available_memory", available_memory, METH_NOARGS,
    "available_memory()\n--\n\nBytes that arrays of the current context can still take." },
  { "free_cache", free_cache, METH_NOARGS, "free_cache()\n--\n\nGive back what is kept for reuse; returns the bytes." },
  { "synchronize", (PyCFunction)(void (*)(void))synchronize, METH_FASTCALL,
    "synchronize(spec=None, /)\n--\n\nWait until the device has done everything." },
  { "broadcast_shapes", (PyCFunction)(void (*)(void))broadcast_shapes, METH_FASTCALL,
    "broadcast_shapes(*shapes)\n--\n\nThe shape that all of them broadcast to." },
  { NULL, NULL, 0, NULL }
};
