// SPDX-License-Identifier: BSD-3-Clause
/*
 * Partition of a slice. L1.
 *
 * First the word (sort/sort.h) of the wanted index is found, as quantiles are: of a long slice a sorted sample gives two words
 * that are likely to have it between them (R. W. Floyd, R. L. Rivest: Expected time bounds for selection, CACM 18, 1975), and
 * few others are left to look at. Then one pass puts everything where it belongs. Both go by blocks, whose words never leave the
 * L1 cache, and by pieces that threads share.
 */
#include "backends/cpu/sort/partition.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* PIECE_ELEMENTS: of a slice that threads share. BEYOND: lists are stored by vectors, which may reach behind the last. */
enum { BLOCK_ELEMENTS = 1024, BEYOND = 16, PIECE_ELEMENTS = 64 * BLOCK_ELEMENTS,
       LONG_ELEMENTS = 8192, LEAST_SAMPLE = 512, MOST_SAMPLE = 8192 };

typedef cpu_partition_word word;

/* What lies in a piece, or before it: less than the word, equal to it. */
typedef struct share {
  int64_t below, equal;
} share;

typedef struct slice {
  const cpu_partition *p;
  const char *x;
  char *to;
  int to_type;
  int64_t step, size;
  bool wide;              /* words of 64 bits */
  word low, high;         /* words wanted are from LOW to HIGH */
  char *list;             /* those that were found */
  _Atomic(int64_t) below, taken;
  int64_t each, pieces;   /* elements of a piece */
  share *share;           /* of pieces, then before each; and of all */
} slice;

typedef struct lists {
  _Alignas(64) uint64_t key[BLOCK_ELEMENTS], below[BLOCK_ELEMENTS + BEYOND];
  _Alignas(64) uint64_t mid[BLOCK_ELEMENTS + BEYOND], above[BLOCK_ELEMENTS + BEYOND];
} lists;

static bool is_wide(int type) { return hed__id_size(type) == 8; }

