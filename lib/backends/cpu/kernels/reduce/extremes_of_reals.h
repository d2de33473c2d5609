// SPDX-License-Identifier: BSD-3-Clause
/* All bodies of reduce.c for a real type, in the order in which they use each other. */
#include "backends/cpu/kernels/reduce/extreme.h"
#include "backends/cpu/kernels/reduce/find.h"
#include "backends/cpu/kernels/reduce/argextreme.h"
#include "backends/cpu/kernels/reduce/extreme_number.h"
#include "backends/cpu/kernels/reduce/running.h"
