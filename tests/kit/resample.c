// SPDX-License-Identifier: BSD-3-Clause
/* Maps at another voxel size: two Gaussians, wide enough for both grids, against their values at the new voxels, whose places
 * follow from the origin; volumes and images, finer and coarser, odd and even; the centre stays.
 */
#include "tap.h"
#include <heddle/kits/map.h>
#include <math.h>
#include <stdlib.h>

/* At a place in angstrom, relative to the box's centre. */
static double density(double z, double y, double x)
{
  return 3 + 2 * exp(-((z - 6) * (z - 6) + (y + 4) * (y + 4) + x * x) / 200) - exp(-(z * z + y * y + (x - 9) * (x - 9)) / 128);
}

static void resample(int ndim, const int64_t n[3], const double voxel[3], double to)
{
  hed_shape s = { .ndim = ndim };
  hed_map in = { .origin = { 100, -50, 7 } }, out;
  float *v = malloc((size_t)(n[0] * n[1] * n[2]) * sizeof *v), *q = v;
  double c[3], largest = 0;
  for (int i = 0; i < 3; i++) {
    c[i] = in.origin[i] + voxel[i] * (double)(n[i] - 1) / 2;
    in.voxel[i] = voxel[i];
    if (i >= 3 - ndim)
      s.dim[i - 3 + ndim] = n[i];
  }
  for (int64_t z = 0; z < n[0]; z++)
    for (int64_t y = 0; y < n[1]; y++)
      for (int64_t x = 0; x < n[2]; x++)
        *q++ = (float)density(in.origin[0] + voxel[0] * (double)z - c[0], in.origin[1] + voxel[1] * (double)y - c[1],
                              in.origin[2] + voxel[2] * (double)x - c[2]);
  in.data = hed_from_host(v, s, HED_FLOAT32);
  free(v);
  if (!ok(hed_map_resample(&in, to, &out) == HED_OK, "%d-D, %g to %g angstrom", ndim, voxel[1], to)) {
    diag("%s", hed_error_text());
    hed_map_clear(&in);
    return;
  }
  const hed_shape r = hed_array_shape(out.data);
  int64_t m[3] = { 1, 1, 1 };
  for (int i = 3 - ndim; i < 3; i++) {
    m[i] = r.dim[i - 3 + ndim];
    is_near(out.voxel[i], to, 2e-3, 0, "the voxel size along %d", i);
    is_near(out.origin[i] + out.voxel[i] * (double)(m[i] - 1) / 2, c[i], 0, 1e-9, "the centre along %d", i);
    ok(m[i] % 2 == 1 && fabs((double)m[i] * out.voxel[i] - (double)n[i] * voxel[i]) <= 2 * to, "%lld voxels, odd", (long long)m[i]);
  }
  const float *p = hed_array_data(out.data);
  for (int64_t z = 0; z < m[0]; z++)
    for (int64_t y = 0; y < m[1]; y++)
      for (int64_t x = 0; x < m[2]; x++)
        largest = fmax(largest, fabs((double)*p++ - density(ndim == 3 ? out.origin[0] + out.voxel[0] * (double)z - c[0] : 0,
                                                            out.origin[1] + out.voxel[1] * (double)y - c[1],
                                                            out.origin[2] + out.voxel[2] * (double)x - c[2])));
  ok(largest < 2e-3, "values: off by %g at most", largest);
  hed_map_clear(&in);
  hed_map_clear(&out);
}

int main(void)
{
  resample(3, (const int64_t[]){ 40, 41, 44 }, (const double[]){ 3, 3, 3 }, 5);
  resample(3, (const int64_t[]){ 33, 30, 31 }, (const double[]){ 4, 4, 4 }, 2.7);
  resample(3, (const int64_t[]){ 36, 30, 50 }, (const double[]){ 4, 5, 2.5 }, 4);
  resample(2, (const int64_t[]){ 1, 50, 63 }, (const double[]){ 0, 2.5, 2.5 }, 6);
  hed_map m = { .data = hed_ones(HED_SHAPE(8, 8, 8), HED_FLOAT32), .voxel = { 1, 1, 1 } }, out;
  is_int(hed_map_resample(&m, 0, &out), HED_E_INVAL, "to 0 angstrom");
  is_int(hed_map_resample(&m, 1e-3, &out), HED_E_INVAL, "to thousands of voxels");
  is_int(hed_map_resample(&m, 100, &out), HED_E_INVAL, "to less than one");
  m.voxel[1] = 0;
  is_int(hed_map_resample(&m, 2, &out), HED_E_INVAL, "from an unknown size");
  has_str(hed_error_text(), "axis 1", "which is said");
  ok(!out.data, "nothing is left");
  is_int(hed_map_resample(NULL, 2, &out), HED_E_INVAL, "NULL");
  hed_map_clear(&m);
  done_testing();
  return done();
}
