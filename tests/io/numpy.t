#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Exchange with NumPy through DLPack; skipped without a NumPy that knows DLPack 1.0.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'a sanitized library cannot be loaded into Python'
python=${HEDDLE_TEST_PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || skip_all 'no python3'
"$python" -c 'import numpy as n, sys; sys.exit(tuple(map(int, n.__version__.split(".")[:2])) < (2, 1))' 2>/dev/null ||
  skip_all "$python has no NumPy 2.1 or newer"
[ -e "$builddir/lib/.libs/libheddle.so" ] || skip_all 'no shared library'
exec "$python" "$srcdir/tests/io/numpy_arrays.py" "$builddir/lib/.libs/libheddle.so"
