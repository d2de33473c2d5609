// SPDX-License-Identifier: BSD-3-Clause
/* Metrics and scaling against scikit-learn 1.9.1, features against NumPy 2.4 and SciPy 1.17; windows, parts, batches of sequences. */
#include "train.h"
#include <heddle/io.h>
#include <heddle/kits/nn_data.h>
#include <heddle/kits/nn_metrics.h>
#include <unistd.h>

static hed_array *labels(const int64_t *x, int64_t n) { return hed_from_host(x, HED_SHAPE(n), HED_INT64); }
#define LABELS(...) labels((int64_t[]){ __VA_ARGS__ }, (int64_t)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

/* ---- classes ---- */

static void classes(const char *backend)
{
  hed_array *t = LABELS(0, 1, 2, 2, 1, 0, 3, 1, 2, 0, 3, 2), *p = LABELS(0, 2, 2, 1, 1, 0, 3, 1, 2, 3, 0, 2);
  hed_array *w = VECTOR(1, 2, .5, 1, 1, 1, 3, 1, 1, .25, 1, 2), *c = hed_nn_confusion(t, p, 0, NULL);
  hed_nn_class_scores s;
  ok(FAR(c, 2, 0, 0, 1, 0, 2, 1, 0, 0, 1, 3, 0, 1, 0, 0, 1) == 0, "%s: a confusion", backend);
  ok(train_type() != HED_FLOAT64 || FAR(hed_nn_confusion(t, p, 4, w), 2, 0, 0, .25, 0, 2, 2, 0, 0, 1, 3.5, 0, 1, 0, 0, 3) == 0,
     "with weights");
  is_int(hed_array_size(hed_nn_confusion(t, p, 6, NULL)), 36, "of more classes");
  is_int(hed_nn_scores(c, HED_NN_MACRO, &s), HED_OK, "scores");
  ok(fabs(s.accuracy - 2 / 3.) < 1e-15 && fabs(s.balanced_accuracy - 0.64583333333333326) < 1e-15 &&
     fabs(s.precision - 0.64583333333333326) < 1e-15 && fabs(s.recall - 0.64583333333333326) < 1e-15 &&
     fabs(s.f1 - 0.64583333333333326) < 1e-15, "%s: means over classes", backend);
  is_int(hed_nn_scores(c, HED_NN_WEIGHTED, &s), HED_OK, "weighted ones");
  ok(fabs(s.precision - 2 / 3.) < 1e-15 && fabs(s.f1 - 2 / 3.) < 1e-15, "%s: by how many there are", backend);
  if (train_type() == HED_FLOAT64) {
    hed_array *each = hed_nn_scores_by_class(train_array(HED_SHAPE(2, 2), (double[]){ 3, 1, 4, 0 }));
    ok(FAR(each, 3 / 7., 0, 0.75, 0, 6 / 11., 0) < 1e-15, "precision, recall and F1 of each");
  }
  BAD(hed_nn_scores(p, HED_NN_MACRO, &s), HED_E_SHAPE, "(12)", "no matrix");
  NONE(hed_nn_confusion(t, p, 3, NULL), HED_E_INVAL, "element 6 of target is 3", "a label that is outside");
  NONE(hed_nn_confusion(t, LABELS(1), 3, NULL), HED_E_SHAPE, "(1)", "fewer");
  NONE(hed_nn_confusion(w, p, 3, NULL), HED_E_DTYPE, "integers", "no labels");
}

