// SPDX-License-Identifier: BSD-3-Clause
/* Elements of pictures, by Cairo, which nothing else knows.
 *
 * Layer: L5.
 */
#include "plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

double plot_round(double most)
{
  const double power = pow(10, floor(log10(most)));
  return 5 * power <= most ? 5 * power : 2 * power <= most ? 2 * power : power;
}

double plot_x(const plot_frame *f, double x)
{
  return f->x + f->width * (x - f->x_low) / (f->x_high - f->x_low);
}

double plot_y(const plot_frame *f, double y)
{
  return f->y + f->height * (f->y_high - y) / (f->y_high - f->y_low);
}

/* Has PATH that ending? Of a temporary name of hed_file_create(), what it stands for: "a.png.1234.5.tmp". */
static bool ends_in(const char *path, const char *ending)
{
  size_t n = strlen(path);
  const size_t k = strlen(ending);
  if (n > 4 && strcmp(path + n - 4, ".tmp") == 0) {
    n -= 4;
    for (int part = 0; part < 2; part++) {
      while (n > 0 && path[n - 1] >= '0' && path[n - 1] <= '9')
        n--;
      n -= n > 0 && path[n - 1] == '.';
    }
  }
  return n >= k && strncasecmp(path + n - k, ending, k) == 0;
}

bool plot_ending(const char *path)
{
  return ends_in(path, ".png") || ends_in(path, ".svg") || ends_in(path, ".pdf");
}

#ifdef HED_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>

enum { PLATE = 3, SAMPLE = 22, TICK = 5 };

static const double pi = 3.14159265358979323846;

/* Those of marks and curves are of Okabe and Ito's set, some brighter for dark ground. */
static const double colours[][3] = {
  [PLOT_WHITE] = { 1, 1, 1 }, [PLOT_BLACK] = { 0, 0, 0 }, [PLOT_GREY] = { 170 / 255., 170 / 255., 170 / 255. },
  [PLOT_FAINT] = { .85, .85, .85 },
  [PLOT_STRIP] = { 28 / 255., 32 / 255., 40 / 255. }, [PLOT_PAPER] = { 235 / 255., 235 / 255., 235 / 255. },
  [PLOT_BLUE] = { 0, 114 / 255., 178 / 255. }, [PLOT_VERMILION] = { 213 / 255., 94 / 255., 0 },
  [PLOT_SKY] = { 120 / 255., 215 / 255., 1 }, [PLOT_ORANGE] = { 230 / 255., 159 / 255., 0 },
  [PLOT_RED] = { 1, 80 / 255., 60 / 255. },
};

bool plot_available(void)
{
  return true;
}

static void ink(plot *p, plot_colour colour)
{
  cairo_set_source_rgb(p->context, colours[colour][0], colours[colour][1], colours[colour][2]);
}

