// SPDX-License-Identifier: BSD-3-Clause
/*
 * median_filter in the element type; half precision in float32, which holds them. L1.
 *
 * Boxes of few elements: windows beside each other in the lanes of a sorting network of which only what leads to the median is
 * kept. Others, and all when a NaN is about: the elements of a block of the result and of what its boxes reach are ranked;
 * a set of the ranks in the box, a bit each, follows the box along a row, and with it where its median is (T. S. Huang,
 * G. J. Yang, G. Y. Tang, IEEE Trans. ASSP 27, 1979, with ranks for grey levels).
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/filter/frame.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include "base/shape.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { BLOCK_ELEMENTS = 1 << 16 /* elements that are ranked together, about */ };

enum { PIECE_ELEMENTS = 1 << 13 /* elements that are ranked together, at least */ };

typedef struct job {
  const hed_call *call;
  hed_view frame, to;        /* the operand with its ends; the result, C order */
  int64_t size, edge, width; /* of an element; of a box, and elements in it */
  void (*select)(int64_t n, void *out, const void *x, const cpu_network *net, const int64_t *at, void *spare);
  cpu_network net;
  const int64_t *at;         /* where a box's elements lie in the frame, from its first one */
  int64_t piece[HED_MAX_NDIM], pieces, most; /* extents of a piece of the result; how many; elements that its boxes reach */
  char *spare;
  int64_t spare_bytes;
  atomic_bool failed;
} job;

/* ---- the network ---- */

enum { EXCHANGES = 4096 };

/* Batcher's odd-even merge exchange (D. E. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M). */
static int32_t find_exchanges(int32_t width, cpu_exchange *list)
{
  int32_t n = 0, top = 1;
  while (2 * top < width)
    top *= 2;
  for (int32_t p = top; p > 0; p /= 2)
    for (int32_t q = top, r = 0, d = p; q >= p; d = q - p, q /= 2, r = p)
      for (int32_t i = 0; i < width - d; i++)
        if ((i & p) == r)
          list[n++] = (cpu_exchange){ (uint8_t)i, (uint8_t)(i + d), CPU_EXCHANGE };
  return n;
}

/* What leads to rank RANK, of N exchanges: the rest goes. The number left. */
static int32_t keep_wanted(int32_t rank, int32_t n, cpu_exchange *list)
{
  bool wanted[CPU_NETWORK_WIDEST] = { false };
  int32_t left = n;
  wanted[rank] = true;
  for (int32_t k = n - 1; k >= 0; k--) {
    cpu_exchange e = list[k];
    if (!wanted[e.low] && !wanted[e.high])
      continue;
    e.kind = !wanted[e.high] ? CPU_EXCHANGE_LOW : !wanted[e.low] ? CPU_EXCHANGE_HIGH : CPU_EXCHANGE;
    wanted[e.low] = wanted[e.high] = true;
    list[--left] = e;
  }
  memmove(list, list + left, (size_t)(n - left) * sizeof *list);
  return n - left;
}

/* Bytes from the first element of V to that of row R of SHAPE. */
static int64_t row_offset(const hed_view *v, const hed_view *shape, int64_t r)
{
  return hed__offset_of(shape->ndim - 1, shape->dim, v->stride, r);
}

/* The offsets, in elements, of COUNT neighbours of an element along the axes before END, EDGE along each. */
static void find_offsets(const job *j, const hed_view *v, int32_t end, int64_t count, int64_t *at)
{
  for (int64_t i = 0; i < count; i++) {
    at[i] = 0;
    for (int64_t k = end - 1, rest = i; k >= 0; rest /= j->edge, k--)
      at[i] += rest % j->edge * v->stride[k] / j->size;
  }
}

static void network_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  const int64_t n = j->to.dim[j->to.ndim - 1], rows = hed__view_size(&j->to) / n;
  for (int64_t r = rows * part / parts; r < rows * (part + 1) / parts; r++)
    j->select(n, (char *)j->to.data + row_offset(&j->to, &j->to, r), (char *)j->frame.data + row_offset(&j->frame, &j->to, r),
              &j->net, j->at, j->spare + part * j->spare_bytes);
}

/* ---- ranks ---- */

/* Ranks in a box, a bit each, and the word where that of the median is. */
typedef struct box {
  uint64_t *bits;
  int64_t word, below; /* ranks in the words before WORD */
  int64_t nans, spoils; /* NaNs in the box; the ranks from SPOILS on are theirs */
} box;

static inline void box_add(box *b, int64_t rank)
{
  b->bits[rank / 64] |= (uint64_t)1 << rank % 64;
  b->below += rank / 64 < b->word;
  b->nans += rank >= b->spoils;
}

static inline void box_remove(box *b, int64_t rank)
{
  b->bits[rank / 64] &= ~((uint64_t)1 << rank % 64);
  b->below -= rank / 64 < b->word;
  b->nans -= rank >= b->spoils;
}

