// SPDX-License-Identifier: BSD-3-Clause
/* Where systems differ about Fourier transforms and convolution: what Heddle means (the manual, One meaning), on every
 * backend.
 */
#include "api.h"
#include <math.h>

static bool near(const hed_array *x, const double *want, int64_t n)
{
  double got[API_MAX];
  bool good = api_values(x, got) == n;
  for (int64_t k = 0; k < n && good; k++)
    good = fabs(got[k] - want[k]) < 1e-5;
  return good;
}

static void transforms(const char *backend)
{
  diag("on %s", backend);
  hed_array *x = API_VECTOR(HED_FLOAT32, 1, 2, 3, 4, 5), *y = hed_rfft1(x, NULL), *z = hed_irfft1(y, NULL);
  is_int(hed_array_size(z), 4, "irfft assumes an even extent");
  hed_release(z);
  z = hed_irfft1(y, &(hed_fft){ .s = HED_SHAPE(5) });
  ok(near(z, API_LIST(1, 2, 3, 4, 5), 5), "an odd one must be said, and then all comes back");
  hed_release(z);
  z = hed_fft1(x, NULL);
  hed_array *back = hed_ifft1(z, NULL);
  ok(near(back, API_LIST(1, 2, 3, 4, 5), 5), "the inverse carries 1/n");
  hed_release(back);
  back = hed_ifft1(z, &(hed_fft){ .norm = HED_NORM_FORWARD });
  ok(near(back, API_LIST(5, 10, 15, 20, 25), 5), "unless the norm is forward");
  RELEASE(back, z, y);
  API_NULL(hed_fftn(x, &(hed_fft){ .axes = HED_AXES(0, 0) }), HED_E_SHAPE, "axis 0 is listed twice");
  hed_release(x);
  x = api_iota(HED_SHAPE(4, 6), HED_FLOAT32);
  y = hed_rfftn(x, &(hed_fft){ .axes = HED_AXES(1, 0) });
  ok(hed_array_shape(y).dim[0] == 3 && hed_array_shape(y).dim[1] == 6, "the last axis listed is halved, not the largest");
  RELEASE(y, x);
  ok(hed_fft_good_size(97) == 98, "97: a factor 7 is good");
  ok(hed_fft_good_size(101) == 105, "101: no factor 11 or 13");
  x = api_iota(HED_SHAPE(5, 4), HED_FLOAT32);
  y = hed_shift_fourier(x, true);
  z = hed_roll(x, &HED_AXES(3), &HED_AXES(0));
  double v[20];
  api_values(z, v);
  ok(near(y, v, 20), "shift_fourier rolls by n/2 + n%%2 and leaves a halved axis alone");
  RELEASE(x, y, z);
}

static void convolution(const char *backend)
{
  diag("convolution on %s", backend);
  hed_array *image = hed_zeros(HED_SHAPE(3, 4), HED_FLOAT32), *kernel = api_iota(HED_SHAPE(3, 1), HED_FLOAT32);
  hed_array *spot = hed_slice(image, 2, (hed_slice_range[]){ HED_RANGE(1, 2, 1), HED_RANGE(1, 2, 1) });
  hed_fill(spot, 1);
  hed_array *y = hed_convolve2d(image, kernel, HED_CONVOLVE_SAME);
  ok(near(y, API_LIST(0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0), 12), "convolve2d turns the kernel round; margins are each axis's own");
  hed_release(y);
  y = hed_correlate2d(image, kernel, HED_CONVOLVE_SAME);
  ok(near(y, API_LIST(0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), 12), "correlate2d does not");
  RELEASE(y, spot, image, kernel);
  hed_array *a = API_VECTOR(HED_FLOAT64, 1, 2, 3), *b = API_VECTOR(HED_FLOAT64, 0, 1, 0), *i = hed_scalar_complex(0, 1);
  y = hed_circular_correlate(a, b);
  ok(hed_array_dtype(y) == HED_FLOAT64 && near(y, API_LIST(2, 3, 1), 3), "circular_correlate of real ones is real");
  hed_release(y);
  hed_array *c = hed_multiply(a, i), *d = hed_multiply(b, i);
  y = hed_circular_correlate(c, d);
  ok(near(y, API_LIST(2, 3, 1), 3), "the second one is conjugated");
  hed_array *all[] = { a, b, i, c, d, y };
  for (int k = 0; k < 6; k++)
    hed_release(all[k]);
}

int main(void)
{
  api_each_backend(transforms);
  api_each_backend(convolution);
  done_testing();
  return done();
}
