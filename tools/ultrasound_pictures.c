// SPDX-License-Identifier: BSD-3-Clause
/*
 * ultrasound_pictures.c: B-mode, coherence, profiles of a point target and histograms, as PNG.
 *
 * Layer: L5.
 */
#include "canvas.h"
#include "font.h"
#include "picture.h"
#include "picture_png.h"
#include "ultrasound_job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "ultrasound";

enum { GREYS = 240, FIRST = 240, SECOND, PAPER, STRIP, GRID, LEAST = 640, MOST = 4096, STRIP_HEIGHT = 28,
    LETTER = FONT_HEIGHT * CANVAS_TEXT };

static const uint8_t (*palette(void))[3]
{
  static const uint8_t colours[5][3] = { { 60, 230, 90 }, { 255, 165, 40 }, { 235, 235, 235 }, { 28, 32, 40 }, { 80, 86, 96 } };
  static uint8_t all[256][3];
  for (int i = 0; i < GREYS; i++)
    memset(all[i], (i * 255 + GREYS / 2) / (GREYS - 1), 3);
  memcpy(all[FIRST], colours, sizeof colours);
  return (const uint8_t (*)[3])all;
}

static hed_status finish(const char *path, canvas *c)
{
  const hed_status status = picture_png_write(op, path, (uint32_t)c->width, (uint32_t)c->height, palette(), c->px);
  canvas_free(c);
  return status;
}

/* Elements as doubles from malloc(). */
static double *doubles(const hed_array *x)
{
  const int64_t n = hed_array_size(x);
  double *v = malloc(n > 0 ? (size_t)n * sizeof *v : 1);
  if (!v)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for a picture of %lld elements", op, (long long)n);
  else if (hed_tolist(hed_ravel(x), v, n) != HED_OK) {
    free(v);
    v = NULL;
  }
  return v;
}

static void length_text(char *out, size_t room, double length, const char *unit)
{
  if (strcmp(unit, "m") == 0)
    snprintf(out, room, length >= 1e-3 ? "%.6g mm" : "%.6g um", length * (length >= 1e-3 ? 1e3 : 1e6));
  else
    snprintf(out, room, "%.6g %s", length, unit);
}

/* ---- images ---- */

typedef struct view {
  const us_job *job;
  int64_t nz, nx;
  double dz, dx, pixel; /* of elements and of a pixel of the picture */
} view;

static int64_t element(int64_t at, double pixel, double step, int64_t n)
{
  const int64_t i = (int64_t)(((double)at + 0.5) * pixel / step);
  return i < n ? i : n - 1;
}

/* The borders of a region, and its name. */
static hed_status outline(canvas *c, const view *v, const us_region *r, uint8_t colour, int64_t width, int64_t height)
{
  double *in = doubles(r->mask);
  bool named = false;
  if (!in)
    return hed_error();
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const int64_t i = element(y, v->pixel, v->dz, v->nz), j = element(x, v->pixel, v->dx, v->nx);
      if (in[i * v->nx + j] == 0)
        continue;
      const int64_t up = y ? element(y - 1, v->pixel, v->dz, v->nz) : -1, down = y + 1 < height ? element(y + 1, v->pixel,
          v->dz, v->nz) : -1;
      const int64_t left = x ? element(x - 1, v->pixel, v->dx, v->nx) : -1, right = x + 1 < width ? element(x + 1, v->pixel,
          v->dx, v->nx) : -1;
      if (up < 0 || down < 0 || left < 0 || right < 0 || in[up * v->nx + j] == 0 || in[down * v->nx + j] == 0 ||
          in[i * v->nx + left] == 0 || in[i * v->nx + right] == 0)
        canvas_dot(c, x, STRIP_HEIGHT + y, colour);
      if (!named) {
        canvas_text(c, x - canvas_text_width(r->name) / 2, STRIP_HEIGHT + (y > LETTER + 4 ? y - LETTER - 4 : y + 4), colour,
            r->name);
        named = true;
      }
    }
  free(in);
  return HED_OK;
}

