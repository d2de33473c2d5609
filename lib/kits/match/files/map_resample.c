// SPDX-License-Identifier: BSD-3-Clause
/* hed_map_resample, by the map's Fourier transform.
 *
 * Layer: L4, match kit. Along an axis of n voxels of size v, filled up to N, frequency i of N becomes frequency i of M with
 * N v = M w up to 0.2 %; a phase keeps the centre, sample j lying at j r + s voxels with r = N / M.
 */
#include "kits/match/run/job.h"
#include <heddle/kits/map.h>
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_map_resample";
enum { MOST = 4096, MARGIN = 8 };

/* One axis, padded to three in front. */
typedef struct axis {
  int64_t n, wide, result, kept; /* extents: given, filled up, of its transform cut, of the result */
  int64_t before;                /* voxels filled up in front */
  double ratio;
} axis;

/* The least extents, N filled up and M, whose quotient is the sizes' to 0.2 %, or the best of those tried. */
static void choose(axis *a, double ratio)
{
  double best = INFINITY;
  for (int64_t wide = a->n + MARGIN; wide < a->n + MARGIN + 64; wide++) {
    const int64_t m = llrint((double)wide / ratio);
    const double off = m > 0 ? fabs((double)wide / (double)m / ratio - 1) : INFINITY;
    if (off < best) {
      best = off;
      a->wide = wide;
      a->result = m;
    }
    if (best < 0.0005)
      break;
  }
  a->ratio = (double)a->wide / (double)a->result;
  a->kept = (int64_t)ceil((double)a->n / a->ratio - 1e-6);
  a->kept += 1 - a->kept % 2;
  a->kept = a->kept <= a->result ? a->kept : a->result - 1 + a->result % 2;
  a->before = (a->wide - a->n) / 2;
}

static double face_mean(const float *v, const axis a[3])
{
  double sum = 0, n = 0;
  for (int64_t z = 0; z < a[0].n; z++)
    for (int64_t y = 0; y < a[1].n; y++)
      for (int64_t x = 0; x < a[2].n; x++, v++)
        if ((a[0].n > 1 && (z == 0 || z == a[0].n - 1)) || y == 0 || y == a[1].n - 1 || x == 0 || x == a[2].n - 1) {
          sum += (double)*v;
          n++;
        }
  return sum / n;
}

/* Frequency I of an axis, signed; false where the result has none or it is a Nyquist frequency. */
static bool frequency(const axis *a, int64_t i, int64_t *k)
{
  *k = 2 * i < a->wide ? i : i - a->wide;
  return 2 * llabs(*k) < a->wide && 2 * llabs(*k) < a->result;
}

/* FROM (half spectrum of the filled-up map) into TO (that of the result, zeros), with the phase that keeps the centre. */
static void move(const axis a[3], const float *from, float *to)
{
  const double pi = 3.14159265358979323846;
  double scale = 1, shift[3];
  for (int i = 0; i < 3; i++) {
    scale *= (double)a[i].result / (double)a[i].wide;
    shift[i] = (double)a[i].before + (double)(a[i].n - 1) / 2 - a[i].ratio * (double)(a[i].kept - 1) / 2;
  }
  for (int64_t z = 0; z < a[0].wide; z++)
    for (int64_t y = 0; y < a[1].wide; y++)
      for (int64_t x = 0; x <= a[2].wide / 2; x++, from += 2) {
        int64_t k[3];
        if (!frequency(&a[0], z, &k[0]) || !frequency(&a[1], y, &k[1]) || !frequency(&a[2], x, &k[2]))
          continue;
        double turn = 0;
        for (int i = 0; i < 3; i++)
          turn += 2 * pi * (double)k[i] * shift[i] / (double)a[i].wide;
        const int64_t q[2] = { k[0] < 0 ? k[0] + a[0].result : k[0], k[1] < 0 ? k[1] + a[1].result : k[1] };
        float *out = to + 2 * ((q[0] * a[1].result + q[1]) * (a[2].result / 2 + 1) + k[2]);
        out[0] = (float)(scale * ((double)from[0] * cos(turn) - (double)from[1] * sin(turn)));
        out[1] = (float)(scale * ((double)from[0] * sin(turn) + (double)from[1] * cos(turn)));
      }
}

