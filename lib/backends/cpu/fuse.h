// SPDX-License-Identifier: BSD-3-Clause
/*
 * Several operations in one pass: the program that fuse_program.c makes of a call and fuse.c runs block by block. L1.
 *
 * A value is a vector of one block: a piece of an operand or result in place, or a buffer in cache. An instruction runs one
 * loop over a block. Buffers are shared by values that do not live at the same time.
 */
#ifndef HED_BACKENDS_CPU_FUSE_H
#define HED_BACKENDS_CPU_FUSE_H

#include "backends/cpu/kernels.h"
#include "base/cast.h"

enum {
  FUSE_VALUES = 2 * HED_FUSED_IN + 6 * HED_FUSED_STEPS,
  FUSE_CODE = HED_FUSED_IN + 5 * HED_FUSED_STEPS,
  FUSE_BYTES = 40960,   /* of all buffers */
  FUSE_BLOCK = 4096     /* elements at most */
};

typedef enum fuse_place { FUSE_IN, FUSE_OUT, FUSE_BUFFER } fuse_place;

typedef struct fuse_value {
  int8_t place;
  bool repeated;      /* one element for all: stride 0 */
  int16_t type;       /* hed_dtype_id */
  int16_t index;      /* of the operand or result; of the buffer */
  int16_t last;       /* instruction that reads it last, -1 = none */
} fuse_value;

typedef struct fuse_instr {
  hed__map_fn fn;     /* NULL: gather operand arg[1] */
  const void *params;
  hed__cast_fn cast;  /* where fn converts */
  int16_t n, arg[4];  /* values: result, operands */
} fuse_instr;

typedef struct fuse_fold {
  int32_t op, type, out;
  int16_t value;      /* of TYPE */
} fuse_fold;

typedef struct fuse_program {
  const hed_fused_call *call;
  int32_t n_values, n_code, n_once, n_folds, n_buffers; /* the first n_once instructions make what is repeated */
  fuse_value value[FUSE_VALUES];
  fuse_instr code[FUSE_CODE];
  fuse_fold fold[HED_FUSED_STEPS];
  int32_t width[FUSE_VALUES];   /* bytes of an element of each buffer */
  /* The shape with neighbouring axes merged, and the operands' strides in it. */
  int32_t ndim;
  int64_t size, dim[HED_MAX_NDIM], stride[HED_FUSED_IN][HED_MAX_NDIM];
  bool rows;                    /* a block never goes beyond a row, so operands lie evenly; else they are gathered */
  int64_t block, blocks, per_row;
  double cost;                  /* of an element */
} fuse_program;

/* False: too much of it. */
bool cpu_fuse_program(fuse_program *p, const hed_fused_call *call);

int32_t cpu_fuse(void *state, const hed_fused_call *call);

#endif
