// SPDX-License-Identifier: BSD-3-Clause
/* Vectors with names.
 *
 * Layer: L4, vsa kit. One array that grows by doubling, labels in the same order, and a table that finds a label's number.
 */
#include "kits/vsa/items.h"
#include <stdlib.h>
#include <string.h>

/* ---- labels ---- */

static uint64_t slot_of(const hed_vsa_items *s, const char *label)
{
  uint64_t k = hed__vsa_hash(label) & (s->slots - 1);
  while (s->slot[k] >= 0 && strcmp(s->label[s->slot[k]], label) != 0)
    k = (k + 1) & (s->slots - 1);
  return k;
}

static void refill(hed_vsa_items *s)
{
  for (uint64_t k = 0; k < s->slots; k++)
    s->slot[k] = -1;
  for (int64_t i = 0; i < s->n; i++)
    s->slot[slot_of(s, s->label[i])] = i;
}

/* Room for N labels, less than half of the slots taken. */
static hed_status room_for_labels(hed_vsa_items *s, int64_t n)
{
  uint64_t slots = s->slots ? s->slots : 16;
  while (slots < (uint64_t)n * 2 + 1)
    slots *= 2;
  char **label = realloc(s->label, (size_t)(n ? n : 1) * sizeof *label);
  if (label)
    s->label = label;
  int64_t *slot = !label ? NULL : slots == s->slots ? s->slot : malloc(slots * sizeof *slot);
  if (!slot)
    return hed_fail(HED_E_NOMEM, "hed_vsa_items: no memory for %lld labels", (long long)n);
  if (slots != s->slots) {
    free(s->slot);
    s->slot = slot;
    s->slots = slots;
    refill(s);
  }
  return HED_OK;
}

/* ---- vectors ---- */

static hed_array *part(const hed_array *x, int64_t from, int64_t to)
{
  return hed_slice(x, 1, &HED_RANGE(from, to, 1));
}

static hed_status room_for_vectors(hed_vsa_items *s, int64_t n)
{
  int64_t capacity = s->capacity ? s->capacity : 16;
  hed_status status = HED_OK;
  while (capacity < n)
    capacity *= 2;
  if (capacity == s->capacity)
    return HED_OK;
  hed_array *grown = hed_keep(hed_empty(hed__vsa_joined(HED_SHAPE(capacity), s->v->shape), s->v->dtype));
  if (!grown)
    return hed_error();
  if (s->n)
    HED_SCOPE_OR(status = hed_error()) status = hed_copy_into(part(grown, 0, s->n), part(s->vectors, 0, s->n));
  if (status != HED_OK) {
    hed_release(grown);
    return status;
  }
  hed_release(s->vectors);
  s->vectors = grown;
  s->capacity = capacity;
  return HED_OK;
}

/* ---- the memory ---- */

hed_status hed_vsa_items_create(hed_vsa *v, hed_vsa_items **out)
{
  if (!v || !out)
    return hed_fail(HED_E_INVAL, "hed_vsa_items_create: %s is NULL", v ? "out" : "the model");
  if (!(*out = calloc(1, sizeof **out)))
    return hed_fail(HED_E_NOMEM, "hed_vsa_items_create: no memory");
  (*out)->v = hed_vsa_retain(v);
  return HED_OK;
}

void hed_vsa_items_release(hed_vsa_items *s)
{
  if (!s)
    return;
  for (int64_t i = 0; i < s->n; i++)
    free(s->label[i]);
  free(s->label);
  free(s->slot);
  hed_release(s->vectors);
  hed_vsa_release(s->v);
  free(s);
}

/* Copies of LABELS behind those that are there, which are still N; how many in *DONE. */
static hed_status take_labels(hed_vsa_items *s, int n, const char *const *labels, int *done)
{
  for (*done = 0; *done < n; ++*done) {
    const char *name = labels[*done];
    if (!name || !*name)
      return hed_fail(HED_E_INVAL, "hed_vsa_items_add: label %d of %d is %s", *done, n, name ? "empty" : "NULL");
    const uint64_t slot = slot_of(s, name);
    if (s->slot[slot] >= 0)
      return hed_fail(HED_E_INVAL, "hed_vsa_items_add: there is an item \"%s\" already, number %lld", name,
                      (long long)s->slot[slot]);
    if (!(s->label[s->n + *done] = strdup(name)))
      return hed_fail(HED_E_NOMEM, "hed_vsa_items_add: no memory for a label");
    s->slot[slot] = s->n + *done;
  }
  return HED_OK;
}

