// SPDX-License-Identifier: BSD-3-Clause
/* The plug-in interface: what a backend gives and what it gets. Built-in backends and modules use the same.
 *
 * A module is a shared object with one entry symbol, HED_PLUGIN_SYMBOL, returning a constant hed_plugin. It links to
 * nothing of Heddle: services come through hed_host_api. Every struct begins with its size; a side reads only the
 * bytes both know. Modules are never unloaded, own no thread-local variables (thread_slot serves), change no
 * process-wide switch, and print nothing.
 *
 * Kernels get pointers, counts and strides: shapes are checked, results allocated and dtypes settled before.
 */
#ifndef HEDDLE_BACKEND_H
#define HEDDLE_BACKEND_H

#include <heddle/array.h>
#include <heddle/kernel.h>
#include <heddle/ops.h>
#include <heddle/params.h>
#include <heddle/runtime.h>

HED_BEGIN_DECLS

/* A plug-in of another major number is refused. Minor 1: fuse takes reductions along axes, var and std, and results that
 * are operands; a plug-in of a smaller one has the calls of a fusion scope run one by one. Minor 2: it takes argmax and
 * argmin, which for a plug-in of a smaller one run at once. Minor 3: the plug-in gives the names of its operations (op_names),
 * so that either side may have been built with another list; streams, scalars in host memory, fusion on devices, indices
 * that the device checks, copies that do not wait, and copies between devices. Minor 4: the host says when a ticket's failure is
 * wanted no more (forget), gives streams of the program back (stream_release), and asks whose memory is (owns); of a plug-in of
 * a smaller one it does not. */
enum { HED_ABI_MAJOR = 1, HED_ABI_MINOR = 4 };
#define HED_PLUGIN_SYMBOL "hed_plugin_entry_v1"

/* ---- what a module gives ---- */

typedef struct hed_plugin_resolution {
  uint32_t struct_size;
  int32_t support;         /* hed_support */
  int32_t storage, accum;  /* hed_dtype_id; NONE: storage is the nearest that works */
  int64_t native;
  const char *native_name;
} hed_plugin_resolution;

typedef struct hed_plugin_memory {
  uint32_t struct_size;
  uint64_t total, free, largest; /* bytes; largest block that could be had; 0 = not known */
} hed_plugin_memory;

