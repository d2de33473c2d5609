// SPDX-License-Identifier: BSD-3-Clause
/* faulty: a device that does not exist, for tests. L1.
 *
 * Two devices, each with a memory of its own (64 MiB) whose addresses fault when the host follows them, and with two
 * streams or more, each a thread that does what was submitted to it in order and late. No float64, no complex128.
 * Kernels are the reference backend's, linked once more. It fails where it is told to, and it checks its host: a job
 * that finds its operands in another version than program order says fails (check.c). Everything a backend for real
 * hardware has to cope with, without hardware.
 *
 * Each of these calls those above it:
 *
 *   control.c   what it is told, what it saw     elements.c  from view to view      blocks.c    the device's memory
 *   check.c     versions of blocks               job.c       what a job holds       fate.c      which jobs failed
 *   queue.c     streams, waiting                 thread.c    whose stream           submit.c    jobs to streams
 *   memory.c    blocks for the host              pinned.c    needs no staging       copy.c      in, out, between
 *   exchange.c  streams of others                index.c     indices that jobs check
 *   kernels.c   rows                             fuse.c      passes                 plugin.c    the module's table
 *
 * One lock for all of it (control.c): a job of one device may wait for one of the other. Jobs run without it.
 */
#ifndef HED_FAULTY_H
#define HED_FAULTY_H

#include <heddle/backend.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { FAULTY_DEVICES = 2, FAULTY_STREAMS = 8, FAULTY_FATES = 1024, FAULTY_TEXT = 200 };

typedef struct faulty_device faulty_device;
typedef struct faulty_stream faulty_stream;
typedef struct faulty_job faulty_job;

/* ---- blocks.c, check.c ---- */

/* A piece of the device's memory; the pieces are in order of address and cover it. Reads and writes are counted in
 * program order when they are submitted, and again when they are over. */
typedef struct faulty_block {
  struct faulty_block *prev, *next;
  size_t offset, bytes;
  bool used, leaving;          /* leaving: given back before its last use is over */
  uint64_t writes, reads, written, read;
} faulty_block;

/* What a job does to a block, and the counts when it was submitted. */
typedef struct faulty_use {
  faulty_device *device;
  faulty_block *block;         /* NULL: nothing to read or write */
  bool write;
  int32_t operand;             /* its place in the call, results after operands */
  uint64_t writes, reads;
} faulty_use;

/* ---- jobs ---- */

/* What a job does when its turn comes: the views of its call point at real memory. A status; text by job->services. */
typedef int32_t (*faulty_run)(faulty_job *job);

/* What became of a job, while somebody may ask: the host, which has results of it, and jobs that wait for it. */
typedef struct faulty_fate {
  struct faulty_fate *next;
  uint64_t ticket;
  int32_t results, users;      /* that the host has; the job itself and those that wait for it */
  int32_t op, status;          /* the operation that failed first, not the ones that fail for it; HED_OK: none so far */
  char text[FAULTY_TEXT];
} faulty_fate;

/* A ticket of some device that is over before the job begins; where it fails and is STRICT, the job does too. */
typedef struct faulty_dep {
  faulty_device *device;
  uint64_t ticket;
  bool strict;
  faulty_fate *fate;           /* of a strict one, where it had one when the job was submitted */
} faulty_dep;

/* What is to become a job; pointers are the caller's. */
typedef struct faulty_request {
  faulty_run run;              /* NULL: nothing, once all it waits for is over */
  int32_t op;                  /* -1 for copies */
  int32_t n_in, n_out;
  const hed_view *const *in, *const *out;
  const uint32_t *host_in;     /* bit k % 32 of word k / 32: in[k] is in host memory; NULL: none is */
  bool in_place;               /* those are read where they are, by the time that the submission is waited for */
  faulty_device *in_device; /* where the others of IN are; NULL: on the job's own device */
  const void *params;
  int32_t compute;
  const uint64_t *wait_for, *after, *in_wait; /* IN_WAIT: tickets of IN_DEVICE, which only order where LENIENT */
  int32_t n_wait_for, n_after, n_in_wait;
  bool lenient;
  const hed_fused_call *fused;
} faulty_request;

