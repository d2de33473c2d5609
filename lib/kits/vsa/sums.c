// SPDX-License-Identifier: BSD-3-Clause
/* Norms, products and weighted sums of vectors of numbers.
 *
 * Layer: L4, vsa kit. Norms are summed in float64 where the device has it, and their reciprocals rounded once, so
 * that scaled vectors have the same bits on every such backend, whatever the order of the sum.
 */
#include "kits/vsa/internal.h"

hed_dtype hed__vsa_wide(bool is_complex)
{
  const bool has = hed_device_supports(NULL, "float64") == 1;
  return is_complex ? (has ? HED_COMPLEX128 : HED_COMPLEX64) : has ? HED_FLOAT64 : HED_FLOAT32;
}

static const hed_reduce wide = { .axes = { 1, { -1 } }, .keepdims = true };

hed_array *hed__vsa_norm(const hed_array *x)
{
  hed_array *out = NULL;
  const bool is_complex = hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX;
  if (hed_array_dtype(x) == hed__vsa_wide(is_complex)) /* no wider type has their squares */
    return hed_vector_norm(x, 2, &wide);
  HED_FUSED HED_SCOPE {
    hed_array *y = hed_astype(x, hed__vsa_wide(is_complex));
    hed_array *square = is_complex ? hed_square(hed_abs(y)) : hed_square(y);
    out = hed_keep(hed_sqrt(hed_sum(square, &wide)));
  }
  return hed__vsa_out(out);
}

/* x / n, 0 where n is. */
static hed_array *over(const hed_array *x, const hed_array *n, hed_dtype t)
{
  return hed_multiply(x, hed_astype(hed_divide_where(n, hed_ones_like(n), n, 0), t));
}

hed_array *hed__vsa_unit(const hed_vsa *v, const hed_array *x)
{
  return over(x, hed__vsa_norm(x), v->real);
}

hed_array *hed__vsa_modulus_one(const hed_vsa *v, const hed_array *x, double least, const hed_array *tie)
{
  hed_array *out = NULL;
  (void)v;
  HED_FUSED HED_SCOPE {
    hed_array *m = hed_abs(x), *good = hed_greater_scalar(m, least);
    out = hed_keep(hed_where(good, hed_multiply(x, hed_scalar_divide(1, m)), tie)); /* where m is 0 nobody takes the product */
  }
  return hed__vsa_out(out);
}

hed_array *hed__vsa_product(const hed_array *a, const hed_array *b)
{
  hed_array *dot = hed_vecdot(a, b, -1);
  return dot && hed_dtype_kind(hed_array_dtype(dot)) == HED_KIND_COMPLEX ? hed_real(dot) : dot;
}

hed_array *hed__vsa_products(const hed_array *q, const hed_array *x)
{
  if (!q || !x)
    return NULL;
  const hed_shape s = hed_array_shape(q);
  const bool is_complex = hed_dtype_kind(hed_array_dtype(q)) == HED_KIND_COMPLEX;
  const hed_array *p = is_complex ? hed_conj(q) : q;
  hed_array *dots = s.dim[0] == 1 ? hed_expand_dims(hed_matmul(x, hed_index(p, 0, 0)), 0)
                                  : hed_matmul(p, hed_matrix_transpose(x)); /* one query: one pass over X */
  return is_complex ? hed_real(dots) : dots;
}

static hed_array *ratio(const hed_vsa *v, const hed_array *dot, const hed_array *norms)
{
  return norms && dot ? hed_astype(hed_divide_where(hed_broadcast_to(norms, hed_array_shape(dot)), dot, norms, 0), v->real) : NULL;
}

hed_array *hed__vsa_cosine(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  const hed_axes last = HED_AXES(-1); /* products of two large vectors overflow, of one of norm 1 do not */
  return ratio(v, hed__vsa_product(hed__vsa_unit(v, a), b), hed_squeeze(hed__vsa_norm(b), &last));
}

hed_array *hed__vsa_cosine_matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return ratio(v, hed__vsa_products(hed__vsa_unit(v, q), x), hed_matrix_transpose(hed__vsa_norm(x)));
}

hed_array *hed__vsa_total(const hed_vsa *v, const hed__vsa_sum *s, hed_dtype t)
{
  if (!s->x)
    return NULL;
  const int32_t axis = hed__vsa_batch(v, s->x) - 1;
  const hed_reduce over_n = { .axes = HED_AXES(axis), .dtype = t };
  if (!s->weights)
    return hed_sum(s->x, &over_n);
  hed_shape flat = hed__vsa_batch_shape(v, s->x), all = hed_array_shape(s->x), out = all;
  flat.dim[flat.ndim++] = hed__vsa_count(v->shape.ndim == 1 ? HED_SHAPE(all.dim[all.ndim - 1]) : v->shape);
  for (int k = axis; k < all.ndim - 1; k++)
    out.dim[k] = all.dim[k + 1];
  out.ndim--;
  return hed_reshape(hed_matmul(hed_astype(s->weights, t), hed_reshape(hed_astype(s->x, t), flat)), out);
}

hed_status hed__vsa_weight(const hed__vsa_sum *s, double *out)
{
  *out = (double)s->n;
  return s->weights ? hed_item(hed_sum(hed_abs(s->weights), NULL), out) : HED_OK;
}

/* ---- rows that several models share ---- */

hed_array *hed__vsa_unit_sum(const hed_vsa *v, const hed__vsa_sum *s)
{
  hed_array *total = hed__vsa_total(v, s, v->dtype);
  return v->o.variant == HED_VSA_RAW_SUM ? total : hed__vsa_unit(v, total);
}

hed_array *hed__vsa_mod(const hed_array *x, int64_t m)
{
  return hed_mod(x, hed_scalar_int(m));
}

hed_array *hed__vsa_zeros(const hed_vsa *v)
{
  return hed_zeros(v->shape, v->dtype);
}

hed_array *hed__vsa_ones(const hed_vsa *v)
{
  return hed_ones(v->shape, v->dtype);
}

hed_array *hed__vsa_minus(const hed_vsa *v, const hed_array *x)
{
  (void)v;
  return hed_negative(x);
}

hed_array *hed__vsa_each(const hed_vsa *v, const hed_array *q, const hed_array *x,
                         hed_array *(*f)(const hed_vsa *v, const hed_array *q, const hed_array *x))
{
  const int64_t n = hed_array_shape(q).dim[0];
  hed_array *out = NULL;
  for (int64_t k = 0; k < n; k++) {
    bool done = false;
    HED_SCOPE {
      hed_array *row = f(v, hed_index(q, 0, k), x);
      if (!out && row)
        out = hed_keep(hed_empty(HED_SHAPE(n, hed_array_shape(row).dim[0]), hed_array_dtype(row)));
      done = out && row && hed_copy_into(hed_index(out, 0, k), row) == HED_OK;
    }
    if (!done) {
      hed_release(out);
      return NULL;
    }
  }
  hed_array *view = hed_astype(out, hed_array_dtype(out));
  hed_release(out);
  return view;
}
