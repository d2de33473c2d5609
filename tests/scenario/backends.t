#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Scenarios that can run on any backend, on others than the reference backend: on cpu, on a device whose streams do their
# work late, and on an OpenCL device.  Repetitions are short here.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
: "${HEDDLE_TEST_SCALE:=0.1}"
export HEDDLE_TEST_SCALE HEDDLE_TEST_BACKEND

for HEDDLE_TEST_BACKEND in cpu faulty opencl; do
  if ! HEDDLE_BACKEND=$HEDDLE_TEST_BACKEND "$builddir/tools/heddle" info | grep -q "^backend in force: $HEDDLE_TEST_BACKEND"; then
    skip "no $HEDDLE_TEST_BACKEND backend here"
    continue
  fi
  for name in stack inherit hosts plain openmp glib uv cxx fft threads; do
    program=$builddir/tests/scenario/$name.t
    [ -x "$program" ] || continue
    "$program" >"$tmp/out" 2>&1
    ok $? "scenario/$name on $HEDDLE_TEST_BACKEND"
    grep -A4 '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
  done
done
done_testing
