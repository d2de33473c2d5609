// SPDX-License-Identifier: BSD-3-Clause
/* Scratch memory of the cpu module: cpu.h declares its use, this the part for fork. L1. */
#ifndef HED_BACKENDS_CPU_SCRATCH_H
#define HED_BACKENDS_CPU_SCRATCH_H

/* In a child of fork: the lock may belong to a thread that is not there. */
void cpu_scratch_fork_child(void);

#endif
