// SPDX-License-Identifier: BSD-3-Clause
/* Operands and results that a kernel wants dense: dense.c. L1. They are copied as the row of casts copies. */
#ifndef HED_DEVICE_DENSE_H
#define HED_DEVICE_DENSE_H

#include "backends/device/launch/launch.h"
#include "backends/device/program/program.h"
#include "backends/device/rows/cast.h"

/* Bytes of scratch memory for BYTES, so that what comes after them begins where any type may. */
static inline size_t dev_part_bytes(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* An operand or a result that a kernel wants in C order, in scratch memory where it does not lie so. */
typedef struct dev_pack {
  bool needed;
  hed_view given, packed;
  size_t bytes;                /* of scratch memory */
  void *data;                  /* what the kernel gets */
  dev_cast_job job;
} dev_pack;

/* Before a submission; the pack stays where it is. */
int32_t dev_pack_prepare(dev_device *d, dev_pack *p, const hed_view *v, bool needed, bool result);
/* In it: an operand is packed, a result gets its place, and is unpacked at the end. *SCRATCH moves on. */
int32_t dev_pack_in(dev_submit *q, dev_pack *p, char **scratch);
void dev_pack_out(dev_pack *p, char **scratch);
int32_t dev_pack_finish(dev_submit *q, dev_pack *p);

/* dev_pack_prepare of an operand or a result that is wanted dense and as DTYPE; ALWAYS in scratch memory where that is set. */
int32_t dev_pack_dense(dev_device *d, dev_pack *p, const hed_view *v, int32_t dtype, bool always, bool result);

/* A call whose kernel takes the result and its operands dense, as they are stored, one after the other, and does not read what it
 * has written. */
typedef struct dev_dense_job {
  int64_t items;
  int32_t operands;            /* of the kernel; those that the call does not have are not followed */
  bool checks;                 /* it has an error record, for operand 0's AXIS */
  int32_t axis;
  const void *args;
  size_t args_bytes;
  dev_pack in[3], out;         /* what follows is not the caller's */
  size_t bytes;
  void *entry;
} dev_dense_job;

int32_t dev_dense_call(dev_device *d, dev_dense_job *j, const hed_call *c, const dev_spec *spec, const char *name);

#endif
