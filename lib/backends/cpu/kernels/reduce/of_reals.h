// SPDX-License-Identifier: BSD-3-Clause
/* All bodies of reduce.c for a real type, in the order in which they use each other. */
#include "backends/cpu/kernels/reduce/sums_of_reals.h"
#include "backends/cpu/kernels/reduce/moments.h"
#include "backends/cpu/kernels/reduce/norm.h"
#include "backends/cpu/kernels/reduce/product_real.h"
#include "backends/cpu/kernels/reduce/product_pairs.h"
#include "backends/cpu/kernels/reduce/running_sums.h"
#include "backends/cpu/kernels/reduce/extreme.h"
#include "backends/cpu/kernels/reduce/find.h"
#include "backends/cpu/kernels/reduce/argextreme.h"
#include "backends/cpu/kernels/reduce/extreme_number.h"
#include "backends/cpu/kernels/reduce/running.h"
