// SPDX-License-Identifier: BSD-3-Clause
/* Derivatives of functions: value and gradient, forwards, by hand, and by doing it again. L3. */
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "core/array/scope.h"
#include "core/context/random_stream.h"
#include "grad/back.h"
#include <heddle/context.h>
#include <string.h>

static void drop_all(int n, hed_array **x)
{
  for (int k = 0; k < n; k++) {
    hed_release(x[k]);
    x[k] = NULL;
  }
}

hed_status hed_value_and_grad(hed_function f, void *arg, int n, const hed_array *const *x, hed_array **y, hed_array **g)
{
  hed_record_scope record;
  hed_scope scope;
  hed_array *value = NULL;
  if (y)
    *y = NULL;
  if (!f || n < 0 || (n > 0 && (!x || !g)))
    return hed_fail(HED_E_INVAL, "value_and_grad: %s", !f ? "f is NULL" : n < 0 ? "n is negative" : "a list is NULL");
  for (int k = 0; k < n; k++)
    g[k] = NULL;
  const hed_array **v = hed__calloc((size_t)n + !n, sizeof *v);
  hed_status status = v ? hed_record_begin(&record) : hed_fail(HED_E_NOMEM, "value_and_grad: no memory for the list");
  if (status == HED_OK) {
    if ((status = hed_scope_begin(&scope)) == HED_OK) {
      for (int k = 0; k < n && status == HED_OK; k++)
        status = hed__made(v[k] = hed_variable(x[k]));
      if (status == HED_OK)
        status = f(arg, n, v, 1, &value);
      if (status == HED_OK)
        status = hed_grad(value, n, v, g, NULL);
      for (int k = 0; k < n && status == HED_OK; k++)
        hed_keep(g[k]);
      const hed__scope_mark all = { NULL, 0 };
      if (status == HED_OK && y)
        *y = hed__scope_has(hed__self, all, value) ? hed_keep(value) : value;
      else
        hed__scope_refuse(hed__self, all, 1, &value);
      hed_scope_end(&scope);
    }
    hed_record_end(&record);
  }
  hed__free(v);
  return status;
}

/* ---- forwards ---- */

/* Numbers without a pattern, so that no cotangent made from them is 0 by chance. */
static hed_array *any_cotangent(const hed_array *y, int j)
{
  const hed_array *i = hed_arange(0, (double)y->size, 1, HED_FLOAT32);
  const hed_array *v = hed_add_scalar(hed_sin(hed_add_scalar(hed_multiply_scalar(i, 1.7), j)), 1.5);
  return hed_reshape(hed_astype(v, hed_array_dtype(y)), hed_array_shape(y));
}

static hed_status check_tangents(int n, const hed_array *const *x, const hed_array *const *t)
{
  for (int k = 0; k < n; k++) {
    char text[2][HED__SHAPE_TEXT];
    if (!hed__named(x[k], "jvp", "x") || !hed__named(t[k], "jvp", "t"))
      return hed_error();
    if (!hed__shape_equal(x[k]->view.ndim, x[k]->view.dim, t[k]->view.ndim, t[k]->view.dim))
      return hed_fail(HED_E_SHAPE, "jvp: t[%d] has shape %s, x[%d] has %s", k,
                      hed__shape_text(t[k]->view.ndim, t[k]->view.dim, text[0], HED__SHAPE_TEXT), k,
                      hed__shape_text(x[k]->view.ndim, x[k]->view.dim, text[1], HED__SHAPE_TEXT));
  }
  return HED_OK;
}

/* The gradient G of sum(v y) is linear in v: its own by v, with the cotangent t, is how y changes. */
static hed_status turned(int m, const hed_array *const *y, int n, const hed_array *const *x, const hed_array *const *t,
                         const hed_array **v, hed_array **g, hed_array **ty)
{
  hed_status status = HED_OK;
  for (int j = 0; j < m && status == HED_OK; j++) {
    if (!hed__named(y[j], "jvp", "y"))
      status = hed_error();
    else if (hed__id_kind(y[j]->view.dtype) < HED_KIND_FLOAT)
      status = hed_fail(HED_E_DTYPE, "jvp: y[%d] is %s; it has to be float or complex", j, hed__dtypes[y[j]->view.dtype]->name);
    else
      status = hed__made(v[j] = hed_variable(any_cotangent(y[j], j)));
  }
  if (status == HED_OK)
    status = hed__sweep("jvp", m, y, v, n, x, g, &(hed_grad_options){ .record = true });
  bool any = false;
  for (int k = 0; k < n && status == HED_OK; k++)
    any = any || hed_array_is_recorded(g[k]);
  if (status == HED_OK && any)
    status = hed__sweep("jvp", n, (const hed_array *const *)g, t, m, v, ty, &(hed_grad_options){ .keep = true });
  for (int j = 0; j < m && status == HED_OK && !any; j++)
    status = hed__made(ty[j] = hed_zeros_like(v[j]));
  for (int j = 0; j < m && status == HED_OK; j++)
    ty[j] = hed_keep(ty[j]);
  if (status != HED_OK)
    drop_all(m, ty);
  drop_all(n, g);
  return status;
}

