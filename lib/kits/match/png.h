// SPDX-License-Identifier: BSD-3-Clause
/*
 * png.h: writing a palette picture as PNG.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_PNG_H
#define HEDDLE_KITS_MATCH_PNG_H
#include <heddle.h>

/* width x height indices into a palette of 256 RGB colours, rows from top to bottom. */
hed_status hed__png_write(const char *op, const char *path, uint32_t width, uint32_t height,
                          const uint8_t palette[256][3], const uint8_t *pixels);

#endif
