// SPDX-License-Identifier: BSD-3-Clause
/* Symbols in order, their n-grams, curves in time.
 *
 * Layer: L4, vsa kit.
 */
#include "kits/vsa/encode.h"

/* X has symbols: a batch whose last axis has N of them. */
static bool symbols(const hed_vsa *v, const char *op, const hed_array *x, int64_t least, int64_t *n)
{
  if (!hed__vsa_fits(v, op, "x", x))
    return false;
  const int32_t axes = hed__vsa_batch(v, x);
  *n = axes > 0 ? hed_array_shape(x).dim[axes - 1] : 0;
  if (*n < least || *n > INT32_MAX) {
    (void)hed_fail(HED_E_INVAL, "%s: x has %lld vectors in a row, at least %lld are needed", op, (long long)*n, (long long)least);
    return false;
  }
  return true;
}

static bool in_list(const char *op, const char *name, int32_t value, int32_t most)
{
  if (value < 0 || value > most)
    (void)hed_fail(HED_E_INVAL, "%s: %s is %d, not from 0 to %d", op, name, (int)value, (int)most);
  return value >= 0 && value <= most;
}

hed_array *hed_vsa_sequence(const hed_vsa *v, const hed_array *x, int32_t order)
{
  static const char *const op = "hed_vsa_sequence";
  hed_array *out = NULL;
  int64_t n;
  if (!symbols(v, op, x, 1, &n) || !in_list(op, "order", order, HED_VSA_ORDER_BIND))
    return NULL;
  HED_SCOPE out = hed_keep(order == HED_VSA_ORDER_BIND ? hed_vsa_bind_all(v, hed__vsa_permuted(v, x, n - 1, -1), -1)
                                                       : hed_vsa_bundle(v, hed__vsa_permuted(v, x, 0, 1), -1, NULL));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_sequence_decode(const hed_vsa *v, const hed_array *s, const hed_array *items, int64_t n, double threshold)
{
  static const char *const op = "hed_vsa_sequence_decode";
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, op, "s", s) || !hed__vsa_fits(v, op, "items", items))
    return NULL;
  if (hed__vsa_batch(v, items) != 1 || hed_array_shape(items).dim[0] < 1 || n < 1 || n > INT32_MAX) {
    (void)hed_fail(HED_E_INVAL, "%s: items have %d axes before their vectors and n is %lld; one and at least 1 are needed", op,
                   (int)hed__vsa_batch(v, items), (long long)n);
    return NULL;
  }
  HED_SCOPE {
    hed_shape repeated = hed__vsa_batch_shape(v, s), batch;
    repeated.dim[repeated.ndim++] = n;
    batch = repeated;
    hed_array *places = hed__vsa_permuted(v, hed_broadcast_to(hed__vsa_beside(v, s), hed__vsa_joined(repeated, v->shape)), 0, -1);
    hed_array *similarity = hed_vsa_similarity_matrix(v, places, items), *best = hed_argmax(similarity, &last);
    hed_array *good = hed_greater_equal_scalar(hed_take_along_axis(similarity, best, -1), threshold != 0 ? threshold : 0.3);
    out = hed_keep(hed_reshape(hed_where(good, best, hed_full_int(HED_SHAPE0, -1, HED_INT64)), batch));
  }
  return hed__vsa_out(out);
}

/* Symbols J, J + STRIDE .. of X, as many as there are WINDOWS. */
static hed_array *every(const hed_vsa *v, const hed_array *x, int64_t j, int64_t stride, int64_t windows)
{
  hed_slice_range s[HED_MAX_NDIM] = { { .step = 0 } };
  const int32_t axis = hed__vsa_batch(v, x) - 1;
  for (int32_t k = 0; k < axis; k++)
    s[k] = (hed_slice_range){ .stop = hed_array_shape(x).dim[k], .step = 1 };
  s[axis] = (hed_slice_range){ .start = j, .stop = j + (windows - 1) * stride + 1, .step = stride };
  return hed_slice(x, axis + 1, s);
}

