// SPDX-License-Identifier: BSD-3-Clause
/*
 * canvas.h: pictures of palette indices: dots, lines, letters.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_CANVAS_H
#define HEDDLE_TOOLS_CANVAS_H
#include "font.h"

enum { CANVAS_TEXT = 2 }; /* pixels a dot of a letter is wide */

typedef struct canvas {
  int64_t width, height;
  int64_t top, bottom; /* rows of what is shown: top <= y < bottom */
  int64_t zoom;
  uint8_t *px;
} canvas;

/* What lies outside is left out. */
void canvas_dot(canvas *c, int64_t x, int64_t y, uint8_t colour);
void canvas_line(canvas *c, double x1, double y1, double x2, double y2, uint8_t colour);
void canvas_text(canvas *c, int64_t x, int64_t y, uint8_t colour, const char *s);
int64_t canvas_text_width(const char *s);

#endif
