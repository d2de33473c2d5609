// SPDX-License-Identifier: BSD-3-Clause
/* heddle.match's part in C: the kit for template matching (libheddle-kits).
 *
 * A run of the kit takes long. It gets a thread of its own, so that the calling one keeps the interpreter: it asks for
 * signals and reports progress ten times a second, with nothing of the run's context on its stack.
 */
#include "binding.h"
#include "context.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- a run ---- */

typedef struct run {
  hed_match_options opt;
  hed_array *target, *template_, *mask;
  int64_t n_rotations;
  double *rotations;
  const hed_context *context;   /* NULL: the thread inherits from the caller */
  hed_match_result result;
  hed_status status;
  char text[512];               /* the failure's sentence, which is the run's thread's */
  size_t done, total;
  int cancel, finished;
} run;

static int note(void *arg, size_t done, size_t total)
{
  run *r = arg;
  __atomic_store_n(&r->done, done, __ATOMIC_RELAXED);
  __atomic_store_n(&r->total, total, __ATOMIC_RELAXED);
  return 0;
}

static void *work(void *arg)
{
  run *r = arg;
  hed_frame frame = { 0, 0, 0, 0 };
  r->status = r->context ? hed_context_push(r->context, &frame) : HED_OK;
  if (r->status == HED_OK)
    r->status = hed_match_run(&r->opt, r->target, r->template_, r->mask, (size_t)r->n_rotations, r->rotations, &r->result);
  if (r->status != HED_OK)
    strncpy(r->text, hed_error_text(), sizeof r->text - 1);
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  __atomic_store_n(&r->finished, 1, __ATOMIC_RELEASE);
  return NULL;
}

/* Signals, and progress to Python; false when the run is to end. */
static bool report(run *r, PyObject *progress, size_t *told)
{
  const size_t done = __atomic_load_n(&r->done, __ATOMIC_RELAXED), total = __atomic_load_n(&r->total, __ATOMIC_RELAXED);
  if (PyErr_CheckSignals() != 0)
    return false;
  if (!progress || progress == Py_None || done == *told)
    return true;
  *told = done;
  PyObject *o = PyObject_CallFunction(progress, "nn", (Py_ssize_t)done, (Py_ssize_t)total);
  Py_XDECREF(o);
  return o != NULL;
}

static bool run_on_a_thread(run *r, PyObject *progress)
{
  pthread_t thread;
  size_t told = 0;
  bool going = true;
  if (hed_thread_create(&thread, NULL, work, r) != 0) {
    PyErr_SetString(PyExc_RuntimeError, "match: no thread can be made");
    return false;
  }
  while (!__atomic_load_n(&r->finished, __ATOMIC_ACQUIRE)) {
    Py_BEGIN_ALLOW_THREADS
    nanosleep(&(struct timespec){ 0, 2000000 * (r->total ? 10 : 1) }, NULL);
    Py_END_ALLOW_THREADS
    if (going && !report(r, progress, &told)) {
      going = false;
      __atomic_store_n(&r->cancel, 1, __ATOMIC_RELAXED);
    }
  }
  Py_BEGIN_ALLOW_THREADS
  pthread_join(thread, NULL);
  Py_END_ALLOW_THREADS
  return going && report(r, progress, &told);
}

static PyObject *workers_of(const hed_match_result *m)
{
  PyObject *list = PyList_New(0);
  for (int k = 0; list && k < m->n_workers; k++) {
    const hed_match_worker *w = &m->worker[k];
    PyObject *o = Py_BuildValue("{s:s,s:s,s:i,s:n,s:d,s:d}", "spec", w->spec, "backend", w->backend, "threads", w->threads,
                                "rotations", (Py_ssize_t)w->rotations, "share", w->share, "seconds", w->seconds);
    if (!o || PyList_Append(list, o) != 0)
      Py_CLEAR(list);
    Py_XDECREF(o);
  }
  return list;
}

static PyObject *result_of(run *r)
{
  hed_match_result *m = &r->result;
  PyObject *scores = hp_wrap("match", hed_retain(m->scores)), *rotations = hp_wrap("match", hed_retain(m->rotations));
  PyObject *workers = workers_of(m), *transform = hp_shape_tuple(&m->transform), *parts = hp_shape_tuple(&m->parts);
  PyObject *o = scores && rotations && workers && transform && parts ?
    Py_BuildValue("(OOOOOndd)", scores, rotations, workers, transform, parts, (Py_ssize_t)m->memory, m->seconds,
                  m->setup_seconds) : NULL;
  Py_XDECREF(scores);
  Py_XDECREF(rotations);
  Py_XDECREF(workers);
  Py_XDECREF(transform);
  Py_XDECREF(parts);
  return o;
}

