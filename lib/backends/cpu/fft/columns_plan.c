// SPDX-License-Identifier: BSD-3-Clause
/* What transforms of columns need to know of a length: fft/columns.h. L1. */
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_steps.h"

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

static int64_t turns_of(const cpu_columns *p)
{
  int64_t turns = 0;
  for (int64_t s = 0, m = p->n; s < p->steps - 1; s++) {
    m /= p->radix[s];
    turns += 2 * m * (p->radix[s] - 1);
  }
  return turns;
}

static int64_t head(void) { return CPU_LINES((int64_t)sizeof(cpu_columns)); }

int64_t cpu_columns_bytes(int64_t n, bool single)
{
  cpu_columns p = { .n = n };
  p.steps = factors(n, p.radix);
  const int64_t order_bytes = n / p.radix[p.steps - 1] * (int64_t)sizeof(int32_t);
  return CPU_LINES(head() + turns_of(&p) * (single ? 4 : 8) + order_bytes);
}

cpu_columns *cpu_columns_put(void *at, int64_t n, bool single)
{
  cpu_columns *p = at;
  *p = (cpu_columns){ .n = n };
  p->steps = factors(n, p->radix);
  const int64_t blocks = n / p->radix[p->steps - 1];
  void *w = (char *)at + head();
  int32_t *order = (int32_t *)(void *)((char *)w + turns_of(p) * (single ? 4 : 8));
  for (int64_t s = 0, i = 0, length = n; s < p->steps - 1; length /= p->radix[s++])
    for (int64_t j = 0; j < length / p->radix[s]; j++)
      for (int64_t k = 1; k < p->radix[s]; k++, i += 2)
        cpu_fft_root(j * k, length, w, i, 1, single);
  for (int64_t b = 0; b < blocks; b++)
    order[b] = cpu_fft_order(b, p->steps - 1, p->radix);
  p->turns = w;
  p->order = order;
  return p;
}

cpu_columns *cpu_columns_make(int64_t n, bool single)
{
  void *at = cpu_host->alloc((size_t)cpu_columns_bytes(n, single), 64);
  return at ? cpu_columns_put(at, n, single) : NULL;
}
