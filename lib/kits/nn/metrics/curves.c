// SPDX-License-Identifier: BSD-3-Clause
/* Curves over all thresholds of a score.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include <heddle/kits/nn_metrics.h>
#include <math.h>
#include <stdlib.h>

typedef struct sample {
  double score, hit, miss; /* its weight as a positive or as a negative one */
} sample;

/* What lies at or above each of the N thresholds, which descend. */
typedef struct curve {
  int64_t n;
  double *threshold, *hits, *misses;
} curve;

static int descending(const void *a, const void *b)
{
  const double x = ((const sample *)a)->score, y = ((const sample *)b)->score;
  return (x < y) - (x > y);
}

static void forget(curve *c)
{
  free(c->threshold);
  free(c->hits);
  free(c->misses);
}

static bool operands_fit(const char *op, const hed_array *target, const hed_array *scores, const hed_array *weights)
{
  if (!hed__train_real(op, "target", target) || !hed__train_real(op, "scores", scores) ||
      !hed__train_fits(op, "scores", scores, "target", target))
    return false;
  return !weights || (hed__train_real(op, "weights", weights) && hed__train_fits(op, "weights", weights, "target", target));
}

static hed_status samples(const char *op, const double *t, const double *x, const double *w, int64_t n, sample *s)
{
  for (int64_t k = 0; k < n; k++) {
    const double weight = w ? w[k] : 1;
    if (isnan(x[k]) || !(weight >= 0) || (t[k] != 0 && t[k] != 1))
      return hed_fail(HED_E_INVAL, "%s: element %lld: target %g, score %g, weight %g: 0 or 1, a number and one from 0 on are needed",
                      op, (long long)k, t[k], x[k], weight);
    s[k] = (sample){ x[k], t[k] != 0 ? weight : 0, t[k] != 0 ? 0 : weight };
  }
  qsort(s, (size_t)n, sizeof *s, descending);
  return HED_OK;
}

static hed_status summed(const char *op, const sample *s, int64_t n, curve *c)
{
  double hits = 0, misses = 0;
  c->threshold = hed__train_room(op, n, sizeof(double));
  c->hits = hed__train_room(op, n, sizeof(double));
  c->misses = hed__train_room(op, n, sizeof(double));
  if (!c->threshold || !c->hits || !c->misses)
    return hed_error();
  for (int64_t k = 0; k < n; k++) {
    hits += s[k].hit;
    misses += s[k].miss;
    if (k + 1 < n && s[k + 1].score == s[k].score)
      continue;
    c->threshold[c->n] = s[k].score;
    c->hits[c->n] = hits;
    c->misses[c->n++] = misses;
  }
  if (hits > 0 && misses > 0)
    return HED_OK;
  return hed_fail(HED_E_INVAL, "%s: the positive ones weigh %g, the negative ones %g: both are needed", op, hits,
                  misses);
}

static hed_status make(const char *op, const hed_array *target, const hed_array *scores, const hed_array *weights, curve *c)
{
  *c = (curve){ .n = 0 };
  if (!operands_fit(op, target, scores, weights))
    return hed_error();
  const int64_t n = hed_array_size(target);
  double *t = hed__train_doubles(target), *x = t ? hed__train_doubles(scores) : NULL;
  double *w = x && weights ? hed__train_doubles(weights) : NULL;
  sample *s = x && (w || !weights) ? hed__train_room(op, n, sizeof *s) : NULL;
  hed_status status = s ? samples(op, t, x, w, n, s) : hed_error();
  if (status == HED_OK)
    status = summed(op, s, n, c);
  free(t);
  free(x);
  free(w);
  free(s);
  if (status != HED_OK)
    forget(c);
  return status;
}

/* Results that are wanted, each N of its VALUES. */
static hed_status give(int n, hed_array **const *out, const double *const *values, const int64_t *length)
{
  hed_status status = HED_OK;
  for (int k = 0; k < n && status == HED_OK; k++)
    if (out[k] && !(*out[k] = hed_from_doubles(values[k], HED_SHAPE(length[k]), HED_FLOAT64)))
      status = hed_error();
  for (int k = 0; k < n && status != HED_OK; k++)
    if (out[k]) {
      hed_release(*out[k]);
      *out[k] = NULL;
    }
  return status;
}

static void clear(int n, hed_array **const *out)
{
  for (int k = 0; k < n; k++)
    if (out[k])
      *out[k] = NULL;
}

hed_status hed_nn_roc(const hed_array *target, const hed_array *scores, const hed_array *weights, hed_array **false_rate,
                      hed_array **true_rate, hed_array **thresholds, double *area)
{
  hed_array **const out[3] = { false_rate, true_rate, thresholds };
  curve c;
  clear(3, out);
  hed_status status = make("hed_nn_roc", target, scores, weights, &c);
  if (status != HED_OK)
    return status;
  double *x[3] = { NULL, NULL, NULL }, sum = 0;
  for (int k = 0; k < 3; k++)
    if (!(x[k] = hed__train_room("hed_nn_roc", c.n + 1, sizeof(double))))
      status = hed_error();
  if (status == HED_OK) {
    x[2][0] = INFINITY;
    for (int64_t k = 1; k <= c.n; k++) {
      x[0][k] = c.misses[k - 1] / c.misses[c.n - 1];
      x[1][k] = c.hits[k - 1] / c.hits[c.n - 1];
      x[2][k] = c.threshold[k - 1];
      sum += (x[0][k] - x[0][k - 1]) * (x[1][k] + x[1][k - 1]) / 2;
    }
    status = give(3, out, (const double *const *)x, (const int64_t[]){ c.n + 1, c.n + 1, c.n + 1 });
    if (area)
      *area = sum;
  }
  for (int k = 0; k < 3; k++)
    free(x[k]);
  forget(&c);
  return status;
}

hed_status hed_nn_precision_recall(const hed_array *target, const hed_array *scores, const hed_array *weights,
                                   hed_array **precision, hed_array **recall, hed_array **thresholds, double *area)
{
  static const char op[] = "hed_nn_precision_recall";
  hed_array **const out[3] = { precision, recall, thresholds };
  curve c;
  clear(3, out);
  hed_status status = make(op, target, scores, weights, &c);
  if (status != HED_OK)
    return status;
  double *x[3] = { NULL, NULL, NULL }, sum = 0;
  for (int k = 0; k < 3; k++)
    if (!(x[k] = hed__train_room(op, c.n + 1, sizeof(double))))
      status = hed_error();
  if (status == HED_OK) {
    for (int64_t k = 0; k < c.n; k++) {
      const int64_t to = c.n - 1 - k;
      const double all = c.hits[k] + c.misses[k], share = c.hits[k] / c.hits[c.n - 1];
      x[0][to] = all > 0 ? c.hits[k] / all : 0;
      x[1][to] = share;
      x[2][to] = c.threshold[k];
      sum += (share - (k ? c.hits[k - 1] / c.hits[c.n - 1] : 0)) * x[0][to];
    }
    x[0][c.n] = 1;
    x[1][c.n] = 0;
    status = give(3, out, (const double *const *)x, (const int64_t[]){ c.n + 1, c.n + 1, c.n });
    if (area)
      *area = sum;
  }
  for (int k = 0; k < 3; k++)
    free(x[k]);
  forget(&c);
  return status;
}
