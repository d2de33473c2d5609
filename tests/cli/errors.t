#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bad input: the documented exit status, one sentence on stderr, nothing on stdout, no file.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }

heddle simulate -o "$tmp/d" --shape 30 --voxel 20 --resolution 50 --copies 1 --snr 1 >/dev/null || exit 255
heddle simulate -o "$tmp/small" --shape 16 --voxel 20 --resolution 50 --copies 1 --snr 1 >/dev/null || exit 255
t=$tmp/d/tomogram.mrc
g=$tmp/d/template.mrc

# refused STATUS PATTERN NAME ARGUMENT...: the command fails so, with one line that matches.
refused() {
  want=$1
  pattern=$2
  name=$3
  shift 3
  heddle "$@" >"$tmp/out" 2>"$tmp/err"
  is $? "$want" "$name: status"
  grep -q -- "$pattern" "$tmp/err"
  code=$?
  ok $code "$name: the sentence says '$pattern'"
  [ $code -eq 0 ] || diag "$(cat "$tmp/err")"
  [ "$want" -eq 2 ] || is "$(wc -l <"$tmp/err" | tr -d ' ')" 1 "$name: one line"
  is "$(wc -c <"$tmp/out" | tr -d ' ')" 0 "$name: nothing on stdout"
}
m() { refused "$1" "$2" "$3" match "$4" "$5" -o "$tmp/out_m" --angular-step 90 --workers reference $6; }

# A map with its whole volume set by a byte pattern, kept header.
constant() { # FROM TO BYTES
  head -c 1024 "$1" >"$2"
  tail -c +1025 "$1" | tr '\000-\377' "$3" >>"$2"
}
constant "$g" "$tmp/zero.mrc" '\000'
constant "$g" "$tmp/nan.mrc" '\377'
head -c 2000 "$t" >"$tmp/short.mrc"
printf 'HEADER    NOTHING\nEND\n' >"$tmp/none.pdb"
printf 'data_x\nloop_\n_atom_site.id\n' >"$tmp/none.cif"
printf 'no table\n' >"$tmp/bad.tsv"
printf 'z\ty\tx\n9\t8\t8\n' >"$tmp/places.tsv"
printf 'z\ty\tx\tphi\ttheta\tpsi\tscore\n900\t8\t8\t0\t0\t0\t1\n' >"$tmp/beyond.tsv"

m 3 'missing.mrc' 'no such file' "$tmp/missing.mrc" "$g"
m 3 'short' 'truncated map' "$tmp/short.mrc" "$g"
m 3 'stamp' 'corrupt machine stamp' "$tmp/stamp.mrc" "$g"
m 3 'NaN\|finite' 'NaN in the template' "$t" "$tmp/nan.mrc"
m 3 'larger than the target' 'template larger than target' "$tmp/small/template.mrc" "$t"
m 3 'mask is empty' 'empty mask' "$t" "$g" "--mask $tmp/zero.mrc"
m 3 'no variance' 'template without variance' "$t" "$tmp/zero.mrc"
m 3 "the mask '.*tomogram.mrc' has [0-9]* x [0-9]* x [0-9]* voxels, '.*template.mrc' [0-9]* x " 'mask of another shape' "$t" "$g" \
  "--mask $t"
m 3 "the mask '.*template.mrc' has .* voxels, '.*tomogram.mrc' " 'target mask of another shape' "$t" "$g" "--target-mask $g"
m 3 'sub-volumes needs single tilts' 'sub-volumes without tilts' "$t" "$g" '--sub-volumes 1,1,2'
m 3 "places.tsv' has no phi, theta, psi" 'a cone about seeds without axes' "$t" "$g" "--seeds $tmp/places.tsv --cone 20"
refused 2 'not three whole numbers' 'half a sub-volume' match "$t" "$g" -o "$tmp/out_m" --sub-volumes 1,1.5,1
refused 2 'not with --sub-volumes' 'sub-volumes from coarse to fine' match "$t" "$g" -o "$tmp/out_m" --sub-volumes 1,1,2 \
  --strategy coarse
refused 3 "beyond.tsv' row 1: z is voxel 900" 'a row outside the target' refine "$t" "$g" "$tmp/beyond.tsv" -o "$tmp/refined.tsv" -q
refused 3 'local-defocus needs single tilts' 'local defocus without tilts' refine "$t" "$g" "$tmp/places.tsv" -o "$tmp/r.tsv" -q \
  --local-defocus
m 3 'atom' 'a PDB file without atoms' "$t" "$tmp/none.pdb"
m 3 'atom' 'an mmCIF file without atoms' "$t" "$tmp/none.cif"
m 3 'bad.tsv' 'a truth that is no table' "$t" "$g" "--truth $tmp/bad.tsv"
m 3 'is a directory\|regular file' 'a folder as target' "$tmp" "$g"
refused 4 "nonesuch" 'unknown backend' match "$t" "$g" -o "$tmp/out_m" --workers reference,nonesuch
refused 2 'COUNT' 'malformed workers' match "$t" "$g" -o "$tmp/out_m" --workers 'reference*x'
  --workers 'reference,reference;memory=20K'
