// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rows of a grid of points, of one precision; filter.c includes this behind sample.h with T and S (its suffix) defined. L1.
 * Every instruction set; for resampling on a regular grid (filter/grid.c).
 */
static void F(grid_axis)(const cpu_grid_axis *g)
{
  const cpu_samples s = { .axes = 1, .order = g->order, .boundary = g->boundary, .n = { g->extent }, .step = { 1 } };
  for (int64_t i = 0; i < g->n; i += CPU_SAMPLES) {
    const int64_t some = g->n - i < CPU_SAMPLES ? g->n - i : CPU_SAMPLES;
    int64_t from[CPU_SAMPLES] = { 0 };
    bool outside[CPU_SAMPLES] = { false };
    double position[CPU_SAMPLES];
    T w[4][CPU_SAMPLES];
    const double *const at[1] = { position };
    for (int64_t j = 0; j < some; j++)
      position[j] = g->start + g->step * (double)(i + j);
    if (g->order == 0)
      nearest_points(&s, 0, some, position, from, outside);
    else if (g->order == 1)
      F(sample_axis)(1, &s, 0, some, at, from, outside, w);
    else
      F(sample_axis)(3, &s, 0, some, at, from, outside, w);
    for (int64_t j = 0; j < some; j++) {
      g->from[i + j] = (int32_t)from[j];
      g->outside[i + j] = outside[j];
    }
    for (int k = 0; k <= g->order && g->order > 0; k++)
      memcpy((T *)g->weights + k * g->n + i, w[k], (size_t)some * sizeof(T));
  }
}

static void F(grid_row)(const cpu_grid_axis *g, void *to, const void *elements)
{
  const int64_t n = g->n;
  const int32_t *restrict from = g->from;
  const T *restrict x = elements;
  T *restrict out = to;
  if (g->order == 0) {
    for (int64_t j = 0; j < n; j++)
      out[j] = x[from[j]];
    return;
  }
  const T *restrict w0 = g->weights, *restrict w1 = w0 + n;
  if (g->order == 1) {
    for (int64_t j = 0; j < n; j++)
      out[j] = x[from[j]] * w0[j] + x[from[j] + 1] * w1[j];
    return;
  }
  const T *restrict w2 = w1 + n, *restrict w3 = w2 + n;
  for (int64_t j = 0; j < n; j++)
    out[j] = (x[from[j]] * w0[j] + x[from[j] + 1] * w1[j]) + (x[from[j] + 2] * w2[j] + x[from[j] + 3] * w3[j]);
}
