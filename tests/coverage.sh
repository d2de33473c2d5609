#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coverage.sh SRCDIR GCOVR: a line for each folder of lib/, from the counts in the build folder; the lines that did not
# run are in coverage.txt, file by file.
srcdir=$1 gcovr=$2
[ -n "$gcovr" ] || { echo 'gcovr was not found by configure' >&2; exit 1; }
"$gcovr" -r "$srcdir" --object-directory . --csv coverage.csv --txt coverage.txt lib || exit
awk -F, '
  NR > 1 && $1 ~ /^lib\// {
    split($1, part, "/")
    folder = part[2] ~ /^(backends|kits)$/ ? part[2] "/" part[3] : part[2]
    lines[folder] += $2
    ran[folder] += $3
  }
  END {
    printf "%-24s %8s %8s %6s\n", "folder", "lines", "run", "%"
    for (folder in lines)
      printf "%-24s %8d %8d %6.1f\n", "lib/" folder, lines[folder], ran[folder], 100 * ran[folder] / lines[folder] | "sort"
  }' coverage.csv
