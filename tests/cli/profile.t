#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle profile: the profile of a program that knows nothing of it, its table, picture and comparison; files of something else.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
p=$tmp/p.json
HEDDLE_BACKEND=reference HEDDLE_PROFILE=$p "$HEDDLE_TOOL" bench dispatch --rows '^dispatch/add' --budget 0 >"$tmp/out" 2>&1
[ -s "$p" ] && [ ! -e "$p.raw" ]
ok $? 'a program writes its profile when it ends'
"$HEDDLE_TOOL" profile "$p" >"$tmp/table" 2>"$tmp/err"
ok $? 'its table'
grep -q '^add  *reference  *[0-9]' "$tmp/table"
ok $? 'has operations by name and backend'
calls=$("$HEDDLE_TOOL" profile --json "$p" | sed -n 's/^  "calls": \([0-9]*\),/\1/p')
is "$("$HEDDLE_TOOL" profile --json --by=thread "$p" | sed -n 's/^  "calls": \([0-9]*\),/\1/p')" "$calls" \
  'all calls, however rows are made'
"$HEDDLE_TOOL" profile --floor "$p" >"$tmp/floor" 2>"$tmp/err" &&
  grep -q '^add  *reference .* [0-9][0-9]* %' "$tmp/floor" && grep -q '^floor: copies on reference move [0-9.]* GB/s' "$tmp/floor"
ok $? 'the share of what moving the bytes takes'
"$HEDDLE_TOOL" profile --json --floor "$p" | grep -q '"floor_share": [0-9]'
ok $? 'as a number'
cat >"$tmp/marked.json" <<'EOF'
{"otherData":{"format":"heddle.profile/1","base_ns":5000000,"dropped":0},"traceEvents":[
{"ph":"X","pid":7,"tid":1,"ts":0.000,"dur":100.000,"cat":"range","name":"rotation","args":{}},
{"ph":"X","pid":7,"tid":1,"ts":10.000,"dur":60.000,"cat":"op","name":"add","args":{"of":"float32[3] [3] > [3]","bytes":36,"on":"cpu"}},
{"ph":"X","pid":7,"tid":1,"ts":200.000,"dur":50.000,"cat":"range","name":"rotation","args":{}}
]}
EOF
is "$("$HEDDLE_TOOL" profile --by=range "$tmp/marked.json" | awk '$1 == "rotation" { print $2, $3, $4 }')" '2 0.150 0.090' \
  'what is marked has its calls, its time, and what of it was not within another slice'
"$HEDDLE_TOOL" profile -o "$tmp/t.svg" "$p" && grep -q '</svg>' "$tmp/t.svg"
ok $? 'a picture'
"$HEDDLE_TOOL" profile --compare "$p" "$p" | grep -q '^add .*+0.000$'
ok $? 'beside itself it has no difference'
head -c 2000 "$p" >"$tmp/cut.json"
"$HEDDLE_TOOL" profile "$tmp/cut.json" >"$tmp/out" 2>"$tmp/err" && grep -q 'cut.json ends in the middle' "$tmp/err"
ok $? 'a file that was cut off is read up to there, which is said'
echo '{"traceEvents":[]}' >"$tmp/other.json"
"$HEDDLE_TOOL" profile "$tmp/other.json" >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "3 heddle profile: $tmp/other.json is no profile of Heddle" 'a file of something else is refused by name'
HEDDLE_BACKEND=reference HEDDLE_PROFILE=/nowhere/there/p.json "$HEDDLE_TOOL" config >"$tmp/out" 2>&1
ok $? 'where the file cannot be written the program goes on'
done_testing
