// SPDX-License-Identifier: BSD-3-Clause
/* Losses per element or row, and what weights, masks and reductions make of them.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include "kits/member.h"
#include <heddle/kits/nn_loss.h>

static const hed_nn_loss_options none;

static hed_status check_options(const char *op, const hed_nn_loss_options *o)
{
  if (hed__expect_member(op, "reduction", (int)o->reduction, HED_REDUCTION_MEAN, HED_REDUCTION_NONE, "hed_reduction") != HED_OK)
    return hed_error();
  if (!(o->margin >= -1e300 && o->margin <= 1e300))
    return hed_fail(HED_E_INVAL, "%s: margin is %g, not finite", op, o->margin);
  if (!(o->quantile >= 0 && o->quantile < 1))
    return hed_fail(HED_E_INVAL, "%s: quantile is %g, not in (0, 1)", op, o->quantile);
  if (o->weights && !hed__train_real(op, "weights", o->weights))
    return hed_error();
  return o->mask && hed_array_dtype(o->mask) != HED_BOOL
             ? hed_fail(HED_E_DTYPE, "%s: mask is %s, not bool", op, hed_dtype_name(hed_array_dtype(o->mask))) : HED_OK;
}

/* X repeated to the shape of LOSSES; HED_E_SHAPE in the name of NAME. */
static hed_array *spread(const char *op, const char *name, const hed_array *x, const hed_array *losses)
{
  const hed_shape to = hed_array_shape(losses), from = hed_array_shape(x);
  char has[HED__SHAPE_WORDS], wants[HED__SHAPE_WORDS];
  bool fits = from.ndim <= to.ndim;
  for (int k = 1; fits && k <= from.ndim; k++)
    fits = from.dim[from.ndim - k] == 1 || from.dim[from.ndim - k] == to.dim[to.ndim - k];
  if (fits)
    return hed_broadcast_to(x, to);
  (void)hed_fail(HED_E_SHAPE, "%s: %s has shape %s, the losses %s", op, name, hed__shape_words(from, has),
                 hed__shape_words(to, wants));
  return NULL;
}

static hed_array *reduced(const char *op, const hed_array *losses, const hed_nn_loss_options *o)
{
  const hed_array *weight = NULL;
  hed_array *loss = hed__train_same(losses);
  if (o->weights) {
    weight = spread(op, "weights", hed_astype(o->weights, hed_array_dtype(losses)), losses);
    loss = weight ? hed_multiply(loss, weight) : NULL;
  }
  if (o->mask && loss) {
    hed_array *mask = spread(op, "mask", o->mask, losses);
    weight = !mask ? NULL : weight ? hed_where_scalar(mask, weight, 0) : hed_astype(mask, hed_array_dtype(losses));
    loss = weight ? hed_where_scalar(mask, loss, 0) : NULL;
  }
  if (!loss || o->reduction == HED_REDUCTION_NONE)
    return loss;
  if (o->reduction == HED_REDUCTION_MEAN && !weight)
    return hed_mean(loss, NULL);
  loss = hed_sum(loss, NULL);
  if (o->reduction == HED_REDUCTION_SUM)
    return loss;
  hed_array *total = hed_sum(weight, NULL);
  return hed_divide_where(hed_not_equal_scalar(total, 0), loss, total, 0);
}

typedef hed_array *per_element(const hed_array *const *x, const hed_nn_loss_options *o);

/* The loss F of N arrays X called NAMES, of which all but NULL ones are real and the first floats. */
static hed_array *loss(const char *op, per_element *f, int n, const hed_array *const *x, const char *const *names,
                       const hed_nn_loss_options *o)
{
  hed_array *out = NULL;
  o = o ? o : &none;
  for (int k = 0; k < n; k++)
    if (!(k ? hed__train_real(op, names[k], x[k]) : hed__train_float(op, names[k], x[k])))
      return NULL;
  if (check_options(op, o) != HED_OK)
    return NULL;
  HED_SCOPE {
    hed_array *each = f(x, o);
    out = each ? hed_keep(reduced(op, each, o)) : NULL;
  }
  return hed__train_out(out);
}

static bool has_rows(const char *op, const char *name, const hed_array *x)
{
  if (hed_array_ndim(x) >= 1)
    return true;
  (void)hed_fail(HED_E_SHAPE, "%s: %s has no axes; the last one holds the rows' elements", op, name);
  return false;
}

