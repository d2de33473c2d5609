// SPDX-License-Identifier: BSD-3-Clause
/* The public functions that a recording follows: wrappers round their bodies, made by build-aux/gen-calls.awk. L3. */
#include "core/record/body.h"
#include "grad/call.h"
#include <heddle/reflect.h>
#include <string.h>

#include "grad/calls.inc"
