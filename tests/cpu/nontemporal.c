// SPDX-License-Identifier: BSD-3-Clause
/* Arithmetic that goes past the caches line by line: what the plain loop gives, bit by bit, of random bits and of special values,
 * for operands anywhere in a line, each of them contiguous or one repeated element; nothing beside the result is written. Every
 * operation and type that has such a loop, every instruction set that this processor has.
 */
#include "backends/cpu/kernels/kernels.h"
#include "base/dtype.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <string.h>

enum { LINES = 100, LINE = 64, BESIDE = 128, BYTES = LINES * LINE + BESIDE };

static const char *const names[CPU_MAP_COUNT] = {
#define X(ID) [CPU_MAP_##ID] = #ID,
  CPU_MAP_OPS(X)
#undef X
};

static int operands_of(int op)
{
  switch (op) {
  case CPU_MAP_NEGATIVE: case CPU_MAP_ABS: case CPU_MAP_SQUARE: case CPU_MAP_RECIPROCAL: case CPU_MAP_FLOOR: case CPU_MAP_CEIL:
  case CPU_MAP_CONJ: case CPU_MAP_CLIP: return 1;
  case CPU_MAP_WHERE: case CPU_MAP_FMA: return 3;
  default: return 2;
  }
}

/* Any bits, but for floats mostly near numbers, and some special ones. */
static void fill(gen *g, int type, char *to, int64_t bytes)
{
  static const double special[] = { 0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, 2.5, 1e30, -1e-30, 0x1p-140 };
  const bool complex_ = hed__id_kind(type) == HED_KIND_COMPLEX;
  const bool wide = type == HED_ID_FLOAT64 || type == HED_ID_COMPLEX128;
  for (int64_t i = 0; i < bytes; i++)
    to[i] = (char)gen_below(g, 256);
  if (!complex_ && hed__id_kind(type) != HED_KIND_FLOAT)
    return;
  for (int64_t i = 0; i < bytes / (wide ? 8 : 4); i++) {
    const double x = gen_chance(g, 5) ? special[gen_below(g, sizeof special / sizeof *special)] : gen_double(g, -9, 9);
    if (wide)
      ((double *)(void *)to)[i] = x;
    else
      ((float *)(void *)to)[i] = (float)x;
  }
}

/* Equal bits, or both NaN: whose bits a NaN has may depend on the order of operands. */
static bool alike(int type, const char *x, const char *y, int64_t bytes)
{
  const bool wide = type == HED_ID_FLOAT64 || type == HED_ID_COMPLEX128;
  const int64_t size = wide ? 8 : 4;
  if (hed__id_kind(type) != HED_KIND_FLOAT && hed__id_kind(type) != HED_KIND_COMPLEX)
    return memcmp(x, y, (size_t)bytes) == 0;
  for (int64_t i = 0; i < bytes; i += size) {
    if (memcmp(x + i, y + i, (size_t)size) == 0)
      continue;
    if (wide ? !isnan(*(const double *)(const void *)(x + i)) || !isnan(*(const double *)(const void *)(y + i))
             : !isnan(*(const float *)(const void *)(x + i)) || !isnan(*(const float *)(const void *)(y + i)))
      return false;
  }
  return true;
}

static bool agrees(gen *g, int op, int type, hed__map_fn plain, cpu_nontemporal_fn direct)
{
  static _Alignas(LINE) char in[3][BYTES], want[BYTES], got[BYTES];
  const int64_t size = hed__id_size(type), lines = gen_int(g, 0, LINES), n = lines * LINE / size;
  const int count = operands_of(op);
  const hed_clip_params bounds = { .low = -2, .high = 3 };
  const int moving = (int)gen_below(g, (uint64_t)count); /* at least this one is contiguous */
  char *from[4] = { want };
  int64_t stride[4] = { size };
  for (int k = 1; k <= count; k++) {
    const bool truth = op == CPU_MAP_WHERE && k == 1;
    const bool repeated = op != CPU_MAP_FMA && !truth && k - 1 != moving && gen_chance(g, 50);
    from[k] = in[k - 1] + gen_int(g, 0, BESIDE / (truth ? 1 : size)) * (truth ? 1 : size);
    stride[k] = truth ? 1 : repeated ? 0 : size;
    fill(g, type, in[k - 1], BYTES);
    for (int64_t i = 0; truth && i < BYTES; i++)
      in[0][i] = (char)(gen_chance(g, 50) ? 0 : gen_int(g, 1, 255));
  }
  plain(n, from, stride, &bounds);
  memset(got, 0x55, sizeof got);
  from[0] = got + LINE;
  direct(n, from, stride, &bounds, gen_chance(g, 50) ? 0 : 2048);
  bool same = alike(type, from[0], want, lines * LINE);
  for (const char *p = got; p < got + sizeof got; p++)
    same = same && (*p == 0x55 || (p >= from[0] && p < from[0] + lines * LINE));
  if (!same)
    diag("%d lines, strides %d %d %d", (int)lines, (int)stride[1], (int)stride[2], (int)stride[3]);
  return same;
}

static void one_level(const char *level, const cpu_kernels *k)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int op = 0; op < CPU_MAP_COUNT; op++)
    for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) {
      const cpu_nontemporal_fn direct = k->direct[op][type];
      const hed__map_fn plain = k->map[op][type];
      bool same = plain != NULL;
      if (!direct)
        continue;
      for (int round = 0; round < 30 && same; round++)
        same = agrees(&g, op, type, plain, direct);
      ok(same, "%s %s of %s", level, names[op], hed__dtypes[type]->name);
    }
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set)

int main(void)
{
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
