// SPDX-License-Identifier: BSD-3-Clause
/* Slices of a thread, each within another or beside it. L2. */
#ifndef HED_CORE_PROFILE_EVENTS_H
#define HED_CORE_PROFILE_EVENTS_H

#include "core/profile/flows.h"

typedef struct hed__slice {
  uint64_t t0, t1;
  const hed__raw *record;
  uint32_t part;         /* 0; of one that reaches beyond what it began in, the number of the piece that goes on */
  uint32_t order;        /* of those that begin at once */
} hed__slice;

/* A heap by time; those that begin at once by their ends, longest first. */
typedef struct hed__slices {
  hed__slice *at;
  size_t n, cap;
} hed__slices;

/* All slices of chunks FIRST to END, which are one thread's, and its moments, which have no length. False: no memory. */
bool hed__slices_of(const hed__trace *t, size_t first, size_t end, hed__slices *out);

/* Those of stream STREAM of device DEVICE, of whichever thread told of them. */
bool hed__slices_of_track(const hed__trace *t, uint16_t device, uint64_t stream, hed__slices *out);

/* The next one, cut where the slice that it is in ends; false: there is none. OPEN has the ends of those that are open, *DEPTH
 * of them. */
enum { HED__SLICE_DEPTH = 512 };
bool hed__slices_next(hed__slices *s, uint64_t *open, int *depth, hed__slice *out);

#endif