static void curves(const char *backend)
{
  hed_array *t = LABELS(0, 0, 1, 1, 1, 0, 1, 0, 1, 0), *s = VECTOR(.1, .4, .35, .8, .4, .4, .9, .2, .35, .7),
            *w = VECTOR(1, 2, 1, .5, 1, 3, 1, 1, 2, 1), *a, *b, *c;
  const bool wide = train_type() == HED_FLOAT64;
  double area = 0;
  if (!wide)
    HED_BACKEND_CONTEXT("reference") {
      is_int(hed_nn_roc(t, s, NULL, NULL, NULL, NULL, &area), HED_OK, "%s: arrays of a device", backend);
      is_near(area, 0.68, 1e-15, 0, "have a curve");
    }
  if (!wide)
    return;
  is_int(hed_nn_roc(t, s, NULL, &a, &b, &c, &area), HED_OK, "%s: a curve", backend);
  ok(FAR(a, 0, 0, 0, .2, .6, .6, .8, 1) < 1e-15 && FAR(b, 0, .2, .4, .4, .6, 1, 1, 1) < 1e-15 &&
     FAR(c, INFINITY, .9, .8, .7, .4, .35, .2, .1) == 0, "%s: rates and thresholds", backend);
  is_near(area, 0.68, 1e-15, 0, "its area");
  is_int(hed_nn_roc(t, s, w, &a, NULL, NULL, &area), HED_OK, "with weights");
  ok(FAR(a, 0, 0, 0, .125, .75, .75, .875, 1) < 1e-15, "false ones");
  is_near(area, 0.51136363636363635, 1e-14, 0, "%s: the area with weights", backend);
  is_int(hed_nn_precision_recall(t, s, NULL, &a, &b, &c, &area), HED_OK, "%s: the other curve", backend);
  ok(FAR(a, .5, 5 / 9., .625, .5, 2 / 3., 1, 1, 1) < 1e-15 && FAR(b, 1, 1, 1, .6, .4, .4, .2, 0) < 1e-15 &&
     FAR(c, .1, .2, .35, .4, .7, .8, .9) == 0, "%s: precision, recall, thresholds", backend);
  is_near(area, 0.75, 1e-15, 0, "the average precision");
  is_int(hed_nn_precision_recall(t, s, w, NULL, NULL, NULL, &area), HED_OK, "with weights");
  is_near(area, 0.58707277377354106, 1e-14, 0, "the average precision with weights");
  BAD(hed_nn_roc(LABELS(1, 1), VECTOR(1, 2), NULL, NULL, NULL, NULL, &area), HED_E_INVAL, "both are needed", "one class");
  BAD(hed_nn_roc(LABELS(1, 0), VECTOR(1, NAN), NULL, NULL, NULL, NULL, &area), HED_E_INVAL, "element 1", "NaN");
}

static void errors(const char *backend)
{
  hed_array *t = train_array(HED_SHAPE(4, 2), (double[]){ 1, 2, 3, 5, -1, .5, 2, 2 }),
            *p = train_array(HED_SHAPE(4, 2), (double[]){ 1.5, 2, 2, 5.5, -1, 1.5, 2.5, 2.25 });
  hed_nn_errors e;
  double mase = 0;
  is_int(hed_nn_regression(t, p, &e), HED_OK, "%s: errors", backend);
  ok(e.mse == 0.3515625 && fabs(e.rmse - 0.59292706128157113) < 1e-15 && e.mae == 0.46875 && e.max_error == 1, "%s: their sizes",
     backend);
  is_near(e.r2, 0.85288220551378446, 1e-14, 0, "R2 by columns");
  is_int(hed_nn_regression(hed_ravel(t), hed_ravel(p), &e), HED_OK, "of one column");
  is_near(e.r2, 0.87197724039829305, 1e-14, 0, "R2");
  is_int(hed_nn_regression(VECTOR(2, 2), VECTOR(2, 2), &e), HED_OK, "a constant");
  is_near(e.r2, 1, 0, 0, "that is met");
  /* |1|, |2| over the mean of |2|, |1|, |4| */
  is_int(hed_nn_mase(VECTOR(5, 6), VECTOR(6, 8), VECTOR(1, 3, 2, 6), 1, &mase), HED_OK, "%s: scaled errors", backend);
  is_near(mase, 1.5 / (7 / 3.), 1e-14, 0, "over the last value");
  is_int(hed_nn_mase(VECTOR(5, 6), VECTOR(6, 8), VECTOR(1, 3, 2, 6), 2, &mase), HED_OK, "by seasons");
  is_near(mase, 1.5 / 2, 1e-14, 0, "of two steps");
  BAD(hed_nn_mase(t, p, VECTOR(1, 2), 2, &mase), HED_E_INVAL, "season is 2", "a season that is too long");
  BAD(hed_nn_mase(t, p, VECTOR(1, 1), 1, &mase), HED_E_INVAL, "repeats", "a constant");
  BAD(hed_nn_regression(t, hed_ravel(p), &e), HED_E_SHAPE, "(8)", "shapes");
}

/* ---- samples ---- */

