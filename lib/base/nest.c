// SPDX-License-Identifier: BSD-3-Clause
/* See nest.h. L0. */
#include "base/nest.h"
#include "base/dtype.h"
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

static bool mergeable(const hed__nest *nest, int32_t outer, int32_t inner)
{
  for (int32_t i = 0; i < nest->n; i++)
    if (nest->stride[i][outer] != nest->stride[i][inner] * nest->dim[inner])
      return false;
  return true;
}

static void merge_axes(hed__nest *nest)
{
  int32_t last = 0;
  for (int32_t k = 1; k < nest->ndim; k++) {
    bool merge = mergeable(nest, last, k);
    int64_t times = merge ? nest->dim[last] : 1;
    last += !merge;
    nest->dim[last] = nest->dim[k] * times;
    for (int32_t i = 0; i < nest->n; i++)
      nest->stride[i][last] = nest->stride[i][k];
  }
  nest->ndim = last + 1;
}

void hed__nest_axes(hed__nest *nest, int32_t n, const hed_view *const *views, uint32_t axes, unsigned how)
{
  const hed_view *v = views[0];
  nest->n = n;
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
  merge_axes(nest);
}

void hed__nest_init(hed__nest *nest, int32_t n, const hed_view *const *views, unsigned how)
{
  hed__nest_axes(nest, n, views, UINT32_MAX, how);
}

hed__nest hed__nest_outside(const hed__nest *nest, int32_t other)
{
  hed__nest o;
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

int64_t hed__nest_rows(const hed__nest *nest)
{
  if (nest->dim[nest->ndim - 1] == 0)
    return 0;
  return hed__shape_size(nest->ndim - 1, nest->dim);
}

int64_t hed__nest_elements(const hed__nest *nest) { return hed__shape_size(nest->ndim, nest->dim); }

void hed__nest_at(const hed__nest *nest, int64_t i, char **at)
{
  memcpy(at, nest->data, (size_t)nest->n * sizeof *at);
  for (int32_t k = nest->ndim - 1; k >= 0; k--) {
    const int64_t index = k > 0 ? i % nest->dim[k] : i;
    i = k > 0 ? i / nest->dim[k] : 0;
    for (int32_t j = 0; j < nest->n; j++)
      at[j] += index * nest->stride[j][k];
  }
}

/* index[ndim - 1] belongs to no outer axis: it says whether the first row was given. */
void hed__walk_init(hed__walk *w, const hed__nest *nest, int64_t first, int64_t count)
{
  int32_t last = nest->ndim - 1;
  w->nest = nest;
  w->left = count;
  w->index[last] = 0;
  memcpy(w->ptr, nest->data, (size_t)nest->n * sizeof w->ptr[0]);
  for (int32_t k = last - 1; k >= 0; k--) {
    w->index[k] = first % nest->dim[k];
    first /= nest->dim[k];
    for (int32_t i = 0; i < nest->n; i++)
      w->ptr[i] += w->index[k] * nest->stride[i][k];
  }
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
