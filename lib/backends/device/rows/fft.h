// SPDX-License-Identifier: BSD-3-Clause
/* Fourier transforms as parts of submissions: fft.c. L1. */
#ifndef HED_DEVICE_FFT_H
#define HED_DEVICE_FFT_H

#include "backends/device/kernels/args_fft.h"
#include "backends/device/runtime/runtime.h"

enum { DEV_FFT_STEPS = 256 };

/* Dense arrays. AXES: bits of those that are transformed. REAL: the last axis, one of them, is real on one side, and has dim / 2 + 1
 * numbers on the other; FORWARD: on the operand's. */
typedef struct dev_fft_shape {
  int32_t ndim;
  const int64_t *dim;          /* of the transform */
  uint32_t axes;
  int32_t dtype;               /* the complex type */
  int32_t sign;
  bool real, forward;
  double scale;
} dev_fft_shape;

typedef struct dev_fft_place {
  int32_t base;                /* scratch memory, operand, result */
  size_t offset;
} dev_fft_place;

typedef struct dev_fft_step {
  void *entry;
  hed__fft_args args;
  int32_t n;
  dev_fft_place place[3];      /* result first */
} dev_fft_step;

typedef struct dev_fft_job {
  int32_t dtype, sign, status;
  dev_fft_place work[2];
  struct {
    int64_t n;
    dev_fft_place place;
  } table[HED_MAX_NDIM];
  int32_t n_tables, n_steps;
  int32_t reads;               /* steps that read the operand and do not write the result */
  size_t bytes;                /* of scratch memory */
  dev_fft_step step[DEV_FFT_STEPS];
} dev_fft_job;

int32_t dev_fft_prepare(dev_device *d, dev_fft_job *j, const dev_fft_shape *shape);
/* OUT and X lie apart, unless the job READS. */
int32_t dev_fft_submit(dev_submit *q, const dev_fft_job *j, void *out, void *x, void *scratch);

#endif