static void windows(const char *backend)
{
  hed_array *x = hed_reshape(hed_arange(0, 20, 1, HED_FLOAT32), HED_SHAPE(10, 2)), *in, *to;
  const hed_nn_window o = { .length = 3, .stride = 2, .horizon = 2, .gap = 1 };
  is_int(hed_nn_windows(x, &o, &in, &to), HED_OK, "%s: windows", backend);
  ok(FAR(in, 0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13) == 0 && hed_array_ndim(in) == 3, "%s: of three steps", backend);
  ok(FAR(to, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19) == 0, "%s: and what comes after", backend);
  ok(hed_array_shares(in, x) && hed_array_shares(to, x) && hed_array_is_read_only(in), "nothing is copied");
  is_int(hed_nn_windows(x, &(hed_nn_window){ .length = 8, .horizon = 3 }, &in, &to), HED_OK, "a series that is too short");
  ok(hed_array_shape(in).dim[0] == 0 && hed_array_shape(in).dim[1] == 8 && hed_array_shape(to).dim[1] == 3 && hed_array_size(to) == 0,
     "has no windows");
  is_int(hed_nn_windows(x, &(hed_nn_window){ .length = 2, .horizon = 1, .gap = -1 }, &in, &to), HED_OK, "targets that overlap");
  ok(hed_array_shape(in).dim[0] == 9 && train_item(hed_index(hed_index(hed_index(to, 0, 0), 0, 0), 0, 0)) == 2,
     "begin before the end");
  BAD(hed_nn_windows(x, &(hed_nn_window){ .length = 0 }, &in, &to), HED_E_INVAL, "length", "no length");
  if (strcmp(backend, "faulty") == 0)
    return;
  char path[64];
  (void)snprintf(path, sizeof path, "nn_measure.%ld.npy", (long)getpid());
  is_int(hed_save_npy(path, x), HED_OK, "a file");
  hed_array *mapped = hed_map_npy(path, HED_MAP_READ);
  is_int(hed_nn_windows(mapped, &o, &in, NULL), HED_OK, "mapped");
  ok(hed_array_shares(in, mapped) && train_item(hed_max(in, NULL)) == 13, "%s: is looked at where it lies", backend);
  (void)remove(path);
}

static void parts(const char *backend)
{
  hed_array *x = hed_arange(0, 10, 1, HED_FLOAT32), *a, *b, *c;
  is_int(hed_nn_split(x, 0.7, 0.2, &a, &b, &c), HED_OK, "%s: parts", backend);
  ok(FAR(a, 0, 1, 2, 3, 4, 5, 6) == 0 && FAR(b, 7, 8) == 0 && FAR(c, 9) == 0, "%s: one after the other", backend);
  is_int(hed_nn_split(hed_arange(0, 100, 1, HED_FLOAT32), 0.29, 0, &a, NULL, NULL), HED_OK, "0.29 of 100");
  is_int(hed_array_size(a), 29, "are 29, though the product is below");
  BAD(hed_nn_split(x, 0.7, 0.4, &a, &b, &c), HED_E_INVAL, "0.7", "too much");
  hed_array *order = hed_nn_order(50, 3), *again = hed_nn_order(50, 3), *other = hed_nn_order(50, 4);
  ok(same_array(order, again) && !same_array(order, other), "%s: orders follow from the key", backend);
  ok(train_item(hed_sum(order, NULL)) == 1225 && train_item(hed_all(hed_equal(hed_sort(order, NULL),
                                                                              hed_arange_int(0, 50, 1, HED_INT64)), NULL)) == 1,
     "each once");
  hed_array *s[2] = { train_array(HED_SHAPE(2, 1), (double[]){ 1, 2 }), train_array(HED_SHAPE(3, 1), (double[]){ 3, 4, 5 }) };
  is_int(hed_nn_pad_sequences(2, (const hed_array *const *)s, 4, -9, &a, &b, &c), HED_OK, "%s: sequences", backend);
  ok(FAR(a, 1, 2, -9, -9, 3, 4, 5, -9) == 0 && FAR(b, 1, 1, 0, 0, 1, 1, 1, 0) == 0 && FAR(c, 2, 3) == 0, "%s: padded", backend);
  is_int(hed_nn_pad_sequences(2, (const hed_array *const *)s, 0, 0, &a, NULL, NULL), HED_OK, "to the longest");
  is_int(hed_array_shape(a).dim[1], 3, "three");
  BAD(hed_nn_pad_sequences(2, (const hed_array *const *)s, 2, 0, &a, &b, &c), HED_E_SHAPE, "sequence 1 has 3", "one that is too long");
  is_int(hed_nn_missing(VECTOR(1, NAN, 3), 0.5, &a, &b), HED_OK, "%s: what is missing", backend);
  ok(FAR(a, 1, 0.5, 3) == 0 && FAR(b, 1, 0, 1) == 0, "is filled and marked");
}

