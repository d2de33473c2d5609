// SPDX-License-Identifier: BSD-3-Clause
/* B-mode, coherence, profiles of a point target and histograms.
 *
 * Layer: L5.
 */
#include "tools/picture/plot.h"
#include "job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "ultrasound";

enum { LEAST = 640, MOST = 4096, LEFT = 76, TOP = 36, BOTTOM = 54, RIGHT = 24, COLOUR_BAR = 90, LEVELS = 256 };

/* Of regions and curves. */
static const plot_colour shades[2] = { PLOT_SKY, PLOT_ORANGE };
static const plot_line lines[2] = { PLOT_SOLID, PLOT_DASHED };

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

/* ---- images ---- */

/* The borders of a region's elements, and its name above them. */
static hed_status outline(plot *p, const plot_frame *f, const us_region *r, int64_t nz, int64_t nx, int number)
{
  const double dx = f->width / (double)nx, dz = f->height / (double)nz;
  double *in = doubles(r->mask), top = INFINITY, middle = 0;
  if (!in)
    return hed_error();
  for (int64_t i = 0; i < nz; i++)
    for (int64_t j = 0; j < nx; j++) {
      const double x = f->x + (double)j * dx, y = f->y + (double)i * dz;
      if (in[i * nx + j] == 0)
        continue;
      if (i == 0 || in[(i - 1) * nx + j] == 0)
        plot_segment(p, x, y, x + dx, y, 1.5, PLOT_SOLID, shades[number]);
      if (i == nz - 1 || in[(i + 1) * nx + j] == 0)
        plot_segment(p, x, y + dz, x + dx, y + dz, 1.5, PLOT_SOLID, shades[number]);
      if (j == 0 || in[i * nx + j - 1] == 0)
        plot_segment(p, x, y, x, y + dz, 1.5, PLOT_SOLID, shades[number]);
      if (j == nx - 1 || in[i * nx + j + 1] == 0)
        plot_segment(p, x + dx, y, x + dx, y + dz, 1.5, PLOT_SOLID, shades[number]);
      middle = y < top ? x : middle;
      top = fmin(top, y);
    }
  free(in);
  if (isfinite(top))
    plot_label(p, fmax(f->x, middle - plot_text_width(p, PLOT_SIZE, r->name) / 2), fmax(f->y, top - 20), shades[number], r->name);
  return HED_OK;
}

/* The range of greys with its ends. */
static hed_status grey_bar(plot *p, const plot_frame *beside, double low, double high, const char *unit)
{
  uint8_t greys[LEVELS];
  const double x = beside->x + beside->width + 24;
  const plot_frame f = { .x = x, .y = beside->y, .width = 14, .height = beside->height, .y_low = low, .y_high = high,
                         .ink = PLOT_PAPER };
  char text[32];
  for (int i = 0; i < LEVELS; i++)
    greys[i] = (uint8_t)(LEVELS - 1 - i);
  const hed_status status = plot_greys(p, x, f.y, 1, LEVELS, f.width, f.height / LEVELS, greys);
  const double step = plot_round((high - low) / fmax(1, f.height / 90));
  for (double v = ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) {
    snprintf(text, sizeof text, "%.4g%s", fabs(v) < 1e-9 * step ? 0 : v, unit);
    plot_text(p, x + f.width + 4, plot_y(&f, v), 0, .5, PLOT_SIZE - 1, PLOT_PAPER, text);
  }
  return status;
}