static const hp_word splines[] = { { "default", HED_SPLINE_DEFAULT }, { "nearest", HED_SPLINE_NEAREST },
                                   { "linear", HED_SPLINE_LINEAR }, { "cubic", HED_SPLINE_CUBIC }, { NULL, 0 } };

static PyObject *match_run(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "target", "template", "rotations", "mask", "score", "workers", "spline", "pad",
                                       "threshold", "memory_limit", "progress" };
  static const hp_signature s = { "match", 11, 4, 3, names };
  PyObject *v[11] = { NULL }, *result = NULL;
  hp_call c = HP_CALL("match");
  run r = { .opt = { .progress = note } };
  int spline = HED_SPLINE_DEFAULT;
  uint64_t limit = 0;
  hed_frame frame = { 0, 0, 0, 0 };
  (void)module;
  r.opt.progress_arg = &r;
  r.opt.cancel = &r.cancel;
  if (hp_bind(&s, args, n, keywords, v) && hp_operand(&c, v[0], "target", &r.target) &&
      hp_operand(&c, v[1], "template", &r.template_) && hp_doubles(&c, v[2], "rotations", &r.n_rotations, &r.rotations) &&
      hp_optional(&c, v[3], "mask", &r.mask) && hp_string(v[4], "score", &r.opt.score) &&
      hp_string(v[5], "workers", &r.opt.workers) && hp_enum(v[6], "spline", splines, &spline) &&
      hp_bool(v[7], "pad", &r.opt.pad) && hp_double(v[8], "threshold", &r.opt.threshold) &&
      hp_uint64(v[9], "memory_limit", &limit) && hp_push(&c.strand, &frame)) {
    hed_context *context = c.strand ? hed_context_current() : NULL;
    PyObject *strand = c.strand;
    hp_pop(&strand, &frame);
    const int64_t d = hed_array_ndim(r.target);
    r.context = context;
    r.opt.spline = spline;
    r.opt.memory_limit = (size_t)limit;
    if (d < 1 || r.n_rotations % (d * d))
      PyErr_Format(PyExc_ValueError, "rotations has %lld numbers; matrices of %lld by %lld are needed",
                   (long long)r.n_rotations, (long long)d, (long long)d);
    else {
      r.n_rotations /= d * d;
      const bool ok = run_on_a_thread(&r, v[10]);
      if (ok && r.status != HED_OK)
        hed_fail(r.status, "%s", r.text);
      result = ok ? (r.status == HED_OK ? result_of(&r) : hp_fail("match")) : NULL;
    }
    hed_match_result_clear(&r.result);
    hed_context_release(context);
  }
  hp_done(&c);
  return result;
}

static PyObject *match_memory(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "score", "target", "template", "pad", "n_workers" };
  static const hp_signature s = { "match_memory", 5, 5, 3, names };
  PyObject *v[5] = { NULL };
  const char *score = NULL;
  hed_shape target = { 0, { 0 } }, template_ = { 0, { 0 } };
  bool pad = false;
  int32_t workers = 1;
  hp_call c = HP_CALL("match_memory");
  (void)module;
  if (!hp_bind(&s, args, n, keywords, v) || !hp_string(v[0], "score", &score) || !hp_shape(v[1], "target", &target) ||
      !hp_shape(v[2], "template", &template_) || !hp_bool(v[3], "pad", &pad) || !hp_int32(v[4], "n_workers", &workers) ||
      !hp_begin(&c, HP_VIEW))
    return NULL;
  const size_t bytes = hed_match_memory(score, target, template_, pad, workers);
  hp_end(&c);
  return bytes ? PyLong_FromSize_t(bytes) : hp_fail("match_memory");
}

static PyObject *match_sphere(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "shape", "radius" };
  static const hp_signature s = { "match_sphere", 2, 2, 1, names };
  PyObject *v[2] = { NULL };
  hed_shape shape = { 0, { 0 } };
  double radius = 0;
  hp_call c = HP_CALL("match_sphere");
  (void)module;
  if (!hp_bind(&s, args, n, keywords, v) || !hp_shape(v[0], "shape", &shape) || !hp_double(v[1], "radius", &radius) ||
      !hp_begin(&c, HP_WORK))
    return NULL;
  hed_array *x = hed_match_sphere(shape, radius);
  hp_end(&c);
  return hp_wrap("match_sphere", x);
}

