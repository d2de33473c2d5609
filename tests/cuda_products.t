#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Products of matrices on cuda, with and without TF32; see cuda_products.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/cuda.sh"
exec "$builddir/tests/cuda_products"
