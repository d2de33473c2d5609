#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Profiles of cuda: the streams of the driver of tests/cudashim have tracks, with kernels, copies and library calls by name and times
# of the device's, which fit those of the host.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
HEDDLE_BACKEND=cuda:0 HEDDLE_PROFILE=$tmp/p.json "$builddir/tests/cuda/products" >"$tmp/out" 2>&1
ok $? 'a program with products and its own kernels'
"$builddir/tests/scenario/profile.t" "$tmp/p.json" >"$tmp/check" 2>&1
ok $? 'its profile keeps the format' || diag "$(cat "$tmp/check")"
grep '"cat":"device"' "$tmp/p.json" >"$tmp/device"
grep -q '"on":"cuda:0 stream [0-9]' "$tmp/device"
ok $? 'its stream has a track'
for name in 'copy out' cublas; do
  grep -q "\"name\":\"$name" "$tmp/device"
  ok $? "$name is there"
done
grep -v '"name":"c[ou][pb]' "$tmp/device" | grep -q '"dur":[0-9]'
ok $? 'kernels are'
# of the whole profile: the first and last moments of the host
awk -F'"ts":' '/"ph":"X"/ { split($2, a, ","); t = a[1] + 0; split($0, b, "\"dur\":"); d = b[2] + 0
  if (/"cat":"device"/) { if (!n++ || t < low) low = t; if (t + d > high) high = t + d }
  else { if (!m++ || t < from) from = t; if (t + d > to) to = t + d } }
  END { exit !(n && m && low >= from && high <= to + 1) }' "$tmp/p.json"
ok $? 'and no time is before the host began or after it ended'
done_testing
