// SPDX-License-Identifier: BSD-3-Clause
/* Devices, their streams and memory, submissions, what went wrong. L1.
 *
 * A submission: dev_submit_begin (whose stream, what it comes after), launches and copies, dev_submit_end (its ticket).
 * Programs are had before it begins: compiling takes long, and the stream's lock is held from begin to end.
 */
#ifndef HED_DEVICE_RUNTIME_H
#define HED_DEVICE_RUNTIME_H

#include "backends/device/device.h"
#include "backends/device/module.h"

enum {
  DEV_OWN_STREAMS = 32,        /* that threads get; more threads share them */
  DEV_STREAMS = 96,            /* and those that programs bring */
  DEV_PIECES = 4, DEV_PIECE = 1 << 20, /* of pinned memory, for copies */
  DEV_RECORDS = 256,           /* error records of a stream */
  DEV_RECORD_WORDS = 4,
  DEV_OPS = 256,               /* of a stream's last submissions */
  DEV_TEXT = 232
};

/* How operands lie, for which families have kernels each (launch/plan.c); a device keeps entries by it. */
typedef enum dev_layout { DEV_FLAT, DEV_ROWS, DEV_STRIDED, DEV_STRIDED64, DEV_TRANSPOSED, DEV_LAYOUTS } dev_layout;

/* ---- event.c ---- */

/* All that a stream held when it was made: VALUE and before. */
typedef struct dev_event {
  void *native;
  uint64_t value;
  atomic_int users;
} dev_event;

/* An event of S for VALUE, NULL when that is known to be over, or with *STATUS set when there is none to be had. S's lock is held. */
dev_event *dev_event_of(dev_stream *s, uint64_t value, int32_t *status);
void dev_event_drop(dev_device *d, dev_event *e);
/* Is E over: 1, 0, or a failure. */
int32_t dev_event_over(dev_stream *s, dev_event *e);
int32_t dev_event_wait(dev_stream *s, dev_event *e);

/* ---- stream.c ---- */

typedef struct dev_piece {
  void *memory;                /* pinned */
  dev_event *busy;
} dev_piece;

/* Scratch memory that was too small, or too large to keep, until its last use is over. */
typedef struct dev_retired {
  struct dev_retired *next;
  void *memory;
  size_t bytes;
  uint64_t value;
} dev_retired;

struct dev_stream {
  dev_device *device;
  int32_t number;
  void *native;                /* the port's; NULL: the number is free, all it stood for is over */
  void *handle;                /* of a program's own, else NULL */
  bool of_thread;              /* the default stream of one thread, which alone submits and records events: at each submission */
  int32_t users;               /* of a program's own: who has its number */
  pthread_mutex_t lock;        /* of submissions */
  atomic_uint_fast64_t issued, reached; /* values: the last given, and known to be over */
  dev_event *last;             /* the newest */
  int32_t threads;             /* whose own it is */
  dev_piece piece[DEV_PIECES];
  int32_t next_piece;
  void *scratch;
  size_t scratch_bytes;
  dev_retired *retired;
  void *record, *found;        /* DEV_RECORDS on the device; where they arrive, pinned */
  int32_t next_record;
  int32_t op[DEV_OPS];         /* by value modulo DEV_OPS; -1: a copy */
};

/* ---- errors.c ---- */

typedef struct dev_failure {
  uint64_t ticket;
  int32_t op, status;
  char text[DEV_TEXT];
} dev_failure;

/* Submissions of which it is not known whether they failed. */
typedef struct dev_check {
  uint64_t ticket, origin;     /* ORIGIN: the ticket whose record decides */
  int32_t record;              /* of the origin; -1: tainted by it */
  int32_t op, axis;
} dev_check;

/* ---- device.c ---- */

typedef struct dev_pinned dev_pinned;

