// SPDX-License-Identifier: BSD-3-Clause
/* What a kernel gets: operands, the call, the services of the host. Part of the plug-in interface (<heddle/backend.h>
 * includes it), and apart from it so that kernels depend neither on the list of operations nor on what a module gives.
 */
#ifndef HEDDLE_KERNEL_H
#define HEDDLE_KERNEL_H

#include <heddle/array.h>
#include <heddle/params.h>
#include <heddle/runtime.h>

HED_BEGIN_DECLS

/* ---- operands ---- */

typedef struct hed_view {
  void *data;     /* element [0, 0, ...]; a device address in other memory spaces */
  int32_t dtype;  /* hed_dtype_id, concrete */
  int32_t ndim;
  int64_t dim[HED_MAX_NDIM];
  int64_t stride[HED_MAX_NDIM]; /* bytes; any sign, 0 where broadcast */
} hed_view;

/* ---- the asynchronous contract ----
 *
 * A device works in streams: queues of submissions, each done in order. A submission has a ticket: the number of its stream
 * in the upper 16 bits, and a value above 0 in the lower 48, which rises within the stream. A plug-in without
 * HED_PLUGIN_STREAMS has one stream, number 0. Tickets of different streams say nothing of each other's order.
 *
 * Each calling thread submits to a stream of its own, which the plug-in keeps in the thread's slot. What a submission needs
 * of other streams, the host lists:
 *   WAIT_FOR  what wrote the operands and the memory of the results: it is done before this one begins; when one of them
 *             failed, this one fails too, with the operation and text of the first in the list that did, and does not run;
 *   AFTER     what still reads or writes the memory of the results: it is over before this one begins, failed or not.
 * Tickets of the stream itself may be among them, and need nothing. The device waits, never the calling thread.
 */

/* ---- calls ---- */

typedef struct hed_call {
  uint32_t struct_size;
  int32_t op;                   /* hed_op, as the plug-in numbers it */
  int32_t n_in, n_out;
  const hed_view *const *in;    /* elementwise: already broadcast to out[0]'s shape */
  const hed_view *const *out;
  const void *params;           /* see above; NULL when the operation has none */
  int32_t compute;              /* hed_dtype_id to compute or accumulate in; operands may differ and are converted: but
                                 * signed integers are compared with uint64 exactly, by sign first, though this is FLOAT64.
                                 * A 16-bit float only where float32 would give another number: nextafter */
  int32_t max_threads;          /* ceiling for this call, at least 1; ask threads_acquire for what is free */
  /* Asynchronous backends: write the submission's ticket (not 0) here; it is NULL for none. WAIT_FOR and AFTER: above. */
  uint64_t *ticket;
  const uint64_t *wait_for;
  int32_t n_wait_for;
  /* Elementwise operations on operands of one shape, each contiguous in C order, inputs of type COMPUTE (a condition: of
   * bool) and the result of the type that the operation has for them, and reductions over all axes of such an operand: its
   * number of elements. 0: look at the views. */
  int64_t flat;
  /* HED_PLUGIN_STREAMS: see above. */
  const uint64_t *after;
  int32_t n_after;
  /* HED_PLUGIN_HOST_SCALARS: bit k is set where in[k] is a single element in host memory (its strides are 0), which is
   * there during the call only. */
  uint32_t host_in;
} hed_call;

/* STATE is what init returned for the device. Returns a status; text through hed_host_api.fail. HED_E_UNSUPPORTED leaves
 * this call to another backend in host memory, as if there were no kernel. */
typedef int32_t (*hed_op_fn)(void *state, const hed_call *call);

typedef struct hed_op_entry {   /* a list of these ends with name NULL */
  const char *name;             /* row of ops.def, among op_names; names unknown to the host are ignored and reported */
  hed_op_fn fn;
  uint32_t dtypes;              /* bit (1 << hed_dtype_id) of compute types done natively; 0 = all */
} hed_op_entry;

/* ---- several operations in one pass ---- */

/* One of the operations: elementwise, or the reduction of a value over some axes at the end of it: neighbours, but for axes
 * of extent 1, and the same ones for all reductions of a call. Values are numbered: the call's operands, then the steps in
 * order. A value has the dtype of its array: what COMPUTE gives is rounded to it. */
