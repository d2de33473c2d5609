#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each installed header compiles alone as C++17, and as the newest C++ the compiler knows.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ "$HED_CXX17" = yes ] || skip_all 'no C++17 compiler'
cd "$srcdir/include" || exit 255
for h in heddle.h heddle/*.h heddle/ops/*.h heddle/kits/*.h heddle/version.h heddle/heddle.hpp heddle/ops.hpp; do
  [ -f "$h" ] || [ -f "$builddir/include/$h" ] || continue
  printf '#include <%s>\nint main() { return 0; }\n' "$h" >"$tmp/t.cc"
  for std in c++17 c++20; do
    out=$($CXX -std=$std -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
      -I"$builddir/include" -I"$srcdir/include" "$tmp/t.cc" 2>&1)
    ok $? "<$h> as $std"
    [ -z "$out" ] || diag "$out"
  done
done
done_testing
