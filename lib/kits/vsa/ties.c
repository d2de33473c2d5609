// SPDX-License-Identifier: BSD-3-Clause
/*
 * ties.c: what takes the place of a majority that is none.
 *
 * Layer: L4, vsa kit. See vsa.h, "Ties".
 */
#include "kits/vsa/internal.h"

static hed_array *tie_vector(const hed_vsa *v)
{
  return v->ops->tie ? v->ops->tie(v) : hed_index(hed__vsa_rows(v, hed_fold_key(v->o.seed, HED__VSA_TIE), 0, 1), 0, 0);
}

const hed_array *hed__vsa_tie_of(const hed_vsa *v, const hed__vsa_sum *s)
{
  if (s->tie)
    return s->tie;
  if (v->o.tie == HED_VSA_TIE_FIRST && s->n > 0)
    return hed_index(s->x, hed__vsa_batch(v, s->x) - 1, 0);
  if (v->o.tie == HED_VSA_TIE_ONE)
    return hed__vsa_from_bits(v, hed_full(v->plain_shape, v->model != HED_VSA_MAP, HED_BOOL));
  return hed__vsa_constant_of(v, HED__VSA_TIES, hed_array_space(s->x), tie_vector);
}

hed_array *hed_vsa_tie_vector(const hed_vsa *v)
{
  hed_array *out = NULL;
  if (!v) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_tie_vector: the model is NULL");
    return NULL;
  }
  HED_SCOPE out = hed_keep(tie_vector(v));
  return hed__vsa_out(out);
}