static int64_t pieces_of(int64_t n) { return (n + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS; }

static size_t list_bytes(const cpu_partition *p)
{
  return (size_t)CPU_LINES((CPU_MAX(p->n, MOST_SAMPLE) + BEYOND) * (is_wide(p->type) ? 8 : 4));
}

void cpu_partition_begin(cpu_partition *p)
{
  char zeros[16] = { 0 };
  const int64_t size = hed__id_size(p->type);
  if (hed__id_kind(p->type) == HED_KIND_FLOAT)
    zeros[(p->descending ? 2 : 1) * size - 1] = (char)0x80; /* the one that comes first is -0, or descending 0 */
  cpu_partition_word two[2] = { { 0 } };
  cpu_sort_k->keys(p->type, 2, zeros, two, p->descending, false);
  for (int k = 0; k < 2; k++)
    memcpy(&p->zero[k], (const char *)two + k * (size == 8 ? 8 : 4), size == 8 ? 8 : 4);
  p->pieces = p->alone ? (int32_t)CPU_MAX(1, CPU_MIN((int64_t)p->call->max_threads, p->n / (2 * PIECE_ELEMENTS))) : 1;
}

size_t cpu_partition_bytes(const cpu_partition *p)
{
  return 2 * list_bytes(p) + (size_t)CPU_LINES((pieces_of(p->n) + 1) * (int64_t)sizeof(share));
}

static void keys_of(const slice *l, int64_t first, int64_t n, void *key)
{
  cpu_sort_k->keys(l->p->type, n, l->x + first * l->size, key, l->p->descending, false);
}

static int64_t word_bytes(const slice *l) { return l->wide ? 8 : 4; }

static void between(const slice *l, int64_t n, const void *key, void *mid, int64_t *count)
{
  if (l->wide)
    cpu_sort_k->between_u64(n, key, l->low.wide, l->high.wide, mid, count);
  else
    cpu_sort_k->between_u32(n, key, l->low.narrow, l->high.narrow, mid, count);
}

/* ---- which word ---- */

static void narrow_piece(void *arg, int64_t piece)
{
  slice *l = arg;
  const int64_t end = CPU_MIN(l->p->n, (piece + 1) * l->each);
  CPU_IN_ROOM(lists, b, 1);
  int64_t below = 0;
  for (int64_t i = piece * l->each; i < end; i += BLOCK_ELEMENTS) {
    const int64_t n = CPU_MIN(end - i, BLOCK_ELEMENTS);
    int64_t count[2];
    keys_of(l, i, n, b->key);
    between(l, n, b->key, b->mid, count);
    below += count[0];
    const int64_t at = atomic_fetch_add_explicit(&l->taken, count[1], memory_order_relaxed);
    memcpy(l->list + at * word_bytes(l), b->mid, (size_t)(count[1] * word_bytes(l)));
  }
  atomic_fetch_add_explicit(&l->below, below, memory_order_relaxed);
}

static void each_piece(const slice *l, cpu_item_fn fn)
{
  if (l->p->pieces > 1)
    cpu_parallel_items(l->p->call, l->pieces, 0.2 * (double)(l->p->n * l->size), fn, (void *)l);
  else
    for (int64_t k = 0; k < l->pieces; k++)
      fn((void *)l, k);
}

static word greatest(const slice *l)
{
  word w = { UINT64_MAX };
  if (!l->wide)
    w = (word){ .narrow = UINT32_MAX };
  return w;
}

static word word_at(const slice *l, const char *list, int64_t i)
{
  word w = { 0 };
  memcpy(&w, list + i * word_bytes(l), (size_t)word_bytes(l));
  return w;
}

/* Bounds that are likely to have the word between them; SPARE is as long as the list. */
static void bracket(slice *l, char *spare)
{
  enum { SIGMAS = 4 };
  const int64_t n = l->p->n, count = CPU_MAX(LEAST_SAMPLE, CPU_MIN(MOST_SAMPLE, n / 64)), stretch = n / count;
  uint64_t random = 0x9e3779b97f4a7c15u;
  for (int64_t i = 0; i < count; i++) { /* anywhere within each stretch: no period of the slice can be a bad one */
    random = random * 6364136223846793005u + 1442695040888963407u;
    memcpy(spare + i * l->size, l->x + (i * stretch + (int64_t)((random >> 33) % (uint64_t)stretch)) * l->size, (size_t)l->size);
  }
  cpu_sort_k->keys(l->p->type, count, spare, l->list, l->p->descending, false);
  if (l->wide)
    cpu_sort_k->sort_u64(count, (void *)l->list, (void *)spare);
  else
    cpu_sort_k->sort_u32(count, (void *)l->list, (void *)spare);
  const double part = (double)l->p->kth / (double)n;
  const double at = part * (double)count, off = 2 + SIGMAS * sqrt((double)count * part * (1 - part));
  l->low = at < off ? (word){ 0 } : word_at(l, l->list, (int64_t)(at - off));
  l->high = at + off >= (double)count ? greatest(l) : word_at(l, l->list, (int64_t)(at + off));
}

static int compare(const slice *l, word a, word b)
{
  return l->wide ? (a.wide > b.wide) - (a.wide < b.wide) : (a.narrow > b.narrow) - (a.narrow < b.narrow);
}

/* Above or below what the bounds enclose, where the word turned out to be. */
static void move_bounds(slice *l, bool up)
{
  if (up && l->wide)
    l->low.wide = l->high.wide + 1;
  else if (up)
    l->low.narrow = l->high.narrow + 1;
  else if (l->wide)
    l->high.wide = l->low.wide - 1;
  else
    l->high.narrow = l->low.narrow - 1;
  if (up)
    l->high = greatest(l);
  else
    l->low = (word){ 0 };
}

/* LOW and HIGH become the word at index RANK of the list of N, or the two of zeros, which are equal. */
static void select_word(slice *l, int64_t n, int64_t rank, char *spare)
{
  word two[2] = { { 0 } };
  if (l->wide)
    cpu_sort_k->select_u64(n, (void *)l->list, (void *)spare, rank, (void *)two);
  else
    cpu_sort_k->select_u32(n, (void *)l->list, (void *)spare, rank, (void *)two);
  l->low = l->high = word_at(l, (const char *)two, 0);
  const word *zero = l->p->zero;
  if (compare(l, l->low, zero[0]) == 0 || compare(l, l->low, zero[1]) == 0)
    l->low = zero[0], l->high = zero[1];
}

/* The word of the wanted index; SHARE gets what lies about it in the whole slice. False: that is not known. */
static bool find_word(slice *l, char *spare, share *all)
{
  const int64_t kth = l->p->kth;
  if (l->p->n >= LONG_ELEMENTS)
    bracket(l, spare);
  else
    l->low = (word){ 0 }, l->high = greatest(l);
  for (;;) {
    l->below = l->taken = 0;
    each_piece(l, narrow_piece);
    if (kth >= l->below && kth < l->below + l->taken)
      break;
    move_bounds(l, kth >= l->below);
  }
  const word low = l->low, high = l->high;
  const int64_t taken = l->taken;
  char *const copy = l->list + (size_t)CPU_LINES(taken * word_bytes(l)); /* selection leaves little of a list */
  const bool room = copy + taken * word_bytes(l) <= spare;
  if (room)
    memcpy(copy, l->list, (size_t)(taken * word_bytes(l)));
  select_word(l, taken, kth - l->below, spare);
  /* Of two zeros one may be outside the bounds. */
  if (!room || compare(l, l->low, low) < 0 || compare(l, l->high, high) > 0)
    return false;
  int64_t count[2];
  between(l, taken, copy, spare, count);
  *all = (share){ l->below + count[0], count[1] };
  return true;
}

/* ---- to their indices ---- */

static void count_piece(void *arg, int64_t piece)
{
  const slice *l = arg;
  const int64_t end = CPU_MIN(l->p->n, (piece + 1) * l->each);
  CPU_IN_ROOM(lists, b, 1);
  share s = { 0, 0 };
  for (int64_t i = piece * l->each; i < end; i += BLOCK_ELEMENTS) {
    const int64_t n = CPU_MIN(end - i, BLOCK_ELEMENTS);
    int64_t count[2];
    keys_of(l, i, n, b->key);
    between(l, n, b->key, b->mid, count);
    s.below += count[0];
    s.equal += count[1];
  }
  l->share[piece] = s;
}

/* N words or indices to where they belong, AT elements from the beginning. */
static void put(const slice *l, int64_t at, int64_t n, void *list)
{
  char *to = l->to + at * l->step;
  const int type = l->p->indices ? HED_ID_INT64 : l->p->type;
  const int64_t size = l->p->indices ? 8 : l->size;
  const bool direct = l->to_type == type && l->step == size;
  if (!l->p->indices)
    cpu_sort_k->values(type, n, list, direct ? to : list, l->p->descending);
  else if (direct)
    memcpy(to, list, (size_t)n * 8);
  if (!direct)
    hed__cast(type, l->to_type)(n, to, l->step, list, size);
}

/* N keys to lists; COUNT of those below and of those in between. Indices are counted from FIRST. */
static void divide(const slice *l, int64_t n, int64_t first, lists *b, int64_t *count)
{
  if (l->p->indices && l->wide)
    cpu_sort_k->partition3_indices_u64(n, b->key, l->low.wide, l->high.wide, first, b->below, b->mid, b->above, count);
  else if (l->p->indices)
    cpu_sort_k->partition3_indices_u32(n, (void *)b->key, l->low.narrow, l->high.narrow, first, b->below, b->mid, b->above, count);
  else if (l->wide)
    cpu_sort_k->partition3_u64(n, b->key, l->low.wide, l->high.wide, b->below, b->mid, b->above, count);
  else
    cpu_sort_k->partition3_u32(n, (void *)b->key, l->low.narrow, l->high.narrow, (void *)b->below, (void *)b->mid,
                          (void *)b->above, count);
}

static void put_piece(void *arg, int64_t piece)
{
  const slice *l = arg;
  const int64_t end = CPU_MIN(l->p->n, (piece + 1) * l->each);
  const share all = l->share[l->pieces], before = l->share[piece];
  int64_t below = before.below, mid = all.below + before.equal;
  int64_t above = all.below + all.equal + piece * l->each - before.below - before.equal;
  CPU_IN_ROOM(lists, b, 1);
  for (int64_t i = piece * l->each; i < end; i += BLOCK_ELEMENTS) {
    const int64_t n = CPU_MIN(end - i, BLOCK_ELEMENTS);
    int64_t count[2];
    keys_of(l, i, n, b->key);
    divide(l, n, i, b, count);
    const int64_t more = n - count[0] - count[1];
    put(l, below, count[0], b->below);
    put(l, mid, count[1], b->mid);
    put(l, above, more, b->above);
    below += count[0];
    mid += count[1];
    above += more;
  }
}

/* A slice of one block at most. */
static void run_short(slice *l, char *spare)
{
  const int64_t n = l->p->n;
  int64_t count[2];
  CPU_IN_ROOM(lists, b, 1);
  keys_of(l, 0, n, b->key);
  memcpy(l->list, b->key, (size_t)(n * word_bytes(l)));
  select_word(l, n, l->p->kth, spare);
  divide(l, n, 0, b, count);
  const int64_t bytes = l->p->indices ? 8 : word_bytes(l), upto = count[0] + count[1];
  memcpy((char *)b->below + count[0] * bytes, b->mid, (size_t)(count[1] * bytes));
  memcpy((char *)b->below + upto * bytes, b->above, (size_t)((n - upto) * bytes));
  put(l, 0, n, b->below);
}

void cpu_partition_lane(const cpu_partition *p, const char *x, char *to, int to_type, int64_t step, char *scratch)
{
  const size_t list = list_bytes(p);
  slice l = { .p = p, .x = x, .to = to, .to_type = to_type, .step = step, .size = hed__id_size(p->type),
             .wide = is_wide(p->type), .list = scratch, .share = (void *)(scratch + 2 * list) };
  l.each = p->pieces > 1 ? PIECE_ELEMENTS : p->n;
  l.pieces = p->pieces > 1 ? pieces_of(p->n) : 1;
  share sum = { 0, 0 };
  if (p->n <= BLOCK_ELEMENTS) {
    run_short(&l, scratch + list);
    return;
  }
  if (!find_word(&l, scratch + list, l.share) || l.pieces > 1)
    each_piece(&l, count_piece);
  for (int64_t k = 0; k <= l.pieces; k++) {
    const share s = l.share[k];
    l.share[k] = sum;
    if (k < l.pieces) {
      sum.below += s.below;
      sum.equal += s.equal;
    }
  }
  each_piece(&l, put_piece);
}
