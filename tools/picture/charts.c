// SPDX-License-Identifier: BSD-3-Clause
/* A histogram of scores and a map of directions.
 *
 * Layer: L5.
 */
#include "charts.h"
#include "plot.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 86, RIGHT = 20, TOP = 40, BOTTOM = 56, BINS = 140, CURVE = 512 };
static const double pi = 3.14159265358979323846;

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

/* What N_SCORES normal scores of the background would give in bins as wide as these. */
static void draw_background(plot *p, const plot_frame *f, const histogram *h, const chart_background *b)
{
  double x[CURVE], y[CURVE];
  for (int i = 0; i < CURVE; i++) {
    x[i] = h->low + (h->high - h->low) * i / (CURVE - 1);
    const double t = (x[i] - b->mean) / b->sigma;
    y[i] = log10(b->n_scores * (h->high - h->low) / BINS / (b->sigma * sqrt(2 * pi))) - t * t / 2 / log(10);
  }
  plot_curve(p, f, CURVE, x, y, PLOT_SOLID, PLOT_BLUE);
}

hed_status chart_scores(const char *path, const hed_array *scores, const chart_background *b)
{
  static const char op[] = "match";
  histogram h;
  char title[96];
  double most = 1;
  plot p;
  hed_status status = plot_begin(&p, op, path, WIDTH, HEIGHT, PLOT_WHITE);
  if (status != HED_OK)
    return status;
  count_scores(hed_array_data((hed_array *)scores), hed_array_size(scores), b->cutoff, &h);
  for (int i = 0; i < BINS; i++)
    most = fmax(most, h.count[i]);
  const plot_frame f = { .x = LEFT, .y = TOP, .width = WIDTH - LEFT - RIGHT, .height = HEIGHT - TOP - BOTTOM, .x_low = h.low,
                         .x_high = h.high, .y_low = -1, .y_high = ceil(log10(most) + 0.1), .y_log = true, .ink = PLOT_BLACK,
                         .grid = PLOT_FAINT, .x_title = "score of a voxel, the best of all rotations", .y_title = "voxels" };
  plot_axes(&p, &f);
  for (int i = 0; i < BINS; i++)
    if (h.count[i] > 0) {
      const double from = plot_x(&f, h.low + (h.high - h.low) * i / BINS), to = plot_x(&f, h.low + (h.high - h.low) * (i + 1) / BINS);
      plot_box(&p, from, plot_y(&f, log10(h.count[i])), to - from, f.y + f.height - plot_y(&f, log10(h.count[i])), PLOT_GREY);
    }
  if (b->sigma > 0)
    draw_background(&p, &f, &h, b);
  plot_segment(&p, plot_x(&f, b->cutoff), TOP, plot_x(&f, b->cutoff), TOP + f.height, 2, PLOT_DASHED, PLOT_BLACK);
  snprintf(title, sizeof title, "cut-off %.3g: %.0f voxels above", b->cutoff, h.above);
  const plot_entry entries[] = { { .name = "scores", .colour = PLOT_GREY, .bar = true },
                                 { .name = "of background alone", .colour = PLOT_BLUE },
                                 { .name = title, .colour = PLOT_BLACK, .line = PLOT_DASHED } };
  plot_legend(&p, WIDTH - RIGHT, TOP / 2, 3, entries, PLOT_BLACK);
  return plot_end(&p, status);
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

enum { HALF = 330, UP = 165, MIDDLE = HEIGHT / 2 + 5 };

/* A grid line: the points where longitude and latitude go from A to B. */
static void grid_line(plot *p, const double a[2], const double b[2], double thick, plot_colour colour)
{
  enum { PIECES = 60 };
  double x0, y0, x, y;
  project(a[0], a[1], &x0, &y0);
  for (int i = 1; i <= PIECES; i++) {
    project(a[0] + (b[0] - a[0]) * i / PIECES, a[1] + (b[1] - a[1]) * i / PIECES, &x, &y);
    plot_segment(p, WIDTH / 2 + x0 * HALF, MIDDLE - y0 * UP, WIDTH / 2 + x * HALF, MIDDLE - y * UP, thick, PLOT_SOLID, colour);
    x0 = x;
    y0 = y;
  }
}

/* Meridians and parallels, every 60 and 30 degrees, with their names. */
static void draw_globe(plot *p)
{
  char text[16];
  double x, y;
  for (int i = -3; i <= 3; i++)
    grid_line(p, (double[2]){ pi / 3 * i, -pi / 2 }, (double[2]){ pi / 3 * i, pi / 2 }, i == 3 || i == -3 ? 1.5 : 1,
              i == 3 || i == -3 ? PLOT_BLACK : PLOT_FAINT);
  for (int i = -2; i <= 2; i++) {
    grid_line(p, (double[2]){ -pi, pi / 6 * i }, (double[2]){ pi, pi / 6 * i }, 1, PLOT_FAINT);
    project(pi, pi / 6 * i, &x, &y);
    snprintf(text, sizeof text, "%d°", 90 - 30 * i);
    plot_text(p, WIDTH / 2 + x * HALF + 4, MIDDLE - y * UP, 0, .5, PLOT_SIZE - 2, PLOT_BLACK, text);
  }
  for (int i = -2; i <= 2; i++) {
    snprintf(text, sizeof text, "%d°", 60 * i);
    plot_text(p, WIDTH / 2 + i / 3. * HALF, MIDDLE + 3, .5, 0, PLOT_SIZE - 2, PLOT_BLACK, text);
  }
  plot_text(p, WIDTH / 2, HEIGHT - 6, .5, 1, PLOT_SIZE, PLOT_BLACK, "across: angle about z (phi); from the top: angle from z (theta)");
}

hed_status chart_directions(const char *path, const hed_table *t, bool image)
{
  static const char op[] = "match";
  char title[96];
  double x, y;
  plot p;
  hed_status status = plot_begin(&p, op, path, WIDTH, HEIGHT, PLOT_WHITE);
  if (status != HED_OK)
    return status;
  draw_globe(&p);
  for (size_t i = 0; i < t->n; i++) {
    const double phi = t->row[i].euler[0] * pi / 180, theta = image ? pi / 2 : t->row[i].euler[1] * pi / 180;
    project(atan2(sin(phi), cos(phi)), pi / 2 - theta, &x, &y);
    plot_ring(&p, WIDTH / 2 + x * HALF, MIDDLE - y * UP, 3, PLOT_SOLID, PLOT_BLUE, 0, HEIGHT);
  }
  snprintf(title, sizeof title, "directions of the z axes of %zu particle%s, equal areas", t->n, t->n == 1 ? "" : "s");
  plot_text(&p, 8, 8, 0, 0, PLOT_SIZE, PLOT_BLACK, title);
  return plot_end(&p, status);
}
