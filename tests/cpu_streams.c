// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops of functions that store past the caches themselves: what the plain loop gives, bit by bit, for results that begin
 * anywhere in a line, lengths around blocks, with elements now and then, often and always for which there is a slow way; nothing
 * beside the result is written. Copies past the caches. Every instruction set that this processor has.
 */
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/kernels_copy.h"
#include "base/dtype.h"
#include "cpu_sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <string.h>

enum { MOST = 7000, BESIDE = 64 /* bytes */ };

static const char *const names[CPU_FN_COUNT] = {
#define X(ID) [CPU_FN_##ID] = #ID,
  CPU_FUNCTION_OPS(X)
#undef X
};

static const double special[] = {
  0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-149, -0x1p-149, 0x1p-1074, 0x1p-126, 3e38, -3e38, 88.73, -87.4, -104, 709.79, -745.2,
  3.95, -3.95, 12.01, 36.01, 80.5, -86.5, 701, -701, 0x1p17, 0x1.8p17, 0x1p20, 1e22, 102943, -102945, 131071, 89.01, -20.01,
  0x1.8p99, -0x1.8p100, 0x1.1p-99, 0x1p-101, 0x1.8p-400, -0x1p-401, 0x1.3p-536, 0x1.5p-538,
};

static void store(void *to, bool wide, int64_t i, double x)
{
  if (wide)
    ((double *)to)[i] = x;
  else
    ((float *)to)[i] = (float)x;
}

static double load(const void *from, bool wide, int64_t i)
{
  return wide ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

/* Absolute values of complex64 are rounded once but for 2^-20 of a unit: the rest of a row may differ from its vectors. */
static bool alike(const void *x, const void *y, bool wide, int64_t i, int fn)
{
  const size_t size = wide ? 8 : 4, at = (size_t)i * size;
  const double a = load(x, wide, i), b = load(y, wide, i);
  if (!memcmp((const char *)x + at, (const char *)y + at, size) || (isnan(a) && isnan(b)))
    return true;
  return fn == CPU_FN_ABS && !wide && fabs(a - b) <= 0x1p-23 * b;
}

/* A loop of one function and type; PER_CENT of the elements are special, or all of whole runs. */
static bool agrees(gen *g, int fn, int type, hed__map_fn plain, hed__map_fn stream, int64_t n, unsigned per_cent)
{
  static _Alignas(64) char in[2][16 * (MOST + 16)], want[8 * MOST], got[8 * MOST + 5 * BESIDE];
  const bool wide = type == HED_ID_FLOAT64 || type == HED_ID_COMPLEX128;
  const int64_t parts = hed__id_kind(type) == HED_KIND_COMPLEX ? 2 : 1, size = wide ? 8 : 4;
  const int64_t results = fn == CPU_FN_EXP || fn == CPU_FN_DIVIDE ? parts : 1; /* parts of one */
  const int64_t each = results * size;
  const int64_t first = gen_int(g, 0, 15), steps[3] = { each, parts * size, parts * size };
  char *const from[2] = { in[0] + first * parts * size, in[1] + gen_int(g, 0, 15) * parts * size };
  char *const to = got + BESIDE + gen_int(g, 0, 15) * each;
  const double least = fn == CPU_FN_LOG ? 0.001 : -30;
  bool runs = false, same = true;
  for (int w = 0; w < (fn == CPU_FN_DIVIDE ? 2 : 1); w++)
    for (int64_t i = 0; i < n * parts; i++) {
      if (i % 700 == 0)
        runs = gen_chance(g, per_cent);
      const bool odd = runs || gen_below(g, 1000) < per_cent;
      store(from[w], wide, i, odd ? special[gen_below(g, sizeof special / sizeof *special)] : gen_double(g, least, 3));
    }
  memset(got, 0x55, sizeof got);
  plain(n, (char *[]){ want, from[0], from[1] }, steps, NULL);
  stream(n, (char *[]){ to, from[0], from[1] }, steps, NULL);
  for (int64_t i = 0; i < n * results && same; i++) {
    same = alike(to, want, wide, i, fn);
    if (!same)
      diag("part %d of %d: %a, not %a", (int)i, (int)(n * results), load(to, wide, i), load(want, wide, i));
  }
  for (const char *p = got; p < got + sizeof got; p++)
    same = same && (*p == 0x55 || (p >= to && p < to + n * each));
  return same;
}

/* N bytes, FAR or not, from anywhere to anywhere in a line; nothing beside them. */
static bool copies(gen *g, const cpu_copy_kernels *k, int64_t n, bool far)
{
  enum { LARGE = 300000 };
  static _Alignas(64) char in[LARGE + 128], out[LARGE + 128];
  char *const from = in + gen_int(g, 0, 63), *const to = out + gen_int(g, 0, 63);
  for (size_t i = 0; i < sizeof in; i++)
    in[i] = (char)(i * 2654435761u >> 13);
  memset(out, 0x55, sizeof out);
  if (far)
    k->stream_far(to, from, n, gen_chance(g, 50) ? 256 : 4096);
  else
    k->stream(to, from, n);
  bool same = memcmp(to, from, (size_t)n) == 0;
  for (const char *p = out; p < out + sizeof out; p++)
    same = same && (*p == 0x55 || (p >= to && p < to + n));
  if (!same)
    diag("%d bytes", (int)n);
  return same;
}

static void one_level(const char *level, const cpu_kernels *k, const cpu_copy_kernels *copying)
{
  gen g;
  int found = 0;
  gen_seed(&g, tap_seed());
  for (int fn = 0; fn < CPU_FN_COUNT; fn++)
    for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) {
      const cpu_kernels *const other = fn == CPU_FN_DIVIDE ? &cpu_kernels_base : k; /* quotients have the same bits everywhere */
      const hed__map_fn stream = (*k->functions_stream)[fn][type], plain = (*other->functions)[fn][type];
      bool same = plain != NULL;
      if (!stream)
        continue;
      found++;
      for (int round = 0; round < 60 && same; round++)
        same = agrees(&g, fn, type, plain, stream, gen_int(&g, 0, round % 3 ? MOST : 600),
                      (const unsigned[]){ 0, 1, 10, 100 }[round % 4]);
      ok(same, "%s %s of %s", level, names[fn], hed__dtypes[type]->name);
    }
  if (found == 0)
    skip(1, "%s: no such loops", level);
  for (int far = 0; far < 2; far++) {
    bool same = true;
    for (int round = 0; round < 90 && same; round++)
      same = copies(&g, copying, gen_int(&g, 0, (const int[]){ 200, 5000, 300000 }[round % 3]), far);
    ok(same, "%s copies%s", level, far ? " from main memory" : "");
  }
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set, &cpu_copy_kernels_##set)

int main(void)
{
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