static cairo_status_t put(void *file, const unsigned char *bytes, unsigned int n)
{
  return hed_file_write(file, bytes, n) == HED_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

hed_status plot_begin(plot *p, const char *op, const char *path, double width, double height, plot_colour paper)
{
  *p = (plot){ .op = op, .path = path, .width = width, .height = height };
  if (!plot_ending(path))
    return hed_fail(HED_E_INVAL, "%s: '%s': a picture's name ends in .png, .svg or .pdf", op, path);
  const hed_status status = hed_file_create(op, path, &p->file);
  if (status != HED_OK)
    return status;
  p->surface = ends_in(path, ".svg") ? cairo_svg_surface_create_for_stream(put, p->file, width, height)
             : ends_in(path, ".pdf") ? cairo_pdf_surface_create_for_stream(put, p->file, width, height)
                                     : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
  p->context = cairo_create(p->surface);
  if (cairo_status(p->context) != CAIRO_STATUS_SUCCESS)
    return plot_end(p, hed_fail(HED_E_NOMEM, "%s: no memory for a picture of %.0f x %.0f", op, width, height));
  cairo_select_font_face(p->context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  plot_box(p, 0, 0, width, height, paper);
  return HED_OK;
}

hed_status plot_end(plot *p, hed_status status)
{
  cairo_status_t drawn = cairo_status(p->context);
  cairo_destroy(p->context);
  if (drawn == CAIRO_STATUS_SUCCESS && status == HED_OK && cairo_surface_get_type(p->surface) == CAIRO_SURFACE_TYPE_IMAGE)
    drawn = cairo_surface_write_to_png_stream(p->surface, put, p->file);
  cairo_surface_finish(p->surface);
  if (drawn == CAIRO_STATUS_SUCCESS)
    drawn = cairo_surface_status(p->surface);
  cairo_surface_destroy(p->surface);
  /* What could not be written is the file's own failure, which closing it says. */
  if (status == HED_OK && drawn != CAIRO_STATUS_SUCCESS && drawn != CAIRO_STATUS_WRITE_ERROR)
    status = hed_fail(drawn == CAIRO_STATUS_NO_MEMORY ? HED_E_NOMEM : HED_E_IO, "%s: cannot draw '%s': %s", p->op, p->path,
                      cairo_status_to_string(drawn));
  return hed_file_close(p->file, status);
}

/* ---- text ---- */

static void box_of(plot *p, double size, const char *s, double *width, double *up, double *height)
{
  cairo_text_extents_t t;
  cairo_font_extents_t f;
  cairo_set_font_size(p->context, size);
  cairo_text_extents(p->context, s, &t);
  cairo_font_extents(p->context, &f);
  *width = t.x_advance;
  *up = f.ascent;
  *height = f.ascent + f.descent;
}

double plot_text_width(plot *p, double size, const char *s)
{
  double width, up, height;
  box_of(p, size, s, &width, &up, &height);
  return width;
}

void plot_text(plot *p, double x, double y, double across, double down, double size, plot_colour colour, const char *s)
{
  double width, up, height;
  box_of(p, size, s, &width, &up, &height);
  ink(p, colour);
  cairo_move_to(p->context, x - across * width, y - down * height + up);
  cairo_show_text(p->context, s);
}

void plot_text_within(plot *p, double x, double y, double width, plot_colour colour, const char *s)
{
  const double wide = plot_text_width(p, PLOT_SIZE, s);
  plot_text(p, x, y, 0, .5, wide > width ? PLOT_SIZE * width / wide : PLOT_SIZE, colour, s);
}

void plot_label(plot *p, double x, double y, plot_colour colour, const char *s)
{
  double width, up, height;
  box_of(p, PLOT_SIZE, s, &width, &up, &height);
  plot_box(p, x, y, width + 2 * PLATE, height, PLOT_STRIP);
  plot_text(p, x + PLATE, y, 0, 0, PLOT_SIZE, colour, s);
}

/* ---- shapes ---- */

void plot_box(plot *p, double x, double y, double width, double height, plot_colour colour)
{
  ink(p, colour);
  cairo_rectangle(p->context, x, y, width, height);
  cairo_fill(p->context);
}

static void stroke(plot *p, double thick, plot_line line, plot_colour colour)
{
  static const double dashes[2] = { 6, 4 }, dots[2] = { 1.5, 3 };
  cairo_set_dash(p->context, line == PLOT_DOTTED ? dots : dashes, line == PLOT_DASHED || line == PLOT_DOTTED ? 2 : 0, 0);
  cairo_set_line_width(p->context, thick);
  ink(p, colour);
  cairo_stroke(p->context);
}

void plot_segment(plot *p, double x0, double y0, double x1, double y1, double thick, plot_line line, plot_colour colour)
{
  cairo_move_to(p->context, x0, y0);
  cairo_line_to(p->context, x1, y1);
  stroke(p, thick, line, colour);
}

void plot_ring(plot *p, double x, double y, double r, plot_line line, plot_colour colour, double top, double bottom)
{
  const double s = fmin(r, 5) * 0.7071;
  cairo_save(p->context);
  cairo_rectangle(p->context, 0, top, p->width, bottom - top);
  cairo_clip(p->context);
  for (int seam = 1; seam >= 0; seam--) {
    cairo_new_sub_path(p->context);
    cairo_arc(p->context, x, y, r, 0, 2 * pi);
    stroke(p, seam ? 4.5 : 2.5, line, seam ? PLOT_BLACK : colour);
    if (line != PLOT_CROSSED)
      continue;
    cairo_move_to(p->context, x - s, y - s);
    cairo_line_to(p->context, x + s, y + s);
    cairo_move_to(p->context, x - s, y + s);
    cairo_line_to(p->context, x + s, y - s);
    stroke(p, seam ? 4 : 2, PLOT_SOLID, seam ? PLOT_BLACK : colour);
  }
  cairo_restore(p->context);
}

void plot_dot(plot *p, double x, double y, double r, plot_colour colour)
{
  ink(p, colour);
  cairo_new_sub_path(p->context);
  cairo_arc(p->context, x, y, r, 0, 2 * pi);
  cairo_fill(p->context);
}

/* Of GREYS or, where that is NULL, of RGB. */
static hed_status image(plot *p, const plot_frame *at, int64_t nx, int64_t ny, const uint8_t *greys, const uint32_t *rgb)
{
  cairo_surface_t *all = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)nx, (int)ny);
  unsigned char *data = cairo_image_surface_get_data(all);
  const int stride = cairo_image_surface_get_stride(all);
  if (!data) {
    cairo_surface_destroy(all);
    return hed_fail(HED_E_NOMEM, "%s: no memory for an image of %lld x %lld", p->op, (long long)nx, (long long)ny);
  }
  cairo_surface_flush(all);
  for (int64_t i = 0; i < ny; i++)
    for (int64_t j = 0; j < nx; j++) {
      const uint32_t g = greys ? greys[i * nx + j] : 0, one = greys ? g << 16 | g << 8 | g : rgb[i * nx + j];
      memcpy(data + i * stride + 4 * j, &one, sizeof one);
    }
  cairo_surface_mark_dirty(all);
  cairo_save(p->context);
  cairo_rectangle(p->context, at->x, at->y, at->width, at->height);
  cairo_clip(p->context);
  cairo_translate(p->context, at->x, at->y);
  cairo_scale(p->context, at->width / (double)nx, at->height / (double)ny);
  cairo_set_source_surface(p->context, all, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(p->context), CAIRO_FILTER_NEAREST);
  cairo_paint(p->context);
  cairo_restore(p->context);
  cairo_surface_destroy(all);
  return HED_OK;
}

