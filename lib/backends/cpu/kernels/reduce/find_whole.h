// SPDX-License-Identifier: BSD-3-Clause
/* Where an integer is: the first of contiguous ones that equals a given one, -1 when there is none; a body of reduce.c, after
 * extreme_whole.h. Every instruction set; contiguous slices. */
static int64_t N(find)(int64_t n, const void *x, const void *m)
{
  HED__ASSERT(n >= 0);
  const T *v = x, want = *(const T *)m;
  const V all = N(each)(want);
  int64_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    if (ANY_LANE((N(get)(v + i) == all) | (N(get)(v + i + LANES) == all) | (N(get)(v + i + 2 * LANES) == all)
                 | (N(get)(v + i + 3 * LANES) == all)))
      break;
  for (; i + LANES <= n; i += LANES)
    if (ANY_LANE(N(get)(v + i) == all))
      break;
  for (; i < n; i++)
    if (v[i] == want)
      return i;
  return -1;
}
