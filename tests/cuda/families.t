#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Families of kernels by cases of their own, with cuFFT and without it, where transforms are kernels of ours; see cuda/families.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
# More plans than there are transforms, but not one of each for every thread.
CUDASHIM_PLANS=9 "$builddir/tests/cuda/families" >"$tmp/out" 2>&1
ok $? "all libraries: $(grep -c '^ok' "$tmp/out") points"
grep -A3 -e '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
LD_LIBRARY_PATH=$(shim_without libcufft) "$builddir/tests/cuda/families" >"$tmp/out" 2>&1
ok $? "without cuFFT: $(grep -c '^ok' "$tmp/out") points"
grep -A3 -e '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
done_testing
