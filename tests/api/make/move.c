// SPDX-License-Identifier: BSD-3-Clause
/* Creation and movement of elements: ranges, filling, joining, rolling, margins, selection, sorting. */
#include "api.h"
#include "gen.h"
#include <math.h>

static void creation(const char *backend)
{
  diag("creation on %s", backend);
  api_is(hed_zeros(HED_SHAPE(2, 2), HED_COMPLEX64), HED_SHAPE(2, 2), HED_COMPLEX64, API_LIST(0, 0, 0, 0), "zeros");
  api_is(hed_ones(HED_SHAPE(3), HED_BOOL), HED_SHAPE(3), HED_BOOL, API_LIST(1, 1, 1), "ones");
  api_is(hed_full(HED_SHAPE(2), -1.5, HED_FLOAT16), HED_SHAPE(2), HED_FLOAT16, API_LIST(-1.5, -1.5), "full");
  api_is(hed_full(HED_SHAPE(1), 7.9, HED_INT8), HED_SHAPE(1), HED_INT8, API_LIST(7), "full truncates");
  api_is(hed_full(HED_SHAPE(1), 0x1p63, HED_UINT64), HED_SHAPE(1), HED_UINT64, API_LIST(0x1p63), "full of uint64");
  api_is(hed_full(HED_SHAPE(2), 3, HED_REAL), HED_SHAPE(2), HED_FLOAT32, API_LIST(3, 3), "full of REAL");
  api_is(hed_arange(0, 5, 1, HED_INT32), HED_SHAPE(5), HED_INT32, API_LIST(0, 1, 2, 3, 4), "arange");
  api_is(hed_arange(3, 0, -1.5, HED_FLOAT64), HED_SHAPE(2), HED_FLOAT64, API_LIST(3, 1.5), "arange downwards");
  api_is(hed_arange(0, 0, 1, HED_FLOAT32), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "arange of nothing");
  api_is(hed_arange(0, -3, 1, HED_FLOAT32), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "arange the wrong way");
  api_is(hed_linspace(0, 1, 5, HED_FLOAT64), HED_SHAPE(5), HED_FLOAT64, API_LIST(0, .25, .5, .75, 1), "linspace");
  api_is(hed_linspace(2, 9, 1, HED_FLOAT64), HED_SHAPE(1), HED_FLOAT64, API_LIST(2), "linspace of one");
  api_is(hed_linspace(2, 9, 0, HED_FLOAT64), HED_SHAPE(0), HED_FLOAT64, API_LIST(2), "linspace of none");
  hed_array *x = hed_linspace(0, 0.7, 50, HED_FLOAT64), *last = hed_index(x, 0, -1);
  double v = 0;
  hed_item(last, &v);
  is_ulp(v, 0.7, 0, "linspace ends exactly at stop");
  RELEASE(x, last);
  api_is(hed_eye(2, 3, 1, HED_INT8), HED_SHAPE(2, 3), HED_INT8, API_LIST(0, 1, 0, 0, 0, 1), "eye");
  api_is(hed_eye(2, 2, -1, HED_FLOAT32), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(0, 0, 1, 0), "eye below");
  api_is(hed_eye(2, 2, 5, HED_FLOAT32), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(0, 0, 0, 0), "eye outside");
  x = hed_zeros(HED_SHAPE(2), HED_COMPLEX128);
  is_int(hed_fill_complex(x, 1, 2), HED_OK, "fill_complex");
  api_is(hed_imag(x), HED_SHAPE(2), HED_FLOAT64, API_LIST(2, 2), "its imaginary part");
  api_is(hed_full_like(x, 4), HED_SHAPE(2), HED_COMPLEX128, API_LIST(4, 4), "full_like");
  hed_release(x);
  x = hed_zeros(HED_SHAPE(2), HED_FLOAT32);
  API_FAIL(hed_fill_complex(x, 1, 2), HED_E_DTYPE, "cannot hold 1+2i");
  double z[2];
  API_FAIL(hed_item(x, &v), HED_E_SHAPE, "x of shape (2,) has 2 elements");
  hed_release(x);
  x = hed_full(HED_SHAPE(1, 1), 2.5, HED_FLOAT16);
  int64_t i;
  ok(hed_item(x, &v) == HED_OK && v == 2.5, "item");
  ok(hed_item_int(x, &i) == HED_OK && i == 2, "item_int truncates");
  ok(hed_item_complex(x, z) == HED_OK && z[0] == 2.5 && z[1] == 0, "item_complex");
  hed_release(x);
  API_NULL(hed_arange(0, 1, 0, HED_FLOAT32), HED_E_INVAL, "arange: start 0, stop 1 and step 0");
  API_NULL(hed_arange(0, 1e300, 1e-9, HED_FLOAT32), HED_E_SHAPE, "too many");
  API_NULL(hed_arange(0, 3, 1, HED_COMPLEX64), HED_E_DTYPE, "arange: the result has dtype complex64");
  API_NULL(hed_linspace(0, 1, -1, HED_FLOAT32), HED_E_INVAL, "linspace: -1 values");
  API_NULL(hed_zeros(HED_SHAPE(-1), HED_FLOAT32), HED_E_SHAPE, "extent -1 of axis 0 of shape is negative");
  API_NULL(hed_zeros(HED_SHAPE(INT64_MAX, 2), HED_FLOAT32), HED_E_SHAPE, "larger than memory can be");
  API_NULL(hed_zeros(HED_SHAPE(2), NULL), HED_E_INVAL, "zeros: dtype is NULL");
  API_NULL(hed_zeros((hed_shape){ 17, { 1 } }, HED_FLOAT32), HED_E_SHAPE, "17 axes");
}