struct faulty_job {
  faulty_job *next;
  faulty_device *device;
  faulty_run run;
  uint64_t value;              /* of its ticket */
  faulty_fate *fate;
  int64_t late_us;
  bool inject, sticky;         /* fail instead of running; and the device with it */
  int32_t status;
  char text[FAULTY_TEXT];
  hed_call call;
  faulty_dep *dep;
  int32_t n_deps;
  faulty_use *use;
  int32_t n_uses;
  int32_t n_steps, ndim;       /* of a fused pass */
  hed_fused_step *step;
  const int64_t *dim;
};

struct faulty_stream {
  faulty_device *device;
  int32_t number;
  faulty_job *first, *last;
  uint64_t issued, completed;  /* values of tickets */
};

struct faulty_device {
  const hed_plugin *plugin;
  const hed_host_api *host;
  hed_host_api services;        /* what kernels in jobs get for the host's */
  int32_t index;
  volatile sig_atomic_t forked; /* set in a child of fork, where the streams' threads do not exist */
  bool dead;
  char dead_text[FAULTY_TEXT];
  /* memory */
  char *address, *memory;       /* what the host sees (no access), what is behind it */
  size_t bytes, used;
  faulty_block *blocks;         /* in order of address */
  faulty_block **starts;        /* by address: the block that starts there */
  /* streams */
  faulty_stream stream[FAULTY_STREAMS];
  int32_t n_streams, n_own, next_stream; /* n_own: those that threads get */
  faulty_fate *fates[FAULTY_FATES]; /* by ticket modulo that */
};

extern pthread_mutex_t faulty_lock;
extern pthread_cond_t faulty_changed; /* what streams and waiting threads look at; with the lock */
static inline bool faulty_streams(const faulty_device *d) { return d->plugin->flags & HED_PLUGIN_STREAMS; }
static inline const char *faulty_name(const faulty_device *d, int32_t op) { return d->plugin->op_names[op]; }

/* ---- memory.c ---- */
int32_t faulty_alloc(void *state, size_t bytes, void **out);
int32_t faulty_memory(void *state, hed_plugin_memory *out);
void faulty_free(void *state, void *p);

/* ---- elements.c ---- */
/* Elements of SRC to DST, of equal shape and dtype, at addresses that can be followed. */
void faulty_copy(const hed_view *dst, const hed_view *src);

/* ---- blocks.c: the lock is held, but when D is made ---- */
bool faulty_memory_init(faulty_device *d, size_t bytes);
void faulty_memory_drop(faulty_device *d);
/* Device address to the memory behind it. */
void *faulty_real(const faulty_device *d, const void *p);
/* The first free block that is large enough, split when there is more; NULL when full. */
faulty_block *faulty_block_take(faulty_device *d, size_t bytes);
/* The block that holds byte AT, in use or not; NULL outside of the memory. */
faulty_block *faulty_block_at(const faulty_device *d, int64_t at);
/* The block in use that holds all of V; NULL when none does or V has no elements. */
faulty_block *faulty_block_of(faulty_device *d, const hed_view *v);
/* B has no use left and is to go. */
void faulty_block_release(faulty_device *d, faulty_block *b);

/* ---- check.c: the lock is held ---- */
/* USES are submitted now. */
void faulty_note(faulty_use *use, int32_t n);
/* Is every block in the version that was noted, and, where it is written, read by nobody? Else a violation: HED_E_INTERNAL,
 * and TEXT says which is not. */
int32_t faulty_versions(const faulty_use *use, int32_t n, const char *what, char *text);
/* The uses are over. */
void faulty_over(const faulty_use *use, int32_t n);

/* ---- job.c ---- */
/* A job with copies of all that R lists; NULL without memory. Released by the host's free. */
faulty_job *faulty_job_new(faulty_device *d, const faulty_request *r);
void faulty_run_job(faulty_job *job);
void faulty_services(faulty_device *d);
size_t faulty_params_size(int32_t op);

