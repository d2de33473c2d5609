// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_train.h: the loop of training, and rules that learn without gradients.
 *
 * Layer: public header of the nn kit; needs <heddle/kits/nn_optimize.h>.
 */
#ifndef HEDDLE_KITS_NN_TRAIN_H
#define HEDDLE_KITS_NN_TRAIN_H
#include <heddle/kits/nn_optimize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a loss is asked for. */
typedef struct hed_nn_at {
  int64_t epoch, batch; /* from 0                                                    */
  int64_t step;         /* batches of all epochs before this one                     */
  bool training;        /* false: a batch of the validation                          */
  int32_t worker;       /* whose part of the batch it is, from 0; 0 without workers  */
  uint64_t key;         /* of this epoch, batch and worker, for what is drawn by key */
} hed_nn_at;

/* The loss of M arrays BATCH, one real number (the mean over its samples), of N PARAMS into *LOSS, which is the caller's. It is
 * recorded by whoever calls. Draws without a seed come from a stream that begins with each epoch, with workers with each part of a
 * batch. With workers it is called by several threads at once, with parameters and samples that the worker's device has. */
typedef hed_status (*hed_nn_loss_function)(void *arg, const hed_nn_at *at, int n, const hed_array *const *params, int m,
                                  const hed_array *const *batch, hed_array **loss);

/* What is known after an epoch. */
typedef struct hed_nn_epoch {
  int64_t epoch;     /* from 1                                      */
  double loss;       /* mean over the samples as they were trained  */
  double validation; /* NaN: there is none                          */
  double rate;       /* of the first group                          */
  bool best;         /* so far                                      */
  double seconds;    /* since the run began                         */
} hed_nn_epoch;

/* All zero is the default. */
typedef struct hed_nn_fit_options {
  int64_t epochs;     /* in all, with those of a state that is gone on with; 0: 10                                          */
  int64_t batch;      /* samples; 0: 32                                                                                     */
  int64_t accumulate; /* batches to a step, whose gradients are averaged; 0: 1                                              */
  bool keep_order;    /* samples are not shuffled                                                                           */
  bool drop_last;     /* a last batch with fewer samples is left out                                                        */
  uint64_t key;       /* of orders and draws                                                                                */
  const hed_array *const *validation; /* as many arrays as the data, or NULL                                                */
  int64_t patience;   /* epochs without a better loss (of validation, else of training) until it stops; 0: never            */
  double min_delta;   /* better is below best - min_delta                                                                   */
  const hed_nn_schedule *schedule;    /* the rate by epochs, for all groups; NULL: it stays                                 */
  double clip_norm, clip_value;       /* of gradients; 0: none                                                              */
  int32_t ahead;      /* batches that a thread has ready before they are asked for (hed_nn_reader_of); 0: none              */
  /* Specs of workers separated by commas, each with an optional *COUNT, "cpu*2,reference", derived from the context in force; a
   * worker of several has one thread if it does not say threads=. Each batch is divided among them by its samples. NULL: none. */
  const char *workers;
  hed_nn_scale *scale;                /* of the loss, for 16-bit gradients; NULL: none                                      */
  const char *state;  /* a file that is gone on with when it is there, and written after each epoch; NULL: none             */
  /* Called after each epoch on the calling thread; nonzero ends the run. NULL: not called. */
  int (*progress)(void *arg, const hed_nn_epoch *now);
  void *progress_arg;
  const int *cancel;  /* read atomically before each batch, may be set in a signal handler. NULL: never                     */
} hed_nn_fit_options;

typedef enum hed_nn_stop { HED_NN_STOP_NONE, HED_NN_STOP_EPOCHS, HED_NN_STOP_PATIENCE, HED_NN_STOP_PROGRESS, HED_NN_STOP_CANCELLED,
                           HED_NN_STOP_LOSS } hed_nn_stop;

/* How a run went; hed_nn_history_clear() releases it. Arrays are float64 (epochs), in host memory. */
typedef struct hed_nn_history {
  int64_t epochs;
  hed_array *loss, *validation, *rate; /* validation: NaN where there is none */
  int64_t best_epoch;                  /* from 1; 0: none                     */
  double best;
  hed_nn_stop stopped;
  int64_t skipped;                     /* steps, for gradients that were not finite */
  double seconds;
} hed_nn_history;

/* Train N PARAMS, which are those of the optimiser S in its order, on the loss F (with ARG) of M arrays DATA, whose first axes are
 * samples; batches are moved to where the first parameter lies. With validation or patience the parameters at the end are those of
 * the best epoch, else of the last. The same bits follow from the same parameters, data, key and workers, whoever of these is done
 * first; a run that ends after any epoch and is gone on with from its state equals one that was not interrupted. OUT (NULL: not
 * wanted) is filled, whatever it was, also on the errors below; O may be NULL.
 *   HED_E_CANCELLED: parameters and optimiser are those of the last whole epoch.
 *   HED_E_RANGE: the loss is not finite; the sentence has the step and the first parameter whose gradient is not finite. The
 *     parameters are those of the best epoch where these are kept, else as they were before the step.
 *   HED_E_INVAL, HED_E_SHAPE: no data, numbers of samples that differ, options out of range, malformed workers. What fails in a
 *     worker: the error of the first of them, its sentence with the number and spec. HED_E_FORMAT: a state of something
 *     else, with all that is wrong; nothing is changed. HED_E_IO, HED_E_UNAVAILABLE (no archives), HED_E_NOMEM, and F's errors. */
HED_API hed_status hed_nn_fit(hed_nn_loss_function f, void *arg, int n, hed_array *const *params, hed_nn_optimizer *s, int m,
                              const hed_array *const *data, const hed_nn_fit_options *o, hed_nn_history *out);
HED_API void hed_nn_history_clear(hed_nn_history *h); /* NULL is fine */

/* H's curves into a file, by the end of its name: ".npy", float64 (epochs, 4) of epoch, loss, validation and rate; ".tsv", the same
 * as text with a line of names, nothing where there is no validation; ".svg", a picture of the losses, on a logarithmic scale where
 * all are above 0. Written as hed_file_create() writes. HED_E_INVAL (NULL, another end, no epoch), HED_E_IO, HED_E_NOMEM. */
HED_API hed_status hed_nn_history_save(const hed_nn_history *h, const char *path);
/* "epochs", "patience", ..; NULL when there is none of that number. */
HED_API const char *hed_nn_stop_name(int stop);

/* ---- rules without gradients: W (in, out) in place, X (samples, in), Y (samples, out), means over samples ---- */

/* W += rate x^T y. D. Hebb, The Organization of Behavior (1949) */
HED_API hed_status hed_nn_hebb(hed_array *w, const hed_array *x, const hed_array *y, double rate);
/* W += rate (x^T y - W y^T y): columns turn towards the principal subspace. E. Oja, Int. J. Neural Systems 1 (1989) */
HED_API hed_status hed_nn_oja(hed_array *w, const hed_array *x, const hed_array *y, double rate);
/* W += rate (x^T y - x'^T y'), of a clamped and a free phase. J. Movellan, Contrastive Hebbian learning (1990) */
HED_API hed_status hed_nn_contrastive_hebb(hed_array *w, const hed_array *x, const hed_array *y, const hed_array *free_x,
                                           const hed_array *free_y, double rate);

#ifdef __cplusplus
}
#endif
#endif
