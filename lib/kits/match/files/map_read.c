// SPDX-License-Identifier: BSD-3-Clause
/* hed_map_read.
 *
 * Layer: L4, match kit. The size of the file is compared with what the header promises
 * before anything is allocated; values then stream through one small block into their
 * place, whatever the file's order of axes.
 */
#include "kits/match/files/map_header.h"
#include "kits/match/files/stream.h"
#include <heddle/kits/map.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_map_read";
enum { BLOCK = 1 << 18 }; /* values per block */

/* Where each value goes: lengths and strides (in values) of the array along the file's
 * columns, rows and sections. */
typedef struct layout {
  int64_t extent[3]; /* z, y, x */
  size_t stride[3];  /* along columns, rows, sections */
  bool same_order;
} layout;

static layout make_layout(const hed__map_header *h) {
  layout l;
  for (int f = 0; f < 3; f++)
    l.extent[3 - h->axis[f]] = h->n[f];
  size_t by_axis[3] = {(size_t)l.extent[1] * (size_t)l.extent[2], (size_t)l.extent[2], 1};
  for (int f = 0; f < 3; f++)
    l.stride[f] = by_axis[3 - h->axis[f]];
  l.same_order = h->axis[0] == 1 && h->axis[1] == 2;
  return l;
}

static hed_status check_size(const char *path, hed__map_header *h, uint64_t size, bool exact,
                             uint64_t *count) {
  uint64_t rows = (uint64_t)h->n[1], need = 0;
  if (__builtin_mul_overflow(rows, (uint64_t)h->n[2], &rows) ||
      __builtin_mul_overflow(rows, (uint64_t)h->n[0], count) || *count > PTRDIFF_MAX / sizeof(float) ||
      __builtin_mul_overflow(rows, hed__map_row_bytes(h->mode, (uint64_t)h->n[0]), &need) ||
      __builtin_add_overflow(need, h->data, &need))
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' claims %d x %d x %d voxels, more than can be addressed; the "
                    "file has %llu bytes", op, path, (int)h->n[0], (int)h->n[1],
                    (int)h->n[2], (unsigned long long)size);
  if (need > size)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' is truncated: %d x %d x %d voxels of mode %d and %d bytes of "
                    "extended header make %llu bytes, the file has %llu%s", op, path, (int)h->n[0], (int)h->n[1],
                    (int)h->n[2], (int)h->mode, (int)h->extended_bytes,
                    (unsigned long long)need, (unsigned long long)size, exact ? "" : " at most");
  if (exact && need < size)
    hed__map_warn(h, "%llu bytes behind the last voxel", (unsigned long long)(size - need));
  return HED_OK;
}

/* Whole rows at a time, because packed ones end with a byte. */
static hed_status read_values(const char *path, hed__stream *stream, const hed__map_header *h,
                              const layout *l, size_t count, float *dst) {
  hed_status status = HED_OK;
  const size_t columns = (size_t)h->n[0], rows = count / columns;
  const size_t row_bytes = (size_t)hed__map_row_bytes(h->mode, columns);
  const size_t block = columns < BLOCK && rows > BLOCK / columns ? BLOCK / columns : columns < BLOCK ? rows : 1;
  bool unsigned_bytes = h->imod_stamp == 1146047817 && !(h->imod_flags & 1);
  uint8_t *raw = malloc(block * row_bytes);
  float *tmp = malloc(columns * sizeof *tmp);
  size_t r = 0, s = 0;

  if (!raw || !tmp) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for a block of '%s'", op, path);
    goto done;
  }
  for (size_t at = 0; at < rows; at++) {
    const size_t n = rows - at < block ? rows - at : block, in_block = at % block;
    if (in_block == 0 && (status = hed__stream_take(stream, raw, n * row_bytes)) != HED_OK)
      goto done;
    float *to = l->same_order ? dst + at * columns : tmp;
    hed__map_decode(h->mode, unsigned_bytes, h->big_endian, raw + in_block * row_bytes, columns, to);
    for (size_t c = 0; !l->same_order && c < columns; c++)
      dst[c * l->stride[0] + r * l->stride[1] + s * l->stride[2]] = tmp[c];
    if (++r == (size_t)h->n[1]) {
      r = 0;
      s++;
    }
  }
done:
  free(raw);
  free(tmp);
  return status;
}

/* The mean of the others for NaN voxels. */
static void fill_nan(hed__map_header *h, float *v, size_t count, size_t nans) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += isnan(v[i]) ? 0 : (double)v[i];
  for (size_t i = 0; i < count; i++)
    if (isnan(v[i]))
      v[i] = (float)(sum / (double)(count - nans));
  hed__map_warn(h, "%zu NaN voxels became the mean", nans);
}

static hed_status check_finite(const char *path, hed__map_header *h, const layout *l, float *v,
                               size_t count, bool nan_mean) {
  size_t nans = 0, infinite = 0, first = 0;
  for (size_t i = 0; i < count; i++) {
    if (isfinite(v[i]))
      continue;
    if (nans + infinite == 0)
      first = i;
    if (isnan(v[i]))
      nans++;
    else
      infinite++;
  }
  if (nans + infinite == 0)
    return HED_OK;
  if (nan_mean && infinite == 0 && nans < count) {
    fill_nan(h, v, count, nans);
    return HED_OK;
  }
  size_t row = (size_t)l->extent[2], plane = row * (size_t)l->extent[1];
  return hed_fail(HED_E_FORMAT,
                  "%s: '%s' has %zu NaN and %zu infinite values, the first at (z, y, x) = "
                  "(%zu, %zu, %zu)", op, path, nans, infinite, first / plane,
                  first % plane / row, first % row);
}