static void joining(const char *backend)
{
  diag("joining on %s", backend);
  hed_array *a = api_iota(HED_SHAPE(2, 2), HED_INT16), *b = api_array(HED_SHAPE(2, 1), HED_FLOAT32, API_LIST(8, 9));
  hed_array *t = hed_transpose(a, NULL);
  api_is(hed_concatenate(2, (const hed_array *[]){ a, b }, 1), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 8, 2, 3, 9),
         "concatenate promotes");
  api_is(hed_concatenate(2, (const hed_array *[]){ a, t }, 0), HED_SHAPE(4, 2), HED_INT16,
         API_LIST(0, 1, 2, 3, 0, 2, 1, 3), "concatenate with a transposed one");
  api_is(hed_stack(2, (const hed_array *[]){ a, t }, 0), HED_SHAPE(2, 2, 2), HED_INT16,
         API_LIST(0, 1, 2, 3, 0, 2, 1, 3), "stack");
  api_is(hed_stack(2, (const hed_array *[]){ a, t }, -1), HED_SHAPE(2, 2, 2), HED_INT16,
         API_LIST(0, 0, 1, 2, 2, 1, 3, 3), "stack at the end");
  const hed_array *many[20];
  for (int k = 0; k < 20; k++)
    many[k] = b;
  hed_array *wide = hed_concatenate(20, many, 1);
  is_int(hed_array_size(wide), 40, "more arrays than a plan holds");
  api_is(hed_sum(wide, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(340), "and their sum");
  hed_release(wide);
  API_NULL(hed_concatenate(2, (const hed_array *[]){ a, b }, 0), HED_E_SHAPE,
           "shapes (2, 2) of array 0 and (2, 1) of array 1 do not fit along axis 0");
  API_NULL(hed_stack(2, (const hed_array *[]){ a, b }, 0), HED_E_SHAPE, "stack: shapes (2, 2)");
  API_NULL(hed_concatenate(2, (const hed_array *[]){ a, NULL }, 0), HED_E_INVAL, "argument arrays[1] is NULL");
  API_NULL(hed_concatenate(0, NULL, 0), HED_E_INVAL, "no arrays to join");
  API_NULL(hed_concatenate(1, (const hed_array *[]){ a }, 2), HED_E_AXIS, "axis 2 is out of range");
  RELEASE(a, b, t);
}

