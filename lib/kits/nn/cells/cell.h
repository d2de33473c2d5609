// SPDX-License-Identifier: BSD-3-Clause
/* What a kind of cell is to the rest, and what kinds share.
 *
 * Layer: L4, nn kit. A kind says which parameters it has. For a sequence they are looked up once and made ready (transposed, masked,
 * gates side by side), so that a step has as few calls as can be: one product for all gates, and elementwise calls that are fused.
 */
#ifndef HED_KITS_NN_CELL_H
#define HED_KITS_NN_CELL_H
#include <heddle/kits/nn_cells.h>

enum {
  HED__NN_GROUPS = 16,                         /* of a wired CFC, at most                     */
  HED__NN_PER_GROUP = 9,
  HED__NN_WEIGHTS = 16 + HED__NN_GROUPS * HED__NN_PER_GROUP,
  HED__NN_BACKBONE = 8,                        /* layers, at most                             */
  HED__NN_NAME_ROOM = 256
};

typedef enum hed__nn_draw {
  HED__NN_UNIFORM,    /* in [low, high)                                                     */
  HED__NN_GLOROT,     /* uniform, of fans (out, in)                                         */
  HED__NN_ORTHOGONAL, /* columns                                                            */
  HED__NN_CONSTANT,   /* low                                                                */
  HED__NN_POLARITY,   /* 1 with probability 2/3, else -1                                    */
  HED__NN_GIVEN,      /* the values of an array                                             */
  HED__NN_MASK        /* where an array is not 0; a buffer                                  */
} hed__nn_draw;

typedef struct hed__nn_spec {
  char name[40];
  hed_shape shape;
  int32_t how;
  bool beside;               /* "lstm.x", "fc.x": not below the cell's own name             */
  double low, high;
  const hed_array *given;    /* GIVEN, MASK; NULL: ones                                     */
} hed__nn_spec;

/* Products of many steps with one weight. */
typedef struct hed__nn_gatherer hed__nn_gatherer;

/* Lists of parameters as they grow. */
typedef struct hed__nn_specs {
  int n;
  bool values;               /* those of masks are wanted, too                              */
  hed__nn_spec *s;           /* room for HED__NN_WEIGHTS                                    */
} hed__nn_specs;

typedef struct hed__nn_plan {
  const hed_nn_cell *c;
  const struct hed__nn_family *family;
  const hed_array *w[HED__NN_WEIGHTS];         /* as the family lists them; borrowed        */
  const hed_array *memory[3];                  /* mixed memory: input map, its bias, recurrent map */
  const hed_array *output[2];                  /* weight and bias of the projection of CFC  */
  const hed_array *d[8 + 4 * HED__NN_GROUPS];  /* made ready, of the scope                  */
  hed__nn_gatherer *of_state, *of_features;    /* of products with the state, and with a backbone's output; NULL: each by itself */
  bool training;
  bool by_hand;                                /* a recording may note several calls as one */
  uint64_t key;                                /* of dropout                                */
} hed__nn_plan;

/* A moment: what comes from outside. */
typedef struct hed__nn_moment {
  const hed_array *x;        /* what the family's input() made of it, (B, ..)               */
  const hed_array *dt;       /* (B, 1) or a number; NULL: 1                                 */
  int64_t step, turn;        /* in time, and in the order they are taken                    */
} hed__nn_moment;

typedef struct hed__nn_family {
  const char *name;
  int states;
  bool layered;              /* names end in _l0, as PyTorch's                              */
  void (*list)(const hed_nn_cell *c, hed__nn_specs *s);
  hed_status (*prepare)(hed__nn_plan *p);
  hed_array *(*input)(const hed__nn_plan *p, const hed_array *x);  /* of many steps: (N, I) to (N, K)             */
  hed_array *(*step)(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next);
  /* Of the weights made ready, which one multiplies the state in each step, and which the features: 1 and its place; 0: none. */
  int state_weight, feature_weight;
} hed__nn_family;

extern const hed__nn_family hed__nn_rnn, hed__nn_gru, hed__nn_lstm, hed__nn_cfc, hed__nn_ltc, hed__nn_ctrnn, hed__nn_ctgru,
    hed__nn_traces, hed__nn_leaky, hed__nn_wired;

/* ---- pieces.c ---- */

