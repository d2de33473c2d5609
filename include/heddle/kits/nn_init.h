// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_init.h: first values of parameters, by key.
 *
 * Layer: public header of the nn kit; needs nothing but <heddle.h>.
 *
 * What is drawn depends on kind, shape and KEY alone: the same bits on every backend and number of threads, but for orthogonal
 * matrices, whose factorisation rounds as the backend does. Any thread.
 */
#ifndef HEDDLE_KITS_NN_INIT_H
#define HEDDLE_KITS_NN_INIT_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fans: in and out are the last two axes, (.., in, out), axes before them a receptive field whose size multiplies both; with
 * OUT_FIRST they are the first two, (out, in, ..), as PyTorch has weights. One axis is both.
 * X. Glorot, Y. Bengio, AISTATS (2010); K. He et al., ICCV (2015); A. Saxe et al., arXiv:1312.6120 (2013) */
typedef enum hed_nn_init {
  HED_NN_INIT_ZEROS, HED_NN_INIT_ONES,
  HED_NN_INIT_CONSTANT,         /* VALUE                                                              */
  HED_NN_INIT_UNIFORM,          /* in [LOW, HIGH); both 0: [-0.05, 0.05)                              */
  HED_NN_INIT_NORMAL,           /* MEAN and STD; STD 0: 0.05                                          */
  HED_NN_INIT_GLOROT_UNIFORM,   /* in [-l, l), l = GAIN sqrt(6 / (in + out))                          */
  HED_NN_INIT_GLOROT_NORMAL,    /* std GAIN sqrt(2 / (in + out))                                      */
  HED_NN_INIT_HE_UNIFORM,       /* l = GAIN sqrt(6 / in)                                              */
  HED_NN_INIT_HE_NORMAL,        /* std GAIN sqrt(2 / in)                                              */
  HED_NN_INIT_LECUN_UNIFORM,    /* l = GAIN sqrt(3 / in)                                              */
  HED_NN_INIT_LECUN_NORMAL,     /* std GAIN sqrt(1 / in)                                              */
  HED_NN_INIT_ORTHOGONAL,       /* GAIN times orthonormal rows or columns, whichever are fewer, of the matrix (first axis, others) */
  HED_NN_INIT_TRUNCATED_NORMAL, /* MEAN and STD, given that it lies in [LOW, HIGH); both 0: two STD from MEAN; STD 0: 0.05 */
  HED_NN_INIT_BINOMIAL,         /* 1 with probability P, else 0; P 0: 0.5                             */
  HED_NN_INIT_IDENTITY,         /* GAIN on the diagonal of a matrix, else 0                           */
  HED_NN_INIT_LTC_GLEAK,        /* of liquid time-constant cells, uniform: [0.001, 1)                 */
  HED_NN_INIT_LTC_VLEAK,        /* [-0.2, 0.2)                                                        */
  HED_NN_INIT_LTC_CM,           /* [0.4, 0.6)                                                         */
  HED_NN_INIT_LTC_W,            /* [0.001, 1)                                                         */
  HED_NN_INIT_LTC_SIGMA,        /* [3, 8)                                                             */
  HED_NN_INIT_LTC_MU            /* [0.3, 0.8)                                                         */
} hed_nn_init;
enum { HED_NN_INITS = HED_NN_INIT_LTC_MU + 1 };

/* All zero is the default. */
typedef struct hed_nn_init_options {
  double value;
  double low, high;
  double mean, std;
  double gain;    /* 0: 1 */
  double p;
  bool out_first;
} hed_nn_init_options;

/* An array of SHAPE and T, a real float type, in the current context's memory space; the caller's. O may be NULL. HED_E_DTYPE;
 * HED_E_SHAPE (orthogonal and identity: fewer, or other than two axes); HED_E_INVAL (no such kind; STD below 0, LOW not below HIGH,
 * P outside [0, 1], a number that is not finite); HED_E_NOMEM. */
HED_NEW hed_array *hed_nn_initial(hed_shape shape, hed_dtype t, hed_nn_init kind, const hed_nn_init_options *o, uint64_t key);

/* "zeros", "glorot_uniform", ..; NULL when there is none of that number. The other way round into *OUT: HED_E_NOTFOUND lists all. */
HED_API const char *hed_nn_init_name(int kind);
HED_API hed_status hed_nn_init_by_name(const char *name, hed_nn_init *out);

#ifdef __cplusplus
}
#endif
#endif
