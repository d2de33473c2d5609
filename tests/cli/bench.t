#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle bench: every suite runs and prints valid JSON with its members; wrong use; rows on request.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
python=$(command -v python3 || true)

# Work for the rows of workers, and how often a row is sampled within a budget; with sanitizers products take minutes.
work=matmul256 budget=0.01 sampled='9 9 '
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || work=sort2e5 budget=0 sampled='3 3 '

# One or two small rows of each suite, three samples each.
cat >"$tmp/rows" <<'ROWS'
dispatch ^dispatch/(get_backend|add)/
elementwise ^elementwise/((add|exp_out|cmul|transpose_copy|take|where)/.*/1e3|(real|logical_and)/(complex64|bool)/1e5)/t1$
reduce ^reduce/((sum|std_axis0|any_early|histogram)/.*/1e3|(norm2/complex64|min_axis0/int32)/1e5)/t1$
sort ^sort/((argsort|topk100)/float32/1e3|(isin|unique_inverse)/int64/1e5)/t1$
random ^random/(random_normal|permutation)/.*/1e3/t1$
linalg ^linalg/((dot|gram|solve_triangular)/float32/.*|matmul/float32/8|matmul_batched/float32/10000x4|khatri_rao/float32/400x50)/t1$
fft ^fft/(fftn|irfftn)/.*/32x1024/t1$
jobs ^jobs/(fhrr_bind|(mode_dot|mse|convolve|sparse_crossentropy)/float32)/
gradient ^gradient/(small/float32/8|chain10/float32/1e3)/t1$
program ^program/ten/float32/(8|1e3)/t1$
memory ^memory/(empty|full|trim|query)/float32/64B/t1$
ROWS
echo "scaling ^scaling/$work/float32/2x1/" >>"$tmp/rows"
cat >"$tmp/check.py" <<'PY'
import json, math, sys
d = json.load(open(sys.argv[1]))
suite, bad = sys.argv[2], []
members = {"id", "suite", "case", "backend", "dtype", "size", "shape", "threads", "samples", "ns_median", "ns_min", "ns_q1",
           "ns_q3", "bytes", "flops", "floor", "floor_ns", "share", "note"}
if d["schema"] != "heddle.bench/1": bad.append("schema")
for k in ("date", "cpu", "processors", "caches", "memory_bytes", "os", "compiler", "backend", "backend_device"):
    if k not in d["machine"]: bad.append("machine has no " + k)
if not d["rows"]: bad.append("no rows")
for r in d["rows"]:
    if set(r) != members: bad.append(r["id"] + ": members " + str(set(r) ^ members))
    if r["suite"] != suite: bad.append(r["id"] + ": suite")
    if not 0 < r["ns_min"] <= r["ns_q1"] <= r["ns_median"] <= r["ns_q3"]: bad.append(r["id"] + ": order")
    if r["samples"] < 3: bad.append(r["id"] + ": samples")
    if r["floor_ns"] is not None and not math.isclose(r["share"], r["floor_ns"] / r["ns_median"], rel_tol=1e-3):
        bad.append(r["id"] + ": share")
    if (r["floor"] is None) != (r["floor_ns"] is None): bad.append(r["id"] + ": floor without its kind")
print("; ".join(bad))
PY
while read -r suite rows; do
  heddle bench "$suite" --rows "$rows" --threads 1 --budget 0 --json >"$tmp/$suite.json" 2>"$tmp/err"
  is $? 0 "$suite"
  none "$(grep -v 'in force is reference' "$tmp/err")" 'nothing to say about it'
  heddle bench "$suite" --list --rows "$rows" --threads 1 >"$tmp/list"
  is "$(grep -c '"id"' "$tmp/$suite.json")" "$(($(wc -l <"$tmp/list")))" 'every row that --list names was measured'
  if [ -n "$python" ]; then
    is "$("$python" "$tmp/check.py" "$tmp/$suite.json" "$suite")" '' 'its rows are whole'
  else
    skip 'no python3 to read JSON'
  fi
