#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How the tool behaves: help and suggestions, full disks, signals that were ignored, outputs that are inputs, folders that are
# made, worker lists, settings that several write at once.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1

heddle help >help.txt
is $? 0 'heddle help'
heddle --help | cmp -s - help.txt
ok $? 'says what --help says'
heddle -h | cmp -s - help.txt
ok $? 'as -h does'
heddle match --help >match.txt
heddle help match | cmp -s - match.txt
ok $? 'heddle help match says what match --help says'
heddle match -h | cmp -s - match.txt
ok $? 'as match -h does'
heddle mtach 2>err
is "$? $(grep -c "did you mean 'match'" err)" '2 1' 'a misspelt command'
heddle match --angluar-step=3 a b -o c 2>err
is "$? $(grep -c "did you mean '--angular-step'" err)" '2 1' 'a misspelt option'
heddle nothinglikeit 2>err
is "$? $(grep -c 'did you mean' err)" '2 0' 'nothing is suggested where nothing is near'

if [ -w /dev/full ]; then
  for command in --help 'match --help' --version 'info --json' 'config --json' config; do
    # shellcheck disable=SC2086
    heddle $command >/dev/full 2>err
    is "$? $(wc -l <err | tr -d ' ')" '3 1' "$command into a full device: status 3, one line"
  done
else
  skip 'no /dev/full'
fi

heddle simulate -o data --shape 24 --voxel 16 --resolution 40 --copies 1 --snr 1 >/dev/null
is $? 0 'something to match'
t=data/tomogram.mrc
g=data/template.mrc
heddle match $t $g -o data/ 2>err
is "$? $(grep -c 'names a folder' err)" '2 1' 'a folder as prefix'
heddle match $t $g --angular-step 180 --workers reference -o new/folder/x >/dev/null 2>&1
is "$(ls new/folder/x_scores.mrc)" new/folder/x_scores.mrc 'a folder that is not there is made'
heddle match $t absent.mrc --workers reference -o other/folder/x >/dev/null 2>&1
is "$? $(ls -d other 2>/dev/null)" '3 ' 'and removed where nothing comes into it'
ln -s "$tmp/$t" over_scores.mrc
cp $t before
heddle match $t $g --force --workers reference -o over >/dev/null 2>err
is "$? $(grep -c 'which is read' err)" '3 1' 'an output that is an input, by another name'
cmp -s $t before
ok $? 'which stays as it was'
for workers in 'cpu*' 'reference*2000' 'reference,,cpu' 'cpu*0' '*2'; do
  heddle match $t $g -o w --workers "$workers" >/dev/null 2>err
  is "$? $(grep -c -e "--workers '" err)" '2 1' "--workers '$workers' is wrong use"
done
heddle match $t $g -o w --workers nonesuch >/dev/null 2>&1
is $? 4 'a backend that is not there is no wrong use'

# A signal that was ignored at the start stays ignored, as nohup wants it; others end the run.
for how in ignored caught; do
  (
    [ $how = caught ] || trap '' HUP
    exec "$HEDDLE_TOOL" match $t $g --angular-step 6 --workers reference -o hup_$how >/dev/null 2>&1
  ) &
  pid=$!
  sleep 1
  kill -HUP $pid 2>/dev/null
  sleep 1
  if [ $how = ignored ]; then
    kill -0 $pid 2>/dev/null
    ok $? 'ignored at the start: it goes on'
    kill -TERM $pid
  fi
  wait $pid
  is $? 130 "$how: interrupted in the end"
done

XDG_CONFIG_HOME=$tmp/xdg
export XDG_CONFIG_HOME
mkdir -p xdg/heddle elsewhere
heddle config set backend nonsense 2>err
is "$? $(grep -c nonsense err)" '2 1' 'a backend that is not known is refused'
[ ! -e xdg/heddle/config ]
ok $? 'and nothing is written'
printf '# mine\n' >elsewhere/real
chmod 640 elsewhere/real
ln -s "$tmp/elsewhere/real" xdg/heddle/config
heddle config set fft_plans 9 >/dev/null
is "$(tr '\n' '|' <elsewhere/real)" '# mine|fft_plans = 9|' 'a link is followed'
[ -L xdg/heddle/config ]
ok $? 'and stays one'
is "$(stat -c %a elsewhere/real)" 640 'the mode stays'
is "$(heddle config get fft_plans)" 9 'config get'
heddle config get colour 2>err
is "$? $(grep -c 'there is no setting' err)" '2 1' 'config get of what there is not'
for i in 1 2 3 4 5 6 7 8; do
  heddle config set log warn >/dev/null &
  heddle config set num_threads $i >/dev/null &
  heddle config set fft_plans $i >/dev/null &
done
wait
is "$(grep -c . elsewhere/real) $(grep -c '^# mine' elsewhere/real) $(cut -d ' ' -f 1 elsewhere/real | sort -u | grep -c .)" '4 1 4' \
  'of writers at once none loses what another has set'
done_testing
