// SPDX-License-Identifier: BSD-3-Clause
/*
 * picture_png.h: a palette picture as a PNG file.
 *
 * Layer: L5. The one place that knows libpng.
 */
#ifndef HEDDLE_TOOLS_PICTURE_PNG_H
#define HEDDLE_TOOLS_PICTURE_PNG_H
#include <heddle.h>

/* width x height indices into a palette of 256 RGB colours, rows from top to bottom. `op` is
 * the function that messages name. The file appears complete or not at all. HED_E_IO,
 * HED_E_NOMEM; HED_E_UNSUPPORTED in a build without libpng. */
hed_status picture_png_write(const char *op, const char *path, uint32_t width, uint32_t height,
                             const uint8_t palette[256][3], const uint8_t *pixels);

#endif
