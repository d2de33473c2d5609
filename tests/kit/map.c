// SPDX-License-Identifier: BSD-3-Clause
/* Density maps. Files are put together byte by byte here, from the table of the format and
 * not by the library, in both byte orders; headers that the library writes are read back word
 * by word in the same way.
 */
#include "mrc.h"
#include "tap.h"
#include <heddle/kits/map.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void modes(bool big) {
  static const struct { int mode, bytes; bool imod; uint32_t raw[4]; float want[4]; } t[] = {
      {0, 1, false, {0, 1, 0x7f, 0x80}, {0, 1, 127, -128}},
      {0, 1, true, {0, 1, 0x7f, 0x80}, {0, 1, 127, 128}},
      {1, 2, false, {0, 258, 0x7fff, 0x8000}, {0, 258, 32767, -32768}},
      {2, 4, false, {0, 0x3f800000, 0xc0490fdb, 0x00000001}, {0, 1, -3.14159274f, 0x1p-149f}},
      {6, 2, false, {0, 258, 0x7fff, 0xffff}, {0, 258, 32767, 65535}},
      {12, 2, false, {0x3c00, 0xc000, 0x7bff, 0x0001}, {1, -2, 65504, 0x1p-24f}},
      {12, 2, false, {0x3555, 0x03ff, 0x0400, 0x8000},
       {0.333251953125f, 0x1.ff8p-15f, 0x1p-14f, 0}}};
  for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
    image f = header(big, 2, 2, 1, t[k].mode);
    if (t[k].imod)
      word(&f, 39, 1146047817);
    for (int i = 0; i < 4; i++)
      append(&f, t[k].raw[i], t[k].bytes);
    hed_map m;
    hed_status status = hed_map_read(save(&f), &m);
    bool same = status == HED_OK && fetch(&m, 4);
    for (int i = 0; same && i < 4; i++)
      same = values[i] == t[k].want[i];
    ok(same && m.mode == t[k].mode, "mode %d%s, %s-endian: %s", t[k].mode,
       t[k].imod ? " with IMOD's unsigned bytes" : "", big ? "big" : "little",
       status ? hed_error_text() : "values");
    hed_map_clear(&m);
  }
  image f = header(big, 2, 1, 1, 0);
  word(&f, 39, 1146047817);
  word(&f, 40, 1); /* IMOD: bytes are signed */
  append(&f, 0xff, 1);
  append(&f, 2, 1);
  hed_map m;
  is_int(hed_map_read(save(&f), &m), HED_OK, "IMOD's signed bytes");
  ok(fetch(&m, 2) && values[0] == -1 && values[1] == 2, "... are signed");
  hed_map_clear(&m);
}

