// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_optimize.h: optimisers, rates over time, clipping, accumulation, averages of weights, scales of losses.
 *
 * Layer: public header of the nn kit; needs <heddle.h> and <heddle/grad.h>.
 *
 * Parameters are plain arrays, real floats, which are changed in place; gradients are arrays of their shapes, as hed_grad() makes.
 * Steps read nothing on the host: rate and number of the step are arrays, so that a step can be part of a hed_program. Arithmetic
 * is that of PyTorch's torch.optim (single tensors), names of state arrays too. One thread at a time for one optimiser.
 */
#ifndef HEDDLE_KITS_NN_OPTIMIZE_H
#define HEDDLE_KITS_NN_OPTIMIZE_H
#include <heddle.h>
#include <heddle/grad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* g the gradient, w the parameter, t the step from 1, r the rate. All are decoupled from each other but where it says so. */
typedef enum hed_nn_rule {
  HED_NN_SGD,     /* b = momentum b + (1 - dampening) g (the first b is g); w -= r b; Nesterov: w -= r (g + momentum b)         */
  HED_NN_ADAM,    /* m, v running means of g and g^2; w -= r / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + eps)
                     D. Kingma, J. Ba, arXiv:1412.6980 (2014)                                                                    */
  HED_NN_ADAMW,   /* the same, and w -= r weight_decay w before it: I. Loshchilov, F. Hutter, arXiv:1711.05101 (2017)            */
  HED_NN_AMSGRAD, /* Adam with the largest v so far: S. Reddi et al., arXiv:1904.09237 (2018)                                    */
  HED_NN_RMSPROP, /* v a running mean of g^2; w -= r g / (sqrt(v) + eps), or through a buffer with MOMENTUM; CENTERED: v - mean(g)^2 */
  HED_NN_ADAGRAD, /* s the sum of g^2; w -= r / (1 + (t - 1) rate_decay) g / (sqrt(s) + eps)                                     */
  HED_NN_LION     /* w -= r weight_decay w; w -= r sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 - beta2) g
                     X. Chen et al., arXiv:2302.06675 (2023)                                                                     */
} hed_nn_rule;
enum { HED_NN_RULES = HED_NN_LION + 1 };

/* All zero is SGD with its default rate. A number below 0 stands for 0 where 0 is the default's place. */
typedef struct hed_nn_optimizer_options {
  int32_t rule;              /* hed_nn_rule                                                                    */
  double rate;               /* 0: 0.01 (SGD, RMSPROP, ADAGRAD), 0.001 (ADAM, ADAMW, AMSGRAD), 0.0001 (LION)    */
  double momentum, dampening; /* SGD, RMSPROP                                                                  */
  bool nesterov;             /* SGD: needs MOMENTUM, and no DAMPENING                                          */
  double beta1, beta2;       /* 0: 0.9 and 0.999, of LION 0.9 and 0.99                                         */
  double alpha;              /* RMSPROP: what stays of the mean; 0: 0.99                                       */
  double eps;                /* 0: 1e-8, ADAGRAD 1e-10                                                         */
  double weight_decay;       /* times w, added to g; ADAMW and LION: see there. 0: none, but 0.01 for ADAMW    */
  double rate_decay;         /* ADAGRAD                                                                        */
  double initial;            /* ADAGRAD: the first s                                                           */
  bool centered;             /* RMSPROP                                                                        */
  bool maximize;             /* climb: -g for g                                                                */
} hed_nn_optimizer_options;

typedef struct hed_nn_optimizer hed_nn_optimizer;

/* An optimiser of N parameters, its first group, to which references are kept. Parameters of 16-bit types have a float32 master,
 * which is stepped and rounded into them. *OUT is NULL on failure. O may be NULL. HED_E_INVAL (N below 0, options out of range, a
 * parameter that is NULL or read-only), HED_E_DTYPE, HED_E_NOMEM. */
HED_API hed_status hed_nn_optimizer_create(int n, hed_array *const *params, const hed_nn_optimizer_options *o,
                                           hed_nn_optimizer **out);
HED_API void hed_nn_optimizer_release(hed_nn_optimizer *s); /* NULL is fine */

