#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/compare: its scripts are valid Python; table and verdicts from a stored result. Needs python3 alone.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
python=${PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || skip_all 'no python3'
PYTHONPYCACHEPREFIX=$tmp/cache
PYTHONDONTWRITEBYTECODE=1
export PYTHONPYCACHEPREFIX PYTHONDONTWRITEBYTECODE

for f in compare compare_peers.py compare_filters.py compare_functions.py compare_gradients.py compare_linalg.py compare_jobs.py \
  compare_nn.py compare_report.py compare_tme.py compare_ultrasound.py; do
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
"$python" "$srcdir/bench/compare" --summary "$tmp/result.json" >"$tmp/summary" 2>"$tmp/err"
is $? 0 'a summary of it'
is "$(awk '$1 == "all" { print $2, $NF }' "$tmp/summary")" '4 0.56' 'with the same mean'
is "$(sed -n '/^Behind/,/^$/s|^\([a-z]*/[a-z]/t1\) .*|\1|p' "$tmp/summary" | tr '\n' ' ')" 'sort/d/t1 reduce/b/t1 sort/c/t1 ' \
  'the rows that are behind, the farthest first'
is "$(grep -A1 '^reduce: ' "$tmp/summary" | sed -n '2s/  */ /gp')" 'a 1 2.00 2.00 b 1 0.50 0.50' 'and each case'
none "$(awk 'FNR == 301 { print FILENAME }' "$srcdir"/bench/results/*)" 'tables that are kept have 300 lines at most'
none "$(ls "$srcdir"/bench/results/ | grep '\.')" 'and are all that is kept'
none "$(grep 'instructions at most' "$tmp/table")" 'a table says nothing of a level that was not lowered'
sed 's/"rows": \[/"level": "avx2", &/' "$tmp/result.json" >"$tmp/low.json"
"$python" "$srcdir/bench/compare" --plot "$tmp/low.json" --out - >"$tmp/low" 2>"$tmp/err"
is "$(sed -n 3p "$tmp/low")" 'ours and the peers with AVX2 instructions at most' 'but of one that was'
"$python" "$tmp/make.py" "$tmp/long.json" memory
"$python" "$srcdir/bench/compare" --plot "$tmp/long.json" --out - >"$tmp/long" 2>"$tmp/err"
is "$(sed -n 's/^Bound by memory.*: \([0-9]*; [0-9]*\) of.*/\1/p' "$tmp/long")" '3; 2' 'rows that memory bounds, and those near it'
is "$(sed -n '/^Bound by memory/,/^$/p' "$tmp/long" | grep -o '^reduce/[a-z]*')" reduce/far 'the others are named'

# Rounds, with a tool and a peer of our own. The floor is 1000; far takes 1250, 1000 and 1600 in three rounds, near 1250, 800
# and 1000, busy is bound by its work, small is short. The peer's times are of no interest here.
mkdir "$tmp/bench"
cp "$srcdir/bench/compare" "$srcdir/bench/compare_report.py" "$tmp/bench"
cat >"$tmp/bench/compare_peers.py" <<'PY'
class Peers:
    def __init__(self, threads):
        self.mod = {"tme": None}

    def row(self, row):
        return {"none": lambda: None}

    def versions(self):
        return {"none": "0"}


def call_ns():
    return 20.0
PY
cat >"$tmp/heddle" <<'SH'
#!/bin/sh
folder=$(dirname "$0")
case $* in *--list*)
  for row in small/f/1e5 near/f/1e7 busy/f/1e5 busy/f/1e7 far/f/1e7; do echo "reduce/$row/t1"; done
  exit
