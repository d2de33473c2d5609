// SPDX-License-Identifier: BSD-3-Clause
/*
 * fit.h: what a run of training holds.
 *
 * Layer: L4, nn kit, internal. fit_batch.c: samples and gradients of a batch; fit_state.c: copies and the file; fit.c: the loop.
 */
#ifndef HED_KITS_NN_FIT_H
#define HED_KITS_NN_FIT_H
#include "kits/nn/optimize/optimizer.h"
#include <heddle/kits/nn_train.h>

/* Parameters and the arrays of the optimiser, as they were. */
typedef struct hed__nn_copy {
  int n;
  hed_array **x;
} hed__nn_copy;

typedef struct hed__nn_run {
  hed_nn_loss_function f;
  void *arg;
  int n, m, states;
  hed_array *const *params;
  hed_nn_optimizer *s;
  const hed_array *const *data;
  hed_nn_fit_options o;         /* every default filled in                              */
  int64_t samples, checks;      /* of the data, of the validation                       */
  int64_t epoch;                /* whole ones                                           */
  int64_t step;
  double *loss, *validation, *rate; /* of whole epochs                                  */
  double best;
  int64_t best_epoch, bad;
  hed_nn_plateau plateau;
  bool keeps_best;
  hed__nn_copy best_params, last; /* last: only where the run may be cancelled          */
  hed_nn_scale last_scale;        /* likewise                                           */
  hed_array **g, **sum;
  double began;
} hed__nn_run;

/* ---- fit_batch.c ---- */

/* Array K of DATA, samples FROM to TO of ORDER (NULL: as they lie), into BATCH (M of them), of the caller's scope. */
hed_status hed__nn_batch(int m, const hed_array *const *data, const hed_array *order, int64_t from, int64_t to, hed_array **batch);
/* The loss of a batch, and with AT's training its gradients in R->g, which are the run's. */
hed_status hed__nn_ask(hed__nn_run *r, const hed_nn_at *at, hed_array *const *batch, double *loss);
void hed__nn_release_all(int n, hed_array **x);
/* What a loss that is not finite says; HED_E_RANGE. */
hed_status hed__nn_not_finite(hed__nn_run *r, const hed_nn_at *at, double loss);

/* ---- fit_state.c ---- */

/* N parameters, and with ALL the optimiser's state, into C, whose arrays are made the first time; and back. */
hed_status hed__nn_take(const hed__nn_run *r, bool all, hed__nn_copy *c);
hed_status hed__nn_put_back(const hed__nn_run *r, bool all, const hed__nn_copy *c);
void hed__nn_copy_clear(hed__nn_copy *c);
hed_status hed__nn_save(const hed__nn_run *r);
/* *FOUND: there is a file, and the run goes on from it. */
hed_status hed__nn_load(hed__nn_run *r, bool *found);

#endif
