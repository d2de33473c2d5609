// SPDX-License-Identifier: BSD-3-Clause
/* The caller's context: read from the context variable, on the thread's stack for the length of one call. */
#ifndef HEDDLE_PYTHON_CONTEXT_H
#define HEDDLE_PYTHON_CONTEXT_H

#include "binding.h"

bool hp_push_chosen(PyObject **strand, hed_frame *frame);
void hp_pop_chosen(PyObject *strand, hed_frame frame);
hed_status hp_strand_push(PyObject *strand, hed_frame *frame);   /* on any thread, without the interpreter's lock */
extern int hp_waiting;   /* references to drop: see hp_drop_later */

/* Push what `with heddle.backend(..)' chose. *STRAND is NULL when nothing was, and there is then nothing to pop. */
static inline bool hp_push(PyObject **strand, hed_frame *frame)
{
  *strand = NULL;
  return !__atomic_load_n(&hp.used, __ATOMIC_RELAXED) || hp_push_chosen(strand, frame);
}

static inline void hp_pop(PyObject **strand, hed_frame *frame)
{
  if (*strand)
    hp_pop_chosen(*strand, *frame);
  if (__atomic_load_n(&hp_waiting, __ATOMIC_RELAXED))
    hp_drop_now();
}

enum { HP_WORTH_BYTES = 32 << 10 };   /* what moves fewer keeps the interpreter's lock */

/* The lock given away for work on so many BYTES, or on what WAITS for a device; and taken back. */
static inline PyThreadState *hp_unlock(size_t bytes, bool waits)
{
  return waits || bytes >= HP_WORTH_BYTES ? PyEval_SaveThread() : NULL;
}

static inline void hp_lock(PyThreadState *state)
{
  if (state)
    PyEval_RestoreThread(state);
}

#endif
