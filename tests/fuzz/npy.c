// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target of the .npy reader: whatever the bytes, an array or a status with a sentence, and nothing left over.
 *
 * By itself the program mutates valid files for about two seconds, at most 20 000 of them, from the printed seed.
 * Compiled with -fsanitize=fuzzer and -DHEDDLE_LIBFUZZER it is driven by libFuzzer.
 */
#include "gen.h"
#include "tap.h"
#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];
static int accepted;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!path[0])
    snprintf(path, sizeof path, "/tmp/heddle-fuzz-%ld.npy", (long)getpid());
  FILE *f = fopen(path, "wb");
  if (!f)
    return 0;
  fwrite(data, 1, size, f);
  fclose(f);
  hed_error_clear();
  hed_array *x = hed_load_npy(path);
  accepted += x != NULL;
  if (x ? hed_array_nbytes(x) > size : hed_error() == HED_OK || !hed_error_text()[0])
    abort();
  hed_release(x);
  return 0;
}

#ifndef HEDDLE_LIBFUZZER
static const char *const heads[] = {
  "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
  "{'descr': '>i2', 'fortran_order': True, 'shape': (3, 2, 2), }",
  "{'descr': '|b1', 'fortran_order': False, 'shape': (7,), }",
  "{'descr': '>U3', 'fortran_order': False, 'shape': (2,), }",
  "{'descr': '<c16', 'fortran_order': False, 'shape': (), }",
};

static size_t valid(gen *g, uint8_t *out)
{
  const char *head = heads[gen_below(g, sizeof heads / sizeof *heads)];
  size_t n = strlen(head), at = 0;
  int major = (int)gen_int(g, 1, 3);
  memcpy(out, "\x93NUMPY", 6);
  out[6] = (uint8_t)major;
  out[7] = 0;
  for (at = 8; at < (major == 1 ? 10u : 12u); at++)
    out[at] = at == 8 ? (uint8_t)n : 0;
  memcpy(out + at, head, n);
  at += n;
  gen_bytes(g, out + at, 64);
  return at + 64;
}

int main(void)
{
  gen g;
  uint8_t buf[512];
  gen_seed(&g, tap_seed());
  time_t stop = time(NULL) + 2;
  int runs = 0;
  for (; runs < 20000 && time(NULL) < stop; runs++) {
    size_t n = valid(&g, buf);
    for (int64_t k = gen_int(&g, 0, 4); k > 0; k--) {
      size_t at = gen_below(&g, n);
      switch (gen_below(&g, 4)) {
      case 0: buf[at] = (uint8_t)gen_u64(&g); break;
      case 1: buf[at] ^= (uint8_t)(1u << gen_below(&g, 8)); break;
      case 2: memmove(buf + at, buf + at + 1, n - at - 1); n--; break;
      default: buf[at] = (uint8_t)"0123456789(),'{}<>|=LTF"[gen_below(&g, 23)];
      }
    }
    if (gen_chance(&g, 20))
      n = gen_below(&g, n + 1);
    LLVMFuzzerTestOneInput(buf, n);
  }
  unlink(path);
  hed_stats stats = { .struct_size = sizeof stats };
  hed_stats_get(&stats);
  ok(accepted > 0 && accepted < runs, "some of the files are valid, some are not (%d of %d)", accepted, runs);
  is_int((int64_t)stats.arrays_live, 0, "no array is left");
  done_testing();
  return done();
}
#endif
