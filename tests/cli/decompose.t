#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle decompose: every kind on a planted tensor, what it writes and says, what is refused, and that nothing is left of it.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
[ "$HEDDLE_TEST_LIBZIP" = no ] && skip_all 'built without libzip'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1

# x[i, j, k] = (i + 1) (j + 1) (k + 1) + (-1)^(i + j + k), 5 x 4 x 3 doubles in little-endian .npy: rank 2.
tensor() {
  awk -v gap="$1" 'BEGIN {
    head = sprintf("{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (5, 4, 3), }")
    gsub(/"/, "\047", head)
    printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n", head
    for (i = 0; i < 5; i++) for (j = 0; j < 4; j++) for (k = 0; k < 3; k++) {
      v = (i + 1) * (j + 1) * (k + 1) + ((i + j + k) % 2 ? -1 : 1)
      if (gap && i + j + k == 0) { printf "\\000\\000\\000\\000\\000\\000\\370\\177"; continue }
      if (v == 0) { printf "\\000\\000\\000\\000\\000\\000\\000\\000"; continue }
      e = 0; m = v < 0 ? -v : v
      while (m >= 2) { m /= 2; e++ }
      bits = (m - 1) * 1048576 + (e + 1023) * 1048576 + (v < 0 ? 2147483648 : 0)
      printf "\\000\\000\\000\\000"
      for (b = 0; b < 4; b++) { printf "\\%03o", bits % 256; bits = int(bits / 256) }
    }
  }'
}
# The format is made of octal escapes by awk.
# shellcheck disable=SC2059
printf "$(tensor)" >x.npy
# shellcheck disable=SC2059
printf "$(tensor gap)" >gap.npy

heddle decompose x.npy --cp 2 --seed 1 -o cp >said 2>err
is "$? $(head -1 said | cut -c 1-5) $(ls cp.npz)" '0 cp 2: cp.npz' 'a sum of two products'
error=$(sed -n 's/.*relative error \([^ ]*\).*/\1/p' said)
ok "$(awk -v e="$error" 'BEGIN { print !(e < 1e-4) }')" "its error is small: $error"
is "$(wc -c <err)" 0 'nothing on stderr where that is no terminal'
if [ "$HEDDLE_TEST_CAIRO" = yes ]; then
  is "$(head -c 4 cp.png | tail -c 3)" PNG 'and a picture'
  (trap '' XFSZ; ulimit -f 4; heddle decompose x.npy --cp 2 -o room >/dev/null 2>err)
  is "$? $(sed "s|'.*||" err) $(ls room*)" '3 heddle decompose: cannot write  ' "no room for it: the command's name is said once"
else
  skip 'built without Cairo'
  skip 'built without Cairo'
fi
heddle decompose x.npy --cp 2 -o cp >/dev/null 2>err
is "$? $(grep -c -- --force err)" '3 1' 'a file that exists is not replaced'
heddle decompose x.npy --cp 2 --nonneg --restarts 2 --sweeps 5 >said
is "$? $(grep -c 'after 5 sweeps' said)" '0 1' 'without negative entries, and without files'
for init in svd random normal; do
  heddle decompose x.npy --cp 2 --init $init --seed 3 --sweeps 3 --json -o $init >said
  is "$? $(grep -c '"stopped": "sweeps"' said)" '0 1' "--init $init"
done
same() { cmp -s "$1.npz" "$2.npz" && echo same; }
is "$(same svd random)$(same svd normal)$(same random normal)" '' 'each begins elsewhere'
for kind in tucker parafac2; do
  heddle decompose x.npy --$kind 2 --init svd --sweeps 1 -o ${kind}_svd >said
  heddle decompose x.npy --$kind 2 --init random --seed 3 --sweeps 1 -o ${kind}_random >said
  is "$? $(ls ${kind}_random.npz) $(same ${kind}_svd ${kind}_random)" "0 ${kind}_random.npz " "--init random of $kind"
done
heddle decompose x.npy --tucker 2 --json -o tucker >said
is "$? $(grep -c '"kind": "tucker"' said) $(grep -c '"schema": "heddle.decompose/1"' said)" '0 1 1' 'Tucker, as JSON'
heddle decompose x.npy --tt 1e-10 >said
is "$? $(head -1 said | cut -d : -f 1)" '0 tt 2,2' 'a train, whose ranks are found'
heddle decompose x.npy --tt 1,2 >said
is "$? $(head -1 said | cut -d : -f 1)" '0 tt 1,2' 'or given'
heddle decompose x.npy --parafac2 2 >said
is "$? $(head -1 said | cut -d : -f 1)" '0 parafac2 2' 'PARAFAC2 along the first axis'
heddle decompose x.npy --robust -o parts >said
is "$? $(ls parts.npz)" '0 parts.npz' 'a low-rank part and outliers'
heddle decompose x.npy --rank-scan 1:3 -o scan >said
is "$? $(grep -c '^stop at rank 2' said) $(grep -c '%$' said)" '0 1 4' 'a scan of ranks stops at the planted one'

