// SPDX-License-Identifier: BSD-3-Clause
/* What captures put down. L2. See capture.h. */
#include "core/record/capture.h"
#include "base/alloc.h"
#include "base/shape.h"
#include "core/array/settle.h"
#include "core/context/context.h"
#include "core/ops/op_rows.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- memory ---- */

hed_status hed__capture_fail(hed__capture *c, hed_status status, const char *format, ...)
{
  va_list list;
  if (c->status != HED_OK)
    return c->status;
  va_start(list, format);
  vsnprintf(c->text, sizeof c->text, format, list);
  va_end(list);
  return c->status = status;
}

static void *no_memory(hed__capture *c)
{
  hed__capture_fail(c, HED_E_NOMEM, "program '%s': no memory for its calls", c->name);
  return NULL;
}

void *hed__capture_take(hed__capture *c, size_t size)
{
  void *p = hed__arena_take(&c->arena, size);
  return p ? p : no_memory(c);
}

void *hed__capture_copy(hed__capture *c, const void *p, size_t size)
{
  void *q = p ? hed__capture_take(c, size) : NULL;
  if (q && size)
    memcpy(q, p, size);
  return q;
}

/* Room for one more in LIST of N elements of SIZE bytes. */
static bool grow(hed__capture *c, void *list, int32_t n, int32_t *cap, size_t size)
{
  if (n < *cap)
    return true;
  const int32_t more = *cap ? 2 * *cap : 64;
  void *q = hed__realloc(*(void **)list, (size_t)more * size);
  if (!q)
    return no_memory(c) != NULL;
  *(void **)list = q;
  *cap = more;
  return true;
}

void hed__capture_clear(hed__capture *c)
{
  for (int32_t k = 0; k < c->n_values; k++)
    hed__let_go(c->value[k].array);
  for (int32_t k = 0; k < c->n_contexts; k++)
    hed_context_release(c->context[k]);
  hed__arena_free(&c->arena);
  hed__free(c->value);
  hed__free(c->call);
  hed__free(c->context);
  hed__free(c->bucket);
}

/* ---- values ---- */