static hed_status add(hed_vsa_items *s, int n, const char *const *labels, const hed_array *x)
{
  int taken = 0;
  hed_status status = room_for_labels(s, s->n + n);
  if (status == HED_OK)
    status = room_for_vectors(s, s->n + n);
  if (status != HED_OK)
    return status;
  status = take_labels(s, n, labels, &taken);
  if (status == HED_OK)
    status = hed_copy_into(part(s->vectors, s->n, s->n + n), x);
  if (status == HED_OK) {
    s->n += n;
    return HED_OK;
  }
  while (taken-- > 0)
    free(s->label[s->n + taken]);
  refill(s);
  return status;
}

hed_status hed_vsa_items_add(hed_vsa_items *s, int n, const char *const *labels, const hed_array *x)
{
  hed_status status = HED_OK;
  if (!s || n < 0 || (n > 0 && !labels))
    return hed_fail(HED_E_INVAL, "hed_vsa_items_add: the memory is %s, n %d, labels %s", s ? "given" : "NULL", n,
                    labels ? "given" : "NULL");
  if (n == 0)
    return HED_OK;
  if (x) {
    if (!hed__vsa_fits(s->v, "hed_vsa_items_add", "x", x))
      return hed_error();
    const hed_shape batch = hed__vsa_batch_shape(s->v, x);
    if (batch.ndim > 1 || hed__vsa_count(batch) != n)
      return hed_fail(HED_E_SHAPE, "hed_vsa_items_add: x has %lld vectors, n is %d", (long long)hed__vsa_count(batch), n);
    if ((status = hed__vsa_valid(s->v, "hed_vsa_items_add", "x", x)) != HED_OK)
      return status;
  }
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *given = x ? x : hed_vsa_symbols(s->v, n, labels);
    status = given ? add(s, n, labels, given) : hed_error();
  }
  return status;
}

hed_status hed_vsa_items_remove(hed_vsa_items *s, const char *label)
{
  const int64_t k = hed_vsa_items_find(s, label);
  hed_status status = HED_OK;
  if (!s || !label)
    return hed_fail(HED_E_INVAL, "hed_vsa_items_remove: %s is NULL", s ? "label" : "the memory");
  if (k < 0)
    return hed_fail(HED_E_NOTFOUND, "hed_vsa_items_remove: there is no item \"%s\"", label);
  if (k < s->n - 1)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *rest = hed_copy(part(s->vectors, k + 1, s->n));
      status = rest ? hed_copy_into(part(s->vectors, k, s->n - 1), rest) : hed_error();
    }
  if (status != HED_OK)
    return status;
  free(s->label[k]);
  memmove(&s->label[k], &s->label[k + 1], (size_t)(s->n - 1 - k) * sizeof s->label[0]);
  s->n--;
  refill(s);
  return HED_OK;
}

int64_t hed_vsa_items_count(const hed_vsa_items *s) { return s ? s->n : 0; }

const char *hed_vsa_items_label(const hed_vsa_items *s, int64_t k)
{
  return s && k >= 0 && k < s->n ? s->label[k] : NULL;
}

int64_t hed_vsa_items_find(const hed_vsa_items *s, const char *label)
{
  return s && label && s->n ? s->slot[slot_of(s, label)] : -1;
}

hed_vsa *hed_vsa_items_model(const hed_vsa_items *s) { return s ? s->v : NULL; }

static bool has_items(const char *op, const hed_vsa_items *s)
{
  if (!s || s->n == 0)
    (void)hed_fail(HED_E_INVAL, "%s: %s", op, s ? "there are no items" : "the memory is NULL");
  return s && s->n > 0;
}

