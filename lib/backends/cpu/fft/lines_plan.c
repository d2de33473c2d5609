// SPDX-License-Identifier: BSD-3-Clause
/* What transforms of lines need to know of a length: lines.h. L1. */
#include "backends/cpu/kernels/lines.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_steps.h"

const cpu_lines_set *cpu_lines_k = &cpu_lines_base;

/* Complex numbers of a line of N; 0: no such line. */
static int64_t points(cpu_lines_kind kind, int64_t n)
{
  return kind == CPU_LINES_C2C ? n : n % 2 ? 0 : n / 2;
}

/* Numbers from which vectors of four are faster than FFTW. */
enum { FOURS = 128 };

/* Kind, length, lanes and steps of *P; false: not here. The widest vectors that fit. */
static bool shape(cpu_lines *p, cpu_lines_kind kind, int64_t n, bool single)
{
  *p = (cpu_lines){ .n = points(kind, n), .kind = kind };
  for (int32_t lanes = cpu_lines_k->bytes / (single ? 4 : 8); lanes >= 4 && !p->lanes; lanes /= 2)
    if (p->n % lanes == 0 && p->n / lanes >= lanes)
      p->lanes = lanes;
  if (!p->lanes || p->n > CPU_LINES_LONGEST || (single && p->lanes == 4 && p->n < FOURS))
    return false;
  p->steps = cpu_fft_factors(p->n / p->lanes, p->radix, CPU_LINES_STEPS);
  return p->steps > 0;
}

bool cpu_lines_serve(cpu_lines_kind kind, int64_t n, bool single)
{
  cpu_lines p;
  return shape(&p, kind, n, single);
}

int64_t cpu_lines_work(cpu_lines_kind kind, int64_t n, bool single)
{
  const int64_t h = points(kind, n);
  return (kind == CPU_LINES_C2C ? h : 2 * h + 1) * (single ? 8 : 16);
}

/* Which of LANES neighbours the lane has in the order of k_fft.h's fetch. */
static int64_t place(int64_t lane, int64_t lanes, bool single)
{
  return single ? lane / 4 * 2 + lane % 2 + lane / 2 % 2 * (lanes / 2) : lane / 2 + lane % 2 * (lanes / 2);
}

cpu_lines *cpu_lines_make(cpu_lines_kind kind, int64_t n, bool single)
{
  cpu_lines made;
  if (!shape(&made, kind, n, single))
    return NULL;
  const int64_t lanes = made.lanes, parts = made.n / lanes, size = single ? 4 : 8, half = made.n / 2 + 1;
  int64_t turns = 0, at = 0;
  for (int64_t s = 0, length = made.n; s < made.steps; length /= made.radix[s++])
    turns += 2 * (length - length / made.radix[s]);
  const int64_t head = ((int64_t)sizeof made + 63) / 64 * 64;
  const int64_t halves = kind == CPU_LINES_C2C ? 0 : (half + lanes - 1) / lanes * lanes * 2;
  const int64_t groups = (parts + lanes - 1) / lanes;
  const size_t bytes = (size_t)(head + (turns + halves) * size + (groups * lanes + parts) * (int64_t)sizeof(int32_t));
  cpu_lines *p = cpu_host->alloc(bytes, 64);
  if (!p)
    return NULL;
  void *w = (char *)p + head, *v = (char *)w + turns * size;
  int32_t *block = (int32_t *)(void *)((char *)v + halves * size), *from = block + groups * lanes;
  for (int64_t s = 0, length = made.n; s < made.steps; length /= made.radix[s++])
    for (int64_t j = 0; j < length / made.radix[s]; j += lanes)
      for (int64_t k = 1; k < made.radix[s]; k++, at += lanes)
        for (int64_t l = 0; l < lanes; l++, at++)
          cpu_fft_root((j + place(l, lanes, single)) * k, length, w, at, lanes, single);
  for (int64_t i = 0; i < halves; i++)
    if (i / lanes % 2 == 0) {
      const int64_t j = i / (2 * lanes) * lanes;
      cpu_fft_root((j + lanes <= half ? j : half - lanes) + place(i % lanes, lanes, single), n, v, i, lanes, single);
    }
  for (int64_t b = 0; b < parts; b++)
    from[cpu_fft_place(b, made.steps, made.radix)] = (int32_t)b;
  for (int64_t i = 0; i < groups * lanes; i++) {
    const int64_t j = i / lanes * lanes;
    block[i] = from[(j + lanes <= parts ? j : parts - lanes) + place(i % lanes, lanes, single)];
  }
  made.turns = w;
  made.halves = v;
  made.block = block;
  *p = made;
  return p;
}
