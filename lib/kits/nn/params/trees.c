// SPDX-License-Identifier: BSD-3-Clause
/* Trees from trees: parts, copies, variables, gradients, and values of another one.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/params/tree.h"
#include "kits/shapes.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* *OUT is what was made, or released and NULL. */
static hed_status made(hed_status status, hed_nn_params *p, hed_nn_params **out)
{
  if (status != HED_OK) {
    hed_nn_params_release(p);
    p = NULL;
  }
  *out = p;
  return status;
}

/* The texts of FROM into P. */
static hed_status copy_texts(hed_nn_params *p, const hed_nn_params *from)
{
  hed_status status = HED_OK;
  for (int64_t k = 0; k < from->texts && status == HED_OK; k++)
    status = hed_nn_params_set_text(p, from->text[k].key, from->text[k].value);
  return status;
}

hed_status hed_nn_params_below(const hed_nn_params *p, const char *prefix, hed_nn_params **out)
{
  hed_nn_params *q = NULL;
  if (!p || !out)
    return hed_fail(HED_E_INVAL, "hed_nn_params_below: %s is NULL", p ? "out" : "p");
  *out = NULL;
  hed_status status = hed_nn_params_create(&q);
  for (int64_t k = 0; k < p->n && status == HED_OK; k++) {
    const char *rest = hed__nn_rest(p->entry[k].name, prefix);
    if (rest)
      status = hed__nn_enter(q, "hed_nn_params_below", rest, p->entry[k].x, p->entry[k].role);
  }
  return made(status, q, out);
}

hed_status hed_nn_params_merge(hed_nn_params *p, const char *prefix, const hed_nn_params *q)
{
  static const char *const op = "hed_nn_params_merge";
  if (!p || !q)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, p ? "q" : "p");
  const int64_t before = p->n, more = q->n;
  const size_t room = prefix ? strlen(prefix) + 2 : 1;
  hed_status status = HED_OK;
  for (int64_t k = 0; k < more && status == HED_OK; k++) {
    const char *name = q->entry[k].name;
    char *full = malloc(room + strlen(name));
    if (!full)
      status = hed_fail(HED_E_NOMEM, "%s: no memory for a name", op);
    else {
      (void)snprintf(full, room + strlen(name), "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "." : "", name);
      status = hed_nn_params_find(p, full) >= 0 ? hed_fail(HED_E_INVAL, "%s: there is a parameter \"%.100s\" already", op, full)
                                                : hed__nn_enter(p, op, full, q->entry[k].x, q->entry[k].role);
    }
    free(full);
  }
  while (status != HED_OK && p->n > before)
    (void)hed_nn_params_remove(p, p->entry[p->n - 1].name);
  return status;
}

hed_status hed_nn_params_copy(const hed_nn_params *p, hed_dtype t, hed_nn_params **out)
{
  static const char *const op = "hed_nn_params_copy";
  hed_nn_params *q = NULL;
  if (!p || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, p ? "out" : "p");
  *out = NULL;
  if (t && hed_dtype_kind(t) != HED_KIND_FLOAT)
    return hed_fail(HED_E_DTYPE, "%s: t is %s, no real floating type", op, hed_dtype_name(t));
  hed_status status = hed_nn_params_create(&q);
  for (int64_t k = 0; k < p->n && status == HED_OK; k++)
    HED_SCOPE_OR(status = hed_error()) {
      const hed_array *x = p->entry[k].x;
      const bool converts = t && hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_FLOAT && hed_array_dtype(x) != t;
      hed_array *y = hed_keep(converts ? hed_astype(x, t) : hed_copy(x));
      status = y ? hed__nn_enter(q, op, p->entry[k].name, y, p->entry[k].role) : hed_error();
      hed_release(y);
    }
  if (status == HED_OK)
    status = copy_texts(q, p);
  return made(status, q, out);
}

/* ---- values of another tree ---- */

typedef struct lines {
  char *text;
  size_t size, at;      /* at: bytes of all lines so far, of which size - 1 at most are written */
  int64_t n;
} lines;

HED_PRINTF(2, 3)
static void line(lines *l, const char *format, ...)
{
  const bool fits = l->text && l->at < l->size;
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(fits ? l->text + l->at : NULL, fits ? l->size - l->at : 0, format, args);
  va_end(args);
  l->at += n > 0 ? (size_t)n : 0;
  l->n++;
}

static int64_t differ(const hed_nn_params *p, const hed_nn_params *from, lines *l)
{
  for (int64_t k = 0; k < p->n; k++) {
    const char *name = p->entry[k].name;
    const hed_array *x = p->entry[k].x;
    const int64_t j = hed_nn_params_find(from, name);
    const hed_array *y = j >= 0 ? from->entry[j].x : NULL;
    char want[HED__SHAPE_WORDS], got[HED__SHAPE_WORDS];
    if (!y) {
      line(l, "missing: %s\n", name);
      continue;
    }
    (void)hed__shape_words(hed_array_shape(x), want);
    (void)hed__shape_words(hed_array_shape(y), got);
    if (!hed__same_shape(hed_array_shape(x), hed_array_shape(y)))
      line(l, "shape: %s has %s, given is %s\n", name, want, got);
    else if (hed_dtype_kind(hed_array_dtype(x)) != hed_dtype_kind(hed_array_dtype(y)))
      line(l, "dtype: %s is %s, given is %s\n", name, hed_dtype_name(hed_array_dtype(x)), hed_dtype_name(hed_array_dtype(y)));
  }
  for (int64_t k = 0; k < from->n; k++)
    if (hed_nn_params_find(p, from->entry[k].name) < 0)
      line(l, "not wanted: %s\n", from->entry[k].name);
  return l->n;
}

