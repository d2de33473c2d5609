// SPDX-License-Identifier: BSD-3-Clause
/* hed_picture_slice, one slice of a volume with circles on it.
 *
 * Layer: L5. From the top: a title strip, the slice enlarged by repeating voxels, and a strip with the scale bar and the legend.
 */
#include "picture.h"
#include "plot.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "match";

enum { LEAST_SIDE = 512, MOST_VOXELS = 8192, STRIP_HEIGHT = 28, WIDER = 5, LABEL_HEIGHT = 16 };

/* Where on a sheet a slice lies. */
typedef struct sheet {
  plot *on;
  double left, right, top, bottom; /* of the slice, and of the room beside it */
  int64_t zoom;
  char along;                      /* the axis whose place stands behind a number; 0: none */
} sheet;

/* Slice of the volume on the host. */
typedef struct plane {
  int64_t nz, ny, nx, z;
  const float *v; /* ny * nx values */
} plane;

/* How each kind of mark is drawn: by colour, and by dash or cross for those who see none. */
static const plot_entry kinds[3] = {
  [HED_MARK_HIT] = { .name = "hit", .colour = PLOT_SKY, .line = PLOT_SOLID, .ring = true },
  [HED_MARK_TRUTH] = { .name = "truth", .colour = PLOT_ORANGE, .line = PLOT_DASHED, .ring = true },
  [HED_MARK_WRONG] = { .name = "wrong", .colour = PLOT_RED, .line = PLOT_CROSSED, .ring = true },
};

