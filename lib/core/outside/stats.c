// SPDX-License-Identifier: BSD-3-Clause
/* Statistics. L2. */
#include "core/array/array.h"
#include "core/memory/pool.h"
#include "core/process/tls.h"
#include <heddle/thread.h>
#include <string.h>

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
    .fused_passes = hed__count_total(HED__COUNT_PASSES),
    .fallbacks_reference = hed__count_total(HED__COUNT_REFERENCE),
  };
  hed__pool_totals(&s.bytes_live, &s.bytes_peak);
  memcpy(out, &s, out->struct_size < sizeof s ? out->struct_size : sizeof s);
  return HED_OK;
}
