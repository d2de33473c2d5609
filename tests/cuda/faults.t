#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every call of the driver failing in its turn, see device/faults.c; streams that programs bring, see streams/brought.c.
# HEDDLE_TEST_FULL=1: all shares, in a process each, as devices that are lost stay lost.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
export HEDDLE_TEST_BACKEND=cuda
try() {
  "$@" >"$tmp/out" 2>&1
  ok $? "${1##*/}: $(grep -c '^ok' "$tmp/out") points"
  grep -A4 '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
}
try "$builddir/tests/streams/brought.t"
if [ "${HEDDLE_TEST_FULL:-0}" = 1 ]; then
  unset HEDDLE_TEST_FULL
  for HEDDLE_TEST_SHARE in 0 1 2; do
    export HEDDLE_TEST_SHARE
    try "$builddir/tests/device/faults.t"
  done
else
  try "$builddir/tests/device/faults.t"
fi
done_testing
