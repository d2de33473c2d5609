#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Operations of cases.def on cuda, on the driver of tests/cudashim; see conform.c. Kernels are the opencl backend's, which compares
# all of them: here are those that take each way through the module. HEDDLE_TEST_SCALE=1 takes all here too.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/cuda.sh"
some='add exp where less astype copy concatenate tril sum sort take'
[ "${HEDDLE_TEST_SCALE:-0}" = 1 ] && some=
# shellcheck disable=SC2086
HEDDLE_TEST_BACKEND=cuda exec "$builddir/tests/conform" ${@:-$some}
