// SPDX-License-Identifier: BSD-3-Clause
/*
 * Indexing: take, gather_nd, repeat, compress, take_along_axis, nonzero. L1. scatter.c has the other direction.
 *
 * Work is split over threads by elements of the result, so the number of threads cannot show. Elements move as words of
 * their size, whatever their type.
 */
#include "backends/cpu/move/index.h"

#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/nest.h"
#include "base/shape.h"
#include <string.h>

static int64_t size_of(const hed_view *v)
{
  int64_t n = 1;
  for (int32_t k = 0; k < v->ndim; k++)
    n *= v->dim[k];
  return n;
}

/* ---- take, gather_nd, repeat: blocks of x by a list of indices ---- */

/* Result (pre, n, post) from x (pre, indices, post). */
typedef struct gather {
  int32_t n_pre;
  int64_t pre_dim[HED_MAX_NDIM], pre_to[HED_MAX_NDIM], pre_from[HED_MAX_NDIM];
  hed__nest post;          /* result, x */
  cpu_index_map map;
  const char *indices;
  int64_t indices_step, n, step, size;
  hed__cast_fn copy;
} gather;

static inline int64_t source(const gather *g, int64_t i)
{
  return cpu_index_offset(&g->map, *(const int64_t *)(const void *)(g->indices + i * g->indices_step));
}

/* Words by a list, both contiguous: four at a time, as the loads are far apart. */
#define PICK_FOUR(to, from, at, i)                                                                         \
  do {                                                                                                     \
    const __typeof__(*(to)) a = from[at[i]], b = from[at[i + 1]], c = from[at[i + 2]], d = from[at[i + 3]]; \
    to[i] = a;                                                                                             \
    to[i + 1] = b;                                                                                         \
    to[i + 2] = c;                                                                                         \
    to[i + 3] = d;                                                                                         \
  } while (0)
#define PICK(FN, type)                                                                                     \
  static void FN(int64_t n, type *restrict to, const type *restrict from, const int64_t *restrict at, bool far) \
  {                                                                                                        \
    int64_t i = 0;                                                                                         \
    for (; far && i + CPU_PREFETCH_AHEAD + 4 <= n; i += 4) {                                               \
      for (int k = 0; k < 4; k++)                                                                          \
        __builtin_prefetch(from + at[i + CPU_PREFETCH_AHEAD + k]);                                         \
      PICK_FOUR(to, from, at, i);                                                                          \
    }                                                                                                      \
    for (; i + 4 <= n; i += 4)                                                                             \
      PICK_FOUR(to, from, at, i);                                                                          \
    for (; i < n; i++)                                                                                     \
      to[i] = from[at[i]];                                                                                 \
  }
typedef struct wide { uint64_t a, b; } wide;
PICK(pick_1, uint8_t)
PICK(pick_2, uint16_t)
PICK(pick_4, uint32_t)
PICK(pick_8, cpu_word64)
PICK(pick_16, wide)

#define GATHER_WORDS(bytes, type)                                                                          \
  if (g->map.axes == 1 && g->map.stride[0] == bytes && g->indices_step == 8 && g->step == bytes)           \
    pick_##bytes(last - first, (type *)(void *)to + first, (const type *)(const void *)from,               \
                 (const int64_t *)(const void *)g->indices + first, g->map.dim[0] * bytes > CPU_FAR);      \
  else                                                                                                     \
    for (int64_t i = first; i < last; i++)                                                                 \
      *(type *)(void *)(to + i * g->step) = *(const type *)(const void *)(from + source(g, i))

/* Rows of BYTES, at most twice HALF: by one copy or by two that may meet. Those far away are prefetched ahead. */
static inline __attribute__((always_inline)) void rows_of(const gather *g, int64_t bytes, int64_t half, bool twice, char *to,
                                                          const char *from, int64_t first, int64_t last)
{
  const int64_t *const at = (const int64_t *)(const void *)g->indices, stride = g->map.stride[0], step = g->step;
  const bool far = g->map.dim[0] * bytes > CPU_FAR;
  for (int64_t i = first; i < last; i++) {
    if (far && i + CPU_PREFETCH_AHEAD < last) {
      const char *const next = from + at[i + CPU_PREFETCH_AHEAD] * stride;
      __builtin_prefetch(next);
      if (half >= 16)
        __builtin_prefetch(next + bytes - 1);
    }
    const char *const f = from + at[i] * stride;
    char *const t = to + i * step;
    memcpy(t, f, (size_t)half);
    if (twice)
      memcpy(t + bytes - half, f + bytes - half, (size_t)half);
  }
}

