// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_loss.h: losses and activations beside those of <heddle/ops/nn.h>.
 *
 * Layer: public header of the nn kit; needs nothing but <heddle.h>.
 *
 * All are made of operations that have derivatives. 16-bit floats are computed in their own type. Any thread.
 */
#ifndef HEDDLE_KITS_NN_LOSS_H
#define HEDDLE_KITS_NN_LOSS_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is the default: the mean. */
typedef struct hed_nn_loss_options {
  int32_t reduction;        /* hed_reduction; MEAN: sum(weight loss) / sum(weight) over where MASK is; 0 where there is nothing */
  const hed_array *weights; /* broadcasts to the losses; NULL: all 1                                                        */
  const hed_array *mask;    /* bool, broadcasts to the losses: false counts for nothing, whatever is there; NULL: all true  */
  double margin;            /* HINGE 0: 1; COSINE: as it is; TRIPLET 0: 1                                                   */
  double quantile;          /* QUANTILE, in (0, 1); 0: 0.5                                                                  */
  bool log_target;          /* KL: TARGET is a logarithm, too                                                              */
} hed_nn_loss_options;

/* LOSSES, one per element (those of the table with HED_REDUCTION_NONE), with weights, mask and reduction of O (NULL: the mean). */
HED_NEW hed_array *hed_nn_reduce_loss(const hed_array *losses, const hed_nn_loss_options *o);

/* sum t (ln t - p) over the last axis: PREDICTION p has logarithms of probabilities, TARGET t probabilities, 0 ln 0 being 0. One
 * value per row; the mean of these is what others call batchmean. */
HED_NEW hed_array *hed_nn_kl_divergence(const hed_array *prediction, const hed_array *target, const hed_nn_loss_options *o);
/* max(0, margin - t p) per element, TARGET t being 1 or -1. */
HED_NEW hed_array *hed_nn_hinge(const hed_array *prediction, const hed_array *target, const hed_nn_loss_options *o);
/* Along the last axis 1 - c where TARGET is 1 (NULL: everywhere), max(0, c - margin) where it is -1, c the cosine of A and B. */
HED_NEW hed_array *hed_nn_cosine(const hed_array *a, const hed_array *b, const hed_array *target, const hed_nn_loss_options *o);
/* max(0, |a - p| - |a - n| + margin), norms along the last axis of differences to which 1e-6 is added, as PyTorch does. */
HED_NEW hed_array *hed_nn_triplet(const hed_array *anchor, const hed_array *positive, const hed_array *negative,
                                  const hed_nn_loss_options *o);
/* max(q e, (q - 1) e), e = target - prediction: the pinball loss, which the quantile q makes least. R. Koenker, G. Bassett (1978) */
HED_NEW hed_array *hed_nn_quantile(const hed_array *prediction, const hed_array *target, const hed_nn_loss_options *o);

/* ---- activations ---- */

/* min(max(x, low), high), LOW below HIGH; both 0: -1 and 1 */
HED_NEW hed_array *hed_nn_hardtanh(const hed_array *x, double low, double high);
HED_NEW hed_array *hed_nn_softsign(const hed_array *x);    /* x / (1 + |x|)                  */
HED_NEW hed_array *hed_nn_hardsigmoid(const hed_array *x); /* min(max(x / 6 + 1 / 2, 0), 1)  */
HED_NEW hed_array *hed_nn_mish(const hed_array *x);        /* x tanh(ln(1 + e^x)). D. Misra, arXiv:1908.08681 (2019) */

#ifdef __cplusplus
}
#endif
#endif
