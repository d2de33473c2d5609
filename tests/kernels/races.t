#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Small cases of the kernels of devices under oclgrind, which sees accesses out of bounds and races between work-items.
# HEDDLE_TEST_FULL=1 takes all types.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"

command -v oclgrind >/dev/null || skip_all 'oclgrind is not installed'
some=few
[ "${HEDDLE_TEST_FULL:-0}" = 1 ] && some=
# Not optimized: what LLVM's optimization adds is not all known to oclgrind, which then has no kernel.
for family in order reduce; do # those with memory and barriers of groups
  test=./tests/kernels/$family.t
  [ -x "$test" ] || skip_all "$test was not built"
  HEDDLE_TEST_SCALE=0.02 oclgrind --build-options -cl-opt-disable --data-races --log "$tmp/log" "$test" $some >"$tmp/out" 2>&1
  [ "$(grep -c '^ok' "$tmp/out")" -ge 4 ]
  ok $? "kernels/$family runs under oclgrind" # whose own arithmetic is not what is tested
  none "$(head -20 "$tmp/log" 2>/dev/null)" 'and nothing is reported'
done
done_testing