/* Another group of N parameters, which come after those of before, with options of its own. All or none. */
HED_API hed_status hed_nn_optimizer_add(hed_nn_optimizer *s, int n, hed_array *const *params, const hed_nn_optimizer_options *o);

HED_API int hed_nn_optimizer_count(const hed_nn_optimizer *s);  /* parameters; 0 for NULL */
HED_API int hed_nn_optimizer_groups(const hed_nn_optimizer *s); /* groups; 0 for NULL     */

/* One step along N gradients, one for each parameter, of its shape; NULL: that parameter stays as it is. One pass over memory for
 * each where the backend fuses. HED_E_INVAL (another N), HED_E_SHAPE, HED_E_DTYPE (complex), HED_E_NOMEM: nothing is changed; what
 * fails in the middle leaves earlier parameters stepped. */
HED_API hed_status hed_nn_optimizer_step(hed_nn_optimizer *s, int n, const hed_array *const *grads);

/* The rate of GROUP (-1 for setting: of all): a new handle on an array without axes; whoever writes into it sets the rate.
 * HED_E_INDEX. */
HED_NEW hed_array *hed_nn_optimizer_rate(const hed_nn_optimizer *s, int group);
HED_API hed_status hed_nn_optimizer_set_rate(hed_nn_optimizer *s, int group, double rate);
/* How many steps were made: a new handle on an array without axes. */
HED_NEW hed_array *hed_nn_optimizer_steps(const hed_nn_optimizer *s);

/* Array K of the state (steps, rates, what the rules keep for each parameter, masters): a new handle on it; HED_E_INDEX. Its
 * name, "steps", "rate.0", "3.exp_avg", valid until another group is added; NULL when K is out of range. */
HED_NEW hed_array *hed_nn_optimizer_state(const hed_nn_optimizer *s, int k);
HED_API const char *hed_nn_optimizer_state_name(const hed_nn_optimizer *s, int k);

/* The state to and from an .npz archive. Load: HED_E_FORMAT lists every missing, extra and misshapen entry, and nothing is changed;
 * else as hed_save_npz() and hed_npz_load(). */
HED_API hed_status hed_nn_optimizer_save(const hed_nn_optimizer *s, const char *path);
HED_API hed_status hed_nn_optimizer_load(hed_nn_optimizer *s, const char *path);

/* ---- L-BFGS: a step that asks for the loss itself ---- */

/* All zero is the default, which is PyTorch's. J. Nocedal, S. Wright, Numerical Optimization (2006), 7.2 and 3.5 */
typedef struct hed_nn_lbfgs_options {
  double rate;            /* 0: 1                                                      */
  int32_t max_iterations; /* 0: 20                                                     */
  int32_t max_calls;      /* of F; 0: 1.25 times the iterations                        */
  int32_t history;        /* 0: 100                                                    */
  double tol_gradient;    /* on the largest |g|; 0: 1e-7, below 0: none                */
  double tol_change;      /* on step and loss; 0: 1e-9, below 0: none                  */
  bool line_search;       /* strong Wolfe conditions, 1e-4 and 0.9, by cubic interpolation */
} hed_nn_lbfgs_options;

typedef struct hed_nn_lbfgs hed_nn_lbfgs;

/* One of N parameters at least, all of one type, to which references are kept. *OUT is NULL on failure. O may be NULL. Errors as of
 * hed_nn_optimizer_create(). */
HED_API hed_status hed_nn_lbfgs_create(int n, hed_array *const *params, const hed_nn_lbfgs_options *o, hed_nn_lbfgs **out);
HED_API void hed_nn_lbfgs_release(hed_nn_lbfgs *s); /* NULL is fine */

/* Up to max_iterations steps on F, which makes one real number of the parameters (see hed_value_and_grad); curvature is kept from
 * one call to the next. *LOSS (may be NULL): at the beginning. Errors are those of F, of hed_grad; HED_E_NOMEM. */
HED_API hed_status hed_nn_lbfgs_step(hed_nn_lbfgs *s, hed_function f, void *arg, double *loss);

/* ---- the rate over time ---- */

typedef enum hed_nn_schedule_kind {
  HED_NN_CONSTANT,
  HED_NN_STEP,    /* times FACTOR every EVERY                                                                   */
  HED_NN_COSINE,  /* from RATE to LEAST over LENGTH, (1 + cos(pi k / LENGTH)) / 2; then LEAST                    */
  HED_NN_PLATEAU  /* times FACTOR after more than PATIENCE losses without a better one, no better than LEAST     */
} hed_nn_schedule_kind;

