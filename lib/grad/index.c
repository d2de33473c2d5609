// SPDX-License-Identifier: BSD-3-Clause
/* Rules of indexing, scatter and sorting. L3. What is read twice adds up, in C order, on every backend. */
#include "base/alloc.h"
#include "core/record/body.h"
#include "grad/back.h"

#define ARGS(name) const hed__args_##name *const a = b->step->args

hed_array *hed__zeros_of(const hed__entry *e) { return hed_zeros(hed__entry_shape(e), hed__dtypes[e->dtype]); }

hed_array *hed__put(const hed__entry *e, int n, const hed_key *keys, const hed_array *g)
{
  hed_array *x = hed__zeros_of(e);
  return x && g && hed_accumulate(x, n, keys, g, HED_SCATTER_ADD) == HED_OK ? x : NULL;
}

hed_array *hed__places(int64_t n, int32_t ndim, int32_t axis)
{
  hed_shape along = { .ndim = ndim };
  for (int32_t k = 0; k < ndim; k++)
    along.dim[k] = k == axis ? n : 1;
  return hed_reshape(hed_arange_int(0, n, 1, HED_INT64), along);
}

hed_array *hed__stretch(const hed_array *x, int32_t axis, int64_t from, int64_t to, int64_t step)
{
  hed_slice_range range[HED_MAX_NDIM];
  for (int32_t k = 0; k < axis; k++)
    range[k] = HED_ALL;
  range[axis] = HED_RANGE(from, to, step);
  return hed_slice(x, axis + 1, range);
}

hed_status hed__back_slice(hed__back *b)
{
  hed_key keys[HED_MAX_NDIM];
  int n = 0;
  if (b->step->form == HED__CALL_index) {
    ARGS(index);
    const int32_t axis = a->axis < 0 ? a->axis + b->of[0]->ndim : a->axis;
    while (n < axis)
      keys[n++] = HED_WHOLE;
    keys[n++] = HED_AT(a->index);
  } else {
    ARGS(slice);
    for (; n < a->n; n++)
      keys[n] = HED_SLICE(a->ranges[n].start, a->ranges[n].stop, a->ranges[n].step);
  }
  return hed__made(b->d[0] = hed__put(b->of[0], n, keys, b->g[0]));
}

/* The N keys of a call with their arrays as they were saved, which are operands from FIRST on. */
static hed_key *keys_of(const hed__back *b, int n, const hed_key *keys, int32_t first, bool *repeats)
{
  hed_key *k = hed__malloc((size_t)(n + !n) * sizeof *k);
  if (!k)
    hed_fail(HED_E_NOMEM, "%s: no memory for the keys of its derivative", hed_op_name(b->step->op));
  for (int i = 0; k && i < n; i++) {
    k[i] = keys[i];
    k[i].array = b->in[first + i];
    *repeats = *repeats || k[i].kind == HED_KEY_INDICES;
  }
  return k;
}

hed_status hed__back_get(hed__back *b)
{
  ARGS(get);
  bool repeats = false;
  hed_key *keys = keys_of(b, a->n, a->keys, 1, &repeats);
  b->d[0] = keys ? hed__put(b->of[0], a->n, keys, b->g[0]) : NULL;
  hed__free(keys);
  return hed__made(b->d[0]);
}

/* D, of the selection's shape, as the cotangent of the value, operand 1, which may have leading axes of extent 1 too many. */
static hed_array *value_back(const hed__back *b, hed_array *d)
{
  const hed__entry *e = b->of[1];
  if (!d || e->ndim <= d->view.ndim)
    return d ? hed__sum_to(d, e) : NULL;
  hed_shape more = { .ndim = e->ndim };
  for (int32_t k = 0; k < e->ndim; k++)
    more.dim[k] = k < e->ndim - d->view.ndim ? 1 : d->view.dim[k - (e->ndim - d->view.ndim)];
  hed_array *whole = hed_reshape(d, more);
  return whole ? hed__sum_to(whole, e) : NULL;
}

/* D where the last value was written, which has left its number, MINE, THERE. */
static hed_array *last_ones(const hed_array *there, const hed_array *mine, const hed_array *d)
{
  return hed_where_scalar(hed_equal(there, mine), d, 0);
}

