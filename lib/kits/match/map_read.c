// SPDX-License-Identifier: BSD-3-Clause
/*
 * map_read.c: hed_map_read.
 *
 * Layer: L4, match kit. The size of the file is compared with what the header promises
 * before anything is allocated; values then stream through one small block into their
 * place, whatever the file's order of axes.
 */
#include "kits/match/fileio.h"
#include "kits/match/map_header.h"
#include <heddle/kits/map.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static hed_status check_size(const char *path, const hed__map_header *h, uint64_t size,
                             uint64_t *count) {
  uint64_t n = (uint64_t)h->n[0], need = 0;
  if (__builtin_mul_overflow(n, (uint64_t)h->n[1], &n) ||
      __builtin_mul_overflow(n, (uint64_t)h->n[2], &n) ||
      __builtin_mul_overflow(n, (uint64_t)hed__map_mode_bytes(h->mode), &need) ||
      n > PTRDIFF_MAX / sizeof(float) ||
      __builtin_add_overflow(need, HED__MAP_HEADER_BYTES + (uint64_t)h->extended_bytes,
                             &need))
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' claims %d x %d x %d voxels, more than can be addressed; the "
                    "file has %llu bytes", op, path, (int)h->n[0], (int)h->n[1],
                    (int)h->n[2], (unsigned long long)size);
  if (need != size)
    return hed_fail(HED_E_FORMAT,
                    "%s: '%s' is %s: %d x %d x %d voxels of mode %d and %d bytes of "
                    "extended header make %llu bytes, the file has %llu", op, path,
                    size < need ? "truncated" : "too long", (int)h->n[0], (int)h->n[1],
                    (int)h->n[2], (int)h->mode, (int)h->extended_bytes,
                    (unsigned long long)need, (unsigned long long)size);
  *count = n;
  return HED_OK;
}

static hed_status read_values(const char *path, int fd, const hed__map_header *h,
                              const layout *l, size_t count, float *dst) {
  hed_status status = HED_OK;
  size_t bytes = hed__map_mode_bytes(h->mode);
  size_t block = count < BLOCK ? count : BLOCK;
  bool unsigned_bytes = h->imod_stamp == 1146047817 && !(h->imod_flags & 1);
  uint8_t *raw = malloc(block * bytes);
  float *tmp = l->same_order ? NULL : malloc(block * sizeof *tmp);
  size_t c = 0, r = 0, s = 0;

  if (!raw || (!tmp && !l->same_order)) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for a block of '%s'", op, path);
    goto done;
  }
  for (size_t at = 0; at < count; at += block) {
    size_t n = count - at < block ? count - at : block;
    uint64_t offset =
        HED__MAP_HEADER_BYTES + (uint64_t)h->extended_bytes + (uint64_t)at * bytes;
    status = hed__file_read_at(op, path, fd, offset, raw, n * bytes);
    if (status != HED_OK)
      goto done;
    hed__map_decode(h->mode, unsigned_bytes, h->big_endian, raw, n,
                    l->same_order ? dst + at : tmp);
    for (size_t i = 0; !l->same_order && i < n; i++) {
      dst[c * l->stride[0] + r * l->stride[1] + s * l->stride[2]] = tmp[i];
      if (++c == (size_t)h->n[0]) {
        c = 0;
        if (++r == (size_t)h->n[1]) {
          r = 0;
          s++;
        }
      }
    }
  }
done:
  free(raw);
  free(tmp);
  return status;
}

static hed_status check_finite(const char *path, const layout *l, const float *v,
                               size_t count) {
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
  size_t row = (size_t)l->extent[2], plane = row * (size_t)l->extent[1];
  return hed_fail(HED_E_FORMAT,
                  "%s: '%s' has %zu NaN and %zu infinite values, the first at (z, y, x) = "
                  "(%zu, %zu, %zu)", op, path, nans, infinite, first / plane,
                  first % plane / row, first % row);
}

/* The shape of the array: what the space group makes of the sections. */
static hed_status make_shape(const char *path, const hed__map_header *h, const layout *l,
                             hed_shape *shape, bool *stack) {
  memset(shape, 0, sizeof *shape);
  *stack = false;
  if (h->space_group >= 401) {
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
  *stack = !image && h->space_group == 0;
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

hed_status hed_map_read(const char *path, hed_map *out) {
  hed_status status;
  uint8_t head[HED__MAP_HEADER_BYTES];
  hed__map_header h;
  uint64_t size = 0, count = 0;
  float *values = NULL;
  hed_map m = {0};
  hed_shape shape;
  int fd = -1;

  if (out)
    memset(out, 0, sizeof *out);
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  if ((status = hed__file_open(op, path, &fd, &size)) != HED_OK)
    goto done;
  if (size < sizeof head) {
    status = hed_fail(HED_E_FORMAT,
                      "%s: '%s' has %llu bytes, less than the 1024 of a map's header", op,
                      path, (unsigned long long)size);
    goto done;
  }
  if ((status = hed__file_read_at(op, path, fd, 0, head, sizeof head)) != HED_OK ||
      (status = hed__map_header_parse(op, path, head, &h)) != HED_OK ||
      (status = check_size(path, &h, size, &count)) != HED_OK)
    goto done;
  layout l = make_layout(&h);
  if ((status = make_shape(path, &h, &l, &shape, &m.stack)) != HED_OK)
    goto done;
  values = malloc((size_t)count * sizeof *values);
  if (!values) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for the %llu voxels of '%s'", op,
                      (unsigned long long)count, path);
    goto done;
  }
  if ((status = read_values(path, fd, &h, &l, (size_t)count, values)) != HED_OK ||
      (status = check_finite(path, &l, values, (size_t)count)) != HED_OK)
    goto done;
  make_geometry(&h, &m);
  m.mode = h.mode;
  memcpy(m.label, h.label, sizeof m.label);
  m.data = hed_keep(hed_wrap(values, shape, NULL, HED_FLOAT32, free, values));
  if (!m.data) {
    status = hed_error();
    goto done;
  }
  values = NULL;
  *out = m;
done:
  free(values);
  if (fd >= 0)
    close(fd);
  return status;
}

void hed_map_clear(hed_map *m) {
  if (!m)
    return;
  hed_release(m->data);
  memset(m, 0, sizeof *m);
}
