#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Variances on cuda, whose schedule is that of GPUs; see api/reduce/spread.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
HEDDLE_TEST_BACKEND=cuda exec "$builddir/tests/api/reduce/spread.t"
