// SPDX-License-Identifier: BSD-3-Clause
/* Devices: how many there are, which are usable, what they can do, and which one this thread uses.
 *
 * A device's name is its backend's ("cpu"), with a number where a backend can have several ("cuda:1"). Asking loads the
 * backend; asking for one that is not usable is not an error of the thread unless a status says so.
 */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

#include <heddle/array.h>
#include <heddle/context.h>

HED_BEGIN_DECLS

/* Devices of BACKEND, or of the current one's when NULL; negative status when it is not usable. */
HED_API int hed_device_count(const char *backend);

/* Names of all devices of all usable backends, made ready, best backend first. Returns how many there are; writes up to CAP
 * (static strings). NAMES may be NULL. */
HED_API int hed_available_devices(const char **names, int cap);

/* Is the device (or backend) NAME usable? Sets no error. */
HED_API bool hed_is_available(const char *name);

/* The device that can compute with X without a copy: that of its memory, or for host memory the one that made it. Static;
 * "" for NULL. */
HED_API const char *hed_get_device(const hed_array *x);

/* The current backend's device INDEX for this thread, as hed_set_backend sets it. */
HED_API hed_status hed_set_device(int32_t index);

/* The same for a frame, to be popped by hed_context_pop(*out); see HED_DEVICE. */
HED_API hed_status hed_device_push(int32_t index, hed_frame *out);

/* Can the device NAME (NULL: the current one) do WHAT: a dtype's name ("float64", "complex64"), "complex", "gpu" (memory
 * of its own), "host", "async", "sparse", "jit", "device" (it is usable at all)? 1 or 0; a negative status when the device
 * is not usable, or HED_E_INVAL for something unknown. Names in any case. Heddle has neither sparse arrays nor a compiler,
 * so those two are 0. */
HED_API int hed_device_supports(const char *name, const char *what);

/* The stream that the calling thread's operations on the device of SPEC (NULL: the current one) go to, as the device calls one (a
 * cudaStream_t, a cl_command_queue): what the program puts there comes after the operations that the thread has called,
 * and before those that it calls later. *HANDLE is borrowed, until the thread ends. HED_E_UNSUPPORTED: the backend shows no
 * streams. See hed_context_with_stream() for the other direction. */
HED_API hed_status hed_stream_native(const char *spec, void **handle);

#ifdef HED_BLOCKS_
static inline hed_frame hed_block_device_(int32_t index)
{
  hed_frame f = { 0, 0, 0, 0 };
  if (hed_device_push(index, &f) != HED_OK)
    f.cookie = 0;
  return f;
}
/* HED_DEVICE_OR(1, return hed_error()) { ... }: the block runs on device 1 of the current backend. Skipped when there is none:
 * HED_DEVICE(1) { ... }. */
#  define HED_DEVICE_OR(index, action) HED_BLOCK_OR_(hed_block_device_(index), action)
#  define HED_DEVICE(index) HED_BLOCK_(hed_block_device_(index))
#endif

HED_END_DECLS

#endif