/* A bar of length, and the range of greys with its ends. */
static void legend(canvas *c, const view *v, double low, double high, const char *unit)
{
  char text[48];
  const double length = canvas_round((double)v->nx * v->dx / 4);
  const int64_t y = c->height - STRIP_HEIGHT, bar = (int64_t)(length / v->pixel + 0.5), letters = y + (STRIP_HEIGHT - LETTER) / 2;
  canvas_box(c, 8, y + STRIP_HEIGHT / 2 - 2, bar, 4, PAPER);
  length_text(text, sizeof text, length, v->job->unit);
  canvas_text(c, 18 + bar, letters, PAPER, text);
  snprintf(text, sizeof text, "%g%s", high, unit);
  int64_t x = c->width - 8 - canvas_text_width(text);
  canvas_text(c, x, letters, PAPER, text);
  for (int64_t i = 0; i < 96; i++)
    canvas_box(c, x - 104 + i, letters, 1, LETTER, (uint8_t)(i * (GREYS - 1) / 95));
  snprintf(text, sizeof text, "%g%s", low, unit);
  canvas_text(c, x - 112 - canvas_text_width(text), letters, PAPER, text);
}

/* IMAGE (nz, nx), LOW black and HIGH white; NaN is black. */
static hed_status picture_of(const char *path, const us_job *j, const hed_array *image, double low, double high, const char *unit,
                             const char *title)
{
  const hed_shape s = hed_array_shape(image);
  view v = { .job = j, .nz = s.dim[0], .nx = s.dim[1], .dz = j->grid.dz, .dx = j->grid.dx };
  const double deep = (double)v.nz * v.dz, wide = (double)v.nx * v.dx, longer = fmax(deep, wide);
  v.pixel = fmax(fmin(longer / LEAST, fmin(v.dz, v.dx)), longer / MOST);
  const int64_t width = (int64_t)fmax(1, round(wide / v.pixel)), height = (int64_t)fmax(1, round(deep / v.pixel));
  canvas c;
  double *values = doubles(image);
  hed_status status = values ? canvas_make(op, &c, width < LEAST ? LEAST : width, height + 2 * STRIP_HEIGHT, STRIP) : hed_error();
  if (status != HED_OK) {
    free(values);
    return status;
  }
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const double g = (values[element(y, v.pixel, v.dz, v.nz) * v.nx + element(x, v.pixel, v.dx,
          v.nx)] - low) / (high - low) * (GREYS - 1);
      canvas_dot(&c, x, STRIP_HEIGHT + y, (uint8_t)(g > 0 ? fmin(g + 0.5, GREYS - 1) : 0));
    }
  free(values);
  for (int i = 0; i < j->n_regions && status == HED_OK; i++)
    if (hed_array_shape(j->region[i].mask).dim[0] == v.nz && hed_array_shape(j->region[i].mask).dim[1] == v.nx)
      status = outline(&c, &v, &j->region[i], i ? SECOND : FIRST, width, height);
  canvas_text(&c, 8, (STRIP_HEIGHT - LETTER) / 2, PAPER, title);
  legend(&c, &v, low, high, unit);
  if (status == HED_OK)
    return finish(path, &c);
  canvas_free(&c);
  return status;
}

static hed_status bmode(const char *path, us_job *j)
{
  hed_array *db = hed_us_bmode_db(j->image, &(hed_us_bmode){ .dynamic_range = j->dynamic_range });
  return db ? picture_of(path, j, db, -j->dynamic_range, 0, " dB", "B-mode") : hed_error();
}

/* ---- plots ---- */

typedef struct curve {
  double *x, *y;
  int64_t n;
  const char *name;
} curve;

enum { PLOT_WIDTH = 760, PLOT_HEIGHT = 480, LEFT = 90, RIGHT = 20, TOP = 40, BOTTOM = 60 };