static void scaling(const char *backend)
{
  static const double want[3][15] = {
    { -1.2247448713915892, 1.4191325809204598, 0, -0.81649658092772615, -1.5026109680334281, 0, 0, 0.37565274200835697, 0,
      1.6329931618554523, -0.66782709690374586, 0, 0.40824829046386307, 0.37565274200835697, 0 },
    { 0, 1, 0, 1 / 7., 0, 0, 3 / 7., 9 / 14., 0, 1, 2 / 7., 0, 4 / 7., 9 / 14., 0 },
    { -1, 1, 0, -2 / 3., -1.8, 0, 0, 0, 0, 4 / 3., -1, 0, 1 / 3., 0, 0 } };
  hed_array *x = train_array(HED_SHAPE(5, 3), (double[]){ 1, 10, 3, 2, -4, 3, 4, 5, 3, 8, 0, 3, 5, 5, 3 });
  hed_nn_scaler s;
  for (int k = 0; k < 3; k++) {
    is_int(hed_nn_scaler_fit(x, (hed_nn_scaling)k, &s), HED_OK, "%s: scaling %d", backend, k);
    hed_array *y = hed_nn_scaler_apply(&s, x), *back = hed_nn_scaler_invert(&s, y);
    ok(train_far(y, want[k], 15) < train_within(1e-14), "%s: scaled", backend);
    ok(train_item(hed_max(hed_abs(hed_subtract(back, x)), NULL)) < train_within(1e-13), "and back");
    NONE(hed_nn_scaler_apply(&s, VECTOR(1, 2)), HED_E_SHAPE, "of 3 features", "other features");
    hed_nn_scaler_clear(&s);
  }
  is_int(hed_nn_scaler_fit(train_array(HED_SHAPE(3, 1), (double[]){ 1, NAN, 3 }), HED_NN_STANDARDISE, &s), HED_OK, "with gaps");
  ok(FAR(s.shift, 2) == 0 && FAR(s.scale, 1) == 0, "%s: which are passed over", backend);
  hed_nn_scaler_clear(&s);
  NONE(hed_nn_scaler_apply(&s, x), HED_E_INVAL, "empty", "one that is not fitted");
  (void)hed_nn_scaler_fit(hed_zeros(HED_SHAPE(-2), HED_FLOAT32), HED_NN_ROBUST, &s);
  const hed_status failed = hed_error();
  ok(failed != HED_OK && !hed_nn_scaler_apply(&s, x) && hed_error() == failed, "%s: what was to fit it says why", backend);
  has_str(hed_error_text(), "-2", "in its own words");
  hed_error_clear();
}

static void components(const char *backend)
{
  double v[28];
  hed_nn_pca p;
  for (int k = 0; k < 28; k++)
    v[k] = sin(1.3 * (3 * (k / 4) + k % 4) + k % 4) * (k % 4 + 1);
  hed_array *x = train_array(HED_SHAPE(7, 4), v);
  is_int(hed_nn_pca_fit(x, 2, &p), HED_OK, "%s: components", backend);
  ok(FAR(p.components, 0.1362753005349151, 0.065549258613387007, -0.53984759928505444, 0.82806817757085516, -0.2702304165778649,
         0.68630206778636971, -0.56110858362886218, -0.37566228328955187) < train_within(1e-12), "%s: directions", backend);
  ok(FAR(p.variance, 14.84844648457846, 3.8194243572368443) < train_within(1e-12) &&
     FAR(p.ratio, 0.79540117940598332, 0.20459882059401666) < train_within(1e-13), "variances");
  hed_array *y = hed_nn_pca_apply(&p, x), *back = hed_nn_pca_invert(&p, y);
  ok(FAR(hed_slice(y, 1, &HED_RANGE(0, 3, 1)), 3.6078472225797662, 1.4362319028979933, -4.6621197747329806, -0.18914426441472776,
         3.1084891781229684, -2.5107461111411915) < train_within(1e-12), "%s: scores", backend);
  ok(train_item(hed_max(hed_abs(hed_subtract(back, x)), NULL)) < 1e-3, "two of them are all of it, and back");
  hed_nn_pca_clear(&p);
  NONE(hed_nn_pca_apply(&p, x), HED_E_INVAL, "not there", "nothing fitted");
  (void)hed_nn_pca_fit(x, 5, &p);
  ok(!hed_nn_pca_invert(&p, y) && hed_error() == HED_E_INVAL, "%s: what was to fit it", backend);
  has_str(hed_error_text(), "k is 5", "says why");
  hed_error_clear();
  BAD(hed_nn_pca_fit(x, 5, &p), HED_E_INVAL, "k is 5", "more than there are");
}

