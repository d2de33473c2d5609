// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of loops of steps of recurrent cells. Compiled once per instruction set, as kernels.c is. L1.
 */
#include "backends/cpu/kernels/nn/steps.h"
#include "backends/cpu/kernels/variant.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "backends/cpu/kernels/functions/math.h"
#include "backends/cpu/kernels/functions/exp.h"

#define BODY "backends/cpu/kernels/nn/steps_loops.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

#define LOOPS(S) { lstm_##S, lstm_back_##S, gru_##S, gru_back_##S, synapses_##S, synapses_back_##S }
const cpu_step_loops CPU_OF_SET(cpu_steps_)[2] = { LOOPS(f), LOOPS(d) };
