// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex matrices times vectors: from any layout to the loops of gemv.h. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/gemv.h"
#include <string.h>

/* X's elements one after another; then again with their parts swapped. */
#define COPIES(NAME, T)                                                       \
  static void NAME(const cpu_gemv *g, T *to)                                  \
  {                                                                           \
    T *swapped = to + 2 * g->k;                                               \
    for (int64_t p = 0; p < g->k; p++) {                                      \
      const T *x = (const T *)(const void *)(g->x + p * g->x_step);           \
      to[2 * p] = swapped[2 * p + 1] = x[0];                                  \
      to[2 * p + 1] = swapped[2 * p] = x[1];                                  \
    }                                                                         \
  }
COPIES(copies_f32, float)
COPIES(copies_f64, double)

bool cpu_gemv_run(const cpu_gemv *g, bool wide)
{
  const int64_t size = wide ? 16 : 8;
  const bool rows = g->a_col == size || g->k == 1, columns = g->a_row == size || g->m == 1;
  _Alignas(16) char room[4096];
  if (!rows && !columns)
    return false;
  const size_t need = (size_t)(2 * g->k * size);
  void *x = need <= sizeof room ? room : cpu_scratch_get(need);
  if (!x)
    return false;
  if (wide)
    copies_f64(g, x);
  else
    copies_f32(g, x);
  (rows ? cpu_gemvs[wide].rows : cpu_gemvs[wide].columns)(g, x);
  if (x != room)
    cpu_scratch_put(x);
  return true;
}
