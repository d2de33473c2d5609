// SPDX-License-Identifier: BSD-3-Clause
/*
 * progress.h: a bar on stderr, on a terminal only.
 *
 * Layer: L5. Colour only where NO_COLOR is unset or empty (no-color.org) and TERM is not "dumb".
 */
#ifndef HEDDLE_TOOLS_PROGRESS_H
#define HEDDLE_TOOLS_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
  bool on, colour;
  const char *what; /* "rotations" */
  double start;
  bool drawn;
} progress;

void progress_open(progress *p, const char *what, bool quiet);
void progress_update(progress *p, size_t done, size_t total);
/* Ends the line. */
void progress_close(progress *p);

/* Whether stdout may be coloured. */
bool colour_on_stdout(void);

#endif
