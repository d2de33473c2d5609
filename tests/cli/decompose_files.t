#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle decompose: tensors from tables of text, scattered light out of fluorescence, values along axes, tables of what came out, and
# what is refused of them.
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
is "$(grep -c '^axis 1: 20 values, 300 to 528 nm, rising' said)" 1 'which are in nm'
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
is "$? $(grep -c "emission: 'em.txt' has 20 values; mode 1 of 'eem.csv' has 8 slices" err)" '3 1' 'wavelengths of another axis'
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
refused "line 1, column 1: '1 2' is no finite number; between fields are commas" '1 2\n3 4\n'
refused "line 2: 3 fields, not 2 as before" '1,2\n3,4,5\n'
refused "line 2: 1 field, not 2 as before" '1,2\n3\n'
refused "line 2: 1 field, not 2 as before; between fields are commas" '1,2\n3 4\n'
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

# Values along axes, and tables: sums of products of what they have are the tensor.
printf '3\n1\n2\n2\n5\n' >dose.txt
tac em.txt >down.txt
awk 'BEGIN {
  printf "sample\n"
  for (s = 0; s < 5; s++) for (m = 0; m < 20; m++) for (x = 0; x < 8; x++) {
    em = 300 + 12 * m; ex = 260 + 15 * x
    v = (1 + s) * exp(-((em - 380) / 40) ^ 2 - ((ex - 300) / 30) ^ 2)
    v += (1 + s * s % 3) * exp(-((em - 460) / 40) ^ 2 - ((ex - 350) / 30) ^ 2)
    printf "%.17g%s", v, m * 8 + x < 159 ? "," : "\n"
  }
}' >clean.csv
clean='clean.csv --shape 5,20,8'
run() { # OPTIONS; of the clean tensor
  # shellcheck disable=SC2086
  heddle decompose $clean --force $1 >said 2>err
}
axes='--axis 0=dose.txt:mg/L --axis 1=down.txt:nm --axis 2=ex.txt'
run "--cp 2 --nonneg --sweeps 2000 --tol 1e-14 --diagnose $axes --csv -o t --json"
is "$? $(head -1 t_mode0.csv) $(head -1 t_mode1.csv | cut -d , -f 1) $(head -1 t_mode2.csv | cut -d , -f 1)" \
  '0 mode 0 (mg/L),component 1,component 2,leverage,residual mode 1 (nm) mode 2' 'tables have names'
is "$(cut -d , -f 1 t_mode0.csv | tail -n +2 | tr '\n' ' ')$(cut -d , -f 1 t_mode1.csv | sed -n '2p;21p' | tr '\n' ' ')" \
  '3 1 2 2 5 528 300 ' 'and the values in front'
