// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_cells.h: recurrent cells, and sequences of their steps.
 *
 * Layer: public header of the nn kit; needs <heddle/kits/nn.h>.
 *
 * A cell is described by a struct that names its kind, its sizes and what is special; its numbers are in a tree of parameters. What is
 * not said is 0 and has the value that its comment gives. Functions only read their operands; any number of threads may call them.
 * B is a batch, T are steps, I and U input and units. Errors name the parameter or argument, what was given and what is wanted.
 */
#ifndef HEDDLE_KITS_NN_CELLS_H
#define HEDDLE_KITS_NN_CELLS_H
#include <heddle/kits/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- activations ---- */

typedef enum hed_nn_activation {
  HED_NN_DEFAULT,     /* the kind's own                            */
  HED_NN_LINEAR,      /* x                                         */
  HED_NN_TANH, HED_NN_RELU, HED_NN_SIGMOID, HED_NN_SOFTPLUS, HED_NN_SILU, HED_NN_GELU,  /* those of <heddle/ops.h> */
  HED_NN_LECUN_TANH,  /* 1.7159 tanh(slope x), slope 2/3           */
  HED_NN_HARDTANH,    /* x within [-1, 1], cut there               */
  HED_NN_SOFTSIGN,    /* x / (1 + |x|)                             */
  HED_NN_HARDSIGMOID, /* x / 6 + 1/2 within [0, 1]                 */
  HED_NN_MISH         /* x tanh(softplus(x))                       */
} hed_nn_activation;

/* KIND of X, DEFAULT: x. SLOPE is that of LECUN_TANH, 0: 2/3 (ncps has 0.666). HED_E_INVAL for another kind. */
HED_NEW hed_array *hed_nn_activate(const hed_array *x, hed_nn_activation kind, double slope);

/* ---- cells ---- */

typedef enum hed_nn_kind {
  HED_NN_RNN,        /* h' = act(W x + b + V h + c); J. L. Elman, Cognitive Science 14 (1990)                                 */
  HED_NN_GRU,        /* h' = (1 - z) n + z h; K. Cho et al., arXiv:1406.1078                                                  */
  HED_NN_LSTM,       /* c' = f c + i g, h' = o tanh(c'); S. Hochreiter, J. Schmidhuber, Neural Computation 9 (1997); F. Gers  */
  HED_NN_CFC,        /* closed-form continuous time; R. Hasani et al., Nature Machine Intelligence 4 (2022)                   */
  HED_NN_LTC,        /* liquid time constants; R. Hasani et al., AAAI 2021, arXiv:2006.04439                                  */
  HED_NN_CTRNN,      /* h' = h + s (act(..) - h), s = dt / (tau + 1e-8); K. Funahashi, Y. Nakamura, Neural Networks 6 (1993)  */
  HED_NN_CTGRU,      /* the same with the state of a GRU for act(..)                                                          */
  HED_NN_CTGRU_TRACES, /* traces of many time scales; M. Mozer et al., arXiv:1710.04110                                       */
  HED_NN_LEAKY_LSTM  /* c' = f c + i g, h' = o tanh(e h + (1 - e) c'), e = exp(-dt / scale)                                   */
} hed_nn_kind;

typedef enum hed_nn_cfc_mode {
  HED_NN_CFC_GATED,   /* f1 (1 - s) + s f2, s = sigmoid(a dt + b)             */
  HED_NN_CFC_PURE,    /* A - A exp(-dt (|w| + |f1|)) f1                       */
  HED_NN_CFC_NO_GATE  /* f1 + s f2                                            */
} hed_nn_cfc_mode;

typedef enum hed_nn_solver { HED_NN_SEMI_IMPLICIT, HED_NN_EXPLICIT, HED_NN_RK4 } hed_nn_solver;
typedef enum hed_nn_positive {
  HED_NN_SOFTPLUS_OF, /* what is learnt may be anything */
  HED_NN_AS_IS        /* see hed_nn_cell_clip           */
} hed_nn_positive;
typedef enum hed_nn_mapping { HED_NN_MAP_AFFINE, HED_NN_MAP_LINEAR, HED_NN_MAP_NONE } hed_nn_mapping;

