// SPDX-License-Identifier: BSD-3-Clause
/* Moments of templates: center_of_mass, in host memory in one pass, normalize_template. L3. */
#include "api/call/check.h"
#include "api/image/filters.h"
#include "api/image/image.h"
#include "api/call/infer.h"

#include "base/cast.h"
#include "composite/composed.h"
#include "core/memory/memory.h"
#include "core/array/transfer.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

enum { RUN = 256, LANES = 4 };

/* Adds N elements of dtype T at X, the first of which has index FIRST along their axis, to *SUM, and their products with the
 * index to *WEIGHTED; those that are not above CUTOFF count as 0 unless ALL count. */
static void add_run(int t, const char *x, int64_t first, int64_t n, double cutoff, bool all, double *sum, double *weighted)
{
  double v[RUN], s[LANES] = { 0 }, w[LANES] = { 0 };
  hed__cast(t, HED_ID_FLOAT64)(n, (char *)v, sizeof *v, x, hed__id_size(t));
  for (int64_t k = n; k < (n + LANES - 1) / LANES * LANES; k++)
    v[k] = 0;
  for (int64_t k = 0; k < n; k += LANES) /* sums that do not wait for each other */
    for (int l = 0; l < LANES; l++) {
      const double taken = all || v[k + l] > cutoff ? v[k + l] : 0;
      s[l] += taken;
      w[l] += taken * (double)(first + k + l);
    }
  *sum += (s[0] + s[1]) + (s[2] + s[3]);
  *weighted += (w[0] + w[1]) + (w[2] + w[3]);
}

/* The same by operations, in a frame: the sum of each of the last D axes' index times element, and last that of all elements. */
static hed_array *moments(const hed_array *x, int d, double cutoff)
{
  const int ndim = x->view.ndim;
  const hed_array *part[HED_MAX_NDIM + 1];
  hed_array *f = hed_astype(x, hed__wide_float(x->storage->device));
  if (f && !(isinf(cutoff) && cutoff < 0))
    f = hed_where(hed_greater_scalar(f, cutoff), f, hed_scalar(0));
  for (int j = 0; j < d && f; j++) {
    hed_reduce others = { .axes = { .n = 0 } };
    for (int k = 0; k < ndim; k++)
      if (k != ndim - d + j)
        others.axes.axis[others.axes.n++] = k;
    hed_array *line = others.axes.n ? hed_sum(f, &others) : f;
    hed_array *index = hed_arange_int(0, x->view.dim[ndim - d + j], 1, hed_array_dtype(f));
    if (!(part[j] = line && index ? hed_sum(hed_multiply(line, index), NULL) : NULL))
      return NULL;
  }
  return f && (part[d] = hed_sum(f, NULL)) ? hed_stack(d + 1, part, 0) : NULL;
}

static hed_status from_moments(const hed_array *x, int d, double cutoff, double *c, double *total)
{
  hed_array *m = moments(x, d, cutoff);
  double list[HED_MAX_NDIM + 1];
  const hed_status status = m ? hed_tolist(m, list, d + 1) : hed_error();
  if (status == HED_OK)
    *total = list[d];
  for (int j = 0; j < d && status == HED_OK; j++)
    c[j] = *total != 0 ? list[j] / *total : (double)NAN;
  return status;
}

