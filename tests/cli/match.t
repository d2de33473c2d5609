#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# simulate and match end to end: all particles are found, what is printed and written is right, the result does not
# depend on the workers, interruption leaves nothing behind.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
python=$(command -v python3 || true)
# json FILE EXPRESSION: value of an expression over the document d
json() { "$python" -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

cpu=no
heddle info --json >"$tmp/info.json" 2>/dev/null
[ -n "$python" ] && [ "$(json "$tmp/info.json" \
  'any(b["name"] == "cpu" and b["state"] == "ready" for b in d["backends"])')" = True ] && cpu=yes
many='reference*2'
[ $cpu = yes ] && many='cpu*2,reference'

# A small problem, for the reference backend too: with 16 angstrom voxels the template has 13 voxels.
heddle simulate -o "$tmp/data" --shape 32 --voxel 16 --resolution 40 --copies 3 --snr 1 >"$tmp/sim.txt" 2>"$tmp/err"
is $? 0 'simulate'
[ -s "$tmp/err" ] && diag "$(cat "$tmp/err")"
is "$(ls "$tmp/data" | tr '\n' ' ')" 'mask.mrc template.mrc tomogram.mrc truth.tsv ' 'its four files and no other'
is "$(grep -c '^[0-9]' "$tmp/data/truth.tsv")" 3 'three rows of truth'
heddle simulate -o "$tmp/data" --shape 32 >/dev/null 2>"$tmp/err"
is $? 3 'it does not overwrite'
grep -q 'force' "$tmp/err"
ok $? 'and says how it would'
heddle simulate -o "$tmp/twin" --shape 32 --voxel 16 --resolution 40 --copies 3 --snr 1 >/dev/null
cmp -s "$tmp/data/tomogram.mrc" "$tmp/twin/tomogram.mrc" && cmp -s "$tmp/data/truth.tsv" "$tmp/twin/truth.tsv"
ok $? 'the same seed gives the same files'

find_it() { # NAME WORKERS OPTION...
  n=$1
  w=$2
  shift 2
  heddle match "$tmp/data/tomogram.mrc" "$tmp/data/template.mrc" --mask "$tmp/data/mask.mrc" --angular-step 45 \
    --workers "$w" --truth "$tmp/data/truth.tsv" -o "$tmp/$n" "$@" >"$tmp/$n.out" 2>"$tmp/$n.err"
}
find_it found "$many" --json
is $? 0 'match'
if [ "${HEDDLE_TEST_CAIRO:-yes}" = yes ]; then
  is "$(wc -c <"$tmp/found.err" | tr -d ' ')" 0 'nothing on stderr, which is no terminal'
  [ -s "$tmp/found.err" ] && diag "$(cat "$tmp/found.err")"
  is "$(cd "$tmp" && ls found* | tr '\n' ' ')" \
    "$(echo found.err found.json found.out found.png found_directions.png found_histogram.png found_peaks.tsv \
    found_rotations.mrc found_rotations.npy found_scores.mrc) " 'eight files and no other'
  is "$(head -c 4 "$tmp/found.png" | od -An -c | tr -d ' ')" '211PNG' 'a PNG'
else
  is "$(grep -c Cairo "$tmp/found.err") $(wc -l <"$tmp/found.err" | tr -d ' ')" '1 1' \
    'without Cairo, one sentence on stderr says so'
  is "$(cd "$tmp" && ls found* | tr '\n' ' ')" \
    'found.err found.json found.out found_peaks.tsv found_rotations.mrc found_rotations.npy found_scores.mrc ' \
    'five files and no other'
fi
if [ -n "$python" ]; then
  is "$(json "$tmp/found.out" 'd["schema"]')" 'heddle.match/2' 'valid JSON with its schema'
  cmp -s "$tmp/found.out" "$tmp/found.json"
  ok $? 'the summary is a file, too'
  is "$(json "$tmp/found.out" 'd["truth"]["recall"]')" 1 'recall'
  is "$(json "$tmp/found.out" 'd["truth"]["precision"]')" 1 'precision'
  is "$(json "$tmp/found.out" 'd["truth"]["position_error_max"] <= 1.8')" True 'positions'
  is "$(json "$tmp/found.out" 'd["truth"]["angular_error_mean"] <= 45')" True 'angles within the step'
  is "$(json "$tmp/found.out" 'sum(w["rotations"] for w in d["workers"]) == d["rotations"]')" True 'shares add up'
  is "$(json "$tmp/found.out" 'abs(sum(w["share"] for w in d["workers"]) - 1) < 1e-6')" True 'to one'
  is "$(json "$tmp/found.out" 'len(d["peaks"])')" 3 'three peaks'
  is "$(json "$tmp/found.out" 'd["parts"]')" '[1, 1, 1]' 'in one part'
  find_it parts "$many" --memory $(($(json "$tmp/found.out" 'd["memory_bytes"]') * 3 / 4))
  is $? 0 'match with less memory'
  grep -q 'in [1-9][0-9]* parts, ' "$tmp/parts.out"
  ok $? 'says that it took parts'
  is "$(cut -f 2-4 "$tmp/parts_peaks.tsv" | grep -v '^#')" "$(cut -f 2-4 "$tmp/found_peaks.tsv" | grep -v '^#')" \
    'the same places'
else
  skip 'no python3 to read JSON'
fi
if [ -n "$python" ]; then # how many are particles, from their scores
  heddle simulate -o "$tmp/many" --shape 52 --voxel 16 --resolution 40 --copies 20 --snr 0.3 >/dev/null
  heddle match "$tmp/many/tomogram.mrc" "$tmp/many/template.mrc" --mask "$tmp/many/mask.mrc" --angular-step 40 --workers "$many" \
    -o "$tmp/roc" >"$tmp/roc.out"
  is "$(json "$tmp/roc.json" '[17 < d["estimate"]["particles"] < 26, d["estimate"]["cut"]["precision"] > 0.9,
    all(p["probability"] > 0.9 for p in d["peaks"][:15]), all(a["recall"] > b["recall"] and a["precision"] <= b["precision"]
    for a, b in zip(d["estimate"]["curve"], d["estimate"]["curve"][1:]))]')" '[True, True, True, True]' \
    'twenty particles, from the scores alone'
  is "$(grep -c 'estimated from their scores: ' "$tmp/roc.out") $(json "$tmp/found.json" 'd["estimate"]')" '1 None' \
    'it is said; of three there is no estimate'