heddle decompose gap.npy --cp 2 >/dev/null 2>err
is "$? $(grep -c 'not finite at (0, 0, 0); with --missing-nan' err)" '3 1' 'NaN where none may be'
heddle decompose gap.npy --cp 2 --missing-nan >said
is "$?" 0 'unless it says what is not known'
heddle decompose x.npy --cp 2 --mask x.npy >said 2>err
is "$?" 0 'or a mask does'
heddle decompose x.npy --cp 2 --mask gap.npy >said 2>err
is "$? $(grep -c 'numbers are NaN' err)" '3 1' 'which is numbers itself'
for bad in '--cp 0' '--cp 2,2' '--tucker 2,x' '' '--cp 2 --tt 2' '--rank-scan 3' '--tt 0.1 --nonneg' '--tt 2 --sweeps 3' \
    '--tt 2 --tol 0.1' '--tt 2 --keep-partial' '--tt 2 --init svd' '--robust --init svd' '--tucker 2 --nonneg --init svd' \
    '--cp 2 --init best' '--tucker 2 --init normal' \
    '--tucker 2 --restarts 2' '--robust --restarts 2' '--cp 2 --name x'; do
  # shellcheck disable=SC2086
  heddle decompose x.npy $bad -o bad >/dev/null 2>err
  is "$? $(ls bad.* 2>/dev/null)" '2 ' "refused: '$bad'"
done
heddle decompose cp.npz --cp 2 --name nothing >/dev/null 2>err
is "$? $(grep -c nothing err)" '3 1' 'an array that the archive does not have'
heddle decompose cp.npz --cp 2 --name factor0 >said
is "$? $(head -1 said | cut -c 1-4)" '0 cp 2' 'one that it has'
heddle decompose cp.npz --parafac2 1 --name format >/dev/null 2>err
is "$?" 3 'a word is no tensor'
heddle decompose x.npy --tucker 2,2 -o bad >/dev/null 2>err
is "$? $(ls bad.* 2>/dev/null)" '3 ' 'too few ranks'
# 5 doubles, one axis
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }" >line.npy
head -c 40 /dev/zero >>line.npy
for kind in '--cp 2' '--tucker 2' '--tt 2' '--robust' '--parafac2 1' '--rank-scan 1:2'; do
  # shellcheck disable=SC2086
  heddle decompose line.npy $kind -o bad >/dev/null 2>err
  is "$? $(grep -c 'has 1 axis;' err) $(ls bad.* 2>/dev/null)" '3 1 ' "one axis: '$kind'"
done
# a list of entries: what is not listed is 0
awk 'BEGIN { for (i = 1; i <= 4; i++) for (j = 1; j <= 3; j++) if (i != j) print i, j, 1, i * j; print "# end" }' >list.tns
heddle decompose list.tns --cp 3 --seed 1 --sweeps 50 -o list >said
is "$? $(head -1 said | cut -c 1-5) $(ls list.npz)" '0 cp 3: list.npz' 'CP of a list of entries'
heddle decompose list.tns --cp 2 --nonneg --json >said
is "$? $(tr -d ' \n' <said | grep -c '"shape":\[4,3,1\]')" '0 1' 'without negative entries, and its shape'
heddle decompose list.tns --tucker 2,2,1 >said
is "$? $(head -1 said | cut -d : -f 1)" '0 tucker 2,2,1' 'a core of one'
for bad in '--tt 2' '--robust' '--rank-scan 1:2' '--cp 2 --missing-nan' '--tucker 2 --nonneg' '--cp 2 --init svd'; do
  # shellcheck disable=SC2086
  heddle decompose list.tns $bad -o bad >/dev/null 2>err
  is "$? $(ls bad.* 2>/dev/null) $(grep -c '\.tns' err)" '2  1' "refused of a list: '$bad'"
