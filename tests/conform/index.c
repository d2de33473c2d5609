// SPDX-License-Identifier: BSD-3-Clause
/* Jobs of the conformance test (conform.h): creation, manipulation and indexing. */
#include "conform.h"

/* Whole numbers 0 .. below in SHAPE, as indices; the same on every backend. */
static hed_array *indices(run *r, int k, hed_shape shape, int64_t below)
{
  hed_array *wild = operand_of(r, k, HED_INT32, shape, 0, 0);
  return hed_mod(wild, hed_scalar_int(below));
}

static hed_array *mask(run *r, int k, hed_shape shape) { return operand_of(r, k, HED_BOOL, shape, 0, 1); }

void job_get(run *r)
{
  hed_array *x = operand(r, 0), *i = indices(r, 1, HED_SHAPE(2, 3), 4), *j = indices(r, 2, HED_SHAPE(3), 5);
  put(r, HED_GET(x, HED_IDX(i)));
  put(r, HED_GET(x, HED_WHOLE, HED_IDX(j)));
  put(r, HED_GET(x, HED_ELLIPSIS, HED_IDX(i)));
  put(r, HED_GET(x, HED_IDX(i), HED_IDX(j)));
  put(r, HED_GET(x, HED_IDX(i), HED_WHOLE, HED_IDX(j)));
  put(r, HED_GET(x, HED_SLICE(3, HED_SLICE_BEGIN, -1), HED_AT(1), HED_IDX(j)));
  put(r, HED_GET(x, HED_MASK(mask(r, 3, HED_SHAPE(4)))));
  put(r, HED_GET(x, HED_MASK(mask(r, 4, HED_SHAPE(4, 5)))));
  put(r, HED_GET(x, HED_MASK(mask(r, 5, HED_SHAPE(4, 5, 6)))));
  put(r, HED_GET(x, HED_WHOLE, HED_MASK(mask(r, 6, HED_SHAPE(5))), HED_NEWAXIS));
  put(r, hed_gather_nd(x, indices(r, 7, HED_SHAPE(7, 2), 4)));
  put(r, hed_gather_nd(x, indices(r, 8, HED_SHAPE(2, 3, 3), 4)));
}

static void put_after(run *r, const hed_array *x, int n, const hed_key *keys, const hed_array *value, hed_scatter_op op)
{
  hed_array *y = hed_copy(x);
  put_status(r, hed_accumulate(y, n, keys, value, op), y);
}

void job_set(run *r)
{
  hed_array *x = operand(r, 0), *i = indices(r, 1, HED_SHAPE(40), 4), *j = indices(r, 2, HED_SHAPE(40), 5);
  hed_array *blocks = operand_of(r, 3, r->dtype, HED_SHAPE(40, 5, 6), -2, 2);
  hed_array *rows = operand_of(r, 4, r->dtype, HED_SHAPE(40, 6), -2, 2), *row = operand_of(r, 5, r->dtype, HED_SHAPE(6), -2, 2);
  hed_array *half = mask(r, 6, HED_SHAPE(4, 5));
  const hed_key one[] = { HED_IDX(i) }, two[] = { HED_IDX(i), HED_IDX(j) }, apart[] = { HED_AT(1), HED_WHOLE, HED_IDX(j) };
  const hed_key masked[] = { HED_MASK(half) }, plain[] = { HED_SLICE(HED_SLICE_END, HED_SLICE_BEGIN, -2), HED_AT(2) };
  for (int op = HED_SCATTER_SET; op <= HED_SCATTER_MIN; op++) {
    put_after(r, x, 1, one, blocks, (hed_scatter_op)op);
    put_after(r, x, 2, two, rows, (hed_scatter_op)op);
    put_after(r, x, 2, two, row, (hed_scatter_op)op);
    put_after(r, x, 3, apart, hed_slice(rows, 2, (hed_slice_range[]){ HED_ALL, HED_RANGE(0, 5, 1) }), (hed_scatter_op)op);
    put_after(r, x, 1, masked, row, (hed_scatter_op)op);
    put_after(r, x, 2, plain, row, (hed_scatter_op)op);
  }
  put_after(r, x, 1, masked, hed_index(row, 0, 0), HED_SCATTER_SET);
  put(r, hed_scatter_nd(hed_stack(2, (const hed_array *const[]){ i, j }, -1), rows, HED_SHAPE(4, 5, 6)));
}

void job_along(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_take_along_axis(x, indices(r, 1, HED_SHAPE(4, 5, 2), 6), -1));
  put(r, hed_take_along_axis(x, indices(r, 2, HED_SHAPE(9, 5, 6), 4), 0));
  put(r, hed_take_along_axis(x, indices(r, 3, HED_SHAPE(1, 3, 6), 5), 1));
  put(r, hed_compress(x, mask(r, 4, HED_SHAPE(4, 5))));
}

void job_repeat(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_repeat(x, 3, NULL));
  put(r, hed_repeat(x, 2, &HED_AXES(0)));
  put(r, hed_repeat(x, 4, &HED_AXES(-1)));
  put(r, hed_repeat(x, 0, &HED_AXES(1)));
  put(r, hed_repeat_each(x, indices(r, 1, HED_SHAPE(5), 3), &HED_AXES(1)));
}