static int compare(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Values that are shown black and white. */
static hed_status limits(const plane *p, double low, double high, double *black,
                         double *white) {
  size_t n = (size_t)p->ny * (size_t)p->nx, kept = 0;
  float *sorted = malloc(n * sizeof *sorted);
  if (!sorted)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu values", op, n);
  for (size_t i = 0; i < n; i++)
    if (isfinite(p->v[i]))
      sorted[kept++] = p->v[i];
  qsort(sorted, kept, sizeof *sorted, compare);
  *black = *white = 0;
  if (kept > 0) {
    *black = (double)sorted[(size_t)(low / 100 * (double)(kept - 1) + 0.5)];
    *white = (double)sorted[(size_t)(high / 100 * (double)(kept - 1) + 0.5)];
  }
  free(sorted);
  return HED_OK;
}

static hed_status draw_slice(const sheet *c, const plane *p, double black, double white) {
  const double scale = white > black ? 255 / (white - black) : 0;
  uint8_t *greys = malloc((size_t)(p->ny * p->nx));
  if (!greys)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %" PRId64 " greys", op, p->ny * p->nx);
  for (int64_t i = 0; i < p->ny * p->nx; i++) {
    const double g = scale > 0 ? ((double)p->v[i] - black) * scale : 127.5;
    greys[i] = (uint8_t)(g > 0 ? fmin(g + 0.5, 255) : 0);
  }
  const double zoom = (double)c->zoom;
  const hed_status status = plot_greys(c->on, c->left, c->top, p->nx, p->ny, zoom, zoom, greys);
  free(greys);
  return status;
}

/* Radius of the circle in which the slice cuts the mark's sphere; negative when it misses. */
static double cut(const plane *p, const hed_picture_mark *m) {
  double dz = p->nz > 1 ? m->position[0] - (double)p->z : 0;
  return fabs(dz) > m->radius ? -1 : sqrt(m->radius * m->radius - dz * dz);
}

/* Centre and radius in pixels; false when the slice misses the mark. The centre of voxel 0 lies
 * half a voxel inside. Truth is drawn a little wider, so that it stays visible around a hit in
 * the right place. */
static bool place(const sheet *c, const plane *p, const hed_picture_mark *m, double *x0,
                  double *y0, double *r) {
  double zoom = (double)c->zoom, wider = m->kind == HED_MARK_TRUTH ? WIDER : 0;
  *r = cut(p, m);
  if (*r < 0)
    return false;
  *r = fmax(*r * zoom, 3.0) + wider;
  *x0 = (m->position[2] + 0.5) * zoom + c->left;
  *y0 = (m->position[1] + 0.5) * zoom + c->top;
  return true;
}

static void draw_circle(const sheet *c, const plane *p, const hed_picture_mark *m) {
  double x0, y0, r;
  if (place(c, p, m, &x0, &y0, &r))
    plot_ring(c->on, x0, y0, r, kinds[m->kind].line, kinds[m->kind].colour, c->top, c->bottom);
}

/* The number's plate touches the diagonal of the circle: above on the right, below for truth. */
static void draw_number(const sheet *c, const plane *p, const hed_picture_mark *m) {
  const bool truth = m->kind == HED_MARK_TRUTH;
  char number[48];
  double x0, y0, r;
  if (m->number < 0 || !place(c, p, m, &x0, &y0, &r))
    return;
  snprintf(number, sizeof number, "%" PRId64, m->number);
  if (c->along)
    snprintf(number, sizeof number, "%" PRId64 " %c %.0f", m->number, c->along, m->position[0]);
  const double away = 0.7071 * (r + 2 + (truth ? 0 : WIDER)), most_x = c->right - plot_text_width(c->on, PLOT_SIZE, number) - 6;
  plot_label(c->on, fmax(c->left, fmin(x0 + away, most_x)),
             fmax(c->top, fmin(truth ? y0 + away : y0 - away - LABEL_HEIGHT, c->bottom - LABEL_HEIGHT)),
             kinds[m->kind].colour, number);
}

/* A bar of a round length (1, 2 or 5 times a power of ten) up to a quarter of the width of NX voxels. */
static void draw_scale(plot *on, double top, int64_t nx, int64_t zoom, double voxel) {
  char words[48];
  const double unit = voxel > 0 ? voxel : 1, length = plot_round((double)nx * unit / 4);
  const double pixels = floor(length / unit * (double)zoom + 0.5), y = top + STRIP_HEIGHT / 2;
  plot_box(on, 8, y - 2, pixels, 4, PLOT_PAPER);
  snprintf(words, sizeof words, "%.6g %s", length, voxel > 0 ? "Å" : length > 1 ? "voxels" : "voxel");
  plot_text(on, 8 + pixels + 10, y, 0, .5, PLOT_SIZE, PLOT_PAPER, words);
}

/* From the right: a ring and a word for each kind that there is. */
static void draw_legend(plot *on, double top, size_t n, const hed_picture_mark *marks) {
  plot_entry there[3];
  int count = 0;
  for (int kind = 0; kind < 3; kind++)
    for (size_t i = 0; i < n; i++)
      if ((int)marks[i].kind == kind) {
        there[count++] = kinds[kind];
        break;
      }
  plot_legend(on, on->width - 8, top + STRIP_HEIGHT / 2, count, there, PLOT_PAPER);
}

/* Circles and their numbers; hits lie on top of the truth. */
static void draw_marks(const sheet *c, const plane *p, size_t n, const hed_picture_mark *marks) {
  for (int kind = HED_MARK_TRUTH; kind >= 0; kind--)
    for (size_t i = 0; i < n; i++)
      if ((marks[i].kind == HED_MARK_TRUTH) == (kind == HED_MARK_TRUTH))
        draw_circle(c, p, &marks[i]);
  for (size_t i = 0; i < n; i++)
    draw_number(c, p, &marks[i]);
}

static hed_status draw(const char *path, const plane *p, const hed_picture *o, size_t n,
                       const hed_picture_mark *marks) {
  double black = 0, white = 0;
  const int64_t longer = p->nx > p->ny ? p->nx : p->ny, zoom = (LEAST_SIDE + longer - 1) / longer;
  const int64_t width = p->nx * zoom < LEAST_SIDE ? LEAST_SIDE : p->nx * zoom; /* the strips need room */
  const double bottom = (double)(STRIP_HEIGHT + p->ny * zoom);
  plot on;
  sheet c = { .on = &on, .right = (double)width, .top = STRIP_HEIGHT, .bottom = bottom, .zoom = zoom };
  hed_status status = limits(p, o->low, o->high, &black, &white);
  if (status == HED_OK)
    status = plot_begin(&on, op, path, (double)width, bottom + STRIP_HEIGHT, PLOT_STRIP);
  if (status != HED_OK)
    return status;
  status = draw_slice(&c, p, black, white);
  draw_marks(&c, p, n, marks);
  if (o->title)
    plot_text_within(&on, 8, STRIP_HEIGHT / 2, on.width - 16, PLOT_PAPER, o->title);
  draw_scale(&on, bottom, p->nx, zoom, o->voxel);
  draw_legend(&on, bottom, n, marks);
  return plot_end(&on, status);
}

/* The slice that cuts most of the marks' area; of several the lowest. */
static int64_t best_slice(const plane *p, size_t n, const hed_picture_mark *marks) {
  int64_t best = p->nz / 2;
  double most = 0;
  plane at = *p;
  for (at.z = 0; at.z < p->nz; at.z++) {
    double area = 0;
    for (size_t i = 0; i < n; i++) {
      double r = cut(&at, &marks[i]);
      if (r >= 0)
        area += marks[i].radius > 0 ? r * r / (marks[i].radius * marks[i].radius) : 1;
    }
    if (area > most) {
      most = area;
      best = at.z;
    }
  }
  return best;
}

static hed_status check(const char *path, const hed_array *volume, hed_picture *o, size_t n,
                        const hed_picture_mark *marks, plane *p) {
  if (!path || !volume || (!marks && n > 0))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op,
                    !path ? "path" : !volume ? "the volume" : "marks");
  hed_shape s = hed_array_shape(volume);
  if (s.ndim != 2 && s.ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: the data has %d dimensions, must have 2 or 3", op,
                    (int)s.ndim);
  *p = (plane){.nz = s.ndim == 3 ? s.dim[0] : 1, .ny = s.dim[s.ndim - 2],
               .nx = s.dim[s.ndim - 1]};
  if (p->nz < 1 || p->ny < 1 || p->nx < 1 || p->ny > MOST_VOXELS || p->nx > MOST_VOXELS)
    return hed_fail(HED_E_SHAPE,
                    "%s: %" PRId64 " slices of %" PRId64 " x %" PRId64 " voxels; at least 1 "
                    "and at most %d a side are drawn", op, p->nz, p->ny, p->nx,
                    (int)MOST_VOXELS);
  if (o->slice_given && (o->slice < 0 || o->slice >= p->nz))
    return hed_fail(HED_E_INVAL, "%s: slice %" PRId64 " of %" PRId64, op, o->slice, p->nz);
  if (o->low == 0 && o->high == 0) {
    o->low = 1;
    o->high = 99.5;
  }
  if (!(o->low >= 0 && o->low < o->high && o->high <= 100))
    return hed_fail(HED_E_INVAL,
                    "%s: percentiles %g and %g; they must rise within 0 to 100", op, o->low,
                    o->high);
  if (!(o->voxel >= 0) || !isfinite(o->voxel))
    return hed_fail(HED_E_INVAL, "%s: a voxel of %g angstrom", op, o->voxel);
  for (size_t i = 0; i < n; i++) {
    const hed_picture_mark *m = &marks[i];
    if (!isfinite(m->position[0]) || !isfinite(m->position[1]) ||
        !isfinite(m->position[2]) || !(m->radius >= 0) || m->radius > MOST_VOXELS ||
        (int)m->kind < 0 || m->kind > HED_MARK_WRONG)
      return hed_fail(HED_E_INVAL, "%s: mark %zu at (%g, %g, %g) with radius %g", op, i,
                      m->position[0], m->position[1], m->position[2], m->radius);
  }
  return HED_OK;
}

