// SPDX-License-Identifier: BSD-3-Clause
/* What takes the place of a majority that is none.
 *
 * Layer: L4, vsa kit. See vsa.h, "Ties".
 */
#include "kits/vsa/internal.h"

static hed_array *tie_vector(const hed_vsa *v)
{
  return v->ops->tie ? v->ops->tie(v) : hed_index(hed__vsa_rows(v, hed_fold_key(v->o.seed, HED__VSA_TIE), 0, 1), 0, 0);
}

/* Where a bundle can have no majority, and whether what stands there may be another in each bundle. */
static bool has_own_ties(const hed_vsa *v, const hed__vsa_sum *s)
{
  const bool binary = v->model == HED_VSA_MAP || v->model == HED_VSA_BSC;
  const bool indices = (v->model == HED_VSA_BSDC_SEG && v->o.variant == HED_VSA_STANDARD) || v->model == HED_VSA_CGR;
  return s->n > 1 && ((binary && (s->weights || s->n % 2 == 0)) || indices);
}

/* TIE bound to the product of all vectors, moved on by one place: a vector that no member resembles, whatever their order, and another
 * one for other members. With the same for all, a bundle to which vectors are added one by one would become it. */
static hed_array *own_tie(const hed_vsa *v, const hed_array *tie, const hed__vsa_sum *s)
{
  const int32_t axis = hed__vsa_batch(v, s->x) - 1;
  hed_array *all = tie ? hed_index(s->x, axis, 0) : NULL, *kept = NULL;
  for (int64_t k = 1; all && k < s->n; k++) {
    hed_array *next = NULL;
    HED_SCOPE next = hed_keep(v->ops->bind(v, all, hed_index(s->x, axis, k)));
    hed_release(kept);
    all = kept = next;
  }
  hed_array *out = all ? v->ops->bind(v, tie, hed_vsa_permute(v, all, 1)) : NULL;
  hed_release(kept);
  return out;
}

const hed_array *hed__vsa_tie_of(const hed_vsa *v, const hed__vsa_sum *s)
{
  if (s->tie)
    return s->tie;
  if (v->o.tie == HED_VSA_TIE_FIRST && s->n > 0)
    return hed_index(s->x, hed__vsa_batch(v, s->x) - 1, 0);
  if (v->o.tie == HED_VSA_TIE_ONE)
    return hed__vsa_from_bits(v, hed_full(v->plain_shape, v->model != HED_VSA_MAP, HED_BOOL));
  const hed_array *tie = hed__vsa_constant_of(v, HED__VSA_TIES, hed_array_space(s->x), tie_vector);
  return has_own_ties(v, s) ? own_tie(v, tie, s) : tie;
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
