// SPDX-License-Identifier: BSD-3-Clause
/* Counts kept outside the threads' blocks. L2. */
#ifndef HED_CORE_STATS_H
#define HED_CORE_STATS_H

#include <stdint.h>

/* Handles alive. */
uint64_t hed__arrays_live(void);

#endif