#define ROWS(half)                                                                                         \
  if (bytes == (half))                                                                                     \
    rows_of(g, half, half, false, to, from, first, last);                                                  \
  else                                                                                                     \
    rows_of(g, bytes, half, true, to, from, first, last)

static void copy_rows(const gather *g, int64_t bytes, char *to, const char *from, int64_t first, int64_t last)
{
  switch (g->map.axes == 1 && g->indices_step == 8 ? 63 - __builtin_clzll((uint64_t)bytes) : 7) {
  case 1: ROWS(2); break;
  case 2: ROWS(4); break;
  case 3: ROWS(8); break;
  case 4: ROWS(16); break;
  case 5: ROWS(32); break;
  case 6: ROWS(64); break;
  default:
    for (int64_t i = first; i < last; i++)
      memcpy(to + i * g->step, from + source(g, i), (size_t)bytes);
  }
}

/* Blocks [first, last) of the list; TO and FROM are where the blocks of at_index 0 would lie, in bytes from those of POST. */
static void gather_blocks(const gather *g, int64_t dto, int64_t dfrom, int64_t first, int64_t last)
{
  const hed__nest *post = &g->post;
  char *to = post->data[0] + dto;
  const char *from = post->data[1] + dfrom;
  int64_t bytes = post->dim[0] * g->size;
  if (post->ndim == 1 && (post->dim[0] == 1 || (post->stride[0][0] == g->size && post->stride[1][0] == g->size))) {
    switch (bytes) {
    case 1: GATHER_WORDS(1, uint8_t); return;
    case 2: GATHER_WORDS(2, uint16_t); return;
    case 4: GATHER_WORDS(4, uint32_t); return;
    case 8: if (g->size == 8) { GATHER_WORDS(8, cpu_word64); return; } break;
    case 16: if (g->size == 16) { GATHER_WORDS(16, wide); return; } break;
    default: break;
    }
    copy_rows(g, bytes, to, from, first, last);
    return;
  }
  int32_t row = post->ndim - 1;
  int64_t rows = hed__nest_rows(post);
  for (int64_t i = first; i < last; i++) {
    int64_t at_index = source(g, i);
    hed__walk w;
    hed__walk_init(&w, post, 0, rows);
    while (hed__walk_next(&w))
      g->copy(post->dim[row], w.ptr[0] + dto + i * g->step, post->stride[0][row], w.ptr[1] + dfrom + at_index,
              post->stride[1][row]);
  }
}

static void gather_range(void *arg, int64_t begin, int64_t end)
{
  const gather *g = arg;
  while (begin < end) {
    const int64_t first = begin % g->n, last = CPU_MIN(g->n, first + end - begin);
    int64_t pre[HED_MAX_NDIM];
    hed__index_of(g->n_pre, g->pre_dim, begin / g->n, pre);
    gather_blocks(g, hed__offset_at(g->n_pre, pre, g->pre_to), hed__offset_at(g->n_pre, pre, g->pre_from), first, last);
    begin += last - first;
  }
}

