// SPDX-License-Identifier: BSD-3-Clause
/*
 * find_peaks: local maxima of a list, on the host. L3.
 */
#include "api/check.h"
#include "api/infer.h"
#include "composite/composed.h"
#include "composite/host_values.h"
#include "core/memory.h"

#include <heddle/error.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct peak {
  int64_t at;
  double value, prominence;
  bool kept;
} peak;

/* Every peak of N values into LIST, at most n / 2. */
static int64_t maxima(const double *x, int64_t n, peak *list)
{
  int64_t found = 0;
  for (int64_t i = 1; i < n - 1; i++) {
    if (!(x[i - 1] < x[i]))
      continue;
    int64_t end = i;
    while (end < n - 1 && x[end + 1] == x[i])
      end++;
    if (end < n - 1 && x[end + 1] < x[i])
      list[found++] = (peak){ i + (end - i) / 2, x[i], 0, true };
    i = end;
  }
  return found;
}

static double prominence_of(const double *x, int64_t n, const peak *p)
{
  double least[2] = { p->value, p->value };
  for (int side = 0; side < 2; side++)
    for (int64_t i = p->at; i >= 0 && i < n && x[i] <= p->value; i += side ? 1 : -1)
      if (x[i] < least[side])
        least[side] = x[i];
  return p->value - (least[0] > least[1] ? least[0] : least[1]);
}

static int higher_first(const void *a, const void *b)
{
  const peak *p = *(const peak *const *)a, *q = *(const peak *const *)b;
  return p->value != q->value ? (p->value < q->value) - (p->value > q->value) : (p->at > q->at) - (p->at < q->at);
}

/* The highest first, each removes lower ones nearer than DISTANCE. ORDER is room for N pointers. */
static void spread(peak *list, int64_t n, int64_t distance, peak **order)
{
  for (int64_t k = 0; k < n; k++)
    order[k] = &list[k];
  qsort(order, (size_t)n, sizeof *order, higher_first);
  for (int64_t k = 0; k < n; k++) {
    if (!order[k]->kept)
      continue;
    int64_t i = order[k] - list;
    for (int64_t j = i - 1; j >= 0 && list[i].at - list[j].at < distance; j--)
      list[j].kept = false;
    for (int64_t j = i + 1; j < n && list[j].at - list[i].at < distance; j++)
      list[j].kept = false;
  }
}

static int64_t compact(peak *list, int64_t n)
{
  int64_t kept = 0;
  for (int64_t k = 0; k < n; k++)
    if (list[k].kept)
      list[kept++] = list[k];
  return kept;
}

static int64_t filtered(const double *x, int64_t n, const hed_find_peaks_options *opt, peak *list, peak **order)
{
  int64_t found = maxima(x, n, list);
  for (int64_t k = 0; k < found; k++)
    list[k].kept = !opt->use_height || list[k].value >= opt->height;
  found = compact(list, found);
  if (opt->distance > 1)
    spread(list, found, opt->distance, order);
  found = compact(list, found);
  for (int64_t k = 0; k < found; k++) {
    list[k].prominence = prominence_of(x, n, &list[k]);
    list[k].kept = list[k].prominence >= opt->prominence;
  }
  return compact(list, found);
}

hed_status hed_find_peaks(const hed_array *x, const hed_find_peaks_options *opt, hed_array **peaks, hed_array **prominences)
{
  static const hed_find_peaks_options defaults;
  const char *op = "find_peaks";
  hed_array **const to[2] = { peaks, prominences };
  for (int k = 0; k < 2; k++)
    if (to[k])
      *to[k] = NULL;
  if (!hed__given(x, op, "x") || hed__check_domain(op, "bif", "x", x->view.dtype) != HED_OK)
    return hed_error();
  if (!opt)
    opt = &defaults;
  hed_shape s = hed__shape_of(x);
  if (s.ndim != 1)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s; one axis is needed", op, HED__TEXT(&s));
  if (opt->distance < 0 || !(opt->prominence >= 0) || (opt->use_height && isnan(opt->height)))
    return hed_fail(HED_E_INVAL, "%s: distance is %lld, prominence %g, height %g; the first two are not negative", op,
                    (long long)opt->distance, opt->prominence, opt->height);
  composed c;
  hed_status status = composed_begin(&c, HED_OP_FIND_PEAKS, 1, &x);
  if (status != HED_OK)
    return status;
  int64_t n = s.dim[0], room = n / 2 + 1;
  hed_array *results[2] = { NULL, NULL };
  double *values = hed__read_host(op, c.ex.in[0], HED_ID_FLOAT64);
  peak *list = values ? hed__buffer_zeroed((size_t)room, sizeof *list + sizeof(peak *) + 16, op) : NULL;
  if (list) {
    peak **order = (void *)(list + room);
    int64_t *at = (void *)(order + room);
    double *prominence = (void *)(at + room);
    int64_t found = filtered(values, n, opt, list, order);
    for (int64_t k = 0; k < found; k++) {
      at[k] = list[k].at;
      prominence[k] = list[k].prominence;
    }
    results[0] = hed_from_host(at, HED_SHAPE(found), HED_INT64);
    results[1] = hed_from_host(prominence, HED_SHAPE(found), HED_FLOAT64);
  }
  hed__buffer_free(values);
  hed__buffer_free(list);
  return composed_end_all(&c, 2, results, to);
}
