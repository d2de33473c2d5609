// SPDX-License-Identifier: BSD-3-Clause
/* Which rotations a process takes.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/claims.h"

hed_status hed__claim(hed__claims *c, const hed_match_counter *counter, const hed__job *job, size_t *i)
{
  const size_t n = job->n_rotations, block = counter && counter->block ? counter->block : 1;
  uint64_t number;
  *i = n;
  if (!counter)
    c->until = n;
  if (c->next == c->until && c->until < n) {
    const hed_status status = counter->next(counter->arg, job->counter, &number);
    if (status != HED_OK)
      return status;
    c->next = number < n / block + 1 ? (size_t)number * block : n;
    c->next = c->next < n ? c->next : n;
    c->until = n - c->next > block ? c->next + block : n;
  }
  if (c->next < c->until)
    *i = c->next++;
  return HED_OK;
}
