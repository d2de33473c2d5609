// SPDX-License-Identifier: BSD-3-Clause
/* Vectors as terms of sums.
 *
 * Layer: L4, vsa kit. The inverse of quantise: memories add these up, and quantise when a vector is wanted.
 */
#include "kits/vsa/items.h"

hed_shape hed__vsa_numbers_shape(const hed_vsa *v)
{
  return v->model == HED_VSA_BSDC_SEG ? HED_SHAPE(v->o.dim) : v->plain_shape;
}

hed_dtype hed__vsa_numbers_dtype(const hed_vsa *v)
{
  const bool phases = v->model == HED_VSA_MCR || v->model == HED_VSA_CGR;
  return phases ? HED_COMPLEX64 : hed_dtype_kind(v->dtype) == HED_KIND_COMPLEX ? v->dtype : v->real;
}

/* -1 and 1 of bits; MAP counts a 1 as -1. */
static hed_array *signs(const hed_vsa *v, const hed_array *bits)
{
  const double one = v->model == HED_VSA_MAP ? -1 : 1;
  return hed_astype(hed_scalars_where(bits, one, -one), v->real);
}

hed_array *hed__vsa_numbers(const hed_vsa *v, const hed_array *x)
{
  const hed_array *bits = v->o.layout == HED_VSA_PACKED ? hed__vsa_unpacked(v, x) : x;
  switch (v->model) {
  case HED_VSA_MAP:
    return v->o.layout == HED_VSA_PACKED ? signs(v, bits) : hed_astype(x, v->real);
  case HED_VSA_BSC:
    return signs(v, bits);
  case HED_VSA_BSDC_SEG:
    return hed_astype(v->o.variant == HED_VSA_XOR ? x : hed__vsa_one_hot(v, x), v->real);
  case HED_VSA_MCR:
  case HED_VSA_CGR:
    return hed__vsa_phasors(v, x, HED_COMPLEX64);
  case HED_VSA_BSDC:
    return hed_astype(bits, v->real);
  default:
    return hed_astype(x, v->dtype);
  }
}

hed_array *hed_vsa_numbers(const hed_vsa *v, const hed_array *x)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_numbers", "x", x))
    return NULL;
  HED_SCOPE out = hed_keep(hed_copy(hed__vsa_numbers(v, x)));
  return hed__vsa_out(out);
}

hed_array *hed__vsa_rows_of(const hed_array *x, int32_t axes)
{
  if (!x)
    return NULL;
  const hed_shape s = hed_array_shape(x);
  hed_shape flat = { .ndim = 2, .dim = { 1, 1 } };
  for (int k = 0; k < s.ndim; k++)
    flat.dim[k >= s.ndim - axes] *= s.dim[k];
  return hed_reshape(x, flat);
}

hed_array *hed__vsa_mixed(const hed_vsa *v, const hed_array *weights, const hed_array *numbers)
{
  const hed_shape s = hed__vsa_numbers_shape(v);
  hed_array *flat = hed__vsa_rows_of(numbers, s.ndim);
  if (!weights || !flat)
    return NULL;
  hed_array *sums = hed_matmul(hed_astype(weights, hed_array_dtype(flat)), flat);
  return v->ops->quantise(v, hed_reshape(sums, hed__vsa_joined(HED_SHAPE(hed_array_shape(weights).dim[0]), s)));
}

/* What random vectors have in common, in units of the similarity. */
static double chance(const hed_vsa *v)
{
  if (v->o.similarity == HED_VSA_HAMMING || (v->model == HED_VSA_BSC && v->o.similarity == HED_VSA_DEFAULT))
    return v->model == HED_VSA_BSDC ? 1 - 2 * v->o.sparsity * (1 - v->o.sparsity) : 0.5;
  switch (v->model) {
  case HED_VSA_BSDC:
    return v->o.similarity == HED_VSA_DEFAULT ? v->o.sparsity : 0;
  case HED_VSA_BSDC_SEG:
  case HED_VSA_CGR:
    return 1 / (double)v->o.block;
  default:
    return 0;
  }
}

hed_array *hed__vsa_signed(const hed_vsa *v, const hed_array *similarity)
{
  const double c = chance(v);
  return c == 0 ? hed_astype(similarity, v->real) : hed_divide_scalar(hed_subtract_scalar(similarity, c), 1 - c);
}
