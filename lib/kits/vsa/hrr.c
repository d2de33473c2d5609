// SPDX-License-Identifier: BSD-3-Clause
/* Real vectors, bound by circular convolution.
 *
 * Layer: L4, vsa kit.
 */
#include "kits/vsa/internal.h"

static hed_array *spectrum(const hed_array *x)
{
  return hed_rfft1(x, NULL);
}

static hed_array *back(const hed_vsa *v, const hed_array *spectra)
{
  const hed_fft d = { .s = HED_SHAPE(v->o.dim) };
  return hed_irfft1(spectra, &d);
}

static hed_array *normal(const hed_vsa *v, uint64_t key)
{
  return hed_random_normal(v->shape, v->dtype, &(hed_random){ .seed = key, .seeded = true });
}

/* Phases of a spectrum of modulus 1: that of a real vector is real at 0, and at D/2 where D is even. */
static hed_array *unitary(const hed_vsa *v, uint64_t key)
{
  const int64_t half = v->o.dim / 2 + 1, even = v->o.dim % 2 == 0;
  const hed_random r = { .seed = key, .seeded = true };
  hed_array *s = hed_random_phasor(HED_SHAPE(half), HED_COMPLEX128, &r);
  const hed_key ends[2] = { HED_AT(0), HED_AT(half - 1) };
  for (int k = 0; k <= (even && half > 1); k++) {
    hed_array *part = hed_real(hed_get(s, 1, &ends[k]));
    if (hed_set(s, 1, &ends[k], hed_subtract_scalar(hed_multiply_scalar(hed_greater_equal_scalar(part, 0), 2), 1)) != HED_OK)
      return NULL;
  }
  return hed_astype(back(v, s), v->dtype);
}

static hed_array *rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  if (v->o.inverse == HED_VSA_UNITARY)
    return hed__vsa_stack(v, n, keys, unitary);
  return hed__vsa_unit(v, hed__vsa_stack(v, n, keys, normal));
}

static hed_array *identity(const hed_vsa *v)
{
  return hed_reshape(hed_eye(1, v->o.dim, 0, v->dtype), v->shape);
}

static hed_array *bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return back(v, hed_multiply(spectrum(a), spectrum(b)));
}

/* HED_OK when no spectrum of B has a modulus below 1e-6 of its largest. */
static hed_status invertible(const hed_array *b)
{
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  hed_array *modulus = hed_abs(b), *least = hed_multiply_scalar(hed_max(modulus, &last), 1e-6);
  hed_array *bad = hed_any(hed_logical_or(hed_less(modulus, least), hed_equal_scalar(modulus, 0)), NULL);
  double any;
  if (!bad || hed_item(bad, &any) != HED_OK)
    return hed_error();
  return any == 0 ? HED_OK
                  : hed_fail(HED_E_SINGULAR, "hed_vsa: the spectrum of b has a modulus below 1e-6 of its largest: no inverse");
}

static hed_array *unbind(const hed_vsa *v, const hed_array *c, const hed_array *b)
{
  hed_array *s = spectrum(b);
  if (v->o.inverse != HED_VSA_EXACT)
    return hed__vsa_unit(v, back(v, hed_multiply(spectrum(c), hed_conj(s))));
  return s && invertible(s) == HED_OK ? back(v, hed_divide(spectrum(c), s)) : NULL;
}

static hed_array *inverse(const hed_vsa *v, const hed_array *x)
{
  hed_array *s = spectrum(x);
  if (v->o.inverse != HED_VSA_EXACT)
    return back(v, hed_conj(s));
  return s && invertible(s) == HED_OK ? back(v, hed_reciprocal(s)) : NULL;
}

static hed_array *quantise(const hed_vsa *v, const hed_array *x)
{
  return hed__vsa_unit(v, hed_astype(x, v->dtype));
}

static hed_array *power(const hed_vsa *v, const hed_array *x, double p)
{
  hed_array *s = spectrum(x), *modulus = hed_abs(s);
  hed_array *grown = hed_divide_where(modulus, hed_power_scalar(modulus, p), hed_ones_like(modulus), p == 0);
  return back(v, hed_multiply(grown, hed_exp(hed_multiply_complex(hed_angle(s), 0, p))));
}

const hed__vsa_ops hed__vsa_hrr = { .rows = rows, .identity = identity, .bind = bind, .unbind = unbind,
  .inverse = inverse, .negative = hed__vsa_minus, .bundle = hed__vsa_unit_sum, .normalise = hed__vsa_unit,
  .quantise = quantise, .power = power, .similarity = hed__vsa_cosine, .matrix = hed__vsa_cosine_matrix };
