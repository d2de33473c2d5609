// SPDX-License-Identifier: BSD-3-Clause
/* searchsorted, bincount and histogram. L1.
 *
 * Values are widened to float64 or 64-bit integers one by one. Weights add up in order, in float64.
 */
#include "backends/reference/reference.h"
#include "base/bins.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"

HED__SEARCH(search_double, double)
HED__SEARCH(search_int, int64_t)
HED__SEARCH(search_uint, uint64_t)

/* in: sorted (n) and values of one dtype; out int64 of the values' shape. */
int32_t hed__ref_searchsorted(void *state, const hed_call *call)
{
  const hed_host_api *host = hed__ref_host(state);
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
  hed__nest_init(&nest, 2, (const hed_view *const[]){ out, values }, false);
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

/* Adds 1, or the weight, to bin AT of OUT. */
static void tally(const hed_view *out, int64_t at, const hed_view *weights, int64_t i)
{
  char *to = (char *)out->data + at * out->stride[0];
  if (weights)
    *(double *)(void *)to += *(const double *)(const void *)((const char *)weights->data + i * weights->stride[0]);
  else
    ++*(int64_t *)(void *)to;
}

static void clear(const hed_view *out)
{
  for (int64_t i = 0; i < out->dim[0]; i++)
    *(int64_t *)(void *)((char *)out->data + i * out->stride[0]) = 0; /* 0.0 has the same bytes */
}

int32_t hed__ref_bincount(void *state, const hed_call *call)
{
  const hed_view *x = call->in[0], *weights = call->n_in > 1 ? call->in[1] : NULL, *out = call->out[0];
  hed__cast_fn widen = hed__cast(x->dtype, HED_ID_INT64);
  (void)state;
  clear(out);
  for (int64_t i = 0; i < x->dim[0]; i++) {
    int64_t at;
    widen(1, (char *)&at, 0, (const char *)x->data + i * x->stride[0], 0);
    if (at >= 0 && at < out->dim[0])
      tally(out, at, weights, i);
  }
  return HED_OK;
}

int32_t hed__ref_histogram(void *state, const hed_call *call)
{
  const hed_view *x = call->in[0], *edges = call->in[1], *weights = call->n_in > 2 ? call->in[2] : NULL;
  const hed_view *out = call->out[0];
  hed__cast_fn widen = hed__cast(x->dtype, HED_ID_FLOAT64);
  (void)state;
  clear(out);
  for (int64_t i = 0; i < x->dim[0]; i++) {
    double v;
    widen(1, (char *)&v, 8, (const char *)x->data + i * x->stride[0], 0);
    int64_t at = hed__bin_of(edges->data, out->dim[0], v);
    if (at >= 0)
      tally(out, at, weights, i);
  }
  return HED_OK;
}
