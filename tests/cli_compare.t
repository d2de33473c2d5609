#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/compare: its scripts are valid Python; table and verdicts from a stored result. Needs python3 alone.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/tap.sh"
python=${PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || skip_all 'no python3'
PYTHONPYCACHEPREFIX=$tmp/cache
PYTHONDONTWRITEBYTECODE=1
export PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE

for f in compare compare_peers.py compare_linalg.py compare_jobs.py compare_report.py compare_tme.py; do
  "$python" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$srcdir/bench/$f" 2>"$tmp/err"
  is $? 0 "$f is valid"
done

# Verdicts: ahead, within 1.25 of the floor, behind both, without a floor. Memory: of four long rows one's work takes longer
# than its floor, two of the others are at 90 % of theirs, one of these has no smaller row.
cat >"$tmp/make.py" <<'PY'
import json, sys
def q(ns):
    return {"median": ns, "min": ns, "q1": ns, "q3": ns, "n": 5}
def row(name, ours, floor, **peers):
    return {"id": name, "threads": 1, "ours": q(ours), "floor": q(floor) if floor else None, "floor_kind": "bandwidth",
            "bytes": 1, "flops": 1, "note": None, "peers": {k: q(v) for k, v in peers.items()}, "failed": {}}
verdicts = [row("reduce/a/t1", 100.0, 50.0, numpy=400.0, torch=200.0), row("reduce/b/t1", 100.0, 81.0, numpy=50.0),
            row("sort/c/t1", 100.0, 79.0, numpy=80.0), row("sort/d/t1", 100.0, None, torch=12.5)]
memory = [row("reduce/busy/1e5/t1", 11.0, 1.0), row("reduce/busy/1e7/t1", 1200.0, 1000.0),
          row("reduce/near/1e3/t1", 0.09, 0.01), row("reduce/near/1e7/t1", 1100.0, 1000.0),
          row("reduce/far/1e5/t1", 9.0, 1.0), row("reduce/far/1e7/t1", 1250.0, 1000.0),
          row("reduce/alone/1e7/t1", 1000.0, 1000.0)]
json.dump({"date": "2026-01-01T00:00:00Z", "rows": {"verdicts": verdicts, "memory": memory}[sys.argv[2]],
           "versions": {"numpy": "0"}, "call_ns": 20.0,
           "machine": {"version": "0", "cpu": "none", "processors": 1, "os": "none", "backend_device": "none"}},
          open(sys.argv[1], "w"))
PY
"$python" "$tmp/make.py" "$tmp/result.json" verdicts
"$python" "$srcdir/bench/compare" --plot "$tmp/result.json" --out - >"$tmp/table" 2>"$tmp/err"
is $? 0 'a table from a stored result'
none "$(cat "$tmp/err")" 'without a word'
verdict() { sed -n "s|^$1 ||p" "$tmp/table" | grep -oE 'ahead|at floor|short'; }
is "$(verdict reduce/a/t1)" ahead 'faster than the best peer'
is "$(verdict reduce/b/t1)" 'at floor' 'slower, but near the floor'
is "$(verdict sort/c/t1)" short 'neither'
is "$(verdict sort/d/t1)" short 'nor where there is no floor'
is "$(grep -oE '^(reduce|sort)/[a-d]' "$tmp/table" | tr '\n' ' ')" 'sort/d sort/c reduce/b reduce/a ' \
  'those that fall short stand first, the farthest first'
none "$(grep '^Bound by memory' "$tmp/table")" 'no word of memory without long rows'
is "$(awk '$1 == "all" { print $2, $NF }' "$tmp/table")" '4 0.56' 'the geometric mean of all ratios'
is "$(awk '$1 == "reduce" { print $2, $NF }' "$tmp/table")" '2 1.00' 'and of a suite'
none "$(grep 'instructions at most' "$tmp/table")" 'a table says nothing of a level that was not lowered'
sed 's/"rows": \[/"level": "avx2", &/' "$tmp/result.json" >"$tmp/low.json"
"$python" "$srcdir/bench/compare" --plot "$tmp/low.json" --out - >"$tmp/low" 2>"$tmp/err"
is "$(sed -n 3p "$tmp/low")" 'ours and the peers with AVX2 instructions at most' 'but of one that was'
"$python" "$tmp/make.py" "$tmp/long.json" memory
"$python" "$srcdir/bench/compare" --plot "$tmp/long.json" --out - >"$tmp/long" 2>"$tmp/err"
is "$(sed -n 's/^Bound by memory.*: \([0-9]*; [0-9]*\) of.*/\1/p' "$tmp/long")" '3; 2' 'rows that memory bounds, and those near it'
is "$(sed -n '/^Bound by memory/,/^$/p' "$tmp/long" | grep -o '^reduce/[a-z]*')" reduce/far 'the others are named'

"$python" "$srcdir/bench/compare" --suite nothing >"$tmp/out" 2>"$tmp/err"
is $? 2 'an unknown suite is wrong use'

# refused STATUS PATTERN NAME ARGUMENT...: ends so, with a sentence and without a trace of Python's.
refused() {
  want=$1
  pattern=$2
  name=$3
  shift 3
  "$python" "$srcdir/bench/compare" "$@" >"$tmp/out" 2>"$tmp/err"
  is $? "$want" "$name: status"
  grep -q -- "$pattern" "$tmp/err" && ! grep -q Traceback "$tmp/err"
  ok $? "$name: the sentence says '$pattern'"
}
refused 2 "'(' is not a regular expression" 'a bad expression' --rows '('
refused 2 "'1,x' is not a list of thread counts" 'bad thread counts' --threads 1,x
refused 1 "no program '$tmp/bin/heddle'" 'a prefix without the tool' --prefix "$tmp"
refused 1 'No such file' 'no stored result' --plot "$tmp/nothing.json"
refused 1 'not a stored result' 'a result that is none' --plot "$tmp/make.py"
done_testing
