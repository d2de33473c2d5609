// SPDX-License-Identifier: BSD-3-Clause
/* What of the time of operations moving their bytes would take, by the bandwidth of copies on this machine.
 *
 * Layer: L5. A device that is not here has no floor. What fits into a cache is faster than its floor.
 */
#include "profile.h"
#include <string.h>
#include <time.h>

enum { ELEMENTS = 16 << 20, TIMES = 6 }; /* 64 MiB, of float32 */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes a second, read and written, of the best of several copies by DEVICE; 0: there is no such device. */
static double measure(const char *device)
{
  double best = 0;
  HED_BACKEND_CONTEXT_OR(device, return 0) HED_SCOPE {
    hed_array *from = hed_ones(HED_SHAPE(ELEMENTS), HED_FLOAT32), *to = from ? hed_ones(HED_SHAPE(ELEMENTS), HED_FLOAT32) : NULL;
    for (int k = 0; to && k < TIMES; k++) {
      const double start = now();
      if (hed_copy_into(to, from) != HED_OK || hed_wait(to) != HED_OK)
        break;
      const double rate = 2.0 * (double)hed_array_nbytes(from) / (now() - start);
      best = rate > best && k > 0 ? rate : best; /* the first one makes what is kept */
    }
  }
  return best;
}

double profile_bandwidth(profile_floors *f, const char *device)
{
  for (int k = 0; k < f->n; k++)
    if (strcmp(f->of[k].device, device) == 0)
      return f->of[k].rate;
  if (!*device || f->n == PROFILE_FLOORS || strlen(device) >= sizeof f->of[0].device)
    return 0;
  snprintf(f->of[f->n].device, sizeof f->of[0].device, "%s", device);
  hed_error_clear();
  f->of[f->n].rate = measure(device);
  hed_error_clear();
  return f->of[f->n++].rate;
}
