// SPDX-License-Identifier: BSD-3-Clause
/*
 * canvas.c: dots and letters.
 *
 * Layer: L5.
 */
#include "canvas.h"
#include <string.h>

void canvas_dot(canvas *c, int64_t x, int64_t y, uint8_t colour)
{
  if (x >= 0 && x < c->width && y >= 0 && y < c->height)
    c->px[y * c->width + x] = colour;
}

void canvas_text(canvas *c, int64_t x, int64_t y, uint8_t colour, const char *s)
{
  for (; *s; s++, x += FONT_STEP * CANVAS_TEXT) {
    const uint8_t *rows = font_glyph(*s);
    for (int64_t i = 0; i < FONT_HEIGHT * CANVAS_TEXT; i++)
      for (int64_t j = 0; j < FONT_WIDTH * CANVAS_TEXT; j++)
        if (rows[i / CANVAS_TEXT] >> (FONT_WIDTH - 1 - j / CANVAS_TEXT) & 1)
          canvas_dot(c, x + j, y + i, colour);
  }
}

int64_t canvas_text_width(const char *s)
{
  return (int64_t)strlen(s) * FONT_STEP * CANVAS_TEXT - CANVAS_TEXT;
}
