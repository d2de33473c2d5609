// SPDX-License-Identifier: BSD-3-Clause
/*
 * Square roots by products, which an Intel processor with AVX-512 takes (k_root512.h): the bits of the C library's sqrt, by the
 * loop and by the step of a chain. Random numbers of all magnitudes, squares and what is next to them, roots next to the middle
 * between two numbers, and what the instruction is left for, in every place of a block.
 */
#include "backends/cpu/kernels/chain.h"
#include "backends/cpu/kernels/kernels.h"
#include "base/dtype.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <string.h>

#ifdef HED_HAVE_X86_LEVELS
enum { MOST = 4096 };
__extension__ typedef unsigned __int128 twice;

static gen g;
static double x[MOST];
static int64_t n;
static int64_t tried, wrong_loop, wrong_step;

static void put(int type, int64_t k, double v)
{
  const float single = (float)v;
  memcpy((char *)x + k * hed__id_size(type), type == HED_ID_FLOAT32 ? (const void *)&single : (const void *)&v,
         (size_t)hed__id_size(type));
}

static bool same(int type, const void *got, int64_t k)
{
  if (type == HED_ID_FLOAT32) {
    const float a = ((const float *)got)[k], b = sqrtf(((const float *)(const void *)x)[k]);
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
  }
  const double a = ((const double *)got)[k], b = sqrt(x[k]);
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* The N elements of X, which is as many whole tiles, and fewer at the end of a loop. */
static void try_all(int type)
{
  static _Alignas(64) double got[MOST], in[MOST];
  const int64_t size = hed__id_size(type), fewer = n - (int64_t)gen_below(&g, 70);
  const cpu_chain_loops *c = &cpu_chain_avx512[type == HED_ID_FLOAT64];
  memset(got, 0xff, sizeof got);
  char *p[2] = { (char *)got, (char *)x };
  cpu_kernels_avx512.map[CPU_MAP_SQRT][type](fewer, p, (const int64_t[]){ size, size }, NULL);
  for (int64_t k = 0; k < fewer; k++)
    wrong_loop += !same(type, got, k);
  memcpy(in, x, sizeof in);
  memset(got, 0xff, sizeof got);
  cpu_chain_step steps[] = { { .fn = c->load[0], .memory = { (char *)in } },
                             { .fn = c->step(HED_OP_SQRT, CPU_CHAIN_FIRST, 0) },
                             { .fn = c->store, .memory = { (char *)got } }, { .fn = c->end } };
  c->run(steps, 0, n * size / c->tile);
  for (int64_t k = 0; k < n; k++)
    wrong_step += !same(type, got, k);
  tried += n;
  n = 0;
}

static void add(int type, double v)
{
  put(type, n++, v);
  if (n == MOST / 2)
    try_all(type);
}

/* All k below 2^BITS, of which k^2 + k + J is a multiple of 2^BITS: roots of such numbers lie J / (2 k) from k + 1/2. */
static int middles(int bits, int64_t j, uint64_t *k)
{
  int found = 1;
  k[0] = 0;
  for (int b = 0; b < bits; b++) {
    uint64_t next[64];
    int more = 0;
    for (int i = 0; i < found; i++)
      for (uint64_t bit = 0; bit < 2; bit++) {
        const uint64_t v = k[i] | bit << b;
        if (((v * v + v + (uint64_t)j) & (((uint64_t)2 << b) - 1)) == 0 && more < 64)
          next[more++] = v;
      }
    memcpy(k, next, (size_t)more * sizeof *k);
    found = more;
  }
  return found;
}

/* Of numbers with BITS bits, of which exponents reach from LOW to HIGH. */
static void check(int type, int bits, int low, int high)
{
  const uint64_t one = (uint64_t)1 << (bits - 1);
  uint64_t k[64];
  tried = wrong_loop = wrong_step = 0;
  int hard = 0;
  for (int64_t j = -600; j <= 600; j++)
    for (int e = bits - 1; e <= bits; e++)
      for (int i = middles(e, j, k) - 1; i >= 0; i--) {
        const uint64_t v = k[i] | (e < bits ? one : 0);
        const uint64_t m = (uint64_t)(((twice)v * (v + 1) + (twice)(j + 600) - 600) >> e);
        if (v < one || m < one || m >= 2 * one)
          continue;
        add(type, ldexp((double)m, e));
        add(type, ldexp((double)m, e - 2 * (int)gen_int(&g, 0, (bits - low) / 2 - 1)));
        hard++;
      }
  for (int64_t i = 0; i < 100000; i++) {
    const double v = (double)gen_int(&g, 1, (int64_t)1 << (bits / 2)), scale = ldexp(1, 2 * (int)gen_int(&g, low / 2, 10));
    for (int w = -1; w < 2; w++) /* squares, and numbers a little more or less than a power of four */
      add(type, v * v * scale * (1 + w * ldexp(1, 1 - bits)));
    add(type, (i % 2 ? 4 : 1) * (1 + (double)gen_int(&g, -3000, 3000) * ldexp(1, -bits)));
  }
  for (int e = low; e <= high; e++) /* all exponents in blocks of their own: the instruction takes blocks as a whole */
    for (int i = 0; i < MOST / 2; i++)
      add(type, ldexp(gen_double(&g, 1, 2), e));
  static const double special[] = { 0, -0.0, -1, INFINITY, -INFINITY, NAN };
  for (int i = 0; i < 200 * MOST; i++) { /* one of them now and then: in every place of a block */
    const double far = i / 100 % 8 < 6 ? special[i / 100 % 8] : ldexp(gen_double(&g, -0.2, 2), low - (int)gen_int(&g, 0, bits));
    add(type, gen_below(&g, 100) ? ldexp(gen_double(&g, 1, 2), (int)gen_int(&g, low / 4, high)) : far);
  }
  while (n)
    add(type, 1);
  const char *name = type == HED_ID_FLOAT32 ? "float32" : "float64";
  ok(hard > 500, "%s: %d roots next to the middle between two numbers", name, hard);
  is_int(wrong_loop, 0, "%s: %lld roots by the loop", name, (long long)tried);
  is_int(wrong_step, 0, "%s: and by the step of a chain", name);
}
#endif

int main(void)
{
#ifdef HED_HAVE_X86_LEVELS
  __builtin_cpu_init();
  if (!__builtin_cpu_is("intel") || !__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")
      || !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512cd"))
    skip_all("no Intel processor with AVX-512");
  gen_seed(&g, tap_seed());
  for (int way = 0; way < 2; way++) {
    cpu_root_products_avx512 = way;
    check(HED_ID_FLOAT32, 24, -126, 127);
    check(HED_ID_FLOAT64, 53, -1022, 1023);
  }
  done_testing();
  return done();
#else
  skip_all("no loops of AVX-512 in this build");
#endif
}