/* Every order of axes: the value at (z, y, x) is 100 z + 10 y + x. */
static void axes(bool big) {
  static const int order[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                  {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
  static const int extent[4] = {0, 4, 3, 2}; /* along x, y, z */
  for (int k = 0; k < 6; k++) {
    const int *o = order[k];
    image f = header(big, extent[o[0]], extent[o[1]], extent[o[2]], 1);
    for (int i = 0; i < 3; i++) {
      word(&f, 17 + i, (uint32_t)o[i]);
      word(&f, 5 + i, (uint32_t)(10 * o[i]));          /* NSTART along that axis */
      word(&f, 8 + i, (uint32_t)(2 * extent[i + 1]));  /* the cell is twice the box */
      real(&f, 11 + i, (float)(2 * extent[i + 1] * (i + 1)));
    }
    for (int s = 0; s < extent[o[2]]; s++)
      for (int r = 0; r < extent[o[1]]; r++)
        for (int c = 0; c < extent[o[0]]; c++) {
          int at[4] = {0};
          at[o[0]] = c;
          at[o[1]] = r;
          at[o[2]] = s;
          append(&f, (uint32_t)(100 * at[3] + 10 * at[2] + at[1]), 2);
        }
    hed_map m;
    hed_status status = hed_map_read(save(&f), &m);
    hed_shape shape = hed_array_shape(m.data);
    bool same = status == HED_OK && shape.ndim == 3 && shape.dim[0] == 2 &&
                shape.dim[1] == 3 && shape.dim[2] == 4 && fetch(&m, 24);
    for (int i = 0; same && i < 24; i++)
      same = values[i] == (float)(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
    ok(same, "axes %d%d%d arrive as z, y, x", o[0], o[1], o[2]);
    ok(m.voxel[0] == 3 && m.voxel[1] == 2 && m.voxel[2] == 1, "... with their voxel sizes");
    ok(m.origin[0] == 90 && m.origin[1] == 40 && m.origin[2] == 10,
       "... and NSTART as origin");
    hed_map_clear(&m);
  }
}

static void geometry(void) {
  hed_map m;
  image f = header(false, 2, 2, 2, 0);
  f.n += 8;
  word(&f, 5, 7);
  real(&f, 50, 1.5f);
  real(&f, 51, -2.5f);
  real(&f, 52, 3.5f);
  word(&f, 56, 1);
  memset(f.b + 224, ' ', 80);
  memcpy(f.b + 224, "made \x07 by hand", 14);
  is_int(hed_map_read(save(&f), &m), HED_OK, "a map with an origin and a label");
  ok(m.origin[0] == 3.5 && m.origin[1] == -2.5 && m.origin[2] == 1.5,
     "ORIGIN counts, not NSTART");
  is_str(m.label, "made ? by hand", "the label, printable");
  ok(m.voxel[0] == 2 && !m.stack, "voxel size, volume");
  hed_map_clear(&m);
  ok(m.data == NULL && m.voxel[0] == 0 && m.label[0] == 0, "clear leaves nothing");

  f = header(false, 2, 2, 2, 0);
  word(&f, 24, 100);
  memset(f.b + 1024, 0x55, 100);
  f.n += 100;
  for (uint32_t i = 0; i < 8; i++)
    append(&f, i, 1);
  is_int(hed_map_read(save(&f), &m), HED_OK, "an extended header");
  ok(fetch(&m, 8) && values[0] == 0 && values[7] == 7, "... is skipped");
  hed_map_clear(&m);

  f = header(false, 2, 2, 3, 0);
  f.n += 12;
  word(&f, 23, 0);
  word(&f, 10, 1);
  real(&f, 13, 2);
  is_int(hed_map_read(save(&f), &m), HED_OK, "a stack of images");
  ok(m.stack && hed_array_shape(m.data).ndim == 3 && m.voxel[0] == 2, "... is one");
  hed_map_clear(&m);

  f = header(false, 2, 2, 6, 0);
  f.n += 24;
  word(&f, 23, 401);
  word(&f, 10, 3);
  real(&f, 13, 6);
  is_int(hed_map_read(save(&f), &m), HED_OK, "a stack of volumes");
  hed_shape s = hed_array_shape(m.data);
  ok(s.ndim == 4 && s.dim[0] == 2 && s.dim[1] == 3 && m.voxel[0] == 2, "... is 4-D");
  hed_map_clear(&m);

  f = header(false, 3, 2, 1, 0);
  f.n += 6;
  is_int(hed_map_read(save(&f), &m), HED_OK, "one section");
  s = hed_array_shape(m.data);
  ok(s.ndim == 2 && s.dim[0] == 2 && s.dim[1] == 3, "... is a 2-D array");
  hed_map_clear(&m);

  f = header(false, 1, 1, 2, 0);
  f.n += 2;
  for (int i = 0; i < 3; i++) { /* as old programs leave it */
    word(&f, 8 + i, 0);
    word(&f, 11 + i, 0);
    word(&f, 14 + i, 0);
    word(&f, 17 + i, 0);
  }
  is_int(hed_map_read(save(&f), &m), HED_OK, "a header without cell and axes");
  ok(m.voxel[0] == 0 && m.voxel[2] == 0, "... has no voxel size");
  hed_map_clear(&m);
}

/* A map owns its array: no scope of the caller takes it away. */
static void scopes(void) {
  hed_map m = {0};
  image f = header(false, 2, 2, 1, 0);
  for (uint32_t i = 0; i < 4; i++)
    append(&f, i, 1);
  save(&f);
  HED_SCOPE {
    is_int(hed_map_read(kit_path("in.mrc"), &m), HED_OK, "a map read inside a scope");
  }
  ok(fetch(&m, 4) && values[3] == 3, "... outlives it");
  is_int(hed_array_refs(m.data), 1, "... with one owner");
  HED_SCOPE {
    double d[2] = {1, 2};
    hed_map n = {.data = hed_from_host(d, HED_SHAPE(1, 2), HED_FLOAT64)};
    is_int(hed_map_write(kit_path("scope.mrc"), &n, 2), HED_OK, "a conversion in a scope");
  }
  unlink(kit_path("scope.mrc"));
  hed_map_clear(&m);
}

/* The file is refused with this status, and the sentence has this part. */
static void refused(const char *path, hed_status want, const char *part, const char *name) {
  hed_map m;
  memset(&m, 0x5a, sizeof m);
  hed_error_clear();
  hed_status got = hed_map_read(path, &m);
  is_int(got, want, "%s: status", name);
  has_str(hed_error_text(), part, "%s: sentence", name);
  ok(m.data == NULL && m.voxel[0] == 0, "%s: nothing comes out", name);
}

static void bad_headers(void) {
  static const struct { int word; uint32_t v; hed_status status; const char *part; } t[] = {
      {1, 0, HED_E_FORMAT, "0 x 2 x 2"},
      {2, 0xffffffff, HED_E_FORMAT, "2 x -1 x 2"},
      {4, 3, HED_E_UNSUPPORTED, "mode 3 (complex int16)"},
      {4, 4, HED_E_UNSUPPORTED, "mode 4 (complex float32)"},
      {4, 16, HED_E_UNSUPPORTED, "mode 16"},
      {4, 7, HED_E_FORMAT, "mode 7"},
      {17, 2, HED_E_FORMAT, "= 2, 2, 3"},
      {19, 4, HED_E_FORMAT, "= 1, 2, 4"},
      {24, 0xfffffff8, HED_E_FORMAT, "-8 bytes (NSYMBT)"},
      {24, 1000000, HED_E_FORMAT, "make 1001032 bytes, the file has 1032"},
      {1, 100000, HED_E_FORMAT, "truncated"},
      {11, 0x7fc00000, HED_E_FORMAT, "cell of nan"},
      {12, 0xbf800000, HED_E_FORMAT, "-1"},
      {16, 0x42f00000, HED_E_UNSUPPORTED, "90, 90, 120"},
      {51, 0x7f800000, HED_E_FORMAT, "inf"},
      {53, 0x2050414e, HED_E_FORMAT, "'NAP '"},
      {54, 0xefbeadde, HED_E_FORMAT, "stamp de ad be ef"},
      {54, 0x1111, HED_E_FORMAT, "(big-endian), but its header is little-endian"},
      {23, 401, HED_E_FORMAT, "MZ = 0"}};
  char name[64];
  for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
    image f = header(false, 2, 2, 2, 0);
    f.n += 8;
    if (t[k].word == 23)
      word(&f, 10, 0);
    word(&f, t[k].word, t[k].v);
    snprintf(name, sizeof name, "word %d = 0x%x", t[k].word, (unsigned)t[k].v);
    refused(save(&f), t[k].status, t[k].part, name);
  }
  image f = header(true, 2, 2, 2, 0);
  f.n += 8;
  memset(f.b + 212, 0x44, 2);
  refused(save(&f), HED_E_FORMAT, "(little-endian), but its header is big-endian",
          "a big-endian file that claims to be little-endian");
  f = header(false, 0x7fffffff, 0x7fffffff, 0x7fffffff, 2);
  refused(save(&f), HED_E_FORMAT, "more than can be addressed", "2^93 voxels");
  f = header(false, 65536, 65536, 65536, 2);
  refused(save(&f), HED_E_FORMAT, "truncated", "2^48 voxels");
}

static void bad_files(void) {
  image f = header(false, 4, 3, 2, 2);
  for (int i = 0; i < 24; i++)
    append(&f, float_bits(i == 17 || i == 20 ? NAN : i == 18 ? INFINITY : (float)i), 4);
  refused(save(&f), HED_E_FORMAT, "2 NaN and 1 infinite values, the first at (z, y, x) = "
          "(1, 1, 1)", "NaN and infinity");
  f = header(false, 4, 3, 2, 2);
  word(&f, 17, 3); /* columns run along z, sections along x: 4 sections become x */
  word(&f, 19, 1);
  for (int i = 0; i < 24; i++)
    append(&f, float_bits(i == 6 ? NAN : 0), 4); /* column 2, row 1, section 0 */
  refused(save(&f), HED_E_FORMAT, "(z, y, x) = (2, 1, 0)", "NaN in a permuted map");
  f = header(true, 1, 1, 1, 12);
  append(&f, 0x7c00, 2);
  refused(save(&f), HED_E_FORMAT, "0 NaN and 1 infinite", "infinity in float16");

  kit_write(kit_path("in.mrc"), "", 0);
  refused(kit_path("in.mrc"), HED_E_FORMAT, "0 bytes", "an empty file");
  f = header(false, 1, 1, 1, 0);
  f.n = 1023;
  refused(save(&f), HED_E_FORMAT, "1023 bytes", "half a header");
  memset(f.b, 'a', sizeof f.b);
  f.n = 2048;
  refused(save(&f), HED_E_FORMAT, "not an MRC/CCP4 map", "text");
  refused(kit_path("absent.mrc"), HED_E_IO, "absent.mrc", "a file that is not there");
  refused("/", HED_E_IO, "not a regular file", "a folder");
  if (mkfifo(kit_path("fifo"), 0600) == 0)
    refused(kit_path("fifo"), HED_E_IO, "not a regular file", "a pipe");
  else
    skip(3, "no pipe can be made here");
  hed_map m;
  is_int(hed_map_read(NULL, &m), HED_E_INVAL, "no path");
  is_int(hed_map_read("x", NULL), HED_E_INVAL, "no result");
}

static uint32_t at_word(const uint8_t *b, int w) {
  const uint8_t *p = b + 4 * (w - 1);
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float at_real(const uint8_t *b, int w) {
  uint32_t u = at_word(b, w);
  float v;
  memcpy(&v, &u, sizeof v);
  return v;
}

static void written_header(void) {
  static const float v[6] = {1, -2, 3, 4.5f, 0, 5.5f}; /* as int16: 1 -2 3 4 0 6 */
  hed_map m = {.data = hed_from_host(v, HED_SHAPE(1, 2, 3), HED_FLOAT32),
               .voxel = {4, 2, 1.5}, .origin = {10, 20, -30}, .label = "a label"};
  size_t n = 0;
  is_int(hed_map_write(kit_path("out.mrc"), &m, 1), HED_OK, "a map is written");
  uint8_t *b = kit_read(kit_path("out.mrc"), &n);
  if (!b)
    bail("nothing was written: %s", hed_error_text());
  is_uint(n, 1024 + 12, "size of the file");
  ok(at_word(b, 1) == 3 && at_word(b, 2) == 2 && at_word(b, 3) == 1, "NX, NY, NZ");
  is_uint(at_word(b, 4), 1, "MODE");
  ok(at_word(b, 8) == 3 && at_word(b, 9) == 2 && at_word(b, 10) == 1, "MX, MY, MZ");
  ok(at_real(b, 11) == 4.5f && at_real(b, 12) == 4 && at_real(b, 13) == 4, "CELLA");
  ok(at_real(b, 14) == 90 && at_real(b, 16) == 90, "CELLB");
  ok(at_word(b, 17) == 1 && at_word(b, 18) == 2 && at_word(b, 19) == 3, "MAPC, MAPR, MAPS");
  is_near(at_real(b, 20), -2, 0, 0, "DMIN");
  is_near(at_real(b, 21), 6, 0, 0, "DMAX");
  is_near(at_real(b, 22), 2, 0, 0, "DMEAN");
  /* (1 + 16 + 1 + 4 + 4 + 16) / 6 = 7 */
  is_near(at_real(b, 55), sqrt(7.0), 1e-7, 0, "RMS");
  is_uint(at_word(b, 23), 1, "ISPG of a volume");
  is_uint(at_word(b, 24), 0, "NSYMBT");
  is_uint(at_word(b, 28), 20141, "NVERSION");
  ok(at_real(b, 50) == -30 && at_real(b, 51) == 20 && at_real(b, 52) == 10, "ORIGIN");
  ok(memcmp(b + 208, "MAP DD\0\0", 8) == 0, "MAP and the machine stamp");
  ok(at_word(b, 56) == 1 && memcmp(b + 224, "a label   ", 10) == 0, "the label");
  static const uint8_t want[12] = {1, 0, 0xfe, 0xff, 3, 0, 4, 0, 0, 0, 6, 0};
  is_mem(b + 1024, want, sizeof want, "values, halves to even");
  free(b);
  m.stack = true;
  hed_map_write(kit_path("out.mrc"), &m, 1);
  b = kit_read(kit_path("out.mrc"), &n);
  ok(b && at_word(b, 23) == 0 && at_word(b, 10) == 1, "ISPG and MZ of a stack of images");
  free(b);
  hed_map_clear(&m);
  unlink(kit_path("out.mrc"));
}

/* float16, by the definition: nearest even, subnormals, the largest. */
static void written_halves(void) {
  static const float v[8] = {0x1.002p0f, 0x1.006p0f, 65519, -65519, 0x1p-25f, 0x1.8p-24f,
                             0x1.ffcp-15f, 0.1f};
  static const uint16_t want[8] = {0x3c00, 0x3c02, 0x7bff, 0xfbff, 0x0000, 0x0002, 0x0400,
                                   0x2e66};
  hed_map m = {.data = hed_from_host(v, HED_SHAPE(2, 4), HED_FLOAT32)};
  size_t n = 0;
  is_int(hed_map_write(kit_path("out.mrc"), &m, 12), HED_OK, "float16 is written");
  uint8_t *b = kit_read(kit_path("out.mrc"), &n);
  for (int i = 0; b && i < 8; i++)
    is_uint(b[1024 + 2 * i] | b[1025 + 2 * i] << 8, want[i], "half of %a", (double)v[i]);
  free(b);
  hed_map_clear(&m);
  unlink(kit_path("out.mrc"));
}

static void round_trips(void) {
  static const int all[] = {0, 1, 2, 6, 12};
  static const hed_shape shapes[] = {
      {2, {5, 7}}, {3, {3, 5, 7}}, {3, {4, 1, 1}}, {4, {2, 3, 5, 7}}};
  float v[210];
  for (int i = 0; i < 210; i++)
    v[i] = (float)(i * 37 % 101) + (i % 3 ? 0 : 0.0f);
  for (size_t k = 0; k < 20; k++) {
    int mode = all[k / 4];
    hed_shape s = shapes[k % 4], t;
    size_t n = 1;
    for (int i = 0; i < s.ndim; i++)
      n *= (size_t)s.dim[i];
    hed_map a = {.data = hed_from_host(v, s, HED_FLOAT32), .voxel = {3, 2, 1},
                 .origin = {1, 2, 3}}, b = {0};
    ok(hed_map_write(kit_path("trip.mrc"), &a, mode) == HED_OK &&
           hed_map_read(kit_path("trip.mrc"), &b) == HED_OK,
       "mode %d, %d-D, there and back: %s", mode, (int)s.ndim, hed_error_text());
    t = hed_array_shape(b.data);
    ok(fetch(&b, n) && memcmp(values, v, n * sizeof *v) == 0, "... same values");
    ok(t.ndim == s.ndim && memcmp(t.dim, s.dim, sizeof(int64_t) * (size_t)s.ndim) == 0 &&
           b.voxel[0] == 3 && b.voxel[2] == 1 && b.origin[0] == 1 && b.origin[2] == 3 &&
           !b.stack && b.mode == mode,
       "... same shape and geometry");
    hed_map_clear(&a);
    hed_map_clear(&b);
  }
  unlink(kit_path("trip.mrc"));
  double d[4] = {0.5, 1, 2, 3};
  hed_map a = {.data = hed_from_host(d, HED_SHAPE(2, 2), HED_FLOAT64)}, b = {0};
  ok(hed_map_write(kit_path("trip.mrc"), &a, 2) == HED_OK &&
         hed_map_read(kit_path("trip.mrc"), &b) == HED_OK && fetch(&b, 4) &&
         values[0] == 0.5f && values[3] == 3,
     "float64 is written as float32");
  hed_map_clear(&a);
  hed_map_clear(&b);
}

/* More than one block in every loop. */
static void large(void) {
  enum { N = 80 };
  float *v = malloc(sizeof *v * N * N * N), *w = malloc(sizeof *w * N * N * N);
  if (!v || !w)
    bail("no memory");
  for (int i = 0; i < N * N * N; i++)
    v[i] = (float)(i % 65521);
  hed_map a = {.data = hed_from_host(v, HED_SHAPE(N, N, N), HED_FLOAT32)}, b = {0};
  ok(hed_map_write(kit_path("large.mrc"), &a, 6) == HED_OK &&
         hed_map_read(kit_path("large.mrc"), &b) == HED_OK &&
         hed_to_host(b.data, w, sizeof *w * N * N * N) == HED_OK,
     "half a million voxels");
  is_mem(w, v, sizeof *w * N * N * N, "... come back");
  hed_map_clear(&a);
  hed_map_clear(&b);
  free(v);
  free(w);
}

static void not_written(const hed_map *m, int mode, const char *path, hed_status want,
                        const char *part, const char *name) {
  int before = kit_count();
  is_int(hed_map_write(path, m, mode), want, "%s: status", name);
  has_str(hed_error_text(), part, "%s: sentence", name);
  is_int(kit_count(), before, "%s: no file", name);
}

static void bad_writes(void) {
  float v[4] = {1, 2, -3, 70000};
  hed_map m = {.data = hed_from_host(v, HED_SHAPE(1, 2, 2), HED_FLOAT32)};
  const char *out = kit_path("no.mrc");
  not_written(&m, 0, out, HED_E_INVAL, "70000 at (z, y, x) = (0, 1, 1) in mode 0", "int8");
  not_written(&m, 1, out, HED_E_INVAL, "mode 1 (int16", "int16");
  not_written(&m, 6, out, HED_E_INVAL, "-3 at (z, y, x) = (0, 1, 0)", "uint16");
  not_written(&m, 12, out, HED_E_INVAL, "float16, up to 65504", "float16");
  not_written(&m, 4, out, HED_E_INVAL, "mode 4", "a mode that is not written");
  not_written(NULL, 2, out, HED_E_INVAL, "NULL", "no map");
  not_written(&m, 2, kit_path("none/x.mrc"), HED_E_IO, "none/x.mrc", "no such folder");
  if (mkfifo(kit_path("pipe.mrc"), 0600) == 0)
    not_written(&m, 2, kit_path("pipe.mrc"), HED_E_IO, "not a regular file", "a pipe");
  else
    skip(3, "no pipe can be made here");
  not_written(&m, 2, "", HED_E_INVAL, "empty", "an empty name");
  m.voxel[1] = -1;
  not_written(&m, 2, out, HED_E_INVAL, "-1 angstrom along y", "a negative voxel");
  m.voxel[1] = NAN;
  not_written(&m, 2, out, HED_E_INVAL, "nan angstrom along y", "a voxel that is no number");
  m.voxel[1] = 1;
  m.origin[0] = INFINITY;
  not_written(&m, 2, out, HED_E_INVAL, "inf angstrom along z", "an infinite origin");
  hed_map_clear(&m);
  v[2] = NAN;
  m.data = hed_from_host(v, HED_SHAPE(2, 2), HED_FLOAT32);
  not_written(&m, 2, out, HED_E_INVAL, "nan at (z, y, x) = (0, 1, 0)", "NaN");
  hed_map_clear(&m);
  m.data = hed_from_host(v, HED_SHAPE(4), HED_FLOAT32);
  not_written(&m, 2, out, HED_E_SHAPE, "1 dimensions", "a line");
  hed_map_clear(&m);
  m.data = hed_from_host(v, HED_SHAPE(0, 2), HED_FLOAT32);
  not_written(&m, 2, out, HED_E_SHAPE, "0 voxels along axis 0", "nothing");
  hed_map_clear(&m);
  m.data = hed_from_host(v, HED_SHAPE(1, 2), HED_COMPLEX64);
  not_written(&m, 2, out, HED_E_UNSUPPORTED, "complex64", "complex values");
  hed_map_clear(&m);
}

/* A disk that is full half-way: the old file stays, no other is left behind. */
static void full_disk(void) {
  float *v = calloc(100000, sizeof *v);
  hed_map m = {.data = hed_from_host(v, HED_SHAPE(10, 100, 100), HED_FLOAT32)};
  size_t n = 0;
  kit_write(kit_path("kept.mrc"), "precious", 8);
  kit_limit_file_size(65536);
  not_written(&m, 2, kit_path("kept.mrc"), HED_E_IO, "cannot write", "a full disk");
  kit_limit_file_size(0);
  uint8_t *b = kit_read(kit_path("kept.mrc"), &n);
  ok(b && n == 8 && memcmp(b, "precious", 8) == 0, "the file from before is untouched");
  free(b);
  is_int(hed_map_write(kit_path("kept.mrc"), &m, 2), HED_OK, "with room it is replaced");
  ok(symlink(kit_path("kept.mrc"), kit_path("link.mrc")) == 0 &&
         hed_map_write(kit_path("link.mrc"), &m, 0) == HED_OK,
     "writing through a link");
  struct stat st;
  ok(lstat(kit_path("link.mrc"), &st) == 0 && S_ISLNK(st.st_mode) &&
         stat(kit_path("kept.mrc"), &st) == 0 && st.st_size == 1024 + 100000,
     "... leaves the link and writes its target");
  hed_map_clear(&m);
  free(v);
}

int main(void) {
  kit_folder();
  modes(false);
  modes(true);
  axes(false);
  axes(true);
  geometry();
  scopes();
  bad_headers();
  bad_files();
  written_header();
  written_halves();
  round_trips();
  large();
  bad_writes();
  full_disk();
  return done();
}
