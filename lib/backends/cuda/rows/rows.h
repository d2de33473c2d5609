// SPDX-License-Identifier: BSD-3-Clause
/* cuda: rows of the table that the vendor's libraries do: from a call to what they take. L1.
 *
 * Libraries want operands of one type that lie in one of a few ways; others are copied into scratch memory of the submission
 * first, and results from there.
 *
 *   rows.c  operands    fft.c  matmul.c    factor_*.c  by factor.h
 */
#ifndef HED_BACKENDS_CUDA_ROWS_H
#define HED_BACKENDS_CUDA_ROWS_H

#include "backends/cuda/port/cuda.h"
#include "backends/device/rows/cast.h"

typedef struct cuda_operand {
  hed_view view;               /* as the call has it, its axes perhaps in another order */
  hed_view dense;              /* the same in C order, of the library's type */
  bool staged;                 /* DENSE is what the library gets */
  size_t offset;               /* of it in the scratch memory */
  dev_cast_job job;
} cuda_operand;

/* O becomes an operand, or with RESULT a result, of type DTYPE with V's elements; axis k is V's ORDER[k] (NULL: as it is).
 * DIRECT: the library can take it as it lies. *SCRATCH grows by what it needs. O must stay where it is. */
int32_t cuda_operand_make(dev_device *d, cuda_operand *o, const hed_view *v, const int32_t *order, int32_t dtype,
                          bool result, bool host, bool direct, size_t *scratch);
/* Where the library finds it, or puts it. */
void *cuda_operand_data(const cuda_operand *o, void *scratch);
/* In Q's stream: an operand to its scratch memory, before; a result from there, after. */
int32_t cuda_operand_load(dev_submit *q, cuda_operand *o, void *scratch);
int32_t cuda_operand_store(dev_submit *q, cuda_operand *o, void *scratch);

/* OUT, which a submission of this thread is writing, times FACTOR; *TICKET then stands for both. */
int32_t cuda_scale(dev_device *d, const hed_call *call, const hed_view *out, double factor, uint64_t *ticket);

/* V with axis k V's ORDER[k]. */
hed_view cuda_permuted(const hed_view *v, const int32_t *order);

int32_t cuda_fft(void *state, const hed_call *call);
int32_t cuda_matmul(void *state, const hed_call *call);
int32_t cuda_lu(void *state, const hed_call *call);
int32_t cuda_det(void *state, const hed_call *call);
int32_t cuda_solve(void *state, const hed_call *call);
int32_t cuda_solve_triangular(void *state, const hed_call *call);
int32_t cuda_cholesky(void *state, const hed_call *call);
int32_t cuda_qr(void *state, const hed_call *call);
int32_t cuda_eigh(void *state, const hed_call *call);
int32_t cuda_eigh_range(void *state, const hed_call *call);
int32_t cuda_eig(void *state, const hed_call *call);
int32_t cuda_svd(void *state, const hed_call *call);

#endif
