// SPDX-License-Identifier: BSD-3-Clause
/* A low-rank part and outliers by an inexact augmented Lagrangian.
 *
 * Layer: L4, tensor kit. Every mode n has a copy J_n of the low-rank part L whose unfolding is shrunk. With duals over the penalty, E
 * of X = L + S and D_n of L = J_n, and q the penalty of the sweep before over this one's, a sweep is
 *   J_n = shrink(L + q D_n),  K_n = J_n - q D_n,  L = (X - S + E + sum K_n) / (N + 1),  D_n = L - K_n,
 *   S = soft(X - L + E),      E = q' (X - L + E - S).
 * So of each mode only K_n is held. With U diag(s) of the unfolding of Z its shrunk one is U diag((s - t) / s) U^H Z: products along
 * the mode, for which the Gram matrix is enough, and only the columns of U whose s is above t.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/sweeps.h"
#include "kits/tensor/tree.h"
#include <heddle/kits/tensor_robust.h>
#include <math.h>

typedef struct split {
  const char *op;
  int order;
  hed_array *x, *known;              /* X with zeros where it is not known; NULL: all known */
  hed_array *low, *sparse, *dual;    /* L, S, E; kept, as the next ones                     */
  hed_array *copy[HED_MAX_NDIM];     /* K_n, NULL: 0 as L is                                */
  int exponent;                      /* all of it is the data's over 2^exponent             */
  double squares, lambda, mu, factor, mu_max;
  double ratio;                      /* q */
} split;

static void take(hed_array **slot, hed_array *x)
{
  hed_release(*slot);
  *slot = hed_keep(x);
}

/* Z with the singular values of its unfolding along MODE lowered by T; *NONE: all of them are, to 0. */
static hed_array *shrunk(const hed_array *z, int mode, double t, bool *none)
{
  int64_t many = 0;
  hed_array *w = NULL, *v = NULL;
  *none = false;
  if (!z || hed__tensor_eigh(hed__gram_of_mode(z, mode), &w, &v) != HED_OK)
    return NULL;
  hed_array *s = hed_sqrt(hed_maximum_scalar(w, 0)), *count = hed_count_nonzero(hed_greater_scalar(s, t), NULL);
  if (!count || hed_item_int(count, &many) != HED_OK)
    return NULL;
  const int64_t extent = hed_array_size(s);
  *none = many == 0;
  if (many == 0)
    return NULL;
  hed_array *first = HED_GET(s, HED_SLICE(extent - many, extent, 1));
  hed_array *basis = HED_GET(v, HED_WHOLE, HED_SLICE(extent - many, extent, 1));
  hed_array *keep = first ? hed_divide(hed_subtract_scalar(first, t), first) : NULL, *scaled = hed_multiply(basis, keep);
  if (2 * many < extent)
    return hed_mode_dot(hed_mode_dot(z, basis, mode, true), scaled, mode, false);
  hed_array *m = hed_matmul(scaled, hed__tensor_conj(hed_matrix_transpose(basis)));
  return m ? hed_mode_dot(z, m, mode, false) : NULL;
}

/* K_N; as long as L and it are 0 there is nothing to shrink. */
static hed_status copy_of_mode(split *f, int n)
{
  hed_array *z = NULL, *j = NULL, *k = NULL;
  bool none = false;
  if (!f->low)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    HED_FUSED
      z = f->copy[n] ? hed_add(f->low, hed_multiply_scalar(hed_subtract(f->low, f->copy[n]), f->ratio))
                     : hed_add(f->low, hed_multiply_scalar(f->low, f->ratio));
    j = hed_keep(shrunk(z, n, 1 / f->mu, &none));
    if (!j && !none)
      return hed_error();
  }
  HED_FUSED
    HED_SCOPE {
      hed_array *dual = f->copy[n] ? hed_subtract(f->copy[n], f->low) : hed_negative(f->low);
      k = dual ? hed_multiply_scalar(dual, f->ratio) : NULL;
      k = hed_keep(j && k ? hed_add(k, j) : k);
    }
  hed_release(j);
  if (!k)
    return hed_error();
  hed_release(f->copy[n]);
  f->copy[n] = k;
  return HED_OK;
}

/* L from what the equations say of it. */
static void mean_of_copies(split *f)
{
  hed_array *low = NULL;
  HED_FUSED
    HED_SCOPE {
      hed_array *sum = f->sparse ? hed_add(hed_subtract(f->x, f->sparse), f->dual) : hed__tensor_same(f->x);
      for (int n = 0; n < f->order; n++)
        sum = f->copy[n] ? hed_add(sum, f->copy[n]) : sum;
      low = hed_keep(hed_divide_scalar(sum, f->order + 1));
    }
  hed_release(f->low);
  f->low = low;
}

