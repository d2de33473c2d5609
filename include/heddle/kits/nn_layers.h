// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_layers.h: layers: linear, embedding, dropout, norms, attention, and lists of layers.
 *
 * Layer: public header of the nn kit; needs <heddle/kits/nn_cells.h>.
 *
 * A layer reads its parameters below PREFIX (NULL or "": the tree itself), under PyTorch's names. NAME_init() puts them there, of
 * dtype T, drawn as PyTorch draws them, each from its name and R (NULL: the context's stream); P is as it was when that fails.
 * Operands are only read, but for the running statistics of a batch norm in training. Errors: HED_E_SHAPE and HED_E_NOTFOUND name
 * the parameter or argument, what was given and what is wanted; HED_E_INVAL, HED_E_DTYPE, HED_E_NOMEM. Options may be NULL.
 */
#ifndef HEDDLE_KITS_NN_LAYERS_H
#define HEDDLE_KITS_NN_LAYERS_H
#include <heddle/kits/nn_cells.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- linear, embedding ---- */

/* "weight" (OUTPUT, INPUT), and with BIAS "bias" (OUTPUT). */
HED_API hed_status hed_nn_linear_init(hed_nn_params *p, const char *prefix, int64_t input, int64_t output, bool bias, hed_dtype t,
                                      const hed_random *r);
/* X (.., INPUT) W^T + b, (.., OUTPUT); without b where there is no "bias". */
HED_NEW hed_array *hed_nn_linear(const hed_nn_params *p, const char *prefix, const hed_array *x);

/* "weight" (COUNT, SIZE), normal. */
HED_API hed_status hed_nn_embedding_init(hed_nn_params *p, const char *prefix, int64_t count, int64_t size, hed_dtype t,
                                         const hed_random *r);
/* The row of each of INDEX, integers in [0, COUNT) of any shape: (.., SIZE). HED_E_INDEX. */
HED_NEW hed_array *hed_nn_embedding(const hed_nn_params *p, const char *prefix, const hed_array *index);

/* ---- dropout ---- */

/* All zero is the default. */
typedef struct hed_nn_dropout_options {
  hed_random random;       /* with a seed the mask depends on it, STEP, LAYER and NAME alone; without it is the stream's next
                            * draw, which a program takes anew at each run */
  int64_t step, layer;
  const char *name;        /* NULL: ""                                                                    */
  int32_t same_along;      /* 1 + an axis along which the mask is the same: variational; 0: none          */
} hed_nn_dropout_options;

/* X, of which each element is 0 with probability RATE in [0, 1], else divided by 1 - RATE. The same elements on every backend and
 * number of threads. N. Srivastava et al., JMLR 15 (2014); Y. Gal, Z. Ghahramani, arXiv:1512.05287. */
HED_NEW hed_array *hed_nn_dropout(const hed_array *x, double rate, const hed_nn_dropout_options *opt);

/* ---- norms ---- */

/* All zero is the default. */
typedef struct hed_nn_norm_options {
  double eps;              /* 0: 1e-5                                                                     */
  bool training;           /* BATCH: of this batch, whose statistics go into the running ones             */
  double momentum;         /* BATCH: the share of the new one; 0: 0.1                                     */
  bool biased_running;     /* BATCH: the running variance divides by n, not n - 1                         */
  int32_t axis;            /* BATCH: of channels, counted from the end: 0 and -1 are the last             */
} hed_nn_norm_options;

/* "weight" and "bias" (CHANNELS), "running_mean", "running_var", "num_batches_tracked". */
HED_API hed_status hed_nn_batch_norm_init(hed_nn_params *p, const char *prefix, int64_t channels, hed_dtype t);
/* (x - mean) / sqrt(var + eps) weight + bias by channel; var divides by n. S. Ioffe, C. Szegedy, arXiv:1502.03167. */
HED_NEW hed_array *hed_nn_batch_norm(const hed_nn_params *p, const char *prefix, const hed_array *x, const hed_nn_norm_options *opt);

/* "weight" and "bias" of SHAPE, that of the last axes. */
HED_API hed_status hed_nn_layer_norm_init(hed_nn_params *p, const char *prefix, const hed_shape *shape, hed_dtype t);
/* Likewise over the last axes, as many as "weight" has. J. Ba, J. Kiros, G. Hinton, arXiv:1607.06450. */
HED_NEW hed_array *hed_nn_layer_norm(const hed_nn_params *p, const char *prefix, const hed_array *x, const hed_nn_norm_options *opt);

/* "weight" of SHAPE. */
HED_API hed_status hed_nn_rms_norm_init(hed_nn_params *p, const char *prefix, const hed_shape *shape, hed_dtype t);
/* x / sqrt(mean of x^2 + eps) weight. B. Zhang, R. Sennrich, arXiv:1910.07467. */
HED_NEW hed_array *hed_nn_rms_norm(const hed_nn_params *p, const char *prefix, const hed_array *x, const hed_nn_norm_options *opt);

/* ---- attention ---- */

/* All zero is the default. */
typedef struct hed_nn_attention_options {
  int64_t heads;           /* 0: 1; a divisor of the model's size                                          */
  bool causal;             /* query i reads keys up to i                                                   */
  const hed_array *mask;   /* bool, broadcast to (.., queries, keys), in hed_nn_multihead (B, heads, ..): true where it may read */
  double scale;            /* 0: 1 / sqrt(size of a key)                                                   */
} hed_nn_attention_options;

/* softmax(scale q k^T) v: Q (.., N, D), K (.., M, D), V (.., M, E) give (.., N, E). A query that may read nothing gets 0. Queries
 * are taken 1024 at a time, so that no more than 1024 M weights are held. A. Vaswani et al., arXiv:1706.03762. */
HED_NEW hed_array *hed_nn_attention(const hed_array *q, const hed_array *k, const hed_array *v, const hed_nn_attention_options *opt);

/* "in_proj_weight" (3 SIZE, SIZE), "in_proj_bias", "out_proj.weight", "out_proj.bias". */
HED_API hed_status hed_nn_multihead_init(hed_nn_params *p, const char *prefix, int64_t size, hed_dtype t, const hed_random *r);
/* The same by heads: each of SIZE / heads of the projected Q (B, N, SIZE), K and V (B, M, SIZE); (B, N, SIZE). */
HED_NEW hed_array *hed_nn_multihead(const hed_nn_params *p, const char *prefix, const hed_array *q, const hed_array *k,
                                    const hed_array *v, const hed_nn_attention_options *opt);

/* ---- lists of layers ---- */

typedef enum hed_nn_layer_kind {
  HED_NN_LAYER_LINEAR, HED_NN_LAYER_EMBEDDING, HED_NN_LAYER_ACTIVATION, HED_NN_LAYER_DROPOUT, HED_NN_LAYER_BATCH_NORM,
  HED_NN_LAYER_LAYER_NORM, HED_NN_LAYER_RMS_NORM, HED_NN_LAYER_SELF_ATTENTION, HED_NN_LAYER_SEQUENCE
} hed_nn_layer_kind;

/* A layer of a list; all zero but KIND and sizes is the default. */
typedef struct hed_nn_layer {
  int32_t kind;
  int64_t input, output;   /* LINEAR; EMBEDDING: count and size; norms and SELF_ATTENTION: input alone        */
  bool no_bias;            /* LINEAR                                                                          */
  int32_t activation;      /* ACTIVATION: hed_nn_activation                                                   */
  double rate;             /* DROPOUT                                                                         */
  hed_nn_norm_options norm;
  hed_nn_attention_options attention;
  const hed_nn_cell *cell; /* SEQUENCE, and OPTIONS (NULL: all zero), of which training and random are the list's */
  const hed_nn_sequence_options *options;
} hed_nn_layer;

/* How a list runs. All zero is the default. */
typedef struct hed_nn_sequential_options {
  bool training;
  hed_random random;       /* of dropout                                                                      */
  int64_t step;            /* of training, for its masks                                                      */
} hed_nn_sequential_options;

/* Parameters of N layers, below their numbers: "0.weight", "2.weight", as PyTorch's Sequential has them. */
HED_API hed_status hed_nn_sequential_init(int n, const hed_nn_layer *layers, hed_nn_params *p, const char *prefix, hed_dtype t,
                                          const hed_random *r);
/* One after the other on X. */
HED_NEW hed_array *hed_nn_sequential(int n, const hed_nn_layer *layers, const hed_nn_params *p, const char *prefix, const hed_array *x,
                                     const hed_nn_sequential_options *opt);

#ifdef __cplusplus
}
#endif
#endif
