// SPDX-License-Identifier: BSD-3-Clause
/* kit/mrc.h: map files put together byte by byte, from the table of the format and not by the library. */
#ifndef HED_TESTS_KIT_MRC_H
#define HED_TESTS_KIT_MRC_H
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/map.h>
#include <string.h>

/* A file in the making. Words are counted from 1, as in the format's table. */
typedef struct image {
  bool big;
  size_t n;
  uint8_t b[8192];
} image;

static inline void put(image *f, size_t at, uint32_t v, int bytes) {
  for (int i = 0; i < bytes; i++)
    f->b[at + (size_t)i] = (uint8_t)(v >> (8 * (f->big ? bytes - 1 - i : i)));
}

static inline void word(image *f, int w, uint32_t v) {
  put(f, 4 * (size_t)(w - 1), v, 4);
}

static inline uint32_t float_bits(float v) {
  uint32_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}

static inline void real(image *f, int w, float v) {
  word(f, w, float_bits(v));
}

static inline void append(image *f, uint32_t v, int bytes) {
  put(f, f->n, v, bytes);
  f->n += (size_t)bytes;
}

/* A valid header of nx x ny x nz voxels of 2 angstrom. */
static inline image header(bool big, int nx, int ny, int nz, int mode) {
  image f = {.big = big, .n = 1024};
  int n[3] = {nx, ny, nz};
  for (int i = 0; i < 3; i++) {
    word(&f, 1 + i, (uint32_t)n[i]);
    word(&f, 8 + i, (uint32_t)n[i]);
    real(&f, 11 + i, 2.0f * (float)n[i]);
    real(&f, 14 + i, 90);
    word(&f, 17 + i, (uint32_t)i + 1);
  }
  word(&f, 4, (uint32_t)mode);
  word(&f, 23, 1);
  memcpy(f.b + 208, "MAP ", 4);
  memset(f.b + 212, big ? 0x11 : 0x44, 2);
  return f;
}

static inline const char *save(const image *f) {
  const char *path = kit_path("in.mrc");
  kit_write(path, f->b, f->n);
  return path;
}

static float values[4096];

static inline bool fetch(const hed_map *m, size_t n) {
  return m->data && hed_array_dtype(m->data) == HED_FLOAT32 &&
         hed_to_host(m->data, values, n * sizeof *values) == HED_OK;
}

#endif
