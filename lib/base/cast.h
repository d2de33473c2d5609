// SPDX-License-Identifier: BSD-3-Clause
/* Conversion loops between all pairs of concrete dtypes. L0.
 *
 * Float to integer truncates; NaN and out-of-range values give what C's conversion through int64 (uint64 for uint64)
 * with saturation gives, so every backend agrees: NaN 0, below the least the least, above the largest the largest of
 * int64/uint64, then wrapped to the width. Complex to real takes the real part. To bool: not equal 0.
 */
#ifndef HED_BASE_CAST_H
#define HED_BASE_CAST_H

#include <heddle/dtype.h>

/* N elements from SRC (stride SS bytes) to DST (stride DS bytes). */
typedef void (*hed__cast_fn)(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss);
hed__cast_fn hed__cast(int from, int to); /* concrete ids; never NULL */

/* From now on hed__cast gives what CHOOSE gives: other loops of the same meaning. Before any other thread calls it. */
void hed__cast_prefer(hed__cast_fn (*choose)(int from, int to));

#endif
