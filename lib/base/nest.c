// SPDX-License-Identifier: BSD-3-Clause
/* See nest.h. L0. */
#include "base/nest.h"
#include "base/dtype.h"
#include "base/invariant.h"
#include "base/shape.h"

#include <string.h>

/* The nest of an empty shape: one axis without elements. */
static void make_empty(hed__nest *nest)
{
  nest->ndim = 1;
  nest->dim[0] = 0;
  for (int32_t i = 0; i < nest->n; i++)
    nest->stride[i][0] = 0;
}

static int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Should axis A lie further out than axis B? The first operand that tells them apart decides. */
static bool outside(const hed__nest *nest, int32_t a, int32_t b)
{
  for (int32_t i = 0; i < nest->n; i++) {
    int64_t da = distance(nest->stride[i][a]), db = distance(nest->stride[i][b]);
    if (da != db)
      return da > db;
  }
  return false;
}

static void swap_axes(hed__nest *nest, int32_t a, int32_t b)
{
  int64_t t = nest->dim[a];
  nest->dim[a] = nest->dim[b];
  nest->dim[b] = t;
  for (int32_t i = 0; i < nest->n; i++) {
    t = nest->stride[i][a];
    nest->stride[i][a] = nest->stride[i][b];
    nest->stride[i][b] = t;
  }
}

static void reorder_axes(hed__nest *nest)
{
  for (int32_t k = 0; k < nest->ndim; k++) {
    if (nest->stride[0][k] >= 0)
      continue;
    for (int32_t i = 0; i < nest->n; i++) {
      nest->data[i] += (nest->dim[k] - 1) * nest->stride[i][k];
      nest->stride[i][k] = -nest->stride[i][k];
    }
  }
  for (int32_t k = 1; k < nest->ndim; k++) /* insertion: few axes, mostly in order */
    for (int32_t j = k; j > 0 && outside(nest, j, j - 1); j--)
      swap_axes(nest, j, j - 1);
}

int32_t hed__merge_axes(int32_t n, int64_t (*stride)[HED_MAX_NDIM], int32_t ndim, int64_t *dim, uint32_t *kind)
{
  uint32_t left = 0;
  int32_t last = -1;
  HED__ASSERT(n >= 0 && ndim <= HED_MAX_NDIM); /* fewer than 0 are none */
  for (int32_t k = 0; k < ndim; k++) {
    const uint32_t own = *kind >> k & 1u;
    const int64_t extent = dim[k];
    if (extent == 1)
      continue;
    bool merge = last >= 0 && (left >> last & 1u) == own;
    for (int32_t i = 0; i < n && merge; i++)
      merge = stride[i][last] == stride[i][k] * extent || extent == 0 || dim[last] == 0; /* nothing lies anywhere */
    last += !merge;
    dim[last] = merge ? dim[last] * extent : extent;
    left |= own << last;
    for (int32_t i = 0; i < n; i++)
      stride[i][last] = stride[i][k];
  }
  HED__ASSERT(last < ndim || last < 0);
  *kind = left;
  return last + 1;
}

void hed__nest_axes(hed__nest *nest, int32_t n, const hed_view *const *views, uint32_t axes, unsigned how)
{
  const hed_view *v = views[0];
  nest->n = n;
  HED__ASSERT(n >= 1 && n <= HED__MAX_OPERANDS && v->ndim >= 0 && v->ndim <= HED_MAX_NDIM);
  nest->ndim = 0;
  for (int32_t i = 0; i < n; i++)
    nest->data[i] = views[i]->data;
  for (int32_t k = 0; k < v->ndim; k++) {
    if (!(axes >> k & 1u))
      continue;
    if (v->dim[k] == 0) {
      make_empty(nest);
      return;
    }
    if (v->dim[k] == 1)
      continue;
    nest->dim[nest->ndim] = v->dim[k];
    for (int32_t i = 0; i < n; i++)
      nest->stride[i][nest->ndim] = views[i]->stride[k];
    nest->ndim++;
  }
  if (nest->ndim == 0) {
    nest->ndim = 1;
    nest->dim[0] = 1;
    for (int32_t i = 0; i < n; i++)
      nest->stride[i][0] = hed__id_size(views[i]->dtype);
    return;
  }
  if (how & HED__NEST_REORDER)
    reorder_axes(nest);
  nest->ndim = hed__merge_axes(n, nest->stride, nest->ndim, nest->dim, &(uint32_t){ 0 });
  HED__ASSERT(nest->ndim >= 1);
}