else
  skip 'no python3 to read JSON'
fi
find_it small "$many" --memory 1k 2>"$tmp/small.err"
ok $(($? == 0)) 'a limit that no part fits into'
grep -q 'the limit is' "$tmp/small.err" "$tmp/small.out"
ok $? 'is refused with the reason'
for size in 1q ' ' 5kk -3 ''; do
  "$HEDDLE_TOOL" match a b -o "$tmp/c" --memory "$size" >/dev/null 2>&1
  is $? 2 "--memory '$size' is wrong use"
done
find_it false reference --min-score 0.1
is "$(grep -cE '^[0-9]+ hits? (is|are) false, with scores of .* where the weakest true one has .*: above --min-score 0\.1$' \
  "$tmp/false.out")" 1 'false hits are told beside the true ones'
find_it alone reference
is $? 0 'match with one worker'
grep -q 'recall 1.000, precision 1.000' "$tmp/alone.out"
ok $? 'finds the same'
is "$(cut -f 2-4 "$tmp/alone_peaks.tsv" | grep -v '^#')" "$(cut -f 2-4 "$tmp/found_peaks.tsv" | grep -v '^#')" \
  'the same places, whoever does the work'
grep -q "$(printf '\033')" "$tmp/alone.out"
is $? 1 'no colour in a file'
for score in CC CORR FLCSphericalMask; do
  find_it "$score" "$many" --score $score --peaks 3
  code=$?
  is "$code" 0 "match with $score"
  case $score in CC) ;; *)
    grep -q 'recall 1.000' "$tmp/$score.out"
    ok $? "$score finds all" ;;
  esac
done
find_it none "$many" --min-score 2
is $? 1 'no peak: status 1'
[ -f "$tmp/none_scores.mrc" ]
ok $? 'with the maps all the same'

# Interruption: a run far too long for the test, stopped once it has begun.  (No function: $! must be the tool itself.)
"$HEDDLE_TOOL" match "$tmp/data/tomogram.mrc" "$tmp/data/template.mrc" --angular-step 2 --workers "$many" \
  -o "$tmp/stopped" >"$tmp/stop.out" 2>"$tmp/stop.err" &
pid=$!
sleep 2
kill -TERM $pid
wait $pid
code=$?
is "$code" 130 'interrupted: status 130'
is "$(cd "$tmp" && ls stopped* 2>/dev/null)" 'stopped.hck' 'and a checkpoint, no other file, whole or partial'
grep -q 'interrupted.*--resume' "$tmp/stop.err"
ok $? 'and a sentence that says how it goes on'

# From a checkpoint and from shares the same files as from one run.
find_it once reference --angular-step 30
find_it slow reference --angular-step 20 --checkpoint off
heddle_again() {
  "$HEDDLE_TOOL" match "$tmp/data/tomogram.mrc" "$tmp/data/template.mrc" --mask "$tmp/data/mask.mrc" --angular-step 20 \
    --workers reference -o "$tmp/again" "$@"
}
"$HEDDLE_TOOL" match "$tmp/data/tomogram.mrc" "$tmp/data/template.mrc" --mask "$tmp/data/mask.mrc" --angular-step 20 \
  --workers reference -o "$tmp/again" --checkpoint 0.1 >/dev/null 2>&1 &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -e "$tmp/again.hck" ] && break
  sleep 0.3
