// SPDX-License-Identifier: BSD-3-Clause
/* Losses of an entry and their derivatives by the model.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/gcp.h"
#include <heddle/words.h>
#include <math.h>
#include <string.h>

static const double e = 1e-10;

static const struct loss {
  const char *name;
  double least, most; /* what x may be */
  double parameter;   /* what 0 means; 0: it has none */
  bool positive;      /* the model may not be negative */
} losses[] = {
  [HED_GCP_GAUSSIAN] = { "gaussian", -INFINITY, INFINITY, 0, false },
  [HED_GCP_HUBER] = { "huber", -INFINITY, INFINITY, 1, false },
  [HED_GCP_POISSON] = { "poisson", 0, INFINITY, 0, true },
  [HED_GCP_POISSON_LOG] = { "poisson_log", 0, INFINITY, 0, false },
  [HED_GCP_BERNOULLI_ODDS] = { "bernoulli_odds", 0, 1, 0, true },
  [HED_GCP_BERNOULLI_LOGIT] = { "bernoulli_logit", 0, 1, 0, false },
  [HED_GCP_GAMMA] = { "gamma", 0, INFINITY, 0, true },
  [HED_GCP_RAYLEIGH] = { "rayleigh", 0, INFINITY, 0, true },
  [HED_GCP_NEGATIVE_BINOMIAL] = { "negative_binomial", 0, INFINITY, 1, true },
  [HED_GCP_BETA] = { "beta", 0, INFINITY, 0.5, true },
};
enum { LOSSES = sizeof losses / sizeof losses[0] };

const char *hed_gcp_loss_name(int loss) { return loss >= 0 && loss < LOSSES ? losses[loss].name : NULL; }

int hed_gcp_loss_by_name(const char *name)
{
  static const char all[] = "gaussian, huber, poisson, poisson_log, bernoulli_odds, bernoulli_logit, gamma, rayleigh, "
                            "negative_binomial, beta";
  char choices[320];
  for (int k = 0; name && k < LOSSES; k++)
    if (strcmp(name, losses[k].name) == 0)
      return k;
  (void)hed_fail(HED_E_INVAL, "hed_gcp_loss_by_name: unknown loss '%.40s'%s", name ? name : "NULL",
                 hed_choices(name ? name : "", all, choices, sizeof choices));
  return -1;
}

bool hed__gcp_is_positive(hed_gcp_loss loss) { return losses[loss].positive; }

hed_status hed__gcp_parameter(const char *op, hed_gcp_loss loss, double *p)
{
  if ((int)loss < 0 || (int)loss >= LOSSES)
    return hed_fail(HED_E_INVAL, "%s: loss %d; there are 0 to %d", op, (int)loss, LOSSES - 1);
  const double given = *p;
  *p = given == 0 ? losses[loss].parameter : given;
  if (losses[loss].parameter == 0 ? given != 0 : !isfinite(*p) || (loss == HED_GCP_BETA ? *p == 1 : *p < 0))
    return hed_fail(HED_E_INVAL, "%s: parameter %g of loss %s, which has %s", op, given, losses[loss].name,
                    losses[loss].parameter == 0 ? "none" : loss == HED_GCP_BETA ? "any but 0 and 1" : "one above 0");
  return HED_OK;
}

hed_status hed__gcp_check_values(const char *op, hed_gcp_loss loss, const hed_array *x)
{
  const struct loss *l = &losses[loss];
  double least = 0, most = 0;
  int64_t place = 0;
  char text[160];
  if (l->least == -INFINITY)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *low = hed_min(x, NULL), *high = hed_max(x, NULL);
    if (!low || !high || hed_item(low, &least) != HED_OK || hed_item(high, &most) != HED_OK)
      return hed_error();
    if (least >= l->least && most <= l->most)
      return HED_OK;
    hed_array *inside = hed_logical_and(hed_greater_equal_scalar(x, l->least), hed_less_equal_scalar(x, l->most));
    hed_array *first = inside ? hed_argmin(inside, NULL) : NULL;
    if (!first || hed_item_int(first, &place) != HED_OK)
      return hed_error();
    hed_array *value = hed_take(hed_ravel(x), hed_full_int(HED_SHAPE(1), place, HED_INT64), 0);
    if (!value || hed_item(value, &least) != HED_OK)
      return hed_error();
  }
  return hed_fail(HED_E_RANGE, "%s: x is %g at %s; loss %s is for %s", op, least,
                  hed__tensor_place_text(hed_array_shape(x), place, text), l->name,
                  l->most < INFINITY ? "0 <= x <= 1" : "x >= 0");
}

