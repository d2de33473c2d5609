// SPDX-License-Identifier: BSD-3-Clause
/* What the picture of `heddle decompose` is put together from: curves, stems, clouds and maps in frames.
 *
 * Layer: L5. Frames are PANEL_HIGH high; room around them is the caller's.
 */
#ifndef HEDDLE_TOOLS_DECOMPOSE_PANELS_H
#define HEDDLE_TOOLS_DECOMPOSE_PANELS_H
#include "job.h"
#include "tools/picture/plot.h"

enum { PANEL_HIGH = 150 };

/* Where values stand along: those of AXIS, joined where they rise or fall; without any FIRST, FIRST + 1, .. */
typedef struct panel {
  double x, y, width;
  const char *title, *x_title, *y_title;
  const decompose_axis *axis; /* NULL: none */
  double first;
  double low, high;    /* of the values, where these differ; else their own range, from 0 where none is negative          */
  bool free;           /* their own range alone                                                                           */
  bool stems, y_log;   /* STEMS: from 0 up to each of few values; Y_LOG: values are positive                              */
  int64_t marked;      /* the value with a ring; -1: none                                                                 */
  double line;         /* a dashed line across, where it is in the range                                                  */
} panel;

/* COUNT curves, of N[i] values each, one behind another in V. */
hed_status panel_curves(plot *p, const panel *in, int count, const int64_t *n, const double *v);
/* Values X and Y of N slices as dots, the farthest out with their numbers. */
void panel_cloud(plot *p, const panel *in, int64_t n, const double *x, const double *y);

/* Columns along an axis, (n, r). */
typedef struct panel_side {
  const decompose_axis *axis;
  const double *v;
  int64_t n, r;
} panel_side;

/* Filled levels of DOWN G ACROSS^T, G (down.r, across.r), with lines between them and a bar of the levels on the right. Both sides
 * have two values or more. HED_E_NOMEM. */
hed_status panel_map(plot *p, const panel *in, const panel_side *down, const panel_side *across, const double *g);

#endif
