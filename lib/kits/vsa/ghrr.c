// SPDX-License-Identifier: BSD-3-Clause
/* Unitary matrices, one for each of D places.
 *
 * Layer: L4, vsa kit. Random matrices are products of a Haar distributed one (or one near the identity) and a
 * diagonal of phasors, both exact to their dtype, multiplied in complex128 and rounded once.
 */
#include "kits/vsa/internal.h"

static hed_array *adjoint(const hed_array *x)
{
  return hed_conj(hed_matrix_transpose(x));
}

static hed_array *matrices(const hed_vsa *v, uint64_t key)
{
  const int64_t d = v->o.dim, m = v->o.block;
  const double alpha = v->o.diagonality;
  const hed_random r[2] = { { .seed = hed_fold_key(key, 0), .seeded = true }, { .seed = hed_fold_key(key, 1), .seeded = true } };
  hed_array *q = hed_astype(hed_random_haar(v->shape, v->dtype, &r[0]), HED_COMPLEX128);
  hed_array *phases = hed_astype(hed_random_phasor(HED_SHAPE(d, 1, m), v->dtype, &r[1]), HED_COMPLEX128);
  if (alpha > 0) {
    hed_array *one = hed_multiply_scalar(hed_identity(m, HED_COMPLEX128), alpha);
    q = hed_polar_unitary(hed_add(hed_multiply_scalar(q, 1 - alpha), one));
  }
  return hed_astype(hed_multiply(q, phases), v->dtype);
}

static hed_array *rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_stack(v, n, keys, matrices);
}

static hed_array *identity(const hed_vsa *v)
{
  return hed_copy(hed_broadcast_to(hed_identity(v->o.block, v->dtype), v->shape));
}

static hed_array *bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  (void)v;
  return hed_matmul(a, b);
}

static hed_array *unbind(const hed_vsa *v, const hed_array *c, const hed_array *b)
{
  (void)v;
  return hed_matmul(c, adjoint(b));
}

static hed_array *unbind_left(const hed_vsa *v, const hed_array *c, const hed_array *a)
{
  (void)v;
  return hed_matmul(adjoint(a), c);
}

static hed_array *inverse(const hed_vsa *v, const hed_array *x)
{
  (void)v;
  return hed_copy(adjoint(x));
}

static hed_array *bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  return hed_polar_unitary(hed__vsa_total(v, s, v->dtype));
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  return hed_polar_unitary(hed_astype(x, v->dtype));
}

static hed_array *power(const hed_vsa *v, const hed_array *x, double p)
{
  if (v->o.block == 1)
    return hed_exp(hed_multiply_complex(hed_angle(x), 0, p));
  return hed_matrix_power(p < 0 ? adjoint(x) : hed_copy(x), (int64_t)(p < 0 ? -p : p));
}

/* A vector's matrices in one row. */
static hed_array *flat(const hed_vsa *v, const hed_array *x)
{
  const hed_shape row = HED_SHAPE(v->o.dim * v->o.block * v->o.block);
  return hed_reshape(x, hed__vsa_joined(hed__vsa_batch_shape(v, x), row));
}

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return hed_divide_scalar(hed__vsa_product(flat(v, a), flat(v, b)), (double)(v->o.dim * v->o.block));
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return hed_divide_scalar(hed__vsa_products(flat(v, q), flat(v, x)), (double)(v->o.dim * v->o.block));
}

const hed__vsa_ops hed__vsa_ghrr = { .rows = rows, .identity = identity, .bind = bind, .unbind = unbind,
  .unbind_left = unbind_left, .inverse = inverse, .negative = hed__vsa_minus, .bundle = bundle,
  .normalise = quantise, .quantise = quantise, .power = power, .similarity = similarity, .matrix = matrix };
