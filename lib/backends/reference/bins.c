// SPDX-License-Identifier: BSD-3-Clause
/* searchsorted, bincount and histogram. L1.
 *
 * Values are widened to float64 or 64-bit integers one by one. Weights add up in order, in float64.
 */
#include "backends/reference/reference.h"
#include "base/bins.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/nest.h"

#include <string.h>

HED__SEARCH(search_double, double)
HED__SEARCH(search_int, int64_t)
HED__SEARCH(search_uint, uint64_t)

/* in: sorted (n) and values of one dtype; out int64 of the values' shape. */
REF_KERNEL(searchsorted)
{
  const hed_host_api *host = ref_host(state);
  const hed_searchsorted_params *p = call->params;
  const hed_view *sorted = call->in[0], *values = call->in[1], *out = call->out[0];
  hed_kind kind = hed__id_kind(call->compute);
  int wide = kind == HED_KIND_FLOAT ? HED_ID_FLOAT64 : kind == HED_KIND_INT ? HED_ID_INT64 : HED_ID_UINT64;
  hed__cast_fn widen = hed__cast(values->dtype, wide), deliver = hed__cast(HED_ID_INT64, out->dtype);
  int64_t n = sorted->dim[0];
  char *list = host->scratch((size_t)(n ? n : 1) * 8);
  if (!list)
    return host->fail(HED_E_NOMEM, "searchsorted: no memory for %lld elements", (long long)n);
  hed__cast(sorted->dtype, wide)(n, list, 8, sorted->data, sorted->stride[0]);
  hed__nest nest;
  hed__walk walk;
  hed__nest_init(&nest, 2, (const hed_view *const[]){ out, values }, 0);
  int32_t last = nest.ndim - 1;
  hed__walk_init(&walk, &nest, 0, hed__nest_rows(&nest));
  while (hed__walk_next(&walk))
    for (int64_t i = 0; i < nest.dim[last]; i++) {
      union { double f; int64_t i; uint64_t u; } v;
      widen(1, (char *)&v, 8, walk.ptr[1] + i * nest.stride[1][last], 0);
      int64_t at = wide == HED_ID_FLOAT64 ? search_double(n, list, 8, v.f, p->right)
                   : wide == HED_ID_INT64 ? search_int(n, list, 8, v.i, p->right)
                                          : search_uint(n, list, 8, v.u, p->right);
      deliver(1, walk.ptr[0] + i * nest.stride[0][last], 0, (const char *)&at, 0);
    }
  host->scratch_free(list);
  return HED_OK;
}

/* ---- counts, and sums of weights, which are kept in float64 ---- */

typedef struct tally {
  const hed_view *weights; /* NULL: counts */
  const hed_view *out;
  double *sum;             /* one for each bin, scratch memory */
} tally;

static int32_t tally_begin(tally *t, void *state, const hed_call *call, int32_t k)
{
  const hed_host_api *host = ref_host(state);
  const int64_t n = call->out[0]->dim[0];
  t->weights = call->n_in > k ? call->in[k] : NULL;
  t->out = call->out[0];
  t->sum = host->scratch((size_t)(n ? n : 1) * sizeof *t->sum);
  if (!t->sum)
    return host->fail(HED_E_NOMEM, "bins: no memory for %lld of them", (long long)n);
  memset(t->sum, 0, (size_t)n * sizeof *t->sum); /* 0 of int64, too */
  return HED_OK;
}

/* Adds 1, or weight I, to bin AT. */
static void tally_add(tally *t, int64_t at, int64_t i)
{
  double weight;
  if (t->weights) {
    hed__cast(t->weights->dtype, HED_ID_FLOAT64)(1, (char *)&weight, 0,
                                                 (const char *)t->weights->data + i * t->weights->stride[0], 0);
    t->sum[at] += weight;
  } else {
    ++((int64_t *)(void *)t->sum)[at];
  }
}

static void tally_end(tally *t, void *state)
{
  const hed_view *out = t->out;
  hed__cast(t->weights ? HED_ID_FLOAT64 : HED_ID_INT64, out->dtype)(out->dim[0], out->data, out->stride[0],
                                                                    (const char *)t->sum, 8);
  ref_host(state)->scratch_free(t->sum);
}

REF_KERNEL(bincount)
{
  const hed_view *x = call->in[0];
  hed__cast_fn widen = hed__cast(x->dtype, HED_ID_INT64);
  tally t;
  int32_t status = tally_begin(&t, state, call, 1);
  if (status != HED_OK)
    return status;
  for (int64_t i = 0; i < x->dim[0]; i++) {
    int64_t at;
    widen(1, (char *)&at, 0, (const char *)x->data + i * x->stride[0], 0);
    if (at >= 0 && at < t.out->dim[0])
      tally_add(&t, at, i);
  }
  tally_end(&t, state);
  return HED_OK;
}

REF_KERNEL(histogram)
{
  const hed_view *x = call->in[0], *edges = call->in[1];
  hed__cast_fn widen = hed__cast(x->dtype, HED_ID_FLOAT64);
  const hed_host_api *host = ref_host(state);
  tally t;
  int32_t status = tally_begin(&t, state, call, 2);
  double *edge = status == HED_OK ? host->scratch((size_t)edges->dim[0] * sizeof *edge) : NULL;
  if (status != HED_OK)
    return status;
  if (!edge) {
    host->scratch_free(t.sum);
    return host->fail(HED_E_NOMEM, "histogram: no memory for %lld edges", (long long)edges->dim[0]);
  }
  hed__cast(edges->dtype, HED_ID_FLOAT64)(edges->dim[0], (char *)edge, 8, edges->data, edges->stride[0]);
  for (int64_t i = 0; i < x->dim[0]; i++) {
    double v;
    widen(1, (char *)&v, 8, (const char *)x->data + i * x->stride[0], 0);
    int64_t at = hed__bin_of(edge, t.out->dim[0], v);
    if (at >= 0)
      tally_add(&t, at, i);
  }
  host->scratch_free(edge);
  tally_end(&t, state);
  return HED_OK;
}
