// SPDX-License-Identifier: BSD-3-Clause
/* Creation, manipulation and indexing with every allocation failing in turn: see fault.h. L5.
 */
#include "fault.h"

static hed_array *x, *y, *target, *condition, *rows, *columns, *three, *two_columns; /* operands, made once */

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

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(take_along_axis), E(get), E(get_view), E(get_mask), E(compress), E(gather_nd), E(scatter_nd), E(set), E(set_overlap),
  E(set_indices), E(set_mask), E(accumulate), E(repeat), E(repeat_each),
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
  if (!x || !y || !target || !condition || !rows || !columns || !three || !two_columns)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  return done();
}
