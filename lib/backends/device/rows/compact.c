// SPDX-License-Identifier: BSD-3-Clause
/* nonzero, compress and repeat: places that elements give, then what is there (kernels/args_gather.h). L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_gather.h"
#include "base/dtype.h"
#include <string.h>

enum { PIECE_ELEMENTS = 1024, MOST_IN_ONE_PASS = 1 << 30 };

/* ---- positions of elements that are not 0 ---- */

typedef struct positions {
  hed__compact_args args;
  dev_sums_job sums;
  void *count, *place;
  size_t pieces, list, words;  /* bytes; words of parts that look back, 0 where there is no one pass */
} positions;

static int32_t prepare(dev_device *d, positions *p, int32_t dtype, int64_t n, int64_t found)
{
  const dev_spec spec = dev_spec_of("compact", dtype);
  const int64_t pieces = (n + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS;
  p->args = (hed__compact_args){ .n = n, .each = PIECE_ELEMENTS, .found = found };
  p->pieces = dev_part_bytes((size_t)pieces * sizeof(int64_t));
  p->list = dev_part_bytes((size_t)found * sizeof(int64_t));
  p->words = 0;
  if (d->limits.looks_back && n < MOST_IN_ONE_PASS) {
    p->words = dev_part_bytes((size_t)(2 + n / (HED__COMPACT_EACH * (int64_t)d->limits.block)) * sizeof(uint32_t));
    p->pieces = p->sums.bytes = 0;
    return dev_kernel(d, &spec, "find_true", &p->place);
  }
  int32_t status = dev_kernel(d, &spec, "count_true", &p->count);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "place_true", &p->place);
  return status == HED_OK ? dev_sums_prepare(d, &p->sums, HED_ID_INT64, 1, pieces) : status;
}

static size_t positions_bytes(const positions *p) { return p->pieces + p->sums.bytes + p->list + p->words; }

/* The positions of X are at *LIST, in scratch memory from *AT on. */
static int32_t find(dev_submit *q, const positions *p, void *x, char **at, char **list)
{
  char *counts = *at, *states = counts + p->pieces;
  const uint64_t pieces = (uint64_t)((p->args.n + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS);
  *list = states + p->sums.bytes;
  *at = *list + p->list + p->words;
  if (p->words > 0) {
    char *words = *list + p->list;
    const int32_t cleared = dev_submit_clear(q, words, p->words);
    return cleared == HED_OK ? dev_submit_items(q, p->place, (uint64_t)((p->args.n + HED__COMPACT_EACH - 1) / HED__COMPACT_EACH), 3,
                                                (void *[]){ *list, x, words }, &p->args, sizeof p->args)
                             : cleared;
  }
  int32_t status = dev_submit_items(q, p->count, pieces, 2, (void *[]){ counts, x }, &p->args, sizeof p->args);
  if (status == HED_OK)
    status = dev_sums_submit(q, &p->sums, counts, counts, states);
  if (status == HED_OK)
    status = dev_submit_items(q, p->place, pieces, 3, (void *[]){ *list, x, counts }, &p->args, sizeof p->args);
  return status;
}

int32_t dev_nonzero_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_view *x = c->in[0], *out = c->out[0];
  const dev_spec spec = dev_spec_of("compact", x->dtype);
  hed__coordinates_args a = { .n = out->dim[0], .ndim = x->ndim };
  dev_pack packed;
  positions p;
  dev_submit q;
  void *entry, *scratch;
  char *list;
  if (c->host_in || hed__view_size(out) == 0 || out->stride[0] % 8 != 0 || out->stride[1] % 8 != 0)
    return hed__view_size(out) == 0 && !c->host_in ? dev_nothing_call(state, c) : HED_E_UNSUPPORTED;
  a.to[0] = out->stride[0] / 8;
  a.to[1] = out->stride[1] / 8;
  memcpy(a.dim, x->dim, (size_t)x->ndim * sizeof *a.dim);
  int32_t status = dev_pack_prepare(d, &packed, x, !hed__is_c_contiguous(x), false);
  if (status == HED_OK)
    status = prepare(d, &p, x->dtype, hed__view_size(x), out->dim[0]);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "coordinates", &entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, positions_bytes(&p) + packed.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &packed, &at);
  if (status == HED_OK)
    status = find(&q, &p, packed.data, &at, &list);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)a.n, 2, (void *[]){ out->data, list }, &a, sizeof a);
  return dev_submit_end(&q, status, c->ticket);
}

