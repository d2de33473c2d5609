#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program built with the address sanitizer, and a library that is not: use of an array, and of its elements, after the end
# of its scope is reported.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'the library has the sanitizer itself'
libs=$builddir/lib/.libs
[ -e "$libs/libheddle.so" ] || skip_all 'no shared library'
cat >"$tmp/use.c" <<'C'
#include <heddle.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
  hed_array *x = NULL, *y = NULL;
  float *data = NULL;
  (void)argc;
  HED_BACKEND_CONTEXT_OR("reference", return 2) {
    HED_SCOPE {
      x = hed_ones(HED_SHAPE(4), HED_FLOAT32);
      data = hed_array_data(x);
      data[0] = 3;
    }
    if (strcmp(argv[1], "handle") == 0)
      y = hed_add(x, x);
    if (strcmp(argv[1], "unary") == 0)
      y = hed_sqrt(x);
    if (strcmp(argv[1], "elements") == 0)
      printf("%g\n", (double)data[0]);
    if (strcmp(argv[1], "release") == 0)
      hed_release(x);
    if (strcmp(argv[1], "fine") == 0)
      y = hed_ones(HED_SHAPE(4), HED_FLOAT32);
  }
  hed_release(y);
  return 0;
}
C
build() { # COMPILER OUT
  $1 -std=gnu11 -g -O1 -fsanitize=address -I"$srcdir/include" -I"$builddir/include" "$tmp/use.c" -o "$tmp/$2" "$libs/libheddle.so" \
    -Wl,-rpath,"$libs" 2>"$tmp/err"
}
build "$CC" use || skip_all 'the compiler has no address sanitizer'
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS
compilers=use
if command -v clang >/dev/null && build clang use-clang; then compilers='use use-clang'; fi
for program in $compilers; do
  for what in handle unary elements release; do
    "$tmp/$program" $what >"$tmp/out" 2>"$tmp/err"
    [ $? -ne 0 ] && grep -q 'heap-use-after-free' "$tmp/err" && grep -q 'freed by' "$tmp/err"
    ok $? "$program: $what after the scope is reported, with who freed it"
  done
  "$tmp/$program" fine >"$tmp/out" 2>"$tmp/err"
  ok $? "$program: what is in order is not"
done
done_testing
