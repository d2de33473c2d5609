// SPDX-License-Identifier: BSD-3-Clause
/* From keys to selections: see index.h. L3.
 *
 * The rules are NumPy's ("Indexing on ndarrays" in its manual). Two passes over the keys: the first counts axes, the second
 * builds the view and notes the arrays with the axes they choose from. Then the arrays are read and become flat indices.
 */
#include "api/index/index.h"

#include "api/make/views.h"
#include "base/cast.h"
#include "base/indices.h"
#include "core/memory/memory.h"
#include "core/ops/op_numbers.h"
#include "core/array/settle.h"
#include "core/array/transfer.h"
#include <heddle/error.h>
#include <string.h>

/* ---- integers on the host ---- */

/* X's elements as contiguous ones of dtype ID to LIST, in host memory. */
static hed_status read_to(const char *op, const hed_array *x, int id, void *list)
{
  const int64_t n = hed__view_size(&x->view);
  const int from = x->view.dtype;
  const int64_t size = hed__id_size(from), wide = hed__id_size(id);
  if (from != id && x->storage->device->host && hed_array_is_contiguous(x) && hed__array_settle(x) == HED_OK) {
    hed__cast(from, id)(n, list, wide, x->view.data, size);
    return HED_OK;
  }
  char *raw = from == id ? list : hed__buffer_new((size_t)(n * size), op);
  if (!raw)
    return hed_error();
  hed_view v = x->view;
  v.data = raw;
  hed__c_strides(v.ndim, v.dim, size, v.stride);
  const hed_status status = hed__copy_out(x, &v);
  if (raw != list) {
    if (status == HED_OK)
      hed__cast(from, id)(n, list, wide, raw, size);
    hed__buffer_free(raw);
  }
  return status;
}

/* The same in new memory; NULL with the error set. */
static void *read_as(const char *op, const hed_array *x, int id, int64_t *count)
{
  const int64_t n = hed__view_size(&x->view);
  void *list = hed__buffer_new((size_t)n * (size_t)hed__id_size(id), op);
  if (list && read_to(op, x, id, list) != HED_OK) {
    hed__buffer_free(list);
    return NULL;
  }
  if (list)
    *count = n;
  return list;
}

int64_t *hed__read_indices(const char *op, const hed_array *x, int64_t *count)
{
  return read_as(op, x, HED_ID_INT64, count);
}

hed_status hed__check_indices(const char *op, const char *arg, const hed_array *x)
{
  hed_kind kind = hed__id_kind(x->view.dtype);
  if (kind == HED_KIND_INT || kind == HED_KIND_UINT)
    return HED_OK;
  return hed_fail(HED_E_DTYPE, "%s: %s has dtype %s; integers are needed", op, arg, hed__dtypes[x->view.dtype]->name);
}

hed_status hed__wrap_indices(const char *op, int id, int axis, int64_t extent, int64_t n, int64_t *list)
{
  const bool from_end = hed__id_kind(id) == HED_KIND_INT;
  if (n == 0 || (!from_end && hed__indices_in_range(n, list, extent)))
    return HED_OK;
  int64_t k = from_end ? hed__indices_wrap(n, list, extent) : 0;
  if (k < 0)
    return HED_OK;
  while (!from_end && list[k] >= 0 && list[k] < extent)
    k++;
  if (from_end || list[k] >= 0)
    return hed_fail(HED_E_INDEX, "%s: index %lld is out of range for axis %d of x with extent %lld", op,
                    (long long)list[k], axis, (long long)extent);
  return hed_fail(HED_E_INDEX, "%s: index %llu is out of range for axis %d of x with extent %lld", op,
                  (unsigned long long)list[k], axis, (long long)extent);
}

bool hed__indices_ready(const hed__device *device, const hed_array *indices, int64_t extent)
{
  const hed__device *home = indices->storage->device;
  if (indices->view.dtype != HED_ID_INT64 || !home->host || !device->host || !hed_array_is_contiguous(indices) ||
      hed__array_settle(indices) != HED_OK)
    return false;
  return hed__indices_in_range(hed__view_size(&indices->view), indices->view.data, extent);
}

