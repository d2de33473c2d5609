// SPDX-License-Identifier: BSD-3-Clause
/* Values under keys.
 *
 * Layer: L4, vsa kit. A trace is kept as a sum of numbers, so that more can be added and taken out, and is quantised
 * when it is read.
 */
#include "kits/vsa/items.h"
#include "kits/member.h"
#include <stdlib.h>

struct hed_vsa_store {
  hed_vsa *v;
  hed_vsa_store_kind kind;
  hed_array *sum;           /* TRACE; NULL: nothing yet          */
  hed_array *keys, *values; /* PAIRS, (n, ..); NULL: nothing yet */
};

hed_status hed_vsa_store_create(hed_vsa *v, hed_vsa_store_kind kind, hed_vsa_store **out)
{
  if (!v || !out)
    return hed_fail(HED_E_INVAL, "hed_vsa_store_create: %s is NULL", v ? "out" : "the model");
  if (hed__expect_member("hed_vsa_store_create", "kind", (int)kind, HED_VSA_TRACE, HED_VSA_PAIRS, "hed_vsa_store_kind") != HED_OK)
    return hed_error();
  if (!(*out = calloc(1, sizeof **out)))
    return hed_fail(HED_E_NOMEM, "hed_vsa_store_create: no memory");
  (*out)->v = hed_vsa_retain(v);
  (*out)->kind = kind;
  return HED_OK;
}

void hed_vsa_store_release(hed_vsa_store *s)
{
  if (!s)
    return;
  hed_release(s->sum);
  hed_release(s->keys);
  hed_release(s->values);
  hed_vsa_release(s->v);
  free(s);
}

static void replace(hed_array **field, hed_array *by)
{
  hed_release(*field);
  *field = by;
}

/* Both are (n, ..) or both one vector. */
static hed_status pairs_fit(const hed_vsa_store *s, const char *op, const hed_array *keys, const hed_array *values)
{
  if (!s)
    return hed_fail(HED_E_INVAL, "%s: the store is NULL", op);
  if (!hed__vsa_fits(s->v, op, "keys", keys) || !hed__vsa_fits(s->v, op, "values", values))
    return hed_error();
  const hed_shape a = hed__vsa_batch_shape(s->v, keys), b = hed__vsa_batch_shape(s->v, values);
  if (a.ndim > 1 || a.ndim != b.ndim || hed__vsa_count(a) != hed__vsa_count(b))
    return hed_fail(HED_E_SHAPE, "%s: there are %lld keys and %lld values", op, (long long)hed__vsa_count(a),
                    (long long)hed__vsa_count(b));
  return HED_OK;
}

static hed_array *list(const hed_vsa *v, const hed_array *x)
{
  return hed__vsa_batch(v, x) == 0 ? hed_expand_dims(x, 0) : hed_astype(x, hed_array_dtype(x));
}

/* SIGN times the products of KEYS and VALUES, added to the trace. */
static hed_status accumulate(hed_vsa_store *s, const hed_array *keys, const hed_array *values, double sign)
{
  hed_array *sum = NULL;
  HED_SCOPE_OR(return hed_error()) {
    const hed_reduce first = { .axes = HED_AXES(0) };
    hed_array *bound = s->v->ops->bind(s->v, list(s->v, values), list(s->v, keys));
    hed_array *more = bound ? hed_multiply_scalar(hed_sum(hed__vsa_numbers(s->v, bound), &first), sign) : NULL;
    sum = hed_keep(s->sum ? hed_add(s->sum, more) : hed_copy(more));
  }
  if (!sum)
    return hed_error();
  replace(&s->sum, sum);
  return HED_OK;
}

static hed_array *joined(const hed_array *old, const hed_array *more)
{
  const hed_array *both[2] = { old, more };
  return hed_keep(old ? hed_concatenate(2, both, 0) : hed_copy(more));
}

/* Keys K and values X instead of those that are there; neither where X is NULL, an error that is set. */
static hed_status renew(hed_vsa_store *s, hed_array *k, hed_array *x)
{
  if (!x) {
    hed_release(k);
    return hed_error();
  }
  replace(&s->keys, k);
  replace(&s->values, x);
  return HED_OK;
}

