// SPDX-License-Identifier: BSD-3-Clause
/* Vectors as phasors, whose powers encode numbers.
 *
 * Layer: L4, vsa kit. Models with such powers have a spectrum of phasors: FHRR's vector itself, the half spectrum of a real vector,
 * the diagonals of GHRR's matrices. What is done to spectra is the same in all.
 *
 * T. A. Plate, Distributed Representations and Nested Compositional Structure (1994); the kernels: E. P. Frady, D. Kleyko,
 * C. J. Kymn, B. A. Olshausen, F. T. Sommer, Computing on Functions Using Randomized Vector Representations (2021).
 */
#include "kits/vsa/encode.h"
#include "kits/member.h"
#include <math.h>

#define PI 3.14159265358979323846

/* ---- spectra ---- */

static bool is_real(const hed_vsa *v)
{
  return v->model == HED_VSA_HRR || v->model == HED_VSA_VTB || v->model == HED_VSA_VTB_SHIFT;
}

bool hed__vsa_has_spectra(const hed_vsa *v)
{
  return is_real(v) || v->model == HED_VSA_FHRR || v->model == HED_VSA_GHRR;
}

int64_t hed__vsa_spectrum_length(const hed_vsa *v)
{
  return is_real(v) ? v->o.dim / 2 + 1 : v->model == HED_VSA_GHRR ? v->o.dim * v->o.block : v->o.dim;
}

hed_array *hed__vsa_of_spectra(const hed_vsa *v, const hed_array *z)
{
  if (!z || v->model == HED_VSA_FHRR)
    return hed_astype(z, v->dtype);
  if (is_real(v))
    return hed_astype(hed_irfft1(z, &(hed_fft){ .s = HED_SHAPE(v->o.dim) }), v->dtype);
  hed_shape s = hed_array_shape(z);
  s.dim[s.ndim - 1] = v->o.dim;
  s.dim[s.ndim++] = v->o.block;
  return hed_multiply(hed_expand_dims(hed_reshape(hed_astype(z, v->dtype), s), -1), hed_eye(v->o.block, v->o.block, 0, v->real));
}

hed_array *hed__vsa_spectra_of(const hed_vsa *v, const hed_array *h)
{
  if (!h || v->model == HED_VSA_FHRR)
    return h ? hed_copy(h) : NULL;
  if (is_real(v))
    return hed_rfft1(h, NULL);
  hed_array *d = hed_diagonal(h, 0, -2, -1);
  if (!d)
    return NULL;
  hed_shape s = hed_array_shape(d);
  s.ndim--;
  s.dim[s.ndim - 1] *= v->o.block;
  return hed_reshape(d, s);
}

hed_array *hed__vsa_multiplicity(const hed_vsa *v)
{
  const int64_t n = hed__vsa_spectrum_length(v);
  if (!is_real(v))
    return hed_ones(HED_SHAPE(n), v->real);
  hed_array *k = hed_arange_int(0, n, 1, HED_INT64); /* twice where 0 < 2 k < D */
  hed_array *inner = hed_logical_and(hed_greater_scalar(k, 0), hed_less_scalar(k, (double)((v->o.dim + 1) / 2)));
  return hed_add_scalar(hed_astype(inner, v->real), 1);
}

/* ---- phases ---- */

hed_status hed__vsa_phases_check(const char *op, const hed_vsa *v, const hed_vsa_scalar_options *o)
{
  if (!hed__vsa_has_spectra(v))
    return hed_fail(HED_E_UNSUPPORTED, "%s: %s has no fractional powers; hed_vsa_encoder_level() encodes numbers in it", op,
                    hed_vsa_model_name((int)v->model));
  if (hed__expect_member(op, "phases", o->phases, HED_VSA_PHASES_UNIFORM, HED_VSA_PHASES_INTEGER, "hed_vsa_phases") != HED_OK)
    return hed_error();
  if (o->phases == HED_VSA_PHASES_INTEGER && (o->period < 2 || o->period > INT32_MAX))
    return hed_fail(HED_E_INVAL, "%s: period is %lld, not in [2, 2^31)", op, (long long)o->period);
  if (!(o->bandwidth >= 0) || !isfinite(o->bandwidth))
    return hed_fail(HED_E_INVAL, "%s: bandwidth is %g, not above 0", op, o->bandwidth);
  if (o->mixture < 0 || o->mixture > HED_VSA_BANDWIDTHS)
    return hed_fail(HED_E_INVAL, "%s: mixture is %d, not in [0, %d]", op, (int)o->mixture, HED_VSA_BANDWIDTHS);
  for (int32_t k = 0; k < o->mixture; k++)
    if (!(o->bandwidths[k] > 0) || !isfinite(o->bandwidths[k]) || !isfinite(o->weights[k]))
      return hed_fail(HED_E_INVAL, "%s: bandwidth %d is %g with weight %g; above 0, finite", op, (int)k, o->bandwidths[k],
                      o->weights[k]);
  return HED_OK;
}

static hed_array *draw(const hed_vsa *v, const hed_vsa_scalar_options *o, hed_shape s, const hed_random *r)
{
  const hed_random circle = { .seed = r->seed, .seeded = true, .low = -PI, .high = PI };
  const int64_t p = o->period;
  switch (o->phases) {
  case HED_VSA_PHASES_GAUSSIAN: return hed_random_normal(s, v->real, r);
  case HED_VSA_PHASES_LAPLACE: return hed_random_laplace(s, 0, 1, v->real, r);
  case HED_VSA_PHASES_CAUCHY: return hed_random_cauchy(s, 0, 1, v->real, r);
  case HED_VSA_PHASES_STUDENT3: return hed_random_standard_t(hed_scalar(3), &s, v->real, r);
  case HED_VSA_PHASES_INTEGER: {
    hed_array *k = hed_random_integers(s, -((p - 1) / 2), p / 2 + 1, HED_INT64, r);
    return hed_multiply_scalar(hed_astype(k, v->real), 2 * PI / (double)p);
  }
  default: return hed_random_uniform(s, v->real, &circle);
  }
}

hed_array *hed__vsa_phases(const hed_vsa *v, const hed_vsa_scalar_options *o, int64_t n)
{
  const hed_random r = { .seed = hed__vsa_key(v, HED__VSA_PHASE, o->number), .seeded = true };
  hed_array *theta = draw(v, o, HED_SHAPE(n, hed__vsa_spectrum_length(v)), &r);
  return is_real(v) ? hed_multiply(theta, hed_subtract_scalar(hed__vsa_multiplicity(v), 1)) : theta;
}

/* ---- powers ---- */

/* Of a mixture the sum of weighted phasors, over its modulus. */
hed_array *hed__vsa_power_spectra(const hed_vsa_encoder *e, const hed_array *u)
{
  hed_array *sum = NULL;
  if (!e->mixture)
    return hed_phasor(u, hed_index(e->array[0], 0, 0));
  for (int32_t k = 0; k < e->mixture; k++) {
    hed_array *z = hed_multiply_scalar(hed_phasor(u, hed_index(e->array[0], 0, k)), e->weights[k]);
    sum = k ? hed_add(sum, z) : z;
  }
  return hed_sign(sum);
}
