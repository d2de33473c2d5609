// SPDX-License-Identifier: BSD-3-Clause
/* Scratch memory of the cpu module: blocks come back, within bounds on their number and bytes. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/scratch.h"
#include "mock_host.h"
#include "tap.h"

enum { MANY = 20, BOUND = 16 };
static const size_t MIB = 1 << 20;

const hed_host_api *cpu_host = &mock_host;

int main(void)
{
  void *p[MANY];
  p[0] = cpu_scratch_get(1000);
  is_int((int64_t)((uintptr_t)p[0] % 64), 0, "aligned");
  cpu_scratch_put(p[0]);
  ok(cpu_scratch_get(900) == p[0], "a block comes back for a little less");
  ok((p[1] = cpu_scratch_get(900)) != p[0], "to one at a time");
  cpu_scratch_put(p[0]);
  cpu_scratch_put(p[1]);
  cpu_scratch_put(NULL);
  is_int(atomic_load(&mock_live), 2, "both are kept");
  ok(cpu_scratch_trim(1) >= 900 && atomic_load(&mock_live) == 1, "one goes when little is wanted");
  ok(cpu_scratch_trim(SIZE_MAX) >= 900 && atomic_load(&mock_live) == 0, "all when everything is");

  for (int k = 0; k < MANY; k++)
    p[k] = cpu_scratch_get(10000 * (size_t)(k + 1));
  for (int k = MANY; k-- > 0;)
    cpu_scratch_put(p[k]);
  is_int(atomic_load(&mock_live), BOUND, "of many some are kept");
  ok(cpu_scratch_get(10000 * (MANY - BOUND + 1)) == p[MANY - BOUND], "the largest of them");
  cpu_scratch_put(p[MANY - BOUND]);
  (void)cpu_scratch_trim(SIZE_MAX);

  for (int k = 0; k < 6; k++) {
    p[0] = cpu_scratch_get(300 * MIB);
    cpu_scratch_put(p[0]);
    if (k % 3 == 2)
      (void)cpu_scratch_trim(SIZE_MAX);
  }

  for (int k = 0; k < 3; k++)
    p[k] = cpu_scratch_get(200 * MIB);
  for (int k = 0; k < 3; k++)
    cpu_scratch_put(p[k]);
  is_int(atomic_load(&mock_live), 2, "of large ones as many as there is room for");
  p[0] = cpu_scratch_get(600 * MIB);
  ok(p[0] && atomic_load(&mock_live) == 3, "one beyond all bounds");
  cpu_scratch_put(p[0]);
  is_int(atomic_load(&mock_live), 2, "is not kept, and takes nobody's place");
  p[0] = cpu_scratch_get(500 * MIB);
  cpu_scratch_put(p[0]);
  is_int(atomic_load(&mock_live), 1, "one that fits alone takes the others'");
  ok(cpu_scratch_trim(SIZE_MAX) == 500 * MIB && atomic_load(&mock_live) == 0, "and goes");
  atomic_store(&mock_fail_alloc_at, 1);
  ok(!cpu_scratch_get(5) && !cpu_scratch_get(SIZE_MAX), "no memory");
  return done();
}
