// SPDX-License-Identifier: BSD-3-Clause
/*
 * decompose_job.h: what `heddle decompose` was asked for and what came out, between its files.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_DECOMPOSE_JOB_H
#define HEDDLE_TOOLS_DECOMPOSE_JOB_H
#include "progress.h"
#include "tool.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/parafac2.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_sparse.h>
#include <heddle/kits/tensor_train.h>

typedef enum decompose_kind { KIND_NONE, KIND_CP, KIND_TUCKER, KIND_TT, KIND_PARAFAC2, KIND_ROBUST, KIND_COUNT } decompose_kind;

/* Names in --json, the same as the options'. */
extern const char *const decompose_names[KIND_COUNT];

typedef struct decompose_job {
  const char *path, *name, *mask_path, *prefix;
  decompose_kind kind;
  hed_shape ranks;          /* as given; CP and PARAFAC2: the first      */
  double eps;               /* trains: relative error                    */
  bool nonnegative, missing_nan, init_given, keep_partial, json, force, quiet;
  hed_cp_start init;
  long long restarts, sweeps, scan_low, scan_high; /* scan_high 0: no scan */
  uint64_t seed;
  double tol;

  hed_array *x, *mask;
  hed_coo coo;              /* of a .tns file, in place of X             */
  int32_t n_slices;
  hed_array **slice;        /* PARAFAC2: what X is for the others        */
  progress bar;

  hed_cp cp;
  hed_tucker tucker;
  hed_tt tt;
  hed_parafac2 parafac2;
  hed_array *low, *sparse;
  hed_fit fit;
  double *scan_error, *scan_consistency; /* per rank of a scan           */
  int scanned;
} decompose_job;

extern const struct argp decompose_argp;

/* Whether its name says that the file is an .npz archive. */
bool decompose_is_archive(const char *path);
/* Whether it says that the file is a list of entries. */
bool decompose_is_list(const char *path);
/* Inputs into J; the decomposition, or the scan; the result into the file PATH. */
hed_status decompose_read(decompose_job *j);
hed_status decompose_run(decompose_job *j);
hed_status decompose_save(const decompose_job *j, const char *path);
/* The rank where a scan advises to stop: the last one with a core consistency of at least 60 before the first below; 0: none. */
long long decompose_advice(const decompose_job *j);
/* Fit curve and factor profiles, or the scan, as PNG. */
hed_status decompose_draw(const decompose_job *j, const char *path);

#endif
