// SPDX-License-Identifier: BSD-3-Clause
/*
 * What this processor's caches are like, for who cuts work to fit them. L1.
 */
#ifndef HED_BACKENDS_CPU_CACHES_H
#define HED_BACKENDS_CPU_CACHES_H

#include <stddef.h>

/* Bytes of the L2 cache and of the last one; where the system does not say, those of a small processor. From any thread;
 * the system is asked once. */
size_t cpu_caches_second(void);
size_t cpu_caches_last(void);

#endif
