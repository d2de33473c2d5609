#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every public function is described where it is declared, and doc/symbols-of-LIBRARY lists what
# the headers declare and the library exports (`make update-symbols` brings it up to date).
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir" || exit 255

# A declaration is described by a comment above its group (declarations without a blank line or other
# text between them), beside it, or, for an operation and its _into form, in its row of ops.def.
sed -n 's/^HED_[A-Z]*([A-Z0-9_]*, \([a-z0-9_]*\),.*/hed_\1/p' include/heddle/ops.def | sort -u >"$tmp/operations"
cat >"$tmp/described.awk" <<'AWK'
BEGIN { while ((getline name < operations) > 0) operation[name] = 1 }
FNR == 1 { comment = 0; inside = 0; group = 0 }
function name_of(s) {
  if (!match(s, /hed_[a-z0-9_]+\(/)) return ""
  s = substr(s, RSTART, RLENGTH - 1)
  sub(/_into$/, "", s)
  return s
}
{
  line = $0
  if (inside) { if (line ~ /\*\//) { inside = 0; comment = 1 } ; next }
  if (line ~ /^[ ]*#/ || continued) { continued = line ~ /\\$/; next }
  if (line ~ /^[ ]*\/\*/) { comment = line ~ /\*\//; inside = !comment; group = 0; next }
  if (line ~ /^[ ]*$/) { comment = 0; group = 0; next }
  if (line ~ /^HED_(API|NEW)/) {
    if (!comment && !group && line !~ /\/\*/ && !(name_of(line) in operation))
      print FILENAME ":" FNR ": " line
    group = comment || group || line ~ /\/\*/
  }
}
AWK
described() { awk -v operations="$tmp/operations" -f "$tmp/described.awk" "$@"; }
printf '/* f */\nHED_API int f(void);\nHED_API int g(int a,\n  int b);\n\nHED_API int h(void);\n' >"$tmp/x.h"
is "$(described "$tmp/x.h" | cut -d: -f2)" 6 'a declaration without a comment is seen'
none "$(described include/*.h include/heddle/*.h $(find include/heddle/ops include/heddle/kits -name '*.h'))" \
  'every public declaration has a comment'

# The kinds of arguments that rows have are those at the head of the list; structs go by their names.
sed -n '/^ \* args /,/^ \* results/p' include/heddle/ops.def | tr -cs 'a-z' '\n' | LC_ALL=C sort -u >"$tmp/kinds"
sed -n 's/^HED_OP([^"]*"[a-z]*", [A-Z_]*, "\([^"]*\)".*/\1/p' include/heddle/ops.def | tr ' ' '\n' |
  sed -n 's/.*://p' | grep -v '^hed_' | LC_ALL=C sort -u >"$tmp/used"
ok "$([ "$(wc -l <"$tmp/used")" -gt 8 ]; echo $?)" 'rows have arguments of several kinds'
none "$(comm -13 "$tmp/kinds" "$tmp/used")" 'and ops.def lists them all at its head'

none "$(awk -F'"' '/^HED_(UNARY|BINARY|MAP|REDUCE|OP)\(/ && length($(NF - 1)) < 3 { print FILENAME ":" FNR ": " $0 }' \
  include/heddle/ops.def)" 'every row of ops.def says its formula'

# hed_test_* is for tests, hed_thread_create_with and hed_region_* are for libheddle-inherit.
for l in heddle heddle-kits; do
  list=doc/symbols-of-$l
  sh build-aux/gen-symbols.sh $l "$CC" include "$builddir/include" >"$tmp/declared"
  [ "$(wc -l <"$tmp/declared")" -gt 20 ]
  ok $? "declarations of $l were found ($(($(wc -l <"$tmp/declared"))))"
  grep -v '^#' $list | awk '{ print $1 }' >"$tmp/listed"
  none "$(LC_ALL=C sort -c "$tmp/listed" 2>&1)" "$list is sorted"
  none "$(comm -23 "$tmp/declared" "$tmp/listed")" "what is declared is listed in $list"
  none "$(comm -13 "$tmp/declared" "$tmp/listed")" "what is listed is declared"
  none "$(grep -v '^#' $list | grep -Ev '^hed_[a-z0-9_]+ [0-9]+\.[0-9]+\.[0-9]+$')" \
    'each line is a name and the version that brought it'
  lib=$builddir/lib/.libs/lib$l.so
  if [ -e "$lib" ] && command -v nm >/dev/null; then
    nm -D --defined-only "$lib" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' |
      grep -v -e '^hed_test_' -e '^hed_thread_create_with$' -e '^hed_region_[a-z]*$' | LC_ALL=C sort >"$tmp/exported"
    none "$(comm -3 "$tmp/exported" "$tmp/declared")" "lib$l exports what is declared, and nothing else"
  else
    skip 'no shared library or no nm'
  fi
done

# The manual mentions every status, environment variable and setting.
cat doc/*.texi >"$tmp/manual"
awk -f build-aux/gen-tables.awk include/heddle/status.def >>"$tmp/manual"
none "$(sed -n 's/^HED_STATUS(\([A-Z_]*\),.*/HED_\1/p' include/heddle/status.def |
  while read -r s; do grep -qw "$s" "$tmp/manual" || echo "$s"; done)" 'the manual lists every status'
none "$(grep -rhoE '"HEDDLE_[A-Z_]+"' lib tools 2>/dev/null | tr -d '"' | grep -v "^HEDDLE_TEST_" | sort -u |
  while read -r s; do grep -qw "$s" "$tmp/manual" || echo "$s"; done)" \
  'the manual describes every environment variable'
done_testing
