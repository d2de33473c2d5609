#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every operation of cases.def on cuda, on the driver of tests/cudashim; see conform.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/cuda.sh"
HEDDLE_TEST_BACKEND=cuda exec "$builddir/tests/conform" "$@"
