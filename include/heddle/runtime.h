// SPDX-License-Identifier: BSD-3-Clause
/* The runtime seen from outside: backends and why they are or are not usable, configuration, log, statistics. */
#ifndef HEDDLE_RUNTIME_H
#define HEDDLE_RUNTIME_H

#include <heddle/array.h>
#include <heddle/context.h>

HED_BEGIN_DECLS

/* ---- backends ---- */

typedef enum hed_backend_state {
  HED_BACKEND_UNPROBED, HED_BACKEND_LOADING, HED_BACKEND_READY, HED_BACKEND_FAILED, HED_BACKEND_FORKED,
  HED_BACKEND_DISABLED
} hed_backend_state;

/* Set struct_size before the call. */
typedef struct hed_backend_info {
  uint32_t struct_size;
  int32_t state;           /* hed_backend_state */
  int32_t devices;         /* -1 while not loaded */
  int32_t score;           /* for automatic choice; 0 while not probed */
  bool host_memory;        /* works on arrays in host memory */
  char name[32], version[32];
  char path[256];          /* module file, "" when built in */
  char reason[512];        /* one sentence: why it is in that state */
} hed_backend_info;

/* Names known: built in, configured, found in the module directories, registered. Never loads anything.
 * Returns the count; writes up to CAP names (static strings). */
HED_API int hed_backend_list(const char **names, int cap);

/* Describe NAME without loading it. */
HED_API hed_status hed_backend_query(const char *name, hed_backend_info *out);

/* Load NAME if need be (once, whatever the number of threads asking) and say whether it is usable: its first device, or
 * with "cuda:1" that one. What failed is tried again, and a device that was lost is made anew; contexts and arrays of before
 * stay with the lost one. */
HED_API hed_status hed_backend_require(const char *name);

/* Load a module file by absolute path; its backend is known by its own name from then on. */
HED_API hed_status hed_backend_load(const char *path);

/* Every attempt at NAME in order: candidate path or device, stage (search, open, symbol, abi, probe, init, device), status,
 * the reason in words (the loader's own where it spoke). Returns the number of records. FN may be NULL. */
typedef void (*hed_report_fn)(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason);
HED_API int hed_backend_explain(const char *name, hed_report_fn fn, void *arg);

/* Does NAME do OP (hed_op) for elements of T itself, of other operations, through another backend, in host memory, or not?
 * Loads the backend. hed_support, or a negative status. */
HED_API int hed_backend_supports(const char *name, int op, hed_dtype t);

/* Description of device DEVICE of NAME into BUF (cut to CAP bytes); loads the backend. */
HED_API hed_status hed_backend_device(const char *name, int32_t device, char *buf, size_t cap);

/* ---- configuration ---- */

/* Call FN for every setting: name, value in force ("" when none), where it came from, valid during the call. Returns the
 * count. */
typedef void (*hed_setting_fn)(void *arg, const char *name, const char *value, const char *source);
HED_API int hed_config_list(hed_setting_fn fn, void *arg);

/* ---- log: nothing is printed; a host that wants messages gives a callback ---- */

typedef enum hed_log_level { HED_LOG_OFF, HED_LOG_ERROR, HED_LOG_WARN, HED_LOG_INFO, HED_LOG_DEBUG } hed_log_level;
typedef void (*hed_log_fn)(void *arg, hed_log_level level, const char *subsystem, const char *message);

/* Messages up to LEVEL go to FN, from any thread, which is not cancelled meanwhile; FN must not call back into Heddle. NULL turns it
 * off. */
HED_API void hed_log_set(hed_log_level level, hed_log_fn fn, void *arg);
HED_API hed_log_level hed_log_level_by_name(const char *name); /* "warn"; HED_LOG_OFF when unknown */

/* ---- tracing: one place through which every operation passes ---- */

typedef struct hed_trace_event {
  uint32_t struct_size;
  int32_t op;               /* hed_op */
  const char *backend;      /* whose operation it was, "cuda:1" */
  bool native;              /* false: it has no kernel for it, and another one ran its own: see by */
  int32_t status;
  uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC, of the call */
  int64_t elements;         /* of the first result */
  int32_t fused;            /* operations that were one pass over memory, of which OP is the last; 0: OP alone */
  const char *by;           /* whose kernel ran: BACKEND itself, or who did it for it, "cpu"; "" when it came to none */
} hed_trace_event;
typedef void (*hed_trace_fn)(void *arg, const hed_trace_event *e);

/* Record the calling thread's operations until called with NULL. */
HED_API hed_status hed_trace(hed_trace_fn fn, void *arg);

/* ---- statistics, summed over threads since the start ---- */

typedef struct hed_stats {
  uint32_t struct_size;
  uint64_t calls;       /* operations dispatched */
  uint64_t fallbacks;   /* run by another backend for want of a native kernel */
  uint64_t copies;      /* copies between memory spaces made under mix=copy or for a fallback */
  uint64_t narrowed;    /* arrays created in a narrower dtype under dtype=relaxed */
  uint64_t leaked_frames;
  uint64_t arrays_live; /* handles */
  uint64_t bytes_live, bytes_peak; /* storage made by Heddle, all spaces */
  uint64_t fused_passes; /* passes over memory that did several operations; these are among the calls, one by one */
  uint64_t fallbacks_reference; /* of the fallbacks, those that the reference backend ran */
} hed_stats;
/* Set struct_size before the call. */
HED_API hed_status hed_stats_get(hed_stats *out);

/* ---- caches: plans and memory that Heddle and its backends keep for reuse ---- */

typedef struct hed_cache_stats {
  uint32_t struct_size;
  int32_t entries, capacity; /* held now, held at most */
  uint64_t hits, misses;     /* lookups that found an entry, that made one */
  uint64_t waits;            /* hits that waited while another thread made the entry */
  uint64_t evictions;        /* entries dropped to make room */
  uint64_t bytes;            /* about what the entries take; 0 when not known */
  char name[48];             /* "einsum.paths" */
  int32_t in_use;            /* entries that somebody works with now */
} hed_cache_stats;
/* Call FN for every cache that has been used. Returns the count. FN may be NULL. */
typedef void (*hed_cache_fn)(void *arg, const hed_cache_stats *c);
HED_API int hed_cache_list(hed_cache_fn fn, void *arg);

/* ---- sharing FFTW with the host: planning in FFTW is not thread-safe, both sides use these locks ----
 * Not recursive: a thread that holds the lock calls FFTW's planner, not Heddle. */
HED_API void hed_fftw_lock(void);
HED_API void hed_fftw_unlock(void);

HED_END_DECLS

#endif
