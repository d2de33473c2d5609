// SPDX-License-Identifier: BSD-3-Clause
/* A component over two modes as filled levels.
 *
 * Layer: L5. Columns are looked at where the map has its pixels, so that its memory does not grow with the tensor's.
 */
#include "panels.h"
#include <math.h>
#include <stdlib.h>

enum { BAR = 14, BESIDE = 14, CELL = 2, BANDS = 5 }; /* CELL: pixels between points of lines; BANDS: at least, up to the largest */

static bool along_values(const panel_side *s) { return s->axis && s->axis->value && s->axis->direction != 0; }

/* Place of value I, in rising order. */
static double place(const panel_side *s, int64_t i)
{
  return !along_values(s) ? (double)i : s->axis->value[s->axis->direction > 0 ? i : s->n - 1 - i] - s->axis->origin;
}

static const double *row(const panel_side *s, int64_t i)
{
  return s->v + s->r * (along_values(s) && s->axis->direction < 0 ? s->n - 1 - i : i);
}

/* S's columns at N pixels from its lowest to its highest place, (n, r): between two values on a line; where a pixel has several,
 * the one farthest from 0, so that no narrow peak is lost. From malloc(). */
static double *sample(const panel_side *s, int64_t n)
{
  const double low = place(s, 0), high = place(s, s->n - 1), wide = (high - low) / (double)n;
  double *out = malloc((size_t)(n * s->r) * sizeof *out);
  int64_t at = 0; /* the last value that is not above the pixel's middle */
  for (int64_t i = 0; out && i < n; i++) {
    const double from = low + wide * (double)i, middle = from + wide / 2;
    while (at + 2 < s->n && place(s, at + 1) <= middle)
      at++;
    const double t = (middle - place(s, at)) / (place(s, at + 1) - place(s, at));
    int64_t first = at + 1, last = at; /* those within the pixel */
    while (first > 0 && place(s, first - 1) >= from)
      first--;
    while (last + 1 < s->n && place(s, last + 1) < from + wide)
      last++;
    for (int64_t r = 0; r < s->r; r++) {
      double v = row(s, at)[r] * (1 - t) + row(s, at + 1)[r] * t;
      for (int64_t k = first; k <= last && last > first; k++)
        v = k == first || fabs(row(s, k)[r]) > fabs(v) ? row(s, k)[r] : v;
      out[i * s->r + r] = v;
    }
  }
  return out;
}

/* DOWN G ACROSS^T at the pixels, the lowest place of DOWN at the bottom. From malloc(). */
static double *values_of(const panel_side *down, const panel_side *across, const double *g, int64_t ny, int64_t nx)
{
  double *d = sample(down, ny), *a = sample(across, nx), *out = malloc((size_t)(ny * nx) * sizeof *out);
  double *part = malloc((size_t)across->r * sizeof *part);
  const bool failed = !d || !a || !out || !part;
  for (int64_t i = 0; i < ny && !failed; i++) {
    for (int64_t s = 0; s < across->r; s++) {
      part[s] = 0;
      for (int64_t r = 0; r < down->r; r++)
        part[s] += d[(ny - 1 - i) * down->r + r] * g[r * across->r + s];
    }
    for (int64_t k = 0; k < nx; k++) {
      double sum = 0;
      for (int64_t s = 0; s < across->r; s++)
        sum += part[s] * a[k * across->r + s];
      out[i * nx + k] = isfinite(sum) ? sum : 0;
    }
  }
  free(d);
  free(a);
  free(part);
  if (!failed)
    return out;
  free(out);
  return NULL;
}

/* Of band B, from B to B + 1 times STEP: those beside 0 are white, then to dark blue, below 0 to dark red, at FAR. */
static uint32_t colour_of(double b, double step, double far_end)
{
  const double t = b < -1.5 ? (b + .5) * step / far_end : b > .5 ? (b + .5) * step / far_end : 0;
  static const double stops[2][4][3] = { { { 255, 255, 255 }, { 250, 178, 120 }, { 205, 84, 10 }, { 90, 25, 0 } },
                                         { { 255, 255, 255 }, { 140, 205, 240 }, { 0, 114, 178 }, { 0, 30, 80 } } };
  const double far = fmin(fabs(t), 1) * 3;
  const int k = far < 2 ? (int)far : 2;
  uint32_t all = 0;
  for (int c = 0; c < 3; c++) {
    const double *from = stops[t > 0][k], *to = stops[t > 0][k + 1];
    all = all << 8 | (uint32_t)lround(from[c] + (to[c] - from[c]) * (far - k));
  }
  return all;
}

