// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory: every allocation of the tensor kit's formats, CP and Tucker decompositions, and of the library below them, fails
 * once, in turn. Each time the function must say HED_E_NOMEM, give nothing, and leave no file; leaks are for valgrind and
 * AddressSanitizer to find.
 */
#include "arrays.h"
#include "nomem.h"
#include <heddle/kits/gcp.h>
#include <heddle/kits/tensor_eem.h>
#include <heddle/kits/tensor_mat.h>
#include <heddle/kits/tensor_validate.h>

static hed_array *x, *mask, *indices, *square, *waves; /* operands, made once */
static hed_cp cp;
static hed_tucker tucker;
static char written[64], cp_file[64], tucker_file[64], mat_file[4096], mat73_file[4096];

static hed_status cp_made(hed_status s, hed_cp *c)
{
  if (s != HED_OK && (c->order || c->factor[0] || c->weights))
    fail("a tensor with an error");
  hed_cp_clear(c);
  return s;
}

static hed_status tucker_made(hed_status s, hed_tucker *t)
{
  if (s != HED_OK && (t->order || t->core))
    fail("a tensor with an error");
  hed_tucker_clear(t);
  return s;
}

static hed_status fitted(hed_status s, hed_cp *c, hed_fit *fit)
{
  if (s != HED_OK && fit->errors)
    fail("errors with an error");
  hed_fit_clear(fit);
  return cp_made(s, c);
}

#define CP(call) do { hed_cp c = { 0 }; return cp_made(call, &c); } while (0)
#define TUCKER(call) do { hed_tucker t = { 0 }; return tucker_made(call, &t); } while (0)
#define FIT(call) do { hed_cp c = { 0 }; hed_fit f = { 0 }; return fitted(call, &c, &f); } while (0)
#define CHANGED(call) do { hed_cp c; if (hed_cp_copy(&cp, &c) != HED_OK) return hed_error(); hed_status s = (call); hed_cp_clear(&c); \
                           return s; } while (0)

#define TUCKER_CHANGED(call) do { hed_tucker t; if (hed_tucker_copy(&tucker, &t) != HED_OK) return hed_error(); \
                                  hed_status s = (call); hed_tucker_clear(&t); return s; } while (0)

static hed_status do_mttkrp(void)
{
  hed_array *out[3];
  hed_status s = hed_mttkrp_all(x, 3, (const hed_array *const *)cp.factor, NULL, out);
  for (int k = 0; k < 3; k++)
    hed_release(out[k]);
  return s;
}
static hed_status do_gradient(void)
{
  hed_array *out[3];
  hed_status s = hed_cp_gradient(&cp, x, mask, out);
  for (int k = 0; k < 3; k++)
    hed_release(out[k]);
  return s;
}
static hed_status do_gram(void) { return made(hed_mode_gram(x, 1)); }
static hed_status do_moment(void) { return made(hed_moment(square, 3)); }
static hed_status do_full(void) { return made(hed_cp_full(&cp)); }
static hed_status do_entries(void) { return made(hed_cp_entries(&cp, indices)); }
static hed_status do_norm(void) { double v; return hed_cp_norm(&cp, &v); }
static hed_status do_inner(void) { double v[2]; return hed_cp_inner_dense(&cp, x, v); }
static hed_status do_error(void) { double v; return hed_cp_error(&cp, x, mask, &v); }
static hed_status do_copy(void) { CP(hed_cp_copy(&cp, &c)); }
static hed_status do_random(void) { CP(hed_cp_random(HED_SHAPE(2, 3), 2, HED_FLOAT32, true, NULL, &c)); }
static hed_status do_add(void) { CP(hed_cp_add(&cp, &cp, &c)); }
static hed_status do_hadamard(void) { CP(hed_cp_hadamard(&cp, &cp, &c)); }
static hed_status do_mode_dot(void) { CP(hed_cp_mode_dot(&cp, square, 0, false, &c)); }
static hed_status do_normalise(void) { CHANGED(hed_cp_normalise(&c)); }
static hed_status do_arrange(void) { CHANGED(hed_cp_arrange(&c)); }
static hed_status do_signs(void) { CHANGED(hed_cp_fix_signs(&c)); }
static hed_status do_align(void) { double v[2]; CHANGED(hed_cp_align(&c, &cp, v)); }
static hed_status do_unfolded(void) { return made(hed_cp_unfolded(&cp, 1)); }
static hed_status do_vec(void) { return made(hed_cp_vec(&cp)); }
static hed_status do_cp_inner(void) { double v[2]; return hed_cp_inner(&cp, &cp, v); }
static hed_status do_permute(void) { CP(hed_cp_permute(&cp, &HED_AXES(2, 0, 1), &c)); }
static hed_status do_slice(void) { CP(hed_cp_slice(&cp, 2, HED_RANGE(1, 3, 1), &c)); }
static hed_status do_scale(void) { CP(hed_cp_scale(&cp, 2, &c)); }
static hed_status do_khatri_rao(void) { return made(hed_khatri_rao_rows(3, (const hed_array *const *)cp.factor, indices)); }
static hed_status do_tucker(void) { TUCKER(hed_cp_to_tucker(&cp, &t)); }
static hed_status do_tucker_full(void) { return made(hed_tucker_full(&tucker)); }
static hed_status do_tucker_entries(void) { return made(hed_tucker_entries(&tucker, indices)); }
static hed_status do_tucker_add(void) { TUCKER(hed_tucker_add(&tucker, &tucker, &t)); }
static hed_status do_tucker_slice(void) { TUCKER(hed_tucker_slice(&tucker, 1, HED_ALL, &t)); }

