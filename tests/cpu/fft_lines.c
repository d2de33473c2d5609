// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of lines in the cpu module's loops, of every instruction set that this processor has, against sums in double:
 * complex and real ones of all factors, there and back, steps with and without gaps, into themselves and elsewhere. Arrays end
 * at guard pages; what lies between lines stays.
 */
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/cpu.h"
#include "sets.h"
#include "gen.h"
#include "mock_host.h"
#include "tap.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen in level.c, which needs all kernels. */
const cpu_columns_fn *cpu_columns_k = cpu_columns_base;
const cpu_rows_set *cpu_rows_k = &cpu_rows_base;
const cpu_lines_set *cpu_lines_k = &cpu_lines_base;

const hed_host_api *cpu_host = &mock_host;

static gen g;

enum { MARK = 77 }; /* what lies between lines */

static double take(const char *at, int64_t i, bool single)
{
  float f;
  double d;
  memcpy(single ? (void *)&f : (void *)&d, at + (single ? 4 : 8) * i, single ? 4 : 8);
  return single ? (double)f : d;
}

static void put(char *at, int64_t i, bool single, double x)
{
  if (single)
    memcpy(at + 4 * i, &(float){ (float)x }, 4);
  else
    memcpy(at + 8 * i, &x, 8);
}

typedef struct lines {
  char *at;
  int64_t numbers, step, count; /* real numbers of a line */
} lines;

static lines make(int64_t numbers, int64_t count, bool single)
{
  const int64_t bytes = numbers * (single ? 4 : 8), gap = gen_int(&g, 0, 1) ? (single ? 4 : 8) * gen_int(&g, 1, 9) : 0;
  lines x = { .numbers = numbers, .step = bytes + gap, .count = count };
  x.at = guard_alloc((size_t)(count * x.step - gap), single ? 4 : 8);
  memset(x.at, MARK, (size_t)(count * x.step - gap));
  return x;
}

static bool gaps_stay(const lines *x, bool single)
{
  const int64_t bytes = x->numbers * (single ? 4 : 8);
  for (int64_t i = 0; i + 1 < x->count; i++)
    for (int64_t k = bytes; k < x->step; k++)
      if (x->at[i * x->step + k] != MARK)
        return false;
  return true;
}

/* What the N numbers Z (complex) become, K of them; ROOT has the powers of the root of unity. */
static void slow(int64_t n, const double *root, const double *z, int64_t k, bool back, double *re, double *im)
{
  *re = *im = 0;
  for (int64_t j = 0; j < n; j++) {
    const double c = root[2 * (j * k % n)], s = (back ? -1 : 1) * root[2 * (j * k % n) + 1];
    *re += z[2 * j] * c - z[2 * j + 1] * s;
    *im += z[2 * j] * s + z[2 * j + 1] * c;
  }
}

/* The largest error of a line, in units of SCALE times the root of the sum of squares of its input. */
static double error_of(cpu_lines_kind kind, int64_t n, const char *in, const char *out, bool single, bool back, double scale)
{
  double *z = malloc((size_t)(4 * n) * sizeof *z), *root = z + 2 * n, worst = 0, norm = 0;
  for (int64_t j = 0; j < n; j++) {
    const bool other = kind == CPU_LINES_C2R && j > n / 2;
    const int64_t at = other ? n - j : j;
    z[2 * j] = take(in, kind == CPU_LINES_R2C ? j : 2 * at, single);
    z[2 * j + 1] = kind == CPU_LINES_R2C || (kind == CPU_LINES_C2R && j % (n / 2) == 0) ? 0 : take(in, 2 * at + 1, single);
    z[2 * j + 1] = other ? -z[2 * j + 1] : z[2 * j + 1];
    root[2 * j] = cos(6.28318530717958647693 * (double)j / (double)n);
    root[2 * j + 1] = -sin(6.28318530717958647693 * (double)j / (double)n);
    norm += z[2 * j] * z[2 * j] + z[2 * j + 1] * z[2 * j + 1];
  }
  for (int64_t k = 0; k < (kind == CPU_LINES_R2C ? n / 2 + 1 : n); k++) {
    double re, im, off;
    slow(n, root, z, k, back, &re, &im);
    if (kind == CPU_LINES_C2R)
      off = fabs(take(out, k, single) - scale * re);
    else
      off = hypot(take(out, 2 * k, single) - scale * re, take(out, 2 * k + 1, single) - scale * im);
    if (!(off <= worst))
      worst = off;
  }
  if (kind == CPU_LINES_R2C && (take(out, 1, single) != 0 || take(out, n + 1, single) != 0))
    worst = INFINITY;
  free(z);
  return worst / (scale * sqrt(norm));
}

