// SPDX-License-Identifier: BSD-3-Clause
/* What transforms of lines need to know of a length: fft/lines.h. L1. */
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_steps.h"

/* Complex numbers of a line of N; 0: no such line. */
static int64_t points(cpu_lines_kind kind, int64_t n)
{
  return kind == CPU_LINES_C2C ? n : n % 2 ? 0 : n / 2;
}

static int32_t widest(bool single) { return cpu_lines_k->bytes / (single ? 4 : 8); }

/* Kind, length, lanes and steps of *P, of many lines no steps; false: not here. The widest vectors that fit. */
static bool shape(cpu_lines *p, cpu_lines_kind kind, int64_t n, bool many, bool single)
{
  *p = (cpu_lines){ .n = points(kind, n), .kind = kind };
  if (many) {
    p->lanes = widest(single);
    return p->lanes && p->n >= CPU_BUNDLES_SHORTEST && p->n <= CPU_BUNDLES_LONGEST && cpu_columns_serve(p->n, single);
  }
  for (int32_t lanes = widest(single); lanes >= 4 && !p->lanes; lanes /= 2)
    if (p->n % lanes == 0 && p->n / lanes >= lanes)
      p->lanes = lanes;
  if (!p->lanes || p->n > CPU_LINES_LONGEST)
    return false;
  p->steps = cpu_fft_factors(p->n / p->lanes, p->radix, CPU_LINES_STEPS);
  return p->steps > 0;
}

bool cpu_lines_serve(cpu_lines_kind kind, int64_t n, bool many, bool single)
{
  cpu_lines p;
  return shape(&p, kind, n, many, single);
}

/* By measurement: FFTW's real plans are slow, its complex ones in vectors of 256 bits good but for factors of 5, and for short
 * complex ones it has code without loops. */
cpu_lines_way cpu_lines_best(cpu_lines_kind kind, int64_t n, int64_t count, bool single)
{
  const bool wide = cpu_lines_k->bytes == 64, real = kind != CPU_LINES_C2C;
  const int32_t lanes = widest(single);
  cpu_lines p, q;
  const bool one = shape(&p, kind, n, false, single), fives = p.n % 5 == 0;
  /* With a quarter of the lanes idle that is still faster. */
  if (count >= lanes * 3 / 4 && shape(&q, kind, n, true, single) && (p.lanes < lanes || p.n < (wide ? 16 : 64) * lanes)
      && (real || (wide ? p.n >= (single ? 32 : 48) : single && fives)))
    return CPU_LINES_BUNDLES;
  if (!one)
    return CPU_LINES_FFTW;
  if (wide && (p.lanes == lanes || (real ? p.n >= 64 : 2 * p.lanes == lanes && p.n >= 200)))
    return CPU_LINES_NEIGHBOURS;
  if (!wide && (real ? single || p.n >= 256 : p.n >= 4096 || (single && fives)))
    return CPU_LINES_NEIGHBOURS;
  return CPU_LINES_FFTW;
}

int64_t cpu_lines_at_once(cpu_lines_kind kind, int64_t n, bool single)
{
  return cpu_lines_best(kind, n, INT64_MAX, single) == CPU_LINES_BUNDLES ? widest(single) : 1;
}

int64_t cpu_lines_work(cpu_lines_kind kind, int64_t n, bool many, bool single)
{
  cpu_lines p;
  if (shape(&p, kind, n, many, single) && many)
    return 4 * (p.n + 1) * cpu_lines_k->bytes;
  return (kind == CPU_LINES_C2C ? p.n : 2 * p.n + 1) * (single ? 8 : 16);
}

static cpu_lines *make_many(const cpu_lines *made, int64_t n, bool single)
{
  const int64_t head = CPU_LINES((int64_t)sizeof *made), bytes = cpu_columns_bytes(made->n, single);
  const int64_t halves = made->kind == CPU_LINES_C2C ? 0 : made->n / 2 + 1;
  cpu_lines *p = cpu_host->alloc((size_t)(head + bytes + 2 * halves * (single ? 4 : 8)), 64);
  if (!p)
    return NULL;
  *p = *made;
  p->many = cpu_columns_put((char *)p + head, made->n, single);
  void *w = (char *)p + head + bytes;
  for (int64_t k = 0; k < halves; k++)
    cpu_fft_root(k, n, w, 2 * k, 1, single);
  p->half_roots = w;
  return p;
}

/* Which of LANES neighbours the lane has in the order of fft/fft.h's fetch. */
static int64_t lane_order(int64_t lane, int64_t lanes, bool single)
{
  return single ? lane / 4 * 2 + lane % 2 + lane / 2 % 2 * (lanes / 2) : lane / 2 + lane % 2 * (lanes / 2);
}

cpu_lines *cpu_lines_make(cpu_lines_kind kind, int64_t n, bool many, bool single)
{
  cpu_lines made;
  if (!shape(&made, kind, n, many, single))
    return NULL;
  if (many)
    return make_many(&made, n, single);
  const int64_t lanes = made.lanes, parts = made.n / lanes, size = single ? 4 : 8, half = made.n / 2 + 1;
  int64_t turns = 0, at = 0;
  for (int64_t s = 0, length = made.n; s < made.steps; length /= made.radix[s++])
    turns += 2 * (length - length / made.radix[s]);
  const int64_t head = CPU_LINES((int64_t)sizeof made);
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
          cpu_fft_root((j + lane_order(l, lanes, single)) * k, length, w, at, lanes, single);
  for (int64_t i = 0; i < halves; i++)
    if (i / lanes % 2 == 0) {
      const int64_t j = i / (2 * lanes) * lanes;
      cpu_fft_root((j + lanes <= half ? j : half - lanes) + lane_order(i % lanes, lanes, single), n, v, i, lanes, single);
    }
  for (int64_t b = 0; b < parts; b++)
    from[cpu_fft_order(b, made.steps, made.radix)] = (int32_t)b;
  for (int64_t i = 0; i < groups * lanes; i++) {
    const int64_t j = i / lanes * lanes;
    block[i] = from[(j + lanes <= parts ? j : parts - lanes) + lane_order(i % lanes, lanes, single)];
  }
  made.turns = w;
  made.half_roots = v;
  made.block = block;
  *p = made;
  return p;
}
