// SPDX-License-Identifier: BSD-3-Clause
/* Rules of conversion, views and movement: the same in the other direction. L3. */
#include "core/record/body.h"
#include "grad/back.h"

#define ARGS(name) const hed__args_##name *const a = b->step->args

static hed_status give(hed__back *b, hed_array *d) { return hed__made(b->d[0] = d); }

/* Converted, moved or broadcast: the sweep converts. */
hed_status hed__back_same(hed__back *b)
{
  return give(b, hed__sum_to((hed_array *)(uintptr_t)b->g[0], b->of[0]));
}

hed_status hed__back_broadcast_arrays(hed__back *b)
{
  for (int32_t k = 0; k < b->n_in; k++)
    if (b->wanted[k] && b->g[k] && !(b->d[k] = hed__sum_to((hed_array *)(uintptr_t)b->g[k], b->of[k])))
      return hed_error();
  return HED_OK;
}

hed_status hed__back_reshape(hed__back *b) { return give(b, hed_reshape(b->g[0], hed__entry_shape(b->of[0]))); }

hed_status hed__back_transpose(hed__back *b)
{
  ARGS(transpose);
  hed_axes inverse = { .n = a->axes ? a->axes->n : 0 };
  for (int32_t k = 0; k < inverse.n; k++)
    inverse.axis[a->axes->axis[k] < 0 ? a->axes->axis[k] + inverse.n : a->axes->axis[k]] = k;
  return give(b, hed_transpose(b->g[0], inverse.n ? &inverse : NULL));
}

hed_status hed__back_moveaxis(hed__back *b)
{
  ARGS(moveaxis);
  return give(b, hed_moveaxis(b->g[0], a->destination, a->source));
}

hed_status hed__back_moveaxes(hed__back *b)
{
  ARGS(moveaxes);
  return give(b, hed_moveaxes(b->g[0], a->destination, a->source));
}

hed_status hed__back_swapaxes(hed__back *b)
{
  ARGS(swapaxes);
  return give(b, hed_swapaxes(b->g[0], a->axis1, a->axis2));
}

hed_status hed__back_matrix_transpose(hed__back *b) { return give(b, hed_matrix_transpose(b->g[0])); }

hed_status hed__back_flip(hed__back *b)
{
  ARGS(flip);
  return give(b, hed_flip(b->g[0], a->axes));
}

hed_status hed__back_rot90(hed__back *b)
{
  ARGS(rot90);
  return give(b, hed_rot90(b->g[0], 4 - (a->k % 4 + 4) % 4, a->axis1, a->axis2));
}

hed_status hed__back_roll(hed__back *b)
{
  ARGS(roll);
  hed_axes back = *a->shifts;
  for (int32_t k = 0; k < back.n; k++)
    back.axis[k] = -back.axis[k];
  return give(b, hed_roll(b->g[0], &back, a->axes));
}

/* The block of G from START on that has E's extents. */
static hed_array *block(const hed_array *g, const hed__entry *e, const int64_t *start)
{
  hed_slice_range range[HED_MAX_NDIM];
  for (int32_t k = 0; k < e->ndim; k++)
    range[k] = HED_RANGE(start[k], start[k] + e->dim[k], 1);
  return hed_slice(g, e->ndim, range);
}

hed_status hed__back_pad(hed__back *b)
{
  ARGS(pad);
  return give(b, block(b->g[0], b->of[0], a->before.dim));
}

hed_array *hed__fit_ends(const hed_array *g, const hed__entry *e)
{
  static const int64_t origin[HED_MAX_NDIM];
  hed_shape none = { .ndim = e->ndim }, after = none;
  bool longer = false;
  if (!g)
    return NULL;
  for (int32_t k = 0; k < e->ndim; k++) {
    none.dim[k] = after.dim[k] = 0;
    if (g->view.dim[k] < e->dim[k]) {
      after.dim[k] = e->dim[k] - g->view.dim[k];
      longer = true;
    }
  }
  g = block(g, e, origin);
  return longer ? hed_pad(g, none, after, 0) : (hed_array *)(uintptr_t)g;
}

hed_status hed__back_framed(hed__back *b) { return give(b, hed__fit_ends(b->g[0], b->of[0])); }

hed_status hed__back_extract_center(hed__back *b)
{
  const hed__entry *e = b->of[0], *part = b->made[0];
  hed_shape before = { .ndim = e->ndim }, after = before;
  for (int32_t k = 0; k < e->ndim; k++) {
    before.dim[k] = (e->dim[k] - part->dim[k]) / 2;
    after.dim[k] = e->dim[k] - part->dim[k] - before.dim[k];
  }
  return give(b, hed_pad(b->g[0], before, after, 0));
}

