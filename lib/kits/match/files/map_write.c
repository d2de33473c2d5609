// SPDX-License-Identifier: BSD-3-Clause
/* hed_map_write.
 *
 * Layer: L4, match kit. Everything that can be wrong with the values is found before a file
 * is opened; statistics describe the values as they are stored, after rounding.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/map_header.h"
#include <heddle/kits/map.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_map_write";
enum { BLOCK = 1 << 16 };

static const char *mode_name(int mode) {
  switch (mode) {
  case 0: return "int8, -128..127";
  case 1: return "int16, -32768..32767";
  case 6: return "uint16, 0..65535";
  case 12: return "float16, up to 65504";
  default: return "float32";
  }
}

/* Extents in file order (columns, rows, sections) and what a section is. */
static hed_status fill_shape(const char *path, const hed_map *m, hed__map_header *h) {
  hed_shape s = hed_array_shape(m->data);
  int64_t sections = 1, depth = 1;

  if (s.ndim < 2 || s.ndim > 4)
    return hed_fail(HED_E_SHAPE, "%s: the data of '%s' has %d dimensions; a map has 2 to 4",
                    op, path, (int)s.ndim);
  for (int i = 0; i < s.ndim; i++)
    if (s.dim[i] < 1 || s.dim[i] > INT32_MAX)
      return hed_fail(HED_E_SHAPE,
                      "%s: the data of '%s' has %lld voxels along axis %d; a map has 1 to "
                      "%d", op, path, (long long)s.dim[i], i, INT32_MAX);
  if (s.ndim >= 3)
    sections = depth = s.dim[s.ndim - 3];
  if (s.ndim == 4)
    sections *= s.dim[0];
  if (sections > INT32_MAX)
    return hed_fail(HED_E_SHAPE, "%s: the stack for '%s' has %lld sections; a map has at "
                    "most %d", op, path, (long long)sections, INT32_MAX);
  bool single = s.ndim == 2 || (s.ndim == 3 && m->stack);
  h->n[0] = h->m[0] = (int32_t)s.dim[s.ndim - 1];
  h->n[1] = h->m[1] = (int32_t)s.dim[s.ndim - 2];
  h->n[2] = (int32_t)sections;
  h->m[2] = single ? 1 : (int32_t)depth;
  h->space_group = single ? 0 : s.ndim == 4 ? 401 : 1;
  return HED_OK;
}

static hed_status fill_geometry(const char *path, const hed_map *m, hed__map_header *h) {
  for (int a = 0; a < 3; a++) {
    double voxel = m->voxel[2 - a], origin = m->origin[2 - a], cell = voxel * h->m[a];
    if (!(voxel >= 0) || !isfinite((float)cell))
      return hed_fail(HED_E_INVAL, "%s: the voxel size of '%s' is %g angstrom along %c", op,
                      path, voxel, "xyz"[a]);
    if (!isfinite((float)origin))
      return hed_fail(HED_E_INVAL, "%s: the origin of '%s' is %g angstrom along %c", op,
                      path, origin, "xyz"[a]);
    h->cell[a] = (float)cell;
    h->origin[a] = (float)origin;
    h->angle[a] = 90.0f;
    h->axis[a] = a + 1;
  }
  return HED_OK;
}

static hed_status refuse(const char *path, const hed__map_header *h, size_t i, float v) {
  size_t row = (size_t)h->n[0], plane = row * (size_t)h->n[1];
  return hed_fail(HED_E_INVAL,
                  "%s: '%s' cannot hold the value %g at (z, y, x) = (%zu, %zu, %zu) in "
                  "mode %d (%s)", op, path, (double)v, i / plane, i % plane / row, i % row,
                  (int)h->mode, mode_name(h->mode));
}

/* Minimum, maximum, mean and standard deviation of what will be stored; two passes, so
 * that a large mean does not eat the deviation. */
static hed_status fill_statistics(const char *path, const float *v, size_t n,
                                  hed__map_header *h) {
  double sum = 0, squares = 0;
  float low = 0, high = 0, stored = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(v[i]) || !hed__map_fits(h->mode, v[i], &stored))
      return refuse(path, h, i, v[i]);
    low = i == 0 || stored < low ? stored : low;
    high = i == 0 || stored > high ? stored : high;
    sum += (double)stored;
  }
  double mean = sum / (double)n;
  for (size_t i = 0; i < n; i++) {
    (void)hed__map_fits(h->mode, v[i], &stored);
    squares += ((double)stored - mean) * ((double)stored - mean);
  }
  h->dmin = low;
  h->dmax = high;
  h->dmean = (float)mean;
  h->rms = (float)sqrt(squares / (double)n);
  return HED_OK;
}

static hed_status write_file(const char *path, const hed__map_header *h, const float *v,
                             size_t n) {
  uint8_t head[HED__MAP_HEADER_BYTES];
  hed_file *file;
  hed_status status;
  size_t bytes = hed__map_mode_bytes(h->mode);
  uint8_t *block = malloc(BLOCK * bytes);

  if (!block)
    return hed_fail(HED_E_NOMEM, "%s: no memory to write '%s'", op, path);
  if ((status = hed_file_create(op, path, &file)) != HED_OK)
    goto done;
  hed__map_header_build(h, head);
  status = hed_file_write(file, head, sizeof head);
  for (size_t at = 0; status == HED_OK && at < n; at += BLOCK) {
    size_t k = n - at < BLOCK ? n - at : BLOCK;
    hed__map_encode(h->mode, v + at, k, block);
    status = hed_file_write(file, block, k * bytes);
  }
  status = hed_file_close(file, status);
done:
  free(block);
  return status;
}

hed_status hed_map_write(const char *path, const hed_map *m, int mode) {
  hed_status status;
  hed__map_header h;
  float *values = NULL;
  size_t n = 0;

  if (!path || !m || !m->data)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op,
                    !path ? "path" : !m ? "the map" : "the map's data");
  if (hed__map_mode_bytes(mode) == 0)
    return hed_fail(HED_E_INVAL, "%s: mode %d for '%s'; 0, 1, 2, 6 and 12 are written", op,
                    mode, path);
  memset(&h, 0, sizeof h);
  h.mode = mode;
  hed__printable(m->label, strnlen(m->label, 80), h.label, sizeof h.label);
  if ((status = fill_shape(path, m, &h)) != HED_OK ||
      (status = fill_geometry(path, m, &h)) != HED_OK ||
      (status = hed__host_values(op, m->data, &values, &n)) != HED_OK ||
      (status = fill_statistics(path, values, n, &h)) != HED_OK)
    goto done;
  status = write_file(path, &h, values, n);
done:
  free(values);
  return status;
}
