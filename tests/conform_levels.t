#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the cpu backend with the instructions of older processors: other tests have those of this one.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/tap.sh"

HEDDLE_CPU_LEVEL=base "$builddir/tools/heddle" info >"$tmp/info" 2>&1
grep -q 'x86-64 baseline' "$tmp/info" || skip_all 'no cpu backend whose level can be chosen'

for level in base avx2; do
  for t in conform conform_struct conform_linalg conform_fft conform_image api_reduce api_reduce_large api_reduce_spread api_search \
    api_sort cpu_products cpu_factor fuse_random fuse_axes random_equal; do
    HEDDLE_CPU_LEVEL=$level "$builddir/tests/$t.t" >"$tmp/out" 2>"$tmp/err"
    status=$?
    [ $status -eq 0 ] || { grep '^not ok' "$tmp/out"; tail -n 20 "$tmp/err"; } >"$tmp/why"
    ok $status "$level: $t"
    [ $status -eq 0 ] || diag "$(cat "$tmp/why")"
  done
done
done_testing
