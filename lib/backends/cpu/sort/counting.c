// SPDX-License-Identifier: BSD-3-Clause
/*
 * Values of so few bits that it is enough to count how often each occurs, or each of two digits. L1.
 */
#include "backends/cpu/sort/counting.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/sort/sort.h"
#include <string.h>

/* Slices from these lengths on, by bits of values: shorter ones take less time than what all values there are take. */
enum { LEAST_8 = 2048, LEAST_16 = 1 << 16, VALUES_8 = 256, VALUES_16 = 1 << 16, TABLES = 4 };

/* Indices of values of 16 bits: a word of 32 has one and the upper digit. BLOCK_KEYS: keys made at a time. */
enum { LEAST_INDICES_8 = 2048, LEAST_INDICES_16 = 1 << 15, INDEX_BITS = 24, BLOCK_KEYS = 512 };

bool cpu_counting_pays(int type, int64_t n)
{
  const int64_t size = hed__id_size(type);
  return type == HED_ID_BOOL || (size == 1 && n >= LEAST_8) || (size == 2 && n >= LEAST_16 && n < UINT32_MAX);
}

/* As many tables take turns: the same value twice in a row would wait for its own store. */
static void count_8(int64_t n, const uint8_t *x, int64_t *total)
{
  int64_t count[TABLES][VALUES_8] = { { 0 } };
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t w;
    memcpy(&w, x + i, 8);
    for (int k = 0; k < 8; k++)
      count[k % TABLES][w >> 8 * k & 255]++;
  }
  for (; i < n; i++)
    count[0][x[i]]++;
  for (int v = 0; v < VALUES_8; v++)
    total[v] = count[0][v] + count[1][v] + count[2][v] + count[3][v];
}

/* N values of TYPE in order, from the one of number FIRST on. */
static void ordered(int type, bool descending, uint32_t first, uint32_t n, void *list)
{
  uint32_t key[VALUES_8];
  const uint32_t base = descending ? UINT32_MAX - ((1u << 8 * hed__id_size(type)) - 1) : 0;
  for (uint32_t i = 0; i < n; i++)
    key[i] = base + first + i;
  cpu_sort_k->values(type, n, key, list, descending);
}

static void sort_8(int type, bool descending, int64_t n, const uint8_t *x, uint8_t *to)
{
  int64_t count[VALUES_8];
  uint8_t value[VALUES_8];
  count_8(n, x, count);
  ordered(type, descending, 0, VALUES_8, value);
  for (int k = 0; k < VALUES_8; k++) {
    memset(to, value[k], (size_t)count[value[k]]);
    to += count[value[k]];
  }
}

static void sort_bool(bool descending, int64_t n, const uint8_t *x, uint8_t *to)
{
  int64_t ones = 0;
  for (int64_t i = 0; i < n; i++)
    ones += x[i] != 0;
  const int64_t first = descending ? ones : n - ones;
  memset(to, descending, (size_t)first);
  memset(to + first, !descending, (size_t)(n - first));
}

static void put_16(uint16_t *to, uint16_t value, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    to[i] = value;
}

/* The same before END: four are written where there is room, whatever N, which most often saves a loop of its own. */
static void put_few(uint16_t *to, const uint16_t *end, uint16_t value, uint32_t n)
{
  if (n > 4 || end - to < 4) {
    put_16(to, value, n);
    return;
  }
  const uint64_t four = value * UINT64_C(0x0001000100010001);
  memcpy(to, &four, sizeof four);
}

/* COUNT has room for every value there is. */
static void sort_16(int type, bool descending, int64_t n, const uint16_t *x, uint16_t *to, uint32_t *count)
{
  const uint32_t infinite = type == HED_ID_FLOAT16 ? 0x7c00 : type == HED_ID_BFLOAT16 ? 0x7f80 : UINT16_MAX;
  const uint16_t quiet = type == HED_ID_FLOAT16 ? 0x7e00 : 0x7fc0;
  const uint16_t *const end = to + n;
  memset(count, 0, VALUES_16 * sizeof *count);
  for (int64_t i = 0; i < n; i++)
    count[x[i]]++;
  for (uint32_t first = 0; first < VALUES_16; first += VALUES_8) {
    uint16_t value[VALUES_8];
    ordered(type, descending, first, VALUES_8, value);
    for (int k = 0; k < VALUES_8; k++) {
      const uint16_t v = value[k];
      const uint32_t times = (v & 0x7fffu) > infinite ? 0 : count[v]; /* NaN is last */
      put_few(to, end, v, times);
      to += times;
    }
  }
  put_16(to, quiet, (uint32_t)(end - to));
}

void cpu_counting_sort(int type, bool descending, int64_t n, const char *x, char *to, char *scratch)
{
  if (type == HED_ID_BOOL)
    sort_bool(descending, n, (const void *)x, (void *)to);
  else if (hed__id_size(type) == 1)
    sort_8(type, descending, n, (const void *)x, (void *)to);
  else
    sort_16(type, descending, n, (const void *)x, (void *)to, (void *)scratch);
}

bool cpu_counting_indices_pay(int type, int64_t n)
{
  const int64_t size = hed__id_size(type);
  return size == 1 ? n >= LEAST_INDICES_8 && n < UINT32_MAX : size == 2 && n >= LEAST_INDICES_16 && n <= 1 << INDEX_BITS;
}

/* Counts become indices of the first; two tables took turns. */
static void begin_digits(uint32_t (*count)[VALUES_8])
{
  uint32_t at = 0;
  for (int d = 0; d < VALUES_8; d++) {
    const uint32_t c = count[0][d] + count[1][d];
    count[0][d] = at;
    at += c;
  }
}

void cpu_counting_indices(int type, bool descending, int64_t n, const char *x, uint64_t *indices, uint32_t *spare)
{
  const int64_t size = hed__id_size(type);
  const uint32_t index = (1u << INDEX_BITS) - 1;
  uint32_t low[2][VALUES_8] = { { 0 } }, high[2][VALUES_8] = { { 0 } }, key[BLOCK_KEYS];
  for (int64_t i = 0; i < n; i += BLOCK_KEYS) {
    const int64_t m = CPU_MIN(n - i, BLOCK_KEYS);
    cpu_sort_k->keys(type, m, x + i * size, key, descending, true);
    for (int64_t k = 0; k < m; k++)
      low[k & 1][key[k] & 255]++;
    for (int64_t k = 0; k < m && size == 2; k++)
      high[k & 1][key[k] >> 8 & 255]++;
  }
  begin_digits(low);
  begin_digits(high);
  for (int64_t i = 0; i < n; i += BLOCK_KEYS) {
    const int64_t m = CPU_MIN(n - i, BLOCK_KEYS);
    cpu_sort_k->keys(type, m, x + i * size, key, descending, true);
    if (size == 1)
      for (int64_t k = 0; k < m; k++)
        indices[low[0][key[k] & 255]++] = (uint64_t)(i + k);
    else
      for (int64_t k = 0; k < m; k++)
        spare[low[0][key[k] & 255]++] = (key[k] >> 8 & 255) << INDEX_BITS | (uint32_t)(i + k);
  }
  for (int64_t i = 0; i < n && size == 2; i++)
    indices[high[0][spare[i] >> INDEX_BITS]++] = spare[i] & index;
}
