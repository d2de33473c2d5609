#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A release holds every file that git knows but git's own and Debian's, which come beside it, and can be made: a list in a
# Makefile fragment names what exists.
# reads: configure.ac *Makefile.am *.mk
# names: .
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
why=$("$srcdir/tests/changed" "$0") || skip_all "$why"
command -v git >/dev/null || skip_all 'no git'
[ "$(git -C "$srcdir" rev-parse --show-prefix 2>&1)" = '' ] || skip_all 'not a checkout of git'

# The make that runs this test has its own jobs and settings; this one has none of them.
if env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C "$builddir" distdir distdir="$tmp/release" >"$tmp/log" 2>&1; then
  ok 0 'make distdir'
  git -C "$srcdir" ls-files | grep -v -e '^\.git' -e '^\.editorconfig$' -e '^debian/' | sort >"$tmp/known"
  [ -s "$tmp/known" ]
  ok $? "git knows files ($(($(wc -l <"$tmp/known"))))"
  (cd "$tmp/release" && find . -type f | sed 's|^\./||' | sort) >"$tmp/released"
  none "$(comm -23 "$tmp/known" "$tmp/released")" 'every one of them is in the release'
  grep -q '^        \* ' "$tmp/release/ChangeLog"
  ok $? 'with the history'
  if command -v xz >/dev/null; then
    # A fast look comes to a quarter more than what is shipped.
    how=-1 most=5300000
    if [ "${HEDDLE_TEST_FULL:-0}" = 1 ] || git -C "$srcdir" describe --exact-match HEAD >/dev/null 2>&1; then
      how=-e most=4200000
    fi
    bytes=$(tar cf - -C "$tmp" release | xz $how | wc -c)
    [ "$bytes" -lt $most ]
    ok $? "in less than $most bytes ($bytes by xz $how)"
  else
    skip 'no xz'
  fi
else
  ok 1 'make distdir'
  diag "$(tail "$tmp/log")"
fi
done_testing
