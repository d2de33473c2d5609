// SPDX-License-Identifier: BSD-3-Clause
/*
 * font.h: letters of 5 x 7 dots for pictures.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_FONT_H
#define HEDDLE_KITS_MATCH_FONT_H
#include <stdint.h>

enum { HED__FONT_WIDTH = 5, HED__FONT_HEIGHT = 7, HED__FONT_STEP = 6 };
#define HED__FONT_ANGSTROM "\x01"

/* Seven rows from the top; bit 4 is the leftmost dot. Small letters look like capitals;
 * what the font lacks looks like a box. */
const uint8_t *hed__font_glyph(char c);

#endif
