// SPDX-License-Identifier: BSD-3-Clause
/* The tensor kit with every allocation of the library below it failing in turn: see fault.h. L5. */
#include "fault.h"
#include <heddle/kits/decompose.h>

static hed_array *x, *mask, *indices, *square; /* operands, made once */
static hed_cp cp;
static hed_tucker tucker;

static result cp_result(hed_status s, hed_cp *c)
{
  if (s != HED_OK && (c->order || c->factor[0] || c->weights))
    fail("a tensor with an error");
  hed_cp_clear(c);
  return status(s);
}

static result tucker_result(hed_status s, hed_tucker *t)
{
  if (s != HED_OK && (t->order || t->core))
    fail("a tensor with an error");
  hed_tucker_clear(t);
  return status(s);
}

static result fitted(hed_status s, hed_cp *c, hed_fit *fit)
{
  if (s != HED_OK && fit->errors)
    fail("errors with an error");
  hed_fit_clear(fit);
  return cp_result(s, c);
}

#define CP(call) do { hed_cp c = { 0 }; return cp_result(call, &c); } while (0)
#define TUCKER(call) do { hed_tucker t = { 0 }; return tucker_result(call, &t); } while (0)
#define FIT(call) do { hed_cp c = { 0 }; hed_fit f = { 0 }; return fitted(call, &c, &f); } while (0)
#define CHANGED(call) do { hed_cp c; if (hed_cp_copy(&cp, &c) != HED_OK) return FAILED; hed_status s = (call); hed_cp_clear(&c); \
                           return status(s); } while (0)

static result do_mttkrp(void)
{
  hed_array *out[3];
  hed_status s = hed_mttkrp_all(x, 3, (const hed_array *const *)cp.factor, NULL, out);
  for (int k = 0; k < 3; k++)
    hed_release(out[k]);
  return status(s);
}
static result do_gradient(void)
{
  hed_array *out[3];
  hed_status s = hed_cp_gradient(&cp, x, mask, out);
  for (int k = 0; k < 3; k++)
    hed_release(out[k]);
  return status(s);
}
static result do_gram(void) { return given(hed_mode_gram(x, 1)); }
static result do_moment(void) { return given(hed_moment(square, 3)); }
static result do_full(void) { return given(hed_cp_full(&cp)); }
static result do_entries(void) { return given(hed_cp_entries(&cp, indices)); }
static result do_norm(void) { double v; return status(hed_cp_norm(&cp, &v)); }
static result do_inner(void) { double v[2]; return status(hed_cp_inner_dense(&cp, x, v)); }
static result do_error(void) { double v; return status(hed_cp_error(&cp, x, mask, &v)); }
static result do_copy(void) { CP(hed_cp_copy(&cp, &c)); }
static result do_random(void) { CP(hed_cp_random(HED_SHAPE(2, 3), 2, HED_FLOAT32, true, NULL, &c)); }
static result do_add(void) { CP(hed_cp_add(&cp, &cp, &c)); }
static result do_hadamard(void) { CP(hed_cp_hadamard(&cp, &cp, &c)); }
static result do_mode_dot(void) { CP(hed_cp_mode_dot(&cp, square, 0, false, &c)); }
static result do_normalise(void) { CHANGED(hed_cp_normalise(&c)); }
static result do_arrange(void) { CHANGED(hed_cp_arrange(&c)); }
static result do_signs(void) { CHANGED(hed_cp_fix_signs(&c)); }
static result do_align(void) { double v[2]; CHANGED(hed_cp_align(&c, &cp, v)); }
static result do_tucker(void) { TUCKER(hed_cp_to_tucker(&cp, &t)); }
static result do_tucker_full(void) { return given(hed_tucker_full(&tucker)); }
static result do_tucker_entries(void) { return given(hed_tucker_entries(&tucker, indices)); }
static result do_tucker_add(void) { TUCKER(hed_tucker_add(&tucker, &tucker, &t)); }
static result do_tucker_slice(void) { TUCKER(hed_tucker_slice(&tucker, 1, HED_ALL, &t)); }

