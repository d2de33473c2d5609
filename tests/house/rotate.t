#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Seeds and shares (tests/rotate, and `share' of tests/tap.sh): they follow the tree, and what cannot be one is refused.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
rotate=$srcdir/tests/rotate
unset HEDDLE_TEST_FULL

for seed in 0 7 20261120 18446744073709551615; do
  is "$(HEDDLE_TEST_SEED=$seed sh "$rotate")" $seed "$seed is a seed"
done
is "$(HEDDLE_TEST_SHARE=18446744073709551615 sh "$rotate" 7)" 1 '64 bits are divided exactly'
for seed in 18446744073709551616 99999999999999999999999 -1 0x10 1.5 '1 2' one; do
  said=$(HEDDLE_TEST_SEED=$seed sh "$rotate" 2>&1)
  is "$? $said" "2 tests/rotate: HEDDLE_TEST_SEED is '$seed': neither a number of 64 bits nor random" "'$seed' is none"
done
for n in 0 -1 x 1000; do
  said=$(HEDDLE_TEST_SHARE=1 sh "$rotate" "$n" 2>&1)
  is "$? $said" "2 tests/rotate: '$n' is not a number of shares (1 to 999)" "$n shares cannot be"
done
one=$(HEDDLE_TEST_SEED=random sh "$rotate")
[ "$one" != "$(HEDDLE_TEST_SEED=random sh "$rotate")" ]
ok $? 'random is another one each time'

# A tree of its own: its number stays until something is committed, or until what a release says of itself is another thing.
mkdir -p "$tmp/tree/tests"
cp "$rotate" "$tmp/tree/tests"
echo one >"$tmp/tree/NEWS"
rotated() { env -u HEDDLE_TEST_SHARE sh "$tmp/tree/tests/rotate" tree; }
one=$(rotated)
is "$(rotated)" "$one" 'a release has one number'
is "$(env -u HEDDLE_TEST_SEED sh "$tmp/tree/tests/rotate")" "$one" 'which is the seed, too'
said=$(HEDDLE_TEST_SEED='' sh "$rotate" 2>&1)
is "$? $said" "2 tests/rotate: HEDDLE_TEST_SEED is '': neither a number of 64 bits nor random" 'nothing is no seed'
echo two >"$tmp/tree/NEWS"
two=$(rotated)
[ "$one" != "$two" ]
ok $? 'the next one another'
if command -v git >/dev/null; then
  commit() { git -C "$1" add . && git -C "$1" -c user.name=n -c user.email=e -c commit.gpgsign=false commit -qm "$2"; }
  git init -q "$tmp" && echo x >"$tmp/x" && commit "$tmp" x
  is "$(rotated)" "$two" 'a repository around it does not matter'
  git init -q "$tmp/tree" && commit "$tmp/tree" two
  three=$(rotated)
  [ "$three" != "$two" ]
  ok $? 'a commit has a number'
  echo three >"$tmp/tree/NEWS"
  is "$(rotated)" "$three" 'which stays while the tree is worked on'
  commit "$tmp/tree" three
  [ "$(rotated)" != "$three" ]
  ok $? 'and changes with the next'
else
  skip 'no git'
fi

shares() { export HEDDLE_TEST_SHARE; for k in 0 1 2 3 4 5; do HEDDLE_TEST_SHARE=$1; share $k 3 && printf %s $k; done; }
is "$(shares 0) $(shares 1) $(shares 5)" '03 14 25' 'a number has one part of three'
is "$(HEDDLE_TEST_FULL=1; shares 1)" 012345 'the full run has all'
said=$(HEDDLE_TEST_SHARE=one; export HEDDLE_TEST_SHARE; share 0 3 2>/dev/null)
is "$? $said" '255 Bail out! no share 0 of 3' 'without a number a test ends'
said=$(HEDDLE_TEST_SEED=one sh -c '. ./tests/env.sh && echo read' 2>&1)
is "$said" "tests/rotate: HEDDLE_TEST_SEED is 'one': neither a number of 64 bits nor random" 'and no test begins'
done_testing
