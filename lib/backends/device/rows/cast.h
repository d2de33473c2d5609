// SPDX-License-Identifier: BSD-3-Clause
/* Elements of views, filled (make.c) and copied (cast.c), as parts of submissions. L1. */
#ifndef HED_DEVICE_CAST_H
#define HED_DEVICE_CAST_H

#include "backends/device/kernels/args.h"
#include "backends/device/launch/launch.h"

/* A value for all elements of a view. */
typedef struct dev_fill_job {
  const hed_view *view;
  dev_plan plan;
  void *entry;
} dev_fill_job;

int32_t dev_fill_prepare(dev_device *d, dev_fill_job *j, const hed_view *v);
int32_t dev_fill_submit(dev_submit *q, dev_fill_job *j, void *dst, const uint64_t bits[2]);

/* Elements of device views of one shape, converted where the dtypes differ. */
typedef struct dev_cast_job {
  const hed_view *views[2];    /* to, from */
  dev_plan plan;
  dev_map_args args;
  void *entry;
  bool whole, fill;            /* one block of bytes; one element for all */
  hed__map_rows_args transposed; /* layout TRANSPOSED */
  dev_fill_job filling;
  uint64_t bits[2];
} dev_cast_job;

/* What it takes, to be had before a submission begins; HOST: SRC is one element in host memory. The views stay there. */
int32_t dev_cast_prepare(dev_device *d, dev_cast_job *j, const hed_view *dst, const hed_view *src, bool host);
/* In Q's stream, with data at DST and SRC, which need not be what the views had. */
int32_t dev_cast_submit(dev_submit *q, dev_cast_job *j, void *dst, void *src);

#endif
