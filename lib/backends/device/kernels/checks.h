// SPDX-License-Identifier: BSD-3-Clause
/* What kernels that check do with what they find: the first claims the error record {claimed, code, number, extent}. L1. */
#define CODE_INDEX 1
#define CODE_PLACE 2
#define CODE_SINGULAR 3
#define CODE_ROW 4 /* number: of a row of weights or shapes that cannot be */
#define CODE_ELEMENT 5 /* number: of an element of square matrices that is not finite; extent: their rows */

FN void report(GLOBAL i64 *record, i64 code, i64 number, i64 extent)
{
  if (ATOMIC_CAS_U32(record, 0, 1) == 0) {
    record[1] = code;
    record[2] = number;
    record[3] = extent;
  }
}

/* INDEX counted from the end where it is negative; -1, and reported, where there is no such element. */
FN i64 checked(i64 index, i64 extent, i64 code, GLOBAL i64 *record)
{
  const i64 at = index < 0 ? index + extent : index;
  if (at >= 0 && at < extent)
    return at;
  report(record, code, index, extent);
  return -1;
}
