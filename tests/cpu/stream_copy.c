// SPDX-License-Identifier: BSD-3-Clause
/* Copies by non-temporal stores: the same bytes from anywhere to anywhere in a line, and nothing beside the result is written.
 * Every instruction set that this processor has.
 */
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/move/copy.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <string.h>

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
    k->stream_far(to, from, n);
  else
    k->stream(to, from, n);
  bool same = memcmp(to, from, (size_t)n) == 0;
  for (const char *p = out; p < out + sizeof out; p++)
    same = same && (*p == 0x55 || (p >= to && p < to + n));
  if (!same)
    diag("%d bytes", (int)n);
  return same;
}

static void one_level(const char *level, const cpu_copy_kernels *k)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int far = 0; far < 2; far++) {
    bool same = true;
    for (int round = 0; round < 90 && same; round++)
      same = copies(&g, k, gen_int(&g, 0, (const int[]){ 200, 5000, 300000 }[round % 3]), far);
    ok(same, "%s copies%s", level, far ? " from main memory" : "");
  }
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_copy_kernels_##set)

int main(void)
{
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