static hed_array *windows_of(const hed_vsa *v, const hed_array *x, int64_t n, int64_t stride, int64_t windows, int32_t mode)
{
  const int32_t axis = hed__vsa_batch(v, x) - 1;
  const hed_array *part[HED_MAX_NDIM * 4];
  hed_array *out = NULL;
  for (int64_t j = 0; j < n; j++) {
    hed_array *moved = hed_vsa_permute(v, every(v, x, j, stride, windows), mode == HED_VSA_NGRAM_BIND ? n - 1 - j : j);
    if (mode == HED_VSA_NGRAM_BIND)
      out = j ? hed_vsa_bind(v, out, moved) : moved;
    else
      part[j] = moved;
  }
  if (mode == HED_VSA_NGRAM_BIND)
    return out;
  return hed_vsa_bundle(v, hed_stack((int)n, part, axis + 1), -1, NULL);
}

hed_array *hed_vsa_ngrams(const hed_vsa *v, const hed_array *x, int64_t n, int64_t stride, int32_t mode)
{
  static const char *const op = "hed_vsa_ngrams";
  enum { LONGEST = HED_MAX_NDIM };
  hed_array *out = NULL;
  int64_t t;
  if (!symbols(v, op, x, 1, &t) || !in_list(op, "mode", mode, HED_VSA_NGRAM_CHAIN))
    return NULL;
  if (n < 1 || n > LONGEST || n > t || stride < 0) {
    (void)hed_fail(HED_E_INVAL, "%s: n is %lld and stride %lld, of %lld symbols windows have 1 to %d and strides are not negative", op,
                   (long long)n, (long long)stride, (long long)t, t < LONGEST ? (int)t : LONGEST);
    return NULL;
  }
  if (stride == 0)
    stride = 1;
  HED_SCOPE {
    hed_array *w = windows_of(v, x, n, stride, (t - n) / stride + 1, mode);
    out = hed_keep(hed_vsa_bundle(v, mode == HED_VSA_NGRAM_CHAIN ? hed__vsa_permuted(v, w, 0, 1) : w, -1, NULL));
  }
  return hed__vsa_out(out);
}

/* ---- curves: part[0] encodes points, part[1] steps, where there is one ---- */

static hed_array *encode_trajectory(const hed_vsa_encoder *e, const hed_array *x)
{
  const hed_shape s = hed_array_shape(x);
  hed_array *points = hed_vsa_encode(e->part[0], x);
  if (e->part[1]) {
    hed_array *steps = hed_vsa_encode(e->part[1], hed_arange(0, (double)s.dim[s.ndim - 2], 1, e->v->real));
    points = hed_vsa_bind(e->v, steps, points);
  }
  return hed_vsa_bundle(e->v, hed__vsa_permuted(e->v, points, 0, 1), -1, NULL);
}

static const hed__vsa_encoding trajectories = { encode_trajectory, NULL, "trajectories", 2 };

hed_status hed_vsa_encoder_trajectory(const hed_vsa_encoder *values, int64_t n, const hed_vsa_encoder *time, uint64_t number,
                                      hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_trajectory";
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, values ? values->v : NULL, &trajectories, out);
  if (!e)
    return hed_error();
  hed_status status = HED_OK;
  if (time && (time->v != values->v || time->axes))
    status = hed_fail(HED_E_INVAL, "%s: time is an encoder of %s%s, not of numbers in the same model", op, time->kind->name,
                      time->v != values->v ? " of another model" : "");
  if (status == HED_OK)
    status = hed_vsa_encoder_vector(values, n, number, &e->part[0]);
  e->part[1] = hed_vsa_encoder_retain((hed_vsa_encoder *)time);
  e->extent[1] = n;
  return hed__vsa_encoder_done(e, status, out);
}
