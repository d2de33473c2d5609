// SPDX-License-Identifier: BSD-3-Clause
/* Creation and movement: fill, arange, astype, concatenate, tril, triu, nonzero, take. L1.
 *
 * All of them are copies through the conversion loops, row by row.
 */
#include "backends/reference/blocks.h"
#include "backends/reference/reference.h"
#include "base/dtype.h"

enum { BLOCK = 256 };

static void copy(const hed_view *to, const hed_view *from)
{
  hed__nest nest;
  hed__nest_init(&nest, 2, (const hed_view *const[]){ to, from }, HED__NEST_REORDER);
  copy_nest(&nest, 0, 0, hed__cast(from->dtype, to->dtype));
}

REF_KERNEL(astype)
{
  (void)state;
  copy(call->out[0], call->in[0]);
  return HED_OK;
}

REF_KERNEL(concatenate)
{
  (void)state;
  const int32_t axis = ((const hed_concatenate_params *)call->params)->axis;
  hed_view part = *call->out[0];
  for (int32_t k = 0; k < call->n_in; k++) {
    part.dim[axis] = call->in[k]->dim[axis];
    copy(&part, call->in[k]);
    part.data = (char *)part.data + part.dim[axis] * part.stride[axis];
  }
  return HED_OK;
}

REF_KERNEL(fill)
{
  (void)state;
  const hed_fill_params *p = call->params;
  double number[2] = { p->re, p->im };
  int64_t whole = p->i;
  hed_view one = *call->out[0]; /* a single element of the value's kind, repeated by strides of 0 */
  hed_kind kind = hed__id_kind(one.dtype);
  bool integer = kind == HED_KIND_INT || kind == HED_KIND_UINT;
  if (kind == HED_KIND_BOOL)
    number[0] = p->re != 0 || p->im != 0 || p->i != 0;
  one.dtype = integer ? HED_ID_INT64 : HED_ID_COMPLEX128;
  one.data = integer ? (void *)&whole : number;
  for (int32_t k = 0; k < one.ndim; k++)
    one.stride[k] = 0;
  copy(call->out[0], &one);
  return HED_OK;
}

REF_KERNEL(arange)
{
  (void)state;
  const hed_arange_params *p = call->params;
  const hed_view *out = call->out[0];
  hed__cast_fn cast = hed__cast(p->whole ? HED_ID_INT64 : HED_ID_FLOAT64, out->dtype);
  for (int64_t done = 0; done < out->dim[0]; done += BLOCK) {
    int64_t n = out->dim[0] - done < BLOCK ? out->dim[0] - done : BLOCK;
    union {
      double number;
      uint64_t word;
    } value[BLOCK];
    for (int64_t i = 0; i < n; i++)
      if (p->whole)
        value[i].word = (uint64_t)p->first + (uint64_t)(done + i) * (uint64_t)p->increment;
      else
        value[i].number = p->start + (double)(done + i) * p->step;
    cast(n, (char *)out->data + done * out->stride[0], out->stride[0], (const char *)value, sizeof value[0]);
  }
  return HED_OK;
}

/* Columns of each row, LOW: up to row + k, else from there on. */
static int32_t triangle(const hed_call *call, bool low)
{
  static const char zero[16];
  const hed_view *out = call->out[0], *x = call->in[0];
  const int32_t last = out->ndim - 1;
  const hed__cast_fn cast = hed__cast(x->dtype, out->dtype);
  const int64_t k = ((const hed_triangle_params *)call->params)->k, columns = out->dim[last];
  const int64_t to_step = out->stride[last], from_step = x->stride[last];
  const hed_view to = hed__view_without(out, last, 1), from = hed__view_without(x, last, 1); /* the first elements of all rows */
  hed__nest nest;
  hed__walk walk;
  hed__nest_init(&nest, 2, (const hed_view *const[]){ &to, &from }, 0);
  hed__walk_init(&walk, &nest, 0, hed__nest_rows(&nest));
  for (int64_t row = 0; hed__walk_next(&walk);)
    for (int64_t i = 0; i < nest.dim[nest.ndim - 1]; i++, row++) {
      const int64_t edge = row % out->dim[last - 1] + k + low;
      const int64_t split = edge < 0 ? 0 : edge > columns ? columns : edge;
      char *a = walk.ptr[0] + i * nest.stride[0][nest.ndim - 1], *b = walk.ptr[1] + i * nest.stride[1][nest.ndim - 1];
      cast(split, a, to_step, low ? b : zero, low ? from_step : 0);
      cast(columns - split, a + split * to_step, to_step, low ? zero : b + split * from_step, low ? 0 : from_step);
    }
  return HED_OK;
}

REF_KERNEL(tril)
{
  (void)state;
  return triangle(call, true);
}

REF_KERNEL(triu)
{
  (void)state;
  return triangle(call, false);
}

/* out[0] has a row for each element that is not 0, in C order. */
REF_KERNEL(nonzero)
{
  (void)state;
  const hed_view *x = call->in[0], *out = call->out[0];
  hed__cast_fn to_bool = hed__cast(x->dtype, HED_ID_BOOL);
  int64_t index[HED_MAX_NDIM] = { 0 }, size = hed__view_size(x), found = 0;
  const char *at = x->data;
  for (int64_t i = 0; i < size && found < out->dim[0]; i++) {
    bool is;
    to_bool(1, (char *)&is, 1, at, 0);
    if (is) {
      char *row = (char *)out->data + found++ * out->stride[0];
      for (int32_t k = 0; k < x->ndim; k++)
        *(int64_t *)(row + k * out->stride[1]) = index[k];
    }
    for (int32_t k = x->ndim - 1; k >= 0; k--) { /* to the next element in C order */
      at += x->stride[k];
      if (++index[k] < x->dim[k])
        break;
      at -= x->dim[k] * x->stride[k];
      index[k] = 0;
    }
  }
  return HED_OK;
}

/* out[0] is x's shape with AXIS replaced by the shape of the indices: one block is copied per index. */
REF_KERNEL(take)
{
  (void)state;
  const hed_take_params *p = call->params;
  const hed_view *x = call->in[0], *indices = call->in[1], *out = call->out[0];
  hed_view to = hed__view_without(out, p->axis, indices->ndim), from = hed__view_without(x, p->axis, 1);
  hed_view elements = *indices; /* the indices' axes within OUT */
  elements.data = out->data;
  for (int32_t k = 0; k < indices->ndim; k++)
    elements.stride[k] = out->stride[p->axis + k];

  hed__nest block, list;
  hed__walk walk;
  hed__cast_fn cast = hed__cast(x->dtype, out->dtype);
  hed__nest_init(&block, 2, (const hed_view *const[]){ &to, &from }, HED__NEST_REORDER);
  hed__nest_init(&list, 2, (const hed_view *const[]){ indices, &elements }, 0);
  int32_t last = list.ndim - 1;
  hed__walk_init(&walk, &list, 0, hed__nest_rows(&list));
  while (hed__walk_next(&walk))
    for (int64_t i = 0; i < list.dim[last]; i++) {
      int64_t index = *(const int64_t *)(walk.ptr[0] + i * list.stride[0][last]);
      int64_t offset = walk.ptr[1] - (char *)out->data + i * list.stride[1][last];
      copy_nest(&block, offset, index * x->stride[p->axis], cast);
    }
  return HED_OK;
}
