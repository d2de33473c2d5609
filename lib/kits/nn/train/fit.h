// SPDX-License-Identifier: BSD-3-Clause
/* What a run of training holds.
 *
 * Layer: L4, nn kit, internal. fit_batch.c: the gradients of a batch; team.c: by workers;
 * fit_state.c: copies and the file; fit.c: the loop.
 */
#ifndef HED_KITS_NN_FIT_H
#define HED_KITS_NN_FIT_H
#include "kits/nn/optimize/optimizer.h"
#include <heddle/kits/nn_data.h>
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
  hed_array **g, **sum, **batch;
  struct hed__nn_team *team;      /* NULL: no workers                                    */
  double began;
} hed__nn_run;

/* ---- fit_batch.c ---- */

/* The loss of COUNT samples BATCH at PARAMS, times SCALE, and with AT's training its gradients in G, which no scope has. */
hed_status hed__nn_value(const hed__nn_run *r, const hed_nn_at *at, const hed_array *const *params, hed_array *const *batch,
                         double scale, hed_array **g, double *loss);
void hed__nn_release_all(int n, hed_array **x);
/* What a loss that is not finite says; HED_E_RANGE. */
hed_status hed__nn_not_finite(hed__nn_run *r, const hed_nn_at *at, double loss);

/* ---- team.c ---- */

typedef struct hed__nn_team hed__nn_team;
/* R's team of WORKERS, "cpu*2,reference". */
hed_status hed__nn_team_open(hed__nn_run *r, const char *workers);
void hed__nn_team_close(hed__nn_team *t); /* NULL is fine */
/* As hed__nn_value, of R->batch, by all workers: each has the samples from COUNT i / n on, and what they give is added up by their
 * numbers, weighted by their samples. */
hed_status hed__nn_team_ask(hed__nn_run *r, const hed_nn_at *at, int64_t count, double scale, double *loss);

/* ---- fit_state.c ---- */

/* N parameters, and with ALL the optimiser's state, into C, whose arrays are made the first time; and back. */
hed_status hed__nn_take(const hed__nn_run *r, bool all, hed__nn_copy *c);
hed_status hed__nn_put_back(const hed__nn_run *r, bool all, const hed__nn_copy *c);
void hed__nn_copy_clear(hed__nn_copy *c);
hed_status hed__nn_save(const hed__nn_run *r);
/* *FOUND: there is a file, and the run goes on from it. */
hed_status hed__nn_load(hed__nn_run *r, bool *found);

#endif
