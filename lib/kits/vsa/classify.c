// SPDX-License-Identifier: BSD-3-Clause
/* A prototype for each class.
 *
 * Layer: L4, vsa kit. Sums are kept as numbers (numbers.c), rows of a matrix, so that learning can go on.
 */
#include "kits/vsa/items.h"
#include <stdlib.h>

struct hed_vsa_classifier {
  hed_vsa *v;
  int64_t classes;
  hed_vsa_classifier_options o;
  hed_array *sums; /* (classes, numbers of a vector in a row) */
  hed_array *seen; /* bool (classes): those that have had a sample; NULL: none has */
};

hed_status hed_vsa_classifier_create(hed_vsa *v, int64_t classes, const hed_vsa_classifier_options *opt,
                                     hed_vsa_classifier **out)
{
  if (!v || !out || classes < 1 || classes > INT32_MAX)
    return hed_fail(HED_E_INVAL, "hed_vsa_classifier_create: the model is %s, classes %lld, out %s", v ? "given" : "NULL",
                    (long long)classes, out ? "given" : "NULL");
  *out = NULL;
  if (opt && !(opt->ridge >= 0 && opt->ridge < INFINITY))
    return hed_fail(HED_E_INVAL, "hed_vsa_classifier_create: ridge %g, not from 0 on", opt->ridge);
  hed_vsa_classifier *c = *out = calloc(1, sizeof *c);
  if (!c)
    return hed_fail(HED_E_NOMEM, "hed_vsa_classifier_create: no memory");
  c->v = hed_vsa_retain(v);
  c->classes = classes;
  if (opt)
    c->o = *opt;
  c->sums = hed_keep(hed_zeros(HED_SHAPE(classes, hed__vsa_count(hed__vsa_numbers_shape(v))), hed__vsa_numbers_dtype(v)));
  if (c->sums)
    return HED_OK;
  hed_vsa_classifier_release(c);
  *out = NULL;
  return hed_error();
}

void hed_vsa_classifier_release(hed_vsa_classifier *c)
{
  if (!c)
    return;
  hed_release(c->sums);
  hed_release(c->seen);
  hed_vsa_release(c->v);
  free(c);
}

/* ---- learning ---- */

/* X (n, ..) of the model, LABELS n integers of the classes. */
static hed_status samples_fit(const hed_vsa_classifier *c, const char *op, const hed_array *x, const hed_array *labels)
{
  double low = 0, high = 0;
  hed_status status = HED_OK;
  if (!c || !labels)
    return hed_fail(HED_E_INVAL, "%s: %s NULL", op, c ? "labels are" : "the classifier is");
  if (!hed__vsa_fits(c->v, op, "x", x))
    return hed_error();
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(labels));
  if (kind != HED_KIND_INT && kind != HED_KIND_UINT)
    return hed_fail(HED_E_DTYPE, "%s: labels are %s, not integers", op, hed_dtype_name(hed_array_dtype(labels)));
  if (hed__vsa_batch(c->v, x) != 1 || hed_array_ndim(labels) != 1 || hed_array_size(labels) != hed_array_shape(x).dim[0])
    return hed_fail(HED_E_SHAPE, "%s: x has %lld vectors, there are %lld labels", op,
                    (long long)hed__vsa_count(hed__vsa_batch_shape(c->v, x)), (long long)hed_array_size(labels));
  if (hed_array_size(labels) == 0)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    if (hed_item(hed_min(labels, NULL), &low) != HED_OK || hed_item(hed_max(labels, NULL), &high) != HED_OK)
      return hed_error();
  }
  if ((status = hed__vsa_valid(c->v, op, "x", x)) != HED_OK)
    return status;
  if (low < 0 || high >= (double)c->classes)
    return hed_fail(HED_E_INVAL, "%s: a label is %g, there are %lld classes", op, low < 0 ? low : high, (long long)c->classes);
  return HED_OK;
}

static hed_array *rows(const hed_vsa_classifier *c, const hed_array *x)
{
  return hed__vsa_rows_of(hed__vsa_numbers(c->v, x), hed__vsa_numbers_shape(c->v).ndim);
}

/* WEIGHTS (classes, n) times the rows of X, added to the sums. */
static hed_status add(hed_vsa_classifier *c, const hed_array *weights, const hed_array *x)
{
  hed_array *more = x ? hed_matmul(hed_astype(weights, hed_array_dtype(x)), x) : NULL;
  return more ? hed_add_into(c->sums, c->sums, more) : hed_error();
}

/* (classes, n): where LABELS are the class, as numbers of the model's precision */
static hed_array *membership(const hed_vsa_classifier *c, const hed_array *labels)
{
  hed_array *class = hed_expand_dims(hed_arange_int(0, c->classes, 1, HED_INT64), 1);
  return hed_astype(hed_equal(class, hed_astype(labels, HED_INT64)), c->v->real);
}

