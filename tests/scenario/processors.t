#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests that depend on the number of processors, on a machine that seems to have sixteen: more threads, more and smaller pieces.
# A third of them, by the share; HEDDLE_TEST_FULL=1 has all.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
# Drivers of devices have threads and processors of their own.
HEDDLE_DISABLE=opencl,cuda
export HEDDLE_DISABLE

shim=$builddir/tests/modules/.libs/processors.so
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'a sanitizer is loaded before all that is preloaded'
is "$(LD_PRELOAD=$shim "$builddir/tools/heddle" info | sed -n 's/^processors to use: //p')" 16 'there seem to be sixteen'

run() { # TEST...: one after the other; what they say goes to files
  for t; do
    mkdir -p "$tmp/${t%/*}"
    LD_PRELOAD=$shim "$builddir/tests/$t.t" >"$tmp/$t.out" 2>"$tmp/$t.err"
    echo $? >"$tmp/$t.status"
  done
}

k=0 chosen=
for t in scenario/workers api/reduce/sort conform/linalg scenario/fft api/reduce/shapes conform/fft match/memory api/reduce/large \
  conform/image memory/limits api/reduce/long random/equal fuse/random; do
  share $k 3 && chosen="$chosen $t"
  k=$((k + 1))
done
# shellcheck disable=SC2086
run $chosen
for t in $chosen; do
  status=$(cat "$tmp/$t.status")
  ok "$status" "sixteen processors: $t"
  [ "$status" -eq 0 ] || diag "$(grep '^not ok' "$tmp/$t.out"; tail -n 20 "$tmp/$t.err")"
done
done_testing
