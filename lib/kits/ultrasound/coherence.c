// SPDX-License-Identifier: BSD-3-Clause
/* Coherence factors over channels.
 *
 * Layer: L4, ultrasound kit. Powers come as the square of a norm, which neither overflows nor vanishes, and reads the channels
 * where they are.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>
#include <stdlib.h>

typedef struct channels {
  const hed_array *x; /* float or complex */
  int32_t axis;
  int64_t m;
  double power;
  hed_reduce over;
} channels;

/* The channels of X in the scope of the caller. */
static bool channels_of(const char *op, const hed_array *x, const hed_us_coherence *opt, channels *c)
{
  *c = (channels){ .axis = hed__us_axis(op, x, opt ? &opt->axis : NULL, 0), .power = opt && opt->power != 0 ? opt->power : 1 };
  if (c->axis < 0)
    return false;
  c->m = hed_array_shape(x).dim[c->axis];
  c->over.axes = HED_AXES(c->axis);
  if (c->m < 1)
    (void)hed_fail(HED_E_SHAPE, "%s: no channels along axis %d", op, (int)c->axis);
  else if (!(c->power >= 0) || !isfinite(c->power))
    (void)hed_fail(HED_E_INVAL, "%s: power %g is not finite and at least 0", op, c->power);
  else
    c->x = hed__us_float(x);
  return c->x != NULL;
}

/* TOP / BOTTOM, 0 where BOTTOM is 0; no larger than 1 by rounding. */
static hed_array *ratio(const hed_array *top, const hed_array *bottom)
{
  return hed_minimum_scalar(hed_divide_where(bottom, top, bottom, 0), 1);
}

static hed_array *to_the(const hed_array *x, double power)
{
  return power == 1 ? hed_positive(x) : hed_power_scalar(x, power);
}

static hed_array *coherence(const hed_array *x, const hed_us_coherence *opt)
{
  channels c;
  if (!channels_of("us_coherence_factor", x, opt, &c))
    return NULL;
  const bool amplitude = opt && opt->amplitude;
  hed_array *together = hed_abs(hed_sum(c.x, &c.over)), *apart = hed_vector_norm(c.x, amplitude ? 1 : 2, &c.over);
  return amplitude ? ratio(together, apart) : hed_square(ratio(together, hed_multiply_scalar(apart, sqrt((double)c.m))));
}

hed_array *hed_us_coherence_factor(const hed_array *x, const hed_us_coherence *opt)
{
  if (!hed__operand_given("us_coherence_factor", "x", x))
    return NULL;
  HED__US_RETURN(coherence(x, opt), NULL);
}

/* Rows 1, sqrt(2) cos(2 pi k j / M), sqrt(2) sin(2 pi k j / M) for k up to M0: the squares of their products with x add up to those
 * of the frequencies -M0 to M0, as |C - iS|^2 + |C + iS|^2 = 2 |C|^2 + 2 |S|^2 for complex C and S too. */
static hed_array *low_frequencies(int64_t m, int64_t m0, hed_dtype t)
{
  const double turn = 6.283185307179586477;
  double *w = malloc((size_t)(2 * m0 + 1) * (size_t)m * sizeof *w);
  hed_array *out = NULL;
  if (!w) {
    (void)hed_fail(HED_E_NOMEM, "us_generalized_coherence_factor: no memory for %lld frequencies", (long long)m0);
    return NULL;
  }
  for (int64_t j = 0; j < m; j++)
    w[j] = 1;
  for (int64_t k = 1; k <= m0; k++)
    for (int64_t j = 0; j < m; j++) {
      const double angle = turn * (double)(k * j % m) / (double)m;
      w[(2 * k - 1) * m + j] = sqrt(2) * cos(angle);
      w[2 * k * m + j] = sqrt(2) * sin(angle);
    }
  out = hed_from_doubles(w, HED_SHAPE(2 * m0 + 1, m), t);
  free(w);
  return out;
}

