// SPDX-License-Identifier: BSD-3-Clause
/* A chunk of the kinds that transform one quantity of 64 bits (variates.h); included by random.c, whose HOT, CHUNK and lanes
 * it uses. L0.
 *
 * A loop per kind without branches, so that the compiler turns it into vector code. */

#define TRANSFORM(name)                                                                                              \
  HOT static void name##_chunk(double a, double b, const lanes *restrict in, double *restrict out)                   \
  {                                                                                                                  \
    for (int j = 0; j < CHUNK; j++) {                                                                                \
      out[2 * j] = name##_of(a, b, in->w[0][j], in->w[1][j]);                                                        \
      out[2 * j + 1] = name##_of(a, b, in->w[2][j], in->w[3][j]);                                                    \
    }                                                                                                                \
  }

/* In two loops, of which processors have more turns under way. */
HOT static void exponential_chunk(double b, const lanes *restrict in, double *restrict out)
{
  for (int j = 0; j < CHUNK; j++) {
    out[2 * j] = (hed__high_bits(in->w[0][j], in->w[1][j]) + 0.5) * 0x1p-53;
    out[2 * j + 1] = (hed__high_bits(in->w[2][j], in->w[3][j]) + 0.5) * 0x1p-53;
  }
  for (int j = 0; j < 2 * CHUNK; j++)
    out[j] = b * hed__rexponential(out[j]);
}

TRANSFORM(laplace)
TRANSFORM(logistic)
TRANSFORM(gumbel)
TRANSFORM(cauchy)
TRANSFORM(bernoulli)
TRANSFORM(bipolar)

HOT static void phasor_chunk(const lanes *restrict in, double *restrict out)
{
  for (int j = 0; j < CHUNK; j++) {
    double c0, s0, c1, s1;
    hed__rturn(in->w[0][j], in->w[1][j], &c0, &s0);
    hed__rturn(in->w[2][j], in->w[3][j], &c1, &s1);
    out[4 * j] = c0;
    out[4 * j + 1] = s0;
    out[4 * j + 2] = c1;
    out[4 * j + 3] = s1;
  }
}

/* Two numbers per element for phasors. */
static void transform(const hed_random_params *p, const lanes *in, double *out)
{
  const double a = p->a, b = p->b;
  switch (p->kind) {
  case HED_RANDOM_EXPONENTIAL: exponential_chunk(b, in, out); break;
  case HED_RANDOM_LAPLACE: laplace_chunk(a, b, in, out); break;
  case HED_RANDOM_LOGISTIC: logistic_chunk(a, b, in, out); break;
  case HED_RANDOM_GUMBEL: gumbel_chunk(a, b, in, out); break;
  case HED_RANDOM_CAUCHY: cauchy_chunk(a, b, in, out); break;
  case HED_RANDOM_BERNOULLI: bernoulli_chunk(a, b, in, out); break;
  case HED_RANDOM_BIPOLAR: bipolar_chunk(a, b, in, out); break;
  default: phasor_chunk(in, out);
  }
}
#undef TRANSFORM