done
kill -TERM $pid 2>/dev/null
wait $pid
if [ $? -eq 130 ]; then
  heddle_again >/dev/null 2>"$tmp/again.err"
  is "$? $(grep -c -- '--resume' "$tmp/again.err")" '3 1' 'a checkpoint is not written over'
  heddle_again --resume >/dev/null
  is $? 0 'resumed'
else
  skip 'it was done before it could be interrupted'
fi
cmp -s "$tmp/again_scores.mrc" "$tmp/slow_scores.mrc" && cmp -s "$tmp/again_peaks.tsv" "$tmp/slow_peaks.tsv"
ok $? 'the same scores and peaks'
for k in 0 1; do
  heddle match "$tmp/data/tomogram.mrc" "$tmp/data/template.mrc" --mask "$tmp/data/mask.mrc" --angular-step 30 \
    --workers reference -o "$tmp/share$k" --share $k/2 >/dev/null
done
merge_it() {
  heddle match "$tmp/data/tomogram.mrc" "$tmp/data/template.mrc" --mask "$tmp/data/mask.mrc" --angular-step 30 \
    -o "$tmp/merged" --merge "$@" >/dev/null 2>"$tmp/merge.err"
}
merge_it "$tmp/share1.hck"
is "$? $(grep -c 'share 0 of 2 is missing' "$tmp/merge.err")" '3 1' 'a share that is missing is named'
merge_it "$tmp/share1.hck" "$tmp/share0.hck"
is $? 0 'merged'
cmp -s "$tmp/merged_scores.mrc" "$tmp/once_scores.mrc" && cmp -s "$tmp/merged_peaks.tsv" "$tmp/once_peaks.tsv"
ok $? 'the same scores and peaks again'

# Several templates at once: everywhere the best of what each gives by itself.
heddle template "$tmp/data/template.mrc" -o "$tmp/mirror.mrc" --mirror >/dev/null
heddle template "$tmp/data/template.mrc" -o "$tmp/small.mrc" --box 11 >/dev/null
several() { # NAME TEMPLATE... OPTION...
  n=$1
  shift
  heddle match "$tmp/data/tomogram.mrc" "$@" --angular-step 60 --workers reference -o "$tmp/$n" >"$tmp/$n.out" 2>"$tmp/$n.err"
}
several left "$tmp/data/template.mrc"
several right "$tmp/mirror.mrc"
several both "$tmp/mirror.mrc" "$tmp/data/template.mrc" --truth "$tmp/data/truth.tsv" --format star
is $? 0 'two templates'
is "$(grep -c '^  template [12]  ' "$tmp/both.out") $(grep -cE 'score .*  template [12]$' "$tmp/both.out")" "2 $(
  grep -c '^[0-9]' "$tmp/both_peaks.tsv")" 'the summary has each, and that of each peak'
ok "$([ -s "$tmp/both_templates.mrc" ] && [ -s "$tmp/both_peaks.star" ]; echo $?)" 'a map says which, beside other tables'
if [ -n "$python" ]; then
  "$python" - "$tmp" <<'END'
import array, sys
def values(name):
    with open(f"{sys.argv[1]}/{name}.mrc", "rb") as f:
        f.seek(1024)
        return array.array("f", f.read())
right, left, best, which = values("right_scores"), values("left_scores"), values("both_scores"), values("both_templates")
bad = sum(b != max(p, q) or w != (1 if p >= q else 2) for p, q, b, w in zip(right, left, best, which))
sys.exit(bad > 0 or len(best) != 32 ** 3)
END
  ok $? 'scores and numbers are those of single searches, put together'
  is "$(json "$tmp/both.json" '[len(d["templates"]), d["cutoff"] == max(t["cutoff"] for t in d["templates"]), d["false_positives"],
    sum(t["peaks"] for t in d["templates"]) == len(d["peaks"]), all(p["template"] in (1, 2) for p in d["peaks"])]')" \
    '[2, True, 1, True, True]' 'the strictest cut-off holds'
  is "$(json "$tmp/both.json" 'd["scores"]')" \
    "$(($(json "$tmp/left.json" 'd["scores"]') + $(json "$tmp/right.json" 'd["scores"]')))" 'over all scores of both'
else
  skip 'no python3 to read maps'
fi
several odd "$tmp/data/template.mrc" "$tmp/small.mrc"
is "$? $(grep -c "small.mrc' has 11 voxels along z, .*template.mrc' 13" "$tmp/odd.err")" '3 1' 'of another shape: both are named'
for option in --resume --check --background-correction '--share 0/2' '--checkpoint 9'; do
  # shellcheck disable=SC2086
  several odd "$tmp/data/template.mrc" "$tmp/mirror.mrc" $option
  is "$? $(grep -c '2 templates at once' "$tmp/odd.err")" '2 1' "not with $option"
done
several odd "$tmp/data/template.mrc" "$tmp/mirror.mrc" --dry-run
is "$? $(grep -c '^templates *2' "$tmp/odd.out")" '0 1' 'what it would take'
done_testing