static hed_array *generalized(const hed_array *x, const hed_us_coherence *opt)
{
  static const char op[] = "us_generalized_coherence_factor";
  channels c;
  if (!channels_of(op, x, opt, &c))
    return NULL;
  const int64_t m0 = !opt || opt->m0 == 0 ? 1 : opt->m0 == -1 ? 0 : opt->m0;
  if (m0 < 0 || 2 * m0 >= c.m) {
    (void)hed_fail(HED_E_INVAL, "%s: m0 %lld is not from 0 to below half of %lld channels", op, (long long)m0, (long long)c.m);
    return NULL;
  }
  hed_array *w = low_frequencies(c.m, m0, hed__us_result_dtype(x));
  /* Frequencies come where the axis of channels is, first or last, so that no element has to move. */
  const bool last = c.axis > 0;
  hed_array *low = last ? hed_tensordot(c.x, w, &HED_AXES(c.axis), &HED_AXES(1)) : hed_tensordot(w, c.x, &HED_AXES(1), &HED_AXES(0));
  hed_array *together = hed_vector_norm(low, 2, &(hed_reduce){ .axes = HED_AXES(last ? -1 : 0) });
  return hed_square(ratio(together, hed_multiply_scalar(hed_vector_norm(c.x, 2, &c.over), sqrt((double)c.m))));
}

hed_array *hed_us_generalized_coherence_factor(const hed_array *x, const hed_us_coherence *opt)
{
  if (!hed__operand_given("us_generalized_coherence_factor", "x", x))
    return NULL;
  HED__US_RETURN(generalized(x, opt), NULL);
}

/* With f the part of signs that are +1, b = 2 f - 1 and 1 - b^2 = 4 f (1 - f). */
static hed_array *sign_coherence(const hed_array *x, const hed_us_coherence *opt)
{
  channels c;
  if (!channels_of("us_sign_coherence_factor", x, opt, &c))
    return NULL;
  hed_array *f = hed_mean(hed_heaviside_scalar(hed__us_is_complex(c.x) ? hed_real(c.x) : c.x, 1), &c.over);
  hed_array *deviation = hed_multiply_scalar(hed_sqrt(hed_multiply(f, hed_scalar_subtract(1, f))), 2);
  return to_the(hed_scalar_subtract(1, deviation), c.power);
}

hed_array *hed_us_sign_coherence_factor(const hed_array *x, const hed_us_coherence *opt)
{
  if (!hed__operand_given("us_sign_coherence_factor", "x", x))
    return NULL;
  HED__US_RETURN(sign_coherence(x, opt), NULL);
}

/* The deviation of phases depends on where the circle is cut: at pi, or opposite. */
static hed_array *camacho(const channels *c)
{
  const double pi = 3.14159265358979323846;
  hed_array *phase = hed_angle(c->x), *turned = hed_subtract(phase, hed_scalar_copysign(pi, phase));
  hed_array *least = hed_minimum(hed_std(phase, &c->over), hed_std(turned, &c->over));
  return hed_maximum_scalar(hed_scalar_subtract(1, hed_multiply_scalar(least, c->power * sqrt(3) / pi)), 0);
}

static hed_array *phase_coherence(const hed_array *x, const hed_us_coherence *opt)
{
  channels c;
  if (!channels_of("us_phase_coherence_factor", x, opt, &c))
    return NULL;
  if (opt && opt->camacho)
    return camacho(&c);
  hed_array *mean = hed_abs(hed_mean(hed_sign(c.x), &c.over));
  return to_the(hed_minimum_scalar(mean, 1), c.power);
}

hed_array *hed_us_phase_coherence_factor(const hed_array *x, const hed_us_coherence *opt)
{
  if (!hed__operand_given("us_phase_coherence_factor", "x", x))
    return NULL;
  HED__US_RETURN(phase_coherence(x, opt), NULL);
}