hed_status hed_jvp(int m, const hed_array *const *y, int n, const hed_array *const *x, const hed_array *const *t, hed_array **ty)
{
  hed_scope scope;
  if (m < 0 || n < 0 || (m > 0 && (!y || !ty)) || (n > 0 && (!x || !t)))
    return hed_fail(HED_E_INVAL, "jvp: %s", m < 0 || n < 0 ? "a negative number of arrays" : "a list is NULL");
  for (int j = 0; j < m; j++)
    ty[j] = NULL;
  hed_status status = check_tangents(n, x, t);
  if (status != HED_OK)
    return status;
  hed_record_scope record; /* also where a pause stands */
  void **list = hed__calloc((size_t)m + (size_t)n + 1, sizeof *list);
  status = list ? hed_record_begin(&record) : hed_fail(HED_E_NOMEM, "jvp: no memory for the lists");
  if (status == HED_OK) {
    if ((status = hed_scope_begin(&scope)) == HED_OK) {
      status = turned(m, y, n, x, t, (const hed_array **)list, (hed_array **)list + m, ty);
      hed_scope_end(&scope);
    }
    hed_record_end(&record);
  }
  hed__free(list);
  return status;
}

/* ---- by hand ---- */

hed_status hed__custom_back(hed__back *b)
{
  const hed__custom *c = b->step->args;
  return c->run(c->state, b->n_out, b->g, b->n_in, b->d);
}

/* The step, from N operands to M results; SAVE bits as of a note. False: DONE is to be called now. */
static bool note(const hed__custom *c, uint32_t save, int n, const hed_array *const *x, int m, hed_array *const *y)
{
  hed__tls *t = hed__self;
  const uint32_t before = t->tape->n_steps;
  hed__record_note(t, &(hed__note){ .op = HED_OP_COPY, .n_in = n, .n_out = m, .in = x, .out = y, .save = save,
                                    .form = HED__FORM_CUSTOM, .args = c, .size = sizeof *c });
  return t->tape->n_steps > before;
}

static hed_status over(hed_status status, void (*done)(void *), void *state)
{
  if (done)
    done(state);
  return status;
}

/* Are N arrays X and M arrays Y there, in an open recording? */
static hed_status check_call(const char *name, int n, const hed_array *const *x, int m, hed_array *const *y)
{
  const hed__tls *t = hed__tls_peek();
  if (n < 0 || m < 0 || (n > 0 && !x) || (m > 0 && !y))
    return hed_fail(HED_E_INVAL, "%s: %s", name, n < 0 || m < 0 ? "a negative number of arrays" : "a list is NULL");
  if (!t || !(t->watch & HED__WATCH_RECORD))
    return hed_fail(HED_E_INVAL, "%s: nothing is recorded; HED_RECORD { } or hed_record_begin() begins", name);
  for (int k = 0; k < n; k++)
    if (!hed__named(x[k], name, "x"))
      return hed_error();
  return HED_OK;
}

hed_status hed_custom_vjp(const char *name, hed_vjp_function run, void *state, void (*done)(void *state), int n,
                          const hed_array *const *x, int m, hed_array *const *y)
{
  hed_status status = run ? check_call("custom_vjp", n, x, m, y) : hed_fail(HED_E_INVAL, "custom_vjp: run is NULL");
  for (int j = 0; j < m && status == HED_OK; j++)
    if (!hed__named(y[j], "custom_vjp", "y"))
      status = hed_error();
  if (status != HED_OK)
    return over(status, done, state);
  name = name ? name : "custom_vjp";
  name = hed__record_copy(hed__self, HED_OP_COPY, name, strlen(name) + 1);
  const hed__custom c = { name, run, state, done };
  return name && note(&c, 0, n, x, m, y) ? HED_OK : over(HED_OK, done, state);
}

/* ---- again ---- */

typedef struct again {
  hed_function f;
  void *arg;
  void (*done)(void *arg);
  hed_generator stream;
  int n;
  uint32_t tape, *entry;      /* what the operands are in it */
  hed_array *x[];             /* ours */
} again;

static void again_done(void *state)
{
  again *a = state;
  drop_all(a->n, a->x);
  if (a->done)
    a->done(a->arg);
  hed__free(a->entry);
  hed__free(a);
}

