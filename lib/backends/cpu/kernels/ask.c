// SPDX-License-Identifier: BSD-3-Clause
/* How far ahead loops ask, where the processor is not known (ask.h). Built once, with the base set of kernels. L1. */
#include "backends/cpu/kernels/ask.h"

cpu_asks cpu_ask = { .lanes_from = 4096, .lanes_ahead = 4096, .chains = 1024, .farthest = 4096, .blocks = true };
