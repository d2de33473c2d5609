// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations with parameters, neural-net bits and waves, with every allocation failing in turn: see
 * fault.h. L5.
 */
#include "fault.h"

static hed_array *x, *y, *large, *bits, *labels, *condition; /* operands, made once */

#define CALLS(X)                                                                                        \
  X(clip_array, hed_clip_array(x, y, NULL))                                                             \
  X(divide_where, hed_divide_where(condition, x, y, 1))                                                 \
  X(where_scalar, hed_where_scalar(condition, x, 1))                                                    \
  X(scalar_where, hed_scalar_where(condition, 1, x))                                                    \
  X(scalars_where, hed_scalars_where(condition, 1, 2))                                                  \
  X(multiply_complex, hed_multiply_complex(x, 0, 1))                                                    \
  X(complex_subtract, hed_complex_subtract(0, 1, x))                                                    \
  X(lerp, hed_lerp(x, y, x))                                                                            \
  X(fma, hed_fma(x, y, x))                                                                              \
  X(isclose, hed_isclose(x, y, NULL))                                                                   \
  X(rotate_left, hed_rotate_left(bits, bits, 7))                                                        \
  X(rotate_right, hed_rotate_right(bits, bits, 0))                                                      \
  X(set_bit, hed_set_bit(bits, bits, bits))                                                             \
  X(threshold, hed_threshold(x, 1, 2, 3))                                                               \
  X(nan_to_num, hed_nan_to_num(x, NULL))                                                                \
  X(leaky_relu, hed_leaky_relu(x, 0.1))                                                                 \
  X(elu, hed_elu(x, 1))                                                                                 \
  X(gaussian, hed_gaussian(x, 0, 1))                                                                    \
  X(softmax, hed_softmax(x, 0))                                                                         \
  X(log_softmax, hed_log_softmax(x, 1))                                                                 \
  X(exponential_decay, hed_exponential_decay(x, 1, NULL))                                               \
  X(mse, hed_mse(x, y, NULL))                                                                           \
  X(mean_absolute_error, hed_mean_absolute_error(x, y, NULL))                                           \
  X(huber_loss, hed_huber_loss(x, y, NULL))                                                             \
  X(large_loss, hed_huber_loss(large, large, NULL))                                                     \
  X(log_cosh_loss, hed_log_cosh_loss(x, y, NULL))                                                       \
  X(binary_crossentropy, hed_binary_crossentropy(x, y, NULL))                                           \
  X(categorical_crossentropy, hed_categorical_crossentropy(x, y, &(hed_loss){ .from_logits = true }))   \
  X(sparse_categorical_crossentropy, hed_sparse_categorical_crossentropy(x, labels, NULL))              \
  X(normalize, hed_normalize(x, NULL))                                                                  \
  X(normalize_vector, hed_normalize_vector(x, NULL))                                                    \
  X(cosine_similarity, hed_cosine_similarity(x, y, 1))                                                  \
  X(euclidean_distance, hed_euclidean_distance(x, y, NULL))                                             \
  X(hamming_distance, hed_hamming_distance(x, y, NULL))                                                 \
  X(energy_stability, hed_compute_energy_stability(x, 2))                                               \
  X(interference_strength, hed_compute_interference_strength(x, y))                                     \
  X(partial_interference, hed_partial_interference(x, y, 2))                                            \
  X(phase_coherence, hed_compute_phase_coherence(x, y, 0, 0.4))                                         \
  X(binary_wave, hed_binary_wave_interference(3, (const hed_array *const[]){ bits, bits, bits }, HED_WAVE_OR)) \
  X(propagate, hed_binary_wave_propagate(bits, 1))                                                      \
  X(duty_cycle, hed_create_duty_cycle(7, 0.5, HED_FLOAT32))                                             \
  X(blocky_sin, hed_generate_blocky_sin(7, 2, HED_INT16))
#define DO(name, call) static result do_##name(void) { return given(call); }
CALLS(DO)

static result do_divmod(void)
{
  hed_array *q = NULL, *r = NULL;
  hed_status s = hed_divmod(x, y, &q, &r);
  if (s != HED_OK && (q || r))
    fail("divmod: results with an error");
  hed_release(q);
  hed_release(r);
  return status(s);
}

static result do_allclose(void)
{
  bool close;
  return status(hed_allclose(x, y, NULL, &close));
}

static result do_gradient(void)
{
  hed_array *out[2] = { NULL, NULL };
  hed_status s = hed_gradient(x, &(hed_gradient_options){ .coordinates = (const hed_array *const[]){ NULL, labels } }, out);
  if (s != HED_OK && (out[0] || out[1]))
    fail("gradient: results with an error");
  hed_release(out[0]);
  hed_release(out[1]);
  return status(s);
}

static const entry entries[] = {
#define E(name, call) { #name, do_##name },
  CALLS(E)
  E(divmod, ) E(allclose, ) E(gradient, )
#undef E
};

int main(void)
{
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8 };
  static const int32_t small[3] = { 0, 1, 2 };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  x = hed_from_host(data, HED_SHAPE(3, 3), HED_FLOAT32);
  y = hed_add_scalar(x, 1);
  large = hed_ones(HED_SHAPE(1 << 16), HED_FLOAT32);
  bits = labels = hed_from_host(small, HED_SHAPE(3), HED_INT32);
  condition = hed_greater_scalar(x, 3);
  if (!x || !y || !large || !labels || !condition)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  return done();
}
