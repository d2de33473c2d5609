// SPDX-License-Identifier: BSD-3-Clause
/* Failing operands of the tensor kit: metrics, gradients, decompositions, solvers; see failing_kits.h. */
#include "failing_kits.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/gcp.h>
#include <heddle/kits/proximal.h>
#include <heddle/kits/tensor_eem.h>
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_train.h>
#include <heddle/kits/tensor_validate.h>

static const hed_shape ranks = { .ndim = 3, .dim = { 2, 2, 2 } };

#define ROW(name, part, ...) static void row_##name##_##part(void) { __VA_ARGS__; }
#include "failing.def"
#undef ROW

static const failing_row all[] = {
#define ROW(name, part, ...) { "hed_" #name, #part, row_##name##_##part },
#include "failing.def"
};

int main(int argc, char **argv)
{
  return failing_main(NULL, sizeof all / sizeof *all, all, argc > 1 ? argv[1] : "faulty");
}