hed_status plot_greys(plot *p, double x, double y, int64_t nx, int64_t ny, double zoom_x, double zoom_y, const uint8_t *greys)
{
  const plot_frame at = { .x = x, .y = y, .width = (double)nx * zoom_x, .height = (double)ny * zoom_y };
  return image(p, &at, nx, ny, greys, NULL);
}

hed_status plot_colours(plot *p, double x, double y, int64_t nx, int64_t ny, double zoom_x, double zoom_y, const uint32_t *rgb)
{
  const plot_frame at = { .x = x, .y = y, .width = (double)nx * zoom_x, .height = (double)ny * zoom_y };
  return image(p, &at, nx, ny, NULL, rgb);
}

/* ---- frames ---- */

/* As many digits as tell neighbours apart, as far as there is room; STEP 0: never a zero. */
static void tick_text(char *out, size_t room, double value, double step)
{
  const double digits = step > 0 && value != 0 ? ceil(log10(fabs(value) / step) - 1e-9) + 1 : 6;
  snprintf(out, room, "%.*g", (int)fmin(fmax(digits, 6), 7), fabs(value) < 1e-9 * step ? 0 : value);
}

enum { MOST_TICKS = 200 }; /* where steps vanish beside the values, too */

static void x_ticks(plot *p, const plot_frame *f)
{
  char text[32];
  const double wanted = plot_round((f->x_high - f->x_low) / fmax(1, f->width / 120)), base = f->y + f->height;
  const double step = f->x_whole ? fmax(1, wanted) : wanted;
  for (int i = 0; i < MOST_TICKS; i++) {
    const double x = (ceil(f->x_low / step - 1e-9) + i) * step, at = plot_x(f, x);
    if (!(x <= f->x_high + 1e-9 * step))
      break;
    if (f->grid != f->ink)
      plot_segment(p, at, f->y, at, base, 1, PLOT_SOLID, f->grid);
    plot_segment(p, at, base, at, base + TICK, 1, PLOT_SOLID, f->ink);
    tick_text(text, sizeof text, x, step);
    plot_text(p, at, base + TICK + 1, .5, 0, PLOT_SIZE - 1, f->ink, text);
  }
}

static void y_tick(plot *p, const plot_frame *f, double y, double step)
{
  char text[32];
  const double at = plot_y(f, y);
  if (f->grid != f->ink)
    plot_segment(p, f->x, at, f->x + f->width, at, 1, PLOT_SOLID, f->grid);
  plot_segment(p, f->x - TICK, at, f->x, at, 1, PLOT_SOLID, f->ink);
  tick_text(text, sizeof text, f->y_log ? pow(10, y) : y, step);
  plot_text(p, f->x - TICK - 3, at, 1, .5, PLOT_SIZE - 1, f->ink, text);
}

static void y_ticks(plot *p, const plot_frame *f)
{
  const double low = fmin(f->y_low, f->y_high), high = fmax(f->y_low, f->y_high);
  const bool few = f->y_log && high - low < 2;
  const double step = f->y_log ? fmax(1, ceil((high - low) / fmax(1, f->height / 24)))
                               : plot_round((high - low) / fmax(1, f->height / 60));
  for (int i = 0; i < MOST_TICKS; i++)
    for (int part = 1; part <= (few ? 5 : 1); part = part == 2 ? 5 : part + 1) {
      const double at = few ? floor(low) + i + log10(part) : (ceil(low / step - 1e-9) + i) * step;
      if (at > high + 1e-9 * step)
        return;
      if (at >= low - 1e-9 * step)
        y_tick(p, f, at, f->y_log ? 0 : step);
    }
}

