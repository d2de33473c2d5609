// SPDX-License-Identifier: BSD-3-Clause
/*
 * picture_png.c: writing PNG through libpng.
 *
 * Layer: L5. libpng reports an error by a jump out of whatever it was doing. The jump lands in
 * encode(), which owns nothing: the file and libpng's structures belong to its
 * caller, which releases them whether the jump was taken or not.
 */
#include "picture_png.h"
#include "picture.h"

#ifdef HED_HAVE_PNG
#include <png.h>
#include <stdio.h>

typedef struct writer {
  png_structp png;
  png_infop info;
  hed_file *file;
  char why[120]; /* libpng's sentence, "" when it has none */
} writer;

static void on_error(png_structp png, png_const_charp message) {
  writer *w = png_get_error_ptr(png);
  if (hed_error() == HED_OK)
    snprintf(w->why, sizeof w->why, "%s", message);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void put(png_structp png, png_bytep bytes, size_t n) {
  writer *w = png_get_io_ptr(png);
  if (hed_file_write(w->file, bytes, n) != HED_OK)
    png_error(png, "a write failed");
}

/* The caller flushes once, at the end. */
static void flush(png_structp png) {
  (void)png;
}

static void put_rows(png_structp png, uint32_t width, uint32_t height, const uint8_t *pixels) {
  for (uint32_t y = 0; y < height; y++)
    png_write_row(png, pixels + (size_t)y * width);
}

/* False after a jump. No local variable changes between setjmp and a jump. */
static bool encode(writer *w, uint32_t width, uint32_t height, const png_color *palette,
                   const uint8_t *pixels) {
  if (setjmp(png_jmpbuf(w->png)))
    return false;
  png_set_write_fn(w->png, w, put, flush);
  png_set_IHDR(w->png, w->info, width, height, 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_PLTE(w->png, w->info, palette, 256);
  png_write_info(w->png, w->info);
  put_rows(w->png, width, height, pixels);
  png_write_end(w->png, NULL);
  return true;
}

bool picture_available(void) {
  return true;
}

hed_status picture_png_write(const char *op, const char *path, uint32_t width, uint32_t height,
                             const uint8_t palette[256][3], const uint8_t *pixels) {
  png_color colours[256];
  writer w = {0};
  hed_status status = hed_file_create(op, path, &w.file);

  if (status != HED_OK)
    return status;
  for (int i = 0; i < 256; i++)
    colours[i] = (png_color){palette[i][0], palette[i][1], palette[i][2]};
  hed_error_clear();
  w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning);
  w.info = w.png ? png_create_info_struct(w.png) : NULL;
  if (!w.info)
    status = hed_fail(HED_E_NOMEM, "%s: libpng has no memory to write '%s'", op, path);
  else if (!encode(&w, width, height, colours, pixels))
    status = w.why[0] ? hed_fail(HED_E_IO, "%s: cannot write '%s': %s", op, path, w.why) : hed_error();
  png_destroy_write_struct(&w.png, &w.info);
  return hed_file_close(w.file, status);
}

#else

bool picture_available(void) {
  return false;
}

hed_status picture_png_write(const char *op, const char *path, uint32_t width, uint32_t height,
                             const uint8_t palette[256][3], const uint8_t *pixels) {
  (void)width;
  (void)height;
  (void)palette;
  (void)pixels;
  return hed_fail(HED_E_UNSUPPORTED, "%s: cannot write '%s': built without libpng", op, path);
}

#endif