/* The lines where V, NY x NX points CELL apart, crosses LEVEL; BROKEN: in parts. */
static void draw_lines(plot *p, const plot_frame *f, const double *v, int64_t ny, int64_t nx, double level, bool broken)
{
  for (int64_t i = 0; i + CELL < ny; i += CELL)
    for (int64_t k = 0; k + CELL < nx; k += CELL) {
      const int64_t corner[5][2] = { { i, k }, { i, k + CELL }, { i + CELL, k + CELL }, { i + CELL, k }, { i, k } };
      double x[4], y[4];
      int n = 0;
      for (int side = 0; side < 4; side++) {
        const int64_t *a = corner[side], *b = corner[side + 1];
        const double u = v[a[0] * nx + a[1]] - level, w = v[b[0] * nx + b[1]] - level;
        if ((u < 0) == (w < 0))
          continue;
        const double t = u / (u - w);
        x[n] = f->x + (double)a[1] + (double)(b[1] - a[1]) * t + .5;
        y[n++] = f->y + (double)a[0] + (double)(b[0] - a[0]) * t + .5;
      }
      for (int s = 0; s + 1 < n && !(broken && (i + k) / CELL % 4 > 1); s += 2)
        plot_segment(p, x[s], y[s], x[s + 1], y[s + 1], .7, PLOT_SOLID, PLOT_BLACK);
    }
}

static void outline(plot *p, double x, double y, double width, double height)
{
  for (int side = 0; side < 2; side++) {
    plot_segment(p, x, y + side * height, x + width, y + side * height, 1, PLOT_SOLID, PLOT_BLACK);
    plot_segment(p, x + side * width, y, x + side * width, y + height, 1, PLOT_SOLID, PLOT_BLACK);
  }
}

/* Each pixel has the colour that its value has in the map. */
static hed_status draw_bar(plot *p, const plot_frame *f, double step, double far)
{
  const int64_t low = (int64_t)floor(f->y_low / step + 1e-9), high = (int64_t)ceil(f->y_high / step - 1e-9);
  const double x = f->x + f->width + BESIDE;
  uint32_t rgb[PANEL_HIGH * BAR];
  char text[32];
  for (int i = 0; i < PANEL_HIGH * BAR; i++) {
    const double v = f->y_high - (f->y_high - f->y_low) * (i / BAR + .5) / PANEL_HIGH;
    rgb[i] = colour_of(floor(v / step), step, far);
  }
  const hed_status status = plot_colours(p, x, f->y, BAR, PANEL_HIGH, 1, 1, rgb);
  outline(p, x, f->y, BAR, f->height);
  const int64_t every = (int64_t)ceil(16 / (f->height * step / (f->y_high - f->y_low)));
  for (int64_t b = low; b <= high; b++) {
    const double at = (double)b * step;
    if (b % every || at > f->y_high * (1 + 1e-9) || at < f->y_low)
      continue;
    snprintf(text, sizeof text, "%.4g", at);
    plot_text(p, x + BAR + 4, plot_y(f, at), 0, .5, PLOT_SIZE - 1, PLOT_BLACK, text);
  }
  return status;
}

hed_status panel_map(plot *p, const panel *in, const panel_side *down, const panel_side *across, const double *g)
{
  const int64_t nx = (int64_t)in->width, ny = PANEL_HIGH;
  double *v = values_of(down, across, g, ny, nx), low = 0, high = 0;
  uint32_t *rgb = v ? malloc((size_t)(ny * nx) * sizeof *rgb) : NULL;
  hed_status status = rgb ? HED_OK : hed_fail(HED_E_NOMEM, "decompose: no memory for a map");
  for (int64_t i = 0; rgb && i < ny * nx; i++) {
    low = fmin(low, v[i]);
    high = fmax(high, v[i]);
  }
  if (low == 0 && high == 0)
    high = 1;
  const double far = fmax(-low, high), step = plot_round(far / BANDS);
  for (int64_t i = 0; rgb && i < ny * nx; i++)
    rgb[i] = colour_of(floor(v[i] / step), step, far);
  if (rgb)
    status = plot_colours(p, in->x, in->y, nx, ny, 1, 1, rgb);
  if (status == HED_OK) {
    plot_frame f = { .x = in->x, .y = in->y, .width = in->width, .height = PANEL_HIGH, .x_low = place(across, 0),
                     .x_high = place(across, across->n - 1), .y_low = place(down, 0), .y_high = place(down, down->n - 1),
                     .x_whole = !along_values(across), .ink = PLOT_BLACK, .grid = PLOT_BLACK, .title = in->title,
                     .x_title = in->x_title, .y_title = in->y_title };
    for (int64_t b = (int64_t)floor(low / step); (double)b * step < high; b++)
      if (b != 0)
        draw_lines(p, &f, v, ny, nx, (double)b * step, b < 0);
    plot_axes(p, &f);
    outline(p, f.x, f.y, f.width, f.height);
    f.y_low = low;
    f.y_high = high;
    status = draw_bar(p, &f, step, far);
  }
  free(v);
  free(rgb);
  return status;
}
