// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops of template matching: score normalisation, running maximum, spline resampling of one row;
 * included by kernels.c alone.
 *
 * A cubic sample in 3-D is 16 products of 4 neighbours with 4 weights: neighbours along the last axis
 * are one unaligned load, so no gathers are needed. Weights are computed for blocks of 64 elements.
 * Every instruction set; contiguous float32 and complex64.
 */
static void scale_f32(int64_t n, float *x, float scale)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    x[i] *= scale;
}

static void scale_f64(int64_t n, double *x, double scale)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    x[i] *= scale;
}

static inline float norm_one(float x, float exp_sq, float sq_exp, float n_obs, float eps)
{
  float mean = sq_exp / n_obs, v = exp_sq / n_obs - mean * mean;
  v = v > 0 ? v : 0; /* a NaN counts as no variance */
  float s = __builtin_sqrtf(v), y = x / (s * n_obs);
  return s < eps ? 0 : y;
}

static void norm_scores(int64_t n, float *out, const float *x, int64_t xs, const float *exp_sq,
                        const float *sq_exp, float n_obs, float eps)
{
  if (xs == 0) {
    const float a = *x;
    IVDEP for (int64_t i = 0; i < n; i++)
      out[i] = norm_one(a, exp_sq[i], sq_exp[i], n_obs, eps);
    return;
  }
  IVDEP for (int64_t i = 0; i < n; i++)
    out[i] = norm_one(x[i], exp_sq[i], sq_exp[i], n_obs, eps);
}

#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { WIDE = CPU_VECTOR / 4 };

/* WIDE scores. Late in a search few improve: what stays is read only, and its rotation not at all unless scores tie. 1 when
 * it was. */
static inline __attribute__((always_inline)) int max_vector(const float *s, float *m, int32_t *r, int32_t index)
{
#ifdef __AVX512F__
  const __m512 a = _mm512_loadu_ps(s), b = _mm512_loadu_ps(m);
  const __mmask16 more = _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), same = _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
  if (!(more | same))
    return 0;
  const __m512i i = _mm512_set1_epi32(index);
  const __mmask16 better = more | _mm512_mask_cmplt_epi32_mask(same, i, _mm512_loadu_si512(r));
  if (better) {
    _mm512_mask_storeu_ps(m, better, a);
    _mm512_mask_storeu_epi32(r, better, i);
  }
  return 1;
#else
  int32_t any = 0;
  for (int j = 0; j < WIDE; j++)
    any |= s[j] >= m[j];
  if (!any)
    return 0;
  int32_t take[WIDE];
  any = 0;
  for (int j = 0; j < WIDE; j++) {
    take[j] = (s[j] > m[j]) | ((s[j] == m[j]) & (index < r[j]));
    any |= take[j];
  }
  if (!any)
    return 1;
  for (int j = 0; j < WIDE; j++) {
    m[j] = take[j] ? s[j] : m[j];
    r[j] = take[j] ? index : r[j];
  }
  return 1;
#endif
}

static void max_score(int64_t n, const float *s, float *m, int32_t *r, int32_t index)
{
  int64_t i = 0;
  for (; i + WIDE <= n; i += WIDE)
    max_vector(s + i, m + i, r + i, index);
  for (; i < n; i++)
    if (s[i] > m[i] || (s[i] == m[i] && index < r[i])) {
      m[i] = s[i];
      r[i] = index;
    }
}

static int64_t max_columns(int64_t rows, int64_t count, const float *s, int64_t step, float *m, int32_t *r, int64_t row,
                           int32_t index)
{
  int64_t looked = 0;
  for (int64_t i = 0; i < rows && count == WIDE; i++)
    looked += max_vector(s + i * step, m + i * row, r + i * row, index);
  for (int64_t i = 0; i < rows && count < WIDE; i++)
    max_score(count, s + i * step, m + i * row, r + i * row, index);
  return looked;
}

static void max_score_pair(int64_t n, const cpu_complex_f *s, int part, float *m, int32_t *r, int32_t index)
{
  enum { BLOCK = 512 };
  float one[BLOCK];
  for (int64_t i = 0; i < n; i += BLOCK) {
    const int64_t k = n - i < BLOCK ? n - i : BLOCK;
    const float *from = &s[i].re + part;
    IVDEP for (int64_t j = 0; j < k; j++)
      one[j] = from[2 * j];
    max_score(k, one, m + i, r + i, index);
  }
}

static void pack_pair(int64_t n, cpu_complex_f *out, const cpu_complex_f *a, const cpu_complex_f *b)
{
  if (!b) {
    memcpy(out, a, (size_t)n * sizeof *out);
    return;
  }
  IVDEP for (int64_t i = 0; i < n; i++)
    out[i] = (cpu_complex_f){ a[i].re - b[i].im, a[i].im + b[i].re };
}