/* ---- rotations and peaks ---- */

static PyObject *match_rotations(PyObject *module, PyObject *args)
{
  int d = 0;
  double step = 0, *matrices = NULL;
  size_t n = 0;
  (void)module;
  if (!PyArg_ParseTuple(args, "id:match_rotations", &d, &step))
    return NULL;
  if (hed_rotations_sample(d, step, &matrices, &n) != HED_OK)
    return hp_fail("match_rotations");
  hed_array *x = hed_from_host(matrices, HED_SHAPE((int64_t)n, d, d), HED_FLOAT64);
  free(matrices);
  return hp_wrap("match_rotations", x);
}

static PyObject *match_peaks(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "scores", "rotations", "num_peaks", "min_distance", "min_score", "border" };
  static const hp_signature s = { "match_peaks", 6, 2, 2, names };
  PyObject *v[6] = { NULL }, *list = NULL;
  hp_call c = HP_CALL("match_peaks");
  hed_array *scores = NULL, *rotations = NULL;
  hed_match_peak_options opt = { 0 };
  hed_match_peak *peaks = NULL;
  uint64_t most = 0;
  size_t count = 0;
  (void)module;
  if (hp_bind(&s, args, n, keywords, v) && hp_operand(&c, v[0], "scores", &scores) &&
      hp_operand(&c, v[1], "rotations", &rotations) && hp_uint64(v[2], "num_peaks", &most) &&
      hp_double(v[3], "min_distance", &opt.min_distance) && hp_double(v[4], "min_score", &opt.min_score) &&
      hp_double(v[5], "border", &opt.border) && hp_begin(&c, HP_WORK)) {
    opt.num_peaks = (size_t)most;
    opt.use_min_score = v[4] && v[4] != Py_None;
    const hed_status status = hed_match_peaks(scores, rotations, &opt, &peaks, &count);
    hp_end(&c);
    list = status == HED_OK ? PyList_New(0) : hp_fail("match_peaks");
    const int skip = 3 - hed_array_ndim(scores);   /* an image has no z */
    for (size_t k = 0; list && k < count; k++) {
      const int64_t *p = peaks[k].position;
      PyObject *o = skip ? Py_BuildValue("((LL)di)", (long long)p[1], (long long)p[2], peaks[k].score, peaks[k].rotation) :
        Py_BuildValue("((LLL)di)", (long long)p[0], (long long)p[1], (long long)p[2], peaks[k].score, peaks[k].rotation);
      if (!o || PyList_Append(list, o) != 0)
        Py_CLEAR(list);
      Py_XDECREF(o);
    }
    free(peaks);
  }
  hp_done(&c);
  return list;
}

/* ---- maps and models ---- */

static PyObject *map_of(hed_map *m)
{
  PyObject *data = hp_wrap("map", hed_retain(m->data));
  PyObject *o = data ? Py_BuildValue("(O(ddd)(ddd)Os)", data, m->voxel[0], m->voxel[1], m->voxel[2], m->origin[0],
                                     m->origin[1], m->origin[2], m->stack ? Py_True : Py_False, m->label) : NULL;
  Py_XDECREF(data);
  hed_map_clear(m);
  return o;
}

static PyObject *read_map(PyObject *module, PyObject *path)
{
  const char *text = NULL;
  hed_map m = { 0 };
  (void)module;
  if (!hp_string(path, "path", &text))
    return NULL;
  return hed_map_read(text, &m) == HED_OK ? map_of(&m) : hp_fail("read_map");
}