int32_t dev_compress_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const int32_t axes = ((const hed_gather_params *)c->params)->axes;
  const hed_view *out = c->out[0], *mask = c->in[1];
  const hed_view places = { .dtype = HED_ID_INT64, .ndim = 1, .dim = { out->dim[0] }, .stride = { sizeof(int64_t) } };
  dev_pack x, bits;
  dev_gather_job gather;
  positions p;
  dev_submit q;
  void *scratch;
  char *list;
  if (c->host_in || c->in[0]->dtype != out->dtype || axes < 1)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(state, c);
  int32_t status = dev_pack_prepare(d, &x, c->in[0], !dev_lie_as_one(c->in[0], axes), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &bits, mask, !hed__is_c_contiguous(mask), false);
  if (status == HED_OK)
    status = prepare(d, &p, mask->dtype, hed__view_size(mask), out->dim[0]);
  if (status != HED_OK)
    return status;
  dev_gather_describe(&gather, out, x.needed ? &x.packed : c->in[0], &places, axes);
  if ((status = dev_gather_prepare(d, &gather, out)) != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, positions_bytes(&p) + x.bytes + bits.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &x, &at);
  if (status == HED_OK)
    status = dev_pack_in(&q, &bits, &at);
  if (status == HED_OK)
    status = find(&q, &p, bits.data, &at, &list);
  if (status == HED_OK)
    status = dev_gather_submit(&q, &gather, c->op, x.data, list);
  return dev_submit_end(&q, status, c->ticket);
}

/* ---- repeat: which element each result repeats, by sums of counts ---- */

int32_t dev_repeat_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const int32_t axis = ((const hed_take_params *)c->params)->axis;
  const hed_view *out = c->out[0], *x = c->in[0], *counts = c->in[1];
  dev_spec spec = dev_spec_of("gather", HED_ID_UINT8);
  hed__gather_args a = { .n = { out->dim[axis], 1, 1 }, .extent = counts->dim[0] };
  dev_gather_job gather = { .from = *out, .index = *out, .step = x->stride[axis], .extent = x->dim[axis],
                            .code = DEV_CODE_INDEX, .axis = axis };
  dev_pack list;
  dev_sums_job sums;
  dev_submit q;
  void *entry, *scratch;
  if (c->host_in || x->dtype != out->dtype || counts->dtype != HED_ID_INT64)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(state, c);
  for (int32_t k = 0; k < out->ndim; k++) {
    gather.from.stride[k] = k == axis ? 0 : x->stride[k];
    gather.index.stride[k] = k == axis ? (int64_t)sizeof(int64_t) : 0;
  }
  gather.from.data = x->data;
  gather.index.data = NULL;
  gather.index.dtype = HED_ID_INT64;
  spec.define[0] = "HED_BYTES 1";
  int32_t status = dev_pack_prepare(d, &list, counts, true, false); /* sums take its place */
  if (status == HED_OK)
    status = dev_sums_prepare(d, &sums, HED_ID_INT64, 1, counts->dim[0]);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "repeat_places", &entry);
  if (status == HED_OK)
    status = dev_gather_prepare(d, &gather, out);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, list.bytes + sums.bytes + (size_t)out->dim[axis] * sizeof(int64_t), &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &list, &at);
  char *places = at + sums.bytes;
  if (status == HED_OK)
    status = dev_sums_submit(&q, &sums, list.data, list.data, at);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)a.n[0], 2, (void *[]){ places, list.data }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_gather_submit(&q, &gather, c->op, x->data, places);
  return dev_submit_end(&q, status, c->ticket);
}