static void margins(const char *backend)
{
  diag("margins on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_INT32);
  api_is(hed_pad(x, HED_SHAPE(1, 0), HED_SHAPE(0, 2), 7), HED_SHAPE(3, 5), HED_INT32,
         API_LIST(7, 7, 7, 7, 7, 0, 1, 2, 7, 7, 3, 4, 5, 7, 7), "pad");
  api_is(hed_topleft_pad(x, HED_SHAPE(3, 2), -1), HED_SHAPE(3, 2), HED_INT32, API_LIST(0, 1, 3, 4, -1, -1),
         "topleft_pad pads and crops");
  api_is(hed_topleft_pad(x, HED_SHAPE(1, 2), 0), HED_SHAPE(1, 2), HED_INT32, API_LIST(0, 1), "topleft_pad that crops");
  API_NULL(hed_pad(x, HED_SHAPE(1), HED_SHAPE(0, 2), 7), HED_E_SHAPE, "before has 1 values and after 2");
  API_NULL(hed_pad(x, HED_SHAPE(-1, 0), HED_SHAPE(0, 2), 7), HED_E_SHAPE, "-1 before");
  API_NULL(hed_topleft_pad(x, HED_SHAPE(1), 0), HED_E_SHAPE, "shape has 1 axes, x has 2");

  api_is(hed_roll(x, &HED_AXES(1), &HED_AXES(1)), HED_SHAPE(2, 3), HED_INT32, API_LIST(2, 0, 1, 5, 3, 4), "roll");
  api_is(hed_roll(x, &HED_AXES(-1, 1), &HED_AXES(1, 0)), HED_SHAPE(2, 3), HED_INT32, API_LIST(4, 5, 3, 1, 2, 0),
         "roll of two axes");
  api_is(hed_roll(x, &HED_AXES(2), NULL), HED_SHAPE(2, 3), HED_INT32, API_LIST(4, 5, 0, 1, 2, 3),
         "roll of the flattened array");
  api_is(hed_roll(x, &HED_AXES(1, 1), &HED_AXES(1, 1)), HED_SHAPE(2, 3), HED_INT32, API_LIST(1, 2, 0, 4, 5, 3),
         "an axis listed twice moves twice");
  hed_array *t = hed_transpose(x, NULL);
  api_is(hed_roll(t, &HED_AXES(-1), NULL), HED_SHAPE(3, 2), HED_INT32, API_LIST(3, 1, 4, 2, 5, 0),
         "roll of a flattened transpose");
  hed_release(t);
  API_NULL(hed_roll(x, &HED_AXES(1, 2), &HED_AXES(1)), HED_E_INVAL, "roll: 2 shifts are given for 1 axes");
  API_NULL(hed_roll(x, NULL, NULL), HED_E_INVAL, "roll: 0 shifts");
  API_NULL(hed_roll(x, &HED_AXES(1), &HED_AXES(3)), HED_E_AXIS, "axis 3 is out of range");
  hed_release(x);

  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  for (int round = 0; round < 100 && good; round++) {
    int64_t d[2] = { gen_int(&g, 1, 5), gen_int(&g, 1, 6) };
    int32_t s[2] = { (int32_t)gen_int(&g, -13, 13), (int32_t)gen_int(&g, -13, 13) };
    double want[64], got[64];
    x = api_iota(HED_SHAPE(d[0], d[1]), HED_FLOAT32);
    for (int64_t i = 0; i < d[0]; i++)
      for (int64_t j = 0; j < d[1]; j++) {
        int64_t p = ((i + s[0]) % d[0] + d[0]) % d[0], q = ((j + s[1]) % d[1] + d[1]) % d[1];
        want[p * d[1] + q] = (double)(i * d[1] + j);
      }
    hed_array *y = hed_roll(x, &HED_AXES(s[0], s[1]), &HED_AXES(0, 1));
    good = api_values(y, got) == d[0] * d[1] && memcmp(got, want, (size_t)(d[0] * d[1]) * sizeof *got) == 0;
    RELEASE(x, y);
  }
  ok(good, "rolls of random shapes by random shifts");
}

static void selection(const char *backend)
{
  diag("selection on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(3, 2), HED_FLOAT32), *i = API_VECTOR(HED_INT32, 2, 0, -1);
  hed_array *j = api_array(HED_SHAPE(2, 2), HED_UINT8, API_LIST(1, 0, 0, 1));
  api_is(hed_take(x, i, 0), HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(4, 5, 0, 1, 4, 5), "take, negatives from the end");
  api_is(hed_take(x, j, 1), HED_SHAPE(3, 2, 2), HED_FLOAT32, API_LIST(1, 0, 0, 1, 3, 2, 2, 3, 5, 4, 4, 5),
         "take with two axes of indices");
  hed_array *none = hed_zeros(HED_SHAPE(0), HED_INT64);
  api_is(hed_take(x, none, 0), HED_SHAPE(0, 2), HED_FLOAT32, API_LIST(0), "take nothing");
  hed_release(none);
  API_NULL(hed_take(x, i, 1), HED_E_INDEX, "take: index 2 is out of range for axis 1 of x with extent 2");
  API_NULL(hed_take(x, x, 0), HED_E_DTYPE, "indices has dtype float32");
  hed_release(i);
  i = api_array(HED_SHAPE(2, 3), HED_INT8, API_LIST(0, 5, 0, -1, 0, 2));
  api_is(hed_nonzero(i), HED_SHAPE(3, 2), HED_INT64, API_LIST(0, 1, 1, 0, 1, 2), "nonzero");
  none = hed_zeros(HED_SHAPE(2, 3), HED_INT8);
  api_is(hed_nonzero(none), HED_SHAPE(0, 2), HED_INT64, API_LIST(0), "nonzero of zeros");
  RELEASE(none, i, j, x);

  x = api_array(HED_SHAPE(2, 4), HED_FLOAT32, API_LIST(3, NAN, 1, 2, 5, 4, 5, -1));
  api_is(hed_sort(x, NULL), HED_SHAPE(2, 4), HED_FLOAT32, API_LIST(1, 2, 3, NAN, -1, 4, 5, 5), "sort, NaN last");
  api_is(hed_argsort(x, NULL), HED_SHAPE(2, 4), HED_INT64, API_LIST(2, 3, 0, 1, 3, 1, 0, 2), "argsort is stable");
  api_is(hed_sort(x, &(hed_sort_options){ .axis = HED_AXES(0) }), HED_SHAPE(2, 4), HED_FLOAT32,
         API_LIST(3, 4, 1, -1, 5, NAN, 5, 2), "sort along the first axis");
  hed_array *v = NULL, *k = NULL;
  is_int(hed_topk(x, 2, NULL, &v, &k), HED_OK, "topk");
  hed_release(v);
  api_is(hed_index(k, 0, 1), HED_SHAPE(2), HED_INT64, API_LIST(0, 2), "ties by the lowest index");
  hed_release(k);
  hed_array *row = hed_index(x, 0, 1);
  is_int(hed_topk(row, 3, &(hed_sort_options){ .descending = true }, &v, NULL), HED_OK, "topk of the smallest");
  api_is(v, HED_SHAPE(3), HED_FLOAT32, API_LIST(-1, 4, 5), "in ascending order");
  is_int(hed_topk(row, 0, NULL, &v, &k), HED_OK, "topk of none");
  ok(hed_array_size(v) == 0 && hed_array_size(k) == 0, "is empty");
  RELEASE(v, k);
  API_FAIL(hed_topk(row, 5, NULL, &v, &k), HED_E_INVAL, "topk: k is 5; 0 to 4, the extent of axis 0, are expected");
  ok(!v && !k, "outputs are NULL after a failure");
  API_NULL(hed_sort(row, &(hed_sort_options){ .axis = HED_AXES(1) }), HED_E_AXIS, "sort: axis 1 is out of range");
  hed_array *c = hed_astype(row, HED_COMPLEX64), *zero = hed_index(row, 0, 0);
  API_NULL(hed_sort(c, NULL), HED_E_DTYPE, "sort: x has dtype complex64");
  API_NULL(hed_sort(zero, NULL), HED_E_AXIS, "axis -1 is out of range for an array with 0 axes");
  RELEASE(c, zero, row, x);
}

int main(void)
{
  api_each_backend(creation);
  api_each_backend(joining);
  api_each_backend(margins);
  api_each_backend(selection);
  done_testing();
  return done();
}
