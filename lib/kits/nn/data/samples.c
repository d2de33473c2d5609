// SPDX-License-Identifier: BSD-3-Clause
/* Windows, parts, orders, batches of unequal lengths, missing values.
 *
 * Layer: L4, nn kit.
 */
#include "base/invariant.h"
#include "kits/nn/lists.h"
#include <heddle/kits/nn_data.h>
#include <math.h>
#include <stdlib.h>

static bool is_series(const char *op, const hed_array *x)
{
  if (!hed__operand_given(op, "x", x))
    return false;
  if (hed_array_ndim(x) >= 1)
    return true;
  (void)hed_fail(HED_E_SHAPE, "%s: x has no axes; the first one is time", op);
  return false;
}

/* N windows of LENGTH from FIRST on, STRIDE apart: (n, length, ..). */
static hed_array *windows(const hed_array *x, int64_t first, int64_t n, int64_t length, int64_t stride)
{
  hed_shape s = hed_array_shape(x);
  const hed_axes time = HED_AXES(0);
  if (n == 0 || length == 0) { /* there is nothing to look at */
    for (int k = s.ndim; k > 1; k--)
      s.dim[k] = s.dim[k - 1];
    s.ndim++;
    s.dim[0] = n;
    s.dim[1] = length;
    return hed_read_only(hed_zeros(s, hed_array_dtype(x)));
  }
  hed_array *part = hed_slice(x, 1, &HED_RANGE(first, first + (n - 1) * stride + length, 1));
  hed_array *all = part ? hed_sliding_window_view(part, HED_SHAPE(length), &time) : NULL;
  hed_array *some = all ? hed_slice(all, 1, &HED_RANGE(0, HED_SLICE_END, stride)) : NULL;
  return some ? hed_moveaxis(some, -1, 1) : NULL;
}

hed_status hed_nn_windows(const hed_array *x, const hed_nn_window *o, hed_array **inputs, hed_array **targets)
{
  static const char op[] = "hed_nn_windows";
  hed_array *in = NULL, *to = NULL;
  if (!o || !inputs)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, o ? "inputs" : "the window");
  *inputs = NULL;
  if (targets)
    *targets = NULL;
  if (!is_series(op, x))
    return hed_error();
  const int64_t steps = hed_array_shape(x).dim[0], stride = o->stride ? o->stride : 1, most = INT64_MAX / 4;
  if (o->length < 1 || o->stride < 0 || o->horizon < 0 || o->gap < -o->length || o->length > most || o->horizon > most ||
      o->gap > most)
    return hed_fail(HED_E_INVAL, "%s: length, stride, horizon and gap are %lld, %lld, %lld and %lld: length at least 1, the "
                    "others from 0 on, the gap from -length on, are needed", op, (long long)o->length, (long long)o->stride,
                    (long long)o->horizon, (long long)o->gap);
  if (hed_array_ndim(x) >= HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: x has %d axes, windows would have more than %d", op, (int)hed_array_ndim(x), HED_MAX_NDIM);
  const int64_t end = o->length + (o->gap + o->horizon > 0 ? o->gap + o->horizon : 0);
  const int64_t n = steps < end ? 0 : (steps - end) / stride + 1;
  HED_SCOPE_OR(return hed_error()) {
    in = hed_keep(windows(x, 0, n, o->length, stride));
    if (in && targets)
      to = hed_keep(windows(x, o->length + o->gap, n, o->horizon, stride));
  }
  if (in && (to || !targets)) {
    *inputs = hed__train_out(hed_retain(in));
    if (targets)
      *targets = hed__train_out(hed_retain(to));
  }
  hed_release(in);
  hed_release(to);
  if (*inputs && (!targets || *targets))
    return HED_OK;
  hed_release(*inputs);
  *inputs = NULL;
  if (targets) {
    hed_release(*targets);
    *targets = NULL;
  }
  return hed_error();
}

hed_status hed_nn_split(const hed_array *x, double train, double validation, hed_array **train_part, hed_array **validation_part,
                        hed_array **test_part)
{
  hed_array **const out[3] = { train_part, validation_part, test_part };
  for (int k = 0; k < 3; k++)
    if (out[k])
      *out[k] = NULL;
  if (!is_series("hed_nn_split", x))
    return hed_error();
  if (!(train >= 0 && validation >= 0 && train + validation <= 1))
    return hed_fail(HED_E_INVAL, "hed_nn_split: train is %g, validation %g: shares whose sum is at most 1 are needed", train,
                    validation);
  const double steps = (double)hed_array_shape(x).dim[0], exact = 1e-9; /* 0.7 + 0.2 of 10 steps are 9 */
  const int64_t first = (int64_t)floor(train * steps + exact), second = (int64_t)floor((train + validation) * steps + exact);
  const int64_t from[3] = { 0, first, second }, to[3] = { first, second, HED_SLICE_END };
  for (int k = 0; k < 3; k++) {
    if (!out[k] || (*out[k] = hed_slice(x, 1, &HED_RANGE(from[k], to[k], 1))))
      continue;
    for (int j = 0; j < k; j++)
      if (out[j]) {
        hed_release(*out[j]);
        *out[j] = NULL;
      }
    return hed_error();
  }
  return HED_OK;
}

hed_array *hed_nn_order(int64_t n, uint64_t key)
{
  if (n < 0) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_order: n is %lld, below 0", (long long)n);
    return NULL;
  }
  return hed_random_permutation(n, &(hed_random){ .seed = key, .seeded = true });
}