/* ---- fate.c: the lock is held ---- */
/* JOB, which waits for what its dependencies list, begins to have a fate of its own, with so many RESULTS: under TICKET. */
void faulty_fate_begin(faulty_job *job, uint64_t ticket, int32_t results);
/* JOB is over. OP is to blame where it failed. */
void faulty_fate_end(faulty_job *job, int32_t op);
/* What is known of TICKET, NULL when that is nothing bad. */
const faulty_fate *faulty_failed(const faulty_device *d, uint64_t ticket);
/* Is TICKET's job over, and did it not fail? Takes the lock. */
bool faulty_fine(faulty_device *d, uint64_t ticket);
/* Not under the lock. */
void faulty_forget(void *state, uint64_t ticket);

/* ---- queue.c ---- */
/* The lock is held by the callers of these. */
bool faulty_stream_start(faulty_device *d);
void faulty_enqueue(faulty_stream *s, faulty_job *job);
void faulty_await(const faulty_device *d, const uint64_t *tickets, int32_t n);
void faulty_drain(const faulty_device *d); /* all that was submitted so far */
bool faulty_is_dead(faulty_device *d);

int32_t faulty_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap);
int32_t faulty_done(void *state, uint64_t ticket);
/* In a child of fork. */
void faulty_forget_threads(void);

/* ---- thread.c ---- */
faulty_stream *faulty_own_stream(faulty_device *d);
void faulty_roam(faulty_device *d);
int32_t faulty_stream_number(void *state);
int32_t faulty_stream_select(void *state, int32_t stream);

/* ---- submit.c ---- */
/* To the calling thread's stream, or to STREAM when it is not NULL. */
int32_t faulty_submit(faulty_device *d, const faulty_request *r, faulty_stream *stream, uint64_t *ticket);

/* ---- exchange.c ---- */
extern faulty_device *faulty_made[FAULTY_DEVICES]; /* the last of each number */
int32_t faulty_stream_native(void *state, void **handle);
int32_t faulty_stream_adopt(void *state, void *handle);
int32_t faulty_stream_after(void *state, void *handle, const uint64_t *tickets, int32_t n);
int32_t faulty_after_stream(void *state, void *handle);

/* ---- copy.c ---- */
int32_t faulty_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t faulty_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t faulty_copy_in_async(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                             int32_t n_wait_for, const uint64_t *after, int32_t n_after, uint64_t *ticket);
int32_t faulty_copy_peer(void *state, const hed_view *dst, void *src_state, const hed_view *src,
                         const uint64_t *wait_for, int32_t n_wait_for, const uint64_t *after, int32_t n_after,
                         const uint64_t *src_wait, int32_t n_src_wait, uint64_t *ticket, uint64_t *src_ticket);
/* ---- pinned.c ---- */
int32_t faulty_pinned_alloc(void *state, size_t bytes, void **out);
void faulty_pinned_free(void *state, void *p);
/* Does V lie in such memory? */
bool faulty_is_pinned(const hed_view *v);

/* ---- kernels.c, index.c, fuse.c ---- */
extern const hed_op_entry faulty_ops[], faulty_few_ops[];
/* The kernel of CALL's operation, in a job. */
int32_t faulty_kernel(faulty_job *job, const hed_call *call);
/* JOB's indices, wrapped, in *LIST, a scratch block, in place of those it was given; HED_E_INVAL names one that is out of
 * range. NULL where there is nothing to wrap. */
int32_t faulty_wrap_indices(faulty_job *job, void **list);
int32_t faulty_fuse(void *state, const hed_fused_call *call);

/* ---- control.c ---- */

