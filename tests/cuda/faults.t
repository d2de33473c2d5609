#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every call of the driver failing in its turn; see cuda/faults.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
exec "$builddir/tests/cuda/faults"