hed_array *hed_vsa_items_vectors(const hed_vsa_items *s)
{
  hed_array *out = NULL;
  if (!has_items("hed_vsa_items_vectors", s))
    return NULL;
  HED_SCOPE out = hed_keep(hed_read_only(part(s->vectors, 0, s->n)));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_items_get(const hed_vsa_items *s, const char *label)
{
  const int64_t k = hed_vsa_items_find(s, label);
  hed_array *out = NULL;
  if (!s || !label || k < 0) {
    (void)hed_fail(s && label ? HED_E_NOTFOUND : HED_E_INVAL, "hed_vsa_items_get: there is no item \"%s\"", label ? label : "");
    return NULL;
  }
  HED_SCOPE out = hed_keep(hed_copy(hed_index(s->vectors, 0, k)));
  return hed__vsa_out(out);
}

/* ---- queries ---- */

/* The K best of what there is in BEST and AT (NULL: nothing yet) and the similarities MORE, which are of items FROM on. */
static hed_status merge(int64_t k, const hed_array *more, int64_t from, hed_array **best, hed_array **at)
{
  const int64_t n = hed_array_shape(more).dim[1];
  hed_array *value, *place;
  hed_status status = hed_topk(more, k < n ? k : n, NULL, &value, &place);
  if (status != HED_OK)
    return status;
  place = hed_add(place, hed_scalar_int(from));
  if (*best) {
    const hed_array *values[2] = { *best, value }, *places[2] = { *at, place };
    hed_array *both = hed_concatenate(2, values, -1), *where = hed_concatenate(2, places, -1), *order;
    const int64_t m = both ? hed_array_shape(both).dim[1] : 0;
    if ((status = hed_topk(both, k < m ? k : m, NULL, &value, &order)) != HED_OK)
      return status;
    place = hed_take_along_axis(where, order, -1);
  }
  hed_release(*best);
  hed_release(*at);
  *best = hed_keep(value);
  *at = hed_keep(place);
  return *at ? HED_OK : hed_error();
}

hed_status hed__vsa_nearest(const hed_vsa *v, const hed_array *q, const hed_array *x, int64_t k, hed_array **best, hed_array **at)
{
  const int64_t nq = hed_array_shape(q).dim[0], n = hed_array_shape(x).dim[0];
  const int64_t step = (INT64_C(8) << 20) / (nq ? nq : 1) + k; /* similarities at once: 64 MiB with their order */
  hed_status status = HED_OK;
  *best = *at = NULL;
  for (int64_t from = 0; status == HED_OK && from < n; from += step) {
    const int64_t to = from + step < n ? from + step : n;
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *more = hed_vsa_similarity_matrix(v, q, part(x, from, to));
      status = more ? merge(k, more, from, best, at) : hed_error();
    }
  }
  if (status != HED_OK) {
    hed_release(*best);
    hed_release(*at);
    *best = *at = NULL;
  }
  return status;
}

hed_status hed_vsa_items_query(const hed_vsa_items *s, const hed_array *q, int64_t k, double threshold, hed_array **index,
                               hed_array **similarity)
{
  hed_array *best = NULL, *at = NULL, *where = NULL, *value = NULL;
  hed_status status;
  if (!index || !similarity)
    return hed_fail(HED_E_INVAL, "hed_vsa_items_query: %s is NULL", index ? "similarity" : "index");
  *index = *similarity = NULL;
  if (!has_items("hed_vsa_items_query", s) || !hed__vsa_fits(s->v, "hed_vsa_items_query", "q", q))
    return hed_error();
  if (k < 1 || k > s->n)
    return hed_fail(HED_E_INVAL, "hed_vsa_items_query: k is %lld, there are %lld items", (long long)k, (long long)s->n);
  hed_shape out = hed__vsa_batch_shape(s->v, q);
  out.dim[out.ndim++] = k;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *rows = hed_reshape(q, hed__vsa_joined(HED_SHAPE(hed__vsa_count(out) / k), s->v->shape));
    status = rows ? hed__vsa_nearest(s->v, rows, part(s->vectors, 0, s->n), k, &best, &at) : hed_error();
    if (status == HED_OK) {
      hed_array *far = hed_less_scalar(best, threshold), *none = hed_scalar_int(-1);
      where = hed_keep(hed_reshape(threshold > -1e300 ? hed_astype(hed_where(far, none, at), HED_INT64) : at, out));
      value = hed_keep(hed_reshape(best, out));
    }
  }
  hed_release(best);
  hed_release(at);
  *index = hed__vsa_out(where);
  *similarity = hed__vsa_out(value);
  if (*index && *similarity)
    return HED_OK;
  hed_release(*index);
  hed_release(*similarity);
  *index = *similarity = NULL;
  return hed_error();
}

hed_array *hed_vsa_items_clean(const hed_vsa_items *s, const hed_array *q)
{
  hed_array *out = NULL, *at, *similarity;
  HED_SCOPE if (hed_vsa_items_query(s, q, 1, -INFINITY, &at, &similarity) == HED_OK)
    out = hed_keep(hed_take(s->vectors, hed_index(at, -1, 0), 0));
  return hed__vsa_out(out);
}
