// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pictures: the PNG is taken apart here (chunks and their check sums), and where libpng is
 * there it must decode it to the expected pixels.
 */
#include "gen.h"
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/picture.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HED_HAVE_PNG
#include <png.h>
#endif

static uint32_t be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* CRC-32 as the remainder of a division of polynomials, from the highest power down. */
static uint32_t crc(const uint8_t *p, size_t n) {
  uint32_t rest = 0xffffffff;
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 8; k++) {
      uint32_t bit = (rest >> 31) ^ (p[i] >> k & 1);
      rest = rest << 1 ^ (bit ? 0x04c11db7u : 0);
    }
  uint32_t turned = 0;
  for (int k = 0; k < 32; k++)
    turned |= (rest >> k & 1) << (31 - k);
  return ~turned;
}

/* Width and height from a file whose chunks are all in order; false otherwise. */
static bool whole_png(const char *path, uint32_t *width, uint32_t *height) {
  size_t n = 0, at = 8;
  uint8_t *b = kit_read(path, &n);
  bool good = b && n > 57 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0, ended = false;
  char order[64] = "";
  while (good && at + 12 <= n) {
    uint32_t length = be32(b + at);
    good = length <= n - at - 12 &&
           be32(b + at + 8 + length) == crc(b + at + 4, length + 4) && strlen(order) < 40;
    if (!good)
      break;
    memcpy(order + strlen(order), b + at + 4, 4);
    if (memcmp(b + at + 4, "IHDR", 4) == 0) {
      *width = be32(b + at + 8);
      *height = be32(b + at + 12);
    }
    ended = memcmp(b + at + 4, "IEND", 4) == 0;
    at += 12 + length;
  }
  good = good && ended && at == n && strcmp(order, "IHDRPLTEIDATIEND") == 0;
  free(b);
  return good;
}

#ifdef HED_HAVE_PNG
static uint8_t *decode(const char *path, png_image *image) {
  memset(image, 0, sizeof *image);
  image->version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(image, path))
    return NULL;
  image->format = PNG_FORMAT_RGB;
  uint8_t *px = malloc(PNG_IMAGE_SIZE(*image));
  if (!px || !png_image_finish_read(image, NULL, px, 0, NULL)) {
    free(px);
    return NULL;
  }
  return px;
}
#endif

/* A volume whose slice z rises with x, y or both, as noisy as the seed says. */
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

static void pixels(gen *g) {
  hed_picture_mark marks[] = {
      {{5, 30, 20}, 6, 1, HED_MARK_HIT},   {{5, 30.5, 20}, 6, 1, HED_MARK_TRUTH},
      {{6, 10, 50}, 6, 12, HED_MARK_WRONG}, {{0, 50, 50}, 3, 3, HED_MARK_HIT},
      {{5, -3, 63}, 6, 4, HED_MARK_HIT}};
  hed_picture o = {.voxel = 4, .title = "A title, 100% (of it)"};
  hed_array *x = volume(g, 9, 64, 64, 0);
  uint32_t w = 0, h = 0;
  is_int(hed_picture_slice(kit_path("p.png"), x, &o, 5, marks), HED_OK, "a picture: %s",
         hed_error_text());
  ok(whole_png(kit_path("p.png"), &w, &h), "... is a PNG with its chunks in order");
  ok(w == 512 && h > 512 && h < 600, "... of a readable size: %u x %u", (unsigned)w,
     (unsigned)h);
  is_int(o.chosen, 5, "... of the slice with most marks");
  is_int(kit_count(), 1, "... and no other file");
#ifdef HED_HAVE_PNG
  png_image image;
  uint8_t *px = decode(kit_path("p.png"), &image);
  ok(px && image.width == w && image.height == h, "libpng reads it: %s", image.message);
  if (px) {
    uint32_t top = (h - 512) / 2, row = top + 300;
    const uint8_t *left = px + 3 * (row * w), *right = left + 3 * 511;
    ok(left[0] == 0 && left[1] == 0 && right[0] == 255 && right[2] == 255,
       "black on the left, white on the right");
    size_t colours[3] = {0};
    for (size_t i = 0; i < (size_t)w * h; i++) {
      const uint8_t *p = px + 3 * i;
      colours[0] += p[1] > 200 && p[0] < 100;             /* green  */
      colours[1] += p[0] == 255 && p[1] > 150 && p[2] < 50; /* orange */
      colours[2] += p[0] == 255 && p[1] < 100;            /* red    */
    }
    ok(colours[0] > 300 && colours[1] > 150 && colours[2] > 300,
       "all three kinds of marks: %zu, %zu, %zu", colours[0], colours[1], colours[2]);
    /* The circle of the first hit: radius 6 voxels of 8 pixels around voxel (30, 20). */
    const uint8_t *on = px + 3 * ((top + 30 * 8 + 4) * w + 20 * 8 + 4 + 48);
    ok(on[1] > 200 && on[0] < 100, "a circle where it belongs");
  }
  free(px);
#else
  skip(4, "built without libpng");
#endif
  hed_release(x);
}

/* The stream of bits, with every length of run: noise, flat, and one that is a row high. */
static void streams(gen *g) {
  static const int64_t shapes[][3] = {{3, 40, 200}, {1, 1, 1}, {1, 600, 3}, {2, 5, 700}};
  for (size_t k = 0; k < 4; k++)
    for (int noisy = 0; noisy < 2; noisy++) {
      hed_array *x = volume(g, shapes[k][0], shapes[k][1], shapes[k][2], noisy * 40.0);
      uint32_t w = 0, h = 0;
      ok(hed_picture_slice(kit_path("s.png"), x, NULL, 0, NULL) == HED_OK &&
             whole_png(kit_path("s.png"), &w, &h),
         "%d x %d, %s", (int)shapes[k][2], (int)shapes[k][1], noisy ? "noise" : "a ramp");
#ifdef HED_HAVE_PNG
      png_image image;
      uint8_t *px = decode(kit_path("s.png"), &image);
      ok(px && image.warning_or_error == 0, "... libpng reads it: %s", image.message);
      free(px);
#else
      skip(1, "built without libpng");
#endif
      hed_release(x);
    }
}

static void images(gen *g) {
  float v[6] = {1, 2, NAN, 4, INFINITY, 6};
  uint32_t w = 0, h = 0;
  hed_array *x = hed_from_host(v, HED_SHAPE(2, 3), HED_FLOAT32);
  hed_picture o = {.low = 0, .high = 100, .slice_given = true};
  is_int(hed_picture_slice(kit_path("i.png"), x, &o, 0, NULL), HED_OK, "an image with NaN");
  ok(whole_png(kit_path("i.png"), &w, &h) && w == 513, "... 3 voxels of 171 pixels");
  is_int(o.chosen, 0, "... its only slice");
  hed_release(x);
  x = volume(g, 8, 4, 4, 0);
  hed_picture middle = {.slice = 5};
  is_int(hed_picture_slice(kit_path("i.png"), x, &middle, 0, NULL), HED_OK, "no marks");
  is_int(middle.chosen, 4, "... the middle slice, whatever .slice says");
  hed_release(x);
}

static void refused(gen *g) {
  float complex_one[2] = {1, 2};
  hed_array *x = volume(g, 4, 8, 8, 1), *line = hed_reshape(x, HED_SHAPE(256));
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
  hed_release(x);
  hed_release(line);
  hed_release(complex);
}

int main(void) {
  gen g;
  gen_seed(&g, tap_seed());
  kit_folder();
  pixels(&g);
  streams(&g);
  images(&g);
  refused(&g);
  return done();
}
