// SPDX-License-Identifier: BSD-3-Clause
/* Pictures of the tool: Cairo decodes what was written, and its pixels are compared with what
 * the values of the slice and the marks demand. Failing writes leave nothing behind.
 */
#include "arrays.h"
#include "gen.h"
#include "kit_files.h"
#include "tap.h"
#include "tools/picture/charts.h"
#include "tools/picture/picture.h"
#include "tools/picture/plot.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HED_HAVE_CAIRO
#include <cairo.h>

enum { STRIP = 28, NOISE = 40 };
static const uint8_t strip[3] = {28, 32, 40};

typedef struct pixels {
  int64_t w, h;
  uint8_t *rgb;
} pixels;

static pixels decode(const char *path) {
  cairo_surface_t *image = cairo_image_surface_create_from_png(path);
  pixels p = {0};
  if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
    p = (pixels){cairo_image_surface_get_width(image), cairo_image_surface_get_height(image), NULL};
    p.rgb = malloc((size_t)(3 * p.w * p.h));
    for (int64_t i = 0; p.rgb && i < p.w * p.h; i++) {
      uint32_t c;
      memcpy(&c, cairo_image_surface_get_data(image) + i / p.w * cairo_image_surface_get_stride(image) + 4 * (i % p.w), sizeof c);
      p.rgb[3 * i] = (uint8_t)(c >> 16);
      p.rgb[3 * i + 1] = (uint8_t)(c >> 8);
      p.rgb[3 * i + 2] = (uint8_t)c;
    }
  } else
    diag("%s: %s", path, cairo_status_to_string(cairo_surface_status(image)));
  cairo_surface_destroy(image);
  return p.rgb ? p : (pixels){0};
}

static const uint8_t *at(const pixels *p, int64_t x, int64_t y) {
  return p->rgb + 3 * (y * p->w + x);
}

/* A pixel of a mark's own colour, and not one of its smooth borders. */
static const uint8_t hit[3] = {120, 215, 255}, truth[3] = {230, 159, 0}, wrong_one[3] = {255, 80, 60};
static bool is_of(const uint8_t *p, const uint8_t *c) {
  return abs(p[0] - c[0]) + abs(p[1] - c[1]) + abs(p[2] - c[2]) < 24;
}

static bool is_rgb(const uint8_t *p, uint8_t r, uint8_t g, uint8_t b) {
  return p[0] == r && p[1] == g && p[2] == b;
}

static hed_array *volume(gen *g, int64_t nz, int64_t ny, int64_t nx, double noise) {
  size_t n = (size_t)(nz * ny * nx);
  float *v = malloc(n * sizeof *v);
  if (!v)
    bail("no memory");
  for (size_t i = 0; i < n; i++)
    v[i] = (float)((double)(i % (size_t)nx) + noise * gen_normal(g));
  hed_array *x = hed_from_host(v, (hed_shape){3, {nz, ny, nx}}, HED_FLOAT32);
  free(v);
  if (!x)
    bail("%s", hed_error_text());
  return x;
}

