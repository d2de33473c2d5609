// SPDX-License-Identifier: BSD-3-Clause
/* The rows of the table, and what they have of each other. L1. */
#ifndef HED_DEVICE_ROWS_H
#define HED_DEVICE_ROWS_H

#include "backends/device/kernels/args_scan.h"
#include "backends/device/kernels/args_sort.h"
#include "backends/device/launch/dense.h"

/* ---- staging.c ---- */

/* In Q's stream, from or to host memory in C order (contiguous). What is read has been read, what is written is there, when
 * they return. */
int32_t dev_stage_in(dev_submit *q, void *to, const hed_view *src);
int32_t dev_stage_out(dev_submit *q, const hed_view *dst, const void *from);
/* Few bytes of host memory to the device, in order. */
int32_t dev_stage_bytes(dev_submit *q, void *to, const void *from, size_t bytes);

/* ---- map.c ---- */

/* Rows as programs name them: "ADD"; NULL of operations that are not elementwise. */
extern const char *const dev_map_ids[HED_OP_COUNT_];
/* Type of what a row's formula gives in COMPUTE, and of its operand K there. */
int32_t dev_map_result(int32_t op, int32_t compute);
int32_t dev_map_operand(int32_t op, int32_t compute, int32_t k);
/* The row's parameters as its kernels read them; false where it has none. */
bool dev_map_params(const dev_device *d, int32_t op, const void *params, uint64_t param[4]);

/* ---- scan.c ---- */

/* V with AXIS last. */
hed_view dev_moved_last(const hed_view *v, int32_t axis);
/* V as v[a, r, c], r its axis AXIS (none where that is ndim), strides in elements; false where the axes on either side do not
 * lie as one. */
bool dev_line_view(const hed_view *v, int32_t axis, int64_t n[3], int64_t stride[3]);

/* A scan of x[a, r, c] along r: args say which, entries and sizes follow. */
typedef struct dev_sums_job {
  hed__scan_args args;
  bool lanes;
  void *parts, *offsets, *write;
  size_t bytes, words;         /* of scratch memory for states, and at its end for words of parts that look back, else 0 */
} dev_sums_job;

void dev_sums_plan(const dev_device *d, dev_sums_job *j);
int32_t dev_sums_entries(dev_device *d, dev_sums_job *j, const dev_spec *spec, const char *op);
/* OUT may be X. */
int32_t dev_sums_submit(dev_submit *q, const dev_sums_job *j, void *out, void *x, void *states);
/* Sums so far of ROWS rows of N numbers of DTYPE, side by side. */
int32_t dev_sums_prepare(dev_device *d, dev_sums_job *j, int32_t dtype, int64_t rows, int64_t n);

/* ---- sort.c ---- */

/* Rows of keys with a number each, into order, stably. */
typedef struct dev_order_job {
  hed__sort_args args;
  int32_t key_bytes, digit_bits;
  bool merges;                 /* an item a row, else by digits */
  bool sweeps;                 /* digits in one pass each, parts looking back */
  bool lone;                   /* then without numbers, where that was asked for */
  size_t keys, numbers, counts, states, words; /* bytes of scratch memory: of one set of both, and what digits take */
  dev_sums_job sums;
  void *merge, *count, *move;  /* or the histogram and the sweep */
} dev_order_job;

/* Two sets of both; what is to be sorted, and is then sorted, is in set 0. */
typedef struct dev_order {
  char *keys[2], *numbers[2], *counts, *states, *words;
} dev_order;

/* Keys as those of DTYPE. */
int32_t dev_order_prepare(dev_device *d, dev_order_job *j, int32_t dtype, int64_t rows, int64_t n, bool lone);
size_t dev_order_bytes(const dev_order_job *j);
void dev_order_place(const dev_order_job *j, dev_order *o, char **scratch);
/* By the low BITS of the keys. */
int32_t dev_order_submit(dev_submit *q, const dev_order_job *j, dev_order *o, int32_t bits);

/* ---- gather.c ---- */

/* Elements from where indices say. */
typedef struct dev_gather_job {
  hed_view from, index;        /* of the result's shape; strides 0 along axes that they do not have */
  int64_t step, extent;        /* bytes from an index to the next; what it is checked against */
  int32_t code, axis;
  hed__nest nest;              /* result, from, index */
  void *entry;
} dev_gather_job;

/* OUT (n, rest) from the first AXES axes of X, which lie as one, at PLACES (n). */
void dev_gather_describe(dev_gather_job *j, const hed_view *out, const hed_view *x, const hed_view *places, int32_t axes);
bool dev_lie_as_one(const hed_view *v, int32_t axes);
int32_t dev_gather_prepare(dev_device *d, dev_gather_job *j, const hed_view *out);
/* Operation OP is to blame for an index that is out of range. */
int32_t dev_gather_submit(dev_submit *q, dev_gather_job *j, int32_t op, void *x, void *index);

/* ---- rows ---- */

int32_t dev_map_call(void *state, const hed_call *call);
int32_t dev_reduce_call(void *state, const hed_call *call);
#define DEV_ROW(name, call, types) int32_t call(void *state, const hed_call *c);
#include "backends/device/rows/rows.def"

#endif
