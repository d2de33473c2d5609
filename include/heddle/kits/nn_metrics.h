// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_metrics.h: how good predictions are.
 *
 * Layer: public header of the nn kit; needs nothing but <heddle.h>.
 *
 * Definitions are those of scikit-learn 1.9, where it has them. Numbers are computed in float64 on the host. WEIGHTS, one per
 * sample and not negative, may be NULL. Any thread.
 */
#ifndef HEDDLE_KITS_NN_METRICS_H
#define HEDDLE_KITS_NN_METRICS_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- classes ---- */

/* How often samples of class i (row) were taken for class j (column): (classes, classes), int64, float64 with WEIGHTS. TARGET and
 * PREDICTED have one shape and hold integers in [0, CLASSES); CLASSES 0: up to the largest there is. HED_E_INVAL names a label
 * that is outside. */
HED_NEW hed_array *hed_nn_confusion(const hed_array *target, const hed_array *predicted, int64_t classes, const hed_array *weights);

typedef enum hed_nn_averaging {
  HED_NN_MACRO,   /* mean over classes                       */
  HED_NN_WEIGHTED /* mean over classes by how many there are */
} hed_nn_averaging;

typedef struct hed_nn_class_scores {
  double accuracy, balanced_accuracy; /* the latter: mean recall of classes that occur */
  double precision, recall, f1;       /* averages; F1 is the mean of the classes' F1   */
} hed_nn_class_scores;

/* Of a CONFUSION matrix; 0 / 0 is 0. Classes that neither occur nor are predicted count for nothing. */
HED_API hed_status hed_nn_scores(const hed_array *confusion, hed_nn_averaging averaging, hed_nn_class_scores *out);
/* float64 (3, classes): precision, recall and F1 of each class. */
HED_NEW hed_array *hed_nn_scores_by_class(const hed_array *confusion);

/* The share of SCORES (n) on the right side of every threshold, for TARGET (n), bool or 0 and 1. Thresholds are the scores that
 * differ, descending; arrays are float64 and the caller's, each may be NULL when it is not wanted. HED_E_INVAL: NaN, or a class
 * of which there is none.
 * roc: false and true positive rates, from (0, 0) at the threshold infinity on. *AREA: under the curve, ties by midranks.
 * precision_recall: from the lowest threshold up, at the end precision 1 and recall 0, for which there is no threshold. *AREA: the
 * average precision, the sum of precision times the step in recall. */
HED_API hed_status hed_nn_roc(const hed_array *target, const hed_array *scores, const hed_array *weights, hed_array **false_rate,
                              hed_array **true_rate, hed_array **thresholds, double *area);
HED_API hed_status hed_nn_precision_recall(const hed_array *target, const hed_array *scores, const hed_array *weights,
                                           hed_array **precision, hed_array **recall, hed_array **thresholds, double *area);

/* ---- numbers ---- */

typedef struct hed_nn_errors {
  double mse, rmse, mae; /* over all elements                                                              */
  double max_error;
  double r2;             /* 1 - squares / squares about the mean, by columns (the last axis) where there are two axes or more, the
                            mean over them; a constant TARGET: 1 when it is met, else 0                       */
} hed_nn_errors;

/* Of PREDICTION against TARGET, of one shape and not empty. */
HED_API hed_status hed_nn_regression(const hed_array *target, const hed_array *prediction, hed_nn_errors *out);

/* Mean |target - prediction| over the mean |train[t] - train[t - season]| along the first axis. SEASON at least 1 and below the length
 * of TRAIN. R. Hyndman, A. Koehler, Int. J. Forecasting 22 (2006). HED_E_INVAL where TRAIN repeats itself. */
HED_API hed_status hed_nn_mase(const hed_array *target, const hed_array *prediction, const hed_array *train, int64_t season,
                               double *out);

#ifdef __cplusplus
}
#endif
#endif
