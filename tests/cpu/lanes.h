// SPDX-License-Identifier: BSD-3-Clause
/* What lanes_level.c gives for each level: how many lanes of an operation are wrong, by type. */
#ifndef HED_TESTS_CPU_LANES_H
#define HED_TESTS_CPU_LANES_H

typedef struct lanes_set {
  int (*real[2])(int op);
  int (*whole[8])(int op);
} lanes_set;

extern const lanes_set lanes_of_base, lanes_of_avx2, lanes_of_avx512;

#endif
