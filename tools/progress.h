// SPDX-License-Identifier: BSD-3-Clause
/* How far a run has come, on stderr: a bar on a terminal, a line a minute elsewhere, or JSON.
 *
 * Layer: L5. Colour only where NO_COLOR is unset or empty (no-color.org) and TERM is not "dumb".
 */
#ifndef HEDDLE_TOOLS_PROGRESS_H
#define HEDDLE_TOOLS_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>

typedef enum progress_kind { PROGRESS_AUTO, PROGRESS_OFF, PROGRESS_JSON /* a line a second */ } progress_kind;

typedef struct progress {
  progress_kind kind;
  bool bar, colour;
  const char *what; /* "rotations" */
  double start, last; /* seconds; LAST: of what was written */
  size_t first;     /* done before the first look: by an earlier run */
  bool drawn, looked;
} progress;

void progress_open(progress *p, const char *what, progress_kind kind);
void progress_update(progress *p, size_t done, size_t total);
/* Ends the line. */
void progress_close(progress *p);

/* "1:02:03", "2:03" */
const char *progress_duration(double seconds, char text[24]);

/* Whether stdout may be coloured. */
bool colour_on_stdout(void);

#endif
