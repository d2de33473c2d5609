// SPDX-License-Identifier: BSD-3-Clause
/* Plain wirings: every synapse, or some of them.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/wiring/wiring.h"
#include <math.h>
#include <stdlib.h>

static int8_t mostly(hed__wiring_draws *d) { return hed__wiring_below(d, 3) ? 1 : -1; }

hed_status hed_nn_wiring_full(int64_t units, int64_t inputs, int64_t outputs, bool without_self, uint64_t key, hed_nn_wiring **out)
{
  const hed_status status = hed__wiring_create("hed_nn_wiring_full", units, inputs, outputs, out);
  if (status != HED_OK)
    return status;
  hed_nn_wiring *w = *out;
  hed__wiring_draws d = { hed_fold_key(key, 0), 0 };
  for (int64_t from = 0; from < units; from++)
    for (int64_t to = 0; to < units; to++)
      if (from != to || !without_self)
        *hed__wiring_at(w, from, to) = mostly(&d);
  for (int64_t k = 0; k < inputs * units; k++)
    w->sensory[k] = mostly(&d);
  return HED_OK;
}

/* The share DENSITY of N places, each once: of those that are left as many as are wanted still, which is uniform. */
static void scatter(hed__wiring_draws *d, double density, int64_t n, int8_t *x)
{
  int64_t wanted = (int64_t)llround(density * (double)n);
  for (int64_t k = 0; k < n; k++)
    if (hed__wiring_below(d, n - k) < wanted) {
      x[k] = mostly(d);
      wanted--;
    }
}

hed_status hed_nn_wiring_random(int64_t units, int64_t inputs, int64_t outputs, double sparsity, uint64_t key, hed_nn_wiring **out)
{
  if (!(sparsity >= 0 && sparsity < 1)) {
    if (out)
      *out = NULL;
    return hed_fail(HED_E_INVAL, "hed_nn_wiring_random: sparsity is %g, not in [0, 1)", sparsity);
  }
  const hed_status status = hed__wiring_create("hed_nn_wiring_random", units, inputs, outputs, out);
  if (status != HED_OK)
    return status;
  hed__wiring_draws d = { hed_fold_key(key, 1), 0 };
  scatter(&d, 1 - sparsity, units * units, (*out)->adjacency);
  scatter(&d, 1 - sparsity, inputs * units, (*out)->sensory);
  return HED_OK;
}
