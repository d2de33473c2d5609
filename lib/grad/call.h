// SPDX-License-Identifier: BSD-3-Clause
/* What the wrappers of lib/grad/calls.c do when the thread records or captures. L3.
 *
 * In the order of a wrapper: begin, the operands, the arrays that are written, runs, the body, made, captured, the results,
 * followed, note, end. The body runs without recording, but for operations that are made of others (PARTS).
 */
#ifndef HED_GRAD_CALL_H
#define HED_GRAD_CALL_H

#include "core/record/capture.h"

enum { HED__CALL_ARRAYS = 12 };

typedef struct hed__call {
  hed__tls *t;
  hed__note note;
  const hed_array **in;    /* IN_, or memory where that does not do */
  hed_array **out;
  int32_t cap_in, cap_out;
  bool failed;             /* there was no memory */
  uint8_t was, captures;   /* whether the thread records, captures */
  uint64_t start;          /* for a profile; 0: there is none, or nothing to tell */
  const hed_array *in_[HED__CALL_ARRAYS];
  hed_array *out_[HED__CALL_ARRAYS];
} hed__call;

void hed__call_begin(hed__call *c, int op, int form);
void hed__call_in(hed__call *c, const hed_array *x);
/* X is written. False, and the call is over: it must not be. */
bool hed__call_writes(hed__call *c, hed_array *x);
/* The body runs. */
void hed__call_runs(hed__call *c);
/* The body has run. False, and the call is over: it failed. */
bool hed__call_made(hed__call *c, bool good);
/* Function NUMBER of <heddle/reflect.h> has run with the arguments at ARGUMENT, and has returned MADE, where it returns an array. */
void hed__call_captured(hed__call *c, int number, const void *const *argument, hed_array *made);
void hed__call_out(hed__call *c, hed_array *y);
/* Is there something to note? */
bool hed__call_followed(hed__call *c);
/* SIZE bytes at P, to be kept with the note; NULL for NULL. */
void *hed__call_copy(hed__call *c, const void *p, size_t size);
void hed__call_note(hed__call *c, const void *args, size_t size);
void hed__call_end(hed__call *c);

#endif
