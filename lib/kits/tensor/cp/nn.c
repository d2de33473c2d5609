// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions without negative entries.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include <math.h>

static hed_array *by_coordinates(hed__als *a, void *arg, int mode, const hed_array *m, const hed_array *g)
{
  const hed_cp_hals_options *o = arg;
  if (!(a->nonnegative >> mode & 1U))
    return hed__update_least_squares(a, NULL, mode, m, g);
  return hed__hals(a->factor[mode], m, g, o->inner > 0 ? o->inner : 5, o->l1[mode], o->ridge[mode] + a->opt->l2);
}

hed_status hed_cp_nn_hals(const hed_array *x, int64_t rank, const hed_cp_hals_options *opt, hed_cp *out, hed_fit *fit)
{
  static const char *const op = "hed_cp_nn_hals";
  static const hed__cp_method method = { .nonnegative = true, .revives = true, .update = by_coordinates };
  static const hed_cp_hals_options defaults;
  hed_cp_hals_options o = opt ? *opt : defaults;
  if (o.inner < 0)
    return hed_fail(HED_E_INVAL, "%s: %d inner passes", op, (int)o.inner);
  uint32_t fixed_size = 0; /* penalties are in the unit of the data */
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    fixed_size |= o.l1[k] > 0 || o.ridge[k] > 0 ? ~0U : 0;
    if (!(o.l1[k] >= 0 && o.ridge[k] >= 0 && isfinite(o.l1[k]) && isfinite(o.ridge[k])))
      return hed_fail(HED_E_INVAL, "%s: l1 %g and ridge %g of mode %d", op, o.l1[k], o.ridge[k], k);
  }
  return hed__cp_run(op, &method, &o, x, rank, &o.cp, (hed__cp_modes){ .fixed_size = fixed_size }, out, fit);
}

static hed_array *by_ratio(hed__als *a, void *arg, int mode, const hed_array *m, const hed_array *g)
{
  (void)arg;
  hed_array *f = a->factor[mode], *below = hed_matmul(f, hed_astype(g, a->type));
  hed_array *ridge = below && a->opt->l2 > 0 ? hed_add(below, hed_multiply_scalar(f, a->opt->l2)) : below;
  hed_array *above = hed_maximum_scalar(m, 0);
  return above && ridge ? hed_multiply(f, hed_divide_where(hed_greater_scalar(ridge, 0), above, ridge, 0)) : NULL;
}

hed_status hed_cp_nn_mu(const hed_array *x, int64_t rank, const hed_cp_options *opt, hed_cp *out, hed_fit *fit)
{
  static const hed__cp_method method = { .nonnegative = true, .update = by_ratio };
  static const hed_cp_options defaults;
  hed_cp_options o = opt ? *opt : defaults;
  o.nonnegative_modes = (hed_axes){ 0, { 0 } };
  return hed__cp_run("hed_cp_nn_mu", &method, NULL, x, rank, &o, (hed__cp_modes){ 0 }, out, fit);
}
