// SPDX-License-Identifier: BSD-3-Clause
/* Creation, manipulation and indexing with every allocation failing in turn: see fault.h. L5.
 */
#include "fault.h"

static hed_array *x, *y, *target, *condition, *rows, *columns, *three, *two_columns, *y2, *zeros; /* operands, made once */

/* ---- indexing ---- */

static result do_take_along_axis(void) { return given(hed_take_along_axis(x, columns, 1)); }
static result do_get(void) { return given(HED_GET(x, HED_IDX(rows), HED_IDX(rows))); }
static result do_get_view(void) { return given(HED_GET(x, HED_AT(1), HED_NEWAXIS)); }
static result do_get_mask(void) { return given(HED_GET(x, HED_MASK(condition))); }
static result do_compress(void) { return given(hed_compress(x, condition)); }
static result do_gather_nd(void) { return given(hed_gather_nd(x, columns)); }
static result do_scatter_nd(void) { return given(hed_scatter_nd(columns, three, HED_SHAPE(5, 4))); }
static result do_set(void) { return status(HED_SET(target, x, HED_SLICE(0, 3, 1))); }
static result do_set_overlap(void) { return status(HED_SET(target, target, HED_SLICE(HED_SLICE_END, HED_SLICE_BEGIN, -1))); }
static result do_set_indices(void) { return status(HED_SET(target, rows, HED_IDX(three), HED_SLICE(0, 2, 1))); }
static result do_set_mask(void) { return status(HED_SET(target, rows, HED_WHOLE, HED_MASK(two_columns))); }
static result do_accumulate(void) { return status(HED_ACCUMULATE(target, HED_SCATTER_ADD, y, HED_IDX(three))); }
static result do_repeat(void) { return given(hed_repeat(x, 2, NULL)); }
static result do_repeat_each(void) { return given(hed_repeat_each(x, three, &HED_AXES(0))); }

/* ---- several results: none is left after a failure ---- */

static result lists(hed_status s, hed_array **list, int n)
{
  for (int k = 0; k < n; k++) {
    if (s != HED_OK && list[k])
      fail("results with an error");
    hed_release(list[k]);
  }
  return status(s);
}
#define LISTS(n, call) hed_array *list[n] = { NULL }; return lists(call, list, n)
static result do_unravel_index(void) { LISTS(2, hed_unravel_index(rows, HED_SHAPE(2, 3), list)); }
static result do_nonzero_axes(void) { LISTS(2, hed_nonzero_axes(x, list)); }
static result do_split_sections(void) { LISTS(2, hed_split_sections(x, 2, 1, list)); }
static result do_array_split(void) { LISTS(2, hed_array_split(x, 2, 0, list)); }
static result do_split_indices(void) { LISTS(2, hed_split_indices(x, 1, (const int64_t[]){ 1 }, 0, list)); }
static result do_split_sizes(void) { LISTS(2, hed_split_sizes(x, 2, (const int64_t[]){ 1, 2 }, 0, list)); }
static result do_unstack(void) { LISTS(2, hed_unstack(columns, 1, list)); }
static result do_broadcast_arrays(void) { LISTS(2, hed_broadcast_arrays(2, (const hed_array *const[]){ x, y }, list)); }
static result do_meshgrid(void) { LISTS(2, hed_meshgrid(2, (const hed_array *const[]){ rows, three }, true, false, list)); }
static result do_tril_indices(void) { LISTS(2, hed_tril_indices(3, 0, 3, &list[0], &list[1])); }
static result do_triu_indices(void) { LISTS(2, hed_triu_indices(3, 0, 3, &list[0], &list[1])); }

/* ---- in place, and the others ---- */

