// SPDX-License-Identifier: BSD-3-Clause
/* Pictures of lines, circles and words. Layer: L4, nn kit. Numbers are written with a point in every locale. */
#ifndef HED_KITS_NN_SVG_H
#define HED_KITS_NN_SVG_H
#include <heddle/io.h>

/* Does PATH end in END, ".svg"? */
bool hed__nn_ends(const char *path, const char *end);
/* X with at most 6 digits, NaN and infinities as well, into a text of 32 bytes. */
const char *hed__nn_number(double x, char text[32]);

void hed__svg_begin(hed_file *f, int width, int height);
void hed__svg_end(hed_file *f);
void hed__svg_line(hed_file *f, double x0, double y0, double x1, double y1, const char *colour, const char *dashes);
void hed__svg_circle(hed_file *f, double x, double y, double radius, const char *fill, const char *colour);
/* WORDS without <, > and &; ANCHOR: "start", "middle", "end". */
void hed__svg_text(hed_file *f, double x, double y, const char *anchor, const char *words);

#endif