/* Columns, and rows, FROM to TO of a matrix: views. */
hed_array *hed__nn_cols(const hed_array *x, int64_t from, int64_t to);
hed_array *hed__nn_rows(const hed_array *x, int64_t from, int64_t to);
/* X in N equal parts by columns: views, whose gradients are put together again in one piece. NULL after an error. */
void hed__nn_parts(const hed_array *x, int n, hed_array **out);
/* x W^T + b; B NULL: none */
hed_array *hed__nn_affine(const hed_array *x, const hed_array *w, const hed_array *b);
/* x dt, or x */
hed_array *hed__nn_times_dt(const hed_array *x, const hed_array *dt);
/* s = dt / (tau + 1e-8), or 1 - exp(-dt / tau) */
hed_array *hed__nn_share(const hed_nn_cell *c, const hed_array *tau, const hed_array *dt);
/* X, of which a share P is 0 and the rest divided by 1 - P, by KEY alone. FIRST: the mask is that of X's first row. */
hed_array *hed__nn_dropped(const hed_array *x, double p, uint64_t key, bool first);
/* hed_nn_activate(); what it takes is left to the scope. */
hed_array *hed__nn_activated(const hed_array *x, hed_nn_activation kind, double slope);
/* A new handle: that one is the caller's, or that of the scope it is called in. Releases KEPT. */
hed_array *hed__nn_out(hed_array *kept);
/* N arrays KEPT to OUT in the caller's scope; when STATUS says failure, or one cannot be, all are released. */
hed_status hed__nn_hand_on(int n, hed_array **kept, hed_array **out, hed_status status);
/* The bits of a name. */
uint64_t hed__nn_hash(const char *name);

hed__nn_spec *hed__nn_add(hed__nn_specs *s, const char *name, hed_shape shape, int how, double low, double high);
/* weight_ih, weight_hh, bias_ih, bias_hh of GATES gates, as PyTorch draws them. */
void hed__nn_add_gates(const hed_nn_cell *c, hed__nn_specs *s, int64_t gates, int64_t hidden);

/* ---- product.c ---- */

/* For STEPS products with WEIGHT. Given up by release: steps that were recorded keep it. */
hed__nn_gatherer *hed__nn_gatherer_new(const hed_array *weight, int64_t steps);
void hed__nn_gatherer_release(hed__nn_gatherer *g);
/* X times WEIGHT in turn K, noted by G (NULL: plainly). */
hed_array *hed__nn_product(hed__nn_gatherer *g, int64_t k, const hed_array *x, const hed_array *weight);
/* h W^T for W^T ready, the product with the state in a step; and x plus that. */
hed_array *hed__nn_by_state(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *h, const hed_array *wt);
hed_array *hed__nn_plus_product(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *x, const hed_array *h,
                                const hed_array *wt);
/* Is a recording open, so that what is done with X, a constant, would be noted? */
bool hed__nn_is_noted(const hed_array *x);

/* ---- plan.c ---- */

/* Where a cell's parameters are: LAYER -1: a cell by itself. */
typedef struct hed__nn_place {
  const char *prefix;
  int64_t layer;
  bool reverse;
} hed__nn_place;

hed_status hed__nn_init(const char *op, const hed_nn_cell *c, hed_nn_params *p, const hed__nn_place *at, hed_dtype t,
                        const hed_generator *g);
/* Look up C's parameters, and make them ready in the scope. */
hed_status hed__nn_plan_make(const char *op, const hed_nn_cell *c, const hed_nn_params *p, const hed__nn_place *at,
                             hed__nn_plan *plan);
/* A step with memory before and projection behind. NEXT in the scope. */
hed_array *hed__nn_plan_step(const hed__nn_plan *plan, const hed__nn_moment *m, const hed_array *raw, const hed_array *const *state,
                             hed_array **next);
/* Is X of shape WANT? The sentence begins with what it is, and its name. */
hed_status hed__nn_wants_shape(const char *op, const char *what, const char *name, const hed_array *x, hed_shape want);

/* ---- step.c ---- */

/* Are all of DT at least 0, where MASK (NULL: everywhere) says so? The place in the sentence is that of DT. */
hed_status hed__nn_check_dt(const char *op, const hed_array *dt);
/* C's state for a batch: zeros where STATE has none, or STATE after a check of shapes; LEAD: the extent of an axis before, 0: none. */
hed_status hed__nn_begin_state(const char *op, const hed_nn_cell *c, int64_t lead, int64_t batch, hed_dtype t,
                               const hed_array *const *state, const hed_array **out);

#endif
