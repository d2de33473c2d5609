// SPDX-License-Identifier: BSD-3-Clause
/* cuda: a program's text to an image, at run time and when Heddle is built (precompile.c). L1. */
#ifndef HED_BACKENDS_CUDA_COMPILE_H
#define HED_BACKENDS_CUDA_COMPILE_H

#include "backends/cuda/port/load.h"
#include "backends/device/device.h"

typedef struct cuda_image {
  size_t bytes;
  char *data;                  /* from malloc, with room for a NUL behind; NULL: it was not compiled */
} cuda_image;

/* For TARGET, sm_90 or compute_90: machine code or PTX. LOG gets what the compiler says. NVRTC's status. */
unsigned cuda_compile(const cuda_nvrtc *rtc, const char *text, const char *target, cuda_image *out, char *log,
                      size_t cap);
/* What decides of a device's limits what a program's text is: the same for all. */
void cuda_limits(dev_limits *out);
/* The newest architecture up to MOST that NVRTC knows; 0: none. */
int cuda_known_architecture(const cuda_nvrtc *rtc, int most);

#endif
