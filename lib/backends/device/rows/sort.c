// SPDX-License-Identifier: BSD-3-Clause
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include <heddle/op_names.h>
#include <string.h>

enum { MERGED = 4096, MERGED_WIDE = 256, CHUNK_ELEMENTS = 16384, MOST_PICKED = 8, HISTOGRAM_PARTS = 8, MOST_SWEPT = 1 << 30 };

/* What sorting a call's rows takes. */
typedef struct sort_job {
  dev_order_job order;         /* its args are the rows' */
  dev_pack x, out[2];          /* rows last */
  hed_view moved, result[2];
  int32_t n_out;
  bool partial, whole;         /* WHOLE: elements go with their keys, no numbers */
  void *make, *part, *values, *numbers, *odd;
} sort_job;

/* Rows of V, its last axis, as they are or packed; strides from row to row and along it. */
static int32_t take_rows(dev_device *d, dev_pack *p, const hed_view *v, bool result, int64_t stride[2])
{
  int64_t n[3], s[3];
  const bool fits = dev_line_view(v, v->ndim - 1, n, s);
  int32_t status = dev_pack_prepare(d, p, v, !fits, result);
  if (status == HED_OK) {
    (void)dev_line_view(fits ? v : &p->packed, v->ndim - 1, n, s);
    stride[0] = s[0];
    stride[1] = s[1];
  }
  return status;
}

/* ---- keys and numbers into order ---- */

int32_t dev_order_prepare(dev_device *d, dev_order_job *j, int32_t dtype, int64_t rows, int64_t n, bool lone)
{
  const dev_spec spec = dev_spec_of("radix", dtype);
  hed__sort_args *a = &j->args;
  a->rows = rows;
  a->n = n;
  a->chunk = d->limits.is_cpu ? CHUNK_ELEMENTS : (int64_t)d->limits.block * HED__RADIX_EACH(hed__id_size(dtype));
  a->parts = (n + a->chunk - 1) / a->chunk;
  j->key_bytes = hed__id_size(dtype) > 4 ? 8 : 4;
  j->digit_bits = d->limits.is_cpu ? HED__RADIX_LONG : HED__RADIX_WIDE;
  /* where an item merges alone, many have to */
  j->merges = d->limits.is_cpu ? n <= MERGED : n <= MERGED_WIDE && (rows >= (int64_t)d->limits.units * 64 || n <= MERGED_WIDE / 8);
  j->sweeps = d->limits.looks_back && !j->merges && a->parts > 1 && n < MOST_SWEPT;
  j->lone = lone && j->sweeps;
  j->keys = dev_part_bytes((size_t)(rows * n * j->key_bytes));
  j->numbers = j->lone ? 0 : dev_part_bytes((size_t)(rows * n) * sizeof(uint32_t));
  j->counts = j->states = j->words = 0;
  if (j->merges)
    return dev_kernel(d, &spec, "merge_rows", &j->merge);
  const int64_t digits = (int64_t)1 << j->digit_bits, passes = j->key_bytes * 8 / j->digit_bits;
  const int64_t lines = j->sweeps ? rows * passes : rows, counts = j->sweeps ? digits : digits * a->parts;
  j->counts = dev_part_bytes((size_t)(lines * counts) * sizeof(uint32_t));
  if (j->sweeps)
    j->words = dev_part_bytes((size_t)(1 + rows * a->parts * digits) * sizeof(uint32_t));
  int32_t status = dev_sums_prepare(d, &j->sums, HED_ID_UINT32, lines, counts);
  j->states = j->sums.bytes;
  if (status == HED_OK)
    status = dev_kernel(d, &spec, j->sweeps ? "radix_histogram" : "radix_count", &j->count);
  const char *move = !j->sweeps ? "radix_move" : j->lone ? "radix_sweep_keys" : "radix_sweep";
  return status == HED_OK ? dev_kernel(d, &spec, move, &j->move) : status;
}

size_t dev_order_bytes(const dev_order_job *j) { return 2 * (j->keys + j->numbers) + j->counts + j->states + j->words; }