static void marks_and_colours(gen *g) {
  hed_picture_mark marks[] = {
      {{5, 30, 20}, 6, 1, HED_MARK_HIT},   {{5, 30.5, 20}, 6, 1, HED_MARK_TRUTH},
      {{6, 10, 50}, 6, 12, HED_MARK_WRONG}, {{0, 50, 50}, 3, 3, HED_MARK_HIT},
      {{5, -3, 63}, 6, 4, HED_MARK_HIT}};
  hed_picture o = {.voxel = 4, .title = "A title, 100% (of it)"};
  hed_array *x = volume(g, 9, 64, 64, 0);
  is_int(hed_picture_slice(kit_path("p.png"), x, &o, 5, marks), HED_OK, "a picture: %s",
         hed_error_text());
  is_int(o.chosen, 5, "... of the slice with most marks");
  is_int(kit_count(), 1, "... and no other file");
  pixels p = decode(kit_path("p.png"));
  if (!ok(p.w == 512 && p.h == 512 + 2 * STRIP, "... of 512 pixels with two strips"))
    bail("no picture to look at");
  size_t blue = 0, orange = 0, red = 0, grey = 0, words[2] = {0};
  for (int64_t y = 0; y < p.h; y++)
    for (int64_t i = 0; i < p.w; i++) {
      const uint8_t *c = at(&p, i, y);
      const bool inside = y >= STRIP && y < p.h - STRIP;
      blue += inside && is_of(c, hit);
      orange += inside && is_of(c, truth);
      red += inside && is_of(c, wrong_one);
      grey += inside && c[0] == c[1] && c[1] == c[2];
      words[y >= STRIP] += !inside && memcmp(c, strip, 3) != 0;
    }
  ok(blue > 250 && orange > 100 && red > 200, "all kinds of marks: %zu, %zu, %zu pixels", blue,
     orange, red);
  ok(grey > (size_t)512 * 512 * 9 / 10, "... which leave %zu grey ones", grey);
  ok(words[0] > 300 && words[1] > 600, "a title; a scale bar and a legend: %zu, %zu pixels",
     words[0], words[1]);
  /* Voxels of 8 pixels; the circle of the first hit around voxel (30, 20), the other of the same
   * radius where the slice cuts a sphere one voxel off its middle. */
  const double off = sqrt(6 * 6 - 1) * 8;
  ok(is_of(at(&p, 20 * 8 + 4 + 48, STRIP + 30 * 8 + 4), hit), "a circle round the hit");
  ok(is_of(at(&p, 50 * 8 + 4, STRIP + 10 * 8 + 4 + (int)off), wrong_one),
     "a smaller one where a sphere is not cut in the middle");
  ok(!is_of(at(&p, 50 * 8 + 4 + 24, STRIP + 50 * 8 + 4), hit),
     "none where the slice misses it");
  ok(is_of(at(&p, 50 * 8 + 4, STRIP + 10 * 8 + 4), wrong_one) && !is_of(at(&p, 20 * 8 + 4, STRIP + 30 * 8 + 4), hit),
     "a cross within the wrong one, which tells it without colours");
  /* 1, 2 or 5 of a power of ten within a quarter of 256 angstrom: 50, which is 100 pixels. */
  int64_t bar = 0;
  while (bar < p.w && is_rgb(at(&p, 8 + bar, p.h - STRIP / 2), 235, 235, 235))
    bar++;
  is_int(bar, 100, "the scale bar has 50 angstrom");
  free(p.rgb);
  hed_release(x);
}