/* G where the value at that place is the last that was written there. */
static hed_array *last_writer(const hed__entry *e, int n, const hed_key *keys, const hed_array *g)
{
  hed_array *number = hed_zeros(hed__entry_shape(e), HED_INT64);
  const hed_array *mine = g ? hed_reshape(hed_arange_int(0, g->size, 1, HED_INT64), hed_array_shape(g)) : NULL;
  if (!number || !mine || hed_set(number, n, keys, mine) != HED_OK)
    return NULL;
  return last_ones(hed_get(number, n, keys), mine, g);
}

hed_status hed__back_set(hed__back *b)
{
  ARGS(set); /* of index_update the same */
  bool repeats = false;
  hed_key *keys = keys_of(b, a->n, a->keys, 2, &repeats);
  const hed_array *zero = keys ? hed_zeros((hed_shape){ .ndim = 0 }, hed_array_dtype(b->g[0])) : NULL;
  hed_status status = hed__made(zero);
  if (status == HED_OK && b->wanted[0])
    status = hed__made(b->d[0] = hed_index_update(b->g[0], a->n, keys, zero));
  if (status == HED_OK && b->wanted[1]) {
    hed_array *d = hed_get(b->g[0], a->n, keys);
    status = hed__made(b->d[1] = value_back(b, repeats ? last_writer(b->made[0], a->n, keys, d) : d));
  }
  hed__free(keys);
  return status;
}

hed_status hed__back_accumulate(hed__back *b)
{
  ARGS(accumulate);
  bool repeats = false;
  if (a->op != HED_SCATTER_ADD)
    return hed_fail(HED_E_GRADIENT, "accumulate has a rule for its derivative for sums alone");
  hed_key *keys = keys_of(b, a->n, a->keys, 2, &repeats);
  b->d[0] = (hed_array *)(uintptr_t)b->g[0];
  if (keys && b->wanted[1])
    b->d[1] = value_back(b, hed_get(b->g[0], a->n, keys));
  hed__free(keys);
  return keys && (!b->wanted[1] || b->d[1]) ? HED_OK : hed_error();
}

hed_status hed__back_take(hed__back *b)
{
  ARGS(take);
  hed_key keys[HED_MAX_NDIM];
  const int32_t axis = a->axis < 0 ? a->axis + b->of[0]->ndim : a->axis;
  for (int32_t k = 0; k < axis; k++)
    keys[k] = HED_WHOLE;
  keys[axis] = HED_IDX(b->in[1]);
  return hed__made(b->d[0] = hed__put(b->of[0], axis + 1, keys, b->g[0]));
}

hed_array *hed__put_along(const hed__entry *e, const hed_array *indices, int32_t axis, const hed_array *g)
{
  hed_key keys[HED_MAX_NDIM];
  for (int32_t k = 0; k < e->ndim; k++)
    keys[k] = HED_IDX(k == axis ? indices : hed__places(e->dim[k], e->ndim, k));
  return hed__put(e, e->ndim, keys, g);
}

hed_status hed__back_take_along_axis(hed__back *b)
{
  ARGS(take_along_axis);
  const int32_t axis = a->axis < 0 ? a->axis + b->of[0]->ndim : a->axis;
  return hed__made(b->d[0] = hed__put_along(b->of[0], b->in[1], axis, b->g[0]));
}

hed_status hed__back_put_along_axis(hed__back *b)
{
  ARGS(put_along_axis);
  const hed__entry *e = b->of[0];
  const int32_t axis = a->axis < 0 ? a->axis + e->ndim : a->axis;
  hed_array *d = hed_copy(b->g[0]), *number = hed_zeros(hed__entry_shape(e), HED_INT64);
  const hed_array *indices = b->in[1], *own = hed_take_along_axis(b->g[0], indices, axis);
  const hed_array *mine = own ? hed_reshape(hed_arange_int(0, own->size, 1, HED_INT64), hed_array_shape(own)) : NULL;
  if (!d || !number || !mine || hed_put_along_axis(d, indices, hed_scalar(0), axis) != HED_OK)
    return hed_error();
  if (b->wanted[0])
    b->d[0] = d;
  if (!b->wanted[2])
    return HED_OK;
  indices = hed_broadcast_to(indices, hed_array_shape(own));
  if (!indices || hed_put_along_axis(number, indices, mine, axis) != HED_OK)
    return hed_error();
  return hed__give(b, 2, last_ones(hed_take_along_axis(number, indices, axis), mine, own));
}

