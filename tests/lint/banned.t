#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the library must not call, and words that must not be committed.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir" || exit 255

# code FILE...: what they say without comments, as FILE: LINE: TEXT
code() {
  awk '
    FNR == 1 { comment = 0 }
    { text = $0; code = ""
      while (text != "") {
        if (comment) {
          if (!(at = index(text, "*/"))) break
          text = substr(text, at + 2); comment = 0
        } else if (match(text, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\/|\/\*/)) {
          token = substr(text, RSTART, RLENGTH)
          code = code substr(text, 1, RSTART - 1)
          text = substr(text, RSTART + RLENGTH)
          if (token == "//") break
          if (token == "/*") comment = 1
          else code = code token
        } else {
          code = code text; break
        }
      }
      print FILENAME ":" FNR ": " code }' "$@"
}

# calls REGEX: of the code that is read, calls of functions that match
calls() {
  awk -v what="$1" '
    { text = $0; gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
      if (match(text, "[^A-Za-z0-9_.>](" what ")[[:space:]]*\\("))
        print }'
}

ends='exit|_exit|_Exit|abort|quick_exit|assert'
prints='printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror|syslog'
unsafe='strcpy|strcat|sprintf|vsprintf|gets|strtok|alloca|system|popen|rand|srand|getenv|tmpnam|mktemp'
memory='malloc|calloc|realloc|free|strdup|posix_memalign|aligned_alloc'

printf 'int f(void) { return 0; /* exit(1) */ }\nvoid g(void) { exit(1); }\n' >"$tmp/x.c"
printf 'const char *s = "exit(1)";\nvoid h(void) { a->exit(1); snprintf(0, 0, ""); }\n' >"$tmp/y.c"
is "$(code "$tmp/x.c" | calls "$ends|$prints" | sed 's/.*:\([0-9]*\):.*/\1/')" 2 \
  'a call is seen, with its line, a comment is not'
none "$(code "$tmp/y.c" | calls "$ends|$prints")" 'strings, members and longer names are not calls'

# precompile.c is a program of the build.
# shellcheck disable=SC2046
code $(find lib -name '*.[ch]' ! -name precompile.c | sort) >"$tmp/lib"
none "$(calls "$ends" <"$tmp/lib")" 'the library never ends the process'
# Writing to a FILE that the caller named is file output, not printing.
none "$(calls "$prints" <"$tmp/lib" | grep -Ev '[a-z]+\((file|fp|f|out), |, (file|fp|f|out)\)')" \
  'the library never prints'
none "$(calls "$unsafe" <"$tmp/lib")" 'no unsafe function in the library (environment: secure_getenv)'
grep -E '^lib/(core|api|composite|base|backends/(reference|cpu))/' "$tmp/lib" |
  grep -v '^lib/base/alloc\.c:' >"$tmp/inside"
none "$(calls "$memory" <"$tmp/inside")" 'memory of the library comes from base/alloc'

# Unfinished work.  The words are put together here so that this file does not hold them.
marks="TO""DO|FIX""ME|XX""X|HA""CK:"
words="not[ -]impl""emented|place""holder|for n""ow([^a-z]|\$)|st""ubs?([^a-z]|\$)"
find . \( -name build -o -name 'build-[a-z]*' ! -name build-aux -o -name .git -o -name autom4te.cache \
  -o -name .libs -o -name .deps \) -prune -o -type f -print |
  grep -E '\.([ch]|cc|def|mk|ac|am|t|texi|sh|map|1|pc\.in|h\.in)$|/hed_[a-z_]*\.m4$|/[A-Za-z]+$' |
  grep -Ev '/(configure|Makefile|COPYING|libtool|ltmain\.sh|tap-driver\.sh|compile|depcomp|missing)$' | sort >"$tmp/all"
[ "$(wc -l <"$tmp/all")" -gt 40 ]
ok $? "the sources were found ($(($(wc -l <"$tmp/all"))))"
# Programs of a build in the source tree are no text.
search() { tr '\n' '\0' <"$tmp/all" | xargs -0 grep -nIE "$@" /dev/null; }
# TAP has a directive of such a name.
none "$(search "(^|[^A-Za-z_])($marks)([^A-Za-z]|\$)" | grep -v -e '^\./tests/tap\.' -e '^\./tests/house/tap\.c:')" \
  'no marks of unfinished work'
none "$(search -i "(^|[^A-Za-z_])($words)")" 'no words of unfinished work'
done_testing
