// SPDX-License-Identifier: BSD-3-Clause
/* Requests for memory, and the ladder that is climbed before one fails. L2.
 *
 * The ladder is the same for a limit that is hit and for memory that is out: own free list; what a device has finished
 * with; what another stream of the device still uses, for the device to wait; the pool, as much as is needed, then all;
 * plug-ins' workspaces, then plans and caches; wait for the device, with every other request held back, and try once more;
 * then an error with its numbers.
 */
#ifndef HED_CORE_LADDER_H
#define HED_CORE_LADDER_H

#include "core/context/context.h"
#include "core/memory/storage.h"

/* Storage of BYTES in DEVICE's space, charged to ACCOUNT, without owner or count; *HIT: it was kept. PERMITTED: false has the
 * request fail. NULL with the error set, whose sentence WHAT begins; where that is NULL, for hed__lacking_fail to tell. */
hed__storage *hed__ladder_request(hed__device *device, size_t bytes, hed__account *account, bool permitted, const char *what,
                                  bool *hit);

/* After a request with WHAT NULL that failed: its status and numbers, with WHAT in front; HED_E_NOMEM when there was none. */
int32_t hed__lacking_fail(const char *what);

/* Have plug-ins (of DEVICE, NULL: all in host memory) give back WANT bytes: scratch memory, at LEVEL 1 plans, and all
 * caches that are known by name. */
size_t hed__trim_caches(const hed__device *device, size_t want, int32_t level);

/* In the child of fork nobody is in the turnstile. */
void hed__turn_fork_child(void);

#endif
