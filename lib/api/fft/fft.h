// SPDX-License-Identifier: BSD-3-Clause
/* A transform settled from shape, dtype and options, apart from the arrays it runs on; shared with plan objects. L3. */
#ifndef HED_API_FFT_H
#define HED_API_FFT_H

#include "core/dispatch/dispatch.h"

#include <heddle/ops.h>

typedef enum hed__fft_type { HED__C2C, HED__R2C, HED__C2R } hed__fft_type;

typedef struct hed__transform {
  int op, sign;
  hed__fft_type type;
  int rank;        /* number of axes, 0: any */
  bool conjugate;  /* hfft: of the operand; ihfft: of the result. The kernel then has the other sign */
} hed__transform;

/* The transform of an operation (HED_OP_FFT1 ... HED_OP_IHFFTN); NULL when it is none. */
const hed__transform *hed__fft_transform(int op);

typedef struct hed__fft_job {
  const hed__transform *t;
  hed_fft_params params;
  int given, input, output, compute; /* dtypes: of x, in front of and behind the kernel, of the arithmetic */
  hed_shape x, in, out;              /* shapes: of x, in front of and behind the kernel */
} hed__fft_job;

/* Everything that shape, dtype ID and options say; the effort is the context's business. */
hed_status hed__fft_settle(const hed__transform *t, const hed_shape *shape, int id, const hed_fft *opt, hed__fft_job *job);

/* JOB on X, which has its shape and dtype: into OUT, or with OUT NULL into a new array *RESULT. */
hed_status hed__fft_run(const hed__exec *ex, const hed__fft_job *job, const hed_array *x, hed_array *out,
                        hed_array **result);

/* X and OUT (may be NULL) can be operand and result: shape of OUT, no common memory but x itself for complex transforms.
 * EX is their plan, OUT its operand 1. */
hed_status hed__fft_check(const hed__exec *ex, const hed__fft_job *job, const hed_array *out);

#endif
