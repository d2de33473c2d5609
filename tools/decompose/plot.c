// SPDX-License-Identifier: BSD-3-Clause
/* The picture of `heddle decompose`: error per sweep, and a row of profiles per component; of a scan, error and core
 * consistency per rank.
 *
 * Layer: L5.
 */
#include "job.h"
#include "tools/picture/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL = 250, HIGH = 150, GAP = 80, MARGIN = 24, LEFT = 76, LABEL = 26, BELOW = 44, MOST_ROWS = 12, MOST_COLUMNS = 6 };

/* A frame with a title, and N values as a curve in it, from LOW to HIGH where these differ, else over their own range. */
typedef struct panel {
  double x, y, width;
  const char *title, *x_title, *y_title;
  double low, high, first; /* FIRST: what the first value stands above */
} panel;

static hed_status curve(plot *p, const panel *in, int64_t n, const double *v, int64_t marked)
{
  double *x = malloc((size_t)(2 * n + 1) * sizeof *x), *y = x ? x + n : NULL, low = in->low, high = in->high;
  if (!x)
    return hed_fail(HED_E_NOMEM, "decompose: no memory for a curve of %lld values", (long long)n);
  for (int64_t i = 0; i < n; i++) {
    x[i] = in->first + (double)i;
    low = in->low < in->high || (i && v[i] >= low) ? low : v[i];
    high = in->low < in->high || (i && v[i] <= high) ? high : v[i];
  }
  const double room = low < high ? 0 : 1;
  for (int64_t i = 0; i < n; i++)
    y[i] = fmin(fmax(v[i], low - room), high + room);
  const plot_frame f = { .x = in->x, .y = in->y, .width = in->width, .height = HIGH, .x_low = in->first,
                         .x_high = in->first + fmax(1, (double)(n - 1)), .y_low = low - room, .y_high = high + room,
                         .x_whole = true, .ink = PLOT_BLACK, .grid = PLOT_FAINT, .title = in->title, .x_title = in->x_title,
                         .y_title = in->y_title };
  plot_axes(p, &f);
  plot_curve(p, &f, n, x, y, PLOT_SOLID, PLOT_BLUE);
  if (marked >= 0 && marked < n)
    plot_ring(p, plot_x(&f, x[marked]), plot_y(&f, y[marked]), 6, PLOT_SOLID, PLOT_ORANGE, 0, p->height);
  free(x);
  return HED_OK;
}

/* ---- what is drawn ---- */

/* The matrices whose columns are profiles, and their names. */
static int profiles(const decompose_job *j, const hed_array **of, char name[][24])
{
  int n = 0;
  const int modes = j->kind == KIND_CP ? j->cp.order : j->kind == KIND_TUCKER ? j->tucker.order : 0;
  for (int k = 0; k < modes && n < MOST_COLUMNS; k++) {
    const hed_array *f = j->kind == KIND_CP ? j->cp.factor[k] : j->tucker.factor[k];
    snprintf(name[n], sizeof name[n], "mode %d", k);
    if (f)
      of[n++] = f;
  }
  if (j->kind == KIND_PARAFAC2) {
    snprintf(name[n], sizeof name[n], "a (slices)");
    of[n++] = j->parafac2.a;
    snprintf(name[n], sizeof name[n], "c (columns)");
    of[n++] = j->parafac2.c;
  }
  return n;
}

/* Real parts of column R of M, from malloc(). */
static double *column(const hed_array *m, int64_t r, int64_t *n)
{
  double *v = NULL;
  *n = hed_array_shape(m).dim[0];
  hed_array *one = hed_index(m, 1, r);
  if (one && !(v = malloc((size_t)*n * sizeof *v)))
    (void)hed_fail(HED_E_NOMEM, "no memory for %lld numbers", (long long)*n);
  if (v && hed_tolist(one, v, *n) != HED_OK) {
    free(v);
    v = NULL;
  }
  hed_release(one);
  return v;
}

