// SPDX-License-Identifier: BSD-3-Clause
/* Measured tensors, where they are: HEDDLE_TEST_DATA names a folder with tensors/IL2_Response_Tensor.npy, the responses of cells to
 * variants of interleukin 2 (ligand, time, dose, cell type; 13 x 4 x 12 x 8 with 192 gaps; B. Orcutt-Jahns et al., "Multivalency
 * enhances the specificity of Fc-cytokine fusions", bioRxiv 2021). Errors with zeros in the gaps are those of TensorLy 0.10.0.
 */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_train.h>
#include <stdio.h>

static hed_array *data;

/* parafac(x, rank, init="svd"), 1 and 200 sweeps; tensor_train(x, [1, r, r, r, 1]). */
static const double cp_error[3][2] = { { 0.4378824759454157, 0.4378731556996698 }, { 0.4233544733487717, 0.34566302538705534 },
                                       { 0.41520741714354803, 0.2769219849103417 } };
static const double train_error[2] = { 0.32888354861144786, 0.24679157302495164 };

static void without_gaps(hed_array *x)
{
  for (int rank = 1; rank <= 3; rank++)
    for (int k = 0; k < 2; k++) {
      hed_cp c = { 0 };
      hed_fit fit = { 0 };
      const hed_cp_options o = { .sweeps = { .max = k ? 200 : 1, .tol = -1 } };
      const hed_status status = hed_cp_als(x, rank, &o, &c, &fit);
      if (!ok(status == HED_OK && fabs(fit.error - cp_error[rank - 1][k]) < (k ? 1e-3 : 1e-6), "rank %d, %d sweeps: TensorLy's error",
              rank, k ? 200 : 1))
        diag("%.10f, %.10f; %s", fit.error, cp_error[rank - 1][k], hed_error_text());
      hed_cp_clear(&c);
      hed_fit_clear(&fit);
    }
  for (int r = 2; r <= 3; r++) {
    hed_tt t = { 0 };
    double error = 0;
    ok(hed_tt_svd(x, &HED_SHAPE(r), 0, &t, &error) == HED_OK && fabs(error - train_error[r - 2]) < 1e-6, "a train of ranks %d", r);
    hed_tt_clear(&t);
  }
}

static void with_gaps(void)
{
  double errors[2][3] = { { 0 } }, consistency = 0;
  hed_cp c = { 0 };
  hed_fit fit = { 0 };
  is_int(hed_cp_als(data, 2, NULL, &c, NULL), HED_E_INVAL, "NaN is refused");
  has_str(hed_error_text(), "(3, 3, 0, 0)", "with its place");
  for (int how = 0; how < 2; how++)
    for (int rank = 1; rank <= 3; rank++) {
      const hed_cp_options o = { .nan_is_missing = true, .missing = how ? HED_MISSING_WEIGHTED : HED_MISSING_IMPUTE,
                                 .sweeps = { .max = 300, .tol = 1e-9 }, .restarts = 8, .random = { .seed = 1, .seeded = true } };
      bool falls = hed_cp_als(data, rank, &o, &c, &fit) == HED_OK;
      for (int64_t i = 1; falls && i < fit.n_sweeps; i++)
        falls = fit.errors[i] <= fit.errors[i - 1] + 1e-9;
      ok(falls && (rank == 1 || fit.error < errors[how][rank - 2]), "rank %d with gaps: %g", rank, fit.error);
      errors[how][rank - 1] = fit.error;
      hed_cp_clear(&c);
      hed_fit_clear(&fit);
    }
  for (int rank = 1; rank <= 3; rank++)
    is_near(errors[0][rank - 1], errors[1][rank - 1], 0.01, 0, "rank %d: filled in or left out, the same error", rank);
  const hed_cp_hals_options positive = { .cp = { .nan_is_missing = true, .sweeps = { .max = 200 }, .normalise = true } };
  is_int(hed_cp_nn_hals(data, 3, &positive, &c, &fit), HED_OK, "without negative entries");
  ok(fit.error > errors[0][2] - 1e-3 && fit.error < errors[0][0], "the error is between: %g", fit.error);
  hed_array *gaps = hed_isnan(data), *known = hed_logical_not(gaps);
  is_int(hed_core_consistency(data, known, &c, &consistency), HED_OK, "core consistency");
  ok(isfinite(consistency) && consistency <= 100 + 1e-6, "is %.1f", consistency);
  hed_array *all[] = { gaps, known };
  for (int k = 0; k < 2; k++)
    hed_release(all[k]);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
}

int main(void)
{
  const char *folder = getenv("HEDDLE_TEST_DATA");
  char path[4096];
  snprintf(path, sizeof path, "%s/tensors/IL2_Response_Tensor.npy", folder ? folder : "");
  if (!folder || !(data = hed_load_npy(path)))
    skip_all("HEDDLE_TEST_DATA names no folder with measured tensors");
  if (hed_set_default_backend("cpu") != HED_OK)
    bail("%s", hed_error_text());
  is_int(hed_array_size(data), 13 * 4 * 12 * 8, "as many elements as it has");
  hed_array *gap = hed_isnan(data), *zeros = hed_zeros_like(data), *full = hed_where(gap, zeros, data);
  without_gaps(full);
  with_gaps();
  RELEASE(gap, zeros, full, data);
  done_testing();
  return done();
}
