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
