#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Factorisations on cuda where values alone do not decide; see cuda/factor.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
exec "$builddir/tests/cuda/factor"
