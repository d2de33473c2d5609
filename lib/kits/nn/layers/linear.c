// SPDX-License-Identifier: BSD-3-Clause
/* Linear layers, embeddings, dropout.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/layers/layers.h"
#include <math.h>

hed_status hed_nn_linear_init(hed_nn_params *p, const char *prefix, int64_t input, int64_t output, bool bias, hed_dtype t,
                              const hed_random *r)
{
  const double l = input > 0 ? 1 / sqrt((double)input) : 1;
  const hed__nn_new list[2] = { { .name = "weight", .shape = HED_SHAPE(output, input), .drawn = true, .limit = l },
                                { .name = "bias", .shape = HED_SHAPE(output), .drawn = true, .limit = l } };
  return hed__nn_layer_init("hed_nn_linear_init", p, prefix, bias ? 2 : 1, list, t, r);
}

/* The parameter has N axes? */
static bool has_axes(const char *op, const hed_array *w, int n, const char *name)
{
  if (w && hed_array_ndim(w) != n)
    (void)hed_fail(HED_E_SHAPE, "%s: parameter %s has %d axes; wanted are %d", op, name, (int)hed_array_ndim(w), n);
  return w && hed_array_ndim(w) == n;
}

hed_array *hed_nn_linear(const hed_nn_params *p, const char *prefix, const hed_array *x)
{
  static const char *const op = "hed_nn_linear";
  hed_array *kept = NULL;
  const hed_array *w = hed__operand_given(op, "x", x) ? hed__nn_layer_weight(op, p, prefix, "weight", false) : NULL;
  if (!has_axes(op, w, 2, "weight"))
    return NULL;
  const hed_array *b = hed__nn_layer_weight(op, p, prefix, "bias", true);
  const int64_t in = hed_array_shape(w).dim[1];
  hed_shape s = hed_array_shape(x);
  if (s.ndim < 1 || s.dim[s.ndim - 1] != in) {
    (void)hed_fail(HED_E_SHAPE, "%s: the last axis of x has %lld elements, weight has %lld", op,
                   s.ndim ? (long long)s.dim[s.ndim - 1] : 0LL, (long long)in);
    return NULL;
  }
  if (b && hed__nn_wants_shape(op, "parameter", "bias", b, HED_SHAPE(hed_array_shape(w).dim[0])) != HED_OK)
    return NULL;
  HED_SCOPE {
    const hed_array *flat = hed_reshape(x, HED_SHAPE(hed_array_size(x) / in, in));
    s.dim[s.ndim - 1] = hed_array_shape(w).dim[0];
    kept = hed_keep(hed_reshape(hed__nn_affine(flat, w, b), s));
  }
  return hed__nn_out(kept);
}

hed_status hed_nn_embedding_init(hed_nn_params *p, const char *prefix, int64_t count, int64_t size, hed_dtype t, const hed_random *r)
{
  return hed__nn_layer_init("hed_nn_embedding_init", p, prefix, 1,
                            &(hed__nn_new){ .name = "weight", .shape = HED_SHAPE(count, size), .drawn = true, .limit = -1 }, t, r);
}

hed_array *hed_nn_embedding(const hed_nn_params *p, const char *prefix, const hed_array *index)
{
  static const char *const op = "hed_nn_embedding";
  const hed_array *w = hed__operand_given(op, "index", index) ? hed__nn_layer_weight(op, p, prefix, "weight", false) : NULL;
  return has_axes(op, w, 2, "weight") ? hed_take(w, index, 0) : NULL;
}

hed_array *hed_nn_dropout(const hed_array *x, double rate, const hed_nn_dropout_options *opt)
{
  static const char *const op = "hed_nn_dropout";
  const hed_nn_dropout_options none = { .name = NULL }, *o = opt ? opt : &none;
  hed_shape s = hed_array_shape(x);
  hed_array *kept = NULL;
  if (!hed__operand_given(op, "x", x))
    return NULL;
  if (!(rate >= 0 && rate <= 1) || o->same_along < 0 || o->same_along > s.ndim) {
    (void)hed_fail(HED_E_INVAL, "%s: rate is %g, same_along %d of %d axes", op, rate, (int)o->same_along, (int)s.ndim);
    return NULL;
  }
  if (o->same_along)
    s.dim[o->same_along - 1] = 1;
  hed_random r = o->random;
  hed_generator g = { hed_fold_key(hed_fold_key(hed_fold_key(r.seed, (uint64_t)o->step), (uint64_t)o->layer),
                                   hed__nn_hash(o->name ? o->name : "")), 0 };
  if (r.seeded)
    r = (hed_random){ .generator = &g };
  HED_SCOPE {
    const hed_array *keep = hed_random_bernoulli(s, 1 - rate, hed_array_dtype(x), &r);
    kept = hed_keep(rate < 1 ? hed_multiply(x, hed_multiply_scalar(keep, 1 / (1 - rate))) : hed_multiply(x, keep));
  }
  return hed__nn_out(kept);
}