void hed__nest_init(hed__nest *nest, int32_t n, const hed_view *const *views, unsigned how)
{
  hed__nest_axes(nest, n, views, UINT32_MAX, how);
}

hed__nest hed__nest_outside(const hed__nest *nest, int32_t other)
{
  hed__nest o;
  HED__ASSERT(nest->ndim >= 1 && other < nest->ndim);
  o.n = nest->n;
  o.ndim = 0;
  memcpy(o.data, nest->data, sizeof o.data);
  for (int32_t a = 0; a < nest->ndim - 1; a++) {
    if (a == other)
      continue;
    o.dim[o.ndim] = nest->dim[a];
    for (int32_t i = 0; i < nest->n; i++)
      o.stride[i][o.ndim] = nest->stride[i][a];
    o.ndim++;
  }
  o.dim[o.ndim] = 1;
  for (int32_t i = 0; i < nest->n; i++)
    o.stride[i][o.ndim] = 0;
  o.ndim++;
  return o;
}

void hed__nest_longest_last(hed__nest *nest, int64_t shortest)
{
  const int32_t last = nest->ndim - 1;
  int32_t best = last;
  HED__ASSERT(nest->ndim >= 1);
  for (int32_t k = 0; k < last && nest->dim[last] < shortest; k++)
    if (nest->dim[k] > nest->dim[best])
      best = k;
  swap_axes(nest, best, last);
}

int64_t hed__nest_rows(const hed__nest *nest)
{
  if (nest->dim[nest->ndim - 1] == 0)
    return 0;
  return hed__shape_size(nest->ndim - 1, nest->dim);
}

int64_t hed__nest_elements(const hed__nest *nest) { return hed__shape_size(nest->ndim, nest->dim); }

void hed__nest_at(const hed__nest *nest, int64_t i, char **at)
{
  int64_t index[HED_MAX_NDIM];
  HED__ASSERT(i >= 0 && i < hed__nest_elements(nest));
  hed__index_of(nest->ndim, nest->dim, i, index);
  for (int32_t j = 0; j < nest->n; j++)
    at[j] = nest->data[j] + hed__offset_at(nest->ndim, index, nest->stride[j]);
}

/* index[ndim - 1] belongs to no outer axis: it says whether the first row was given. */
void hed__walk_init(hed__walk *w, const hed__nest *nest, int64_t first, int64_t count)
{
  int32_t last = nest->ndim - 1;
  w->nest = nest;
  HED__ASSERT(nest->ndim >= 1 && first >= 0 && (count <= 0 || first + count <= hed__nest_rows(nest)));
  w->left = count;
  w->index[last] = 0;
  hed__index_of(last, nest->dim, first, w->index);
  for (int32_t i = 0; i < nest->n; i++)
    w->ptr[i] = nest->data[i] + hed__offset_at(last, w->index, nest->stride[i]);
}

bool hed__walk_next(hed__walk *w)
{
  const hed__nest *nest = w->nest;
  int32_t last = nest->ndim - 1;
  if (w->left <= 0)
    return false;
  w->left--;
  if (!w->index[last]) {
    w->index[last] = 1;
    return true;
  }
  for (int32_t k = last - 1; k >= 0; k--) {
    bool carry = ++w->index[k] == nest->dim[k];
    int64_t steps = carry ? 1 - nest->dim[k] : 1;
    for (int32_t i = 0; i < nest->n; i++)
      w->ptr[i] += steps * nest->stride[i][k];
    if (!carry)
      break;
    w->index[k] = 0;
  }
  return true;
}