hed_status hed__center_of_mass(const char *op, const hed_array *x, int d, double cutoff, double *c, double *total)
{
  const hed_view *v = &x->view;
  if (!x->storage->device->host) {
    hed_scope scope;
    hed_status status = hed_scope_begin(&scope);
    if (status == HED_OK) {
      status = from_moments(x, d, cutoff, c, total);
      hed_scope_end(&scope);
    }
    return status;
  }
  int64_t n = hed__view_size(v);
  size_t size = (size_t)hed__id_size(v->dtype);
  double sum[HED_MAX_NDIM] = { 0 };
  *total = 0;
  char *raw = hed__buffer_new((size_t)n * size, op);
  if (!raw)
    return hed_error();
  hed_view copy = *v;
  copy.data = raw;
  hed__c_strides(v->ndim, v->dim, (int64_t)size, copy.stride);
  hed_status status = hed__copy_out(x, &copy);
  const bool all = isinf(cutoff) && cutoff < 0;
  const int64_t width = d > 0 ? v->dim[v->ndim - 1] : 1;
  for (int64_t k = 0; k < n && status == HED_OK; k += width) {
    double row = 0;
    for (int64_t i = 0; i < width; i += RUN)
      add_run(v->dtype, raw + (size_t)(k + i) * size, i, width - i < RUN ? width - i : RUN, cutoff, all, &row,
              &sum[d > 0 ? d - 1 : 0]);
    *total += row;
    int64_t rest = k / width;
    for (int j = d - 2; j >= 0; j--) {
      int64_t extent = v->dim[v->ndim - d + j];
      sum[j] += row * (double)(rest % extent);
      rest /= extent;
    }
  }
  hed__buffer_free(raw);
  for (int j = 0; j < d; j++)
    c[j] = *total != 0 ? sum[j] / *total : (double)NAN;
  return status;
}

