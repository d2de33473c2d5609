// SPDX-License-Identifier: BSD-3-Clause
/* Vectors in other layouts, dtypes and models.
 *
 * Layer: L4, vsa kit.
 */
#include "kits/vsa/internal.h"

/* Is X an array (.., SHAPE) of T? Else the error is set. */
static bool is_of(const hed_vsa *v, const char *op, const hed_array *x, hed_shape shape, hed_dtype t)
{
  hed_vsa as = { .model = v->model, .name = v->name, .shape = shape, .dtype = t };
  return hed__vsa_fits(&as, op, "x", x);
}

static bool packable(const hed_vsa *v, const char *op)
{
  if (!v)
    (void)hed_fail(HED_E_INVAL, "%s: the model is NULL", op);
  else if (!(v->flags & HED_VSA_PACKABLE))
    (void)hed_fail(HED_E_UNSUPPORTED, "%s: %s has no packed layout: it is not binary", op, v->name);
  return v && v->flags & HED_VSA_PACKABLE;
}

hed_array *hed_vsa_pack(const hed_vsa *v, const hed_array *x)
{
  hed_array *out = NULL;
  if (!packable(v, "hed_vsa_pack") || !is_of(v, "hed_vsa_pack", x, v->plain_shape, v->plain))
    return NULL;
  HED_SCOPE out = hed_keep(hed_pack_bits(hed__vsa_bits_of(v, x)));
  return hed__vsa_out(out);
}

static hed_array *plain_of(const hed_vsa *v, const hed_array *bits)
{
  return v->model == HED_VSA_MAP ? hed_astype(hed_scalars_where(bits, -1, 1), v->plain) : hed_astype(bits, v->plain);
}

hed_array *hed_vsa_unpack(const hed_vsa *v, const hed_array *x)
{
  hed_array *out = NULL;
  if (!packable(v, "hed_vsa_unpack") ||
      !is_of(v, "hed_vsa_unpack", x, HED_SHAPE((v->o.dim + 63) / 64), HED_UINT64))
    return NULL;
  HED_SCOPE out = hed_keep(plain_of(v, hed__vsa_unpacked(v, x)));
  return hed__vsa_out(out);
}

/* ---- between models ---- */

static bool same_space(const hed_vsa *v, const hed_vsa *to)
{
  return v->model == to->model && v->o.block == to->o.block && v->o.segments == to->o.segments &&
         (v->o.variant == HED_VSA_XOR) == (to->o.variant == HED_VSA_XOR) &&
         (v->ops == &hed__vsa_map_real) == (to->ops == &hed__vsa_map_real);
}

/* Two values per element, as many of each? Then the bits are the same thing. */
static bool dense_bits(const hed_vsa *v)
{
  return v->model == HED_VSA_BSC || (v->model == HED_VSA_MAP && v->ops != &hed__vsa_map_real);
}

static hed_array *converted(const hed_vsa *v, const hed_array *x, const hed_vsa *to)
{
  const bool phases = v->model == HED_VSA_FHRR && to->model == HED_VSA_MCR;
  const hed_vsa *complex_side = v->model == HED_VSA_FHRR ? to : v;
  if ((dense_bits(v) && dense_bits(to)) || (same_space(v, to) && v->flags & HED_VSA_PACKABLE)) {
    if (v->o.layout == HED_VSA_PACKED && to->o.layout == HED_VSA_PACKED)
      return hed_copy(x);
    return hed__vsa_from_bits(to, v->o.layout == HED_VSA_PACKED ? hed__vsa_unpacked(v, x) : hed__vsa_bits_of(v, x));
  }
  if (same_space(v, to))
    return hed_copy(hed_astype(x, to->dtype));
  if (phases)
    return hed__vsa_phase_of(to, x);
  if (v->model == HED_VSA_MCR && to->model == HED_VSA_FHRR)
    return hed__vsa_phasors(v, x, to->dtype);
  if ((v->model == HED_VSA_FHRR || to->model == HED_VSA_FHRR) && complex_side->model == HED_VSA_GHRR &&
      complex_side->o.block == 1)
    return hed_copy(hed_astype(hed_reshape(x, hed__vsa_joined(hed__vsa_batch_shape(v, x), to->shape)), to->dtype));
  (void)hed_fail(HED_E_UNSUPPORTED, "hed_vsa_convert: %s vectors have no counterpart in %s", v->name,
                 to->name);
  return NULL;
}

hed_array *hed_vsa_convert(const hed_vsa *v, const hed_array *x, const hed_vsa *to)
{
  hed_array *out = NULL;
  if (!to) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_convert: to is NULL");
    return NULL;
  }
  if (!hed__vsa_fits(v, "hed_vsa_convert", "x", x))
    return NULL;
  if (v->o.dim != to->o.dim) {
    (void)hed_fail(HED_E_SHAPE, "hed_vsa_convert: the dimension is %lld, that of to is %lld", (long long)v->o.dim,
                   (long long)to->o.dim);
    return NULL;
  }
  HED_SCOPE out = hed_keep(converted(v, x, to));
  return hed__vsa_out(out);
}
