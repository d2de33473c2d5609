// SPDX-License-Identifier: BSD-3-Clause
/*
 * Operands of filters with what they are beyond their ends around them. L1.
 */
#ifndef HED_BACKENDS_CPU_FRAME_H
#define HED_BACKENDS_CPU_FRAME_H

#include "base/dtype.h"
#include "base/shape.h"

/* In in type TYPE and C order, extended along each axis by BEFORE and AFTER elements: those that BOUNDARY says (base/boundary.h)
 * or MARGIN, an element of TYPE. Scratch memory, with CPU_FILTER_SLACK bytes behind it; FRAME is what it is like. NULL when
 * there is none. */
void *cpu_frame(const hed_call *call, const hed_view *in, int type, const int64_t *before, const int64_t *after, int boundary,
                const void *margin, hed_view *frame);

/* The part of FRAME that begins at FROM and has the shape of LIKE. */
hed_view cpu_frame_part(const hed_view *frame, const int64_t *from, const hed_view *like);

/* LIKE with elements of TYPE at DATA, in C order. */
static inline hed_view cpu_frame_dense(const hed_view *like, int type, void *data)
{
  hed_view v = *like;
  v.data = data;
  v.dtype = type;
  hed__c_strides(v.ndim, v.dim, hed__id_size(type), v.stride);
  return v;
}

/* CVAL as an element of TYPE: integers are cut towards zero and limited to their range (NaN: the least), bool is whether it is
 * above 0. */
void cpu_frame_margin(int type, double cval, void *element);

#endif
