#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/bits: two builds with the same bits, and one in which one hash is another.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
HEDDLE_TEST_LEVELS=base
export HEDDLE_TEST_LEVELS

"$srcdir/tests/bits" "$builddir" "$builddir" negative argsort >"$tmp/same" 2>&1
ok $? 'results repeat, bit by bit'
grep -q 'base: [1-9][0-9]* lines of hashes, equal' "$tmp/same"
ok $? 'and there are some' || diag "$(cat "$tmp/same")"

mkdir -p "$tmp/other/tests/conform"
: >"$tmp/other/tests/env.sh"
cat >"$tmp/other/tests/conform/hashes" <<END
#!/bin/sh
cd '$builddir' && . tests/env.sh && tests/conform/hashes "\$@" | sed '/^negative int16 reversed/s/ 17:[0-9a-f]*/ 17:0/'
END
chmod +x "$tmp/other/tests/conform/hashes"
"$srcdir/tests/bits" "$builddir" "$tmp/other" negative argsort >"$tmp/differs" 2>&1
[ $? -eq 1 ]
ok $? 'another hash is noticed'
is "$(cat "$tmp/differs")" 'base: negative int16 reversed: 17' 'and said which'
done_testing