is "$(tr -d ' \n' <said | grep -oE '"unit":"[^"]*","direction":"[a-z]*"' | tr '\n' ' ')" \
  '"unit":"mg/L","direction":"none" "unit":"nm","direction":"falling" "unit":"","direction":"rising" ' 'which rise, fall, or neither'
off() { # the largest difference of the tables' products to the tensor
  awk -F , 'FNR == 1 { file++; next } file < 4 { for (r = 2; r < 4; r++) f[file, FNR - 2, r] = $r; next }
    { for (i = 1; i <= 160; i++) {
        m = int((i - 1) / 8); x = (i - 1) % 8; v = 0
        for (r = 2; r < 4; r++) v += f[1, FNR - 2, r] * f[2, m, r] * f[3, x, r]
        d = v - $i; worst = d > worst ? d : -d > worst ? -d : worst } }
    END { print NR ? worst : 1 }' t_mode0.csv t_mode1.csv t_mode2.csv clean.csv
}
ok "$(awk -v o="$(off)" 'BEGIN { print !(o < 1e-4) }')" "sums of products of the tables are the tensor: $(off)"
for kind in tucker parafac2; do
  run "--$kind 1 --diagnose --csv -o t --json --sweeps 500 --tol 1e-13"
  is "$? $(head -1 t_mode2.csv)" '0 mode 2: index,component 1,leverage,residual' "$kind: leverage and residual"
  # the residuals of any mode add up to what the error says
  e=$(sed -n 's/.*"error": \([^,]*\),.*/\1/p' said)
  is "$(awk -F , -v e="$e" 'FNR == 1 { file++; next } file == 1 { left += $4; n += $3; next }
    { for (i = 1; i <= NF; i++) all += $i * $i }
    END { d = left - e * e * all; printf "%d %.6f", (d * d < 1e-10 * left * left && left > all / 100), n }' \
    t_mode2.csv clean.csv)" '1 1.000000' "$kind: residuals are what the error says, leverages add up to the rank"
done
is "$(head -2 t_mode1.csv | tail -1 | cut -d , -f 1,2) $(wc -l <t_mode1.csv | tr -d ' ')" '0,0 101' 'profiles of all slices'
run '--tucker 2,2,1 --csv -o t'
is "$(head -2 t_core.csv | tr '\n' ' ' | cut -d , -f 1-6) $(wc -l <t_core.csv | tr -d ' ')" \
  'mode 0,mode 1,mode 2,core 1,1,1 5' 'a core'
run '--rank-scan 2:3 --csv -o t'
is "$(sed 1d t_scan.csv | cut -d , -f 1 | tr '\n' ' ')" '2 3 ' 'ranks of a scan'
run '--rank-scan 1:3 --csv -o t'
is "$(head -1 t_scan.csv) $(awk -F , 'NR == 3 { print ($3 > 99.9) }' t_scan.csv)" 'rank,error,explained,core consistency 1' 'a scan'
run '--robust --diagnose -o t'
is "$? $(grep -c 'largest residual' said)" '0 3' 'residuals of a low-rank part'
run '--tt 1e-3 --diagnose'
is "$? $(grep -c 'largest residual' said) $(grep -c leverage said)" '0 3 0' 'of a train, which has no leverages'
if [ "$HEDDLE_TEST_CAIRO" = yes ]; then
  maps() { run "$1 --pictures svg -o $2"; grep -c '<image .*width="250"' "$2.svg"; }
  is "$(maps '--cp 2 --nonneg' plain) $(maps '--parafac2 2' other)" '2 0' 'two components have maps, of PARAFAC2 none has'
  maps '--cp 2 --nonneg --diagnose' other >more
  ok "$(awk -v a="$(grep -c '<path' plain.svg)" -v b="$(grep -c '<path' other.svg)" 'BEGIN { print !(b - a > 6 * (5 + 20 + 8)) }')" \
    'a stem and two dots for each slice'
  same() { run "--cp 2 --nonneg $1 --pictures svg -o other"; cmp -s plain.svg other.svg && echo same; }
  is "$(same '')$(same '--map 1,2')" samesame 'the last two modes are drawn'
  is "$(same '--map 0,2')$(same '--axis 1=em.txt')$(same '--axis 0=dose.txt')" '' \
    'other modes and values are another picture'
  peak() { # M X: the lines' mean place in a map whose one peak is there, on the sheet, and how many there are
    awk -v m="$1" -v x="$2" 'BEGIN { for (s = 1; s < 4; s++) for (i = 0; i < 20; i++) for (k = 0; k < 8; k++)
      printf "%.9g%s", s * exp(-((i - m) / 2) ^ 2 - (k - x) ^ 2), i * 8 + k < 159 ? "," : "\n" }' >peak.csv
    heddle decompose peak.csv --shape 3,20,8 --cp 1 --nonneg --pictures svg --force -o peak $3 >said
    sed -n 's/.*stroke-width[:=]"\{0,1\}0\.7[";].* d="M \([^ ]*\) \([^ ]*\) L.*/\1 \2/p' peak.svg |
      awk '{ x += $1; y += $2 } END { print x / NR, y / NR, NR }'
  }
  is "$(echo "$(peak 4 1.5)" "$(peak 15 5.5)" "$(peak 4 1.5 '--axis 1=down.txt')" |
    awk '{ print ($1 < $4 - 50), ($2 > $5 + 50), ($2 > $8 + 50), ($3 > 100 && $3 < 2000) }')" '1 1 1 1' \
    'values rise to the right and upwards in a map, and fall where they do; its lines are smooth'
else
  for i in 1 2 3 4 5; do skip 'built without Cairo'; done
fi