static hed_shape shape_of(int ndim, const axis a[3], int which)
{
  hed_shape s = { .ndim = ndim };
  for (int i = 0; i < ndim; i++) {
    const axis *x = &a[3 - ndim + i];
    s.dim[i] = which == 0 ? x->wide : which == 1 ? x->result : x->kept;
  }
  return s;
}

/* In a scope and the reference's space. */
static hed_array *resampled(const hed_array *x, int ndim, const axis a[3])
{
  hed_shape half = shape_of(ndim, a, 1);
  const hed_fft back = { .s = half };
  half.dim[ndim - 1] = half.dim[ndim - 1] / 2 + 1;
  const double mean = face_mean(hed_array_data((hed_array *)x), a);
  hed_array *filled = hed_full(shape_of(ndim, a, 0), mean, HED_FLOAT32);
  hed_slice_range inside[3], kept[3];
  for (int i = 0; i < ndim; i++) {
    const axis *q = &a[3 - ndim + i];
    inside[i] = HED_RANGE(q->before, q->before + q->n, 1);
    kept[i] = HED_RANGE(0, q->kept, 1);
  }
  hed_array *middle = filled ? hed_slice(filled, ndim, inside) : NULL;
  if (!middle || hed_copy_into(middle, x) != HED_OK)
    return NULL;
  hed_array *from = hed_rfftn(filled, NULL), *to = hed_zeros(half, HED_COMPLEX64);
  if (!from || !to)
    return NULL;
  move(a, hed_array_data(from), hed_array_data(to));
  hed_array *out = hed_irfftn(to, &back);
  return out ? hed_keep(hed_copy(hed_slice(out, ndim, kept))) : NULL;
}

hed_status hed_map_resample(const hed_map *map, double voxel, hed_map *out)
{
  axis a[3] = { { 1, 1, 1, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1 } };
  hed_array *x = NULL, *y = NULL;
  hed_frame frame = { 0, 0, 0, 0 };
  hed_scope scope = { 0, NULL };
  if (out)
    *out = (hed_map){ 0 };
  if (!map || !map->data || !out)
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  const hed_shape s = hed_array_shape(map->data);
  if ((s.ndim != 2 && s.ndim != 3) || map->stack)
    return hed_fail(HED_E_SHAPE, "%s: %s, not a volume or an image", op, map->stack ? "a stack" : "not 2-D or 3-D");
  for (int i = 0; i < s.ndim; i++) {
    axis *q = &a[3 - s.ndim + i];
    const double size = map->voxel[3 - s.ndim + i];
    if (!(voxel > 0) || !(size > 0) || !isfinite(voxel) || !isfinite(size))
      return hed_fail(HED_E_INVAL, "%s: from a voxel size of %g angstrom along axis %d to one of %g", op, size, i, voxel);
    if (s.dim[i] < 1 || (double)(s.dim[i] + MARGIN + 64) * fmax(1, size / voxel) > MOST || (double)s.dim[i] * size / voxel < 1)
      return hed_fail(HED_E_INVAL, "%s: %lld voxels of %g angstrom along axis %d become %.0f; 1 to about %d are made", op,
                      (long long)s.dim[i], size, i, (double)s.dim[i] * size / voxel, MOST);
    q->n = s.dim[i];
    choose(q, voxel / size);
  }
  hed_status status = hed_backend_context_push("reference", &frame);
  if (status == HED_OK && (status = hed_scope_begin(&scope)) == HED_OK) {
    x = hed__checked(op, "map", map->data);
    y = x ? resampled(x, s.ndim, a) : NULL;
    status = y ? HED_OK : hed_error();
    hed_release(x);
    hed_scope_end(&scope);
  }
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  if (status != HED_OK)
    return status;
  *out = *map;
  out->data = y;
  for (int i = 0; i < 3; i++) {
    const double size = map->voxel[i];
    out->voxel[i] = i < 3 - s.ndim ? voxel : size * a[i].ratio;
    out->origin[i] = map->origin[i] + size * (double)(a[i].n - 1) / 2 - out->voxel[i] * (double)(a[i].kept - 1) / 2;
  }
  return HED_OK;
}
