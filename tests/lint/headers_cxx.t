#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each installed header compiles alone as C++17, and all of them as C++20.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ "$HED_CXX17" = yes ] || skip_all 'no C++17 compiler'
cd "$srcdir/include" || exit 255
compiles() { # STANDARD NAME: $tmp/t.cc does
  out=$($CXX -std="$1" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$builddir/include" -I"$srcdir/include" "$tmp/t.cc" 2>&1)
  ok $? "$2"
  [ -z "$out" ] || diag "$out"
}
: >"$tmp/all.cc"
for h in heddle.h heddle/*.h heddle/ops/*.h heddle/kits/*.h heddle/version.h heddle/heddle.hpp heddle/ops.hpp; do
  [ -f "$h" ] || [ -f "$builddir/include/$h" ] || continue
  printf '#include <%s>\nint main() { return 0; }\n' "$h" >"$tmp/t.cc"
  head -1 "$tmp/t.cc" >>"$tmp/all.cc"
  compiles c++17 "<$h> as c++17"
done
mv "$tmp/all.cc" "$tmp/t.cc"
compiles c++20 'all of them as c++20'
done_testing
