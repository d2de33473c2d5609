#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copies between two devices: no call of the driver between cuda/peer.c's two lines waits; see there.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
CUDASHIM_TRACE=1 "$builddir/tests/cuda/peer" >"$tmp/out" 2>"$tmp/calls"
ok $? "$(grep -c '^ok' "$tmp/out") points"
grep -A3 -e '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
sed -n '/copies begin/,/copies end/p' "$tmp/calls" >"$tmp/between"
is "$(grep -c cuMemcpyPeerAsync "$tmp/between")" 2 'two copies from device to device'
[ "$(grep -c cuStreamWaitEvent "$tmp/between")" -ge 3 ]
ok $? 'streams wait for events of the other device'
none "$(grep -e Synchronize -e cuMemcpyDtoH -e cuMemcpyHtoD "$tmp/between")" 'the host waits for nothing, and nothing goes through it'
done_testing
