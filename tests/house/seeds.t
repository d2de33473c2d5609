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
  if [ ! -x "$program" ] && [ "$HEDDLE_TEST_SANITIZERS" != no ]; then
    skip "a build with sanitizers leaves $test out"
    continue
  fi
  HEDDLE_TEST_SEED=$seed "$program" >"$tmp/out" 2>"$tmp/err"
  status=$?
  ok $status "$test, seed $seed: $why"
  [ $status -eq 0 ] || diag "$(grep '^not ok' "$tmp/out"; tail -n 20 "$tmp/err")"
done <<'SEEDS'
conform/image.t 1054902666 a place near the beginning, mirrored, had the digits of one period more
conform/struct.t 34359738367 an inverse transform of a half, one unit off
conform/struct.t 1101 padding made a transform of 129 MB
cpu/batch_factors.t 3322527034 singular values of a matrix of one rank did not settle
cpu/functions.t 1001 complex quotients were two units off
cpu/functions.t 5315948762 lecun_tanh was four units off near 0
match/where.t 1003 scores were all negative, and errors bounded by the best one
fuse/short.t 549154441 a NaN changed the variance beside it, by where threads divide
fuse/random.t 48879132 the largest of zeros of both signs
match/direct.t 2238921648 faces left more of a trend than was allowed
match/parts.t 3735928559 deviations at the small end of a target that is large elsewhere
match/statistics.t 3735928559 a group of nine scores by chance was taken for nine
reference/map.t 100005 a tangent was two units off
tensor/als.t 1101 rounding was left of an exact fit
tensor/als.t 5028 gaps of terms alike in all modes were not filled
tensor/convert.t 102 rounding decided when sweeps end
tensor/models.t 51 terms alike in all modes took a thousand sweeps
tensor/parafac2.t 2167175907 the error rose where a slice has fewer rows than the rank
tensor/prox.t 2025 no step of a start was better, and its end not what was planted
tensor/prox.t 10000007 nothing but zeros was to have norm 1
tensor/prox.t 3589790400 coordinate descent ended before it was there, and a cone fitted worse
ultrasound/regions.t 100005 dB of two means that are nearly equal
ultrasound/regions.t 3611715199 dB of a mean of 0
SEEDS
done_testing
