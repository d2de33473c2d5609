// SPDX-License-Identifier: BSD-3-Clause
/* Statistics. L2. */
#include "core/stats.h"
#include "core/tls.h"
#include <heddle/thread.h>
#include <string.h>

static atomic_int_fast64_t live, peak;

void hed__stats_bytes(int64_t change)
{
  int64_t now = atomic_fetch_add_explicit(&live, change, memory_order_relaxed) + change;
  int_fast64_t high = atomic_load_explicit(&peak, memory_order_relaxed);
  while (change > 0 && now > high &&
         !atomic_compare_exchange_weak_explicit(&peak, &high, now, memory_order_relaxed, memory_order_relaxed))
    ;
}

hed_status hed_stats_get(hed_stats *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "stats_get: %s", out ? "struct_size is not set" : "out is NULL");
  hed_stats s = {
    .struct_size = out->struct_size,
    .calls = hed__count_total(HED__COUNT_CALLS),
    .fallbacks = hed__count_total(HED__COUNT_FALLBACKS),
    .copies = hed__count_total(HED__COUNT_COPIES),
    .narrowed = hed__count_total(HED__COUNT_NARROWED),
    .leaked_frames = hed_leaked_frames(),
    .arrays_live = hed__arrays_live(),
    .bytes_live = (uint64_t)atomic_load(&live),
    .bytes_peak = (uint64_t)atomic_load(&peak),
  };
  memcpy(out, &s, out->struct_size < sizeof s ? out->struct_size : sizeof s);
  return HED_OK;
}
