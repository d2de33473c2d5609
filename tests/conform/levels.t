#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the cpu backend with the instructions of older processors, and with all results past the caches: other tests have
# the instructions of this one, and large results alone; loops by themselves (cpu/norms.c, gemm.c ..) have all. The share says
# which, and which half of the tests; HEDDLE_TEST_FULL=1 has all.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
# Drivers of devices have threads and processors of their own.
HEDDLE_DISABLE=opencl,cuda
export HEDDLE_DISABLE

HEDDLE_CPU_LEVEL=base "$builddir/tools/heddle" info >"$tmp/info" 2>&1
grep -q 'x86-64 baseline' "$tmp/info" || skip_all 'no cpu backend whose level can be chosen'

# SETTING TEST...: one after the other; what they say goes to files.
run() {
  setting=$1
  shift
  for t; do
    mkdir -p "$tmp/$setting/${t%/*}"
    program=$builddir/tests/$t.t
    [ -x "$program" ] || program=$srcdir/tests/$t.t
    env "$setting" "$program" >"$tmp/$setting/$t.out" 2>"$tmp/$setting/$t.err"
    echo $? >"$tmp/$setting/$t.status"
  done
}

report() { # SETTING TEST...
  setting=$1
  shift
  for t; do
    said=$tmp/$setting/$t
    status=$(cat "$said.status")
    ok "$status" "$setting: $t"
    [ "$status" -eq 0 ] || diag "$(grep '^not ok' "$said.out"; tail -n 20 "$said.err")"
  done
}

level='conform/cpu conform/struct conform/fft conform/image api/reduce/reduce api/reduce/spread
  api/reduce/search api/reduce/shapes cpu/products cpu/factor fuse/random fuse/axes random/equal'
stream='conform/cpu conform/struct api/elementwise/elementwise api/elementwise/copy api/make/move api/reduce/reduce
  api/index/index api/make/arrange cpu/elementwise cpu/functions cpu/join cpu/structured fuse/random fuse/axes fuse/chain
  fuse/into random/equal'
# One setting in turn. The level of this processor is what all other tests have.
case $("$builddir/tools/heddle" info 2>&1) in
  *AVX-512*) set -- HEDDLE_CPU_LEVEL=base HEDDLE_CPU_LEVEL=avx2 HEDDLE_CPU_STREAM=1 ;;
  *AVX2*) set -- HEDDLE_CPU_LEVEL=base HEDDLE_CPU_STREAM=1 ;;
  *) set -- HEDDLE_CPU_STREAM=1 ;;
esac
n=$# k=0 chosen='' half=0
for setting; do
  if share $k $n; then
    chosen="$chosen $setting"
    share $k $((2 * n)) || half=1
  fi
  k=$((k + 1))
done
tests_with() {
  # shellcheck disable=SC2086
  case $1 in *STREAM*) set -- $stream ;; *) set -- $level ;; esac
  k=0
  for t; do
    [ "${HEDDLE_TEST_FULL:-0}" != 1 ] && [ $((k % 2)) -ne $half ] || echo "$t"
    k=$((k + 1))
  done
}
# shellcheck disable=SC2046
{
  for setting in $chosen; do
    run "$setting" $(tests_with "$setting") &
  done
  wait
  for setting in $chosen; do
    report "$setting" $(tests_with "$setting")
  done
}
done_testing