static void pack_image(int64_t n, cpu_complex_f *end, const cpu_complex_f *a, const cpu_complex_f *b)
{
  if (!b) {
    for (int64_t i = 0; i < n; i++)
      end[-i] = (cpu_complex_f){ a[i].re, -a[i].im };
    return;
  }
  IVDEP for (int64_t i = 0; i < n; i++)
    end[-i] = (cpu_complex_f){ a[i].re + b[i].im, b[i].re - a[i].im };
}

enum { ROW_BLOCK = 64 };

static void affine1(int64_t n, float *out, const cpu_affine_row *row)
{
  const int64_t sy = row->dim[2], sz = row->dim[1] * row->dim[2];
  /* An axis of extent 1 is sampled at its only element. */
  const int64_t dz = row->dim[0] > 1 ? sz : 0, dy = row->dim[1] > 1 ? sy : 0;
  for (int64_t b = 0; b < n; b += ROW_BLOCK) {
    int64_t m = n - b < ROW_BLOCK ? n - b : ROW_BLOCK, at[ROW_BLOCK];
    float t[3][ROW_BLOCK];
    for (int64_t j = 0; j < m; j++)
      at[j] = 0;
    for (int a = 0; a < 3; a++) {
      const int64_t step = a == 0 ? sz : a == 1 ? sy : 1;
      for (int64_t j = 0; j < m; j++) {
        double c = row->start[a] + (double)(row->first + b + j) * row->step[a], f = __builtin_floor(c);
        t[a][j] = (float)(c - f);
        at[j] += (int64_t)f * step;
      }
    }
    for (int64_t j = 0; j < m; j++) {
      const float *p = row->coef + at[j];
      float tx = t[2][j], ty = t[1][j], tz = t[0][j];
      float a0 = p[0] + (p[1] - p[0]) * tx, a1 = p[dy] + (p[dy + 1] - p[dy]) * tx;
      p += dz;
      float b0 = p[0] + (p[1] - p[0]) * tx, b1 = p[dy] + (p[dy + 1] - p[dy]) * tx;
      a0 += (a1 - a0) * ty;
      b0 += (b1 - b0) * ty;
      out[b + j] = a0 + (b0 - a0) * tz;
    }
  }
}

typedef float v4 __attribute__((vector_size(16), aligned(4)));

/* Values at t in [0, 1) of the four cubic B-splines that overlap an interval. */
static inline void cubic_weights(float t, float *w0, float *w1, float *w2, float *w3)
{
  const float sixth = 1.0f / 6, u = 1 - t, t2 = t * t, t3 = t2 * t;
  *w0 = u * u * u * sixth;
  *w1 = (4 - 6 * t2 + 3 * t3) * sixth;
  *w2 = (1 + 3 * t + 3 * t2 - 3 * t3) * sixth;
  *w3 = t3 * sixth;
}

static void affine3(int64_t n, float *out, const cpu_affine_row *row)
{
  const int64_t sy = row->dim[2], sz = row->dim[1] * row->dim[2];
  const int nz = row->dim[0] > 1 ? 4 : 1, ny = row->dim[1] > 1 ? 4 : 1;
  for (int64_t b = 0; b < n; b += ROW_BLOCK) {
    int64_t m = n - b < ROW_BLOCK ? n - b : ROW_BLOCK, at[ROW_BLOCK];
    float w[3][4][ROW_BLOCK], wx[ROW_BLOCK][4];
    for (int64_t j = 0; j < m; j++)
      at[j] = 0;
    for (int a = 0; a < 3; a++) {
      const int64_t step = a == 0 ? sz : a == 1 ? sy : 1;
      if (row->dim[a] == 1) {
        for (int64_t j = 0; j < m; j++)
          w[a][0][j] = 1;
        continue;
      }
      IVDEP for (int64_t j = 0; j < m; j++) {
        double c = row->start[a] + (double)(row->first + b + j) * row->step[a], f = __builtin_floor(c);
        cubic_weights((float)(c - f), &w[a][0][j], &w[a][1][j], &w[a][2][j], &w[a][3][j]);
        at[j] += ((int64_t)f - 1) * step;
      }
    }
    for (int64_t j = 0; j < m; j++)
      for (int k = 0; k < 4; k++)
        wx[j][k] = w[2][k][j];
    for (int64_t j = 0; j < m; j++) {
      const float *p = row->coef + at[j];
      const v4 x = *(const v4 *)(const void *)wx[j];
      v4 sum = { 0 };
      for (int z = 0; z < nz; z++, p += sz) {
        v4 plane = { 0 };
        for (int y = 0; y < ny; y++)
          plane += *(const v4 *)(const void *)(p + y * sy) * w[1][y][j];
        sum += plane * w[0][z][j];
      }
      sum *= x;
      out[b + j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
}