esac
while read -r request row; do
  case $request in
    open)
      name=${row#*/}
      name=${name%%/*}
      echo "$row" >>"$folder/opened"
      case $(grep -c "^$row$" "$folder/opened"):$row in
        *small*) ours=2000 ;;
        *busy*1e5*) ours=11000 ;;
        *busy*) ours=1200 ;;
        1:*) ours=1250 ;;
        2:*far*) ours=1000 ;;
        2:*) ours=800 ;;
        *far*) ours=1600 ;;
        *) ours=1000 ;;
      esac
      echo '{"floor": "bandwidth", "bytes": 1, "flops": 1, "note": null}' ;;
    ours) echo $ours ;;
    floor) echo 1000 ;;
    machine) echo '{"machine": {"cpu": "none", "processors": 1, "os": "none", "backend_device": "none"}, "version": "0"}' ;;
    *) echo ok ;;
  esac
done
SH
chmod +x "$tmp/heddle"
compare() { "$python" "$tmp/bench/compare" --tool "$tmp/heddle" --threads 1 --budget 1e-6 "$@"; }
compare --rounds 3 --out "$tmp/results" >"$tmp/out" 2>"$tmp/err"
is $? 0 'three rounds'
none "$(cat "$tmp/err")" 'without a word'
is "$(sed -n 's|^reduce/||p' "$tmp/opened" | tr '\n' ' ')" \
  'small/f/1e5/t1 near/f/1e7/t1 busy/f/1e5/t1 busy/f/1e7/t1 far/f/1e7/t1 near/f/1e7/t1 far/f/1e7/t1 near/f/1e7/t1 far/f/1e7/t1 ' \
  'all rows once, then those that memory bounds twice more, wherever they stand'
is "$(awk '/^Bound by memory/ { on = 1 } on && /^reduce\// { print $1, $2, $6, $7, $8, $9 }' "$tmp/results"/*.txt)" \
  'reduce/far/f/1e7/t1 1.25 80% 80 100 62' 'the median of the shares, and each of them'
is "$(sed -n 's/^Bound by memory.*: \([0-9]*; [0-9]*\) of.*/\1/p' "$tmp/results"/*.txt)" '2; 1' 'which decides'
"$python" - "$tmp/results" <<'PY'
import glob, json, sys
rows = {r["id"]: r for r in json.load(open(glob.glob(sys.argv[1] + "/*.json")[0]))["rows"]}
far, near = rows["reduce/far/f/1e7/t1"], rows["reduce/near/f/1e7/t1"]
assert [r["ours"]["median"] for r in far["rounds"]] == [1250, 1000, 1600] and far["ours"]["median"] == 1250
assert near["ours"]["median"] == 1000 and near["ours"]["min"] == 800 and near["ours"]["n"] == 15
assert all(r["date"] and r["peers"]["none"]["n"] == 5 for r in near["rounds"]) and near["peers"]["none"]["n"] == 15
assert "rounds" not in rows["reduce/small/f/1e5/t1"]
PY
is $? 0 'the record has the rounds and the medians over them'
mv "$tmp/results"/*.txt "$tmp/first"
compare --plot "$tmp/results"/*.json --out - >"$tmp/again" 2>"$tmp/err"
is "$(cat "$tmp/again")" "$(cat "$tmp/first")" 'the table once more, from the record'
rm "$tmp/opened"
compare --out - >"$tmp/out" 2>"$tmp/err"
is "$(grep -c . "$tmp/opened")" 5 'one round unless more are asked for'
none "$(grep -w rounds "$tmp/out")" 'of which the table says nothing'

# Three rounds in which now one and now the other peer is the best: the least of their median ratios, not a ratio of medians.
cat >"$tmp/peers.py" <<'PY'
import json, sys
def q(ns):
    return {"median": ns, "min": ns, "q1": ns, "q3": ns, "n": 5}
def record(ours, **peers):
    return {"id": "reduce/a/1e7/t1", "threads": 1, "date": "", "ours": q(ours), "floor": q(50.0), "floor_kind": "bandwidth",
            "peers": {k: q(v) for k, v in peers.items()}}
sys.path.insert(0, sys.argv[1])
import compare_report as report
row = report.together([record(100.0, numpy=150.0, torch=300.0), record(200.0, numpy=300.0, torch=200.0),
                       record(400.0, numpy=800.0, torch=440.0)])
print(*report.judge(row)[:4])
PY
is "$("$python" "$tmp/peers.py" "$srcdir/bench")" 'torch 1.1 50.0 0.25' 'ratios and shares are of the same round'

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
refused 2 "'0' is not a number from 1 to 99" 'no rounds' --rounds 0
refused 1 "no program '$tmp/bin/heddle'" 'a prefix without the tool' --prefix "$tmp"
refused 1 'No such file' 'no stored result' --plot "$tmp/nothing.json"
refused 1 'not a stored result' 'a summary of what is none' --summary "$tmp/make.py"
refused 1 'not a stored result' 'a result that is none' --plot "$tmp/make.py"
done_testing
