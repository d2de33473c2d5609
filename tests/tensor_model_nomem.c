// SPDX-License-Identifier: BSD-3-Clause
/* Trains, PARAFAC2, robust and coupled models, regressions and metrics with every allocation of the library failing in turn: see
 * fault.h. Nothing comes out of a failed call, and nothing is left behind.
 */
#include "fault.h"
#include <heddle/kits/parafac2.h>
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_regression.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_train_fit.h>

static hed_array *x, *y, *rows;
static hed_tt a, b;
static hed_cp cp;
static const hed_shape one = { 1, { 1 } }, two = { 1, { 2 } };
static const hed_sweeps once = { .max = 1, .tol = -1 };

static result train(hed_status s, hed_tt *t)
{
  if (s != HED_OK && (t->order || t->core[0]))
    fail("a train came out of a failure");
  hed_tt_clear(t);
  return status(s);
}

static result do_full(void) { return given(hed_tt_full(&a)); }
static result do_entries(void) { return given(hed_tt_entries(&a, rows)); }
static result do_maxvol(void) { return given(hed_maxvol(cp.factor[0])); }
static result do_leverage(void) { return given(hed_leverage_scores(cp.factor[0])); }

#define TRAIN(name, call)   \
  static result name(void)  \
  {                         \
    hed_tt t = { 0 };       \
    return train(call, &t); \
  }
TRAIN(do_add, hed_tt_add(&a, &b, &t))
TRAIN(do_scale, hed_tt_scale(&a, 2, 0, &t))
TRAIN(do_hadamard, hed_tt_hadamard(&a, &b, &t))
TRAIN(do_mode_dot, hed_tt_mode_dot(&a, cp.factor[3], 0, &t))
TRAIN(do_get, hed_tt_get(&a, 2, (const hed_key[]){ HED_AT(1), HED_SLICE(0, 2, 1) }, &t))
TRAIN(do_orthogonal, hed_tt_orthogonalise(&a, 1, &t))
TRAIN(do_round, hed_tt_round(&a, 0.1, 0, &t, NULL))
TRAIN(do_svd, hed_tt_svd(x, &two, 0, &t, NULL))
TRAIN(do_ring, hed_tr_svd(x, &two, 0, &t, NULL))
TRAIN(do_complete, hed_tt_complete(y, &one, &(hed_tt_completion_options){ .sweeps = once }, &t, NULL))
TRAIN(do_tr_als, hed_tr_als(x, &two, &(hed_tr_options){ .sweeps = once, .start = HED_TR_RANDOM }, &t, NULL))
TRAIN(do_cross, hed_tt_cross_array(x, &(hed_tt_cross_options){ .sweeps = once, .test = 5, .kick = -1, .max_rank = 1 }, &t, NULL, NULL))

static result do_inner(void)
{
  double n[2];
  return status(hed_tt_inner(&a, &b, n));
}

static result do_norm(void)
{
  double n;
  return status(hed_tt_norm(&a, &n));
}

static result do_parafac2(void)
{
  hed_array *slice[2] = { hed_index(x, 0, 0), hed_index(x, 0, 1) };
  hed_parafac2 p = { 0 };
  const hed_parafac2_options o = { .sweeps = once, .normalise = true };
  const hed_status s = slice[0] && slice[1] ? hed_parafac2_als(2, (const hed_array *const *)slice, 1, &o, &p, NULL) : hed_error();
  if (s != HED_OK && (p.a || p.projection))
    fail("a PARAFAC2 tensor came out of a failure");
  hed_parafac2_clear(&p);
  hed_release(slice[0]);
  hed_release(slice[1]);
  return status(s);
}

static result do_robust(void)
{
  hed_array *low = NULL, *sparse = NULL;
  const hed_status s = hed_robust_pca(x, &(hed_robust_options){ .sweeps = once }, &low, &sparse, NULL);
  if (s != HED_OK && (low || sparse))
    fail("parts came out of a failure");
  hed_release(low);
  hed_release(sparse);
  return status(s);
}