static const hed_sweeps few = { .max = 2, .tol = -1 };
static result do_als(void) { FIT(hed_cp_als(x, 2, &(hed_cp_options){ .sweeps = few, .normalise = true }, &c, &f)); }
static result do_imputed(void)
{
  FIT(hed_cp_als(x, 2, &(hed_cp_options){ .sweeps = few, .mask = mask, .missing = HED_MISSING_IMPUTE, .restarts = 2 }, &c, &f));
}
static result do_weighted(void)
{
  FIT(hed_cp_als(x, 2, &(hed_cp_options){ .sweeps = { .max = 1 }, .mask = mask, .missing = HED_MISSING_WEIGHTED,
                                          .start_by = HED_START_RANDOM }, &c, &f));
}
static result do_beyond(void)
{
  FIT(hed_cp_als(x, 1, &(hed_cp_options){ .sweeps = { .max = 3 }, .acceleration = HED_ACCELERATE_NESTEROV, .sparsity = 2,
                                          .start_by = HED_START_RANDOM }, &c, &f));
}
static result do_hals(void) { FIT(hed_cp_nn_hals(x, 2, &(hed_cp_hals_options){ .cp = { .sweeps = { .max = 1 } } }, &c, &f)); }
static result do_mu(void) { FIT(hed_cp_nn_mu(x, 2, &(hed_cp_options){ .sweeps = { .max = 1 } }, &c, &f)); }
static result do_constrained(void)
{
  hed_cp_constrained_options o = { .cp = { .sweeps = { .max = 1 }, .start_by = HED_START_RANDOM }, .inner = 1 };
  o.constraint[0] = (hed_prox_options){ .kind = HED_PROX_UNIMODAL };
  FIT(hed_cp_constrained(x, 1, &o, &c, &f));
}
static result do_sampled(void)
{
  FIT(hed_cp_sampled(x, 1, &(hed_cp_sampled_options){ .sweeps = { .max = 1 }, .samples = 9, .fit_samples = 5 }, &c, &f));
}
static result do_power(void) { FIT(hed_cp_power(x, 1, &(hed_cp_power_options){ .repeats = 1, .sweeps = { .max = 1 } }, &c, &f)); }
static result do_symmetric(void)
{
  FIT(hed_cp_symmetric(square, 1, &(hed_cp_power_options){ .repeats = 1, .sweeps = { .max = 2 } }, &c, &f));
}
static result do_stream(void)
{
  hed_cp_stream s = { 0 };
  hed_status done_ = hed_cp_stream_begin(x, &cp, 0, 1, &s);
  if (done_ == HED_OK) {
    done_ = hed_cp_stream_add(&s, x);
    if (done_ != HED_OK && hed_array_shape(s.cp.factor[0]).dim[0] != 3)
      fail("half a slice");
  }
  hed_cp_stream_clear(&s);
  return status(done_);
}
static result tucker_fitted(hed_status s, hed_tucker *t, hed_fit *fit)
{
  hed_fit_clear(fit);
  return tucker_result(s, t);
}
static result do_hosvd(void)
{
  hed_tucker t = { 0 };
  hed_fit f = { 0 };
  return tucker_fitted(hed_tucker_hosvd(x, NULL, 0.3, &t, &f), &t, &f);
}
static result do_hooi(void)
{
  hed_tucker t = { 0 };
  hed_fit f = { 0 };
  const hed_tucker_options o = { .sweeps = { .max = 1 }, .mask = mask, .random_start = true };
  return tucker_fitted(hed_tucker_hooi(x, &HED_SHAPE(2, 2, 2), &o, &t, &f), &t, &f);
}
static result do_tucker_nn(void)
{
  hed_tucker t = { 0 };
  hed_fit f = { 0 };
  const hed_tucker_options o = { .sweeps = { .max = 1 } };
  return tucker_fitted(hed_tucker_nonnegative(x, &HED_SHAPE(1, 1, 0), HED_NN_TUCKER_MU, &o, &t, &f), &t, &f);
}
static result do_prox(void)
{
  return given(hed_prox(&(hed_prox_options){ .kind = HED_PROX_SPARSE, .parameter = 2 }, square, 1));
}
static result do_group(void) { return given(hed_prox(&(hed_prox_options){ .kind = HED_PROX_GROUP, .parameter = 1 }, square, 1)); }
static result do_nnls(void) { return given(hed_nnls(square, square, HED_NNLS_ACTIVE_SET)); }

