#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each installed header compiles alone, as strict C11, and twice in a row.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir/include" || exit 255
for h in heddle.h heddle/*.h heddle/ops/*.h heddle/kits/*.h heddle/version.h; do
  [ -f "$h" ] || [ "$h" = heddle/version.h ] || continue
  printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$h" "$h" >"$tmp/t.c"
  out=$($CC -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror -fsyntax-only \
    -I"$builddir/include" -I"$srcdir/include" "$tmp/t.c" 2>&1)
  ok $? "<$h> as C11"
  [ -z "$out" ] || diag "$out"
done
done_testing
