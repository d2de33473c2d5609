// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the vendor's libraries, each opened when it is first needed and kept open. L1.
 *
 *   find.c  which file: HEDDLE_CUDA_PATH, what the process has open, the loader's own search, toolkits, Python's wheels
 *   load.c  its functions, once found; what there is and what there is not, in words
 */
#ifndef HED_BACKENDS_CUDA_LOAD_H
#define HED_BACKENDS_CUDA_LOAD_H

#include "backends/cuda/port/libraries.h"
#include <stdbool.h>

/* A library's file. */
typedef struct cuda_found {
  void *handle;        /* the loader's; NULL when there is none */
  const char *origin;  /* where it was looked for, in words; static */
  char path[400];      /* the file that was opened */
} cuda_found;

/* Opens the first of NAMES (the last one NULL) that is anywhere. WHEEL is its folder in wheels that have one each. */
bool cuda_find(const char *const *names, const char *wheel, cuda_found *out);

/* The driver's functions; NULL with the reason in WHY (may be NULL) when there is no driver that serves. Nothing is initialised. */
const cuda_driver *cuda_driver_get(char *why, size_t cap);

/* CUDA's version, 1000 * major + 10 * minor, that the driver has. */
int cuda_driver_version(void);

/* NULL when it is not found: cuda_tell says where it was looked for. */
const cuda_nvrtc *cuda_nvrtc_get(void);
const cuda_cufft *cuda_cufft_get(void);
const cuda_cublas *cuda_cublas_get(void);
const cuda_cublaslt *cuda_cublaslt_get(void);
const cuda_cusolver *cuda_cusolver_get(void);

/* What of the libraries there is, and what that means, in one line. Opens all. */
void cuda_tell(char *buf, size_t cap);

#endif
