// SPDX-License-Identifier: BSD-3-Clause
/*
 * Cubic spline coefficients of lines side by side, of one precision; filter.c includes this once per precision with T and S
 * (its suffix) defined. L1.
 *
 * Two recursive filters, forwards and backwards (M. Unser, A. Aldroubi, M. Eden, IEEE Trans. Signal Processing 41, 1993,
 * part II). What happens at the ends is a sum of few elements: powers of the pole fall fast.
 * Every instruction set; chosen by filter/spline.c.
 */
static void F(spline_end)(const cpu_spline_sum *s, const T *x, int64_t step, int64_t cols, T *to)
{
  double sum[CPU_SPLINE_COLUMNS] = { 0 };
  for (int32_t k = 0; k < s->count; k++) {
    const T *row = x + s->at[k] * step;
    const double factor = s->factor[k];
    IVDEP for (int64_t c = 0; c < cols; c++)
      sum[c] += factor * (double)row[c];
  }
  for (int64_t c = 0; c < cols; c++)
    to[c] = (T)sum[c];
}

static void F(spline)(const cpu_spline *s, void *at, int64_t step, int64_t cols)
{
  const T pole = (T)-0.26794919243112270647; /* sqrt(3) - 2 */
  T *x = at, *end = x + (s->n - 1) * step;
  F(spline_end)(&s->first, x, step, cols, x);
  for (T *row = x + step; row <= end; row += step)
    IVDEP for (int64_t c = 0; c < cols; c++)
      row[c] = 6 * row[c] + pole * row[c - step]; /* (1 - pole) (1 - 1 / pole) is 6 */
  F(spline_end)(&s->last, x, step, cols, end);
  for (T *row = end - step; row >= x; row -= step)
    IVDEP for (int64_t c = 0; c < cols; c++)
      row[c] = pole * (row[c + step] - row[c]);
}