# A scan under noise, 28 % of the elements not known: the core consistency of a fourth component is high, what it explains is not.
awk 'function u() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
  function normal(k, v) { for (k = v = 0; k < 12; k++) v += u(); return v - 6 }
  BEGIN {
    seed = 4
    for (r = 0; r < 3; r++) { for (i = 0; i < 12; i++) a[i, r] = normal(); for (i = 0; i < 14; i++) b[i, r] = normal()
      for (i = 0; i < 10; i++) c[i, r] = normal() }
    for (i = 0; i < 12; i++) for (j = 0; j < 140; j++) {
      v = .02 * normal()
      for (r = 0; r < 3; r++) v += a[i, r] * b[int(j / 10), r] * c[j % 10, r]
      printf "%s%s", u() < .28 ? "nan" : v, j < 139 ? "," : "\n"
    }
  }' >noisy.csv
heddle decompose noisy.csv --shape 12,14,10 --missing-nan --rank-scan 1:5 >said
is "$? $(awk '$1 == 4 { print ($5 >= 60) }' said) $(sed -n 's/^stop at rank \([0-9]*\): others explain no more.*/\1/p' said)" '0 1 3' \
  'a scan of noisy data with gaps stops at the planted rank'
for kind in parafac2 tucker; do
  heddle decompose noisy.csv --shape 12,14,10 --missing-nan --$kind 2 --diagnose >said
  is "$? $(awk '/largest residual/ && $5 + 0 > 0 && $5 + 0 < 1e9' said | wc -l | tr -d ' ')" '0 3' "$kind: residuals of what is known"
done

