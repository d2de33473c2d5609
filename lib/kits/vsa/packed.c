// SPDX-License-Identifier: BSD-3-Clause
/* A bit for an element.
 *
 * Layer: L4, vsa kit. Element i is bit i mod 64 of word i / 64; bits behind the last element are 0, and every row here keeps
 * them so.
 */
#include "kits/vsa/internal.h"

static hed_array *bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  (void)v;
  return hed_bitwise_xor(a, b);
}

static hed_array *negative(const hed_vsa *v, const hed_array *x)
{
  return hed_bitwise_xor(x, hed__vsa_tail(v, x));
}

static hed_array *bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  if (!s->weights)
    return hed_majority_bits(s->x, hed__vsa_tie_of(v, s));
  const hed__vsa_sum plain = { .x = hed__vsa_unpacked(v, s->x), .weights = s->weights, .n = s->n,
                               .tie = hed__vsa_unpacked(v, hed__vsa_tie_of(v, s)) };
  return plain.x && plain.tie ? hed_pack_bits(hed__vsa_bits_bundle(v, &plain)) : NULL;
}

/* Words N places up (N below 0: down), zeros coming in. */
static hed_array *moved(const hed_array *x, int64_t n)
{
  hed_shape s = hed_array_shape(x), before = s, after = s;
  const int last = s.ndim - 1;
  const int64_t words = s.dim[last], by = n < 0 ? -n : n;
  const hed_slice_range whole = HED_ALL;
  hed_slice_range ranges[HED_MAX_NDIM];
  if (by >= words)
    return hed_zeros_like(x);
  for (int k = 0; k < s.ndim; k++) {
    ranges[k] = whole;
    before.dim[k] = after.dim[k] = 0;
  }
  ranges[last] = n < 0 ? HED_RANGE(by, words, 1) : HED_RANGE(0, words - by, 1);
  (n < 0 ? &after : &before)->dim[last] = by;
  return hed_pad(hed_slice(x, s.ndim, ranges), before, after, 0);
}

/* The string of bits, K places up; those above the last word are lost. */
static hed_array *up(const hed_array *x, int64_t k)
{
  hed_array *high = hed_left_shift_scalar(moved(x, k / 64), (double)(k % 64));
  return k % 64 ? hed_bitwise_or(high, hed_right_shift_scalar(moved(x, k / 64 + 1), (double)(64 - k % 64))) : high;
}

static hed_array *down(const hed_array *x, int64_t k)
{
  hed_array *low = hed_right_shift_scalar(moved(x, -(k / 64)), (double)(k % 64));
  return k % 64 ? hed_bitwise_or(low, hed_left_shift_scalar(moved(x, -(k / 64) - 1), (double)(64 - k % 64))) : low;
}

static hed_array *permute(const hed_vsa *v, const hed_array *x, int64_t k)
{
  const int64_t d = v->o.dim, by = ((k % d) + d) % d;
  return by == 0 ? hed_copy(x) : hed__vsa_cut(v, hed_bitwise_or(up(x, by), down(x, d - by)));
}

static hed_array *permute_by(const hed_vsa *v, const hed_array *x, const hed_array *order)
{
  return hed_pack_bits(hed_take(hed__vsa_unpacked(v, x), order, -1));
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  const hed_array *tie = hed__vsa_unpacked(v, hed__vsa_tie_of(v, &(hed__vsa_sum){ .x = x }));
  if (hed_array_dtype(x) == HED_BOOL)
    return hed_pack_bits(x);
  return hed_pack_bits(hed__vsa_majority(v->model == HED_VSA_MAP ? hed_negative(hed_astype(x, v->real)) : x, tie));
}

static hed_array *ones_of(const hed_array *x)
{
  const hed_reduce last = { .axes = HED_AXES(-1), .dtype = HED_INT64 };
  return hed_sum(hed_count_ones(x), &last);
}

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return hed__vsa_from_hamming(v, ones_of(hed_bitwise_xor(a, b)));
}

static hed_array *differing(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  (void)v;
  return ones_of(hed_bitwise_xor(q, x));
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return hed__vsa_from_hamming(v, hed_hamming_matrix(q, x));
}

const hed__vsa_ops hed__vsa_bits = { .exact_rows = true, .rows = hed__vsa_random_words, .identity = hed__vsa_zeros,
  .bind = bind, .unbind = bind, .negative = negative, .bundle = bundle, .permute = permute, .permute_by = permute_by,
  .quantise = quantise, .power = hed__vsa_self_power, .similarity = similarity, .matrix = matrix };

/* ---- few ones ---- */

static hed_array *sparse_rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed_pack_bits(hed__vsa_sparse_rows(v, n, keys));
}

static hed_array *sparse_bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  const hed__vsa_sum plain = { .x = hed__vsa_unpacked(v, s->x), .weights = s->weights, .tie = s->tie, .n = s->n };
  return hed_pack_bits(hed__vsa_sparse_bundle(v, &plain));
}

static hed_array *sparse_quantise(const hed_vsa *v, const hed_array *x)
{
  return hed_pack_bits(hed__vsa_sparse_quantise(v, x));
}

/* What is done by elements whatever the layout: variants of bind. */
static hed_array *by_elements(const hed_vsa *v, const hed_array *a, const hed_array *b, hed__vsa_two *f)
{
  return hed_pack_bits(f(v, hed__vsa_unpacked(v, a), hed__vsa_unpacked(v, b)));
}

static hed_array *sparse_bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return v->o.variant ? by_elements(v, a, b, hed__vsa_sparse_bind) : bind(v, a, b);
}

static hed_array *sparse_bind_all(const hed_vsa *v, const hed_array *x, int64_t n)
{
  return hed_pack_bits(hed__vsa_sparse_bind_all(v, hed__vsa_unpacked(v, x), n));
}

static hed_array *sparse_unbind(const hed_vsa *v, const hed_array *c, const hed_array *b)
{
  return v->o.variant ? by_elements(v, c, b, hed__vsa_sparse_unbind) : bind(v, c, b);
}

static hed_array *sparse_similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return hed__vsa_overlap(v, differing(v, a, b), ones_of(a), ones_of(b));
}

static hed_array *sparse_matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return hed__vsa_overlap(v, hed_hamming_matrix(q, x), hed_expand_dims(ones_of(q), 1), ones_of(x));
}

const hed__vsa_ops hed__vsa_sparse_bits = { .exact_rows = true, .rows = sparse_rows, .identity = hed__vsa_zeros,
  .bind = sparse_bind, .bind_all = sparse_bind_all, .unbind = sparse_unbind,
  .unbind_left = hed__vsa_sparse_unbind_left, .bundle = sparse_bundle, .permute = permute, .permute_by = permute_by,
  .quantise = sparse_quantise, .power = hed__vsa_self_power, .similarity = sparse_similarity,
  .matrix = sparse_matrix, .tie = hed__vsa_ranks };
