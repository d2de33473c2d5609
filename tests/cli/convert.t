#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle convert: every format to every other and back, what is refused; and, where they are installed, the field's own packages.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1

printf 'id\tz\ty\tx\tphi\ttheta\tpsi\tscore\n1\t3\t2\t1\t10\t20\t30\t0.5\n2\t6.5\t5\t4\t-100\t170\t-20\t0.25\n' >in.tsv
for format in star tbl; do
  heddle convert in.tsv out.$format --voxel 4 --tomo-name TS_7 >said
  is "$? $(cat said)" "0 2 particles: out.$format" "to $format"
  heddle convert out.$format back_$format.tsv >/dev/null
  is "$(cut -f 2-4,8-11 back_$format.tsv | tail -n +2 | tr '\t' ' ' | tr '\n' '|')" \
    '3 2 1 10 20 30 0.5|6.5 5 4 -100 170 -20 0.25|' "and back from $format"
done
for format in relion5 stopgap pytme; do
  heddle convert in.tsv out.$format --to $format --dims 100,90,80 --binning 2 --voxel 4 >/dev/null &&
    heddle convert out.$format back_$format.tsv --from $format --dims 100,90,80 --binning 2 --voxel 4 >/dev/null
  is "$? $(cut -f 2-4,8-11 back_$format.tsv | tail -n +2 | tr '\t' ' ' | tr '\n' '|')" \
    '0 3 2 1 10 20 30 0.5|6.5 5 4 -100 170 -20 0.25|' "to $format and back"
done
is "$(grep -c '^tomogram.-196.-172.-148.' out.relion5)" 1 'RELION 5: angstrom from the middle'
for ending in coords csv cmm; do
  heddle convert in.tsv out.$ending --voxel 4 >/dev/null && heddle convert out.$ending places.tsv --voxel 4 --force >/dev/null
  is "$? $(cut -f 2-4 places.tsv | tail -n +2 | tr '\t' ' ' | tr '\n' '|')" '0 3 2 1|6.5 5 4|' "to .$ending and back"
done
heddle convert in.tsv five.star --to relion5 2>err
is "$? $(grep -c 'extents are not given' err) $(ls five.star 2>/dev/null)" '3 1 ' 'RELION 5 without extents'
heddle convert in.tsv five.star --to relion6 2>err
is "$? $(grep -c 'tsv, star, tbl' err)" '2 1' 'a format that there is not'
heddle convert in.tsv five.star --dims 1,2 2>err
is "$? $(grep -c 'X,Y,Z' err)" '2 1' 'two extents'
heddle convert out.star twice.tbl >/dev/null && heddle convert twice.tbl twice.star --tomo-name TS_7 --voxel 4 >/dev/null
cmp -s out.star twice.star
ok $? 'star to tbl and back: the same file'
grep -q '^TS_7.1.2.3.150.20.170.0.5.1$' out.star
ok $? "RELION's angles: 180 - psi, theta, 180 - phi"
is "$(head -1 out.tbl | cut -d ' ' -f 7-10,24-26,36)" '80 20 -120 0.5 2 3 4 4' "Dynamo's angles, places from 1, voxel size"
heddle convert in.tsv out.star >/dev/null 2>err
is "$? $(grep -c -- --force err)" '3 1' 'a file that exists is not replaced'
heddle convert in.tsv in.tsv --force >/dev/null 2>err
is "$? $(grep -c 'which is read' err)" '3 1' 'nor is the one that is read'
heddle convert in.tsv out.txt 2>err
is "$? $(grep -c -- --to err)" '2 1' 'an ending that says nothing'
heddle convert in.tsv out.txt --to star --voxel 4 --tomo-name TS_7 >/dev/null
cmp -s out.txt out.star
ok $? 'unless the format is given'
printf 'data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n1 2\n' >bad.star
heddle convert bad.star bad.tsv 2>err
is "$? $(grep -c 'bad.star.*rlnCoordinateZ' err) $(ls bad.tsv 2>/dev/null)" '3 1 ' 'a missing column is named, and nothing is written'

python=${HEDDLE_TEST_PYTHON:-python3}
if "$python" -c 'import starfile' 2>/dev/null; then
  is "$("$python" -c 'import starfile
p = starfile.read("out.star")["particles"]
print(list(p["rlnCoordinateX"]), list(p["rlnAnglePsi"]))')" '[1, 4] [170, -80]' 'starfile reads it'
else
  skip 'no starfile'
fi
done_testing
