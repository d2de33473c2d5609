#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The protocol of tickets and uses (lib/core/array/submit.h) as a model: whole, and with each of its rules left out.
# reads: tests/streams/streams.pml lib/core
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
why=$("$srcdir/tests/changed" "$0") || skip_all "$why"

command -v spin >/dev/null || skip_all 'no spin'
cc=${CC:-cc}
case $(command -v ${cc%% *}) in '') skip_all 'no C compiler' ;; esac
model=$(cd "$srcdir" && pwd)/tests/streams/streams.pml
cd "$tmp" || exit 255

# verdict OPTION...: of the whole state space: "right", "wrong", or what else happened.
verdict() {
  rm -f pan*
  # The states are hashed into 4 MiB to begin with; more than a million are never reached.
  spin "$@" -a "$model" >log 2>&1 && $cc -O0 -w -DSAFETY -o pan pan.c >>log 2>&1 && ./pan -n -m1000 -w20 >>log 2>&1
  case $(cat log) in
    *'pan:1: assertion violated'* | *'pan:1: invalid end state'*) echo wrong ;;
    *'max search depth too small'* | *'Search not completed'*) echo incomplete ;;
    *'errors: 0'*) echo right ;;
    *) echo 'no verdict'; sed 's/^/# /' log >&2 ;;
  esac
}

for places in 1 2; do
  is "$(verdict -DPLACES=$places)" right "readers and writers, $places places for uses"
  is "$(verdict -DPLACES=$places -DREUSE)" right "blocks that are used again, $places places"
done

# The rules, by their numbers in the model, each where it matters.
left_out() { # RULE OPTION...
  rule=$1
  shift
  is "$(verdict -DWITHOUT="$rule" "$@")" wrong \
    "without $(sed -n "s/^#define \([A-Z_]*\)  *$rule  *\/\*.*/\1/p" "$model" | head -1) it fails"
}
left_out 1 -DPLACES=1 -DREUSE
left_out 2 -DPLACES=1
left_out 3 -DPLACES=1
left_out 4 -DPLACES=2 -DREUSE
left_out 5 -DPLACES=1
left_out 6 -DPLACES=1
left_out 7 -DPLACES=2
left_out 8 -DPLACES=1
left_out 9 -DPLACES=2
left_out 10 -DPLACES=1 -DREUSE
left_out 11 -DPLACES=1 -DREUSE
left_out 12 -DPLACES=1 -DREUSE
is "$(sed -n 's/^#define [A-Z_]* *\([0-9]*\)  *\/\*.*/\1/p' "$model" | sort -n | tail -1)" 12 'and those are all'
done_testing
