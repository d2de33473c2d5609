// SPDX-License-Identifier: BSD-3-Clause
/*
 * canvas.h: a rectangle of palette indices to draw on.
 *
 * Layer: L5. Nothing is drawn outside.
 */
#ifndef HEDDLE_TOOLS_CANVAS_H
#define HEDDLE_TOOLS_CANVAS_H
#include <heddle.h>

enum { CANVAS_TEXT = 2 }; /* pixels of a letter's dot */

typedef struct canvas {
  int64_t width, height;
  uint8_t *px;
} canvas;

/* All of one colour; HED_E_NOMEM, its sentence begins with OP. canvas_free() releases it. */
hed_status canvas_make(const char *op, canvas *c, int64_t width, int64_t height, uint8_t colour);
void canvas_free(canvas *c);

void canvas_dot(canvas *c, int64_t x, int64_t y, uint8_t colour);
void canvas_box(canvas *c, int64_t x, int64_t y, int64_t width, int64_t height, uint8_t colour);
/* Straight, two pixels wide. */
void canvas_line(canvas *c, double x0, double y0, double x1, double y1, uint8_t colour);
/* One line of ASCII (font.h), its upper left corner at (x, y). */
void canvas_text(canvas *c, int64_t x, int64_t y, uint8_t colour, const char *s);
int64_t canvas_text_width(const char *s);

/* The largest of 1, 2, 5 times a power of ten that is at most MOST > 0. */
double canvas_round(double most);

#endif
