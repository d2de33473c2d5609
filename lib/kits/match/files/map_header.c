// SPDX-License-Identifier: BSD-3-Clause
/* Parse, check and build the header of an MRC2014/CCP4 file.
 *
 * Layer: L4, match kit. Offsets are those of CCP-EM's table
 * (https://www.ccpem.ac.uk/mrc_format/mrc2014.php), counted from 0. The byte order is what
 * the machine stamp says; a stamp that says nothing, or the opposite of what the numbers
 * say, is an error, never a guess.
 */
#include "kits/match/files/map_header.h"
#include "kits/match/files/fileio.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  AT_N = 0, AT_MODE = 12, AT_START = 16, AT_M = 28, AT_CELL = 40, AT_ANGLE = 52,
  AT_AXIS = 64, AT_DMIN = 76, AT_DMAX = 80, AT_DMEAN = 84, AT_SPACE_GROUP = 88,
  AT_EXTENDED = 92, AT_VERSION = 108, AT_IMOD_STAMP = 152, AT_IMOD_FLAGS = 156,
  AT_ORIGIN = 196, AT_MAP = 208, AT_STAMP = 212, AT_RMS = 216, AT_LABELS = 220,
  AT_LABEL = 224
};

static uint32_t get_u32(const uint8_t *p, bool big) {
  return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
             : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static int32_t get_i32(const uint8_t *p, bool big) {
  return (int32_t)get_u32(p, big);
}

static float get_f32(const uint8_t *p, bool big) {
  uint32_t u = get_u32(p, big);
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

static void put_u32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++)
    p[i] = (uint8_t)(v >> (8 * i));
}

static void put_f32(uint8_t *p, float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  put_u32(p, u);
}

size_t hed__map_mode_bytes(int mode) {
  switch (mode) {
  case 0: return 1;
  case 1: case 6: case 12: return 2;
  case 2: return 4;
  default: return 0;
  }
}

uint64_t hed__map_row_bytes(int mode, uint64_t n) {
  return mode == 101 ? (n + 1) / 2 : n * hed__map_mode_bytes(mode);
}

void hed__map_warn(hed__map_header *h, const char *format, ...) {
  size_t n = strlen(h->warning);
  if (n > 0 && n + 3 < sizeof h->warning)
    n += (size_t)snprintf(h->warning + n, sizeof h->warning - n, "; ");
  va_list args;
  va_start(args, format);
  vsnprintf(h->warning + n, sizeof h->warning - n, format, args);
  va_end(args);
}

static bool known_mode(int32_t mode) {
  return hed__map_mode_bytes(mode) > 0 || mode == 3 || mode == 4 || mode == 16 ||
         mode == 101;
}

static bool axes_ok(const int32_t a[3]) {
  if (a[0] == 0 && a[1] == 0 && a[2] == 0)
    return true; /* files older than the axis words */
  int seen = 0;
  for (int i = 0; i < 3; i++)
    if (a[i] >= 1 && a[i] <= 3)
      seen |= 1 << a[i];
  return seen == 14;
}

static void unpack(const uint8_t *b, bool big, hed__map_header *h) {
  memset(h, 0, sizeof *h);
  h->big_endian = big;
  for (int i = 0; i < 3; i++) {
    h->n[i] = get_i32(b + AT_N + 4 * i, big);
    h->start[i] = get_i32(b + AT_START + 4 * i, big);
    h->m[i] = get_i32(b + AT_M + 4 * i, big);
    h->axis[i] = get_i32(b + AT_AXIS + 4 * i, big);
    h->cell[i] = get_f32(b + AT_CELL + 4 * i, big);
    h->angle[i] = get_f32(b + AT_ANGLE + 4 * i, big);
    h->origin[i] = get_f32(b + AT_ORIGIN + 4 * i, big);
  }
  h->mode = get_i32(b + AT_MODE, big);
  h->space_group = get_i32(b + AT_SPACE_GROUP, big);
  h->extended_bytes = get_i32(b + AT_EXTENDED, big);
  h->imod_stamp = get_i32(b + AT_IMOD_STAMP, big);
  h->imod_flags = get_i32(b + AT_IMOD_FLAGS, big);
  if (get_i32(b + AT_LABELS, big) > 0) {
    size_t len = 80;
    while (len > 0 && (b[AT_LABEL + len - 1] == ' ' || b[AT_LABEL + len - 1] == '\0'))
      len--;
    hed__printable((const char *)b + AT_LABEL, len, h->label, sizeof h->label);
  }
}

