// SPDX-License-Identifier: BSD-3-Clause
/* Neural-net bits: activations, losses, normalisation, similarity and distances; operations on waves.
 * Activations without parameters (relu, sigmoid, softplus, silu, gelu, lecun_tanh) are rows of ops.def.
 * Conventions: <heddle/ops.h>. 16-bit floats are computed in float32 throughout and rounded once. */
#ifndef HEDDLE_OPS_NN_H
#define HEDDLE_OPS_NN_H

#include <heddle/array.h>

HED_BEGIN_DECLS

struct hed_reduce;

/* ---- activations ---- */

/* x where x >= 0, else SLOPE x */
HED_NEW hed_array *hed_leaky_relu(const hed_array *x, double slope);
HED_API hed_status hed_leaky_relu_into(hed_array *out, const hed_array *x, double slope);
/* x where x > 0, else ALPHA (e^x - 1) */
HED_NEW hed_array *hed_elu(const hed_array *x, double alpha);
HED_API hed_status hed_elu_into(hed_array *out, const hed_array *x, double alpha);
/* Along AXIS (-1 the last). Numbers of any size give no overflow; -infinity counts as weight 0; a lane of -infinities
 * only, or with a +infinity or a NaN, is NaN. */
HED_NEW hed_array *hed_softmax(const hed_array *x, int32_t axis);
HED_NEW hed_array *hed_log_softmax(const hed_array *x, int32_t axis);
/* Into OUT of x's shape; x itself when it has the type that is computed in. Other overlap is HED_E_INVAL. */
HED_API hed_status hed_softmax_into(hed_array *out, const hed_array *x, int32_t axis);
HED_API hed_status hed_log_softmax_into(hed_array *out, const hed_array *x, int32_t axis);
/* density of the normal distribution; SIGMA above 0 */
HED_NEW hed_array *hed_gaussian(const hed_array *x, double mu, double sigma);
HED_API hed_status hed_gaussian_into(hed_array *out, const hed_array *x, double mu, double sigma);
/* x e^(-rate t); T NULL: the index along the last axis */
HED_NEW hed_array *hed_exponential_decay(const hed_array *x, double rate, const hed_array *t);

/* ---- losses ---- */

typedef enum hed_reduction { HED_REDUCTION_MEAN, HED_REDUCTION_SUM, HED_REDUCTION_NONE } hed_reduction;

typedef struct hed_loss {
  int32_t reduction; /* hed_reduction: the result has no axes, or with NONE one value per element (or per last axis) */
  bool from_logits;  /* crossentropies: predictions are logits, which are not clipped */
  double delta;      /* huber_loss: where it turns linear; 0 = 1 */
} hed_loss;

/* PREDICTION and TARGET broadcast; OPT NULL: the mean. */
HED_NEW hed_array *hed_mse(const hed_array *prediction, const hed_array *target, const hed_loss *opt);
HED_NEW hed_array *hed_mean_absolute_error(const hed_array *prediction, const hed_array *target, const hed_loss *opt);
HED_NEW hed_array *hed_huber_loss(const hed_array *prediction, const hed_array *target, const hed_loss *opt);
HED_NEW hed_array *hed_log_cosh_loss(const hed_array *prediction, const hed_array *target, const hed_loss *opt);
/* probabilities, or logits z: max(z, 0) - z y + ln(1 + e^-|z|) */
HED_NEW hed_array *hed_binary_crossentropy(const hed_array *prediction, const hed_array *target, const hed_loss *opt);
/* classes along the last axis; from logits by log_softmax */
HED_NEW hed_array *hed_categorical_crossentropy(const hed_array *prediction, const hed_array *target,
                                                const hed_loss *opt);
/* LABELS are integers in [0, classes), of the prediction's shape without its last axis; others are HED_E_INVAL */
HED_NEW hed_array *hed_sparse_categorical_crossentropy(const hed_array *prediction, const hed_array *labels,
                                                       const hed_loss *opt);

/* ---- normalisation, similarity, distances ---- */

/* Norms are those of vector_norm: squares neither overflow nor vanish. */

typedef struct hed_normalize_options {
  hed_axes axes; /* n = 0: all */
  double ord;    /* order of the norm: 0 = 2; INFINITY: the largest |x| */
  double eps;    /* added to the norm; 0 = 1e-12 */
} hed_normalize_options;
HED_NEW hed_array *hed_normalize(const hed_array *x, const hed_normalize_options *opt);
/* by the 2-norm over AXES (NULL: all); vectors of norm 0 become 0 */
HED_NEW hed_array *hed_normalize_vector(const hed_array *x, const hed_axes *axes);
/* the axis is reduced; the others broadcast */
HED_NEW hed_array *hed_cosine_similarity(const hed_array *a, const hed_array *b, int32_t axis);
HED_NEW hed_array *hed_euclidean_distance(const hed_array *a, const hed_array *b, const struct hed_reduce *opt);
HED_NEW hed_array *hed_hamming_distance(const hed_array *a, const hed_array *b, const struct hed_reduce *opt);