done
echo '1 2 x' >wrong.tns
heddle decompose wrong.tns --cp 1 >/dev/null 2>err
is "$? $(grep -c "wrong.tns', line 1" err)" '3 1' 'a line that is no entry'
echo text >text.npy
heddle decompose x.npy --cp 2 -o text.npy/bad >/dev/null 2>err
is "$? $(grep -c text.npy/bad err)" '3 1' 'a place where nothing can be written'

# Interrupted: runs that would take hours, of which nothing is left, or with --keep-partial what is complete.
pids=
long() {
  name=$1
  shift
  "$HEDDLE_TOOL" decompose x.npy "$@" -o "$name" >"$name.said" 2>"$name.err" &
  pids="$pids $!"
}
long stopped --cp 2 --restarts 1000000
long kept --cp 2 --restarts 1000000 --keep-partial --json
long scanned --rank-scan 1:1000 --keep-partial
sleep 2
# shellcheck disable=SC2086
kill -TERM $pids
codes=
for p in $pids; do
  wait "$p"
  codes="$codes $?"
done
is "$codes" ' 130 130 130' 'interrupted: status 130'
is "$(ls stopped.npz 2>/dev/null) $(grep -c 'nothing was written' stopped.err)" ' 1' 'nothing is left'
is "$(ls kept.npz) $(grep -c '"stopped": "cancelled"' kept.said) $(grep -c 'complete is the result' kept.err)" 'kept.npz 1 1' \
  'with --keep-partial the sweeps that were complete'
is "$(ls scanned.npz) $(sed -n 2p scanned.said | cut -c 1-4) $(grep -c '^stop at' scanned.said)" 'scanned.npz    1 1' \
  'or the ranks'
heddle decompose text.npy --cp 2 -o bad >/dev/null 2>err
is "$? $(grep -c text.npy err) $(ls bad.* 2>/dev/null)" '3 1 ' 'no array'
# What speaks for two components: a planted tensor has no errors, and halves that agree.
heddle decompose x.npy --cp 2 --seed 1 --tol 1e-14 --sweeps 2000 --diagnose --split-half 0 --jackknife 0 >said
is $? 0 'checks'
is "$(awk '/^halves/ { print ($(NF) > 0.999 && $(NF - 1) > 0.999) }' said)" 1 'halves have the same components'
is "$(awk '/standard errors/ && $(NF) < 1e-3 && $(NF - 1) < 1e-3' said | wc -l)" 2 'no slice makes a difference to two axes'
is "$(grep -c 'largest leverage' said)" 3 'leverages of three'
heddle decompose x.npy --cp 2 --seed 1 --diagnose --jackknife 1 --json >out.json
is "$? $(grep -c '"unique"' out.json) $(grep -c '"jackknife"' out.json) $(grep -c '"congruence"' out.json)" '0 2 1 1' \
  'all of it as JSON'
heddle decompose x.npy --cp 2 --loss poisson >said
is "$? $(cut -c 1-15 said)" '0 cp 2: mean loss' 'another loss'
heddle decompose x.npy --cp 2 --loss bernoulli_logit >said 2>err
is "$? $(grep -c 'x is .* loss bernoulli_logit is for 0 <= x <= 1' err)" '3 1' 'values that it is not for'
heddle decompose x.npy --cp 2 --loss huber:-1 >said 2>err
is "$? $(grep -c 'parameter -1' err)" '3 1' 'a parameter below 0'
heddle decompose x.npy --tucker 2 --split-half 0 >said 2>err
is "$? $(grep -c -- '--split-half and --jackknife go with --cp' err)" '2 1' 'checks by decomposing again are for --cp'
heddle decompose x.npy --cp 2 --loss poisson --split-half 0 >said 2>err
is "$? $(grep -c -- 'without --loss' err)" '2 1' 'and some for squares'
# Constraints by mode: what is written meets them.
heddle decompose x.npy --cp 2 --constraint=0:nonnegative,2:simplex --seed 1 --sweeps 20 --json -o bound >said
is "$? $(tr -d ' \n' <said | grep -c '"constraints":\["nonnegative","none","simplex"\]')" '0 1' 'factors of two modes are bound'
python=$(command -v python3 || true)
if [ -n "$python" ]; then
  # doubles of two columns at the end of a member
  is "$("$python" -c 'import struct, sys, zipfile
z = zipfile.ZipFile("bound.npz")
def doubles(name, n): return struct.unpack("<%dd" % n, z.read(name + ".npy")[-8 * n:])
a, c = doubles("factor0", 10), doubles("factor2", 6)
print(min(a + c) >= 0, "%.9f %.9f" % (sum(c[0::2]), sum(c[1::2])))')" 'True 1.000000000 1.000000000' \
    'and meet it: nothing is below 0, columns have sum 1'
