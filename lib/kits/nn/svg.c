// SPDX-License-Identifier: BSD-3-Clause
/* Pictures of lines, circles and words.
 *
 * Layer: L4, nn kit. Failures are kept by the file, and seen when it is closed.
 */
#include "kits/nn/svg.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool hed__nn_ends(const char *path, const char *end)
{
  const size_t n = strlen(path), m = strlen(end);
  return n > m && strcmp(path + n - m, end) == 0;
}

const char *hed__nn_number(double x, char text[32])
{
  (void)snprintf(text, 32, "%.6g", isnan(x) ? (double)NAN : x); /* without a sign */
  char *comma = strchr(text, ',');
  if (comma)
    *comma = '.';
  return text;
}

/* Places are whole hundredths: no locale writes these otherwise. */
static void place(hed_file *f, const char *name, double x)
{
  const long long n = llround(x * 100);
  (void)hed_file_print(f, " %s=\"%s%lld.%02lld\"", name, n < 0 ? "-" : "", (n < 0 ? -n : n) / 100, (n < 0 ? -n : n) % 100);
}

void hed__svg_begin(hed_file *f, int width, int height)
{
  (void)hed_file_print(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                       "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                       width, height, width, height, width, height);
}

void hed__svg_end(hed_file *f) { (void)hed_file_print(f, "</svg>\n"); }

void hed__svg_line(hed_file *f, double x0, double y0, double x1, double y1, const char *colour, const char *dashes)
{
  (void)hed_file_print(f, "<line");
  place(f, "x1", x0);
  place(f, "y1", y0);
  place(f, "x2", x1);
  place(f, "y2", y1);
  (void)hed_file_print(f, " stroke=\"%s\"%s%s%s/>\n", colour, dashes ? " stroke-dasharray=\"" : "", dashes ? dashes : "",
                       dashes ? "\"" : "");
}

void hed__svg_circle(hed_file *f, double x, double y, double radius, const char *fill, const char *colour)
{
  (void)hed_file_print(f, "<circle");
  place(f, "cx", x);
  place(f, "cy", y);
  place(f, "r", radius);
  (void)hed_file_print(f, " fill=\"%s\" stroke=\"%s\"/>\n", fill, colour);
}

void hed__svg_text(hed_file *f, double x, double y, const char *anchor, const char *words)
{
  (void)hed_file_print(f, "<text");
  place(f, "x", x);
  place(f, "y", y);
  (void)hed_file_print(f, " text-anchor=\"%s\">%s</text>\n", anchor, words);
}
