// SPDX-License-Identifier: BSD-3-Clause
/* The runtime seen from Python: backends, devices, settings, memory, counts. */
#include "binding.h"
#include "context.h"
#include "kit.h"

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
  return Py_BuildValue("{s:s,s:s,s:s,s:i,s:i,s:O,s:N,s:N}", "name", b.name, "state",
                       b.state >= 0 && b.state < 6 ? states[b.state] : "?", "version", b.version, "devices", b.devices,
                       "score", b.score, "host_memory", b.host_memory ? Py_True : Py_False, "path", hp_text(b.path),
                       "reason", hp_text(b.reason));
}

typedef struct report { PyObject *list; } report;   /* a list or a dict; NULL once something failed */

static void attempt(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  report *r = arg;
  PyObject *o = Py_BuildValue("{s:N,s:s,s:s,s:N}", "candidate", hp_text(candidate), "stage", stage, "status",
                              status == HED_OK ? "ok" : hed_status_text(status), "reason", hp_text(reason));
  if (!o || (r->list && PyList_Append(r->list, o) != 0))
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
  PyObject *o = Py_BuildValue("(NN)", hp_text(value), hp_text(source));
  if (!o || (r->list && PyDict_SetItemString(r->list, name, o) != 0))
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
  hed_status status = HED_OK;
  Py_BEGIN_ALLOW_THREADS   /* a backend may be loaded */
  status = hed_memory_query(spec, &m);
  Py_END_ALLOW_THREADS
  if (status != HED_OK)
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

static PyObject *synchronize_here(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  const char *spec = NULL;
  hp_call c = HP_CALL("synchronize");
  (void)module, (void)keywords;
  c.device = true;
  if ((n > 0 && !hp_string(args[0], "spec", &spec)) || !hp_begin(&c, HP_WORK))
    return NULL;
  const hed_status status = hed_synchronize(spec);
  hp_end(&c);
  return hp_none("synchronize", status);
}

static PyObject *synchronize(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
  (void)module;
  return hp_wait_by(synchronize_here, args, n);
}

static PyObject *set_bar(PyObject *module, PyObject *function)
{
  (void)module;
  PyObject *before = hp.bar;
  hp.bar = Py_NewRef(function);
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

static PyObject *profile_begin(PyObject *module, PyObject *args)
{
  PyObject *path = NULL;
  int oldest = 0;
  unsigned long long size = 0;
  hed_profile_options o = { .struct_size = sizeof o };
  hed_status status;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&pK", PyUnicode_FSConverter, &path, &oldest, &size))
    return NULL;
  o.keep = oldest ? HED_PROFILE_OLDEST : HED_PROFILE_NEWEST;
  o.size = size;
  const char *name = PyBytes_AsString(path);
  Py_BEGIN_ALLOW_THREADS
  status = hed_profile_begin(name, &o);
  Py_END_ALLOW_THREADS
  Py_DECREF(path);
  return hp_none("profile", status);
}

static PyObject *profile_end(PyObject *module, PyObject *unused)
{
  hed_status status;
  (void)module, (void)unused;
  Py_BEGIN_ALLOW_THREADS
  status = hed_profile_end();
  Py_END_ALLOW_THREADS
  return hp_none("profile", status);
}

static PyObject *profile_info(PyObject *module, PyObject *unused)
{
  hed_profile_info i = { .struct_size = sizeof i };
  (void)module, (void)unused;
  if (hed_profile_query(&i) != HED_OK)
    return hp_fail("profile_info");
  return Py_BuildValue("{s:i,s:K,s:K}", "threads", (int)i.threads, "records", (unsigned long long)i.records, "dropped",
                       (unsigned long long)i.dropped);
}

static PyObject *profile_mark(PyObject *module, PyObject *name)
{
  const char *text = NULL;
  (void)module;
  if (!hp_string(name, "name", &text))
    return NULL;
  hed_profile_mark(text);
  Py_RETURN_NONE;
}

static PyObject *profile_range_begin(PyObject *module, PyObject *name)
{
  const char *text = NULL;
  (void)module;
  return hp_string(name, "name", &text) ? PyLong_FromUnsignedLongLong(hed_profile_range_begin(text)) : NULL;
}

static PyObject *profile_range_end(PyObject *module, PyObject *range)
{
  const unsigned long long number = PyLong_AsUnsignedLongLong(range);
  (void)module;
  if (PyErr_Occurred())
    return NULL;
  hed_profile_range_end(number);
  Py_RETURN_NONE;
}

PyMethodDef hp_runtime_functions[] = {
  { "set_bar", set_bar, METH_O, "set_bar(function, /)\n--\n\nFUNCTION(name) makes the progress= of long runs without one, or None." },
  { "devices", devices, METH_NOARGS, "devices()\n--\n\nNames of the usable devices, best backend first." },
  { "backends", backends, METH_NOARGS, "backends()\n--\n\nNames of the backends that are known; none is loaded." },
  { "backend_info", backend_info, METH_O, "backend_info(name, /)\n--\n\nState of a backend, and one sentence why." },
  { "attempts", attempts, METH_O, "attempts(name, /)\n--\n\nEvery attempt at loading a backend, in order." },
  { "settings", settings, METH_NOARGS, "settings()\n--\n\nEvery setting: its value and where that came from." },
  { "version", version, METH_NOARGS, "version()\n--\n\nVersion of the library." },
  { "stats", stats, METH_NOARGS, "stats()\n--\n\nCounts since the start of the process." },
  { "profile_begin", profile_begin, METH_VARARGS,
    "profile_begin(path, oldest, size, /)\n--\n\nRecords go to PATH from now on: see heddle.profile." },
  { "profile_end", profile_end, METH_NOARGS, "profile_end()\n--\n\nWrites the file of the profile that is being taken." },
  { "profile_info", profile_info, METH_NOARGS,
    "profile_info()\n--\n\nThreads, records and dropped records of the profile that is being taken, or of the last one." },
  { "profile_mark", profile_mark, METH_O, "profile_mark(name, /)\n--\n\nA moment of this thread in the profile." },
  { "profile_range_begin", profile_range_begin, METH_O,
    "profile_range_begin(name, /)\n--\n\nA stretch of this thread begins: see heddle.profile_range." },
  { "profile_range_end", profile_range_end, METH_O, "profile_range_end(range, /)\n--\n\nIt ends." },
  { "memory_info", memory_info, METH_O,
    "memory_info(spec, /)\n--\n\nBytes of the memory of a backend or device; None: the current one's." },
  { "available_memory", available_memory, METH_NOARGS,
    "available_memory()\n--\n\nBytes that arrays of the current context can still take." },
  { "free_cache", free_cache, METH_NOARGS, "free_cache()\n--\n\nGive back what is kept for reuse; returns the bytes." },
  { "synchronize", (PyCFunction)(void (*)(void))synchronize, METH_FASTCALL,
    "synchronize(spec=None, /)\n--\n\nWait until the device has done everything." },
  { NULL, NULL, 0, NULL }
};