static int32_t axis_of(int32_t axis, int32_t ndim) { return axis < 0 ? axis + ndim : axis; }

hed_status hed__back_concatenate(hed__back *b)
{
  ARGS(concatenate);
  const int32_t axis = axis_of(a->axis, b->made[0]->ndim);
  int64_t start[HED_MAX_NDIM] = { 0 };
  for (int32_t k = 0; k < b->n_in; k++) {
    if (b->wanted[k] && !(b->d[k] = block(b->g[0], b->of[k], start)))
      return hed_error();
    start[axis] += b->of[k]->dim[axis];
  }
  return HED_OK;
}

hed_status hed__back_stack(hed__back *b)
{
  ARGS(stack);
  for (int32_t k = 0; k < b->n_in; k++)
    if (b->wanted[k] && !(b->d[k] = hed_index(b->g[0], a->axis, k)))
      return hed_error();
  return HED_OK;
}

/* The cotangents of the parts, zeros for those without; MAKE puts them together. */
static hed_status together(hed__back *b, int32_t axis, hed_array *(*make)(int n, const hed_array *const *arrays, int32_t axis))
{
  for (int32_t j = 0; j < b->n_out; j++)
    if (!b->g[j] && !(b->g[j] = hed_zeros(hed__entry_shape(b->made[j]), hed__dtypes[b->made[j]->dtype])))
      return hed_error();
  return give(b, make(b->n_out, b->g, axis));
}

hed_status hed__back_split(hed__back *b)
{
  const int32_t axis = b->step->form == HED__CALL_split_sizes ? ((const hed__args_split_sizes *)b->step->args)->axis
                       : ((const hed__args_split_sections *)b->step->args)->axis;
  return together(b, axis, hed_concatenate);
}

/* Parts may overlap. */
hed_status hed__back_split_indices(hed__back *b)
{
  ARGS(split_indices);
  const hed__entry *e = b->of[0];
  const int32_t axis = axis_of(a->axis, e->ndim);
  hed_array *d = hed__zeros_of(e);
  hed_key keys[HED_MAX_NDIM];
  for (int32_t k = 0; k < axis; k++)
    keys[k] = HED_WHOLE;
  for (int32_t j = 0; j < b->n_out && d; j++) {
    keys[axis] = HED_SLICE(j ? a->indices[j - 1] : 0, j < a->n ? a->indices[j] : HED_SLICE_END, 1);
    if (b->g[j] && hed_accumulate(d, axis + 1, keys, b->g[j], HED_SCATTER_ADD) != HED_OK)
      d = NULL;
  }
  return give(b, d);
}

/* For each place in a window what is seen there of the array. */
hed_status hed__back_sliding_window_view(hed__back *b)
{
  ARGS(sliding_window_view);
  const hed__entry *e = b->of[0];
  const int32_t n = a->window.ndim;
  hed_array *d = hed__zeros_of(e);
  int64_t count = b->g[0]->size ? 1 : 0;
  for (int32_t j = 0; j < n; j++)
    count *= a->window.dim[j];
  for (int64_t k = 0; k < count && d; k++) {
    hed_key keys[HED_MAX_NDIM], at[HED_MAX_NDIM + 1] = { HED_ELLIPSIS };
    int64_t rest = k;
    for (int32_t axis = 0; axis < e->ndim; axis++)
      keys[axis] = HED_WHOLE;
    for (int32_t j = n - 1; j >= 0; j--, rest /= a->window.dim[j + 1]) {
      const int32_t axis = a->axes && a->axes->n ? axis_of(a->axes->axis[j], e->ndim) : j;
      const int64_t first = rest % a->window.dim[j];
      const int64_t from = keys[axis].range.start == HED_SLICE_BEGIN ? first : keys[axis].range.start + first;
      keys[axis] = HED_SLICE(from, from + b->made[0]->dim[axis], 1);
      at[j + 1] = HED_AT(first);
    }
    const hed_array *part = hed_get(b->g[0], n + 1, at);
    if (!part || hed_accumulate(d, e->ndim, keys, part, HED_SCATTER_ADD) != HED_OK)
      d = NULL;
  }
  return give(b, d);
}

hed_status hed__back_unstack(hed__back *b)
{
  ARGS(unstack);
  return together(b, axis_of(a->axis, b->of[0]->ndim), hed_stack);
}

