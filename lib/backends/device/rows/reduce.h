// SPDX-License-Identifier: BSD-3-Clause
/* Reductions from inside: what passes that end in one have of them. L1. */
#ifndef HED_DEVICE_REDUCE_H
#define HED_DEVICE_REDUCE_H

#include "backends/device/program/program.h"
#include "backends/device/kernels/args_reduce.h"

/* What a row is made of: states of FIRST; with a CENTRE two passes, of which the first leaves ITEMS numbers for each result. */
typedef struct dev_reduce_row {
  const char *first, *centre_first, *centre;
  const char *program;         /* among the rows of the family */
  int32_t numbers;
} dev_reduce_row;

typedef struct dev_reduce_job {
  const dev_reduce_row *row;
  hed__reduce_args args;
  const char *schedule;        /* of the first launch */
  bool in_groups, join_in_groups;
  void *entry[4];              /* centre: first, join; first, join */
  char *x, *y, *out, *aux, *states;
} dev_reduce_job;

const dev_reduce_row *dev_reduce_row_of(const dev_device *d, int32_t op, int32_t compute);
/* Of axes as hed__merge_axes leaves them, those in AXES being reduced: which are a, r and c of x[a, r, c], -1 where there is none.
 * False where they do not lie so. */
bool dev_reduce_places(int32_t ndim, uint32_t axes, int32_t place[3]);
/* From the extents and strides of J's args how it is done. */
void dev_reduce_schedule(dev_reduce_job *j, const dev_device *d);
size_t dev_reduce_state_bytes(const dev_reduce_job *j);
size_t dev_reduce_aux_bytes(const dev_reduce_job *j);
/* The program for elements of dtype FROM and results of dtype TO. */
dev_spec dev_reduce_spec(const dev_reduce_job *j, int32_t op, int32_t compute, int32_t from, int32_t to);
/* Of the second launch, NAME_join: the row of an operation, or a centre. */
int32_t dev_reduce_find_join(dev_device *d, const dev_reduce_job *j, const dev_spec *spec, const char *name, void **entry);
/* The first launch, or the second. */
int32_t dev_reduce_launch(dev_submit *q, const dev_reduce_job *j, void *entry, int32_t n_pointers, void *const *pointers,
                          const void *args, size_t args_bytes, bool join);

#endif
