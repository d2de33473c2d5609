#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tools that are no part of Heddle: one that listens by NVTX is told of contexts, operations and ranges, and static probes are in
# the library's notes.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
tool=$builddir/tests/modules/.libs/nvtx.so
if [ -r "$tool" ]; then
  HEDDLE_TEST_SCALE=0.1 NVTX_INJECTION64_PATH=$tool LISTENER_OUT=$tmp/told "$builddir/tests/scenario/profile.t" >"$tmp/out" 2>&1
  ok $? 'all that holds of profiles holds while a tool listens' || diag "$(grep -A3 '^not ok' "$tmp/out")"
  awk '/the first stretch/ { depth = match($0, /[^ ]/) }
       depth && /^ *add$/ && match($0, /[^ ]/) > depth { inside = 1 } END { exit !inside }' "$tmp/told"
  ok $? 'it is told of operations within ranges'
  grep -q '^reference$' "$tmp/told" && grep -q '^ *softmax$' "$tmp/told" && grep -q 'mark a "mark" with a' "$tmp/told"
  ok $? 'of contexts, of what is made of others, of marks'
  ! grep -q 'never began' "$tmp/told"
  ok $? 'and every end has a beginning'
  : >"$tmp/told"
  HEDDLE_BACKEND=reference NVTX_INJECTION64_PATH=$tool LISTENER_OUT=$tmp/told "$HEDDLE_TOOL" config >"$tmp/out" 2>&1
  ok $? 'without a profile, too'
  NVTX_INJECTION64_PATH=/nowhere/tool.so "$HEDDLE_TOOL" config >"$tmp/out" 2>"$tmp/err"
  ok $? 'without the tool that is named the program goes on'
else
  skip 'the tool was not built as a module'
fi
library=$builddir/lib/.libs/libheddle.so
case $(uname -m) in x86_64|aarch64) probes=yes ;; *) probes=no ;; esac
if [ $probes = yes ] && [ -r "$library" ] && command -v readelf >/dev/null; then
  readelf -n "$library" >"$tmp/notes" 2>"$tmp/err"
  for name in push pop op__begin op__end wait__begin wait__end fallback; do
    grep -A3 'Provider: heddle' "$tmp/notes" | grep -q "Name: $name\$"
    ok $? "a probe $name"
  done
  grep -A4 'Name: op__begin$' "$tmp/notes" | grep -q 'Arguments: -4@[^ ]* 8@[^ ]*$'
  ok $? 'with its arguments'
else
  skip 'there are no probes here, or no readelf to see them'
fi
done_testing
