// SPDX-License-Identifier: BSD-3-Clause
/* What models of two values share, and the binary spatter code.
 *
 * Layer: L4, vsa kit. Similarities of all layouts are computed from the same whole numbers, and so have the same bits.
 */
#include "kits/vsa/internal.h"

hed_array *hed__vsa_from_hamming(const hed_vsa *v, const hed_array *h)
{
  const double d = (double)v->o.dim;
  const bool cosine = v->model == HED_VSA_MAP ? v->o.similarity != HED_VSA_HAMMING : v->o.similarity == HED_VSA_COSINE;
  hed_array *equal = hed_scalar_subtract(d, hed_multiply_scalar(hed_astype(h, v->real), cosine ? 2 : 1));
  return hed_astype(hed_divide_scalar(equal, d), v->real);
}

hed_array *hed__vsa_overlap(const hed_vsa *v, const hed_array *h, const hed_array *ones_a, const hed_array *ones_b)
{
  if (v->o.similarity != HED_VSA_DEFAULT)
    return hed__vsa_from_hamming(v, h);
  hed_array *both = hed_multiply_scalar(hed_astype(hed_subtract(hed_add(ones_a, ones_b), h), v->real), 0.5);
  hed_array *fewer = hed_astype(hed_minimum(ones_a, ones_b), v->real);
  return hed_astype(hed_divide_where(fewer, both, fewer, 0), v->real);
}

hed_array *hed__vsa_majority(const hed_array *sum, const hed_array *tie)
{
  return hed_where(hed_equal_scalar(sum, 0), tie, hed_greater_scalar(sum, 0));
}

hed_array *hed__vsa_ones_of(const hed_array *x)
{
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  return hed_count_nonzero(x, &last);
}

hed_array *hed__vsa_self_power(const hed_vsa *v, const hed_array *x, double p)
{
  const bool even = p / 2 == (double)(int64_t)(p / 2);
  return even ? hed_copy(hed_broadcast_to(v->ops->identity(v), hed_array_shape(x))) : hed_copy(x);
}

/* ---- 0 and 1 ---- */

static hed_array *rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_from_bits(v, hed__vsa_unpacked(v, hed__vsa_random_words(v, n, keys)));
}

static hed_array *bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  (void)v;
  return hed_bitwise_xor(a, b);
}

static hed_array *negative(const hed_vsa *v, const hed_array *x)
{
  return hed_astype(hed_logical_not(x), v->dtype);
}

/* Sum of weights of ones less that of zeros. */
static hed_array *excess(const hed_vsa *v, const hed__vsa_sum *s)
{
  const hed__vsa_sum signs = { .x = hed_subtract_scalar(hed_multiply_scalar(hed_astype(s->x, v->real), 2), 1),
                               .weights = s->weights, .n = s->n };
  return hed__vsa_total(v, &signs, v->real);
}

hed_array *hed__vsa_bits_bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  return hed__vsa_majority(excess(v, s), s->tie);
}

hed_array *hed__vsa_plain_bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  const hed_array *tie = hed__vsa_tie_of(v, s);
  const hed__vsa_sum bits = { .x = hed__vsa_bits_of(v, s->x), .tie = tie ? hed__vsa_bits_of(v, tie) : NULL,
                              .weights = s->weights, .n = s->n };
  if (!bits.x || !bits.tie)
    return NULL;
  if (s->weights)
    return hed__vsa_from_bits(v, hed__vsa_bits_bundle(v, &bits));
  hed_array *words = hed_majority_bits(hed_pack_bits(bits.x), hed_pack_bits(bits.tie));
  return hed__vsa_from_bits(v, hed_unpack_bits(words, v->o.dim));
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  if (hed_array_dtype(x) == HED_BOOL)
    return hed_astype(x, v->dtype);
  const hed_array *tie = hed__vsa_tie_of(v, &(hed__vsa_sum){ .x = x });
  return hed_astype(hed__vsa_majority(x, hed_astype(tie, HED_BOOL)), v->dtype);
}

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  return hed__vsa_from_hamming(v, hed_count_nonzero(hed_not_equal(a, b), &last));
}

/* a + b - 2 (both), from sums and one product of matrices. */
hed_array *hed__vsa_plain_hamming(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  hed_array *both = hed__vsa_products(hed_astype(q, v->real), hed_astype(x, v->real));
  hed_array *ones = hed_add(hed__vsa_ones_of(q), hed_matrix_transpose(hed__vsa_ones_of(x)));
  return hed_subtract(hed_astype(ones, v->real), hed_multiply_scalar(both, 2));
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return hed__vsa_from_hamming(v, hed__vsa_plain_hamming(v, q, x));
}

const hed__vsa_ops hed__vsa_bsc = { .exact_rows = true, .rows = rows, .identity = hed__vsa_zeros, .bind = bind,
  .unbind = bind, .negative = negative, .bundle = hed__vsa_plain_bundle, .quantise = quantise,
  .power = hed__vsa_self_power, .similarity = similarity, .matrix = matrix };
