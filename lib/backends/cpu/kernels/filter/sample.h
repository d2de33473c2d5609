// SPDX-License-Identifier: BSD-3-Clause
/*
 * Values of splines at points, of one precision; filter.c includes this once per precision with T and S (its suffix) defined. L1.
 *
 * Coordinates and weights are vectors' work. The elements that a cubic point needs are 1, 4 or 16 rows of four neighbours each,
 * one load: the operand is framed, and coordinates are brought inside first.
 * Every instruction set; chosen by filter/sample.c.
 */
typedef T F(four) __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));

/* Values at t in [0, 1) of the four cubic B-splines that overlap an interval, or of the two linear ones. */
ALWAYS void F(spline_weights)(int order, T t, T *w, int64_t step)
{
  const T sixth = (T)1 / 6, u = 1 - t, t2 = t * t, t3 = t2 * t;
  w[0] = order == 1 ? u : u * u * u * sixth;
  w[step] = order == 1 ? t : (4 - 6 * t2 + 3 * t3) * sixth;
  if (order == 1)
    return;
  w[2 * step] = (1 + 3 * t + 3 * t2 - 3 * t3) * sixth;
  w[3 * step] = t3 * sixth;
}

/* Axis A, -1: an axis of one element. */
ALWAYS void F(sample_axis)(const int order, const cpu_samples *s, int a, int64_t n, const double *const *at, int64_t *from,
                           bool *outside, T (*w)[CPU_SAMPLES])
{
  double position[CPU_SAMPLES];
  if (a < 0) {
    for (int64_t j = 0; j < n; j++)
      w[0][j] = 1;
    return;
  }
  const int64_t step = s->step[a];
  sample_points(s->boundary, s->n[a], n, at[a], position, outside);
  IVDEP for (int64_t j = 0; j < n; j++) {
    const double base = __builtin_floor(position[j]);
    from[j] += ((int64_t)base - (order == 3)) * step;
    F(spline_weights)(order, (T)(position[j] - base), &w[0][j], CPU_SAMPLES);
  }
}

ALWAYS void F(sample_points)(const int order, const int axes, const cpu_samples *s, int64_t n, T *out, const double *const *at)
{
  const int planes = axes > 2 ? order + 1 : 1, rows = axes > 1 ? order + 1 : 1;
  const int64_t plane = axes > 2 ? s->step[0] : 0, row = axes > 1 ? s->step[axes - 2] : 0;
  T wz[4][CPU_SAMPLES], wy[4][CPU_SAMPLES], wx[4][CPU_SAMPLES], side[CPU_SAMPLES][4];
  int64_t from[CPU_SAMPLES] = { 0 };
  bool outside[CPU_SAMPLES] = { false };
  F(sample_axis)(order, s, axes > 2 ? 0 : -1, n, at, from, outside, wz);
  F(sample_axis)(order, s, axes > 1 ? axes - 2 : -1, n, at, from, outside, wy);
  F(sample_axis)(order, s, axes - 1, n, at, from, outside, wx);
  for (int64_t j = 0; j < n && order == 3; j++)
    for (int k = 0; k < 4; k++)
      side[j][k] = wx[k][j];
  for (int64_t j = 0; j < n; j++) {
    const T *p = (const T *)s->x + from[j];
    F(four) sum = { 0 };
    T line = 0;
    for (int z = 0; z < planes; z++, p += plane) {
      F(four) part = { 0 };
      T lines = 0;
      for (int y = 0; y < rows; y++)
        if (order == 1)
          lines += (p[y * row] * wx[0][j] + p[y * row + 1] * wx[1][j]) * wy[y][j];
        else
          part += *(const F(four) *)(const void *)(p + y * row) * wy[y][j];
      line += lines * wz[z][j];
      sum += part * wz[z][j];
    }
    if (order == 3) {
      sum *= *(const F(four) *)(const void *)side[j];
      line = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    out[j] = outside[j] ? (T)s->cval : line;
  }
}

/* The nearest elements. */
static void F(sample_nearest)(const cpu_samples *s, int64_t n, T *out, const double *const *at)
{
  int64_t from[CPU_SAMPLES] = { 0 };
  bool outside[CPU_SAMPLES] = { false };
  const T *x = s->x, cval = (T)s->cval;
  for (int a = 0; a < s->axes; a++)
    nearest_points(s, a, n, at[a], from, outside);
  for (int64_t j = 0; j < n; j++)
    out[j] = outside[j] ? cval : x[from[j]];
}

static void F(sample)(const cpu_samples *s, int64_t n, void *out, const double *const *at)
{
  if (s->order == 0)
    F(sample_nearest)(s, n, out, at);
  else if (s->order == 1 && s->axes == 1)
    F(sample_points)(1, 1, s, n, out, at);
  else if (s->order == 1 && s->axes == 2)
    F(sample_points)(1, 2, s, n, out, at);
  else if (s->order == 1)
    F(sample_points)(1, 3, s, n, out, at);
  else if (s->axes == 1)
    F(sample_points)(3, 1, s, n, out, at);
  else if (s->axes == 2)
    F(sample_points)(3, 2, s, n, out, at);
  else
    F(sample_points)(3, 3, s, n, out, at);
}
