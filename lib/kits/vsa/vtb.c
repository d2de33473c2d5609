// SPDX-License-Identifier: BSD-3-Clause
/* Real vectors, bound by matrices that are made of one of them.
 *
 * Layer: L4, vsa kit.
 */
#include "base/invariant.h"
#include "kits/vsa/internal.h"
#include <math.h>

static hed_array *normal(const hed_vsa *v, uint64_t key)
{
  return hed_random_normal(v->shape, v->dtype, &(hed_random){ .seed = key, .seeded = true });
}

static hed_array *rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_unit(v, hed__vsa_stack(v, n, keys, normal));
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  return hed__vsa_unit(v, hed_astype(x, v->dtype));
}

/* ---- vector-derived transformation ---- */

static int64_t edge(const hed_vsa *v)
{
  return (int64_t)(sqrt((double)v->o.dim) + 0.5);
}

/* (.., D) as d x d matrices, and back with the factor sqrt(d). */
static hed_array *square(const hed_vsa *v, const hed_array *x)
{
  return hed_reshape(x, hed__vsa_joined(hed__vsa_batch_shape(v, x), HED_SHAPE(edge(v), edge(v))));
}

static hed_array *vectors(const hed_vsa *v, const hed_array *matrices)
{
  if (!matrices)
    return NULL;
  hed_shape s = hed_array_shape(matrices);
  s.ndim--;
  s.dim[s.ndim - 1] = v->o.dim;
  return hed_multiply_scalar(hed_reshape(matrices, s), sqrt((double)edge(v)));
}

/* Rows of a are its blocks: row i becomes B a_i. */
static hed_array *bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return vectors(v, hed_matmul(square(v, a), hed_matrix_transpose(square(v, b))));
}

static hed_array *unbind(const hed_vsa *v, const hed_array *c, const hed_array *b)
{
  return vectors(v, hed_matmul(square(v, c), square(v, b)));
}

/* c_i = sqrt(d) B a_i, and the sum of a_i a_i^T is near 1 / d: so sqrt(d) sum c_i a_i^T is near B. */
static hed_array *unbind_left(const hed_vsa *v, const hed_array *c, const hed_array *a)
{
  return vectors(v, hed_matmul(hed_matrix_transpose(square(v, c)), square(v, a)));
}

const hed__vsa_ops hed__vsa_vtb = { .rows = rows, .bind = bind, .unbind = unbind, .unbind_left = unbind_left,
  .negative = hed__vsa_minus, .bundle = hed__vsa_unit_sum, .normalise = hed__vsa_unit, .quantise = quantise,
  .similarity = hed__vsa_cosine, .matrix = hed__vsa_cosine_matrix };

/* ---- a mean of rolls ---- */

enum { N_ROLLS = 4 };

static hed_array *make_basis(const hed_vsa *v)
{
  return hed__vsa_rows(v, hed_fold_key(v->o.seed, HED__VSA_AXIS), 0, N_ROLLS);
}

static int64_t roll_by(const hed_vsa *v, int k)
{
  HED__ASSERT(k >= 0 && k < N_ROLLS && v->o.dim > 0);
  const int64_t step = v->o.dim / (N_ROLLS + 1);
  return (k + 1) * (step ? step : 1) % v->o.dim;
}

/* Softmax of 100 <key, u_k>: (.., N_ROLLS) */
static hed_array *weights(const hed_vsa *v, const hed_array *key)
{
  const hed_array *u = hed__vsa_constant_of(v, HED__VSA_BASIS, hed_array_space(key), make_basis);
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  hed_array *x = hed_multiply_scalar(hed_matmul(key, hed_matrix_transpose(u)), 100);
  return hed_exp(hed_subtract(x, hed_logsumexp(x, &last)));
}

/* sum over k of w_k(KEY) times X rolled by SIGN times shift k, of norm 1. */
static hed_array *mean_of_rolls(const hed_vsa *v, const hed_array *key, const hed_array *x, int sign)
{
  const hed_axes last = HED_AXES(-1);
  hed_array *w = weights(v, key), *out = NULL;
  for (int k = 0; w && k < N_ROLLS; k++) {
    const hed_axes by = HED_AXES((int32_t)(sign * roll_by(v, k)));
    hed_array *part = hed_multiply(hed_expand_dims(hed_index(w, -1, k), -1), hed_roll(x, &by, &last));
    out = k == 0 ? part : hed_add(out, part);
  }
  return out ? hed__vsa_unit(v, out) : NULL;
}

static hed_array *shift_bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return mean_of_rolls(v, a, b, 1);
}

static hed_array *shift_unbind(const hed_vsa *v, const hed_array *c, const hed_array *key)
{
  return mean_of_rolls(v, key, c, -1);
}

const hed__vsa_ops hed__vsa_vtb_shift = { .rows = rows, .bind = shift_bind, .unbind = shift_unbind,
  .negative = hed__vsa_minus, .bundle = hed__vsa_unit_sum, .normalise = hed__vsa_unit, .quantise = quantise,
  .similarity = hed__vsa_cosine, .matrix = hed__vsa_cosine_matrix };