else
  skip 'no python3 to read an archive'
fi
heddle decompose x.npy --cp 2 --constraint=1:unimodal --constraint=0:box:0:1,2:l1:0.1 --nonneg >said
is "$?" 0 'several, some with numbers'
heddle decompose x.npy --rank-scan 1:2 --constraint=0:nonnegative >said
is "$?" 0 'in a scan'
heddle decompose x.npy --cp 2 --constraint=3:simplex -o bad >said 2>err
is "$? $(grep -c "mode 3 of 'x.npy', a tensor of order 3: its modes are 0 to 2" err) $(ls bad.* 2>/dev/null)" '3 1 ' \
  'a mode that there is not'
refused() { # OPTIONS PART
  # shellcheck disable=SC2086
  heddle decompose $1 -o bad >said 2>err
  is "$? $(grep -c -- "$2" err) $(ls bad.* 2>/dev/null)" '2 1 ' "refused: $1"
}
refused 'x.npy --cp 2 --constraint=simplex' "'simplex' is not MODE:KIND"
refused 'x.npy --cp 2 --constraint=0:simplx' "did you mean 'simplex'"
refused 'x.npy --cp 2 --constraint=0:nonnegative,0:simplex' 'mode 0 is named twice'
refused 'x.npy --cp 2 --constraint=0:l1' 'mode 0: l1 takes a number, not 0'
refused 'x.npy --cp 2 --constraint=1:box:0' 'mode 1: box takes two numbers, not 1'
refused 'x.npy --cp 2 --constraint=1:unimodal:3' 'mode 1: unimodal takes no number, not 1'
refused 'x.npy --cp 2 --constraint=1:simplex:x' "'x' is not a number"
refused 'x.npy --tucker 2 --constraint=0:simplex' '--cp and --rank-scan'
refused 'x.npy --cp 2 --loss poisson --constraint=0:simplex' 'without --loss'
refused 'list.tns --cp 2 --constraint=0:simplex' 'not of a .tns file'
refused 'x.npy --cp 2 --constraint=0:simplex --split-half 0' 'without --constraint'

# Two results: components are found again whatever their order; of other models columns are.
heddle decompose x.npy --cp 2 --seed 1 --tol 1e-14 --sweeps 2000 -o one >said
heddle decompose x.npy --cp 2 --init normal --seed 7 --tol 1e-14 --sweeps 2000 -o two >said
heddle decompose one.npz --compare two.npz >said
is "$? $(head -1 said | tr -s ' ') $(awk 'NR > 1 { print NF, ($3 > 0.999), $2 }' said | sort -k 3 | tr '\n' ' ')" \
  '0 component most like congruence by mode 6 1 1 6 1 2 ' 'the same two components, by two starts'
heddle decompose one.npz --compare cp.npz --json >said
is "$? $(tr -d ' \n' <said | grep -cE '"kind":"compare","other":"cp.npz","congruence":\[\[[^]]*\],\[[^]]*\]\],"modes":\[\[\[')" '0 1' \
  'all numbers as JSON'
heddle decompose one.npz --compare tucker.npz >said
is "$? $(grep -c '^mode' said) $(grep -c '^column' said) $(wc -l <said | tr -d ' ')" '0 3 3 12' 'with a core: mode by mode'
heddle decompose one.npz --compare train.npz >said 2>err
is "$?" 3 'a file that is not there'
heddle decompose x.npy --tt 1,2 -o train >/dev/null
heddle decompose one.npz --compare train.npz >said 2>err
is "$? $(grep -c "'train.npz' holds no decomposition" err) $(wc -c <said | tr -d ' ')" '3 1 0' 'a train of cores'
heddle decompose one.npz --compare list.npz >said 2>err
is "$? $(grep -c "mode 0 of 'one.npz' has 5 slices, of 'list.npz' 4" err)" '3 1' 'tensors of other shapes'
refused 'one.npz --compare two.npz' '--json alone'
refused 'one.npz --compare two.npz --cp 2' '--rank-scan and --compare is expected'
for bad in '--nonneg' '--mask x.npy' '--sweeps 3' '--init svd' '--constraint=0:simplex' '--diagnose'; do
  # shellcheck disable=SC2086
  heddle decompose one.npz --compare two.npz $bad >said 2>err
  is "$? $(wc -c <said | tr -d ' ')" '2 0' "refused: --compare with $bad"
done

done_testing