static int compare(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Every pixel of the slice, for pictures of all forms: the grey value that the percentiles give. */
static void every_pixel(gen *g) {
  static const int64_t shapes[][3] = {{3, 40, 200}, {1, 1, 1}, {1, 600, 3}, {2, 5, 700}, {4, 64, 64}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int noisy = 0; noisy < 2; noisy++) {
      const int64_t nz = shapes[k][0], ny = shapes[k][1], nx = shapes[k][2];
      const size_t n = (size_t)(ny * nx), all = n * (size_t)nz;
      hed_array *x = volume(g, nz, ny, nx, noisy * NOISE);
      float *v = malloc(all * sizeof *v), *sorted = malloc(n * sizeof *sorted);
      if (!v || !sorted || hed_to_host(x, v, all * sizeof *v) != HED_OK)
        bail("no values");
      const float *slice = v + (size_t)(nz / 2) * n;
      memcpy(sorted, slice, n * sizeof *sorted);
      qsort(sorted, n, sizeof *sorted, compare);
      const double black = (double)sorted[(size_t)(0.01 * (double)(n - 1) + 0.5)];
      const double white = (double)sorted[(size_t)(0.995 * (double)(n - 1) + 0.5)];
      is_int(hed_picture_slice(kit_path("s.png"), x, NULL, 0, NULL), HED_OK, "%d x %d, %s", (int)nx,
             (int)ny, noisy ? "noise" : "a ramp");
      pixels p = decode(kit_path("s.png"));
      const int64_t zoom = (512 + (nx > ny ? nx : ny) - 1) / (nx > ny ? nx : ny);
      size_t wrong = p.rgb ? 0 : 1;
      is_int(p.h, ny * zoom + 2 * STRIP, "... as high as it should be");
      is_int(p.w, nx * zoom > 512 ? nx * zoom : 512, "... as wide as it should be");
      for (int64_t y = 0; p.rgb && y < p.h - 2 * STRIP; y++)
        for (int64_t i = 0; i < p.w; i++) {
          const uint8_t *c = at(&p, i, STRIP + y);
          if (i >= nx * zoom) {
            wrong += memcmp(c, strip, 3) != 0;
            continue;
          }
          double of_range = white > black
              ? ((double)slice[y / zoom * nx + i / zoom] - black) / (white - black) : 0.5;
          double grey = 255 * fmax(0, fmin(1, of_range));
          wrong += c[0] != c[1] || c[1] != c[2] || fabs(c[0] - grey) > 1.1;
        }
      is_int((int64_t)wrong, 0, "... every pixel is the grey of its voxel");
      free(p.rgb);
      free(v);
      free(sorted);
      hed_release(x);
    }
}

static void images(gen *g) {
  float v[6] = {1, 2, NAN, 4, INFINITY, 6};
  double d[6] = {1, 2, 3, 4, 5, 6};
  hed_array *x = hed_from_host(v, HED_SHAPE(2, 3), HED_FLOAT32);
  hed_picture o = {.low = 0, .high = 100, .slice_given = true};
  is_int(hed_picture_slice(kit_path("i.png"), x, &o, 0, NULL), HED_OK, "an image with NaN");
  pixels p = decode(kit_path("i.png"));
  is_int(p.w, 513, "... 3 voxels of 171 pixels");
  is_int(o.chosen, 0, "... its only slice");
  ok(p.rgb && is_rgb(at(&p, 0, STRIP), 0, 0, 0) && is_rgb(at(&p, 512, STRIP + 171), 255, 255, 255) &&
     is_rgb(at(&p, 300, STRIP + 171), 255, 255, 255), "... the least black, largest and infinite white");
  free(p.rgb);
  hed_release(x);
  x = hed_from_host(d, HED_SHAPE(2, 3), HED_FLOAT64);
  hed_array *turned = hed_transpose(x, NULL);
  is_int(hed_picture_slice(kit_path("i.png"), turned, &o, 0, NULL), HED_OK, "float64, transposed");
  p = decode(kit_path("i.png"));
  ok(p.rgb && is_rgb(at(&p, 0, STRIP + 511), 102, 102, 102), "... 3 of 1 to 6 on the left at the bottom");
  free(p.rgb);
  RELEASE(turned, x);
  x = volume(g, 8, 4, 4, 0);
  hed_picture middle = {.slice = 5};
  is_int(hed_picture_slice(kit_path("i.png"), x, &middle, 0, NULL), HED_OK, "no marks");
  is_int(middle.chosen, 4, "... the middle slice, whatever .slice says");
  hed_scope scope;
  if (hed_scope_begin(&scope) != HED_OK)
    bail("%s", hed_error_text());
  is_int(hed_picture_slice(kit_path("i.png"), x, NULL, 0, NULL), HED_OK, "within a scope");
  hed_scope_end(&scope);
  hed_release(x);
}

/* Disk full, at every place: while Cairo writes and when the stream is flushed at the end. */
static void full(gen *g) {
  hed_array *x = volume(g, 1, 128, 128, NOISE);
  const char *path = kit_path("full.png");
  size_t n = 0, after = 0;
  kit_write(path, "old", 3);
  int files = kit_count();
  static const size_t limits[] = {1, 40, 600, 5000, 12000};
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
    kit_limit_file_size(limits[k]);
    hed_status status = hed_picture_slice(path, x, NULL, 0, NULL);
    kit_limit_file_size(0);
    is_int(status, HED_E_IO, "a disk that is full after %zu bytes", limits[k]);
    has_str(hed_error_text(), "File too large", "... says so");
    is_int(kit_count(), files, "... leaves no other file");
    uint8_t *old = kit_read(path, &n);
    ok(old && n == 3 && memcmp(old, "old", 3) == 0, "... and the old one as it was");
    free(old);
  }
  is_int(hed_picture_slice(path, x, NULL, 0, NULL), HED_OK, "later it is replaced");
  uint8_t *new = kit_read(path, &after);
  ok(after > 12000, "... by %zu bytes, more than any of the limits", after);
  free(new);
  kit_limit_file_size(after - 1);
  is_int(hed_picture_slice(kit_path("last.png"), x, NULL, 0, NULL), HED_E_IO, "the last byte is missing");
  kit_limit_file_size(0);
  is_int(kit_count(), files, "no file is left");
  hed_release(x);
}

