// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target of einsum's subscripts: whatever the text, an array or a status with a sentence, and nothing left over.
 *
 * The order of contraction is asked for too, and accepts exactly what the operation accepts. The first byte says how many
 * operands (0 to 6) and their numbers of axes, the rest is the text. By itself the program
 * tries random texts for about two seconds, at most 100 000 of them, from the printed seed. Compiled with
 * -fsanitize=fuzzer and -DHEDDLE_LIBFUZZER it is driven by libFuzzer.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int accepted;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const int64_t extents[2] = { 2, 1 };
  char text[256];
  if (size < 2)
    return 0;
  size_t n = size - 2 < sizeof text - 1 ? size - 2 : sizeof text - 1;
  memcpy(text, data + 2, n);
  text[n] = 0;
  int count = data[0] % 7;
  hed_array *x[6] = { NULL };
  for (int k = 0; k < count; k++) {
    hed_shape s = { .ndim = data[1] >> (2 * (k % 4)) & 3 };
    for (int j = 0; j < s.ndim; j++)
      s.dim[j] = extents[data[0] >> 4 & j & 1];
    x[k] = hed_ones(s, data[0] & 8 ? HED_INT32 : HED_FLOAT32);
  }
  hed_error_clear();
  hed_array *y = hed_einsum(text, count, (const hed_array *const *)x);
  accepted += y != NULL;
  if (y ? hed_array_ndim(y) > HED_MAX_NDIM : hed_error() == HED_OK || !hed_error_text()[0])
    abort();
  hed_einsum_order_info info = { .struct_size = sizeof info };
  hed_einsum_options o = { .order = (hed_einsum_order)(data[1] % 3), .memory = data[1] % 5 };
  hed_error_clear();
  hed_status s = hed_einsum_path(text, count, (const hed_array *const *)x, &o, &info);
  if (s == HED_OK ? info.steps != count - 1 || !(info.flops >= 0) : hed_error() != s)
    abort();
  if (y && s != HED_OK) /* what can be computed has an order */
    abort();
  hed_array *z = y ? hed_einsum_with(text, count, (const hed_array *const *)x, &o) : NULL;
  if (z && hed_array_ndim(z) != hed_array_ndim(y))
    abort();
  RELEASE(z, y);
  for (int k = 0; k < count; k++)
    hed_release(x[k]);
  return 0;
}

#ifndef HEDDLE_LIBFUZZER
int main(void)
{
  gen g;
  uint8_t buf[64];
  gen_seed(&g, tap_seed());
  time_t stop = time(NULL) + 2;
  int runs = 0;
  for (; runs < 100000 && time(NULL) < stop; runs++) {
    static const char likely[] = "ijkijkabA,,,->.... {~\xc3\xa9";
    size_t n = 2 + gen_below(&g, 24);
    buf[0] = (uint8_t)gen_u64(&g);
    buf[1] = (uint8_t)gen_u64(&g);
    for (size_t k = 2; k < n; k++) {
      buf[k] = (uint8_t)likely[gen_below(&g, sizeof likely - 1)];
      if (gen_chance(&g, 10) && k + 3 < n) {
        memcpy(buf + k, gen_chance(&g, 50) ? "..." : "-> ", 3);
        k += 2;
      } else if (gen_chance(&g, 2)) {
        buf[k] = (uint8_t)gen_u64(&g);
      }
    }
    /* half of them with as many labels as axes, so that contraction is reached too */
    if (gen_chance(&g, 50)) {
      size_t at = 2;
      for (int k = 0; k < buf[0] % 7; k++) {
        for (int j = 0; j < (buf[1] >> (2 * (k % 4)) & 3); j++)
          buf[at++] = (uint8_t)("ijkl"[gen_below(&g, 4)]);
        buf[at++] = ',';
      }
      n = at > 2 ? at - 1 : at;
      if (gen_chance(&g, 50)) {
        memcpy(buf + n, "->", 2);
        n += 2;
        for (int64_t k = gen_int(&g, 0, 3); k > 0; k--)
          buf[n++] = (uint8_t)("ijkl"[gen_below(&g, 4)]);
      }
    }
    LLVMFuzzerTestOneInput(buf, n);
  }
  hed_stats stats = { .struct_size = sizeof stats };
  hed_stats_get(&stats);
  ok(accepted > 0 && accepted < runs, "some of the texts are valid, some are not (%d of %d)", accepted, runs);
  is_int((int64_t)stats.arrays_live, 0, "no array is left");
  done_testing();
  return done();
}
#endif
