// SPDX-License-Identifier: BSD-3-Clause
/* Curves, stems and clouds in frames.
 *
 * Layer: L5.
 */
#include "panels.h"
#include <math.h>
#include <stdlib.h>

enum { DOTS = 40, STEMS = 120, NUMBERED = 3 };

static bool has_values(const panel *in) { return in->axis && in->axis->value; }

static double place(const panel *in, int64_t i)
{
  return has_values(in) ? in->axis->value[i] - in->axis->origin : in->first + (double)i;
}

/* The smallest of 1, 2, 5 times a power of ten that is at least V, or the next one. */
static double round_up(double v) { return plot_round(2.5 * v * (1 - 1e-12)); }

/* Limits of Y for values from LEAST to MOST. */
static void limits(const panel *in, double least, double most, plot_frame *f)
{
  f->y_low = in->low;
  f->y_high = in->high;
  if (in->low < in->high)
    return;
  if (in->y_log) {
    f->y_low = log10(plot_round(least * (1 + 1e-12)));
    f->y_high = log10(round_up(most));
    return;
  }
  const double low = in->free ? least : fmin(least, 0), high = in->free ? most : fmax(most, 0);
  const double size = fmax(fabs(low), fabs(high)), room = high - low > 1e-9 * size ? (high - low) * .05 : fmax(size * .05, 1e-300);
  f->y_low = low < 0 || in->free ? low - room : 0;
  f->y_high = high > 0 || in->free ? high + room : 0;
  if (!(f->y_low < f->y_high))
    f->y_high = f->y_low + 1;
}

/* Ends of the values that are finite; 0 and 1 where none is. */
static void ends(int64_t n, const double *v, double *least, double *most)
{
  *least = INFINITY;
  *most = -INFINITY;
  for (int64_t i = 0; i < n; i++)
    if (isfinite(v[i])) {
      *least = fmin(*least, v[i]);
      *most = fmax(*most, v[i]);
    }
  if (*least > *most) {
    *least = 0;
    *most = 1;
  }
}

static plot_frame frame_of(const panel *in)
{
  return (plot_frame){ .x = in->x, .y = in->y, .width = in->width, .height = PANEL_HIGH, .x_whole = !has_values(in),
                       .y_log = in->y_log, .ink = PLOT_BLACK, .grid = PLOT_FAINT, .title = in->title,
                       .x_title = in->x_title, .y_title = in->y_title };
}

static void draw_one(plot *p, const plot_frame *f, const panel *in, int64_t n, const double *x, const double *y)
{
  const bool joined = !has_values(in) || in->axis->direction != 0, stems = (in->stems || !joined) && n <= STEMS;
  for (int64_t i = 0; i < n && stems; i++)
    plot_segment(p, plot_x(f, x[i]), plot_y(f, 0), plot_x(f, x[i]), plot_y(f, y[i]), 1, PLOT_SOLID, in->stems ? PLOT_BLUE : PLOT_GREY);
  for (int64_t i = 0; i < n && (n <= DOTS || !joined || stems); i++)
    plot_dot(p, plot_x(f, x[i]), plot_y(f, y[i]), stems ? 3 : 2.4, PLOT_BLUE);
  if (joined && !stems)
    plot_curve(p, f, n, x, y, PLOT_SOLID, PLOT_BLUE);
}

hed_status panel_curves(plot *p, const panel *in, int count, const int64_t *n, const double *v)
{
  int64_t all = 0, longest = 0;
  double least, most;
  for (int c = 0; c < count; c++) {
    all += n[c];
    longest = n[c] > longest ? n[c] : longest;
  }
  double *x = malloc((size_t)(2 * longest + 1) * sizeof *x), *y = x ? x + longest : NULL;
  if (!x)
    return hed_fail(HED_E_NOMEM, "decompose: no memory for a curve of %lld values", (long long)longest);
  plot_frame f = frame_of(in);
  ends(all, v, &least, &most);
  limits(in, least, most, &f);
  for (int64_t i = 0; i < longest; i++)
    x[i] = place(in, i);
  ends(longest, x, &f.x_low, &f.x_high);
  const double apart = f.x_high - f.x_low, room = apart > 0 ? apart * (longest <= DOTS ? .03 : 0) : .5;
  f.x_low -= room;
  f.x_high += room;
  plot_axes(p, &f);
  if (f.y_low < 0 && f.y_high > 0 && !in->y_log)
    plot_segment(p, f.x, plot_y(&f, 0), f.x + f.width, plot_y(&f, 0), 1, PLOT_SOLID, PLOT_GREY);
  if (in->line > f.y_low && in->line < f.y_high && in->line > 0)
    plot_segment(p, f.x, plot_y(&f, in->line), f.x + f.width, plot_y(&f, in->line), 1.2, PLOT_DASHED, PLOT_BLACK);
  for (int c = 0; c < count; v += n[c++]) {
    for (int64_t i = 0; i < n[c]; i++)
      y[i] = fmin(fmax(in->y_log ? log10(v[i]) : v[i], f.y_low), f.y_high);
    draw_one(p, &f, in, n[c], x, y);
    if (in->marked >= 0 && in->marked < n[c])
      plot_ring(p, plot_x(&f, x[in->marked]), plot_y(&f, y[in->marked]), 6, PLOT_SOLID, PLOT_ORANGE, 0, p->height);
  }
  free(x);
  return HED_OK;
}

/* Which of N values, each over its largest, are the farthest from 0 together; fewer than WANTED of few. */
static int farthest(int64_t n, const double *x, const double *y, const plot_frame *f, int64_t *out)
{
  int count = 0;
  while (count < NUMBERED && count < n) {
    double far = -1;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
      const double here = fmax(x[i] / f->x_high, y[i] / f->y_high);
      bool taken = false;
      for (int k = 0; k < count; k++)
        taken |= out[k] == i;
      if (!taken && here > far) {
        far = here;
        at = i;
      }
    }
    out[count++] = at;
  }
  return count;
}

void panel_cloud(plot *p, const panel *in, int64_t n, const double *x, const double *y)
{
  plot_frame f = frame_of(in);
  int64_t out[NUMBERED];
  double least, most, below[NUMBERED], right[NUMBERED];
  char text[24];
  ends(n, y, &least, &most);
  limits(&(panel){ 0 }, least, most, &f);
  ends(n, x, &least, &most);
  f.x_whole = false;
  f.x_high = most > 0 ? most * 1.05 : 1;
  plot_axes(p, &f);
  for (int64_t i = 0; i < n; i++)
    plot_dot(p, plot_x(&f, x[i]), plot_y(&f, y[i]), 3, PLOT_BLUE);
  const int count = farthest(n, x, y, &f, out);
  for (int k = 0; k < count; k++) { /* a number that would stand on another is left out */
    const double at_x = plot_x(&f, x[out[k]]), at_y = plot_y(&f, y[out[k]]);
    bool covers = false;
    snprintf(text, sizeof text, "%lld", (long long)out[k]);
    const double wide = plot_text_width(p, PLOT_SIZE - 1, text), right_end = f.x + f.width;
    const double from = at_x + 6 + wide > right_end ? at_x - 6 - wide : at_x + 6;
    for (int before = 0; before < k; before++)
      covers |= fabs(below[before] - at_y) < PLOT_SIZE + 2 && fabs(right[before] - from) < wide + 4;
    below[k] = at_y;
    right[k] = from;
    if (!covers)
      plot_text(p, from, fmax(at_y, f.y + 6), 0, .8, PLOT_SIZE - 1, PLOT_BLACK, text);
  }
}
