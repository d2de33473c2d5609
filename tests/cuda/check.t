#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-check, on the driver of tests/cudashim with tiny sizes: what it does on a machine with a GPU works the first time.
# HEDDLE_TEST_FULL=1 has all its phases and types.
# reads: tests/gpu-check tests/gpu tests/cuda.sh tests/cudashim tools lib/backends/cuda
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
why=$("$srcdir/tests/changed" "$0") || skip_all "$why"
command -v python3 >/dev/null || skip_all 'no python3'
phases=1,3,4,5,6,7,8
[ "${HEDDLE_TEST_FULL:-0}" = 1 ] || { phases=1,3,5,8; export HEDDLE_TEST_FEW=1; }
bash "$srcdir/tests/gpu-check" --build "$builddir" --out "$tmp/out" --quick --jobs 1 --phases $phases >"$tmp/said" 2>&1
status=$?
ok $status 'gpu-check finds nothing wrong'
[ $status -eq 0 ] || diag "$(cat "$tmp/said")"
for f in info.txt conform.txt scenarios.txt heddle.json table.txt summary.txt; do
  [ -s "$tmp/out/$f" ]
  ok $? "it writes $f"
done
grep -q 'dispatch/add/float32/8' "$tmp/out/table.txt"
ok $? 'the table has the rows'
grep -q 'transfer/peer/float32/256MiB' "$tmp/out/table.txt" && grep -q 'threads/add/float32/8' "$tmp/out/table.txt"
ok $? 'and copies, and threads'
cat >"$tmp/rows" <<'EOF'
{"bytes_per_second": 4e12}
{"row": "reduce/sum/float32/1e8", "who": "heddle", "seconds": 1.5e-4, "host": 1e-5}
{"row": "reduce/sum/float32/1e8", "who": "torch", "seconds": 1.2e-4, "host": 1e-5}
{"row": "reduce/sum/float32/1e8", "who": "cupy", "seconds": 1e-4}
{"row": "sort/sort/float32/1e7", "who": "heddle", "seconds": 1e-4, "host": 1e-5}
{"row": "sort/sort/float32/1e7", "who": "torch", "seconds": 2e-4, "host": 1e-5}
EOF
python3 "$srcdir/tests/gpu/table.py" "$tmp/rows" | grep -v '^row' | sed -n '/behind/p; /beside/p' >"$tmp/behind"
words="its bytes alone take 100 us here, 100% of the peer's time"
is "$(cat "$tmp/behind")" "behind: reduce/sum/float32/1e8: 0.67 of the better peer's speed; $words
2 rows beside a peer, mean 1.33, 1 below 0.85" 'which rows are behind a peer, and why'
HEDDLE_DISABLE=cuda bash "$srcdir/tests/gpu-check" --build "$builddir" --out "$tmp/off" --quick --jobs 1 --phases 1 >"$tmp/said" 2>&1
is $? 1 'without a device it fails'
grep -q 'WRONG: no backend cuda' "$tmp/off/summary.txt"
ok $? 'and says so'
# Every process loses its device on the way: no row is left out for what came before it.
CUDASHIM_FAIL='150000 700' bash "$srcdir/tests/gpu-check" --build "$builddir" --out "$tmp/lost" --quick --jobs 1 \
  --phases 5 >"$tmp/said" 2>&1
ok $? 'a device that is lost while rows are measured ends nothing'
sed -n 's/.*"row": "\([^"]*\)".*/\1/p' "$tmp/out/heddle.json" | sort >"$tmp/all"
sed -n '/transfer\|threads/!s/.*"row": "\([^"]*\)".*/\1/p' "$tmp/lost/heddle.json" | sort >"$tmp/found"
is "$(grep -v 'transfer\|threads' "$tmp/all" | comm -3 - "$tmp/found")" '' 'every row is there once'
failed=$(grep -c '"error"' "$tmp/lost/heddle.json")
[ "$failed" -gt 0 ] && [ "$failed" -lt 9 ]
ok $? 'but for few of them measured'
grep -q 'bench: status 3 at ' "$tmp/lost/summary.txt"
ok $? 'and the summary says where it was lost'
mkdir -p "$tmp/fake/tests/gpu"
cat >"$tmp/fake/tests/gpu/bench" <<'EOF'
#!/bin/sh
after=${4-}
for row in a b c; do
  if [ -n "$after" ]; then
    [ $row != "$after" ] || after=
    continue
  fi
  echo "row $row" >&2
  [ $row != b ] || kill -9 $$
  echo "{\"row\": \"$row\"}"
done
EOF
chmod +x "$tmp/fake/tests/gpu/bench"
bash "$srcdir/tests/gpu-check" --build "$tmp/fake" --out "$tmp/ended" --quick --phases 5 >"$tmp/said" 2>&1
said=$(sed 's/"row": //; s/"who".*"error"/error/' "$tmp/ended/heddle.json" | tr -d '{}"\n')
is "$said" 'ab, error: status 137c' 'nor does a process that ends'
done_testing