/* A cell; all zero but KIND, INPUT and UNITS is the default. Fields of other kinds than the given are not looked at. */
typedef struct hed_nn_cell {
  int32_t kind;                /* hed_nn_kind                                                                        */
  int64_t input, units;        /* I, U; with a wiring U is the number of its neurons                                 */
  int32_t activation;          /* RNN, CTRNN: DEFAULT is tanh; CFC: of the backbone, DEFAULT is lecun_tanh           */
  double slope;                /* of lecun_tanh; 0: 0.666 in CFC, as ncps has it                                     */
  bool no_bias;                /* RNN, GRU, LSTM, CTRNN, CTGRU, LEAKY_LSTM                                           */
  bool reset_before;           /* GRU, CTGRU: n = tanh(W x + V (r h)) as Keras has it, not tanh(W x + r (V h))       */
  double forget_bias;          /* LSTM, LEAKY_LSTM: added to what f is the sigmoid of                                */
  bool peepholes;              /* LSTM: weights (3, U) of c in i, f and of c' in o                                   */
  int64_t projection;          /* LSTM: h' = R (o tanh(c')) of that size; CFC: output of that size (proj_size); 0: none */
  bool exact;                  /* CTRNN, CTGRU: s = 1 - exp(-dt / tau)                                               */
  int64_t scales;              /* CTGRU_TRACES: number of time scales, each sqrt(10) times the one before; 0: 8      */
  double first_scale;          /* the least; 0: 1                                                                    */
  int32_t mode;                /* CFC: hed_nn_cfc_mode                                                               */
  int64_t backbone_layers;     /* CFC: 0: 1; -1: none                                                                */
  int64_t backbone_units;      /* CFC: 0: 128                                                                        */
  double backbone_dropout;     /* CFC: in training                                                                   */
  int64_t unfolds;             /* LTC: solver steps within a step; 0: 6                                              */
  int32_t solver, positive;    /* LTC: hed_nn_solver; hed_nn_positive of gleak, cm and w                             */
  int32_t input_mapping, output_mapping; /* LTC: hed_nn_mapping                                                      */
  double epsilon;              /* LTC: added to the denominator; 0: 1e-8                                             */
  bool mixed_memory;           /* CFC, LTC: an LSTM step on the state comes before; one more state c                 */
  /* A wiring of LTC and CFC: synapses from row to column, each -1, 0 or 1. NULL: all are there, in LTC of random polarity. */
  const hed_array *adjacency;  /* int8 (U, U)                                                                        */
  const hed_array *sensory;    /* int8 (I, U)                                                                        */
  int64_t outputs;             /* the first neurons are the output; 0: all                                           */
  int32_t n_groups;            /* CFC: neurons are computed group after group, each from the one before: at least 1   */
  const int64_t *groups;       /* their sizes, from the last neurons (inter) to the first (motor)                    */
  bool ncps_compatible;        /* CFC: within a group all are connected, and synapses back to earlier groups left out */
} hed_nn_cell;

enum { HED_NN_STATES = 3 };    /* arrays of a state, at most                                                         */

/* How many arrays C's state has, and the shape of number K for a batch of B: h (B, U) (LSTM with projection (B, P), CTGRU_TRACES
 * (B, U, scales)), then c (B, U) where there is one. A negative status: HED_E_INVAL, what is wrong with C by name. */
HED_API int32_t hed_nn_cell_states(const hed_nn_cell *c);
HED_API hed_status hed_nn_cell_state_shape(const hed_nn_cell *c, int64_t batch, int32_t k, hed_shape *out);
/* Numbers of a step's output. */
HED_API int64_t hed_nn_cell_output(const hed_nn_cell *c);

/* Put C's parameters into P, of dtype T, under PREFIX and the names that PyTorch and ncps have: "weight_ih", "weight_hh", "bias_ih",
 * "bias_hh" of RNN, GRU, LSTM (gates i f g o, r z n); "ff1.weight", "backbone.0.bias", "time_a.weight" of CFC, "layer_0.ff1.weight"
 * with groups; "gleak", "w", "sensory_mu", "input_w" of LTC; "lstm.input_map.weight" of mixed memory, "fc.weight" of a projection.
 * Drawn as they draw them; each from its name and R (NULL: the context's stream), whatever others there are. Masks are buffers.
 * Errors: HED_E_INVAL (C; a name that is there already), HED_E_SHAPE and HED_E_DTYPE (the wiring), HED_E_NOMEM; P is as it was
 * then. */
HED_API hed_status hed_nn_cell_init(const hed_nn_cell *c, hed_nn_params *p, const char *prefix, hed_dtype t, const hed_random *r);

/* What a step is given besides. All zero is the default. */
typedef struct hed_nn_step_options {
  const hed_array *dt;         /* time since the step before: a number, or (B); NULL: 1                              */
  bool training;               /* dropout is done                                                                    */
  hed_random random;           /* of dropout                                                                         */
  bool unchecked;              /* dt is not looked at: in a program what it depends on cannot be read                */
} hed_nn_step_options;

/* A step of C: X (B, I) and STATE, hed_nn_cell_states() arrays (NULL, or one that is NULL: zeros), give the output (B, O), and NEXT
 * (NULL: not wanted), the caller's. Errors: HED_E_INVAL (dt negative or NaN, with its place), HED_E_SHAPE, HED_E_NOTFOUND (a
 * parameter), HED_E_NOMEM; NEXT is all NULL then. */
HED_NEW hed_array *hed_nn_cell_step(const hed_nn_cell *c, const hed_nn_params *p, const char *prefix, const hed_array *x,
                                    const hed_array *const *state, hed_array **next, const hed_nn_step_options *opt);

