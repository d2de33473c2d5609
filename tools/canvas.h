// SPDX-License-Identifier: BSD-3-Clause
/*
 * canvas.h: a picture in memory, an index into a palette for each pixel, with letters on it.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_CANVAS_H
#define HEDDLE_TOOLS_CANVAS_H
#include "font.h"
#include <stdint.h>

enum { CANVAS_TEXT = 2 }; /* pixels of a dot of a letter */

typedef struct canvas {
  int64_t width, height;
  int64_t top, bottom; /* rows between the strips: top <= y < bottom */
  int64_t zoom;        /* pixels of a voxel                          */
  uint8_t *px;
} canvas;

/* What lies outside is not drawn. */
void canvas_dot(canvas *c, int64_t x, int64_t y, uint8_t colour);
void canvas_text(canvas *c, int64_t x, int64_t y, uint8_t colour, const char *s);
int64_t canvas_text_width(const char *s);

#endif
