// SPDX-License-Identifier: BSD-3-Clause
/* Creation and manipulation beyond the basic forms: exact ranges, grids, triangles, axes, parts, margins, unfolding. */
#include "api.h"
#include "gen.h"
#include "gen.h"
#include <math.h>

static const hed_axes first_axis = { 1, { 0 } };

static void creation(const char *backend)
{
  diag("creation on %s", backend);
  int64_t big[3];
  hed_array *x = hed_arange_int(INT64_MAX - 2, INT64_MAX, 1, HED_INT64);
  is_int(hed_to_host(x, big, 16), HED_OK, "arange_int at the end of int64");
  ok(big[0] == INT64_MAX - 2 && big[1] == INT64_MAX - 1, "is exact");
  hed_release(x);
  x = hed_arange(9007199254740990, 9007199254740992, 1, HED_INT64);
  is_int(hed_to_host(x, big, 16), HED_OK, "arange near 2^53");
  ok(big[0] == 9007199254740990 && big[1] == 9007199254740991, "is exact too");
  hed_release(x);
  api_is(hed_arange(0, 1000, 250, HED_UINT8), HED_SHAPE(4), HED_UINT8, API_LIST(0, 250, 244, 238), "arange wraps to the width");
  api_is(hed_arange_int(5, 0, -2, HED_FLOAT32), HED_SHAPE(3), HED_FLOAT32, API_LIST(5, 3, 1), "arange_int downwards");
  api_is(hed_arange_int(0, 5, INT64_MAX, HED_INT8), HED_SHAPE(1), HED_INT8, API_LIST(0), "arange_int with a huge step");
  api_is(hed_arange_int(INT64_MAX, INT64_MIN, INT64_MIN, HED_INT64), HED_SHAPE(2), HED_INT64, API_LIST(0x1p63, -1), "and the least");
  API_NULL(hed_arange_int(0, 5, 0, HED_INT8), HED_E_INVAL, "the step from 0 to 5 is 0");
  API_NULL(hed_arange_int(INT64_MIN, INT64_MAX, 1, HED_INT8), HED_E_SHAPE, "18446744073709551615 elements");
  x = hed_full_int(HED_SHAPE(1), INT64_MAX - 1, HED_INT64);
  hed_to_host(x, big, 8);
  ok(big[0] == INT64_MAX - 1, "full_int is exact");
  is_int(hed_fill_int(x, 9007199254740993), HED_OK, "fill_int");
  hed_to_host(x, big, 8);
  ok(big[0] == 9007199254740993, "is exact");
  hed_release(x);
  double z[2];
  x = hed_full_complex(HED_SHAPE0, 1, -2, HED_COMPLEX64);
  ok(hed_item_complex(x, z) == HED_OK && z[0] == 1 && z[1] == -2, "full_complex");
  hed_release(x);
  API_NULL(hed_full_complex(HED_SHAPE0, 1, 2, HED_FLOAT32), HED_E_DTYPE, "full_complex: x has dtype float32, which cannot hold 1+2i");
  x = api_iota(HED_SHAPE(2, 2), HED_FLOAT32);
  api_is(hed_zeros_like_as(x, HED_INT8), HED_SHAPE(2, 2), HED_INT8, API_LIST(0, 0, 0, 0), "zeros_like_as");
  api_is(hed_ones_like_as(x, HED_BOOL), HED_SHAPE(2, 2), HED_BOOL, API_LIST(1, 1, 1, 1), "ones_like_as");
  api_is(hed_full_like_as(x, 2.5, HED_INT32), HED_SHAPE(2, 2), HED_INT32, API_LIST(2, 2, 2, 2), "full_like_as");
  hed_array *e = hed_empty_like_as(x, HED_COMPLEX64);
  ok(e && hed_array_dtype(e) == HED_COMPLEX64 && (uintptr_t)hed_array_data(e) % 64 == 0, "empty_like_as, aligned to 64 bytes");
  hed_release(e);
  API_NULL(hed_zeros_like_as(x, NULL), HED_E_INVAL, "zeros_like_as: dtype is NULL");
  API_NULL(hed_empty(HED_SHAPE(INT64_MAX, 2), HED_INT8), HED_E_SHAPE, "larger than memory can be");
  double list[4];
  ok(hed_tolist(x, list, 4) == HED_OK && list[0] == 0 && list[3] == 3, "tolist");
  API_FAIL(hed_tolist(x, list, 3), HED_E_INVAL, "room for 3 values at out, x has 4 elements");
  e = hed_asarray(x, NULL);
  ok(hed_array_data(e) == hed_array_data(x), "asarray of what is there is a view");
  hed_release(e);
  api_is(hed_asarray(x, HED_INT8), HED_SHAPE(2, 2), HED_INT8, API_LIST(0, 1, 2, 3), "asarray converts");
  hed_release(x);
  api_is(hed_from_doubles(API_LIST(1.5, -2), HED_SHAPE(2), HED_INT16), HED_SHAPE(2), HED_INT16, API_LIST(1, -2), "from_doubles");
  API_NULL(hed_from_doubles(NULL, HED_SHAPE(2), HED_INT16), HED_E_INVAL, "values is NULL");
  API_NULL(hed_from_doubles(NULL, (hed_shape){ .ndim = HED_MAX_NDIM + 1 }, HED_INT16), HED_E_INVAL, "values is NULL");
  api_is(hed_linspace_open(0, 1, 4, HED_FLOAT64), HED_SHAPE(4), HED_FLOAT64, API_LIST(0, .25, .5, .75), "linspace_open");
  api_is(hed_logspace(0, 3, 4, 2, HED_FLOAT32), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 2, 4, 8), "logspace");
  api_is(hed_geomspace(1, 1000, 4, HED_FLOAT32), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 10, 100, 1000), "geomspace");
  api_is(hed_geomspace(-8, -1, 4, HED_FLOAT32), HED_SHAPE(4), HED_FLOAT32, API_LIST(-8, -4, -2, -1), "geomspace below 0");
  API_NULL(hed_geomspace(1, -1, 3, HED_FLOAT32), HED_E_INVAL, "geomspace: from 1 to -1");
  API_NULL(hed_logspace(0, 1, 3, -2, HED_FLOAT32), HED_E_INVAL, "base -2");
  API_NULL(hed_linspace_open(0, 1, -1, HED_FLOAT32), HED_E_INVAL, "linspace_open: -1 values");
  api_is(hed_identity(2, HED_COMPLEX64), HED_SHAPE(2, 2), HED_COMPLEX64, API_LIST(1, 0, 0, 1), "identity");
  API_NULL(hed_identity(-1, HED_INT8), HED_E_SHAPE, "n is -1");
  hed_array *v = API_VECTOR(HED_INT8, 1, 2);
  api_is(hed_diag(v, 0), HED_SHAPE(2, 2), HED_INT8, API_LIST(1, 0, 0, 2), "diag of a vector");
  api_is(hed_diag(v, 1), HED_SHAPE(3, 3), HED_INT8, API_LIST(0, 1, 0, 0, 0, 2, 0, 0, 0), "above");
  api_is(hed_diag(v, -1), HED_SHAPE(3, 3), HED_INT8, API_LIST(0, 0, 0, 1, 0, 0, 0, 2, 0), "below");
  API_NULL(hed_diag(v, INT64_MIN), HED_E_SHAPE, "a vector or a matrix is needed");
  hed_release(v);
  x = api_iota(HED_SHAPE(2, 3), HED_FLOAT32);
  api_is(hed_diag(x, 1), HED_SHAPE(2), HED_FLOAT32, API_LIST(1, 5), "diag of a matrix");
  api_is(hed_tril(x, 0), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 0, 0, 3, 4, 0), "tril");
  api_is(hed_tril(x, -1), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 0, 0, 3, 0, 0), "tril below");
  api_is(hed_triu(x, 1), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 0, 0, 5), "triu above");
  api_is(hed_triu(x, INT64_MIN), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "triu far below");
  api_is(hed_tril(x, INT64_MAX), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "tril far above");
  v = hed_index(x, 0, 0);
  API_NULL(hed_tril(v, 0), HED_E_SHAPE, "tril: x has 1 axes");
  RELEASE(v, x);
  api_is(hed_tri(2, 3, 1, HED_INT8), HED_SHAPE(2, 3), HED_INT8, API_LIST(1, 1, 0, 1, 1, 1), "tri");
  hed_array *rows = NULL, *columns = NULL;
  is_int(hed_tril_indices(3, -1, 2, &rows, &columns), HED_OK, "tril_indices");
  api_is(rows, HED_SHAPE(3), HED_INT64, API_LIST(1, 2, 2), "rows");
  api_is(columns, HED_SHAPE(3), HED_INT64, API_LIST(0, 0, 1), "columns");
  is_int(hed_triu_indices(2, 0, 3, &rows, &columns), HED_OK, "triu_indices");
  api_is(rows, HED_SHAPE(5), HED_INT64, API_LIST(0, 0, 0, 1, 1), "rows");
  api_is(columns, HED_SHAPE(5), HED_INT64, API_LIST(0, 1, 2, 1, 2), "columns");
  API_FAIL(hed_triu_indices(-2, 0, 3, &rows, &columns), HED_E_SHAPE, "extent -2 of axis 0");
  ok(!rows && !columns, "outputs are NULL after a failure");

  api_is(hed_indices(HED_SHAPE(2, 2), NULL), HED_SHAPE(2, 2, 2), HED_INT64, API_LIST(0, 0, 1, 1, 0, 1, 0, 1), "indices");
  hed_array *a = API_VECTOR(HED_INT8, 1, 2), *b = API_VECTOR(HED_FLOAT32, 5, 6, 7), *grid[2];
  const hed_array *const both[] = { a, b };
  is_int(hed_meshgrid(2, both, true, false, grid), HED_OK, "meshgrid xy");
  api_is(grid[0], HED_SHAPE(3, 2), HED_INT8, API_LIST(1, 2, 1, 2, 1, 2), "first");
  api_is(grid[1], HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(5, 5, 6, 6, 7, 7), "second");
  is_int(hed_meshgrid(2, both, false, false, grid), HED_OK, "meshgrid ij");
  api_is(grid[0], HED_SHAPE(2, 3), HED_INT8, API_LIST(1, 1, 1, 2, 2, 2), "first");
  api_is(grid[1], HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(5, 6, 7, 5, 6, 7), "second");
  is_int(hed_meshgrid(2, both, false, true, grid), HED_OK, "meshgrid ij sparse");
  api_is(grid[0], HED_SHAPE(2, 1), HED_INT8, API_LIST(1, 2), "first");
  api_is(grid[1], HED_SHAPE(1, 3), HED_FLOAT32, API_LIST(5, 6, 7), "second");
  x = api_iota(HED_SHAPE(2, 2), HED_INT8);
  API_FAIL(hed_meshgrid(1, (const hed_array *const[]){ x }, false, true, grid), HED_E_SHAPE, "array 0 has 2 axes");
  RELEASE(x, a, b);
}

