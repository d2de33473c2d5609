// SPDX-License-Identifier: BSD-3-Clause
/* What writes into images, scores and rotations of the caller with every allocation failing in
 * turn, on each host backend: see fault.h. L5. */
#include "arrays.h"
#include "fault.h"

static hed_array *x, *three, *out, *out_mask, *cover, *best, *best_rotation, *half, *best_row,
  *row_rotation; /* operands, made once */

static const double shift[6] = { 1, 0, 0.5, 0, 1, 0.25 }, turn[4] = { 0, -1, 1, 0 };

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
  RELEASE(r, m);
  return status(s);
}
static result do_normalize(void) { KEPT(out, hed_normalize_template(out, cover, 0, NULL)); }
static result do_scores_into(void) { KEPT(out, hed_norm_scores_into(out, x, x, x, 4, 1e-6)); }
static result do_best(void) { KEPT(best, hed_max_score_over_rotations(x, best, best_rotation, 3)); }
static result do_correlation(void) { KEPT(best_row, hed_max_correlation(three, half, NULL, best_row, row_rotation, 3)); }
static result do_correlation_masked(void)
{
  const hed_correlation opt = { .mask = three, .spectrum_sq = half, .n_obs = 3, .eps = 1e-6 };
  KEPT(best_row, hed_max_correlation(three, half, &opt, best_row, row_rotation, 3));
}

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(affine_into), E(rigid_into), E(rigid_into_alone), E(rigid), E(normalize), E(scores_into), E(best), E(correlation),
  E(correlation_masked),
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
      storm(&entries[k]);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
      hed_release(all[k]);
  }
  return done();
}
