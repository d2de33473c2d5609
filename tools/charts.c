// SPDX-License-Identifier: BSD-3-Clause
/*
 * charts.c: a histogram of scores and a map of directions.
 *
 * Layer: L5.
 */
#include "charts.h"
#include "canvas.h"
#include "picture_png.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 70, RIGHT = 20, TOP = 40, BOTTOM = 50, BINS = 140 };
enum { PAPER, INK, BAR, LINE, CUT, FAINT };
static const double pi = 3.14159265358979323846;

static hed_status write_out(const char *op, const char *path, canvas *c)
{
  static const uint8_t palette[256][3] = { { 255, 255, 255 }, { 0, 0, 0 }, { 170, 170, 170 }, { 0, 70, 160 }, { 0, 0, 0 },
                                           { 215, 215, 215 } };
  const hed_status status = picture_png_write(op, path, WIDTH, HEIGHT, palette, c->px);
  canvas_free(c);
  return status;
}

/* ---- scores ---- */

typedef struct histogram { double low, high, count[BINS], above; } histogram;

static void count_scores(const float *v, int64_t n, double cutoff, histogram *h)
{
  *h = (histogram){ .low = INFINITY, .high = -INFINITY };
  for (int64_t i = 0; i < n; i++)
    if (isfinite(v[i])) {
      h->low = fmin(h->low, (double)v[i]);
      h->high = fmax(h->high, (double)v[i]);
    }
  h->high = fmax(h->high, cutoff);
  if (!(h->low < h->high))
    h->high = h->low + 1;
  for (int64_t i = 0; i < n; i++) {
    const int bin = (int)(((double)v[i] - h->low) / (h->high - h->low) * BINS);
    if (isfinite(v[i]))
      h->count[bin < BINS ? bin : BINS - 1]++;
    h->above += (double)v[i] > cutoff;
  }
}

/* Row of a count: a decade below 1 at the bottom. */
static int64_t row_of(double count, double decades)
{
  const double share = (log10(fmax(count, 0.1)) + 1) / (decades + 1);
  return HEIGHT - BOTTOM - (int64_t)(fmin(fmax(share, 0), 1) * (HEIGHT - BOTTOM - TOP));
}

static void axes(canvas *c, const histogram *h, double decades)
{
  char text[32];
  for (int d = 0; d <= (int)decades; d++) {
    const int64_t y = row_of(pow(10, d), decades);
    canvas_box(c, LEFT, y, WIDTH - LEFT - RIGHT, 1, FAINT);
    snprintf(text, sizeof text, "1E%d", d);
    canvas_text(c, 8, y - 6, INK, text);
  }
  for (int k = 0; k <= 4; k++) {
    const double s = h->low + (h->high - h->low) * k / 4;
    const int64_t x = LEFT + (WIDTH - LEFT - RIGHT) * k / 4;
    snprintf(text, sizeof text, "%.2g", s);
    canvas_box(c, x, HEIGHT - BOTTOM, 1, 6, INK);
    canvas_text(c, x - canvas_text_width(text) / 2, HEIGHT - BOTTOM + 10, INK, text);
  }
  canvas_box(c, LEFT, HEIGHT - BOTTOM, WIDTH - LEFT - RIGHT, 1, INK);
}

hed_status chart_scores(const char *path, const hed_array *scores, const chart_background *b)
{
  static const char op[] = "chart_scores";
  const double width = (double)(WIDTH - LEFT - RIGHT) / BINS;
  canvas c;
  histogram h;
  char title[96];
  double most = 1;
  hed_status status = canvas_make(op, &c, WIDTH, HEIGHT, PAPER);
  if (status != HED_OK)
    return status;
  count_scores(hed_array_data((hed_array *)scores), hed_array_size(scores), b->cutoff, &h);
  for (int i = 0; i < BINS; i++)
    most = fmax(most, h.count[i]);
  const double decades = ceil(log10(most) + 0.1), bin = (h.high - h.low) / BINS;
  axes(&c, &h, decades);
  for (int i = 0; i < BINS; i++)
    if (h.count[i] > 0)
      canvas_box(&c, LEFT + (int64_t)(i * width), row_of(h.count[i], decades), (int64_t)((i + 1) * width) - (int64_t)(i * width),
                 HEIGHT - BOTTOM - row_of(h.count[i], decades), BAR);
  for (int64_t x = LEFT; x < WIDTH - RIGHT && b->sigma > 0; x++) {
    const double s = h.low + (h.high - h.low) * (double)(x - LEFT) / (WIDTH - LEFT - RIGHT), t = (s - b->mean) / b->sigma;
    const double expected = b->n_scores * bin * exp(-t * t / 2) / (b->sigma * sqrt(2 * pi));
    if (expected > 0.1 && expected < pow(10, decades))
      canvas_box(&c, x, row_of(expected, decades) - 1, 2, 3, LINE);
  }
  const int64_t cut = LEFT + (int64_t)((b->cutoff - h.low) / (h.high - h.low) * (WIDTH - LEFT - RIGHT));
  for (int64_t y = TOP; y < HEIGHT - BOTTOM; y += 8)
    canvas_box(&c, cut, y, 2, 5, CUT);
  snprintf(title, sizeof title, "best scores, cut-off %.3g: %.0f above", b->cutoff, h.above);
  canvas_text(&c, 8, 10, INK, title);
  return write_out(op, path, &c);
}

/* ---- directions ---- */

/* Mollweide: the auxiliary angle by Newton's method. */
static void project(double longitude, double latitude, double *x, double *y)
{
  double t = latitude;
  for (int i = 0; i < 50 && fabs(latitude) < pi / 2 - 1e-9; i++) {
    const double step = (2 * t + sin(2 * t) - pi * sin(latitude)) / (2 + 2 * cos(2 * t));
    t -= step;
    if (fabs(step) < 1e-12)
      break;
  }
  *x = longitude / pi * cos(t);
  *y = sin(t);
}

static void mark(canvas *c, double longitude, double latitude, int64_t size, uint8_t colour)
{
  enum { HALF = 330, UP = 165 };
  double x, y;
  project(longitude, latitude, &x, &y);
  const int64_t column = WIDTH / 2 + (int64_t)floor(x * HALF + 0.5), row = HEIGHT / 2 + 15 - (int64_t)floor(y * UP + 0.5);
  canvas_box(c, column - size / 2, row - size / 2, size, size, colour);
}

hed_status chart_directions(const char *path, const hed_table *t, bool image)
{
  static const char op[] = "chart_directions";
  canvas c;
  char title[64];
  hed_status status = canvas_make(op, &c, WIDTH, HEIGHT, PAPER);
  if (status != HED_OK)
    return status;
  for (int k = -3000; k <= 3000; k++) {
    for (int i = -2; i <= 2; i++)
      mark(&c, pi * k / 3000, pi / 6 * i, 1, FAINT);
    for (int i = -3; i <= 3; i++)
      mark(&c, pi / 3 * i, pi / 2 * k / 3000, i == 3 || i == -3 ? 2 : 1, i == 3 || i == -3 ? INK : FAINT);
  }
  for (size_t i = 0; i < t->n; i++) {
    const double phi = t->row[i].euler[0] * pi / 180, theta = image ? pi / 2 : t->row[i].euler[1] * pi / 180;
    mark(&c, atan2(sin(phi), cos(phi)), pi / 2 - theta, 7, LINE);
  }
  snprintf(title, sizeof title, "axes of %zu particles", t->n);
  canvas_text(&c, 8, 10, INK, title);
  return write_out(op, path, &c);
}
