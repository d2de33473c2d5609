// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory: every allocation of trains, PARAFAC2, robust and coupled models, regressions and metrics, and of the library below
 * them, fails once, in turn: see tensor/nomem.c.
 */
#include "arrays.h"
#include "nomem.h"
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

static char written[64], train_file[64], slices_file[64];
static hed_tt matrix;
static hed_parafac2 slices;
static hed_regression linear;
static hed_tucker core;

static hed_status train(hed_status s, hed_tt *t)
{
  if (s != HED_OK && (t->order || t->core[0]))
    fail("a train came out of a failure");
  hed_tt_clear(t);
  return s;
}

static hed_status sums(void *arg, int64_t n, const int64_t *indices, double *values)
{
  (void)arg;
  for (int64_t i = 0; i < n; i++)
    values[i] = 1 + (double)(indices[2 * i] + indices[2 * i + 1]);
  return HED_OK;
}

static hed_status do_full(void) { return made(hed_tt_full(&a)); }
static hed_status do_entries(void) { return made(hed_tt_entries(&a, rows)); }
static hed_status do_maxvol(void) { return made(hed_maxvol(cp.factor[0])); }
static hed_status do_leverage(void) { return made(hed_leverage_scores(cp.factor[0])); }

#define TRAIN(name, call)      \
  static hed_status name(void) \
  {                            \
    hed_tt t = { 0 };          \
    return train(call, &t);    \
  }
TRAIN(do_add, hed_tt_add(&a, &b, &t))
TRAIN(do_scale, hed_tt_scale(&a, 2, 0, &t))
TRAIN(do_hadamard, hed_tt_hadamard(&a, &b, &t))
TRAIN(do_mode_dot, hed_tt_mode_dot(&a, cp.factor[3], 0, &t))
TRAIN(do_get, hed_tt_get(&a, 2, (const hed_key[]){ HED_AT(1), HED_SLICE(0, 2, 1) }, &t))
TRAIN(do_orthogonal, hed_tt_orthogonalise(&a, 1, &t))
TRAIN(do_round, hed_tt_round(&a, 0.1, 0, &t, NULL))
TRAIN(do_svd, hed_tt_svd(x, &two, 0, &t, NULL))
TRAIN(do_random, hed_tt_random(HED_SHAPE(2, 3), NULL, &two, HED_FLOAT32, true, NULL, &t))
TRAIN(do_quantise, hed_tt_quantise(&matrix, 2, 0.1, &t, NULL))
TRAIN(do_merge, hed_tt_merge(&a, &HED_SHAPE(1, 2), &t))
TRAIN(do_from_cp, hed_cp_to_tt(&linear.cp, &t))
TRAIN(do_from_tucker, hed_tucker_to_tt(&core, &t))
TRAIN(do_iterate, hed_tt_iterate(x, &two, &(hed_tt_iterate_options){ .sweeps = once }, &t, NULL))
TRAIN(do_ring, hed_tr_svd(x, &two, 0, &t, NULL))
TRAIN(do_complete, hed_tt_complete(y, &one, &(hed_tt_completion_options){ .sweeps = once }, &t, NULL))
TRAIN(do_tr_als, hed_tr_als(x, &two, &(hed_tr_options){ .sweeps = once, .start = HED_TR_RANDOM }, &t, NULL))
TRAIN(do_cross, hed_tt_cross_array(x, &(hed_tt_cross_options){ .sweeps = once, .test = 5, .kick = -1, .max_rank = 1 }, &t, NULL, NULL))

TRAIN(do_function, hed_tt_cross(sums, NULL, HED_SHAPE(3, 3), &(hed_tt_cross_options){ .sweeps = once, .test = 5, .kick = 1 }, &t,
                                NULL, NULL))
TRAIN(do_matrix, hed_tt_matrix_svd(rows, NULL, 0, &t, NULL))
TRAIN(do_matmul, hed_tt_matmul(&matrix, &matrix, &t))
TRAIN(do_load, hed_tt_load(train_file, &t))
static hed_status do_save(void) { return hed_tt_save(written, &a); }
static hed_status do_matrix_full(void) { return made(hed_tt_matrix_full(&matrix)); }

static hed_status do_slices_random(void)
{
  hed_parafac2 p = { 0 };
  const hed_status s = hed_parafac2_random(2, (const int64_t[]){ 3, 1 }, 2, 2, HED_FLOAT32, false, NULL, &p);
  if (s != HED_OK && (p.a || p.projection))
    fail("slices with an error");
  hed_parafac2_clear(&p);
  return s;
}

static hed_status do_mean(void)
{
  double n[2];
  return hed_tt_mean(&a, n);
}

static hed_status do_sum(void)
{
  double n[2];
  return hed_tt_sum(&a, n);
}

static hed_status do_inner(void)
{
  double n[2];
  return hed_tt_inner(&a, &b, n);
}

static hed_status do_norm(void)
{
  double n;
  return hed_tt_norm(&a, &n);
}

