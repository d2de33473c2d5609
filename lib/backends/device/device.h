// SPDX-License-Identifier: BSD-3-Clause
/* What backends for devices share: streams, memory, programs and the rows of the table, on top of a port. L1.
 *
 * A backend (opencl, cuda) has a module's entry, a probe, a list of devices, and a dev_port: the driver's calls in one struct.
 * The rest is here, with no word of a driver in it:
 *
 *   runtime/    devices, streams of threads, tickets, memory, what kernels find wrong
 *   program/    the text of a program from its spec; programs in memory, one build per key, and on disk
 *   launch/     axes, layouts, launch shapes; operands made dense
 *   rows/       a family each: from a call to launches; rows.c: operation -> function, types
 *   fuse/       several operations in one program
 *   module.h    what a module takes of it
 *   kernels/    the programs (*.k), the dialect (hedk.h), arguments (args.h)
 *
 * ---- Programs ----
 *
 * A program is one text: lines of #define (below), hedk.h, args.h, other headers of kernels/, one family (NAME.k). Nothing is
 * included and no option changes a bit of the result: the text alone says what a program does, so it is its own key.
 *
 *   #define HED_PROGRAM 1
 *   #define DEVICE_CPU 1            devices that are processors: schedule `long', else `wide'
 *   #define NO_FLOAT64 1            devices without it
 *   #define PER_ITEM 4              elements of a work-item in flat layouts and rows (4096 on processors, in groups of one item)
 *   #define BLOCK 64                items of a group in x for this program, also the extent of local arrays
 *   #define HED_COMPUTE 11          hed_dtype_id that is computed in
 *   #define HED_OUT 9, HED_IN0 9, HED_IN1, HED_IN2    storage where it differs from what the row has for HED_COMPUTE
 *   #define HED_ONLY 1, #define HED_ROW_ADD 1         with HED_ONLY: just the rows that are named
 *   #define NAME value              what else a family asks for
 *
 * ---- Kernels ----
 *
 * Parameters are pointers, PTR(T, p): results, operands, workspaces, then the error record where there is one; and one struct of
 * args.h by value, its fields 8 bytes each. In OpenCL a pointer is two parameters, __global T *p_ and long p_off (bytes), in CUDA
 * T *p_ and long long p_off (0): AT(p) is the address. All of it stays below 1 KiB. A line in the text says so for ports that
 * cannot ask the driver:
 *
 *   //@ entry NAME p p p s96        three pointers, 96 bytes of struct; NAME may hold one `*', for rows that come from a list
 *
 * Entries are ROW_LAYOUT: add_flat, add_rows, add_strided (32-bit indices), add_strided64. Rows are named as in ops.def.
 * Work-items beyond what the arguments say do nothing: the last group is often not full. Every group has BLOCK items in x, 1 in
 * y and z; on processors one where items have runs of elements (RUN of hedk.h).
 *
 * ---- Error records ----
 *
 * A kernel that checks gets, as its last pointer, PTR(i64, record), four words that the host has cleared: {claimed, code, number,
 * extent}. It claims by compare-and-swap of the low 32 bits of the first word, 0 to 1, the first wins, and does not follow the
 * index. CODE: dev_code.
 */
#ifndef HED_DEVICE_H
#define HED_DEVICE_H

#include "backends/device/kernels/texts.h"
#include <heddle/backend.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- the port: what a driver can do; all of one device DEV. A status each, text through hed_host_api.fail ---- */

typedef struct dev_limits {
  bool is_cpu;                 /* schedules `long' */
  bool looks_back;             /* a group that has begun goes on, whatever others wait for it (kernels/hedk.h) */
  bool float64, float16;
  bool exact_divide;           /* float32 / and sqrt are correctly rounded */
  uint32_t block;              /* items of a group that suits it */
  uint32_t rows;               /* rows of a program of family map: those of a driver for which programs cost more than rows */
  bool binaries;               /* a program's binary is to be had for little, so that it is kept on disk */
  uint32_t units;              /* compute units */
  uint64_t local_bytes;        /* of local memory for a group */
  uint64_t memory, largest;    /* bytes; of one block */
  uint64_t args;               /* bytes of arguments, at least 1024 */
} dev_limits;

enum { DEV_MOST_POINTERS = 32 };

typedef struct dev_launch {
  uint32_t block;              /* items of a group, in x */
  uint64_t groups[3];          /* x up to 2^31 - 1, y and z up to 65535 */
  int32_t n_pointers;
  void *const *pointer;        /* device addresses, as alloc gave them, plus offsets */
  const void *args;            /* the struct; read before launch returns */
  size_t args_bytes;
} dev_launch;

/* The driver's words, of the first of its errors after which the device does nothing more. */
typedef struct dev_fault {
  atomic_int state;            /* 0: there was none; DEV_SAID: TEXT is there */
  char text[160];
} dev_fault;

enum { DEV_SAYING = 1, DEV_SAID };

static inline void dev_fault_say(dev_fault *f, const char *text)
{
  int none = 0;
  if (!atomic_compare_exchange_strong(&f->state, &none, DEV_SAYING))
    return;
  memccpy(f->text, text, 0, sizeof f->text - 1);
  atomic_store(&f->state, DEV_SAID);
}

typedef enum dev_copy_kind { DEV_COPY_IN, DEV_COPY_OUT, DEV_COPY_DEVICE } dev_copy_kind;