done <"$tmp/rows"
# Rows that are measured in turns: as many samples of each, and more than of other rows unless few are asked for.
samples() { sed -n 's/.*"samples": \([0-9]*\).*/\1/p' "$tmp/json" | tr '\n' ' '; }
heddle bench scaling --rows "$work.*/[14]x1/" --budget $budget --json >"$tmp/json" 2>"$tmp/err"
is "$(samples)" "$sampled" 'rows of the same work, sampled in turns'
heddle bench scaling --rows "($work|exp4e5).*/2x1/" --budget 0 --json >"$tmp/json" 2>"$tmp/err"
is "$(samples)" '3 3 ' 'rows of different work, few samples'
heddle bench scaling --team no_such_team --rows '^scaling/add4e5.*/1x1/' --budget 0 --json >"$tmp/json" 2>"$tmp/err"
is "$(grep -c '"id"' "$tmp/json")" 1 'a team that there is not is left out'
grep -q '^scaling/add4e5_team/.*the process of the row has ended' "$tmp/err" && grep -q no_such_team "$tmp/err"
ok $? 'and said'
team=$builddir/lib/backends/teams/.libs/openmp.so
if [ -e "$team" ]; then
  OMP_WAIT_POLICY=passive heddle bench scaling --team "$team" --rows '^scaling/add4e5.*/1x2/' --threads 2 --budget 0 \
    --json >"$tmp/json" 2>"$tmp/err"
  is "$(sed -n 's/.*"case": "\([a-z0-9_]*\)".*/\1/p' "$tmp/json" | tr '\n' ' ')" 'add4e5 add4e5_team ' 'rows of both teams'
else
  skip 'no module for teams of OpenMP'
fi
is "$(($(heddle bench --list | cut -d/ -f1 | sort -u | wc -l)))" 12 'twelve suites'
is "$(heddle bench match --list --threads 1)" "$(printf '%s\n' jobs/match_FLCSphericalMask/float32/128^3/t1 \
  jobs/match_FLC/float32/128^3/t1)" 'match is part of jobs'

heddle bench dispatch --rows 'get_backend' --budget 0 >"$tmp/text"
is $? 0 'as text'
is "$(sed -n 's/ .*//;2p' "$tmp/text")" dispatch/get_backend/t1 'a line begins with the name of the row'

# Two processes for each processor: more than a fifth of one is theirs, whatever else runs.
hogs=
for i in $(seq $((2 * $(getconf _NPROCESSORS_ONLN)))); do
  while :; do :; done &
  hogs="$hogs $!"
done
heddle bench dispatch --rows 'get_backend' --budget 0.5 >"$tmp/text"
kill $hogs
is "$(grep -cE 'other processes took [0-9.]+ processors' "$tmp/text")" 1 'a row says that others computed meanwhile'
heddle bench dispatch --rows 'get_backend' --budget 0 --backend reference --json | grep -q '"backend": "reference"'
ok $? 'another backend'

HEDDLE_BACKEND=reference heddle bench dispatch --rows 'get_backend' --budget 0 2>&1 >"$tmp/out" | grep -q 'in force is reference'
ok $? 'the reference backend is not measured in silence'
if [ -e "$HEDDLE_TEST_BUILDDIR/lib/backends/.libs/cpu.so" ]; then
  (unset HEDDLE_PLUGIN_PATH && heddle bench dispatch --rows 'get_backend' --budget 0 --json) | grep -q '"backend": "cpu"'
  ok $? 'from the build folder, the module that was built with it'
else
  skip 'the cpu backend was not built'
fi
heddle bench frobnicate >"$tmp/out" 2>"$tmp/err"
is $? 2 'an unknown suite is wrong use'
grep -q "no suite 'frobnicate'" "$tmp/err"
ok $? 'and is named'
heddle bench --rows '(' >"$tmp/out" 2>"$tmp/err"
is $? 2 'an expression that is none'
heddle bench --rows 'no such row' >"$tmp/out" 2>"$tmp/err"
is $? 2 'no row at all'
heddle bench --threads 0 >"$tmp/out" 2>"$tmp/err"
is $? 2 'no thread at all'
heddle bench --rows '/(add|fused_muladd)/float32/1e[37]/t1$' --budget 0 --backend 'cpu;memory=10M' >"$tmp/out" 2>"$tmp/err"
is $? 5 'no memory for a row'
is "$(sed -n 's/: .*//p' "$tmp/err" | tr '\n' ' ')" 'elementwise/add/float32/1e7/t1 elementwise/fused_muladd/float32/1e7/t1 ' \
  'rows without are named'
is "$(sed -n 's/ .*//p' "$tmp/out" | grep -c /1e3/)" 2 'the others are measured'
heddle bench dispatch --backend nowhere >"$tmp/out" 2>"$tmp/err"
is $? 4 'a backend that is not there'

printf '%s\n' 'open dispatch/get_backend/t1' ours floor close ours 'open nothing' machine |
  heddle bench --serve >"$tmp/out" 2>"$tmp/err"
is $? 0 'rows on request'
sed -n 1p "$tmp/out" | grep -q '^{.*"id": "dispatch/get_backend/t1"'
ok $? 'a row is opened'
is "$(sed -n 2,3p "$tmp/out" | grep -cE '^[0-9.e+-]+$')" 2 'a sample, and one of its floor'
is "$(sed -n 4,6p "$tmp/out")" "ok
error no row is open
error no row 'nothing'" 'closed; what cannot be done is said'
sed -n 7p "$tmp/out" | grep -q '"cpu"'
ok $? 'the machine'
done_testing
