#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of examples/ run and say what they should.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
ex=$builddir/examples

"$ex/01_contexts" >"$tmp/out" 2>&1
ok $? '01_contexts'
[ -s "$tmp/out" ] && diag "$(cat "$tmp/out")"
is "$(grep -c '^two frames  *reference  *depth 2$' "$tmp/out")" 1 'two frames'
is "$(grep -c '^out of order: .' "$tmp/out")" 1 'popping the outer frame first is refused with a sentence'
is "$(grep -c '^norm 5 of float64$' "$tmp/out")" 1 'the norm, in what REAL means'
is "$(grep -c '^unwound  *reference  *depth 0$' "$tmp/out")" 1 'unwound'
is "$(grep -c '^one too many: .' "$tmp/out")" 1 'a pop on an empty stack is refused with a sentence'

one=$("$ex/02_workers" reference 2>&1 | sed 's/.*maxima //')
diag "$one"
printf '%s\n' "$one" | grep -q '^15\.[0-9]*$'
ok $? '02_workers: the sum of 16 maxima of 1000 uniform numbers is below 16 and above 15'
is "$("$ex/02_workers" reference reference ';threads=1' 2>&1 | sed 's/.*maxima //')" "$one" \
  'three workers draw the same numbers as one'
if "$ex/03_backends" cpu >/dev/null 2>&1; then
  is "$("$ex/02_workers" reference cpu cpu 2>&1 | sed 's/.*maxima //')" "$one" \
    'workers on the cpu backend draw the same numbers, bit for bit'
else
  skip 'no cpu backend here'
fi
"$ex/03_backends" >"$tmp/out" 2>&1
ok $? '03_backends'
is "$(grep -c '^reference  *usable, ' "$tmp/out")" 1 'the reference backend is usable'
"$ex/03_backends" no-such-backend >"$tmp/out" 2>&1
is $? 1 'an unknown backend is not'
grep -q 'no-such-backend' "$tmp/out"
ok $? 'and is named'
"$ex/05_fusion" >"$tmp/out" 2>&1
ok $? '05_fusion: the same sum in one pass'
if [ -x "$ex/06_line" ]; then
  is "$("$ex/06_line" 2>&1)" 'y = 3.00 t + 2.00, rank 2, 13 points are far' '06_line: a line through noisy points, in C++'
else
  skip 'no C++17 compiler'
fi
"$ex/04_match" >"$tmp/out" 2>&1
ok $? '04_match finds its particles'
[ "$(grep -c '^worker . on reference did' "$tmp/out")" -eq 2 ]
ok $? 'with two workers'
(cd "$tmp" && "$ex/07_ultrasound" bmode.pgm channels.npy) >"$tmp/out" 2>&1
ok $? '07_ultrasound'
is "$(awk '$1 == "contrast" { print ($2 < -10 && $2 > -16) }
  $1 == "gcnr" { print ($2 > 0.6 && $2 < 0.9) }' "$tmp/out" |
    tr '\n' ' ')" '1 1 ' \
  'the cyst is darker than what surrounds it'
is "$(head -c 14 "$tmp/bmode.pgm") $(($(wc -c <"$tmp/bmode.pgm")))" 'P5 96 140 255 13454' 'and there is a picture'
"$ex/08_tensor" >"$tmp/out" 2>&1
ok $? '08_tensor decomposes a tensor with gaps'
diag "$(cat "$tmp/out")"
is "$(grep -c 'ligand.*wild type mutant 1$\|ligand.*mutant 2 mutant 3$\|ligand.*fusion 1 fusion 2$' "$tmp/out")" 3 \
  'profiles name the ligands that belong together'
grep -q ' 0\.0[0-9]* of what was not$' "$tmp/out"
ok $? 'and gaps are filled in'
"$ex/09_language" >"$tmp/out" 2>&1
ok $? '09_language'
is "$(tail -n 1 "$tmp/out")" '15 of 15 right' 'languages by their trigrams'
"$ex/10_gradients" >"$tmp/out" 2>&1
ok $? '10_gradients'
is "$(tail -n 1 "$tmp/out" | awk '{ gsub(/,/, ""); print ($3 < 0.1) ($6 > 0.9) ($9 > 0.9) ($12 < 0.1) }')" 1111 \
  'a network learns the exclusive or'
"$ex/16_training" reference >"$tmp/out" 2>&1
ok $? '16_training'
is "$(tail -n 1 "$tmp/out" | awk '{ print ($1 == "best:") ($NF > 0 && $NF < 0.001) }')" 11 'a network learns the next value of a wave'
for spec in reference cpu; do
  "$ex/11_program" $spec >"$tmp/out" 2>&1
  ok $? "11_program on $spec"
  is "$(grep -c 'kernel of' "$tmp/out") $(tail -n 1 "$tmp/out" | awk '{ print ($7 > 0 && $7 < 1e-4) }')" '10 1' \
    'a step by kernels alone, and energies stay'
done
# Kits by gradient, on more than one backend.
for spec in reference cpu; do
  "$ex/12_cp_gradient" $spec >"$tmp/out" 2>&1
  ok $? "12_cp_gradient on $spec"
  is "$(awk '{ gsub(/,/, "") }
    /formula/ { print ($5 < 1e-13) } /error/ { print ($2 > 0.5 && $6 < 1e-6) }' "$tmp/out" |
    tr '\n' ' ')" '1 1 ' \
    'recorded and by formula, the gradient is the same, and finds the factors'
  "$ex/13_delays" $spec >"$tmp/out" 2>&1
  ok $? "13_delays on $spec"
  is "$(awk '{ gsub(/,/, "") }
    /coherence/ { print ($2 < 0.5 && $5 > 0.99) } /right/ { print ($5 < 1) }' "$tmp/out" |
    tr '\n' ' ')" '1 1 ' \
    'channels become coherent by the delays that were there'
done
"$ex/14_pose" >"$tmp/out" 2>&1
ok $? '14_pose'
is "$(awk '{ gsub(/,/, "") } /score/ { print ($4 > $2 + 0.1) } /off/ { print ($3 < 0.5 && $6 < 0.05) }' "$tmp/out" |
    tr '\n' ' ')" '1 1 ' \
  'a pose better than the step of a search'
(cd "$tmp" && "$ex/15_series") >"$tmp/out" 2>&1
ok $? '15_series'
is "$(tail -n 1 "$tmp/out" | awk '{ print ($NF < 0.2) }')" 1 'rates are learnt from irregular times'
[ -s "$tmp/series.safetensors" ]
ok $? 'and the network is saved'
(HEDDLE_PLUGIN_PATH=$ex/backend/.libs && export HEDDLE_PLUGIN_PATH && "$builddir/tests/house/use_relay") >"$tmp/out" 2>&1
ok $? 'backend/relay.c: chains through two streams'
is "$(cat "$tmp/out")" 'relay: 4 threads that work later
first 700.5, second 400
flipped: 1200 to 201
sqrt by another: 1' 'with the right results'
done_testing
