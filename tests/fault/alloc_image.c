// SPDX-License-Identifier: BSD-3-Clause
/* Filters, geometry, masks and scores with every allocation failing in turn, on each host backend: see fault.h. L5.
 */
#include "fault.h"

static hed_array *x, *three, *out, *out_mask, *cover, *best, *best_rotation, *half, *best_row,
  *row_rotation; /* operands, made once */

static const double shift[6] = { 1, 0, 0.5, 0, 1, 0.25 }, turn[4] = { 0, -1, 1, 0 }, radii[2] = { 1, 1.5 }, sigma = 1;

static result do_affine(void) { return given(hed_affine_transform(x, shift, &HED_SHAPE(2, 5), NULL)); }
static result do_affine_mirrored(void)
{
  return given(hed_affine_transform(x, shift, NULL, &(hed_resample){ .boundary = HED_BOUNDARY_MIRROR }));
}
static result do_affine_into(void) { KEPT(out, hed_affine_transform_into(out, x, shift, HED_SPLINE_CUBIC, true)); }
/* OUT is written before OUT_MASK, whose own part may still fail. */
static result do_rigid_into(void)
{
  hed_rigid opt = { .center_of_mass = true };
  KEPT(out_mask, hed_rigid_transform_into(out, out_mask, x, cover, turn, &opt));
}
static result do_rigid_into_alone(void) { KEPT(out, hed_rigid_transform_into(out, NULL, x, NULL, turn, NULL)); }
static result do_rigid(void)
{
  hed_array *r = NULL, *m = NULL;
  hed_status s = hed_rigid_transform(x, cover, turn, NULL, &r, &m);
  if (s != HED_OK && (r || m))
    fail("rigid_transform: results with an error");
  hed_release(r);
  hed_release(m);
  return status(s);
}
static result do_correlate1d(void) { return given(hed_correlate1d(x, three, 0, NULL)); }
static result do_gaussian(void) { return given(hed_gaussian_filter(x, 1, &sigma, NULL)); }
static result do_uniform(void) { return given(hed_uniform_filter(x, 3, NULL)); }
static result do_laplace(void) { return given(hed_laplace(x, NULL)); }
static result do_sobel(void) { return given(hed_sobel(x, 1, NULL)); }
static result do_gradient(void) { return given(hed_gradient_magnitude(x, NULL)); }
static result do_maximum_with(void) { return given(hed_maximum_filter_with(x, 3, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP })); }
static result do_minimum(void) { return given(hed_minimum_filter(x, 3, NULL)); }
static result do_median(void) { return given(hed_median_filter(x, 3, NULL)); }
static result do_spline(void) { return given(hed_spline_filter(x, NULL, 0)); }
static result do_zoom(void) { return given(hed_zoom(x, HED_SHAPE(5, 2), NULL)); }
static result do_ellipse(void)
{
  return given(hed_mask_ellipse(HED_SHAPE(4, 4), radii, HED_FLOAT32, &(hed_mask){ .sigma = 1 }));
}
static result do_box(void) { return given(hed_mask_box(HED_SHAPE(4, 4), HED_SHAPE(2, 3), HED_FLOAT32, NULL)); }
static result do_tube(void) { return given(hed_mask_tube(HED_SHAPE(3, 3, 3), 0, 0, 1, 2, HED_FLOAT32, NULL)); }
static result do_membrane(void) { return given(hed_mask_membrane(HED_SHAPE(3, 3, 3), 0, 1, 1, 1, HED_FLOAT32, NULL)); }
static result do_center(void) { return given(hed_center_of_mass(x, 0)); }
static result do_normalize(void) { KEPT(out, hed_normalize_template(out, cover, 0, NULL)); }
static result do_scores(void) { return given(hed_norm_scores_with(x, x, x, 4, 1e-6, true)); }
static result do_scores_into(void) { KEPT(out, hed_norm_scores_into(out, x, x, x, 4, 1e-6)); }
static result do_best(void) { KEPT(best, hed_max_score_over_rotations(x, best, best_rotation, 3)); }
static result do_correlation(void) { KEPT(best_row, hed_max_correlation(three, half, NULL, best_row, row_rotation, 3)); }
static result do_correlation_masked(void)
{
  const hed_correlation opt = { .mask = three, .spectrum_sq = half, .n_obs = 3, .eps = 1e-6 };
  KEPT(best_row, hed_max_correlation(three, half, &opt, best_row, row_rotation, 3));
}
static result do_peaks(void)
{
  return given(hed_max_filter_coordinates(x, 2, &(hed_peaks){ .exclude_plateaus = true }));
}

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(affine), E(affine_mirrored), E(affine_into), E(rigid_into), E(rigid_into_alone), E(rigid), E(correlate1d), E(gaussian), E(uniform),
  E(laplace), E(sobel), E(gradient), E(maximum_with), E(minimum), E(median), E(spline), E(zoom), E(ellipse), E(box),
  E(tube), E(membrane), E(center), E(normalize), E(scores), E(scores_into), E(best), E(correlation),
  E(correlation_masked), E(peaks),
#undef E
};

int main(void)
{
  static const char *const backends[] = { "reference", "cpu" };
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 };
  for (int b = 0; b < 2; b++) {
    if (!fault_on(backends[b]))
      continue;
    x = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
    three = hed_from_host(data, HED_SHAPE(3), HED_FLOAT32);
    out = hed_zeros(HED_SHAPE(3, 4), HED_FLOAT32);
    out_mask = hed_zeros(HED_SHAPE(3, 4), HED_FLOAT32);
    cover = hed_ones(HED_SHAPE(3, 4), HED_FLOAT32);
    best = hed_zeros(HED_SHAPE(3, 4), HED_FLOAT32);
    best_rotation = hed_zeros(HED_SHAPE(3, 4), HED_INT32);
    half = hed_ones(HED_SHAPE(4), HED_COMPLEX64);
    best_row = hed_zeros(HED_SHAPE(6), HED_FLOAT32);
    row_rotation = hed_zeros(HED_SHAPE(6), HED_INT32);
    hed_array *const all[] = { x, three, out, out_mask, cover, best, best_rotation, half, best_row, row_rotation };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
      if (!all[k])
        bail("setting up: %s", hed_error_text());
    for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
      storm(&entries[k], NULL);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
      hed_release(all[k]);
  }
  return done();
}
