#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the names that the installed headers declare as exported, one per line, sorted.
#   gen-symbols.sh CC INCLUDE-DIR...        the compiler expands the X-macro families
set -e
cc=$1
shift
flags=
headers=
for d in "$@"; do
  flags="$flags -I$d"
  for h in "$d"/heddle.h "$d"/heddle/*.h "$d"/heddle/ops/*.h "$d"/heddle/kits/*.h; do
    [ -f "$h" ] && headers="$headers#include <${h#"$d"/}>
"
  done
done
# shellcheck disable=SC2086
printf '%s' "$headers" | $cc -std=gnu11 -E -P $flags -x c - | tr '\n' ' ' | tr ';{}' '\n\n\n' |
  awk '/__asm__/ { next } # another name of a symbol, declared above
  /visibility\("default"\)/ {
    gsub(/__attribute__ *\(\(visibility\("default"\)\)\)/, "")
    if (match($0, /hed_[a-z0-9_]+ *\(/)) { name = substr($0, RSTART, RLENGTH); sub(/ *\(/, "", name) }
    else { n = split($0, w, /[^A-Za-z0-9_]+/); name = ""; for (i = n; i > 0 && name == ""; i--)
             if (w[i] ~ /^hed_/) name = w[i] }
    print name
  }' | LC_ALL=C sort -u
