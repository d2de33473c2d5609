#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What goes before a search and after it: heddle template, what a search would take, peaks called again, shares merged, tables for
# other programs.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1
heddle simulate -o data --shape 32 --voxel 16 --resolution 40 --copies 3 --snr 1 >/dev/null

# a template
heddle template data/template.mrc -o t.mrc --box 15 --center --low-pass 60 --mask m.mrc --mask-radius 80 --soft 8 >said
is "$? $(head -1 said)" '0 15 voxels of 16 A: t.mrc' 'a template and its mask'
heddle template data/template.mrc -o t.mrc 2>err
is "$? $(grep -c -- --force err)" '3 1' 'not written over'
heddle template data/template.mrc -o flat.mrc --mask m2.mrc --mask-threshold 1e9 2>err
is "$? $(grep -c 'no value reaches' err) $(ls flat.mrc m2.mrc 2>/dev/null)" '3 1 ' 'a threshold that nothing reaches; no file is left'
heddle template data/template.mrc -o twice.mrc --mask twice.mrc 2>err
is "$? $(grep -c 'written twice' err) $(ls twice.mrc 2>/dev/null)" '2 1 ' 'template and mask in one file'
for wrong in '--mask-radius 50' '--soft 3' '--mask m3.mrc --mask-kind threshold' '--mask m3.mrc --mask-dilate 4' \
  '--mask m3.mrc --mask-threshold 1 --mask-kind sphere'; do
  # shellcheck disable=SC2086
  heddle template data/template.mrc -o wrong.mrc $wrong 2>err
  is "$? $(grep -c -e '--mask' err) $(ls wrong.mrc m3.mrc 2>/dev/null)" '2 1 ' "$wrong is wrong use"
done
heddle template data/template.mrc -o u.mrc --mask new/folder/m.mrc >/dev/null
is "$? $(ls new/folder)" '0 m.mrc' "the mask's folder is made"
heddle template data/template.mrc -o coarse.mrc --voxel 32 >said
is "$? $(grep -c 'voxels of 32' said)" '0 1' 'at another voxel size'
printf 'ATOM      1  CA  ALA A   1       0.000   0.000   0.000  1.00  0.00           C\nEND\n' >one.pdb
heddle template one.pdb -o one.mrc 2>err
is "$? $(grep -c -- --voxel err)" '2 1' 'a model needs a voxel size'
heddle template one.pdb -o one.mrc --voxel 4 --invert --mirror >/dev/null
is $? 0 'and is taken with one'

search() { heddle match data/tomogram.mrc data/template.mrc --mask data/mask.mrc --workers reference "$@"; }
search --angular-step 30 --dry-run >said
is "$? $(grep -cE '^(rotations|parts|memory|time|cut-off) ' said) $(ls ./*.hck 2>/dev/null)" '0 5 ' 'what it would take'
search --angular-step 45 --dry-run --background-correction >said
is "$? $(grep -cE '^time +[0-9]:[0-9]{2},' said)" '0 1' 'with the background less than ten minutes, too'
search --angular-step 45 --check >said
is "$? $(tail -1 said)" '0 best: as it is' 'the template is right as it is'
is "$(grep -c 'not told apart.* inverted' said)" 0 'and told apart from the inverted one'
heddle template one.pdb -o ball.mrc --voxel 16 --low-pass 64 >/dev/null
heddle match data/tomogram.mrc ball.mrc --angular-step 90 --workers reference --check >said
is "$? $(grep -cE '^not told apart: .*(as it is|inverted) and (mirrored|both)|(mirrored|both) and (as it is|inverted)' said)" '0 1' \
  'a ball and its mirror image are not'
search --angular-step 45 --check --invert >said
is "$? $(tail -1 said)" '0 best: inverted' 'of the other contrast it is not'

search --angular-step 45 -o found --format star,tbl,cmm --json-progress >said 2>err
is $? 0 'a search with further tables'
is "$(echo found_peaks.*)" 'found_peaks.cmm found_peaks.star found_peaks.tbl found_peaks.tsv' 'they are there'
grep -q '^tomogram' found_peaks.star
ok $? 'with the name of the tomogram'
grep -q '"done":\([0-9]*\),"total":\1,' err
ok $? 'progress as JSON, to the end'

