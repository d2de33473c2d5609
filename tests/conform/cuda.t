#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Operations of cases.def on cuda, on the driver of tests/cudashim; see conform.c. Kernels are the opencl backend's, which compares
# all of them: here are some of every family of kernels, in a few types, and on the second device those that go through the module's
# own code. With them a 32nd of all the others, by the seed. HEDDLE_TEST_FULL=1 takes all here too, on both
# devices.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
families='add exp where less astype copy concatenate tril sum sort take cumsum softmax searchsorted bincount compress
  nonzero scatter_nd put_along_axis topk quantile'
own='add copy sum'
if [ "${HEDDLE_TEST_FULL:-0}" = 1 ]; then
  families= own= rest=
else
  export HEDDLE_TEST_FEW=1
  part=$(sh "$srcdir/tests/rotate" 32) || exit 255
  rest=$(sed -n 's/^HED_CASE(\([a-z_0-9]*\),.*/\1/p' "$srcdir/tests/cases.def" | awk "NR % 32 == $part")
fi
# shellcheck disable=SC2086
HEDDLE_TEST_BACKEND=cuda:0 "$builddir/tests/conform/conform" ${@:-$families $rest} >"$tmp/first" 2>&1
ok $? "cuda:0: $(grep -c '^ok' "$tmp/first") points"
[ -s "$tmp/first" ] && grep -A3 '^not ok' "$tmp/first" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
# shellcheck disable=SC2086
HEDDLE_TEST_BACKEND=cuda:1 "$builddir/tests/conform/conform" ${@:-$own} >"$tmp/second" 2>&1
ok $? "cuda:1: $(grep -c '^ok' "$tmp/second") points"
grep -A3 '^not ok' "$tmp/second" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
done_testing
