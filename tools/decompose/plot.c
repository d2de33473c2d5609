// SPDX-License-Identifier: BSD-3-Clause
/* The picture of `heddle decompose`: error per sweep; a row of profiles per component, and its map over two modes; what
 * speaks against slices; of a scan, fit and core consistency per rank.
 *
 * Layer: L5.
 */
#include "panels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL = 250, GAP = 80, MARGIN = 24, LEFT = 82, LABEL = 26, BELOW = 48, BAR_ROOM = 76, MOST_ROWS = 12, MOST_COLUMNS = 6,
       STEP = PANEL_HIGH + LABEL + BELOW };

/* Where the next row of panels begins. */
typedef struct page {
  plot *on;
  const decompose_job *j;
  double top;
} page;

static double column_x(int k) { return LEFT + k * (PANEL + GAP); }

static panel at(const page *g, int column, const char *title, int mode, char *x_title, size_t room)
{
  decompose_axis_title(g->j, mode, true, x_title, room);
  return (panel){ .x = column_x(column), .y = g->top, .width = PANEL, .title = title, .x_title = x_title, .axis = &g->j->axis[mode],
                  .marked = -1 };
}

static panel across(const page *g, const char *title, const char *x_title, const char *y_title)
{
  return (panel){ .x = LEFT, .y = g->top, .width = g->on->width - LEFT - MARGIN, .title = title, .x_title = x_title,
                  .y_title = y_title, .marked = -1 };
}

/* ---- components ---- */

/* How many modes have profiles, and the most columns of one. */
static int profiles(const decompose_job *j, int64_t *rows)
{
  const bool has = !j->scan_high && (j->kind == KIND_CP || j->kind == KIND_TUCKER || j->kind == KIND_PARAFAC2);
  const int modes = has ? decompose_order(j) < MOST_COLUMNS ? decompose_order(j) : MOST_COLUMNS : 0;
  *rows = 0;
  for (int k = 0; k < modes; k++) {
    const hed_array *f = decompose_factor(j, k);
    const int64_t n = f ? hed_array_shape(f).dim[1] : j->kind == KIND_PARAFAC2 ? j->parafac2.rank : 0;
    *rows = n > *rows ? n : *rows;
  }
  *rows = *rows < MOST_ROWS ? *rows : MOST_ROWS;
  return modes;
}

static hed_status no_memory(int64_t n) { return hed_fail(HED_E_NOMEM, "no memory for %lld numbers", (long long)n); }

/* Real parts of column R of M, times its weight where W is not NULL, into OUT. */
static hed_status column(const hed_array *m, int64_t r, const hed_array *w, double *out)
{
  const int64_t n = hed_array_shape(m).dim[0];
  double weight = 1;
  hed_array *one = hed_index(m, 1, r), *by = one && w ? hed_index(w, 0, r) : NULL;
  hed_status status = one && (by || !w) ? hed_tolist(one, out, n) : hed_error();
  if (status == HED_OK && by)
    status = hed_item(by, &weight);
  for (int64_t i = 0; i < n && status == HED_OK; i++)
    out[i] *= weight;
  hed_release(one);
  hed_release(by);
  return status;
}

/* Column R of mode K's factor, from malloc(): scores with their sizes. */
static double *profile(const decompose_job *j, int k, int64_t r, int64_t *n)
{
  const hed_array *f = decompose_factor(j, k);
  *n = hed_array_shape(f).dim[0];
  double *v = malloc((size_t)*n * sizeof *v);
  if (!v)
    (void)no_memory(*n);
  if (v && column(f, r, k ? NULL : decompose_weights(j), v) == HED_OK)
    return v;
  free(v);
  return NULL;
}

/* Component R of the factors that evolve: a curve for each slice. */
static hed_status draw_evolving(const page *g, int64_t r, const panel *in)
{
  const hed_parafac2 *m = &g->j->parafac2;
  int64_t all = 0, *n = calloc((size_t)m->n_slices, sizeof *n);
  double *v = NULL;
  hed_status status = n ? HED_OK : no_memory(m->n_slices);
  for (int32_t i = 0; i < m->n_slices && status == HED_OK; i++) {
    n[i] = hed_array_shape(m->projection[i]).dim[0];
    double *more = realloc(v, (size_t)(all + n[i]) * sizeof *v);
    v = more ? more : v;
    hed_array *one = more ? hed_parafac2_evolving(m, i) : NULL;
    status = one ? column(one, r, NULL, v + all) : more ? hed_error() : no_memory(all + n[i]);
    all += n[i];
    hed_release(one);
  }
  if (status == HED_OK)
    status = panel_curves(g->on, in, m->n_slices, n, v);
  free(n);
  free(v);
  return status;
}

