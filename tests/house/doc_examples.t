#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs in README and in the manual compile without a warning and run.
#
# README: the block that begins with `/* two.c */`, indented by four.  Manual: an @example after a
# line `@c example NAME` is a program, after `@c cxx NAME` one in C++, after `@c module NAME`
# the source of a backend module, after `@c prints NAME` what that program prints.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
needs_packages

awk '/^    \/\* two\.c \*\/$/ { on = 1 } on && /^[^ ]/ { on = 0 } /^    cc / { on = 0 }
  on { sub(/^    /, ""); print }' "$srcdir/README" >"$tmp/readme.c"
for f in "$srcdir"/doc/*.texi; do
  awk -v dir="$tmp" '/^@c (example|module|cxx|prints) / {
      name = dir "/" ($2 == "module" ? "module-" : "manual-") $3 ($2 == "cxx" ? ".cc" : $2 == "prints" ? ".out" : ".c") }
    /^@end example/ { if (on) close(name); on = 0 }
    on { gsub(/@dots\{\}/, "..."); print >name }
    /^@example/ && name != "" { on = 1; next }
    !on && !/^@c / { name = "" }' "$f"
  for c in "$tmp"/manual-*.c "$tmp"/manual-*.cc "$tmp"/manual-*.out "$tmp"/module-*.c; do
    [ -f "$c" ] && sed -i 's/@\([{}@]\)/\1/g' "$c"
  done
done

[ "$(wc -l <"$tmp/readme.c")" -ge 20 ]
ok $? 'README has a program'
is "$(ls "$tmp"/manual-*.c "$tmp"/module-*.c | wc -l | tr -d ' ')" 20 'the manual has twenty, ten of them in the tutorial'
is "$(ls "$tmp"/manual-*.out | wc -l | tr -d ' ')" 11 'of which some say what they print'
for c in "$tmp"/readme.c "$tmp"/manual-*.c; do
  name=${c##*/} package=heddle
  grep -q '<heddle/kits/' "$c" && package=heddle-kits
  # shellcheck disable=SC2046,SC2086
  out=$($CC -std=gnu11 -Wall -Wextra -Werror $($PKG_CONFIG --cflags $package) "$c" -o "${c%.c}" \
    $($PKG_CONFIG --libs $package) -pthread 2>&1)
  ok $? "$name compiles"
  [ -z "$out" ] || diag "$out"
  if [ "$name" = readme.c ] && command -v clang >/dev/null; then
    # shellcheck disable=SC2046
    none "$(clang --analyze -Xclang -analyzer-output=text -o /dev/null $($PKG_CONFIG --cflags heddle) "$c" 2>&1 | grep warning:)" \
      "$name: clang's analyzer has nothing to say"
  elif [ "$name" = readme.c ]; then
    skip 'no clang'
  fi
  out=$(cd "$tmp" && "${c%.c}" 2>&1)
  ok $? "$name runs"
  diag "$out"
  [ ! -f "${c%.c}.out" ] || is "$out" "$(cat "${c%.c}.out")" "$name prints what stands below it"
  case $name in
    readme.c) is "$(printf '%s\n' "$out" | grep -c '^[a-z]* on [a-z]*: [0-9]*$')" 2 'two threads, two backends'
      is "$(printf '%s\n' "$out" | sed -n 's/^child on \(.*\):.*/\1/p')" reference 'the child on what it inherited' ;;
    manual-vsa.c) is "$out" 'Lima 0.75, Peru 0.50' 'a record is asked' ;;
    manual-encode.c) is "$out" '3.00 14.50 92.00' 'numbers come back' ;;
    manual-ultrasound.c) is "${out%?}" 'coherence of noise 0.016, gCNR 0.9' 'a cyst is seen' ;;
  esac
done
is "$(ls "$tmp"/manual-*.cc | wc -l | tr -d ' ')" 1 'and one in C++'
compilers=
[ "$HED_CXX17" = yes ] && [ -e "$builddir/include/heddle/ops.hpp" ] && compilers=cxx
[ -n "$compilers" ] && command -v clang++ >/dev/null && compilers='cxx clang'
for compiler in cxx clang; do
  case " $compilers " in *" $compiler "*) ;; *) skip "no $compiler for C++17" && skip 'so nothing runs' && continue ;; esac
  command=$CXX
  [ $compiler = cxx ] || command=clang++
  # shellcheck disable=SC2046,SC2086
  out=$($command -std=c++17 -Wall -Wextra -Wpedantic -Werror $($PKG_CONFIG --cflags heddle) \
    "$tmp/manual-arrays.cc" -o "$tmp/arrays" \
    $($PKG_CONFIG --libs heddle) 2>&1)
  ok $? "manual-arrays.cc compiles by $command"
  [ -z "$out" ] || diag "$out"
  is "$("$tmp/arrays" 2>&1)" '0.589 3.780' 'and runs'
done
for c in "$tmp"/module-*.c; do
  name=${c##*/}
  # shellcheck disable=SC2046,SC2086
  out=$($CC -std=gnu11 -Wall -Wextra -Werror -shared -fPIC $($PKG_CONFIG --cflags heddle-core) "$c" \
    -o "$tmp/example.so" 2>&1)
  ok $? "$name compiles"
  [ -z "$out" ] || diag "$out"
done
cat >"$tmp/use.c" <<'C'
#include <heddle.h>
#include <stdio.h>
int main(int argc, char **argv)
{
  float data[] = { 2, 3 }, out[2] = { 0, 0 };
  hed_array *x, *y;
  if (argc != 2 || hed_backend_load(argv[1]) != HED_OK || hed_set_backend("example;fallback=error") != HED_OK) {
    printf("%s\n", hed_error_text());
    return 1;
  }
  x = hed_from_host(data, HED_SHAPE(2), HED_FLOAT32);
  y = hed_square(x);
  if (hed_to_host(y, out, sizeof out) != HED_OK) {
    printf("%s\n", hed_error_text());
    return 1;
  }
  printf("%g %g %s\n", (double)out[0], (double)out[1], hed_array_backend(y));
  hed_release(x);
  hed_release(y);
  return 0;
}
C
# shellcheck disable=SC2046,SC2086
$CC $($PKG_CONFIG --cflags heddle) "$tmp/use.c" -o "$tmp/use" $($PKG_CONFIG --libs heddle) 2>"$tmp/err" ||
  diag "$(cat "$tmp/err")"
is "$("$tmp/use" "$tmp/example.so" 2>&1)" '4 9 example' 'the module of the manual computes'
done_testing
