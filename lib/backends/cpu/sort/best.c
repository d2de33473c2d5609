// SPDX-License-Identifier: BSD-3-Clause
/*
 * The best few of a long slice: a small set of candidates, and a pass over all that is worse than the last of these. L1.
 *
 * The largest (or smallest) float of a block says whether the block has anything better. A slice on several threads is cut,
 * and the best of the parts are ranked.
 */
#include "backends/cpu/sort/best.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/runtime/parallel.h"
#include <string.h>

enum { BLOCK_ELEMENTS = 1024 };

/* Appended indices are stored by vectors, which may reach beyond the last. */
enum { BEYOND = 16 };

typedef struct list {
  uint64_t *index, *key, *order, *spare; /* MOST each; the latter two hold nothing that lasts */
} list;

typedef struct shared {
  const cpu_best *b;
  const char *x;
  char *scratch;
} shared;

static int64_t candidates_of(int64_t keep) { return CPU_MAX(3 * keep, 256) + BLOCK_ELEMENTS + BEYOND; }

static size_t list_bytes(int64_t keep) { return CPU_LINES(4 * (size_t)candidates_of(keep) * sizeof(uint64_t)); }

static list list_at(const cpu_best *b, char *scratch, int64_t part)
{
  const int64_t most = candidates_of(b->keep);
  uint64_t *p = (void *)(scratch + (size_t)part * list_bytes(b->keep));
  return (list){ p, p + most, p + 2 * most, p + 3 * most };
}

int32_t cpu_best_parts(const hed_call *call, int64_t n, int64_t keep)
{
  enum { PIECE_ELEMENTS = 1 << 17 };
  return (int32_t)CPU_MAX(1, CPU_MIN((int64_t)call->max_threads, n / CPU_MAX(PIECE_ELEMENTS, 64 * keep)));
}

size_t cpu_best_bytes(const cpu_best *b) { return (size_t)b->parts * list_bytes(b->keep); }

/* The best of FOUND elements in order, to the front. */
static void rank(const cpu_best *b, const list *l, int64_t found)
{
  const int64_t keep = CPU_MIN(found, b->keep);
  cpu_sort_k->argsort_u64(found, keep, l->key, l->order, l->spare);
  for (int64_t i = 0; i < keep; i++)
    l->spare[i] = l->key[l->order[i]];
  memcpy(l->key, l->spare, (size_t)keep * sizeof *l->key);
  for (int64_t i = 0; i < keep; i++)
    l->spare[i] = l->index[l->order[i]];
  memcpy(l->index, l->spare, (size_t)keep * sizeof *l->index);
}

/* Floats alone: nothing of N elements at X is better than LIMIT, and none is NaN. */
static bool worse(const cpu_best *b, int64_t n, const char *x, const char *limit)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[b->type];
  const bool wide = b->type == HED_ID_FLOAT64;
  double m, last;
  float f, g;
  memcpy(wide ? (void *)&m : (void *)&f, x, wide ? 8 : 4);
  (b->descending ? loops->max : loops->min)(n, x, wide ? (void *)&m : (void *)&f);
  if (wide) {
    memcpy(&last, limit, sizeof last);
  } else {
    memcpy(&g, limit, sizeof g);
    m = (double)f;
    last = (double)g;
  }
  return b->descending ? m <= last : m >= last; /* of equals the earlier one stays */
}

/* The best of the elements [begin, end). */
static void best_of(const cpu_best *b, const char *x, int64_t begin, int64_t end, const list *l)
{
  const int64_t enough = candidates_of(b->keep) - BLOCK_ELEMENTS - BEYOND, size = hed__id_size(b->type); /* the limit is to be near */
  const bool floats = b->type == HED_ID_FLOAT32 || b->type == HED_ID_FLOAT64, wide = size == 8;
  uint64_t *const index = l->index, *const key = l->key;
  uint64_t limit = UINT64_MAX;
  int64_t found = 0;
  bool all = true;    /* the limit is not known yet */
  bool still = false; /* the block before had nothing better */
  for (; begin < end; begin += BLOCK_ELEMENTS) {
    const int64_t n = CPU_MIN(end - begin, BLOCK_ELEMENTS);
    _Alignas(64) uint64_t block[BLOCK_ELEMENTS];
    const uint32_t *narrow = (const void *)block;
    int64_t more = n;
    if (still && worse(b, n, x + begin * size, x + (int64_t)index[b->keep - 1] * size))
      continue;
    cpu_sort_k->keys(b->type, n, x + begin * size, block, b->descending, true);
    if (all)
      for (int64_t i = 0; i < n; i++)
        index[found + i] = (uint64_t)(begin + i);
    else if (wide)
      more = cpu_sort_k->below_u64(n, block, limit, begin, index + found);
    else
      more = cpu_sort_k->below_u32(n, narrow, (uint32_t)limit, begin, index + found);
    still = floats && more == 0;
    for (int64_t i = found; i < found + more; i++) {
      const int64_t at = (int64_t)index[i] - begin;
      key[i] = wide ? block[at] : narrow[at];
    }
    found += more;
    if (found > enough) {
      rank(b, l, found);
      found = b->keep;
      limit = key[found - 1];
      all = false;
    }
  }
  if (all || found > b->keep)
    rank(b, l, found);
}

static void run_part(void *arg, int64_t part)
{
  const shared *s = arg;
  const cpu_best *b = s->b;
  const list l = list_at(b, s->scratch, part);
  best_of(b, s->x, b->n * part / b->parts, b->n * (part + 1) / b->parts, &l);
}

uint64_t *cpu_best_indices(const cpu_best *b, const char *x, char *scratch)
{
  shared s = { b, x, scratch };
  const list all = list_at(b, scratch, 0);
  if (b->parts == 1) {
    best_of(b, x, 0, b->n, &all);
    return all.index;
  }
  cpu_parallel_items(b->call, b->parts, 2 * (double)b->n, run_part, &s);
  for (int64_t part = 1; part < b->parts; part++) { /* each has as many as are wanted */
    const list more = list_at(b, scratch, part);
    memcpy(all.index + b->keep, more.index, (size_t)b->keep * sizeof *all.index);
    memcpy(all.key + b->keep, more.key, (size_t)b->keep * sizeof *all.key);
    rank(b, &all, 2 * b->keep);
  }
  return all.index;
}