static void refused(gen *g) {
  float complex_one[2] = {1, 2};
  hed_array *x = volume(g, 4, 8, 8, NOISE), *line = hed_reshape(x, HED_SHAPE(256));
  hed_array *complex = hed_from_host(complex_one, HED_SHAPE(1, 1), HED_COMPLEX64);
  hed_picture_mark nowhere = {{NAN, 0, 0}, 1, 1, HED_MARK_HIT};
  hed_picture_mark strange = {{0, 0, 0}, 1, 1, (hed_mark_kind)7};
  hed_picture_mark inside_out = {{0, 0, 0}, -1, 1, HED_MARK_HIT};
  hed_picture slice = {.slice_given = true, .slice = 4}, low = {.low = 50, .high = 20};
  hed_picture voxel = {.voxel = NAN};
  const char *p = kit_path("no.png");
  int before = kit_count();
  is_int(hed_picture_slice(NULL, x, NULL, 0, NULL), HED_E_INVAL, "no path");
  is_int(hed_picture_slice(p, NULL, NULL, 0, NULL), HED_E_INVAL, "no volume");
  is_int(hed_picture_slice(p, x, NULL, 1, NULL), HED_E_INVAL, "no marks");
  is_int(hed_picture_slice(p, line, NULL, 0, NULL), HED_E_SHAPE, "a line");
  is_int(hed_picture_slice(p, complex, NULL, 0, NULL), HED_E_UNSUPPORTED, "complex values");
  is_int(hed_picture_slice(p, x, &slice, 0, NULL), HED_E_INVAL, "a slice that is not there");
  has_str(hed_error_text(), "slice 4 of 4", "... says so");
  is_int(hed_picture_slice(p, x, &low, 0, NULL), HED_E_INVAL, "percentiles that fall");
  is_int(hed_picture_slice(p, x, &voxel, 0, NULL), HED_E_INVAL, "a voxel that is no number");
  is_int(hed_picture_slice(p, x, NULL, 1, &nowhere), HED_E_INVAL, "a mark nowhere");
  is_int(hed_picture_slice(p, x, NULL, 1, &strange), HED_E_INVAL, "a mark of no kind");
  is_int(hed_picture_slice(p, x, NULL, 1, &inside_out), HED_E_INVAL, "a negative radius");
  is_int(hed_picture_slice(kit_path("no/no.png"), x, NULL, 0, NULL), HED_E_IO, "no folder");
  is_int(kit_count(), before, "no file is left");
  RELEASE(x, line, complex);
}