static result do_put_along_axis(void) { return status(hed_put_along_axis(target, columns, y2, 1)); }
static result do_addat(void) { return status(hed_addat(target, 1, &HED_IDX(rows), y2)); }
static result do_place(void) { return status(hed_place(target, condition, three)); }
static result do_fill_int(void) { return status(hed_fill_int(target, 3)); }
static result do_fill_uint(void) { return status(hed_fill_uint(target, 3)); }
static result do_tolist(void) { double list[12]; return status(hed_tolist(x, list, 12)); }
static result do_ravel_multi_index(void)
{
  return given(hed_ravel_multi_index(2, (const hed_array *const[]){ rows, rows }, HED_SHAPE(3, 3)));
}
static result do_index_update(void) { return given(hed_index_update(x, 1, &HED_IDX(rows), y2)); }
static result do_choose(void) { return given(hed_choose(zeros, 2, (const hed_array *const[]){ x, y })); }
static result do_select(void)
{
  return given(hed_select(1, (const hed_array *const[]){ condition }, (const hed_array *const[]){ x }, 3));
}
static const hed_array *pair[2];
#define GIVEN(X) \
  X(update_nd, hed_tensor_scatter_nd_update(x, columns, three)) \
  X(slice_tensor, hed_slice_tensor(x, HED_SHAPE(0, 1), HED_SHAPE(2, -1))) \
  X(slice_update, hed_slice_update(y, HED_SHAPE(0, 0), x)) X(masked_fill, hed_masked_fill(x, condition, 1)) \
  X(extract, hed_extract(condition, x)) X(flatnonzero, hed_flatnonzero(x)) \
  X(scatter_add, hed_scatter_add(x, three, 4, 0)) X(scatter_max, hed_scatter_max(x, three, -1, 0)) \
  X(scatter_min, hed_scatter_min(x, three, 4, 0)) X(scatter_mean, hed_scatter_mean(x, three, 4, 0)) \
  X(scatter_softmax, hed_scatter_softmax(x, three, 4, 0)) X(scatter, hed_scatter(x, three, 4, HED_AGGREGATE_ADD, 0)) \
  X(full_int, hed_full_int(HED_SHAPE(3), 4, HED_INT8)) X(full_uint, hed_full_uint(HED_SHAPE(3), 4, HED_INT8)) \
  X(full_complex, hed_full_complex(HED_SHAPE(2), 1, 2, HED_COMPLEX64)) \
  X(empty_like_as, hed_empty_like_as(x, HED_INT8)) X(zeros_like_as, hed_zeros_like_as(x, HED_INT8)) \
  X(ones_like_as, hed_ones_like_as(x, HED_INT8)) X(full_like_as, hed_full_like_as(x, 2, HED_INT8)) \
  X(from_doubles, hed_from_doubles((const double[]){ 1, 2 }, HED_SHAPE(2), HED_INT8)) X(asarray, hed_asarray(x, HED_INT8)) \
  X(arange_int, hed_arange_int(0, 9, 2, HED_INT8)) X(linspace_open, hed_linspace_open(0, 1, 4, HED_FLOAT32)) \
  X(logspace, hed_logspace(0, 1, 4, 2, HED_FLOAT32)) X(geomspace, hed_geomspace(1, 9, 4, HED_FLOAT32)) \
  X(identity, hed_identity(3, HED_INT8)) X(diag, hed_diag(three, 1)) X(indices, hed_indices(HED_SHAPE(2, 3), NULL)) \
  X(tri, hed_tri(3, 2, 0, HED_INT8)) X(tril, hed_tril(x, 0)) X(triu, hed_triu(x, 0)) \
  X(expand_dims_axes, hed_expand_dims_axes(x, &HED_AXES(0, 2))) X(moveaxes, hed_moveaxes(x, &HED_AXES(0), &HED_AXES(1))) \
  X(swapaxes, hed_swapaxes(x, 0, 1)) X(matrix_transpose, hed_matrix_transpose(x)) X(rot90, hed_rot90(x, 1, 0, 1)) \
  X(atleast_nd, hed_atleast_nd(x, 4)) X(ravel, hed_ravel(x)) X(flatten, hed_flatten(x)) \
  X(windows, hed_sliding_window_view(x, HED_SHAPE(2, 2), NULL)) X(unfold, hed_unfold(x, 1)) X(fold, hed_fold(x, 1, HED_SHAPE(4, 3))) \
  X(vec, hed_vec(x)) X(matricize, hed_matricize(x, &HED_AXES(1), NULL)) X(partial_unfold, hed_partial_unfold(x, 0, 1, 0, false)) \
  X(partial_vec, hed_partial_vec(x, 1, 0)) X(partial_fold, hed_partial_fold(x, 0, HED_SHAPE(3, 4), 1)) \
  X(vstack, hed_vstack(2, pair)) X(hstack, hed_hstack(2, pair)) X(dstack, hed_dstack(2, pair)) \
  X(tile, hed_tile(x, HED_SHAPE(2, 3))) X(pad_with, hed_pad_with(x, HED_SHAPE(1, 1), HED_SHAPE(0, 2), HED_PAD_WRAP, 0))
#define DO(name, call) static result do_##name(void) { return given(call); }
GIVEN(DO)

static const entry entries[] = {
#define E(f) { #f, do_##f }
#define ONE(name, call) E(name),
  E(take_along_axis), E(get), E(get_view), E(get_mask), E(compress), E(gather_nd), E(scatter_nd), E(set), E(set_overlap),
  E(set_indices), E(set_mask), E(accumulate), E(repeat), E(repeat_each), E(unravel_index), E(nonzero_axes), E(split_sections),
  E(array_split), E(split_indices), E(split_sizes), E(unstack), E(broadcast_arrays), E(meshgrid), E(tril_indices), E(triu_indices),
  E(put_along_axis), E(addat), E(place), E(fill_int), E(fill_uint), E(tolist), E(ravel_multi_index),
  E(index_update), E(choose), E(select),
  GIVEN(ONE)
#undef ONE
#undef E
};

int main(void)
{
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 };
  static const int64_t a[2] = { 0, 2 }, b[6] = { 0, 1, 2, 3, 1, 0 }, c[3] = { 2, 0, 2 };
  static const bool d[4] = { true, false, true, false };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  x = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
  y = hed_add_scalar(x, 1);
  target = hed_copy(x);
  condition = hed_greater_scalar(x, 3);
  rows = hed_from_host(a, HED_SHAPE(2), HED_INT64);
  columns = hed_from_host(b, HED_SHAPE(3, 2), HED_INT64);
  three = hed_from_host(c, HED_SHAPE(3), HED_INT64);
  two_columns = hed_from_host(d, HED_SHAPE(4), HED_BOOL);
  y2 = hed_slice(y, 2, (const hed_slice_range[]){ HED_RANGE(0, 1, 1), HED_RANGE(0, 1, 1) });
  zeros = hed_zeros(HED_SHAPE(3, 4), HED_INT32);
  pair[0] = x;
  pair[1] = y;
  if (!y2 || !zeros || !x || !y || !target || !condition || !rows || !columns || !three || !two_columns)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  return done();
}