static PyObject *write_map(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "path", "data", "voxel", "origin", "mode" };
  static const hp_signature s = { "write_map", 5, 2, 2, names };
  PyObject *v[5] = { NULL }, *result = NULL;
  hp_call c = HP_CALL("write_map");
  hed_map m = { 0 };
  const char *path = NULL;
  double *numbers[2] = { NULL, NULL };
  int64_t count[2] = { 3, 3 };
  int32_t mode = 2;
  (void)module;
  if (hp_bind(&s, args, n, keywords, v) && hp_string(v[0], "path", &path) && hp_operand(&c, v[1], "data", &m.data) &&
      hp_doubles(&c, v[2], "voxel", &count[0], &numbers[0]) && hp_doubles(&c, v[3], "origin", &count[1], &numbers[1]) &&
      hp_length("voxel", count[0], 3) && hp_length("origin", count[1], 3) && hp_int32(v[4], "mode", &mode)) {
    for (int k = 0; k < 3; k++) {
      m.voxel[k] = numbers[0] ? numbers[0][k] : 0;
      m.origin[k] = numbers[1] ? numbers[1][k] : 0;
    }
    result = hp_none("write_map", hed_map_write(path, &m, mode));
  }
  hp_done(&c);
  return result;
}

/* Density of the model in a file, or without a name of the example's. */
static PyObject *model_map(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "path", "voxel", "resolution", "shape" };
  static const hp_signature s = { "model_map", 4, 4, 3, names };
  PyObject *v[4] = { NULL };
  const char *path = NULL;
  double voxel = 0, resolution = 0;
  hed_shape shape = { 0, { 0 } };
  hed_model model = { 0 };
  hed_map map = { 0 };
  (void)module;
  if (!hp_bind(&s, args, n, keywords, v) || !hp_string(v[0], "path", &path) || !hp_double(v[1], "voxel", &voxel) ||
      !hp_double(v[2], "resolution", &resolution) || !hp_shape(v[3], "shape", &shape))
    return NULL;
  hed_status status = path ? hed_model_read(path, &model) : hed_model_example(&model);
  if (status == HED_OK)
    status = hed_model_to_map(&model, voxel, resolution, v[3] && v[3] != Py_None ? &shape : NULL, &map);
  hed_model_clear(&model);
  return status == HED_OK ? map_of(&map) : hp_fail("model_map");
}

static PyObject *simulate(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "template", "shape", "copies", "snr", "seed", "distance" };
  static const hp_signature s = { "simulate", 6, 2, 2, names };
  PyObject *v[6] = { NULL }, *result = NULL;
  hp_call c = HP_CALL("simulate");
  hed_simulate_options opt = { 0 };
  hed_array *template_ = NULL, *volume = NULL;
  hed_table truth = { 0 };
  uint64_t copies = 1;
  (void)module;
  if (hp_bind(&s, args, n, keywords, v) && hp_operand(&c, v[0], "template", &template_) &&
      hp_shape(v[1], "shape", &opt.shape) && hp_uint64(v[2], "copies", &copies) && hp_double(v[3], "snr", &opt.snr) &&
      hp_uint64(v[4], "seed", &opt.seed) && hp_double(v[5], "distance", &opt.distance) && hp_begin(&c, HP_WORK)) {
    opt.copies = (size_t)copies;
    const hed_status status = hed_simulate(&opt, template_, &volume, &truth);
    hp_end(&c);
    PyObject *rows = status == HED_OK ? PyList_New(0) : hp_fail("simulate");
    for (size_t k = 0; rows && k < truth.n; k++) {
      const hed_table_row *t = &truth.row[k];
      PyObject *o = Py_BuildValue("((ddd)(ddd)d)", t->position[0], t->position[1], t->position[2], t->euler[0], t->euler[1],
                                  t->euler[2], t->score);
      if (!o || PyList_Append(rows, o) != 0)
        Py_CLEAR(rows);
      Py_XDECREF(o);
    }
    PyObject *x = rows ? hp_wrap("simulate", hed_retain(volume)) : NULL;
    result = x ? Py_BuildValue("(NN)", x, rows) : NULL;
    if (!x)
      Py_XDECREF(rows);
    hed_release(volume);
    hed_table_clear(&truth);
  }
  hp_done(&c);
  return result;
}

/* heddle/match.py is their public face. */
PyMethodDef hp_match_functions[] = {
  HP_METHOD("_match_run", match_run, NULL), HP_METHOD("_match_memory", match_memory, NULL),
  HP_METHOD("_match_sphere", match_sphere, NULL), { "_match_rotations", match_rotations, METH_VARARGS, NULL },
  HP_METHOD("_match_peaks", match_peaks, NULL), { "_match_read_map", read_map, METH_O, NULL },
  HP_METHOD("_match_write_map", write_map, NULL), HP_METHOD("_match_model_map", model_map, NULL),
  HP_METHOD("_match_simulate", simulate, NULL), { NULL, NULL, 0, NULL }
};
