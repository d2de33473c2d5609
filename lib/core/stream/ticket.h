// SPDX-License-Identifier: BSD-3-Clause
/* Tickets of asynchronous devices: what was submitted, what is over, waiting. L2.
 *
 * A ticket is a stream's number and a value that rises within the stream (<heddle/kernel.h>). A device remembers, for each
 * stream, the last ticket that it gave, and the last that is known to be over, so that a device is not asked twice and
 * one that cannot be asked is known after somebody has waited.
 */
#ifndef HED_CORE_TICKET_H
#define HED_CORE_TICKET_H

#include "core/modules/registry.h"
#include <heddle/backend.h>

enum { HED__TICKET_BITS = 48 };

static inline uint32_t hed__ticket_stream(uint64_t ticket) { return (uint32_t)(ticket >> HED__TICKET_BITS); }

/* Is A over when B is, by the order of a stream? */
static inline bool hed__ticket_within(uint64_t a, uint64_t b)
{
  return hed__ticket_stream(a) == hed__ticket_stream(b) && a <= b;
}

static inline bool hed__has_streams(const hed__device *d) { return d->plugin->flags & HED_PLUGIN_STREAMS; }

/* Number of the stream that the calling thread's submissions to D go to, 0 where there is one only; negative: there is none. */
int32_t hed__device_stream(const hed__device *d);

/* D has given TICKET. */
void hed__ticket_given(hed__device *d, uint64_t ticket);

/* Has D finished TICKET, and so all before it in its stream? Does not wait; KNOWN: nor ask the device. */
bool hed__device_done(hed__device *d, uint64_t ticket);
bool hed__ticket_known(const hed__device *d, uint64_t ticket);

/* Wait for TICKET: as the plug-in's wait, whose failures belong to the array that TICKET computes. TEXT is filled in. */
int32_t hed__ticket_wait(hed__device *d, uint64_t ticket, int32_t *op, char *text, size_t cap);

/* A storage has TICKET (0: none) as its last writer no more. */
static inline void hed__ticket_forget(hed__device *d, uint64_t ticket)
{
  if (ticket && d->plugin->forget)
    d->plugin->forget(d->state, ticket);
}

/* Wait until D has done TICKET, or all that it was given. A failed operation is no failure of waiting; a lost device is. */
int32_t hed__device_wait(hed__device *d, uint64_t ticket);
int32_t hed__device_wait_all(hed__device *d);

#endif