/* ---- unequal lengths ---- */

static hed_status check_sequences(int n, const hed_array *const *x, int64_t *length)
{
  static const char op[] = "hed_nn_pad_sequences";
  char has[HED__SHAPE_WORDS], wants[HED__SHAPE_WORDS];
  int64_t longest = 0;
  if (n < 1 || !x)
    return hed_fail(HED_E_INVAL, "%s: n is %d%s, one sequence at least is needed", op, n, x ? "" : " (NULL)");
  for (int k = 0; k < n; k++) {
    if (!is_series(op, x[k]))
      return hed_error();
    const hed_shape s = hed_array_shape(x[k]);
    hed_shape first = hed_array_shape(x[0]);
    first.dim[0] = s.dim[0];
    if (!hed__same_shape(s, first) || hed_array_dtype(x[k]) != hed_array_dtype(x[0]))
      return hed_fail(HED_E_SHAPE, "%s: sequence %d is %s %s, the first one %s %s: all but the first extent have to be equal", op, k,
                      hed_dtype_name(hed_array_dtype(x[k])), hed__shape_words(s, has), hed_dtype_name(hed_array_dtype(x[0])),
                      hed__shape_words(hed_array_shape(x[0]), wants));
    if (*length > 0 && s.dim[0] > *length)
      return hed_fail(HED_E_SHAPE, "%s: sequence %d has %lld steps, length is %lld", op, k, (long long)s.dim[0], (long long)*length);
    longest = s.dim[0] > longest ? s.dim[0] : longest;
  }
  if (*length < 0)
    return hed_fail(HED_E_INVAL, "%s: length is %lld, below 0", op, (long long)*length);
  *length = *length ? *length : longest;
  return hed_array_ndim(x[0]) < HED_MAX_NDIM ? HED_OK : hed_fail(HED_E_SHAPE, "%s: sequences have %d axes already", op, HED_MAX_NDIM);
}

static hed_array *padded(int n, const hed_array *const *x, int64_t length, double value)
{
  HED__ASSERT(n >= 1 && length >= 0);
  hed_shape s = hed_array_shape(x[0]);
  for (int k = s.ndim; k > 1; k--)
    s.dim[k] = s.dim[k - 1];
  s.ndim++;
  s.dim[0] = n;
  s.dim[1] = length;
  hed_array *out = hed_full(s, value, hed_array_dtype(x[0]));
  for (int k = 0; k < n && out; k++) {
    hed_array *row = hed_index(out, 0, k), *part = row ? hed_slice(row, 1, &HED_RANGE(0, hed_array_shape(x[k]).dim[0], 1)) : NULL;
    if (!part || hed_copy_into(part, x[k]) != HED_OK)
      return NULL;
  }
  return out;
}

hed_status hed_nn_pad_sequences(int n, const hed_array *const *sequences, int64_t length, double value, hed_array **x,
                                hed_array **mask,
                                hed_array **lengths)
{
  hed_array *made[3] = { NULL, NULL, NULL }, **const out[3] = { x, mask, lengths };
  bool good = true;
  for (int k = 0; k < 3; k++)
    if (out[k])
      *out[k] = NULL;
  const hed_status status = check_sequences(n, sequences, &length);
  if (status != HED_OK)
    return status;
  int64_t *steps = hed__train_room("hed_nn_pad_sequences", n, sizeof *steps);
  for (int k = 0; steps && k < n; k++)
    steps[k] = hed_array_shape(sequences[k]).dim[0];
  if (steps)
    HED_SCOPE {
      hed_array *each = hed_from_host(steps, HED_SHAPE(n), HED_INT64);
      made[0] = out[0] ? hed_keep(padded(n, sequences, length, value)) : NULL;
      made[1] = each ? hed_keep(hed_less(hed_arange_int(0, length, 1, HED_INT64), hed_expand_dims(each, -1))) : NULL;
      made[2] = hed_keep(each);
    }
  free(steps);
  good = (made[0] || !out[0]) && made[1] && made[2];
  for (int k = 0; k < 3; k++) {
    if (good && out[k])
      good = (*out[k] = hed__train_out(made[k])) != NULL;
    else
      hed_release(made[k]);
  }
  for (int k = 0; k < 3 && !good; k++)
    if (out[k]) {
      hed_release(*out[k]);
      *out[k] = NULL;
    }
  return good ? HED_OK : hed_error();
}

hed_status hed_nn_missing(const hed_array *x, double value, hed_array **filled, hed_array **mask)
{
  hed_array *there = NULL, *full = NULL;
  if (!filled || !mask)
    return hed_fail(HED_E_INVAL, "hed_nn_missing: %s is NULL", filled ? "mask" : "filled");
  *filled = *mask = NULL;
  if (!hed__train_float("hed_nn_missing", "x", x))
    return hed_error();
  HED_SCOPE_OR(return hed_error()) {
    there = hed_keep(hed_logical_not(hed_isnan(x)));
    full = there ? hed_keep(hed_where_scalar(there, x, value)) : NULL;
  }
  if (!full) {
    hed_release(there);
    return hed_error();
  }
  *filled = hed__train_out(full);
  *mask = hed__train_out(there);
  if (*filled && *mask)
    return HED_OK;
  hed_release(*filled);
  hed_release(*mask);
  *filled = *mask = NULL;
  return hed_error();
}
