// SPDX-License-Identifier: BSD-3-Clause
/*
 * Frames (frame.h): the operand is copied into the middle; then the ends of every axis, from the last to the first, are copies
 * of what is there already. L1.
 */
#include "backends/cpu/filter/frame.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "base/boundary.h"
#include "base/cast.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

void cpu_frame_margin(int type, double cval, void *element)
{
  const int bits = hed__dtypes[type]->bits;
  const hed_kind kind = hed__id_kind(type);
  const bool has_sign = kind == HED_KIND_INT;
  if (kind != HED_KIND_INT && kind != HED_KIND_UINT) {
    cval = kind == HED_KIND_BOOL ? cval > 0 : cval;
    hed__cast(HED_ID_FLOAT64, type)(1, element, 0, (const char *)&cval, 0);
    return;
  }
  const double beyond = ldexp(1, bits - has_sign), least = has_sign ? -beyond : 0;
  const uint64_t most = UINT64_MAX >> (64 - bits + has_sign);
  uint64_t v = has_sign ? most + 1 : 0; /* the least, in the lowest BITS */
  if (cval >= beyond)
    v = most;
  else if (cval > least)
    v = cval < 0 ? (uint64_t)(int64_t)cval : (uint64_t)cval;
  hed__cast(HED_ID_UINT64, type)(1, element, 0, (const char *)&v, 0);
}

static void repeat(char *to, const char *from, int64_t size, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    memcpy(to + i * size, from, (size_t)size);
}

/* The ends of AXIS of the part of FRAME that is filled in along the axes before it: FROM, EXTENT. */
static void fill_ends(const hed_view *frame, int32_t axis, const int64_t *from, const int64_t *extent, int boundary,
                      const void *margin, int64_t size)
{
  const int64_t block = frame->stride[axis], n = extent[axis];
  int64_t count = 1;
  for (int32_t k = 0; k < axis; k++)
    count *= extent[k];
  for (int64_t i = 0; i < count; i++) {
    char *at = frame->data;
    for (int64_t k = axis - 1, rest = i; k >= 0; rest /= extent[k], k--)
      at += (from[k] + rest % extent[k]) * frame->stride[k];
    for (int64_t k = 0; k < frame->dim[axis]; k++) {
      if (k == from[axis])
        k += n;
      if (k == frame->dim[axis])
        break;
      const int64_t source = hed__boundary_index(k - from[axis], n, boundary);
      if (source < 0)
        repeat(at + k * block, margin, size, block / size);
      else if (block == size)
        repeat(at + k * block, at + (source + from[axis]) * block, size, 1);
      else
        memcpy(at + k * block, at + (source + from[axis]) * block, (size_t)block);
    }
  }
}

hed_view cpu_frame_part(const hed_view *frame, const int64_t *from, const hed_view *like)
{
  hed_view part = *frame;
  for (int32_t k = 0; k < frame->ndim; k++) {
    part.dim[k] = like->dim[k];
    part.data = (char *)part.data + from[k] * frame->stride[k];
  }
  return part;
}

void *cpu_frame(const hed_call *call, const hed_view *in, int type, const int64_t *before, const int64_t *after, int boundary,
                const void *margin, hed_view *frame)
{
  const int64_t size = hed__id_size(type);
  *frame = (hed_view){ .dtype = type, .ndim = in->ndim };
  for (int32_t k = 0; k < in->ndim; k++)
    if (__builtin_add_overflow(before[k], in->dim[k], &frame->dim[k]) ||
        __builtin_add_overflow(frame->dim[k], after[k], &frame->dim[k]))
      return NULL;
  hed__c_strides(frame->ndim, frame->dim, size, frame->stride);
  const int64_t n = hed__shape_size(frame->ndim, frame->dim);
  if (n < 0 || n > (INT64_MAX - CPU_FILTER_SLACK) / size)
    return NULL;
  char *data = frame->data = cpu_scratch_get((size_t)(n * size) + CPU_FILTER_SLACK);
  if (!data)
    return NULL;
  const hed_view middle = cpu_frame_part(frame, before, in);
  (void)cpu_convert(call, &middle, in);
  for (int32_t axis = in->ndim - 1; axis >= 0; axis--)
    fill_ends(frame, axis, before, in->dim, boundary, margin, size);
  memset(data + n * size, 0, CPU_FILTER_SLACK);
  return data;
}