/* The list stands for AXES axes of x from FIRST and for axis FIRST of the result. */
static void run_gather(const hed_call *call, int32_t first, int32_t axes, const hed_view *list)
{
  const hed_view *x = call->in[0], *out = call->out[0];
  int64_t total = size_of(out);
  if (total == 0)
    return;
  gather g = { .n_pre = first, .indices = list->data, .indices_step = list->stride[0], .n = out->dim[first],
               .step = out->stride[first], .size = hed__id_size(x->dtype) };
  int64_t pre = 1;
  for (int32_t k = 0; k < first; k++) {
    g.pre_dim[k] = out->dim[k];
    g.pre_to[k] = out->stride[k];
    g.pre_from[k] = x->stride[k];
    pre *= out->dim[k];
  }
  hed_view to = hed__view_without(out, 0, first + 1), from = hed__view_without(x, 0, first + axes);
  hed__nest_init(&g.post, 2, (const hed_view *const[]){ &to, &from }, HED__NEST_REORDER);
  cpu_index_map_init(&g.map, x, first, axes);
  g.copy = cpu_copy_words(g.size);
  cpu_parallel_for(call, pre * g.n, 64, 4.0 * (double)total, gather_range, &g);
}

int32_t cpu_take(void *state, const hed_call *call)
{
  (void)state;
  const hed_take_params *p = call->params;
  if (call->in[1]->ndim != 1)
    return HED_E_UNSUPPORTED;
  run_gather(call, p->axis, 1, call->in[1]);
  return HED_OK;
}

int32_t cpu_gather_nd(void *state, const hed_call *call)
{
  (void)state;
  const hed_gather_params *p = call->params;
  run_gather(call, 0, p->axes, call->in[1]);
  return HED_OK;
}

/* Each of the N words of FROM as often as COUNTS says, to [to, end), which they fill. Four are written where there is room,
 * whatever the count, which most often saves a loop of its own. */
#define REPEATS(FN, type)                                                                                   \
  static void FN(int64_t n, void *to_, void *end_, const void *from_, const char *counts, int64_t step)    \
  {                                                                                                        \
    type *to = to_, *const end = end_;                                                                     \
    const type *from = from_;                                                                              \
    for (int64_t i = 0; i < n; i++) {                                                                      \
      const type v = from[i];                                                                              \
      const int64_t c = *(const int64_t *)(const void *)(counts + i * step);                               \
      int64_t k = 0;                                                                                       \
      if (end - to >= 4)                                                                                   \
        for (; k < 4; k++)                                                                                 \
          to[k] = v;                                                                                       \
      for (; k < c; k++)                                                                                   \
        to[k] = v;                                                                                         \
      to += c;                                                                                             \
    }                                                                                                      \
  }
REPEATS(repeat_1, uint8_t)
REPEATS(repeat_2, uint16_t)
REPEATS(repeat_4, uint32_t)
REPEATS(repeat_8, cpu_word64)
REPEATS(repeat_16, wide)

static int64_t sum_counts(const hed_view *counts, int64_t begin, int64_t end)
{
  const char *at = counts->data;
  int64_t sum = 0;
  if (counts->stride[0] == 0 && end > begin)
    return (end - begin) * *(const int64_t *)(const void *)at;
  if (counts->stride[0] == sizeof sum) {
    const int64_t *count = (const int64_t *)(const void *)at;
    for (int64_t i = begin; i < end; i++)
      sum += count[i];
    return sum;
  }
  for (int64_t i = begin; i < end; i++)
    sum += *(const int64_t *)(const void *)(at + i * counts->stride[0]);
  return sum;
}

static void repeat_part(void *arg, int32_t part, int32_t parts)
{
  static void (*const repeat[])(int64_t, void *, void *, const void *, const char *, int64_t) = {
    repeat_1, repeat_2, repeat_4, repeat_8, repeat_16
  };
  const hed_call *call = arg;
  const hed_view *x = call->in[0], *counts = call->in[1];
  const int64_t each = ((x->dim[0] + parts - 1) / parts + 15) / 16 * 16, size = hed__id_size(x->dtype);
  const int64_t end = CPU_MIN(x->dim[0], (part + 1) * each);
  int64_t begin = CPU_MIN(x->dim[0], part * each);
  char *to = (char *)call->out[0]->data + sum_counts(counts, 0, begin) * size;
  if (counts->stride[0] == 0 && size >= 4 && begin < end) {
    const int64_t times = *(const int64_t *)counts->data;
    const bool streams = cpu_stream_large((size_t)(x->dim[0] * times * size));
    const int64_t done = cpu_copy_k->repeat(end - begin, times, size, to, (const char *)x->data + begin * size, streams);
    to += done * times * size;
    begin += done;
    if (streams)
      cpu_stream_end();
  }
  char *const last = end == x->dim[0] ? (char *)call->out[0]->data + call->out[0]->dim[0] * size
                                      : to + sum_counts(counts, begin, end) * size;
  repeat[__builtin_ctzll((uint64_t)size)](end - begin, to, last,
                                          (const char *)x->data + begin * size,
                                          (const char *)counts->data + begin * counts->stride[0], counts->stride[0]);
}

