// SPDX-License-Identifier: BSD-3-Clause
/* What the kits' wrappers, which generate.py makes, stand on.
 *
 * A box is a Python object around what a kit gives: a handle (hed_vsa *), or a struct by value (hed_cp). Structs in boxes do
 * not change; fields are read by the kits' reflection. A handle that a function changes belongs to that call alone meanwhile.
 *
 * A call that may take long, one with a cancel flag or a callback, runs on a thread of its own: the caller's waits for it,
 * looks for signals, and calls what is to be called, with nothing of the run's context on its stack.
 */
#ifndef HEDDLE_PYTHON_KIT_H
#define HEDDLE_PYTHON_KIT_H

#include "binding.h"
#include <heddle/kits/nn_cells.h>
#include <heddle/kits/nn_train.h>
#include <heddle/kits/reflect.h>
#include <heddle/kits/sweeps.h>
#include <time.h>

/* ---- boxes ---- */

typedef struct hp_kind {
  const char *c_name, *name, *doc; /* "hed_cp", "heddle.tensor.CP" */
  size_t size;                     /* of the struct; 0: a handle */
  void (*clear)(void *);           /* hed_cp_clear, hed_vsa_release; NULL: owns nothing */
  hed_status (*check)(const void *);
  PyMethodDef *methods;
  PyGetSetDef *attributes;
  PyType_Slot *slots;              /* operators */
  const hed_api_struct *s;         /* both set when the module is made */
  PyTypeObject *type;
} hp_kind;
extern hp_kind hp_kinds[];         /* up to one without a name */

PyObject *hp_box_handle(hp_kind *kind, void *handle);         /* takes it; NULL raises the library's error */
PyObject *hp_box_struct(hp_kind *kind, void *value);          /* takes what *VALUE owns */
/* A operator B by SAME, of two boxes of KIND (or of one and ANY), or by NUMBER, of one and a number. NULL: there is none such. */
PyObject *hp_box_operator(hp_kind *kind, hp_function same, hp_function number, bool any, PyObject *a, PyObject *b);
PyObject *hp_box_reduce(PyObject *self, PyObject *unused);     /* __reduce__ of structs */
PyObject *hp_box_list(hp_kind *kind, void *values, size_t n);  /* takes what they own */
void hp_clear_list(const hp_kind *kind, void *values, size_t n);
int hp_kits_init(PyObject *module);
int hp_kit_modules(PyObject *module);                         /* one for each kit; generated */
/* A module NAME with FUNCTIONS and the kinds whose names begin with CLASSES, where `import' finds it. */
int hp_kit_module(PyObject *module, const char *name, const char *classes, PyMethodDef *functions);

/* The struct or handle in a box of KIND; a dict of fields also makes a struct, for the length of the call. */
bool hp_boxed(hp_call *c, PyObject *o, const char *name, hp_kind *kind, void **out);
bool hp_boxes(hp_call *c, PyObject *o, const char *name, hp_kind *kind, int64_t *n, void **out); /* a list, side by side */
/* The handle, to read it or to change it, until hp_leave_handle(); RuntimeError when another thread's call is in the way. */
bool hp_use_handle(PyObject *o, const char *name, hp_kind *kind, bool change, void **out);
void hp_leave_handle(PyObject *o, const void *used);   /* USED NULL: it was not come to that */

/* Into *OUT a copy of what *P is, which its kind's clear() releases. False with an error raised when memory is out. */
bool hp_struct_copy(const hed_api_struct *s, void *out, const void *p);

/* ---- options ---- */

/* Field NAME of STRUCT, whose value lies at INTO, from the argument SHOWN; not given: it stays. */
bool hp_field(hp_call *c, PyObject *o, const char *shown, const char *struct_name, const char *name, void *into);

/* ---- other arguments ---- */

bool hp_strings(hp_call *c, PyObject *o, const char *name, int64_t *n, const char ***out);
bool hp_path(hp_call *c, PyObject *o, const char *name, const char **out);   /* a string or os.PathLike */
bool hp_callable(PyObject *o, const char *name, PyObject **out);
bool hp_size(PyObject *o, const char *name, size_t *out);
/* Key and value, borrowed, of what items() has given, which need not be a dict's. */
bool hp_pair(PyObject *pair, const char *name, PyObject **key, PyObject **value);
bool hp_range(PyObject *o, const char *name, hed_slice_range *out);

bool hp_matrices(const char *name, int64_t n, int64_t d);   /* are N numbers D by D matrices? */

/* ---- trees of parameters of the nn kit: dicts of arrays by name (nn.c) ---- */

/* From a dict, for the length of the call; WRITTEN: its arrays are changed, so that they have to be Heddle's. */
bool hp_tree(hp_call *c, PyObject *o, const char *name, bool written, hed_nn_params **out);
bool hp_tree_new(hed_nn_params **out);
/* Take P; NULL raises: all of it, and a pair, of what is no buffer and of the buffers. */
PyObject *hp_tree_dict(hed_nn_params *p);
PyObject *hp_tree_pair(hed_nn_params *p);
int64_t hp_states_of(const hed_nn_cell *cell);                          /* 0 where the cell is wrong */
/* Are N arrays the state of CELL, or none? A cell that is wrong is left to who is asked next. */
bool hp_states(const char *name, int64_t n, const hed_nn_cell *cell);

/* ---- results ---- */

PyObject *hp_axes_tuple(const hed_axes *axes);
PyObject *hp_values(const void *p, hed_dtype t, hed_shape shape);  /* an Array of numbers at P */
PyObject *hp_text(const char *text);                               /* None for NULL */
PyObject *hp_results(int n, PyObject **list);                      /* takes them: a tuple, or the only one */
PyObject *hp_number(const char *name, PyObject *value);            /* takes it; raises instead where the library has an error */

/* ---- calls ---- */

typedef struct hp_watch {
  PyObject *progress, *function;  /* what callbacks call; NULL, None: nothing */
  int64_t axes;                   /* of the function's grid */
  int cancel;
  struct hp_job *job;
  const char *name;               /* of the function */
  struct timespec begun;
  bool bar;                       /* PROGRESS is heddle's own, made because the run takes long */
} hp_watch;

/* RUN(A), in the context that the caller chose and without the interpreter's lock. W, when not NULL, is what the run is
 * watched by, on a thread of its own. False when an exception was raised; the library's error is the caller's then. */
bool hp_run(hp_call *c, void (*run)(void *), void *a, hp_watch *w);

/* Callbacks of the kits; ARG is the hp_watch. */
int hp_on_count(void *arg, size_t done, size_t total);
int hp_on_count64(void *arg, int64_t done, int64_t total);
int hp_on_sweep(void *arg, const hed_sweep *now);
int hp_on_epoch(void *arg, const hed_nn_epoch *now);
hed_status hp_on_function(void *arg, int64_t n, const int64_t *indices, double *values);

#endif
