// SPDX-License-Identifier: BSD-3-Clause
/* Exchange with other array libraries in the same process, without copies: DLPack 1.x.
 *
 * The structs are those of DLPack's own header, dlpack/dlpack.h (https://github.com/dmlc/dlpack, version 1.0 or newer),
 * which a program that looks into them includes itself; here they are only named. Unversioned tensors (DLPack before 1.0)
 * are not exchanged: they cannot say that they are read-only.
 *
 * Thread-safe. A tensor and its array share memory; who writes while the other reads has a race, as with views.
 */
#ifndef HEDDLE_DLPACK_H
#define HEDDLE_DLPACK_H

#include <heddle/array.h>

HED_BEGIN_DECLS

struct DLManagedTensorVersioned;

typedef enum hed_copy_policy {
  HED_COPY_IF_NEEDED, /* share memory where it is possible */
  HED_COPY_ALWAYS,
  HED_COPY_NEVER      /* an error where sharing is not possible */
} hed_copy_policy;

/* X as a tensor: *OUT shares X's storage and keeps it alive until its deleter is called, once, on any thread, in any
 * context, also after X was released. Waits for asynchronous work on X first. Read-only arrays, and arrays that repeat
 * elements, are flagged read-only. A copy is needed when a stride is no multiple of the element (possible with
 * hed_wrap); it is flagged as copied and belongs to the consumer. Strides may be negative.
 * HED_E_UNSUPPORTED for memory spaces that DLPack has no device type for, HED_E_INVAL when HED_COPY_NEVER stands in the
 * way. */
HED_API hed_status hed_to_dlpack(const hed_array *x, hed_copy_policy copy, struct DLManagedTensorVersioned **out);

/* T as an array in the memory where it is, read-only when T says so. The array takes T over: T's deleter is called once,
 * on whichever thread drops the last reference to the storage. On failure T stays the caller's, who calls the deleter.
 * HED_E_ABI for a major version other than 1 (nothing but the deleter is then touched), HED_E_DTYPE for element types
 * that Heddle lacks (vectors, sub-byte and 8-bit floats), HED_E_UNAVAILABLE for memory that no loaded backend addresses,
 * HED_E_SHAPE for more than 16 axes or impossible extents, HED_E_INVAL for data that are not aligned to their type. */
HED_API hed_array *hed_from_dlpack(struct DLManagedTensorVersioned *t);

HED_END_DECLS

#endif