/* F on V, and from there the GRADIENT by those of V that are followed, all at once. */
static hed_status again_from(again *a, int m, const hed_array *const *cotangent, int n, hed_array **v, hed_array **y,
                             hed_array **gradient, bool record)
{
  hed_array **const x = y + m, **const g = x + n;
  int count = 0;
  const hed__scope_mark mark = hed__scope_now(hed__self);
  hed_status status = a->f(a->arg, n, (const hed_array *const *)v, m, y);
  for (int k = 0; k < n; k++)
    if (hed_array_is_recorded(v[k]))
      x[count++] = v[k];
  if (status == HED_OK && count)
    status = hed_vjp(m, (const hed_array *const *)y, cotangent, count, (const hed_array *const *)x, g,
                     &(hed_grad_options){ .record = record });
  for (int k = 0, i = 0; k < n && status == HED_OK; k++)
    if (hed_array_is_recorded(v[k]))
      gradient[k] = g[i++];
  hed__scope_refuse(hed__self, mark, m, y);
  return status;
}

/* F's own stretch of a recording begins with operands of its own, so that what leads from one of them to another stays outside. */
static hed_status again_operands(again *a, int n, hed_array **v, bool record)
{
  for (int k = 0; k < n; k++) {
    const hed_array *x = a->x[k];
    const bool followed = hed__id_kind(x->view.dtype) >= HED_KIND_FLOAT && !x->weak;
    if (record && a->entry[k] && followed) {
      hed_array *same = hed__array_view(x, &x->view);
      if (!same)
        return hed_error();
      same->tape = a->tape;
      same->entry = a->entry[k];
      v[k] = hed_positive(same);
    } else {
      v[k] = followed && !record ? hed_variable(x) : hed_stop_gradient(x);
    }
    if (!v[k])
      return hed_error();
  }
  return HED_OK;
}

/* F is recorded apart, as the recording is being read; where the gradient is recorded itself, behind all that is there. */
static hed_status again_back(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient)
{
  again *a = state;
  hed__tls *t = hed__self;
  hed__tape *const outer = t->tape;
  const bool record = (t->watch & HED__WATCH_RECORD) != 0;
  hed_record_scope scope;
  hed_frame frame;
  hed_generator stream = a->stream;
  hed_array **list = hed__calloc((size_t)m + 3 * (size_t)n + 1, sizeof *list), **v = list;
  hed_status status = list ? hed_context_push_stream(hed__context(), &stream, &frame)
                           : hed_fail(HED_E_NOMEM, "checkpoint: no memory for the lists");
  if (status == HED_OK) {
    if (!record)
      t->tape = NULL;
    if ((status = hed_record_begin(&scope)) == HED_OK) {
      status = again_operands(a, n, v, record);
      if (status == HED_OK)
        status = again_from(a, m, cotangent, n, v, v + n, gradient, record);
      hed_record_end(&scope);
    }
    if (!record) {
      hed__record_thread_exit(t);
      t->tape = outer;
    }
    hed_context_unwind(frame);
  }
  hed__free(list);
  return status;
}

hed_status hed_checkpoint(hed_function f, void *arg, void (*done)(void *arg), int n, const hed_array *const *x, int m, hed_array **y)
{
  for (int j = 0; y && j < m; j++)
    y[j] = NULL;
  hed_status status = f ? check_call("checkpoint", n, x, m, y) : hed_fail(HED_E_INVAL, "checkpoint: f is NULL");
  again *a = status == HED_OK ? hed__calloc(1, sizeof *a + (size_t)n * sizeof *a->x) : NULL;
  uint32_t *entry = a ? hed__calloc((size_t)n + 1, sizeof *entry) : NULL;
  if (status == HED_OK && !entry)
    status = hed_fail(HED_E_NOMEM, "checkpoint: no memory for what is kept");
  if (status == HED_OK)
    status = hed__random_peek(&a->stream.key, &a->stream.draw);
  hed__tls *t = hed__self;
  if (status == HED_OK) {
    const uint8_t was = hed__record_hold(t);
    status = f(arg, n, x, m, y);
    hed__record_resume(t, was);
  }
  if (status != HED_OK) {
    hed__free(entry);
    hed__free(a);
    return over(status, done, arg);
  }
  *a = (again){ .f = f, .arg = arg, .done = done, .stream = a->stream, .n = n, .tape = t->tape->serial, .entry = entry };
  for (int k = 0; k < n; k++) {
    entry[k] = hed__entry_of(t->tape, x[k]);
    a->x[k] = hed_keep(hed_stop_gradient(x[k]));
    if (!a->x[k])
      hed__record_failed(t->tape, HED_OP_COPY);
  }
  const hed__custom c = { "checkpoint", again_back, a, again_done };
  if (!t->tape->failed && note(&c, 0, n, x, m, y))
    return HED_OK;
  again_done(a);
  return HED_OK;
}
