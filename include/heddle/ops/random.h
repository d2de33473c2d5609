// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers: element i (C order) depends on key, draw and i only, on every backend the same bits.
 * Conventions: <heddle/ops.h>.
 *
 * Each call takes one draw, whatever it draws and however much: of the context's stream, unless OPT has a seed (a fresh
 * generator at draw 0, so two calls with one seed share their bits) or a generator (its next draw). A call that fails
 * takes none. Parameters have to be finite. Except for bits, uniform, normal and integers, values are
 * computed in float64 and rounded once to the result's dtype.
 */
#ifndef HEDDLE_OPS_RANDOM_H
#define HEDDLE_OPS_RANDOM_H

#include <heddle/array.h>

HED_BEGIN_DECLS

/* An explicit state: a value of the caller's, used by one thread at a time. */
typedef struct hed_generator {
  uint64_t key, draw;       /* draw: the next one */
} hed_generator;

typedef struct hed_random {
  uint64_t seed;
  bool seeded;              /* false: the context's stream, advanced by one draw */
  double low, high;         /* uniform; both 0 = [0, 1) */
  double mean, std;         /* normal; std 0 = 1 */
  hed_generator *generator; /* NULL: none; else it is advanced, and seed must not be given */
} hed_random;

/* ---- state ---- */

/* The stream of the context in force begins anew with this key at draw 0; threads created later descend from it. */
HED_API hed_status hed_set_seed(uint64_t seed);
/* Key of the stream of the context in force, and the draw that comes next. */
HED_API hed_status hed_get_seed(hed_generator *out);
/* A generator as OPT says it: NULL (or neither seed nor generator) one that begins at the context's stream, of which it
 * takes a draw; a seed (seed, 0); a generator a copy of it. */
HED_API hed_status hed_check_random_state(const hed_random *opt, hed_generator *out);
/* N children of G, which takes one draw: child k has key fold(fold(key, draw), k). They depend on G and k only, not on
 * when they are used. */
HED_API hed_status hed_generator_split(hed_generator *g, int64_t n, hed_generator *children);
/* Key of child INDEX of KEY: the block (index, 2^64 - 1) of Philox. */
HED_API uint64_t hed_fold_key(uint64_t key, uint64_t index);

/* ---- of one shape ---- */

/* uniform: every value is below HIGH also after rounding to T. normal: MEAN and STD. complex_normal: mean 0, variance STD^2
 * of the whole, half of it in each part. integers: floor(u span / 2^64) + low with 64 bits u, off by less than 2^-64. */
HED_NEW hed_array *hed_random_bits(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_uniform(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_normal(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_API hed_status hed_random_uniform_into(hed_array *out, const hed_random *opt);
HED_API hed_status hed_random_normal_into(hed_array *out, const hed_random *opt);
HED_NEW hed_array *hed_random_complex_normal(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_integers(hed_shape shape, int64_t low, int64_t high, hed_dtype t,
                                       const hed_random *opt);
/* P in [0, 1]; exact to 2^-53 */
HED_NEW hed_array *hed_random_bernoulli(hed_shape shape, double p, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_bipolar(hed_shape shape, double p, hed_dtype t, const hed_random *opt);
/* SCALE above 0. Tails end where 53 bits do: the exponential at 37.4 scales. Exponentials are above 0. */
HED_NEW hed_array *hed_random_exponential(hed_shape shape, double scale, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_laplace(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_logistic(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_gumbel(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_cauchy(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt);
/* LOW below HIGH, either may be infinite; opt->mean and opt->std are those of the whole normal */
HED_NEW hed_array *hed_random_truncated_normal(hed_shape shape, double low, double high, hed_dtype t,
                                               const hed_random *opt);
HED_NEW hed_array *hed_random_phasor(hed_shape shape, hed_dtype t, const hed_random *opt);
/* SHAPE (.., n) is that of the diagonals: the result is (.., n, n) */
HED_NEW hed_array *hed_random_phasor_diagonal(hed_shape shape, hed_dtype t, const hed_random *opt);
/* SHAPE (.., n, n): real T orthogonal, determinant +1 or -1; complex T unitary */
HED_NEW hed_array *hed_random_haar(hed_shape shape, hed_dtype t, const hed_random *opt);
/* SHAPE (.., in, out): axes before the last two are a receptive field, whose size multiplies both fans; one axis is both */
HED_NEW hed_array *hed_random_glorot_uniform(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_glorot_normal(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_he_uniform(hed_shape shape, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_he_normal(hed_shape shape, hed_dtype t, const hed_random *opt);

/* ---- with parameters that are arrays or scalars (hed_scalar): SIZE NULL = their broadcast shape ---- */

/* K and THETA not negative; k 0 gives 0 */
HED_NEW hed_array *hed_random_gamma(const hed_array *k, const hed_array *theta, const hed_shape *size, hed_dtype t,
                                    const hed_random *opt);
HED_NEW hed_array *hed_random_beta(const hed_array *a, const hed_array *b, const hed_shape *size, hed_dtype t,
                                   const hed_random *opt);
HED_NEW hed_array *hed_random_chi_squared(const hed_array *df, const hed_shape *size, hed_dtype t, const hed_random *opt);
HED_NEW hed_array *hed_random_standard_t(const hed_array *df, const hed_shape *size, hed_dtype t, const hed_random *opt);
/* MEAN up to 1e15; counts are converted as hed_astype does */
HED_NEW hed_array *hed_random_poisson(const hed_array *mean, const hed_shape *size, hed_dtype t, const hed_random *opt);
/* N whole, up to 1e15 */
HED_NEW hed_array *hed_random_binomial(const hed_array *n, const hed_array *p, const hed_shape *size, hed_dtype t,
                                       const hed_random *opt);
/* ALPHA (.., k) above 0; SIZE ends with k */
HED_NEW hed_array *hed_random_dirichlet(const hed_array *alpha, const hed_shape *size, hed_dtype t, const hed_random *opt);

/* ---- choosing ---- */

/* LOGITS (.., k) gives (.., n): categories by inversion of the summed e^(logit - largest); -inf is never chosen. */
HED_NEW hed_array *hed_random_categorical(const hed_array *logits, int64_t n, hed_dtype t, const hed_random *opt);
/* Indices in [0, n) of SHAPE, int64. WEIGHTS (n values, not negative, any sum) or NULL = equal. Without REPLACE all
 * differ, in the order of successive draws; there must be as many weights above 0. At most the half of N without weights takes
 * time and memory by how many are wanted, whatever N. By weights without REPLACE a device without float64 leaves it to the host. */
HED_NEW hed_array *hed_random_choice(int64_t n, hed_shape shape, const hed_array *weights, bool replace,
                                     const hed_random *opt);
/* int64. Two equal keys of 64 bits keep their order: of n^2 / 2^65 probability. */
HED_NEW hed_array *hed_random_permutation(int64_t n, const hed_random *opt);
/* Whole slices along AXIS are moved; X keeps its order. */
HED_NEW hed_array *hed_random_shuffle(const hed_array *x, int32_t axis, const hed_random *opt);

HED_END_DECLS

#endif
