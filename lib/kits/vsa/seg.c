// SPDX-License-Identifier: BSD-3-Clause
/* Sparse block codes, one 1 in each segment, and cyclic groups: votes for whole numbers.
 *
 * Layer: L4, vsa kit. Of several indices with as many votes the one is taken that comes first from the tie vector's on, round the
 * end: it is one of them always, and none is favoured.
 */
#include "kits/vsa/internal.h"

/* (.., S L) as (.., S, L) */
static hed_array *by_segments(const hed_vsa *v, const hed_array *x)
{
  if (!x)
    return NULL;
  hed_shape s = hed_array_shape(x);
  s.dim[s.ndim - 1] = v->o.segments;
  s.dim[s.ndim++] = v->o.block;
  return hed_reshape(x, s);
}

/* The index of the most VOTES (.., S, L), from TIE (.., S) on. */
static hed_array *winners(const hed_vsa *v, const hed_array *votes, const hed_array *tie)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *first = hed_expand_dims(hed_astype(tie, HED_INT64), -1);
  hed_array *from = hed__vsa_mod(hed_add(first, hed_arange_int(0, v->o.block, 1, HED_INT64)), v->o.block);
  hed_array *turned = hed_take_along_axis(votes, hed_atleast_nd(from, hed_array_ndim(votes)), -1);
  return hed__vsa_mod(hed_add(hed_argmax(turned, &last), tie), v->o.block);
}

static hed_array *bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  const hed_shape all = hed_array_shape(s->x);
  const int64_t segments = v->shape.dim[0], block = v->o.block;
  hed_shape out = all;
  out.ndim -= 2;
  const int64_t places = hed__vsa_count(out) * segments;
  out.dim[out.ndim++] = segments;
  hed_shape numbered = out, votes_shape = out;
  numbered.dim[out.ndim - 1] = 1;
  numbered.dim[numbered.ndim++] = segments;
  votes_shape.dim[votes_shape.ndim++] = block;
  if (places == 0)
    return hed_zeros(out, v->dtype);
  hed_array *bins = hed_reshape(hed_arange_int(0, places * block, block, HED_INT64), numbered);
  hed_array *votes, *ids = hed_add(bins, s->x), *weights = NULL;
  if (s->weights)
    weights = hed_ravel(hed_broadcast_to(hed_reshape(s->weights, HED_SHAPE(s->n, 1)), all));
  if (!ids || (s->weights && !weights))
    return NULL;
  votes = hed_reshape(hed_bincount(hed_ravel(ids), weights, places * block), votes_shape);
  return hed_astype(winners(v, votes, hed__vsa_tie_of(v, s)), v->dtype);
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  return hed_astype(hed_argmax(by_segments(v, x), &last), v->dtype);
}

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *equal = hed_count_nonzero(hed_equal(a, b), &last);
  return hed_divide_scalar(hed_astype(equal, v->real), (double)v->shape.dim[0]);
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return hed__vsa_each(v, q, x, similarity);
}

#define SHARED .exact_rows = true, .rows = hed__vsa_modular_rows, .identity = hed__vsa_zeros, .bind = hed__vsa_modular_add, \
  .unbind = hed__vsa_modular_subtract, .inverse = hed__vsa_modular_negative, .bundle = bundle, .power = hed__vsa_modular_power, \
  .similarity = similarity, .matrix = matrix
const hed__vsa_ops hed__vsa_seg = { SHARED, .quantise = quantise };
const hed__vsa_ops hed__vsa_cgr = { SHARED, .quantise = hed__vsa_phase_of };

/* ---- one-hot segments, bound by xor ---- */

/* One-hot segments of indices (.., S). */
hed_array *hed__vsa_one_hot(const hed_vsa *v, const hed_array *index)
{
  if (!index)
    return NULL;
  hed_shape s = hed_array_shape(index);
  hed_array *hot = hed_equal(hed_expand_dims(index, -1), hed_arange_int(0, v->o.block, 1, HED_INT64));
  s.dim[s.ndim - 1] = v->o.dim;
  return hed_astype(hed_reshape(hot, s), v->dtype);
}

static hed_array *hot_row(const hed_vsa *v, uint64_t key)
{
  const hed_random r = { .seed = key, .seeded = true };
  return hed__vsa_one_hot(v, hed_random_integers(HED_SHAPE(v->o.segments), 0, v->o.block, HED_INT64, &r));
}

static hed_array *hot_rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_stack(v, n, keys, hot_row);
}

static hed_array *xor_bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  (void)v;
  return hed_bitwise_xor(a, b);
}

static hed_array *hot_bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *tie = hed_argmax(by_segments(v, hed__vsa_tie_of(v, s)), &last);
  hed_array *votes = by_segments(v, hed__vsa_total(v, s, s->weights ? v->real : HED_INT32));
  return hed__vsa_one_hot(v, winners(v, votes, tie));
}

static hed_array *hot_quantise(const hed_vsa *v, const hed_array *x)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  return hed__vsa_one_hot(v, hed_argmax(by_segments(v, x), &last));
}

/* Segments whose places of the first 1 agree. */
static hed_array *hot_similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *equal = hed_equal(hed_argmax(by_segments(v, a), &last), hed_argmax(by_segments(v, b), &last));
  return hed_divide_scalar(hed_astype(hed_count_nonzero(equal, &last), v->real), (double)v->o.segments);
}

static hed_array *hot_matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return hed__vsa_each(v, q, x, hot_similarity);
}

static hed_array *hot_permute(const hed_vsa *v, const hed_array *x, int64_t k)
{
  const int64_t n = v->o.segments;
  const hed_axes shift = HED_AXES((int32_t)(((k % n) + n) % n * v->o.block)), last = HED_AXES(-1);
  return hed_roll(x, &shift, &last);
}

const hed__vsa_ops hed__vsa_seg_xor = { .exact_rows = true, .rows = hot_rows, .bind = xor_bind, .unbind = xor_bind,
  .bundle = hot_bundle, .permute = hot_permute, .quantise = hot_quantise, .similarity = hot_similarity,
  .matrix = hot_matrix };
