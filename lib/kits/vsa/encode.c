// SPDX-License-Identifier: BSD-3-Clause
/* Public functions of all encoders, and what the kinds share.
 *
 * Layer: L4, vsa kit. See encode.h.
 */
#include "kits/vsa/encode.h"
#include "kits/given.h"
#include "kits/member.h"
#include <math.h>
#include <stdlib.h>

/* ---- objects ---- */

hed_vsa_encoder *hed__vsa_encoder_new(const char *op, const hed_vsa *v, const hed__vsa_encoding *kind, hed_vsa_encoder **out)
{
  hed_vsa_encoder *e = NULL;
  if (!out) {
    (void)hed_fail(HED_E_INVAL, "%s: out is NULL", op);
    return NULL;
  }
  *out = NULL;
  if (!v)
    (void)hed_fail(HED_E_INVAL, "%s: the model is NULL", op);
  else if (!(e = calloc(1, sizeof *e)))
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for an encoder", op);
  if (e) {
    atomic_init(&e->refs, 1);
    e->kind = kind;
    e->v = hed_vsa_retain((hed_vsa *)v);
    e->axes = kind->axes;
  }
  return e;
}

hed_vsa_encoder *hed_vsa_encoder_retain(hed_vsa_encoder *e)
{
  if (e)
    atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
  return e;
}

void hed_vsa_encoder_release(hed_vsa_encoder *e)
{
  if (!e || atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) > 1)
    return;
  for (int k = 0; k < HED__VSA_ARRAYS; k++)
    hed_release(e->array[k]);
  for (size_t k = 0; k < sizeof e->part / sizeof e->part[0]; k++)
    hed_vsa_encoder_release(e->part[k]);
  hed_vsa_release(e->v);
  free(e);
}

hed_status hed__vsa_encoder_keep(hed_vsa_encoder *e, int k, const hed_array *made)
{
  if (!made || hed_wait(made) != HED_OK) /* not pending: other threads will read it */
    return hed_error();
  e->array[k] = hed_keep((hed_array *)made);
  return HED_OK;
}

hed_status hed__vsa_encoder_done(hed_vsa_encoder *e, hed_status status, hed_vsa_encoder **out)
{
  if (status == HED_OK)
    *out = e;
  else
    hed_vsa_encoder_release(e);
  return status;
}

/* ---- ranges ---- */

hed_status hed__vsa_range_check(const char *op, hed_vsa_range *r)
{
  if (r->min == 0 && r->max == 0)
    r->max = 1;
  if (!(r->min < r->max) || !isfinite(r->max - r->min))
    return hed_fail(HED_E_INVAL, "%s: the range is [%g, %g], min has to be below max", op, r->min, r->max);
  return hed__expect_member(op, "outside", r->outside, HED_VSA_CLIP, HED_VSA_REFUSE, "hed_vsa_outside");
}

/* HED_OK when all of U lie in [0, 1]; X are the numbers that they come from. */
static hed_status all_inside(const hed_vsa_encoder *e, const hed_array *u, const hed_array *x)
{
  hed_array *out = hed_logical_not(hed_logical_and(hed_greater_equal_scalar(u, 0), hed_less_equal_scalar(u, 1)));
  double some = 0, value = 0;
  int64_t at = 0;
  if (!out || hed_item(hed_any(out, NULL), &some) != HED_OK)
    return hed_error();
  if (some == 0)
    return HED_OK;
  hed_array *flat = hed_reshape(out, HED_SHAPE(-1)), *first = hed_argmax(flat, NULL);
  if (!first || hed_item_int(first, &at) != HED_OK)
    return hed_error();
  hed_array *number = hed_index(hed_reshape(hed_astype(x, e->v->real), HED_SHAPE(-1)), 0, at);
  if (!number || hed_item(number, &value) != HED_OK)
    return hed_error();
  return hed_fail(HED_E_RANGE, "hed_vsa_encode: x has %g at place %lld, the range is [%g, %g]", value, (long long)at, e->range.min,
                  e->range.max);
}