/* A histogram of two values, and of what a background would give; particles along known directions. */
static void charts(void) {
  static float v[1000];
  for (int i = 0; i < 10; i++)
    v[i * 100] = 1;
  hed_array *x = hed_from_host(v, HED_SHAPE(10, 100), HED_FLOAT32);
  const chart_background b = {.mean = 0, .sigma = 0.1, .n_scores = 1000, .cutoff = 0.5};
  is_int(chart_scores(kit_path("c.png"), x, &b), HED_OK, "a histogram: %s", hed_error_text());
  pixels p = decode(kit_path("c.png"));
  if (ok(p.w == 720 && p.h == 440, "... of its size")) {
    /* A frame of 614 x 344 from (86, 40). 990 of five decades that begin at 0.1: 80 % of 344 rows. */
    ok(is_rgb(at(&p, 88, 113), 170, 170, 170) && !is_rgb(at(&p, 88, 105), 170, 170, 170), "... a bar of 990");
    ok(is_rgb(at(&p, 698, 250), 170, 170, 170) && is_rgb(at(&p, 698, 240), 255, 255, 255), "... one of 10");
    ok(is_rgb(at(&p, 393, 42), 0, 0, 0), "... the cut-off half-way");
    int64_t line = 0; /* 1000 pdf(0) / 140 = 28.5 at 0: 2.455 decades of 5 above the bottom */
    for (int64_t y = 40; y < 384 && !line; y++)
      line = p.rgb[3 * (y * p.w + 88) + 2] > 150 && p.rgb[3 * (y * p.w + 88)] < 60 ? y : 0;
    ok(line > 210 && line < 220, "... the background's curve (%d)", (int)line);
  }
  free(p.rgb);
  hed_table_row rows[2] = {{.id = 1, .euler = {0, 0, 50}}, {.id = 2, .euler = {0, 90, 0}}};
  is_int(chart_directions(kit_path("d.png"), &(hed_table){.n = 2, .row = rows}, false), HED_OK, "directions");
  p = decode(kit_path("d.png"));
  const uint8_t dot[3] = {0, 114, 178};
  if (ok(p.w == 720 && p.h == 440, "... of its size"))
    ok(is_of(at(&p, 362, 60), dot) && is_of(at(&p, 362, 225), dot) && !is_of(at(&p, 200, 225), dot), "... up, and along x");
  free(p.rgb);
  hed_release(x);
}

/* The ending says what is written; letters are letters in what has them. */
static void endings(gen *g) {
  hed_array *x = volume(g, 1, 16, 16, NOISE);
  hed_picture o = {.title = "Ribosomes at 13 Å", .voxel = 13};
  size_t n = 0;
  is_int(hed_picture_slice(kit_path("e.svg"), x, &o, 0, NULL), HED_OK, "SVG: %s", hed_error_text());
  char *text = (char *)kit_read(kit_path("e.svg"), &n);
  ok(text && n > 100 && memcmp(text, "<?xml", 5) == 0 && strstr(text, "<svg"), "... %zu bytes of it", n);
  free(text);
  is_int(hed_picture_slice(kit_path("e.PDF"), x, &o, 0, NULL), HED_OK, "PDF");
  text = (char *)kit_read(kit_path("e.PDF"), &n);
  ok(text && n > 100 && memcmp(text, "%PDF-1", 6) == 0, "... %zu bytes of it", n);
  free(text);
  const int before = kit_count();
  is_int(hed_picture_slice(kit_path("e.jpg"), x, &o, 0, NULL), HED_E_INVAL, "another ending");
  has_str(hed_error_text(), ".png, .svg or .pdf", "... is told which there are");
  is_int(kit_count(), before, "... and leaves no file");
  hed_release(x);
}

/* A title that is too long is written smaller, not cut: the last pixels of the strip stay its own. */
static void long_title(gen *g) {
  hed_array *x = volume(g, 1, 16, 16, NOISE);
  char title[160] = "";
  memset(title, 'W', sizeof title - 1);
  hed_picture o = {.title = title};
  is_int(hed_picture_slice(kit_path("l.png"), x, &o, 0, NULL), HED_OK, "a long title");
  const pixels p = decode(kit_path("l.png"));
  size_t cut = 0, there = 0;
  for (int64_t y = 0; p.rgb && y < STRIP; y++) {
    cut += memcmp(at(&p, p.w - 2, y), strip, 3) != 0;
    for (int64_t i = p.w - 60; i < p.w - 8; i++)
      there += memcmp(at(&p, i, y), strip, 3) != 0;
  }
  ok(there > 20 && cut == 0, "... is whole: %zu pixels near the border, %zu on it", there, cut);
  free(p.rgb);
  hed_release(x);
}

