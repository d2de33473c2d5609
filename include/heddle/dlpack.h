// SPDX-License-Identifier: BSD-3-Clause
/* Exchange with other array libraries in the same process, without copies: DLPack 1.x.
 *
 * The structs are those of DLPack's own header, dlpack/dlpack.h (https://github.com/dmlc/dlpack, version 1.0 or newer),
 * which a program that looks into them includes itself; here they are only named. Unversioned tensors (DLPack before 1.0)
 * cannot say that they are read-only: they are for libraries that know nothing else.
 *
 * Thread-safe. A tensor and its array share memory; who writes while the other reads has a race, as with views.
 */
#ifndef HEDDLE_DLPACK_H
#define HEDDLE_DLPACK_H

#include <heddle/array.h>
#include <stdint.h>

HED_BEGIN_DECLS

struct DLManagedTensorVersioned;
struct DLManagedTensor;

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
HED_NEW hed_array *hed_from_dlpack(struct DLManagedTensorVersioned *t);

/* The same by the struct of before version 1. What cannot be written is copied, or HED_E_INVAL with HED_COPY_NEVER; a tensor
 * that comes in may be written. */
HED_API hed_status hed_to_dlpack_unversioned(const hed_array *x, hed_copy_policy copy, struct DLManagedTensor **out);
HED_NEW hed_array *hed_from_dlpack_unversioned(struct DLManagedTensor *t);

/* ---- with streams: nobody waits but the device ----
 *
 * STREAM says in which order the other library works on the device: the handle of its stream (a CUstream, a
 * cl_command_queue), HED_STREAM_LEGACY (or 0) and HED_STREAM_PER_THREAD for the default streams of devices that have them,
 * HED_STREAM_NONE when it is in order already. These are the numbers of the array API's __dlpack__. For host memory it is
 * not looked at. */
enum { HED_STREAM_NONE = -1, HED_STREAM_LEGACY = 1, HED_STREAM_PER_THREAD = 2 };

/* As hed_to_dlpack, but for waiting: what STREAM gets from now on begins when the work on X that was submitted is over. A failure
 * of that work then does not reach the consumer: hed_wait(x) tells. Where the device shows no streams, the call waits. The
 * consumer calls the deleter when its own work on the tensor is over. */
HED_API hed_status hed_to_dlpack_stream(const hed_array *x, hed_copy_policy copy, intptr_t stream,
                                        struct DLManagedTensorVersioned **out);

/* As hed_from_dlpack: operations on the array, in whichever thread, begin when what STREAM holds now is over, and what STREAM gets
 * after the deleter was called begins when they are; with HED_STREAM_NONE the last reference waits for them.
 * A tensor that hed_to_dlpack_stream made here has the failures of the array that it was made of; they are waited for where STREAM
 * is HED_STREAM_NONE. HED_E_UNSUPPORTED where the device shows no streams and STREAM is not HED_STREAM_NONE. */
HED_NEW hed_array *hed_from_dlpack_stream(struct DLManagedTensorVersioned *t, intptr_t stream);

/* The same of memory that the program has on the device of SPEC ("cuda:1"; not owned): STRIDES_BYTES (NULL: C order), alignment
 * and DONE(DONE_ARG) as for hed_wrap. HED_E_INVAL where the driver can tell that it is not the device's. On failure DONE is not
 * called. */
HED_NEW hed_array *hed_wrap_device(const char *spec, void *data, hed_shape shape, const int64_t *strides_bytes, hed_dtype t,
                                   intptr_t stream, void (*done)(void *), void *done_arg);

HED_END_DECLS

#endif
