// SPDX-License-Identifier: BSD-3-Clause
/* Indices chosen at random, with weights or without, with replacement or without. L3. See random.c. */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/call/parts.h"
#include "api/random/random.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>
#include <string.h>

/* ---- few of many ---- */

/* How many numbers below N nearly always hold COUNT different ones, at most the half: three standard deviations above the mean of
 * the coupon collector's problem. */
static int64_t draws_for(int64_t n, int64_t count)
{
  const double all = (double)n, some = (double)count, mean = -all * log1p(-some / all);
  const double variance = all * some / (all - some) - mean;
  return (int64_t)(mean + 3 * sqrt(variance > 0 ? variance : 0)) + 2;
}

/* Both move the first COUNT different of N numbers V, which are not negative, to its front; how many there are, at most COUNT. SEEN
 * are zeros: a bit for each number that V may have, or MASK + 1 slots, a power of 2 above COUNT, for those that it has; as the
 * numbers are random, so are their last bits. */
static int64_t keep_by_bit(int64_t n, int64_t *v, int64_t count, uint64_t *seen)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < n && kept < count; i++) {
    const int64_t x = v[i];
    const uint64_t bit = UINT64_C(1) << (x & 63), word = seen[x >> 6];
    seen[x >> 6] = word | bit;
    v[kept] = x;
    kept += !(word & bit);
  }
  return kept;
}

static int64_t keep_by_slot(int64_t n, int64_t *v, int64_t count, uint64_t *seen, int64_t mask)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < n && kept < count; i++) {
    const uint64_t mark = (uint64_t)v[i] + 1;
    int64_t at = v[i] & mask;
    while (seen[at] && seen[at] != mark)
      at = (at + 1) & mask;
    if (seen[at] == mark)
      continue;
    seen[at] = mark;
    v[kept++] = v[i];
  }
  return kept;
}

/* The first COUNT different of numbers below N, COUNT at most the half; where there are not so many, twice as many are drawn, which
 * begin alike. */
static hed_array *first_different(const char *op, int64_t n, int64_t count, const hed_random *opt)
{
  const hed__random_mark mark = hed__random_mark_of(opt);
  int64_t draws = draws_for(n, count), slots = 2;
  while (slots < 2 * count)
    slots *= 2;
  const bool bits = n / 64 < slots;
  const size_t room = (size_t)(bits ? n / 64 + 1 : slots) * sizeof(uint64_t);
  for (hed_array *out = NULL;; draws *= 2) {
    const size_t bytes = (size_t)draws * sizeof(int64_t);
    hed_array *drawn = hed_random_integers(HED_SHAPE(draws), 0, n, HED_INT64, opt);
    int64_t *v = drawn ? hed__buffer_new(bytes, op) : NULL, kept = count;
    uint64_t *seen = v ? hed__buffer_new(room, op) : NULL;
    if (seen && hed_to_host(drawn, v, bytes) == HED_OK) {
      memset(seen, 0, room);
      kept = bits ? keep_by_bit(draws, v, count, seen) : keep_by_slot(draws, v, count, seen, slots - 1);
      out = kept == count ? hed_from_host(v, HED_SHAPE(count), HED_INT64) : NULL;
    }
    hed_release(drawn);
    hed__buffer_free(v);
    hed__buffer_free(seen);
    if (kept == count)
      return out;
    hed__random_undo(&mark);
  }
}

/* ---- in proportion ---- */

/* Looking for the first few of many beats ordering them all from LEAST_KEYS on, for one of KEYS_PER_CHOICE. */
enum { LEAST_KEYS = 4096, KEYS_PER_CHOICE = 100 };

/* Indices of the COUNT first of the N ordered KEYS (released). */
static hed_array *first_of(hed_array *keys, int64_t n, int64_t count)
{
  hed_array *order = NULL, *part = NULL, *out = NULL;
  if (keys && n >= LEAST_KEYS && count <= n / KEYS_PER_CHOICE)
    hed_topk(keys, count, &(hed_sort_options){ .descending = true }, NULL, &out);
  else if (keys)
    order = hed_argsort(keys, NULL);
  if (order && count == n) {
    out = order;
    order = NULL;
  } else if (order) {
    part = hed_slice(order, 1, &(hed_slice_range){ 0, count, 1 });
    out = part ? hed_copy(part) : NULL;
  }
  hed_release(keys);
  hed_release(order);
  hed_release(part);
  return out;
}

/* Weights for choosing of N: real numbers along one axis. */
static hed_status check_form(const char *op, const hed_array *weights, int64_t n)
{
  hed_status status = hed__check_domain(op, "bif", "weights", weights->view.dtype);
  hed_shape s = hed__shape_of(weights);
  if (status == HED_OK && (s.ndim != 1 || s.dim[0] != n))
    status = hed_fail(HED_E_SHAPE, "%s: weights has shape %s, not (%lld,)", op, HED__TEXT(&s), (long long)n);
  return status;
}

