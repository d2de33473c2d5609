// SPDX-License-Identifier: BSD-3-Clause
/* Memory: what arrays use, what is kept for reuse, what is to be had, and what was lacking when an array could not be made.
 *
 * Released blocks are kept in a pool per memory space (setting "pool") and handed out again. Before a request fails the
 * pool, the plug-ins' workspaces and the plan caches are given back and the request is repeated; the failure that is then
 * reported has its numbers (hed_error_memory). Functions that take a SPEC mean its device's memory; NULL is the calling
 * thread's. All host backends share one space. Any thread.
 */
#ifndef HEDDLE_MEMORY_H
#define HEDDLE_MEMORY_H

#include <heddle/array.h>
#include <heddle/context.h>

HED_BEGIN_DECLS

/* Set struct_size before the call. Bytes, and counts since the start of the process. */
typedef struct hed_memory_info {
  uint32_t struct_size;
  char space[48];          /* "host", "cuda:0" */
  size_t in_use;           /* arrays alive */
  size_t in_flight;        /* released, but the device may still be using them */
  size_t cached;           /* kept for reuse */
  size_t peak;             /* most ever in use */
  size_t pool_limit;       /* bound on what is kept */
  size_t limit;            /* the calling thread's context's, 0 = none */
  size_t largest_free;     /* largest block that is kept */
  size_t total, available; /* of the space, to this process; 0 = not known */
  uint64_t n_alloc;        /* requests granted */
  uint64_t n_hit;          /* of them, from what was kept */
  uint64_t n_trim;         /* kept blocks that went back to the system or the device */
  uint64_t n_oom_retry;    /* requests repeated after memory was given back */
} hed_memory_info;

/* Numbers of a space; see struct hed_memory_info. */
HED_API hed_status hed_memory_query(const char *spec, hed_memory_info *out);

/* ---- what is to be had ---- */

/* Bytes that arrays of the current context can still take: in host memory the least of free RAM, the control groups'
 * limits, the resource limits (each with what the pool keeps) and what the context's limit leaves; on a device what it
 * reports, and the context's limit. Negative status on failure. */
HED_API int64_t hed_get_available_memory(void);

/* Set the limit of the innermost frame's context, or of the thread's base, as hed_set_backend(";memory=BYTES") does: it
 * replaces one that was set there before. 0 takes that one away; what an outer context imposes stays. */
HED_API hed_status hed_set_available_memory(size_t bytes);

/* ---- giving back ---- */

typedef enum hed_trim_level {
  HED_TRIM_BLOCKS,     /* blocks of arrays that are kept for reuse */
  HED_TRIM_WORKSPACES, /* and the backend's scratch memory */
  HED_TRIM_PLANS       /* and plans of transforms and contractions, which take time to make again */
} hed_trim_level;

/* Give back at least BYTES of the space's memory, blocks that lie longest first, as far as LEVEL allows; returns how many
 * were. Small blocks that other threads keep go at their next call. */
HED_API size_t hed_trim(const char *spec, size_t bytes, hed_trim_level level);

/* Give back all that is kept, in all spaces, plans included. Bytes. */
HED_API size_t hed_free_cache(void);

/* Wait until the device has done everything submitted so far; at once in host memory. A failed operation's failure stays
 * with its arrays; HED_E_UNAVAILABLE when the device is lost. */
HED_API hed_status hed_synchronize(const char *spec);

/* ---- a meter: use of memory since it was begun, whatever others measure ---- */

typedef struct hed_memory_meter {
  uint64_t slot, allocs;
  size_t start;
  char space[48];
} hed_memory_meter;

typedef struct hed_memory_reading {
  uint32_t struct_size;
  size_t start, now, peak; /* bytes in use in the space, all threads */
  uint64_t n_alloc;        /* since the beginning */
} hed_memory_reading;

/* HED_E_LIMIT when 64 are running. */
HED_API hed_status hed_memory_meter_begin(const char *spec, hed_memory_meter *out);
/* Use now, and the most since the meter was begun. */
HED_API hed_status hed_memory_meter_read(const hed_memory_meter *m, hed_memory_reading *out);
HED_API void hed_memory_meter_end(hed_memory_meter *m); /* idempotent */

/* ---- what was lacking ---- */

/* Set struct_size before the call. */
typedef struct hed_memory_failure {
  uint32_t struct_size;
  int32_t status;        /* HED_E_NOMEM, HED_E_DEVMEM, HED_E_LIMIT */
  size_t requested;
  size_t in_use, cached; /* of the space, or of what counts towards the context's limit */
  size_t limit;          /* what the space has in all, 0 = not known; or the context's limit */
  size_t largest_free;   /* the largest request that could have been granted, as far as is known */
  char space[48];
} hed_memory_failure;

/* The numbers of the calling thread's most recent failure; HED_E_NOTFOUND (which does not become the thread's error) when
 * that was not for want of array memory. */
HED_API hed_status hed_error_memory(hed_memory_failure *out);

HED_END_DECLS

#endif
