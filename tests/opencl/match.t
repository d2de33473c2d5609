#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A search whose steps are all done on the device: the same peaks as the cpu backend's, or the reference backend's.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'OpenCL does not run with the sanitizers'
heddle() { "$HEDDLE_TOOL" "$@"; }
heddle info >"$tmp/info" 2>&1
grep -q "^ *opencl *ready" "$tmp/info" || skip_all "there is no OpenCL device"
heddle simulate -o "$tmp/data" --shape 32 --voxel 16 --resolution 40 --copies 3 --snr 1 >/dev/null
host=cpu
grep -q "^ *cpu *ready" "$tmp/info" || host=reference
# search SPEC NAME SCORE
search() {
  heddle match "$tmp/data/tomogram.mrc" "$tmp/data/template.mrc" --mask "$tmp/data/mask.mrc" --score "$3" --angular-step 60 \
    --workers "$1" -o "$tmp/$2" >"$tmp/$2.out" 2>"$tmp/$2.err"
}
# Places and angles; scores to three digits.
peaks() {
  awk '!/^#/ && NR > 1 { for (k = 1; k <= NF; k++) printf "%s ", ($k ~ /^-?[0-9.]+$/ ? sprintf("%.3f", $k) : $k); print "" }' "$1"
}
for score in FLC FLCSphericalMask; do
  search "$host" "host_$score" "$score"
  is $? 0 "$score on $host"
  search 'opencl;fallback=error' "device_$score" "$score"
  is $? 0 "$score on opencl, nothing left to the host"
  [ -s "$tmp/device_$score.err" ] && diag "$(cat "$tmp/device_$score.err")"
  peaks "$tmp/host_${score}_peaks.tsv" >"$tmp/want"
  peaks "$tmp/device_${score}_peaks.tsv" >"$tmp/got"
  [ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/got"
  ok $? 'the same peaks'
done
done_testing
