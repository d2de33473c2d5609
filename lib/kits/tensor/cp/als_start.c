// SPDX-License-Identifier: BSD-3-Clause
/*
 * als_start.c: factors to begin with.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"

hed_status hed__als_set_factor(hed__als *a, int mode, hed_array *x)
{
  hed_status status = hed__put(&a->factor[mode], x);
  return status == HED_OK ? hed__put(&a->gram[mode], hed__wide_gram(a->factor[mode], a->factor[mode])) : status;
}

/* Eigenvectors of the Gram matrix of mode K, largest first, and columns of NOISE (I, R) after the last one. */
static hed_array *leading(const hed__als *a, int k, const hed_array *noise)
{
  const int64_t extent = hed_array_shape(a->work).dim[k], n = extent < a->rank ? extent : a->rank;
  hed_array *w = NULL, *v = NULL, *gram = hed__gram_of_mode(a->work, k);
  if (!gram || hed_eigh(gram, false, &w, &v) != HED_OK)
    return NULL;
  hed_array *first = hed_slice(v, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(HED_SLICE_END, -n - 1, -1) });
  if (n == a->rank)
    return hed_copy(first);
  hed_array *more = hed_slice(noise, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(n, HED_SLICE_END, 1) });
  return first && more ? hed_concatenate(2, (const hed_array *const[]){ first, more }, 1) : NULL;
}

hed_status hed__als_start(hed__als *a, int64_t k, const hed_generator *random)
{
  const hed_cp *given = k == 0 || a->fixed ? a->opt->start : NULL;
  const bool normal = hed_dtype_kind(a->type) == HED_KIND_COMPLEX || a->opt->start_by == HED_START_NORMAL ||
                      (a->opt->start_by == HED_START_SVD && !a->nonnegative && !a->coo);
  hed_generator g = *random;
  const hed_random draw = { .generator = &g };
  hed_cp noise = { 0 };
  hed_status status = hed_cp_random(a->shape, a->rank, a->type, normal, &draw, &noise);
  if (status == HED_OK)
    status = hed__als_first_guess(a, k == 0 ? given : NULL);
  HED_SCOPE_OR(status = hed_error()) {
    for (int m = 0; m < a->order && status == HED_OK; m++) {
      hed_array *f = NULL;
      if (given && (k == 0 || a->fixed >> m & 1U)) {
        f = hed_asarray(given->factor[m], a->type);
        if (m == (a->last < 0 ? 0 : a->last) && given->weights)
          f = hed_multiply(f, hed_asarray(given->weights, a->type));
      } else if (a->opt->start_by == HED_START_SVD && k == 0 && !a->coo) {
        f = leading(a, m, noise.factor[m]);
      } else {
        f = hed__tensor_same(noise.factor[m]);
      }
      if (f && a->nonnegative >> m & 1U)
        f = hed_abs(f);
      status = hed__als_set_factor(a, m, f);
    }
  }
  hed_cp_clear(&noise);
  return status;
}