typedef struct hed_plugin {
  uint32_t struct_size, abi_major, abi_minor, n_ops; /* n_ops: HED_OP_COUNT_ it was built with */
  const char *name, *version;
  const hed_op_entry *ops;
  uint32_t flags;          /* HED_PLUGIN_*, below */

  /* Could this work here? Score above 0, or 0 with the reason in WHY. Must not initialise a driver. Required. */
  int32_t (*probe)(char *why, size_t cap);
  /* Number of devices; called after a probe above 0, may initialise the driver. NULL: one. Where it is 0, probe is asked once
   * more, and may say why. */
  int32_t (*devices)(void);
  /* Make device DEVICE ready. HOST stays valid for ever. Called once per device, with no lock held. Required. */
  int32_t (*init)(const hed_host_api *host, int32_t device, void **state);
  /* What a concrete dtype means here. NULL: every dtype native. */
  int32_t (*resolve)(void *state, int32_t dtype, hed_plugin_resolution *out);
  /* One line about the device. Optional. */
  void (*describe)(void *state, char *buf, size_t cap);

  /* Memory of a space of its own; required without HED_PLUGIN_HOST_MEMORY. The host keeps blocks for reuse, so these are
   * not called for each array. alloc must not call trim; trim and free must not alloc. */
  int32_t (*alloc)(void *state, size_t bytes, void **out);  /* HED_E_DEVMEM when full */
  void (*free)(void *state, void *p);                       /* any thread */
  /* Strided copies between host views and device views of equal shape and dtype; wait_for as in hed_call.
   * copy_out returns when the data is there; both deliver failures of what they wait for. */
  int32_t (*copy_in)(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
  int32_t (*copy_out)(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
  /* Wait for TICKET and all before it in its stream; TICKET's failure with text and the operation's number (the plug-in's) in
   * *op, -1 as before for what is none, a copy. HED_E_UNAVAILABLE: the device is lost for good. Asynchronous backends only. */
  int32_t (*wait)(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap);

  /* Least m >= n that transforms fast; NULL: factors 2, 3, 5, 7. */
  int64_t (*fft_good_size)(void *state, int64_t n);
  /* Release cached memory until WANT bytes are free; returns bytes released. LEVEL 0: scratch memory; 1: also what takes
   * time to make again, such as plans. Optional. */
  size_t (*trim)(void *state, size_t want, int32_t level);
  void (*thread_exit)(void *state, void *slot);             /* a thread that had a slot ends. Optional. */
  void (*fork_child)(void *state);                          /* async-signal-safe work only. Optional. */

  /* Fourier plans that outlive a call. CALL is one of FFT as its kernel gets it, but the data pointers tell alignment and
   * identity only: nothing is there to be read. The plan comes back in hed_fft_params.plan, in calls that may differ in
   * pointers, strides and threads, from several threads at once. Optional, both or none. */
  int32_t (*fft_plan_make)(void *state, const hed_call *call, void **plan);
  void (*fft_plan_free)(void *state, void *plan);
  /* What planning has learnt, as text: from the host's alloc, of SIZE bytes; and back, where TEXT NULL means to forget.
   * HED_E_FORMAT leaves what was known as it was. Optional, both or none. */
  int32_t (*fft_wisdom_export)(void *state, char **text, size_t *size);
  int32_t (*fft_wisdom_import)(void *state, const char *text, size_t size);
  int32_t dlpack_device;   /* DLPack's device type of the memory (2 CUDA, 4 OpenCL ...), 0: not exchanged */

  /* 1 when TICKET and all before it in its stream are done, without waiting; a block that was released while in use is handed
   * out again after that. NULL: not before somebody waited. */
  int32_t (*done)(void *state, uint64_t ticket);
  int32_t (*memory)(void *state, hed_plugin_memory *out);   /* the device's memory as it is now. Optional. */

  /* A pass over memory that does several operations, for which rows of OPS list the compute types: elementwise ones and
   * astype with the same bits as one by one; all, any, argmax, argmin, count_nonzero, max, mean, min, prod, std, sum and var
   * to rounding.
   * Up to HED_FUSED_STEPS steps with HED_FUSED_IN operands. In host memory, or with HED_PLUGIN_FUSE_DEVICE in the device's.
   * Optional: without it, and where it returns HED_E_UNSUPPORTED before anything is submitted, they run one by one. */
  int32_t (*fuse)(void *state, const hed_fused_call *call);

  /* Names of the n_ops operations that the plug-in was built with, each once, in the order of their numbers: hed_op_names
   * of <heddle/op_names.h>. Operations and their numbers are matched by name, whatever list the host has. Required from
   * minor 3 on. A plug-in of a smaller one has the list of minor 2, which n_ops must agree with: with another list it is
   * refused. A host of a smaller minor does not look here, so a plug-in that looks at op refuses it. */
  const char *const *op_names;

  /* Number of the stream that the calling thread's submissions go to; a negative status when there is none to be had.
   * Required with HED_PLUGIN_STREAMS. Cheap: it is asked before submissions and for memory. */
  int32_t (*stream)(void *state);
  /* copy_in that does not wait for the device: SRC has been read when it returns, the rest follows in the stream, and *TICKET
   * stands for it. WAIT_FOR and AFTER as in hed_call. Optional: without it copy_in is used. */
  int32_t (*copy_in_async)(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n_wait_for,
                           const uint64_t *after, int32_t n_after, uint64_t *ticket);
  /* A strided copy to this device (STATE, DST) from another one of the plug-in (SRC_STATE, SRC), in this one's stream: SRC_WAIT
   * lists what wrote SRC, tickets of the other device. *TICKET is this device's, *SRC_TICKET what SRC's memory must be kept for, a
   * ticket of the other device, 0 for none. HED_E_UNSUPPORTED: through host memory. Optional. */
  int32_t (*copy_peer)(void *state, const hed_view *dst, void *src_state, const hed_view *src, const uint64_t *wait_for,
                       int32_t n_wait_for, const uint64_t *after, int32_t n_after, const uint64_t *src_wait,
                       int32_t n_src_wait, uint64_t *ticket, uint64_t *src_ticket);

  /* Streams as the program sees them, for exchange with other libraries; all or none, and only with HED_PLUGIN_STREAMS. Handles
   * 1 and 2 are the default streams, legacy and per thread, of devices that have them.
   * stream_native: handle of the calling thread's stream. stream_adopt: number of a stream that the program made, for its
   * handle; the same handle has the same number for as long as it is not released. stream_select: what the calling thread submits
   * goes to that number, where that is the per-thread default stream to the calling thread's, which `stream' has the number of; -1:
   * to its own again. stream_after: what is submitted to HANDLE from now on begins after TICKETS (n = 0: after all that the
   * calling thread's stream holds). after_stream: what the calling thread submits from now on begins after all that HANDLE
   * holds. */
  int32_t (*stream_native)(void *state, void **handle);
  int32_t (*stream_adopt)(void *state, void *handle);
  int32_t (*stream_select)(void *state, int32_t stream);
  int32_t (*stream_after)(void *state, void *handle, const uint64_t *tickets, int32_t n);
  int32_t (*after_stream)(void *state, void *handle);

  /* Most bytes at once that CALL, one as its kernel gets it but without data (NULL), takes from the host's scratch; what
   * outlives it, as plans do, is not counted. 0: not known, or left to the reference backend. Asked for MAX_CORRELATION.
   * Optional. */
  size_t (*workspace)(void *state, const hed_call *call);

  /* Host memory that copies of the device read and write without staging; copies find out by the address, and keep what is
   * said of them. alloc: BYTES above 0, 64-byte aligned; free: by any thread. Optional, both or none. */
  int32_t (*pinned_alloc)(void *state, size_t bytes, void **out);
  void (*pinned_free)(void *state, void *p);

  /* One of the arrays that TICKET wrote is gone, or its failure was told, or a later ticket that waited for it stands for it.
   * Called once for each result of a submission (each member of out that is not NULL; a copy has one), by any thread, also when
   * the device is lost: after the last, TICKET is neither waited for nor listed any more, but by submissions under way, and
   * nobody has to know whether it failed. Must not wait. Optional: without it nothing is ever forgotten. */
  void (*forget)(void *state, uint64_t ticket);

  /* STREAM, which stream_adopt gave, is not needed any more, once for each time that it was given: the last time, what the plug-in
   * has for it is given back when what was submitted to it is done, and the number may stand for another stream. Optional. */
  void (*stream_release)(void *state, int32_t stream);

  /* HED_OK where the BYTES at P are the device's, or cannot be told from memory that is; else HED_E_INVAL with text. Optional. */
  int32_t (*owns)(void *state, const void *p, size_t bytes);

  /* The main thread ends, and the process with it as a rule, and nothing that libraries have registered for its end has run yet:
   * what a driver's compiler is about in other threads is to be waited for, which would lose its own objects. Optional. */
  void (*ending)(void *state);
} hed_plugin;

enum {
  HED_PLUGIN_HOST_MEMORY = 1, /* arrays in ordinary host memory: no memory functions needed */
  HED_PLUGIN_ORDERED = 2,     /* all that is submitted, copies included, takes effect in that order: a block is handed out
                               * again as soon as it is released */
  HED_PLUGIN_STREAMS = 4,     /* several streams: AFTER is followed, stream is given; not with ORDERED */
  HED_PLUGIN_HOST_SCALARS = 8, /* kernels of all rows take operands of one element from host memory (host_in) */
  HED_PLUGIN_FUSE_DEVICE = 16, /* fuse works in the device's memory */
  HED_PLUGIN_CHECKS_INDICES = 32 /* the indices of TAKE and TAKE_ALONG_AXIS and the places of GATHER_ND and SCATTER_ND that are in
                               * the device's memory come as they are: kernels count negative ones from the end, and one that is
                               * out of range (of the elements that are chosen from) is not followed and fails the submission,
                               * with a text that has the index and the extent */
};

/* HED_PLUGIN_SYMBOL's type; NULL refuses the host. */
typedef const hed_plugin *(*hed_plugin_entry_fn)(uint32_t host_abi_major, uint32_t host_abi_minor);

HED_END_DECLS

#endif
