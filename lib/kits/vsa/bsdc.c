// SPDX-License-Identifier: BSD-3-Clause
/* Binary vectors with few ones.
 *
 * Layer: L4, vsa kit. What has to choose k of more places asks for the most votes first, and takes equal ones in the order of a
 * random permutation of the model's seed.
 */
#include "kits/vsa/internal.h"

static hed_array *drop_last(const hed_array *x)
{
  const hed_axes last = HED_AXES(-1);
  return hed_squeeze(x, &last);
}

/* ---- drawing and choosing ---- */

static hed_array *one_row(const hed_vsa *v, uint64_t key)
{
  const hed_random r = { .seed = key, .seeded = true };
  if (v->o.bernoulli)
    return hed_random_bernoulli(v->plain_shape, v->o.sparsity, v->plain, &r);
  hed_array *out = hed_zeros(v->plain_shape, v->plain);
  hed_array *places = hed_random_choice(v->o.dim, HED_SHAPE(v->ones), NULL, false, &r);
  hed_array *one = hed_ones(HED_SHAPE(v->ones), v->plain);
  return hed_put_along_axis(out, places, one, 0) == HED_OK ? out : NULL;
}

hed_array *hed__vsa_sparse_rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_stack(v, n, keys, one_row);
}

hed_array *hed__vsa_ranks(const hed_vsa *v)
{
  const uint64_t key = hed__vsa_key(v, HED__VSA_TIE, 0);
  return hed_random_permutation(v->o.dim, &(hed_random){ .seed = key, .seeded = true });
}

/* The k largest of each vector of X, as far as they are above 0. */
static hed_array *largest(const hed_vsa *v, const hed_array *x, const hed_array *ranks)
{
  if (!x)
    return NULL;
  const hed_shape s = hed_array_shape(x);
  hed_array *order = hed_argsort(ranks, NULL), *votes, *at, *out = hed_zeros(s, v->plain);
  if (hed_array_size(x) == 0)
    return out;
  if (hed_topk(hed_take_along_axis(x, hed_atleast_nd(order, s.ndim), -1), v->ones, NULL, &votes, &at) != HED_OK)
    return NULL;
  hed_array *places = hed_take(order, at, 0);
  return hed_put_along_axis(out, places, hed_greater_scalar(votes, 0), -1) == HED_OK ? out : NULL;
}

hed_array *hed__vsa_sparse_bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  const hed_array *ranks = hed__vsa_tie_of(v, s);
  hed_array *votes = hed__vsa_total(v, s, s->weights ? v->real : HED_INT32);
  if (!v->o.majority)
    return largest(v, votes, ranks);
  double weight = 0; /* more than half of the votes; a place with half of them by its rank, of which half are even */
  if (s->weights ? hed_item(hed_sum(s->weights, NULL), &weight) != HED_OK : false)
    return NULL;
  hed_array *excess = hed_subtract_scalar(hed_multiply_scalar(votes, 2), s->weights ? weight : (double)s->n);
  return hed_astype(hed__vsa_majority(excess, hed_equal_scalar(hed__vsa_mod(ranks, 2), 0)), v->plain);
}

hed_array *hed__vsa_sparse_quantise(const hed_vsa *v, const hed_array *x)
{
  return largest(v, x, hed__vsa_tie_of(v, &(hed__vsa_sum){ .x = x }));
}

/* ---- binding ---- */

/* Ones of Z that are ones of a rolled Z too, of as few rolls as give k of them (of all 1024 rolls where they do not), cut to k. */
static hed_array *thinned(const hed_vsa *v, const hed_array *z)
{
  const int64_t d = v->o.dim;
  const hed_axes last = HED_AXES(-1);
  hed_array *out = hed_keep(hed_zeros_like(z));
  double least = 0;
  for (uint64_t j = 0; out && j < 1024 && d > 1 && least < (double)v->ones && hed_array_size(z) > 0; j++) {
    hed_array *next = NULL;
    HED_SCOPE {
      const hed_axes by = HED_AXES((int32_t)(1 + hed__vsa_key(v, HED__VSA_PERMUTATION, j) % (uint64_t)(d - 1)));
      hed_array *more = hed_bitwise_or(out, hed_bitwise_and(z, hed_roll(z, &by, &last)));
      hed_array *enough = hed_greater_equal_scalar(hed__vsa_ones_of(out), (double)v->ones);
      next = hed_keep(hed_where(enough, out, more));
      if (next && hed_item(hed_min(hed__vsa_ones_of(next), NULL), &least) != HED_OK) {
        hed_release(next);
        next = NULL;
      }
    }
    hed_release(out);
    out = next;
  }
  hed_array *cut = out ? largest(v, out, hed__vsa_tie_of(v, &(hed__vsa_sum){ .x = z })) : NULL;
  hed_release(out);
  return cut;
}

