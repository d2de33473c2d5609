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
  DEV_EVENTS = 64,             /* that are kept to be recorded again */
  DEV_OPS = 256,               /* of a stream's last submissions */
  DEV_TEXT = 232
};

/* How operands lie, for which families have kernels each (launch/plan.c); a device keeps entries by it. */
typedef enum dev_layout { DEV_FLAT, DEV_ROWS, DEV_STRIDED, DEV_STRIDED64, DEV_TRANSPOSED, DEV_LAYOUTS } dev_layout;

/* ---- event.c ---- */

/* All that a stream held when it was recorded: VALUE and before. */
typedef struct dev_event {
  struct dev_event *next;      /* of those that nobody has */
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
  struct dev_check *check[DEV_RECORDS]; /* whose they are: of the device's fates */
  int64_t first_check, next_check; /* of those under way, modulo DEV_RECORDS */
  dev_stream *checking;        /* the next stream that has some */
  int32_t op[DEV_OPS];         /* by value modulo DEV_OPS */
};

/* ---- fate.c ---- */

typedef struct dev_check dev_check; /* what a kernel may have found */
typedef struct dev_fate dev_fate;   /* what a submission may still turn out to be: checks in order */
typedef struct dev_known dev_known; /* a submission that has a fate */

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
  pthread_mutex_t event_lock;  /* of what follows; whoever has it asks for no other */
  dev_event *spare;
  int32_t n_spare;
  pthread_mutex_t fate_lock;   /* of what follows */
  dev_known **known;           /* by hash of the ticket */
  atomic_int n_known;
  int32_t cap_known;
  dev_stream *checking;        /* streams with checks under way */
  int32_t n_failed;            /* checks that are there still */
  uint64_t mark;
  pthread_mutex_t program_lock;
  pthread_cond_t program_made;
  dev_program **programs;      /* by hash of the spec */
  int32_t n_programs, cap_programs, n_building;
  uint64_t program_hits, program_waits;
  atomic_bool unsaved;         /* some have kernels that their files do not have */
  void (*save)(dev_device *d, bool now); /* writes these, NOW or when the last time was long ago; there with the first program */
  atomic_uint_fast64_t saved_ns;
  _Atomic(void *) *map_entry;  /* of family programs: [op][compute][layout] */
  _Atomic(void *) *cast_entry; /* [from][to][layout] */
};

/* At the end of the process what is being compiled ends before what the driver has made so far. */
void dev_end_first(void);

/* ---- lost.c ---- */

/* The process ends, by the calling thread. Is it ending, by another one? Then the driver is about to go. */
void dev_end(void);
bool dev_ends(void);

/* HED_OK, or why D takes nothing: in a child of fork, lost, at the end of the process. */
int32_t dev_usable(dev_device *d);
/* STATUS of a call of the port: with HED_E_UNAVAILABLE the device is lost. */
int32_t dev_status(dev_device *d, int32_t status);

/* ---- submissions: stream.c ---- */

typedef struct dev_submit {
  dev_device *device;
  dev_stream *stream;
  bool begun;                  /* something is in the stream */
  bool skip;                   /* what it waits for has failed: it does not run */
  dev_fate *fate;              /* of its operands; NULL: they are fine */
  int32_t results;             /* arrays that are written: how often the host forgets the ticket */
  int32_t record, axis;        /* what its kernel checks: the record, else -1 */
  int32_t op;                  /* the operation, else -1 */
  int cancel;                  /* whether the thread may be cancelled when the stream's lock is given back */
} dev_submit;

int32_t dev_submit_begin(dev_submit *q, dev_device *d, int32_t results, const uint64_t *wait_for, int32_t n_wait_for,
                         const uint64_t *after, int32_t n_after);
static inline int32_t dev_submit_call(dev_submit *q, dev_device *d, const hed_call *c)
{
  int32_t results = 0;
  for (int32_t k = 0; k < c->n_out; k++)
    results += c->out[k] != NULL;
  const int32_t status = dev_submit_begin(q, d, results, c->wait_for, c->n_wait_for, c->after, c->n_after);
  q->op = c->op;
  return status;
}
int32_t dev_submit_launch(dev_submit *q, void *entry, const dev_launch *launch);
/* Memory of the device until the submission is over; one piece for each. */
int32_t dev_submit_scratch(dev_submit *q, size_t bytes, void **out);
/* Gives STATUS back, and where that is HED_OK the ticket (TICKET may be NULL). What was begun and failed is waited for. */
int32_t dev_submit_end(dev_submit *q, int32_t status, uint64_t *ticket);
/* Waits until D has done all that it was given. */
void dev_drain(dev_device *d);
/* The calling thread's stream; the one that fewest threads have, where it has no slot. NULL: *STATUS says why. */
dev_stream *dev_stream_current(dev_device *d, int32_t *status);
/* Q's stream waits for VALUE of OTHER, which may be another device's. No lock is held. */
int32_t dev_order_after(dev_submit *q, dev_stream *other, uint64_t value);

/* ---- wait.c ---- */

/* The host waits for TICKETS, whose failures are this one's. */
int32_t dev_submit_await(dev_device *d, const uint64_t *tickets, int32_t n);

/* ---- peer.c ---- */

/* What the calling thread submits to D next comes after TICKETS of OTHER. The host waits only for what may turn out to have failed. */
int32_t dev_peer_after(dev_device *d, dev_device *other, const uint64_t *tickets, int32_t n);
/* A ticket of D that is over when TICKET of OTHER is. */
int32_t dev_peer_ticket(dev_device *d, const dev_device *other, uint64_t ticket, uint64_t *out);

static inline uint64_t dev_ticket(const dev_stream *s, uint64_t value) { return (uint64_t)s->number << 48 | value; }
static inline uint64_t dev_value(uint64_t ticket) { return ticket & (((uint64_t)1 << 48) - 1); }

/* ---- fate.c ---- */

/* What TICKETS may still turn out to be: fills in q->skip, fate. */
int32_t dev_fate_look(dev_submit *q, const uint64_t *tickets, int32_t n);
/* The submission Q has got TICKET. And: it needs its operands' fate no more. */
int32_t dev_fate_enter(dev_submit *q, uint64_t ticket);
void dev_fate_drop(dev_submit *q);
/* Its failure, if it is one: a status, OP and TEXT. *OPEN: a ticket that decides it and is not known to be over, 0: none. */
int32_t dev_fate_of(dev_device *d, uint64_t ticket, uint64_t *open, int32_t *op, char *text, size_t cap);
/* Is TICKET's submission known to be fine, unless the device is lost? */
bool dev_fate_fine(dev_device *d, uint64_t ticket);
/* All results of TICKET are forgotten. */
void dev_fate_end(dev_device *d, uint64_t ticket);
/* The value of S after which it has a record to give, 0: it has one. S's lock is held. */
uint64_t dev_fate_room(dev_stream *s);
/* D is lost: what is open has failed for that. */
void dev_fate_lose(dev_device *d);

/* ---- errors.c ---- */

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
