// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of the elements that are not NaN; included by reduce.c alone, after reduce.h. What is summed is the vector with 0 in the
 * place of NaN.
 * Every instruction set; nansum of contiguous slices and of columns.
 */
/* V with 0 where it or W is NaN. */
#if defined __AVX512F__
static inline vf without_nan_f32(vf v, vf w)
{
  return (vf)_mm512_maskz_mov_ps(_mm512_cmp_ps_mask((__m512)v, (__m512)w, _CMP_ORD_Q), (__m512)v);
}

static inline vd without_nan_f64(vd v, vd w)
{
  return (vd)_mm512_maskz_mov_pd(_mm512_cmp_pd_mask((__m512d)v, (__m512d)w, _CMP_ORD_Q), (__m512d)v);
}
#else
static inline vf without_nan_f32(vf v, vf w) { return (vf)((lanes_i32)v & ((lanes_i32)(v == v) & (lanes_i32)(w == w))); }
static inline vd without_nan_f64(vd v, vd w) { return (vd)((lanes_i64)v & ((lanes_i64)(v == v) & (lanes_i64)(w == w))); }
#endif

/* The parts of each complex number exchanged. */
#if defined __AVX512F__
static inline vf exchanged_f32(vf v) { return (vf)_mm512_permute_ps((__m512)v, 0xb1); }
static inline vd exchanged_f64(vd v) { return (vd)_mm512_permute_pd((__m512d)v, 0x55); }
#elif defined __AVX__
static inline vf exchanged_f32(vf v) { return (vf)_mm256_permute_ps((__m256)v, 0xb1); }
static inline vd exchanged_f64(vd v) { return (vd)_mm256_permute_pd((__m256d)v, 0x5); }
#else
static inline vf exchanged_f32(vf v) { return SHUFFLE(vf, v, ((lanes_i32){ 1, 0, 3, 2 })); }
static inline vd exchanged_f64(vd v) { return SHUFFLE(vd, v, ((lanes_i64){ 1, 0 })); }
#endif

static inline vf numbers_f32(vf v) { return without_nan_f32(v, v); }
static inline vd numbers_f64(vd v) { return without_nan_f64(v, v); }
static inline vf numbers_c64(vf v) { return without_nan_f32(v, exchanged_f32(v)); }
static inline vd numbers_c128(vd v) { return without_nan_f64(v, exchanged_f64(v)); }

#define REAL_NUMBER(p, j) (*(p) == *(p) ? *(p) : 0)
#define COMPLEX_NUMBER(p, j) (*(p) == *(p) && (p)[(j) & 1 ? -1 : 1] == (p)[(j) & 1 ? -1 : 1] ? *(p) : 0)

SUM_BLOCKS(sum_skipnan_all_f32, f32, float, vf, numbers_f32)
SUM_BLOCKS(sum_skipnan_all_f64, f64, double, vd, numbers_f64)
SUM_BLOCKS(sum_skipnan_all_c64, f32, float, vf, numbers_c64)
SUM_BLOCKS(sum_skipnan_all_c128, f64, double, vd, numbers_c128)
SUMS(sum_skipnan, f32)
SUMS(sum_skipnan, f64)

COL_SUM(col_sum_skipnan_f32, f32, float, vf, numbers_f32, REAL_NUMBER)
COL_SUM(col_sum_skipnan_f64, f64, double, vd, numbers_f64, REAL_NUMBER)
COL_SUM(col_sum_parts_c64, f32, float, vf, numbers_c64, COMPLEX_NUMBER)
COL_SUM(col_sum_parts_c128, f64, double, vd, numbers_c128, COMPLEX_NUMBER)

#define NUMBER_PAIRS(S, T)                                                                       \
  static void sum_skipnan_##S(int64_t n, const void *x, double *sum)                             \
  {                                                                                              \
    sum_skipnan_all_##S(2 * n, x, &sum[0], &sum[1]);                                             \
  }                                                                                              \
  static void col_sum_skipnan_##S(int64_t rows, int64_t n, const char *x, int64_t step, double *acc) \
  {                                                                                              \
    col_sum_parts_##S(rows, 2 * n, x, step, acc);                                                \
  }
NUMBER_PAIRS(c64, float)
NUMBER_PAIRS(c128, double)
