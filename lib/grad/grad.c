// SPDX-License-Identifier: BSD-3-Clause
/* Variables, and what gradients are asked of. L3. */
#include "base/dtype.h"
#include "core/record/capture.h"
#include "grad/back.h"

/* A handle of its own on X's storage. */
static hed_array *alias(const hed_array *x, const char *name)
{
  hed_array *y = hed__given(x, name, "x") ? hed__array_view(x, &x->view) : NULL;
  if (y)
    y->weak = x->weak;
  return y;
}

hed_array *hed_variable(const hed_array *x)
{
  hed__tls *t = hed__tls_get();
  if (!hed__named(x, "variable", "x"))
    return NULL;
  if (hed__id_kind(x->view.dtype) < HED_KIND_FLOAT || x->weak) {
    hed_fail(HED_E_DTYPE, "variable: x is %s%s; it has to be float or complex", x->weak ? "a weak scalar of " : "",
             hed__dtypes[x->view.dtype]->name);
    return NULL;
  }
  if (!t || !(t->watch & HED__WATCH_RECORD)) {
    hed_fail(HED_E_INVAL, "variable: nothing is recorded; HED_RECORD { } or hed_record_begin() begins");
    return NULL;
  }
  hed_array *v = alias(x, "variable");
  if (v && hed__record_variable(t, v) != HED_OK) {
    hed_release(v);
    v = NULL;
  }
  return v;
}

hed_array *hed_stop_gradient(const hed_array *x)
{
  hed_array *y = alias(x, "stop_gradient");
  if (y && hed__capturing())
    hed__capture_stop(hed__capturing(), x, y);
  return y;
}

bool hed_array_is_recorded(const hed_array *x)
{
  const hed__tls *t = hed__tls_peek();
  return t && t->tape && x && hed__entry_of(t->tape, x) != 0;
}

hed_status hed_vjp(int m, const hed_array *const *y, const hed_array *const *cotangent, int n, const hed_array *const *x,
                   hed_array **g, const hed_grad_options *opt)
{
  return hed__sweep("vjp", m, y, cotangent, n, x, g, opt);
}

hed_status hed_grad(const hed_array *y, int n, const hed_array *const *x, hed_array **g, const hed_grad_options *opt)
{
  for (int k = 0; g && k < n; k++)
    g[k] = NULL;
  if (!hed__named(y, "grad", "y"))
    return hed_error();
  if (y->size != 1 || hed__id_kind(y->view.dtype) == HED_KIND_COMPLEX)
    return hed_fail(HED_E_GRADIENT, "grad: y is %s of %lld elements, not one real number; hed_vjp() takes cotangents of others",
                    hed__dtypes[y->view.dtype]->name, (long long)y->size);
  const hed__tls *t = hed__tls_peek();
  if (!t || !t->tape || (!t->tape->failed && !hed__entry_of(t->tape, y))) /* what no memory was there for is told below */
    return hed_fail(HED_E_GRADIENT, "grad: y depends on no variable of this thread's recording");
  hed_array *one = hed_ones(hed_array_shape(y), hed_array_dtype(y));
  const hed_status status = one ? hed__sweep("grad", 1, &y, (const hed_array *const[]){ one }, n, x, g, opt) : hed_error();
  hed_release(one);
  return status;
}
