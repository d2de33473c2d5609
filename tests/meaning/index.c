// SPDX-License-Identifier: BSD-3-Clause
/* What creation, manipulation and indexing mean here where libraries differ: one point per entry of the manual's section
 * "Creation, manipulation, indexing".
 */
#include "api.h"

static void meaning(const char *backend)
{
  diag("meaning on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_FLOAT32), *v = api_iota(HED_SHAPE(6), HED_INT32), *list[4];
  const int64_t three[] = { 1, 2, 3 };

  /* a list of numbers for split: positions and sizes are two functions */
  is_int(hed_split_indices(v, 3, three, 0, list), HED_OK, "split at 1, 2 and 3");
  api_is(list[0], HED_SHAPE(1), HED_INT32, API_LIST(0), "part 0");
  api_is(list[1], HED_SHAPE(1), HED_INT32, API_LIST(1), "part 1");
  api_is(list[2], HED_SHAPE(1), HED_INT32, API_LIST(2), "part 2");
  api_is(list[3], HED_SHAPE(3), HED_INT32, API_LIST(3, 4, 5), "part 3");
  is_int(hed_split_sizes(v, 3, three, 0, list), HED_OK, "split into 1, 2 and 3");
  api_is(list[0], HED_SHAPE(1), HED_INT32, API_LIST(0), "part 0");
  api_is(list[1], HED_SHAPE(2), HED_INT32, API_LIST(1, 2), "part 1");
  api_is(list[2], HED_SHAPE(3), HED_INT32, API_LIST(3, 4, 5), "part 2");
  API_FAIL(hed_split_sections(v, 4, 0, list), HED_E_SHAPE, "axis 0 with extent 6 in 4 equal parts");
  is_int(hed_array_split(v, 4, 0, list), HED_OK, "array_split does uneven parts");
  api_is(list[1], HED_SHAPE(2), HED_INT32, API_LIST(2, 3), "the first ones are longer");
  RELEASE(list[0], list[2], list[3]);

  api_is(hed_repeat(x, 2, NULL), HED_SHAPE(12), HED_FLOAT32, API_LIST(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5),
         "repeat without an axis flattens");
  api_is(hed_repeat(x, 0, NULL), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "repeat 0 times is empty");

  api_is(hed_roll(x, &HED_AXES(1), NULL), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(5, 0, 1, 2, 3, 4),
         "roll without axes rolls the flattened array");
  api_is(hed_roll(x, &HED_AXES(1, 1), &HED_AXES(0, 1)), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(5, 3, 4, 2, 0, 1),
         "roll with axes rolls each by its own shift");

  hed_array *truth = hed_greater_scalar(x, 3);
  api_is(hed_nonzero(truth), HED_SHAPE(2, 2), HED_INT64, API_LIST(1, 1, 1, 2), "nonzero is (n, ndim)");
  is_int(hed_nonzero_axes(truth, list), HED_OK, "nonzero_axes is one vector per axis");
  api_is(list[0], HED_SHAPE(2), HED_INT64, API_LIST(1, 1), "rows");
  api_is(list[1], HED_SHAPE(2), HED_INT64, API_LIST(1, 2), "columns");
  hed_release(truth);

  hed_array *one = hed_full_int(HED_SHAPE0, 5, HED_INT64), *few = API_VECTOR(HED_INT64, 5, -1);
  is_int(hed_unravel_index(one, HED_SHAPE(2, 3), list), HED_OK, "unravel_index of one number");
  api_is(list[0], HED_SHAPE0, HED_INT64, API_LIST(1), "gives one 0-d array per axis");
  api_is(list[1], HED_SHAPE0, HED_INT64, API_LIST(2), "and not one array of all coordinates");
  is_int(hed_unravel_index(few, HED_SHAPE(2, 3), list), HED_OK, "unravel_index of a vector");
  api_is(hed_ravel_multi_index(2, (const hed_array *const *)list, HED_SHAPE(2, 3)), HED_SHAPE(2), HED_INT64, API_LIST(5, 5),
         "ravel_multi_index is its inverse, negatives count from the end");
  RELEASE(list[0], list[1]);
  hed_array *six = hed_full_int(HED_SHAPE0, 6, HED_INT64);
  API_FAIL(hed_unravel_index(six, HED_SHAPE(2, 3), list), HED_E_INDEX, "index 6 is out of range for shape (2, 3) with 6 elements");
  RELEASE(six, one, few);

  hed_array *row = API_VECTOR(HED_FLOAT32, 7, 8, 9), *twice = API_VECTOR(HED_INT32, 1, 1), *pair = API_VECTOR(HED_FLOAT32, 10, 20);
  api_is(hed_index_update(x, 1, &HED_AT(0), row), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(7, 8, 9, 3, 4, 5),
         "index_update returns a new array");
  api_is(hed_at(x, 1, &HED_AT(0), row), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(7, 8, 9, 3, 4, 5), "so does at");
  api_is(hed_copy(x), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "and its operand stays");
  hed_array *y = hed_copy(x);
  const hed_key keys[] = { HED_AT(0), HED_IDX(twice) };
  is_int(hed_addat(y, 2, keys, pair), HED_OK, "addat");
  api_is(hed_copy(y), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 31, 2, 3, 4, 5), "adds every value of a repeated element");
  is_int(hed_set(y, 2, keys, pair), HED_OK, "set");
  api_is(y, HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 20, 2, 3, 4, 5), "keeps the last value of a repeated element");

  hed_array *wide = hed_expand_dims(x, 0);
  api_is(hed_squeeze(wide, NULL), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "squeeze drops all axes of 1");
  API_NULL(hed_squeeze(wide, &HED_AXES(1)), HED_E_SHAPE, "has extent 2, not 1");
  hed_release(wide);
  api_is(hed_flip(x, NULL), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(5, 4, 3, 2, 1, 0), "flip without axes reverses all");
  hed_array *flipped = hed_flip(row, NULL);
  hed_fill(flipped, 1);
  api_is(hed_copy(row), HED_SHAPE(3), HED_FLOAT32, API_LIST(1, 1, 1), "flip is a view");
  hed_release(flipped);
  api_is(hed_arange(0, 0, 1, HED_FLOAT32), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "arange(0) is empty");
  api_is(hed_arange(0, 3, 1, HED_INT32), HED_SHAPE(3), HED_INT32, API_LIST(0, 1, 2), "arange has the dtype asked for");
  api_is(hed_reshape(x, HED_SHAPE(6)), HED_SHAPE(6), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "reshape to one number");

  double z[2] = { 0, 0 };
  hed_array *c = hed_full_complex(HED_SHAPE0, 3, 4, HED_COMPLEX64), *d = hed_astype(c, HED_COMPLEX128);
  ok(hed_item_complex(d, z) == HED_OK && z[0] == 3 && z[1] == 4, "complex to complex keeps the imaginary part");
  api_is(hed_astype(c, HED_FLOAT32), HED_SHAPE0, HED_FLOAT32, API_LIST(3), "complex to real takes the real part");
  RELEASE(c, d);

  hed_array *segments = API_VECTOR(HED_INT32, 0, 2, 2), *data = API_VECTOR(HED_FLOAT32, -3, -1, -5);
  api_is(hed_scatter_max(data, segments, 4, 0), HED_SHAPE(4), HED_FLOAT32, API_LIST(-3, 0, -1, 0), "segments without elements are 0");
  api_is(hed_scatter_min(data, segments, -1, 0), HED_SHAPE(3), HED_FLOAT32, API_LIST(-3, 0, -5), "the largest index says how many");
  api_is(hed_scatter_mean(data, segments, -1, 0), HED_SHAPE(3), HED_FLOAT32, API_LIST(-3, 0, -3), "scatter_mean");
  api_is(hed_scatter_add(data, segments, 3, 0), HED_SHAPE(3), HED_FLOAT32, API_LIST(-3, 0, -6), "scatter_add");
  hed_array *soft = hed_scatter_softmax(data, segments, 3, 0);
  double p[3];
  ok(api_values(soft, p) == 3 && p[0] == 1, "scatter_softmax of one element is 1");
  is_near(p[1] + p[2], 1, 1e-6, 0, "sums to 1 in each segment");
  is_near(p[1], 0.9820137900379085, 1e-6, 0, "1 / (1 + e^-4)");
  hed_release(soft);
  API_NULL(hed_scatter_add(data, segments, 2, 0), HED_E_INDEX, "index 2 is out of range for axis 0 of x with extent 2");
  API_NULL(hed_scatter_add(data, twice, 2, 0), HED_E_SHAPE, "index of shape (2,) for the 3 elements of axis 0");
  RELEASE(segments, data, row, twice, pair, x, v);
}

int main(void)
{
  api_each_backend(meaning);
  done_testing();
  return done();
}