/* The slice as C-ordered float32 on the host, from malloc(). */
static hed_status read_slice(const hed_array *volume, plane *p, float **values) {
  const size_t n = (size_t)p->ny * (size_t)p->nx;
  const bool deep = hed_array_ndim(volume) == 3;
  const hed_dtype t = hed_array_dtype(volume);
  hed_array *slice = NULL, *single = NULL;
  hed_status status;

  if (t == HED_COMPLEX64 || t == HED_COMPLEX128)
    return hed_fail(HED_E_UNSUPPORTED, "%s: the data is %s; real values are needed", op,
                    hed_dtype_name(t));
  *values = malloc(n * sizeof **values);
  if (!*values)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu values", op, n);
  if (deep)
    slice = hed_index(volume, 0, p->z);
  if (!deep || slice)
    single = hed_astype(deep ? slice : volume, HED_FLOAT32);
  status = single ? hed_to_host(single, *values, n * sizeof **values) : hed_error();
  hed_release(single);
  hed_release(slice);
  p->v = *values;
  return status;
}

hed_status hed_picture_slice(const char *path, const hed_array *volume, hed_picture *opt,
                             size_t n, const hed_picture_mark *marks) {
  hed_picture o = opt ? *opt : (hed_picture){0};
  hed_status status;
  float *values = NULL;
  plane p = {0};

  if ((status = check(path, volume, &o, n, marks, &p)) != HED_OK)
    return status;
  p.z = o.slice_given ? o.slice : best_slice(&p, n, marks);
  if ((status = read_slice(volume, &p, &values)) == HED_OK)
    status = draw(path, &p, &o, n, marks);
  if (opt && status == HED_OK)
    opt->chosen = p.z;
  free(values);
  return status;
}

