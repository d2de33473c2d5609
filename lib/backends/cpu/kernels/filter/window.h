// SPDX-License-Identifier: BSD-3-Clause
/*
 * Extremes and ranks of windows of one type; filter.c includes this once per type with T, S (its suffix) and SPOILS (is a
 * value a NaN?) defined. L1.
 * Every instruction set; contiguous windows, for maximum_filter, minimum_filter and median_filter.
 */
#define MORE(a, b) (((a) > (b)) | SPOILS(a) ? (a) : (b))
#define LESS(a, b) (((a) < (b)) | SPOILS(a) ? (a) : (b))

/* What is new comes first: compilers see through that form only. */
#define EXTREME(NAME, BEST)                                                                              \
  static void F(NAME)(int64_t n, void *out, const void *x, int count, const int64_t *at)                 \
  {                                                                                                      \
    T *to = out;                                                                                         \
    const T *v = (const T *)x + at[0], *v1 = (const T *)x + at[1];                                       \
    const T *v2 = (const T *)x + at[count > 2 ? 2 : 1], *v3 = (const T *)x + at[count > 3 ? 3 : 1];      \
    if (count == 2) {                                                                                    \
      IVDEP for (int64_t i = 0; i < n; i++) {                                                            \
        const T a = v[i], b = v1[i];                                                                     \
        to[i] = BEST(a, b);                                                                              \
      }                                                                                                  \
      return;                                                                                            \
    }                                                                                                    \
    if (count == 3) {                                                                                    \
      IVDEP for (int64_t i = 0; i < n; i++) {                                                            \
        const T a = v[i], b = v1[i], c = v2[i], ab = BEST(a, b);                                         \
        to[i] = BEST(c, ab);                                                                             \
      }                                                                                                  \
      return;                                                                                            \
    }                                                                                                    \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                              \
      const T a = v[i], b = v1[i], c = v2[i], d = v3[i], ab = BEST(a, b), abc = BEST(c, ab);             \
      to[i] = BEST(d, abc);                                                                              \
    }                                                                                                    \
  }
EXTREME(largest, MORE)
EXTREME(least, LESS)

/* Windows side by side, one in each lane of rows that exchange what is out of order. */
static void F(select)(int64_t n, void *out, const void *x, const cpu_network *net, const int64_t *at, void *spare)
{
  enum { LANES = CPU_NETWORK_ROW / sizeof(T) };
  T *to = out, *rows = spare;
  for (int64_t i = 0; i < n; i += LANES) {
    for (int32_t k = 0; k < net->width; k++)
      memcpy(rows + k * LANES, (const T *)x + i + at[k], CPU_NETWORK_ROW);
    for (int32_t e = 0; e < net->count; e++) {
      T *low = rows + net->exchange[e].low * LANES, *high = rows + net->exchange[e].high * LANES;
      switch (net->exchange[e].kind) {
      case CPU_EXCHANGE:
        IVDEP for (int j = 0; j < LANES; j++) {
          const T a = low[j], b = high[j];
          low[j] = a < b ? a : b;
          high[j] = a > b ? a : b;
        }
        break;
      case CPU_EXCHANGE_LOW:
        IVDEP for (int j = 0; j < LANES; j++) {
          const T a = low[j], b = high[j];
          low[j] = a < b ? a : b;
        }
        break;
      default:
        IVDEP for (int j = 0; j < LANES; j++) {
          const T a = low[j], b = high[j];
          high[j] = a > b ? a : b;
        }
      }
    }
    memcpy(to + i, rows + net->rank * LANES, (size_t)(n - i < LANES ? n - i : LANES) * sizeof(T));
  }
}

#undef MORE
#undef LESS
#undef EXTREME
