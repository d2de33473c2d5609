// SPDX-License-Identifier: BSD-3-Clause
/* The profile that is being taken, its file and the buffers of threads. L2. */
#ifndef HED_CORE_PROFILE_SESSION_H
#define HED_CORE_PROFILE_SESSION_H

#include "core/profile/profile.h"
#include <heddle/profile.h>

typedef struct hed__profile_buffer {
  atomic_int busy;                 /* its thread writes a record */
  atomic_int refs;                 /* the thread's and the profile's */
  unsigned session;
  uint32_t thread;
  hed__raw_chunk *chunk;           /* in use; NULL: none, or no more; that is */
  hed__raw_chunk *live;            /* memory of the file, always the same: touching new pages of one costs more than writing them */
  struct hed__profile_buffer *next;
  uint64_t number;                 /* of the next chunk */
  atomic_uint_fast64_t records, dropped; /* written by its thread alone */
  uint64_t serial, parent, tid;
  uint32_t n, most;                /* chunks that were written away so far, at most */
  uint64_t written;                /* times that one was */
  struct { uint64_t at, records; } away[]; /* where in the file; a ring once there are MOST */
} hed__profile_buffer;

typedef struct hed__profile_state {
  unsigned number;                 /* of profiles so far */
  int fd;                          /* of FILE.raw */
  atomic_uint_fast64_t end;        /* bytes of it */
  hed__raw_head *head;
  hed__profile_buffer *buffers;
  uint32_t threads, most;          /* MOST chunks of a thread */
  int32_t keep;
  bool by_setting;
  atomic_bool barrier;             /* of all threads by the kernel, at the end: records need none of their own */
  char path[1024], raw[1032];
} hed__profile_state;

extern hed__profile_state hed__profile;

/* The next chunk of B; NULL: there is none, what comes is dropped. */
hed__raw_chunk *hed__profile_chunk(hed__profile_buffer *b);

/* A record's room: NULL, and then nothing more is to be done, else fill it and give it. SIZE is a multiple of 8. */
hed__raw *hed__profile_take(hed__tls *t, size_t size);
void hed__profile_give(hed__tls *t, const hed__raw *r);

void hed__profile_buffer_release(hed__profile_buffer *b);

#endif