hed_array *hed__indices_in(const hed__exec *ex, const char *op, const hed_array *indices, int axis, int64_t extent)
{
  const hed_view *v = &indices->view;
  hed__device *device = ex->device;
  if (hed__checks_indices(ex, indices, extent))
    return hed__indices_given(ex, indices, NULL);
  if (hed__indices_ready(device, indices, extent))
    return hed_retain((hed_array *)(uintptr_t)indices);
  int64_t n = hed__view_size(v), *host = NULL;
  hed_array *out = NULL;
  if (device->host) {
    out = hed__array_new(device, HED_ID_INT64, v->ndim, v->dim);
    if (out && read_to(op, indices, HED_ID_INT64, out->view.data) == HED_OK &&
        hed__wrap_indices(op, v->dtype, axis, extent, n, out->view.data) == HED_OK)
      return out;
    hed_release(out);
    return NULL;
  }
  host = hed__read_indices(op, indices, &n);
  if (host && hed__wrap_indices(op, v->dtype, axis, extent, n, host) == HED_OK)
    out = hed__index_array(device, v->ndim, v->dim, host);
  hed__buffer_free(host);
  return out;
}

hed_array *hed__index_array(hed__device *device, int32_t ndim, const int64_t *dim, const int64_t *list)
{
  hed_array *x = hed__array_new(device, HED_ID_INT64, ndim, dim);
  if (!x)
    return NULL;
  hed_view v = x->view;
  v.data = (void *)(uintptr_t)list;
  if (hed__view_size(&v) > 0 && hed__copy_in(x, &v) != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *hed__index_array_begin(hed__device *device, int32_t ndim, const int64_t *dim, int64_t **at)
{
  hed_array *x = hed__array_new(device, HED_ID_INT64, ndim, dim);
  if (!x)
    return NULL;
  *at = device->host ? x->view.data : hed__buffer_new((size_t)hed__view_size(&x->view) * sizeof **at, "indices");
  if (!device->host && !*at) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *hed__index_array_end(hed_array *x, int64_t *at)
{
  if (x->storage->device->host)
    return x;
  hed_view v = x->view;
  v.data = at;
  const bool good = hed__view_size(&v) == 0 || hed__copy_in(x, &v) == HED_OK;
  hed__buffer_free(at);
  if (good)
    return x;
  hed_release(x);
  return NULL;
}

/* ---- reading the keys ---- */

/* An array among the keys and the axes [axis, axis + axes) of X that it chooses from. */
typedef struct term {
  const hed_array *array;
  bool mask;
  int32_t axis, axes;
} term;

typedef struct reader {
  const hed__exec *ex;
  const char *op;
  const hed_array *x;
  int64_t offset;          /* bytes from X's data to the view's */
  int32_t axis;            /* next axis of X */
  hed_view chosen, rest;   /* axes that arrays choose from; axes of the result that come from other keys */
  int32_t n_terms, before; /* BEFORE: axes of REST in front of the first array or integer */
  term terms[HED__MAX_KEYS];
  bool apart, open;        /* keys of arrays and integers do not stand side by side; the last one was such a key */
} reader;

static bool is_array(const hed_key *k) { return k->kind == HED_KEY_INDICES || k->kind == HED_KEY_MASK; }

static hed_status add_axis(reader *r, int64_t dim, int64_t stride)
{
  if (r->rest.ndim == HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: the result would have more than %d axes", r->op, HED_MAX_NDIM);
  r->rest.dim[r->rest.ndim] = dim;
  r->rest.stride[r->rest.ndim++] = stride;
  return HED_OK;
}

/* A key that is an array or an integer: those that belong together stand side by side. */
static void note_index(reader *r)
{
  if (r->before < 0)
    r->before = r->rest.ndim;
  else if (!r->open)
    r->apart = true;
  r->open = true;
}

static hed_status read_integer(reader *r, int64_t index)
{
  int64_t n = r->x->view.dim[r->axis], i = index < 0 ? index + n : index;
  if (i < 0 || i >= n)
    return hed_fail(HED_E_INDEX, "%s: index %lld is out of range for axis %d of x with extent %lld", r->op,
                    (long long)index, (int)r->axis, (long long)n);
  r->offset += i * r->x->view.stride[r->axis++];
  note_index(r);
  return HED_OK;
}

static hed_status read_slice(reader *r, const hed_slice_range *range)
{
  if (range->step == 0)
    return hed_fail(HED_E_INVAL, "%s: the step of axis %d is 0", r->op, (int)r->axis);
  int64_t first, count, stride = r->x->view.stride[r->axis];
  hed__slice_indices(range, r->x->view.dim[r->axis++], &first, &count);
  r->offset += count > 0 ? first * stride : 0;
  r->open = false;
  /* with fewer than two elements the stride is never used, and a huge step must not overflow it */
  return add_axis(r, count, count > 1 ? stride * range->step : 0);
}

static hed_status read_array(reader *r, const hed_key *key)
{
  const hed_array *a = key->array;
  bool mask = key->kind == HED_KEY_MASK;
  hed_shape have = hed__shape_of(r->x), s = hed__shape_of(a);
  if (!mask && a->view.dtype == HED_ID_BOOL)
    return hed_fail(HED_E_DTYPE, "%s: an index array has dtype bool; a mask is given by HED_MASK", r->op);
  if (mask && a->view.dtype != HED_ID_BOOL)
    return hed_fail(HED_E_DTYPE, "%s: a mask has dtype %s; bool is needed", r->op, hed__dtypes[a->view.dtype]->name);
  hed_status status = mask ? HED_OK : hed__check_indices(r->op, "an index array", a);
  if (status != HED_OK)
    return status;
  int32_t axes = mask ? a->view.ndim : 1;
  for (int32_t k = 0; k < axes; k++) {
    int64_t dim = r->x->view.dim[r->axis + k];
    if (mask && a->view.dim[k] == 0)
      dim = 0; /* it chooses nothing, whatever the extent of x */
    else if (mask && a->view.dim[k] != dim)
      return hed_fail(HED_E_SHAPE, "%s: a mask of shape %s stands for axes %d to %d of x of shape %s", r->op,
                      HED__TEXT(&s), (int)r->axis, (int)(r->axis + axes - 1), HED__TEXT(&have));
    r->chosen.dim[r->chosen.ndim] = dim;
    r->chosen.stride[r->chosen.ndim++] = r->x->view.stride[r->axis + k];
  }
  r->terms[r->n_terms++] = (term){ a, mask, r->axis, axes };
  r->axis += axes;
  note_index(r);
  return HED_OK;
}

/* All keys; WHOLE: axes that the ellipsis, or the end, stands for. */
static hed_status read_keys(reader *r, int n, const hed_key *keys, int whole)
{
  static const hed_slice_range all = { HED_SLICE_BEGIN, HED_SLICE_END, 1 };
  hed_status status = HED_OK;
  bool ellipsis = false;
  for (int k = 0; k <= n && status == HED_OK; k++) {
    if (k == n || keys[k].kind == HED_KEY_ELLIPSIS) {
      r->open = false;
      for (int j = 0; j < whole && !(k == n && ellipsis) && status == HED_OK; j++)
        status = read_slice(r, &all);
      ellipsis = true;
    } else if (keys[k].kind == HED_KEY_SLICE) {
      status = read_slice(r, &keys[k].range);
    } else if (keys[k].kind == HED_KEY_INTEGER) {
      status = read_integer(r, keys[k].range.start);
    } else if (keys[k].kind == HED_KEY_NEWAXIS) {
      r->open = false;
      status = add_axis(r, 1, 0);
    } else {
      status = read_array(r, &keys[k]);
    }
  }
  return status;
}

/* Axes of X that the keys stand for, without the ellipsis; the number of arrays to *arrays. */
static int count_axes(const char *op, const hed_array *x, int n, const hed_key *keys, int *arrays)
{
  int64_t axes = 0;
  int ellipses = 0;
  *arrays = 0;
  if (n < 0 || n > HED__MAX_KEYS || (n > 0 && !keys))
    return n > 0 && n <= HED__MAX_KEYS ? hed_fail(HED_E_INVAL, "%s: keys is NULL", op)
                                       : hed_fail(HED_E_INVAL, "%s: %d keys, 0 to %d are possible", op, n, HED__MAX_KEYS);
  for (int k = 0; k < n; k++) {
    if (keys[k].kind < HED_KEY_SLICE || keys[k].kind > HED_KEY_MASK)
      return hed_fail(HED_E_INVAL, "%s: key %d is of kind %d, %d to %d are possible", op, k, (int)keys[k].kind, HED_KEY_SLICE,
                      HED_KEY_MASK);
    if (is_array(&keys[k]) && !hed__given(keys[k].array, op, "array of a key"))
      return hed_error();
    ellipses += keys[k].kind == HED_KEY_ELLIPSIS;
    *arrays += is_array(&keys[k]);
    axes += keys[k].kind == HED_KEY_MASK ? keys[k].array->view.ndim
                                         : keys[k].kind != HED_KEY_NEWAXIS && keys[k].kind != HED_KEY_ELLIPSIS;
  }
  if (ellipses > 1)
    return hed_fail(HED_E_INVAL, "%s: %d ellipses among the keys, at most 1 is possible", op, ellipses);
  if (axes > x->view.ndim)
    return hed_fail(HED_E_SHAPE, "%s: the keys stand for %lld axes, x has %d", op, (long long)axes, (int)x->view.ndim);
  return (int)axes;
}

/* ---- from arrays to flat indices ---- */

/* The numbers of true elements of MASK in C order, as a list; NULL with the error set. */
static int64_t *true_indices(const char *op, const hed_array *mask, int64_t *count)
{
  int64_t n = 0, found = 0;
  uint8_t *bytes = read_as(op, mask, HED_ID_BOOL, &n);
  if (!bytes)
    return NULL;
  for (int64_t k = 0; k < n; k++)
    found += bytes[k] != 0;
  int64_t *list = hed__buffer_new((size_t)found * sizeof *list, op);
  *count = found;
  found = 0;
  for (int64_t k = 0; k < n && list; k++)
    if (bytes[k])
      list[found++] = k;
  hed__buffer_free(bytes);
  return list;
}

/* INDICES := INDICES * EXTENT + the term's index, for every position of the common shape. A wrapped product is never used:
 * only a result without elements can have so many elements to choose from. */
static void add_term(hed__selection *s, int64_t extent, const hed_shape *shape, const int64_t *list)
{
  hed_view v = { .data = (void *)(uintptr_t)list, .dtype = HED_ID_INT64, .ndim = shape->ndim }, all;
  memcpy(v.dim, shape->dim, sizeof v.dim);
  hed__c_strides(v.ndim, v.dim, sizeof *list, v.stride);
  hed__broadcast_view(&v, s->index.ndim, s->index.dim, &all);
  int64_t position[HED_MAX_NDIM] = { 0 };
  const int32_t last = all.ndim - 1;
  const int64_t width = last < 0 ? 1 : all.dim[last];
  const bool constant = last < 0 || all.stride[last] == 0; /* along a row */
  const uint64_t times = (uint64_t)extent;
  const char *at = all.data;
  for (int64_t k = 0; k < s->n; k += width) {
    uint64_t *flat = (uint64_t *)s->flat + k;
    const uint64_t *index = (const uint64_t *)(const void *)at;
    if (constant)
      for (int64_t i = 0; i < width; i++)
        flat[i] = flat[i] * times + *index;
    else
      for (int64_t i = 0; i < width; i++)
        flat[i] = flat[i] * times + index[i];
    for (int32_t a = last - 1; a >= 0; a--) {
      at += all.stride[a];
      if (++position[a] < all.dim[a])
        break;
      at -= all.dim[a] * all.stride[a];
      position[a] = 0;
    }
  }
}

/* Can the indices of T, which choose from X, be its flat indices as they are, also when X is written? */
static bool usable(const hed_array *x, const term *t)
{
  return !hed__views_meet(&x->view, &t->array->view) &&
         hed__indices_ready(x->storage->device, t->array, x->view.dim[t->axis]);
}

/* The shape of the index arrays, once with that of another one. */
static hed_status join_shape(const reader *r, hed_shape *all, const hed_shape *own)
{
  hed_shape both;
  if (!hed__broadcast(all, own, &both))
    return hed_fail(HED_E_SHAPE, "%s: index arrays of shapes %s and %s do not broadcast", r->op, HED__TEXT(all), HED__TEXT(own));
  *all = both;
  return HED_OK;
}

/* Of the axes that T chooses from. A wrapped product is never used: only a result without elements can have so many elements to
 * choose from. */
static int64_t extent_of(const reader *r, const term *t)
{
  uint64_t extent = 1;
  for (int32_t a = 0; a < t->axes; a++)
    extent *= (uint64_t)r->x->view.dim[t->axis + a];
  return (int64_t)extent;
}

/* On a device that checks indices itself. False: something is not in its memory, nothing was done. */
static bool flat_on_device(const reader *r, hed__selection *s, hed_status *status)
{
  hed__index_term part[HED__MAX_KEYS];
  hed_array *made[HED__MAX_KEYS] = { NULL };
  *status = HED_OK;
  for (int k = 0; k < r->n_terms; k++)
    if (!hed__checks_indices(r->ex, r->terms[k].array, extent_of(r, &r->terms[k])))
      return false;
  s->index = (hed_shape){ 0, { 0 } };
  for (int k = 0; k < r->n_terms && *status == HED_OK; k++) {
    const term *t = &r->terms[k];
    if (t->mask && !(made[k] = hed__numbers_of_true(r->ex, t->array)))
      *status = hed_error();
    part[k] = (hed__index_term){ t->mask ? made[k] : t->array, extent_of(r, t), t->axis, t->mask };
    if (*status == HED_OK) {
      const hed_shape own = hed__shape_of(part[k].index);
      *status = join_shape(r, &s->index, &own);
    }
  }
  if (*status == HED_OK)
    *status = hed__check_shape(r->op, "the shape of the index arrays", &s->index, HED_ID_INT64);
  if (*status == HED_OK) {
    s->n = hed__shape_size(s->index.ndim, s->index.dim);
    s->list = s->made = r->n_terms == 1 ? hed__indices_given(r->ex, part[0].index, r->x)
                                        : hed__flat_indices(r->ex, r->n_terms, part);
    *status = s->made ? HED_OK : hed_error();
  }
  for (int k = 0; k < r->n_terms; k++)
    hed_release(made[k]);
  return true;
}

static hed_status find_flat(const reader *r, hed__selection *s)
{
  int64_t *list[HED__MAX_KEYS] = { NULL }, extent[HED__MAX_KEYS];
  hed_shape shape[HED__MAX_KEYS];
  hed_status status = HED_OK;
  if (flat_on_device(r, s, &status))
    return status;
  s->index = (hed_shape){ 0, { 0 } };
  if (r->n_terms == 1 && !r->terms[0].mask && r->terms[0].axes == 1 && usable(r->x, &r->terms[0])) {
    s->list = r->terms[0].array;
    s->index = hed__shape_of(s->list);
    s->n = hed__shape_size(s->index.ndim, s->index.dim);
    return HED_OK;
  }
  for (int k = 0; k < r->n_terms && status == HED_OK; k++) {
    const term *t = &r->terms[k];
    int64_t n = 0;
    list[k] = t->mask ? true_indices(r->op, t->array, &n) : hed__read_indices(r->op, t->array, &n);
    shape[k] = t->mask ? (hed_shape){ 1, { n } } : hed__shape_of(t->array);
    extent[k] = extent_of(r, t);
    status = list[k] ? HED_OK : hed_error();
    if (status == HED_OK && !t->mask)
      status = hed__wrap_indices(r->op, t->array->view.dtype, t->axis, extent[k], n, list[k]);
    if (status == HED_OK)
      status = join_shape(r, &s->index, &shape[k]);
  }
  if (status == HED_OK)
    status = hed__check_shape(r->op, "the shape of the index arrays", &s->index, HED_ID_INT64);
  if (status == HED_OK) {
    s->n = hed__shape_size(s->index.ndim, s->index.dim);
    if (r->n_terms == 1) {
      s->flat = list[0];
      return HED_OK;
    }
    s->flat = hed__buffer_zeroed((size_t)s->n, sizeof *s->flat, r->op);
    status = s->flat ? HED_OK : hed_error();
  }
  for (int k = 0; k < r->n_terms && status == HED_OK; k++)
    add_term(s, extent[k], &shape[k], list[k]);
  for (int k = 0; k < r->n_terms; k++)
    hed__buffer_free(list[k]);
  return status;
}

/* The result's shape once INDEX is known. */
static hed_status compose_shape(const char *op, hed__selection *s)
{
  int32_t rest = s->base.ndim - s->axes, n = 0;
  const int64_t *dim = s->base.dim + s->axes;
  if (rest + s->index.ndim > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: the result would have %d axes, %d are possible", op, (int)(rest + s->index.ndim),
                    HED_MAX_NDIM);
  for (int32_t k = 0; k < s->at; k++)
    s->shape.dim[n++] = dim[k];
  for (int32_t k = 0; k < s->index.ndim; k++)
    s->shape.dim[n++] = s->index.dim[k];
  for (int32_t k = s->at; k < rest; k++)
    s->shape.dim[n++] = dim[k];
  s->shape.ndim = n;
  return HED_OK;
}

hed_status hed__select(const hed__exec *ex, const char *op, const hed_array *x, int n, const hed_key *keys, hed__selection *s)
{
  memset(s, 0, sizeof *s);
  reader r = { .ex = ex, .op = op, .x = x, .before = -1 };
  int arrays, axes = count_axes(op, x, n, keys, &arrays);
  hed_status status = axes < 0 ? (hed_status)axes : read_keys(&r, n, keys, x->view.ndim - axes);
  if (status != HED_OK)
    return status;
  s->arrays = arrays > 0;
  s->axes = r.chosen.ndim;
  s->base = r.chosen;
  s->base.dtype = x->view.dtype;
  if (r.chosen.ndim + r.rest.ndim > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: the selection would have %d axes, %d are possible", op,
                    (int)(r.chosen.ndim + r.rest.ndim), HED_MAX_NDIM);
  for (int32_t k = 0; k < r.rest.ndim; k++) {
    s->base.dim[s->base.ndim] = r.rest.dim[k];
    s->base.stride[s->base.ndim++] = r.rest.stride[k];
  }
  s->base.data = (char *)x->view.data + (hed__view_size(&s->base) > 0 ? r.offset : 0);
  s->at = r.apart || r.before < 0 ? 0 : r.before;
  if (!s->arrays)
    return compose_shape(op, s);
  bool integers = false;
  for (int k = 0; k < n; k++)
    integers = integers || keys[k].kind == HED_KEY_INTEGER;
  if (r.n_terms == 1 && r.terms[0].mask && !integers && r.terms[0].axes > 0) {
    s->mask = r.terms[0].array;
    s->index = (hed_shape){ 1, { -1 } };
  } else if ((status = find_flat(&r, s)) != HED_OK) {
    return status;
  }
  status = compose_shape(op, s);
  return status;
}

void hed__select_counted(hed__selection *s, int64_t n)
{
  s->n = n;
  s->index.dim[0] = n;
  s->shape.dim[s->at] = n;
}

hed_status hed__select_flat(const hed__exec *ex, const char *op, hed__selection *s)
{
  if (!s->mask || s->flat)
    return HED_OK;
  int64_t n = 0;
  if (hed__checks_indices(ex, s->mask, 1)) {
    if (!(s->list = s->made = hed__numbers_of_true(ex, s->mask)))
      return hed_error();
    hed__select_counted(s, s->made->view.dim[0]);
    return HED_OK;
  }
  s->flat = true_indices(op, s->mask, &n);
  if (!s->flat)
    return hed_error();
  hed__select_counted(s, n);
  return HED_OK;
}

void hed__selection_free(hed__selection *s)
{
  hed__buffer_free(s->flat);
  hed_release(s->made);
  s->flat = NULL;
  s->list = s->made = NULL;
}