typedef struct dev_port {
  const char *name;            /* of the backend */

  /* Programs. build: LOG gets the compiler's log, empty when there is none. The text is compiled as it is. */
  int32_t (*build)(void *dev, const char *source, size_t bytes, void **program, char *log, size_t cap);
  int32_t (*load)(void *dev, const void *binary, size_t bytes, void **program); /* HED_E_FORMAT: not for this device */
  const void *(*installed)(void *dev, const unsigned char key[32], size_t *bytes); /* a binary that came with the module, by
                               * the hash of the text; NULL: none; the member is optional */
  int32_t (*binary_of)(void *dev, void *program, void **binary, size_t *bytes); /* from the host's alloc */
  int32_t (*entry)(void *dev, void *program, const char *name, void **entry);   /* there as long as the program */
  int32_t (*launch)(void *dev, void *stream, void *entry, const dev_launch *launch);

  /* Memory. alloc: HED_E_DEVMEM when full. copy: host pointers of COPY_IN and COPY_OUT are pinned memory of this port, or any where
   * WAIT is set and the copy is over when it returns. */
  int32_t (*alloc)(void *dev, size_t bytes, void **out);
  void (*free)(void *dev, void *p);
  int32_t (*memset)(void *dev, void *stream, void *p, int byte, size_t bytes);
  int32_t (*copy)(void *dev, void *stream, void *to, const void *from, size_t bytes, dev_copy_kind kind, bool wait);
  int32_t (*copy_peer)(void *dev, void *stream, void *to, void *from_dev, const void *from, size_t bytes); /* NULL: through the host */
  int32_t (*pinned_alloc)(void *dev, size_t bytes, void **out);
  void (*pinned_free)(void *dev, void *p);
  int32_t (*memory)(void *dev, hed_plugin_memory *out);
  int32_t (*owns)(void *dev, const void *p, size_t bytes); /* HED_OK or HED_E_INVAL: as hed_plugin says */

  /* Streams and events. A stream is used by one thread at a time (the layer holds its lock). event_record stands for all that the
   * stream holds, by an event that it gave before where *EVENT is one, else NULL; wait: STREAM waits for it; query: 1, 0, or a
   * negative status, when what it stands for failed or nobody knows; sync: the host waits. flush: what was submitted begins.
   * wrap: a stream that the program made; drop: what the port has for it goes. */
  void *stream_of_thread;      /* the handle that means another stream for each thread; NULL: there is none */
  int32_t (*stream_new)(void *dev, void **stream);
  int32_t (*stream_wrap)(void *dev, void *native, void **stream);
  void (*stream_drop)(void *dev, void *stream);
  void *(*stream_native)(void *dev, void *stream);
  int32_t (*flush)(void *dev, void *stream);
  bool events_again;           /* there are such: what waits for an event waits for what it stood for then */
  int32_t (*event_record)(void *dev, void *stream, void **event);
  int32_t (*event_wait)(void *dev, void *stream, void *event);
  int32_t (*event_query)(void *dev, void *event);
  int32_t (*event_sync)(void *dev, void *event);
  void (*event_free)(void *dev, void *event);

  dev_fault *(*fault)(void *dev); /* whichever function found it: the device is lost */

  /* limits and identity are constant. identity: all that changes what a compiler makes: backend, platform, device, driver,
   * compiler version, architecture, extensions; for keys. describe: one line for people. */
  void (*limits)(void *dev, dev_limits *out);
  const char *(*identity)(void *dev);
  void (*describe)(void *dev, char *buf, size_t cap);
} dev_port;

/* The time while a profile is taken, else 0. */
static inline uint64_t dev_host_profile(const hed_host_api *host)
{
  return host->struct_size > offsetof(hed_host_api, profile_track) && host->profile_time ? host->profile_time() : 0;
}

/* ---- runtime/times.c: what commands took, for profiles ---- */

/* A command between two events, or with one, the second, that has both its times. */
typedef struct dev_timed {
  struct dev_timed *next;
  void *event[2];
  int32_t stream;
  bool known;                  /* that it is over, and when it was done, by the device's clock: */
  uint64_t begins, ends;       /* nanoseconds */
  char name[64];
} dev_timed;

/* What a port gives, with LOCK held: is EVENT over, or never to be; T's times, false where there are none; and without: EVENT is
 * not needed any more. The rest is zero at first. */
typedef struct dev_times {
  const hed_host_api *host;
  const char *name;            /* of the device, as programs say it */
  void *dev;
  pthread_mutex_t *lock;
  bool (*over)(void *dev, void *event);
  bool (*times)(void *dev, dev_timed *t);
  void (*drop)(void *dev, void *event);
  atomic_bool some;            /* there are some: */
  dev_timed *first, *last;     /* in the order of submission */
  int64_t clock;               /* nanoseconds of CLOCK_MONOTONIC less the device's; 0: not known yet */
} dev_times;

/* The events are taken. */
void dev_times_add(dev_times *x, void *first, void *last, int32_t stream, const char *name);
/* What is over by now is told of. */
void dev_times_tell(dev_times *x);
static inline bool dev_times_some(dev_times *x) { return atomic_load_explicit(&x->some, memory_order_relaxed); }

typedef struct dev_device dev_device;
typedef struct dev_program dev_program;
typedef struct dev_stream dev_stream;

/* What a kernel that checks found; texts are in fate.c. */
typedef enum dev_code {
  DEV_CODE_NONE,
  DEV_CODE_INDEX,              /* number: the index as given; extent: of the axis */
  DEV_CODE_PLACE,              /* number: the place as given; extent: of what is chosen from */
  DEV_CODE_SINGULAR,           /* number: which pivot */
  DEV_CODE_ROW,                /* number: of a row of weights or shapes that cannot be; extent: how many there are */
  DEV_CODE_ELEMENT             /* number: of an element of square matrices that is not finite; extent: their rows */
} dev_code;

#endif
