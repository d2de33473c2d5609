#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the names that a library's installed headers declare as exported, one per line, sorted.
#   gen-symbols.sh LIBRARY CC INCLUDE-DIR...   heddle, heddle-kits, or aliases, those of heddle
# The compiler expands the X-macro families
set -e
library=$1 cc=$2
shift 2

# declared PATTERN...: of the headers of those names, and of what they include
declared() {
  flags=
  headers=
  for d in $dirs; do
    flags="$flags -I$d"
    for pattern in "$@"; do
      for h in "$d"/$pattern; do
        [ -f "$h" ] && headers="$headers#include <${h#"$d"/}>
"
      done
    done
  done
  # shellcheck disable=SC2086
  printf '%s' "$headers" | $cc -std=gnu11 -E -P $flags -x c - | tr '\n' ' ' | tr ';{}' '\n\n\n' |
    awk '/hed_[a-z0-9_]+ *__asm__/ { # another name of a symbol, declared above
      match($0, /hed_[a-z0-9_]+ *__asm__/); name = substr($0, RSTART, RLENGTH); sub(/ *__asm__/, "", name)
      print name, "alias"
      next
    }
    /visibility\("default"\)/ {
      gsub(/__attribute__ *\(\(visibility\("default"\)\)\)/, "")
      if (match($0, /hed_[a-z0-9_]+ *\(/)) { name = substr($0, RSTART, RLENGTH); sub(/ *\(/, "", name) }
      else { n = split($0, w, /[^A-Za-z0-9_]+/); name = ""; for (i = n; i > 0 && name == ""; i--)
               if (w[i] ~ /^hed_/) name = w[i] }
      print name
    }' | LC_ALL=C sort -u
}

dirs=$*
core=$(declared heddle.h 'heddle/*.h' 'heddle/ops/*.h')
case $library in
  heddle) printf '%s\n' "$core" | sed 's/ alias$//' ;;
  aliases) printf '%s\n' "$core" | sed -n 's/ alias$//p' ;;
  heddle-kits) # kits include what they rest on
    printf '%s\n' "$core" "$core" "$(declared 'heddle/kits/*.h')" | LC_ALL=C sort | uniq -u ;;
esac
