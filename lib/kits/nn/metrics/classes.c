// SPDX-License-Identifier: BSD-3-Clause
/* Confusion matrices and what is made of them.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include "kits/member.h"
#include <heddle/kits/nn_metrics.h>
#include <stdlib.h>

static bool whole(const char *op, const char *name, const hed_array *x)
{
  if (!hed__operand_given(op, name, x))
    return false;
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  if (kind == HED_KIND_INT || kind == HED_KIND_UINT || kind == HED_KIND_BOOL)
    return true;
  (void)hed_fail(HED_E_DTYPE, "%s: %s is %s, labels are integers", op, name, hed_dtype_name(hed_array_dtype(x)));
  return false;
}

static bool weights_fit(const char *op, const hed_array *weights, const hed_array *target)
{
  return !weights || (hed__train_real(op, "weights", weights) && hed__train_fits(op, "weights", weights, "target", target));
}

static hed_status label_range(const char *name, const int64_t *x, int64_t n, int64_t *classes, bool given)
{
  for (int64_t k = 0; k < n; k++) {
    if (x[k] < 0 || x[k] >= (given ? *classes : (int64_t)1 << 31))
      return hed_fail(HED_E_INVAL, "hed_nn_confusion: element %lld of %s is %lld, classes are in [0, %lld)", (long long)k, name,
                      (long long)x[k], (long long)(given ? *classes : (int64_t)1 << 31));
    if (!given && x[k] >= *classes)
      *classes = x[k] + 1;
  }
  return HED_OK;
}

static hed_array *counted(const int64_t *t, const int64_t *p, const double *w, int64_t n, int64_t classes)
{
  hed_array *out = NULL;
  if (classes > 46340) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_confusion: %lld classes, at most 46340 are counted", (long long)classes);
    return NULL;
  }
  int64_t *count = hed__train_room("hed_nn_confusion", classes * classes, sizeof *count);
  double *sum = w ? hed__train_room("hed_nn_confusion", classes * classes, sizeof *sum) : NULL;
  for (int64_t k = 0; k < n && count && (!w || sum); k++)
    if (w)
      sum[t[k] * classes + p[k]] += w[k];
    else
      count[t[k] * classes + p[k]]++;
  if (count && (!w || sum))
    out = hed_from_host(w ? (const void *)sum : count, HED_SHAPE(classes, classes), w ? HED_FLOAT64 : HED_INT64);
  free(count);
  free(sum);
  return out;
}

hed_array *hed_nn_confusion(const hed_array *target, const hed_array *predicted, int64_t classes, const hed_array *weights)
{
  static const char op[] = "hed_nn_confusion";
  hed_array *out = NULL;
  if (!whole(op, "target", target) || !whole(op, "predicted", predicted) ||
      !hed__train_fits(op, "predicted", predicted, "target", target) || !weights_fit(op, weights, target))
    return NULL;
  if (classes < 0) {
    (void)hed_fail(HED_E_INVAL, "%s: classes is %lld, below 0", op, (long long)classes);
    return NULL;
  }
  const int64_t n = hed_array_size(target);
  const bool given = classes > 0;
  int64_t *t = hed__train_integers(target), *p = t ? hed__train_integers(predicted) : NULL;
  double *w = p && weights ? hed__train_doubles(weights) : NULL;
  if (p && (w || !weights) && label_range("target", t, n, &classes, given) == HED_OK &&
      label_range("predicted", p, n, &classes, given) == HED_OK)
    out = counted(t, p, w, n, classes);
  free(t);
  free(p);
  free(w);
  return out;
}

/* ---- scores ---- */

typedef struct by_class {
  int64_t n;
  double *c, *row, *column; /* the matrix and its sums */
  double all, right;
} by_class;

static void forget(by_class *b)
{
  free(b->c);
  free(b->row);
  free(b->column);
}

static hed_status read(const char *op, const hed_array *confusion, by_class *b)
{
  char text[HED__SHAPE_WORDS];
  *b = (by_class){ .n = 0 };
  if (!hed__train_real(op, "confusion", confusion))
    return hed_error();
  const hed_shape s = hed_array_shape(confusion);
  if (s.ndim != 2 || s.dim[0] != s.dim[1])
    return hed_fail(HED_E_SHAPE, "%s: confusion has shape %s, not that of a square matrix", op, hed__shape_words(s, text));
  b->n = s.dim[0];
  b->c = hed__train_doubles(confusion);
  b->row = hed__train_room(op, b->n, sizeof *b->row);
  b->column = hed__train_room(op, b->n, sizeof *b->column);
  if (!b->c || !b->row || !b->column) {
    forget(b);
    return hed_error();
  }
  for (int64_t i = 0; i < b->n; i++)
    for (int64_t j = 0; j < b->n; j++) {
      const double x = b->c[i * b->n + j];
      b->row[i] += x;
      b->column[j] += x;
      b->all += x;
      b->right += i == j ? x : 0;
    }
  return HED_OK;
}

static double over(double a, double b) { return b != 0 ? a / b : 0; }

/* Precision, recall and F1 of class K. */
static void of_class(const by_class *b, int64_t k, double out[3])
{
  const double hit = b->c[k * b->n + k];
  out[0] = over(hit, b->column[k]);
  out[1] = over(hit, b->row[k]);
  out[2] = over(2 * hit, b->row[k] + b->column[k]);
}

hed_status hed_nn_scores(const hed_array *confusion, hed_nn_averaging averaging, hed_nn_class_scores *out)
{
  by_class b;
  double sum[3] = { 0 }, weight = 0, balanced = 0, occur = 0;
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_scores: out is NULL");
  if (hed__expect_member("hed_nn_scores", "averaging", (int)averaging, HED_NN_MACRO, HED_NN_WEIGHTED, "hed_nn_averaging") != HED_OK)
    return hed_error();
  *out = (hed_nn_class_scores){ 0 };
  const hed_status status = read("hed_nn_scores", confusion, &b);
  if (status != HED_OK)
    return status;
  for (int64_t k = 0; k < b.n; k++) {
    double x[3];
    of_class(&b, k, x);
    const double w = b.row[k] + b.column[k] == 0 ? 0 : averaging == HED_NN_MACRO ? 1 : b.row[k];
    for (int j = 0; j < 3; j++)
      sum[j] += w * x[j];
    weight += w;
    if (b.row[k] != 0) {
      balanced += x[1];
      occur++;
    }
  }
  *out = (hed_nn_class_scores){ over(b.right, b.all), over(balanced, occur), over(sum[0], weight), over(sum[1], weight),
                                over(sum[2], weight) };
  forget(&b);
  return HED_OK;
}

hed_array *hed_nn_scores_by_class(const hed_array *confusion)
{
  by_class b;
  hed_array *out = NULL;
  if (read("hed_nn_scores_by_class", confusion, &b) != HED_OK)
    return NULL;
  double *x = hed__train_room("hed_nn_scores_by_class", 3 * b.n, sizeof *x);
  for (int64_t k = 0; x && k < b.n; k++) {
    double one[3];
    of_class(&b, k, one);
    for (int j = 0; j < 3; j++)
      x[j * b.n + k] = one[j];
  }
  if (x)
    out = hed_from_doubles(x, HED_SHAPE(3, b.n), HED_FLOAT64);
  free(x);
  forget(&b);
  return out;
}