struct dev_device {
  const dev_port *port;
  void *dev;
  const hed_host_api *host;
  const hed_plugin *plugin;
  int32_t index;
  char name[40];               /* "opencl:0" */
  dev_limits limits;
  volatile sig_atomic_t forked;
  atomic_bool lost;
  char lost_text[DEV_TEXT];
  pthread_mutex_t lock;        /* of what follows */
  dev_stream *stream[DEV_STREAMS];
  int32_t n_streams, n_own;
  struct dev_slab *slabs;
  dev_pinned *pinned;          /* blocks that programs have */
  dev_failure *failures;       /* a ring of n_failures so far */
  dev_check *checks;
  int32_t cap_checks;
  atomic_int n_checks, n_failures;
  pthread_mutex_t program_lock;
  pthread_cond_t program_made;
  dev_program **programs;      /* by hash of the spec */
  int32_t n_programs, cap_programs;
  uint64_t program_hits, program_waits;
  atomic_bool unsaved;         /* some have kernels that their files do not have */
  void (*save)(dev_device *d, bool now); /* writes these, NOW or when the last time was long ago; there with the first program */
  atomic_uint_fast64_t saved_ns;
  _Atomic(void *) *map_entry;  /* of family programs: [op][compute][layout] */
  _Atomic(void *) *cast_entry; /* [from][to][layout] */
};

/* ---- lost.c ---- */

/* HED_OK, or why D takes nothing: in a child of fork, lost. */
int32_t dev_usable(dev_device *d);
/* STATUS of a call of the port: with HED_E_UNAVAILABLE the device is lost. */
int32_t dev_status(dev_device *d, int32_t status);

/* ---- submissions: stream.c ---- */

typedef struct dev_submit {
  dev_device *device;
  dev_stream *stream;
  bool begun;                  /* something is in the stream */
  bool skip;                   /* what it waits for has failed: it does not run */
  bool tainted;                /* or may have */
  uint64_t origin;             /* whose failure it is */
  int32_t record, axis;        /* what its kernel checks: the record, else -1 */
  int32_t op;                  /* the operation, else -1 */
  int cancel;                  /* whether the thread may be cancelled when the stream's lock is given back */
} dev_submit;

int32_t dev_submit_begin(dev_submit *q, dev_device *d, const uint64_t *wait_for, int32_t n_wait_for, const uint64_t *after,
                         int32_t n_after);
static inline int32_t dev_submit_call(dev_submit *q, dev_device *d, const hed_call *c)
{
  const int32_t status = dev_submit_begin(q, d, c->wait_for, c->n_wait_for, c->after, c->n_after);
  q->op = c->op;
  return status;
}
int32_t dev_submit_launch(dev_submit *q, void *entry, const dev_launch *launch);
/* Memory of the device until the submission is over; one piece for each. */
int32_t dev_submit_scratch(dev_submit *q, size_t bytes, void **out);
/* Gives STATUS back, and where that is HED_OK the ticket (TICKET may be NULL). What was begun and failed is waited for. */
int32_t dev_submit_end(dev_submit *q, int32_t status, uint64_t *ticket);
/* The host waits for TICKETS, whose failures are this one's. */
int32_t dev_submit_await(dev_device *d, const uint64_t *tickets, int32_t n);

static inline uint64_t dev_ticket(const dev_stream *s, uint64_t value) { return (uint64_t)s->number << 48 | value; }
static inline uint64_t dev_value(uint64_t ticket) { return ticket & (((uint64_t)1 << 48) - 1); }

/* ---- errors.c ---- */

/* What is known of TICKETS: fills in q->skip, tainted, origin. */
void dev_errors_look(dev_submit *q, const uint64_t *tickets, int32_t n);
/* The submission Q has got TICKET. */
int32_t dev_errors_enter(const dev_submit *q, uint64_t ticket);
/* Its failure, if it is one: a status, OP and TEXT. TICKET is over. */
int32_t dev_errors_of(dev_device *d, uint64_t ticket, int32_t *op, char *text, size_t cap);
/* A record for what Q's kernel checks about operand 0's AXIS (-1: several): its address. */
int32_t dev_errors_record(dev_submit *q, int32_t op, int32_t axis, void **record);
/* After the kernel. */
int32_t dev_errors_fetch(dev_submit *q);

/* ---- pinned.c ---- */

/* Are the BYTES of V one block in pinned memory, and many? */
bool dev_travels_alone(dev_device *d, const hed_view *v, size_t bytes);

/* ---- memory.c ---- */

int32_t dev_memory_get(dev_device *d, size_t bytes, void **out);
void dev_memory_put(dev_device *d, void *p);

#endif
