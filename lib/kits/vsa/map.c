// SPDX-License-Identifier: BSD-3-Clause
/* Multiply, add, permute: of signs, and of real numbers.
 *
 * Layer: L4, vsa kit. The bits of a seed are those of the packed layout: 0 is 1, 1 is -1.
 */
#include "kits/vsa/internal.h"

static hed_array *rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_from_bits(v, hed__vsa_unpacked(v, hed__vsa_random_words(v, n, keys)));
}

static hed_array *bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  (void)v;
  return hed_multiply(a, b);
}

static hed_array *signs(const hed_vsa *v, const hed_array *sum, const hed_array *tie)
{
  return hed_where(hed_equal_scalar(sum, 0), tie, hed_astype(hed_sign(sum), v->dtype));
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  return signs(v, x, hed__vsa_tie_of(v, &(hed__vsa_sum){ .x = x }));
}

/* Places that differ: (D - a b) / 2, exact in float32. */
static hed_array *differ(const hed_vsa *v, const hed_array *dot)
{
  return hed__vsa_from_hamming(v, hed_multiply_scalar(hed_scalar_subtract((double)v->o.dim, dot), 0.5));
}

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return differ(v, hed__vsa_product(hed_astype(a, v->real), hed_astype(b, v->real)));
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return differ(v, hed__vsa_products(hed_astype(q, v->real), hed_astype(x, v->real)));
}

const hed__vsa_ops hed__vsa_map = { .exact_rows = true, .rows = rows, .identity = hed__vsa_ones, .bind = bind,
  .unbind = bind, .negative = hed__vsa_minus, .bundle = hed__vsa_plain_bundle, .quantise = quantise, .power = hed__vsa_self_power,
  .similarity = similarity, .matrix = matrix };

/* ---- real numbers ---- */

static hed_array *uniform(const hed_vsa *v, uint64_t key)
{
  return hed_random_uniform(v->shape, v->dtype, &(hed_random){ .seed = key, .seeded = true, .low = -1, .high = 1 });
}

static hed_array *real_rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_stack(v, n, keys, uniform);
}

static hed_array *real_bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  hed_array *total = hed__vsa_total(v, s, v->dtype);
  return v->o.variant == HED_VSA_CLIPPED ? hed_clip(total, -1, 1) : total;
}

static hed_array *real_power(const hed_vsa *v, const hed_array *x, double p)
{
  (void)v;
  return hed_divide_where(x, hed_power_scalar(x, p), hed_ones_like(x), p == 0);
}

static hed_array *real_unit(const hed_vsa *v, const hed_array *x)
{
  return hed__vsa_unit(v, hed_astype(x, v->dtype));
}

const hed__vsa_ops hed__vsa_map_real = { .exact_rows = true, .rows = real_rows, .identity = hed__vsa_ones,
  .bind = bind, .unbind = bind, .negative = hed__vsa_minus, .bundle = real_bundle, .normalise = real_unit,
  .quantise = real_unit, .power = real_power, .similarity = hed__vsa_cosine, .matrix = hed__vsa_cosine_matrix };
