// SPDX-License-Identifier: BSD-3-Clause
/* Vectors of numbers: roles with values, products of powers, random projections.
 *
 * Layer: L4, vsa kit.
 *
 * array[0]: roles (n, vector); phases times bandwidth (n, K); the matrix (n, elements). array[1]: what a projection adds, (elements).
 */
#include "kits/vsa/encode.h"
#include "kits/member.h"
#include <math.h>

#define PI 3.14159265358979323846

static hed_status check_extent(const char *op, int64_t n)
{
  return n >= 1 && n <= INT32_MAX ? HED_OK : hed_fail(HED_E_INVAL, "%s: n is %lld, not in [1, 2^31)", op, (long long)n);
}

/* ---- roles and values ---- */

static hed_array *encode_roles(const hed_vsa_encoder *e, const hed_array *x)
{
  return hed_vsa_bind_pairs(e->v, e->array[0], hed_vsa_encode(e->part[0], x), NULL);
}

static hed_array *decode_roles(const hed_vsa_encoder *e, const hed_array *h, bool strict, hed_array **similarity)
{
  return hed_vsa_decode(e->part[0], hed_vsa_unbind_left(e->v, hed__vsa_beside(e->v, h), e->array[0]),
                        &(hed_vsa_decode_options){ .strict = strict, .similarity = similarity });
}

static const hed__vsa_encoding roles = { encode_roles, decode_roles, "vectors", 1 };

hed_status hed_vsa_encoder_vector(const hed_vsa_encoder *values, int64_t n, uint64_t number, hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_vector";
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, values ? values->v : NULL, &roles, out);
  if (!e)
    return hed_error();
  hed_status status = check_extent(op, n);
  if (status == HED_OK && values->axes)
    status = hed_fail(HED_E_INVAL, "%s: the values' encoder is one of %s, not of numbers", op, values->kind->name);
  e->part[0] = hed_vsa_encoder_retain((hed_vsa_encoder *)values);
  e->extent[0] = n;
  HED_SCOPE_OR(return hed__vsa_encoder_done(e, hed_error(), out)) {
    if (status == HED_OK)
      status = hed__vsa_encoder_keep(e, 0, hed__vsa_drawn(e->v, HED__VSA_AXIS, hed__vsa_kind_number("vector", number), 0, n));
    status = hed__vsa_encoder_done(e, status, out);
  }
  return status;
}

/* ---- powers ---- */

static hed_array *encode_power(const hed_vsa_encoder *e, const hed_array *x)
{
  return hed__vsa_of_spectra(e->v, hed_phasor(hed_matmul(hed__vsa_units(e, x), e->array[0]), NULL));
}

static const hed__vsa_encoding powers = { encode_power, NULL, "powers", 1 };

hed_status hed_vsa_encoder_vector_power(const hed_vsa *v, int64_t n, const hed_vsa_scalar_options *options, hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_vector_power";
  const hed_vsa_scalar_options none = { .mixture = 0 };
  hed_vsa_scalar_options o = options ? *options : none;
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, v, &powers, out);
  if (!e)
    return hed_error();
  hed_status status = check_extent(op, n);
  if (status == HED_OK)
    status = hed__vsa_range_check(op, &o.range);
  if (status == HED_OK)
    status = hed__vsa_phases_check(op, v, &o);
  if (status == HED_OK && o.mixture)
    status = hed_fail(HED_E_INVAL, "%s: mixture is %d, powers of vectors have one bandwidth", op, (int)o.mixture);
  e->range = o.range;
  e->extent[0] = n;
  o.number = hed__vsa_kind_number("vector_power", o.number);
  HED_SCOPE_OR(return hed__vsa_encoder_done(e, hed_error(), out)) {
    if (status == HED_OK)
      status = hed__vsa_encoder_keep(e, 0, hed_multiply_scalar(hed__vsa_phases(v, &o, n), o.bandwidth > 0 ? o.bandwidth : 1));
    status = hed__vsa_encoder_done(e, status, out);
  }
  return status;
}

/* ---- projections ---- */

static hed_array *encode_projection(const hed_vsa_encoder *e, const hed_array *x)
{
  hed_array *p = hed_matmul(hed_astype(x, e->v->real), e->array[0]), *moved = p ? hed_add(p, e->array[1]) : NULL;
  return hed_vsa_quantise(e->v, e->choice ? hed_multiply(hed_cos(moved), hed_sin(p)) : moved);
}

static const hed__vsa_encoding projections = { encode_projection, NULL, "projections", 1 };

static hed_array *matrix(const hed_vsa *v, int32_t kind, hed_shape s, const hed_random *r)
{
  if (kind == HED_VSA_MATRIX_GAUSSIAN)
    return hed_random_normal(s, v->real, r);
  if (kind == HED_VSA_MATRIX_BIPOLAR)
    return hed_random_bipolar(s, 0.5, v->real, r);
  hed_array *k = hed_astype(hed_random_integers(s, 0, 6, HED_INT64, r), v->real); /* 0 and 5 of six are not 0 */
  return hed_subtract(hed_astype(hed_equal_scalar(k, 5), v->real), hed_astype(hed_equal_scalar(k, 0), v->real));
}

hed_status hed_vsa_encoder_projection(const hed_vsa *v, int64_t n, const hed_vsa_projection_options *options, hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_projection";
  const hed_vsa_projection_options none = { .number = 0 };
  const hed_vsa_projection_options o = options ? *options : none;
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, v, &projections, out);
  if (!e)
    return hed_error();
  hed_status status = check_extent(op, n);
  if (status == HED_OK && v->model == HED_VSA_GHRR)
    status = hed_fail(HED_E_UNSUPPORTED, "%s: ghrr vectors are matrices", op);
  if (status == HED_OK)
    status = hed__expect_member(op, "matrix", o.matrix, HED_VSA_MATRIX_GAUSSIAN, HED_VSA_MATRIX_SPARSE, "hed_vsa_matrix");
  if (status == HED_OK && !isfinite(o.scale))
    status = hed_fail(HED_E_INVAL, "%s: scale is %g", op, o.scale);
  e->extent[0] = n;
  e->choice = o.sinusoid;
  HED_SCOPE_OR(return hed__vsa_encoder_done(e, hed_error(), out)) {
    if (status == HED_OK) {
      const int64_t elements = v->model == HED_VSA_BSDC_SEG ? v->o.dim : v->plain_shape.dim[0];
      const uint64_t key = hed__vsa_key(v, HED__VSA_SAMPLE, hed__vsa_kind_number("projection", o.number));
      const hed_random r = { .seed = hed_fold_key(key, 0), .seeded = true };
      const hed_random s = { .seed = hed_fold_key(key, 1), .seeded = true, .low = -PI, .high = PI };
      hed_array *made = hed_multiply_scalar(matrix(v, o.matrix, HED_SHAPE(n, elements), &r), o.scale != 0 ? o.scale : 1);
      if ((status = hed__vsa_encoder_keep(e, 0, made)) == HED_OK) {
        made = o.shift || o.sinusoid ? hed_random_uniform(HED_SHAPE(elements), v->real, &s) : hed_zeros(HED_SHAPE(elements), v->real);
        status = hed__vsa_encoder_keep(e, 1, made);
      }
    }
    status = hed__vsa_encoder_done(e, status, out);
  }
  return status;
}
