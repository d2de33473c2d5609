#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Many tomograms: each as when it is searched alone, with its own voxels and tilts; failures, resuming, the tables of all.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1
for i in 1 2 3; do
  heddle simulate -o s$i --shape 28 --voxel $((14 + 2 * (i > 2))) --resolution 40 --copies 2 --snr 1 --seed $i >/dev/null
done
printf 'name\ttarget\ttilts\nA\ts1/tomogram.mrc\t-60,60\nB\ts2/none.mrc\t\nC\ts3/tomogram.mrc\t\n' >runs.tsv
list() {
  heddle match --list runs.tsv s1/template.mrc --mask s1/mask.mrc --resample --angular-step 60 --workers 'reference*2' -o o/x "$@"
}
state() { cut -f 1,3 o/x_tomograms.tsv | grep -v '^#' | tail -n +2 | tr '\t\n' '= '; }

list >out 2>err
is "$? $(state)" '3 A=done B=failed C=done ' 'one that fails does not stop the others'
is "$(grep -c "'B' failed: cannot open 's2/none.mrc'.*once more: .*--list runs.tsv .*--only=B --resume" err)" 1 \
  'with the sentence, and the command that repeats it'
is "$(grep -c 'cannot open' o/x_tomograms.tsv) $(cut -s -f 12 o/x_peaks.tsv | sort -u | tr '\n' ' ')" '1 A C tomogram ' \
  'in the table, and peaks of the others'
heddle match s1/tomogram.mrc s1/template.mrc --mask s1/mask.mrc --angular-step 60 --workers reference --tilts=-60,60 -o one >/dev/null
heddle match s3/tomogram.mrc s1/template.mrc --mask s1/mask.mrc --resample --angular-step 60 --workers reference -o three >/dev/null
cmp -s one_scores.mrc o/x_A_scores.mrc && cmp -s three_scores.mrc o/x_C_scores.mrc && cmp -s three_peaks.tsv o/x_C_peaks.tsv
ok $? 'the others as alone, with their tilts and voxels'
list >out 2>err
is "$? $(grep -c "x_peaks.tsv' exists" err)" '3 1' 'nothing is written over'

ln s2/tomogram.mrc s2/none.mrc
before=$(stat -c %Y%i o/x_A_scores.mrc)
list --only B --resume >out 2>err
is "$? $(state)$(grep -c 'by an earlier run' out)" '0 A=earlier B=done C=earlier 2' 'what failed, once more'
is "$(stat -c %Y%i o/x_A_scores.mrc)" "$before" 'the others are left alone'
is "$(sed -n '/^data_optics/,/^data_particles/p' o/x_peaks.star | grep -c '^[12]	opticsGroup[12]	1[46]$')" 2 \
  'a group of optics for each size of voxels'
is "$(grep -cE '^[ABC]	' o/x_peaks.star) $(grep -c '^[0-9]' o/x_peaks.tsv)" \
  "$(cat o/x_[ABC]_peaks.tsv | grep -c '^[0-9]') $(cat o/x_[ABC]_peaks.tsv | grep -c '^[0-9]')" 'all peaks in both tables'
list --resume --angular-step 50 >out 2>err
is "$? $(grep -c "is of another search, of 'step 60 of 0', and now it is 'step 50 of 0'" err)" '3 3' \
  'another search is refused by what differs'
list --only D >out 2>err
is "$? $(grep -c "runs.tsv' has no tomogram 'D'" err)" '3 1' 'a name that is not in the list'
for option in '--share 0/2' --mpi --check '--truth x' '--tomo-name x'; do
  # shellcheck disable=SC2086
  list $option >out 2>err
  is "$? $(grep -c -- '--list: not with' err)" '2 1' "not with $option"
done
heddle match a b -o c --only x >out 2>err
is "$? $(grep -c 'are for --list' err)" '2 1' '--only without a list'

list --dry-run --force >dry 2>err
is "$? $(grep -c '^rotations ' dry) $(grep -c '^[ABC]$' dry) $(sed -n 's/^tomograms  *//p' dry)" '0 3 3 3, 2 at a time' \
  'a dry run of each, and of all'
one=$(heddle match s1/tomogram.mrc s1/template.mrc --mask s1/mask.mrc --angular-step 60 --workers 'reference;threads=1' \
  --tilts=-60,60 --dry-run | grep -c "^memory .* $(sed -n '/^A$/,/^memory/s/^memory  *//p' dry)\$")
is "$one $(sed -n 's/^memory *\([0-9]*\) MiB/\1/p' dry | sort -n |
  awk '{ a[NR] = $1 } END { print (a[NR] <= a[NR - 1] + a[NR - 2]) }')" \
  '1 1' 'its memory is that of one, and of as many as run at a time'
mv s2/none.mrc s2/away.mrc
list --dry-run --force >dry 2>err
is "$? $(grep -c "^failed .*cannot open 's2/none.mrc'" dry) $(grep -c ', 1 cannot be searched' dry)" '3 1 1' \
  'one that cannot be read is said'
mv s2/away.mrc s2/none.mrc

# RELION 5: places are those that a single search writes, from the middle of the unbinned tomogram.
mkdir r
printf 'data_global\nloop_\n_rlnTomoName\n_rlnTomoReconstructedTomogram\n_rlnTomoTiltSeriesPixelSize\n' >r/t.star
printf '_rlnTomoTomogramBinning\n_rlnTomoSizeX\n_rlnTomoSizeY\n_rlnTomoSizeZ\n' >>r/t.star
printf 'A s1/tomogram.mrc 3.5 4 113 112 112\nC s3/tomogram.mrc 4 4 112 112 112\n' >>r/t.star
heddle match --list r/t.star s1/template.mrc --mask s1/mask.mrc --resample --angular-step 60 --workers reference --format relion5 \
  -o r/x >out 2>err
is $? 0 "RELION's list"
[ -s err ] && diag "$(cat err)"
rows() { grep -hE '^[AC]	' "$@" | awk '{ printf "%s %.3f %.3f %.3f %s\n", $1, $2, $3, $4, $5 }'; }
is "$(rows r/x_peaks_relion5.star)" "$(rows r/x_A_peaks_relion5.star r/x_C_peaks_relion5.star)" 'has the places of its tomograms'
is "$(grep -cE '^1	opticsGroup1	3.5$|^2	opticsGroup2	4$' r/x_peaks_relion5.star)" 2 'and the pixels of the tilt series'

# Interrupted: what is done stays, the rest goes on.
"$HEDDLE_TOOL" match --list r/t.star s1/template.mrc --mask s1/mask.mrc --resample --angular-step 3 --workers reference -o i/x \
  >out 2>err &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.2
  [ -e i/x_A.hck ] && break
done
kill -TERM $pid
wait $pid
is "$? $(grep -c -- '--resume goes on' err) $(ls i | tr '\n' ' ')" '130 1 x_A.hck ' 'interrupted'
done_testing
