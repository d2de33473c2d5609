// SPDX-License-Identifier: BSD-3-Clause
/* The rate over time.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include "kits/member.h"
#include <heddle/kits/nn_optimize.h>
#include <math.h>

static hed_status check(const hed_nn_schedule *s, int64_t k, const hed_nn_plateau *p, const double *rate)
{
  static const char op[] = "hed_nn_schedule_rate";
  if (!s || !rate)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, s ? "rate" : "the schedule");
  if (hed__expect_member(op, "kind", (int)s->kind, HED_NN_CONSTANT, HED_NN_PLATEAU, "hed_nn_schedule_kind") != HED_OK)
    return hed_error();
  if (k < 0 || s->every < 0 || s->length < 0 || s->warm_up < 0 || s->patience < 0)
    return hed_fail(HED_E_INVAL, "%s: k, every, length, warm_up and patience are %lld, %lld, %lld, %lld and %lld, one of them below 0",
                    op, (long long)k, (long long)s->every, (long long)s->length, (long long)s->warm_up, (long long)s->patience);
  if (!(s->rate >= 0) || !(s->factor >= 0) || !(s->least >= 0) || !(s->threshold >= 0) || !isfinite(s->rate + s->factor + s->least))
    return hed_fail(HED_E_INVAL, "%s: rate, factor, least and threshold are %g, %g, %g and %g, not numbers from 0 on", op, s->rate,
                    s->factor, s->least, s->threshold);
  return s->kind == HED_NN_PLATEAU && !p ? hed_fail(HED_E_INVAL, "%s: a plateau needs what it remembers, which is NULL", op) : HED_OK;
}

static double of_plateau(const hed_nn_schedule *s, double rate, double factor, double loss, hed_nn_plateau *p)
{
  const double threshold = s->threshold > 0 ? s->threshold : 1e-4;
  const bool better = !p->begun || loss < p->best * (1 - threshold);
  if (!p->begun || better)
    p->best = loss;
  p->bad = better ? 0 : p->bad + 1;
  p->begun = true;
  if (p->bad > (s->patience > 0 ? s->patience : 10)) {
    p->bad = 0;
    p->cuts++;
  }
  return fmax(rate * pow(factor, (double)p->cuts), s->least);
}

hed_status hed_nn_schedule_rate(const hed_nn_schedule *s, int64_t k, double loss, hed_nn_plateau *p, double *rate)
{
  static const double pi = 3.14159265358979323846;
  const hed_status status = check(s, k, p, rate);
  if (status != HED_OK)
    return status;
  const double top = s->rate > 0 ? s->rate : 0.001, factor = s->factor > 0 ? s->factor : 0.1;
  const int64_t every = s->every > 0 ? s->every : 10, length = s->length > 0 ? s->length : 100;
  if (k < s->warm_up) {
    *rate = top * (double)(k + 1) / (double)(s->warm_up + 1);
    return HED_OK;
  }
  k -= s->warm_up;
  switch (s->kind) {
  case HED_NN_STEP:
    *rate = fmax(top * pow(factor, (double)(k / every)), s->least);
    break;
  case HED_NN_COSINE:
    *rate = k >= length ? s->least : s->least + (top - s->least) * (1 + cos(pi * (double)k / (double)length)) / 2;
    break;
  case HED_NN_PLATEAU:
    *rate = of_plateau(s, top, factor, loss, p);
    break;
  default:
    *rate = top;
  }
  return HED_OK;
}
