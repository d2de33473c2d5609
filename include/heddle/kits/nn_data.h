// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_data.h: series as samples, and features of them.
 *
 * Layer: public header of the nn kit; needs nothing but <heddle.h>.
 *
 * A series is (steps, ..): time comes first, features last. Signals of a feature function are along the last axis. Results are new
 * arrays, but where it says view; they are the caller's. Any thread.
 */
#ifndef HEDDLE_KITS_NN_DATA_H
#define HEDDLE_KITS_NN_DATA_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- samples ---- */

/* All zero but LENGTH is the default. */
typedef struct hed_nn_window {
  int64_t length;  /* steps of a window, at least 1                              */
  int64_t stride;  /* steps from one window to the next; 0: 1                    */
  int64_t horizon; /* steps of the target, from 0 on                             */
  int64_t gap;     /* steps between window and target; below 0: they overlap     */
} hed_nn_window;

/* Read-only views of a series X (steps, ..), which may be mapped (hed_map_npy): *INPUTS (n, length, ..) and *TARGETS (n, horizon, ..)
 * (NULL: not wanted), n = (steps - length - gap - horizon) / stride + 1, 0 where the series is too short. */
HED_API hed_status hed_nn_windows(const hed_array *x, const hed_nn_window *o, hed_array **inputs, hed_array **targets);

/* Views of the first TRAIN, the next VALIDATION and the last part of a series: shares from 0 on whose sum is at most 1, rounded
 * down to steps. Each OUT may be NULL. */
HED_API hed_status hed_nn_split(const hed_array *x, double train, double validation, hed_array **train_part,
                                hed_array **validation_part, hed_array **test_part);

/* 0 .. n - 1 in an order that follows from KEY, int64. */
HED_NEW hed_array *hed_nn_order(int64_t n, uint64_t key);

/* N sequences (steps of each, ..) of one dtype and other extents as *X (n, length, ..), with VALUE behind their ends; *MASK bool
 * (n, length), true where there is a step; *LENGTHS int64 (n). LENGTH 0: the longest; longer ones are HED_E_SHAPE. */
HED_API hed_status hed_nn_pad_sequences(int n, const hed_array *const *sequences, int64_t length, double value, hed_array **x,
                                        hed_array **mask, hed_array **lengths);

/* *FILLED: X with VALUE where it is NaN, *MASK: bool, false there. */
HED_API hed_status hed_nn_missing(const hed_array *x, double value, hed_array **filled, hed_array **mask);

/* ---- batches, one after the other, which a thread may prepare ahead ---- */

/* Batch K, from 0 on, as M arrays BATCH, to which the reader takes references: those of the scope around the call, or ones that the
 * function holds; one may stand there twice. Draws without a seed come from a stream of the reader's key and K. It may run on a
 * thread of the reader, one call at a time. */
typedef hed_status (*hed_nn_read)(void *arg, int64_t k, int m, hed_array **batch);

/* All zero is the default. */
typedef struct hed_nn_reading {
  int32_t ahead;          /* batches at most that a thread has ready before they are asked for; 0: 2, below 0: no thread  */
  uint64_t key;           /* of what a function draws                                                                     */
  const int *cancel;      /* read atomically by whoever waits for a batch, may be set in a signal handler. NULL: never    */
  int64_t batch;          /* hed_nn_reader_of: samples; 0: 32                                                             */
  const hed_array *order; /* hed_nn_reader_of: integers (any), which samples; NULL: all as they lie                       */
  const char *to;         /* hed_nn_reader_of: spec of the device that batches are moved to; NULL: they stay with the data */
  bool drop_last;         /* hed_nn_reader_of: a last batch with fewer samples is left out                                */
} hed_nn_reading;

typedef struct hed_nn_reader hed_nn_reader;

/* A reader of N batches of M arrays, made by F (with ARG) in the context in force here. Batches, their order and their bits are the
 * same whatever AHEAD is; where no thread can be made they are read when they are asked for. *OUT is NULL on failure. O may be NULL.
 * HED_E_INVAL (no F, N below 0, M below 1), HED_E_NOMEM. */
HED_API hed_status hed_nn_reader_create(hed_nn_read f, void *arg, int64_t n, int m, const hed_nn_reading *o, hed_nn_reader **out);
/* A reader of M arrays DATA whose first axes are samples, to which references are kept: with an order copies, without one views,
 * whose memory (of a mapped file: the pages) has been looked at by the thread. HED_E_SHAPE: no samples, or numbers of them that
 * differ; HED_E_DTYPE: an order that is not of integers; an order's number without a sample is an error of its batch. */
HED_API hed_status hed_nn_reader_of(int m, const hed_array *const *data, const hed_nn_reading *o, hed_nn_reader **out);
HED_API int64_t hed_nn_reader_count(const hed_nn_reader *r);  /* batches in all; 0 for NULL */
HED_API int32_t hed_nn_reader_arrays(const hed_nn_reader *r); /* arrays of a batch; 0 for NULL */
/* The next batch into BATCH, one array for each of M; *MORE false, and NULLs, after the last one. What went wrong with a batch is
 * the error of the call that would have given it, with which BATCH has NULLs; the next call gives the next one.
 * HED_E_CANCELLED: cancel was set while it was waited for, and the batch is still to come. One thread at a time. */