/* ---- three sections ---- */

enum { SLAB = 2 }; /* sections on either side that are averaged: noise falls, particles stay */

/* What is drawn: a volume of extents D on the host, seen along AXIS. */
typedef struct view {
  const float *v;
  int64_t d[3], at[3];
  int axis;
} view;

/* The axes of a section's rows and columns. */
static void across(int axis, int *row, int *column) {
  *row = axis == 0 ? 1 : 0;
  *column = axis == 2 ? 1 : 2;
}

static hed_status take_section(const view *w, float **values, plane *p) {
  const int64_t step[3] = {w->d[1] * w->d[2], w->d[2], 1}, at = w->at[w->axis];
  const int64_t low = at > SLAB ? at - SLAB : 0, high = at + SLAB < w->d[w->axis] ? at + SLAB : w->d[w->axis] - 1;
  int row, column;
  across(w->axis, &row, &column);
  *p = (plane){.nz = w->d[w->axis], .ny = w->d[row], .nx = w->d[column], .z = at};
  p->nz = p->nz < 2 ? 2 : p->nz; /* marks are looked at along it */
  if (!(*values = malloc((size_t)(p->ny * p->nx) * sizeof **values)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %lld values", op, (long long)(p->ny * p->nx));
  p->v = *values;
  for (int64_t y = 0; y < p->ny; y++)
    for (int64_t x = 0; x < p->nx; x++) {
      double sum = 0;
      for (int64_t k = low; k <= high; k++)
        sum += (double)w->v[k * step[w->axis] + y * step[row] + x * step[column]];
      (*values)[y * p->nx + x] = (float)(sum / (double)(high - low + 1));
    }
  return HED_OK;
}

/* The marks as a section sees them, and how many hits there are, and are cut. */
static hed_picture_mark *turn_marks(const view *w, const plane *p, size_t n, const hed_picture_mark *marks, size_t *hits,
                                    size_t *here) {
  hed_picture_mark *turned = calloc(n + 1, sizeof *turned);
  int row, column;
  across(w->axis, &row, &column);
  *hits = *here = 0;
  for (size_t i = 0; turned && i < n; i++) {
    turned[i] = marks[i];
    turned[i].position[0] = marks[i].position[w->axis];
    turned[i].position[1] = marks[i].position[row];
    turned[i].position[2] = marks[i].position[column];
    *hits += marks[i].kind != HED_MARK_TRUTH;
    *here += marks[i].kind != HED_MARK_TRUTH && cut(p, &turned[i]) >= 0;
  }
  if (!turned)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %zu marks", op, n);
  return turned;
}

/* One panel, with a line above that says which axes it has, onto ON at (x0, y0) in the room of WIDTH pixels. */
static hed_status draw_panel(plot *on, double x0, double y0, double width, const view *w, const hed_picture *o, int64_t zoom,
                             size_t n, const hed_picture_mark *marks, const char *what) {
  float *values = NULL;
  double black, white;
  char title[128];
  size_t hits = 0, here = 0;
  plane p;
  int row, column;
  hed_status status = take_section(w, &values, &p);
  hed_picture_mark *turned = status == HED_OK ? turn_marks(w, &p, n, marks, &hits, &here) : NULL;
  if (!turned || limits(&p, o->low, o->high, &black, &white) != HED_OK)
    status = hed_error();
  if (status == HED_OK) {
    const sheet c = { .on = on, .left = x0, .right = x0 + width, .top = y0 + STRIP_HEIGHT,
                      .bottom = y0 + STRIP_HEIGHT + (double)(p.ny * zoom), .zoom = zoom, .along = "zyx"[w->axis] };
    across(w->axis, &row, &column);
    status = draw_slice(&c, &p, black, white);
    draw_marks(&c, &p, what ? 0 : n, turned);
    const int used = snprintf(title, sizeof title, "%s%c %" PRId64 ", %c right, %c down", what ? what : "", "zyx"[w->axis], p.z,
                              "zyx"[column], "zyx"[row]);
    if (!what)
      snprintf(title + used, sizeof title - (size_t)used, ": %zu of %zu in this section", here, hits);
    plot_text_within(on, x0 + 8, y0 + STRIP_HEIGHT / 2, width - 16, PLOT_PAPER, title);
  }
  free(values);
  free(turned);
  return status;
}

/* X as float32 on the host, from malloc(). */
static hed_status read_volume(const hed_array *x, float **values) {
  const size_t n = (size_t)hed_array_size(x);
  hed_array *single = hed_astype(x, HED_FLOAT32);
  *values = single ? malloc(n * sizeof **values) : NULL;
  const hed_status status = !single ? hed_error() : !*values ? hed_fail(HED_E_NOMEM, "%s: no memory for %zu values", op, n)
                                                             : hed_to_host(single, *values, n * sizeof **values);
  hed_release(single);
  return status;
}

static hed_status draw_sections(const char *path, view *volume, view *scores, const hed_picture *o, size_t n,
                                const hed_picture_mark *marks) {
  enum { GAP = 8 };
  const int64_t *d = volume->d;
  int64_t longest = d[0] > d[1] ? d[0] : d[1];
  longest = d[2] > longest ? d[2] : longest;
  const int64_t zoom = (LEAST_SIDE + longest - 1) / longest;
  const int64_t first = d[2] * zoom > LEAST_SIDE ? d[2] * zoom : LEAST_SIDE;
  const int64_t under = STRIP_HEIGHT + d[1] * zoom + GAP;
  const int64_t height = STRIP_HEIGHT + under + STRIP_HEIGHT + d[0] * zoom + STRIP_HEIGHT;
  const double wide = (double)first, right = wide + GAP;
  plot on;
  hed_status status = plot_begin(&on, op, path, wide + right, (double)height, PLOT_STRIP);
  if (status != HED_OK)
    return status;
  for (volume->axis = 0; volume->axis < 3 && status == HED_OK; volume->axis++)
    status = draw_panel(&on, volume->axis == 2 ? right : 0, STRIP_HEIGHT + (volume->axis ? (double)under : 0), wide, volume, o, zoom,
                        n, marks, NULL);
  if (status == HED_OK)
    status = draw_panel(&on, right, STRIP_HEIGHT, wide, scores, o, zoom, 0, NULL, "score, ");
  if (o->title)
    plot_text_within(&on, 8, STRIP_HEIGHT / 2, on.width - 16, PLOT_PAPER, o->title);
  draw_scale(&on, on.height - STRIP_HEIGHT, d[2], zoom, o->voxel);
  draw_legend(&on, on.height - STRIP_HEIGHT, n, marks);
  return plot_end(&on, status);
}

hed_status hed_picture_sections(const char *path, const hed_array *volume, const hed_array *scores, const int64_t at[3],
                                const hed_picture *opt, size_t n, const hed_picture_mark *marks) {
  hed_picture o = opt ? *opt : (hed_picture){0};
  view v[2] = {{0}, {0}};
  float *values[2] = {NULL, NULL};
  plane p;
  hed_status status = check(path, volume, &o, n, marks, &p);
  if (status != HED_OK)
    return status;
  const hed_shape s = hed_array_shape(volume), t = scores ? hed_array_shape(scores) : (hed_shape){0};
  for (int i = 0; i < 3; i++)
    if (s.ndim != 3 || t.ndim != 3 || t.dim[i] != s.dim[i] || s.dim[i] > MOST_VOXELS)
      return hed_fail(HED_E_SHAPE, "%s: sections of a volume and its scores; they have %d and %d dimensions, %lld and %lld along axis "
                      "%d", op, (int)s.ndim, (int)t.ndim, (long long)(s.ndim == 3 ? s.dim[i] : 0),
                      (long long)(t.ndim == 3 ? t.dim[i] : 0), i);
  for (int i = 0; i < 3; i++)
    if (at[i] < 0 || at[i] >= s.dim[i])
      return hed_fail(HED_E_INVAL, "%s: voxel %lld of %lld along axis %d", op, (long long)at[i], (long long)s.dim[i], i);
  for (int k = 0; k < 2 && status == HED_OK; k++) {
    status = read_volume(k ? scores : volume, &values[k]);
    v[k].v = values[k];
    memcpy(v[k].d, s.dim, sizeof v[k].d);
    memcpy(v[k].at, at, sizeof v[k].at);
  }
  if (status == HED_OK)
    status = draw_sections(path, &v[0], &v[1], &o, n, marks);
  free(values[0]);
  free(values[1]);
  return status;
}
