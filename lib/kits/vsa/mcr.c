// SPDX-License-Identifier: BSD-3-Clause
/* Phases in whole steps: addition modulo the block, and the bundle as a sum of phasors.
 *
 * Layer: L4, vsa kit. Sums are those of complex128 where the device has it, and a phase within 1e-6 of half a step
 * goes up or down by the tie vector: so it does not depend on how a backend rounds.
 */
#include "kits/vsa/internal.h"
#include <math.h>

static const double turn = 6.283185307179586476925;

/* ---- whole numbers below the block ---- */

static hed_array *draw(const hed_vsa *v, uint64_t key)
{
  return hed_random_integers(v->shape, 0, v->o.block, v->dtype, &(hed_random){ .seed = key, .seeded = true });
}

hed_array *hed__vsa_modular_rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  return hed__vsa_stack(v, n, keys, draw);
}

static hed_array *reduced(const hed_vsa *v, const hed_array *x)
{
  return hed_astype(hed__vsa_mod(x, v->o.block), v->dtype);
}

hed_array *hed__vsa_modular_add(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return reduced(v, hed_add(hed_astype(a, HED_INT32), b));
}

hed_array *hed__vsa_modular_subtract(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return reduced(v, hed_subtract(hed_astype(a, HED_INT32), b));
}

hed_array *hed__vsa_modular_negative(const hed_vsa *v, const hed_array *x)
{
  return reduced(v, hed_negative(hed_astype(x, HED_INT32)));
}

hed_array *hed__vsa_modular_power(const hed_vsa *v, const hed_array *x, double p)
{
  return reduced(v, hed_multiply(hed_astype(x, HED_INT64), hed_scalar_int((int64_t)fmod(p, (double)v->o.block))));
}

/* ---- phasors ---- */

hed_array *hed__vsa_phasors(const hed_vsa *v, const hed_array *x, hed_dtype t)
{
  hed_array *steps = hed_arange_int(0, v->o.block, 1, hed__vsa_wide(false));
  hed_array *circle = hed_exp(hed_multiply_complex(steps, 0, turn / (double)v->o.block));
  return hed_take(hed_astype(circle, t), x, 0);
}

/* The whole number of steps of Z's phase; TIE where |z| is not above LEAST, and its parity where it is halfway. */
static hed_array *steps_of(const hed_vsa *v, const hed_array *z, double least, const hed_array *tie)
{
  hed_array *steps = hed_multiply_scalar(hed_angle(z), (double)v->o.block / turn);
  hed_array *up = hed_multiply_scalar(hed_subtract_scalar(hed_mod_scalar(hed_astype(tie, hed__vsa_wide(false)), 2), 0.5), 2e-6);
  hed_array *whole = hed_astype(hed_floor(hed_add_scalar(hed_add(steps, up), 0.5)), HED_INT64);
  return hed_where(hed_greater_scalar(hed_abs(z), least), reduced(v, whole), tie);
}

hed_array *hed__vsa_phase_of(const hed_vsa *v, const hed_array *x)
{
  const hed_array *tie = hed__vsa_tie_of(v, &(hed__vsa_sum){ .x = x });
  if (hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX)
    return steps_of(v, hed_astype(x, hed__vsa_wide(true)), 0, tie);
  return reduced(v, hed_astype(hed_round(hed_mod_scalar(hed_astype(x, hed__vsa_wide(false)), (double)v->o.block)), HED_INT64));
}

static hed_array *bundle(const hed_vsa *v, const hed__vsa_sum *s)
{
  const hed__vsa_sum z = { .x = hed__vsa_phasors(v, s->x, hed__vsa_wide(true)), .weights = s->weights, .n = s->n };
  double weight;
  if (!z.x || hed__vsa_weight(s, &weight) != HED_OK)
    return NULL;
  return steps_of(v, hed__vsa_total(v, &z, hed__vsa_wide(true)), 1e-12 * weight, hed__vsa_tie_of(v, s));
}

static hed_array *similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *cosines = hed_real(hed__vsa_phasors(v, hed__vsa_modular_subtract(v, a, b), HED_COMPLEX64));
  return hed_mean(cosines, &last);
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  hed_array *dots = hed__vsa_products(hed__vsa_phasors(v, q, HED_COMPLEX64), hed__vsa_phasors(v, x, HED_COMPLEX64));
  return hed_divide_scalar(dots, (double)v->o.dim);
}

const hed__vsa_ops hed__vsa_mcr = { .exact_rows = true, .rows = hed__vsa_modular_rows, .identity = hed__vsa_zeros,
  .bind = hed__vsa_modular_add, .unbind = hed__vsa_modular_subtract, .inverse = hed__vsa_modular_negative,
  .bundle = bundle, .quantise = hed__vsa_phase_of, .power = hed__vsa_modular_power, .similarity = similarity,
  .matrix = matrix };