hed_status hed__back_tile(hed__back *b)
{
  ARGS(tile);
  const hed__entry *e = b->of[0];
  const int32_t ndim = a->reps.ndim > e->ndim ? a->reps.ndim : e->ndim;
  hed_shape apart = { .ndim = 2 * ndim };
  hed_reduce over = { .axes = { .n = 0 } };
  if (2 * ndim > HED_MAX_NDIM)
    return hed_fail(HED_E_GRADIENT, "tile: the derivative takes twice as many axes, which are %d", 2 * (int)ndim);
  for (int32_t k = 0; k < ndim; k++) {
    const int32_t r = k - (ndim - a->reps.ndim), x = k - (ndim - e->ndim);
    apart.dim[2 * k] = r < 0 ? 1 : a->reps.dim[r];
    apart.dim[2 * k + 1] = x < 0 ? 1 : e->dim[x];
    over.axes.axis[over.axes.n++] = 2 * k;
  }
  const hed_array *g = ndim ? hed_sum(hed_reshape(b->g[0], apart), &over) : b->g[0];
  return give(b, hed_reshape(g, hed__entry_shape(e)));
}

/* Elements of G that came of one of X add up. */
hed_status hed__back_repeat(hed__back *b)
{
  const hed__entry *e = b->of[0];
  const bool each = b->step->form == HED__CALL_repeat_each;
  const hed_axes *axis = each ? ((const hed__args_repeat_each *)b->step->args)->axis : ((const hed__args_repeat *)b->step->args)->axis;
  const int32_t at = axis && axis->n ? axis_of(axis->axis[0], e->ndim) : 0;
  hed_shape shape = hed__entry_shape(e), apart = { .ndim = 0 };
  int64_t n = 1;
  for (int32_t k = 0; k < e->ndim; k++)
    n *= e->dim[k];
  if (!axis || !axis->n)
    shape = HED_SHAPE(n);
  hed_array *d;
  if (each) {
    const hed_array *index = hed_repeat_each(hed_arange_int(0, shape.dim[at], 1, HED_INT64), b->in[1], NULL);
    d = hed_scatter_add(b->g[0], index, shape.dim[at], at);
  } else {
    for (int32_t k = 0; k < shape.ndim; k++) {
      apart.dim[apart.ndim++] = shape.dim[k];
      if (k == at)
        apart.dim[apart.ndim++] = ((const hed__args_repeat *)b->step->args)->count;
    }
    if (apart.ndim > HED_MAX_NDIM)
      return hed_fail(HED_E_GRADIENT, "repeat: the derivative takes one axis more than there can be");
    d = hed_sum(hed_reshape(b->g[0], apart), &(hed_reduce){ .axes = HED_AXES(at + 1) });
  }
  return give(b, hed_reshape(d, hed__entry_shape(e)));
}

hed_status hed__back_tril(hed__back *b)
{
  ARGS(tril);
  return give(b, hed_tril(b->g[0], a->k));
}

hed_status hed__back_triu(hed__back *b)
{
  ARGS(triu);
  return give(b, hed_triu(b->g[0], a->k));
}

/* The diagonal in a matrix of zeros. */
static hed_array *on_diagonal(const hed__back *b, int64_t offset, int32_t axis1, int32_t axis2)
{
  const hed__entry *e = b->of[0];
  const int32_t last = e->ndim - 2;
  const int64_t rows = e->dim[axis1], columns = e->dim[axis2], first = offset < 0 ? -offset : 0;
  hed_shape before = { .ndim = e->ndim - 1 }, after = before;
  before.dim[last] = first < rows ? first : rows;
  after.dim[last] = rows - before.dim[last] - b->made[0]->dim[last];
  const hed_array *g = hed_expand_dims(hed_pad(b->g[0], before, after, 0), -1);
  const hed_array *matrix = hed_where_scalar(hed_eye(rows, columns, offset, HED_BOOL), g, 0);
  return hed_moveaxes(matrix, &HED_AXES(-2, -1), &HED_AXES(axis1, axis2));
}

hed_status hed__back_diagonal(hed__back *b)
{
  ARGS(diagonal);
  const int32_t ndim = b->of[0]->ndim;
  return give(b, on_diagonal(b, a->offset, axis_of(a->axis1, ndim), axis_of(a->axis2, ndim)));
}

hed_status hed__back_diag(hed__back *b)
{
  ARGS(diag);
  return give(b, b->of[0]->ndim == 1 ? hed_diagonal(b->g[0], a->k, 0, 1) : on_diagonal(b, a->k, 0, 1));
}
