#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Scenarios that can run on any backend, on both devices of the driver of tests/cudashim.  Repetitions are short here.  Then cold
# processes, and the pool of threads, which finds the driver by itself.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
: "${HEDDLE_TEST_SCALE:=0.1}"
export HEDDLE_TEST_SCALE HEDDLE_TEST_BACKEND
for HEDDLE_TEST_BACKEND in cuda:0 cuda:1; do
  for name in stack inherit hosts plain openmp glib uv cxx fft threads; do
    program=$builddir/tests/scenario/$name.t
    [ -x "$program" ] || continue
    "$program" >"$tmp/out" 2>&1
    ok $? "scenario/$name on $HEDDLE_TEST_BACKEND"
    grep -A4 '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
  done
done
for name in cold pool; do
  HEDDLE_TEST_BACKENDS=cuda "$builddir/tests/scenario/$name.t" >"$tmp/out" 2>&1
  ok $? "scenario/$name on cuda"
  grep -B9 -A4 '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
done
done_testing
