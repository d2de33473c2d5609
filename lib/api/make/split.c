// SPDX-License-Identifier: BSD-3-Clause
/* Parts of an array along one axis, as views: by number, by positions, by sizes. L3. */
#include "api/call/check.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

/* N parts that begin at START[k] with COUNT[k] elements; all of OUT is set, to NULL after a failure. */
typedef void (*part_fn)(const void *arg, int k, int64_t *start, int64_t *count);

static hed_status parts(const hed_array *x, int axis, int n, part_fn part, const void *arg, hed_array **out)
{
  hed_status status = HED_OK;
  for (int k = 0; k < n; k++)
    out[k] = NULL;
  for (int k = 0; k < n && status == HED_OK; k++) {
    hed_view v = x->view;
    int64_t start, count, size = 1;
    part(arg, k, &start, &count);
    for (int j = 0; j < v.ndim; j++)
      size *= (j == axis ? count : v.dim[j]) ? 1 : 0;
    hed__narrow(&v, axis, size ? start : 0, count, 1);
    if (!(out[k] = hed__array_view(x, &v)))
      status = hed_error();
  }
  for (int k = 0; k < n && status != HED_OK; k++) {
    hed_release(out[k]);
    out[k] = NULL;
  }
  return status;
}

/* The axis, after the checks that all forms share; negative status. */
static int check(const char *op, const hed_array *x, int n, const void *list, int32_t axis, hed_array *const *out)
{
  if (!hed__given(x, op, "x"))
    return hed_error();
  if (!out || (n > 0 && !list))
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, out ? "the list of positions" : "out");
  return hed__check_axis(op, "axis", axis, x->view.ndim);
}

typedef struct sections { int64_t each, more; } sections;

static void section(const void *arg, int k, int64_t *start, int64_t *count)
{
  const sections *s = arg;
  *start = k * s->each + (k < s->more ? k : s->more);
  *count = s->each + (k < s->more);
}

static hed_status split(const char *op, const hed_array *x, int n, int32_t axis, bool even, hed_array **out)
{
  int at = check(op, x, n, out, axis, out);
  if (at < 0)
    return (hed_status)at;
  int64_t extent = x->view.dim[at];
  if (n < 1 || (even && extent % n))
    return hed_fail(HED_E_SHAPE, "%s: axis %d with extent %lld in %d%s parts", op, at, (long long)extent, n,
                    even ? " equal" : "");
  return parts(x, at, n, section, &(sections){ extent / n, extent % n }, out);
}

hed_status HED_BODY(split_sections)(const hed_array *x, int n, int32_t axis, hed_array **out)
{
  return split("split_sections", x, n, axis, true, out);
}

hed_status HED_BODY(array_split)(const hed_array *x, int n, int32_t axis, hed_array **out)
{
  return split("array_split", x, n, axis, false, out);
}

typedef struct positions { int n; int64_t extent; const int64_t *list; } positions;

static int64_t position(const positions *p, int k)
{
  if (k < 0)
    return 0;
  if (k >= p->n)
    return p->extent;
  int64_t i = p->list[k] < 0 ? p->list[k] + p->extent : p->list[k];
  return i < 0 ? 0 : i > p->extent ? p->extent : i;
}

static void between(const void *arg, int k, int64_t *start, int64_t *count)
{
  int64_t end = position(arg, k);
  *start = position(arg, k - 1);
  *count = end > *start ? end - *start : 0;
}

hed_status HED_BODY(split_indices)(const hed_array *x, int n, const int64_t *indices, int32_t axis, hed_array **out)
{
  int at = check("split_indices", x, n, indices, axis, out);
  if (at < 0)
    return (hed_status)at;
  if (n < 0 || n == INT32_MAX)
    return hed_fail(HED_E_INVAL, "split_indices: n is %d", n);
  return parts(x, at, n + 1, between, &(positions){ n, x->view.dim[at], indices }, out);
}

static void sized(const void *arg, int k, int64_t *start, int64_t *count)
{
  const int64_t *sizes = arg;
  *start = 0;
  for (int j = 0; j < k; j++)
    *start += sizes[j];
  *count = sizes[k];
}

hed_status HED_BODY(split_sizes)(const hed_array *x, int n, const int64_t *sizes, int32_t axis, hed_array **out)
{
  int at = check("split_sizes", x, n, sizes, axis, out);
  if (at < 0)
    return (hed_status)at;
  int64_t total = 0;
  for (int k = 0; k < n; k++) {
    if (sizes[k] < 0)
      return hed_fail(HED_E_INVAL, "split_sizes: size %lld of part %d is negative", (long long)sizes[k], k);
    if (__builtin_add_overflow(total, sizes[k], &total))
      total = INT64_MAX;
  }
  if (n < 0 || total != x->view.dim[at])
    return hed_fail(HED_E_SHAPE, "split_sizes: %d sizes add up to %lld, axis %d has extent %lld", n, (long long)total, at,
                    (long long)x->view.dim[at]);
  return parts(x, at, n, sized, sizes, out);
}

hed_status HED_BODY(unstack)(const hed_array *x, int32_t axis, hed_array **out)
{
  const int at = check("unstack", x, 0, NULL, axis, out);
  if (at < 0)
    return (hed_status)at;
  hed_status status = HED_OK;
  int64_t made = 0;
  for (; made < x->view.dim[at] && status == HED_OK; made++)
    if (!(out[made] = hed_index(x, at, made)))
      status = hed_error();
  while (status != HED_OK && made-- > 0) {
    hed_release(out[made]);
    out[made] = NULL;
  }
  return status;
}
