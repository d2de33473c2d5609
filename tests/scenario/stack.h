// SPDX-License-Identifier: BSD-3-Clause
/* Leaving threads with frames open, compiled twice: with and without -fexceptions. L5. */
#ifndef HED_TESTS_SCENARIO_STACK_H
#define HED_TESTS_SCENARIO_STACK_H

#include "scenario.h"

typedef enum leaving { BY_RETURN, BY_EXIT, BY_CANCEL } leaving;

typedef struct leaver {
  leaving how;
  bool blocks;          /* frames by HED_CONTEXT, else by plain pushes */
  hed_context *context;
} leaver;

/* Start routines that open five frames and end as the leaver says. */
void *leave_with_exceptions(void *leaver);
void *leave_without_exceptions(void *leaver);

#endif