/* The rank that WANTED others in the box are below. */
static inline int64_t box_rank(box *b, int64_t wanted)
{
  while (b->below > wanted)
    b->below -= __builtin_popcountll(b->bits[--b->word]);
  for (int64_t here; b->below + (here = __builtin_popcountll(b->bits[b->word])) <= wanted; b->word++)
    b->below += here;
  uint64_t word = b->bits[b->word];
  for (int64_t k = b->below; k < wanted; k++)
    word &= word - 1;
  return 64 * b->word + __builtin_ctzll(word);
}

static bool is_nan(int type, const char *x)
{
  double v = 0;
  if (type == HED_ID_FLOAT32 || type == HED_ID_FLOAT64)
    hed__cast(type, HED_ID_FLOAT64)(1, (char *)&v, 0, x, 0);
  return v != v;
}

/* Boxes along every row of TO, whose elements lie in V, in C order; AT: the offsets of a column of a box. */
static void follow(const job *j, const hed_view *v, const hed_view *to, const int64_t *order, const int32_t *rank,
                   const int64_t *at, box *b)
{
  const int64_t total = hed__view_size(v), n = to->dim[to->ndim - 1], rows = hed__view_size(to) / n, size = j->size;
  const int64_t columns = j->width / j->edge;
  const char *values = v->data;
  for (int64_t r = 0; r < rows; r++) {
    const int32_t *first = rank + row_offset(v, to, r) / size;
    char *out = (char *)to->data + row_offset(to, to, r);
    memset(b->bits, 0, (size_t)((total + 63) / 64) * sizeof *b->bits);
    b->word = b->below = b->nans = 0;
    for (int64_t i = 1 - j->edge; i < n; i++) { /* the box's first column; before 0: only its last one comes */
      for (int64_t q = 0; q < columns; q++)
        box_add(b, first[at[q] + i + j->edge - 1]);
      if (i < 0)
        continue;
      const int64_t index = b->nans > 0 ? order[total - 1] : order[box_rank(b, j->width / 2)];
      memcpy(out + i * size, values + index * size, (size_t)size);
      for (int64_t q = 0; q < columns; q++)
        box_remove(b, first[at[q] + i]);
    }
  }
}

/* Bytes for a piece whose boxes reach N elements. */
static int64_t ranks_bytes(const job *j, int64_t n)
{
  return CPU_LINES(n * j->size) + CPU_LINES(n * (int64_t)sizeof(int64_t)) + CPU_LINES(n * (int64_t)sizeof(int32_t))
         + CPU_LINES((n + 63) / 64 * 8) + CPU_LINES(j->width / j->edge * (int64_t)sizeof(int64_t));
}

static void one_piece(job *j, int64_t index, char *spare)
{
  hed_call call = *j->call;
  hed_view to = j->to, from = j->frame;
  for (int32_t k = to.ndim - 1; k >= 0; k--) {
    const int64_t count = (j->to.dim[k] + j->piece[k] - 1) / j->piece[k], at = index % count * j->piece[k];
    index /= count;
    to.dim[k] = CPU_MIN(to.dim[k] - at, j->piece[k]);
    to.data = (char *)to.data + at * to.stride[k];
    from.dim[k] = to.dim[k] + j->edge - 1;
    from.data = (char *)from.data + at * from.stride[k];
  }
  const int64_t n = hed__view_size(&from);
  hed_view dense = from, flat = { .dtype = from.dtype, .ndim = 1, .dim = { n }, .stride = { j->size } };
  hed_view indices = { .dtype = HED_ID_INT64, .ndim = 1, .dim = { n }, .stride = { sizeof(int64_t) } };
  dense.data = flat.data = spare;
  hed__c_strides(dense.ndim, dense.dim, j->size, dense.stride);
  int64_t *order = indices.data = spare += CPU_LINES(n * j->size);
  int32_t *rank = (int32_t *)(void *)(spare += CPU_LINES(n * (int64_t)sizeof *order));
  box b = { .bits = (uint64_t *)(void *)(spare += CPU_LINES(n * (int64_t)sizeof *rank)), .spoils = n };
  int64_t *at = (int64_t *)(void *)(spare + CPU_LINES((n + 63) / 64 * 8));
  call.max_threads = 1;
  (void)cpu_convert(&call, &dense, &from);
  call.in = (const hed_view *[]){ &flat };
  call.out = (const hed_view *[]){ &indices };
  call.params = &(hed_sort_params){ 0 };
  call.compute = from.dtype;
  call.flat = 0;
  if (cpu_argsort(NULL, &call) != HED_OK) {
    atomic_store(&j->failed, true);
    return;
  }
  while (b.spoils > 0 && is_nan(from.dtype, (char *)flat.data + order[b.spoils - 1] * j->size))
    b.spoils--;
  for (int64_t k = 0; k < n; k++)
    rank[order[k]] = (int32_t)k;
  find_offsets(j, &dense, dense.ndim - 1, j->width / j->edge, at);
  follow(j, &dense, &to, order, rank, at, &b);
}

static void ranks_part(void *arg, int32_t part, int32_t parts)
{
  job *j = arg;
  for (int64_t k = part; k < j->pieces; k += parts)
    one_piece(j, k, j->spare + part * j->spare_bytes);
}

/* ---- the call ---- */

