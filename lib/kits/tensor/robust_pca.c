// SPDX-License-Identifier: BSD-3-Clause
/*
 * robust_pca.c: a low-rank part and outliers by an inexact augmented Lagrangian.
 *
 * Layer: L4, tensor kit. Every mode n has a copy J_n of the low-rank part whose unfolding is shrunk; with U diag(s) of the
 * unfolding of Z its shrunk one is U diag((s - t) / s) U^H times it: a product along the mode, for which the Gram matrix is enough.
 */
#include "kits/tensor/common.h"
#include <heddle/kits/tensor_robust.h>
#include "kits/tensor/sweeps.h"
#include <math.h>

typedef struct split {
  const char *op;
  int order;
  hed_array *x, *known;                      /* X with zeros where it is not known; NULL: all known */
  hed_array *low, *sparse, *dual;            /* kept, as the next two */
  hed_array *copy[HED_MAX_NDIM], *copy_dual[HED_MAX_NDIM];
  double squares, lambda, mu, factor, mu_max;
} split;

static void take(hed_array **slot, hed_array *x)
{
  hed_release(*slot);
  *slot = hed_keep(x);
}

/* Z with the singular values of its unfolding along MODE lowered by T. */
static hed_array *shrunk(const hed_array *z, int mode, double t)
{
  hed_array *w = NULL, *v = NULL;
  if (!z || hed_eigh(hed_mode_gram(z, mode), false, &w, &v) != HED_OK)
    return NULL;
  hed_array *s = hed_sqrt(hed_maximum_scalar(w, 0)), *over = hed_maximum_scalar(hed_subtract_scalar(s, t), 0);
  hed_array *keep = hed_divide_where(hed_greater_scalar(over, 0), over, s, 0);
  hed_array *m = hed_matmul(hed_multiply(v, keep), hed__tensor_conj(hed_matrix_transpose(v)));
  return m ? hed_mode_dot(z, m, mode, false) : NULL;
}

/* x towards 0 by t, the phase stays. */
static hed_array *soft(const hed_array *x, double t)
{
  hed_array *size = hed_abs(x), *over = hed_maximum_scalar(hed_subtract_scalar(size, t), 0);
  return hed_multiply(x, hed_divide_where(hed_greater_scalar(over, 0), over, size, 0));
}

static hed_status sweep(split *f, double *error)
{
  double squares = 0;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *sum = hed_add(hed_subtract(f->x, f->sparse), hed_divide_scalar(f->dual, f->mu));
    for (int n = 0; n < f->order; n++) {
      take(&f->copy[n], shrunk(hed_add(f->low, hed_divide_scalar(f->copy_dual[n], f->mu)), n, 1 / f->mu));
      sum = f->copy[n] ? hed_add(sum, hed_subtract(f->copy[n], hed_divide_scalar(f->copy_dual[n], f->mu))) : NULL;
    }
    take(&f->low, hed_divide_scalar(sum, f->order + 1));
    hed_array *rest = hed_subtract(f->x, f->low), *off = hed_add(rest, hed_divide_scalar(f->dual, f->mu));
    hed_array *outliers = soft(off, f->lambda / f->mu);
    /* where X is not known SPARSE takes up all of the difference, at no cost */
    take(&f->sparse, f->known && outliers ? hed_where(f->known, outliers, off) : outliers);
    hed_array *miss = f->sparse ? hed_subtract(rest, f->sparse) : NULL;
    take(&f->dual, miss ? hed_add(f->dual, hed_multiply_scalar(miss, f->mu)) : NULL);
    for (int n = 0; n < f->order && f->dual; n++) {
      take(&f->copy_dual[n], hed_add(f->copy_dual[n], hed_multiply_scalar(hed_subtract(f->low, f->copy[n]), f->mu)));
      if (!f->copy_dual[n])
        return hed_error();
    }
    if (!f->dual)
      return hed_error();
    const hed_status status = hed__tensor_squares(f->op, "the difference", miss, &squares);
    if (status != HED_OK)
      return status;
  }
  *error = f->squares > 0 ? sqrt(squares / f->squares) : 0;
  f->mu = fmin(f->mu * f->factor, f->mu_max);
  return HED_OK;
}

/* The largest singular value of all unfoldings. */
static hed_status largest_value(const split *f, double *out)
{
  *out = 0;
  for (int n = 0; n < f->order; n++) {
    double one = 0;
    hed_array *w = hed_eigvalsh(hed_mode_gram(f->x, n), false), *most = w ? hed_max(w, NULL) : NULL;
    if (!most || hed_item(most, &one) != HED_OK)
      return hed_error();
    *out = fmax(*out, sqrt(fmax(one, 0)));
  }
  return HED_OK;
}

