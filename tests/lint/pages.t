#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reference pages made from the headers: one for every function, that roff takes without a word, and that say what the
# headers say.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
pages=$builddir/doc/man3
[ -d "$pages" ] || skip_all 'the pages were not made'

# The dtype objects are data: they have no pages.
for l in heddle heddle-kits; do
  sh "$srcdir/build-aux/gen-symbols.sh" $l "$CC" "$srcdir/include" "$builddir/include"
done | LC_ALL=C sort |
  grep -Ev '^hed_dtype_(bool|u?int|b?float|complex|abstract_)[a-z0-9]*$' >"$tmp/declared"
ls "$pages" | sed -n 's/\.3$//p' | LC_ALL=C sort >"$tmp/made"
none "$(comm -23 "$tmp/declared" "$tmp/made")" 'every function has a page'

page() { cat "$pages/$1.3"; }
page hed_hypot | grep -q '^hed_status hed_scalar_hypot_into(hed_array \*out, double s, const hed_array \*b);$'
ok $? 'a family has all its forms'
page hed_hypot | grep -qF 'sqrt(a^2 + b^2) without overflow'
ok $? 'with the formula of its row'
page hed_sum | grep -q '^  bool keepdims;$'
ok $? 'a struct of options is shown'
page hed_topk | grep -q 'int64 indices'
ok $? 'the comment above a declaration is there'
is "$(page hed_add_into)" '.so man3/hed_add.3' 'a form leads to its operation'
page hed_map_read | grep -q '^\.B #include <heddle/kits/map.h>$'
ok $? 'a kit names its header'
page heddle | grep -q '^\.BR hed_einsum (3)$'
ok $? 'heddle(3) lists the operations'
none "$(cd "$pages" && grep -l '/\*' ./*.3 | while read -r f; do
  sed '/^\.SH TYPES/,/^\.fi/d' "$f" | grep -q '/\*' && echo "$f"; done)" 'no mark of a comment is left over'

none "$(cat "$pages"/*.3 | sed -n 's/^\.so //p' | sort -u | while read -r f; do [ -s "$builddir/doc/$f" ] || echo "$f"; done)" \
  'what pages lead to is there'
if command -v groff >/dev/null; then
  # Not those that only lead to another, which is read itself.
  none "$(grep -L '^\.so ' "$pages"/*.3 | xargs -n 100 groff -man -ww -z -Tutf8 -I"$builddir/doc" 2>&1 | head -5)" \
    'roff has no complaint'
else
  skip 'no groff'
fi

# What is written by hand: whole stanzas of what there is, for every operation, function and macro.
# shellcheck disable=SC2046
(cd "$srcdir" && LC_ALL=C ${AWK:-awk} -f build-aux/headers.awk -f build-aux/pages.awk -f build-aux/gen-reference.awk \
  -v mode=lint -v stanzas="$(echo doc/pages/*.pages)" include/heddle/ops.h include/heddle/ops.def $(ls include/heddle/ops/*.h) \
  $(ls include/heddle/*.h include/heddle/kits/*.h | grep -v /ops.h)) >"$tmp/lint"
none "$(grep -v '^todo ' "$tmp/lint")" 'stanzas are whole, and of pages that there are'
none "$(sed -n 's/^todo //p' "$tmp/lint")" 'each operation, function and macro has its stanza'
page hed_matmul | grep -q '^\.B HED_E_SHAPE hed_matmul(A(2, 3), A(2, 3))$'
ok $? 'a page has the errors of its stanza'
page hed_matmul | grep -q '^\[\\-2.0, \\-2.0\]$'
ok $? 'and what its example prints'
for l in numpy torch arrayfire; do
  names=$(awk -F'\t' -v l=$l '$2 == l && $3 !~ /^none/' "$builddir/tools/pages.txt" | wc -l | tr -d ' ')
  is "$(grep -c '@tab @code{[hH][eE][dD]_' "$builddir/doc/$l-table.texi")" "$names" "the manual's table of $l has each name"
done
done_testing