/* All zero is the default. EVERY, LENGTH and WARM_UP are counted in whatever the caller counts (steps, epochs). */
typedef struct hed_nn_schedule {
  int32_t kind;
  double rate;      /* 0: 0.001                                                                           */
  double factor;    /* STEP, PLATEAU; 0: 0.1                                                              */
  int64_t every;    /* 0: 10                                                                              */
  int64_t length;   /* COSINE; 0: 100                                                                     */
  double least;     /* the lowest rate                                                                    */
  int64_t warm_up;  /* the rate rises by as much each time, from rate / (warm_up + 1); the kind's count begins after it */
  int64_t patience; /* PLATEAU; 0: 10                                                                     */
  double threshold; /* PLATEAU: better is below best (1 - threshold); 0: 1e-4                             */
} hed_nn_schedule;

/* What PLATEAU remembers; all zero at the beginning. */
typedef struct hed_nn_plateau {
  bool begun;
  double best;
  int64_t bad;
  int64_t cuts;
} hed_nn_plateau;

/* The rate at K from 0, into *RATE. PLATEAU: LOSS is the newest one and P is changed; others look at neither. HED_E_INVAL: K below
 * 0, a field out of range, no P. */
HED_API hed_status hed_nn_schedule_rate(const hed_nn_schedule *s, int64_t k, double loss, hed_nn_plateau *p, double *rate);

/* ---- gradients before the step; N arrays, in place, NULL ones are passed over ---- */

/* Into [-limit, limit]. LIMIT above 0. */
HED_API hed_status hed_nn_clip_value(int n, hed_array *const *grads, double limit);
/* The 2-norm of all together: an array without axes, the caller's. */
HED_NEW hed_array *hed_nn_norm(int n, const hed_array *const *grads);
/* Times limit / (norm + 1e-6) where that is below 1. *NORM (NULL: not wanted): before, the caller's. Nothing is read on the host. */
HED_API hed_status hed_nn_clip_norm(int n, hed_array *const *grads, double limit, hed_array **norm);
/* Are all finite? A bool without axes, the caller's. */
HED_NEW hed_array *hed_nn_all_finite(int n, const hed_array *const *grads);
/* SUM[k] += WEIGHT X[k]: gradients of several batches. */
HED_API hed_status hed_nn_accumulate(int n, hed_array *const *sum, const hed_array *const *x, double weight);

/* ---- averages of weights ---- */

/* AVERAGE[k] = decay AVERAGE[k] + (1 - decay) W[k], in place. DECAY in [0, 1]. */
HED_API hed_status hed_nn_average(int n, hed_array *const *average, const hed_array *const *w, double decay);
/* The equal mean of SEEN + 1 weights, of which W is the last: decay SEEN / (SEEN + 1). P. Izmailov et al., arXiv:1803.05407 (2018) */
HED_API hed_status hed_nn_average_equal(int n, hed_array *const *average, const hed_array *const *w, int64_t seen);

/* ---- mixed precision: a scale of the loss that follows what 16-bit gradients hold ---- */

/* All zero is the default, with which scale is 65536 after the first hed_nn_scale_update(). */
typedef struct hed_nn_scale {
  double scale;      /* what the loss is multiplied with; 0: 65536    */
  double growth;     /* 0: 2                                          */
  double backoff;    /* 0: 0.5                                        */
  int64_t every;     /* good steps until it grows; 0: 2000            */
  int64_t good;      /* since the last change                         */
  int64_t skipped;   /* steps that were not made                      */
} hed_nn_scale;

/* GRADS, of a loss that was multiplied with S's scale, divided by it in place. *STEP (not NULL): all are finite, so that the step
 * may be made. S grows after EVERY good ones, and shrinks after each other, which is counted in skipped. P. Micikevicius et al.,
 * arXiv:1710.03740 (2017) */
HED_API hed_status hed_nn_scale_update(hed_nn_scale *s, int n, hed_array *const *grads, bool *step);

#ifdef __cplusplus
}
#endif
#endif