/* The worst error of one random call; INFINITY when it wrote where it should not. */
static double one_call(cpu_lines_fn fn, cpu_lines_kind kind, int64_t n, bool many, bool single)
{
  const int64_t count = gen_int(&g, 1, many ? 40 : 5), half = n / 2 * 2 + 2;
  const bool back = kind == CPU_LINES_C2R || (kind == CPU_LINES_C2C && gen_int(&g, 0, 1));
  const bool itself = kind == CPU_LINES_C2C && gen_int(&g, 0, 1);
  const double scale = gen_double(&g, 0.1, 2);
  cpu_lines *p = cpu_lines_make(kind, n, many, single);
  void *work = mock_host.alloc((size_t)cpu_lines_work(kind, n, many, single), 64);
  lines in = make(kind == CPU_LINES_C2C ? 2 * n : kind == CPU_LINES_R2C ? n : half, count, single);
  lines out = itself ? in : make(kind == CPU_LINES_C2C ? 2 * n : kind == CPU_LINES_C2R ? n : half, count, single);
  for (int64_t c = 0; c < count; c++)
    for (int64_t i = 0; i < in.numbers; i++)
      put(in.at + c * in.step, i, single, gen_double(&g, -1, 1));
  const size_t bytes = (size_t)((count - 1) * in.step + in.numbers * (single ? 4 : 8));
  char *before = malloc(bytes);
  memcpy(before, in.at, bytes);
  fn(p, count, back, in.at, in.step, out.at, out.step, scale, work);
  double worst = 0;
  for (int64_t c = 0; c < count; c += CPU_MAX(count - 1, 1)) {
    const double e = error_of(kind, n, before + c * in.step, out.at + c * out.step, single, back, scale);
    if (!(e <= worst))
      worst = e;
  }
  if (!gaps_stay(&in, single) || !gaps_stay(&out, single) || (!itself && memcmp(before, in.at, bytes) != 0))
    worst = INFINITY;
  if (!guard_free(in.at) || (!itself && !guard_free(out.at)))
    worst = INFINITY;
  free(before);
  mock_host.free(work);
  mock_host.free(p);
  return worst;
}

static void one_level(const char *name, const cpu_lines_set *level, const cpu_columns_fn *columns)
{
  static const int64_t lengths[] = { 16,  18,  20,  24,  30,  32,  36,  48,  60,  64,  72,  80,  96,  100, 120, 128,  160,  192,
                                     200, 240, 250, 256, 300, 320, 384, 400, 480, 500, 512, 640, 720, 1000, 1024, 1280 };

  static const char *const kinds[] = { "complex", "from real", "to real" };
  cpu_lines_k = level;
  cpu_columns_k = columns;
  if (!level->bytes)
    return;
  for (int i = 0; i < 12; i++) {
    const bool single = i % 2, many = i / 2 % 2;
    const cpu_lines_kind kind = (cpu_lines_kind)(i / 4);
    double worst = 0;
    int served = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
      for (int k = 0; k < (lengths[l] > 300 ? 2 : 5) && cpu_lines_serve(kind, lengths[l], many, single); k++, served++) {
        const double e = one_call(level->fn[!single], kind, lengths[l], many, single) / (2 + log2((double)lengths[l]));
        if (!(e <= worst))
          worst = e;
      }
    ok(served > 40 && worst < 2 * (single ? (double)FLT_EPSILON : 4 * DBL_EPSILON), "%s, %s, %s%s: off by %.2g", name,
       single ? "single" : "double", kinds[kind], many ? ", many" : "", worst);
    static const int64_t none[] = { 0, 8, 77, 4 * 7 * 16, (int64_t)1 << 40 };
    int wrong = !cpu_lines_serve(kind, 128, many, single);
    for (int k = 0; k < 5; k++)
      wrong += cpu_lines_serve(kind, none[k], many, single);
    ok(wrong == 0 && cpu_lines_serve(kind, 1024, many, single) == !(many && kind == CPU_LINES_C2C),
       "%s, %s: lengths that are served", name, kinds[kind]);
  }
  int wrong = 0, bundles = 0, neighbours = 0;
  for (int i = 0; i < 6; i++)
    for (int64_t n = 0; n < 3000; n++) {
      const cpu_lines_kind kind = (cpu_lines_kind)(i / 2);
      const cpu_lines_way way = cpu_lines_best(kind, n, n % 3 ? 100 : 1, i % 2);
      bundles += way == CPU_LINES_BUNDLES;
      neighbours += way == CPU_LINES_NEIGHBOURS;
      wrong += way != CPU_LINES_FFTW && !cpu_lines_serve(kind, n, way == CPU_LINES_BUNDLES, i % 2);
      wrong += way == CPU_LINES_BUNDLES && n % 3 == 0;
    }
  ok(wrong == 0 && bundles > 20 && neighbours > 20, "%s: only what is served is chosen", name);
  const double e = one_call(level->fn[0], CPU_LINES_R2C, 8192, false, true) / 15;
  ok(e < 2 * (double)FLT_EPSILON, "%s, blocks one after the other: off by %.2g", name, e);
}

int main(void)
{
  gen_seed(&g, tap_seed());
  cpu_lines_k = &cpu_lines_base;
  ok(cpu_lines_base.bytes || !cpu_lines_serve(CPU_LINES_C2C, 64, true, true), "where there are no loops none is offered");
#ifdef HED_HAVE_X86_LEVELS
  if (cpu_has_avx2())
    one_level("AVX2", &cpu_lines_avx2, cpu_columns_avx2);
  if (cpu_has_avx512())
    one_level("AVX-512", &cpu_lines_avx512, cpu_columns_avx512);
#else
  one_level("baseline", &cpu_lines_base, cpu_columns_base);
#endif
  done_testing();
  return done();
}