static hed_status do_tucker_unfolded(void) { return made(hed_tucker_unfolded(&tucker, 1)); }
static hed_status do_tucker_vec(void) { return made(hed_tucker_vec(&tucker)); }
static hed_status do_tucker_copy(void) { TUCKER(hed_tucker_copy(&tucker, &t)); }
static hed_status do_tucker_random(void)
{
  TUCKER(hed_tucker_random(HED_SHAPE(3, 2), HED_SHAPE(2, 2), HED_FLOAT32, true, NULL, &t));
}
static hed_status do_tucker_norm(void) { double v; return hed_tucker_norm(&tucker, &v); }
static hed_status do_tucker_inner(void) { double v[2]; return hed_tucker_inner(&tucker, &tucker, v); }
static hed_status do_tucker_mode_dot(void) { TUCKER(hed_tucker_mode_dot(&tucker, square, 0, false, &t)); }
static hed_status do_tucker_permute(void) { TUCKER(hed_tucker_permute(&tucker, &HED_AXES(2, 0, 1), &t)); }
static hed_status do_tucker_scale(void) { TUCKER(hed_tucker_scale(&tucker, 2, &t)); }
static hed_status do_tucker_orthogonalise(void) { TUCKER_CHANGED(hed_tucker_orthogonalise(&t)); }
static hed_status do_tucker_normalise(void) { TUCKER_CHANGED(hed_tucker_normalise(&t)); }

static hed_status do_cp_save(void) { return hed_cp_save(written, &cp); }
static hed_status do_cp_load(void) { CP(hed_cp_load(cp_file, &c)); }
static hed_status do_tucker_save(void) { return hed_tucker_save(written, &tucker); }
static hed_status do_tucker_load(void) { TUCKER(hed_tucker_load(tucker_file, &t)); }

