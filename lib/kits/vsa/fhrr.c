// SPDX-License-Identifier: BSD-3-Clause
/* Complex numbers of modulus 1.
 *
 * Layer: L4, vsa kit.
 */
#include "kits/vsa/internal.h"

static hed_array *phasors(const hed_vsa *v, uint64_t key)
{
  return hed_random_phasor(v->shape, v->dtype, &(hed_random){ .seed = key, .seeded = true });
}

static hed_array *rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_stack(v, n, keys, phasors);
}

static hed_array *bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  (void)v;
  return hed_multiply(a, b);
}

static hed_array *unbind(const hed_vsa *v, const hed_array *c, const hed_array *b)
{
  (void)v;
  return hed_multiply(c, hed_conj(b));
}

static hed_array *inverse(const hed_vsa *v, const hed_array *x)
{
  (void)v;
  return hed_conj(x);
}

static hed_array *bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  double weight;
  if (hed__vsa_weight(s, &weight) != HED_OK)
    return NULL;
  return hed__vsa_modulus_one(v, hed__vsa_total(v, s, v->dtype), 1e-12 * weight, hed__vsa_tie_of(v, s));
}

static hed_array *normalise(const hed_vsa *v, const hed_array *x)
{
  return hed__vsa_modulus_one(v, x, 0, hed__vsa_tie_of(v, &(hed__vsa_sum){ .x = x }));
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  if (hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX)
    return normalise(v, hed_astype(x, v->dtype));
  return hed_phasor(hed_astype(x, v->real), NULL);
}

static hed_array *power(const hed_vsa *v, const hed_array *x, double p)
{
  (void)v;
  return hed_exp(hed_multiply_complex(hed_angle(x), 0, p));
}

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return hed_divide_scalar(hed__vsa_product(a, b), (double)v->o.dim);
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return hed_divide_scalar(hed__vsa_products(q, x), (double)v->o.dim);
}

const hed__vsa_ops hed__vsa_fhrr = { .exact_rows = true, .rows = rows, .identity = hed__vsa_ones, .bind = bind,
  .unbind = unbind, .inverse = inverse, .negative = hed__vsa_minus, .bundle = bundle, .normalise = normalise,
  .quantise = quantise, .power = power, .similarity = similarity, .matrix = matrix };
