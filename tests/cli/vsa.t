#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle vsa: three classes far from each other are learned and told apart, as text and as arrays, and what is refused.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
[ "$HEDDLE_TEST_LIBZIP" = no ] && skip_all 'built without libzip'
heddle() { "$HEDDLE_TOOL" "$@"; }
cd "$tmp" || exit 1

# Two numbers near (0, 0), (4, 0) and (0, 4), and one that says nothing.
rows() { awk -v from="$1" 'BEGIN { print "x,y,z,kind"; split("ant bee cat", name, " ")
  for (i = from; i < from + 30; i++) { k = i % 3
    printf "%.3f,%.3f,%.3f,%s\n", 4 * (k == 1) + sin(i) / 2, 4 * (k == 2) + sin(3 * i) / 2, sin(7 * i), name[k + 1] } }'; }
rows 0 >train.csv
rows 100 >test.csv
cut -d, -f1-3 test.csv >bare.csv

heddle vsa fit train.csv -o m --model 'map;dim=2000' >said 2>err
is "$? $(cat said err)" '0 30 rows of 3 numbers, 3 classes, 0 wrong in the last epoch' 'learned'
is "$(echo m*)" 'm.npz m_ranges.npy' 'two files'
heddle vsa predict test.csv --classifier m -o p >said
is "$? $(head -1 said)" '0 30 of 30 right, 100.00 %' 'and told apart'
is "$(awk 'NR > 1 { print $1, $2 + $3 + $4 }' said | tr '\n' ' ')" 'ant 10 bee 10 cat 10 ' 'counted by class'
is "$(tail -n +2 p.csv | cut -d, -f1 | tr '\n' ' ')" "$(tail -n +2 test.csv | cut -d, -f4 | tr '\n' ' ')" 'row by row'
if [ "$HEDDLE_TEST_CAIRO" = yes ]; then
  is "$(head -c 4 p.png | tail -c 3)" PNG 'and a picture'
  (trap '' XFSZ; ulimit -f 2; heddle vsa predict test.csv --classifier m -o room --pictures svg >/dev/null 2>err)
  is "$? $(sed "s|'.*||" err) $(ls room*)" '3 heddle vsa: cannot write  ' "no room for it: the command's name is said once"
else
  skip 'built without Cairo'
  skip 'built without Cairo'
fi
heddle vsa predict bare.csv --classifier m -o list >said
is "$? $(wc -l <said) $(cut -d' ' -f1 said | sort | uniq -c | awk '{ printf "%s %s ", $2, $1 }') $(echo list.*)" \
  '0 30 ant 10 bee 10 cat 10  list.csv' 'rows without classes are listed'
heddle vsa predict test.csv --classifier m --json >out
is "$? $(grep -c '"schema": *"heddle.vsa/1"' out) $(grep -c '"confusion"' out) $(sed -n 's/.*"accuracy": *\([^,]*\),/\1/p' out)" \
  '0 1 1 1' 'as JSON'
heddle vsa fit train.csv -o b --model 'bsc;dim=2048;layout=packed' --epochs 0 --levels 20 >/dev/null
heddle vsa predict test.csv --classifier b >said
is "$? $(head -1 said)" '0 30 of 30 right, 100.00 %' 'by packed bits, too'

