# SPDX-License-Identifier: BSD-3-Clause
# tests/slowest.sh [BUILD]: the tests of the last run in a build folder, by processor seconds, the longest first.
cd "${1:-.}" || exit 2
find tests -name '*.trs' -exec awk '
  function seconds(text, part) { split(text, part, /[ms]/); return part[1] * 60 + part[2] }
  FNR == 1 { at = 0 }
  /^:clock:/ { at = FNR }
  at && FNR == at + 2 { name = FILENAME; sub(/\.trs$/, ".t", name); printf "%8.2f  %s\n", seconds($1) + seconds($2), name }' {} + |
  LC_ALL=C sort -k 1,1nr -k 2