static hed_status parafac2(hed_status s, hed_parafac2 *p)
{
  if (s != HED_OK && (p->a || p->projection))
    fail("a PARAFAC2 tensor came out of a failure");
  hed_parafac2_clear(p);
  return s;
}

static hed_status do_parafac2(void)
{
  hed_array *slice[2] = { hed_index(x, 0, 0), hed_index(x, 0, 1) };
  hed_parafac2 p = { 0 };
  const hed_parafac2_options o = { .sweeps = once, .normalise = true };
  const hed_status s = slice[0] && slice[1] ? hed_parafac2_als(2, (const hed_array *const *)slice, 1, &o, &p, NULL) : hed_error();
  RELEASE(slice[0], slice[1]);
  return parafac2(s, &p);
}

static hed_status do_slices_load(void)
{
  hed_parafac2 p = { 0 };
  return parafac2(hed_parafac2_load(slices_file, &p), &p);
}

static hed_status do_slices_normalise(void)
{
  hed_parafac2 p = { 0 };
  const hed_status s = hed_parafac2_load(slices_file, &p);
  if (s != HED_OK)
    return s;
  const hed_status normal = hed_parafac2_normalise(&p);
  if (hed_parafac2_check(&p) != HED_OK)
    fail("a PARAFAC2 tensor that no longer fits");
  hed_parafac2_clear(&p);
  return normal;
}

static hed_status do_slices_save(void) { return hed_parafac2_save(written, &slices); }
static hed_status do_slice(void) { return made(hed_parafac2_slice(&slices, 1)); }
static hed_status do_evolving(void) { return made(hed_parafac2_evolving(&slices, 1)); }
static hed_status do_slices_full(void) { return made(hed_parafac2_full(&slices)); }

static hed_status do_slices_norm(void)
{
  double n;
  return hed_parafac2_norm(&slices, &n);
}

static hed_status do_slices_inner(void)
{
  double n[2];
  return hed_parafac2_inner(&slices, &slices, n);
}

static hed_status do_robust(void)
{
  hed_array *low = NULL, *sparse = NULL;
  const hed_status s = hed_robust_pca(x, &(hed_robust_options){ .sweeps = once }, &low, &sparse, NULL);
  if (s != HED_OK && (low || sparse))
    fail("parts came out of a failure");
  RELEASE(low, sparse);
  return s;
}

static hed_status do_coupled(void)
{
  hed_cp t = { 0 }, m = { 0 };
  const hed_status s = hed_coupled_cp(x, y, 1, &(hed_coupled_options){ .sweeps = once, .normalise = true }, &t, &m, NULL);
  if (s != HED_OK && (t.order || m.order))
    fail("factors came out of a failure");
  hed_cp_clear(&t);
  hed_cp_clear(&m);
  return s;
}

static hed_status regression(hed_status s, hed_regression *r)
{
  if (s != HED_OK && (r->coefficients || r->cp.order || r->tucker.order))
    fail("a regression came out of a failure");
  hed_regression_clear(r);
  return s;
}

static hed_status do_cp_regression(void)
{
  hed_regression r = { 0 };
  return regression(hed_cp_regression(x, y, 1, &(hed_regression_options){ .sweeps = once }, &r, NULL), &r);
}

static hed_status do_tucker_regression(void)
{
  hed_regression r = { 0 };
  return regression(hed_tucker_regression(x, y, &HED_SHAPE(1), &(hed_regression_options){ .sweeps = once }, &r, NULL), &r);
}

static hed_status do_plsr(void)
{
  hed_regression r = { 0 };
  hed_cp parts = { 0 };
  const hed_status s = hed_plsr(x, y, 1, &(hed_plsr_options){ .max_iterations = 1 }, &r, &parts, NULL);
  if (s != HED_OK && parts.order)
    fail("parts came out of a failure");
  hed_cp_clear(&parts);
  return regression(s, &r);
}

static hed_status do_predict(void) { return made(hed_regression_predict(&linear, x)); }

static hed_status do_errors(void)
{
  hed_prediction_errors e;
  return hed_compare_predictions(y, y, &e);
}

static hed_status do_index(void)
{
  double i;
  const hed_array *const list[2] = { cp.factor[0], cp.factor[1] };
  return hed_correlation_index(2, list, list, HED_INDEX_STACKED, &i);
}

static hed_status do_indices(void)
{
  double i;
  const hed_array *const list[2] = { cp.factor[0], cp.factor[1] };
  return hed_correlation_index(2, list, list, HED_INDEX_MEAN, &i);
}

static hed_status do_match(void)
{
  double m;
  const hed_cp one_ = { .order = 3, .rank = 1, .factor = { cp.factor[0], cp.factor[1], cp.factor[2] } };
  return hed_factor_match(&one_, &one_, true, &m);
}

static hed_status do_entropy(void)
{
  double e;
  return hed_von_neumann_entropy(rows, &e);
}