void dev_order_place(const dev_order_job *j, dev_order *o, char **at)
{
  for (int k = 0; k < 2; k++) {
    o->keys[k] = *at;
    o->numbers[k] = o->keys[k] + j->keys;
    *at = o->numbers[k] + j->numbers;
  }
  o->counts = *at;
  o->states = o->counts + j->counts;
  o->words = o->states + j->states;
  *at = o->words + j->words;
}

static void swap(char *pair[2])
{
  char *t = pair[0];
  pair[0] = pair[1];
  pair[1] = t;
}

/* By the low BITS of the keys: digits are counted once, and moved in one pass each. */
static int32_t sweep(dev_submit *q, const dev_order_job *j, dev_order *o, int32_t bits)
{
  hed__sort_args a = j->args;
  const uint64_t block = q->device->limits.block;
  int32_t status = dev_submit_clear(q, o->counts, j->counts);
  a.chunk *= HISTOGRAM_PARTS;
  a.parts = (a.n + a.chunk - 1) / a.chunk;
  if (status == HED_OK)
    status = dev_submit_items(q, j->count, (uint64_t)(a.rows * a.parts) * block, 2, (void *[]){ o->counts, o->keys[0] }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_sums_submit(q, &j->sums, o->counts, o->counts, o->states);
  a = j->args;
  for (a.shift = 0; a.shift < bits && status == HED_OK; a.shift += j->digit_bits) {
    void *const paired[] = { o->keys[1], o->numbers[1], o->keys[0], o->numbers[0], o->counts, o->words };
    void *const lone[] = { o->keys[1], o->keys[0], o->counts, o->words };
    status = dev_submit_clear(q, o->words, j->words);
    if (status == HED_OK)
      status = dev_submit_items(q, j->move, (uint64_t)(a.rows * a.parts) * block, j->lone ? 4 : 6, j->lone ? lone : paired, &a,
                                sizeof a);
    swap(o->keys);
    swap(o->numbers);
  }
  return status;
}

int32_t dev_order_submit(dev_submit *q, const dev_order_job *j, dev_order *o, int32_t bits)
{
  hed__sort_args a = j->args;
  const uint64_t units = (uint64_t)(a.rows * a.parts), items = q->device->limits.is_cpu ? units : units * q->device->limits.block;
  int32_t status = HED_OK;
  if (j->merges)
    return dev_submit_items(q, j->merge, (uint64_t)a.rows, 4,
                            (void *[]){ o->keys[0], o->numbers[0], o->keys[1], o->numbers[1] }, &a, sizeof a);
  if (j->sweeps)
    return sweep(q, j, o, bits);
  for (a.shift = 0; a.shift < bits && status == HED_OK; a.shift += j->digit_bits) {
    status = dev_submit_items(q, j->count, items, 2, (void *[]){ o->counts, o->keys[0] }, &a, sizeof a);
    if (status == HED_OK)
      status = dev_sums_submit(q, &j->sums, o->counts, o->counts, o->states);
    if (status == HED_OK)
      status = dev_submit_items(q, j->move, items, 5,
                                (void *[]){ o->keys[1], o->numbers[1], o->keys[0], o->numbers[0], o->counts }, &a, sizeof a);
    swap(o->keys);
    swap(o->numbers);
  }
  return status;
}

/* ---- rows of elements ---- */

/* Rows of args.n elements of DTYPE; args has what else there is. */
static int32_t plan(dev_device *d, sort_job *j, int32_t dtype)
{
  const dev_spec spec = dev_spec_of("radix", dtype);
  const bool known = j->whole && dtype != HED_ID_BOOL; /* true has more than one pattern */
  int32_t status = dev_order_prepare(d, &j->order, dtype, j->order.args.rows, j->order.args.n, known);
  const bool lone = j->order.lone;
  if (status == HED_OK)
    status = dev_kernel(d, &spec, lone ? "sort_lone" : j->whole ? "sort_whole" : "sort_keys", &j->make);
  if (status == HED_OK && lone)
    status = dev_kernel(d, &spec, "sort_odd", &j->odd);
  if (status == HED_OK && j->partial)
    status = dev_kernel(d, &spec, "part_keys", &j->part);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, lone ? "sort_unkeyed" : j->whole ? "sort_elements" : "sort_values", &j->values);
  return status == HED_OK ? dev_kernel(d, &spec, "sort_numbers", &j->numbers) : status;
}