/* ---- steps of recurrent cells: what follows their products, in one pass where the backend can ----
 *
 * B rows of U units. Those that are gradients of others are what derivatives by hand are made of (hed_custom_vjp). Errors:
 * HED_E_SHAPE, HED_E_DTYPE, HED_E_NOMEM. */

/* X and Y (B, 4 U), STATE (B, U): of x + y the gates i, f, g, o; c' = f state + i g, h' = o tanh(c'). The result (6, B, U) is i, f,
 * g, o, c', h'. S. Hochreiter, J. Schmidhuber, Neural Computation 9 (1997) */
HED_NEW hed_array *hed_lstm_step(const hed_array *x, const hed_array *y, const hed_array *state);
/* From such a STEP, its STATE and the gradients DH and DC (B, U) of h' and c': (B, 5 U), 4 U columns for x + y and U for the state. */
HED_NEW hed_array *hed_lstm_step_back(const hed_array *step, const hed_array *state, const hed_array *dh,
                                      const hed_array *dc);
/* X and Y (B, 3 U), B (U), H (B, U): r and z of the sums of their columns, q = y + b of the last U, n = tanh(x + r q), h' = n +
 * z (h - n). The result (5, B, U) is r, z, n, q, h'. K. Cho et al., arXiv:1406.1078, with the reset behind the product. */
HED_NEW hed_array *hed_gru_step(const hed_array *x, const hed_array *y, const hed_array *b, const hed_array *h);
/* From such a STEP, its H and the gradient DH of h': (B, 7 U), 3 U columns for x, 3 U for y, and U for h. */
HED_NEW hed_array *hed_gru_step_back(const hed_array *step, const hed_array *h, const hed_array *dh);
/* V (B, N), SIGMA, MU, W and E (P, N), synapses from neuron to target: (2, B, P), for each row and target the sums over neurons
 * of w s and of e s, where s = sigmoid(sigma (v - mu)). R. Hasani et al., arXiv:2006.04439 */
HED_NEW hed_array *hed_synapses(const hed_array *v, const hed_array *sigma, const hed_array *mu, const hed_array *w,
                                const hed_array *e);
/* From the gradient D (2, B, P) of that: (4 P + B, N), P rows each for sigma, mu, w and e, and B for v. */
HED_NEW hed_array *hed_synapses_back(const hed_array *v, const hed_array *sigma, const hed_array *mu, const hed_array *w,
                                     const hed_array *e, const hed_array *d);

/* ---- waves: along the last axis, axes before it are a batch ---- */

/* E: sums of squares over whole windows; 1 where there are fewer than two of them or no energy */
HED_NEW hed_array *hed_compute_energy_stability(const hed_array *x, int64_t window);
/* Pearson's correlation times 1 - mean |angle(FFT a) - angle(FFT b)| / pi; the difference is not wrapped, so the factor
 * lies in [-1, 1]; 0 where a wave is constant. The longer wave is cut. */
HED_NEW hed_array *hed_compute_interference_strength(const hed_array *a, const hed_array *b);
/* the same for every window of that length: the last axis becomes n - window + 1 */
HED_NEW hed_array *hed_partial_interference(const hed_array *a, const hed_array *b, int64_t window);
/* over frequencies with low <= |f| <= high in cycles per element (both 0: all); 0 when the band holds none */
HED_NEW hed_array *hed_compute_phase_coherence(const hed_array *a, const hed_array *b, double low, double high);

typedef enum hed_wave_mode { HED_WAVE_XOR, HED_WAVE_AND, HED_WAVE_OR } hed_wave_mode;
HED_NEW hed_array *hed_binary_wave_interference(int n, const hed_array *const *waves, hed_wave_mode mode);
HED_NEW hed_array *hed_binary_wave_propagate(const hed_array *x, int64_t shift);
/* DUTY in [0, 1]; halves round to even */
HED_NEW hed_array *hed_create_duty_cycle(int64_t n, double duty, hed_dtype t);
HED_NEW hed_array *hed_generate_blocky_sin(int64_t n, int64_t half_period, hed_dtype t);

HED_END_DECLS

#endif
