// SPDX-License-Identifier: BSD-3-Clause
/* One call of the library: the caller's context, the interpreter's lock, what is held meanwhile; and how arguments are
 * bound to parameters. */
#include "binding.h"
#include "context.h"
#include <stdlib.h>
#include <string.h>

enum { WORTH_ELEMENTS = 512 };

bool hp_begin(hp_call *c, hp_cost cost)
{
  if ((c->arguments && hp_goes_elsewhere(c, cost)) || !hp_push(&c->strand, &c->frame))
    return false;
  const bool works = cost == HP_WORK || cost == HP_GROWS;
  const bool worth = cost == HP_STREAM ? c->bytes >= HP_WORTH_BYTES : works && c->elements >= WORTH_ELEMENTS;
  c->released = worth || c->device || cost == HP_LONG ? PyEval_SaveThread() : NULL;
  return true;
}

void hp_end(hp_call *c)
{
  if (c->released)
    PyEval_RestoreThread(c->released);
  c->released = NULL;
  hp_pop(&c->strand, &c->frame);
}

/* ---- what a call holds ---- */

/* Append P to a list that begins in the call itself and moves to the heap when that is full. */
static bool append(void ***list, int *n, void **here, void *p)
{
  if (!*list)
    *list = here;
  if (*n >= HP_HELD && (*n & (*n - 1)) == 0) {
    void **more = malloc(2 * (size_t)*n * sizeof *more);
    if (!more) {
      PyErr_NoMemory();
      return false;
    }
    memcpy(more, *list, (size_t)*n * sizeof *more);
    if (*list != here)
      free(*list);
    *list = more;
  }
  (*list)[(*n)++] = p;
  return true;
}

bool hp_hold(hp_call *c, hed_array *x)
{
  if (append(&c->held, &c->n_held, c->held_here, x))
    return true;
  hed_release(x);
  return false;
}

void *hp_block(hp_call *c, size_t bytes)
{
  void *p = calloc(1, bytes ? bytes : 1);
  if (!p) {
    PyErr_NoMemory();
    return NULL;
  }
  if (append(&c->blocks, &c->n_blocks, c->blocks_here, p))
    return p;
  free(p);
  return NULL;
}

bool hp_keep(hp_call *c, PyObject *o)
{
  if (!c->kept)
    c->kept = PyList_New(0);
  return c->kept && PyList_Append(c->kept, o) == 0;
}

void hp_done(hp_call *c)
{
  Py_XDECREF(c->kept);
  for (int k = 0; k < c->n_held; k++)
    hed_release(c->held[k]);
  for (int k = 0; k < c->n_blocks; k++)
    free(c->blocks[k]);
  if (c->held && c->held != c->held_here)
    free(c->held);
  if (c->blocks && c->blocks != c->blocks_here)
    free(c->blocks);
}

/* ---- binding ---- */

static bool too_many(const hp_signature *s, Py_ssize_t n)
{
  PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional argument%s, %zd were given", s->name, s->positional,
               s->positional == 1 ? "" : "s", n);
  return false;
}

static bool bind_keyword(const hp_signature *s, PyObject *word, PyObject *value, PyObject **values)
{
  for (int k = 0; k < s->n; k++)
    if (PyUnicode_CompareWithASCIIString(word, s->names[k]) == 0) {
      if (values[k]) {
        PyErr_Format(PyExc_TypeError, "%s() got two values for argument '%U'", s->name, word);
        return false;
      }
      values[k] = value;
      return true;
    }
  PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", s->name, word);
  return false;
}

bool hp_bind(const hp_signature *s, PyObject *const *args, Py_ssize_t n, PyObject *keywords, PyObject **values)
{
  if (n > s->positional)
    return too_many(s, n);
  for (Py_ssize_t k = 0; k < n; k++)
    values[k] = args[k];
  const Py_ssize_t words = keywords ? PyTuple_Size(keywords) : 0;
  for (Py_ssize_t k = 0; k < words; k++)
    if (!bind_keyword(s, PyTuple_GetItem(keywords, k), args[n + k], values))
      return false;
  for (int k = 0; k < s->required; k++)
    if (!values[k]) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", s->name, s->names[k]);
      return false;
    }
  return true;
}

PyObject *hp_method(hp_function function, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  enum { MOST = 64 };
  PyObject *all[MOST];
  const Py_ssize_t words = keywords ? PyTuple_Size(keywords) : 0;
  if (n + words >= MOST) {
    PyErr_Format(PyExc_TypeError, "%zd arguments are too many", n + words);
    return NULL;
  }
  all[0] = self;
  for (Py_ssize_t k = 0; k < n + words; k++)
    all[k + 1] = args[k];
  return function(NULL, all, n + 1, keywords);
}
