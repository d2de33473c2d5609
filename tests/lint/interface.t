#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs that are compiled rely on is as it was stored (doc/interface-0): nothing of it is gone, moved or of another type.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
command -v python3 >/dev/null || skip_all 'no python3'
[ -e "$builddir/tools/api.json" ] || skip_all 'the interface as data was not built'
stored=$srcdir/doc/interface-0

changed() { python3 "$srcdir/build-aux/interface.py" "${2:-$builddir/tools/api.json}" "$1" 2>&1; }
none "$(changed "$stored" | sed 's/$/ (is gone or another one: libtool-version, then make update-interface)/')" \
  "what the interface had it has ($(grep -vc '^#' "$stored") functions, fields and values)"

sed 's/"hed_axes axes at 0/&/; s/"offset": 68/"offset": 69/; s/"hed_floor_into"/"hed_floored_into"/; s/"value": -31/"value": -99/' \
  "$builddir/tools/api.json" >"$tmp/api.json"
is "$(changed "$stored" "$tmp/api.json" | grep -cE '^struct hed_reduce: bool keepdims|hed_floor_into\(|^status ')" 3 \
  'a field that moves, a name and a value are noticed'
: >"$tmp/empty"
is "$(changed "$tmp/empty" | grep -c empty)" 1 'a list without a line is none'

cat >"$tmp/t.c" <<'END'
#include <heddle/export.h>
HED_API HED_DEPRECATED("0.3", "hed_new_name") int hed_old_name(void);
int main(void) { return hed_old_name(); }
END
is "$($CC -Wall -fsyntax-only -I"$srcdir/include" "$tmp/t.c" 2>&1 | grep -c 'since 0.3, use hed_new_name')" 1 \
  'what is to go says since when and what serves instead'

# GCC tells it for a value that is cast to void as well; what gives an array back that one has already says nothing.
cat >"$tmp/dropped.c" <<'END'
#include <heddle.h>
int main(void)
{
  hed_array *x = hed_ones(HED_SHAPE(2), HED_INT8);
  hed_retain(x);
  hed_exp(x);
  hed_add_scalar(x, 2);
  return 0;
}
END
$CC -c -o "$tmp/dropped.o" -Wall -I"$srcdir/include" -I"$builddir/include" "$tmp/dropped.c" 2>"$tmp/warned"
is "$(grep -c 'warning:.*unused' "$tmp/warned")" 2 \
  'arrays that are thrown away are warned of'
done_testing
