#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Near misses: of every command every option with one letter wrong, every word that an option takes with one letter wrong, and the
# commands themselves: each names what was meant. A third of the commands in a run.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
# The program itself, without the script that libtool puts before it and that takes longer.
program=$builddir/tools/.libs/heddle
[ -x "$program" ] || program=$HEDDLE_TOOL
LD_LIBRARY_PATH=$builddir/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# Words, a line each, and behind each the same with another letter in the middle; what follows stays.
wrong() {
  awk '{ n = int(length($1) / 2) + 1; c = substr($1, n, 1)
         print $1, substr($1, 1, n - 1) (c == "q" ? "x" : "q") substr($1, n + 1), $2 }'
}
# meant WHAT RIGHT WORD...: the command with these words says that RIGHT was meant by WHAT, in its first line. Of names with
# fewer than three letters nothing is guessed.
meant() {
  what=$1
  near=$2
  shift 2
  err=$("$program" "$@" 2>&1 >"$tmp/out")
  case $?$err in
    2*"'$what'; did you mean '$near'?"*) [ ! -s "$tmp/out" ] || bad="$bad $what" ;;
    *) [ ${#near} -lt "$least" ] || bad="$bad $what" ;;
  esac
}

"$program" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | wrong >"$tmp/commands"
[ "$(wc -l <"$tmp/commands")" -gt 10 ]
ok $? 'there are commands'
n=0
while read -r command misspelt _; do
  n=$((n + 1))
  share $n 3 || continue
  bad=
  words=0
  least=3
  meant "$misspelt" "$command" "$misspelt"
  "$program" "$command" --help | sed -n 's/^ *\(-[a-zA-Z], \)* *--\([a-z0-9-]*\)\[*\(=*\).*/\2 \3/p' | wrong >"$tmp/options"
  while read -r right misspelt takes; do
    least=5
    meant "--$misspelt" "--$right" "$command" "--$misspelt=1"
    least=3
    [ -n "$takes" ] || continue
    for w in $("$program" completion -- values "$command" "--$right" | tr ' ' '\n' | sed '/^$/d' | wrong | tr -s ' ' | tr ' ' ,); do
      words=$((words + 1))
      w=${w%,}
      meant "${w#*,}" "${w%,*}" "$command" "--$right=${w#*,}" --usage
    done
  done <"$tmp/options"
  none "$bad" "$command: itself, $(wc -l <"$tmp/options" | tr -d ' ') options and $words words of theirs"
  all=$((${all:-0} + words))
done <"$tmp/commands"
[ "$all" -gt 10 ]
ok $? "$all words of options"

says() { # PATTERN NAME ARGUMENT...: wrong use, of which the first line says that
  pattern=$1
  name=$2
  shift 2
  "$program" "$@" >/dev/null 2>"$tmp/err"
  is "$? $(head -1 "$tmp/err" | grep -c -e "$pattern")" '2 1' "$name"
  head -1 "$tmp/err" | grep -q -e "$pattern" || diag "$(cat "$tmp/err")"
}
says "did you mean '--angular-step' or '--coarse-step'?" 'a word of several options' match --step=3
says "did you mean '--angular-step'?" 'an abbreviation, misspelt' match --angl=3
says "no option '--josn'; did you mean '--json'?" 'two letters the other way round' info --josn
says "no option '-score'; did you mean '--score'?" 'one hyphen' match -score FLC
says "did you mean '--version'?" 'an option of the program' --versoin
says "no option '--nothinglikeit'\$" 'nothing is near' match --nothinglikeit
says "no option '--forze'; did you mean '--force'?" 'behind an option that takes a word' match -o x --forze
says "'--forze' is not a number" 'but no word that an option takes' match --angular-step --forze
says 'ambiguous' 'an abbreviation of several' match --s=1
says "ACTION: no 'sett'; did you mean 'set'?" 'an action of config' config sett pool 3
says "did you mean 'match'" 'help of a command that is misspelt' help mtach
done_testing