/* The counts become a list of indices, one per element of the result's axis. */
int32_t cpu_repeat(void *state, const hed_call *call)
{
  (void)state;
  const hed_take_params *p = call->params;
  const hed_view *counts = call->in[1];
  const hed_view *x = call->in[0], *out = call->out[0];
  const int64_t size = hed__id_size(x->dtype);
  int64_t n = out->dim[p->axis], done = 0;
  if (x->ndim == 1 && x->stride[0] == size && out->stride[0] == size && n > 0) {
    hed_call c = *call;
    cpu_parallel_parts(call, x->dim[0], 4.0 * (double)n, repeat_part, &c);
    return HED_OK;
  }
  int64_t *indices = cpu_scratch_get((size_t)CPU_MAX(n, 1) * sizeof *indices);
  if (!indices)
    return cpu_host->fail(HED_E_NOMEM, "repeat: no memory for %lld indices", (long long)n);
  for (int64_t i = 0; i < counts->dim[0]; i++)
    for (int64_t c = *(const int64_t *)(const void *)((const char *)counts->data + i * counts->stride[0]); c > 0; c--)
      indices[done++] = i;
  hed_view list = { .data = indices, .dtype = HED_ID_INT64, .ndim = 1, .dim = { n }, .stride = { sizeof *indices } };
  run_gather(call, p->axis, 1, &list);
  cpu_scratch_put(indices);
  return HED_OK;
}

/* ---- what is chosen by its value: compress, nonzero ---- */

enum { CHUNKS = 64, BUFFER = 1024 };

/* A pass over N elements in chunks: the first counts, the second writes from where the chunks before end. */
typedef struct search {
  const hed_call *call;
  int64_t n, chunk, found[CHUNKS + 1], size;
  cpu_index_map mask_map, x_map;      /* compress */
  hed__nest block;
  hed__cast_fn move;               /* compress: words; nonzero: to bool */
  bool streams;                       /* the caches */
} search;

static int64_t chunks_of(search *s, int64_t n)
{
  int64_t chunks = CPU_MAX(1, CPU_MIN(CHUNKS, n / 8192));
  s->n = n;
  s->chunk = (n + chunks - 1) / chunks;
  memset(s->found, 0, sizeof s->found);
  return chunks;
}

static void add_up(search *s, int64_t chunks)
{
  for (int64_t k = 0; k < chunks; k++)
    s->found[k + 1] += s->found[k];
}

/* M bytes of the mask from element FIRST: where they are, or gathered in BUFFER. */
static const uint8_t *mask_part(const search *s, int64_t first, int64_t m, uint8_t *buffer)
{
  const uint8_t *data = s->call->in[1]->data;
  if (s->mask_map.axes == 1 && s->mask_map.stride[0] == 1)
    return data + first;
  for (int64_t i = 0; i < m; i++)
    buffer[i] = data[cpu_index_offset(&s->mask_map, first + i)];
  return buffer;
}

static void count_mask(void *arg, int64_t k)
{
  search *s = arg;
  uint8_t buffer[BUFFER];
  int64_t end = CPU_MIN(s->n, (k + 1) * s->chunk), count = 0;
  for (int64_t i = k * s->chunk; i < end; i += BUFFER) {
    const int64_t m = CPU_MIN(BUFFER, end - i);
    count += cpu_copy_k->count_true(m, mask_part(s, i, m, buffer));
  }
  s->found[k + 1] = count;
}

/* Single elements, contiguous in all of mask, operand and result: compressed as they are read, large results in a buffer from
 * which whole lines are written by non-temporal stores. */