/* X less what soft thresholding by T leaves of it. */
static hed_array *within(const hed_array *x, double t)
{
  if (hed_dtype_kind(hed_array_dtype(x)) != HED_KIND_COMPLEX)
    return hed_clip(x, -t, t);
  hed_array *size = hed_abs(x), *most = size ? hed_full_like(size, t) : NULL;
  return hed_multiply(x, hed_divide_where(hed_greater_scalar(size, t), most, size, 1));
}

/* S and E; *NORM, kept, of X - L - S. NEXT is the next q. */
static void outliers(split *f, double next, hed_array **norm)
{
  HED_FUSED
    HED_SCOPE {
      hed_array *rest = hed_subtract(f->x, f->low), *off = f->dual ? hed_add(rest, f->dual) : rest;
      hed_array *bound = off ? within(off, f->lambda / f->mu) : NULL;
      if (f->known) /* elsewhere S takes up all of the difference, at no cost */
        bound = bound ? hed_where_scalar(f->known, bound, 0) : NULL;
      hed_array *miss = bound && f->dual ? hed_subtract(bound, f->dual) : bound;
      *norm = miss ? hed_keep(hed_vector_norm(miss, 2, NULL)) : NULL;
      take(&f->sparse, bound ? hed_subtract(off, bound) : NULL);
      take(&f->dual, bound ? hed_multiply_scalar(bound, next) : NULL);
    }
}

static hed_status sweep(split *f, double *error)
{
  hed_array *norm = NULL;
  hed_status status = HED_OK;
  double size = 0;
  for (int n = 0; n < f->order && status == HED_OK; n++)
    status = copy_of_mode(f, n);
  if (status != HED_OK)
    return status;
  mean_of_copies(f);
  const double mu = fmin(f->mu * f->factor, f->mu_max);
  if (f->low)
    outliers(f, f->mu / mu, &norm);
  status = f->low && f->sparse && f->dual && norm ? hed_item(norm, &size) : hed_error();
  hed_release(norm);
  if (status == HED_OK && !isfinite(size))
    status = hed_fail(HED_E_INVAL, "%s: the difference overflows", f->op);
  *error = f->squares > 0 ? size / sqrt(f->squares) : 0;
  f->ratio = f->mu / mu;
  f->mu = mu;
  return status;
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
  char one[160];
  const hed_shape s = hed_array_shape(x);
  int64_t longest = 1;
  double value = 0;
  hed_array *operand = hed__tensor_operand(f->op, "x", x);
  if (!operand)
    return hed_error();
  if (s.ndim < 2 || s.ndim > 15 || hed_array_size(x) == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s; 2 to 15 axes and elements are expected", f->op, hed__shape_words(s, one));
  if (!(o->lambda >= 0 && o->mu >= 0 && o->mu_max >= 0 && (o->mu_factor == 0 || o->mu_factor >= 1)))
    return hed_fail(HED_E_INVAL, "%s: lambda %g, mu %g, mu_factor %g, mu_max %g; 0 or more, the factor 1 or more, are expected", f->op,
                    o->lambda, o->mu, o->mu_factor, o->mu_max);
  f->order = s.ndim;
  for (int n = 0; n < s.ndim; n++)
    longest = s.dim[n] > longest ? s.dim[n] : longest;
  if (o->mask) {
    take(&f->known, hed__tensor_mask(f->op, "x", x, o->mask, NULL));
    if (!f->known)
      return hed_error();
    operand = f->known ? hed_where_scalar(f->known, operand, 0) : NULL;
  }
  take(&f->x, operand ? hed__in_c_order(operand) : NULL);
  hed_status status = f->x ? hed__tensor_exponent(f->op, "x", f->x, &f->exponent) : hed_error();
  f->exponent = hed__tensor_exponent_needed(f->exponent);
  if (status == HED_OK)
    status = hed__tensor_rescale(&f->x, -f->exponent);
  if (status == HED_OK)
    status = hed__tensor_squares(f->op, "x", f->x, &f->squares);
  if (status == HED_OK)
    status = largest_value(f, &value);
  f->lambda = o->lambda > 0 ? o->lambda : (s.ndim <= 3 ? 1.5 : 1) / sqrt((double)longest);
  f->mu = o->mu > 0 ? ldexp(o->mu, f->exponent) : value > 0 ? 1.25 / value : 1;
  f->factor = o->mu_factor > 0 ? o->mu_factor : 1.1;
  f->mu_max = o->mu_max > 0 ? ldexp(o->mu_max, f->exponent) : 1e7 * f->mu;
  return status;
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
  if (status == HED_OK && (!f.sparse || !f.low))
    status = hed_error();
  if (status == HED_OK)
    status = hed__tensor_rescale(&f.low, f.exponent);
  if (status == HED_OK)
    status = hed__tensor_rescale(&f.sparse, f.exponent);
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
  for (int n = 0; n < HED_MAX_NDIM; n++)
    hed_release(f.copy[n]);
  return status;
}
