// SPDX-License-Identifier: BSD-3-Clause
/*
 * decompose_plot.c: the picture of `heddle decompose`: error per sweep, and a row of profiles per component; of a scan, error and core
 * consistency per rank.
 *
 * Layer: L5.
 */
#include "canvas.h"
#include "decompose_job.h"
#include "picture_png.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAPER, INK, AXIS, CURVE, MARK, COLOURS, PANEL = 220, HIGH = 150, GAP = 44, MARGIN = 24, LABEL = 26, MOST_ROWS = 12,
       MOST_COLUMNS = 6 };

static const uint8_t colours[COLOURS][3] = { { 255, 255, 255 }, { 30, 30, 30 }, { 190, 190, 190 }, { 0, 102, 178 }, { 213, 94, 0 } };

/* A frame with a title, and N values as a curve in it, from LOW to HIGH where these differ, else over their own range. */
typedef struct panel {
  int64_t x, y, width;
  const char *title;
  double low, high;
} panel;

static void range(const panel *p, int64_t n, const double *v, double *low, double *high)
{
  *low = p->low;
  *high = p->high;
  for (int64_t i = 0; p->low >= p->high && i < n; i++) {
    *low = i == 0 || v[i] < *low ? v[i] : *low;
    *high = i == 0 || v[i] > *high ? v[i] : *high;
  }
  if (*low >= *high) {
    *low -= 1;
    *high += 1;
  }
}

static void frame(canvas *c, const panel *p, double low, double high)
{
  char text[24];
  canvas_line(c, (double)p->x, (double)(p->y + HIGH), (double)(p->x + p->width), (double)(p->y + HIGH), AXIS);
  canvas_line(c, (double)p->x, (double)p->y, (double)p->x, (double)(p->y + HIGH), AXIS);
  if (low < 0 && high > 0) {
    const double zero = (double)p->y + HIGH * high / (high - low);
    canvas_line(c, (double)p->x, zero, (double)(p->x + p->width), zero, AXIS);
  }
  canvas_text(c, p->x, p->y - LABEL, INK, p->title);
  snprintf(text, sizeof text, "%.3g", high);
  canvas_text(c, p->x + p->width - canvas_text_width(text), p->y - LABEL, AXIS, text);
  snprintf(text, sizeof text, "%.3g", low);
  canvas_text(c, p->x + p->width - canvas_text_width(text), p->y + HIGH + 6, AXIS, text);
}

static void curve(canvas *c, const panel *p, int64_t n, const double *v, int64_t marked)
{
  double low, high, x = 0, y = 0;
  range(p, n, v, &low, &high);
  frame(c, p, low, high);
  for (int64_t i = 0; i < n; i++) {
    const double to = fmin(fmax((v[i] - low) / (high - low), 0), 1);
    const double at = (double)p->x + (n > 1 ? (double)(i * p->width) / (double)(n - 1) : (double)p->width / 2);
    const double up = (double)(p->y + HIGH) - to * HIGH;
    canvas_line(c, i ? x : at, i ? y : up, at, up, CURVE);
    x = at;
    y = up;
    for (int64_t k = -4; i == marked && k <= 4; k++)
      canvas_line(c, at - 4, up + (double)k, at + 4, up + (double)k, MARK);
  }
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

static hed_status draw_profiles(canvas *c, const decompose_job *j, int64_t top)
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
      snprintf(title, sizeof title, "%s, %lld", name[k], (long long)r);
      const panel p = { .x = MARGIN + k * (PANEL + GAP), .y = top + r * (HIGH + 2 * GAP), .width = PANEL, .title = title };
      curve(c, &p, count, v, -1);
      free(v);
    }
  return HED_OK;
}

static void draw_fit(canvas *c, const decompose_job *j, int64_t top)
{
  double *logs = malloc((size_t)(j->fit.n_sweeps + 1) * sizeof *logs);
  const panel p = { .x = MARGIN, .y = top, .width = c->width - 2 * MARGIN, .title = "log10 error per sweep" };
  for (int64_t i = 0; logs && i < j->fit.n_sweeps; i++)
    logs[i] = log10(fmax(j->fit.errors[i], 1e-16));
  if (logs)
    curve(c, &p, j->fit.n_sweeps, logs, -1);
  free(logs);
}

static void draw_scan(canvas *c, const decompose_job *j, int64_t top)
{
  const long long advice = decompose_advice(j);
  char title[64];
  snprintf(title, sizeof title, "error, ranks %lld to %lld", j->scan_low, j->scan_high);
  const panel error = { .x = MARGIN, .y = top, .width = c->width - 2 * MARGIN, .title = title };
  const panel core = { .x = MARGIN, .y = top + HIGH + 2 * GAP, .width = c->width - 2 * MARGIN, .title = "core consistency, %",
                       .low = -20, .high = 110 };
  curve(c, &error, j->scanned, j->scan_error, advice ? advice - j->scan_low : -1);
  curve(c, &core, j->scanned, j->scan_consistency, advice ? advice - j->scan_low : -1);
}

/* Ranks of a train per bond. */
static void draw_ranks(canvas *c, const decompose_job *j, int64_t top)
{
  int64_t ranks[HED_MAX_NDIM + 1];
  double v[HED_MAX_NDIM + 1];
  const panel p = { .x = MARGIN, .y = top, .width = c->width - 2 * MARGIN, .title = "rank per bond" };
  if (hed_tt_ranks(&j->tt, ranks) != HED_OK)
    return;
  for (int k = 0; k <= j->tt.order; k++)
    v[k] = (double)ranks[k];
  curve(c, &p, j->tt.order + 1, v, -1);
}

hed_status decompose_draw(const decompose_job *j, const char *path)
{
  uint8_t palette[256][3] = { { 0 } };
  const hed_array *of[MOST_COLUMNS];
  char name[MOST_COLUMNS + 2][24];
  const bool scan = j->scan_high > 0;
  const int n = scan ? 0 : profiles(j, of, name);
  int64_t rows = scan ? 1 : 0;
  for (int k = 0; k < n; k++)
    rows = hed_array_shape(of[k]).dim[1] > rows ? hed_array_shape(of[k]).dim[1] : rows;
  rows = rows > MOST_ROWS ? MOST_ROWS : rows;
  const int wide = n > 2 ? n : 2;
  canvas c;
  hed_status status = canvas_make("heddle decompose", &c, 2 * MARGIN + wide * PANEL + (wide - 1) * GAP,
                                  2 * MARGIN + (rows + 1) * (HIGH + 2 * GAP), PAPER);
  if (status != HED_OK)
    return status;
  const int64_t top = MARGIN + LABEL;
  if (scan)
    draw_scan(&c, j, top);
  else if (j->kind == KIND_TT)
    draw_ranks(&c, j, top);
  else
    draw_fit(&c, j, top);
  if (!scan)
    status = draw_profiles(&c, j, top + HIGH + 2 * GAP);
  memcpy(palette, colours, sizeof colours);
  if (status == HED_OK)
    status = picture_png_write("heddle decompose", path, (uint32_t)c.width, (uint32_t)c.height, (const uint8_t(*)[3])palette, c.px);
  canvas_free(&c);
  return status;
}
