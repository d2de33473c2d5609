// SPDX-License-Identifier: BSD-3-Clause
/* Scratch memory of the cpu module: the host's, also of a host that is older than it. */
#include "backends/cpu/cpu.h"
#include "mock_host.h"
#include "tap.h"
#include <string.h>

const hed_host_api *cpu_host = &mock_host;

static int scratches;

static void *one_more(size_t bytes)
{
  scratches++;
  return mock_host.scratch(bytes);
}

static void one_less(void *p)
{
  scratches -= p != NULL;
  mock_host.scratch_free(p);
}

static void test(const char *host)
{
  char *p = cpu_scratch_get(1000), *q = cpu_scratch_get(0);
  ok(p && q && p != q, "%s: blocks, of no bytes too", host);
  is_int((int64_t)((uintptr_t)p % 64), 0, "aligned");
  is_int(atomic_load(&mock_live), 2, "the host's");
  memset(p, 1, 1000);
  cpu_scratch_put(p);
  cpu_scratch_put(q);
  cpu_scratch_put(NULL);
  is_int(atomic_load(&mock_live), 0, "none is kept");
  atomic_store(&mock_fail_alloc_at, 1);
  ok(!cpu_scratch_get(5) && !cpu_scratch_get(SIZE_MAX), "no memory");
}

int main(void)
{
  hed_host_api now = mock_host, old = mock_host;
  now.scratch = one_more;
  now.scratch_free = one_less;
  cpu_host = &now;
  char *p = cpu_scratch_get(5);
  is_int(scratches, 1, "through the host's scratch memory");
  cpu_scratch_put(p);
  is_int(scratches, 0, "and back");
  test("a host");
  old.struct_size = offsetof(hed_host_api, scratch);
  old.scratch = NULL;
  old.scratch_free = NULL;
  cpu_host = &old;
  test("an old host");
  return done();
}