hed_array *hed_nn_reduce_loss(const hed_array *losses, const hed_nn_loss_options *o)
{
  hed_array *out = NULL;
  o = o ? o : &none;
  if (!hed__train_float("hed_nn_reduce_loss", "losses", losses) || check_options("hed_nn_reduce_loss", o) != HED_OK)
    return NULL;
  HED_SCOPE out = hed_keep(reduced("hed_nn_reduce_loss", losses, o));
  return hed__train_out(out);
}

static hed_array *kl(const hed_array *const *x, const hed_nn_loss_options *o)
{
  const hed_array *t = hed_astype(x[1], hed_array_dtype(x[0]));
  if (!has_rows("hed_nn_kl_divergence", "prediction", x[0]))
    return NULL;
  hed_array *each;
  if (o->log_target)
    each = hed_multiply(hed_exp(t), hed_subtract(t, x[0]));
  else { /* the logarithm of 0 is asked for nowhere */
    hed_array *is = hed_greater_scalar(t, 0);
    each = hed_multiply(t, hed_subtract(hed_log(hed_where_scalar(is, t, 1)), x[0]));
  }
  return hed_sum(each, &(hed_reduce){ .axes = HED_AXES(-1) });
}

hed_array *hed_nn_kl_divergence(const hed_array *prediction, const hed_array *target, const hed_nn_loss_options *o)
{
  return loss("hed_nn_kl_divergence", kl, 2, (const hed_array *const[]){ prediction, target },
              (const char *const[]){ "prediction", "target" }, o);
}

static hed_array *hinge(const hed_array *const *x, const hed_nn_loss_options *o)
{
  const double margin = o->margin != 0 ? o->margin : 1;
  return hed_relu(hed_scalar_subtract(margin, hed_multiply(x[0], hed_astype(x[1], hed_array_dtype(x[0])))));
}

hed_array *hed_nn_hinge(const hed_array *prediction, const hed_array *target, const hed_nn_loss_options *o)
{
  return loss("hed_nn_hinge", hinge, 2, (const hed_array *const[]){ prediction, target },
              (const char *const[]){ "prediction", "target" }, o);
}

static hed_array *cosine(const hed_array *const *x, const hed_nn_loss_options *o)
{
  if (!has_rows("hed_nn_cosine", "a", x[0]))
    return NULL;
  hed_array *c = hed_cosine_similarity(x[0], hed_astype(x[1], hed_array_dtype(x[0])), -1), *alike = hed_scalar_subtract(1, c);
  return x[2] ? hed_where(hed_greater_scalar(x[2], 0), alike, hed_relu(hed_subtract_scalar(c, o->margin))) : alike;
}

hed_array *hed_nn_cosine(const hed_array *a, const hed_array *b, const hed_array *target, const hed_nn_loss_options *o)
{
  return loss("hed_nn_cosine", cosine, target ? 3 : 2, (const hed_array *const[]){ a, b, target },
              (const char *const[]){ "a", "b", "target" }, o);
}

static hed_array *triplet(const hed_array *const *x, const hed_nn_loss_options *o)
{
  const hed_axes last = HED_AXES(-1);
  const hed_reduce rows = { .axes = last };
  const hed_dtype t = hed_array_dtype(x[0]);
  if (!has_rows("hed_nn_triplet", "anchor", x[0]))
    return NULL;
  hed_array *near = hed_vector_norm(hed_add_scalar(hed_subtract(x[0], hed_astype(x[1], t)), 1e-6), 2, &rows);
  hed_array *far = hed_vector_norm(hed_add_scalar(hed_subtract(x[0], hed_astype(x[2], t)), 1e-6), 2, &rows);
  return hed_relu(hed_add_scalar(hed_subtract(near, far), o->margin != 0 ? o->margin : 1));
}

hed_array *hed_nn_triplet(const hed_array *anchor, const hed_array *positive, const hed_array *negative,
                          const hed_nn_loss_options *o)
{
  return loss("hed_nn_triplet", triplet, 3, (const hed_array *const[]){ anchor, positive, negative },
              (const char *const[]){ "anchor", "positive", "negative" }, o);
}

static hed_array *quantile(const hed_array *const *x, const hed_nn_loss_options *o)
{
  const double q = o->quantile > 0 ? o->quantile : 0.5;
  hed_array *e = hed_subtract(hed_astype(x[1], hed_array_dtype(x[0])), x[0]);
  return hed_maximum(hed_multiply_scalar(e, q), hed_multiply_scalar(e, q - 1));
}

hed_array *hed_nn_quantile(const hed_array *prediction, const hed_array *target, const hed_nn_loss_options *o)
{
  return loss("hed_nn_quantile", quantile, 2, (const hed_array *const[]){ prediction, target },
              (const char *const[]){ "prediction", "target" }, o);
}
