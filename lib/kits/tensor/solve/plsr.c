// SPDX-License-Identifier: BSD-3-Clause
/* Partial least squares of tensors.
 *
 * Layer: L4, tensor kit. The scores of a new sample are found with each component taken away before the next, t U = x W with
 * U_jc = <w_j, w_c> for j < c and ones on the diagonal, so that the whole prediction is one linear model: W U^-1 B Q^T.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/solve/regression.h"
#include "kits/tensor/solve/solve.h"
#include <math.h>
#include <stdlib.h>

typedef struct plsr {
  hed__samples data;
  int order;                       /* axes of X                                             */
  int64_t components;
  hed_array *x, *y;                /* what is left of both; kept                             */
  hed_array *direction[HED_MAX_NDIM]; /* of the component at work, per feature axis; of the scope */
  hed_array **part[HED_MAX_NDIM];  /* [axis][component]: scores, then directions; kept       */
  hed_array **u, **q, **b;         /* scores and directions of y, coefficients; kept         */
} plsr;

static void take(hed_array **slot, hed_array *x)
{
  hed_release(*slot);
  *slot = hed_keep(x);
}

static hed_array *unit(const hed_array *x) { return x ? hed_normalize_vector(x, NULL) : NULL; }

/* Z times all directions but that of SKIP (-1: none). */
static hed_array *along(const plsr *f, const hed_array *z, int first, int skip)
{
  hed_array *out = hed__tensor_same(z);
  for (int k = f->order - 1; k-- > 0;) /* from the last, so that the others keep their places */
    if (k != skip)
      out = hed_mode_dot(out, f->direction[k], k + first, false);
  return out;
}

/* The leading left vector of each unfolding of Z: a start. */
static hed_status start(plsr *f, const hed_array *z)
{
  for (int k = 0; k + 1 < f->order; k++) {
    hed_array *g = f->order == 2 ? hed_matmul(hed_expand_dims(z, 1), hed_expand_dims(z, 0)) : hed_mode_gram(z, k);
    hed_array *v = hed__tensor_leading(g, 1);
    if (!v)
      return hed_error();
    f->direction[k] = hed_index(v, 1, 0);
  }
  return HED_OK;
}

/* The component of the largest covariance, from the scores U of y on; scores T, and U and Q of y. */
static hed_status component(plsr *f, const hed_plsr_options *o, hed_array **t, hed_array **u, hed_array **q)
{
  const int64_t most = o->max_iterations ? o->max_iterations : 200;
  const double tol = o->tol > 0 ? o->tol : 1e-9;
  *u = hed_index(f->y, 1, 0);
  for (int64_t i = 0; i < most; i++) {
    double apart = 0, size = 0;
    if (o->cancel && __atomic_load_n(o->cancel, __ATOMIC_RELAXED))
      return hed_fail(HED_E_CANCELLED, "%s: cancelled", f->data.op);
    hed_array *z = hed_tensordot(f->x, *u, &HED_AXES(0), &HED_AXES(0)), *before = *u;
    if (!z || (i == 0 && start(f, z) != HED_OK))
      return hed_error();
    for (int k = 0; k + 1 < f->order; k++)
      f->direction[k] = unit(along(f, z, 0, k));
    *t = along(f, f->x, 1, -1);
    *q = *t ? unit(hed_matmul(hed_matrix_transpose(f->y), *t)) : NULL;
    *u = hed_matmul(f->y, *q);
    if (!*u || hed__tensor_squares(f->data.op, "the scores", hed_subtract(*u, before), &apart) != HED_OK ||
        hed__tensor_squares(f->data.op, "the scores", *u, &size) != HED_OK)
      return hed_error();
    if (apart <= tol * tol * size)
      break;
  }
  return HED_OK;
}

/* Columns of KEPT[0] .. KEPT[n - 1] as a matrix. */
static hed_array *columns(hed_array *const *kept, int64_t n)
{
  return hed_stack((int)n, (const hed_array *const *)kept, 1);
}

static hed_status one(plsr *f, int64_t c, const hed_plsr_options *o)
{
  HED_SCOPE_OR(return hed_error()) {
    hed_array *t = NULL, *u = NULL, *q = NULL, *outer[HED_MAX_NDIM], *b = NULL;
    hed_status status = component(f, o, &t, &u, &q);
    if (status != HED_OK)
      return status;
    outer[0] = t;
    for (int k = 1; k < f->order; k++)
      outer[k] = f->direction[k - 1];
    take(&f->x, hed_subtract(f->x, hed_outer(f->order, (const hed_array *const *)outer)));
    for (int k = 0; k < f->order; k++)
      take(&f->part[k][c], outer[k]);
    take(&f->u[c], u);
    take(&f->q[c], q);
    hed_array *scores = columns(f->part[0], c + 1);
    if (!scores || hed_lstsq(scores, u, -1, &b, NULL, NULL, NULL) != HED_OK)
      return hed_error();
    hed_array *const pair[] = { hed_matmul(scores, b), q };
    take(&f->y, hed_subtract(f->y, hed_outer(2, (const hed_array *const *)pair)));
    take(&f->b[c], hed_pad(b, HED_SHAPE(0), HED_SHAPE(f->components - c - 1), 0));
    return f->x && f->y && f->b[c] ? HED_OK : hed_error();
  }
  return hed_error();
}