# PARAFAC2 beside PARAFAC2: of two starts, and of other samples.
run '--parafac2 2 --sweeps 2000 --tol 1e-13 --csv -o p'
run '--parafac2 2 --sweeps 2000 --tol 1e-13 --init random --seed 3 -o q'
heddle decompose p.npz --compare q.npz >said
is "$? $(awk 'NR > 1 { print NF, ($3 > 0.999) }' said | tr '\n' ' ')" '0 6 1 6 1 ' 'components of two starts'
heddle decompose p.npz --compare p.npz --json >said
# the cosine of both components, as the tables have them
cosine=$(awk -F , 'FNR == 1 { file++; next } file == 1 { for (r = 1; r < 3; r++) a[$1, r] = $(r + 1); next }
  file == 2 { for (r = 1; r < 3; r++) for (s = 1; s < 3; s++) g[r, s] += a[$1, r] * $(r + 2) * a[$1, s] * $(s + 2); next }
  { for (r = 1; r < 3; r++) for (s = 1; s < 3; s++) h[r, s] += $(r + 1) * $(s + 1) }
  END { printf "%.6f", g[1, 2] * h[1, 2] / sqrt(g[1, 1] * h[1, 1] * g[2, 2] * h[2, 2]) }' p_mode0.csv p_mode1.csv p_mode2.csv)
is "$(tr -d ' \n' <said | sed 's/.*"congruence":\[\[\([^]]*\)\].*/\1/' | awk -F , '{ printf "%.6f %.6f", $1, $2 }')" \
  "1.000000 $cosine" 'congruences are cosines of components'
sed 5d clean.csv >four.csv
heddle decompose four.csv --shape 4,20,8 --parafac2 2 --sweeps 2000 --tol 1e-13 -o four >said
heddle decompose p.npz --compare four.npz >said
is "$? $(grep -c 'nothing to compare' said) $(awk 'NF == 3 && $1 > 0 { print ($3 > 0.99) }' said | tr '\n' ' ')" '0 2 1 1 ' \
  'of other samples the columns'
# what is refused, and that nothing is left of it
head -5 em.txt >five.txt
array() { # NAME DTYPE SHAPE BYTES
  printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" >"$1"
  # shellcheck disable=SC2059
  printf "$4" >>"$1"
}
array flat.npy '|u1' 5,1, '\003\001\002\002\005'
array table.npy '|u1' 2,2, '\001\002\003\004'
array nan.npy '<f4' 2, '\000\000\000\000\000\000\300\177'
array pair.npy '<c8' 1, '\000\000\000\000\000\000\000\000'
array text.npy '<U1' 5, 'a\0\0\0a\0\0\0a\0\0\0a\0\0\0a\0\0\0'
{ head -3 em.txt; echo x; } >word.txt
printf '1,2\n3,4\n' >square.txt
printf 'nm\n' >names.txt
printf '1\ninf\n' >inf.txt
while IFS='|' read -r status options said; do
  # shellcheck disable=SC2086
  heddle decompose $clean $options -o nope >/dev/null 2>err
  is "$? $(tr '\n' ' ' <err | grep -cF -- "$said") $(ls nope* 2>/dev/null)" "$status 1 " "refused: $options"
  rm -f nope*
done <<'END'
3|--cp 2 --axis 1=five.txt:nm|'five.txt' has 5 values; mode 1 of 'clean.csv' has 20 slices
3|--cp 2 --axis 3=em.txt:nm|mode 3 of 'clean.csv', a tensor of order 3: its modes are 0 to 2
3|--tt 0.1 --axis 2=word.txt|'word.txt', line 4, column 1: 'x' is no finite number
3|--robust --axis 2=inf.txt|'inf.txt', line 2, column 1: 'inf' is no finite number
3|--cp 2 --axis 2=square.txt|'square.txt' has 2 rows of 2 numbers
3|--cp 2 --axis 2=names.txt|'names.txt', line 1 has names, and no rows of numbers follow
3|--cp 2 --axis 0=text.npy|'text.npy' holds text
3|--cp 2 --axis 0=table.npy|'table.npy' has 4 values along 2 axes
3|--cp 2 --axis 0=nan.npy|'nan.npy': value 1 is nan, not finite
3|--cp 2 --axis 0=pair.npy|'pair.npy' has 1 values of complex64; real numbers are expected
3|--parafac2 2 --axis 0=nothing.txt|nothing.txt
3|--cp 2 --map 1,3|mode 3 of 'clean.csv', a tensor of order 3
2|--cp 2 --axis em.txt|'em.txt' is not MODE=FILE[:UNIT]
2|--cp 2 --axis 1=:nm|'1=:nm' is not MODE=FILE[:UNIT]
2|--cp 2 --axis 1=em.txt --axis 1=em.txt|mode 1 is named twice
2|--cp 2 --axis 1=em.txt:01234567890123456789012345678901234567890|at most 40 bytes
2|--cp 2 --axis 1=em.txt --emission 1:em.txt --excitation 2:ex.txt --scatter raman:3|--emission says what stands along mode 1
2|--cp 2 --map 1|'1' is not DOWN,ACROSS
2|--cp 2 --map 1,1|mode 1 is named twice
2|--parafac2 2 --map 1,2|--map goes with --cp and --tucker
2|--tt 0.1 --csv|no scores and loadings
2|--rank-scan 1:2 --diagnose|--diagnose goes with one decomposition
END
printf '1700000003\n0.1\n300.00000000000006\n2\n5\n' >late.txt
run '--cp 2 --axis 0=late.txt:a,"b"s --csv -o late'
is "$? $(head -1 late_mode0.csv) $(sed 1d late_mode0.csv | cut -d , -f 1 | tr '\n' ' ')" \
  '0 "mode 0 (a,""b""s)",component 1,component 2 1700000003 0.1 300.00000000000006 2 5 ' 'values with their digits, a unit in quotes'
heddle decompose late.npz --parafac2 1 --axis 1=em.txt -o nope >/dev/null 2>err
is "$? $(grep -c "mode 1 of 'late.npz' has other numbers of rows from slice to slice" err)" '3 1' 'values along slices of other rows'
array pairs.npy '<c8' 1,2, '\000\000\200\077\000\000\000\000\000\000\200\077\000\000\000\000'
heddle decompose pairs.npy --cp 1 --csv -o nope >/dev/null 2>err
is "$? $(grep -c "'pairs.npy' is complex64; tables are of real numbers" err)" '3 1' 'tables of complex numbers'
# shellcheck disable=SC2086
heddle decompose $clean --cp 2 --csv >/dev/null 2>err
is "$? $(grep -c -- '-o is expected' err)" '2 1' 'tables without a name'
cp dose.txt in_mode0.csv
# shellcheck disable=SC2086
heddle decompose $clean --cp 2 --csv --force --axis 0=in_mode0.csv -o in >/dev/null 2>err
is "$? $(grep -c 'which is read' err) $(cmp dose.txt in_mode0.csv && echo kept)" '3 1 kept' 'a table over what is read'

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
