#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle wisdom: a file that grows, what it refuses.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
[ -e "$builddir/lib/backends/.libs/cpu.so" ] || skip_all 'the cpu backend was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }

heddle wisdom -o "$tmp/w" 24x16 >"$tmp/out" 2>"$tmp/err"
is $? 0 'two transforms are measured'
is "$(cat "$tmp/out")" "float32 24x16: measure
complex64 24x16: measure
$tmp/w" 'each is named, then the file'
[ -s "$tmp/w" ]
ok $? 'the file is there'
first=$(wc -c <"$tmp/w")
double=$(grep '^double ' "$tmp/w")
heddle wisdom -o "$tmp/w" --complex --dtype float64 --effort patient 20 >"$tmp/out"
is "$(head -1 "$tmp/out")" 'complex128 20: patient' 'another precision, one dimension'
[ "$(wc -c <"$tmp/w")" -gt "$first" ]
ok $? 'is added to the file'
heddle wisdom -o "$tmp/w" --fresh 24x16 >/dev/null
is "$(grep '^double ' "$tmp/w")" "$double" '--fresh begins anew: the other precision is gone'
HEDDLE_CACHE_DIR=$tmp/cache heddle wisdom 8 | tail -1 >"$tmp/out"
is "$(cat "$tmp/out")" "$tmp/cache/cpu.wisdom" 'the default file'

echo nonsense >"$tmp/bad"
heddle wisdom -o "$tmp/bad" 8 >"$tmp/out" 2>"$tmp/err"
is $? 3 'a file that is not wisdom'
is "$(cat "$tmp/bad")" nonsense 'stays as it is'
grep -q "$tmp/bad" "$tmp/err"
ok $? 'and is named'
for shape in 0 8x 8x-1 x8 8y8 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1; do
  heddle wisdom -o "$tmp/w" "$shape" >/dev/null 2>"$tmp/err"
  is $? 2 "no shape: $shape"
done
heddle wisdom >/dev/null 2>&1
is $? 2 'no shape at all'
heddle wisdom -b reference -o "$tmp/w" 8 >/dev/null 2>"$tmp/err"
is $? 4 'a backend without wisdom'
is "$(ls "$tmp" | grep -c tmp)" 0 'nothing is left over'
done_testing
