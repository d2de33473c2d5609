// SPDX-License-Identifier: BSD-3-Clause
/* Two regions with a batch of their own.
 *
 * Layer: L4, ultrasound kit, internal.
 */
#ifndef HEDDLE_KITS_ULTRASOUND_REGION_H
#define HEDDLE_KITS_ULTRASOUND_REGION_H
#include "kits/ultrasound/ultrasound_internal.h"

typedef struct hed__us_region {
  hed_array *x;
  hed_reduce over; /* the axes of x that are the region */
  int64_t n;       /* elements along them               */
  hed_shape shape; /* of the others                      */
} hed__us_region;

/* Both regions, of one batch and not empty, in the scope of the caller; false and an error. */
bool hed__us_regions(const char *op, const hed_array *inside, const hed_array *outside, const hed_us_region *opt,
                     hed__us_region r[2]);
/* dtype of results for them; either may be NULL */
hed_dtype hed__us_regions_dtype(const hed_array *inside, const hed_array *outside);

#endif