static result do_coupled(void)
{
  hed_cp t = { 0 }, m = { 0 };
  const hed_status s = hed_coupled_cp(x, y, 1, &(hed_coupled_options){ .sweeps = once, .normalise = true }, &t, &m, NULL);
  if (s != HED_OK && (t.order || m.order))
    fail("factors came out of a failure");
  hed_cp_clear(&t);
  hed_cp_clear(&m);
  return status(s);
}

static result regression(hed_status s, hed_regression *r)
{
  if (s != HED_OK && (r->coefficients || r->cp.order || r->tucker.order))
    fail("a regression came out of a failure");
  hed_regression_clear(r);
  return status(s);
}

static result do_cp_regression(void)
{
  hed_regression r = { 0 };
  return regression(hed_cp_regression(x, y, 1, &(hed_regression_options){ .sweeps = once }, &r, NULL), &r);
}

static result do_tucker_regression(void)
{
  hed_regression r = { 0 };
  return regression(hed_tucker_regression(x, y, &HED_SHAPE(1), &(hed_regression_options){ .sweeps = once }, &r, NULL), &r);
}

static result do_plsr(void)
{
  hed_regression r = { 0 };
  hed_cp parts = { 0 };
  const hed_status s = hed_plsr(x, y, 1, &(hed_plsr_options){ .max_iterations = 1 }, &r, &parts, NULL);
  if (s != HED_OK && parts.order)
    fail("parts came out of a failure");
  hed_cp_clear(&parts);
  return regression(s, &r);
}

static result do_congruence(void)
{
  double c;
  return status(hed_congruence(cp.factor[0], cp.factor[0], false, &c, NULL));
}

static result do_consistency(void)
{
  double c;
  return status(hed_core_consistency(x, &(hed_cp){ .order = 3, .rank = 1, .factor = { cp.factor[0], cp.factor[1],
                                                                                      cp.factor[2] } }, &c));
}

int main(void)
{
  static const entry entries[] = {
    { "full", do_full }, { "entries", do_entries }, { "maxvol", do_maxvol }, { "leverage", do_leverage }, { "add", do_add },
    { "scale", do_scale }, { "hadamard", do_hadamard }, { "mode_dot", do_mode_dot }, { "get", do_get }, { "orthogonalise",
        do_orthogonal },
    { "round", do_round }, { "tt_svd", do_svd }, { "tr_svd", do_ring }, { "complete", do_complete }, { "tr_als", do_tr_als },
    { "cross", do_cross }, { "inner", do_inner }, { "norm", do_norm }, { "parafac2", do_parafac2 }, { "robust", do_robust },
    { "coupled", do_coupled }, { "cp_regression", do_cp_regression }, { "tucker_regression", do_tucker_regression },
    { "plsr", do_plsr }, { "congruence", do_congruence }, { "core_consistency", do_consistency },
  };
  const hed_random seed = { .seed = 1, .seeded = true };
  if (!fault_on("reference"))
    return done();
  x = hed_random_normal(HED_SHAPE(4, 3, 2), HED_FLOAT32, &seed);
  y = hed_random_normal(HED_SHAPE(4, 2), HED_FLOAT32, &seed);
  rows = hed_zeros(HED_SHAPE(3, 3), HED_INT64);
  for (int k = 0; k < 4; k++) /* columns for the modes of X, and a matrix for its first axis */
    cp.factor[k] = hed_random_normal(k < 3 ? HED_SHAPE(4 - k, 1) : HED_SHAPE(2, 4), HED_FLOAT32, &seed);
  if (!x || !y || !rows || hed_tt_svd(x, &two, 0, &a, NULL) != HED_OK || hed_tt_svd(x, NULL, 0, &b, NULL) != HED_OK)
    bail("operands: %s", hed_error_text());
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
    storm(&entries[i], NULL);
  hed_release(x);
  hed_release(y);
  hed_release(rows);
  for (int k = 0; k < 4; k++)
    hed_release(cp.factor[k]);
  hed_tt_clear(&a);
  hed_tt_clear(&b);
  done_testing();
  return done();
}
