#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How often calls pass over memory; see cuda/passes.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
HEDDLE_POOL=0 "$builddir/tests/cuda/passes"