/* Classes of MEMBERS, not 0 where a sample is of the class, have samples now. */
static hed_status saw(hed_vsa_classifier *c, const hed_array *members)
{
  hed_array *now = hed_any(hed_not_equal_scalar(members, 0), &(hed_reduce){ .axes = HED_AXES(1) });
  hed_array *all = now && c->seen ? hed_logical_or(now, c->seen) : now;
  if (!all)
    return hed_error();
  hed_release(c->seen);
  c->seen = hed_keep(all);
  return HED_OK;
}

/* The sum of the vectors X (m, ..) as a row of numbers. Of integers that are these numbers it is exact, and reads them as they are. */
static hed_array *total(const hed_vsa_classifier *c, const hed_array *x)
{
  const hed_reduce first = { .axes = HED_AXES(0) };
  const bool plain = c->v->model == HED_VSA_MAP && c->v->o.layout != HED_VSA_PACKED;
  return hed_sum(plain ? x : rows(c, x), &first);
}

/* Vectors that are not their numbers, class by class: what is made of them is as large as those of one class. */
static hed_status add_by_class(hed_vsa_classifier *c, const hed_array *x, const hed_array *labels)
{
  hed_array *order = hed_argsort(labels, NULL);
  hed_array *counts = order ? hed_bincount(labels, NULL, c->classes) : NULL;
  hed_array *more = counts ? hed_zeros(hed_array_shape(c->sums), hed_array_dtype(c->sums)) : NULL;
  double *count = malloc((size_t)c->classes * sizeof *count);
  hed_status status = !count ? hed_fail(HED_E_NOMEM, "hed_vsa_classifier_fit: no memory for %lld counts", (long long)c->classes)
                      : more ? hed_tolist(counts, count, c->classes) : hed_error();
  for (int64_t k = 0, from = 0; status == HED_OK && k < c->classes; from += (int64_t)count[k], k++)
    if (count[k] > 0)
      HED_SCOPE_OR(status = hed_error()) {
        const hed_array *own = hed_take(x, hed_slice(order, 1, &HED_RANGE(from, from + (int64_t)count[k], 1)), 0);
        hed_array *sum = own ? total(c, own) : NULL;
        status = sum ? hed_copy_into(hed_index(more, 0, k), hed_astype(hed_ravel(sum), hed_array_dtype(more))) : hed_error();
      }
  free(count);
  return status == HED_OK ? hed_add_into(c->sums, c->sums, more) : status;
}

/* X (n, ..) joins the sums of the classes that LABELS name. */
static hed_status add_samples(hed_vsa_classifier *c, const hed_array *x, const hed_array *labels)
{
  if (hed_array_dtype(x) != hed_array_dtype(c->sums))
    return add_by_class(c, x, labels);
  hed_array *own = rows(c, x);
  return own ? hed_accumulate(c->sums, 1, &HED_IDX(labels), own, HED_SCATTER_ADD) : hed_error();
}

/* The read-out of least squares with a ridge in place of the sums: by as many equations as there are vectors or elements, whichever
 * are fewer. */
static hed_status read_out(hed_vsa_classifier *c, const hed_array *members, const hed_array *x)
{
  const hed_dtype own = hed_array_dtype(c->sums);
  const bool complex_ = hed_dtype_kind(own) == HED_KIND_COMPLEX, wide = hed_device_supports(NULL, "float64") == 1;
  const hed_dtype t = wide ? (complex_ ? HED_COMPLEX128 : HED_FLOAT64) : own;
  hed_array *rows_ = x ? hed_astype(x, t) : NULL, *y = hed_astype(hed_matrix_transpose(members), t);
  hed_array *columns = rows_ ? hed_matrix_transpose(complex_ ? hed_conj(rows_) : rows_) : NULL;
  if (!columns || !y)
    return hed_error();
  const int64_t n = hed_array_shape(rows_).dim[0], elements = hed_array_shape(rows_).dim[1];
  const bool by_vectors = n <= elements;
  hed_array *gram = by_vectors ? hed_matmul(rows_, columns) : hed_matmul(columns, rows_);
  hed_array *ridged = gram ? hed_add(gram, hed_multiply_scalar(hed_eye(by_vectors ? n : elements, by_vectors ? n : elements, 0, t),
                                                               c->o.ridge)) : NULL;
  hed_array *w = !ridged ? NULL : by_vectors ? hed_matmul(columns, hed_solve(ridged, y)) : hed_solve(ridged, hed_matmul(columns, y));
  hed_array *out = w ? hed_astype(hed_matrix_transpose(w), own) : NULL;
  return out ? hed_copy_into(c->sums, out) : hed_error();
}

hed_status hed_vsa_classifier_fit(hed_vsa_classifier *c, const hed_array *x, const hed_array *labels)
{
  hed_status status = samples_fit(c, "hed_vsa_classifier_fit", x, labels);
  if (status != HED_OK)
    return status;
  if (hed_array_size(labels) == 0)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *members = membership(c, labels);
    if (c->o.ridge > 0)
      status = members ? read_out(c, members, rows(c, x)) : hed_error();
    else
      status = members ? add_samples(c, x, labels) : hed_error();
    if (status == HED_OK)
      status = saw(c, members);
  }
  return status;
}