static const hed_sweeps few = { .max = 2, .tol = -1 };
static hed_status do_mixed(void)
{
  FIT(hed_cp_als(x, 1, &(hed_cp_options){ .sweeps = { .max = 3, .tol = -1 }, .acceleration = HED_ACCELERATE_ANDERSON }, &c, &f));
}
static hed_status do_als(void) { FIT(hed_cp_als(x, 2, &(hed_cp_options){ .sweeps = few, .normalise = true }, &c, &f)); }
static hed_status do_imputed(void)
{
  FIT(hed_cp_als(x, 2, &(hed_cp_options){ .sweeps = few, .mask = mask, .missing = HED_MISSING_IMPUTE, .restarts = 2 }, &c, &f));
}
static hed_status do_weighted(void)
{
  FIT(hed_cp_als(x, 2, &(hed_cp_options){ .sweeps = { .max = 1 }, .mask = mask, .missing = HED_MISSING_WEIGHTED,
                                          .start_by = HED_START_RANDOM }, &c, &f));
}
static hed_status do_beyond(void)
{
  FIT(hed_cp_als(x, 1, &(hed_cp_options){ .sweeps = { .max = 3 }, .acceleration = HED_ACCELERATE_NESTEROV, .sparsity = 2,
                                          .start_by = HED_START_RANDOM }, &c, &f));
}
static hed_status do_hals(void) { FIT(hed_cp_nn_hals(x, 2, &(hed_cp_hals_options){ .cp = { .sweeps = { .max = 1 } } }, &c, &f)); }
static hed_status do_mu(void) { FIT(hed_cp_nn_mu(x, 2, &(hed_cp_options){ .sweeps = { .max = 1 } }, &c, &f)); }
static hed_status do_constrained(void)
{
  hed_cp_constrained_options o = { .cp = { .sweeps = { .max = 1 }, .start_by = HED_START_RANDOM }, .inner = 1 };
  o.constraint[0] = (hed_prox_options){ .kind = HED_PROX_UNIMODAL };
  FIT(hed_cp_constrained(x, 1, &o, &c, &f));
}
static hed_status do_gcp(void)
{
  FIT(hed_gcp(x, 1, &(hed_gcp_options){ .sweeps = { .max = 1 }, .mask = mask, .restarts = 2 }, &c, &f));
}
static hed_status do_gcp_gradient(void)
{
  double v;
  hed_array *out[3];
  hed_status s = hed_gcp_gradient(&cp, x, mask, HED_GCP_HUBER, 0, &v, out);
  for (int k = 0; k < 3; k++)
    hed_release(out[k]);
  return s;
}
static hed_status do_apr(void)
{
  static const hed_cp_apr_options o = { .sweeps = { .max = 2, .tol = -1 }, .inner = 1, .restarts = 2 };
  FIT(hed_cp_apr(mask, 1, &o, &c, &f));
}
static hed_status do_halves(void)
{
  double v[1];
  CP(hed_cp_split_half(x, 1, 0, &(hed_cp_options){ .sweeps = { .max = 1 }, .start_by = HED_START_RANDOM }, v, &c, NULL));
}
static hed_status do_knife(void)
{
  hed_array *out[3];
  hed_status s = hed_cp_jackknife(x, &cp, 0, &(hed_cp_options){ .sweeps = { .max = 1 } }, out);
  for (int k = 0; k < 3; k++)
    hed_release(out[k]);
  return s;
}
static hed_status do_residuals(void) { return made(hed_cp_residuals(&cp, x, mask, 1)); }
static hed_status do_explained(void) { double v[4]; return hed_cp_explained(&cp, x, mask, v, v + 2); }
static hed_status do_cosines(void) { return made(hed_congruence_table(cp.factor[0], cp.factor[0])); }
static hed_status do_table(void) { return made(hed_cp_congruence_table(&cp, &cp)); }
static hed_status do_scatter(void) { return made(hed_eem_scatter(waves, waves, &(hed_eem_options){ .rayleigh = 4 })); }
static hed_status do_remove_scatter(void)
{
  static const hed_eem_options o = { .rayleigh = 4, .fill = HED_EEM_INTERPOLATE };
  return made(hed_eem_remove_scatter(square, waves, 0, waves, 1, &o));
}
static hed_status do_load_mat(void) { return made(hed_load_mat(mat_file, "x")); }
static hed_status do_load_mat73(void) { return made(hed_load_mat(mat73_file, "x")); }
static hed_status do_sampled(void)
{
  FIT(hed_cp_sampled(x, 1, &(hed_cp_sampled_options){ .sweeps = { .max = 1 }, .samples = 9, .fit_samples = 5 }, &c, &f));
}
static hed_status do_power(void) { FIT(hed_cp_power(x, 1, &(hed_cp_power_options){ .repeats = 1, .sweeps = { .max = 1 } }, &c, &f)); }
static hed_status do_symmetric(void)
{
  FIT(hed_cp_symmetric(square, 1, &(hed_cp_power_options){ .repeats = 1, .sweeps = { .max = 2 } }, &c, &f));
}
static hed_status do_stream(void)
{
  hed_cp_stream s = { 0 };
  hed_status done_ = hed_cp_stream_begin(x, &cp, 0, 1, &s);
  if (done_ == HED_OK) {
    done_ = hed_cp_stream_add(&s, x);
    if (done_ != HED_OK && hed_array_nbytes(s.cp.factor[0]) != hed_array_nbytes(cp.factor[0]))
      fail("half a slice");
  }
  hed_cp_stream_clear(&s);
  return done_;
}
static hed_status tucker_fitted(hed_status s, hed_tucker *t, hed_fit *fit)
{
  hed_fit_clear(fit);
  return tucker_made(s, t);
}
static hed_status do_hosvd(void)
{
  hed_tucker t = { 0 };
  hed_fit f = { 0 };
  return tucker_fitted(hed_tucker_hosvd(x, NULL, 0.3, &t, &f), &t, &f);
}
static hed_status do_hooi(void)
{
  hed_tucker t = { 0 };
  hed_fit f = { 0 };
  const hed_tucker_options o = { .sweeps = { .max = 1 }, .mask = mask, .random_start = true };
  return tucker_fitted(hed_tucker_hooi(x, &HED_SHAPE(2, 2, 2), &o, &t, &f), &t, &f);
}
static hed_status do_tucker_nn(void)
{
  hed_tucker t = { 0 };
  hed_fit f = { 0 };
  const hed_tucker_options o = { .sweeps = { .max = 1 } };
  return tucker_fitted(hed_tucker_nonnegative(x, &HED_SHAPE(1, 1, 0), HED_NN_TUCKER_MU, &o, &t, &f), &t, &f);
}
static hed_status do_prox(void)
{
  return made(hed_prox(&(hed_prox_options){ .kind = HED_PROX_SPARSE, .parameter = 2 }, square, 1));
}
static hed_status do_group(void) { return made(hed_prox(&(hed_prox_options){ .kind = HED_PROX_GROUP, .parameter = 1 }, square, 1)); }
static hed_status do_nnls(void) { return made(hed_nnls(square, square, HED_NNLS_ACTIVE_SET)); }

