// SPDX-License-Identifier: BSD-3-Clause
/*
 * log, log2, log10 and log1p in vectors of AVX-512. Included by functions.c and chain.c.
 *
 * x = 2^e m with m within 1/32 of a multiple of 1/16, for which registers hold c, near its reciprocal, and -log c:
 * log x = e log 2 - log c + log(1 + f), f = c m - 1. c is chosen so that few bits are -log c nearly (S. Gal, Computing elementary
 * functions, 1986), which makes the first two terms exact. log(1 + f) is f times the unit of the base, and f^2 P(f), P a minimax
 * fit by Remez's exchange.
 * AVX-512 alone; contiguous float32 and float64.
 */
#include "backends/cpu/kernels/functions/log_table.h"

#define BODY "backends/cpu/kernels/functions/log_lanes.h"
#include "backends/cpu/kernels/functions/each.h"