/* They can be used, and as many are above 0 as are wanted. */
static hed_status check_weights(const char *op, const hed_array *weights, int64_t count, bool replace)
{
  hed_status status = HED_OK;
  hed_array *wide = hed_astype(weights, hed__wide_float(weights->storage->device));
  hed_array *above = wide ? hed_greater_scalar(wide, 0) : NULL, *usable = above ? hed_count_nonzero(above, NULL) : NULL;
  hed_array *fine = usable ? hed_greater_equal_scalar(wide, 0) : NULL, *finite = fine ? hed_isfinite(wide) : NULL;
  hed_array *good = finite ? hed_logical_and(fine, finite) : NULL, *all = good ? hed_all(good, NULL) : NULL;
  int64_t found = 0, every = 0;
  if (!all || hed_item_int(usable, &found) != HED_OK || hed_item_int(all, &every) != HED_OK)
    status = hed_error();
  if (status == HED_OK && !every)
    status = hed_fail(HED_E_INVAL, "%s: a weight is negative, infinite or NaN", op);
  else if (status == HED_OK && found < (replace ? count > 0 : count))
    status = hed_fail(HED_E_INVAL, "%s: %lld weights are above 0, %lld indices are wanted", op, (long long)found,
                      (long long)count);
  hed_release(wide);
  hed_release(above);
  hed_release(usable);
  hed_release(fine);
  hed_release(finite);
  hed_release(good);
  hed_release(all);
  return status;
}

/* Successive draws in proportion to weights are the order of exponentials over their weights (Efraimidis and Spirakis,
 * Information Processing Letters 97, 2006): of float64, which a device without it leaves to the host. */
static hed_array *in_proportion(int64_t n, int64_t count, const hed_array *weights, const hed_random *opt)
{
  hed__device *device = hed__current_device();
  const bool leaves = hed__wide_float(device) != HED_FLOAT64;
  const hed__exec ex = { .context = hed__context(), .device = leaves ? hed__reference() : device };
  hed__parts f;
  if (!ex.context || hed__parts_begin(&f, &ex) != HED_OK)
    return NULL;
  hed_array *keys = hed_random_exponential(HED_SHAPE(n), 1, HED_FLOAT64, opt);
  hed_array *late = hed_divide(keys, hed_astype(leaves ? hed_to(weights, ex.device->name) : weights, HED_FLOAT64));
  hed_array *out = first_of(late, n, count);
  return hed__parts_end(&f, out && leaves ? hed_to(out, device->name) : out);
}

/* Without replacement. */
static hed_array *distinct(const char *op, int64_t n, int64_t count, const hed_array *weights, const hed_random *opt)
{
  if (!weights && count <= n / 2)
    return first_different(op, n, count, opt);
  return weights ? in_proportion(n, count, weights, opt) : first_of(hed_random_bits(HED_SHAPE(n), HED_UINT64, opt), n, count);
}

hed_array *HED_BODY(random_choice)(int64_t n, hed_shape shape, const hed_array *weights, bool replace, const hed_random *opt)
{
  const char *op = "random_choice";
  if (hed__check_shape(op, "shape", &shape, HED_ID_INT64) != HED_OK)
    return NULL;
  int64_t count = hed__shape_size(shape.ndim, shape.dim);
  if (n < 0 || (n == 0 && count > 0) || (!replace && count > n)) {
    hed_fail(HED_E_INVAL, "%s: %lld indices of %lld%s", op, (long long)count, (long long)n,
             replace ? "" : " without replacement");
    return NULL;
  }
  if (!weights) {
    if (replace)
      return hed_random_integers(shape, 0, n ? n : 1, HED_INT64, opt);
  } else if (!hed__given(weights, op, "weights")) {
    return NULL;
  }
  hed__exec ex;
  hed__forced forced;
  if (weights && hed__plan(&ex, HED_OP_RANDOM_CHOICE, 1, &weights) != HED_OK)
    return NULL;
  const hed_array *w = weights ? ex.in[0] : NULL;
  hed_array *flat = NULL, *out = NULL;
  hed_shape row = HED_SHAPE(count);
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_status status = weights ? hed__force_begin(&forced, &ex) : HED_OK;
  if (status == HED_OK) {
    if (w)
      status = check_form(op, w, n);
    if (w && status == HED_OK && (ex.device->host || !replace)) /* else the kernel looks at them, and nobody waits */
      status = check_weights(op, w, count, replace);
    if (status == HED_OK)
      flat = replace ? hed__random_rows_new(HED_OP_RANDOM_CATEGORICAL, w, &row, HED_INT64, true, opt)
                     : distinct(op, n, count, w, opt);
    out = flat ? hed_reshape(flat, shape) : NULL;
    hed_release(flat);
    if (weights)
      hed__force_end(&forced);
  }
  if (weights)
    hed__exec_end(&ex);
  if (!out)
    hed__random_undo(&mark);
  return out;
}