static void axes(const char *backend)
{
  diag("axes on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_INT32), *y = api_iota(HED_SHAPE(2, 1, 3), HED_INT32), *list[4];
  static const double iota[6] = { 0, 1, 2, 3, 4, 5 }, turned[6] = { 0, 3, 1, 4, 2, 5 };
  api_is(hed_expand_dims_axes(x, &HED_AXES(0, -1)), HED_SHAPE(1, 2, 3, 1), HED_INT32, iota, "expand_dims_axes");
  API_NULL(hed_expand_dims_axes(x, &HED_AXES(0, 4)), HED_E_AXIS, "axis 4 is out of range for an array with 4 axes");
  api_is(hed_moveaxes(y, &HED_AXES(0, 2), &HED_AXES(-1, 0)), HED_SHAPE(3, 1, 2), HED_INT32, turned, "moveaxes");
  API_NULL(hed_moveaxes(y, &HED_AXES(0, 2), &HED_AXES(0)), HED_E_INVAL, "2 axes are moved to 1 places");
  API_NULL(hed_moveaxes(y, &HED_AXES(0, 0), &HED_AXES(0, 1)), HED_E_SHAPE, "axis 0 is listed twice");
  api_is(hed_swapaxes(x, 0, -1), HED_SHAPE(3, 2), HED_INT32, turned, "swapaxes");
  API_NULL(hed_swapaxes(x, 0, 2), HED_E_AXIS, "swapaxes: axis2 2 is out of range");
  api_is(hed_matrix_transpose(x), HED_SHAPE(3, 2), HED_INT32, turned, "matrix_transpose");
  api_is(hed_rot90(x, 1, 0, 1), HED_SHAPE(3, 2), HED_INT32, API_LIST(2, 5, 1, 4, 0, 3), "rot90");
  api_is(hed_rot90(x, 2, 0, 1), HED_SHAPE(2, 3), HED_INT32, API_LIST(5, 4, 3, 2, 1, 0), "two turns");
  api_is(hed_rot90(x, -1, 0, 1), HED_SHAPE(3, 2), HED_INT32, API_LIST(3, 0, 4, 1, 5, 2), "backwards");
  api_is(hed_rot90(x, 1, 1, 0), HED_SHAPE(3, 2), HED_INT32, API_LIST(3, 0, 4, 1, 5, 2), "axes exchanged");
  api_is(hed_rot90(x, -4, 0, 1), HED_SHAPE(2, 3), HED_INT32, iota, "no turn");
  API_NULL(hed_rot90(x, 1, 1, -1), HED_E_SHAPE, "rot90: axis1 and axis2 are both axis 1");
  api_is(hed_atleast_nd(x, 4), HED_SHAPE(1, 1, 2, 3), HED_INT32, iota, "atleast_nd");
  api_is(hed_atleast_nd(x, -1), HED_SHAPE(2, 3), HED_INT32, iota, "atleast_nd has enough");
  API_NULL(hed_atleast_nd(x, 17), HED_E_SHAPE, "n = 17 axes");
  is_int(hed_broadcast_arrays(2, (const hed_array *const[]){ x, y }, list), HED_OK, "broadcast_arrays");
  api_is(list[0], HED_SHAPE(2, 2, 3), HED_INT32, API_LIST(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5), "first");
  api_is(list[1], HED_SHAPE(2, 2, 3), HED_INT32, API_LIST(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5), "second");
  hed_array *four = api_iota(HED_SHAPE(4), HED_INT32);
  API_FAIL(hed_broadcast_arrays(2, (const hed_array *const[]){ x, four }, list), HED_E_SHAPE,
           "shape (4,) of array 1 does not broadcast with (2, 3)");
  hed_array *flat = hed_ravel(x), *copy = hed_flatten(x), *t = hed_transpose(x, NULL);
  ok(hed_array_data(flat) == hed_array_data(x) && hed_array_data(copy) != hed_array_data(x), "ravel shares, flatten copies");
  api_is(hed_ravel(t), HED_SHAPE(6), HED_INT32, turned, "ravel of a transpose");
  RELEASE(t, copy);
  api_is(hed_sliding_window_view(four, HED_SHAPE(2), NULL), HED_SHAPE(3, 2), HED_INT32, API_LIST(0, 1, 1, 2, 2, 3), "windows");
  api_is(hed_sliding_window_view(x, HED_SHAPE(2), &HED_AXES(1)), HED_SHAPE(2, 2, 2), HED_INT32,
         API_LIST(0, 1, 1, 2, 3, 4, 4, 5), "windows of one axis");
  t = hed_sliding_window_view(four, HED_SHAPE(2), NULL);
  API_FAIL(hed_fill(t, 1), HED_E_INVAL, "read-only");
  API_FAIL(HED_SET(t, four, HED_AT(0), HED_AT(0)), HED_E_INVAL, "set: x is read-only");
  API_NULL(hed_sliding_window_view(four, HED_SHAPE(5), NULL), HED_E_SHAPE, "a window of 5 on axis 0 with extent 4");
  RELEASE(t, flat);

  int64_t cuts[] = { 1, -1, 9 }, sizes[] = { 1, 0, 3 };
  is_int(hed_split_sections(four, 2, 0, list), HED_OK, "split_sections");
  api_is(list[0], HED_SHAPE(2), HED_INT32, API_LIST(0, 1), "first");
  api_is(list[1], HED_SHAPE(2), HED_INT32, API_LIST(2, 3), "second");
  API_FAIL(hed_split_sections(four, 3, 0, list), HED_E_SHAPE, "axis 0 with extent 4 in 3 equal parts");
  is_int(hed_array_split(four, 3, -1, list), HED_OK, "array_split");
  api_is(list[0], HED_SHAPE(2), HED_INT32, API_LIST(0, 1), "first");
  api_is(list[1], HED_SHAPE(1), HED_INT32, API_LIST(2), "second");
  api_is(list[2], HED_SHAPE(1), HED_INT32, API_LIST(3), "third");
  is_int(hed_split_indices(four, 3, cuts, 0, list), HED_OK, "split_indices");
  api_is(list[0], HED_SHAPE(1), HED_INT32, API_LIST(0), "first");
  api_is(list[1], HED_SHAPE(2), HED_INT32, API_LIST(1, 2), "second");
  api_is(list[2], HED_SHAPE(1), HED_INT32, API_LIST(3), "third");
  api_is(list[3], HED_SHAPE(0), HED_INT32, API_LIST(0), "beyond the end");
  is_int(hed_split_sizes(four, 3, sizes, 0, list), HED_OK, "split_sizes");
  api_is(list[0], HED_SHAPE(1), HED_INT32, API_LIST(0), "first");
  api_is(list[1], HED_SHAPE(0), HED_INT32, API_LIST(0), "second");
  api_is(list[2], HED_SHAPE(3), HED_INT32, API_LIST(1, 2, 3), "third");
  API_FAIL(hed_split_sizes(four, 2, sizes, 0, list), HED_E_SHAPE, "2 sizes add up to 1, axis 0 has extent 4");
  RELEASE(four, x, y);
}

static void tensors(const char *backend)
{
  diag("unfolding on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3, 2), HED_FLOAT32);
  static const double mode1[12] = { 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11 };
  api_is(hed_unfold(x, 1), HED_SHAPE(3, 4), HED_FLOAT32, mode1, "unfold");
  hed_array *u = hed_unfold(x, 1), *back = hed_fold(u, 1, HED_SHAPE(2, 3, 2));
  hed_array *e = hed_equal(x, back);
  api_is(hed_all(e, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "fold");
  API_NULL(hed_fold(u, 1, HED_SHAPE(2, 3, 3)), HED_E_SHAPE, "x of shape (3, 4) does not fold to (2, 3, 3)");
  RELEASE(e, back, u);
  api_is(hed_matricize(x, &HED_AXES(1, 0), NULL), HED_SHAPE(6, 2), HED_FLOAT32,
         API_LIST(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11), "matricize");
  api_is(hed_matricize(x, &HED_AXES(1), &HED_AXES(2, 0)), HED_SHAPE(3, 4), HED_FLOAT32,
         API_LIST(0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11), "matricize with ordered columns");
  API_NULL(hed_matricize(x, &HED_AXES(1), &HED_AXES(2)), HED_E_SHAPE, "1 row modes and 1 column modes are not the 3 axes");
  api_is(hed_partial_unfold(x, 1, 1, 0, false), HED_SHAPE(2, 2, 3), HED_FLOAT32,
         API_LIST(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11), "partial_unfold");
  u = hed_partial_unfold(x, 1, 1, 0, false);
  back = hed_partial_fold(u, 1, HED_SHAPE(2, 3, 2), 1);
  e = hed_equal(x, back);
  api_is(hed_all(e, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "partial_fold");
  RELEASE(e, back, u);
  api_is(hed_partial_vec(x, 1, 0), HED_SHAPE(2, 6), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), "partial_vec");
  api_is(hed_vec(x), HED_SHAPE(12), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), "vec");
  API_NULL(hed_unfold(x, 3), HED_E_AXIS, "unfold: mode 3 is out of range");
  API_NULL(hed_partial_unfold(x, 0, 2, 1, false), HED_E_SHAPE, "2 axes skipped at the begin and 1 at the end of 3");
  API_NULL(hed_partial_unfold(x, 2, 0, 1, false), HED_E_AXIS, "mode 2 is out of range");
  hed_release(x);
}

static void joining(const char *backend)
{
  diag("joining and margins on %s", backend);
  hed_array *a = API_VECTOR(HED_INT8, 1, 2, 3), *b = API_VECTOR(HED_INT8, 4, 5, 6), *m = api_iota(HED_SHAPE(2, 2), HED_INT8);
  const hed_array *const two[] = { a, b };
  api_is(hed_vstack(2, two), HED_SHAPE(2, 3), HED_INT8, API_LIST(1, 2, 3, 4, 5, 6), "vstack");
  api_is(hed_hstack(2, two), HED_SHAPE(6), HED_INT8, API_LIST(1, 2, 3, 4, 5, 6), "hstack");
  api_is(hed_dstack(2, two), HED_SHAPE(1, 3, 2), HED_INT8, API_LIST(1, 4, 2, 5, 3, 6), "dstack");
  api_is(hed_hstack(2, (const hed_array *const[]){ m, m }), HED_SHAPE(2, 4), HED_INT8, API_LIST(0, 1, 0, 1, 2, 3, 2, 3),
         "hstack of matrices");
  API_NULL(hed_vstack(0, two), HED_E_INVAL, "vstack: there are no arrays to join");
  API_NULL(hed_vstack(2, (const hed_array *const[]){ a, m }), HED_E_SHAPE, "do not fit along axis 0");
  api_is(hed_tile(a, HED_SHAPE(2)), HED_SHAPE(6), HED_INT8, API_LIST(1, 2, 3, 1, 2, 3), "tile");
  api_is(hed_tile(m, HED_SHAPE(2, 1, 2)), HED_SHAPE(2, 2, 4), HED_INT8,
         API_LIST(0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3), "tile with more axes");
  api_is(hed_tile(m, HED_SHAPE(0)), HED_SHAPE(2, 0), HED_INT8, API_LIST(0), "tile none");
  API_NULL(hed_tile(m, HED_SHAPE(-1)), HED_E_SHAPE, "-1 repeats of axis 1 with extent 2");
  api_is(hed_repeat(m, 2, NULL), HED_SHAPE(8), HED_INT8, API_LIST(0, 0, 1, 1, 2, 2, 3, 3), "repeat flattens");
  api_is(hed_repeat(m, 2, &first_axis), HED_SHAPE(4, 2), HED_INT8, API_LIST(0, 1, 0, 1, 2, 3, 2, 3), "repeat of an axis");
  hed_array *counts = API_VECTOR(HED_INT32, 0, 3);
  api_is(hed_repeat_each(m, counts, &HED_AXES(1)), HED_SHAPE(2, 3), HED_INT8, API_LIST(1, 1, 1, 3, 3, 3), "repeat_each");
  API_NULL(hed_repeat(m, -1, NULL), HED_E_INVAL, "count is -1");
  API_NULL(hed_repeat_each(a, counts, NULL), HED_E_SHAPE, "counts of shape (2,) for the 3 elements of axis 0");
  hed_array *flat = hed_reshape(m, HED_SHAPE(4));
  hed_array *deep = hed_zeros(HED_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), HED_INT8);
  API_NULL(hed_repeat_each(flat, m, NULL), HED_E_SHAPE, "counts of shape (2, 2) for the 4 elements of axis 0");
  hed_array *most = hed_take(a, deep, 0);
  is_int(most ? hed_array_ndim(most) : -1, HED_MAX_NDIM, "take with as many axes as there can be");
  API_NULL(hed_take(m, deep, 0), HED_E_SHAPE, "take: the result would have 17 axes, 16 are possible");
  RELEASE(most, deep, flat, counts);
  hed_array *none = hed_zeros(HED_SHAPE(0), HED_INT8);
#define PAD(mode) hed_pad_with(a, HED_SHAPE(5), HED_SHAPE(4), mode, 9)
  api_is(PAD(HED_PAD_CONSTANT), HED_SHAPE(12), HED_INT8, API_LIST(9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 9, 9), "pad constant");
  api_is(PAD(HED_PAD_EDGE), HED_SHAPE(12), HED_INT8, API_LIST(1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3), "pad edge");
  api_is(PAD(HED_PAD_REFLECT), HED_SHAPE(12), HED_INT8, API_LIST(2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3), "pad reflect");
  api_is(PAD(HED_PAD_SYMMETRIC), HED_SHAPE(12), HED_INT8, API_LIST(2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1), "pad symmetric");
  api_is(PAD(HED_PAD_WRAP), HED_SHAPE(12), HED_INT8, API_LIST(2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1), "pad wrap");
  api_is(hed_pad_with(m, HED_SHAPE(1, 0), HED_SHAPE(0, 1), HED_PAD_REFLECT, 0), HED_SHAPE(3, 3), HED_INT8,
         API_LIST(2, 3, 2, 0, 1, 0, 2, 3, 2), "pad of two axes");
  hed_array *five = hed_full((hed_shape){ 0 }, 5, HED_INT8);
  api_is(hed_pad_with(five, (hed_shape){ 0 }, (hed_shape){ 0 }, HED_PAD_EDGE, 0), (hed_shape){ 0 }, HED_INT8, API_LIST(5), "no axes");
  hed_release(five);
  API_NULL(hed_pad_with(none, HED_SHAPE(1), HED_SHAPE(0), HED_PAD_EDGE, 0), HED_E_SHAPE,
           "1 before and 0 after axis 0 with extent 0");
  API_NULL(hed_pad_with(m, HED_SHAPE(1), HED_SHAPE(0, 1), HED_PAD_EDGE, 0), HED_E_SHAPE, "before has 1 values and after 2");
  RELEASE(none, a, b, m);
}

/* ---- against loops ---- */

static int64_t origin(hed_pad_mode mode, int64_t p, int64_t n)
{
  if (mode == HED_PAD_EDGE)
    return p < 0 ? 0 : p >= n ? n - 1 : p;
  while (p < 0 || p >= n) /* one reflection, or one turn, at a time */
    if (mode == HED_PAD_WRAP)
      p += p < 0 ? n : -n;
    else if (mode == HED_PAD_SYMMETRIC)
      p = p < 0 ? -1 - p : 2 * n - 1 - p;
    else
      p = n == 1 ? 0 : p < 0 ? -p : 2 * n - 2 - p;
  return p;
}

/* Margins of every kind, repetitions and quarter turns of random matrices: element by element. */
static void against_loops(const char *backend)
{
  const hed_dtype types[] = { HED_UINT8, HED_INT16, HED_FLOAT32, HED_FLOAT64, HED_COMPLEX128 };
  int wrong_margins = 0, wrong_tiles = 0, wrong_turns = 0;
  gen g;
  gen_seed(&g, tap_seed() + 3);
  for (int round = 0; round < 240; round++) {
    const int64_t rows = gen_int(&g, 1, round % 8 ? 9 : 120), cols = gen_int(&g, 1, round % 8 ? 9 : 300);
    const hed_pad_mode mode = HED_PAD_EDGE + round % 4;
    const int64_t b[2] = { gen_int(&g, 0, 23), gen_int(&g, 0, 23) }, a[2] = { gen_int(&g, 0, 23), gen_int(&g, 0, 23) };
    const int64_t r[2] = { gen_int(&g, 1, 4), gen_int(&g, 1, 4) };
    hed_array *number = hed_arange_int(0, rows * cols, 1, HED_INT64), *plain = hed_reshape(number, HED_SHAPE(rows, cols));
    hed_array *x = hed_astype(plain, types[round % 5]), *other = gen_chance(&g, 30) ? hed_flip(x, NULL) : hed_retain(x);
    hed_array *part = hed_real(other), *flat = hed_astype(part, HED_FLOAT64);
    double *v = hed_array_data(flat), *got;
    hed_array *wide = hed_pad_with(other, HED_SHAPE(b[0], b[1]), HED_SHAPE(a[0], a[1]), mode, 0);
    hed_array *tiles = hed_tile(other, HED_SHAPE(r[0], r[1])), *turn = hed_rot90(other, round % 4, 0, 1), *lying = hed_copy(turn);
    hed_array *real[3] = { hed_real(wide), hed_real(tiles), hed_real(lying) }, *list[3];
    for (int k = 0; k < 3; k++)
      list[k] = hed_astype(real[k], HED_FLOAT64);
    got = hed_array_data(list[0]);
    for (int64_t i = -b[0]; i < rows + a[0]; i++)
      for (int64_t j = -b[1]; j < cols + a[1]; j++)
        wrong_margins += *got++ != v[origin(mode, i, rows) * cols + origin(mode, j, cols)];
    got = hed_array_data(list[1]);
    for (int64_t i = 0; i < rows * r[0]; i++)
      for (int64_t j = 0; j < cols * r[1]; j++)
        wrong_tiles += *got++ != v[i % rows * cols + j % cols];
    got = hed_array_data(list[2]);
    for (int64_t i = 0; i < (round % 2 ? cols : rows); i++)
      for (int64_t j = 0; j < (round % 2 ? rows : cols); j++) {
        const int64_t from[4] = { i * cols + j, j * cols + cols - 1 - i, (rows - 1 - i) * cols + cols - 1 - j,
                                  (rows - 1 - j) * cols + i };
        wrong_turns += *got++ != v[from[round % 4]];
      }
    hed_array *const all[] = { number, plain, x, other, part, flat, wide, tiles, turn, lying, real[0], real[1], real[2],
                               list[0], list[1], list[2] };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      hed_release(all[k]);
  }
  is_int(wrong_margins, 0, "%s: margins against loops", backend);
  is_int(wrong_tiles, 0, "%s: repetitions against loops", backend);
  is_int(wrong_turns, 0, "%s: quarter turns against loops", backend);

  hed_shape many = { 11, { 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2 } }, reps = { 12, { 2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 } };
  hed_array *x = api_iota(many, HED_INT32), *y = hed_tile(x, reps);
  int wrong = !y || hed_array_size(y) != 64 * 2048;
  const int32_t *got = wrong ? NULL : hed_array_data(y);
  for (int64_t k = 0; !wrong && k < 64 * 2048; k++) {
    int64_t rest = k, place = 0, stride = 1;
    for (int axis = 11; axis > 0; axis--) {
      const int64_t d = many.dim[axis - 1];
      place += rest % (d * reps.dim[axis]) % d * stride;
      rest /= d * reps.dim[axis];
      stride *= d;
    }
    wrong += got[k] != place;
  }
  is_int(wrong, 0, "%s: repetitions along more axes than a broadcast has room for", backend);
  RELEASE(x, y);
}

int main(void)
{
  api_each_backend(creation);
  api_each_backend(axes);
  api_each_backend(tensors);
  api_each_backend(joining);
  api_each_backend(against_loops);
  done_testing();
  return done();
}
