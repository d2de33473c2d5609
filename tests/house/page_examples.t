#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the pages of doc/pages say: each example compiles and prints what stands below it, each shape and each error is what the
# call has. One program for an area, on every host backend.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
needs_packages
cd "$srcdir" || exit 255
pages() { # MODE AREA
  # shellcheck disable=SC2046
  LC_ALL=C ${AWK:-awk} -f build-aux/headers.awk -f build-aux/pages.awk -f build-aux/gen-reference.awk -v mode="$1" \
    -v stanzas="doc/pages/$2.pages" include/heddle/ops.h include/heddle/ops.def \
    $(ls include/heddle/ops/*.h include/heddle/*.h include/heddle/kits/*.h | grep -v /ops.h)
}
for stanzas in doc/pages/*.pages; do
  area=$(basename "$stanzas" .pages)
  pages c "$area" >"$tmp/$area.c" && pages out "$area" >"$tmp/$area.want"
  ok $? "$area: the program is made"
  package=heddle-core
  ! grep -q '^#include <heddle/kits/' "$tmp/$area.c" || package=heddle-kits
  # shellcheck disable=SC2046,SC2086
  out=$($CC -std=c11 -O0 -Wall -Wextra -Werror $($PKG_CONFIG --cflags $package) "$tmp/$area.c" -o "$tmp/$area" \
    $($PKG_CONFIG --libs $package) 2>&1)
  ok $? "$area: it compiles"
  [ -z "$out" ] || diag "$out"
  for backend in reference cpu; do
    (cd "$tmp" && HEDDLE_BACKEND=$backend "./$area") >"$tmp/got" 2>&1
    none "$(diff "$tmp/$area.want" "$tmp/got")" "$area: examples, shapes and errors are as the pages say, on $backend"
  done
done
done_testing