/* Sections through a voxel: each panel is where it belongs, a mark's circle is where each cuts it, the scores have none. */
static void sections(gen *g) {
  enum { Z = 16, Y = 24, X = 32, ZOOM = 16, GAP = 8 };
  hed_array *x = volume(g, Z, Y, X, 0), *scores = volume(g, Z, Y, X, 0);
  const hed_picture_mark mark = {.position = {8, 12, 16}, .radius = 4, .number = -1};
  const int64_t where[3] = {8, 12, 16}, outside[3] = {8, 24, 16};
  hed_picture o = {.title = "sections"};
  is_int(hed_picture_sections(kit_path("sections.png"), x, scores, where, &o, 1, &mark), HED_OK, "sections: %s", hed_error_text());
  const pixels p = decode(kit_path("sections.png"));
  is_int(p.w, 2 * X * ZOOM + GAP, "two panels wide");
  is_int(p.h, STRIP + STRIP + Y * ZOOM + GAP + STRIP + Z * ZOOM + STRIP, "two panels high");
  if (p.rgb) {
    const int64_t top = 2 * STRIP, under = top + Y * ZOOM + GAP + STRIP, r = 4 * ZOOM, right = X * ZOOM + GAP;
    const int64_t middle[3][2] = {{16, top + 12 * ZOOM}, {16, under + 8 * ZOOM}, {12, under + 8 * ZOOM}};
    for (int k = 0; k < 3; k++) {
      const int64_t x0 = (k == 2 ? right : 0) + middle[k][0] * ZOOM + ZOOM / 2, y0 = middle[k][1] + ZOOM / 2;
      ok(is_of(at(&p, x0 + r, y0), hit) || is_of(at(&p, x0 + r - 1, y0), hit), "panel %d: the circle", k);
      ok(at(&p, x0, y0)[0] == at(&p, x0, y0)[1], "grey within");
    }
    int64_t coloured = 0;
    for (int64_t i = top; i < top + Y * ZOOM; i++)
      for (int64_t j = right; j < p.w; j++)
        coloured += at(&p, j, i)[0] != at(&p, j, i)[1];
    is_int(coloured, 0, "no circle on the scores");
    ok(at(&p, right + 2, top + 20)[0] < 20 && at(&p, p.w - 3, top + 20)[0] > 235, "which rise along x");
    ok(at(&p, right + 2, under + 20)[0] == at(&p, right + Y * ZOOM - 3, under + 20)[0], "the third panel is of one x");
  }
  free(p.rgb);
  is_int(hed_picture_sections(kit_path("sections.png"), x, scores, outside, &o, 1, &mark), HED_E_INVAL, "a voxel outside");
  is_int(hed_picture_sections(kit_path("sections.png"), x, NULL, where, &o, 1, &mark), HED_E_SHAPE, "no scores");
  RELEASE(x, scores);
}

int main(void) {
  gen g;
  gen_seed(&g, tap_seed());
  kit_folder();
  ok(plot_available(), "this build has Cairo");
  marks_and_colours(&g);
  every_pixel(&g);
  images(&g);
  full(&g);
  charts();
  endings(&g);
  long_title(&g);
  sections(&g);
  refused(&g);
  return done();
}

#else

int main(void) {
  float v[4] = {1, 2, 3, 4};
  hed_array *x = hed_from_host(v, HED_SHAPE(2, 2), HED_FLOAT32);
  kit_folder();
  ok(!plot_available(), "this build has no Cairo");
  is_int(hed_picture_slice(kit_path("p.png"), x, NULL, 0, NULL), HED_E_UNSUPPORTED, "no picture");
  has_str(hed_error_text(), "built without Cairo", "... says why");
  is_int(kit_count(), 0, "... and leaves no file");
  hed_release(x);
  return done();
}

#endif
