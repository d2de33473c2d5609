// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elements to packed bits and back, words of all rows shared by threads. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/bits/bits.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include "base/shape.h"

enum { BLOCK_WORDS = 16 /* words that are converted at a time */ };

typedef struct job {
  const hed_view *bits, *words;
  int64_t n, per_row;            /* bits and words of a row */
  hed__cast_fn cast;             /* of elements to bool and back; NULL: bytes side by side */
} job;

/* The rows in which word NUMBER lies; returns its index in them. */
static int64_t locate(const job *j, int64_t number, char **bits, char **words)
{
  const int32_t last = j->words->ndim - 1;
  const int64_t index = number % j->per_row;
  int64_t at[HED_MAX_NDIM];
  hed__index_of(last, j->words->dim, number / j->per_row, at);
  *bits = (char *)j->bits->data + hed__offset_at(last, at, j->bits->stride) + index * CPU_WORD_BITS * j->bits->stride[last];
  *words = (char *)j->words->data + hed__offset_at(last, at, j->words->stride) + index * j->words->stride[last];
  return index;
}

/* COUNT words, at most BLOCK_WORDS, of N bits. */
static void pack_some(const job *j, int64_t n, int64_t count, char *bits, char *words)
{
  const int32_t last = j->words->ndim - 1;
  unsigned char one[BLOCK_WORDS * CPU_WORD_BITS];
  uint64_t word[BLOCK_WORDS];
  const int64_t step = j->words->stride[last];
  const bool dense = step == sizeof *word;
  if (j->cast)
    j->cast(n, (char *)one, 1, bits, j->bits->stride[last]);
  cpu_bits->pack(n, dense ? (void *)words : word, j->cast ? one : (const unsigned char *)bits);
  for (int64_t k = 0; k < count && !dense; k++)
    *(uint64_t *)(void *)(words + k * step) = word[k];
}

static void unpack_some(const job *j, int64_t n, int64_t count, char *bits, char *words)
{
  const int32_t last = j->words->ndim - 1;
  unsigned char one[BLOCK_WORDS * CPU_WORD_BITS];
  uint64_t word[BLOCK_WORDS];
  const int64_t step = j->words->stride[last];
  const bool dense = step == sizeof *word;
  for (int64_t k = 0; k < count && !dense; k++)
    word[k] = *(uint64_t *)(void *)(words + k * step);
  cpu_bits->unpack(n, j->cast ? one : (unsigned char *)bits, dense ? (const void *)words : word);
  if (j->cast)
    j->cast(n, bits, j->bits->stride[last], (const char *)one, 1);
}

static void each_range(const job *j, int64_t begin, int64_t end,
                       void (*some)(const job *j, int64_t n, int64_t count, char *bits, char *words))
{
  while (begin < end) {
    char *bits, *words;
    const int64_t index = locate(j, begin, &bits, &words);
    const int64_t count = CPU_MIN(CPU_MIN(j->per_row - index, end - begin), BLOCK_WORDS);
    some(j, CPU_MIN(count * CPU_WORD_BITS, j->n - index * CPU_WORD_BITS), count, bits, words);
    begin += count;
  }
}

static void pack_range(void *arg, int64_t begin, int64_t end) { each_range(arg, begin, end, pack_some); }
static void unpack_range(void *arg, int64_t begin, int64_t end) { each_range(arg, begin, end, unpack_some); }

static int32_t run(const hed_call *call, const hed_view *bits, const hed_view *words, bool packs)
{
  const int32_t last = bits->ndim - 1;
  job j = { .bits = bits, .words = words, .n = bits->dim[last] };
  int64_t n;
  j.per_row = n = (j.n + CPU_WORD_BITS - 1) / CPU_WORD_BITS;
  if (bits->stride[last] != 1 || hed__id_size(bits->dtype) != 1)
    j.cast = packs ? hed__cast(bits->dtype, HED_ID_BOOL) : hed__cast(HED_ID_BOOL, bits->dtype);
  for (int32_t axis = 0; axis < last; axis++)
    n *= bits->dim[axis];
  cpu_parallel_for(call, n, 8, (double)n * CPU_WORD_BITS / (j.cast ? 2 : 16), packs ? pack_range : unpack_range, &j);
  return HED_OK;
}

int32_t cpu_pack_bits(void *state, const hed_call *call)
{
  (void)state;
  return run(call, call->in[0], call->out[0], true);
}

int32_t cpu_unpack_bits(void *state, const hed_call *call)
{
  (void)state;
  return run(call, call->out[0], call->in[0], false);
}
