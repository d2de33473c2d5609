// SPDX-License-Identifier: BSD-3-Clause
/* The binary layout of DLPack 1.x, declared from its specification (https://dmlc.github.io/dlpack/latest/c_api.html). L3.
 *
 * Only dlpack.c includes this: the names are DLPack's, and a program may include DLPack's own header.
 */
#ifndef HED_API_DLPACK_ABI_H
#define HED_API_DLPACK_ABI_H

#include <stdint.h>

enum { DL_MAJOR = 1, DL_MINOR = 1 };
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_OPENCL = 4, DL_ROCM_HOST = 11 };
enum { DL_INT, DL_UINT, DL_FLOAT, DL_OPAQUE, DL_BFLOAT, DL_COMPLEX, DL_BOOL };
enum { DL_READ_ONLY = 1, DL_IS_COPIED = 2 };

typedef struct dl_type {
  uint8_t code, bits;
  uint16_t lanes;
} dl_type;

typedef struct dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  dl_type dtype;
  int64_t *shape;
  int64_t *strides;     /* in elements; NULL: C order */
  uint64_t byte_offset;
} dl_tensor;

struct DLManagedTensor { /* before version 1 */
  dl_tensor tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self); /* may be NULL */
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self); /* may be NULL */
  uint64_t flags;
  dl_tensor tensor;
};

#endif
