// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of products of windows with weights, of one type; filter.c includes this once per type with T, S (its suffix) and
 * MULADD defined. L1.
 *
 * Several vectors of sums stay in registers while all weights go by. Parts of complex numbers stay interleaved: one sum is of
 * real parts of weights, another of imaginary ones, and only the ends are put together.
 * Every instruction set; contiguous windows, for correlate1d and convolve_direct.
 */
#define V F(vec)
#define LANES ((int64_t)(CPU_VECTOR / sizeof(T)))
#define TAKE(p) ((V)*(const F(loose) *)(const void *)(p))

typedef T F(vec) __attribute__((vector_size(CPU_VECTOR)));
typedef T F(loose) __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));

/* R vectors of sums. */
ALWAYS void F(sums)(const int r, T *to, const T *x, int64_t rows, const int64_t *at, int64_t taps, const T *w)
{
  V sum[8];
#pragma GCC unroll 8
  for (int k = 0; k < r; k++)
    sum[k] = (V){ 0 };
  for (int64_t q = 0; q < rows; q++) {
    const T *v = x + at[q];
    for (int64_t t = 0; t < taps; t++) {
      const V factor = w[q * taps + t] - (V){ 0 };
#pragma GCC unroll 8
      for (int k = 0; k < r; k++)
        sum[k] = MULADD(sum[k], TAKE(v + t + k * LANES), factor);
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < r; k++)
    memcpy(to + k * LANES, &sum[k], CPU_VECTOR);
}

static void F(products)(int64_t n, void *out, const void *x, int64_t rows, const int64_t *at, int64_t taps, const void *w)
{
  T *to = out, last[CPU_VECTOR / sizeof(T)];
  const T *v = x;
  int64_t i = 0;
  for (; i + 8 * LANES <= n; i += 8 * LANES)
    F(sums)(8, to + i, v + i, rows, at, taps, w);
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    F(sums)(4, to + i, v + i, rows, at, taps, w);
  for (; i + 2 * LANES <= n; i += 2 * LANES)
    F(sums)(2, to + i, v + i, rows, at, taps, w);
  for (; i < n; i += LANES) {
    F(sums)(1, last, v + i, rows, at, taps, w);
    memcpy(to + i, last, (size_t)(n - i < LANES ? n - i : LANES) * sizeof(T));
  }
}

#ifdef PAIRS
ALWAYS void F(complex_sums)(const int r, T *to, const T *x, int64_t rows, const int64_t *at, int64_t taps, const T *w)
{
  V plain[4], cross[4];
#pragma GCC unroll 4
  for (int k = 0; k < r; k++)
    plain[k] = cross[k] = (V){ 0 };
  for (int64_t q = 0; q < rows; q++) {
    const T *v = x + 2 * at[q];
    for (int64_t t = 0; t < taps; t++) {
      const T *factor = w + 2 * (q * taps + t);
      const V re = factor[0] - (V){ 0 }, im = factor[1] - (V){ 0 };
#pragma GCC unroll 4
      for (int k = 0; k < r; k++) {
        const V e = TAKE(v + 2 * t + k * LANES);
        plain[k] = MULADD(plain[k], e, re);
        cross[k] = MULADD(cross[k], e, im);
      }
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < r; k++) {
    T turned[CPU_VECTOR / sizeof(T)];
    memcpy(turned, &cross[k], sizeof turned);
    memcpy(to + k * LANES, &plain[k], CPU_VECTOR);
    for (int64_t j = k * LANES, i = 0; i < LANES; i += 2) {
      to[j + i] -= turned[i + 1];
      to[j + i + 1] += turned[i];
    }
  }
}

/* The same of complex numbers; N, AT and TAPS count those. */
static void F(complex_products)(int64_t n, void *out, const void *x, int64_t rows, const int64_t *at, int64_t taps, const void *w)
{
  T *to = out, last[CPU_VECTOR / sizeof(T)];
  const T *v = x;
  int64_t i = 0;
  for (; i + 4 * LANES <= 2 * n; i += 4 * LANES)
    F(complex_sums)(4, to + i, v + i, rows, at, taps, w);
  for (; i < 2 * n; i += LANES) {
    F(complex_sums)(1, last, v + i, rows, at, taps, w);
    memcpy(to + i, last, (size_t)(2 * n - i < LANES ? 2 * n - i : LANES) * sizeof(T));
  }
}
#endif

#undef V
#undef LANES
#undef TAKE
