// SPDX-License-Identifier: BSD-3-Clause
/*
 * Random numbers of lib/base, compiled once per instruction set as kernels.c is: every set makes the same bits. L1.
 */

#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/variant.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define hed__philox CPU_OF_SET(cpu_philox_)
#define hed__fold_key CPU_OF_SET(cpu_fold_key_)
#define hed__random_limit CPU_OF_SET(cpu_random_limit_)
#define hed__random_fill CPU_OF_SET(cpu_random_fill_)
#define hed__random_once CPU_OF_SET(cpu_random_once_)
#define hed__random_words CPU_OF_SET(cpu_random_words_)
#define hed__variates CPU_OF_SET(cpu_variates_)
#define hed__variate_fault CPU_OF_SET(cpu_variate_fault_)
#define hed__log_gammas CPU_OF_SET(cpu_log_gammas_)
#define hed__random_rows CPU_OF_SET(cpu_random_rows_)
#define hed__random_row_count CPU_OF_SET(cpu_random_row_count_)
#define hed__random_row_work CPU_OF_SET(cpu_random_row_work_)
#include "base/random/random.c"
#include "base/random/variates.c"
#include "base/random/random_fill.c"
#include "base/random/random_rows.c"
