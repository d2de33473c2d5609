// SPDX-License-Identifier: BSD-3-Clause
/*
 * vecdot of complex numbers: conj(a) b by the loops of dot.h, which change signs at the end where a pass of its own would make
 * conj(a). L1.
 *
 * Operands that the loops cannot read as they lie are copied. Vector products, which come in C order, take one pass.
 */
#include "backends/cpu/kernels/linalg/dot.h"
#include "backends/cpu/linalg/product.h"
#include "backends/cpu/runtime/parallel.h"

/* V (.., n) as rows (.., 1, n) or COLUMNS (.., n, 1). */
static hed_view as_matrices(const hed_view *v, bool columns)
{
  hed_view m = *v;
  const int32_t last = v->ndim - 1, one = columns ? v->ndim : last, n = columns ? last : v->ndim;
  m.ndim++;
  m.dim[n] = v->dim[last];
  m.stride[n] = v->stride[last];
  m.dim[one] = 1;
  m.stride[one] = 0;
  return m;
}

static bool by_loops(const hed_call *call, const hed_view *v)
{
  product j = { .dtype = call->compute, .type = -1, .size = hed__id_size(call->compute), .conjugate = true };
  j.c = cpu_product_matrix(&v[0]);
  j.a = cpu_product_matrix(&v[1]);
  j.b = cpu_product_matrix(&v[2]);
  return cpu_product_dots(call, &j, cpu_product_batch(&j, v));
}

int32_t cpu_vecdot(void *state, const hed_call *call)
{
  const hed_view *views[3] = { call->out[0], call->in[0], call->in[1] };
  void *spare[3] = { NULL, NULL, NULL };
  hed_view v[3], lying[3];
  int32_t status = HED_OK;
  (void)state;
  if (views[0]->ndim == HED_MAX_NDIM)
    return HED_E_UNSUPPORTED;
  for (int k = 0; k < 3; k++) {
    if (views[k]->dtype != call->compute)
      return HED_E_UNSUPPORTED;
    v[k] = as_matrices(views[k], k == 2);
  }
  if (by_loops(call, v))
    return HED_OK;
  lying[0] = v[0];
  for (int k = 1; k < 3 && status == HED_OK; k++)
    if (views[k]->stride[views[k]->ndim - 1] == hed__id_size(call->compute))
      lying[k] = v[k];
    else
      status = cpu_product_copy(call, &v[k], call->compute, true, &lying[k], &spare[k]);
  if (status == HED_OK && !by_loops(call, lying))
    status = HED_E_UNSUPPORTED; /* nothing to sum, or no result */
  for (int k = 0; k < 3; k++)
    cpu_scratch_put(spare[k]);
  return status;
}

static void cross_range(void *arg, int64_t begin, int64_t end)
{
  const hed_call *call = arg;
  const bool wide = call->compute == HED_ID_FLOAT64;
  const int64_t from = begin * 3 * hed__id_size(call->compute);
  cpu_dots[wide ? CPU_DOT_F64 : CPU_DOT_F32].cross(end - begin, (const char *)call->in[0]->data + from,
                                                   (const char *)call->in[1]->data + from, (char *)call->out[0]->data + from);
}

int32_t cpu_cross(void *state, const hed_call *call)
{
  int64_t n = 1;
  (void)state;
  for (int32_t k = 0; k + 1 < call->out[0]->ndim; k++)
    n *= call->out[0]->dim[k];
  cpu_parallel_for(call, n, 64, 9 * (double)n, cross_range, (void *)(uintptr_t)call);
  return HED_OK;
}
