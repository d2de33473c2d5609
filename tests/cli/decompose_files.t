#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle decompose: tensors from tables of text, scattered light out of fluorescence, and what is refused of both.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1
error() { sed -n 's/.*relative error \([^ ]*\).*/\1/p' said; }
below() { awk -v e="$(error)" -v b="$1" 'BEGIN { exit !(e != "" && e < b) }'; }

# 5 samples of two fluorophores, 20 emissions from 300 nm, 8 excitations from 260 nm, under Rayleigh scatter.
awk 'BEGIN {
  for (m = 0; m < 20; m++) print 300 + 12 * m >"em.txt"
  for (x = 0; x < 8; x++) printf "%s%d", x ? "," : "", 260 + 15 * x >"ex.txt"
  printf "sample\n" >"eem.csv"
  for (s = 0; s < 5; s++) for (m = 0; m < 20; m++) for (x = 0; x < 8; x++) {
    em = 300 + 12 * m; ex = 260 + 15 * x
    v = (1 + s) * exp(-((em - 380) / 40) ^ 2 - ((ex - 300) / 30) ^ 2)
    v += (1 + s * s % 3) * exp(-((em - 460) / 40) ^ 2 - ((ex - 350) / 30) ^ 2)
    if (em - ex < 10 && ex - em < 10) v += 20
    printf "%.17g%s", v, m * 8 + x < 159 ? "," : "\n" >"eem.csv"
  }
}'
heddle decompose eem.csv --shape 5,20,8 --cp 2 >said 2>err
is "$? $(below 0.1 && echo small)" '0 ' 'scatter is no sum of two products'
axes='--emission 1:em.txt --excitation 2:ex.txt'
for fill in '' '--scatter-fill mask'; do
  # shellcheck disable=SC2086
  heddle decompose eem.csv --shape 5,20,8 --cp 2 --sweeps 2000 --tol 1e-12 $axes --scatter rayleigh:10,raman:3 $fill >said 2>err
  is "$? $(below 1e-4 && echo small)" '0 small' "what is left is: '$fill' $(error)"
done
awk 'BEGIN {
  head = "{\047descr\047: \047<u2\047, \047fortran_order\047: False, \047shape\047: (20,), }"
  printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n", head
  for (m = 0; m < 20; m++) printf "\\%03o\\%03o", (300 + 12 * m) % 256, int((300 + 12 * m) / 256) }' >em.octal
# The words are escapes.
# shellcheck disable=SC2059
printf "$(cat em.octal)" >em.npy
heddle decompose eem.csv --shape 5,20,8 --cp 2 --sweeps 2000 --tol 1e-12 --emission 1:em.npy --excitation 2:ex.txt \
  --scatter rayleigh:10,raman:3 >said 2>err
is "$? $(below 1e-4 && echo small)" '0 small' "wavelengths from .npy: $(error)"
# shellcheck disable=SC2086
heddle decompose eem.csv --shape 5,20,8 --tt 1e-3 $axes --scatter rayleigh:10 --scatter-fill interpolate >said 2>err
is "$? $(below 1e-3 && echo small)" '0 small' 'a train of what was interpolated'
for bad in "--cp 2 --scatter rayleigh:10" "--cp 2 $axes" "--cp 2 --scatter-fill zero" "--cp 2 --raman-shift 3400" \
    "--cp 2 $axes --scatter rayleigh" "--cp 2 $axes --scatter mie:3" "--cp 2 $axes --scatter raman:3,raman:4" \
    "--cp 2 $axes --scatter raman:-3" "--tt 0.1 $axes --scatter raman:3" "--parafac2 2 $axes --scatter raman:3" \
    "--cp 2 --emission em.txt --excitation 2:ex.txt --scatter raman:3" "--cp 2 $axes --scatter raman:3 --raman-shift 0.34"; do
  # shellcheck disable=SC2086
  heddle decompose eem.csv --shape 5,20,8 $bad >/dev/null 2>err
  is "$?" 2 "refused: '$bad'"
done
# shellcheck disable=SC2086
heddle decompose eem.csv --shape 5,8,20 --cp 2 $axes --scatter rayleigh:10 >/dev/null 2>err
is "$? $(grep -c 'emission has 20 wavelengths; axis 1 of x has 8' err)" '3 1' 'wavelengths of another axis'
tac em.txt >down.txt
heddle decompose eem.csv --shape 5,20,8 --cp 2 --emission 1:down.txt --excitation 2:ex.txt --scatter raman:3 >/dev/null 2>err
is "$? $(grep -c 'have to increase' err)" '3 1' 'which fall'