static hed_status begin(split *f, const hed_array *x, const hed_robust_options *o)
{
  char one[160], other[160];
  const hed_shape s = hed_array_shape(x), m = hed_array_shape(o->mask);
  int64_t longest = 1;
  double value = 0;
  hed_array *operand = hed__tensor_operand(f->op, "x", x);
  if (!operand)
    return hed_error();
  if (s.ndim < 2 || s.ndim > 15 || hed_array_size(x) == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s; 2 to 15 axes and elements are expected", f->op, hed__tensor_shape_text(s, one));
  if (!(o->lambda >= 0 && o->mu >= 0 && o->mu_max >= 0 && (o->mu_factor == 0 || o->mu_factor >= 1)))
    return hed_fail(HED_E_INVAL, "%s: lambda %g, mu %g, mu_factor %g, mu_max %g; 0 or more, the factor 1 or more, are expected", f->op,
                    o->lambda, o->mu, o->mu_factor, o->mu_max);
  if (o->mask && !hed__tensor_same_shape(s, m))
    return hed_fail(HED_E_SHAPE, "%s: the mask has shape %s, x %s", f->op, hed__tensor_shape_text(m, one),
                    hed__tensor_shape_text(s, other));
  f->order = s.ndim;
  for (int n = 0; n < s.ndim; n++)
    longest = s.dim[n] > longest ? s.dim[n] : longest;
  if (o->mask) {
    take(&f->known, hed_not_equal_scalar(o->mask, 0));
    operand = f->known ? hed_where_scalar(f->known, operand, 0) : NULL;
  }
  take(&f->x, operand);
  hed_status status = f->x ? hed__tensor_squares(f->op, "x", f->x, &f->squares) : hed_error();
  if (status == HED_OK)
    status = largest_value(f, &value);
  f->lambda = o->lambda > 0 ? o->lambda : (s.ndim <= 3 ? 1.5 : 1) / sqrt((double)longest);
  f->mu = o->mu > 0 ? o->mu : value > 0 ? 1.25 / value : 1;
  f->factor = o->mu_factor > 0 ? o->mu_factor : 1.1;
  f->mu_max = o->mu_max > 0 ? o->mu_max : 1e7 * f->mu;
  take(&f->low, hed_zeros_like(f->x));
  take(&f->sparse, hed_zeros_like(f->x));
  take(&f->dual, hed_zeros_like(f->x));
  for (int n = 0; status == HED_OK && n < f->order; n++) {
    take(&f->copy_dual[n], hed_zeros_like(f->x));
    status = f->copy_dual[n] ? HED_OK : hed_error();
  }
  return status == HED_OK && f->low && f->sparse && f->dual ? HED_OK : hed_error();
}

hed_status hed_robust_pca(const hed_array *x, const hed_robust_options *opt, hed_array **low, hed_array **sparse, hed_fit *fit)
{
  static const hed_robust_options defaults;
  const hed_robust_options *o = opt ? opt : &defaults;
  split f = { .op = "hed_robust_pca" };
  hed__run run;
  double error = 0;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!low || !sparse)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", f.op, low ? "sparse" : "low");
  *low = *sparse = NULL;
  hed_status status = hed__run_begin(&run, f.op, &o->sweeps, 500, 0);
  const double tol = run.opt.tol;
  run.opt.tol = -1; /* the error itself is compared, not its change */
  HED_SCOPE
    status = status == HED_OK ? begin(&f, x, o) : status;
  const double enough = tol != 0 ? tol : hed__tensor_epsilon(hed_array_dtype(f.x)) < 1e-10 ? 1e-9 : 1e-6;
  while (status == HED_OK && hed__run_goes_on(&run)) {
    status = sweep(&f, &error);
    if (status == HED_OK)
      status = hed__run_swept(&run, error);
    if (status == HED_OK && !run.over && error <= enough && run.fit.n_sweeps >= run.opt.min) {
      run.over = true;
      run.fit.stopped = HED_STOP_TOLERANCE;
    }
  }
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK && f.known) /* there SPARSE is what was free */
    HED_SCOPE
      take(&f.sparse, hed_where_scalar(f.known, f.sparse, 0));
  if (status == HED_OK && !f.sparse)
    status = hed_error();
  if (status == HED_OK) {
    *low = f.low;
    *sparse = f.sparse;
    f.low = f.sparse = NULL;
  } else if (fit) {
    hed_fit_clear(fit);
  }
  hed_array *all[] = { f.x, f.known, f.low, f.sparse, f.dual };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
  for (int n = 0; n < HED_MAX_NDIM; n++) {
    hed_release(f.copy[n]);
    hed_release(f.copy_dual[n]);
  }
  return status;
}
