// SPDX-License-Identifier: BSD-3-Clause
/* Filters made of correlations along axes: Gaussian, mean, Laplacian, Sobel. L3. */
#include "api/call/check.h"
#include "api/image/filters.h"
#include "api/call/infer.h"

#include "core/memory/memory.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <math.h>

/* What the filters have in common: checks, where they run, the axes. */
typedef struct filtering {
  hed__exec ex;
  hed__forced forced;
  const hed_array *x;
  const hed_filter *opt;
  uint32_t axes;
} filtering;

/* True: begun; leave must follow. */
static bool enter(filtering *p, int op, const hed_array *x, const hed_filter *opt)
{
  const char *name = hed__op_rows[op].name;
  p->opt = opt ? opt : &hed__filter_defaults;
  if (!hed__given(x, name, "x") || hed__check_domain(name, hed__op_rows[op].domain, "x", x->view.dtype) != HED_OK ||
      hed__check_boundary(name, p->opt->boundary) != HED_OK ||
      hed__check_axes(name, &p->opt->axes, x->view.ndim, &p->axes) != HED_OK || hed__plan(&p->ex, op, 1, &x) != HED_OK)
    return false;
  p->x = p->ex.in[0];
  if (hed__force_begin(&p->forced, &p->ex) == HED_OK)
    return true;
  hed__exec_end(&p->ex);
  return false;
}

static hed_array *leave(filtering *p, hed_array *out)
{
  hed__force_end(&p->forced);
  hed__exec_end(&p->ex);
  return out;
}

/* X (released) correlated along AXIS. */
static hed_array *along(const filtering *p, hed_array *x, const double *weights, int64_t n, double divisor, int axis)
{
  hed_array *out = x ? hed__correlate(x, weights, n, divisor, axis, p->opt) : NULL;
  hed_release(x);
  return out;
}

/* A real copy: what a filter that touches no axis gives. */
static hed_array *begin(const filtering *p) { return hed_multiply_scalar(p->x, 1.0); }

hed_array *HED_BODY(gaussian_filter)(const hed_array *x, int n, const double *sigma, const hed_filter *opt)
{
  const char *op = "gaussian_filter";
  filtering p;
  if (!enter(&p, HED_OP_GAUSSIAN_FILTER, x, opt))
    return NULL;
  double truncate = p.opt->truncate == 0 ? 4 : p.opt->truncate;
  int count = 0, used = 0;
  for (int k = 0; k < x->view.ndim; k++)
    count += p.axes >> k & 1;
  if (!sigma || (n != 1 && n != count)) {
    hed_fail(HED_E_INVAL, "%s: %d sigmas are given for %d axes", op, sigma ? n : 0, count);
    return leave(&p, NULL);
  }
  if (!(truncate > 0) || isinf(truncate)) {
    hed_fail(HED_E_INVAL, "%s: truncate is %g, not finite and above 0", op, truncate);
    return leave(&p, NULL);
  }
  for (int k = 0; k < n; k++)
    if (!(sigma[k] >= 0) || sigma[k] * truncate > 1e6) {
      hed_fail(HED_E_INVAL, "%s: sigma is %g; from 0 to %g is possible", op, sigma[k], 1e6 / truncate);
      return leave(&p, NULL);
    }
  hed_array *out = begin(&p);
  for (int k = 0; k < x->view.ndim && out; k++) {
    if (!(p.axes >> k & 1))
      continue;
    double s = sigma[n == 1 ? 0 : used++], sum = 0;
    int64_t radius = (int64_t)(truncate * s + 0.5);
    if (!(s > 0))
      continue;
    double *w = hed__buffer_new((size_t)(2 * radius + 1) * sizeof *w, op);
    if (!w) {
      hed_release(out);
      return leave(&p, NULL);
    }
    for (int64_t j = -radius; j <= radius; j++)
      sum += w[j + radius] = exp(-0.5 * (double)(j * j) / (s * s));
    for (int64_t j = 0; j <= 2 * radius; j++)
      w[j] /= sum;
    out = along(&p, out, w, 2 * radius + 1, 0, k);
    hed__buffer_free(w);
  }
  return leave(&p, out);
}