static size_t odd_bytes(const sort_job *j)
{
  return j->order.lone ? dev_part_bytes((size_t)j->order.args.rows * sizeof(uint32_t)) : 0;
}

static size_t scratch_bytes(const sort_job *j)
{
  return dev_order_bytes(&j->order) + (j->partial ? j->order.keys + j->order.numbers : 0) + j->x.bytes + j->out[0].bytes +
         j->out[1].bytes + odd_bytes(j) + 256;
}

/* Elements of X and their sorted KEYS to OUT; ODD has which rows have elements that keys do not tell. */
static int32_t unkey(dev_submit *q, const sort_job *j, const hed__sort_args *a, void *out, void *x, const dev_order *o, char *odd)
{
  const uint64_t parts = (uint64_t)(a->rows * a->parts) * q->device->limits.block;
  int32_t status = dev_submit_items(q, j->values, (uint64_t)(a->rows * a->keep), 2, (void *[]){ out, o->keys[0] }, a, sizeof *a);
  if (status == HED_OK)
    status = dev_submit_clear(q, o->words, j->order.words);
  return status == HED_OK ? dev_submit_items(q, j->odd, parts, 5, (void *[]){ out, x, o->keys[0], odd, o->words }, a, sizeof *a)
                          : status;
}

/* Sorts the rows of X to OUT, by keys alone. */
static int32_t sort_lone(dev_submit *q, const sort_job *j, const hed__sort_args *a, void *out, void *x, char **at)
{
  dev_order o;
  dev_order_place(&j->order, &o, at);
  char *odd = *at;
  *at += odd_bytes(j);
  int32_t status = dev_submit_clear(q, odd, odd_bytes(j));
  if (status == HED_OK)
    status = dev_submit_items(q, j->make, (uint64_t)(a->rows * a->n), 3, (void *[]){ o.keys[0], odd, x }, a, sizeof *a);
  if (status == HED_OK)
    status = dev_order_submit(q, &j->order, &o, j->order.key_bytes * 8);
  return status == HED_OK ? unkey(q, j, a, out, x, &o, odd) : status;
}

/* Sorts the rows of X; *NUMBERS is the order, *AT the scratch memory behind. */
static int32_t sort(dev_submit *q, const sort_job *j, void *x, char **numbers, char **at)
{
  const hed__sort_args *a = &j->order.args;
  const uint64_t all = (uint64_t)(a->rows * a->n);
  dev_order o;
  dev_order_place(&j->order, &o, at);
  int32_t status = dev_submit_items(q, j->make, all, 3, (void *[]){ o.keys[0], o.numbers[0], x }, a, sizeof *a);
  if (status == HED_OK)
    status = dev_order_submit(q, &j->order, &o, j->order.key_bytes * 8);
  if (status == HED_OK && j->partial) { /* once more, by what side of the middle they belong to */
    char *sorted = o.keys[0];
    o.keys[0] = *at;
    o.numbers[0] = o.keys[0] + j->order.keys;
    *at = o.numbers[0] + j->order.numbers;
    status = dev_submit_items(q, j->part, all, 4, (void *[]){ o.keys[0], o.numbers[0], sorted, x }, a, sizeof *a);
    if (status == HED_OK)
      status = dev_order_submit(q, &j->order, &o, 2);
  }
  *numbers = o.numbers[0];
  return status;
}

/* ---- the rows ---- */