hed_status hed__back_tensor_scatter_nd_update(hed__back *b)
{
  const hed__entry *e = b->of[0], *u = b->of[2];
  const hed_array *indices = b->in[1];
  if (b->wanted[0] && hed__made(b->d[0] = hed_tensor_scatter_nd_update(b->g[0], indices, hed__zeros_of(u))) != HED_OK)
    return hed_error();
  if (!b->wanted[2])
    return HED_OK;
  int64_t n = 1;
  for (int32_t k = 0; k < u->ndim; k++)
    n *= u->dim[k];
  const hed_array *mine = hed_reshape(hed_arange_int(0, n, 1, HED_INT64), hed__entry_shape(u));
  const hed_array *number = hed_tensor_scatter_nd_update(hed_zeros(hed__entry_shape(e), HED_INT64), indices, mine);
  return hed__give(b, 2, last_ones(hed_gather_nd(number, indices), mine, hed_gather_nd(b->g[0], indices)));
}

hed_status hed__back_gather_nd(hed__back *b)
{
  return hed__made(b->d[0] = hed_scatter_nd(b->in[1], b->g[0], hed__entry_shape(b->of[0])));
}

hed_status hed__back_scatter_nd(hed__back *b)
{
  return hed__made(b->d[1] = hed_gather_nd(b->g[0], b->in[0]));
}

hed_status hed__back_compress(hed__back *b)
{
  return hed__made(b->d[0] = hed__put(b->of[0], 1, &HED_MASK(b->in[1]), b->g[0]));
}

hed_status hed__back_masked_fill(hed__back *b)
{
  return hed__made(b->d[0] = hed_scalar_where(b->in[1], 0, b->g[0]));
}

/* The axis of OPT in E; the last by default. */
static int32_t sort_axis(const hed_sort_options *opt, const hed__entry *e)
{
  return !opt || !opt->axis.n ? e->ndim - 1 : opt->axis.axis[0] < 0 ? opt->axis.axis[0] + e->ndim : opt->axis.axis[0];
}

/* ORDER: the places that the elements came from. */
static hed_status ordered(hed__back *b, const hed_sort_options *opt, const hed_array *order)
{
  if (opt && opt->flat) {
    const hed_array *place = hed_argsort(order, NULL);
    return hed__made(b->d[0] = hed_reshape(hed_take(b->g[0], place, 0), hed__entry_shape(b->of[0])));
  }
  const int32_t axis = sort_axis(opt, b->of[0]);
  const hed_array *place = hed_argsort(order, &(hed_sort_options){ .axis = HED_AXES(axis) });
  return hed__made(b->d[0] = hed_take_along_axis(b->g[0], place, axis));
}

hed_status hed__back_sort(hed__back *b)
{
  ARGS(sort);
  return ordered(b, a->opt, hed_argsort(b->in[0], a->opt));
}

hed_status hed__back_partition(hed__back *b)
{
  ARGS(partition);
  return ordered(b, a->opt, hed_argpartition(b->in[0], a->kth, a->opt));
}

hed_status hed__back_topk(hed__back *b)
{
  ARGS(topk);
  const hed__entry *e = b->of[0];
  hed_array *index = NULL;
  if (!b->g[0])
    return HED_OK;
  if (hed_topk(b->in[0], a->k, a->opt, NULL, &index) != HED_OK)
    return hed_error();
  if (a->opt && a->opt->flat) {
    int64_t n = 1;
    for (int32_t k = 0; k < e->ndim; k++)
      n *= e->dim[k];
    hed_array *x = hed_zeros(HED_SHAPE(n), hed__dtypes[e->dtype]);
    if (!x || hed_accumulate(x, 1, &HED_IDX(index), b->g[0], HED_SCATTER_ADD) != HED_OK)
      return hed_error();
    return hed__made(b->d[0] = hed_reshape(x, hed__entry_shape(e)));
  }
  return hed__made(b->d[0] = hed__put_along(e, index, sort_axis(a->opt, e), b->g[0]));
}
