// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of float16 and bfloat16, converted in registers, as those of float32 go; included by reduce.c alone, after
 * reduce.h and skipnan.h.
 * AVX2 with F16C and AVX-512; contiguous slices and rows of contiguous columns.
 */
#if defined __AVX512F__
static inline vf LOAD_f16(const void *p) { return (vf)_mm512_cvtph_ps(_mm256_loadu_si256(p)); }
static inline vf LOAD_bf16(const void *p)
{
  return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p)), 16);
}
#else
static inline vf LOAD_f16(const void *p) { return (vf)_mm256_cvtph_ps(_mm_loadu_si128(p)); }
static inline vf LOAD_bf16(const void *p) { return (vf)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16); }
#endif
enum { LANES_f16 = VECTOR / 4, LANES_bf16 = VECTOR / 4 };

#define HALF_SUMS(S)                                                                             \
  static inline vf tail_##S(const uint16_t *x, int64_t n)                                        \
  {                                                                                              \
    uint16_t t[LANES_##S] = { 0 };                                                               \
    for (int64_t i = 0; i < n; i++)                                                              \
      t[i] = x[i];                                                                               \
    return LOAD_##S(t);                                                                          \
  }                                                                                              \
  static inline vd widened_##S(vf a) { return widened_f32(a); }                                  \
  static inline void col_add_##S(double *acc, vf v) { col_add_f32(acc, v); }                     \
  SUM_BLOCKS(sum_all_##S, S, uint16_t, vf, AS_IT_IS)                                             \
  SUM_BLOCKS(sum_skipnan_all_##S, S, uint16_t, vf, numbers_f32)                                  \
  SUMS(sum, S)                                                                                   \
  SUMS(sum_skipnan, S)
HALF_SUMS(f16)
HALF_SUMS(bf16)

/* Columns that fill vectors as those of float32, whose loop is left none that do not: those are the end of a vector that overlaps,
 * if there is one. */
#define HALF_COLUMNS(FN, S, OF)                                                                  \
  COL_SUM(FN##_filled_##S, S, uint16_t, vf, OF, THE_ONE)                                         \
  static void FN##_##S(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)        \
  {                                                                                              \
    enum { W = LANES_##S };                                                                      \
    const int64_t last = n % W, over = n - last, skipped = over ? W - last : 0;                  \
    FN##_filled_##S(rows, over, x, step, acc);                                                   \
    x += (over - skipped) * 2;                                                                   \
    for (int64_t r = 0; r < rows && last; r += COL_ROWS) {                                       \
      const int64_t some = rows - r < COL_ROWS ? rows - r : COL_ROWS;                            \
      vf a = { 0 };                                                                              \
      double lane[W];                                                                            \
      for (int64_t k = 0; k < some; k++, x += step)                                              \
        a += OF(over ? LOAD_##S(x) : tail_##S((const uint16_t *)(const void *)x, last));         \
      *(vd *)(void *)lane = lower(a);                                                            \
      *(vd *)(void *)(lane + W / 2) = upper(a);                                                  \
      for (int64_t k = 0; k < last; k++)                                                         \
        acc[over + k] += lane[skipped + k];                                                      \
    }                                                                                            \
  }
HALF_COLUMNS(col_sum, f16, AS_IT_IS)
HALF_COLUMNS(col_sum, bf16, AS_IT_IS)
HALF_COLUMNS(col_sum_skipnan, f16, numbers_f32)
HALF_COLUMNS(col_sum_skipnan, bf16, numbers_f32)