typedef struct hed_fused_step {
  int32_t op;           /* hed_op, as the plug-in numbers it */
  int32_t compute;      /* hed_dtype_id, as in hed_call */
  int32_t dtype;        /* hed_dtype_id of the value */
  int32_t n_in, in[3];  /* values with lower numbers; a reduction's is no step's operand */
  int32_t out;          /* index of the result that is this value, -1 when nobody wants it */
  const void *params;   /* as in hed_call */
} hed_fused_step;

enum { HED_FUSED_STEPS = 32, HED_FUSED_IN = 3 * HED_FUSED_STEPS };

typedef struct hed_fused_call {
  uint32_t struct_size;
  int32_t n_in, n_out, n_steps;
  /* Broadcast to the pass's shape. One may be a result that is no reduction's: of the same layout, and all steps that read
   * it come before the one that writes it, or are that one. Nothing else overlaps a result. */
  const hed_view *const *in;
  const hed_view *const *out;  /* contiguous and of the pass's shape, for a reduction with extents 1 where axes go */
  const hed_fused_step *step;
  int32_t max_threads, ndim;
  const int64_t *dim;          /* the pass's shape */
  /* HED_PLUGIN_FUSE_DEVICE: as in hed_call. Bit k % 32 of host_in[k / 32] is set where in[k] is in host memory; single
   * values always are. */
  uint64_t *ticket;
  const uint64_t *wait_for, *after;
  int32_t n_wait_for, n_after;
  uint32_t host_in[3];
  /* The ticket of in[k]'s writer, one of wait_for; 0: none. A pass fails as one: where an operand may still fail on which not all
   * results depend, HED_E_UNSUPPORTED has the steps called one by one. */
  const uint64_t *in_ticket;
} hed_fused_call;

/* ---- services of the host ---- */

/* A cache that hed_cache_list shows and that is emptied with the others when memory is asked back. Static storage, other
 * members zero. The functions may be called from any thread. */
typedef struct hed_cache {
  uint32_t struct_size;
  const char *name;                                /* "backend.what", below 48 bytes */
  void *arg;
  void (*stats)(void *arg, hed_cache_stats *out);  /* fills in everything but struct_size and name */
  size_t (*trim)(void *arg, size_t want);          /* releases unused entries, WANT bytes if there are; bytes released */
  void (*fork_child)(void *arg);                   /* in the child of fork; NULL: the owner does it itself */
  struct hed_cache *next;                          /* the host's */
  uint32_t claimed;
} hed_cache;

typedef struct hed_host_api {
  uint32_t struct_size, abi_major, abi_minor, n_ops;
  int32_t (*fail)(int32_t status, const char *format, ...) HED_PRINTF(2, 3);
  void *(*alloc)(size_t bytes, size_t align);  /* host memory for what stays, NULL when out of it */
  void (*free)(void *p);                       /* NULL is fine */
  int32_t (*threads_acquire)(int32_t want);    /* 1..want, never blocks */
  void (*threads_release)(int32_t got);
  void **(*thread_slot)(const void *plugin);   /* this thread's pointer for the plug-in; NULL when out of slots */
  void (*log)(int32_t level, const char *subsystem, const char *format, ...) HED_PRINTF(3, 4);
  void (*fftw_lock)(void);                     /* the lock that hosts share (hed_fftw_lock) */
  void (*fftw_unlock)(void);
  int32_t (*forked)(void);                     /* 1 in a child of fork: run serially */
  void (*cache_register)(hed_cache *c);        /* once or more often */
  const char *(*setting)(const char *name);    /* value of a configured setting, NULL when none is in force */
  /* Work space of the call under way, 64-byte aligned: from the host's pool, and, when the calling thread asks, towards the
   * memory limits of its context. NULL when there is none: fail with HED_E_NOMEM then has the numbers, and the status
   * HED_E_LIMIT where a limit was in the way. With no lock held that trim takes; released by any thread. */
  void *(*scratch)(size_t bytes);
  void (*scratch_free)(void *p);               /* NULL is fine */
  /* Profiles. The time, nanoseconds of CLOCK_MONOTONIC, or 0 while none is taken. And what the calling thread has done since FROM_NS,
   * which that gave; and what stream STREAM of the device called DEVICE ("cuda:1") did from BEGIN_NS to END_NS. NAME is copied. */
  uint64_t (*profile_time)(void);
  void (*profile_stage)(const char *name, uint64_t from_ns);
  void (*profile_track)(const char *device, int32_t stream, const char *name, uint64_t begin_ns, uint64_t end_ns);
} hed_host_api;

HED_END_DECLS

#endif