/* Whether the numbers read in this byte order look like a header; used only to say what is
 * wrong with a file, so it may err. */
static bool plausible(const uint8_t *b, bool big) {
  hed__map_header h;
  unpack(b, big, &h);
  for (int i = 0; i < 3; i++)
    if (h.n[i] < 1 || h.n[i] > 1 << 24)
      return false;
  return known_mode(h.mode) && axes_ok(h.axis) && h.extended_bytes >= 0;
}

static hed_status check(const char *op, const char *path, const hed__map_header *h) {
  static const char *const modes[] = {[3] = "complex int16", [4] = "complex float32"};
  if (h->n[0] < 1 || h->n[1] < 1 || h->n[2] < 1)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' has %d x %d x %d voxels; each must be at least 1", op, path,
                    (int)h->n[0], (int)h->n[1], (int)h->n[2]);
  if (hed__map_row_bytes(h->mode, 1) == 0)
    return hed_fail(known_mode(h->mode) ? HED_E_UNSUPPORTED : HED_E_FORMAT,
                    "%s: '%s' has mode %d%s%s%s; 0, 1, 2, 6, 12 and 101 are read", op, path,
                    (int)h->mode, h->mode == 3 || h->mode == 4 ? " (" : "",
                    h->mode == 3 || h->mode == 4 ? modes[h->mode] : "",
                    h->mode == 3 || h->mode == 4 ? ")" : "");
  if (!axes_ok(h->axis))
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' has MAPC, MAPR, MAPS = %d, %d, %d, not an order of 1, 2, 3",
                    op, path, (int)h->axis[0], (int)h->axis[1], (int)h->axis[2]);
  if (h->extended_bytes < 0)
    return hed_fail(HED_E_FORMAT, "%s: '%s' has an extended header of %d bytes (NSYMBT)",
                    op, path, (int)h->extended_bytes);
  for (int i = 0; i < 3; i++) {
    if (!isfinite(h->cell[i]) || h->cell[i] < 0)
      return hed_fail(HED_E_FORMAT,
                      "%s: '%s' has a cell of %g x %g x %g angstrom; none may be negative "
                      "or not finite", op, path, (double)h->cell[0], (double)h->cell[1],
                      (double)h->cell[2]);
    if (!isfinite(h->origin[i]))
      return hed_fail(HED_E_FORMAT, "%s: '%s' has its origin at %g, %g, %g, not finite",
                      op, path, (double)h->origin[0], (double)h->origin[1],
                      (double)h->origin[2]);
    /* 0 stands for "not filled in" in many files; a tenth of a degree is rounding. */
    if (!(h->angle[i] == 0.0f || fabsf(h->angle[i] - 90.0f) < 0.1f))
      return hed_fail(HED_E_UNSUPPORTED,
                      "%s: '%s' has cell angles of %g, %g, %g degrees; only 90 is read",
                      op, path, (double)h->angle[0], (double)h->angle[1],
                      (double)h->angle[2]);
  }
  return HED_OK;
}