/* Settings, then counters. KIND of call: the n-th of them from now fails, 0: none. */
#define FAULTY_SETTINGS(S) \
  S(fail, 0)           /* the n-th submission from now fails when its turn comes */ \
  S(sticky, 0)         /* as fail, and the device stays dead */ \
  S(lose, 0)           /* device LOSE - 1 is dead */ \
  S(oom, 0)            /* the n-th allocation from now finds no memory */ \
  S(full, 0)           /* not 0: no allocation finds memory */ \
  S(fail_any, 0)       /* the n-th call of any kind */ \
  S(fail_free, 0)      /* its block stays in use for ever */ \
  S(fail_copy_in, 0) \
  S(fail_copy_in_async, 0) \
  S(fail_copy_out, 0) \
  S(fail_copy_peer, 0) \
  S(fail_submit, 0) \
  S(fail_wait, 0) \
  S(fail_done, 0)      /* says no */ \
  S(fail_stream, 0) \
  S(fail_pinned, 0) \
  S(fail_fuse, 0) \
  S(refuse, 0)         /* the n-th submission from now is HED_E_UNSUPPORTED */ \
  S(init_fail, 0)      /* so many initialisations fail from now on */ \
  S(init_sleep_ms, 0) \
  S(hold, 0)           /* not 0: operations stand still until somebody waits */ \
  S(delay_us, 100)     /* by which each job that is submitted from now on is late */ \
  S(jitter_us, 0)      /* and at most so much more, at random */ \
  S(seed, 1)           /* of that */ \
  S(check, 1)          /* 0: versions of blocks are not: two parts of one may be written at once */ \
  S(roam, 0)           /* not 0: a thread goes on to its next stream after each submission */ \
  S(probe, 1)          /* its score, 0: not usable here */ \
  /* when a device is made */ \
  S(memory, 64 << 20)  /* its bytes */ \
  S(devices, FAULTY_DEVICES) \
  S(queues, 2)         /* streams that threads get in turn */ \
  /* when the module is loaded: what it says of itself */ \
  S(minor, 4)          /* less: a plug-in of that time */ \
  S(few, 0)            /* not 0: float32, and few kernels */ \
  S(ordered, 0)        /* HED_PLUGIN_ORDERED, one stream */ \
  S(streams, 1)        /* HED_PLUGIN_STREAMS and what goes with it */ \
  S(scalars, 1)        /* HED_PLUGIN_HOST_SCALARS */ \
  S(pinned, 1)         /* host memory that copies need not stage */ \
  S(fusion, 1)         /* HED_PLUGIN_FUSE_DEVICE */ \
  S(indices, 1)        /* HED_PLUGIN_CHECKS_INDICES */

#define FAULTY_COUNTERS(S) \
  S(probes, 0) S(inits, 0) S(submissions, 0) S(allocations, 0) S(frees, 0) S(waits, 0) \
  S(copies, 0)         /* through the host */ \
  S(bytes_in, 0) S(bytes_out, 0) /* "bytes_in:1": device 1's */ \
  S(peer_copies, 0) S(fusions, 0) \
  S(pins, 0) S(unpins, 0) \
  S(unstaged, 0)       /* bytes of copies from and to pinned memory */ \
  S(overlap, 0)        /* the most jobs that ran at one time */ \
  S(fates, 0)          /* of jobs that the host has results of, and did not wait for, or that failed */ \
  S(violations, 0)     /* of program order, by the host */

typedef struct faulty_settings {
#define S(name, initial) _Atomic int64_t name;
  FAULTY_SETTINGS(S)
  FAULTY_COUNTERS(S)
#undef S
  _Atomic int64_t device_bytes_in[FAULTY_DEVICES], device_bytes_out[FAULTY_DEVICES];
} faulty_settings;

extern faulty_settings faulty_state;

/* The host broke program order: counted, logged, and TEXT kept when it is the first. */
void faulty_violated(const faulty_device *d, const char *text);
/* Environment, once. */
void faulty_configure(void);
/* Counts *COUNTER up, if there is one, and *COUNTDOWN down; true when it has just reached 0. */
bool faulty_tick(_Atomic int64_t *counter, _Atomic int64_t *countdown);
/* The same of one of the calls that fail_any counts. */
bool faulty_call(_Atomic int64_t *counter, _Atomic int64_t *countdown);

/* ---- for tests, found by dlsym in the module ---- */

/* COMMAND is "name=number" items separated by ';' (names of the settings above), or "reset". 0, or -1 for a command that
 * is not understood. */
HED_API int hed_faulty_control(const char *command);
/* A setting or counter by name; -1 when there is none. */
HED_API int64_t hed_faulty_query(const char *name);
/* The first violation; "" when there was none. */
HED_API const char *hed_faulty_violation(void);
/* A stream as a program has it that uses device DEVICE without Heddle: its handle, NULL when the device is not made or has
 * FAULTY_STREAMS already. FN runs in its order. The memory behind an address of the device, for FN. */
HED_API void *hed_faulty_stream(int device);
HED_API int hed_faulty_launch(void *handle, void (*fn)(void *arg), void *arg);
HED_API void *hed_faulty_pointer(const void *address);

#endif
