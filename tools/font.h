// SPDX-License-Identifier: BSD-3-Clause
/*
 * font.h: letters of 5 x 7 dots for pictures.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_FONT_H
#define HEDDLE_TOOLS_FONT_H
#include <stdint.h>

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7, FONT_STEP = 6 };
#define FONT_ANGSTROM "\x01"

/* Seven rows from the top; bit 4 is the leftmost dot. Small letters look like capitals;
 * what the font lacks looks like a box. */
const uint8_t *font_glyph(char c);

#endif