static bool any_nan(const job *j)
{
  const char *x = j->frame.data;
  const int64_t n = hed__view_size(&j->frame);
  bool any = false;
  if (j->frame.dtype == HED_ID_FLOAT32)
    for (int64_t k = 0; k < n; k++)
      any |= ((const float *)(const void *)x)[k] != ((const float *)(const void *)x)[k];
  else if (j->frame.dtype == HED_ID_FLOAT64)
    for (int64_t k = 0; k < n; k++)
      any |= ((const double *)(const void *)x)[k] != ((const double *)(const void *)x)[k];
  return any;
}

/* What ranks cost an element of the result, in bytes that a network exchanges. */
static double ranks_cost(const job *j) { return (j->to.ndim == 1 ? 2000 : 5000) + 180.0 * (double)(j->width / j->edge); }

/* False without memory, or when ranks are to do it: then j->net has no exchanges. */
static bool by_network(job *j)
{
  cpu_exchange list[EXCHANGES];
  int64_t at[CPU_NETWORK_WIDEST];
  const int32_t width = (int32_t)j->width, count = keep_wanted(width / 2, find_exchanges(width, list), list);
  if ((double)(count * j->size) > ranks_cost(j))
    return false;
  j->net = (cpu_network){ width, width / 2, count, list };
  find_offsets(j, &j->frame, j->frame.ndim, width, at);
  j->at = at;
  j->spare_bytes = width * CPU_NETWORK_ROW;
  if (!(j->spare = cpu_scratch_get((size_t)(j->spare_bytes * j->call->max_threads))))
    return false;
  cpu_parallel_parts(j->call, hed__view_size(&j->to) / j->to.dim[j->to.ndim - 1],
                     (double)hed__view_size(&j->to) * (double)(j->net.count + width), network_part, j);
  return true;
}

static bool by_ranks(job *j)
{
  const int64_t even = (int64_t)pow(PIECE_ELEMENTS, 1.0 / j->to.ndim);
  double most = 1;
  j->pieces = 1;
  for (int32_t k = 0; k < j->to.ndim; k++) {
    j->piece[k] = CPU_MIN(CPU_MAX(even, 8 * j->edge), j->to.dim[k]); /* what is around it is ranked in vain */
    j->pieces *= (j->to.dim[k] + j->piece[k] - 1) / j->piece[k];
    most *= (double)(j->piece[k] + j->edge - 1);
  }
  if (most > 0x1p30)
    return false;
  j->spare_bytes = ranks_bytes(j, (int64_t)most);
  const int64_t parts = CPU_MIN(j->pieces, j->call->max_threads);
  if (!(j->spare = cpu_scratch_get((size_t)(j->spare_bytes * parts))))
    return false;
  cpu_parallel_parts(j->call, parts, (double)hed__view_size(&j->to) * (double)(j->width / j->edge) * 40, ranks_part, j);
  return !atomic_load(&j->failed);
}

int32_t cpu_median_filter(void *state, const hed_call *call)
{
  (void)state;
  const hed_box_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const bool half = in->dtype == HED_ID_FLOAT16 || in->dtype == HED_ID_BFLOAT16;
  const int type = half ? HED_ID_FLOAT32 : in->dtype == HED_ID_BOOL ? HED_ID_UINT8 : in->dtype;
  const bool number = hed__id_kind(type) == HED_KIND_FLOAT;
  int64_t before[HED_MAX_NDIM], after[HED_MAX_NDIM];
  uint64_t margin[2];
  job j = { .call = call, .to = *out, .size = hed__id_size(type), .edge = p->size, .width = 1, .select = cpu_filters[type].select };
  for (int32_t k = 0; k < in->ndim; k++) {
    before[k] = p->size / 2;
    after[k] = (p->size - 1) / 2;
    if (__builtin_mul_overflow(j.width, p->size, &j.width))
      return HED_E_UNSUPPORTED;
  }
  if (in->ndim == 0 || (!number && p->cval != p->cval))
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return HED_OK;
  cpu_frame_margin(half ? type : in->dtype, p->cval, margin);
  void *data = cpu_frame(call, in, type, before, after, p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_REFLECT : p->boundary,
                         margin, &j.frame);
  const bool direct = out->dtype == type && hed__is_c_contiguous(out);
  char *made = direct ? NULL : cpu_scratch_get((size_t)(hed__view_size(out) * j.size));
  bool good = data && (direct || made);
  if (good && !direct) {
    j.to.dtype = type;
    j.to.data = made;
    hed__c_strides(j.to.ndim, j.to.dim, j.size, j.to.stride);
  }
  if (good && (j.width > CPU_NETWORK_WIDEST || any_nan(&j) || !by_network(&j)))
    good = j.net.count == 0 && by_ranks(&j);
  if (good && !direct)
    (void)cpu_convert(call, out, &j.to);
  cpu_scratch_put(j.spare);
  cpu_scratch_put(made);
  cpu_scratch_put(data);
  return good ? HED_OK : cpu_host->fail(HED_E_NOMEM, "median_filter: no memory for boxes of edge %lld", (long long)p->size);
}
