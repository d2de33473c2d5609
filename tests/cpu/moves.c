// SPDX-License-Identifier: BSD-3-Clause
/* Loops that move elements, of every instruction set that this processor has, against plain ones: rows reversed, matrices
 * transposed, also with rows of the result from the last to the first, every other
 * element, patterns and ranges. What is read and written ends at guard pages.
 */
#include "backends/cpu/kernels/move/copy.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <string.h>

static gen g;

typedef void (*turn_fn)(int64_t n, char *to, const char *from);

static void turning(const char *name, const char *where, const turn_fn *turn)
{
  for (int word = 0; word < 5; word++) {
    const size_t size = (size_t)1 << word;
    int wrong = 0;
    for (int64_t n = 1; n < 300; n++) {
      char *from = guard_alloc((size_t)n * size, size), *to = guard_alloc((size_t)n * size, size);
      gen_bytes(&g, from, (size_t)n * size);
      turn[word](n, to, from + (size_t)(n - 1) * size);
      for (int64_t i = 0; i < n; i++)
        wrong += memcmp(to + (size_t)i * size, from + (size_t)(n - 1 - i) * size, size) != 0;
      guard_free(from);
      guard_free(to);
    }
    is_int(wrong, 0, "%s: rows of %d bytes turned around%s", name, (int)size, where);
  }
}

static void transposing(const char *name, const char *where, const cpu_transpose_fn *transpose)
{
  for (int word = 0; word < 5; word++) {
    if (!transpose[word])
      continue;
    const int64_t size = (int64_t)1 << word;
    int wrong = 0;
    for (int trial = 0; trial < 150; trial++) {
      const int64_t rows = gen_int(&g, 1, trial % 10 ? 150 : 700), cols = gen_int(&g, 1, trial % 10 ? 90 : 200);
      const int64_t to_step = (cols + gen_int(&g, 0, 3)) * size, from_step = (rows + gen_int(&g, 0, 3)) * size;
      const bool back = gen_chance(&g, 50);
      const size_t to_bytes = (size_t)((rows - 1) * to_step + cols * size);
      const size_t from_bytes = (size_t)((cols - 1) * from_step + rows * size);
      char *from = guard_alloc(from_bytes, (size_t)size), *to = guard_alloc(to_bytes, (size_t)size);
      gen_bytes(&g, from, from_bytes);
      memset(to, 0x5a, to_bytes);
      transpose[word](rows, cols, to + (back ? (rows - 1) * to_step : 0), back ? -to_step : to_step, from, from_step);
      for (int64_t r = 0; r < rows; r++) {
        const char *row = to + (back ? rows - 1 - r : r) * to_step;
        for (int64_t c = 0; c < cols; c++)
          wrong += memcmp(row + c * size, from + c * from_step + r * size, (size_t)size) != 0;
        for (int64_t b = cols * size; b < to_step && row + b < to + to_bytes; b++) /* what lies between rows is left */
          wrong += row[b] != 0x5a;
      }
      guard_free(from);
      guard_free(to);
    }
    is_int(wrong, 0, "%s: matrices of %d bytes transposed%s", name, (int)size, where);
  }
}

/* Every other element, none behind the last; a pattern again and again; whole numbers that wrap around. */
static void short_loops(const char *name, const cpu_copy_kernels *k)
{
  for (int word = 0; word < 5; word++) {
    const size_t size = (size_t)1 << word;
    int wrong = 0;
    for (int64_t n = 1; n < 300; n++) {
      const size_t bytes = (size_t)(2 * n - 1) * size;
      char *from = guard_alloc(bytes, size), *to = guard_alloc((size_t)n * size, size);
      gen_bytes(&g, from, bytes);
      k->every_other[word](n, to, from);
      for (int64_t i = 0; i < n; i++)
        wrong += memcmp(to + (size_t)i * size, from + (size_t)(2 * i) * size, size) != 0;
      guard_free(from);
      guard_free(to);
    }
    is_int(wrong, 0, "%s: every other element of %d bytes", name, (int)size);
  }
  int wrong = 0;
  for (size_t bytes = 0; bytes < 400; bytes++) {
    char pattern[16], *to = guard_alloc(bytes + 1, 1);
    gen_bytes(&g, pattern, sizeof pattern);
    k->repeat_pattern((int64_t)bytes, to + 1, pattern);
    for (size_t b = 0; b < bytes; b++)
      wrong += to[1 + b] != pattern[b % sizeof pattern];
    guard_free(to);
  }
  is_int(wrong, 0, "%s: a pattern of 16 bytes again and again", name);
  for (int word = 0; word < 4; word++) {
    const size_t size = (size_t)1 << word;
    wrong = 0;
    for (int32_t n = 1; n < 300; n++) {
      const uint64_t start = gen_u64(&g), step = gen_chance(&g, 50) ? gen_u64(&g) : gen_below(&g, 9) - 4;
      char *to = guard_alloc((size_t)n * size, size);
      k->count_int[word](n, to, start, step);
      for (int32_t i = 0; i < n; i++) {
        const uint64_t want = start + (uint64_t)i * step;
        wrong += memcmp(to + (size_t)i * size, &want, size) != 0; /* little-endian */
      }
      guard_free(to);
    }
    is_int(wrong, 0, "%s: whole numbers of %d bytes counted", name, (int)size);
  }
}

static void one_level(const char *name, const cpu_copy_kernels *k)
{
  turning(name, "", k->reverse);
  turning(name, " past the caches", k->reverse_stream);
  transposing(name, "", k->transpose);
  short_loops(name, k);
  transposing(name, " past the caches", k->transpose_stream);
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_copy_kernels_##set)

int main(void)
{
  gen_seed(&g, tap_seed());
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
