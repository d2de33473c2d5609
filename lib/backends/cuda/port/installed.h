// SPDX-License-Identifier: BSD-3-Clause
/* cuda: programs that were compiled when Heddle was. L1.
 *
 * One file for an architecture, kernels/cuda-sm_90.hkb beside the folder of the module: the header, an index in order of keys, the
 * images. A key is the hash of a program's text, which says all that the program does; what options there are is the same for
 * all, and does not depend on the driver. kernels/cuda-compute_75.hkb has PTX, for devices without a file of their own where there
 * is no NVRTC either.
 */
#ifndef HED_BACKENDS_CUDA_INSTALLED_H
#define HED_BACKENDS_CUDA_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUDA_INSTALLED_MAGIC "HEDHKS1"

typedef struct cuda_installed_header {
  char magic[8];
  char compiler[24];           /* "nvrtc 13.0" */
  uint64_t count, bytes;       /* of entries; of the file */
} cuda_installed_header;

typedef struct cuda_installed_entry {
  unsigned char key[32];
  uint64_t offset, bytes;      /* of the image in the file */
} cuda_installed_entry;

/* A file in memory, for good. */
typedef struct cuda_installed {
  const cuda_installed_header *header; /* NULL: there is none, or it is not whole */
  bool tried;
} cuda_installed;

/* The file PATH, checked. */
const cuda_installed_header *cuda_installed_open(const char *path);
/* The image for KEY, NULL without one. */
const void *cuda_installed_find(const cuda_installed_header *h, const unsigned char key[32], size_t *bytes);
/* TARGET's file ("sm_90"), which is looked for once. The caller has a lock. */
const cuda_installed_header *cuda_installed_get(cuda_installed *i, const char *target);

#endif