/* Weights are a power of two, with which sums do not overflow, and the sum is divided by what it is of ones: a mean of equals is
 * exactly that. */
hed_array *HED_BODY(uniform_filter)(const hed_array *x, int64_t size, const hed_filter *opt)
{
  const char *op = "uniform_filter";
  filtering p;
  if (!enter(&p, HED_OP_UNIFORM_FILTER, x, opt))
    return NULL;
  double *w = NULL;
  if (size < 1 || size > 10000000) {
    hed_fail(HED_E_INVAL, "%s: size is %lld, 1 to 10000000 are possible", op, (long long)size);
    return leave(&p, NULL);
  }
  if (!(w = hed__buffer_new((size_t)size * sizeof *w, op)))
    return leave(&p, NULL);
  int exponent;
  frexp((double)size, &exponent);
  for (int64_t j = 0; j < size; j++)
    w[j] = ldexp(1, -exponent);
  hed_array *out = begin(&p);
  for (int k = 0; k < x->view.ndim && out; k++)
    if (p.axes >> k & 1)
      out = along(&p, out, w, size, ldexp((double)size, -exponent), k);
  hed__buffer_free(w);
  return leave(&p, out);
}

hed_array *HED_BODY(laplace)(const hed_array *x, const hed_filter *opt)
{
  static const double second[3] = { 1, -2, 1 };
  filtering p;
  if (!enter(&p, HED_OP_LAPLACE, x, opt))
    return NULL;
  hed_array *out = NULL;
  bool good = true;
  for (int k = 0; k < x->view.ndim && good; k++) {
    if (!(p.axes >> k & 1))
      continue;
    hed_array *term = hed__correlate(p.x, second, 3, 0, k, p.opt);
    if (!term)
      good = false;
    else if (!out)
      out = term;
    else {
      good = hed_add_into(out, out, term) == HED_OK;
      hed_release(term);
    }
  }
  if (good && !out) { /* no axes: an empty sum */
    hed_array *copy = begin(&p);
    out = copy ? hed_zeros_like(copy) : NULL;
    hed_release(copy);
  }
  if (!good) {
    hed_release(out);
    out = NULL;
  }
  return leave(&p, out);
}

/* The Sobel derivative along AXIS, between enter() and leave(). */
static hed_array *derivative(const filtering *p, int axis)
{
  static const double difference[3] = { -1, 0, 1 }, smooth[3] = { 1, 2, 1 };
  hed_array *out = hed__correlate(p->x, difference, 3, 0, axis, p->opt);
  for (int k = 0; k < p->x->view.ndim && out; k++)
    if (k != axis && p->axes >> k & 1)
      out = along(p, out, smooth, 3, 0, k);
  return out;
}

hed_array *HED_BODY(sobel)(const hed_array *x, int32_t axis, const hed_filter *opt)
{
  filtering p;
  if (!enter(&p, HED_OP_SOBEL, x, opt))
    return NULL;
  int at = hed__check_axis("sobel", "axis", axis, x->view.ndim);
  return leave(&p, at < 0 ? NULL : derivative(&p, at));
}

hed_array *HED_BODY(gradient_magnitude)(const hed_array *x, const hed_filter *opt)
{
  filtering p;
  if (!enter(&p, HED_OP_GRADIENT_MAGNITUDE, x, opt))
    return NULL;
  hed_array *first = begin(&p), *out = first ? hed_zeros_like(first) : NULL;
  hed_status status = out ? HED_OK : hed_error();
  hed_release(first);
  for (int k = 0; k < x->view.ndim && status == HED_OK; k++) {
    if (!(p.axes >> k & 1))
      continue;
    hed_array *d = derivative(&p, k);
    status = d ? hed_square_into(d, d) : hed_error();
    if (status == HED_OK)
      status = hed_add_into(out, out, d);
    hed_release(d);
  }
  if (status == HED_OK)
    status = hed_sqrt_into(out, out);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return leave(&p, out);
}