static hed_array *prototypes(const hed_vsa_classifier *c)
{
  const hed_shape s = hed__vsa_joined(HED_SHAPE(c->classes), hed__vsa_numbers_shape(c->v));
  return c->v->ops->quantise(c->v, hed_reshape(c->sums, s));
}

static hed_array *scores(const hed_vsa_classifier *c, const hed_array *x)
{
  if (!c->o.raw && c->o.ridge == 0)
    return hed_vsa_similarity_matrix(c->v, x, prototypes(c));
  hed_shape out = hed__vsa_batch_shape(c->v, x);
  out.dim[out.ndim++] = c->classes;
  if (c->o.ridge > 0) {
    hed_array *values = hed_matmul(rows(c, x), hed_matrix_transpose(c->sums));
    return values ? hed_reshape(hed_real(values), out) : NULL;
  }
  return hed_reshape(hed__vsa_cosine_matrix(c->v, rows(c, x), c->sums), out);
}

hed_status hed_vsa_classifier_retrain(hed_vsa_classifier *c, const hed_array *x, const hed_array *labels, int64_t epochs,
                                      double rate, int64_t *wrong)
{
  int64_t errors = 0;
  hed_status status = samples_fit(c, "hed_vsa_classifier_retrain", x, labels);
  if (status != HED_OK)
    return status;
  if (c->o.ridge > 0)
    return hed_fail(HED_E_UNSUPPORTED, "hed_vsa_classifier_retrain: the classifier has ridge %g, and no sums", c->o.ridge);
  if (epochs < 1 || !isfinite(rate))
    return hed_fail(HED_E_INVAL, "hed_vsa_classifier_retrain: epochs %lld, rate %g", (long long)epochs, rate);
  if (!c->seen) /* as learning from the first sample does: what is asked has to be there */
    return hed_fail(HED_E_INVAL, "hed_vsa_classifier_retrain: no class has a sample; hed_vsa_classifier_fit() comes first");
  for (int64_t k = 0; status == HED_OK && k < epochs && (k == 0 || errors > 0); k++)
    HED_PROFILE_RANGE("epoch") HED_SCOPE_OR(return hed_error()) {
      hed_array *taken = hed_vsa_classifier_predict(c, x);
      hed_array *change = hed_subtract(membership(c, labels), membership(c, taken)); /* 0 where it was right */
      if (c->o.online)
        change = hed_multiply(change, hed_scalar_subtract(1, hed_matrix_transpose(scores(c, x))));
      hed_array *count = hed_count_nonzero(hed_not_equal(taken, labels), NULL);
      status = change && count ? hed_item_int(count, &errors) : hed_error();
      if (status == HED_OK && errors > 0)
        status = add(c, hed_multiply_scalar(change, rate), rows(c, x));
      if (status == HED_OK)
        status = saw(c, membership(c, labels));
    }
  if (status == HED_OK && wrong)
    *wrong = errors;
  return status;
}

/* ---- what was learned ---- */

static bool fits(const hed_vsa_classifier *c, const char *op, const hed_array *x)
{
  if (!c)
    (void)hed_fail(HED_E_INVAL, "%s: the classifier is NULL", op);
  return c && hed__vsa_fits(c->v, op, "x", x);
}

hed_array *hed_vsa_classifier_scores(const hed_vsa_classifier *c, const hed_array *x)
{
  hed_array *out = NULL;
  if (!fits(c, "hed_vsa_classifier_scores", x))
    return NULL;
  HED_SCOPE out = hed_keep(scores(c, x));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_classifier_predict(const hed_vsa_classifier *c, const hed_array *x)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *out = NULL;
  if (!fits(c, "hed_vsa_classifier_predict", x))
    return NULL;
  if (!c->seen) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_classifier_predict: no class has a sample; hed_vsa_classifier_fit() comes first");
    return NULL;
  }
  HED_SCOPE {
    hed_array *all = scores(c, x); /* a class without samples never wins */
    out = all ? hed_keep(hed_astype(hed_argmax(hed_where_scalar(c->seen, all, -INFINITY), &last), HED_INT64)) : NULL;
  }
  return hed__vsa_out(out);
}

hed_array *hed_vsa_classifier_prototypes(const hed_vsa_classifier *c)
{
  hed_array *out = NULL;
  if (!c)
    (void)hed_fail(HED_E_INVAL, "hed_vsa_classifier_prototypes: the classifier is NULL");
  else
    HED_SCOPE out = hed_keep(prototypes(c));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_classifier_sums(const hed_vsa_classifier *c)
{
  hed_array *out = NULL;
  if (!c)
    (void)hed_fail(HED_E_INVAL, "hed_vsa_classifier_sums: the classifier is NULL");
  else
    HED_SCOPE out = hed_keep(hed_copy(hed_reshape(c->sums, hed__vsa_joined(HED_SHAPE(c->classes), hed__vsa_numbers_shape(c->v)))));
  return hed__vsa_out(out);
}
