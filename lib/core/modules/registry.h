// SPDX-License-Identifier: BSD-3-Clause
/* Backends and their devices: names, lazy loading once, tables, reports. L2.
 *
 * A backend moves UNPROBED -> LOADING (by one thread, with no lock held while foreign code runs) -> READY or FAILED with a
 * report. Backends and devices are immortal. A device holds the dense table of operations: native kernel, else the
 * reference kernel, for every operation, no holes.
 */
#ifndef HED_CORE_REGISTRY_H
#define HED_CORE_REGISTRY_H

#include "core/process/pools.h"
#include <heddle/kernel.h>
#include <heddle/runtime.h>
#include <stdatomic.h>

typedef struct hed__backend hed__backend;

typedef struct hed__row {
  hed_op_fn fn;          /* native kernel, NULL when there is none */
  uint32_t dtypes;       /* compute types that fn does; bits by hed_dtype_id */
  int32_t number;        /* the plug-in's of the operation, for hed_call.op and hed_fused_step.op */
} hed__row;

/* Tickets by stream, see stream/ticket.h. */
typedef struct hed__stream_page hed__stream_page;
enum { HED__STREAM_PAGES = 256 };

typedef struct hed__device {
  char name[48];         /* "cpu", "cuda:1"; first, for probes */
  hed__backend *backend;
  const struct hed_plugin *plugin;
  const struct hed__numbers *numbers; /* of operations, ops/op_numbers.h */
  void *state;
  int32_t index;
  uint16_t number;       /* of all devices of the process, from 1 */
  bool host;             /* arrays live in host memory, shared by all host backends */
  atomic_bool gone;      /* failed for good, or belongs to the parent of a forked child: nothing is asked of it */
  atomic_uchar unusual;  /* HED__DEVICE_*: what the short way of a call asks */
  char space[48];        /* "host", "cuda:1" */
  hed__pool pool;        /* of its memory, unless that is the host's */
  _Atomic(hed__stream_page *) streams[HED__STREAM_PAGES];
  hed__row row[];        /* by hed_op */
} hed__device;

enum { HED__DEVICE_GONE = 1, HED__DEVICE_PROFILED = 2 };
enum { HED__MOST_DEVICES = 4096 };
extern hed__device *hed__device_by_number[HED__MOST_DEVICES]; /* a place is filled before anybody has the device */
static inline hed__device *hed__device_numbered(uint16_t number) { return hed__device_by_number[number]; }

/* The device of "name" or "name:index", loading the backend on first use. NULL with the error set. */
hed__device *hed__device_get(const char *backend, size_t name_len, int32_t index);

/* Call FN for every device that is ready, with no lock held. */
void hed__devices_each(void (*fn)(void *arg, hed__device *device), void *arg);

/* D is gone for good, for the reason in TEXT: it alone, and its backend with the last one. An explicit hed_backend_require
 * makes a new one in its place. */
void hed__device_lost(hed__device *d, const char *text);

/* Why nothing can be asked of a device that is gone: returns the status with the error set. */
hed_status hed__device_gone(const hed__device *d);

/* The reference backend's device: always there, and never NULL. */
hed__device *hed__reference(void);

/* The backends in host memory that score above the reference backend and whose first device is made: that of the K-th best
 * one, NULL after the last. Those that come with Heddle are loaded for the first request, unless the configuration disables
 * them. */
hed__device *hed__host_choice(int k);

/* Reference kernel of an operation; NULL for operations without a kernel (views, composites). */
hed_op_fn hed__reference_kernel(int op);

#endif