/* Two curves over a common range, with a grid of round steps. */
static hed_status plot(const char *path, const curve v[2], double y_low, double y_high, const char *title, const char *below)
{
  canvas c;
  double x_low = INFINITY, x_high = -INFINITY;
  char text[48];
  for (int k = 0; k < 2; k++)
    for (int64_t i = 0; i < v[k].n; i++) {
      x_low = fmin(x_low, v[k].x[i]);
      x_high = fmax(x_high, v[k].x[i]);
    }
  if (!(x_high > x_low))
    x_high = x_low + 1;
  const hed_status status = canvas_make(op, &c, PLOT_WIDTH, PLOT_HEIGHT, STRIP);
  if (status != HED_OK)
    return status;
  const double wide = PLOT_WIDTH - LEFT - RIGHT, high = PLOT_HEIGHT - TOP - BOTTOM, x_scale = wide / (x_high - x_low),
      y_scale = high / (y_high - y_low);
  const double x_step = canvas_round((x_high - x_low) / 3), y_step = canvas_round((y_high - y_low) / 3);
  for (double x = ceil(x_low / x_step) * x_step; x <= x_high * (1 + 1e-12); x += x_step) {
    const double at = LEFT + (x - x_low) * x_scale;
    canvas_line(&c, at, TOP, at, TOP + high, GRID);
    snprintf(text, sizeof text, "%.4g", fabs(x) < 1e-9 * x_step ? 0 : x);
    canvas_text(&c, (int64_t)at - canvas_text_width(text) / 2, PLOT_HEIGHT - BOTTOM + 8, PAPER, text);
  }
  for (double y = ceil(y_low / y_step - 1e-9) * y_step; y <= y_high + 1e-9 * y_step; y += y_step) {
    const double at = TOP + (y_high - y) * y_scale;
    canvas_line(&c, LEFT, at, LEFT + wide, at, GRID);
    snprintf(text, sizeof text, "%.4g", fabs(y) < 1e-9 * y_step ? 0 : y);
    canvas_text(&c, LEFT - 10 - canvas_text_width(text), (int64_t)at - LETTER / 2, PAPER, text);
  }
  int64_t right = PLOT_WIDTH - RIGHT;
  for (int k = 1; k >= 0; k--) {
    const uint8_t colour = k ? SECOND : FIRST;
    for (int64_t i = 1; i < v[k].n; i++)
      canvas_line(&c, LEFT + (v[k].x[i - 1] - x_low) * x_scale, TOP + (y_high - v[k].y[i - 1]) * y_scale,
                  LEFT + (v[k].x[i] - x_low) * x_scale, TOP + (y_high - v[k].y[i]) * y_scale, colour);
    right -= canvas_text_width(v[k].name) + 20;
    canvas_text(&c, right, (TOP - LETTER) / 2, colour, v[k].name);
  }
  canvas_text(&c, 8, (TOP - LETTER) / 2, PAPER, title);
  canvas_text(&c, LEFT + (int64_t)wide / 2 - canvas_text_width(below) / 2, PLOT_HEIGHT - 8 - LETTER, PAPER, below);
  return finish(path, &c);
}

static void curves_free(curve v[2])
{
  for (int k = 0; k < 2; k++) {
    free(v[k].x);
    free(v[k].y);
  }
}

/* Both lines through the largest element, in decibels over the distance from it. */
static hed_status psf(const char *path, us_job *j)
{
  static const char *const names[2] = { "z", "x" };
  const double unit = strcmp(j->unit, "m") == 0 ? 1e3 : 1, step[2] = { j->grid.dz * unit, j->grid.dx * unit };
  int64_t peak[2];
  curve v[2] = { { .name = names[0] }, { .name = names[1] } };
  hed_array *db = hed_us_bmode_db(j->image, &(hed_us_bmode){ .dynamic_range = j->dynamic_range });
  hed_status status = db ? hed_us_peak(j->image, &(hed_us_psf){ .roi = j->n_regions ? j->region[0].mask : NULL },
      peak) : hed_error();
  for (int k = 0; k < 2 && status == HED_OK; k++) {
    v[k].n = hed_array_shape(db).dim[k];
    v[k].y = doubles(hed_index(db, 1 - k, peak[1 - k]));
    v[k].x = malloc((size_t)v[k].n * sizeof(double));
    if (!v[k].y || !v[k].x)
      status = v[k].y ? hed_fail(HED_E_NOMEM, "%s: no memory for a profile", op) : hed_error();
    for (int64_t i = 0; i < v[k].n && status == HED_OK; i++)
      v[k].x[i] = (double)(i - peak[k]) * step[k];
  }
  if (status == HED_OK)
    status = plot(path, v, -j->dynamic_range, 0, "Point target, dB", unit > 1 ? "mm from the peak" : "elements from the peak");
  curves_free(v);
  return status;
}

