#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What drivers have compiled, from one build tree to the next (tests/kept), and that nothing of it can make a test fail.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
HEDDLE_TEST_CACHE=$tmp/kept/deep
export HEDDLE_TEST_CACHE
archive=$HEDDLE_TEST_CACHE/pocl.tar.gz

# in TREE COMMAND: tests/kept in a build tree, which is made when it is not there
in_tree() { mkdir -p "$tmp/$1/tests/pocl-cache" && : >"$tmp/$1/tests/env.sh" && (cd "$tmp/$1" && sh "$srcdir/tests/kept" "$2" 2>&1); }
program() { # TREE NAME TEXT: compiled after what is kept
  [ ! -e "$archive" ] || touch -d '1 minute ago' "$archive"
  mkdir -p "$tmp/$1/tests/pocl-cache/AB/$2" && echo "$3" >"$tmp/$1/tests/pocl-cache/AB/$2/k.so"
  : >"$tmp/$1/tests/pocl-cache/AB/$2/last_accessed"
}
has() { (cd "$tmp/$1/tests/pocl-cache" && cat AB/*/k.so 2>/dev/null | tr '\n' ' '); }

is "$(in_tree one take; in_tree one give; ls "$tmp/kept" 2>&1 | grep -c deep)" 0 'where nothing was compiled nothing is kept'
program one x 'x of one'
in_tree one give
is "$(in_tree two take; has two)" 'x of one ' 'the next build tree has what one compiled'
program two y 'y of two'
program three x 'x of three'
in_tree two give
is "$(in_tree three take; has three)" 'x of three y of two ' 'what is there stays, what is new is added'
before=$(ls -i "$archive")
in_tree four take
in_tree four give
is "$(ls -i "$archive")" "$before" 'without anything new the archive stays as it is'

touch -d '20 days ago' "$tmp/two/tests/pocl-cache/AB/x/last_accessed"
program two z 'z of two'
in_tree two give
is "$(in_tree five take; has five)" 'y of two z of two ' 'what is not asked for any more is dropped'

good=$(wc -c <"$archive")
head -c $((good / 2)) "$archive" >"$tmp/half"
for broken in "$tmp/half" /dev/null "$0"; do
  cp "$broken" "$archive"
  said=$(in_tree six take)
  is "$? $said $(has six)" "0 tests/kept: $archive is broken, and removed " "a broken archive is as good as none (${broken##*/})"
done
in_tree two give
is "$(in_tree six take; has six)" 'y of two z of two ' 'and is replaced'
if [ "$(id -u)" -ne 0 ]; then
  chmod a-w "$HEDDLE_TEST_CACHE"
  program two w 'w of two'
    is "$(in_tree two give) $? $(in_tree seven take; has seven)" ' 0 y of two z of two ' 'a folder that cannot be written stays'
  chmod u+w "$HEDDLE_TEST_CACHE"
else
  chown 1 "$archive"
  is "$(in_tree seven take; has seven)" '' "another user's archive is left alone"
fi
: >"$tmp/file"
HEDDLE_TEST_CACHE=$tmp/file/below
is "$(in_tree two give) $?" ' 0' 'a folder that cannot be is none'
HEDDLE_TEST_CACHE=no
is "$(in_tree eight take; has eight)$(ls "$tmp/eight/no" 2>/dev/null)" '' 'and no keeps nothing'
done_testing