/* f(x, m) of each entry. */
static hed_array *value_of(hed_gcp_loss loss, double p, const hed_array *x, const hed_array *m)
{
  hed_array *safe = losses[loss].positive ? hed_add_scalar(m, e) : NULL, *off;
  switch (loss) {
  case HED_GCP_HUBER: /* the part of |x - m| up to p, times what is left of 2 |x - m| */
    off = hed_abs(hed_subtract(x, m));
    return hed_multiply(hed_minimum_scalar(off, p), hed_subtract(hed_multiply_scalar(off, 2), hed_minimum_scalar(off, p)));
  case HED_GCP_POISSON: return hed_subtract(m, hed_multiply(x, hed_log(safe)));
  case HED_GCP_POISSON_LOG: return hed_subtract(hed_exp(m), hed_multiply(x, m));
  case HED_GCP_BERNOULLI_ODDS: return hed_subtract(hed_log1p(m), hed_multiply(x, hed_log(safe)));
  case HED_GCP_BERNOULLI_LOGIT: return hed_subtract(hed_softplus(m), hed_multiply(x, m));
  case HED_GCP_GAMMA: return hed_add(hed_divide(x, safe), hed_log(safe));
  case HED_GCP_RAYLEIGH:
    return hed_add(hed_multiply_scalar(hed_log(safe), 2), hed_multiply_scalar(hed_square(hed_divide(x, safe)), M_PI_4));
  case HED_GCP_NEGATIVE_BINOMIAL:
    return hed_subtract(hed_multiply(hed_add_scalar(x, p), hed_log1p(m)), hed_multiply(x, hed_log(safe)));
  case HED_GCP_BETA:
    return hed_subtract(hed_multiply_scalar(hed_power_scalar(safe, p), 1 / p),
                        hed_multiply(x, hed_multiply_scalar(hed_power_scalar(safe, p - 1), 1 / (p - 1))));
  case HED_GCP_GAUSSIAN:
  default: return hed_square(hed_subtract(x, m));
  }
}

/* Its derivative by m. */
static hed_array *slope_of(hed_gcp_loss loss, double p, const hed_array *x, const hed_array *m)
{
  hed_array *safe = losses[loss].positive ? hed_add_scalar(m, e) : NULL, *ratio;
  switch (loss) {
  case HED_GCP_HUBER: return hed_multiply_scalar(hed_clip(hed_subtract(m, x), -p, p), 2);
  case HED_GCP_POISSON: return hed_subtract(hed_scalar(1), hed_divide(x, safe));
  case HED_GCP_POISSON_LOG: return hed_subtract(hed_exp(m), x);
  case HED_GCP_BERNOULLI_ODDS: return hed_subtract(hed_reciprocal(hed_add_scalar(m, 1)), hed_divide(x, safe));
  case HED_GCP_BERNOULLI_LOGIT: return hed_subtract(hed_sigmoid(m), x);
  case HED_GCP_GAMMA: return hed_divide(hed_subtract(hed_scalar(1), hed_divide(x, safe)), safe);
  case HED_GCP_RAYLEIGH:
    ratio = hed_square(hed_divide(x, safe));
    return hed_divide(hed_subtract(hed_scalar(2), hed_multiply_scalar(ratio, M_PI_2)), safe);
  case HED_GCP_NEGATIVE_BINOMIAL:
    return hed_subtract(hed_divide(hed_add_scalar(x, p), hed_add_scalar(m, 1)), hed_divide(x, safe));
  case HED_GCP_BETA: return hed_multiply(hed_power_scalar(safe, p - 2), hed_subtract(safe, x));
  case HED_GCP_GAUSSIAN:
  default: return hed_multiply_scalar(hed_subtract(m, x), 2);
  }
}

hed_status hed__gcp_loss(hed_gcp_loss loss, double p, const hed_array *x, const hed_array *mask, const hed_array *m, double *sum,
                         hed_array **slope)
{
  hed_array *total = NULL, *zero = hed_scalar(0);
  const hed_reduce wide = { .dtype = hed__tensor_wide(hed_array_dtype(x)) };
  if (slope)
    *slope = NULL;
  HED_FUSED HED_SCOPE_OR(return hed_error()) {
    hed_array *value = value_of(loss, p, x, m), *by = slope ? slope_of(loss, p, x, m) : NULL;
    if (mask && value)
      value = hed_where(mask, value, zero);
    if (mask && by)
      by = hed_where(mask, by, zero);
    total = value ? hed_keep(hed_sum(value, &wide)) : NULL;
    if (slope && by)
      *slope = hed_keep(by);
  }
  hed_status status = total && (!slope || *slope) ? hed_item(total, sum) : hed_error();
  hed_release(total);
  if (slope && status == HED_OK)
    *slope = hed__tensor_given(*slope);
  else if (slope) {
    hed_release(*slope);
    *slope = NULL;
  }
  return status;
}
