// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_rbm.h: restricted Boltzmann machines.
 *
 * Layer: public header of the nn kit; needs <heddle/kits/nn.h>.
 *
 * Units are 0 or 1; the probability of visible V and hidden H units is exp(-E) over its sum, E = -v b - h c - h W v. Parameters are
 * read below PREFIX (NULL or "": the tree itself). B are samples. Errors: HED_E_SHAPE and HED_E_NOTFOUND name the parameter or
 * argument, what was given and what is wanted; HED_E_INVAL, HED_E_DTYPE, HED_E_NOMEM. Any number of threads may read one tree.
 * G. Hinton, Neural Computation 14 (2002); T. Tieleman, ICML (2008).
 */
#ifndef HEDDLE_KITS_NN_RBM_H
#define HEDDLE_KITS_NN_RBM_H
#include <heddle/kits/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "weight" (HIDDEN, VISIBLE), uniform in [-0.01, 0.01), "visible_bias" and "hidden_bias", 0, of dtype T; drawn by R (NULL: the
 * context's stream). P is as it was when that fails. */
HED_API hed_status hed_nn_rbm_init(hed_nn_params *p, const char *prefix, int64_t visible, int64_t hidden, hed_dtype t,
                                   const hed_random *r);

/* Probabilities that units are 1: of the hidden ones for V (B, V), of the visible ones for H (B, H). The second of the first is a
 * reconstruction of V. */
HED_NEW hed_array *hed_nn_rbm_hidden(const hed_nn_params *p, const char *prefix, const hed_array *v);
HED_NEW hed_array *hed_nn_rbm_visible(const hed_nn_params *p, const char *prefix, const hed_array *h);

/* -ln of the sum of exp(-E) over all H, by sample: (B). What is high is unlike what the machine has learnt. */
HED_NEW hed_array *hed_nn_rbm_free_energy(const hed_nn_params *p, const char *prefix, const hed_array *v);

/* V after STEPS steps of Gibbs sampling, at least 1: hidden units are drawn, then visible ones, (B, V) of 0 and 1. Draws follow from
 * R (NULL: the context's stream), the same on every backend but where a probability is within rounding of what is drawn. */
HED_NEW hed_array *hed_nn_rbm_gibbs(const hed_nn_params *p, const char *prefix, const hed_array *v, int64_t steps,
                                    const hed_random *r);

/* The gradient by contrastive divergence, for an optimiser that descends: of the mean free energy of V (B, V) less that of samples
 * of the machine, into *OUT, the caller's, under the parameters' names. Samples are STEPS steps of Gibbs sampling from V; with CHAIN
 * (N, V), which is written, they go on from it, so that it is one chain from call to call (persistent). *OUT is NULL on failure. */
HED_API hed_status hed_nn_rbm_gradient(const hed_nn_params *p, const char *prefix, const hed_array *v, int64_t steps, hed_array *chain,
                                       const hed_random *r, hed_nn_params **out);

#ifdef __cplusplus
}
#endif
#endif