static int32_t run(dev_submit *q, sort_job *j, const hed_call *c)
{
  const uint64_t kept = (uint64_t)(j->order.args.rows * j->order.args.keep);
  void *scratch;
  char *numbers = NULL;
  int32_t status = dev_submit_scratch(q, scratch_bytes(j), &scratch);
  if (status != HED_OK)
    return status;
  char *at = scratch;
  status = dev_pack_in(q, &j->x, &at);
  for (int32_t k = 0; k < j->n_out; k++)
    dev_pack_out(&j->out[k], &at);
  if (status == HED_OK && !j->order.lone)
    status = sort(q, j, j->x.data, &numbers, &at);
  for (int32_t k = 0; k < j->n_out && status == HED_OK; k++) {
    hed__sort_args a = j->order.args;
    int64_t n[3], to[3];
    const hed_view *v = j->out[k].needed ? &j->out[k].packed : &j->result[k];
    (void)dev_line_view(v, v->ndim - 1, n, to);
    a.to[0] = to[0];
    a.to[1] = to[1];
    if (j->order.lone)
      status = sort_lone(q, j, &a, j->out[k].data, j->x.data, &at);
    else if (k == 1 || c->op == HED_OP_ARGSORT)
      status = dev_submit_items(q, j->numbers, kept, 2, (void *[]){ j->out[k].data, numbers }, &a, sizeof a);
    else if (j->whole)
      status = dev_submit_items(q, j->values, kept, 2, (void *[]){ j->out[k].data, numbers }, &a, sizeof a);
    else
      status = dev_submit_items(q, j->values, kept, 3, (void *[]){ j->out[k].data, j->x.data, numbers }, &a, sizeof a);
    if (status == HED_OK)
      status = dev_pack_finish(q, &j->out[k]);
  }
  return status;
}

int32_t dev_sort_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_sort_params *p = c->params;
  const hed_view *x = c->in[0];
  sort_job j = { .n_out = c->n_out, .partial = c->op != HED_OP_TOPK && p->partial };
  dev_submit q;
  int64_t unused[2];
  if (c->host_in || x->dim[p->axis] > INT32_MAX || (c->op != HED_OP_ARGSORT && c->out[0]->dtype != x->dtype))
    return HED_E_UNSUPPORTED;
  if (hed__view_size(x) == 0 || hed__view_size(c->out[0]) == 0)
    return dev_nothing_call(state, c);
  j.whole = c->op == HED_OP_SORT && !j.partial && hed__id_size(x->dtype) <= 4;
  j.moved = dev_moved_last(x, p->axis);
  hed__sort_args *a = &j.order.args;
  a->n = x->dim[p->axis];
  a->rows = hed__view_size(x) / a->n;
  a->keep = c->out[0]->dim[p->axis];
  a->descending = p->descending;
  a->kth = p->kth;
  int32_t status = take_rows(d, &j.x, &j.moved, false, a->from);
  for (int32_t k = 0; k < c->n_out && status == HED_OK; k++) {
    j.result[k] = dev_moved_last(c->out[k], p->axis);
    status = take_rows(d, &j.out[k], &j.result[k], true, unused);
  }
  if (status == HED_OK && (status = plan(d, &j, x->dtype)) == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run(&q, &j, c), c->ticket);
  return status;
}

/* ---- quantiles of sorted rows ---- */

typedef struct quantile_job {
  sort_job sort;
  hed__select_args args;
  dev_pack out;
  size_t sorted;               /* bytes of the rows in order */
  void *entry;
} quantile_job;

static int32_t run_quantile(dev_submit *q, quantile_job *j)
{
  hed__sort_args a = j->sort.order.args;
  void *scratch;
  char *numbers;
  int32_t status = dev_submit_scratch(q, scratch_bytes(&j->sort) + j->sorted + j->out.bytes, &scratch);
  if (status != HED_OK)
    return status;
  char *at = scratch, *sorted = at;
  at += j->sorted;
  status = dev_pack_in(q, &j->sort.x, &at);
  dev_pack_out(&j->out, &at);
  if (status == HED_OK)
    status = sort(q, &j->sort, j->sort.x.data, &numbers, &at);
  a.to[0] = a.n;
  a.to[1] = 1;
  if (status == HED_OK)
    status = dev_submit_items(q, j->sort.values, (uint64_t)(a.rows * a.n), 3, (void *[]){ sorted, j->sort.x.data, numbers }, &a,
                              sizeof a);
  if (status == HED_OK)
    status = dev_submit_items(q, j->entry, (uint64_t)(a.rows * j->args.count), 2, (void *[]){ j->out.data, sorted }, &j->args,
                              sizeof j->args);
  return status == HED_OK ? dev_pack_finish(q, &j->out) : status;
}

