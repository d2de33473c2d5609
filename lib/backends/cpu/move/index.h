// SPDX-License-Identifier: BSD-3-Clause
/* Lists of indices for indexing kernels: which element of the axes chosen from, as a byte offset. L1.
 *
 * An index is a C-order number over some leading axes. Axes that lie behind each other like one are joined before, so that
 * the usual index costs one multiplication.
 */
#ifndef HED_BACKENDS_CPU_INDEX_H
#define HED_BACKENDS_CPU_INDEX_H

#include "base/cast.h"
#include <heddle/kernel.h>

/* Elements at random indices of more bytes than CPU_FAR, which the L2 cache would not hold, are prefetched so many indices ahead;
 * nearer ones wait no less for each request than for the element. */
enum { CPU_FAR = 1 << 20, CPU_PREFETCH_AHEAD = 128 };

typedef struct cpu_index_map {
  int32_t axes;
  int64_t dim[HED_MAX_NDIM], stride[HED_MAX_NDIM];
} cpu_index_map;

/* Places on the axes [first, first + axes) of V. */
static inline void cpu_index_map_init(cpu_index_map *m, const hed_view *v, int32_t first, int32_t axes)
{
  m->axes = 0;
  m->dim[0] = 1;
  m->stride[0] = 0;
  for (int32_t k = first; k < first + axes; k++) {
    int32_t last = m->axes - 1;
    if (v->dim[k] == 1)
      continue;
    if (m->axes && m->stride[last] == v->stride[k] * v->dim[k]) {
      m->dim[last] *= v->dim[k];
      m->stride[last] = v->stride[k];
    } else {
      m->dim[m->axes] = v->dim[k];
      m->stride[m->axes++] = v->stride[k];
    }
  }
  m->axes = m->axes ? m->axes : 1;
}

static inline int64_t cpu_index_offset(const cpu_index_map *m, int64_t index)
{
  int64_t offset = 0;
  for (int32_t k = m->axes - 1; k > 0; k--) {
    offset += index % m->dim[k] * m->stride[k];
    index /= m->dim[k];
  }
  return offset + index * m->stride[0];
}

/* Copies N elements of SIZE bytes as words. */
static inline hed__cast_fn cpu_copy_words(int64_t size)
{
  int id = size == 1 ? HED_ID_UINT8 : size == 2 ? HED_ID_UINT16 : size == 4 ? HED_ID_UINT32 : size == 8 ? HED_ID_UINT64
                                                                                                       : HED_ID_COMPLEX128;
  return hed__cast(id, id);
}

#endif
