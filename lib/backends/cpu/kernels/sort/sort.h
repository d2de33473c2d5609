// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops of sorting that are compiled once per instruction set, like those of kernels.h. L1.
 *
 * Values become unsigned keys of 32 bits (types up to 32 bits) or 64 that order as they do, NaN last in both directions.
 */
#ifndef HED_BACKENDS_CPU_KERNELS_SORT_H
#define HED_BACKENDS_CPU_KERNELS_SORT_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_SORT_ROW = 64, CPU_SORT_INDICES = 256 };

typedef struct cpu_sort_kernels {
  /* Keys of N contiguous values of TYPE; KEY may be X itself where the sizes agree. MERGE_ZEROS: -0 and 0 are equal. */
  void (*keys)(int type, int64_t n, const void *x, void *key, bool descending, bool merge_zeros);
  /* Back, without merged zeros; OUT may be KEY. */
  void (*values)(int type, int64_t n, const void *key, void *out, bool descending);
  /* Ascending, in place; SPARE is as long as the list. */
  void (*sort_u32)(int64_t n, uint32_t *list, uint32_t *spare);
  void (*sort_u64)(int64_t n, uint64_t *list, uint64_t *spare);
  /* Words of FROM up to PIVOT go to the front of TO, the others behind them; how many are in front. N is 8 at least. */
  int64_t (*divide_u32)(const uint32_t *from, uint32_t *to, int64_t n, uint32_t pivot);
  int64_t (*divide_u64)(const uint64_t *from, uint64_t *to, int64_t n, uint64_t pivot);
  /* WORD[0]: the one at index K of the list in order; WORD[1]: the one at K + 1, the same where there is none. LIST and
   * SPARE, which is as long, are left in any state. */
  void (*select_u32)(int64_t n, uint32_t *list, uint32_t *spare, int64_t k, uint32_t *word);
  void (*select_u64)(int64_t n, uint64_t *list, uint64_t *spare, int64_t k, uint64_t *word);
  /* Appends the indices i of keys below LIMIT, plus FIRST, to INDICES, which has room for N + 16; how many. */
  int64_t (*below_u32)(int64_t n, const uint32_t *key, uint32_t limit, int64_t first, uint64_t *indices);
  int64_t (*below_u64)(int64_t n, const uint64_t *key, uint64_t limit, int64_t first, uint64_t *indices);
  /* Of N words: COUNT[0], how many are below LOW; those from LOW to HIGH to MID, which has room for N + 16; COUNT[1], how many. */
  void (*between_u32)(int64_t n, const uint32_t *key, uint32_t low, uint32_t high, uint32_t *mid, int64_t *count);
  void (*between_u64)(int64_t n, const uint64_t *key, uint64_t low, uint64_t high, uint64_t *mid, int64_t *count);
  /* The same, and those below and above to lists that have as much room; all in the order in which they lie. */
  void (*partition3_u32)(int64_t n, const uint32_t *key, uint32_t low, uint32_t high, uint32_t *below, uint32_t *mid, uint32_t *above,
                    int64_t *count);
  void (*partition3_u64)(int64_t n, const uint64_t *key, uint64_t low, uint64_t high, uint64_t *below, uint64_t *mid, uint64_t *above,
                    int64_t *count);
  /* Their indices plus FIRST. */
  void (*partition3_indices_u32)(int64_t n, const uint32_t *key, uint32_t low, uint32_t high, int64_t first, uint64_t *below,
                           uint64_t *mid, uint64_t *above, int64_t *count);
  void (*partition3_indices_u64)(int64_t n, const uint64_t *key, uint64_t low, uint64_t high, int64_t first, uint64_t *below,
                           uint64_t *mid, uint64_t *above, int64_t *count);
  /* How many of N ordered contiguous values are below each of M queries, or not above when RIGHT; N from 1 to 2^30. NULL in sets
   * that have no loop of their own. */
  void (*search_f32)(int64_t n, const float *s, int64_t m, const float *v, int64_t *at, bool right);
  void (*search_f64)(int64_t n, const double *s, int64_t m, const double *v, int64_t *at, bool right);
  void (*search_i32)(int64_t n, const int32_t *s, int64_t m, const int32_t *v, int64_t *at, bool right);
  void (*search_i64)(int64_t n, const int64_t *s, int64_t m, const int64_t *v, int64_t *at, bool right);
  /* INDICES gets the first FIRST of 0 to N - 1 by ascending key, equal keys by index; N up to 2^32. It has room for N words, of
   * which the others are of no use. SPARE is as long. */
  void (*argsort_u32)(int64_t n, int64_t first, const uint32_t *key, uint64_t *indices, uint64_t *spare);
  void (*argsort_u64)(int64_t n, int64_t first, const uint64_t *key, uint64_t *indices, uint64_t *spare);
  /* Keys as wide as their values, in place of them, and back. Was one of them -0? */
  bool (*own_keys)(int type, int64_t n, void *x, bool descending, bool merge_zeros);
  void (*own_values)(int type, int64_t n, void *key, bool descending);
  /* Lanes of N words of 1, 2, 4 and 8 bytes that lie side by side in rows of CPU_SORT_ROW bytes: each ascending, in place. */
  void (*network[4])(int64_t n, void *word);
  /* The same for the indices of such keys, equal keys by index; N up to CPU_SORT_INDICES. There are half as many lanes but of
   * keys of 8 bytes. SPARE has 2 N rows. */
  void (*network_indices[4])(int64_t n, const void *key, int64_t *index, void *spare);
  /* Up to so many words or keys that is faster than one lane after the other. */
  int32_t network_most[4], network_indices_most[4];
  /* bin[i] = (x[i] - low) * scale, cut, where that is in [0, BINS) and its fraction within HALF of 1/2, else -1; how many are -1.
   * BINS is below 2^31. */
  int64_t (*even_bins)(int64_t n, const double *x, double low, double scale, double bins, double half, int64_t *bin);
  const struct cpu_split_loops *split;
} cpu_sort_kernels;

/* How N values lie about LOW and HIGH; those between them, without equals, go to OUT, which has room for N + 16. */
typedef struct cpu_split {
  int64_t below, at_low, between, at_high, nan; /* LOW is HIGH: at_low */
} cpu_split;
typedef struct cpu_split_loops {
  void (*f32)(int64_t n, const float *x, float low, float high, float *out, cpu_split *s);
  void (*f64)(int64_t n, const double *x, double low, double high, double *out, cpu_split *s);
} cpu_split_loops;
extern const cpu_split_loops cpu_split_loops_base, cpu_split_loops_avx2, cpu_split_loops_avx512;

extern const cpu_sort_kernels cpu_sort_kernels_base, cpu_sort_kernels_avx2, cpu_sort_kernels_avx512;

/* The set in use; chosen in the entry function. */
extern const cpu_sort_kernels *cpu_sort_k;

#endif