# the same peaks again, and others
heddle peaks found -o again.tsv --min-distance 7 >said
is "$? $(wc -l <again.tsv)" '0 4' 'peaks by the summary'
is "$(cut -f 2-4 again.tsv)" "$(grep -v '^#' found_peaks.tsv | cut -f 2-4)" 'the same places'
heddle peaks found -o fine.star --min-distance 7 --subvoxel --caller recursive >said
is "$? $(grep -c '^found' fine.star)" '0 3' 'between voxels, for RELION, named as the search'
heddle peaks found -o none.tsv --min-score 2 >/dev/null
is "$? $(wc -l <none.tsv)" '1 1' 'no peak: status 1, and an empty table'
cp found_scores.mrc before
heddle peaks found -o found_scores.mrc --format tsv --force 2>err
is "$? $(grep -c 'which is read' err)" '3 1' 'a map of the search is not written over'
cmp -s found_scores.mrc before
ok $? '... and stays as it was'
heddle peaks absent -o x.tsv 2>err
is "$? $(grep -c absent_scores.mrc err)" '3 1' 'a search that there is not'
mv found.json kept.json
heddle peaks found -o x.tsv 2>err
is "$? $(grep -c -- --min-score err)" '3 1' 'without the summary a cut is needed'
mv kept.json found.json
heddle peaks found -o x.tsv --caller nearest 2>err
is "$? $(grep -c 'maximum, sort' err)" '2 1' 'a caller that there is not'