static void compress_words(void *arg, int64_t k)
{
  enum { EACH_BYTES = 2048, LINE = 64, AT_ONCE = 512 /* bytes */ };
  const search *s = arg;
  _Alignas(LINE) char room[LINE + EACH_BYTES + AT_ONCE];
  int64_t (*const run)(int64_t, const uint8_t *, const char *, char *, const char *) =
      cpu_copy_k->compress[__builtin_ctzll((uint64_t)s->size)];
  const uint8_t *mask = s->call->in[1]->data;
  const char *from = s->block.data[1];
  char *to = s->block.data[0] + s->found[k] * s->size, *const end = s->block.data[0] + s->found[k + 1] * s->size;
  const int64_t first = k * s->chunk, behind = CPU_MIN(s->n, first + s->chunk), each = EACH_BYTES / s->size;
  if (!s->streams) {
    run(behind - first, mask + first, from + first * s->size, to, end);
    return;
  }
  size_t have = 0;
  for (int64_t i = first; i < behind; i += each) {
    have += (size_t)(run(CPU_MIN(each, behind - i), mask + i, from + i * s->size, room + have, room + sizeof room) * s->size);
    const size_t over = (uintptr_t)(to + have) % LINE, lines = have > over ? have - over : 0;
    cpu_stream(to, room, lines);
    to += lines;
    have -= lines;
    memmove(room, room + lines, LINE);
  }
  memcpy(to, room, have);
  cpu_stream_end();
}

static void move_masked(void *arg, int64_t k)
{
  const search *s = arg;
  const hed__nest *block = &s->block;
  uint8_t buffer[BUFFER];
  int64_t indices[BUFFER], end = CPU_MIN(s->n, (k + 1) * s->chunk), at = s->found[k], rows = hed__nest_rows(block);
  int32_t row = block->ndim - 1;
  for (int64_t i = k * s->chunk; i < end; i += BUFFER) {
    const int64_t m = CPU_MIN(BUFFER, end - i);
    const int64_t found = cpu_copy_k->true_indices(m, mask_part(s, i, m, buffer), i, indices);
    for (int64_t p = 0; p < found; p++) {
      int64_t dto = (at + p) * s->call->out[0]->stride[0], dfrom = cpu_index_offset(&s->x_map, indices[p]);
      hed__walk w;
      hed__walk_init(&w, block, 0, rows);
      while (hed__walk_next(&w))
        s->move(block->dim[row], w.ptr[0] + dto, block->stride[0][row], w.ptr[1] + dfrom, block->stride[1][row]);
    }
    at += found;
  }
}

int32_t cpu_compress(void *state, const hed_call *call)
{
  (void)state;
  const hed_gather_params *p = call->params;
  const hed_view *x = call->in[0], *mask = call->in[1], *out = call->out[0];
  search s = { .call = call, .size = hed__id_size(x->dtype), .move = cpu_copy_words(hed__id_size(x->dtype)) };
  hed_view to = hed__view_without(out, 0, 1), from = hed__view_without(x, 0, p->axes);
  hed__nest_init(&s.block, 2, (const hed_view *const[]){ &to, &from }, HED__NEST_REORDER);
  cpu_index_map_init(&s.mask_map, mask, 0, mask->ndim);
  cpu_index_map_init(&s.x_map, x, 0, p->axes);
  const bool words = s.block.ndim == 1 && s.block.dim[0] == 1 && s.x_map.axes == 1 && s.x_map.stride[0] == s.size
                     && s.mask_map.axes == 1 && s.mask_map.stride[0] == 1 && out->stride[0] == s.size;
  int64_t chunks = chunks_of(&s, size_of(mask));
  if (words && call->max_threads == 1)
    chunks = 1, s.chunk = s.n, s.found[1] = out->dim[0]; /* of one piece nobody has to know where it begins */
  else
    cpu_parallel_items(call, chunks, (double)s.n, count_mask, &s);
  add_up(&s, chunks);
  if (words) {
    s.streams = cpu_stream_large((size_t)(s.n * s.size)); /* what is read leaves nothing of the result in them either */
    cpu_parallel_items(call, chunks, 2.0 * (double)s.n, compress_words, &s);
    return HED_OK;
  }
  cpu_parallel_items(call, chunks, 3.0 * (double)s.n + 4.0 * (double)size_of(out), move_masked, &s);
  return HED_OK;
}

