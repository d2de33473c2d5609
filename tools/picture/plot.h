// SPDX-License-Identifier: BSD-3-Clause
/* What pictures are made of: text, lines, circles, images of greys, frames with axes, legends.
 *
 * Layer: L5. A sheet is written when plot_end() is called: as PNG, SVG or PDF by the ending of its name, and appears complete or
 * not at all. All places are in pixels (points of SVG and PDF) from the upper left corner. Colours differ in brightness, and
 * what they tell apart is told by a dash or a cross as well: legible in grey and for the colour-blind.
 */
#ifndef HEDDLE_TOOLS_PICTURE_PLOT_H
#define HEDDLE_TOOLS_PICTURE_PLOT_H
#include <heddle.h>

typedef struct plot {
  const char *op, *path;
  double width, height;
  hed_file *file;
  void *surface, *context; /* Cairo's */
} plot;

typedef enum plot_colour {
  PLOT_WHITE, PLOT_BLACK, PLOT_GREY, PLOT_FAINT, PLOT_STRIP, PLOT_PAPER, /* on dark strips: PAPER */
  PLOT_BLUE, PLOT_VERMILION, PLOT_SKY, PLOT_ORANGE, PLOT_RED
} plot_colour;

typedef enum plot_line { PLOT_SOLID, PLOT_DASHED, PLOT_DOTTED, PLOT_CROSSED } plot_line; /* crossed: of circles */

enum { PLOT_SIZE = 13 }; /* of letters */

/* Whether this build can write pictures: it was built with Cairo. */
bool plot_available(void);

/* Does the name end in .png, .svg or .pdf? */
bool plot_ending(const char *path);

/* OP begins sentences of failures. HED_E_INVAL: the name has another ending; HED_E_UNSUPPORTED without Cairo;
 * HED_E_IO, HED_E_NOMEM. After HED_OK plot_end() is due: with STATUS other than HED_OK nothing is written. Returns STATUS or
 * what failed. */
hed_status plot_begin(plot *p, const char *op, const char *path, double width, double height, plot_colour paper);
hed_status plot_end(plot *p, hed_status status);

/* One line of UTF-8 whose point (ACROSS, DOWN), from 0 to 1 within its box, is at (x, y). */
void plot_text(plot *p, double x, double y, double across, double down, double size, plot_colour colour, const char *s);
/* The same from the left, in letters as small as WIDTH wants. */
void plot_text_within(plot *p, double x, double y, double width, plot_colour colour, const char *s);
/* On a dark plate, readable on any image; (x, y) is its upper left corner. */
void plot_label(plot *p, double x, double y, plot_colour colour, const char *s);
double plot_text_width(plot *p, double size, const char *s);

void plot_box(plot *p, double x, double y, double width, double height, plot_colour colour);
void plot_segment(plot *p, double x0, double y0, double x1, double y1, double thick, plot_line line, plot_colour colour);
/* A circle with a dark seam, within the rows from TOP to BOTTOM. */
void plot_ring(plot *p, double x, double y, double r, plot_line line, plot_colour colour, double top, double bottom);
void plot_dot(plot *p, double x, double y, double r, plot_colour colour);
/* NX x NY greys in C order, each ZOOM_X x ZOOM_Y pixels and nothing in between. HED_E_NOMEM. */
hed_status plot_greys(plot *p, double x, double y, int64_t nx, int64_t ny, double zoom_x, double zoom_y, const uint8_t *greys);
/* The same of colours, 0xrrggbb. */
hed_status plot_colours(plot *p, double x, double y, int64_t nx, int64_t ny, double zoom_x, double zoom_y, const uint32_t *rgb);

/* A frame of X to X + WIDTH, Y to Y + HEIGHT with ticks at round numbers; room for them and the titles is the caller's. Of a
 * logarithmic axis these are decades, below two of them 1, 2 and 5 in each. */
typedef struct plot_frame {
  double x, y, width, height;
  double x_low, x_high, y_low, y_high; /* Y from below, Y_LOW may be the larger; of a logarithmic axis: decimal logarithms */
  bool y_log, x_whole; /* X_WHOLE: ticks at whole numbers alone */
  plot_colour ink, grid;
  const char *title, *x_title, *y_title; /* NULL: none */
} plot_frame;
void plot_axes(plot *p, const plot_frame *f);
double plot_x(const plot_frame *f, double x);
double plot_y(const plot_frame *f, double y);
void plot_curve(plot *p, const plot_frame *f, int64_t n, const double *x, const double *y, plot_line line, plot_colour colour);

/* A line and a name for each, in a row that ends at (right, y). */
typedef struct plot_entry {
  const char *name;
  plot_colour colour;
  plot_line line;
  bool ring, bar; /* a circle or a box in place of the line */
} plot_entry;
void plot_legend(plot *p, double right, double y, int n, const plot_entry *entries, plot_colour ink);

/* The largest of 1, 2, 5 times a power of ten that is at most MOST > 0. */
double plot_round(double most);

#endif
