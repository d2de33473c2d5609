#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Operations of cases.def on cuda, on the driver of tests/cudashim; see conform.c. Kernels are the opencl backend's, which compares
# all of them: here are those that take each way through the module, in a few types. HEDDLE_TEST_FULL=1 takes all here too.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/cuda.sh"
some='add exp where less astype copy concatenate tril sum sort take'
if [ "${HEDDLE_TEST_FULL:-0}" = 1 ]; then some=; else export HEDDLE_TEST_FEW=1; fi
# shellcheck disable=SC2086
HEDDLE_TEST_BACKEND=cuda exec "$builddir/tests/conform" ${@:-$some}
