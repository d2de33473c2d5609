// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elements that take turns, dealt to rows of their own; included by copy.c alone.
 *
 * With a constant number of rows the compiler makes shuffles of 2, 3, 4, 8 and 16 of them; other numbers go one element at a
 * time.
 * Every instruction set; for reductions over a short last axis (reduce/deinterleave.h).
 */
#define DEAL_SOME(T, K)                                                                                                \
  case K: {                                                                                                            \
    T *row[K];                                                                                                         \
    for (int j = 0; j < K; j++)                                                                                        \
      row[j] = (T *)(void *)(to + j * to_step);                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++)                                                                              \
      UNROLL for (int j = 0; j < K; j++)                                                                               \
        row[j][i] = x[i * K + j];                                                                                      \
    break;                                                                                                             \
  }
#define DEINTERLEAVE(BYTES, T)                                                                                         \
  static void deinterleave_##BYTES(int64_t n, int32_t k, char *to, int64_t to_step, const char *from)                  \
  {                                                                                                                    \
    const T *x = (const T *)(const void *)from;                                                                        \
    switch (k) {                                                                                                       \
      DEAL_SOME(T, 2)                                                                                                  \
      DEAL_SOME(T, 3)                                                                                                  \
      DEAL_SOME(T, 4)                                                                                                  \
      DEAL_SOME(T, 5)                                                                                                  \
      DEAL_SOME(T, 6)                                                                                                  \
      DEAL_SOME(T, 7)                                                                                                  \
      DEAL_SOME(T, 8)                                                                                                  \
      DEAL_SOME(T, 16)                                                                                                 \
    default:                                                                                                           \
      for (int32_t j = 0; j < k; j++) {                                                                                \
        T *row = (T *)(void *)(to + j * to_step);                                                                      \
        IVDEP for (int64_t i = 0; i < n; i++)                                                                          \
          row[i] = x[i * k + j];                                                                                       \
      }                                                                                                                \
    }                                                                                                                  \
  }
DEINTERLEAVE(1, uint8_t)
DEINTERLEAVE(2, uint16_t)
DEINTERLEAVE(4, uint32_t)
DEINTERLEAVE(8, word64)
DEINTERLEAVE(16, wide)
#undef DEINTERLEAVE
#undef DEAL_SOME