/* Rows [k * chunk, ..) of x along its last axis: counted, or written from found[k]. */
static void scan_rows(search *s, int64_t k, bool write)
{
  const hed_view *x = s->call->in[0], *out = s->call->out[0];
  int32_t last = x->ndim - 1;
  int64_t end = CPU_MIN(s->n, (k + 1) * s->chunk), count = 0, at = write ? s->found[k] : 0;
  for (int64_t r = k * s->chunk; r < end; r++) {
    int64_t index[HED_MAX_NDIM];
    hed__index_of(last, x->dim, r, index);
    const char *row = (const char *)x->data + hed__offset_at(last, index, x->stride);
    for (int64_t begin = 0; begin < x->dim[last]; begin += BUFFER) {
      uint8_t buffer[BUFFER];
      const uint8_t *flags = buffer;
      int64_t n = CPU_MIN(BUFFER, x->dim[last] - begin), indices[BUFFER];
      if (x->dtype == HED_ID_BOOL && x->stride[last] == 1)
        flags = (const uint8_t *)row + begin;
      else
        s->move(n, (char *)buffer, 1, row + begin * x->stride[last], x->stride[last]);
      if (!write) {
        count += cpu_copy_k->count_true(n, flags);
        continue;
      }
      char *to = (char *)out->data + at * out->stride[0];
      if (last == 0 && out->stride[0] == sizeof(int64_t)) {
        at += cpu_copy_k->true_indices(n, flags, begin, (int64_t *)(void *)to);
        continue;
      }
      const int64_t found = cpu_copy_k->true_indices(n, flags, begin, indices);
      for (int64_t i = 0; i < found; i++, to += out->stride[0]) {
        for (int32_t j = 0; j < last; j++)
          *(int64_t *)(void *)(to + j * out->stride[1]) = index[j];
        *(int64_t *)(void *)(to + last * out->stride[1]) = indices[i];
      }
      at += found;
    }
  }
  if (!write)
    s->found[k + 1] = count;
}

static void count_rows(void *arg, int64_t k) { scan_rows(arg, k, false); }
static void write_rows(void *arg, int64_t k) { scan_rows(arg, k, true); }

int32_t cpu_nonzero(void *state, const hed_call *call)
{
  (void)state;
  const hed_view *x = call->in[0];
  if (x->ndim == 0)
    return HED_OK; /* one row without coordinates, or none */
  search s = { .call = call, .move = hed__cast(x->dtype, HED_ID_BOOL) };
  int64_t size = size_of(x);
  if (size == 0)
    return HED_OK;
  int64_t chunks = chunks_of(&s, size / x->dim[x->ndim - 1]);
  if (x->ndim > 1 || size < BUFFER)
    chunks = CPU_MAX(1, CPU_MIN(CPU_MIN(CHUNKS, s.n), size / 8192)), s.chunk = (s.n + chunks - 1) / chunks;
  cpu_parallel_items(call, chunks, 2.0 * (double)size, count_rows, &s);
  add_up(&s, chunks);
  cpu_parallel_items(call, chunks, 3.0 * (double)size, write_rows, &s);
  return HED_OK;
}

/* ---- take_along_axis ---- */

/* Bytes of x that lanes done together are taken from, and how many are the least: so many share a line of memory. */
enum { BESIDE_BYTES = 1 << 19, BESIDE_LEAST = 64 };

typedef struct along {
  hed__nest lanes;         /* result, indices, x, without the axis */
  int64_t n, step[3], size;
  int64_t beside;          /* lanes that follow each other in memory and are done together; 0: none */
  bool dense, far;         /* lanes lie one element after the other, in x over much memory */
} along;

