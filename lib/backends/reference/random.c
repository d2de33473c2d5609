// SPDX-License-Identifier: BSD-3-Clause
/* Random elements of any view: base/random/random.c gives runs of logical indices, this puts them where they belong. L1. */
#include "backends/reference/number.h"
#include "base/random/random.h"
#include "base/random/random_rows.h"
#include "base/random/variates.h"

#include <string.h>

enum { RUN = 128 }; /* a chunk of 64-bit quantities; arrays of them fit small stacks */

/* Parameters that differ from element to element: both operands have the result's shape. */
static int32_t with_operands(void *state, const hed_call *call, int64_t total, int64_t size)
{
  const hed_random_params *p = call->params;
  const hed_view *views[3] = { call->out[0], call->in[0], call->in[1] };
  double a[RUN], b[RUN], run[2 * RUN];
  const hed__cast_fn read_a = hed__cast(call->in[0]->dtype, HED_ID_FLOAT64), read_b = hed__cast(call->in[1]->dtype, HED_ID_FLOAT64);
  ref_walk w, check;
  ref_walk_init(&w, 3, views, 0);
  ref_walk_init(&check, 3, views, 0);
  for (int64_t i = 0; i < total; i++, ref_walk_next(&check)) { /* before anything is written */
    double x, y;
    read_a(1, (char *)&x, 8, check.ptr[1], 0);
    read_b(1, (char *)&y, 8, check.ptr[2], 0);
    const char *fault = hed__variate_fault(p->kind, x, y);
    if (fault)
      return ref_host(state)->fail(HED_E_INVAL, "random: element %lld has parameters %g and %g; %s", (long long)i, x, y,
                                   fault);
  }
  for (int64_t first = 0; first < total; first += RUN) {
    const int64_t n = total - first < RUN ? total - first : RUN;
    char *to[RUN];
    for (int64_t i = 0; i < n; i++, ref_walk_next(&w)) {
      to[i] = w.ptr[0];
      read_a(1, (char *)&a[i], 8, w.ptr[1], 0);
      read_b(1, (char *)&b[i], 8, w.ptr[2], 0);
    }
    hed__variates(p, call->out[0]->dtype, first, n, run, a, b);
    for (int64_t i = 0; i < n; i++)
      memcpy(to[i], (const char *)run + i * size, (size_t)size);
  }
  return HED_OK;
}

REF_KERNEL(random)
{
  const hed_view *out = call->out[0];
  const hed_random_params *p = call->params;
  const int64_t total = ref_size(out);
  uint64_t run[2 * RUN];
  int64_t size = 1, dense = 1;
  ref_walk w;

#define HED_DTYPE(ID, name, ctype, kind, bytes) if (out->dtype == HED_ID_##ID) size = bytes;
#include <heddle/dtypes.def>
#undef HED_DTYPE
  if (total == 0)
    return HED_OK;
  if (call->n_in == 2)
    return with_operands(state, call, total, size);
  for (int32_t k = out->ndim - 1; k >= 0 && dense > 0; k--)
    dense = out->dim[k] == 1 ? dense : out->stride[k] == dense * size ? dense * out->dim[k] : 0;
  if (dense == total) {
    hed__random_fill(p, out->dtype, 0, total, out->data);
    return HED_OK;
  }
  ref_walk_init(&w, 1, &out, 0);
  for (int64_t first = 0; first < total; first += RUN) {
    const int64_t n = total - first < RUN ? total - first : RUN;
    const char *from = (const char *)run;
    hed__random_fill(p, out->dtype, first, n, run);
    for (int64_t i = 0; i < n; i++, from += size, ref_walk_next(&w))
      memcpy(w.ptr[0], from, (size_t)size);
  }
  return HED_OK;
}

static int32_t rows(void *state, const hed_call *call)
{
  const char *name = hed__random_row_name(call);
  const int64_t n = hed__random_row_count(call);
  if (n == 0)
    return HED_OK;
  double *work = ref_alloc(state, name, hed__random_row_work(call), sizeof *work);
  if (!work)
    return HED_E_NOMEM;
  int64_t bad = hed__random_rows(call, 0, n, work);
  ref_free(state, work);
  if (bad >= 0)
    return ref_host(state)->fail(HED_E_INVAL, HED__RANDOM_ROW_FAULT, name, (long long)bad);
  return HED_OK;
}

REF_KERNEL(random_categorical) { return rows(state, call); }
REF_KERNEL(random_dirichlet) { return rows(state, call); }
REF_KERNEL(random_haar) { return rows(state, call); }
