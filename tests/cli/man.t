#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The man page has every command and every long option of the tool, and no others.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
page=$srcdir/doc/heddle.1

commands='info simulate template match peaks refine extract merge decompose convert ultrasound vsa bench config wisdom completion'
for c in $commands; do
  "$HEDDLE_TOOL" "$c" --help >"$tmp/help" 2>&1
  ok $? "heddle $c --help"
  grep -oE -e '--[a-z][a-z-]+' "$tmp/help" | sort -u |
    grep -vxE -e '--(help|usage|version)' >"$tmp/options"
  # The part of the page about this command, without roff's backslashes.
  sed -n "/^\.SS heddle $c\$/,/^\.S[SH] /p" "$page" | sed 's/\\//g' |
    grep -oE -e '--[a-z][a-z-]+' | sort -u >"$tmp/described"
  none "$(comm -23 "$tmp/options" "$tmp/described")" "the man page describes each option of $c"
  none "$(comm -13 "$tmp/options" "$tmp/described")" "and no option that $c lacks"
done
if command -v man >/dev/null; then
  none "$(MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)" 'man has nothing to say about it'
else
  skip 'no man'
fi
done_testing
