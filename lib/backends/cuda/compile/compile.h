// SPDX-License-Identifier: BSD-3-Clause
/* cuda: a program's text to an image, at run time and when Heddle is built (precompile.c). L1. */
#ifndef HED_BACKENDS_CUDA_COMPILE_H
#define HED_BACKENDS_CUDA_COMPILE_H

#include "backends/cuda/port/load.h"
#include "backends/device/device.h"

typedef struct hed__cuda_image {
  size_t bytes;
  char *data;                  /* from malloc, with room for a NUL behind; NULL: it was not compiled */
} hed__cuda_image;

/* For TARGET, sm_90 or compute_90: machine code or PTX. LOG gets what the compiler says. NVRTC's status. */
unsigned hed__cuda_compile(const hed__cuda_nvrtc *rtc, const char *text, const char *target, hed__cuda_image *out, char *log,
                           size_t cap);
/* What decides of a device's limits what a program's text is: the same for all. */
void hed__cuda_limits(hed__limits *out);
/* The newest architecture up to MOST that NVRTC knows; 0: none. */
int hed__cuda_known_architecture(const hed__cuda_nvrtc *rtc, int most);

#endif
