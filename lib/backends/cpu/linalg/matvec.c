// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex matrices times vectors: from any layout to the loops of gemv.h. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/linalg/gemv.h"
#include <string.h>

bool cpu_gemv_run(const cpu_gemv *g, bool wide)
{
  const int64_t size = wide ? 16 : 8;
  const bool rows = g->a_col == size || g->k == 1, columns = g->a_row == size || g->m == 1;
  _Alignas(16) char room[4096];
  if (!rows && !columns)
    return false;
  const char *x = g->x;
  char *copy = NULL;
  if (g->x_step != size && g->k > 1) {
    const size_t need = (size_t)(g->k * size);
    copy = need <= sizeof room ? room : cpu_scratch_get(need);
    if (!copy)
      return false;
    for (int64_t p = 0; p < g->k; p++)
      if (wide)
        memcpy(copy + p * 16, g->x + p * g->x_step, 16);
      else
        memcpy(copy + p * 8, g->x + p * g->x_step, 8);
    x = copy;
  }
  (rows ? cpu_gemvs[wide].rows : cpu_gemvs[wide].columns)(g, x);
  if (copy && copy != room)
    cpu_scratch_put(copy);
  return true;
}
