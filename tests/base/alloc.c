// SPDX-License-Identifier: BSD-3-Clause
/* lib/base/alloc: counting, alignment, chosen failures, overflow. */
#include "base/alloc.h"
#include "tap.h"

#include <string.h>

static void *by_kind(int kind)
{
  switch (kind) {
  case 0: return hed__malloc(24);
  case 1: return hed__calloc(3, 8);
  case 2: return hed__realloc(NULL, 24);
  case 3: return hed__strdup("twenty-four bytes in all");
  default: return hed__alloc_aligned(24, 256);
  }
}

int main(void)
{
  int64_t live = hed_test_alloc_live();
  uint64_t count = hed_test_alloc_count();
  void *p[5];
  for (int k = 0; k < 5; k++)
    p[k] = by_kind(k);
  is_int(hed_test_alloc_live() - live, 5, "five blocks are alive");
  is_uint(hed_test_alloc_count() - count, 5, "and were counted");
  is_str(p[3], "twenty-four bytes in all", "strdup copies");
  is_uint((uintptr_t)p[4] % 256, 0, "alignment is kept");
  is_mem(p[1], "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, "calloc zeroes");
  memset(p[0], 7, 24);
  p[0] = hed__realloc(p[0], 4000);
  ok(p[0] && ((char *)p[0])[23] == 7, "realloc keeps what was there");
  is_int(hed_test_alloc_live() - live, 5, "realloc keeps the number of blocks");
  for (int k = 0; k < 5; k++)
    hed__free(p[k]);
  hed__free(NULL);
  is_int(hed_test_alloc_live(), live, "all are gone, NULL counts for nothing");

  for (int k = 0; k < 5; k++) {
    hed_test_fail_alloc_at(2);
    void *first = by_kind(k), *second = by_kind(k), *third = by_kind(k);
    ok(first && !second && third, "only the chosen allocation fails (kind %d)", k);
    hed__free(first);
    hed__free(second);
    hed__free(third);
  }
  char *kept = hed__strdup("kept");
  hed_test_fail_alloc_at(1);
  ok(!hed__realloc(kept, 1000), "realloc can be made to fail");
  is_str(kept, "kept", "and leaves the old block alone");
  hed__free(kept);
  is_int(hed_test_alloc_live(), live, "failures leave nothing behind");

  void *none[3] = { hed__malloc(0), hed__calloc(0, 8), hed__alloc_aligned(0, 1) };
  ok(none[0] && none[1] && none[2], "a size of 0 gives a block");
  for (int k = 0; k < 3; k++)
    hed__free(none[k]);

  size_t out = 0;
  ok(hed__mul_size(SIZE_MAX / 3, 3, &out) && out == SIZE_MAX / 3 * 3, "a product that fits");
  ok(!hed__mul_size(SIZE_MAX / 3 + 1, 3, &out), "a product that does not");
  ok(hed__mul_size(0, SIZE_MAX, &out) && out == 0, "nothing times anything");
  ok(hed__add_size(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX, "a sum that fits");
  ok(!hed__add_size(SIZE_MAX, 1, &out), "a sum that does not");
  ok(!hed__calloc(SIZE_MAX / 2, 3), "calloc refuses what overflows");
  return done();
}
