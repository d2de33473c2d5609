#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle ultrasound on the channel data that an example simulates: the table, JSON, pictures, and what is refused.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1

# number METRIC REGION: its value in the file `out'
number() { awk -v m="$1" -v r="$2" '$1 == m && $2 == r { print $3 }' out; }
"$builddir/examples/07_ultrasound" example.pgm channels.npy >said 2>&1
ok $? 'channel data'
where='--axis 0 --spacing 1e-4,1e-4 --origin 0.011,-0.00475 --roi cyst=circle:0.017,0,0.002 --roi around=ring:0.017,0,0.003,0.0042'
# shellcheck disable=SC2086
heddle ultrasound channels.npy $where >out 2>err
is "$? $(cat err)" '0 ' 'all metrics'
for m in contrast cnr gcnr; do
  is "$(awk -v v="$(number $m cyst/around)" -v m=$m '$1 == m { print (v - $2 < 1e-3 && $2 - v < 1e-3) }' said)" 1 "$m is the example's"
done
is "$(awk '$1 ~ /coherence_factor/ { n++ } END { print n }' out)" 8 'four coherence factors of two regions'
heddle ultrasound channels.npy --axis 0 --metric coherence_factor >out
is "$(awk -v v="$(number coherence_factor all)" '$1 == "coherence" { print (v - $2 < 1e-3 && $2 - v < 1e-3) }' said)" 1 \
  'the mean of all, without regions'
heddle ultrasound channels.npy --axis 0 --spacing 1e-4,1e-4 --origin 0.011,-0.00475 --metric fwhm,sll \
  --roi point=circle:0.022,0.003,0.001 >out
is "$(awk '$1 == "point," { print $5, $8 }' said)" \
  "$(awk '$1 ~ /fwhm/ { printf "%s%.3f", s, $3 * 1000; s = " " }' out)" "the point's widths, in metres"
is "$(awk '$1 ~ /^sll_/ && $4 == "dB"' out | wc -l)" 2 'and side lobes'
# shellcheck disable=SC2086
heddle ultrasound channels.npy $where --json >out.json
is $? 0 'JSON'
grep -q '"schema": *"heddle.ultrasound/1"' out.json && grep -q '"metric": *"gcnr"' out.json
ok $? 'with its schema and rows'

if [ "$HEDDLE_TEST_CAIRO" = yes ]; then
  # shellcheck disable=SC2086
  heddle ultrasound channels.npy $where -o pictures/u >/dev/null
  is "$? $(cd pictures && echo *)" '0 u_bmode.png u_coherence.npy u_coherence.png u_gcnr.png u_psf.png' 'pictures and the map'
  # 32 bytes: signature, and the width and height of IHDR
  is "$(od -An -tx1 -N 24 pictures/u_bmode.png | tr -d ' \n' | cut -c 1-48)" '89504e470d0a1a0a0000000d4948445200000275000002da' \
    'B-mode: PNG of 629 x 730'
  # shellcheck disable=SC2086
  heddle ultrasound channels.npy $where --bmode b.svg >/dev/null
  is "$? $(grep -c '^<svg' b.svg)" '0 1' 'as SVG by the name'
  # shellcheck disable=SC2086
  heddle ultrasound channels.npy $where -o vector/u --pictures pdf >/dev/null
  is "$? $(cd vector && echo *) $(head -c 5 vector/u_psf.pdf)" \
    '0 u_bmode.pdf u_coherence.npy u_coherence.pdf u_gcnr.pdf u_psf.pdf %PDF-' 'all as PDF'
  # shellcheck disable=SC2086
  heddle ultrasound channels.npy $where --bmode b.gif >/dev/null 2>err
  is "$? $(grep -c '\.png, \.svg or \.pdf' err) $(ls b.gif 2>/dev/null)" '2 1 ' 'another ending is told which there are'
  # shellcheck disable=SC2086
  heddle ultrasound channels.npy $where -o pictures/u 2>err >/dev/null
  is "$? $(grep -c -- --force err)" '3 1' 'files that exist are not replaced'
  heddle ultrasound channels.npy --axis 0 --scan-convert --sector 0.011,0.0249,-30,30 --metric tenengrad --bmode sector.png >out
  is "$? $(awk '$1 == "tenengrad"' out | wc -l) $(tail -1 out)" '0 1 sector.png' 'a sector'
  heddle ultrasound pictures/u_coherence.npy --metric tenengrad,clip_ratio >out
  is "$? $(wc -l <out)" '0 3' 'the map is an image too'
else
  skip 'built without Cairo'
fi

refused() { # STATUS WORDS NAME ARGUMENT...
  want=$1 words=$2 name=$3
  shift 3
  heddle ultrasound "$@" >out 2>err
  is "$? $(grep -c -e "$words" err) $(wc -c <out)" "$want 1 0" "$name"
}
refused 2 'FILE is expected' 'no file'
refused 3 none.npy 'a file that is not there' none.npy
printf 'neither' >text
refused 3 'neither .npy nor HDF5' 'a file of something else' text
refused 2 "no 'brightness'; there are all, coherence_factor" 'no such metric' channels.npy --metric cnr,brightness
refused 3 '3 axes are left' 'an axis too many' channels.npy
refused 2 'has 3 axes' 'no such axis' channels.npy --axis 5
refused 2 'needs an image and two regions' 'one region' channels.npy --axis 0 --metric gcnr --roi a=rect:0,5,0,5
refused 2 'needs frames' 'no frames' channels.npy --axis 0 --metric tsnr
refused 2 'not NAME=WHERE' 'a region without a name' channels.npy --roi circle:1,2,3
refused 2 'expected circle' 'a region that is none' channels.npy --axis 0 --roi a=circle:1,2
refused 3 'no element lies in it' 'a region elsewhere' channels.npy --axis 0 --roi a=circle:2,900,3
refused 3 "140 x 96" 'a mask of another shape' channels.npy --axis 0 --roi a=channels.npy
refused 2 'two regions are called' 'one name twice' channels.npy --roi a=rect:0,1,0,1 --roi a=rect:0,1,0,1
refused 2 "'0,-1'\|not above 0" 'no spacing' channels.npy --spacing 0,-1
refused 2 'is not 4 numbers' 'half a sector' channels.npy --sector 1,2
refused 2 'does not say its sector' 'a sector that is not known' channels.npy --axis 0 --scan-convert
refused 2 '--frame 3: there are 1' 'no such frame' channels.npy --axis 0 --frame 3
done_testing
