// SPDX-License-Identifier: BSD-3-Clause
/* What passes of elementwise operations and those that end in a reduction share: the text of their steps, and arguments. L1. */
#ifndef HED_DEVICE_FUSE_H
#define HED_DEVICE_FUSE_H

#include "backends/device/program/program.h"

enum { DEV_FUSE_AXES = 4, DEV_FUSE_BYTES = 1000, DEV_FUSE_LIST = 1024,
       DEV_FUSE_MORE = 2 /* pointers beside those of the operands */ };

typedef struct dev_fuse_job {
  dev_device *d;
  const hed_fused_call *c;
  int32_t ndim;                /* axes: the call's, outermost first, until dev_fuse_collapse; then those left, innermost first */
  int64_t n[HED_MAX_NDIM], stride[DEV_MOST_POINTERS][HED_MAX_NDIM];
  int32_t n_pointers;
  void *pointer[DEV_MOST_POINTERS];
  int32_t source[HED_FUSED_IN]; /* of operand k: its pointer, or minus 1 minus its place among the values of the host */
  bool single[HED_FUSED_IN];   /* one element in the device's memory */
  int32_t n_values, n_params;
  int32_t param[HED_FUSED_STEPS]; /* of a step: where its parameters are; -1: it has none */
  bool flat;
  uint64_t args[DEV_FUSE_BYTES / 8];
  size_t n_args;               /* words */
  uint32_t uses;               /* bits of compute types */
  int32_t compute;             /* the complex one of them, else the first */
  char only[DEV_FUSE_LIST];
  char *text;
  size_t length;
} dev_fuse_job;

static inline bool dev_fuse_on_host(const hed_fused_call *c, int32_t k) { return c->host_in[k / 32] >> k % 32 & 1; }

/* dtype of value VALUE. */
int32_t dev_fuse_dtype(const hed_fused_call *c, int32_t value);

/* Is step S a reduction? */
bool dev_fuse_reduces(const hed_fused_step *s);
/* Rows of formulas in one complex type or none? What programs have to know of them. */
bool dev_fuse_takes(dev_fuse_job *j);
/* Pointers of the operands, whose axes are as few as can be in C order, or FEWER: in any; DEV_FUSE_AXES of them, of extent 1 where
 * there are not so many. False where there are more, or too many pointers. */
bool dev_fuse_operands(dev_fuse_job *j);
bool dev_fuse_collapse(dev_fuse_job *j);
/* Words of the arguments; values of the host and parameters of the steps, behind what is there. */
bool dev_fuse_add_words(dev_fuse_job *j, const void *words, size_t n);
bool dev_fuse_add_values(dev_fuse_job *j);

/* The text. */
void dev_fuse_say(dev_fuse_job *j, const char *format, ...) HED_PRINTF(2, 3);
void dev_fuse_say_values(dev_fuse_job *j);    /* members of the struct */
void dev_fuse_say_step(dev_fuse_job *j, int32_t step);
/* The kernel NAME of SPEC with the text that WRITE says, of ARG. */
int32_t dev_fuse_kernel(dev_fuse_job *j, dev_spec *spec, const char *name, void write(dev_fuse_job *j, const void *arg),
                        const void *arg, void **entry);

/* A pass without a reduction. */
int32_t dev_fuse_run(dev_fuse_job *j);

/* ---- fuse_call.c: a member of hed_plugin, as all modules have it (../module.h) ---- */

int32_t dev_fuse(void *state, const hed_fused_call *call);

/* ---- fuse_reduce.c ---- */

/* A pass with reductions of one value, whose results are all that is wanted of it. */
int32_t dev_fuse_reduce(dev_fuse_job *j);

#endif
