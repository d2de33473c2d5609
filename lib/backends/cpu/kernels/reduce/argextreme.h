// SPDX-License-Identifier: BSD-3-Clause
/*
 * Indices of extremes of columns; included by reduce.c alone, after reduce.h.
 *
 * A vector of columns keeps in lanes as wide as the elements which row was more than all before.
 * AVX2 and AVX-512; rows of contiguous columns, where argmax and argmin go over an outer axis.
 */

/* I: integers of T's width. */
#define COL_PLACE(FN, S, T, I, OP)                                                               \
  static void FN##_##S(int64_t rows, int64_t n, const char *x, int64_t step, void *best, int64_t *at, int64_t from) \
  {                                                                                              \
    typedef T elements __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));      \
    typedef I words __attribute__((vector_size(VECTOR)));                                        \
    enum { W = VECTOR / sizeof(T), MOST = INT8_MAX /* what the narrowest lanes hold */ };        \
    T *b = best;                                                                                 \
    for (int64_t some; rows > 0; rows -= some, x += some * step, from += some) {                 \
      int64_t j = 0;                                                                             \
      some = rows < MOST ? rows : MOST;                                                          \
      for (; j + W <= n; j += W) {                                                               \
        elements most = *(const elements *)(const void *)(b + j);                                \
        const char *p = x + j * (int64_t)sizeof(T);                                              \
        words row = { 0 }, index = row - 1;                                                      \
        I lane[W];                                                                               \
        for (int64_t r = 0; r < some; r++, p += step, row += 1) {                                \
          const elements v = *(const elements *)(const void *)p;                                 \
          const words more = (words)(v OP most) | ((words)(v != v) & (words)(most == most));     \
          most = (elements)(((words)v & more) | ((words)most & ~more));                          \
          index = (row & more) | (index & ~more);                                                \
        }                                                                                        \
        *(elements *)(void *)(b + j) = most;                                                     \
        memcpy(lane, &index, sizeof lane);                                                       \
        for (int k = 0; k < W; k++)                                                              \
          at[j + k] = lane[k] < 0 ? at[j + k] : from + lane[k];                                  \
      }                                                                                          \
      for (; j < n; j++) {                                                                       \
        const char *p = x + j * (int64_t)sizeof(T);                                              \
        for (int64_t r = 0; r < some; r++, p += step) {                                          \
          const T v = *(const T *)(const void *)p;                                               \
          if (v OP b[j] || (v != v && b[j] == b[j])) {                                           \
            b[j] = v;                                                                            \
            at[j] = from + r;                                                                    \
          }                                                                                      \
        }                                                                                        \
      }                                                                                          \
    }                                                                                            \
  }
#define COL_INDICES(S, T, I)                                                                      \
  COL_PLACE(col_argmax, S, T, I, >)                                                              \
  COL_PLACE(col_argmin, S, T, I, <)
COL_INDICES(f32, float, int32_t)
COL_INDICES(f64, double, int64_t)
COL_INDICES(i8, int8_t, int8_t)
COL_INDICES(i16, int16_t, int16_t)
COL_INDICES(i32, int32_t, int32_t)
COL_INDICES(i64, int64_t, int64_t)
COL_INDICES(u8, uint8_t, int8_t)
COL_INDICES(u16, uint16_t, int16_t)
COL_INDICES(u32, uint32_t, int32_t)
COL_INDICES(u64, uint64_t, int64_t)