/* The shape of the array: what the space group makes of the sections. Programs write space group 0 for volumes, too; then MZ
 * is their depth, and 1 for images. */
static hed_status make_shape(const char *path, const hed__map_header *h, const layout *l, bool volume,
                             hed_shape *shape, bool *stack) {
  memset(shape, 0, sizeof *shape);
  *stack = false;
  if (h->space_group >= 401 && !volume) {
    if (!(l->same_order && h->m[2] > 0 && h->n[2] % h->m[2] == 0))
      return hed_fail(HED_E_FORMAT,
                      "%s: '%s' is a stack of volumes (space group %d) of %d sections, "
                      "which MZ = %d does not divide, or its axes are permuted", op, path,
                      (int)h->space_group, (int)h->n[2], (int)h->m[2]);
    shape->ndim = 4;
    shape->dim[0] = h->n[2] / h->m[2];
    shape->dim[1] = h->m[2];
    shape->dim[2] = l->extent[1];
    shape->dim[3] = l->extent[2];
    return HED_OK;
  }
  bool image = l->extent[0] == 1;
  shape->ndim = image ? 2 : 3;
  for (int i = 0; i < shape->ndim; i++)
    shape->dim[i] = l->extent[i + image];
  const bool deep = h->n[2] > 1 && h->m[2] == h->n[2];
  *stack = !image && h->space_group == 0 && !deep && !volume;
  return HED_OK;
}

static void make_geometry(const hed__map_header *h, hed_map *out) {
  bool has_origin = h->origin[0] != 0 || h->origin[1] != 0 || h->origin[2] != 0;
  for (int f = 0; f < 3; f++) {
    int a = h->axis[f] - 1; /* x, y, z of this file axis */
    int32_t m = h->m[a] > 0 ? h->m[a] : h->n[f];
    out->voxel[2 - a] = (double)h->cell[a] / m;
    out->origin[2 - a] =
        has_origin ? (double)h->origin[a] : (double)h->start[f] * out->voxel[2 - a];
  }
}

static hed_status parse_header(const char *path, const hed__stream *stream, hed__map_header *h) {
  bool exact;
  size_t n;
  const uint8_t *head = hed__stream_head(stream, &n);
  const uint64_t size = hed__stream_size(stream, &exact);
  if (exact && hed__em_header_parse(head, n, size, h) &&
      !(n >= HED__MAP_HEADER_BYTES && memcmp(head + 208, "MAP", 3) == 0))
    return HED_OK;
  if (n < HED__MAP_HEADER_BYTES)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' has %zu bytes, less than the 1024 of a map's header", op, path, n);
  return hed__map_header_parse(op, path, head, h);
}

hed_status hed_map_read_as(const char *path, const hed_map_reading *opt, hed_map *out) {
  static const hed_map_reading none;
  hed_status status;
  hed__map_header h;
  hed__stream *stream = NULL;
  uint64_t count = 0;
  bool exact;
  float *values = NULL;
  hed_map m = {0};
  hed_shape shape;

  if (out)
    memset(out, 0, sizeof *out);
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  if (!opt)
    opt = &none;
  if ((status = hed__stream_open(op, path, &stream)) != HED_OK)
    goto done;
  if ((status = parse_header(path, stream, &h)) != HED_OK)
    goto done;
  const uint64_t size = hed__stream_size(stream, &exact);
  if ((status = check_size(path, &h, size, exact, &count)) != HED_OK)
    goto done;
  layout l = make_layout(&h);
  if ((status = make_shape(path, &h, &l, opt->volume, &shape, &m.stack)) != HED_OK)
    goto done;
  values = malloc((size_t)count * sizeof *values);
  if (!values) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for the %llu voxels of '%s'", op,
                      (unsigned long long)count, path);
    goto done;
  }
  if ((status = hed__stream_take(stream, NULL, h.data)) != HED_OK ||
      (status = read_values(path, stream, &h, &l, (size_t)count, values)) != HED_OK ||
      (status = check_finite(path, &h, &l, values, (size_t)count, opt->nan_mean)) != HED_OK)
    goto done;
  make_geometry(&h, &m);
  m.mode = h.mode;
  memcpy(m.label, h.label, sizeof m.label);
  memcpy(m.warning, h.warning, sizeof m.warning);
  m.data = hed_keep(hed_wrap(values, shape, NULL, HED_FLOAT32, free, values));
  if (!m.data) {
    status = hed_error();
    goto done;
  }
  values = NULL;
  *out = m;
done:
  free(values);
  hed__stream_close(stream);
  return status;
}

hed_status hed_map_read(const char *path, hed_map *out) {
  return hed_map_read_as(path, NULL, out);
}

void hed_map_clear(hed_map *m) {
  if (!m)
    return;
  hed_release(m->data);
  memset(m, 0, sizeof *m);
}
