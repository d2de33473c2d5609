// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what the rows that libraries do have in common. L1. */
#ifndef HED_BACKENDS_CUDA_HANDLES_H
#define HED_BACKENDS_CUDA_HANDLES_H

#include "backends/cuda/port/cuda.h"
#include <string.h>

/* What a library has for a stream begins with this. DROP frees what there is of it, which may be a part. */
struct cuda_handle {
  CUstream stream;
  void (*drop)(cuda_device *d, void *handle);
};

/* *PLACE, or there a new one for STREAM of SIZE bytes, zeros, that MAKE fills; NULL: *STATUS says why. The device's context is
 * current. */
void *cuda_handle_of(cuda_device *d, cuda_handle **place, const cuda_stream *stream, size_t size, const char *library,
                     int32_t (*make)(cuda_device *d, void *handle), void (*drop)(cuda_device *d, void *handle), int32_t *status);

/* The status for ERROR, NO_MEMORY among them, of LIBRARY at WHAT; 0 is success. */
int32_t cuda_library_status(const cuda_device *d, unsigned error, unsigned no_memory, const char *library, const char *what);
/* The same of cuBLAS and cuBLASLt; HED_E_UNSUPPORTED, without words, for what they do not have. */
int32_t cuda_blas_status(const cuda_device *d, unsigned error, const char *library, const char *what);

/* How the libraries call DTYPE; -1: none of them has it. */
int cuda_type(int32_t dtype);

/* ONE or 0 as a real or complex number of float32, or float64 where WIDE. */
const void *cuda_constant(bool one, bool wide);

#endif