#define ENTRY(f) { #f, f, NULL }
static hed_status do_prox_value(void)
{
  double v;
  return hed_prox_value(&(hed_prox_options){ .kind = HED_PROX_INCREASING }, square, 1e-9, &v);
}
static hed_status do_prox_nuclear(void)
{
  double v;
  return hed_prox_value(&(hed_prox_options){ .kind = HED_PROX_NUCLEAR, .parameter = 1 }, square, 0, &v);
}
static hed_status do_hals_rows(void) { return made(hed_nnls(square, square, HED_NNLS_HALS)); }

static const entry entries[] = {
  ENTRY(do_mttkrp), ENTRY(do_gradient), ENTRY(do_gram), ENTRY(do_moment), ENTRY(do_full), ENTRY(do_entries), ENTRY(do_norm),
  ENTRY(do_inner),
  ENTRY(do_error), ENTRY(do_copy), ENTRY(do_random), ENTRY(do_add), ENTRY(do_hadamard), ENTRY(do_mode_dot), ENTRY(do_normalise),
  ENTRY(do_arrange), ENTRY(do_signs), ENTRY(do_align), ENTRY(do_tucker), ENTRY(do_tucker_full), ENTRY(do_tucker_entries),
  ENTRY(do_tucker_add), ENTRY(do_tucker_slice), ENTRY(do_prox), ENTRY(do_group), ENTRY(do_nnls),
  ENTRY(do_unfolded), ENTRY(do_vec), ENTRY(do_cp_inner), ENTRY(do_permute), ENTRY(do_slice), ENTRY(do_scale),
  ENTRY(do_khatri_rao), ENTRY(do_tucker_unfolded), ENTRY(do_tucker_vec), ENTRY(do_tucker_copy), ENTRY(do_tucker_random),
  ENTRY(do_tucker_norm), ENTRY(do_tucker_inner), ENTRY(do_tucker_mode_dot), ENTRY(do_tucker_permute), ENTRY(do_tucker_scale),
  ENTRY(do_tucker_orthogonalise), ENTRY(do_tucker_normalise), ENTRY(do_prox_value), ENTRY(do_prox_nuclear), ENTRY(do_hals_rows),
  ENTRY(do_cp_load), ENTRY(do_tucker_load), { "do_cp_save", do_cp_save, written }, { "do_tucker_save", do_tucker_save, written },
  ENTRY(do_als), ENTRY(do_mixed), ENTRY(do_imputed), ENTRY(do_weighted), ENTRY(do_beyond), ENTRY(do_hals), ENTRY(do_mu),
  ENTRY(do_constrained),
  ENTRY(do_gcp), ENTRY(do_gcp_gradient), ENTRY(do_apr), ENTRY(do_halves), ENTRY(do_knife), ENTRY(do_residuals), ENTRY(do_cosines),
  ENTRY(do_explained), ENTRY(do_table), ENTRY(do_scatter), ENTRY(do_remove_scatter), ENTRY(do_load_mat), ENTRY(do_load_mat73),
  ENTRY(do_sampled), ENTRY(do_power), ENTRY(do_symmetric), ENTRY(do_stream), ENTRY(do_hosvd), ENTRY(do_hooi), ENTRY(do_tucker_nn),
};

