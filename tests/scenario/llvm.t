#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scenario/regions.c with clang and LLVM's OpenMP runtime: the points are that program's.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
command -v clang >/dev/null || skip_all 'no clang'
[ -e "$builddir/lib/.libs/libheddle-inherit.so" ] || skip_all 'no shared libheddle-inherit'
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'a build with sanitizers'
libs=$builddir/lib/.libs
printf 'int main(void) { return 0; }\n' >"$tmp/x.c"
clang -fopenmp "$tmp/x.c" -o "$tmp/x" 2>/dev/null || skip_all 'clang has no OpenMP runtime'
if ! clang -std=gnu11 -D_GNU_SOURCE -O1 -fopenmp -DSCENARIO_INHERITS=1 -I"$srcdir/include" -I"$builddir/include" -I"$srcdir/tests" \
  "$srcdir/tests/scenario/regions.c" "$srcdir/tests/tap.c" -o "$tmp/regions" \
  -Wl,--push-state,--no-as-needed "$libs/libheddle-inherit.so" -Wl,--pop-state "$libs/libheddle.so" -lpthread -lm \
  -Wl,-rpath,"$libs" 2>"$tmp/err"; then
  ok 1 'it is built'
  diag "$(cat "$tmp/err")"
  done_testing
  exit
fi
exec "$tmp/regions"
