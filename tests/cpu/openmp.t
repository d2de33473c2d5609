#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# team=openmp: loops of the cpu backend on the program's OpenMP runtime, with the same results; the tests of large
# operations once in that mode.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
team=$builddir/lib/backends/teams/.libs/openmp.so
[ -e "$team" ] || skip_all 'no OpenMP, or no cpu backend'
use() { env "$@" "$builddir/tests/cpu/use_team" >"$tmp/out" 2>"$tmp/err"; }
unset HEDDLE_TEAM
use HEDDLE_NUM_THREADS=4 || skip_all "$(cat "$tmp/out")"
own=$(cat "$tmp/out")
use HEDDLE_TEAM="$team"
ok $? 'large operations on a team of OpenMP'
is "$(cat "$tmp/out")" "$own" 'give the same bits'
use HEDDLE_TEAM="$team" OMP_THREAD_LIMIT=1
is "$(cat "$tmp/out")" "$own" 'also when the runtime gives fewer threads than asked for'
is "$(cat "$tmp/err")" 1 'of which there is then one: helpers are not made'
use HEDDLE_TEAM=own
is "$(cat "$tmp/out")" "$own" 'own is the default'
use HEDDLE_TEAM=nobody
is $? 4 'a team that there is not makes the backend unusable'
grep -q "setting team is 'nobody'" "$tmp/out"
ok $? 'with the reason'
HEDDLE_TEAM=$team
export HEDDLE_TEAM
for t in api/reduce/large api/reduce/running api/fft/fft cpu/batch api/index/large; do
  if [ -x "$builddir/tests/$t.t" ]; then
    "$builddir/tests/$t.t" >"$tmp/out" 2>&1
    ok $? "$t.t"
  else
    skip "$t.t is not built"
  fi
done
done_testing
