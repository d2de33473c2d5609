#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests that depend on the number of processors, on a machine that seems to have sixteen: more threads, more and smaller pieces.
# Half of them, by the seed; HEDDLE_TEST_FULL=1 has all.
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

one='scenario/workers scenario/fft match/memory memory/limits random/equal fuse/random'
two='api/sort api/reduce_shapes api/reduce_large api/reduce_long conform/linalg conform/fft conform/image'
chosen=
share 0 2 && chosen="$one"
share 1 2 && chosen="$chosen $two"
# shellcheck disable=SC2086
run $chosen
for t in $chosen; do
  status=$(cat "$tmp/$t.status")
  ok "$status" "sixteen processors: $t"
  [ "$status" -eq 0 ] || diag "$(grep '^not ok' "$tmp/$t.out"; tail -n 20 "$tmp/$t.err")"
done
done_testing