HED_API hed_status hed_nn_reader_next(hed_nn_reader *r, hed_array **batch, bool *more);
/* At any time; waits for the batch that is being read. NULL is fine. */
HED_API void hed_nn_reader_release(hed_nn_reader *r);

/* ---- scaling: fitted on one part, applied to all ---- */

typedef enum hed_nn_scaling {
  HED_NN_STANDARDISE, /* mean 0, variance 1 (over n)              */
  HED_NN_MIN_MAX,     /* [0, 1]                                   */
  HED_NN_ROBUST       /* median 0, quartiles 1 apart              */
} hed_nn_scaling;

/* (x - shift) / scale by the last axis. */
typedef struct hed_nn_scaler {
  hed_array *shift, *scale; /* (features) */
} hed_nn_scaler;

/* Of X (.., features), NaN being passed over; a feature that is constant has scale 1, one without a number shift 0. OUT is filled,
 * whatever it was; hed_nn_scaler_clear() releases it. */
HED_API hed_status hed_nn_scaler_fit(const hed_array *x, hed_nn_scaling kind, hed_nn_scaler *out);
HED_API void hed_nn_scaler_clear(hed_nn_scaler *s); /* NULL is fine */
HED_NEW hed_array *hed_nn_scaler_apply(const hed_nn_scaler *s, const hed_array *x);
HED_NEW hed_array *hed_nn_scaler_invert(const hed_nn_scaler *s, const hed_array *x);

/* Principal components: x - mean times directions. */
typedef struct hed_nn_pca {
  hed_array *mean;       /* (features)                                                     */
  hed_array *components; /* (k, features), orthonormal; the largest |element| of each is positive */
  hed_array *variance;   /* (k), descending, over n - 1                                     */
  hed_array *ratio;      /* (k): of the whole variance                                      */
} hed_nn_pca;

/* Of X (n, features), n at least 2; K in [1, min(n, features)], 0: all. OUT is filled; hed_nn_pca_clear() releases it. */
HED_API hed_status hed_nn_pca_fit(const hed_array *x, int64_t k, hed_nn_pca *out);
HED_API void hed_nn_pca_clear(hed_nn_pca *p); /* NULL is fine */
HED_NEW hed_array *hed_nn_pca_apply(const hed_nn_pca *p, const hed_array *x);  /* (.., features) gives (.., k) */
HED_NEW hed_array *hed_nn_pca_invert(const hed_nn_pca *p, const hed_array *y); /* (.., k) gives (.., features) */

/* ---- features of series ---- */

/* (steps - most, .., n): element [t, .., j] is x[t + most - lags[j]], most the largest lag. N at least 1, lags from 0 on. */
HED_NEW hed_array *hed_nn_lags(const hed_array *x, int n, const int64_t *lags);

typedef enum hed_nn_statistic {
  HED_NN_ROLLING_MEAN, HED_NN_ROLLING_VAR, HED_NN_ROLLING_STD, HED_NN_ROLLING_MIN, HED_NN_ROLLING_MAX, HED_NN_ROLLING_SUM
} hed_nn_statistic;
/* Of every WINDOW of steps: (steps - window + 1, ..). Variances are over the window's length. */
HED_NEW hed_array *hed_nn_rolling(const hed_array *x, int64_t window, hed_nn_statistic what);

/* ---- features of signals, along the last axis ---- */

/* sum f |X(f)| / sum |X(f)| over the frequencies of a real transform, in units of RATE (samples a second); 0 for silence. */
HED_NEW hed_array *hed_nn_spectral_centroid(const hed_array *x, double rate);
/* The part of mean(x^2) of frequencies in [low, high]; of all of them it is mean(x^2). */
HED_NEW hed_array *hed_nn_band_power(const hed_array *x, double rate, double low, double high);
HED_NEW hed_array *hed_nn_zero_crossings(const hed_array *x); /* neighbours of which one is below 0; int64 */
HED_NEW hed_array *hed_nn_rms(const hed_array *x);            /* root of the mean square                  */

/* ---- encodings ---- */

/* (.., classes) of T: 1 at the label, else 0. Integers outside [0, CLASSES) are HED_E_INVAL. */
HED_NEW hed_array *hed_nn_one_hot(const hed_array *labels, int64_t classes, hed_dtype t);
/* (.., 2 n): sin and cos of 2 pi t / period for each of N periods above 0, in the unit of TIME. */
HED_NEW hed_array *hed_nn_temporal(const hed_array *time, int n, const double *periods);
/* (.., n) of T: pulses, 1 for the first round(duty n) of N places, halves to even. DUTY in [0, 1]. */
HED_NEW hed_array *hed_nn_pwm(const hed_array *duty, int64_t n, hed_dtype t);

/* sum of a sin(2 pi f t + p) over the (n) FREQUENCIES, AMPLITUDES and PHASES, in TIME's shape. */
HED_NEW hed_array *hed_nn_harmonics(const hed_array *time, const hed_array *frequencies, const hed_array *amplitudes,
                                    const hed_array *phases);
/* The *AMPLITUDES (from 0 on) and *PHASES that fit Y at TIME, both (steps), best, by least squares. */
HED_API hed_status hed_nn_harmonics_fit(const hed_array *time, const hed_array *y, const hed_array *frequencies,
                                        hed_array **amplitudes, hed_array **phases);

#ifdef __cplusplus
}
#endif
#endif
