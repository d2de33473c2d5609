// SPDX-License-Identifier: BSD-3-Clause
/* Axes that are kept and axes that go, walked apart; pieces of a long slice. L1. */
#ifndef HED_BACKENDS_CPU_AXES_H
#define HED_BACKENDS_CPU_AXES_H

#include <heddle/kernel.h>

enum { CPU_PIECE = 32768 /* elements of the shortest piece */ };

/* N rounded up, so that pieces which begin at a multiple of it begin a line of the caches where the first does. */
static inline int64_t cpu_even(int64_t n)
{
  enum { EVEN = 1024 };
  return (n + EVEN - 1) / EVEN * EVEN;
}

/* Elements of a piece where COUNT are cut into at most MOST, whatever the number of threads: loops that read a piece from two
 * streams at a time get up to speed anew in each, so pieces are long where there are many. */
static inline int64_t cpu_piece(int64_t count, int64_t most)
{
  enum { MANY = 40, LONGEST = 8 * CPU_PIECE };
  const int64_t n = cpu_even(count / MANY), least = cpu_even((count + most - 1) / most);
  const int64_t piece = n < CPU_PIECE ? CPU_PIECE : n > LONGEST ? LONGEST : n;
  return piece < least ? least : piece;
}

/* The axes of IN that go, by the bits of AXES, as REDUCED, whose data is set per result; the others as KEPT_IN, with OUT's
 * strides, where those axes are left with extent 1, as KEPT_OUT. */
static inline void cpu_split_axes(const hed_view *in, const hed_view *out, uint32_t axes, hed_view *reduced,
                                  hed_view *kept_in, hed_view *kept_out)
{
  *reduced = (hed_view){ .dtype = in->dtype };
  *kept_in = (hed_view){ .data = in->data, .dtype = in->dtype };
  *kept_out = (hed_view){ .data = out->data, .dtype = out->dtype };
  for (int32_t k = 0; k < in->ndim; k++)
    if (axes >> k & 1) {
      reduced->dim[reduced->ndim] = in->dim[k];
      reduced->stride[reduced->ndim++] = in->stride[k];
    } else {
      kept_in->dim[kept_in->ndim] = in->dim[k];
      kept_in->stride[kept_in->ndim++] = in->stride[k];
      kept_out->stride[kept_out->ndim++] = out->stride[k];
    }
}

/* Addresses of element I of the kept axes in C order; both views have the extents of KEPT_IN. */
static inline void cpu_locate(const hed_view *kept_in, const hed_view *kept_out, int64_t i, char **in, char **out)
{
  *in = kept_in->data;
  *out = kept_out->data;
  for (int32_t k = kept_in->ndim - 1; k >= 0; k--) {
    int64_t at = i % kept_in->dim[k];
    i /= kept_in->dim[k];
    *in += at * kept_in->stride[k];
    *out += at * kept_out->stride[k];
  }
}

#endif