static hed_status append(hed_vsa_store *s, const hed_array *keys, const hed_array *values)
{
  hed_array *k = NULL, *x = NULL;
  HED_SCOPE_OR(return hed_error()) {
    k = joined(s->keys, list(s->v, keys));
    x = k ? joined(s->values, list(s->v, values)) : NULL;
  }
  return renew(s, k, x);
}

hed_status hed_vsa_store_put(hed_vsa_store *s, const hed_array *keys, const hed_array *values)
{
  hed_status status = pairs_fit(s, "hed_vsa_store_put", keys, values);
  if (status != HED_OK)
    return status;
  return s->kind == HED_VSA_TRACE ? accumulate(s, keys, values, 1) : append(s, keys, values);
}

/* Which vectors of X are ROW: bool (n). */
static hed_array *equal_rows(const hed_vsa *v, const hed_array *x, const hed_array *row)
{
  hed_reduce core = { .axes = { v->shape.ndim, { 0 } } };
  for (int k = 0; k < v->shape.ndim; k++)
    core.axes.axis[k] = k - v->shape.ndim;
  return hed_all(hed_equal(x, row), &core);
}

/* What is left when pairs equal to row I of KEYS and VALUES are gone. */
static hed_status without(hed_vsa_store *s, const hed_array *keys, const hed_array *values, int64_t i)
{
  hed_array *k = NULL, *x = NULL;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *same = hed_logical_and(equal_rows(s->v, s->keys, hed_index(keys, 0, i)),
                                      equal_rows(s->v, s->values, hed_index(values, 0, i)));
    hed_array *rest = hed_logical_not(same);
    k = hed_keep(hed_compress(s->keys, rest));
    x = k ? hed_keep(hed_compress(s->values, rest)) : NULL;
  }
  return renew(s, k, x);
}

hed_status hed_vsa_store_forget(hed_vsa_store *s, const hed_array *keys, const hed_array *values)
{
  hed_status status = pairs_fit(s, "hed_vsa_store_forget", keys, values);
  if (status != HED_OK)
    return status;
  if (s->kind == HED_VSA_TRACE)
    return accumulate(s, keys, values, -1);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *k = list(s->v, keys), *x = list(s->v, values);
    for (int64_t i = 0; s->keys && status == HED_OK && i < hed_array_shape(k).dim[0]; i++)
      status = without(s, k, x, i);
  }
  return status;
}

static hed_array *trace(const hed_vsa_store *s)
{
  return s->v->ops->quantise(s->v, s->sum);
}

static bool holds(const hed_vsa_store *s, const char *op)
{
  const bool some = s && (s->kind == HED_VSA_TRACE ? s->sum != NULL : s->keys && hed_array_shape(s->keys).dim[0] > 0);
  if (!some)
    (void)hed_fail(HED_E_INVAL, "%s: %s", op, s ? "nothing is in the store" : "the store is NULL");
  return some;
}

hed_array *hed_vsa_store_get(const hed_vsa_store *s, const hed_array *keys)
{
  hed_array *out = NULL, *best = NULL, *at = NULL;
  if (!holds(s, "hed_vsa_store_get") || !hed__vsa_fits(s->v, "hed_vsa_store_get", "keys", keys))
    return NULL;
  const hed_shape batch = hed__vsa_batch_shape(s->v, keys), one = HED_SHAPE(hed__vsa_count(batch));
  HED_SCOPE {
    if (s->kind == HED_VSA_TRACE)
      out = hed_keep(s->v->ops->unbind(s->v, trace(s), keys));
    else if (hed__vsa_nearest(s->v, hed_reshape(keys, hed__vsa_joined(one, s->v->shape)), s->keys, 1, &best, &at) == HED_OK)
      out = hed_keep(hed_reshape(hed_take(s->values, hed_index(at, 1, 0), 0), hed__vsa_joined(batch, s->v->shape)));
  }
  hed_release(best);
  hed_release(at);
  return hed__vsa_out(out);
}

hed_array *hed_vsa_store_trace(const hed_vsa_store *s)
{
  hed_array *out = NULL;
  if (s && s->kind == HED_VSA_PAIRS)
    (void)hed_fail(HED_E_UNSUPPORTED, "hed_vsa_store_trace: this store keeps pairs, not a trace");
  else if (holds(s, "hed_vsa_store_trace"))
    HED_SCOPE out = hed_keep(trace(s));
  return hed__vsa_out(out);
}
