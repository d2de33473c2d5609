// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rows that are weighed and added, of one precision; filter.c includes this behind correlate.h, once per precision with T, S
 * (its suffix) and MULADD defined. L1.
 *
 * Several vectors of sums stay in registers while all rows go by. The last vectors overlap those before them: they are the same
 * sums again.
 * Every instruction set; contiguous rows, for correlate1d along an outer axis.
 */
#define V F(vec)
#define LANES ((int64_t)(CPU_VECTOR / sizeof(T)))
#define TAKE(p) ((V)*(const F(loose) *)(const void *)(p))

/* R vectors of sums from element C on. */
ALWAYS void F(weighed)(const int r, T *to, const void *const *rows, int64_t c, int64_t taps, const T *w)
{
  V sum[8];
#pragma GCC unroll 8
  for (int k = 0; k < r; k++)
    sum[k] = (V){ 0 };
  for (int64_t t = 0; t < taps; t++) {
    const T *v = (const T *)rows[t] + c;
    const V factor = w[t] - (V){ 0 };
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      sum[k] = MULADD(sum[k], TAKE(v + k * LANES), factor);
  }
#pragma GCC unroll 8
  for (int k = 0; k < r; k++)
    memcpy(to + c + k * LANES, &sum[k], CPU_VECTOR);
}

static void F(weigh)(int64_t n, void *out, const void *const *rows, int64_t taps, const void *w)
{
  int64_t c = 0;
  for (; c + 8 * LANES <= n; c += 8 * LANES)
    F(weighed)(8, out, rows, c, taps, w);
  for (; c + 2 * LANES <= n; c += 2 * LANES)
    F(weighed)(2, out, rows, c, taps, w);
  for (; c < n; c += LANES)
    F(weighed)(1, out, rows, c + LANES <= n ? c : n - LANES, taps, w);
}

#undef V
#undef LANES
#undef TAKE