# The same of arrays: bytes, (6, 2), of two classes.
npy() { printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': $1, }"; }
{ npy '(6, 2)' && printf '\000\011\001\010\000\010\011\000\010\001\011\001'; } >x.npy
{ npy '(6,)' && printf '\003\003\003\007\007\007'; } >y.npy
{ npy '(5,)' && printf '\003\003\003\007\007'; } >z.npy
heddle vsa fit x.npy --labels y.npy -o a --model 'map;dim=1000' >said
is "$? $(cut -d, -f1,2 said)" '0 6 rows of 2 numbers, 2 classes' 'arrays'
heddle vsa predict x.npy --labels y.npy --classifier a >said
is "$? $(tr -s ' ' <said | tr '\n' ';')" '0 6 of 6 right, 100.00 %;3 3 0;7 0 3;' 'and back'

# Vectors alone: those that the classifier is made of, whatever says which.
heddle vsa encode train.csv -o e --model 'map;dim=2000' >said 2>err
is "$? $(cat said err)" '0 30 rows of 3 numbers, vectors of 2000 elements of int8' 'vectors of rows'
is "$(echo e.* e_*) $(wc -c <e.npy | tr -d ' ')" 'e.npy e_ranges.npy 60128' 'an array of them, and their ranges'
heddle vsa encode train.csv -o f --classifier m >said
heddle vsa encode train.csv -o g --model 'map;dim=2000' --ranges m_ranges.npy --json >said
is "$? $(tr -d ' \n' <said | grep -c '"shape":\[30,2000\],"dtype":"int8"')" '0 1' 'by ranges, as JSON'
same() { cmp -s "$1.npy" "$2.npy" && echo same; }
is "$(same e f) $(same e g) $(same e_ranges m_ranges)" 'same same same' 'the same, by model, classifier and ranges'
heddle vsa encode bare.csv -o bare --classifier m >said
heddle vsa encode test.csv -o named --classifier m >said
is "$(same bare named)" same 'a class makes no difference'
heddle vsa encode bare.csv -o own --model 'map;dim=2000' >said
is "$? $(cut -d, -f1 said) $(same bare own)" '0 30 rows of 3 numbers ' 'columns that are all numbers, in their own ranges'
printf '1,2,3\n2,3,4\n' >counted.csv
heddle vsa encode counted.csv -o two --columns 2 >said
is "$? $(cut -d, -f1 said)" '0 2 rows of 2 numbers' 'a class that is a number'
heddle vsa encode x.npy -o arrays --levels 2 --model 'fhrr;dim=64' >said
is "$? $(cat said)" '0 6 rows of 2 numbers, vectors of 64 elements of complex64' 'of arrays'
# Levels at both ends: the first row is nearer to the second, of its class, than to the fourth.
python=$(command -v python3 || true)
if [ -n "$python" ]; then
  is "$("$python" -c 'import array
v = array.array("f", open("arrays.npy", "rb").read()[-6 * 512:])
def dot(i, j): return sum(v[128 * i + k] * v[128 * j + k] for k in range(128))
print(dot(0, 1) > 0.9 * dot(0, 0), dot(0, 3) < 0.5 * dot(0, 0))')" 'True True' 'rows of a class are alike'
else
  skip 'no python3 to read an array'
fi

refused() { # STATUS PART COMMAND..
  want=$1 part=$2
  shift 2
  heddle vsa "$@" >out 2>err
  is "$? $(grep -c -- "$part" err) $(wc -c <out) $(ls q.* q_* 2>/dev/null)" "$want 1 0 " "refused: $part"
}
printf '1,2,ant\n3,bee\n' >short.csv
printf '1,2,ant\n3,nan,bee\n' >nan.csv
printf '1,2,3,dog\n' >dog.csv
: >empty.csv
refused 3 'line 2: 2 fields, not 3' fit short.csv -o q
refused 3 "line 2, column 2: 'nan' is no finite number" fit nan.csv -o q
refused 3 'no rows' fit empty.csv -o q
refused 3 "of class 'dog'" predict dog.csv --classifier m
refused 3 '2 numbers in a row\|line 1' predict short.csv --classifier m
refused 3 'as many whole numbers as rows, 6' fit x.npy --labels z.npy -o q
refused 3 'has no classes' fit x.npy -o q
refused 3 'nothing.csv' fit nothing.csv -o q
refused 3 'exists' fit train.csv -o m
refused 2 'PREFIX is missing' fit train.csv
refused 2 'classifier PREFIX is missing' predict test.csv
refused 2 'fit, predict, encode' learn train.csv -o q
refused 2 'go with fit' predict test.csv --classifier m --levels 3
refused 2 'encode: -o PREFIX is missing' encode train.csv
refused 2 'go with encode' fit train.csv -o q --columns 3
refused 2 'classifier says' encode train.csv -o q --classifier m --levels 3
refused 2 'ranges says' encode train.csv -o q --ranges m_ranges.npy --levels 3
refused 2 'do not go with encode' encode train.csv -o q --epochs 3
refused 3 '2 numbers in a row; 3 are expected\|line 1' encode short.csv -o q --ranges m_ranges.npy
refused 3 'does not have three rows' encode train.csv -o q --ranges x.npy
refused 3 'exists' encode train.csv -o e
done_testing