static hed_status draw_profile(const page *g, int k, int64_t r)
{
  const decompose_job *j = g->j;
  const hed_array *f = decompose_factor(j, k);
  char title[64], x_title[112];
  int64_t n;
  snprintf(title, sizeof title, "%s, %s %lld", k ? j->kind == KIND_PARAFAC2 && k == 1 ? "profiles" : "loadings" : "scores",
           j->kind == KIND_TUCKER ? "column" : "component", (long long)r + 1);
  const panel in = at(g, k, title, k, x_title, sizeof x_title);
  if (!f)
    return j->kind == KIND_PARAFAC2 ? draw_evolving(g, r, &in) : HED_OK;
  if (r >= hed_array_shape(f).dim[1])
    return HED_OK;
  double *v = profile(j, k, r, &n);
  const hed_status status = v ? panel_curves(g->on, &in, 1, &n, v) : hed_error();
  free(v);
  return status;
}

/* The modes of maps; false: there are none. Of Tucker they are for each column of the third. */
static bool map_modes(const decompose_job *j, int *down, int *side, int *third)
{
  const int order = decompose_order(j);
  *down = j->emission.path ? j->emission.axis : order - 2;
  *side = j->excitation.path ? j->excitation.axis : order - 1;
  if (j->map[0] != j->map[1]) {
    *down = j->map[0];
    *side = j->map[1];
  }
  *third = order == 3 ? 3 - *down - *side : -1;
  const bool has = !j->scan_high && (j->kind == KIND_CP || (j->kind == KIND_TUCKER && order <= 3));
  return has && decompose_extent(j, *down) > 1 && decompose_extent(j, *side) > 1;
}

/* What Tucker's core has between the columns of two modes, at R of the third, from malloc(). */
static double *core_of(const decompose_job *j, int down, int side, int third, int64_t r)
{
  double *g = NULL;
  HED_SCOPE_OR(return NULL) {
    const hed_array *core = j->tucker.core, *part = third < 0 ? core : hed_index(core, third, r);
    if (part && down > side)
      part = hed_transpose(part, NULL);
    g = part ? decompose_numbers(part) : NULL;
  }
  return g;
}

static hed_status draw_map(const page *g, int64_t r, int columns)
{
  const decompose_job *j = g->j;
  int mode[2], third;
  char title[64], x_title[112], y_title[112];
  if (!map_modes(j, &mode[0], &mode[1], &third))
    return HED_OK;
  const bool cp = j->kind == KIND_CP;
  const int64_t most = cp ? j->cp.rank : third < 0 ? 1 : hed_array_shape(j->tucker.core).dim[third];
  if (r >= most)
    return HED_OK;
  snprintf(title, sizeof title, cp ? "map of component %lld" : third < 0 ? "the fit" : "map of column %lld of mode %d",
           (long long)r + 1, third);
  panel in = at(g, columns, title, mode[1], x_title, sizeof x_title);
  decompose_axis_title(j, mode[0], true, y_title, sizeof y_title);
  in.y_title = y_title;
  for (int s = 0; s < 2; s++)
    if (j->axis[mode[s]].value && !j->axis[mode[s]].direction)
      snprintf(s ? x_title : y_title, sizeof x_title, "mode %d: index", mode[s]);
  panel_side side[2];
  double *v[2] = { NULL, NULL }, one = 1, *core = cp ? NULL : core_of(j, mode[0], mode[1], third, r);
  hed_status status = cp || core ? HED_OK : hed_error();
  for (int s = 0; s < 2 && status == HED_OK; s++) {
    const hed_array *f = decompose_factor(j, mode[s]);
    side[s] = (panel_side){ .axis = &j->axis[mode[s]], .n = hed_array_shape(f).dim[0], .r = cp ? 1 : hed_array_shape(f).dim[1] };
    side[s].v = v[s] = cp ? profile(j, mode[s], r, &side[s].n) : decompose_numbers(f);
    status = v[s] ? HED_OK : hed_error() != HED_OK ? hed_error() : no_memory(side[s].n * side[s].r);
  }
  if (status == HED_OK)
    status = panel_map(g->on, &in, &side[0], &side[1], cp ? &one : core);
  free(v[0]);
  free(v[1]);
  free(core);
  return status;
}

static hed_status draw_components(page *g, int columns, int64_t rows)
{
  hed_status status = HED_OK;
  for (int64_t r = 0; r < rows && status == HED_OK; r++, g->top += STEP) {
    for (int k = 0; k < columns && status == HED_OK; k++)
      status = draw_profile(g, k, r);
    if (status == HED_OK)
      status = draw_map(g, r, columns);
  }
  return status;
}

/* ---- slices ---- */

