// SPDX-License-Identifier: BSD-3-Clause
/* The operations of lanes/lanes.h at one level: compiled once for each, as the kernels are. */
#include "backends/cpu/kernels/lanes/lanes.h"
#include "lanes.h"
#include <string.h>

#define BODY "cpu/lanes_real.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#define BODY "cpu/lanes_whole.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"

const lanes_set CPU_OF_SET(lanes_of_) = {
  .real = { lanes_wrong_f32, lanes_wrong_f64 },
  .whole = { lanes_wrong_i8, lanes_wrong_i16, lanes_wrong_i32, lanes_wrong_i64,
             lanes_wrong_u8, lanes_wrong_u16, lanes_wrong_u32, lanes_wrong_u64 },
};