void plot_axes(plot *p, const plot_frame *f)
{
  x_ticks(p, f);
  y_ticks(p, f);
  plot_segment(p, f->x, f->y + f->height, f->x + f->width, f->y + f->height, 1, PLOT_SOLID, f->ink);
  plot_segment(p, f->x, f->y, f->x, f->y + f->height, 1, PLOT_SOLID, f->ink);
  if (f->title)
    plot_text(p, f->x, f->y - 6, 0, 1, PLOT_SIZE, f->ink, f->title);
  if (f->x_title)
    plot_text(p, f->x + f->width / 2, f->y + f->height + TICK + 18, .5, 0, PLOT_SIZE, f->ink, f->x_title);
  if (f->y_title) {
    cairo_save(p->context);
    cairo_translate(p->context, f->x - 58, f->y + f->height / 2);
    cairo_rotate(p->context, -pi / 2);
    plot_text(p, 0, 0, .5, .5, PLOT_SIZE, f->ink, f->y_title);
    cairo_restore(p->context);
  }
}

/* Clipped to the frame; what is no number parts it. */
void plot_curve(plot *p, const plot_frame *f, int64_t n, const double *x, const double *y, plot_line line, plot_colour colour)
{
  bool begun = false;
  cairo_save(p->context);
  cairo_rectangle(p->context, f->x, f->y - 1, f->width + 1, f->height + 2);
  cairo_clip(p->context);
  cairo_set_line_join(p->context, CAIRO_LINE_JOIN_ROUND);
  for (int64_t i = 0; i < n; i++) {
    if (isfinite(x[i]) && isfinite(y[i]))
      (begun ? cairo_line_to : cairo_move_to)(p->context, plot_x(f, x[i]), plot_y(f, y[i]));
    begun = isfinite(x[i]) && isfinite(y[i]);
  }
  if (n == 1 && begun)
    cairo_arc(p->context, plot_x(f, x[0]), plot_y(f, y[0]), 2, 0, 2 * pi);
  stroke(p, 1.8, line, colour);
  cairo_restore(p->context);
}

void plot_legend(plot *p, double right, double y, int n, const plot_entry *entries, plot_colour text)
{
  for (int k = n - 1; k >= 0; k--) {
    const plot_entry *e = &entries[k];
    right -= plot_text_width(p, PLOT_SIZE, e->name);
    plot_text(p, right, y, 0, .5, PLOT_SIZE, text, e->name);
    right -= SAMPLE + 6;
    if (e->ring)
      plot_ring(p, right + SAMPLE / 2., y, 7, e->line, e->colour, y - 12, y + 12);
    else if (e->bar)
      plot_box(p, right, y - 5, SAMPLE, 10, e->colour);
    else
      plot_segment(p, right, y, right + SAMPLE, y, 2, e->line, e->colour);
    right -= 14;
  }
}

#else
#pragma GCC diagnostic ignored "-Wunused-parameter"

bool plot_available(void)
{
  return false;
}

hed_status plot_begin(plot *p, const char *op, const char *path, double width, double height, plot_colour paper)
{
  return hed_fail(HED_E_UNSUPPORTED, "%s: cannot write '%s': built without Cairo", op, path);
}

/* Nothing below is called where plot_begin() has failed. */
hed_status plot_end(plot *p, hed_status status) { return status; }
void plot_text(plot *p, double x, double y, double across, double down, double size, plot_colour colour, const char *s) {}
void plot_text_within(plot *p, double x, double y, double width, plot_colour colour, const char *s) {}
void plot_label(plot *p, double x, double y, plot_colour colour, const char *s) {}
double plot_text_width(plot *p, double size, const char *s) { return 0; }
void plot_box(plot *p, double x, double y, double width, double height, plot_colour colour) {}
void plot_segment(plot *p, double x0, double y0, double x1, double y1, double thick, plot_line line, plot_colour colour) {}
void plot_ring(plot *p, double x, double y, double r, plot_line line, plot_colour colour, double top, double bottom) {}
hed_status plot_greys(plot *p, double x, double y, int64_t nx, int64_t ny, double zoom_x, double zoom_y, const uint8_t *greys)
{
  return HED_E_UNSUPPORTED;
}
void plot_dot(plot *p, double x, double y, double r, plot_colour colour) {}
hed_status plot_colours(plot *p, double x, double y, int64_t nx, int64_t ny, double zoom_x, double zoom_y, const uint32_t *rgb)
{
  return HED_E_UNSUPPORTED;
}
void plot_axes(plot *p, const plot_frame *f) {}
void plot_curve(plot *p, const plot_frame *f, int64_t n, const double *x, const double *y, plot_line line, plot_colour colour) {}
void plot_legend(plot *p, double right, double y, int n, const plot_entry *entries, plot_colour text) {}

#endif
