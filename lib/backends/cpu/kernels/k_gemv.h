// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex matrix times vector of one precision; gemv.c includes this once per precision with T (a part) and S (its suffix)
 * defined. L1.
 *
 * Parts stay interleaved: one sum of a's parts times x's, one of a's times x's swapped, and only the ends are put together.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define V F(vec)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(T)))

typedef T F(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef T F(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));

ALWAYS V F(load)(const T *p) { return (V)*(const F(loose) *)(const void *)p; }

/* R rows of K complex elements, U vectors of each at a time. */
ALWAYS void F(dots)(const int r, const int u, const cpu_gemv *g, int64_t first, const T *x, const T *swapped)
{
  const T *a[4];
  V plain[4][4], cross[4][4];
#pragma GCC unroll 4
  for (int i = 0; i < r; i++) {
    a[i] = (const T *)(const void *)(g->a + (first + i) * g->a_row);
#pragma GCC unroll 4
    for (int j = 0; j < u; j++)
      plain[i][j] = cross[i][j] = (V){ 0 };
  }
  const int64_t n = 2 * g->k;
  int64_t p = 0;
  for (; p + u * LANES <= n; p += u * LANES)
#pragma GCC unroll 4
    for (int j = 0; j < u; j++) {
      const V v = F(load)(x + p + j * LANES), w = F(load)(swapped + p + j * LANES);
#pragma GCC unroll 4
      for (int i = 0; i < r; i++) {
        const V e = F(load)(a[i] + p + j * LANES);
        plain[i][j] = MULADD(plain[i][j], e, v);
        cross[i][j] = MULADD(cross[i][j], e, w);
      }
    }
#pragma GCC unroll 4
  for (int i = 0; i < r; i++) {
    T lane[2][VECTOR_BYTES / sizeof(T)], re = 0, im = 0;
#pragma GCC unroll 4
    for (int j = 1; j < u; j++) {
      plain[i][0] += plain[i][j];
      cross[i][0] += cross[i][j];
    }
    memcpy(lane[0], &plain[i][0], sizeof lane[0]);
    memcpy(lane[1], &cross[i][0], sizeof lane[1]);
    for (int64_t q = 0; q < LANES; q += 2) {
      re += lane[0][q] - lane[0][q + 1];
      im += lane[1][q] + lane[1][q + 1];
    }
    for (int64_t q = p; q < n; q += 2) {
      re += a[i][q] * x[q] - a[i][q + 1] * x[q + 1];
      im += a[i][q] * x[q + 1] + a[i][q + 1] * x[q];
    }
    T *y = (T *)(void *)(g->y + (first + i) * g->y_step);
    y[0] = re;
    y[1] = im;
  }
}

static void F(rows)(const cpu_gemv *g, const void *x)
{
  const T *plain = x, *swapped = plain + 2 * g->k;
  int64_t i = 0;
  for (; i + 4 <= g->m; i += 4)
    F(dots)(4, 1, g, i, plain, swapped);
  for (; i < g->m; i++)
    F(dots)(1, 4, g, i, plain, swapped);
}

/* U vectors of the result. */
ALWAYS void F(sums)(const int u, const cpu_gemv *g, int64_t first, const T *x)
{
  const char *a = g->a + first * (int64_t)(2 * sizeof(T));
  V plain[8], cross[8];
#pragma GCC unroll 8
  for (int j = 0; j < u; j++)
    plain[j] = cross[j] = (V){ 0 };
  for (int64_t p = 0; p < g->k; p++, a += g->a_col) {
    const V re = x[2 * p] - (V){ 0 }, im = x[2 * p + 1] - (V){ 0 };
#pragma GCC unroll 8
    for (int j = 0; j < u; j++) {
      const V e = F(load)((const T *)(const void *)a + j * LANES);
      plain[j] = MULADD(plain[j], e, re);
      cross[j] = MULADD(cross[j], e, im);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < u; j++) {
    T lane[2][VECTOR_BYTES / sizeof(T)];
    memcpy(lane[0], &plain[j], sizeof lane[0]);
    memcpy(lane[1], &cross[j], sizeof lane[1]);
    for (int64_t q = 0; q < LANES; q += 2) {
      T *y = (T *)(void *)(g->y + (first + (j * LANES + q) / 2) * g->y_step);
      y[0] = lane[0][q] - lane[1][q + 1];
      y[1] = lane[0][q + 1] + lane[1][q];
    }
  }
}

static void F(columns)(const cpu_gemv *g, const void *x)
{
  const int64_t per = LANES / 2;
  const T *parts = x;
  int64_t i = 0;
  for (; i + 8 * per <= g->m; i += 8 * per)
    F(sums)(8, g, i, parts);
  for (; i + per <= g->m; i += per)
    F(sums)(1, g, i, parts);
  for (; i < g->m; i++) {
    T re = 0, im = 0;
    for (int64_t p = 0; p < g->k; p++) {
      const T *e = (const T *)(const void *)(g->a + i * (int64_t)(2 * sizeof(T)) + p * g->a_col);
      re += e[0] * parts[2 * p] - e[1] * parts[2 * p + 1];
      im += e[0] * parts[2 * p + 1] + e[1] * parts[2 * p];
    }
    T *y = (T *)(void *)(g->y + i * g->y_step);
    y[0] = re;
    y[1] = im;
  }
}

#undef NAME_
#undef NAME__
#undef F
#undef V
#undef LANES
#undef T
#undef S
#undef MULADD
