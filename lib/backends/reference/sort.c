// SPDX-License-Identifier: BSD-3-Clause
/* sort, argsort and topk along one axis. L1.
 *
 * A lane becomes a list of (key, index): the key is a 64-bit word that orders as the values do, with NaN last in both
 * directions. One stable merge sort of such pairs serves all dtypes; equal keys stay in order of index.
 */
#include "backends/reference/lanes.h"
#include "backends/reference/reference.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"

#include <string.h>

typedef struct pair {
  uint64_t key;
  int64_t index;
} pair;

/* ---- keys ---- */

static const uint64_t top_bit = (uint64_t)1 << 63;

/* The order of IEEE 754 numbers is that of sign and magnitude; -0 becomes 0, its equal. */
static uint64_t key_of_float(double x, bool descending)
{
  uint64_t bits;
  if (x != x)
    return UINT64_MAX;
  if (x == 0)
    x = 0;
  memcpy(&bits, &x, sizeof bits);
  bits = bits & top_bit ? ~bits : bits | top_bit;
  return descending ? ~bits : bits;
}

/* Keys of N values, widened before to float64 or to 64-bit integers. */
static void make_keys(int64_t n, pair *list, hed_kind kind, bool descending, const char *wide)
{
  for (int64_t i = 0; i < n; i++) {
    uint64_t word;
    double number;
    list[i].index = i;
    memcpy(&word, wide + i * 8, sizeof word);
    memcpy(&number, wide + i * 8, sizeof number);
    if (kind == HED_KIND_FLOAT) {
      list[i].key = key_of_float(number, descending);
    } else {
      word ^= kind == HED_KIND_INT ? top_bit : 0;
      list[i].key = descending ? ~word : word;
    }
  }
}

/* ---- stable merge sort, bottom up ---- */

static void merge(const pair *a, int64_t na, const pair *b, int64_t nb, pair *out)
{
  while (na > 0 && nb > 0)
    if (b->key < a->key)
      *out++ = *b++, nb--;
    else
      *out++ = *a++, na--;
  memcpy(out, na > 0 ? a : b, (size_t)(na > 0 ? na : nb) * sizeof *out);
}

/* Returns whichever of LIST and SPARE holds the result. */
static pair *sort_pairs(int64_t n, pair *list, pair *spare)
{
  for (int64_t run = 1; run < n; run *= 2) {
    for (int64_t i = 0; i < n; i += 2 * run) {
      int64_t left = n - i < run ? n - i : run, right = n - i - left < run ? n - i - left : run;
      merge(list + i, left, list + i + left, right, spare + i);
    }
    pair *t = list;
    list = spare;
    spare = t;
  }
  return list;
}

/* To OUT: those of lesser keys than KEY, those of that key, those of greater ones. */
static void divide_pairs(int64_t n, const pair *list, uint64_t key, pair *out)
{
  for (int part = 0; part < 3; part++)
    for (int64_t i = 0; i < n; i++)
      if ((list[i].key >= key) + (list[i].key > key) == part)
        *out++ = list[i];
}

/* ---- lanes ---- */

static int64_t at_least_1(int64_t n) { return n > 0 ? n : 1; }

/* Values to VALUES, indices to INDICES (either may be NULL): as many as the output's axis has. */
static int32_t sort_lanes(void *state, const hed_call *call, const char *name, const hed_view *values,
                          const hed_view *indices)
{
  const hed_host_api *host = ref_host(state);
  const hed_sort_params *p = call->params;
  const hed_view *x = call->in[0], *out = values ? values : indices;
  hed_kind kind = hed__id_kind(x->dtype);
  int32_t axis = p->axis, wide = kind == HED_KIND_FLOAT ? HED_ID_FLOAT64 : kind == HED_KIND_INT ? HED_ID_INT64 :
                                                                                          HED_ID_UINT64;
  int64_t n = x->ndim > 0 ? x->dim[axis] : 1, keep = out->ndim > 0 ? out->dim[axis] : 1;
  int64_t step = x->ndim > 0 ? x->stride[axis] : 0, bytes = hed__id_size(x->dtype);
  hed__cast_fn widen = hed__cast(x->dtype, wide), gather = hed__cast(x->dtype, x->dtype);
  hed__cast_fn deliver = values ? hed__cast(x->dtype, values->dtype) : NULL;
  hed__cast_fn deliver_index = indices ? hed__cast(HED_ID_INT64, indices->dtype) : NULL;
  int32_t status = HED_OK;

  pair *list = host->scratch((size_t)at_least_1(n) * sizeof *list);
  pair *spare = host->scratch((size_t)at_least_1(n) * sizeof *spare);
  char *lane = host->scratch((size_t)at_least_1(n) * 8);
  if (!list || !spare || !lane) {
    status = host->fail(HED_E_NOMEM, "%s: no memory for a lane of %lld elements", name, (long long)n);
    goto done;
  }

  lanes at;
  lanes_init(&at, 3, (const hed_view *const[]){ x, out, values && indices ? indices : out }, axis);
  while (lanes_next(&at)) {
    const char *from = at.head[0];
    widen(n, lane, 8, from, step);
    make_keys(n, list, kind, p->descending, lane);
    pair *sorted = sort_pairs(n, list, spare), *other = sorted == list ? spare : list;
    if (p->partial) {
      const uint64_t key = sorted[p->kth].key;
      make_keys(n, other, kind, p->descending, lane);
      divide_pairs(n, other, key, sorted);
    }
    gather(n, lane, bytes, from, step);
    if (values) {
      char *to = at.head[1];
      for (int64_t i = 0; i < keep; i++)
        deliver(1, to + i * (values->ndim > 0 ? values->stride[axis] : 0), 0, lane + sorted[i].index * bytes, 0);
    }
    if (indices) {
      char *to = at.head[2];
      for (int64_t i = 0; i < keep; i++)
        deliver_index(1, to + i * (indices->ndim > 0 ? indices->stride[axis] : 0), 0,
                      (const char *)&sorted[i].index, 0);
    }
  }

done:
  host->scratch_free(lane);
  host->scratch_free(spare);
  host->scratch_free(list);
  return status;
}

REF_KERNEL(sort)
{
  return sort_lanes(state, call, "sort", call->out[0], NULL);
}

REF_KERNEL(argsort)
{
  return sort_lanes(state, call, "argsort", NULL, call->out[0]);
}

REF_KERNEL(topk)
{
  return sort_lanes(state, call, "topk", call->out[0], call->out[1]);
}
