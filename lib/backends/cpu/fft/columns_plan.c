// SPDX-License-Identifier: BSD-3-Clause
/* What transforms of columns need to know of a length: columns.h. L1. */
#include "backends/cpu/kernels/columns.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_steps.h"

const cpu_columns_fn *cpu_columns_k = cpu_columns_base;
const cpu_rows_set *cpu_rows_k = &cpu_rows_base;

static int32_t factors(int64_t n, int32_t *radix)
{
  /* Fewer than two steps leave nothing to do between memory and memory. */
  const int32_t steps = cpu_fft_factors(n, radix, CPU_COLUMNS_STEPS);
  return steps > 1 ? steps : 0;
}

bool cpu_columns_serve(int64_t n, bool single)
{
  int32_t radix[CPU_COLUMNS_STEPS];
  return cpu_columns_k[!single] && n > 1 && n <= CPU_COLUMNS_LONGEST && factors(n, radix) > 0;
}

int64_t cpu_columns_tile(int64_t n)
{
  return 4 * n * 128; /* as many of the widest vectors, two for a row, as are worked on beside each other */
}

cpu_columns *cpu_columns_make(int64_t n, bool single)
{
  cpu_columns made = { .n = n };
  made.steps = factors(n, made.radix);
  const int32_t last = made.radix[made.steps - 1];
  const int64_t blocks = n / last, size = single ? 4 : 8;
  int64_t turns = 0, at = 0;
  for (int64_t s = 0, m = n; s < made.steps - 1; s++) {
    m /= made.radix[s];
    turns += 2 * m * (made.radix[s] - 1);
  }
  const int64_t head = ((int64_t)sizeof made + 63) / 64 * 64;
  cpu_columns *p = cpu_host->alloc((size_t)(head + turns * size + blocks * (int64_t)sizeof(int32_t)), 64);
  if (!p)
    return NULL;
  void *w = (char *)p + head;
  int32_t *place = (int32_t *)(void *)((char *)p + head + turns * size);
  for (int64_t s = 0, length = n; s < made.steps - 1; length /= made.radix[s++])
    for (int64_t j = 0; j < length / made.radix[s]; j++)
      for (int64_t k = 1; k < made.radix[s]; k++, at += 2)
        cpu_fft_root(j * k, length, w, at, 1, single);
  for (int64_t b = 0; b < blocks; b++)
    place[b] = cpu_fft_place(b, made.steps - 1, made.radix);
  made.turns = w;
  made.place = place;
  *p = made;
  return p;
}
