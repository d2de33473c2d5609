// SPDX-License-Identifier: BSD-3-Clause
/*
 * Scratch memory of the cpu module. L1.
 *
 * Faulting in fresh pages costs more than the transforms done in them: the host's pool keeps blocks. A host that is older
 * than its scratch memory gives blocks that it does not keep.
 */
#include "backends/cpu/cpu.h"
#include <stddef.h>

static bool pooled(void) { return cpu_host->struct_size > offsetof(hed_host_api, scratch_free); }

void *cpu_scratch_get(size_t bytes) { return pooled() ? cpu_host->scratch(bytes) : cpu_host->alloc(bytes, 64); }

void cpu_scratch_put(void *p)
{
  if (pooled())
    cpu_host->scratch_free(p);
  else
    cpu_host->free(p);
}
