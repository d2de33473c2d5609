// SPDX-License-Identifier: BSD-3-Clause
/* Named forms of indexing: index_update, addat, place, slice_tensor, slice_update, masked_fill, extract, choose, select. L3.
 *
 * Those that return an array never write into their operand, however few references it has: what a call does is then the
 * same wherever it stands.
 */
#include "api/call/check.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

/* X, or NULL after releasing it when STATUS is an error. */
static hed_array *when(hed_status status, hed_array *x)
{
  if (status == HED_OK)
    return x;
  hed_release(x);
  return NULL;
}

hed_array *HED_BODY(index_update)(const hed_array *x, int n, const hed_key *keys, const hed_array *value)
{
  if (!hed__given(x, "index_update", "x") || !hed__given(value, "index_update", "value"))
    return NULL;
  hed_array *out = hed_copy(x);
  return out ? when(hed_set(out, n, keys, value), out) : NULL;
}

hed_status HED_BODY(addat)(hed_array *x, int n, const hed_key *keys, const hed_array *value)
{
  return hed_accumulate(x, n, keys, value, HED_SCATTER_ADD);
}

hed_status HED_BODY(place)(hed_array *x, const hed_array *mask, const hed_array *values)
{
  const char *op = "place";
  if (!hed__given(x, op, "x") || !hed__given(mask, op, "mask") || !hed__given(values, op, "values"))
    return hed_error();
  hed_shape have = hed__shape_of(x), want = hed__shape_of(mask);
  if (!hed__shape_equal(have.ndim, have.dim, want.ndim, want.dim))
    return hed_fail(HED_E_SHAPE, "%s: mask has shape %s, x %s", op, HED__TEXT(&want), HED__TEXT(&have));
  hed__exec ex;
  hed__forced forced;
  const hed_array *operands[3] = { x, mask, values };
  hed_status status = hed__plan(&ex, HED_OP_PLACE, 3, operands);
  if (status != HED_OK)
    return status;
  status = hed__force_begin(&forced, &ex);
  if (status == HED_OK) {
    int64_t n = 0, m = hed__view_size(&values->view);
    hed_array *bools = hed_astype(ex.in[1], HED_BOOL), *count = bools ? hed_count_nonzero(bools, NULL) : NULL;
    hed_array *numbers = NULL, *turn = NULL, *flat = NULL, *list = NULL;
    status = count ? hed_item_int(count, &n) : hed_error();
    if (status == HED_OK && n > 0 && m == 0)
      status = hed_fail(HED_E_SHAPE, "%s: there are no values for %lld true elements of mask", op, (long long)n);
    if (status == HED_OK && n > 0) {
      numbers = hed_arange_int(0, n, 1, HED_INT64);
      hed_array *each = numbers ? hed_scalar_int(m) : NULL; /* exact, unlike a double */
      turn = each ? hed_mod(numbers, each) : NULL;
      flat = turn ? hed_ravel(ex.in[2]) : NULL;
      list = flat ? hed_take(flat, turn, 0) : NULL;
      hed_release(each);
      status = list ? hed_set(x, 1, &HED_MASK(bools), list) : hed_error();
    }
    hed_release(bools);
    hed_release(count);
    hed_release(numbers);
    hed_release(turn);
    hed_release(flat);
    hed_release(list);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return status;
}

/* ---- blocks ---- */

static hed_array *block(const char *op, const hed_array *x, const hed_shape *starts, const hed_shape *sizes)
{
  hed_shape have = hed__shape_of(x);
  if (starts->ndim != have.ndim || sizes->ndim != have.ndim) {
    hed_fail(HED_E_SHAPE, "%s: %d starts and %d sizes for an array with %d axes", op, (int)starts->ndim, (int)sizes->ndim,
             (int)have.ndim);
    return NULL;
  }
  hed_slice_range ranges[HED_MAX_NDIM];
  for (int k = 0; k < have.ndim; k++) {
    int64_t start = starts->dim[k] < 0 ? starts->dim[k] + have.dim[k] : starts->dim[k];
    int64_t size = sizes->dim[k] == -1 ? have.dim[k] - start : sizes->dim[k];
    if (start < 0 || start > have.dim[k] || size < 0 || size > have.dim[k] - start) {
      hed_fail(HED_E_SHAPE, "%s: %lld elements from %lld on axis %d with extent %lld", op, (long long)sizes->dim[k],
               (long long)starts->dim[k], k, (long long)have.dim[k]);
      return NULL;
    }
    ranges[k] = HED_RANGE(start, start + size, 1);
  }
  return hed_slice(x, have.ndim, ranges);
}

hed_array *HED_BODY(slice_tensor)(const hed_array *x, hed_shape starts, hed_shape sizes)
{
  return hed__given(x, "slice_tensor", "x") ? block("slice_tensor", x, &starts, &sizes) : NULL;
}

hed_array *HED_BODY(slice_update)(const hed_array *x, hed_shape starts, const hed_array *value)
{
  if (!hed__given(x, "slice_update", "x") || !hed__given(value, "slice_update", "value"))
    return NULL;
  hed_shape sizes = hed__shape_of(value);
  hed_array *test = block("slice_update", x, &starts, &sizes);
  if (!test)
    return NULL;
  hed_release(test);
  hed_key keys[HED_MAX_NDIM];
  for (int k = 0; k < sizes.ndim; k++) {
    const int64_t start = starts.dim[k] < 0 ? starts.dim[k] + x->view.dim[k] : starts.dim[k];
    keys[k] = HED_SLICE(start, start + sizes.dim[k], 1);
  }
  return hed_index_update(x, sizes.ndim, keys, value);
}

/* ---- by condition ---- */

hed_array *HED_BODY(masked_fill)(const hed_array *x, const hed_array *mask, double value)
{
  const char *op = "masked_fill";
  if (!hed__given(x, op, "x") || !hed__given(mask, op, "mask"))
    return NULL;
  hed_shape have = hed__shape_of(x), want = hed__shape_of(mask), both;
  if (!hed__broadcast(&have, &want, &both) || !hed__shape_equal(both.ndim, both.dim, have.ndim, have.dim)) {
    hed_fail(HED_E_SHAPE, "%s: mask of shape %s does not broadcast to %s, the shape of x", op, HED__TEXT(&want),
             HED__TEXT(&have));
    return NULL;
  }
  hed__exec ex;
  hed__forced forced;
  const hed_array *operands[2] = { x, mask };
  if (hed__plan(&ex, HED_OP_MASKED_FILL, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__force_begin(&forced, &ex) == HED_OK) {
    hed_array *one = hed_full(HED_SHAPE0, value, hed__dtypes[x->view.dtype]);
    out = one ? hed_where(ex.in[1], one, ex.in[0]) : NULL;
    hed_release(one);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return out;
}

hed_array *HED_BODY(extract)(const hed_array *condition, const hed_array *x)
{
  if (!hed__given(condition, "extract", "condition") || !hed__given(x, "extract", "x"))
    return NULL;
  hed_shape have = hed__shape_of(x), want = hed__shape_of(condition);
  if (hed__view_size(&condition->view) != hed__view_size(&x->view)) {
    hed_fail(HED_E_SHAPE, "extract: condition of shape %s and x of shape %s differ in size", HED__TEXT(&want),
             HED__TEXT(&have));
    return NULL;
  }
  hed_array *bools = hed_astype(condition, HED_BOOL), *mask = bools ? hed_ravel(bools) : NULL;
  hed_array *flat = mask ? hed_ravel(x) : NULL, *out = flat ? hed_compress(flat, mask) : NULL;
  hed_release(bools);
  hed_release(mask);
  hed_release(flat);
  return out;
}

/* ---- choice among arrays ---- */

static bool list_ok(const char *op, int n, const hed_array *const *arrays, const char *arg)
{
  bool good = n > 0 && arrays;
  if (!good)
    hed_fail(HED_E_INVAL, "%s: %d arrays, %s is %s", op, n, arg, arrays ? "given" : "NULL");
  for (int k = 0; k < n && good; k++)
    good = hed__given(arrays[k], op, arg);
  return good;
}

/* Least or largest index of hed_choose, on the host. */
static hed_status limit(hed_array *(*f)(const hed_array *, const hed_reduce *), const hed_array *index, int64_t *out)
{
  hed_array *m = f(index, NULL);
  hed_status status = hed__item_of("choose", "index", m, out);
  hed_release(m);
  return status;
}

hed_array *HED_BODY(choose)(const hed_array *index, int n, const hed_array *const *arrays)
{
  int64_t low = 0, high = 0;
  if (!hed__given(index, "choose", "index") || !list_ok("choose", n, arrays, "arrays"))
    return NULL;
  hed_kind kind = hed__id_kind(index->view.dtype);
  if (kind != HED_KIND_INT && kind != HED_KIND_UINT) {
    hed_fail(HED_E_DTYPE, "choose: index has dtype %s; integers are needed", hed__dtypes[index->view.dtype]->name);
    return NULL;
  }
  if (hed__view_size(&index->view) > 0 &&
      (limit(hed_min, index, &low) != HED_OK || limit(hed_max, index, &high) != HED_OK))
    return NULL;
  if (low < 0 || high >= n) {
    hed_fail(HED_E_INDEX, "choose: index %lld is out of range for %d arrays", (long long)(low < 0 ? low : high), n);
    return NULL;
  }
  hed_array *out = hed_where(index, arrays[0], arrays[0]); /* gives it the shape of the index */
  for (int k = 1; k < n && out; k++) {
    hed_array *number = hed_scalar_int(k), *here = number ? hed_equal(index, number) : NULL;
    hed_array *next = here ? hed_where(here, arrays[k], out) : NULL;
    hed_release(number);
    hed_release(here);
    hed_release(out);
    out = next;
  }
  return out;
}

hed_array *HED_BODY(select)(int n, const hed_array *const *conditions, const hed_array *const *arrays, double otherwise)
{
  if (!list_ok("select", n, conditions, "conditions") || !list_ok("select", n, arrays, "arrays"))
    return NULL;
  bool whole = otherwise == floor(otherwise) && fabs(otherwise) < 0x1p53; /* then integers stay integers */
  hed_array *out = whole ? hed_scalar_int((int64_t)otherwise) : hed_scalar(otherwise);
  for (int k = n - 1; k >= 0 && out; k--) { /* the first that is true is written last */
    hed_array *next = hed_where(conditions[k], arrays[k], out);
    hed_release(out);
    out = next;
  }
  return out;
}