/* Of LTC with positive AS_IS: gleak, cm, w and sensory_w below PREFIX are cut at 0, in place; after a step of an optimiser. */
HED_API hed_status hed_nn_cell_clip(const hed_nn_cell *c, hed_nn_params *p, const char *prefix);

/* ---- sequences ---- */

/* All zero is the default. */
typedef struct hed_nn_sequence_options {
  int64_t layers;              /* 0: 1; the output of one is the input of the next                                    */
  bool bidirectional;          /* the output is that of both directions, forwards first: (.., 2 O)                   */
  bool time_first;             /* x and output are (T, B, ..), not (B, T, ..); mask and dt likewise                  */
  bool last_only;              /* the output is (B, ..) of the last step that counts, backwards of the first         */
  const hed_array *const *state; /* at the beginning, hed_nn_cell_states() arrays (layers directions, B, ..); NULL: zeros */
  const hed_array *lengths;    /* integers (B), each in [1, T]: steps beyond do not count                            */
  const hed_array *mask;       /* bool (B, T): which steps count; not with lengths                                   */
  const hed_array *dt;         /* a number, (T) or (B, T); NULL: 1                                                   */
  double dropout;              /* of what goes from layer to layer, in training                                      */
  bool variational;            /* one dropout mask for all steps                                                     */
  bool training;
  hed_random random;           /* of dropout                                                                         */
  bool by_steps;               /* a recording notes each call of a step. Else LSTM and GRU without peepholes, projection and
                                * reset_before are one call with a derivative by hand, which takes a third of the time and has no
                                * derivative itself: HED_E_GRADIENT; so is a semi-implicit step of LTC               */
  bool unchecked;              /* lengths and dt are not looked at: in a program what they depend on cannot be read  */
} hed_nn_sequence_options;

/* hed_nn_cell_init for the sequence: names as PyTorch's ("weight_ih_l0", "weight_hh_l1_reverse"); those of CFC and LTC are below
 * "rnn_cell" as in ncps, further ones below "rnn_cell_l1", "rnn_cell_l0_reverse". */
HED_API hed_status hed_nn_sequence_init(const hed_nn_cell *c, const hed_nn_sequence_options *opt, hed_nn_params *p, const char *prefix,
                                        hed_dtype t, const hed_random *r);

/* C over the steps of X (B, T, I): the output (B, T, O), and LAST (NULL: not wanted), the state after the last step, as
 * opt->state. A step that does not count changes neither state nor gradient, whatever stands there, and its output is 0;
 * backwards each begins at its own end. T is at least 1; no batch gives results of size 0. Errors: HED_E_INVAL (a length or dt,
 * with its place), HED_E_SHAPE, HED_E_DTYPE, HED_E_NOTFOUND (a parameter), HED_E_NOMEM; LAST is all NULL then. */
HED_NEW hed_array *hed_nn_sequence(const hed_nn_cell *c, const hed_nn_sequence_options *opt, const hed_nn_params *p,
                                   const char *prefix, const hed_array *x, hed_array **last);

/* STEPS further values (B, STEPS, I) of the series X, in a closed loop: each is the linear layer READOUT (NULL: none) of the output
 * of a step, the first one that after X, and the next step's input. DT_AHEAD: of these steps, a number or (STEPS), element k the
 * time from value k to k + 1; NULL: 1; that of X is opt->dt. LAST as hed_nn_sequence(): the state that the last value came from.
 * Errors: HED_E_INVAL (STEPS below 1, both directions), HED_E_SHAPE (readout and input differ), and those of hed_nn_sequence(). */
HED_NEW hed_array *hed_nn_forecast(const hed_nn_cell *c, const hed_nn_sequence_options *opt, const hed_nn_params *p,
                                   const char *prefix, const char *readout, const hed_array *x, int64_t steps,
                                   const hed_array *dt_ahead, hed_array **last);

/* N cells like C side by side, below "PREFIX.0", "PREFIX.1" and so on: number K looks at every STRIDES[K]-th step of X (B, T, I),
 * from the first, dt being the time since it looked last (without opt->dt its stride), and its output stays as it is in between:
 * (B, T, N O). STATE, LENGTHS and both directions are HED_E_UNSUPPORTED; a MASK counts where a cell looks.
 * Errors: HED_E_INVAL (a stride below 1, with its place), and those of hed_nn_sequence_init() and hed_nn_sequence(); P is as it was
 * when the first fails. */
HED_API hed_status hed_nn_strided_init(const hed_nn_cell *c, const hed_nn_sequence_options *opt, int n, const int64_t *strides,
                                       hed_nn_params *p, const char *prefix, hed_dtype t, const hed_random *r);
HED_NEW hed_array *hed_nn_strided(const hed_nn_cell *c, const hed_nn_sequence_options *opt, int n, const int64_t *strides,
                                  const hed_nn_params *p, const char *prefix, const hed_array *x);

#ifdef __cplusplus
}
#endif
#endif
