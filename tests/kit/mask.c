// SPDX-License-Identifier: BSD-3-Clause
/* Masks: values at places whose distance from the edge is known; a threshold's against distances measured one by one. */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/mask.h>
#include <math.h>
#include <stdlib.h>

enum { N = 21 };

static double at(const hed_array *m, int z, int y, int x)
{
  return m ? (double)((const float *)hed_array_data((hed_array *)m))[(z * N + y) * N + x] : -1;
}

static hed_array *make(hed_mask_options o)
{
  hed_array *m = hed_mask_make(&o, HED_SHAPE(N, N, N));
  if (!m)
    diag("%s", hed_error_text());
  return m;
}

static void shapes(void)
{
  const double one = exp(-0.125), two = exp(-0.5); /* soft 2 */
  hed_array *m = make((hed_mask_options){ .radius = { 5 }, .soft = 2 });
  is_near(at(m, 10, 10, 15), 1, 0, 0, "sphere: at its radius");
  is_near(at(m, 10, 16, 10), one, 1e-6, 0, "a voxel beyond");
  is_near(at(m, 3, 10, 10), two, 1e-6, 0, "two");
  is_near(at(m, 0, 0, 0), 0, 0, 0, "far away");
  hed_release(m);
  m = make((hed_mask_options){ .radius = { 5 }, .centre = { 0, 0, 2 } });
  is_near(at(m, 10, 10, 17) - at(m, 10, 10, 6), 1, 0, 0, "its centre moved along x, its edge hard");
  hed_release(m);
  m = make((hed_mask_options){ .kind = HED_MASK_ELLIPSOID, .radius = { 3, 5, 7 }, .soft = 2 });
  is_near(at(m, 10, 10, 17), 1, 0, 0, "ellipsoid: its axis along x");
  is_near(at(m, 14, 10, 10), one, 1e-6, 0, "a voxel beyond that along z");
  is_near(at(m, 10, 17, 10), two, 1e-6, 0, "two beyond that along y");
  hed_release(m);
  m = make((hed_mask_options){ .kind = HED_MASK_BOX, .radius = { 2, 4, 6 }, .soft = 2 });
  is_near(at(m, 12, 14, 16), 1, 0, 0, "box: its corner");
  is_near(at(m, 13, 15, 16), exp(-0.25), 1e-6, 0, "root 2 beyond an edge");
  hed_release(m);
  m = make((hed_mask_options){ .kind = HED_MASK_TUBE, .radius = { 0, 0, 6 }, .inner = 3, .height = 8, .soft = 2 });
  is_near(at(m, 10, 10, 13), 1, 0, 0, "tube: its inner wall");
  is_near(at(m, 10, 10, 12), one, 1e-6, 0, "a voxel inside that");
  is_near(at(m, 10, 17, 10), one, 1e-6, 0, "a voxel outside the other");
  is_near(at(m, 16, 10, 14), two, 1e-6, 0, "two above its end");
  hed_release(m);
  m = make((hed_mask_options){ .kind = HED_MASK_MEMBRANE, .radius = { 0, 0, 8 }, .thickness = 2, .separation = 8, .soft = 2 });
  is_near(at(m, 14, 10, 10), 1, 0, 0, "membrane: a leaflet's middle");
  is_near(at(m, 5, 10, 10), 1, 0, 0, "the other's edge");
  is_near(at(m, 8, 10, 10), one, 1e-6, 0, "a voxel above that");
  hed_release(m);
  m = hed_mask_make(NULL, HED_SHAPE(9, 9));
  ok(m && hed_array_ndim(m) == 2, "of images, too");
  hed_release(m);
  ok(!hed_mask_make(&(hed_mask_options){ .soft = -1 }, HED_SHAPE(4, 4)) && hed_error() == HED_E_INVAL, "a negative fall");
  has_str(hed_error_text(), "soft is -1", "is named");
  ok(!hed_mask_make(&(hed_mask_options){ .kind = 9 }, HED_SHAPE(4, 4)) && hed_error() == HED_E_INVAL, "a kind that there is not");
  ok(!hed_mask_make(NULL, HED_SHAPE(4)) && hed_error() == HED_E_SHAPE, "one dimension");
}

static void threshold(gen *g)
{
  static float v[N * N * N];
  for (int i = 0; i < N * N * N; i++)
    v[i] = gen_below(g, 400) == 0 ? 2 : 0.5F;
  hed_array *x = hed_from_host(v, HED_SHAPE(N, N, N), HED_FLOAT32), *m = hed_mask_threshold(x, 1, 2, 1.5);
  double worst = 0;
  for (int i = 0; i < N * N * N; i++) {
    double d = INFINITY;
    for (int k = 0; k < N * N * N; k++)
      if (v[k] > 1)
        d = fmin(d, pow(i / N / N - k / N / N, 2) + pow(i / N % N - k / N % N, 2) + pow(i % N - k % N, 2));
    d = fmax(sqrt(d) - 2, 0);
    const double want = exp(-d * d / (2 * 1.5 * 1.5));
    worst = fmax(worst, fabs((want < 1e-3 ? 0 : want) - at(m, i / N / N, i / N % N, i % N)));
  }
  ok(worst < 1e-6, "threshold: distances measured one by one (%g)", worst);
  ok(!hed_mask_threshold(x, 5, 0, 0) && hed_error() == HED_E_INVAL, "a level that nothing reaches");
  has_str(hed_error_text(), "level 5", "is named");
  ok(!hed_mask_threshold(NULL, 5, 0, 0) && hed_error() == HED_E_INVAL, "NULL");
  RELEASE(x, m);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  shapes();
  threshold(&g);
  done_testing();
  return done();
}