/* Leverages, residuals, and both against each other, a column for each mode. */
static hed_status draw_slices(page *g, bool leverages)
{
  const decompose_checks *c = &g->j->checks;
  const int order = decompose_order(g->j) < MOST_COLUMNS ? decompose_order(g->j) : MOST_COLUMNS;
  hed_status status = HED_OK;
  for (int k = 0; k < order && status == HED_OK; k++) {
    char x_title[112];
    page row = *g;
    double *v[2] = { NULL, NULL };
    const hed_array *const of[2] = { c->leverage[k], c->residuals[k] };
    const int64_t n = of[1] ? hed_array_size(of[1]) : 0;
    for (int i = 0; i < 2 && status == HED_OK; i++) {
      if (of[i] && !(v[i] = decompose_numbers(of[i])))
        status = hed_error() != HED_OK ? hed_error() : no_memory(n);
      if (v[i] && status == HED_OK) {
        panel in = at(&row, k, i ? "residual, sum of squares" : "leverage", k, x_title, sizeof x_title);
        in.stems = true;
        status = panel_curves(g->on, &in, 1, &n, v[i]);
      }
      row.top += i == 0 && !leverages ? 0 : STEP;
    }
    if (v[0] && v[1] && status == HED_OK) {
      snprintf(x_title, sizeof x_title, "leverage, mode %d", k);
      const panel in = { .x = column_x(k), .y = row.top, .width = PANEL, .title = "residual against leverage", .x_title = x_title };
      panel_cloud(g->on, &in, n, v[0], v[1]);
    }
    free(v[0]);
    free(v[1]);
  }
  g->top += (leverages ? 3 : 1) * STEP;
  return status;
}

/* ---- runs ---- */

static hed_status draw_fit(const page *g)
{
  const decompose_job *j = g->j;
  const bool squares = j->loss <= HED_GCP_GAUSSIAN;
  const int64_t n = j->fit.n_sweeps;
  double *v = malloc((size_t)(n + 1) * sizeof *v);
  panel in = across(g, squares ? "relative error after each sweep" : j->x ? "mean loss after each sweep"
                                                                          : "divergence after each sweep", "sweep", NULL);
  in.first = 1;
  in.y_log = squares;
  in.free = true;
  if (!v)
    return no_memory(n);
  for (int64_t i = 0; i < n; i++)
    v[i] = squares ? fmax(j->fit.errors[i], 1e-16) : j->fit.errors[i];
  const hed_status status = panel_curves(g->on, &in, 1, &n, v);
  free(v);
  return status;
}

static hed_status draw_scan(page *g)
{
  const decompose_job *j = g->j;
  const long long advice = decompose_advice(j, NULL);
  const int64_t n = j->scanned;
  bool clipped = false;
  double *explained = malloc((size_t)(n + 1) * sizeof *explained);
  panel fit = across(g, advice ? "fit; circle: the rank that is advised" : "fit", "rank", "explained, %");
  if (!explained)
    return no_memory(n);
  for (int64_t i = 0; i < n; i++) {
    explained[i] = decompose_explained(j->scan_error[i]);
    clipped |= j->scan_consistency[i] < -20;
  }
  fit.free = true;
  fit.first = (double)j->scan_low;
  fit.marked = advice ? advice - j->scan_low : -1;
  hed_status status = panel_curves(g->on, &fit, 1, &n, explained);
  free(explained);
  g->top += STEP;
  panel core = across(g, clipped ? "core consistency; the line: 60 %; what is below -20 % stands at the edge"
                                 : "core consistency; the line: 60 %", "rank", "%");
  core.first = fit.first;
  core.marked = fit.marked;
  core.low = -20;
  core.high = 110;
  core.line = 60;
  if (status == HED_OK)
    status = panel_curves(g->on, &core, 1, &n, j->scan_consistency);
  g->top += STEP;
  return status;
}

/* Ranks of a train per bond. */
static hed_status draw_ranks(const page *g)
{
  int64_t ranks[HED_MAX_NDIM + 1], n = g->j->tt.order + 1;
  double v[HED_MAX_NDIM + 1];
  const panel in = across(g, "rank of each bond", "bond", "rank");
  const hed_status status = hed_tt_ranks(&g->j->tt, ranks);
  for (int k = 0; status == HED_OK && k < n; k++)
    v[k] = (double)ranks[k];
  return status != HED_OK ? status : panel_curves(g->on, &in, 1, &n, v);
}

hed_status decompose_draw(const decompose_job *j, const char *path)
{
  int64_t rows;
  int down, side, third;
  const int columns = profiles(j, &rows), order = decompose_order(j) < MOST_COLUMNS ? decompose_order(j) : MOST_COLUMNS;
  const bool slices = j->checks.residuals[0] != NULL, leverages = j->checks.leverage[0] != NULL, scan = j->scan_high > 0;
  const bool maps = map_modes(j, &down, &side, &third);
  const int needed = slices && order > columns + maps ? order : columns + maps, wide = needed > 2 ? needed : 2;
  const int64_t all = (scan ? 2 : 1) + rows + (!slices ? 0 : leverages ? 3 : 1);
  plot on;
  page g = { .on = &on, .j = j, .top = MARGIN + LABEL };
  hed_status status = plot_begin(&on, "decompose", path, LEFT + wide * PANEL + (wide - 1) * GAP + (maps ? BAR_ROOM : MARGIN),
                                 2 * MARGIN + (double)(all * STEP), PLOT_WHITE);
  if (status != HED_OK)
    return status;
  if (scan) {
    status = draw_scan(&g);
  } else {
    status = j->kind == KIND_TT ? draw_ranks(&g) : draw_fit(&g);
    g.top += STEP;
  }
  if (status == HED_OK)
    status = draw_components(&g, columns, rows);
  if (status == HED_OK && slices)
    status = draw_slices(&g, leverages);
  return plot_end(&on, status);
}
