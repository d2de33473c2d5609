// SPDX-License-Identifier: BSD-3-Clause
/* Names of the operations by number, for the op_names of a plug-in: include it in the one file that has the hed_plugin. */
#ifndef HEDDLE_OP_NAMES_H
#define HEDDLE_OP_NAMES_H

#include <heddle/ops.h>

static const char *const hed_op_names[HED_OP_COUNT_] = {
#define HED_OP(ID, name, impl, domain, result, args, results, meaning) #name,
#include <heddle/ops.def>
};

#endif