refused 3 "cannot write '.*tomogram.mrc/x_scores.mrc'" 'no folder for the results' match "$t" "$g" -o "$t/x"
refused 2 "no 'XYZ'; there are FLCSphericalMask, FLC" 'a score that is not measured' bench match --score XYZ
refused 2 'unknown score' 'unknown score' match "$t" "$g" -o "$tmp/out_m" --score XYZ
refused 2 'missing' 'no output' match "$t" "$g"
refused 2 'TARGET and TEMPLATE' 'no template' match "$t" -o "$tmp/out_m"
refused 2 'not a number' 'no number' match "$t" "$g" -o "$tmp/out_m" --angular-step ten
refused 2 'unknown command' 'unknown command' frobnicate
refused 2 "no option '--frobnicate'" 'unknown option' info --frobnicate
refused 3 'none.pdb' 'simulate with a model without atoms' simulate -o "$tmp/out_m" --model "$tmp/none.pdb"
refused 3 'found a place' 'too many particles' simulate -o "$tmp/out_m" --shape 40 --copies 500
refused 2 'there is no setting' 'unknown setting' config set colour red
XDG_CONFIG_HOME=$tmp/xdg
export XDG_CONFIG_HOME
refused 2 "unknown option 'thread'; did you mean 'threads'" 'an option of a spec' config set backend 'cpu;thread=2'
refused 2 "'backend': .*1 device" 'a device that a backend of the host never has' config set backend reference:9
refused 2 'did you mean' 'a backend that is misspelt' config set backend refernce
refused 2 "no backend is called 'nosuch'; there are" 'a backend to disable' config set disable 'cuda,nosuch'
refused 2 'an absolute path, auto or none' 'a relative cache' config set cache_dir here
refused 2 '0 to 1023' 'a device beyond all' config set device 5000
refused 2 "'-3'.*0 to" 'a negative number' config set pool -3
refused 2 "did you mean 'measure'" 'a misspelt word' config set fft meassure
refused 2 "did you mean 'num_threads'" 'a misspelt setting' config set num_thread 2
refused 2 "did you mean 'maximum'" 'a misspelt value' peaks --caller maxmum "$tmp/d"
HEDDLE_PLUGIN_PATH=modules refused 2 'a relative entry of HEDDLE_PLUGIN_PATH is ignored' 'a relative path of modules' \
  config set backend nosuch
refused 2 "did you mean 'bench'" 'a misspelt command' bnch
refused 2 'Commands:' 'no command'
refused 2 "'5000' is no value for the setting 'fft_plans'" 'a value beyond the range' config set fft_plans 5000
refused 2 "'loud' is no value for the setting 'log'" 'a word that is none of a setting' config set log loud
refused 2 'by the environment only' 'a setting that files may not have' config set profile "$tmp/profile.json"
is "$(find "$tmp/xdg" -type f 2>/dev/null)" '' 'none wrote a file'
is "$(ls "$tmp/profile.json" 2>/dev/null)" '' 'nor was a profile taken'
for pair in pool=x log=loud fft=meassure check=maybe device=-3 backend=nosuch backend=cpu:x disable=nosuch cache_dir=here; do
  heddle config set "${pair%%=*}" "${pair#*=}" 2>"$tmp/err"
  is "$(grep -o "'${pair#*=}'" "$tmp/err" | wc -l)" 1 "$pair: the value is said once"
done
if [ "$HEDDLE_TEST_CAIRO" = yes ]; then
  (trap '' XFSZ; ulimit -f 40; heddle match "$tmp/small/tomogram.mrc" "$tmp/small/template.mrc" -o "$tmp/out_m" --angular-step 90 \
    --workers reference >/dev/null 2>"$tmp/err")
  is "$? $(sed "s|'.*||" "$tmp/err")" '3 heddle match: cannot write ' "no room for a picture: the command's name is said once"
else
  skip 'built without Cairo'
fi
mkdir -p "$tmp/xdg/heddle"
echo 'fft_plans = 5000' >"$tmp/xdg/heddle/config"
refused 3 "config line 1.*'5000'" 'bench with a file that cannot be honoured' bench reduce --list
refused 3 "config line 1.*'5000'" 'match with such a file' match "$t" "$g" -o "$tmp/out_m"
is "$(heddle config set fft_plans 7)" "$tmp/xdg/heddle/config" 'which config set repairs'
is "$(cat "$tmp/xdg/heddle/config")" 'fft_plans = 7' 'line by line'
rm -r "$tmp/xdg"
is "$(ls -d "$tmp"/out_m* 2>/dev/null)" '' 'no file and no folder was left by any of them'

heddle >/dev/null 2>"$tmp/err"
is $? 2 'no command'
for c in '' info match simulate convert ultrasound bench config; do
  heddle $c --help >"$tmp/out" 2>"$tmp/err"
  is $? 0 "heddle $c --help"
  [ -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
  ok $? 'on stdout'
done
heddle --version | grep -q '^heddle [0-9]'
ok $? '--version'
heddle info >/dev/full 2>"$tmp/err"
is $? 3 'a full disk under stdout is not success'
done_testing
