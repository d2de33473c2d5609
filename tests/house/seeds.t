#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Seeds that have failed, run each time beside that of the tree. A row: the test below tests/, the seed, what had gone wrong.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
unset HEDDLE_TEST_FULL

while read -r test seed why; do
  [ -e "$srcdir/tests/${test%.t}.c" ] || [ -e "$srcdir/tests/$test" ]
  ok $? "$test is a test"
  program=$builddir/tests/$test
  [ -x "$program" ] || program=$srcdir/tests/$test
  if [ ! -x "$program" ]; then # of a part of the suite that is not built
    skip "$test was not built"
    continue
  fi
  HEDDLE_TEST_SEED=$seed "$program" >"$tmp/out" 2>"$tmp/err"
  status=$?
  ok $status "$test, seed $seed: $why"
  [ $status -eq 0 ] || diag "$(grep '^not ok' "$tmp/out"; tail -n 20 "$tmp/err")"
done <<'SEEDS'
SEEDS
done_testing
