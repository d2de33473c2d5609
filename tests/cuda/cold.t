#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencl/cold on cuda, on the driver of tests/cudashim, whose programs Heddle keeps itself.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
test=$builddir/tests/opencl/cold.t
[ -x "$test" ] || skip_all "$test was not built"
HEDDLE_TEST_BACKEND=cuda exec "$test"
