// SPDX-License-Identifier: BSD-3-Clause
/* Lists of gradients before a step, and of weights after it: clipping, sums, averages, scales of losses.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include <heddle/kits/nn_optimize.h>
#include <math.h>
#include <stdio.h>

static hed_status check_list(const char *op, const char *what, int n, const hed_array *const *x)
{
  char name[40];
  if (n < 0 || (n > 0 && !x))
    return hed_fail(HED_E_INVAL, "%s: n is %d%s", op, n, x ? "" : ", the list NULL");
  for (int k = 0; k < n; k++) {
    (void)snprintf(name, sizeof name, "%s %d", what, k);
    if (x[k] && !hed__train_float(op, name, x[k]))
      return hed_error();
  }
  return HED_OK;
}

static hed_status check_pair(const char *op, const char *what, int n, const hed_array *const *to, const hed_array *const *from)
{
  char name[40];
  hed_status status = check_list(op, what, n, to);
  if (status == HED_OK)
    status = check_list(op, "array", n, from);
  for (int k = 0; k < n && status == HED_OK; k++) {
    (void)snprintf(name, sizeof name, "%s %d", what, k);
    if (to[k] && from[k] && !hed__train_fits(op, name, to[k], "the array", from[k]))
      status = hed_error();
  }
  return status;
}

hed_status hed_nn_clip_value(int n, hed_array *const *grads, double limit)
{
  hed_status status = check_list("hed_nn_clip_value", "gradient", n, (const hed_array *const *)grads);
  if (status == HED_OK && !(limit > 0))
    status = hed_fail(HED_E_INVAL, "hed_nn_clip_value: limit is %g, above 0 is needed", limit);
  for (int k = 0; k < n && status == HED_OK; k++)
    if (grads[k])
      status = hed_clip_into(grads[k], grads[k], -limit, limit);
  return status;
}

/* The norm in the widest type, in the caller's scope. Squares neither overflow nor vanish: norms of norms. */
static hed_array *norm_of(int n, const hed_array *const *grads)
{
  hed_array *norm = hed_zeros(HED_SHAPE0, hed__train_wide());
  for (int k = 0; norm && k < n; k++)
    if (grads[k])
      norm = hed_hypot(norm, hed_vector_norm(grads[k], 2, NULL));
  return norm;
}

hed_array *hed_nn_norm(int n, const hed_array *const *grads)
{
  hed_array *out = NULL;
  if (check_list("hed_nn_norm", "gradient", n, grads) != HED_OK)
    return NULL;
  HED_SCOPE out = hed_keep(norm_of(n, grads));
  return hed__train_out(out);
}

hed_status hed_nn_clip_norm(int n, hed_array *const *grads, double limit, hed_array **norm)
{
  hed_array *out = NULL;
  hed_status status = check_list("hed_nn_clip_norm", "gradient", n, (const hed_array *const *)grads);
  if (norm)
    *norm = NULL;
  if (status == HED_OK && !(limit > 0))
    status = hed_fail(HED_E_INVAL, "hed_nn_clip_norm: limit is %g, above 0 is needed", limit);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *whole = norm_of(n, (const hed_array *const *)grads);
    hed_array *share = hed_minimum_scalar(hed_scalar_divide(limit, hed_add_scalar(whole, 1e-6)), 1);
    status = share ? HED_OK : hed_error();
    for (int k = 0; k < n && status == HED_OK; k++)
      if (grads[k])
        status = hed_multiply_into(grads[k], grads[k], hed_astype(share, hed_array_dtype(grads[k])));
    if (status == HED_OK)
      out = hed_keep(whole);
  }
  if (norm)
    *norm = hed__train_out(out);
  else
    hed_release(out);
  return status == HED_OK && norm && !*norm ? hed_error() : status;
}

hed_array *hed_nn_all_finite(int n, const hed_array *const *grads)
{
  hed_array *out = NULL;
  if (check_list("hed_nn_all_finite", "gradient", n, grads) != HED_OK)
    return NULL;
  HED_SCOPE {
    hed_array *all = hed_ones(HED_SHAPE0, HED_BOOL);
    for (int k = 0; all && k < n; k++)
      if (grads[k])
        all = hed_logical_and(all, hed_all(hed_isfinite(grads[k]), NULL));
    out = hed_keep(all);
  }
  return hed__train_out(out);
}

hed_status hed_nn_accumulate(int n, hed_array *const *sum, const hed_array *const *x, double weight)
{
  hed_status status = check_pair("hed_nn_accumulate", "sum", n, (const hed_array *const *)sum, x);
  for (int k = 0; k < n && status == HED_OK; k++)
    if (sum[k] && x[k])
      HED_SCOPE_OR(return hed_error())
        status = hed_add_into(sum[k], sum[k], weight == 1 ? x[k] : hed_multiply_scalar(x[k], weight));
  return status;
}

static hed_status average(const char *op, int n, hed_array *const *to, const hed_array *const *w, double share)
{
  hed_status status = check_pair(op, "average", n, (const hed_array *const *)to, w);
  for (int k = 0; k < n && status == HED_OK; k++)
    if (to[k] && w[k])
      HED_SCOPE_OR(return hed_error())
        status = hed_add_into(to[k], to[k], hed_multiply_scalar(hed_subtract(w[k], to[k]), share));
  return status;
}

hed_status hed_nn_average(int n, hed_array *const *avg, const hed_array *const *w, double decay)
{
  if (!(decay >= 0 && decay <= 1))
    return hed_fail(HED_E_INVAL, "hed_nn_average: decay is %g, not in [0, 1]", decay);
  return average("hed_nn_average", n, avg, w, 1 - decay);
}

hed_status hed_nn_average_equal(int n, hed_array *const *avg, const hed_array *const *w, int64_t seen)
{
  if (seen < 0)
    return hed_fail(HED_E_INVAL, "hed_nn_average_equal: seen is %lld, below 0", (long long)seen);
  return average("hed_nn_average_equal", n, avg, w, 1 / ((double)seen + 1));
}

hed_status hed_nn_scale_update(hed_nn_scale *s, int n, hed_array *const *grads, bool *step)
{
  double finite = 0;
  if (!s || !step)
    return hed_fail(HED_E_INVAL, "hed_nn_scale_update: %s is NULL", s ? "step" : "the scale");
  *step = false;
  if (!(s->scale >= 0) || !(s->growth >= 0) || !(s->backoff >= 0) || s->backoff >= 1 || s->every < 0)
    return hed_fail(HED_E_INVAL, "hed_nn_scale_update: scale, growth, backoff and every are %g, %g, %g and %lld", s->scale, s->growth,
                    s->backoff, (long long)s->every);
  const double scale = s->scale > 0 ? s->scale : 65536;
  hed_status status = check_list("hed_nn_scale_update", "gradient", n, (const hed_array *const *)grads);
  for (int k = 0; k < n && status == HED_OK; k++)
    if (grads[k])
      status = hed_multiply_scalar_into(grads[k], grads[k], 1 / scale);
  if (status != HED_OK)
    return status;
  hed_array *all = hed_nn_all_finite(n, (const hed_array *const *)grads);
  status = all ? hed_item(all, &finite) : hed_error();
  hed_release(all);
  if (status != HED_OK)
    return status;
  *step = finite != 0;
  s->scale = scale;
  if (!*step) {
    s->skipped++;
    s->good = 0;
    s->scale *= s->backoff > 0 ? s->backoff : 0.5;
  } else if (++s->good >= (s->every > 0 ? s->every : 2000)) {
    s->good = 0;
    s->scale *= s->growth > 0 ? s->growth : 2;
  }
  return HED_OK;
}
