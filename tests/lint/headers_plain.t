#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# With HED_PLAIN_HEADERS the headers preprocess to declarations of ISO C alone.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir/include" || exit 255
printf '#include <heddle.h>\n#include <heddle/reflect.h>\nint main(void) { return 0; }\n' >"$tmp/t.c"
plain() { $CC -std=c11 "$@" -I"$builddir/include" -I"$srcdir/include" "$tmp/t.c"; }
# What comes from our own files.
plain -E -DHED_PLAIN_HEADERS | awk '/^# [0-9]+ "/ { own = $3 ~ /heddle/; next } own' >"$tmp/plain"
plain -E | awk '/^# [0-9]+ "/ { own = $3 ~ /heddle/; next } own' >"$tmp/usual"
words='__attribute__|__asm__|__typeof__|__builtin|inline|cleanup|[^A-Z_]FILE|pthread'
none "$(grep -nE "$words" "$tmp/plain" | head -5)" 'no attributes, no inline functions, no FILE, no pthread_t'
[ "$(grep -cE "$words" "$tmp/usual")" -gt 20 ]
ok $? 'without the macro there are some'
grep -q 'hed_einsum(' "$tmp/plain" && grep -q 'hed_capture(' "$tmp/plain"
ok $? 'functions are declared'
plain -DHED_PLAIN_HEADERS -Wall -Wextra -Wpedantic -Werror -fsyntax-only
ok $? 'they compile'
done_testing
