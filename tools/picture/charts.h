// SPDX-License-Identifier: BSD-3-Clause
/* Pictures of what a search found: its scores, and where particles point.
 *
 * Layer: L5. Errors as picture.h's. By plot.h.
 */
#ifndef HEDDLE_TOOLS_PICTURE_CHARTS_H
#define HEDDLE_TOOLS_PICTURE_CHARTS_H
#include <heddle.h>
#include <heddle/kits/table.h>

typedef struct chart_background { double mean, sigma, n_scores, cutoff; } chart_background;

/* Histogram of SCORES (float32, host), counts on a logarithmic axis; as a line what N_SCORES normal scores of the background would
 * give, and the cut-off with the number above it. */
hed_status chart_scores(const char *path, const hed_array *scores, const chart_background *b);

/* Directions of the particles' z axes, on Mollweide's equal-area map: z up, x in the middle. Of an image's particles their
   angles, along
 * the equator. */
hed_status chart_directions(const char *path, const hed_table *t, bool image);

#endif
