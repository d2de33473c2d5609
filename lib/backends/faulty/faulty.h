// SPDX-License-Identifier: BSD-3-Clause
/* faulty: a device that does not exist, for tests. L1.
 *
 * Two devices with a memory of their own (64 MiB each), whose addresses fault when the host follows them, and one
 * queue each that does operations in order, later than they were asked for. No float64, no complex128. It fails where
 * it is told to, see hed_faulty_control. Everything a backend for real hardware has to cope with, without hardware.
 *
 * Locks: a device's lock covers its memory and its queue; the settings' lock is taken inside it, never the other way.
 */
#ifndef HED_FAULTY_H
#define HED_FAULTY_H

#include <heddle/backend.h>
#include <pthread.h>
#include <signal.h>

enum { HED__FAULTY_DEVICES = 2, HED__FAULTY_MAX_IN = 3, HED__FAULTY_FAILURES = 1024 };

typedef struct hed__faulty_job hed__faulty_job;

/* What a job does when its turn comes; views point at real memory by then. */
typedef void (*hed__faulty_run)(hed__faulty_job *job);

struct hed__faulty_job {
  hed__faulty_job *next;
  hed__faulty_run run;         /* NULL: the job gives back a block of memory */
  uint64_t ticket;
  int32_t op, n_in;
  bool inject, sticky;         /* fail instead of running; and the device with it */
  hed_view in[HED__FAULTY_MAX_IN], out;
  union {
    hed_fill_params fill;
    hed_reduce_params reduce;
  } params;
  int32_t n_wait;
  uint64_t *wait;              /* behind the job, in its own block */
};

/* A piece of the device's memory; the pieces are in order of address and cover it. */
typedef struct hed__faulty_block {
  hed__faulty_job release;     /* queued when the block is freed: what was submitted before may still use it */
  struct hed__faulty_block *prev, *next;
  size_t offset, bytes;
  bool used;
} hed__faulty_block;

typedef struct hed__faulty_failure {
  uint64_t ticket;
  int32_t op;                  /* the operation that failed first, not the ones that it poisoned */
  char text[200];
} hed__faulty_failure;

typedef struct hed__faulty_device {
  const hed_host_api *host;
  int32_t index;
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  volatile sig_atomic_t forked; /* set in a child of fork, where the worker does not exist */
  bool dead;                    /* a sticky failure happened */
  char dead_text[200];
  /* memory */
  char *address, *memory;       /* what the host sees (no access), what is behind it */
  size_t bytes, used;
  hed__faulty_block *blocks;
  /* queue */
  hed__faulty_job *first, *last;
  uint64_t issued, completed;   /* tickets */
  uint64_t queued, finished;    /* jobs of every kind */
  int64_t waiting;              /* threads */
  hed__faulty_failure failures[HED__FAULTY_FAILURES]; /* a ring */
  uint64_t n_failures;
} hed__faulty_device;

/* ---- memory.c ---- */
bool hed__faulty_memory_init(hed__faulty_device *d, size_t bytes);
void hed__faulty_memory_drop(hed__faulty_device *d);
int32_t hed__faulty_alloc(void *state, size_t bytes, void **out);
int32_t hed__faulty_memory(void *state, hed_plugin_memory *out);
void hed__faulty_free(void *state, void *p);
/* Called by the queue, with the lock held. */
void hed__faulty_block_release(hed__faulty_device *d, hed__faulty_block *b);
/* Device address to the memory behind it. */
void *hed__faulty_real(const hed__faulty_device *d, const void *p);
int32_t hed__faulty_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                            int32_t n);
int32_t hed__faulty_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                             int32_t n);

/* ---- queue.c ---- */
bool hed__faulty_queue_start(hed__faulty_device *d);
/* The lock is held by the caller of these three. */
void hed__faulty_enqueue(hed__faulty_device *d, hed__faulty_job *job);
void hed__faulty_drain(hed__faulty_device *d, bool releases); /* or only the releases at the head of the queue */
const hed__faulty_failure *hed__faulty_failed(const hed__faulty_device *d, const uint64_t *tickets, int32_t n);
int32_t hed__faulty_submit(void *state, const hed_call *call, hed__faulty_run run);
int32_t hed__faulty_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap);
int32_t hed__faulty_done(void *state, uint64_t ticket);

/* ---- kernels.c ---- */
extern const hed_op_entry hed__faulty_ops[];

/* ---- control.c ---- */
typedef struct hed__faulty_settings {
  pthread_mutex_t lock;
  int64_t fail;          /* the n-th submission from now fails; 0: none */
  int64_t sticky;        /* as fail, and the device stays dead */
  int64_t oom;           /* the n-th allocation from now finds no memory; 0: none */
  int64_t full;          /* not 0: no allocation finds memory */
  int64_t hold;          /* not 0: operations stand still until somebody waits for the queue */
  int64_t ordered;       /* not 0 when the module is loaded: says that it is HED_PLUGIN_ORDERED */
  int64_t init_fail;     /* so many initialisations fail from now on */
  int64_t init_sleep_ms, delay_us;
  int64_t memory;        /* bytes of a device that is made from now on */
  int64_t devices;
  int64_t probe;         /* 0: not usable here */
  /* counters */
  int64_t probes, inits, submissions, allocations, frees, waits, copies;
} hed__faulty_settings;

extern hed__faulty_settings hed__faulty;

/* Environment, once. */
void hed__faulty_configure(void);
/* Counts *COUNTER up and *COUNTDOWN down; true when the countdown has just reached 0. */
bool hed__faulty_tick(int64_t *counter, int64_t *countdown);

/* For tests, found by dlsym in the module:
 * COMMAND is "name=number" items separated by ';' (names of the settings above), or "reset". 0, or -1 for a command
 * that is not understood. */
HED_API int hed_faulty_control(const char *command);
/* A setting or counter by name; -1 when there is none. */
HED_API int64_t hed_faulty_query(const char *name);

#endif
