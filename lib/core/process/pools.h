// SPDX-License-Identifier: BSD-3-Clause
/* What a magazine and a pool are, for the thread's block and the device that hold them; memory/pool.h has what is done with
 * them. L2. */
#ifndef HED_CORE_POOLS_H
#define HED_CORE_POOLS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct hed__storage;

enum {
  HED__CLASS_SMALLEST = 512,           /* a record, a handle and 64 bytes of elements */
  HED__MAGAZINE = 25,                  /* classes up to 32 KiB */
  HED__CLASSES = 128,                  /* up to 2^41 bytes and more */
  HED__CLASS_LARGE = HED__CLASSES,     /* a device's block of so many units that they are counted */
  HED__CLASS_NONE = 255,               /* a block of exactly the size asked for, never kept */
  HED__SHELVES = 8,                    /* lists of a class */
  HED__FLIGHTS = 32,                   /* lists of blocks in flight that one stream uses, by its number */
  HED__MAGAZINE_BLOCKS = 32,           /* of one class in a magazine */
  HED__MAGAZINE_BYTES = 256 * 1024,    /* in a magazine */
  HED__HELD_BYTES = 64 * 1024          /* made or released by a thread before the pool is told */
};

typedef struct hed__magazine {
  void *head[HED__MAGAZINE];           /* linked by their first word */
  uint16_t count[HED__MAGAZINE];
  uint64_t generation;                 /* of the last trim that it has seen */
} hed__magazine;

/* Blocks that were released while the device may still use them, oldest first. */
typedef struct hed__flight {
  struct hed__storage *oldest, *newest;
} hed__flight;

typedef struct hed__pool {
  struct hed__device *device;          /* NULL: host memory */
  struct hed__pool *next;              /* all pools; only ever appended to */
  pthread_mutex_t lock;
  size_t most;                         /* a device's: bound on what the lists keep, 0: blocks have the size asked for */
  struct hed__storage *list[HED__CLASSES + 1][HED__SHELVES];
  struct hed__storage *newest, *oldest;
  hed__flight flight[HED__FLIGHTS + 1]; /* the last is of those that several streams use */
  uint32_t flying[HED__CLASSES + 1];    /* blocks of a class in all of them */
  size_t cached, in_flight;            /* bytes on the lists and in flight */
  atomic_int_fast64_t in_use, peak;    /* bytes of storage alive */
  atomic_uint_fast64_t allocs, hits, trims, retries;
} hed__pool;

#endif
