// SPDX-License-Identifier: BSD-3-Clause
/*
 * canvas.c: dots, boxes, lines and letters.
 *
 * Layer: L5.
 */
#include "canvas.h"
#include "font.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

hed_status canvas_make(const char *op, canvas *c, int64_t width, int64_t height, uint8_t colour)
{
  *c = (canvas){ width, height, malloc((size_t)(width * height)) };
  if (!c->px)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a picture of %" PRId64 " x %" PRId64, op, width, height);
  memset(c->px, colour, (size_t)(width * height));
  return HED_OK;
}

void canvas_free(canvas *c)
{
  free(c->px);
  c->px = NULL;
}

void canvas_dot(canvas *c, int64_t x, int64_t y, uint8_t colour)
{
  if (x >= 0 && x < c->width && y >= 0 && y < c->height)
    c->px[y * c->width + x] = colour;
}

void canvas_box(canvas *c, int64_t x, int64_t y, int64_t width, int64_t height, uint8_t colour)
{
  for (int64_t i = 0; i < height; i++)
    for (int64_t j = 0; j < width; j++)
      canvas_dot(c, x + j, y + i, colour);
}

void canvas_line(canvas *c, double x0, double y0, double x1, double y1, uint8_t colour)
{
  const double steps = ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
  for (double k = 0; k <= steps; k++) {
    const double t = steps > 0 ? k / steps : 0;
    canvas_box(c, (int64_t)(x0 + t * (x1 - x0)), (int64_t)(y0 + t * (y1 - y0)), 2, 2, colour);
  }
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

double canvas_round(double most)
{
  const double power = pow(10, floor(log10(most)));
  return 5 * power <= most ? 5 * power : 2 * power <= most ? 2 * power : power;
}
