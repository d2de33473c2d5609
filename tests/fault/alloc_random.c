// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers with every allocation failing in turn, on each host backend: see fault.h. A call that found no memory
 * takes no draw: a generator that was given to it stays where it was. L5.
 */
#include "arrays.h"
#include "fault.h"

static hed_array *level, *weights; /* parameters, made once */
static hed_array *target;
static hed_generator state;

static result drawn(hed_array *a, const char *name, uint64_t before)
{
  if (a ? state.draw != before + 1 : state.draw != before)
    fail("%s: draw %d became %d", name, (int)before, (int)state.draw);
  return given(a);
}

#define DRAWS(X) \
  X(bits, hed_random_bits(HED_SHAPE(5), HED_UINT32, &opt)) \
  X(uniform, hed_random_uniform(HED_SHAPE(5), HED_FLOAT32, &opt)) \
  X(normal, hed_random_normal(HED_SHAPE(5), HED_FLOAT32, &opt)) \
  X(complex_normal, hed_random_complex_normal(HED_SHAPE(5), HED_COMPLEX64, &opt)) \
  X(integers, hed_random_integers(HED_SHAPE(5), 0, 9, HED_INT32, &opt)) \
  X(bernoulli, hed_random_bernoulli(HED_SHAPE(5), 0.5, HED_BOOL, &opt)) \
  X(bipolar, hed_random_bipolar(HED_SHAPE(5), 0.5, HED_INT8, &opt)) \
  X(exponential, hed_random_exponential(HED_SHAPE(5), 2, HED_FLOAT32, &opt)) \
  X(laplace, hed_random_laplace(HED_SHAPE(5), 0, 1, HED_FLOAT32, &opt)) \
  X(logistic, hed_random_logistic(HED_SHAPE(5), 0, 1, HED_FLOAT32, &opt)) \
  X(gumbel, hed_random_gumbel(HED_SHAPE(5), 0, 1, HED_FLOAT32, &opt)) \
  X(cauchy, hed_random_cauchy(HED_SHAPE(5), 0, 1, HED_FLOAT32, &opt)) \
  X(truncated_normal, hed_random_truncated_normal(HED_SHAPE(5), -1, 1, HED_FLOAT32, &opt)) \
  X(phasor, hed_random_phasor(HED_SHAPE(5), HED_COMPLEX64, &opt)) \
  X(phasor_diagonal, hed_random_phasor_diagonal(HED_SHAPE(2, 3), HED_COMPLEX64, &opt)) \
  X(haar, hed_random_haar(HED_SHAPE(3, 3), HED_FLOAT32, &opt)) \
  X(haar_complex, hed_random_haar(HED_SHAPE(2, 2, 2), HED_COMPLEX64, &opt)) \
  X(glorot_uniform, hed_random_glorot_uniform(HED_SHAPE(2, 3), HED_FLOAT32, &opt)) \
  X(glorot_normal, hed_random_glorot_normal(HED_SHAPE(2, 3), HED_FLOAT32, &opt)) \
  X(he_uniform, hed_random_he_uniform(HED_SHAPE(2, 3), HED_FLOAT32, &opt)) \
  X(he_normal, hed_random_he_normal(HED_SHAPE(2, 3), HED_FLOAT32, &opt)) \
  X(gamma, hed_random_gamma(level, level, NULL, HED_FLOAT32, &opt)) \
  X(beta, hed_random_beta(level, level, &HED_SHAPE(2, 3), HED_FLOAT32, &opt)) \
  X(chi_squared, hed_random_chi_squared(level, NULL, HED_FLOAT32, &opt)) \
  X(standard_t, hed_random_standard_t(level, NULL, HED_FLOAT32, &opt)) \
  X(poisson, hed_random_poisson(level, NULL, HED_INT32, &opt)) \
  X(binomial, hed_random_binomial(level, weights, NULL, HED_INT32, &opt)) \
  X(dirichlet, hed_random_dirichlet(level, NULL, HED_FLOAT32, &opt)) \
  X(categorical, hed_random_categorical(level, 4, HED_INT32, &opt)) \
  X(choice, hed_random_choice(3, HED_SHAPE(4), weights, true, &opt)) \
  X(choice_distinct, hed_random_choice(3, HED_SHAPE(2), weights, false, &opt)) \
  X(choice_few, hed_random_choice(5000, HED_SHAPE(60), NULL, false, &opt)) \
  X(permutation, hed_random_permutation(5, &opt)) \
  X(shuffle, hed_random_shuffle(level, 0, &opt)) \
  X(orthogonal, hed_orthogonal(HED_SHAPE(2, 3), 1, HED_FLOAT32, &opt)) \
  X(scramble_phases, hed_scramble_phases(level, 1, &opt))

#define DRAW(name, call) \
  static result do_##name(void) \
  { \
    const hed_random opt = { .generator = &state }; \
    uint64_t before = state.draw; \
    return drawn(call, #name, before); \
  }
DRAWS(DRAW)

/* The context's stream too. */
#define STREAM(call) \
  hed_generator before = { 0, 0 }, after = { 0, 0 }; \
  if (hed_get_seed(&before) != HED_OK) \
    return FAILED; \
  result r = call; \
  if (hed_get_seed(&after) != HED_OK || after.key != before.key || after.draw != before.draw + (r == DONE)) \
    fail("%s: the context's draw %d became %d", #call, (int)before.draw, (int)after.draw); \
  return r
static result do_stream(void) { STREAM(given(hed_random_normal(HED_SHAPE(5), HED_FLOAT32, NULL))); }
static result do_stream_gamma(void) { STREAM(given(hed_random_gamma(level, level, NULL, HED_FLOAT32, NULL))); }
static result do_stream_haar(void) { STREAM(given(hed_random_haar(HED_SHAPE(2, 2), HED_FLOAT32, NULL))); }

static const hed_random seeded = { .seed = 1, .seeded = true };
static result do_uniform_into(void) { KEPT(target, hed_random_uniform_into(target, &seeded)); }
static result do_normal_into(void) { KEPT(target, hed_random_normal_into(target, &seeded)); }
static result do_set_seed(void) { return status(hed_set_seed(3)); }
static result do_get_seed(void)
{
  hed_generator g;
  return status(hed_get_seed(&g));
}
static result do_check_random_state(void)
{
  hed_generator g;
  return status(hed_check_random_state(NULL, &g));
}
static result do_generator_split(void)
{
  hed_generator g = { 1, 2 }, children[3];
  return status(hed_generator_split(&g, 3, children));
}

static const entry entries[] = {
#define E(f) { #f, do_##f },
#define ONE(name, call) E(name)
  DRAWS(ONE)
  E(stream) E(stream_gamma) E(stream_haar) E(uniform_into) E(normal_into) E(set_seed) E(get_seed) E(check_random_state)
  E(generator_split)
#undef ONE
#undef E
};

int main(void)
{
  static const char *const backends[] = { "reference", "cpu" };
  static const float levels[3] = { 1, 2, 3 }, parts[3] = { 0.25F, 0.25F, 0.5F };
  for (int b = 0; b < 2; b++) {
    if (!fault_on(backends[b]))
      continue;
    level = hed_from_host(levels, HED_SHAPE(3), HED_FLOAT32);
    weights = hed_from_host(parts, HED_SHAPE(3), HED_FLOAT32);
    target = hed_zeros(HED_SHAPE(5), HED_FLOAT32);
    if (!level || !weights || !target)
      bail("setting up: %s", hed_error_text());
    for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
      storm(&entries[k]);
    RELEASE(level, weights, target);
  }
  return done();
}
