// SPDX-License-Identifier: BSD-3-Clause
/* What tests of the nn kit share. */
#ifndef HED_TESTS_NN_H
#define HED_TESTS_NN_H
#include "arrays.h"
#include "tap.h"
#include <heddle/kits/nn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of this process, in the current folder. */
static inline const char *nn_path(const char *end)
{
  static char path[4][80];
  static int k;
  k = (k + 1) % 4;
  (void)snprintf(path[k], sizeof path[k], "nn-test-%ld%s", (long)getpid(), end);
  return path[k];
}

#endif