int main(void)
{
  const double values[24] = { 1, 2, 0.5, 3, 1, 0.1, 2, 4, 1, 3, 2, 0.7, 2, 1, 5, 0.2, 1, 3, 2, 2, 1, 0.3, 4, 1 };
  const int64_t at[6] = { 0, 1, 2, 2, 0, 1 };
  failing_begin();
  snprintf(written, sizeof written, "%s/written.npz", failing_folder);
  const char *sources = getenv("HEDDLE_TEST_SRCDIR") ? getenv("HEDDLE_TEST_SRCDIR") : ".";
  snprintf(mat_file, sizeof mat_file, "%s/tests/data/mat/plain.mat", sources);
  snprintf(mat73_file, sizeof mat73_file, "%s/tests/data/mat/v73packed.mat", sources);
  snprintf(cp_file, sizeof cp_file, "%s/cp.npz", failing_folder);
  snprintf(tucker_file, sizeof tucker_file, "%s/tucker.npz", failing_folder);
  x = hed_from_doubles(values, HED_SHAPE(3, 2, 4), HED_FLOAT64);
  square = hed_from_doubles((double[]){ 3, 1, 0, 1, 4, 1, 0, 1, 5 }, HED_SHAPE(3, 3), HED_FLOAT64);
  waves = hed_arange(300, 330, 10, HED_FLOAT64);
  mask = hed_greater_scalar(x, 0.15);
  indices = hed_from_host(at, HED_SHAPE(2, 3), HED_INT64);
  cp = (hed_cp){ .order = 3, .rank = 2, .weights = hed_from_doubles(values, HED_SHAPE(2), HED_FLOAT64) };
  for (int k = 0; k < 3; k++)
    cp.factor[k] = hed_from_doubles(values + k, HED_SHAPE(k == 0 ? 3 : k == 1 ? 2 : 4, 2), HED_FLOAT64);
  if (!x || !square || !waves || !mask || !indices || !cp.weights || hed_cp_to_tucker(&cp, &tucker) != HED_OK ||
      hed_cp_save(cp_file, &cp) != HED_OK || hed_tucker_save(tucker_file, &tucker) != HED_OK)
    bail("operands: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    every_allocation(entries[k].name, entries[k].call, entries[k].makes);
  unlink(cp_file);
  unlink(tucker_file);
  failing_end();
  hed_cp_clear(&cp);
  hed_tucker_clear(&tucker);
  RELEASE(x, square, waves, mask, indices);
  return done();
}