static hed_status do_cp_entropy(void)
{
  double e;
  return hed_cp_von_neumann_entropy(&(hed_cp){ .order = 2, .rank = 1, .factor = { cp.factor[0], cp.factor[0] } }, &e);
}

static hed_status do_train_entropy(void)
{
  double e;
  return hed_tt_von_neumann_entropy(&matrix, &e);
}

static hed_status do_congruence(void)
{
  double c;
  return hed_congruence(cp.factor[0], cp.factor[0], false, &c, NULL);
}

static hed_status do_consistency(void)
{
  double c;
  return hed_core_consistency(x, NULL, &(hed_cp){ .order = 3, .rank = 1, .factor = { cp.factor[0], cp.factor[1], cp.factor[2] } }, &c);
}

#define ENTRY(f) { #f, f, NULL }

int main(void)
{
  static const entry entries[] = {
    ENTRY(do_full), ENTRY(do_entries), ENTRY(do_maxvol), ENTRY(do_leverage), ENTRY(do_add), ENTRY(do_scale), ENTRY(do_hadamard),
    ENTRY(do_mode_dot), ENTRY(do_get), ENTRY(do_orthogonal), ENTRY(do_round), ENTRY(do_svd), ENTRY(do_ring), ENTRY(do_complete),
    ENTRY(do_tr_als), ENTRY(do_cross), ENTRY(do_function), ENTRY(do_matrix), ENTRY(do_matmul), ENTRY(do_matrix_full),
    ENTRY(do_load), { "do_save", do_save, written }, ENTRY(do_sum), ENTRY(do_inner), ENTRY(do_norm), ENTRY(do_parafac2),
    ENTRY(do_slices_load), { "do_slices_save", do_slices_save, written }, ENTRY(do_slices_normalise), ENTRY(do_slice),
    ENTRY(do_evolving), ENTRY(do_slices_full), ENTRY(do_slices_norm), ENTRY(do_slices_inner), ENTRY(do_robust),
    ENTRY(do_coupled), ENTRY(do_cp_regression), ENTRY(do_tucker_regression), ENTRY(do_plsr), ENTRY(do_predict),
    ENTRY(do_errors), ENTRY(do_index), ENTRY(do_indices), ENTRY(do_match), ENTRY(do_entropy), ENTRY(do_cp_entropy),
    ENTRY(do_train_entropy), ENTRY(do_quantise), ENTRY(do_merge), ENTRY(do_from_cp), ENTRY(do_from_tucker), ENTRY(do_iterate),
    ENTRY(do_mean), ENTRY(do_random), ENTRY(do_slices_random), ENTRY(do_congruence), ENTRY(do_consistency),
  };
  const hed_random seed = { .seed = 1, .seeded = true };
  failing_begin();
  snprintf(written, sizeof written, "%s/written.npz", failing_folder);
  snprintf(train_file, sizeof train_file, "%s/train.npz", failing_folder);
  snprintf(slices_file, sizeof slices_file, "%s/slices.npz", failing_folder);
  x = hed_random_normal(HED_SHAPE(4, 3, 2), HED_FLOAT32, &seed);
  y = hed_random_normal(HED_SHAPE(4, 2), HED_FLOAT32, &seed);
  rows = hed_zeros(HED_SHAPE(3, 3), HED_INT64);
  hed_array *square = hed_eye(2, 2, 0, HED_FLOAT32), *both[2] = { square, y };
  for (int k = 0; k < 4; k++) /* columns for the modes of X, and a matrix for its first axis */
    cp.factor[k] = hed_random_normal(k < 3 ? HED_SHAPE(4 - k, 1) : HED_SHAPE(2, 4), HED_FLOAT32, &seed);
  if (!x || !y || !rows || !square || hed_tt_svd(x, &two, 0, &a, NULL) != HED_OK || hed_tt_svd(x, NULL, 0, &b, NULL) != HED_OK ||
      hed_tt_matrix_svd(square, NULL, 0, &matrix, NULL) != HED_OK || hed_tt_save(train_file, &a) != HED_OK ||
      hed_parafac2_als(2, (const hed_array *const *)both, 1, &(hed_parafac2_options){ .sweeps = once }, &slices, NULL) != HED_OK ||
      hed_parafac2_save(slices_file, &slices) != HED_OK ||
      hed_cp_regression(x, y, 1, &(hed_regression_options){ .sweeps = once }, &linear, NULL) != HED_OK ||
      hed_cp_to_tucker(&linear.cp, &core) != HED_OK)
    bail("operands: %s", hed_error_text());
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
    every_allocation(entries[i].name, entries[i].call, entries[i].makes);
  unlink(train_file);
  unlink(slices_file);
  failing_end();
  RELEASE(x, y, rows, square);
  for (int k = 0; k < 4; k++)
    hed_release(cp.factor[k]);
  hed_tt_clear(&a);
  hed_tt_clear(&b);
  hed_tt_clear(&matrix);
  hed_parafac2_clear(&slices);
  hed_regression_clear(&linear);
  hed_tucker_clear(&core);
  return done();
}
