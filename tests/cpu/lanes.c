// SPDX-License-Identifier: BSD-3-Clause
/* Each operation on vectors that kernels are written with, against a loop over its lanes, at every level that this processor has. */
#include "lanes.h"
#include "tap.h"

static void level(const char *name, const lanes_set *set)
{
  static const char *const of_reals[] = { "get, put and each", "magnitude", "most and least", "most_of and least_of",
                                          "same, unlike, either, bits and is_any", "note_nan, has_nan and spoil" };
  static const char *const of_wholes[] = { "get and put", "each", "pick the most", "pick the least" };
  static const char *const wholes[] = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" };
  for (int t = 0; t < 2; t++)
    for (int op = 0; op < 6; op++)
      is_int(set->real[t](op), 0, "%s: %s of float%d", name, of_reals[op], t ? 64 : 32);
  for (int t = 0; t < 8; t++)
    for (int op = 0; op < 4; op++)
      is_int(set->whole[t](op), 0, "%s: %s of %s", name, of_wholes[op], wholes[t]);
}

int main(void)
{
  level("base", &lanes_of_base);
#if defined(HED_HAVE_X86_LEVELS)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    level("avx2", &lanes_of_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq"))
    level("avx512", &lanes_of_avx512);
#endif
  done_testing();
  return done();
}
