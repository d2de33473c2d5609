// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers of any kind: those that are drawn once (random.c), and those that reject (variates.c). L0. */
#include "base/random/random.h"
#include "base/random/variates.h"

void hed__random_fill(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst)
{
  if (hed__random_rejects(p->kind))
    hed__variates(p, dtype, first, n, dst, NULL, NULL);
  else
    hed__random_once(p, dtype, first, n, dst);
}
