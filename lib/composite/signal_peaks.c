// SPDX-License-Identifier: BSD-3-Clause
/* find_peaks: local maxima of a list, on the host. L3. */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/image/filters.h"
#include "composite/composed.h"
#include "composite/host_values.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct peak {
  int64_t at;
  double value, prominence;
  bool kept;
} peak;

/* Indices where N values stop rising, at most (n - 1) / 2; AT has room for one more. Written without a branch, as nobody guesses
 * whether the next value is larger. */
static int64_t crests(const double *x, int64_t n, int64_t *at)
{
  int64_t found = 0;
  for (int64_t i = 1; i < n - 1; i++) {
    at[found] = i;
    found += (x[i - 1] < x[i]) & (x[i + 1] <= x[i]);
  }
  return found;
}

/* The peaks among N crests, all but those whose plateau is followed by something higher or by the end. */
static int64_t maxima(const double *x, int64_t n, const int64_t *at, int64_t crests, peak *list)
{
  int64_t found = 0;
  for (int64_t k = 0; k < crests; k++) {
    const int64_t i = at[k];
    int64_t end = i;
    while (end < n - 1 && x[end + 1] == x[i])
      end++;
    if (end < n - 1 && x[end + 1] < x[i])
      list[found++] = (peak){ i + (end - i) / 2, x[i], 0, true };
  }
  return found;
}

/* A value that nothing since has reached, and the least one since the next higher one before it. */
typedef struct height {
  double value, least;
} height;

/* The least values from the peaks of LIST, by ascending index, to the next higher value on one side of each: before it, or with
 * BACK behind it. OPEN has room for N. Each value is put there and taken away once. */
static void lowest(const double *x, int64_t n, const peak *list, int64_t peaks, bool back, height *open, double *least)
{
  int64_t depth = 0, next = back ? peaks - 1 : 0;
  for (int64_t k = 0; k < n && next >= 0 && next < peaks; k++) {
    const int64_t i = back ? n - 1 - k : k;
    height h = { x[i], x[i] };
    if (isnan(x[i])) { /* as something higher: nobody looks past it */
      depth = 0;
      continue;
    }
    for (; depth > 0 && open[depth - 1].value <= h.value; depth--)
      if (open[depth - 1].least < h.least)
        h.least = open[depth - 1].least;
    open[depth++] = h;
    if (list[next].at == i) {
      least[next] = h.least;
      next += back ? -1 : 1;
    }
  }
}

/* The prominences of N peaks of SIZE values. WORK has room for SIZE heights and 2 N numbers. */
static void prominences_of(const double *x, int64_t size, peak *list, int64_t n, void *work)
{
  height *open = work;
  double *before = (void *)(open + size), *behind = before + n;
  lowest(x, size, list, n, false, open, before);
  lowest(x, size, list, n, true, open, behind);
  for (int64_t k = 0; k < n; k++)
    list[k].prominence = list[k].value - (before[k] > behind[k] ? before[k] : behind[k]);
}

static int higher_first(const void *a, const void *b)
{
  const peak *p = *(const peak *const *)a, *q = *(const peak *const *)b;
  return p->value != q->value ? (p->value < q->value) - (p->value > q->value) : (p->at > q->at) - (p->at < q->at);
}

/* The highest first, each removes lower ones nearer than DISTANCE. ORDER is room for N pointers. */
static void keep_apart(peak *list, int64_t n, int64_t distance, peak **order)
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

/* What OPT leaves of N peaks of SIZE values, but for their prominence. ORDER has room for N. */
static int64_t filtered(int64_t n, const hed_find_peaks_options *opt, peak *list, peak **order)
{
  for (int64_t k = 0; k < n; k++)
    list[k].kept = !opt->use_height || list[k].value >= opt->height;
  n = compact(list, n);
  if (opt->distance > 1)
    keep_apart(list, n, opt->distance, order);
  return compact(list, n);
}

/* The peaks of N values into *LIST (hed__buffer_free) and their number; with TALL their prominences, too. */
static hed_status peaks_of(const double *x, int64_t n, const hed_find_peaks_options *opt, bool tall, peak **list, int64_t *found)
{
  const char *op = "find_peaks";
  int64_t *at = hed__buffer_new((size_t)(n / 2 + 1) * sizeof *at, op);
  if (!at)
    return hed_error();
  const int64_t most = crests(x, n, at);
  *list = hed__buffer_zeroed((size_t)most + 1, sizeof **list + sizeof(peak *), op);
  if (*list)
    *found = filtered(maxima(x, n, at, most, *list), opt, *list, (void *)(*list + most + 1));
  hed__buffer_free(at);
  if (!*list)
    return hed_error();
  if (!tall || *found == 0)
    return HED_OK;
  void *work = hed__buffer_new((size_t)n * sizeof(height) + 2 * (size_t)*found * sizeof(double), op);
  if (!work)
    return hed_error();
  prominences_of(x, n, *list, *found, work);
  hed__buffer_free(work);
  for (int64_t k = 0; k < *found; k++)
    (*list)[k].kept = (*list)[k].prominence >= opt->prominence;
  *found = compact(*list, *found);
  return HED_OK;
}

/* Indices and prominences of N peaks as arrays; either may be NULL. */
static void results_of(const peak *list, int64_t n, bool indices, bool heights, hed_array *out[2])
{
  const char *op = "find_peaks";
  int64_t *at = hed__buffer_new((size_t)n * sizeof *at + 1, op);
  double *prominence = at ? hed__buffer_new((size_t)n * sizeof *prominence + 1, op) : NULL;
  for (int64_t k = 0; k < n && prominence; k++) {
    at[k] = list[k].at;
    prominence[k] = list[k].prominence;
  }
  if (prominence && indices)
    out[0] = hed_from_host(at, HED_SHAPE(n), HED_INT64);
  if (prominence && heights)
    out[1] = hed__from_doubles(prominence, n);
  hed__buffer_free(at);
  hed__buffer_free(prominence);
}

hed_status HED_BODY(find_peaks)(const hed_array *x, const hed_find_peaks_options *opt, hed_array **peaks, hed_array **prominences)
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
  hed_array *results[2] = { NULL, NULL };
  double *values = hed__read_host(op, c.ex.in[0], HED_ID_FLOAT64);
  peak *list = NULL;
  int64_t found = 0;
  if (values && peaks_of(values, s.dim[0], opt, prominences || opt->prominence > 0, &list, &found) == HED_OK)
    results_of(list, found, peaks != NULL, prominences != NULL, results);
  hed__buffer_free(values);
  hed__buffer_free(list);
  return composed_end_all(&c, 2, results, to);
}