/* ---- creation ---- */

void job_matrix(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_tri(4, 6, 1, r->dtype));
  put(r, hed_tri(3, 2, -5, r->dtype));
  put(r, hed_identity(3, r->dtype));
  put(r, hed_tril(x, -1));
  put(r, hed_triu(x, 2));
  put(r, hed_diag(hed_index(hed_index(x, 0, 1), 0, 2), -2));
  put(r, hed_diag(hed_index(x, 0, 3), 1));
}

void job_numbers(run *r)
{
  put(r, hed_indices(HED_SHAPE(2, 3), r->dtype));
  put(r, hed_arange_int(-5, 9, 2, r->dtype));
  put(r, hed_arange_int(9, -5, -3, r->dtype));
}

void job_spaces(run *r)
{
  put(r, hed_linspace_open(-1, 2, 7, r->dtype));
  put(r, hed_logspace(-1, 2, 7, 10, r->dtype));
  put(r, hed_geomspace(-1, -64, 7, r->dtype));
}

/* ---- manipulation ---- */

void job_arrange(run *r)
{
  hed_array *x = operand(r, 0), *y = operand(r, 1), *row = hed_index(hed_index(x, 0, 0), 0, 1);
  const hed_array *const two[] = { x, y }, *const rows[] = { row, row };
  put(r, hed_flatten(x));
  put(r, hed_vstack(2, two));
  put(r, hed_hstack(2, two));
  put(r, hed_dstack(2, two));
  put(r, hed_vstack(2, rows));
  put(r, hed_hstack(2, rows));
  put(r, hed_dstack(2, rows));
  put(r, hed_tile(x, HED_SHAPE(2, 1, 3)));
  put(r, hed_tile(row, HED_SHAPE(2, 2)));
  for (int mode = HED_PAD_CONSTANT; mode <= HED_PAD_WRAP; mode++)
    put(r, hed_pad_with(x, HED_SHAPE(1, 0, 9), HED_SHAPE(0, 3, 1), (hed_pad_mode)mode, 5));
}

/* ---- named forms of indexing ---- */

void job_places(run *r)
{
  hed_array *x = operand(r, 0), *list[3];
  put(r, hed_flatnonzero(x));
  hed_status status = hed_nonzero_axes(x, list);
  for (int k = 0; k < 3; k++)
    put_status(r, status, status == HED_OK ? list[k] : NULL);
}

void job_update(run *r)
{
  hed_array *x = operand(r, 0), *y = operand(r, 1), *i = indices(r, 2, HED_SHAPE(4, 5, 3), 6);
  hed_array *half = mask(r, 3, HED_SHAPE(4, 5, 6)), *rows = indices(r, 4, HED_SHAPE(7, 2), 4);
  hed_array *three = operand_of(r, 5, r->dtype, HED_SHAPE(4, 5, 3), -2, 2), *own = hed_copy(x);
  hed_array *seven = operand_of(r, 6, r->dtype, HED_SHAPE(7, 6), -2, 2), *flat = hed_ravel(three);
  put(r, hed_index_update(x, 2, (const hed_key[]){ HED_AT(1), HED_IDX(rows) }, hed_index(seven, 0, 0)));
  put_status(r, hed_put_along_axis(own, i, three, 2), own);
  own = hed_copy(x);
  put_status(r, hed_addat(own, 1, &HED_IDX(rows), hed_index(seven, 0, 2)), own);
  own = hed_copy(x);
  put_status(r, hed_place(own, half, flat), own);
  put(r, hed_tensor_scatter_nd_update(x, rows, seven));
  put(r, hed_slice_update(x, HED_SHAPE(0, -4, 1), hed_slice_tensor(y, HED_SHAPE(1, 1, 0), HED_SHAPE(2, -1, 3))));
  put(r, hed_masked_fill(x, half, 1));
  put(r, hed_extract(half, x));
  put(r, hed_choose(indices(r, 7, HED_SHAPE(5, 6), 2), 2, (const hed_array *const[]){ x, y }));
  put(r, hed_select(2, (const hed_array *const[]){ half, mask(r, 8, HED_SHAPE(6)) }, (const hed_array *const[]){ x, y }, 0));
}

void job_segment(run *r)
{
  hed_array *x = operand(r, 0), *i = indices(r, 1, HED_SHAPE(5), 3), *j = indices(r, 2, HED_SHAPE(6), 4);
  hed_aggregation how = r->op == HED_OP_SCATTER_MAX       ? HED_AGGREGATE_MAX
                        : r->op == HED_OP_SCATTER_MIN     ? HED_AGGREGATE_MIN
                        : r->op == HED_OP_SCATTER_MEAN    ? HED_AGGREGATE_MEAN
                        : r->op == HED_OP_SCATTER_SOFTMAX ? HED_AGGREGATE_SOFTMAX
                                                          : HED_AGGREGATE_ADD;
  put(r, hed_scatter(x, i, 4, how, 1));
  put(r, hed_scatter(x, j, -1, how, -1));
}