hed_array *hed__vsa_units(const hed_vsa_encoder *e, const hed_array *x)
{
  const hed_dtype t = hed_array_dtype(x) == HED_FLOAT64 ? HED_FLOAT64 : e->v->real;
  hed_array *u = hed_divide_scalar(hed_subtract_scalar(hed_astype(x, t), e->range.min), e->range.max - e->range.min);
  if (!u)
    return NULL;
  if (e->range.outside == HED_VSA_REFUSE && all_inside(e, u, x) != HED_OK)
    return NULL;
  u = e->range.outside == HED_VSA_WRAP ? hed_subtract(u, hed_floor(u)) : hed_clip(u, 0, 1);
  return hed_astype(u, e->v->real);
}

hed_array *hed__vsa_from_units(const hed_vsa_encoder *e, const hed_array *u, bool strict, const hed_array *similarity)
{
  const double elements = 2 * (double)hed__vsa_count(e->v->plain_shape);
  hed_array *x = hed_add_scalar(hed_multiply_scalar(u, e->range.max - e->range.min), e->range.min);
  return strict ? hed_where_scalar(hed_greater_equal_scalar(similarity, 3 / sqrt(elements)), x, (double)NAN) : x;
}

/* ---- what several kinds do ---- */

uint64_t hed__vsa_kind_number(const char *kind, uint64_t number) { return hed_fold_key(hed__vsa_hash(kind), number); }

hed_array *hed__vsa_drawn(const hed_vsa *v, hed__vsa_role role, uint64_t number, int64_t first, int64_t n)
{
  return hed__vsa_rows(v, hed__vsa_key(v, role, number), first, n);
}

hed_array *hed__vsa_beside(const hed_vsa *v, const hed_array *x)
{
  return x ? hed_expand_dims(x, hed__vsa_batch(v, x)) : NULL;
}

hed_array *hed__vsa_permuted(const hed_vsa *v, const hed_array *x, int64_t first, int64_t step)
{
  if (!x)
    return NULL;
  const int32_t axis = hed__vsa_batch(v, x) - 1;
  const int64_t n = hed_array_shape(x).dim[axis];
  hed_array **row = calloc((size_t)n, sizeof *row), *out = NULL;
  int64_t k = 0;
  if (!row) {
    (void)hed_fail(HED_E_NOMEM, "hed_vsa_permute: no memory for %lld vectors", (long long)n);
    return NULL;
  }
  while (k < n && (row[k] = hed_vsa_permute(v, hed_index(x, axis, k), first + k * step)))
    k++;
  if (k == n)
    out = hed_stack((int)n, (const hed_array *const *)row, axis);
  free(row);
  return out;
}

/* ---- encode, decode ---- */

static bool given(const char *op, const hed_vsa_encoder *e, const char *name, const hed_array *x)
{
  if (!e)
    (void)hed_fail(HED_E_INVAL, "%s: the encoder is NULL", op);
  return e && hed__operand_given(op, name, x);
}

/* Bytes that one input of E takes while it is encoded: of each of its numbers a vector and its product, twice. */
static double bytes_of(const hed_vsa_encoder *e, hed_shape s)
{
  double numbers = 1;
  for (int k = s.ndim - e->axes; k < s.ndim; k++)
    numbers *= (double)s.dim[k];
  return 4 * numbers * (double)hed__vsa_count(e->v->plain_shape) * (double)hed_dtype_size(e->v->plain);
}