/* ---- quantiles of rows in any order, on processors: a digit of one costs as much as a digit of sorting all ---- */

static int32_t pick_quantiles(dev_device *d, const hed_call *c, quantile_job *j)
{
  dev_spec spec = dev_spec_of("pick", c->in[0]->dtype);
  dev_submit q;
  void *scratch;
  spec.out = c->out[0]->dtype;
  memcpy(j->args.from, j->sort.order.args.from, sizeof j->args.from);
  int32_t status = dev_kernel(d, &spec, "pick_quantile", &j->entry);
  if (status == HED_OK)
    status = dev_submit_call(&q, d, c);
  if (status != HED_OK)
    return status;
  status = dev_submit_scratch(&q, j->sort.x.bytes + j->out.bytes + 256, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &j->sort.x, &at);
  if (status == HED_OK) {
    dev_pack_out(&j->out, &at);
    status = dev_submit_items(&q, j->entry, (uint64_t)(j->args.rows * j->args.count), 2,
                              (void *[]){ j->out.data, j->sort.x.data }, &j->args, sizeof j->args);
  }
  return dev_submit_end(&q, status == HED_OK ? dev_pack_finish(&q, &j->out) : status, c->ticket);
}

int32_t dev_quantile_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_quantile_params *p = c->params;
  const hed_view *x = c->in[0], *out = c->out[0];
  quantile_job j = { .sort = { .n_out = 0 } };
  dev_spec spec = dev_spec_of("select", c->compute);
  dev_submit q;
  int64_t n[3], to[3];
  const int64_t lane = x->dim[x->ndim - 1];
  if (c->host_in || lane == 0 || lane > INT32_MAX || hed__view_size(x) == 0 || hed__view_size(out) == 0)
    return HED_E_UNSUPPORTED;
  spec.in[0] = x->dtype == c->compute ? DEV_TYPE_NONE : x->dtype;
  spec.out = out->dtype == c->compute ? DEV_TYPE_NONE : out->dtype;
  j.sort.moved = *x;
  j.sort.order.args.n = j.sort.order.args.keep = lane;
  j.sort.order.args.rows = hed__view_size(x) / lane;
  j.sorted = dev_part_bytes((size_t)hed__view_size(x) * (size_t)hed__id_size(x->dtype));
  j.args = (hed__select_args){ .rows = j.sort.order.args.rows, .n = lane, .from = { lane, 1 }, .count = p->n, .method = p->method,
                               .omit_nan = p->omit_nan };
  for (int32_t k = 0; k < p->n; k++)
    j.args.q[k] = dev_number_bits(d, p->q[k]);
  int32_t status = take_rows(d, &j.sort.x, &j.sort.moved, false, j.sort.order.args.from);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &j.out, out, !dev_line_view(out, 0, n, to), true);
  if (status != HED_OK)
    return status;
  (void)dev_line_view(j.out.needed ? &j.out.packed : out, 0, n, to);
  j.args.to[0] = to[1];
  j.args.to[1] = to[2];
  /* elements are rounded on their way to double by no type between */
  const bool plain = c->compute == HED_ID_FLOAT64 || c->compute == hed__compute_of(x->dtype);
  if (d->limits.is_cpu && p->n <= MOST_PICKED && plain)
    return pick_quantiles(d, c, &j);
  if ((status = dev_kernel(d, &spec, "quantile", &j.entry)) == HED_OK && (status = plan(d, &j.sort, x->dtype)) == HED_OK &&
      (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run_quantile(&q, &j), c->ticket);
  return status;
}
