// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers of the kinds beyond uniform, normal and integers: exponential to binomial. L0.
 *
 * All are computed in float64 with the functions of random_math.h and converted once, so a value does not depend on the
 * dtype but for that rounding, nor on backend, threads, chunks or strides.
 *
 * One quantity of 64 bits per element (of the draw's 64-bit quantities, see random.h), u = (k + 1/2) 2^-53 from its 53 high
 * bits, s its lowest bit (random_transforms.h):
 *   exponential  b E with E = -ln u (2^-54 where u rounds to 1)      laplace   a + b E or a - b E by s
 *   logistic     a + b (ln(1 - v) - ln v) or a - .. by s, v = u / 2  gumbel    a - b ln E
 *   cauchy       a + b sin(t) / cos(t), t the quantity as an angle    phasor    cos t + i sin t
 *   bernoulli    (k 2^-53 < a)                                        bipolar   +1 or -1 likewise
 * The others reject, so element i has a stream of its own: Philox blocks i 2^16, i 2^16 + 1, ... of (key, draw), two
 * quantities each, in order; i counts below 2^48.
 *   truncated normal  Robert, Statistics and Computing 5, 1995
 *   gamma             shapes 1, 2 and 3: -ln of the product of as many u; else Marsaglia and Tsang, ACM TOMS 26(3), 2000;
 *                     shapes below 1 through shape + 1 and u^(1/shape)
 *   beta              X / (X + Y) of two gammas, from their logarithms; chi-squared: gamma(a / 2, 2);
 *   standard t        normal / sqrt(chi-squared / a)
 *   poisson           mean below 10: inversion; else PTRS (Hoermann, Insurance: Mathematics and Economics 12, 1993)
 *   binomial          n min(p, 1 - p) below 10: inversion (BINV of Kachitvichyanukul and Schmeiser, CACM 31, 1988); else BTRS
 *                     (Hoermann, J. Statist. Comput. Simul. 46, 1993). Probabilities by Loader's saddle point form (Fast
 *                     and accurate computation of binomial probabilities, 2000).
 */
#ifndef HED_BASE_VARIATES_H
#define HED_BASE_VARIATES_H

#include <heddle/kernel.h>

/* Elements [first, first + n) as in hed__random_fill, of the kinds that reject. A and B hold N parameters each, for the
 * kinds that take operands; NULL: P's. Parameters are those that hed__variate_fault lets pass. */
void hed__variates(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst, const double *a,
                   const double *b);

/* Blocks of Philox, COUNT of them at most HED__LANES, word by word: random.c makes them side by side. */
enum { HED__LANES = 64, HED__SUBSTREAM_BITS = 16 };
typedef struct hed__words {
  uint32_t w[4][HED__LANES]; /* word, block */
} hed__words;

/* Blocks BLOCK[k] of P's key and draw, k < COUNT; BLOCK has room for HED__LANES numbers. */
void hed__random_words(const hed_random_params *p, const uint64_t *block, int count, hed__words *out);

/* What is wrong with parameters of KIND, as the end of a sentence; NULL when nothing is. */
const char *hed__variate_fault(int kind, double a, double b);

/* Logarithms of the standard gammas of SHAPE[k] > 0 that elements FIRST + k of (KEY, DRAW) take, k < N. */
void hed__log_gammas(uint64_t key, uint64_t draw, int64_t first, int64_t n, const double *shape, double *out);

#endif
