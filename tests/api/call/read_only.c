// SPDX-License-Identifier: BSD-3-Clause
/* Arrays that are not to be written: every way of writing refuses them, views inherit it, copies do not. */
#include "tap.h"

#include <heddle.h>
#include <string.h>

static void is_refused(hed_status s, const char *what)
{
  is_int(s, HED_E_INVAL, "%s", what);
  ok(strstr(hed_error_text(), "read-only") != NULL, "%s: %s", what, hed_error_text());
}

int main(void)
{
  hed_array *x = hed_arange(0, 6, 1, HED_FLOAT32);
  hed_array *r = hed_read_only(x), *row = hed_slice(r, 1, (hed_slice_range[]){ HED_RANGE(1, 5, 2) });
  hed_array *copy = hed_copy(r), *same = hed_astype(r, HED_FLOAT32), *turned = hed_flip(r, NULL);
  ok(!hed_array_is_read_only(x) && hed_array_is_read_only(r), "a read-only view of an array that may be written");
  ok(hed_array_is_read_only(row) && hed_array_is_read_only(same) && hed_array_is_read_only(turned), "and its views");
  ok(copy && !hed_array_is_read_only(copy), "a copy may be written");
  ok(!hed_array_is_read_only(NULL), "NULL is fine");
  ok(hed_read_only(NULL) == NULL && hed_error() == HED_E_INVAL, "NULL gives NULL");

  is_refused(hed_add_into(r, x, x), "binary");
  is_refused(hed_negative_into(r, x), "unary");
  is_refused(hed_add_scalar_into(r, x, 1), "scalar");
  is_refused(hed_add_into(r, r, copy), "in place");
  is_refused(hed_fill(row, 1), "fill");
  is_refused(hed_copy_into(turned, copy), "copy");
  is_refused(hed_cos_into(same, copy), "cos");
  hed_array *m = hed_reshape(r, HED_SHAPE(2, 3)), *a = hed_ones(HED_SHAPE(2, 2), HED_FLOAT32);
  hed_array *b = hed_ones(HED_SHAPE(2, 3), HED_FLOAT32);
  is_refused(hed_matmul_into(m, a, b), "matmul");
  hed_array *sums = hed_zeros(HED_SHAPE(3), HED_FLOAT32), *kept = hed_read_only(sums);
  is_refused(hed_sum_into(kept, b, &(hed_reduce){ .axes = HED_AXES(0) }), "sum");
  float got[6], want[6] = { 0, 1, 2, 3, 4, 5 };
  is_int(hed_to_host(r, got, sizeof got), HED_OK, "reading is allowed");
  ok(memcmp(got, want, sizeof got) == 0, "nothing was written");
  is_int(hed_fill(x, 7), HED_OK, "the array itself is not protected");
  is_int(hed_to_host(row, got, 2 * sizeof *got), HED_OK, "and its views");
  ok(got[0] == 7 && got[1] == 7, "show what was written");

  hed_array *all[] = { x, r, row, copy, same, turned, m, a, b, sums, kept };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
  return done();
}