# Tables: a matrix, gaps, what is none.
printf '1,2,3\n2,4,6\n3,6,9.0\n' >one.csv
heddle decompose one.csv --cp 1 --json >said
is "$? $(tr -d ' \n' <said | grep -c '"shape":\[3,3\]')" '0 1' 'a table is a matrix'
printf ',2,3\n2,nan,6\n3,6,9\n' >gaps.csv
heddle decompose gaps.csv --cp 1 --missing-nan --sweeps 1000 --tol 1e-14 --json >said
is "$? $(tr -d ' \n' <said | grep -c '"shape":\[3,3\]')" '0 1' 'with gaps, the first of them in front'
heddle decompose gaps.csv --cp 1 >/dev/null 2>err
is "$? $(grep -c 'not finite at (0, 0); with --missing-nan' err)" '3 1' 'which have to be said'
heddle decompose one.csv --shape 2,2,2 --cp 1 >/dev/null 2>err
is "$? $(grep -c 'has 3 rows of 3 numbers, 9 in all' err)" '3 1' 'a shape of other elements'
heddle decompose one.csv --shape 1000000,1000000,1000000,1000000 --cp 1 >/dev/null 2>err
is "$? $(grep -c 'do not fill it' err)" '3 1' 'or beyond all numbers'
heddle decompose one.npy --shape 3,3 --cp 1 >/dev/null 2>err
is "$? $(grep -c -- '--shape goes with a .csv' err)" '2 1' 'of an array'
for rows in '1,2\n3\n' '1,x\n' '' 'a,b\n' '1,inf\n'; do
  # The format has the line ends.
  # shellcheck disable=SC2059
  printf "$rows" >bad.csv
  heddle decompose bad.csv --cp 1 >/dev/null 2>err
  is "$? $(grep -c bad.csv err)" '3 1' "no table: '$rows'"
done
refused() { # what is said, the table
  # shellcheck disable=SC2059
  printf "$2" >bad.csv
  heddle decompose bad.csv --cp 1 >/dev/null 2>err
  is "$? $(grep -cF "$1" err)" '3 1' "$1"
}
refused "line 2, column 2: 'x' is no finite number" '1,2\n3,x\n'
refused "line 1, column 1: '1x' is no finite number" '1x,2\n3,4\n'
refused "line 1, column 1: '1;2' is no finite number; between fields are commas" '1;2\n3;4\n'
refused "line 1, column 2: '5;2' is no finite number; between fields are commas" '1,5;2,5\n3,5;4,5\n'
refused "line 2, column 1: '1?2' is no finite number; between fields are commas" 'a\tb\n1\t2\n'
refused "line 2: 3 fields, not 2 as before" '1,2\n3,4,5\n'
refused "line 2: 1 field, not 2 as before" '1,2\n3\n'
refused "line 1: a byte 0 at 4, which is no text" '1,2\000,7\n3,4\n'
refused "line 2, column 2: '?[31m' is no finite number" '1,2\n3,\033[31m\n'
for rows in '\357\273\2771,2,3\r\n2,4,6\r\n3,6,9\r\n' ',a,b\n1,2,3\n2,4,6\n3,6,9' '"1","2","3"\n1,2,3\n\n2,4,6\n3,6,9\n\n'; do
  # shellcheck disable=SC2059
  printf "$rows" >odd.csv
  heddle decompose odd.csv --cp 1 --json >said
  is "$? $(tr -d ' \n' <said | grep -c '"shape":\[3,3\]')" '0 1' "three rows: '$rows'"
done
ln -s /dev/zero endless.csv
heddle decompose endless.csv --cp 1 >/dev/null 2>err
is "$? $(grep -c 'it is a device' err)" '3 1' 'a device is no table'

# Files of MATLAB.
cp "$srcdir"/tests/data/mat/plain.mat "$srcdir"/tests/data/mat/bomb.mat "$srcdir"/tests/data/mat/v73.mat .
heddle decompose plain.mat --name single --tucker 2,2,2 --json >said 2>err
is "$? $(tr -d ' \n' <said | grep -c '"shape":\[2,3,4\]')" '0 1' 'an array of a .mat file'
heddle decompose v73.mat --name single --tucker 2,2,2 --json >said 2>err
is "$? $(tr -d ' \n' <said | grep -c '"shape":\[2,3,4\]')" '0 1' 'and of one of version 7.3'
heddle decompose plain.mat --cp 2 >/dev/null 2>err
is "$? $(grep -c 'which one has to be named: x (double), small (uint8)' err)" '3 1' 'one of several'
heddle decompose plain.mat --cp 2 --name cells >/dev/null 2>err
is "$? $(grep -c 'cells is cell' err)" '3 1' 'which is none'
heddle decompose plain.mat --cp 2 --name nothing >/dev/null 2>err
is "$? $(grep -c 'has no nothing' err)" '3 1' 'or not there'
heddle decompose bomb.mat --cp 2 >/dev/null 2>err
is "$?" 3 'what a file cannot hold'
done_testing
