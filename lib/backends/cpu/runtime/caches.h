// SPDX-License-Identifier: BSD-3-Clause
/*
 * What this processor's caches are like, for who cuts work to fit them. L1.
 */
#ifndef HED_BACKENDS_CPU_CACHES_H
#define HED_BACKENDS_CPU_CACHES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the second cache and of the last one; where the system does not say, those of a small processor. From any thread;
 * the system is asked once. */
size_t cpu_caches_second(void);
size_t cpu_caches_last(void);

/* Is the last cache one of many processors, far from each of them: what the second one does not hold comes late. Told by its
 * size, as none that a few processors share is so large. */
bool cpu_caches_far(void);

#endif
