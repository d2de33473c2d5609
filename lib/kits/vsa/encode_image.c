// SPDX-License-Identifier: BSD-3-Clause
/* Pictures as the bundle of places bound to values.
 *
 * Layer: L4, vsa kit. part[0] encodes values; array[0]: places, (height width, vector); array[1], of pictures with channels, a
 * role for each.
 */
#include "kits/vsa/encode.h"
#include "kits/member.h"
#include <math.h>

/* Of one picture after the other, as their pixels are many. */
static hed_array *encode_one(const hed_vsa_encoder *e, const hed_array *x)
{
  const int64_t pixels = e->extent[0] * e->extent[1], channels = e->axes > 2 ? e->extent[2] : 0;
  hed_array *values = hed_vsa_encode(e->part[0], hed_reshape(x, channels ? HED_SHAPE(pixels, channels) : HED_SHAPE(pixels)));
  if (channels)
    values = hed_vsa_bind_pairs(e->v, e->array[1], values, NULL);
  return hed_vsa_bind_pairs(e->v, e->array[0], values, NULL);
}

static hed_array *encode(const hed_vsa_encoder *e, const hed_array *x)
{
  hed_shape s = hed_array_shape(x), one = s, batch = s;
  batch.ndim -= e->axes;
  one.ndim = e->axes;
  for (int32_t k = 0; k < e->axes; k++)
    one.dim[k] = s.dim[batch.ndim + k];
  const int64_t n = hed__vsa_count(batch);
  hed_array *pictures = hed_reshape(x, hed__vsa_joined(HED_SHAPE(n), one));
  hed_array *all = hed_empty(hed__vsa_joined(HED_SHAPE(n), e->v->shape), e->v->dtype);
  for (int64_t k = 0; k < n && all; k++) {
    hed_status status = HED_OK;
    HED_SCOPE {
      hed_array *row = hed_index(all, 0, k), *h = encode_one(e, hed_index(pictures, 0, k));
      status = row && h ? hed_copy_into(row, h) : hed_error();
    }
    if (status != HED_OK)
      return NULL;
  }
  return hed_reshape(all, hed__vsa_joined(batch, e->v->shape));
}

static hed_array *decode(const hed_vsa_encoder *e, const hed_array *h, bool strict, hed_array **similarity)
{
  const hed_vsa *v = e->v;
  hed_shape s = hed__vsa_batch_shape(v, h);
  for (int32_t k = 0; k < e->axes; k++)
    s.dim[s.ndim++] = e->extent[k];
  hed_array *values = hed_vsa_unbind_left(v, hed__vsa_beside(v, h), e->array[0]);
  if (e->axes > 2)
    values = hed_vsa_unbind_left(v, hed__vsa_beside(v, values), e->array[1]);
  hed_array *x = hed_vsa_decode(e->part[0], values, &(hed_vsa_decode_options){ .strict = strict, .similarity = similarity });
  *similarity = hed_reshape(*similarity, s);
  return hed_reshape(x, s);
}

static const hed__vsa_encoding by_power = { encode, decode, "images", 2 };
static const hed__vsa_encoding by_bundle = { encode, NULL, "images with bundled positions", 2 };

/* The vectors of 0 to N - 1 along AXIS. */
static hed_array *along(const hed_vsa *v, const hed_vsa_image_options *o, int64_t axis, int64_t n)
{
  const uint64_t own = hed__vsa_kind_number("image", o->number);
  const double last = n > 1 ? (double)(n - 1) : 1;
  const hed_vsa_scalar_options s = { .range = { 0, last, HED_VSA_REFUSE }, .bandwidth = o->bandwidth > 0 ? o->bandwidth : last,
                                     .number = hed_fold_key(hed__vsa_key(v, HED__VSA_POSITION, own), (uint64_t)axis) };
  hed_vsa_encoder *e;
  hed_array *x = NULL;
  if (hed_vsa_encoder_scalar(v, &s, &e) == HED_OK)
    x = hed_vsa_encode(e, hed_arange(0, (double)n, 1, v->real));
  hed_vsa_encoder_release(e);
  return x;
}

static hed_array *places(const hed_vsa *v, const hed_vsa_image_options *o)
{
  hed_array *y = along(v, o, 0, o->height), *x = along(v, o, 1, o->width);
  if (!x || !y)
    return NULL;
  y = hed_expand_dims(y, 1);
  const hed_shape s = hed__vsa_joined(HED_SHAPE(o->height, o->width), v->shape);
  const hed_shape flat = hed__vsa_joined(HED_SHAPE(o->height * o->width), v->shape);
  if (o->position == HED_VSA_POSITION_POWER)
    return hed_reshape(hed_vsa_bind(v, x, y), flat);
  hed_array *role = hed__vsa_drawn(v, HED__VSA_AXIS, hed__vsa_kind_number("image", o->number), 0, 2);
  const hed_array *both[2] = { hed_broadcast_to(hed_vsa_bind(v, hed_index(role, 0, 0), x), s),
                               hed_broadcast_to(hed_vsa_bind(v, hed_index(role, 0, 1), y), s) };
  return hed_reshape(hed_vsa_bundle(v, hed_stack(2, both, 0), 0, NULL), flat);
}

hed_status hed_vsa_encoder_image(const hed_vsa_encoder *values, const hed_vsa_image_options *o, hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_image";
  const bool power = o && o->position == HED_VSA_POSITION_POWER;
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, values ? values->v : NULL, power ? &by_power : &by_bundle, out);
  hed_status status = HED_OK;
  if (!e)
    return hed_error();
  if (!o)
    status = hed_fail(HED_E_INVAL, "%s: the options are NULL, height and width are needed", op);
  else if (o->height < 1 || o->width < 1 || o->channels < 0 || o->height > INT32_MAX / o->width)
    status = hed_fail(HED_E_INVAL, "%s: %lld by %lld pixels of %lld channels", op, (long long)o->height, (long long)o->width,
                      (long long)o->channels);
  else if (hed__expect_member(op, "position", o->position, HED_VSA_POSITION_POWER, HED_VSA_POSITION_BUNDLE,
                              "hed_vsa_position") != HED_OK)
    status = hed_error();
  else if (!(o->bandwidth >= 0))
    status = hed_fail(HED_E_INVAL, "%s: bandwidth is %g; 0 or more is needed", op, o->bandwidth);
  else if (values->axes)
    status = hed_fail(HED_E_INVAL, "%s: the values' encoder is one of %s, not of numbers", op, values->kind->name);
  else if (!hed__vsa_has_spectra(e->v))
    status = hed_fail(HED_E_UNSUPPORTED, "%s: %s has no fractional powers for positions", op, hed_vsa_model_name((int)e->v->model));
  HED_SCOPE_OR(return hed__vsa_encoder_done(e, hed_error(), out)) {
    if (status == HED_OK) {
      e->part[0] = hed_vsa_encoder_retain((hed_vsa_encoder *)values);
      e->extent[0] = o->height;
      e->extent[1] = o->width;
      e->extent[2] = o->channels;
      e->axes += o->channels > 0;
      status = hed__vsa_encoder_keep(e, 0, places(e->v, o));
      if (status == HED_OK && o->channels)
        status = hed__vsa_encoder_keep(e, 1, hed__vsa_drawn(e->v, HED__VSA_AXIS, hed__vsa_kind_number("image", o->number), 2,
                                                            o->channels));
    }
    status = hed__vsa_encoder_done(e, status, out);
  }
  return status;
}
