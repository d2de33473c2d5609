// SPDX-License-Identifier: BSD-3-Clause
/* The texts of this folder and of the headers that they share with the host, as the library has them. L1. */
#ifndef HED_DEVICE_TEXTS_H
#define HED_DEVICE_TEXTS_H

/* Without comments but for lines that begin with //@ (build-aux/gen-kernels.awk); the last one has name NULL. */
typedef struct dev_kernel_text {
  const char *name; /* "hedk.h", "map.k" */
  const char *text;
} dev_kernel_text;
extern const dev_kernel_text dev_kernel_texts[];

#endif
