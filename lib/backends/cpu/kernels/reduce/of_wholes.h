// SPDX-License-Identifier: BSD-3-Clause
/* All bodies of reduce.c for an integer type, in the order in which they use each other. */
#include "backends/cpu/kernels/reduce/sums_of_wholes.h"
#include "backends/cpu/kernels/reduce/extreme_whole.h"
#include "backends/cpu/kernels/reduce/find_whole.h"
#include "backends/cpu/kernels/reduce/argextreme.h"
