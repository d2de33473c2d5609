// SPDX-License-Identifier: BSD-3-Clause
/* The timeline of a profile as SVG: a band for each thread, slices within others below them.
 *
 * Layer: L5. Slices that are narrower than a third of a point are left out, but for the first in each.
 */
#include "profile.h"
#include <string.h>

enum { WIDTH = 1200, LEFT = 160, ROW = 16, DEEP = 8, GAP = 10, TOP = 30, NARROW = 3 };

static const char *colour(const profile_data *d, const profile_event *e)
{
  static const struct { const char *category, *colour; } list[] = {
    { "context", "#dddddd" }, { "range", "#c9d8ee" }, { "call", "#a8c8a8" }, { "op", "#5b9a5b" }, { "copy", "#d9a441" },
    { "wait", "#b0605a" }, { "thread", "#9a86b8" },
  };
  const char *category = profile_text(d, e->category);
  if (e->fallback)
    return "#d03030";
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (strcmp(list[k].category, category) == 0)
      return list[k].colour;
  return "#888888";
}

static void put_text(FILE *f, const char *text, size_t most)
{
  for (; *text && most; text++, most -= (*text & 0xc0) != 0x80)
    switch (*text) {
    case '<': fputs("&lt;", f); break;
    case '>': fputs("&gt;", f); break;
    case '&': fputs("&amp;", f); break;
    case '"': fputs("&quot;", f); break;
    default:
      if ((unsigned char)*text >= 0x20)
        fputc(*text, f);
    }
}

static void put_slice(FILE *f, const profile_data *d, const profile_event *e, double x, double width, double y)
{
  fprintf(f, "<g><title>");
  put_text(f, profile_text(d, e->name), 200);
  fprintf(f, ", %.3f ms", e->length / 1e3);
  if (e->on) {
    fprintf(f, ", on ");
    put_text(f, profile_text(d, e->on), 60);
  }
  if (e->why) {
    fprintf(f, ": ");
    put_text(f, profile_text(d, e->why), 200);
  }
  fprintf(f, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>", x, y, width, ROW - 1, colour(d, e));
  if (width > 30) {
    fprintf(f, "<text x=\"%.2f\" y=\"%.0f\">", x + 2, y + ROW - 5);
    put_text(f, profile_text(d, e->name), (size_t)(width / 6.5));
    fprintf(f, "</text>");
  }
  fprintf(f, "</g>\n");
}

/* Rows of track K: as deep as its slices are, at most DEEP. */
static int rows_of(const profile_data *d, int32_t k)
{
  int deepest = 0;
  for (size_t i = 0; i < d->n; i++)
    if (d->event[i].track == k && d->event[i].depth + 1 > deepest)
      deepest = d->event[i].depth + 1;
  return deepest < DEEP ? deepest : DEEP;
}

int profile_picture(const profile_data *d, FILE *f)
{
  double first = 0, last = 0, y = TOP;
  int rows = 0, tracks = 0;
  for (size_t k = 0; k < d->n; k++) {
    const profile_event *e = &d->event[k];
    first = k == 0 || e->start < first ? e->start : first;
    last = k == 0 || e->start + e->length > last ? e->start + e->length : last;
  }
  for (int32_t k = 0; k < d->n_tracks; k++) {
    rows += rows_of(d, k);
    tracks += rows_of(d, k) > 0;
  }
  const double scale = last > first ? WIDTH / (last - first) : 0;
  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"10\">\n",
          LEFT + WIDTH + GAP, TOP + rows * ROW + tracks * GAP + GAP);
  fprintf(f, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
  for (int k = 0; k <= 5; k++)
    fprintf(f, "<text x=\"%d\" y=\"16\">%.3f ms</text>\n", LEFT + k * WIDTH / 6, (last - first) * k / 6 / 1e3);
  for (int32_t k = 0; k < d->n_tracks; k++) {
    const int deep = rows_of(d, k);
    double until[DEEP] = { 0 };
    if (!deep)
      continue;
    fprintf(f, "<text x=\"4\" y=\"%.0f\">", y + ROW - 5);
    put_text(f, profile_text(d, d->track[k].name), 24);
    fprintf(f, "</text>\n");
    for (size_t i = 0; i < d->n; i++) {
      const profile_event *e = &d->event[i];
      const double x = LEFT + (e->start - first) * scale, width = e->length * scale;
      if (e->track != k || e->depth >= DEEP || (width < 1.0 / NARROW && x < until[e->depth]))
        continue;
      put_slice(f, d, e, x, width < 1.0 / NARROW ? 1.0 / NARROW : width, y + e->depth * ROW);
      until[e->depth] = x + 1.0 / NARROW;
    }
    y += deep * ROW + GAP;
  }
  fprintf(f, "</svg>\n");
  return ferror(f) ? 1 : 0;
}