/* Stamps that programs of the field write and that say nothing of the byte order. */
static bool known_stamp(const uint8_t *s) {
  static const uint8_t known[][2] = {{0, 0}, {0x44, 0}, {0x44, 0x20}, {0xff, 0xff}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (s[0] == known[i][0] && s[1] == known[i][1])
      return true;
  return false;
}

hed_status hed__map_header_parse(const char *op, const char *path, const uint8_t *b,
                                 hed__map_header *h) {
  const uint8_t *s = b + AT_STAMP;
  bool little = s[0] == 0x44 && (s[1] == 0x44 || s[1] == 0x41);
  bool big = s[0] == 0x11 && s[1] == 0x11;
  bool as_little = plausible(b, false), as_big = plausible(b, true);
  char word[8];

  if (!as_little && !as_big && !((little || big) && memcmp(b + AT_MAP, "MAP", 3) == 0))
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' is not an MRC/CCP4 map: its first words make no header in "
                    "either byte order", op, path);
  const bool odd = !little && !big && as_little != as_big && known_stamp(s);
  if (odd) {
    little = as_little;
    big = as_big;
  }
  if (!little && !big)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' has the machine stamp %02x %02x %02x %02x, neither 44 44 "
                    "(little-endian) nor 11 11 (big-endian)", op, path, s[0], s[1], s[2],
                    s[3]);
  if (big ? !as_big && as_little : !as_little && as_big)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' has the machine stamp %02x %02x %02x %02x (%s-endian), but "
                    "its header is %s-endian", op, path, s[0], s[1], s[2], s[3],
                    big ? "big" : "little", big ? "little" : "big");
  if (memcmp(b + AT_MAP, "MAP", 3) != 0)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' has '%s' where an MRC/CCP4 map has 'MAP '", op, path,
                    hed__printable((const char *)b + AT_MAP, 4, word, sizeof word));
  unpack(b, big, h);
  if (odd)
    hed__map_warn(h, "the machine stamp %02x %02x says nothing; read as %s-endian, as mode and extents do", s[0], s[1],
                  big ? "big" : "little");
  hed_status status = check(op, path, h);
  h->data = HED__MAP_HEADER_BYTES + (status == HED_OK ? (uint64_t)h->extended_bytes : 0);
  if (status == HED_OK && h->axis[0] == 0)
    for (int i = 0; i < 3; i++)
      h->axis[i] = i + 1;
  return status;
}

bool hed__em_header_parse(const uint8_t *b, size_t n, uint64_t size, hed__map_header *h) {
  static const int modes[] = {[1] = 0, [2] = 1, [5] = 2};
  memset(h, 0, sizeof *h);
  if (n < HED__EM_HEADER_BYTES || (b[0] != 3 && b[0] != 5 && b[0] != 6) || (b[3] != 1 && b[3] != 2 && b[3] != 5))
    return false;
  h->big_endian = b[0] != 6; /* 6 is the PC */
  h->mode = modes[b[3]];
  h->data = HED__EM_HEADER_BYTES;
  uint64_t cells = 1;
  for (int i = 0; i < 3; i++) {
    h->n[i] = h->m[i] = get_i32(b + 4 + 4 * i, h->big_endian);
    h->axis[i] = i + 1;
    if (h->n[i] < 1 || __builtin_mul_overflow(cells, (uint64_t)h->n[i], &cells))
      return false;
  }
  h->space_group = 1;
  return cells <= UINT64_MAX / 8 && HED__EM_HEADER_BYTES + cells * hed__map_mode_bytes(h->mode) == size;
}

void hed__map_header_build(const hed__map_header *h, uint8_t *b) {
  static const uint8_t stamp[4] = {0x44, 0x44, 0, 0};
  memset(b, 0, HED__MAP_HEADER_BYTES);
  for (int i = 0; i < 3; i++) {
    put_u32(b + AT_N + 4 * i, (uint32_t)h->n[i]);
    put_u32(b + AT_START + 4 * i, (uint32_t)h->start[i]);
    put_u32(b + AT_M + 4 * i, (uint32_t)h->m[i]);
    put_u32(b + AT_AXIS + 4 * i, (uint32_t)h->axis[i]);
    put_f32(b + AT_CELL + 4 * i, h->cell[i]);
    put_f32(b + AT_ANGLE + 4 * i, h->angle[i]);
    put_f32(b + AT_ORIGIN + 4 * i, h->origin[i]);
  }
  put_u32(b + AT_MODE, (uint32_t)h->mode);
  put_f32(b + AT_DMIN, h->dmin);
  put_f32(b + AT_DMAX, h->dmax);
  put_f32(b + AT_DMEAN, h->dmean);
  put_f32(b + AT_RMS, h->rms);
  put_u32(b + AT_SPACE_GROUP, (uint32_t)h->space_group);
  put_u32(b + AT_EXTENDED, (uint32_t)h->extended_bytes);
  put_u32(b + AT_VERSION, 20141);
  memcpy(b + AT_MAP, "MAP ", 4);
  memcpy(b + AT_STAMP, stamp, 4);
  if (h->label[0]) {
    put_u32(b + AT_LABELS, 1);
    memset(b + AT_LABEL, ' ', 80);
    memcpy(b + AT_LABEL, h->label, strlen(h->label));
  }
}
