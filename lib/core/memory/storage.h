// SPDX-License-Identifier: BSD-3-Clause
/* Storage: counted memory, the elements of arrays that look at it. L2.
 *
 * It remembers the device whose memory it is, how it is released, the tickets of its last asynchronous writer and of its last
 * uses (array/submit.h), and the failure of that writer once it is known (poison). The writer's ticket is its fate: what it may
 * still turn out to be is the device's to know, until it is told that this storage has the ticket no more (hed__ticket_forget).
 */
#ifndef HED_CORE_STORAGE_H
#define HED_CORE_STORAGE_H

#include "core/modules/registry.h"
#include <stdatomic.h>

typedef struct hed__poison {
  int32_t op;       /* hed_op that failed */
  char text[232];   /* its sentence */
} hed__poison;

extern hed__poison hed__poison_plain; /* what there was no memory for */

enum { HED__USES = 3 };

typedef struct hed__storage {
  atomic_long refs;
  hed__device *device;       /* whose space it is in; host backends share the host space */
  void *ptr;
  size_t bytes;
  union {
    struct {
      void (*done)(void *);  /* wrapped memory: how to give it back */
      void *done_arg;
    };
    struct {
      struct hed__storage *next, *prev; /* while a pool keeps it: of the same class on the same shelf, or of one flight */
    };
  };
  union {
    uint64_t use[HED__USES];            /* device memory: last submissions that use it, one of a stream, 0 = none */
    struct {
      struct hed__storage *newer, *older; /* while a pool keeps it, landed: by time of release */
    };
  };
  bool owned;                /* made by Heddle: counted in the statistics */
  bool fused;                /* the first handle is in the record's block */
  uint8_t cls, record;       /* size classes: of the elements' block, of the record's; HED__CLASS_NONE: not from a pool */
  uint8_t shelf;             /* while a pool keeps it: where */
  atomic_uchar lock;         /* of USE while it is alive, since several threads may read it at once */
  atomic_bool watched;       /* a recording has kept it: writes are counted */
  int fork_depth;            /* hed__fork_depth() when it was made */
  uint32_t units;            /* of HED__CLASS_LARGE: its block's size */
  struct hed__account *account; /* the context's memory limit it counts towards; NULL = none */
  atomic_uint_fast64_t ticket;           /* last asynchronous writer, 0 = none pending */
  _Atomic(hed__poison *) poison;
  atomic_uint version;       /* writes since it is watched */
  atomic_ushort writer;      /* hed_op of the last of them */
} hed__storage;

#endif
