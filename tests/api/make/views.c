// SPDX-License-Identifier: BSD-3-Clause
/* Operations that share storage: shapes, values, that they do share, slices against index arithmetic written out. */
#include "api.h"
#include "gen.h"

/* Writing through the view reaches X. */
static bool shares(hed_array *x, hed_array *view)
{
  double equal = -1;
  if (!view)
    return false;
  hed_array *before = hed_copy(x);
  hed_status status = hed_add_scalar_into(view, view, 1000);
  hed_array *same = hed_equal(before, x), *every = hed_all(same, NULL);
  if (hed_item(every, &equal) != HED_OK || status != HED_OK)
    equal = -1;
  hed_subtract_scalar_into(view, view, 1000);
  RELEASE(before, same, every);
  return equal == 0;
}

static void shapes(const char *backend)
{
  diag("views on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_FLOAT32), *v;
  api_is(hed_reshape(x, HED_SHAPE(3, 2)), HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "reshape");
  api_is(hed_reshape(x, HED_SHAPE(-1)), HED_SHAPE(6), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "reshape to -1");
  api_is(hed_reshape(x, HED_SHAPE(2, -1, 1)), HED_SHAPE(2, 3, 1), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5),
         "reshape with a -1 inside");
  api_is(hed_transpose(x, NULL), HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(0, 3, 1, 4, 2, 5), "transpose");
  v = hed_transpose(x, NULL);
  api_is(hed_reshape(v, HED_SHAPE(6)), HED_SHAPE(6), HED_FLOAT32, API_LIST(0, 3, 1, 4, 2, 5), "reshape that copies");
  hed_release(v);
  api_is(hed_flip(x, NULL), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(5, 4, 3, 2, 1, 0), "flip of all axes");
  api_is(hed_flip(x, &HED_AXES(-1)), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(2, 1, 0, 5, 4, 3), "flip of one");
  api_is(hed_expand_dims(x, 1), HED_SHAPE(2, 1, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "expand_dims");
  api_is(hed_expand_dims(x, -1), HED_SHAPE(2, 3, 1), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "expand_dims at the end");
  v = hed_expand_dims(x, 0);
  api_is(hed_squeeze(v, NULL), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "squeeze");
  api_is(hed_squeeze(v, &HED_AXES(0)), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "squeeze of one axis");
  API_NULL(hed_squeeze(v, &HED_AXES(1)), HED_E_SHAPE, "axis 1 of x of shape (1, 2, 3) has extent 2");
  hed_release(v);
  api_is(hed_broadcast_to(x, HED_SHAPE(2, 2, 3)), HED_SHAPE(2, 2, 3), HED_FLOAT32,
         API_LIST(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5), "broadcast_to");
  api_is(hed_index(x, 0, -1), HED_SHAPE(3), HED_FLOAT32, API_LIST(3, 4, 5), "index from the end");
  api_is(hed_index(x, 1, 1), HED_SHAPE(2), HED_FLOAT32, API_LIST(1, 4), "index of the last axis");
  api_is(hed_diagonal(x, 0, 0, 1), HED_SHAPE(2), HED_FLOAT32, API_LIST(0, 4), "diagonal");
  api_is(hed_diagonal(x, 1, 0, 1), HED_SHAPE(2), HED_FLOAT32, API_LIST(1, 5), "diagonal above");
  api_is(hed_diagonal(x, -1, 0, 1), HED_SHAPE(1), HED_FLOAT32, API_LIST(3), "diagonal below");
  api_is(hed_diagonal(x, 3, 0, 1), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "diagonal outside is empty");
  api_is(hed_diagonal(x, INT64_MIN, 0, 1), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "diagonal far outside too");
  v = api_iota(HED_SHAPE(2, 3, 4), HED_INT32);
  hed_array *m = hed_moveaxis(v, 0, -1), *t = hed_transpose(v, &HED_AXES(1, 2, 0)), *e = hed_equal(m, t);
  api_is(hed_all(e, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "moveaxis 0 to the end");
  RELEASE(m, e);
  m = hed_moveaxis(v, -1, 0);
  is_int(hed_array_shape(m).dim[0], 4, "moveaxis of the last to the front");
  is_int(hed_array_shape(m).dim[1], 2, "the others keep their order");
  RELEASE(m, t);
  api_is(hed_extract_center(v, HED_SHAPE(1, 2, 3)), HED_SHAPE(1, 2, 3), HED_INT32, API_LIST(0, 1, 2, 4, 5, 6),
         "extract_center begins at trunc((cur - new) / 2)");
  API_NULL(hed_extract_center(v, HED_SHAPE(3, 2, 3)), HED_E_SHAPE, "(3, 2, 3) is not a part of (2, 3, 4)");
  hed_release(v);
  v = api_iota(HED_SHAPE(7), HED_INT32);
  api_is(hed_extract_center(v, HED_SHAPE(4)), HED_SHAPE(4), HED_INT32, API_LIST(1, 2, 3, 4), "7 to 4 is [1..4]");
  hed_release(v);
  v = api_iota(HED_SHAPE(8), HED_INT32);
  api_is(hed_extract_center(v, HED_SHAPE(3)), HED_SHAPE(3), HED_INT32, API_LIST(2, 3, 4), "8 to 3 is [2..4]");
  hed_release(v);

  struct { const char *name; hed_array *view; } views[] = {
    { "reshape", hed_reshape(x, HED_SHAPE(6)) },  { "transpose", hed_transpose(x, NULL) },
    { "moveaxis", hed_moveaxis(x, 0, 1) },        { "expand_dims", hed_expand_dims(x, 0) },
    { "squeeze", hed_squeeze(x, NULL) },          { "flip", hed_flip(x, NULL) },
    { "index", hed_index(x, 0, 1) },              { "diagonal", hed_diagonal(x, 0, 0, 1) },
    { "extract_center", hed_extract_center(x, HED_SHAPE(1, 1)) },
    { "slice", hed_slice(x, 1, (hed_slice_range[]){ { 1, 2, 1 } }) },
    { "astype to the same", hed_astype(x, HED_FLOAT32) },
  };
  for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
    ok(shares(x, views[k].view), "%s shares storage", views[k].name);
    hed_release(views[k].view);
  }
  v = hed_copy(x);
  ok(!shares(x, v), "copy does not");
  hed_release(v);
  API_NULL(hed_reshape(x, HED_SHAPE(4)), HED_E_SHAPE, "reshape: x of shape (2, 3) has 6 elements, which shape (4,) cannot hold");
  API_NULL(hed_reshape(x, HED_SHAPE(-1, -1)), HED_E_SHAPE, "(-1, -1)");
  API_NULL(hed_reshape(x, HED_SHAPE(INT64_MAX, INT64_MAX)), HED_E_SHAPE, "cannot hold");
  API_NULL(hed_transpose(x, &HED_AXES(0)), HED_E_SHAPE, "1 axes are listed for an array with 2");
  API_NULL(hed_transpose(x, &HED_AXES(0, 0)), HED_E_SHAPE, "axis 0 is listed twice");
  API_NULL(hed_transpose(x, &HED_AXES(0, 2)), HED_E_AXIS, "axis 2 is out of range for an array with 2 axes");
  API_NULL(hed_moveaxis(x, 2, 0), HED_E_AXIS, "source axis 2 is out of range");
  API_NULL(hed_expand_dims(x, 4), HED_E_AXIS, "axis 4 is out of range");
  API_NULL(hed_broadcast_to(x, HED_SHAPE(3, 3)), HED_E_SHAPE, "shape (2, 3) of x does not broadcast to (3, 3)");
  API_NULL(hed_index(x, 0, 2), HED_E_INDEX, "index: 2 is out of range for axis 0 with extent 2");
  API_NULL(hed_index(x, 0, -3), HED_E_INDEX, "-3 is out of range");
  API_NULL(hed_slice(x, 3, (hed_slice_range[]){ HED_ALL, HED_ALL, HED_ALL }), HED_E_SHAPE, "3 ranges");
  API_NULL(hed_slice(x, 1, (hed_slice_range[]){ { 0, 1, 0 } }), HED_E_INVAL, "step of axis 0 is 0");
  API_NULL(hed_diagonal(x, 0, 1, -1), HED_E_SHAPE, "both axis 1");
  API_NULL(hed_reshape(NULL, HED_SHAPE(1)), HED_E_INVAL, "reshape: argument x is NULL");
  hed_shape out;
  is_int(hed_broadcast_shapes(3, (hed_shape[]){ HED_SHAPE(2, 1), HED_SHAPE(3), HED_SHAPE0 }, &out), HED_OK,
         "broadcast_shapes");
  ok(out.ndim == 2 && out.dim[0] == 2 && out.dim[1] == 3, "gives (2, 3)");
  API_FAIL(hed_broadcast_shapes(2, (hed_shape[]){ HED_SHAPE(2), HED_SHAPE(3) }, &out), HED_E_SHAPE,
           "shape 1 (3,) does not broadcast with (2,)");
  hed_release(x);
}

/* The indices that Python's range(n)[start:stop:step] lists, by walking one step at a time. */
static int walk(int64_t n, const hed_slice_range *r, double *list)
{
  int count = 0;
  int64_t start = r->start, stop = r->stop;
  bool from_left = start == HED_SLICE_BEGIN, to_end = stop == HED_SLICE_END;
  bool stop_left_out = r->step < 0 ? stop == HED_SLICE_BEGIN || to_end : to_end || stop == HED_SLICE_BEGIN;
  if (from_left)
    start = r->step > 0 ? 0 : n - 1;
  else if (start < 0)
    start += n;
  if (!stop_left_out && stop < 0)
    stop += n;
  if (r->step > 0) {
    for (int64_t i = start < 0 ? 0 : start; i < n && (stop_left_out || i < stop); i += r->step)
      list[count++] = (double)i;
  } else {
    for (int64_t i = start >= n ? n - 1 : start; i >= 0 && (stop_left_out || i > stop); i += r->step)
      list[count++] = (double)i;
  }
  return count;
}

static void slices(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  double want[64], got[64];
  for (int round = 0; round < 600 && good; round++) {
    int64_t n = gen_int(&g, 0, 9);
    hed_slice_range r = { gen_int(&g, -12, 12), gen_int(&g, -12, 12), gen_int(&g, 1, 4) * (gen_chance(&g, 50) ? 1 : -1) };
    if (gen_chance(&g, 20))
      r.start = HED_SLICE_BEGIN;
    if (gen_chance(&g, 20))
      r.stop = gen_chance(&g, 50) ? HED_SLICE_END : HED_SLICE_BEGIN;
    hed_array *x = api_iota(HED_SHAPE(n), HED_FLOAT64), *y = hed_slice(x, 1, &r);
    int count = walk(n, &r, want);
    good = y && hed_array_size(y) == count && hed_to_host(y, got, (size_t)count * sizeof *got) == HED_OK &&
           memcmp(want, got, (size_t)count * sizeof *got) == 0;
    if (!good)
      diag("%lld elements, %lld:%lld:%lld", (long long)n, (long long)r.start, (long long)r.stop, (long long)r.step);
    RELEASE(x, y);
  }
  ok(good, "%s: 600 slices of one axis, steps of both signs", backend);

  hed_array *x = api_iota(HED_SHAPE(4, 5), HED_INT16);
  api_is(hed_slice(x, 2, (hed_slice_range[]){ { HED_SLICE_BEGIN, HED_SLICE_BEGIN, -2 }, { 1, HED_SLICE_END, 3 } }),
         HED_SHAPE(2, 2), HED_INT16, API_LIST(16, 19, 6, 9), "[::-2, 1::3]");
  api_is(hed_slice(x, 1, (hed_slice_range[]){ { -1, HED_SLICE_END, INT64_MAX } }), HED_SHAPE(1, 5), HED_INT16,
         API_LIST(15, 16, 17, 18, 19), "a huge step");
  api_is(hed_slice(x, 1, (hed_slice_range[]){ { -1, HED_SLICE_BEGIN, INT64_MIN } }), HED_SHAPE(1, 5), HED_INT16,
         API_LIST(15, 16, 17, 18, 19), "the least step");
  api_is(hed_slice(x, 2, (hed_slice_range[]){ { 2, 2, 1 }, HED_ALL }), HED_SHAPE(0, 5), HED_INT16, API_LIST(0),
         "an empty slice");
  hed_array *y = hed_slice(x, 2, (hed_slice_range[]){ HED_ALL, { 1, 4, 2 } }), *z = hed_flip(y, NULL);
  api_is(hed_sum(z, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(4), HED_INT64, API_LIST(34, 24, 14, 4),
         "a flip of a slice sums right");
  RELEASE(y, z, x);
}

int main(void)
{
  api_each_backend(shapes);
  api_each_backend(slices);
  done_testing();
  return done();
}