/* Inputs X (.., input) some at a time, as many as BLOCK bytes suffice for. */
static hed_array *encode_blocks(const hed_vsa_encoder *e, const hed_array *x, int64_t n, int64_t some)
{
  hed_shape s = hed_array_shape(x), batch = s, input = { .ndim = e->axes };
  batch.ndim -= e->axes;
  for (int k = 0; k < e->axes; k++)
    input.dim[k] = s.dim[batch.ndim + k];
  const hed_vsa_encoder *numbers = e->part[0] ? e->part[0] : e;
  if (numbers->range.outside == HED_VSA_REFUSE && !hed__vsa_units(numbers, x)) /* places are those in X, not in a block */
    return NULL;
  hed_array *rows = hed_reshape(x, hed__vsa_joined(HED_SHAPE(n), input));
  hed_array *out = rows ? hed_keep(hed_empty(hed__vsa_joined(HED_SHAPE(n), e->v->shape), e->v->dtype)) : NULL;
  bool done = out != NULL;
  for (int64_t at = 0; done && at < n; at += some) {
    done = false;
    HED_SCOPE {
      const hed_slice_range part = HED_RANGE(at, at + some < n ? at + some : n, 1);
      hed_array *made = e->kind->encode(e, hed_slice(rows, 1, &part));
      done = made && hed_copy_into(hed_slice(out, 1, &part), made) == HED_OK;
    }
  }
  hed_array *shaped = done ? hed_reshape(out, hed__vsa_joined(batch, e->v->shape)) : NULL;
  hed_release(out);
  return shaped;
}

hed_array *hed_vsa_encode(const hed_vsa_encoder *e, const hed_array *x)
{
  static const char *const op = "hed_vsa_encode";
  hed_array *out = NULL;
  if (!given(op, e, "x", x))
    return NULL;
  const hed_shape s = hed_array_shape(x);
  if (hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX) {
    (void)hed_fail(HED_E_DTYPE, "%s: x is %s, numbers are real", op, hed_dtype_name(hed_array_dtype(x)));
    return NULL;
  }
  for (int32_t k = 0; k < e->axes; k++) {
    const int64_t has = k < s.ndim ? s.dim[s.ndim - 1 - k] : 0, wants = e->extent[e->axes - 1 - k];
    if (s.ndim < e->axes || (wants && has != wants) || has == 0) {
      (void)hed_fail(HED_E_SHAPE, "%s: x has %d axes and extent %lld in axis %d, inputs of %s have %d axes and there %lld", op,
                     (int)s.ndim, (long long)has, -1 - (int)k, e->kind->name, (int)e->axes, (long long)wants);
      return NULL;
    }
  }
  enum { BLOCK = 64 << 20 };
  const double each = bytes_of(e, s);
  int64_t n = 1;
  for (int k = 0; k < s.ndim - e->axes; k++)
    n *= s.dim[k];
  const int64_t some = each < BLOCK ? (int64_t)(BLOCK / each) : 1;
  HED_SCOPE out = hed_keep(e->axes > 0 && n > some ? encode_blocks(e, x, n, some) : e->kind->encode(e, x));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_decode(const hed_vsa_encoder *e, const hed_array *h, const hed_vsa_decode_options *o)
{
  static const char *const op = "hed_vsa_decode";
  hed_array *out = NULL, *similarity = NULL;
  if (o && o->similarity)
    *o->similarity = NULL;
  if (!given(op, e, "h", h) || !hed__vsa_fits(e->v, op, "h", h))
    return NULL;
  if (!e->kind->decode) {
    (void)hed_fail(HED_E_UNSUPPORTED, "%s: encoders of %s are not decoded", op, e->kind->name);
    return NULL;
  }
  const bool wanted = o && o->similarity;
  HED_SCOPE {
    out = e->kind->decode(e, h, o && o->strict, &similarity);
    out = wanted && !similarity ? NULL : hed_keep(out);
    similarity = wanted && out ? hed_keep(similarity) : NULL;
  }
  out = hed__vsa_out(out);
  if (!wanted)
    return out;
  similarity = hed__vsa_out(similarity);
  if (out && similarity) {
    *o->similarity = similarity;
    return out;
  }
  hed_release(hed_keep(out)); /* both, or neither */
  hed_release(hed_keep(similarity));
  return NULL;
}