int64_t hed_nn_params_differ(const hed_nn_params *p, const hed_nn_params *from, char *text, size_t size, size_t *needed)
{
  static const hed_nn_params none = { .n = 0 };
  lines l = { .text = size ? text : NULL, .size = size };
  if (l.text)
    *l.text = 0;
  const int64_t n = differ(p ? p : &none, from ? from : &none, &l);
  if (needed)
    *needed = l.at + 1;
  return n;
}

/* The sentence about all differences, as many as it holds. */
static hed_status refuse(const hed_nn_params *p, const hed_nn_params *from)
{
  char text[400], list[sizeof text + 60];
  size_t needed, at = 0;
  const int64_t n = hed_nn_params_differ(p, from, text, sizeof text, &needed);
  char *last = strrchr(text, '\n'); /* whole lines alone */
  *(last ? last : text) = 0;
  for (const char *c = text; *c && at + 2 < sizeof list; c++) {
    list[at++] = *c == '\n' ? ';' : *c;
    if (*c == '\n')
      list[at++] = ' ';
  }
  list[at] = 0;
  return hed_fail(HED_E_SHAPE, "hed_nn_params_assign: %lld differences: %s%s", (long long)n, list,
                  needed > sizeof text ? "; ..." : "");
}

hed_status hed_nn_params_assign(hed_nn_params *p, const hed_nn_params *from)
{
  static const char *const op = "hed_nn_params_assign";
  if (!p || !from)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, p ? "from" : "p");
  if (hed_nn_params_differ(p, from, NULL, 0, NULL))
    return refuse(p, from);
  for (int64_t k = 0; k < p->n; k++)
    if (hed_array_is_read_only(p->entry[k].x))
      return hed_fail(HED_E_INVAL, "%s: \"%.100s\" is read-only", op, p->entry[k].name);
  /* All that can fail comes first: copies in the dtype and the space of what is written. */
  hed_array **copy = calloc((size_t)(p->n ? p->n : 1), sizeof *copy);
  hed_status status = copy ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %lld arrays", op, (long long)p->n);
  for (int64_t k = 0; k < p->n && status == HED_OK; k++)
    HED_SCOPE_OR(status = hed_error()) {
      const char *space = hed_array_space(p->entry[k].x);
      const hed_array *x = from->entry[hed_nn_params_find(from, p->entry[k].name)].x;
      copy[k] = hed_keep(hed_empty_like(p->entry[k].x));
      /* In host memory, as a device may not have its dtype. */
      if (strcmp(space, hed_array_space(x)) != 0 && strcmp(hed_array_space(x), "host") == 0)
        HED_BACKEND_CONTEXT_OR("reference", status = hed_error()) x = hed_astype(x, hed_array_dtype(p->entry[k].x));
      if (status == HED_OK && strcmp(space, hed_array_space(x)) != 0)
        x = hed_to(x, strcmp(space, "host") == 0 ? "reference" : space);
      if (status == HED_OK)
        status = copy[k] && x ? hed_copy_into(copy[k], x) : hed_error();
      if (status == HED_OK)
        status = hed_wait(copy[k]);
    }
  for (int64_t k = 0; k < p->n && status == HED_OK; k++)
    status = hed_copy_into(p->entry[k].x, copy[k]);
  for (int64_t k = 0; copy && k < p->n; k++)
    hed_release(copy[k]);
  free(copy);
  return status;
}

/* ---- gradients ---- */

hed_status hed_nn_params_variables(const hed_nn_params *p, hed_nn_params **out)
{
  static const char *const op = "hed_nn_params_variables";
  hed_nn_params *v = NULL;
  if (!p || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, p ? "out" : "p");
  *out = NULL;
  hed_status status = hed_nn_params_create(&v);
  for (int64_t k = 0; k < p->n && status == HED_OK; k++) {
    const hed__nn_entry *e = &p->entry[k];
    hed_array *x = e->role == HED_NN_LEARNT ? hed_keep(hed_variable(e->x)) : hed_retain(e->x);
    status = x ? hed__nn_enter(v, op, e->name, x, e->role) : hed_error();
    hed_release(x);
  }
  return made(status, v, out);
}

hed_status hed_nn_params_grad(const hed_array *y, const hed_nn_params *v, hed_nn_params **out)
{
  static const char *const op = "hed_nn_params_grad";
  hed_nn_params *g = NULL;
  if (!v || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, v ? "out" : "v");
  *out = NULL;
  const size_t room = (size_t)(v->n ? v->n : 1);
  const hed_array **x = malloc(room * sizeof *x);
  hed_array **d = calloc(room, sizeof *d);
  int64_t *place = malloc(room * sizeof *place);
  int n = 0;
  hed_status status = x && d && place && v->n <= INT32_MAX ? hed_nn_params_create(&g)
                                                           : hed_fail(HED_E_NOMEM, "%s: no memory for %lld arrays", op,
                                                                      (long long)v->n);
  for (int64_t k = 0; k < v->n && status == HED_OK; k++)
    if (v->entry[k].role == HED_NN_LEARNT) {
      place[n] = k;
      x[n++] = v->entry[k].x;
    }
  if (status == HED_OK)
    status = hed_grad(y, n, x, d, NULL);
  for (int k = 0; k < n && d[k]; k++) {
    hed_array *mine = hed_keep(d[k]);
    if (status == HED_OK)
      status = hed__nn_enter(g, op, v->entry[place[k]].name, mine, HED_NN_LEARNT);
    hed_release(mine);
  }
  free(x);
  free(d);
  free(place);
  return made(status, g, out);
}
