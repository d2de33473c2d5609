# SPDX-License-Identifier: BSD-3-Clause
# The book that ./selftest keeps: stages that are planned, what each took, points, skips and why.
# Sourced by bash after setup.sh, with `logs` set to a folder.

LC_ALL=C
planned=()
stage=
ledger=()
passed=0
failed=0
skipped=0
started=$SECONDS
: >"$logs/clock"
: >"$logs/skips"
: >"$logs/marked"

# plan STAGE...: what is to come, in this order.
plan() { planned+=("$@"); }

# Sets `now` to the processor milliseconds that ended children have taken, and theirs.
clock() {
  local word ms
  now=0
  # A pipe or $() would ask a shell that has no children.
  times >"$logs/times"
  for word in $(sed 1d "$logs/times"); do
    ms=${word#*m}
    ms=${ms%s}
    now=$((now + ${word%m*} * 60000 + 10#${ms/./}))
  done
}

# begin STAGE TEXT: ends the one before.
begin() {
  finish
  stage=$1
  stage_wall=$SECONDS
  clock
  stage_cpu=$now
  drop "$1"
  step "$2"
}

finish() {
  [ -n "$stage" ] || return 0
  clock
  ledger+=("$((now - stage_cpu)) $((SECONDS - stage_wall)) $stage")
  stage=
}

# drop STAGE: is not to come any more.
drop() {
  local s left=()
  for s in "${planned[@]}"; do
    [ "$s" = "$1" ] || left+=("$s")
  done
  planned=("${left[@]}")
}

# attend COMMAND...: runs it so that a signal is answered at once, not when it has ended.
child=
exec 3>&1
attend() {
  "$@" 3>&- &
  child=$!
  wait "$child"
  set -- $?
  child=
  return "$1"
}

# One more failure that is not a TAP point: a build that does not build.
broken() { # WHAT LOG
  failed=$((failed + 1))
  say "FAILED: $1; the end of $2:"
  tail -40 "$2" | sed 's/^/    /'
}

# A stage that cannot be had here: not a failure of its own, but said, and counted as skipped.
without() { # STAGE REASON
  drop "$1"
  drop "$1: configure"
  drop "$1: build"
  drop "$1: check"
  skipped=$((skipped + 1))
  printf '%s\t%s\t%s\n' "$1" 'the stage' "$2" >>"$logs/skips"
  say "SKIPPED: $1: $2"
}

# note STAGE TEST LOG: the points that were skipped, and those that are marked and failed, with their reasons.
note() {
  awk -v stage="$1" -v test="${2%.trs}" -v skips="$logs/skips" -v marked="$logs/marked" '
    function row() {
      text = substr($0, RSTART + RLENGTH)
      return stage "\t" test "\t" (text == "" ? "no reason given" : text) }
    match($0, /^(ok|1\.\.0)[^#]*# SKIP ?/) { print row() >>skips }
    match($0, /^not ok [^#]*# TO[D]O ?/) { print row() >>marked }' "$3"
}

# The reasons in such a list, each with its number and the first places.
reasons() {
  sort -t "$(printf '\t')" -k 3 "$1" | awk -F '\t' '
    function flush() { if (n) printf "%6d  %s (%s)\n", n, reason, where }
    $3 != reason { flush(); n = 0; where = ""; last = ""; places = 0; reason = $3 }
    { n++ }
    $1 ": " $2 != last && ++places <= 4 {
      last = $1 ": " $2
      where = where (where == "" ? "" : ", ") (places == 4 ? "..." : last) }
    END { flush() }'
}

# Adds up the .trs files of a run of `make check`, shows the logs of tests that failed and keeps all.
gather() { # DIR NAME
  local dir=$1 name=$2 trs log p=0 f=0 s=0 k
  mkdir -p "$logs/$name"
  while IFS= read -r trs; do
    log=${trs%.trs}.log
    # A test with failed points also exits with 1, which the driver reports once more as ERROR.
    k=$(grep -c -E '^:test-result: (FAIL|XPASS)' "$trs")
    [ "$k" -gt 0 ] || k=$(grep -c '^:test-result: ERROR' "$trs")
    f=$((f + k))
    p=$((p + $(grep -c '^:test-result: PASS' "$trs")))
    s=$((s + $(grep -c '^:test-result: SKIP' "$trs")))
    cp "$log" "$logs/$name/" 2>/dev/null && note "$name" "${trs#"$dir"/tests/}" "$log"
    if [ "$k" -gt 0 ]; then
      say "---- $name: ${log#"$dir"/}"
      grep -vE '^(ok |(PASS|FAIL|SKIP|XFAIL):|not ok .*# TO[D]O)' "$log" | tail -60
      say "----"
    fi
  done < <(find "$dir/tests" -name '*.trs')
  sh "$top/tests/slowest.sh" "$dir" | sed "s/\$/ ($name)/" >>"$logs/clock"
  count "$name" "$p" "$f" "$s"
  [ $((p + f)) -gt 0 ] || broken "$name ran no test" "$logs/$name.log"
}

count() { # NAME PASSED FAILED SKIPPED
  passed=$((passed + $2))
  failed=$((failed + $3))
  skipped=$((skipped + $4))
  say "   $1: $2 passed, $3 failed, $4 skipped (after $((SECONDS - started)) s)"
}

# The points that failed as they are marked to.
report_marked() {
  [ -s "$logs/marked" ] || return 0
  say ''
  say "Failed as expected, $(wc -l <"$logs/marked") in all:"
  reasons "$logs/marked"
}

# Which points were skipped, the reasons grouped; where CI is set those that tests/skips does not allow are failures.
report_skips() {
  local n
  [ -s "$logs/skips" ] || return 0
  say ''
  say "Skipped, $skipped in all:"
  reasons "$logs/skips"
  [ "${HEDDLE_TEST_FULL:-0}" = 0 ] && n=: || n=large
  sed -n -e "/^$n/d" -e 's/^[a-z]* //p' "$top/tests/skips" >"$logs/reasons"
  cut -f 3 "$logs/skips" | grep -vE -f "$logs/reasons" | sort -u >"$logs/skips-unexpected"
  [ -s "$logs/skips-unexpected" ] || return 0
  n=$(cut -f 3 "$logs/skips" | grep -cxF -f "$logs/skips-unexpected")
  if [ "${CI:-}" = true ]; then
    failed=$((failed + n))
    say "FAILED: $n of them for reasons that a whole run should not have (tests/skips has those that it may):"
  else
    say "$n of them for reasons that a whole run should not have:"
  fi
  sed 's/^/    /' "$logs/skips-unexpected"
}

report_times() {
  local row cpu wall name all=0
  say ''
  say '  CPU s   wall s  stage'
  for row in "${ledger[@]}"; do
    read -r cpu wall name <<<"$row"
    all=$((all + cpu))
    printf '%7d.%d %7d  %s\n' $((cpu / 1000)) $((cpu % 1000 / 100)) "$wall" "$name"
  done
  printf '%7d.%d %7d  %s\n' $((all / 1000)) $((all % 1000 / 100)) $((SECONDS - started)) all
  [ -s "$logs/clock" ] || return 0
  say ''
  say '  CPU s   the slowest tests'
  sort -k 1,1nr "$logs/clock" | head -20
}

# The end, whatever led to it.
cut_off=
report() {
  local status=$? at=$stage
  trap '' INT TERM
  trap - EXIT
  finish
  report_marked
  report_skips
  report_times
  say ''
  if [ -n "$cut_off" ] || [ -n "${planned[*]}" ]; then
    say "CUT OFF${cut_off:+ by $cut_off}${at:+ in the stage $at}${planned[*]:+; not run: $(join ', ' "${planned[@]}")}"
    [ "$status" -ne 0 ] || status=1
  fi
  say "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] || [ "$status" -ne 0 ] || status=1
  exit "$status"
}

join() { # BETWEEN WORD...
  local between=$1 all=$2
  shift 2
  printf '%s' "$all"
  [ $# -eq 0 ] || printf "$between%s" "$@"
}

# A process and all that it has started.
family() {
  local p
  echo "$1"
  for p in $(cat "/proc/$1"/task/*/children); do
    family "$p"
  done
}

interrupted() { # SIGNAL STATUS
  trap '' INT TERM
  cut_off=SIG$1
  # What is attended may write to a log.
  exec >&3
  # Tests are in process groups of their own.
  # shellcheck disable=SC2046
  [ -z "$child" ] || { kill -TERM $(family "$child"); wait "$child"; } 2>/dev/null
  exit "$2"
}
trap report EXIT
trap 'interrupted INT 130' INT
trap 'interrupted TERM 143' TERM
