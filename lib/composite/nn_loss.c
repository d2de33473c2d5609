// SPDX-License-Identifier: BSD-3-Clause
/* Losses: one value per element (or per last axis), then a mean, a sum, or nothing. L3. */
#include "composite/nn.h"

#include "api/elementwise/fuse.h"
#include "api/index/index.h"
#include "base/indices.h"
#include "core/record/body.h"
#include <heddle/fuse.h>

static const hed_loss defaults;

enum { FUSED_ELEMENTS = 1 << 14 }; /* elements from which what a loss is made of is computed by blocks that stay in cache */

static const double least = 1e-7; /* probabilities are clipped to [least, 1 - least] */

static hed_status check_options(const char *name, const hed_loss *opt)
{
  if (opt->reduction < HED_REDUCTION_MEAN || opt->reduction > HED_REDUCTION_NONE)
    return hed_fail(HED_E_INVAL, "%s: reduction %d is not mean (0), sum (1) or none (2)", name, (int)opt->reduction);
  if (!(opt->delta >= 0))
    return hed_fail(HED_E_INVAL, "%s: delta is %g, above 0 is needed", name, opt->delta);
  return HED_OK;
}

static hed_array *reduced(hed_array *loss, const hed_loss *opt, int id)
{
  if (loss && opt->reduction != HED_REDUCTION_NONE)
    loss = opt->reduction == HED_REDUCTION_SUM ? hed_sum(loss, NULL) : hed_mean(loss, NULL);
  /* to its own type it would be a view, for which everything is computed while it is held */
  return loss && hed_array_dtype(loss) != hed__dtypes[id] ? hed_astype(loss, hed__dtypes[id]) : loss;
}


static hed_array *log_clipped(const hed_array *p) { return hed_log(hed_clip(p, least, 1 - least)); }

static hed_array *loss_of(int op, const hed_array *p, const hed_array *y, const hed_loss *opt)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  const double delta = opt->delta > 0 ? opt->delta : 1;
  hed_array *e, *q;
  switch (op) {
  case HED_OP_MSE:
    return hed_square(hed_subtract(p, y));
  case HED_OP_MEAN_ABSOLUTE_ERROR:
    return hed_abs(hed_subtract(p, y));
  case HED_OP_HUBER_LOSS: /* q (e - q / 2) is q^2 / 2 + delta (|e| - |q|): q is e, or delta of its sign */
    e = hed_subtract(p, y);
    q = hed_clip(e, -delta, delta);
    return hed_multiply(q, hed_subtract(e, hed_multiply_scalar(q, 0.5)));
  case HED_OP_LOG_COSH_LOSS: /* |e| + log1p(e^(-2|e|)) - ln 2, and log1p(2 sinh^2(e / 2)) where that cancels */
    e = hed_abs(hed_subtract(p, y));
    q = hed_log1p(hed_multiply_scalar(hed_square(hed_sinh(hed_multiply_scalar(e, 0.5))), 2));
    return hed_where(hed_less_scalar(e, 1), q,
                     hed_add(e, hed_subtract_scalar(hed_log1p(hed_exp(hed_multiply_scalar(e, -2))), 0.69314718055994530942)));
  case HED_OP_BINARY_CROSSENTROPY:
    if (opt->from_logits)
      return hed_add(hed_subtract(hed_relu(p), hed_multiply(p, y)),
                     hed_log1p(hed_exp(hed_negative(hed_abs(p)))));
    p = hed_clip(p, least, 1 - least);
    return hed_negative(hed_add(hed_multiply(y, hed_log(p)),
                                hed_multiply(hed_scalar_subtract(1, y), hed_log1p(hed_negative(p)))));
  default:
    return hed_negative(hed_sum(hed_multiply(y, opt->from_logits ? hed_log_softmax(p, -1) : log_clipped(p)), &last));
  }
}

static hed_array *loss(int op, const hed_array *prediction, const hed_array *target, const hed_loss *opt)
{
  const char *name = hed__op_rows[op].name;
  if (!opt)
    opt = &defaults;
  int id = nn_pair(op, prediction, target, "prediction", "target");
  if (id < 0 || check_options(name, opt) != HED_OK)
    return NULL;
  if (op == HED_OP_CATEGORICAL_CROSSENTROPY && !prediction->view.ndim) {
    hed_fail(HED_E_SHAPE, "%s: prediction has no axes; the last one holds the classes", name);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, op, 2, (const hed_array *const[]){ prediction, target }) != HED_OK)
    return NULL;
  hed_dtype wide = nn_wide(id);
  hed_array *p = hed_astype(c.ex.in[0], wide), *y = hed_astype(c.ex.in[1], wide), *out = NULL;
  hed_fuse_scope fused = { 0 };
  hed_scope steps;
  if (p && y && p->size + y->size >= FUSED_ELEMENTS)
    (void)hed_fuse_begin(&fused);
  if (hed_scope_begin(&steps) == HED_OK) /* what is in between ends before it would be written */
    out = hed__fuse_made(&steps, reduced(loss_of(op, p, y, opt), opt, id));
  if (hed_fuse_end(&fused) != HED_OK)
    out = NULL;
  return composed_end(&c, out);
}