/* IMAGE (nz, nx), LOW black and HIGH white; NaN is black. */
static hed_status picture_of(const char *path, const us_job *j, const hed_array *image, double low, double high, const char *unit,
                             const char *title)
{
  const hed_shape s = hed_array_shape(image);
  const int64_t nz = s.dim[0], nx = s.dim[1], n = nz * nx;
  const bool metres = strcmp(j->unit, "m") == 0;
  const double scale = metres ? 1e3 : 1, deep = (double)nz * j->grid.dz, wide = (double)nx * j->grid.dx, longer = fmax(deep, wide);
  const double pixel = fmax(fmin(longer / LEAST, fmin(j->grid.dz, j->grid.dx)), longer / MOST);
  const double width = fmax(120, round(wide / pixel)), height = fmax(60, round(deep / pixel));
  const plot_frame f = { .x = LEFT, .y = TOP, .width = width, .height = height,
                         .x_low = (j->grid.x0 - j->grid.dx / 2) * scale, .x_high = (j->grid.x0 - j->grid.dx / 2 + wide) * scale,
                         .y_high = (j->grid.z0 - j->grid.dz / 2) * scale, .y_low = (j->grid.z0 - j->grid.dz / 2 + deep) * scale,
                         .ink = PLOT_PAPER, .grid = PLOT_PAPER, .x_title = metres ? "lateral, mm" : "lateral, elements",
                         .y_title = metres ? "depth, mm" : "depth, elements" };
  plot p;
  double *values = doubles(image);
  uint8_t *greys = values ? malloc((size_t)n) : NULL;
  hed_status status = !values ? hed_error() : !greys ? hed_fail(HED_E_NOMEM, "%s: no memory for %lld greys", op, (long long)n)
                    : plot_begin(&p, op, path, LEFT + width + COLOUR_BAR + RIGHT, TOP + height + BOTTOM, PLOT_STRIP);
  for (int64_t i = 0; status == HED_OK && i < n; i++) {
    const double g = (values[i] - low) / (high - low) * 255;
    greys[i] = (uint8_t)(g > 0 ? fmin(g + 0.5, 255) : 0);
  }
  if (status == HED_OK) {
    status = plot_greys(&p, LEFT, TOP, nx, nz, width / (double)nx, height / (double)nz, greys);
    plot_axes(&p, &f);
    for (int i = 0; i < j->n_regions && status == HED_OK; i++)
      if (hed_array_shape(j->region[i].mask).dim[0] == nz && hed_array_shape(j->region[i].mask).dim[1] == nx)
        status = outline(&p, &f, &j->region[i], nz, nx, i != 0);
    plot_text(&p, LEFT, TOP / 2, 0, .5, PLOT_SIZE, PLOT_PAPER, title);
    if (status == HED_OK)
      status = grey_bar(&p, &f, low, high, unit);
    status = plot_end(&p, status);
  }
  free(values);
  free(greys);
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

enum { PLOT_WIDTH = 760, PLOT_HEIGHT = 480 };

/* Two curves over a common range. */
static hed_status draw_curves(const char *path, const curve v[2], double y_low, double y_high, const char *title, const char *below,
                              const char *beside)
{
  plot p;
  plot_frame f = { .x = LEFT, .y = TOP, .width = PLOT_WIDTH - LEFT - RIGHT, .height = PLOT_HEIGHT - TOP - BOTTOM, .x_low = INFINITY,
                   .x_high = -INFINITY, .y_low = y_low, .y_high = y_high, .ink = PLOT_BLACK, .grid = PLOT_FAINT, .x_title = below,
                   .y_title = beside };
  static const plot_colour dark[2] = { PLOT_BLUE, PLOT_VERMILION };
  plot_entry entries[2];
  for (int k = 0; k < 2; k++) {
    entries[k] = (plot_entry){ .name = v[k].name, .colour = dark[k], .line = lines[k] };
    for (int64_t i = 0; i < v[k].n; i++) {
      f.x_low = fmin(f.x_low, v[k].x[i]);
      f.x_high = fmax(f.x_high, v[k].x[i]);
    }
  }
  if (!(f.x_high > f.x_low))
    f.x_high = f.x_low + 1;
  const hed_status status = plot_begin(&p, op, path, PLOT_WIDTH, PLOT_HEIGHT, PLOT_WHITE);
  if (status != HED_OK)
    return status;
  plot_axes(&p, &f);
  for (int k = 0; k < 2; k++)
    plot_curve(&p, &f, v[k].n, v[k].x, v[k].y, lines[k], dark[k]);
  plot_text(&p, LEFT, TOP / 2, 0, .5, PLOT_SIZE, PLOT_BLACK, title);
  plot_legend(&p, PLOT_WIDTH - RIGHT, TOP / 2, 2, entries, PLOT_BLACK);
  return plot_end(&p, status);
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
  static const char *const names[2] = { "axial (z)", "lateral (x)" };
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
    status = draw_curves(path, v, -j->dynamic_range, 0, "Lines through the peak of a point target",
                         unit > 1 ? "distance from the peak, mm" : "distance from the peak, elements", "envelope, dB");
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
    status = draw_curves(path, v, 0, most > 0 ? most : 1, "Histograms of both regions", "envelope", "part of the elements");
  curves_free(v);
  return status;
}

/* ---- which files ---- */

typedef enum kind { BMODE, MAP, MAP_PICTURE, PSF, HISTOGRAMS, KINDS } kind;
static const char *const suffixes[KINDS] = { "_bmode.png", "_coherence.npy", "_coherence.png", "_psf.png", "_gcnr.png" };

static bool belongs(const us_job *j, kind k)
{
  const bool plane = j->before && hed_array_ndim(j->rf) == 2;
  if (k != MAP && !plot_available())
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
  if (j->bmode && !plot_available())
    return tool_fail(STATUS_USAGE, "--bmode: built without Cairo");
  if (j->bmode && !plot_ending(j->bmode))
    return tool_fail(STATUS_USAGE, "--bmode: '%s': a picture's name ends in .png, .svg or .pdf", j->bmode);
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
