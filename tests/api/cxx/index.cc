// SPDX-License-Identifier: BSD-3-Clause
/* Keys of indexing from C++: the macros make the same selections there. */
#include "tap.h"
#include <heddle.h>

static double sum(const hed_array *x)
{
  double v = -1;
  hed_array *s = hed_sum(x, NULL);
  hed_item(s, &v);
  hed_release(s);
  return v;
}

int main()
{
  const int64_t last[] = { -1, -1 };
  hed_array *x = hed_arange(0, 12, 1, HED_FLOAT32), *m = hed_reshape(x, HED_SHAPE(3, 4)), *one = hed_scalar(100);
  hed_array *i = hed_from_host(last, HED_SHAPE(2), HED_INT64), *mask = hed_less_scalar(m, 2);
  hed_array *a = HED_GET(m, HED_AT(1), HED_SLICE(1, 3, 1)), *b = HED_GET(m, HED_ELLIPSIS, HED_IDX(i));
  hed_array *c = HED_GET(m, HED_MASK(mask)), *d = HED_GET(m, HED_WHOLE, HED_NEWAXIS);
  is_near(sum(a), 11, 0, 0, "a view");
  is_near(sum(b), 42, 0, 0, "an integer array");
  is_near(sum(c), 1, 0, 0, "a mask");
  is_int(hed_array_ndim(d), 3, "a new axis");
  is_int(HED_SET(m, one, HED_AT(0), HED_AT(0)), HED_OK, "set");
  is_int(HED_ACCUMULATE(m, HED_SCATTER_ADD, one, HED_IDX(i), HED_AT(0)), HED_OK, "accumulate");
  is_near(sum(m), 66 + 300, 0, 0, "both arrived");
  hed_array *const all[] = { x, m, one, i, mask, a, b, c, d };
  for (hed_array *p : all)
    hed_release(p);
  return done();
}