static hed_status draw_profiles(plot *on, const decompose_job *j, double top)
{
  const hed_array *of[MOST_COLUMNS];
  char name[MOST_COLUMNS + 2][24], title[240];
  const int n = profiles(j, of, name);
  for (int k = 0; k < n; k++)
    for (int64_t r = 0; r < hed_array_shape(of[k]).dim[1] && r < MOST_ROWS; r++) {
      int64_t count;
      double *v = column(of[k], r, &count);
      if (!v)
        return hed_error();
      snprintf(title, sizeof title, "%s, component %lld", name[k], (long long)r);
      const panel p = { .x = LEFT + k * (PANEL + GAP), .y = top + (double)r * (HIGH + LABEL + BELOW), .width = PANEL, .title = title,
                        .x_title = "index" };
      const hed_status status = curve(on, &p, count, v, -1);
      free(v);
      if (status != HED_OK)
        return status;
    }
  return HED_OK;
}

static panel across(const plot *on, double y, const char *title, const char *x_title, const char *y_title)
{
  return (panel){ .x = LEFT, .y = y, .width = on->width - LEFT - MARGIN, .title = title, .x_title = x_title, .y_title = y_title };
}

static hed_status draw_fit(plot *on, const decompose_job *j, double top)
{
  double *logs = malloc((size_t)(j->fit.n_sweeps + 1) * sizeof *logs);
  panel p = across(on, top, "relative error after each sweep", "sweep", "log10 error");
  p.first = 1;
  if (!logs)
    return hed_fail(HED_E_NOMEM, "decompose: no memory for the errors of %lld sweeps", (long long)j->fit.n_sweeps);
  for (int64_t i = 0; i < j->fit.n_sweeps; i++)
    logs[i] = log10(fmax(j->fit.errors[i], 1e-16));
  const hed_status status = curve(on, &p, j->fit.n_sweeps, logs, -1);
  free(logs);
  return status;
}

static hed_status draw_scan(plot *on, const decompose_job *j, double top)
{
  const long long advice = decompose_advice(j), marked = advice ? advice - j->scan_low : -1;
  panel error = across(on, top, advice ? "relative error; circle: the rank that is advised" : "relative error", "rank", "error");
  panel core = across(on, top + HIGH + LABEL + BELOW, "core consistency", "rank", "%");
  error.first = core.first = (double)j->scan_low;
  core.low = -20;
  core.high = 110;
  const hed_status status = curve(on, &error, j->scanned, j->scan_error, marked);
  return status != HED_OK ? status : curve(on, &core, j->scanned, j->scan_consistency, marked);
}

/* Ranks of a train per bond. */
static hed_status draw_ranks(plot *on, const decompose_job *j, double top)
{
  int64_t ranks[HED_MAX_NDIM + 1];
  double v[HED_MAX_NDIM + 1];
  const panel p = across(on, top, "rank of each bond", "bond", "rank");
  const hed_status status = hed_tt_ranks(&j->tt, ranks);
  for (int k = 0; status == HED_OK && k <= j->tt.order; k++)
    v[k] = (double)ranks[k];
  return status != HED_OK ? status : curve(on, &p, j->tt.order + 1, v, -1);
}

hed_status decompose_draw(const decompose_job *j, const char *path)
{
  const hed_array *of[MOST_COLUMNS];
  char name[MOST_COLUMNS + 2][24];
  const bool scan = j->scan_high > 0;
  const int n = scan ? 0 : profiles(j, of, name);
  int64_t rows = scan ? 1 : 0;
  for (int k = 0; k < n; k++)
    rows = hed_array_shape(of[k]).dim[1] > rows ? hed_array_shape(of[k]).dim[1] : rows;
  rows = rows > MOST_ROWS ? MOST_ROWS : rows;
  const int wide = n > 2 ? n : 2;
  const double top = MARGIN + LABEL, row = HIGH + LABEL + BELOW;
  plot on;
  hed_status status = plot_begin(&on, "decompose", path, LEFT + wide * PANEL + (wide - 1) * GAP + MARGIN,
                                 2 * MARGIN + (double)(rows + 1) * row, PLOT_WHITE);
  if (status != HED_OK)
    return status;
  status = scan ? draw_scan(&on, j, top) : j->kind == KIND_TT ? draw_ranks(&on, j, top) : draw_fit(&on, j, top);
  if (!scan && status == HED_OK)
    status = draw_profiles(&on, j, top + row);
  return plot_end(&on, status);
}