static uint32_t place(const hed__capture *c, const hed_array *x)
{
  return (uint32_t)(((uintptr_t)x >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (uint32_t)(c->buckets - 1);
}

static void put(hed__capture *c, int32_t v)
{
  uint32_t at = place(c, c->value[v].array);
  while (c->bucket[at] >= 0)
    at = (at + 1) & (uint32_t)(c->buckets - 1);
  c->bucket[at] = v;
}

static int32_t known(const hed__capture *c, const hed_array *x)
{
  for (uint32_t at = place(c, x); c->buckets; at = (at + 1) & (uint32_t)(c->buckets - 1)) {
    const int32_t v = c->bucket[at];
    if (v < 0 || c->value[v].array == x)
      return v;
  }
  return -1;
}

/* X as a value of its own. */
static int32_t enter(hed__capture *c, hed_array *x, hed__value_kind kind, int32_t depends)
{
  if (!grow(c, &c->value, c->n_values, &c->cap_values, sizeof *c->value))
    return -1;
  if (2 * (c->n_values + 1) > c->buckets) {
    const int32_t more = c->buckets ? 2 * c->buckets : 256;
    int32_t *bucket = hed__malloc((size_t)more * sizeof *bucket);
    if (!bucket) {
      no_memory(c);
      return -1;
    }
    hed__free(c->bucket);
    c->bucket = bucket;
    c->buckets = more;
    memset(bucket, -1, (size_t)more * sizeof *bucket);
    for (int32_t v = 0; v < c->n_values; v++)
      put(c, v);
  }
  c->value[c->n_values] = (hed__captured){ .array = hed__hold(x), .kind = kind, .depends = depends, .step = c->n_calls };
  put(c, c->n_values);
  return c->n_values++;
}

void hed__capture_input(hed__capture *c, hed_array *x, int k) { enter(c, x, HED__VALUE_INPUT, k); }

void hed__capture_given(hed_array *x)
{
  hed__capture *c = hed__capturing();
  const int32_t v = c && x && c->status == HED_OK ? enter(c, x, HED__VALUE_CONSTANT, -1) : -1;
  if (v >= 0)
    c->value[v].given = true;
}

/* A number in automatic storage, or one that the caller may release at once. */
static int32_t number(hed__capture *c, const hed_array *x)
{
  hed_array *y = hed_keep(hed__array_new(hed__reference(), x->view.dtype, 0, NULL));
  if (!y) {
    no_memory(c);
    return -1;
  }
  memcpy(y->view.data, x->view.data, (size_t)hed__id_size(x->view.dtype));
  y->weak = true;
  const int32_t v = enter(c, y, HED__VALUE_NUMBER, -1);
  hed_release(y);
  return v;
}

/* The value whose memory X looks at; -1: none. Several may share theirs: the one that lies as X does, else one that begins where X
 * does, else any; of these the newest. */
static int32_t base_of(const hed__capture *c, const hed_array *x)
{
  int32_t found = -1, best = 0;
  const hed__storage *s = x->storage;
  if (s == &hed__pending)
    return -1;
  for (int32_t v = c->n_values - 1; v >= 0 && best < 3; v--) {
    const hed_array *y = c->value[v].array;
    const int32_t like = y->storage != s ? 0 : y->view.data != x->view.data ? 1 : hed__lies_as(&y->view, &x->view) ? 3 : 2;
    if (like > best) {
      found = v;
      best = like;
    }
  }
  return found;
}

static int32_t view_of(hed__capture *c, const hed_array *x, int32_t base, bool stops)
{
  const int32_t made = enter(c, (hed_array *)(uintptr_t)x, HED__VALUE_MADE, c->value[base].depends);
  hed__called *s = made < 0 ? NULL : hed__capture_take(c, sizeof *s);
  int32_t *value = s ? hed__capture_take(c, 2 * sizeof *value) : NULL;
  if (!value || !grow(c, &c->call, c->n_calls, &c->cap_calls, sizeof *c->call))
    return -1;
  *s = (hed__called){ .kind = HED__CALL_VIEW, .op = HED_OP_POSITIVE, .n_in = 1, .n_out = 1, .value = value, .stops = stops,
                      .offset = (char *)x->view.data - (char *)c->value[base].array->view.data, .view = x->view };
  value[0] = base;
  value[1] = made;
  c->call[c->n_calls++] = s;
  return made;
}

int32_t hed__capture_value(hed__capture *c, const hed_array *x)
{
  int32_t v = x ? known(c, x) : -1;
  if (!x || v >= 0 || c->status != HED_OK)
    return v;
  if (x->weak && !x->storage->owned && x->storage->device->host)
    return number(c, x);
  if ((v = base_of(c, x)) >= 0)
    return view_of(c, x, v, false);
  if (hed__is_pending(x) && hed__pending_by.force(x) != HED_OK) {
    hed__capture_fail(c, hed_error(), "%s", hed_error_text());
    return -1;
  }
  return enter(c, (hed_array *)(uintptr_t)x, HED__VALUE_CONSTANT, -1);
}

/* ---- calls ---- */

/* Index of the context in force; -1 without memory. */
static int32_t context_index(hed__capture *c)
{
  const hed_context *now = hed__context();
  for (int32_t k = c->n_contexts - 1; k >= 0; k--)
    if (c->context[k] == now)
      return k;
  if (!now || !grow(c, &c->context, c->n_contexts, &c->cap_contexts, sizeof *c->context))
    return -1;
  c->context[c->n_contexts] = hed_context_retain((hed_context *)(uintptr_t)now);
  return c->n_contexts++;
}

/* Has the call under way drawn? */
static bool has_drawn(hed__capture *c)
{
  const uint64_t draw = __atomic_load_n(&c->stream->draw, __ATOMIC_RELAXED);
  const bool drawn = draw != c->draw;
  c->draw = draw;
  return drawn;
}

static hed__launched *launched(hed__capture *c, int32_t n_in, const int32_t *in, int32_t out)
{
  hed__launched *l = &c->launch;
  if (!c->simple || c->launches != 1 || l->n_in != n_in || out < 0)
    return NULL;
  for (int32_t k = 0; k < n_in; k++) {
    const hed__captured *v = in[k] >= 0 ? &c->value[in[k]] : NULL;
    if (!v)
      return NULL;
    l->in[k] = in[k];
    if (!l->number[k] && c->launch_in[k] == v->array->storage)
      l->offset[k] = (char *)l->view[k].data - (char *)v->array->view.data;
    else if (!l->number[k] || !v->array->weak || !v->array->storage->device->host)
      return NULL;
  }
  return c->launch_out == c->value[out].array->storage && l->view[n_in].data == c->value[out].array->view.data
             ? hed__capture_copy(c, l, sizeof *l) : NULL;
}

hed__called *hed__capture_call(hed__capture *c, hed__call_kind kind, int op, int32_t n_in, const hed_array *const *in,
                               int32_t n_out, hed_array *const *out, bool in_place)
{
  if (c->status != HED_OK)
    return NULL;
  hed__called *s = hed__capture_take(c, sizeof *s);
  int32_t *value = s ? hed__capture_take(c, (size_t)(n_in + n_out + 1) * sizeof *value) : NULL, depends = -1;
  if (!value)
    return NULL;
  *s = (hed__called){ .kind = kind, .op = op, .function = -1, .n_in = n_in, .n_out = n_out, .value = value, .in_place = in_place };
  for (int32_t k = 0; k < n_in; k++) {
    value[k] = hed__capture_value(c, in[k]);
    if (value[k] >= 0 && c->value[value[k]].depends != -1)
      depends = depends < 0 ? c->value[value[k]].depends : depends;
  }
  if (n_out && has_drawn(c)) {
    s->draws = true;
    depends = depends == -1 ? -2 : depends;
  }
  for (int32_t j = 0; j < n_out; j++) {
    hed_array *y = out[j];
    int32_t v = !y ? -1 : in_place ? hed__capture_value(c, y) : known(c, y);
    if (y && v < 0)
      v = enter(c, y, HED__VALUE_MADE, depends);
    else if (y && in_place) {
      c->value[v].written = true;
      if (depends != -1 || c->value[v].kind == HED__VALUE_CONSTANT) /* a constant that is written goes on changing */
        c->value[v].depends = depends == -1 ? -2 : depends;
      const int32_t base = base_of(c, y);
      for (int32_t u = 0; base >= 0 && u < c->n_values; u++)
        if (c->value[u].array->storage == y->storage) {
          if (c->value[u].given)
            hed__capture_fail(c, HED_E_PROGRAM, "program '%s': %s writes an array that is made of the host's numbers: a run would "
                              "find in it what the one before has left; write a hed_copy() of it", c->name, hed_op_name(op));
          c->value[u].written = true;
          c->value[u].depends = c->value[u].depends == -1 ? c->value[v].depends : c->value[u].depends;
        }
    }
    value[n_in + j] = v;
  }
  if (c->status == HED_OK && (s->context = context_index(c)) < 0)
    no_memory(c);
  if (c->status != HED_OK || !grow(c, &c->call, c->n_calls, &c->cap_calls, sizeof *c->call))
    return NULL;
  for (int32_t j = 0; j < n_out; j++)
    if (value[n_in + j] >= 0 && !in_place && c->value[value[n_in + j]].step >= c->n_calls)
      c->value[value[n_in + j]].step = c->n_calls;
  s->launched = n_out == 1 && (kind != HED__CALL_FUNCTION || op == HED_OP_MATMUL) ? launched(c, n_in, value, value[n_in]) : NULL;
  c->call[c->n_calls++] = s;
  return s;
}

void hed__capture_formula(hed__capture *c, int op, int32_t n, const hed_array *const *in, hed_array *out, bool in_place,
                          const void *params, size_t size)
{
  hed__called *s = hed__capture_call(c, HED__CALL_ELEMENTWISE, op, n, in, 1, &out, in_place);
  if (!s)
    return;
  s->params = hed__capture_copy(c, params, size);
  s->size = params ? size : 0;
  if (s->launched)
    s->launched->params = s->params;
}

void hed__capture_reduce(hed__capture *c, int op, const hed_array *x, double order, const hed_reduce *opt, hed_array *out,
                         bool in_place)
{
  hed__called *s = hed__capture_call(c, HED__CALL_REDUCE, op, 1, &x, 1, &out, in_place);
  hed__reduce_args *args = s ? hed__capture_take(c, sizeof *args) : NULL;
  if (!args)
    return;
  memset(args, 0, sizeof *args);
  args->order = order;
  if (opt)
    args->opt = *opt;
  s->params = args;
  s->size = sizeof *args;
  if (s->launched)
    s->launched->params = hed__capture_copy(c, s->launched->params, sizeof(hed_reduce_params));
}

void hed__capture_stop(hed__capture *c, const hed_array *x, hed_array *y)
{
  const int32_t base = hed__capture_value(c, x);
  if (base >= 0)
    view_of(c, y, base, true);
}

void hed__capture_fuse(hed__capture *c, bool begins)
{
  hed__capture_call(c, begins ? HED__CALL_FUSE : HED__CALL_UNFUSE, HED_OP_POSITIVE, 0, NULL, 0, NULL, false);
}

hed_status hed__capture_reads(const hed_array *x)
{
  hed__capture *c = hed__capturing();
  if (!c || c->status != HED_OK)
    return HED_OK;
  int32_t v = known(c, x);
  v = v < 0 ? base_of(c, x) : v;
  if (v < 0 || c->value[v].depends == -1)
    return HED_OK;
  const hed__captured *of = &c->value[v];
  const char *op = of->kind == HED__VALUE_MADE && of->step < c->n_calls ? hed_op_name(c->call[of->step]->op) : "";
  char from[32];
  snprintf(from, sizeof from, of->depends >= 0 ? "input %d" : "what changes", of->depends);
  hed__capture_fail(c, HED_E_PROGRAM, "program '%s': elements%s%s%s are read, which depend on %s: a program's steps are fixed, and "
                    "nothing is decided by values", c->name, *op ? " of '" : "", op, *op ? "'" : "", from);
  return hed_fail(c->status, "%s", c->text);
}

void hed__capture_launch(hed__tls *t, hed__device *by, const hed_call *call, const hed_array *const *in, hed_array *const *out)
{
  hed__capture *c = t->capture;
  hed__launched *l = &c->launch;
  c->simple = false;
  if (c->launches++ || !by || !by->host || call->n_out != 1 || call->n_in > 3 || call->n_in < 1)
    return;
  *l = (hed__launched){ .device = by, .n_in = call->n_in, .op = call->op, .compute = call->compute };
  if (strcmp(hed__op_rows[call->op].family, "reduce") == 0 || call->op == HED_OP_VECTOR_NORM) {
    c->reduce = *(const hed_reduce_params *)call->params;
    l->params = &c->reduce;
  } else if (call->params && strcmp(hed__op_rows[call->op].family, "elementwise") != 0) {
    return;
  }
  for (int32_t k = 0; k < call->n_in; k++) {
    l->view[k] = *call->in[k];
    c->launch_in[k] = in[k]->storage;
    l->number[k] = in[k]->weak && !in[k]->storage->owned; /* made for the call */
    if (l->number[k])
      memcpy(l->cell[k], call->in[k]->data, (size_t)hed__id_size(call->in[k]->dtype));
  }
  l->view[call->n_in] = *call->out[0];
  c->launch_out = out[0]->storage;
  c->simple = true;
}