/* ---- features ---- */

static void features(const char *backend)
{
  double v[20];
  for (int k = 0; k < 20; k++)
    v[k] = sin(0.9 * (k % 10) + k / 10) + 0.3 * (k / 10) * cos(2.2 * (k % 10));
  hed_array *x = train_array(HED_SHAPE(2, 10), v), *t = VECTOR(1, 4, 2, 8, 5);
  ok(FAR(hed_nn_spectral_centroid(x, 50), 8.6555199109177057, 8.0746568945405244) < train_within(1e-12), "%s: centroids", backend);
  ok(FAR(hed_nn_band_power(x, 50, 4, 16), 0.45976519810856725, 0.48618658883620147) < train_within(1e-13), "%s: power of a band",
     backend);
  ok(FAR(hed_nn_band_power(x, 50, 0, 25), 0.50640658749836709, 0.58032669038133855) < train_within(1e-13),
     "of all of them the mean square");
  ok(FAR(hed_square(hed_nn_rms(x)), 0.50640658749836709, 0.58032669038133855) < train_within(1e-13), "%s: roots of mean squares",
     backend);
  ok(FAR(hed_nn_zero_crossings(x), 2, 2) == 0, "%s: crossings of 0", backend);
  ok(FAR(hed_nn_lags(t, 2, (int64_t[]){ 0, 2 }), 2, 1, 8, 4, 5, 2) == 0, "%s: lags", backend);
  ok(FAR(hed_nn_rolling(t, 3, HED_NN_ROLLING_MAX), 4, 8, 8) == 0 && FAR(hed_nn_rolling(t, 2, HED_NN_ROLLING_MEAN), 2.5, 3, 5,
                                                                        6.5) == 0 &&
     FAR(hed_nn_rolling(t, 2, HED_NN_ROLLING_VAR), 2.25, 1, 9, 2.25) < 1e-5 && FAR(hed_nn_rolling(t, 5, HED_NN_ROLLING_SUM), 20) == 0,
     "%s: rolling statistics", backend);
  ok(FAR(hed_nn_one_hot(LABELS(2, 0), 3, HED_FLOAT32), 0, 0, 1, 1, 0, 0) == 0, "%s: one-hot", backend);
  const double periods[] = { 4, 8 };
  ok(FAR(hed_nn_temporal(VECTOR(0, 1), 2, periods), 0, 1, 0, 1, 1, 0, sqrt(0.5), sqrt(0.5)) < 1e-6, "%s: times of day", backend);
  ok(FAR(hed_nn_pwm(VECTOR(0, 0.5, 1), 4, HED_FLOAT32), 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1) == 0, "%s: pulses", backend);
  hed_array *time = hed_multiply_scalar(hed_arange(0, 100, 1, train_type()), 0.01), *f = VECTOR(3, 7.5), *a, *p;
  hed_array *y = hed_nn_harmonics(time, f, VECTOR(2, 0.5), VECTOR(0.3, -1));
  is_int(hed_nn_harmonics_fit(time, y, f, &a, &p), HED_OK, "%s: harmonics", backend);
  ok(FAR(a, 2, 0.5) < train_within(1e-12) && FAR(p, 0.3, -1) < train_within(1e-12), "%s: are found", backend);
  NONE(hed_nn_one_hot(LABELS(3), 3, HED_FLOAT32), HED_E_INVAL, "[3, 3]", "a label too many");
  NONE(hed_nn_lags(t, 1, (int64_t[]){ 5 }), HED_E_INVAL, "lag 0 is 5", "a lag beyond the series");
  NONE(hed_nn_rolling(t, 6, HED_NN_ROLLING_MEAN), HED_E_INVAL, "window is 6", "a window beyond it");
  NONE(hed_nn_band_power(x, 50, 5, 4), HED_E_INVAL, "5 to 4", "a band that falls");
  NONE(hed_nn_pwm(VECTOR(2), 4, HED_FLOAT32), HED_E_INVAL, "[0, 1]", "a share above 1");
  NONE(hed_nn_temporal(t, 1, (double[]){ 0 }), HED_E_INVAL, "period 0 is 0", "no period");
}

int main(void)
{
  train_on_each(classes);
  train_on_each(curves);
  train_on_each(errors);
  train_on_each(windows);
  train_on_each(parts);
  train_on_each(scaling);
  train_on_each(components);
  train_on_each(features);
  return done();
}
