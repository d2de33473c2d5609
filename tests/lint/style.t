#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The outer form of source files: licence line, head comment, length, width, white space.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir" || exit 255

find include lib tools examples bench python tests build-aux m4 doc \
  \( -name '*.[ch]' -o -name '*.cc' -o -name '*.def' -o -name '*.mk' -o -name '*.t' \
     -o -path 'python/*.py' -o -name '*.sh' -o -name 'hed_*.m4' -o -name '*.map' \) -type f |
  grep -v -e '^build-aux/ltmain.sh$' -e '^build-aux/tap-driver.sh$' | sort >"$tmp/found"
echo configure.ac >>"$tmp/found"
echo Makefile.am >>"$tmp/found"
# Compiled tests are named *.t too; those of a build in the source tree are not sources, and no text.
{
  grep -v '\.t$' "$tmp/found"
  grep '\.t$' "$tmp/found" | tr '\n' '\0' | xargs -0 grep -lI ''
} >"$tmp/files"
each() { tr '\n' '\0' <"$tmp/files" | xargs -0 "$@"; }

[ "$(wc -l <"$tmp/files")" -gt 40 ]
ok $? "the sources were found ($(($(wc -l <"$tmp/files"))))"
none "$(each awk 'FNR <= 2 && /SPDX-License-Identifier: BSD-3-Clause/ { named[FILENAME] = 1 }
  END { for (i = 1; i < ARGC; i++) if (ARGV[i] !~ /\.map$/ && !(ARGV[i] in named)) print ARGV[i] }')" \
  'the licence is named in the first two lines'
none "$(each awk 'FNR == 1 { seen = 0 } FNR <= 4 && /\/\*|^#|^\/\/ [^S]/ { seen = 1 }
  FNR == 5 && !seen { print FILENAME }')" 'a head comment follows'
none "$(each awk 'FNR == 651 { print FILENAME ": more than 650 lines" }')" 'no file is longer than 650 lines'
# In C a function begins with its brace, or its declarator's line, in the first column, and ends so.
long_functions() { # FILE...
  awk 'FNR == 1 { at = 0 } /^\{/ || /^[a-z].*\) *\{$/ { at = FNR }
    /^\}/ { if (at && FNR - at > 81) print FILENAME ":" at ": " FNR - at - 1 " lines"; at = 0 }' "$@"
}
{ echo 'int f(void)'; echo '{'; seq 81; echo '}'; echo 'int g(void)'; echo '{'; seq 80; echo '}'; } >"$tmp/long.c"
is "$(long_functions "$tmp/long.c" | sed 's/.*c://')" '2: 81 lines' 'a function of more than 80 lines is seen'
none "$(long_functions $(grep -E '^(lib|tools|examples|bench|python)/.*\.([chk]|cc)$' "$tmp/files"))" \
  'no function of the library or its tools has more'
# Lists (*.def) have one row on one line, however long.
none "$(each awk 'length($0) > 135 && FILENAME !~ /\.def$/ {
  print FILENAME ":" FNR ": " length($0) " columns" }')" 'no line is wider than 135 columns'
none "$(each grep -nE '[[:space:]]$' /dev/null)" 'no white space at the end of a line'
none "$(grep -E '\.([ch]|cc|def)$' "$tmp/files" | tr '\n' '\0' | xargs -0 grep -n "$(printf '\t')" /dev/null)" \
  'no tabs in C files'
none "$([ -z "$(each tail -qc 1 | tr -d '\n')" ] || while read -r f; do
    [ -z "$(tail -c 1 "$f")" ] || echo "$f"
  done <"$tmp/files")" 'every file ends with a newline'
none "$(find tests -name '*.t' -type f ! -perm -100 | while read -r f; do
    head -c 2 "$f" | grep -q '#!' && echo "$f"; done)" 'test scripts are executable'
none "$(grep -lE '\b(done_testing|done|ok|is_int)\(' tests/*/*.c tests/api/*/*.c |
  xargs grep -l '^int main(' | xargs grep -LE '\bdone\(\)')" \
  'programs of points end with their status'
none "$(grep -E '^# (reads|names): ' tests/*/*.t tests/api/*/*.t | sed -E 's/^([^:]*):# [a-z]*: /\1 /' | while read -r f paths; do
    for p in $paths; do case $p in *\**) ;; *) [ -e "$p" ] || echo "$f: $p" ;; esac; done; done)" \
  'what tests say that they read is there'
none "$(grep -oE '[a-z0-9_]+/[a-z0-9_]+\.(c|t)\b' tests/README | sort -u | while read -r p; do
    [ -e "tests/$p" ] || [ -e "tests/${p%.t}.c" ] || echo "$p"; done)" 'the tests that tests/README names are there'
# Files that a comment names, "room/file.c" or "file.c", and those of HACKING and tests/README. Headers of other projects are
# none of the tree's, nor are words in capitals, NAME.k, that stand for many.
cat >"$tmp/named.awk" <<'AWK'
FNR == NR { for (rest = $0; rest != ""; rest = rest ~ /\// ? substr(rest, index(rest, "/") + 1) : "") there[rest] = 1; next }
FILENAME !~ /\.[a-z]+$/ || /^ *(\/\*|\*|\/\/)/ || /\/\*/ {
  line = /^ *(\*|\/\/)/ || !index($0, "/*") ? $0 : substr($0, index($0, "/*"))
  while (match(line, /[A-Za-z0-9_.<\/-]*[A-Za-z0-9_]\.(c|h|k|t|cc|py|mk|def|awk)/)) {
    name = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    if (line ~ /^[A-Za-z0-9_(\/]/ || name ~ /[A-Z<]|^-|(^|\/)[a-z]\.[a-z]+$/) continue
    sub(/^(\.\.?\/)+/, "", name)
    source = name
    sub(/\.t$/, ".c", source)
    if (!(name in there) && !(source in there)) print FILENAME ":" FNR ": " name
  }
}
AWK
named() { # FILE...
  find include lib tools examples bench python tests build-aux -type f >"$tmp/there"
  awk -f "$tmp/named.awk" "$tmp/there" "$@" | grep -vE '(dlpack/dlpack|libgomp/libgomp_g|openmp/runtime/src/kmp|stdint)\.h$'
}
printf '%s\n' '/* as lib/base/nowhere.h, nowhere.c and base/alloc.h say, <nowhere.h>, NAME.k */' 'x = nowhere.c;' >"$tmp/probe.c"
is "$(named "$tmp/probe.c" | sed 's/.*: //' | tr '\n' ' ')" 'lib/base/nowhere.h nowhere.c ' \
  'names of files that are not there are seen'
none "$(named $(grep -E '^(lib|include|tools|examples)/.*\.([chk]|cc|def)$' "$tmp/files") HACKING tests/README)" \
  'files that comments, HACKING and tests/README name are there'
none "$(sed -n '/^One call followed/,/^Layers/p' HACKING | grep -E '^    lib/' | while read -r f word rest; do
    grep -qF "${word%[:,]}" "$f" || echo "$f: $word"; done)" 'where HACKING follows a call, the files have what it says'
if command -v shellcheck >/dev/null; then
  none "$(shellcheck -s bash -S warning -e SC1090,SC1091,SC2016,SC2034,SC2154 quickstart selftest \
    .ci/run build-aux/setup.sh build-aux/stages.sh tests/changed tests/tap.sh 2>&1)" 'shellcheck has nothing to say about the scripts'
else
  skip 'no shellcheck'
fi
done_testing