/* W U^-1 B Q^T, (I_1, .., m). */
static hed_array *coefficients(const plsr *f)
{
  const hed_array *w[HED_MAX_NDIM];
  const int64_t n = f->components;
  hed_shape s = hed_array_shape(f->data.x);
  hed_array *gram = NULL;
  for (int k = 1; k < f->order; k++) {
    w[k - 1] = columns(f->part[k], n);
    hed_array *g = hed_matmul(hed_matrix_transpose(w[k - 1]), w[k - 1]);
    gram = k > 1 ? hed_multiply(gram, g) : g;
    s.dim[k - 1] = s.dim[k];
  }
  hed_array *upper = gram ? hed_add(hed_triu(gram, 1), hed_eye(n, n, 0, hed_array_dtype(gram))) : NULL;
  hed_array *inner = hed_matmul(columns(f->b, n), hed_matrix_transpose(columns(f->q, n))); /* (c, m) */
  hed_array *flat = hed_matmul(hed_khatri_rao(f->order - 1, w, NULL), hed_solve_triangular(upper, inner,
                                                                                           &(hed_triangular){ .upper = true }));
  s.dim[f->order - 1] = hed_array_shape(f->data.y).dim[1];
  return flat ? hed_reshape(flat, s) : NULL;
}

static hed_status as_cp(hed_array **const *list, int order, int64_t n, hed_cp *out)
{
  if (!out)
    return HED_OK;
  out->order = order;
  out->rank = n;
  for (int k = 0; k < order; k++)
    if (!(out->factor[k] = hed_keep(columns(list[k], n))))
      return hed_error();
  return HED_OK;
}

static hed_array **list_of(int64_t n) { return calloc((size_t)n, sizeof(hed_array *)); }

static void drop(hed_array **list, int64_t n)
{
  for (int64_t i = 0; list && i < n; i++)
    hed_release(list[i]);
  free(list);
}

static hed_status run(plsr *f, const hed_plsr_options *o, hed_regression *out, hed_cp *x_parts, hed_cp *y_parts)
{
  hed_array **const of_y[] = { f->u, f->q };
  hed_status status = HED_OK;
  for (int64_t c = 0; status == HED_OK && c < f->components; c++)
    status = one(f, c, o);
  hed_array *w = status == HED_OK ? coefficients(f) : NULL;
  if (status == HED_OK)
    status = w ? hed__samples_finish(&f->data, w, out) : hed_error();
  if (status == HED_OK)
    status = as_cp(f->part, f->order, f->components, x_parts);
  if (status == HED_OK)
    status = as_cp(of_y, 2, f->components, y_parts);
  if (status == HED_OK && x_parts) /* directions have norm 1, scores the unit */
    status = hed__tensor_rescale(&x_parts->factor[0], f->data.x_exponent);
  if (status == HED_OK && y_parts)
    status = hed__tensor_rescale(&y_parts->factor[0], f->data.y_exponent);
  return status;
}

hed_status hed_plsr(const hed_array *x, const hed_array *y, int64_t components, const hed_plsr_options *opt, hed_regression *out,
                    hed_cp *x_parts, hed_cp *y_parts)
{
  static const char op[] = "hed_plsr";
  static const hed_plsr_options defaults;
  const hed_plsr_options *o = opt ? opt : &defaults;
  plsr f = { .order = hed_array_ndim(x), .components = components };
  if (x_parts)
    *x_parts = (hed_cp){ 0 };
  if (y_parts)
    *y_parts = (hed_cp){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_regression){ 0 };
  if (components < 1 || components > 1 << 20 || o->max_iterations < 0 || !(o->tol >= 0))
    return hed_fail(HED_E_INVAL, "%s: %lld components, max_iterations %lld, tol %g", op, (long long)components,
                    (long long)o->max_iterations, o->tol);
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    status = hed__samples_take(op, x, y, true, true, &f.data);
    if (status == HED_OK) {
      bool room = (f.u = list_of(components)) && (f.q = list_of(components)) && (f.b = list_of(components));
      for (int k = 0; room && k < f.order; k++)
        room = (f.part[k] = list_of(components)) != NULL;
      status = room ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %lld components", op, (long long)components);
      take(&f.x, hed__tensor_same(f.data.x));
      take(&f.y, hed__tensor_same(f.data.y));
    }
    if (status == HED_OK)
      status = f.x && f.y ? run(&f, o, out, x_parts, y_parts) : hed_error();
  }
  if (status != HED_OK) {
    hed_regression_clear(out);
    hed_cp_clear(x_parts);
    hed_cp_clear(y_parts);
  }
  hed_release(f.x);
  hed_release(f.y);
  for (int k = 0; k < HED_MAX_NDIM; k++)
    drop(f.part[k], components);
  drop(f.u, components);
  drop(f.q, components);
  drop(f.b, components);
  return status;
}
