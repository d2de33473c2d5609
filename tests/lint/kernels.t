#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The dialect of the kernels of devices, and of the headers that they share with the host: what OpenCL C and CUDA C++ both take,
# what barriers need, and that every kernel is listed for those who launch it.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir" || exit 255

texts=lib/backends/device/kernels
sed -n 's/^ *\(lib\/[^ ]*\.[hk]\).*/&/p' $texts/local.mk | tr ' ' '\n' | grep '^lib/.*\.[hk]$' | sort -u >"$tmp/files"
[ "$(wc -l <"$tmp/files")" -gt 30 ]
ok $? "the texts were found ($(($(wc -l <"$tmp/files"))))"

# Without comments: each line with its file and number.
while read -r f; do
  awk -v file="$f" '{
    out = ""; line = $0
    while (line != "") {
      if (inside) {
        at = index(line, "*/"); if (!at) break
        line = substr(line, at + 2); inside = 0
      } else {
        at = index(line, "/*"); if (!at) { out = out line; break }
        out = out substr(line, 1, at - 1); line = substr(line, at + 2); inside = 1
      }
    }
    if (out !~ /^\/\/@/) sub(/\/\/.*/, "", out)
    if (out ~ /[^ ]/) print file ":" FNR ": " out
  }' "$f"
done <"$tmp/files" >"$tmp/code"
kernels() { grep "^$texts/" "$tmp/code" | grep -v "^$texts/hedk.h:"; }

# Words of OpenCL C and C++ that C takes as names.
words='half|kernel|global|local|constant|private|event_t|sampler_t|image2d_t|pipe|read_only|write_only|new|delete|class|template'
words="$words|this|operator|namespace|typename|public|protected|try|catch|throw|using|virtual|friend|explicit|and|or|not|xor"
none "$(sed 's/^.*\/\([a-z_]*\)\.\([a-z]*\):/\1_\2:/' "$tmp/code" | grep -v '//@' |
  grep -E "[^A-Za-z0-9_\"](${words})[^A-Za-z0-9_\"-]")" \
  'no word of either language is a name'
none "$(kernels | grep -E '\b(float|double|u?char|u?short|u?int|u?long)(2|3|4|8|16)\b')" 'no vector types'
none "$(kernels | grep -E '\b(long|size_t|unsigned)\b')" 'types have the same width everywhere'
none "$(kernels | grep -E 'sub_group|__shfl|__ballot|__syncwarp|warpSize')" 'no subgroups'
none "$(kernels | grep -E 'atomic_|atomicAdd|atomicMax|atomicCAS')" 'atomics have the dialect'"'"'s names'
none "$(grep -E 'memcpy|memset|_Generic|\blong double\b|_Complex' "$tmp/code")" 'nothing that only C has'

# From KERNEL to the brace that ends it: no return before a barrier, no barrier behind an if.
awk -F': ' '
  { where = $1; code = $0; sub(/^[^:]*:[0-9]*: /, "", code) }
  code ~ /KERNEL [a-z_#]+/ { inside = 1; returned = "" }
  code ~ /^ *}( *\\)?$/ && code !~ /^    / { inside = 0 }
  inside && code ~ /\<return\>|[^a-z_]return[^a-z_]/ { returned = where }
  inside && code ~ /BARRIER\(\)|TREE\(/ {
    if (returned != "") print where ": a barrier after the return of " returned
    if (code ~ /if *\(/) print where ": a barrier behind an if"
  }' "$tmp/code" >"$tmp/barriers"
none "$(cat "$tmp/barriers")" 'every item of a group comes to every barrier'

# Every kernel with a name of its own has a line; its pointers are as many.
awk '
  match($0, /\/\/@ entry [a-z0-9_*]+/) { n = split($0, w, " "); for (k = 1; k < n && w[k] != "entry"; k++); name = w[k + 1]
    pointers = 0; for (k += 2; k <= n; k++) pointers += w[k] == "p"; listed[name] = pointers; next }
  match($0, /KERNEL [a-z0-9_]+\(/) { name = substr($0, RSTART + 7, RLENGTH - 8); text = $0; at = $1
    while (text !~ /args\)/ && (getline more) > 0) text = text more
    kernel[name] = gsub(/PTR\(/, "PTR(", text); place[name] = at }
  END { for (name in kernel) found++
    if (found < 30) print "only " found + 0 " kernels were found"
    for (name in kernel) if (name !~ /^(name|row|random)$/) {
    if (!(name in listed)) print place[name] " " name " is not listed"
    else if (listed[name] != kernel[name]) print place[name] " " name " has " kernel[name] " pointers, not " listed[name] } }
' "$tmp/code" >"$tmp/entries"
none "$(cat "$tmp/entries")" 'every kernel is listed with its pointers'
none "$(grep -h -o '//@ entry .*' $texts/*.k | awk '$NF !~ /^s[0-9]+$/ || substr($NF, 2) % 8 || substr($NF, 2) + 0 > 700')" \
  'structs are of 8-byte fields and leave room for pointers within 1 KiB'
none "$(grep -L '^//@ needs' $texts/*.k)" 'every family says what it needs'
is "$(grep -m1 -n pragma $texts/hedk.h | grep -c 'FP_CONTRACT OFF')" 1 'programs begin by keeping products and sums apart'
done_testing