/* A rolled by SIGN times the sum of the places of B's ones. */
static hed_array *shifted(const hed_vsa *v, const hed_array *a, const hed_array *b, int sign)
{
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true, .dtype = HED_INT64 };
  const int32_t axes_a = hed_array_ndim(a), axes_b = hed_array_ndim(b), axes = axes_a > axes_b ? axes_a : axes_b;
  hed_array *places = hed_arange_int(0, v->o.dim, 1, HED_INT64);
  hed_array *by = hed_sum(hed_multiply(hed_astype(b, HED_INT64), places), &last);
  hed_array *from = hed__vsa_mod(sign > 0 ? hed_subtract(places, by) : hed_add(places, by), v->o.dim);
  return hed_take_along_axis(hed_atleast_nd(a, axes), hed_atleast_nd(from, axes), -1);
}

hed_array *hed__vsa_sparse_bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  switch (v->o.variant) {
  case HED_VSA_CDT:
    return thinned(v, hed_bitwise_or(a, b));
  case HED_VSA_SHIFT:
    return shifted(v, a, b, 1);
  default:
    return hed_bitwise_xor(a, b);
  }
}

hed_array *hed__vsa_sparse_bind_all(const hed_vsa *v, const hed_array *x, int64_t n)
{
  const int32_t axis = hed_array_ndim(x) - 2;
  hed_array *out = hed_index(x, axis, 0);
  for (int64_t k = 1; out && k < n; k++) {
    hed_array *next = hed_index(x, axis, k);
    out = v->o.variant == HED_VSA_CDT ? hed_bitwise_or(out, next) : hed__vsa_sparse_bind(v, out, next);
  }
  return n == 1 ? hed_copy(out) : v->o.variant == HED_VSA_CDT ? thinned(v, out) : out;
}

hed_array *hed__vsa_sparse_unbind(const hed_vsa *v, const hed_array *c, const hed_array *b)
{
  switch (v->o.variant) {
  case HED_VSA_CDT: /* what was bound is in it still */
    return hed_bitwise_xor(c, hed_zeros_like(b));
  case HED_VSA_SHIFT:
    return shifted(v, c, b, -1);
  default:
    return hed_bitwise_xor(c, b);
  }
}

hed_array *hed__vsa_sparse_unbind_left(const hed_vsa *v, const hed_array *c, const hed_array *a)
{
  if (v->o.variant == HED_VSA_SHIFT) /* of b only the sum of its places is known */
    return hed__vsa_lacks(v, "hed_vsa_unbind_left");
  return v->o.variant ? hed_bitwise_xor(c, hed_zeros_like(a)) : hed_bitwise_xor(c, a);
}

/* ---- the others ---- */

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  hed_array *differ = drop_last(hed__vsa_ones_of(hed_not_equal(a, b)));
  return hed__vsa_overlap(v, differ, drop_last(hed__vsa_ones_of(a)), drop_last(hed__vsa_ones_of(b)));
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  hed_array *ones_q = hed__vsa_ones_of(q), *ones_x = drop_last(hed__vsa_ones_of(x));
  return hed__vsa_overlap(v, hed__vsa_plain_hamming(v, q, x), ones_q, ones_x);
}

const hed__vsa_ops hed__vsa_bsdc = { .exact_rows = true, .rows = hed__vsa_sparse_rows, .identity = hed__vsa_zeros,
  .bind = hed__vsa_sparse_bind, .bind_all = hed__vsa_sparse_bind_all, .unbind = hed__vsa_sparse_unbind,
  .unbind_left = hed__vsa_sparse_unbind_left, .bundle = hed__vsa_sparse_bundle, .quantise = hed__vsa_sparse_quantise,
  .power = hed__vsa_self_power, .similarity = similarity, .matrix = matrix, .tie = hed__vsa_ranks };