#define LOSS(ID, name)                                                                                      \
  hed_array *HED_BODY(name)(const hed_array *prediction, const hed_array *target, const hed_loss *opt)          \
  {                                                                                                         \
    return loss(HED_OP_##ID, prediction, target, opt);                                                      \
  }
LOSS(MSE, mse)
LOSS(MEAN_ABSOLUTE_ERROR, mean_absolute_error)
LOSS(HUBER_LOSS, huber_loss)
LOSS(LOG_COSH_LOSS, log_cosh_loss)
LOSS(BINARY_CROSSENTROPY, binary_crossentropy)
LOSS(CATEGORICAL_CROSSENTROPY, categorical_crossentropy)

/* ---- labels ---- */

static hed_status check_labels(const char *name, const hed_array *p, const hed_array *labels)
{
  hed_shape s = hed__shape_of(p), t = hed__shape_of(labels);
  hed_status status = hed__check_domain(name, "i", "labels", labels->view.dtype);
  if (status == HED_OK && (!s.ndim || !hed__shape_equal(t.ndim, t.dim, s.ndim - 1, s.dim)))
    status = hed_fail(HED_E_SHAPE, "%s: labels have shape %s, prediction %s; its last axis holds the classes", name,
                      HED__TEXT(&t), HED__TEXT(&s));
  return status;
}

/* Which class each of LABELS, of CLASSES, picks along a last axis; in the frame. NULL with the error set. */
static hed_array *picks(const composed *c, const char *name, const hed_array *labels, int64_t classes)
{
  if (hed__checks_indices(&c->ex, labels, classes)) { /* negative ones are no labels */
    const hed_array *i = hed_astype(labels, HED_INT64), *below = hed_maximum(i, hed_scalar_int(-HED__NO_END / 2));
    return hed_expand_dims(hed_where(hed_less_scalar(i, 0), hed_subtract(below, hed_scalar_int(HED__NO_END)), i), -1);
  }
  int64_t low = 0, high = -1;
  if (hed__view_size(&labels->view) > 0) {
    hed_array *min = hed_min(labels, NULL), *max = hed_max(labels, NULL);
    if (!min || !max || hed_item_int(min, &low) != HED_OK || hed_item_int(max, &high) != HED_OK)
      return NULL;
  }
  if (low < 0 || high >= classes) {
    hed_fail(HED_E_INVAL, "%s: label %lld is not below the number of classes %lld", name, (long long)(low < 0 ? low : high),
             (long long)classes);
    return NULL;
  }
  return hed_expand_dims(labels, -1);
}

hed_array *HED_BODY(sparse_categorical_crossentropy)(const hed_array *prediction, const hed_array *labels,
                                               const hed_loss *opt)
{
  static const int op = HED_OP_SPARSE_CATEGORICAL_CROSSENTROPY;
  const char *name = hed__op_rows[op].name;
  if (!opt)
    opt = &defaults;
  if (!hed__given(prediction, name, "prediction") || !hed__given(labels, name, "labels"))
    return NULL;
  int id = hed__infer_operands(op, 1, &prediction, (const char *const[]){ "prediction" });
  if (id < 0 || check_options(name, opt) != HED_OK || check_labels(name, prediction, labels) != HED_OK)
    return NULL;
  composed c;
  if (composed_begin(&c, op, 2, (const hed_array *const[]){ prediction, labels }) != HED_OK)
    return NULL;
  hed_array *p = hed_astype(c.ex.in[0], nn_wide(id));
  hed_array *at = picks(&c, name, c.ex.in[1], prediction->view.dim[prediction->view.ndim - 1]);
  if (!at)
    return composed_end(&c, NULL);
  p = opt->from_logits ? hed_take_along_axis(hed_log_softmax(p, -1), at, -1) : log_clipped(hed_take_along_axis(p, at, -1));
  hed_array *picked = hed_squeeze(p, &HED_AXES(-1));
  return composed_end(&c, reduced(hed_negative(picked), opt, id));
}