#define ENTRY(f) { #f, f }
static const entry entries[] = {
  ENTRY(do_mttkrp), ENTRY(do_gradient), ENTRY(do_gram), ENTRY(do_moment), ENTRY(do_full), ENTRY(do_entries), ENTRY(do_norm), ENTRY(do_inner),
  ENTRY(do_error), ENTRY(do_copy), ENTRY(do_random), ENTRY(do_add), ENTRY(do_hadamard), ENTRY(do_mode_dot), ENTRY(do_normalise),
  ENTRY(do_arrange), ENTRY(do_signs), ENTRY(do_align), ENTRY(do_tucker), ENTRY(do_tucker_full), ENTRY(do_tucker_entries),
  ENTRY(do_tucker_add), ENTRY(do_tucker_slice), ENTRY(do_prox), ENTRY(do_group), ENTRY(do_nnls),
};
/* Runs need some hundred allocations each. */
static const entry runs[] = {
  ENTRY(do_als), ENTRY(do_imputed), ENTRY(do_weighted), ENTRY(do_beyond), ENTRY(do_hals), ENTRY(do_mu), ENTRY(do_constrained),
  ENTRY(do_sampled), ENTRY(do_power), ENTRY(do_symmetric), ENTRY(do_stream), ENTRY(do_hosvd), ENTRY(do_hooi), ENTRY(do_tucker_nn),
};

/* As storm() of fault.h, for more allocations, some of which can be done without: it ends when a number of calls in a row work. */
static void long_storm(const entry *e)
{
  int n = 1, silent = 0, left = 0, worked = 0, failed_ = 0;
  if (e->fn() == FAILED || e->fn() == FAILED) {
    fail("%s does not work at all: %s", e->name, hed_error_text());
    return;
  }
  for (; n < 20000 && worked < 12; n++) {
    const int64_t live = hed_test_alloc_live();
    hed_error_clear();
    hed_test_fail_alloc_at((uint64_t)n);
    const result r = e->fn();
    hed_test_fail_alloc_at(0);
    worked = r == DONE ? worked + 1 : 0;
    failed_ += r == FAILED;
    silent += r == FAILED && hed_error() == HED_OK;
    left += r == FAILED && hed_test_alloc_live() > live;
  }
  if (!ok(n < 20000 && failed_ > 0 && !silent && !left && e->fn() == DONE, "%s: %d allocations, each may fail", e->name, failed_))
    diag("%d without an error, %d left blocks; %s", silent, left, hed_error_text());
}

int main(void)
{
  const double values[24] = { 1, 2, 0.5, 3, 1, 0.1, 2, 4, 1, 3, 2, 0.7, 2, 1, 5, 0.2, 1, 3, 2, 2, 1, 0.3, 4, 1 };
  const int64_t at[6] = { 0, 1, 2, 2, 0, 1 };
  if (!fault_on("reference"))
    return done();
  x = hed_from_doubles(values, HED_SHAPE(3, 2, 4), HED_FLOAT64);
  square = hed_from_doubles((double[]){ 3, 1, 0, 1, 4, 1, 0, 1, 5 }, HED_SHAPE(3, 3), HED_FLOAT64);
  mask = hed_greater_scalar(x, 0.15);
  indices = hed_from_host(at, HED_SHAPE(2, 3), HED_INT64);
  cp = (hed_cp){ .order = 3, .rank = 2, .weights = hed_from_doubles(values, HED_SHAPE(2), HED_FLOAT64) };
  for (int k = 0; k < 3; k++)
    cp.factor[k] = hed_from_doubles(values + k, HED_SHAPE(k == 0 ? 3 : k == 1 ? 2 : 4, 2), HED_FLOAT64);
  if (!x || !square || !mask || !indices || !cp.weights || hed_cp_to_tucker(&cp, &tucker) != HED_OK)
    bail("operands: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++)
    long_storm(&runs[k]);
  hed_cp_clear(&cp);
  hed_tucker_clear(&tucker);
  hed_release(x);
  hed_release(square);
  hed_release(mask);
  hed_release(indices);
  done_testing();
  return done();
}