# refined: from a voxel off along two axes to the truth
grep -v '^#' again.tsv | awk -F '\t' -v OFS='\t' '$2 != "z" { $2 += 1; $4 -= 1 } { print }' >off.tsv
heddle refine data/tomogram.mrc data/template.mrc off.tsv -o refined.tsv --mask data/mask.mrc --angle 40 >said
is "$? $(grep -c '^3 particles' said)" '0 1' 'three rows refined'
nearer=$(awk -F '\t' 'FNR == 1 { file++; next } /^#/ || $2 == "z" { next }
  file == 1 { n++; t[n] = $2 " " $3 " " $4 } file > 1 { best = 1e9
    for (i = 1; i <= n; i++) { split(t[i], p, " "); d = ($2 - p[1])^2 + ($3 - p[2])^2 + ($4 - p[3])^2; if (d < best) best = d }
    sum[file] += best } END { print (sum[3] < 0.2 && sum[2] > 5 ? "nearer" : sum[2] " " sum[3]) }' data/truth.tsv off.tsv refined.tsv)
is "$nearer" nearer 'to the true places'
heddle refine data/tomogram.mrc data/template.mrc again.tsv -o refined.tsv 2>err
is "$? $(grep -c -- --force err)" '3 1' 'not written over'
heddle refine data/tomogram.mrc coarse.mrc again.tsv -o x.tsv 2>err
is "$? $(grep -c 'coarse.mrc. have 32 angstrom along z.*16;' err) $(ls x.tsv 2>/dev/null)" '3 1 ' 'a template of another voxel size'
heddle refine data/tomogram.mrc data/mask.mrc absent.tsv -o x.tsv 2>err
is "$? $(grep -c absent.tsv err) $(ls x.tsv 2>/dev/null)" '3 1 ' 'a table that there is not'

# tables of several tomograms, and of other voxels
{ printf 'data_particles\nloop_\n_rlnTomoName\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n_rlnRemark\n'
  awk -F '\t' '$2 != "z" { print "tomogram", $4, $3, $2, "here"; print "other", $4, $3, $2, "there" }' again.tsv; } >two.star
heddle refine data/tomogram.mrc data/template.mrc two.star -o one.star --mask data/mask.mrc >said 2>err
is "$? $(grep -c '^tomogram.*here$' one.star) $(grep -c there one.star)" '0 3 0' "of two tomograms the target's rows"
is "$(grep -cE "^heddle refine: .*(several tomograms: 3 of 6 rows|has no rlnAngleRot, rlnAngleTilt, rlnAnglePsi, rlnLCCmax)" err)" 2 \
  'it says so'
heddle refine data/tomogram.mrc data/template.mrc two.star -o x.star --tomo-name third 2>err
is "$? $(grep -c "the tomograms tomogram, other, and none is 'third'" err)" '3 1' 'a tomogram that the table has not'
heddle convert two.star two.csv >said 2>err
is "$? $(wc -l <two.csv) $(grep -c '^heddle convert: .*no place for: names of tomograms' err)" '0 7 1' \
  'what a format cannot hold is said'
heddle convert two.star two.tbl --voxel 5 >said 2>err
heddle refine data/tomogram.mrc data/template.mrc two.tbl -o x.star --tomo-name 1 2>err
is "$? $(grep -c 'has voxels of 5 angstrom, the tomogram of 16' err)" '3 1' 'places in other voxels'

# a microscope's defocus, and a measured one
{ echo 'Voltage = 300'
  for angle in -30 0 30; do printf '\n[ZValue = %d]\nTiltAngle = %d\nDefocus = -1\n' $((k = k + 1)) $angle; done; } >nominal.mdoc
printf -- '-30\n0\n30\n' >angles.tlt
{ echo '# defocus 1'; for k in 1 2 3; do echo "$k 30000 30000 0 0 0 8"; done; } >measured.txt
for of in 'nominal.mdoc -o nominal' 'nominal.mdoc --ctf measured.txt -o replaced' 'angles.tlt --ctf measured.txt -o measured'; do
  search --angular-step 90 --min-score -1 --tilts $of >/dev/null
done
cmp -s replaced_scores.mrc measured_scores.mrc && ! cmp -s nominal_scores.mrc measured_scores.mrc
ok $? 'what is measured counts'

# a defocus in micrometres is taken as it is said, with a hint; in angstrom without
search --angular-step 90 --min-score -1 --defocus 3.0 -o near >/dev/null 2>err
is "$(grep -c -- '--defocus is in angstrom, and 3 is hardly any; 3 micrometres are 30000' err)" 1 'a defocus of 3 is hinted at'
search --angular-step 90 --min-score -1 --defocus 30000 -o far >/dev/null 2>err
is "$(grep -c -- '--defocus' err) $(cmp -s near_scores.mrc far_scores.mrc && echo same)" '0 ' 'one of 30000 is not'
heddle refine data/tomogram.mrc data/template.mrc near_peaks.tsv --mask data/mask.mrc --defocus 3.0 -o near.tsv >/dev/null 2>err
is "$? $(grep -c -- '--defocus is in angstrom' err)" '0 1' 'heddle refine hints, too'

# shares and their background
for k in 0 1; do
  search --angular-step 45 -o share$k --share $k/2 --background-correction=3 >/dev/null
done
search --angular-step 45 -o whole --background-correction=3 >/dev/null
heddle merge -o all share1.hck --like data/tomogram.mrc >said 2>err
is "$? $(grep -c 'share 0 of 2 is missing' err) $(ls all* 2>/dev/null)" '1 1 ' 'a share that is missing is named'
heddle merge -o part share1.hck --like data/tomogram.mrc --partial >said 2>err
is "$? $(grep -c 'rotations are missing' err) $(echo part*)" \
  '1 1 part.json part_rotations.mrc part_rotations.npy part_scores.mrc' 'with --partial what there is, all the same'
heddle merge -o all share1.hck share0.hck --like data/tomogram.mrc >said
is $? 0 'merged'
cmp -s whole_rotations.mrc all_rotations.mrc && cmp -s whole_rotations.npy all_rotations.npy
ok $? 'the same rotations as of one search'
heddle peaks whole -o a.tsv --min-distance 7 >/dev/null
heddle peaks all -o b.tsv --min-distance 7 >/dev/null
cmp -s a.tsv b.tsv
ok $? 'the same peaks, background taken out of both'
is "$(head -4 a.tsv | cut -f 2-4)" "$(cut -f 2-4 again.tsv)" 'the best three where they were without'

# the cut of shares is for as many false positives as they were told, and can be told anew
for k in 0 1; do
  search --angular-step 90 -o part$k --share $k/2 --false-positives 20 >/dev/null
done
search --angular-step 90 -o one >/dev/null
search --angular-step 90 -o twenty --false-positives 20 >/dev/null
heddle merge -o merged part0.hck part1.hck --like data/tomogram.mrc >/dev/null
cut_of() { grep -E '"(cutoff|false_positives)"' "$1.json"; }
is "$(cut_of merged)" "$(cut_of twenty)" 'merged: the same cut'
search --angular-step 90 -o anew --merge part0.hck part1.hck --false-positives 1 >/dev/null
is "$(cut_of anew)" "$(cut_of one)" 'merged for one: the cut of one'
is "$(heddle peaks merged -o same.tsv)" "$(heddle peaks one -o same.tsv --force)" 'and peaks go on from either'
search --angular-step 45 -o whole --background-correction --score MCC --force 2>err
is "$? $(grep -c 'can be corrected' err)" '3 1' 'a score that cannot'

# interrupted in the background's search, which is the first
"$HEDDLE_TOOL" match data/tomogram.mrc data/template.mrc --angular-step 4 --workers reference --background-correction -o stopped \
  >/dev/null 2>err &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
is "$? $(grep -c -- --resume err) $(echo stopped*)" '130 1 stopped.hck.background' 'it says how it goes on'
search --angular-step 4 --background-correction -o stopped >/dev/null 2>err
is "$? $(grep -c -- --resume err)" '3 1' 'and is not begun anew unasked'

# less than everything: a region, seeds, a cone
search --angular-step 45 -o part --region 4:20,0:32,5:30 --force --min-score -1 >said
is "$? $(grep -c 'of the target' said)" '0 1' 'a region is searched'
awk -F '\t' '/^#/ || $2 == "z" { next } $2 < 4 || $2 >= 20 || $4 < 5 || $4 >= 30 { bad++ }
  END { exit !(NR > 2 && bad == 0) }' part_peaks.tsv
ok $? 'and no peak is outside of it'
places() { grep -v '^#' "$1" | cut -f 2-4 | sort; }
search --angular-step 45 -o seeded --seeds data/truth.tsv --radius 3,3,3 --cone 90 --min-distance 7 >said
is "$? $(places seeded_peaks.tsv | wc -l)" '0 4' 'near seeds: all three'
awk -F '\t' '/^#/ || $2 == "z" { next } FNR == NR { n++; z[n] = $2; y[n] = $3; x[n] = $4; next }
  { near = 0; for (i = 1; i <= n; i++) near += ($2 - z[i]) ^ 2 + ($3 - y[i]) ^ 2 + ($4 - x[i]) ^ 2 <= 9; bad += near == 0 }
  END { exit !(n == 3 && bad == 0) }' data/truth.tsv seeded_peaks.tsv
ok $? '... each within the radius of one'
heddle convert data/truth.tsv seeds.txt --to pytme >/dev/null
search --angular-step 45 -o again --seeds seeds.txt --seeds-format pytme --radius 3,3,3 --cone 90 --min-distance 7 >said
is "$? $(places again_peaks.tsv)" "0 $(places seeded_peaks.tsv)" 'seeds of a format that is given: the same'
heddle convert data/truth.tsv seeds.star --to relion5 --dims 32,32,32 --voxel 16 >/dev/null
search --angular-step 45 -o centred --seeds seeds.star --radius 3,3,3 --cone 90 --min-distance 7 >said
is "$? $(places centred_peaks.tsv)" "0 $(places seeded_peaks.tsv)" "seeds from the tomogram's middle: the same"
search --angular-step 45 -o off --seeds data/truth.tsv --radius 1.5 --seed-offset 0,0,6 --min-score -1 >/dev/null
awk -F '\t' '/^#/ || $2 == "z" { next } FNR == NR { n++; z[n] = $2; y[n] = $3; x[n] = $4; next }
  { for (i = 1; i <= n; i++) { d = sqrt(($2 - z[i]) ^ 2 + ($3 - y[i]) ^ 2 + ($4 - x[i]) ^ 2); hit += d >= 4.5 && d <= 7.5 } rows++ }
  END { exit !(rows > 0 && hit >= rows) }' data/truth.tsv off_peaks.tsv
ok $? 'or where the offset says'
search --angular-step 30 --cone 20 --axis 1,0,0 -o coned --min-score -1 >said
cone=$(sed -n 's/^\([0-9]*\) rotations.*/\1/p' said)
search --angular-step 30 --dry-run >said
all=$(sed -n 's/^rotations *\([0-9]*\).*/\1/p' said)
ok $((!(${cone:-0} > 0 && ${cone:-0} < ${all:-0} / 2))) "a cone has fewer rotations: $cone of $all"
refused() { # STATUS WORD OPTION...
  status=$1 word=$2
  shift 2
  search --angular-step 90 -o wrong "$@" >/dev/null 2>err
  is "$? $(grep -c -e "$word" err) $(ls wrong* 2>/dev/null)" "$status 1 " "refused: $*"
}
refused 2 --region --region 4:20
refused 2 --region --region 9:3,0:8,0:8
refused 2 --region --region 0:8,0:8,0:x
refused 3 '40.*32' --region 0:8,0:8,20:40
refused 2 --radius --radius 3
refused 2 --seed-offset --seed-offset 1,2,3
refused 2 --seed-offset --seeds data/truth.tsv --seed-offset 1,2
refused 2 --radius --seeds data/truth.tsv --radius 0
refused 2 --seeds-format --seeds-format star
refused 2 --seeds-format --seeds seeds.txt --seeds-format nonsense
refused 2 --axis --axis 0,0,1
refused 2 --axis --cone 20 --axis 1,2
refused 2 --cone --cone 200
refused 3 absent.tsv --seeds absent.tsv
printf 'z\ty\n1\t2\n' >short.tsv
refused 3 "short.tsv.*'x'" --seeds short.tsv

# rotations from a file, a step from a diameter
printf '0 0 0\n10 20 30\n' >list
search --rotations list -o listed --min-score -1 --force >said
is "$? $(grep -c '^2 rotations' said)" '0 1' 'two rotations from a file'
printf '0 0\n' >list
search --rotations list -o listed --force 2>err
is "$? $(grep -c 'list.*line 1 has 2 columns' err)" '3 1' 'one that is none'
search --diameter 100 --dry-run >said
is "$? $(grep -c 'at 18.33 degrees' said)" '0 1' 'two voxels over the diameter'
done_testing
