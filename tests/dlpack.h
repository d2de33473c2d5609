// SPDX-License-Identifier: BSD-3-Clause
/* What DLPack 1.x hands over, for tests that look into it; tests/io/dlpack.c has the header's own structs. */
#ifndef HED_TESTS_DLPACK_H
#define HED_TESTS_DLPACK_H

#include <stdint.h>

typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  struct {
    void *data;
    int32_t device_type, device_id, ndim;
    struct { uint8_t code, bits; uint16_t lanes; } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
  } tensor;
} DLManagedTensorVersioned;

#endif
