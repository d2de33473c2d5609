// SPDX-License-Identifier: BSD-3-Clause
/* Numbers as one of some vectors, which resemble each other as the levels lie.
 *
 * Layer: L4, vsa kit. A level takes each element from one of two ends, by a threshold of the element's own: so it is the same for
 * every model, and a circle is there and back by the same thresholds.
 *
 * array[0]: the levels, (n, vector).
 */
#include "kits/vsa/encode.h"
#include "kits/member.h"
#include <math.h>
#include <stdlib.h>

/* Level i takes the elements of end PAIR[1][i] where their threshold is below AT[i], else those of end PAIR[0][i]. */
typedef struct levels {
  int64_t n;
  double *at;
  int64_t *pair[2];
} levels;

static void levels_end(levels *l)
{
  free(l->at);
  free(l->pair[0]);
  free(l->pair[1]);
}

static hed_status levels_begin(levels *l, int64_t n)
{
  *l = (levels){ .n = n, .at = malloc((size_t)n * sizeof *l->at) };
  for (int k = 0; k < 2; k++)
    l->pair[k] = malloc((size_t)n * sizeof *l->pair[k]);
  return l->at && l->pair[0] && l->pair[1] ? HED_OK
                                           : hed_fail(HED_E_NOMEM, "hed_vsa_encoder_level: no memory for %lld levels", (long long)n);
}

/* The vectors in the model's layout: ABOVE bool (n, elements), ENDS (ends, ..) in the plain one. */
static hed_array *levels_of(const levels *l, const hed_vsa *v, const hed_array *above, const hed_array *ends)
{
  hed_shape s = HED_SHAPE(l->n, v->plain_shape.dim[0]);
  for (int32_t k = 1; k < v->plain_shape.ndim; k++)
    s.dim[s.ndim++] = 1;
  hed_array *of[2];
  for (int k = 0; k < 2; k++)
    of[k] = hed_take(ends, hed_from_host(l->pair[k], HED_SHAPE(l->n), HED_INT64), 0);
  hed_array *x = hed_where(hed_reshape(above, s), of[1], of[0]);
  if (v->o.layout == HED_VSA_PACKED)
    return hed_vsa_pack(v, x);
  return v->model == HED_VSA_HRR || v->model == HED_VSA_VTB || v->model == HED_VSA_VTB_SHIFT ? hed_vsa_normalise(v, x) : x;
}

/* Where thresholds of the model's seed, the same on every backend, are below AT. They are float32, so that rounding AT up to that
 * changes nothing. */
static hed_array *above_drawn(const levels *l, const hed_vsa *v, uint64_t number)
{
  const hed_random r = { .seed = hed__vsa_key(v, HED__VSA_SAMPLE, number), .seeded = true };
  hed_array *u = hed_random_uniform(HED_SHAPE(1, v->plain_shape.dim[0]), HED_FLOAT32, &r);
  for (int64_t i = 0; i < l->n; i++) {
    const float at = (float)l->at[i];
    l->at[i] = (double)at < l->at[i] ? (double)nextafterf(at, INFINITY) : (double)at;
  }
  return hed_less(u, hed_from_doubles(l->at, HED_SHAPE(l->n, 1), HED_FLOAT32));
}

static hed_array *plain_ends(const hed_vsa *v, uint64_t number, int64_t n)
{
  hed_array *x = hed__vsa_drawn(v, HED__VSA_INIT, number, 0, n);
  return v->o.layout == HED_VSA_PACKED ? hed_vsa_unpack(v, x) : x;
}

/* LINEAR of RANDOMNESS r: (1 - r) (n - 1) + r levels to a span. */
static hed_array *linear(const hed_vsa *v, levels *l, double randomness, uint64_t number)
{
  const double span = (1 - randomness) * (double)(l->n - 1) + randomness;
  int64_t ends = 2;
  for (int64_t i = 0; i < l->n; i++) {
    const double place = (double)i / span, last = ceil((double)(l->n - 1) / span) - 1;
    l->pair[0][i] = (int64_t)fmin(floor(place), last);
    l->pair[1][i] = l->pair[0][i] + 1;
    l->at[i] = place - (double)l->pair[0][i];
    ends = l->pair[1][i] + 1;
  }
  return levels_of(l, v, above_drawn(l, v, number), plain_ends(v, number, ends));
}

static hed_array *circular(const hed_vsa *v, levels *l, uint64_t number)
{
  for (int64_t i = 0; i < l->n; i++) { /* there, and back */
    l->pair[0][i] = 2 * i >= l->n;
    l->pair[1][i] = !l->pair[0][i];
    l->at[i] = 2 * (double)i / (double)l->n - (double)l->pair[0][i];
  }
  return levels_of(l, v, above_drawn(l, v, number), plain_ends(v, number, 2));
}

/* Low and high as one element of V's plain layout has them. */
static hed_array *thermometer(const hed_vsa *v, levels *l)
{
  const double half = (double)(v->o.block / 2), root = 1 / sqrt((double)v->o.dim);
  double low = -1, high = 1;
  switch (v->model) {
  case HED_VSA_BSC: case HED_VSA_BSDC: low = 0; break;
  case HED_VSA_BSDC_SEG: case HED_VSA_MCR: case HED_VSA_CGR: low = half; high = 0; break;
  case HED_VSA_HRR: case HED_VSA_VTB: case HED_VSA_VTB_SHIFT: low = -root; high = root; break;
  default: break;
  }
  hed_array *ends[2];
  for (int k = 0; k < 2; k++) {
    ends[k] = hed_full(v->plain_shape, k ? high : low, v->plain);
    if (v->model == HED_VSA_GHRR)
      ends[k] = hed_multiply(ends[k], hed_eye(v->o.block, v->o.block, 0, v->real));
  }
  for (int64_t i = 0; i < l->n; i++) {
    l->pair[0][i] = 0;
    l->pair[1][i] = 1;
  }
  /* element d is high where d < i D / (n - 1), in whole numbers */
  const int64_t d = v->plain_shape.dim[0];
  hed_array *steps = hed_arange_int(0, d * (l->n - 1), l->n - 1, HED_INT64);
  hed_array *at = hed_expand_dims(hed_arange_int(0, l->n * d, d, HED_INT64), 1);
  return levels_of(l, v, hed_less(steps, at), hed_stack(2, (const hed_array *const *)ends, 0));
}

