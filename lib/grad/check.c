// SPDX-License-Identifier: BSD-3-Clause
/* A gradient against differences. L3. */
#include "base/alloc.h"
#include "base/dtype.h"
#include "core/array/scope.h"
#include "grad/back.h"
#include <heddle/context.h>
#include <math.h>

/* Numbers in (-1, 1) without a pattern, in X's shape and dtype: what a direction is made of. */
static hed_array *direction(const hed_array *x, double phase)
{
  hed_array *n = hed_arange(0, (double)hed_array_size(x), 1, HED_FLOAT64);
  hed_array *re = hed_sin(hed_add_scalar(hed_multiply_scalar(n, 1.7), phase));
  hed_array *d = hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX
                     ? hed_add(re, hed_multiply_complex(hed_cos(hed_add_scalar(hed_multiply_scalar(n, 2.3), phase)), 0, 1)) : re;
  return hed_reshape(d, hed_array_shape(x));
}

/* Re sum conj(a) b. */
static hed_status inner(const hed_array *a, const hed_array *b, double *out)
{
  const hed_array *p = hed_sum(hed_real(hed_multiply(hed_conj(a), b)), NULL);
  return p ? hed_item(p, out) : hed_error();
}

typedef struct check {
  hed_function f;
  void *arg;
  int n;
  const hed_array *const *x;
} check;

/* What F gives at X + H D in argument K, weighted. */
static hed_status value_at(const check *c, int k, double h, const hed_array *d, double *out)
{
  hed_status status = hed_error();
  const hed_array **x = hed__malloc((size_t)c->n * sizeof *x);
  if (!x)
    return hed_fail(HED_E_NOMEM, "check_gradient: no memory for the list");
  hed_scope scope;
  if ((status = hed_scope_begin(&scope)) == HED_OK) {
    for (int i = 0; i < c->n; i++)
      x[i] = c->x[i];
    x[k] = hed_add(c->x[k], hed_multiply_scalar(d, h));
    hed_array *y = NULL;
    status = x[k] ? c->f(c->arg, c->n, x, 1, &y) : hed_error();
    if (status == HED_OK)
      status = y ? inner(direction(y, 0.5), y, out) : hed_fail(HED_E_INVAL, "check_gradient: f has made no array");
    hed__scope_refuse(hed__self, (hed__scope_mark){ NULL, 0 }, 1, &y);
    hed_scope_end(&scope);
  }
  hed__free(x);
  return status;
}

/* The gradients. */
static hed_status gradients(const check *c, hed_array **g)
{
  hed_record_scope record;
  hed_scope scope;
  hed_status status = hed_record_begin(&record);
  if (status != HED_OK)
    return status;
  const hed_array **v = hed__calloc((size_t)c->n + !c->n, sizeof *v);
  if (!v)
    status = hed_fail(HED_E_NOMEM, "check_gradient: no memory for the list");
  else if ((status = hed_scope_begin(&scope)) == HED_OK) {
    hed_array *y = NULL;
    for (int i = 0; i < c->n && status == HED_OK; i++)
      status = hed__made(v[i] = hed_variable(c->x[i]));
    if (status == HED_OK)
      status = c->f(c->arg, c->n, v, 1, &y);
    if (status == HED_OK && !y)
      status = hed_fail(HED_E_INVAL, "check_gradient: f has made no array");
    if (status == HED_OK) {
      const hed_array *w = direction(y, 0.5);
      status = w ? hed_vjp(1, (const hed_array *const[]){ y }, &w, c->n, v, g, NULL) : hed_error();
    }
    for (int i = 0; i < c->n && status == HED_OK; i++)
      hed_keep(g[i]);
    hed__scope_refuse(hed__self, (hed__scope_mark){ NULL, 0 }, 1, &y);
    hed_scope_end(&scope);
  }
  hed__free(v);
  hed_record_end(&record);
  return status;
}

hed_status hed_check_gradient(hed_function f, void *arg, int n, const hed_array *const *x, double h, double *worst)
{
  if (!f || !worst || n < 0 || (n > 0 && !x))
    return hed_fail(HED_E_INVAL, "check_gradient: %s", !f ? "f is NULL" : !worst ? "worst is NULL" : "x is no list of n arrays");
  *worst = 0;
  for (int k = 0; k < n; k++)
    if (!hed__given(x[k], "check_gradient", "x"))
      return hed_error();
    else if (x[k]->view.dtype != HED_ID_FLOAT64 && x[k]->view.dtype != HED_ID_COMPLEX128)
      return hed_fail(HED_E_DTYPE, "check_gradient: x[%d] is %s; float64 or complex128 is needed", k,
                      hed__dtypes[x[k]->view.dtype]->name);
  const check c = { f, arg, n, x };
  const double step = h > 0 ? h : 1e-5;
  hed_array **g = hed__calloc((size_t)n + !n, sizeof *g);
  hed_status status = g ? gradients(&c, g) : hed_fail(HED_E_NOMEM, "check_gradient: no memory for the list");
  for (int k = 0; k < n && status == HED_OK; k++) {
    hed_scope scope;
    double up, down, slope;
    if ((status = hed_scope_begin(&scope)) != HED_OK)
      break;
    const hed_array *d = direction(x[k], k + 1);
    if (!d || (status = value_at(&c, k, step, d, &up)) != HED_OK || (status = value_at(&c, k, -step, d, &down)) != HED_OK ||
        (status = inner(g[k], d, &slope)) != HED_OK)
      status = hed_error();
    hed_scope_end(&scope);
    if (status != HED_OK)
      break;
    const double off = fabs((up - down) / (2 * step) - slope) / fmax(1, fabs(slope));
    *worst = !(off <= *worst) ? off : *worst;
  }
  for (int k = 0; g && k < n; k++)
    hed_release(g[k]);
  hed__free(g);
  return status;
}
