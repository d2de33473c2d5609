// SPDX-License-Identifier: BSD-3-Clause
/* Indices as the program gave them (HED_PLUGIN_CHECKS_INDICES): what they choose from, and whether they do. L0. */
#ifndef HED_BASE_INDICES_H
#define HED_BASE_INDICES_H

#include <heddle/kernel.h>
#include <heddle/ops.h>
#include <stdbool.h>
#include <stdint.h>

/* Printed with the operation, HED__INDEX_WORDS of the index, and the axis and its extent, or the number of elements. */
#define HED__INDEX_FAULT "%s: index %lld%s is out of range for axis %d of x with extent %lld"
#define HED__PLACE_FAULT "%s: flat index %lld%s is out of range for %lld elements"

/* Unsigned indices beyond int64 come to kernels as the largest one. Negative ones of those that count from no end, such as labels,
 * come with so much taken away, which makes them out of range, and are told as they were. */
#define HED__NO_END (INT64_C(1) << 62)
#define HED__INDEX_WORDS(i) (long long)hed__index_told(i), (i) == INT64_MAX ? " or more" : ""
static inline int64_t hed__index_told(int64_t i)
{
  return i < -HED__NO_END && i >= -HED__NO_END - HED__NO_END / 2 ? i + HED__NO_END : i;
}

/* What in[1] of C, operation OP, chooses among, and the axis, -1 for several; false where it holds no indices. */
static inline bool hed__indices_from(int32_t op, const hed_call *c, int64_t *extent, int32_t *axis)
{
  *axis = -1;
  *extent = 1;
  switch (op) {
  case HED_OP_TAKE:
  case HED_OP_TAKE_ALONG_AXIS:
    *axis = ((const hed_take_params *)c->params)->axis;
    *extent = c->in[0]->dim[*axis];
    return true;
  case HED_OP_GATHER_ND:
  case HED_OP_SCATTER_ND:
    for (int32_t k = 0; k < ((const hed_gather_params *)c->params)->axes; k++)
      *extent *= (op == HED_OP_GATHER_ND ? c->in[0] : c->out[0])->dim[k];
    return true;
  default:
    return false;
  }
}

/* Are N indices in [0, EXTENT)? */
bool hed__indices_in_range(int64_t n, const int64_t *list, int64_t extent);
/* Counts those of N that are negative from the end, and gives -1; or, and nothing is changed, the position of the first that is out
 * of range. */
int64_t hed__indices_wrap(int64_t n, int64_t *list, int64_t extent);

#endif
