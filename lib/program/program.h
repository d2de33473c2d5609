// SPDX-License-Identifier: BSD-3-Clause
/* A program from inside: its calls, and how they are made again. L3. */
#ifndef HED_PROGRAM_PROGRAM_H
#define HED_PROGRAM_PROGRAM_H

#include "core/record/capture.h"
#include <heddle/program.h>
#include <heddle/reflect.h>

/* What is known of an input. */
typedef struct hed__formal {
  int32_t value;
  bool weak, host;
  uint16_t device;
  hed_view view;            /* its layout */
} hed__formal;

struct hed_program {
  atomic_long refs;
  hed__capture capture;
  char name[64];
  int32_t n, m;
  hed__formal *input;
  int32_t *result;          /* values */
  int32_t *last;            /* of each value: the last call that has it */
  bool writes;              /* arrays that are no inputs: one run at a time */
  bool keep_layout;
  pthread_mutex_t lock;
};

/* Call S, a function, with the operands IN; results OUT: new ones, or the arrays that are written. */
hed_status hed__program_invoke(const hed__called *s, const hed_array *const *in, hed_array **out);
/* Let go of what S's arguments hold. */
void hed__program_forget(const hed__called *s);

#endif