/* One lane; M lanes side by side, row after row: each element is looked for in its own column. */
#define ALONG(bytes, type)                                                                                     \
  static void along_##bytes(const along *a, char *const *p)                                                    \
  {                                                                                                            \
    if (a->dense) {                                                                                            \
      pick_##bytes(a->n, (type *)(void *)p[0], (const type *)(void *)p[2], (const int64_t *)(void *)p[1], a->far); \
      return;                                                                                                  \
    }                                                                                                          \
    for (int64_t i = 0; i < a->n; i++) {                                                                       \
      const int64_t at = *(const int64_t *)(void *)(p[1] + i * a->step[1]);                                    \
      *(type *)(void *)(p[0] + i * a->step[0]) = *(const type *)(void *)(p[2] + at * a->step[2]);              \
    }                                                                                                          \
  }                                                                                                            \
  static void beside_##bytes(const along *a, int64_t m, char *const *p)                                        \
  {                                                                                                            \
    const int64_t step = a->step[2];                                                                           \
    const char *const from = p[2];                                                                             \
    for (int64_t i = 0; i < a->n; i++) {                                                                       \
      type *const to = (void *)(p[0] + i * a->step[0]);                                                        \
      const int64_t *const at = (const void *)(p[1] + i * a->step[1]);                                         \
      for (int64_t k = 0; k < m; k++)                                                                          \
        to[k] = ((const type *)(const void *)(from + at[k] * step))[k];                                        \
    }                                                                                                          \
  }
ALONG(1, uint8_t)
ALONG(2, uint16_t)
ALONG(4, uint32_t)
ALONG(8, cpu_word64)
ALONG(16, wide)

static void along_lanes(void *arg, int64_t begin, int64_t end)
{
  static void (*const one[])(const along *, char *const *) = { along_1, along_2, along_4, along_8, along_16 };
  static void (*const some[])(const along *, int64_t, char *const *) = { beside_1, beside_2, beside_4, beside_8, beside_16 };
  const along *a = arg;
  const hed__nest *lanes = &a->lanes;
  const int which = __builtin_ctzll((uint64_t)a->size);
  const int32_t last = lanes->ndim - 1;
  const int64_t width = lanes->dim[last];
  for (int64_t lane = begin, m; lane < end; lane += m) {
    hed__walk w;
    hed__walk_init(&w, lanes, lane / width, 1);
    hed__walk_next(&w);
    char *p[3];
    for (int k = 0; k < 3; k++)
      p[k] = w.ptr[k] + lane % width * lanes->stride[k][last];
    m = a->beside ? CPU_MIN(CPU_MIN(a->beside, width - lane % width), end - lane) : 1;
    if (m > 1)
      some[which](a, m, p);
    else
      one[which](a, p);
  }
}

int32_t cpu_take_along_axis(void *state, const hed_call *call)
{
  (void)state;
  const hed_take_params *p = call->params;
  const hed_view *views[3] = { call->out[0], call->in[1], call->in[0] };
  hed_view rest[3];
  int64_t total = size_of(views[0]);
  if (total == 0)
    return HED_OK;
  along a = { .n = views[0]->dim[p->axis], .size = hed__id_size(views[0]->dtype) };
  for (int k = 0; k < 3; k++) {
    rest[k] = hed__view_without(views[k], p->axis, 1);
    a.step[k] = views[k]->stride[p->axis];
  }
  hed__nest_init(&a.lanes, 3, (const hed_view *const[]){ &rest[0], &rest[1], &rest[2] }, HED__NEST_REORDER);
  const int32_t last = a.lanes.ndim - 1;
  const int64_t word = sizeof(int64_t), rows = CPU_MAX(a.n, views[2]->dim[p->axis]);
  a.dense = a.step[0] == a.size && a.step[1] == word && a.step[2] == a.size;
  a.far = views[2]->dim[p->axis] * a.size > CPU_FAR;
  if (!a.dense && a.lanes.stride[0][last] == a.size && a.lanes.stride[1][last] == word && a.lanes.stride[2][last] == a.size)
    a.beside = CPU_MAX(BESIDE_LEAST, BESIDE_BYTES / (rows * a.size));
  cpu_parallel_for(call, total / a.n, a.beside ? BESIDE_LEAST : 1, 4.0 * (double)total, along_lanes, &a);
  return HED_OK;
}