hed_array *HED_BODY(center_of_mass)(const hed_array *x, double cutoff)
{
  const char *op = "center_of_mass";
  double c[HED_MAX_NDIM], total;
  if (!hed__given(x, op, "x") ||
      hed__check_domain(op, hed__op_rows[HED_OP_CENTER_OF_MASS].domain, "x", x->view.dtype) != HED_OK)
    return NULL;
  if (isnan(cutoff)) {
    hed_fail(HED_E_INVAL, "%s: cutoff is NaN", op);
    return NULL;
  }
  const int d = x->view.ndim;
  composed frame;
  if (composed_begin(&frame, HED_OP_CENTER_OF_MASS, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (!frame.ex.in[0]->storage->device->host) {
    hed_array *m = moments(frame.ex.in[0], d, cutoff), *sum = m ? hed_index(m, 0, d) : NULL;
    hed_array *quotient = sum ? hed_divide(hed_slice(m, 1, &HED_RANGE(0, d, 1)), sum) : NULL;
    out = quotient ? hed_where(hed_equal_scalar(sum, 0), hed_scalar((double)NAN), quotient) : NULL;
  } else if (hed__center_of_mass(op, frame.ex.in[0], d, cutoff, c, &total) == HED_OK) {
    out = hed__from_doubles(c, d);
  }
  return composed_end(&frame, out);
}

/* ---- normalize_template ---- */

enum { WIDE, MASK, PRODUCT, SQUARES, SUM, SUM_SQ, COUNT, MEAN, MEAN_SQ, VARIANCE, DEVIATION, FLAT, SCALE, CENTRED, PARTS };

/* Parts of T under mask M, G the template; every intermediate result is kept until the end. */
static hed_status normalize(hed_array *g, const hed_array *m, double n_obs, const hed_reduce *over)
{
  hed_array *a[PARTS] = { NULL };
  hed_dtype wide = g->view.dtype == HED_ID_FLOAT64 ? HED_FLOAT64 : HED_FLOAT32;
  hed_reduce all = *over;
  all.dtype = hed__wide_float(g->storage->device);
  hed_status status = HED_OK;
#define STEP(k, expression)                                     \
  if (status == HED_OK && !(a[k] = (expression)))               \
    status = hed_error()
  STEP(WIDE, hed_astype(g, wide));
  STEP(MASK, hed_astype(m, wide));
  STEP(PRODUCT, hed_multiply(a[WIDE], a[MASK]));
  STEP(SQUARES, hed_multiply(a[WIDE], a[PRODUCT]));
  STEP(SUM, hed_sum(a[PRODUCT], &all));
  STEP(SUM_SQ, hed_sum(a[SQUARES], &all));
  if (n_obs == 0) { /* the mask may be repeated along axes of the template */
    hed_array *whole = status == HED_OK ? hed_broadcast_to(a[MASK], hed_array_shape(g)) : NULL;
    if (status == HED_OK && !whole)
      status = hed_error();
    STEP(COUNT, hed_sum(whole, &all));
    hed_release(whole);
  } else {
    STEP(COUNT, hed_full(HED_SHAPE0, n_obs, all.dtype));
  }
  STEP(MEAN, hed_divide(a[SUM], a[COUNT]));
  STEP(MEAN_SQ, hed_square(a[MEAN]));
  STEP(VARIANCE, hed_divide(a[SUM_SQ], a[COUNT]));
  if (status == HED_OK)
    status = hed_subtract_into(a[VARIANCE], a[VARIANCE], a[MEAN_SQ]);
  if (status == HED_OK)
    status = hed_maximum_scalar_into(a[VARIANCE], a[VARIANCE], 0);
  STEP(DEVIATION, hed_sqrt(a[VARIANCE]));
  STEP(FLAT, hed_equal_scalar(a[DEVIATION], 0));
  if (status == HED_OK) /* 1 / deviation, 0 where there is none */
    status = hed_add_into(a[DEVIATION], a[DEVIATION], a[FLAT]);
  STEP(SCALE, hed_reciprocal(a[DEVIATION]));
  if (status == HED_OK)
    status = hed_subtract_into(a[SCALE], a[SCALE], a[FLAT]);
  if (status == HED_OK)
    status = hed_maximum_scalar_into(a[SCALE], a[SCALE], 0);
  STEP(CENTRED, hed_subtract(a[WIDE], a[MEAN]));
  if (status == HED_OK)
    status = hed_multiply_into(a[CENTRED], a[CENTRED], a[SCALE]);
  if (status == HED_OK)
    status = hed_multiply_into(g, a[CENTRED], a[MASK]);
#undef STEP
  for (int k = 0; k < PARTS; k++)
    hed_release(a[k]);
  return status;
}

hed_status HED_BODY(normalize_template)(hed_array *template_, const hed_array *mask, double n_obs, const hed_axes *axes)
{
  const char *op = "normalize_template";
  if (!hed__given(template_, op, "template") || !hed__given(mask, op, "mask"))
    return hed_error();
  hed_shape a = hed__shape_of(template_), b = hed__shape_of(mask), both;
  uint32_t set;
  hed_status status = hed__check_domain(op, hed__op_rows[HED_OP_NORMALIZE_TEMPLATE].domain, "template", template_->view.dtype);
  if (status == HED_OK)
    status = hed__check_domain(op, "bif", "mask", mask->view.dtype);
  if (status == HED_OK)
    status = hed__check_axes(op, axes, a.ndim, &set);
  if (status == HED_OK && (!hed__broadcast(&a, &b, &both) || !hed__shape_equal(a.ndim, a.dim, both.ndim, both.dim)))
    status = hed_fail(HED_E_SHAPE, "%s: mask of shape %s does not broadcast to %s, the template's", op, HED__TEXT(&b),
                      HED__TEXT(&a));
  if (status == HED_OK && (!(n_obs >= 0) || isinf(n_obs)))
    status = hed_fail(HED_E_INVAL, "%s: n_obs is %g, not finite and at least 0", op, n_obs);
  if (status == HED_OK)
    status = hed__check_out(op, template_, a.ndim, a.dim);
  if (status == HED_OK)
    status = hed__check_overlap(op, template_, &template_->view, "template", mask, &mask->view, "mask", false);
  hed__exec ex;
  hed__forced forced;
  const hed_array *operands[2] = { template_, mask };
  if (status != HED_OK || (status = hed__plan(&ex, HED_OP_NORMALIZE_TEMPLATE, 2, operands)) != HED_OK)
    return status;
  status = hed__check_writable(op, &ex, 0);
  if (status == HED_OK && (status = hed__force_begin(&forced, &ex)) == HED_OK) {
    hed_reduce over = { .keepdims = true };
    if (axes)
      over.axes = *axes;
    status = normalize(template_, ex.in[1], n_obs, &over);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return status;
}
