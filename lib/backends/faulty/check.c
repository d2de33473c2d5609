// SPDX-License-Identifier: BSD-3-Clause
/* faulty: does the host keep program order? L1.
 *
 * Program order is the order of submission. When a job is submitted, the reads and writes of its blocks that were
 * submitted before are noted; when it runs, all writes before it must be over and none after it, and where it writes all
 * reads before it must be over too. That holds whatever the host gave the memory to meanwhile: a block that one array
 * left while a job still reads it, and another array got, has this job's read among those that the next writer waits for.
 */
#include "backends/faulty/faulty.h"
#include <stdio.h>

void faulty_note(faulty_use *use, int32_t n)
{
  for (int32_t k = 0; k < n; k++)
    if (use[k].block) {
      use[k].writes = use[k].block->writes;
      use[k].reads = use[k].block->reads;
    }
  for (int32_t k = 0; k < n; k++)
    if (use[k].block)
      *(use[k].write ? &use[k].block->writes : &use[k].block->reads) += 1;
}

int32_t faulty_versions(const faulty_use *use, int32_t n, const char *what, char *text)
{
  for (int32_t k = 0; k < n && atomic_load(&faulty_state.check); k++) {
    const faulty_block *b = use[k].block;
    if (!b || (b->written == use[k].writes && (!use[k].write || b->read >= use[k].reads)))
      continue;
    snprintf(text, FAULTY_TEXT,
             "faulty:%d: %s: argument %d is in version %llu and program order says %llu; it was read %llu times of %llu",
             (int)use[k].device->index, what, (int)use[k].operand, (unsigned long long)b->written,
             (unsigned long long)use[k].writes, (unsigned long long)b->read, (unsigned long long)use[k].reads);
    faulty_violated(use[k].device, text);
    return HED_E_INTERNAL;
  }
  return HED_OK;
}

void faulty_over(const faulty_use *use, int32_t n)
{
  for (int32_t k = 0; k < n; k++) {
    faulty_block *b = use[k].block;
    if (!b)
      continue;
    *(use[k].write ? &b->written : &b->read) += 1;
    if (b->leaving && b->read == b->reads && b->written == b->writes)
      faulty_block_release(use[k].device, b);
  }
}