static hed_array *bins(const hed_vsa *v, int64_t n, uint64_t number)
{
  hed_array *drawn = hed__vsa_drawn(v, HED__VSA_INIT, number, 0, n), **row = calloc((size_t)n, sizeof *row), *out = NULL;
  int64_t k = 0;
  if (!row)
    (void)hed_fail(HED_E_NOMEM, "hed_vsa_encoder_level: no memory for %lld levels", (long long)n);
  while (drawn && row && k < n) {
    hed_array *some = hed_slice(drawn, 1, (const hed_slice_range[]){ { .stop = k + 1, .step = 1 } });
    if (!(row[k] = hed_vsa_bundle(v, some, 0, NULL)))
      break;
    k++;
  }
  if (row && k == n)
    out = hed_stack((int)n, (const hed_array *const *)row, 0);
  free(row);
  return out;
}

/* ---- the encoder ---- */

static hed_array *encode(const hed_vsa_encoder *e, const hed_array *x)
{
  const bool circle = e->choice == HED_VSA_LEVELS_CIRCULAR;
  hed_array *i = hed_round(hed_multiply_scalar(hed__vsa_units(e, x), (double)(e->count - !circle)));
  hed_array *k = hed_astype(hed_nan_to_num(i, NULL), HED_INT64);
  return hed_take(e->array[0], circle ? hed_mod(k, hed_full_int(HED_SHAPE0, e->count, HED_INT64)) : k, 0);
}

static hed_array *decode(const hed_vsa_encoder *e, const hed_array *h, bool strict, hed_array **similarity)
{
  const bool circle = e->choice == HED_VSA_LEVELS_CIRCULAR;
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  const hed_shape batch = hed__vsa_batch_shape(e->v, h);
  hed_array *all = hed_vsa_similarity_matrix(e->v, h, e->array[0]), *k = hed_argmax(all, &last);
  *similarity = hed_reshape(hed_take_along_axis(all, k, -1), batch);
  return hed__vsa_from_units(e, hed_divide_scalar(hed_astype(hed_reshape(k, batch), e->v->real), (double)(e->count - !circle)), strict,
                             *similarity);
}

static const hed__vsa_encoding level = { encode, decode, "levels", 0 };

static hed_status check(const char *op, const hed_vsa *v, const hed_vsa_level_options *o)
{
  if (o->levels < 2 || o->levels > INT32_MAX)
    return hed_fail(HED_E_INVAL, "%s: levels is %lld, not in [2, 2^31)", op, (long long)o->levels);
  if (hed__expect_member(op, "kind", o->kind, HED_VSA_LEVELS_LINEAR, HED_VSA_LEVELS_INDEPENDENT, "hed_vsa_levels") != HED_OK)
    return hed_error();
  if (!(o->randomness >= 0 && o->randomness <= 1) || (o->randomness > 0 && o->kind != HED_VSA_LEVELS_LINEAR))
    return hed_fail(HED_E_INVAL, "%s: randomness is %g: in [0, 1], and 0 but for linear levels", op, o->randomness);
  if (v->o.variant == HED_VSA_XOR && o->kind < HED_VSA_LEVELS_BINS)
    return hed_fail(HED_E_UNSUPPORTED, "%s: segments of one-hots have no elements to take one by one", op);
  return HED_OK;
}

static hed_array *made_of(const hed_vsa *v, const hed_vsa_level_options *o)
{
  levels l;
  hed_array *out = NULL;
  if (o->kind == HED_VSA_LEVELS_BINS)
    return bins(v, o->levels, o->number);
  if (o->kind == HED_VSA_LEVELS_INDEPENDENT)
    return hed__vsa_drawn(v, HED__VSA_INIT, o->number, 0, o->levels);
  if (levels_begin(&l, o->levels) == HED_OK)
    out = o->kind == HED_VSA_LEVELS_LINEAR     ? linear(v, &l, o->randomness, o->number)
          : o->kind == HED_VSA_LEVELS_CIRCULAR ? circular(v, &l, o->number)
                                               : thermometer(v, &l);
  levels_end(&l);
  return out;
}

hed_status hed_vsa_encoder_level(const hed_vsa *v, const hed_vsa_level_options *options, hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_level";
  const hed_vsa_level_options none = { .levels = 0 };
  hed_vsa_level_options o = options ? *options : none;
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, v, &level, out);
  if (!e)
    return hed_error();
  if (o.levels == 0)
    o.levels = 100;
  hed_status status = hed__vsa_range_check(op, &o.range);
  if (status == HED_OK)
    status = check(op, v, &o);
  e->range = o.range;
  if (o.kind == HED_VSA_LEVELS_CIRCULAR)
    e->range.outside = HED_VSA_WRAP;
  e->count = o.levels;
  e->choice = o.kind;
  HED_SCOPE_OR(return hed__vsa_encoder_done(e, hed_error(), out)) {
    if (status == HED_OK)
      status = hed__vsa_encoder_keep(e, 0, made_of(v, &o));
    status = hed__vsa_encoder_done(e, status, out);
  }
  return status;
}