/* Parts of the first two regions' elements in common bins. */
static hed_status histograms(const char *path, us_job *j)
{
  const int64_t bins = j->bins ? j->bins : 100;
  double low = INFINITY, high = -INFINITY, most = 0, v_low, v_high;
  hed_array *x[2], *h;
  curve v[2] = { { .name = j->region[0].name }, { .name = j->region[1].name } };
  hed_status status = HED_OK;
  for (int k = 0; k < 2 && status == HED_OK; k++) {
    x[k] = hed_compress(j->image, j->region[k].mask);
    status = hed_item(hed_min(x[k], NULL), &v_low);
    if (status == HED_OK)
      status = hed_item(hed_max(x[k], NULL), &v_high);
    low = fmin(low, v_low);
    high = fmax(high, v_high);
  }
  for (int k = 0; k < 2 && status == HED_OK; k++) {
    status = hed_histogram(x[k], &(hed_histogram_options){ .bins = bins, .use_range = true, .low = low, .high = high }, &h, NULL);
    double *part = status == HED_OK ? doubles(h) : NULL;
    v[k] = (curve){ malloc((size_t)bins * 2 * sizeof(double)), malloc((size_t)bins * 2 * sizeof(double)), 2 * bins, v[k].name };
    if (!part || !v[k].x || !v[k].y)
      status = status != HED_OK || !part ? hed_error() : hed_fail(HED_E_NOMEM, "%s: no memory for %lld bins", op,
          (long long)bins);
    for (int64_t i = 0; i < 2 * bins && status == HED_OK; i++) {
      v[k].x[i] = low + (high - low) * (double)((i + 1) / 2) / (double)bins;
      v[k].y[i] = part[i / 2] / (double)hed_array_size(x[k]);
      most = fmax(most, v[k].y[i]);
    }
    free(part);
  }
  if (status == HED_OK)
    status = plot(path, v, 0, most > 0 ? most : 1, "Part of elements", "envelope");
  curves_free(v);
  return status;
}

/* ---- which files ---- */

typedef enum kind { BMODE, MAP, MAP_PICTURE, PSF, HISTOGRAMS, KINDS } kind;
static const char *const suffixes[KINDS] = { "_bmode.png", "_coherence.npy", "_coherence.png", "_psf.png", "_gcnr.png" };

static bool belongs(const us_job *j, kind k)
{
  const bool plane = j->before && hed_array_ndim(j->rf) == 2;
  if (k != MAP && !picture_available())
    return false;
  switch (k) {
  case BMODE: return j->image;
  case MAP: return j->before;
  case MAP_PICTURE: return plane;
  case PSF: return j->image && j->grid.nz > 1 && j->grid.nx > 1;
  default: return j->image && j->n_regions > 1;
  }
}

int us_job_announce(const us_job *j, outputs *o)
{
  int code = 0;
  if (j->bmode && !j->image)
    return tool_fail(STATUS_USAGE, "--bmode: '%s' is a line, not an image", j->file);
  if (j->bmode && !picture_available())
    return tool_fail(STATUS_USAGE, "--bmode: built without libpng");
  if (j->bmode)
    code = outputs_prefix(o, j->bmode);
  if (j->bmode && code == 0)
    code = outputs_add(o, j->bmode, "");
  if (j->prefix && code == 0)
    code = outputs_prefix(o, j->prefix);
  for (int k = 0; j->prefix && k < KINDS && code == 0; k++)
    if (belongs(j, (kind)k))
      code = outputs_add(o, j->prefix, suffixes[k]);
  return code ? code : outputs_input(o, j->file);
}

static hed_status coherence_map(us_job *j)
{
  if (!j->map)
    j->map = hed_us_coherence_factor(j->before, &(hed_us_coherence){ .axis = HED_AXES(j->channel_axis) });
  return j->map ? HED_OK : hed_error();
}

hed_status us_job_write(us_job *j, const outputs *o)
{
  int file = 0;
  hed_status status = j->bmode ? bmode(outputs_name(o, file++), j) : HED_OK;
  for (int k = 0; j->prefix && k < KINDS && status == HED_OK; k++) {
    if (!belongs(j, (kind)k))
      continue;
    const char *path = outputs_name(o, file++);
    if (k == MAP || k == MAP_PICTURE)
      status = coherence_map(j);
    if (status != HED_OK)
      break;
    status = k == BMODE ? bmode(path, j)
           : k == MAP ? hed_save_npy(path, j->map)
           : k == MAP_PICTURE ? picture_of(path, j, j->map, 0, 1, "", "Coherence")
           : k == PSF ? psf(path, j) : histograms(path, j);
  }
  return status;
}
