// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers: element i (C order) depends on key, draw and i only, on every backend the same bits. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_RANDOM_H
#define HEDDLE_OPS_RANDOM_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef struct hed_random {
  uint64_t seed;
  bool seeded;              /* false: the context's stream, advanced by one draw */
  double low, high;         /* uniform; both 0 = [0, 1) */
  double mean, std;         /* normal; std 0 = 1 */
} hed_random;

HED_API hed_array *hed_random_bits(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_API hed_array *hed_random_uniform(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_API hed_array *hed_random_normal(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_API hed_array *hed_random_integers(hed_shape shape, int64_t low, int64_t high, hed_dtype t,
                                       const hed_random *opt);

HED_END_DECLS

#endif
