#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that were compiled when Heddle was: common operations work with them alone, on the driver of tests/cudashim, whose machine
# code is the text.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
mkdir -p "$tmp/backends" "$tmp/kernels" "$tmp/none"
cp "$builddir/lib/backends/.libs/cuda.so" "$tmp/backends/"
HEDDLE_CUDA_PATH=$shim "$builddir/lib/backends/cuda/precompile" "$tmp/kernels" compute_75 sm_90 sm_80 >"$tmp/said" 2>&1
is $? 0 'programs are compiled for three chips'
[ -s "$tmp/said" ] && diag "$(cat "$tmp/said")"
for chip in compute_75 sm_80 sm_90; do
  [ -s "$tmp/kernels/cuda-$chip.hkb" ]
  ok $? "a file for $chip"
done
# A library without its functions hides every NVRTC.
cp "$shim/libcublas.so.13" "$tmp/none/libnvrtc.so.13"
HEDDLE_PLUGIN_PATH=$tmp/backends HEDDLE_CUDA_PATH=$tmp/none HEDDLE_CACHE_DIR=none
export HEDDLE_PLUGIN_PATH HEDDLE_CUDA_PATH HEDDLE_CACHE_DIR
run() { # NAME
  "$builddir/tests/cuda/installed" >"$tmp/out" 2>&1
  is "$? $(grep -c '^ok' "$tmp/out")" '0 10' "$1"
  grep -qv '^ok' "$tmp/out" && diag "$(grep -v '^ok' "$tmp/out")"
}
run 'what is installed is enough'
CUDASHIM_CAPABILITY=86 run 'for another chip there is PTX'
printf x | dd of="$tmp/kernels/cuda-sm_90.hkb" bs=1 seek=24 conv=notrunc 2>/dev/null
truncate -s 5000 "$tmp/kernels/cuda-sm_90.hkb"
mv "$tmp/kernels/cuda-compute_75.hkb" "$tmp/none/"
"$builddir/tests/cuda/installed" >"$tmp/out" 2>&1
grep -q 'no kernel of its own' "$tmp/out" # and none that could be compiled
ok $? 'a file that is cut off is none'

# What a process compiles the next one finds in the user's own folder of caches, without a setting.
rm -r "$tmp/kernels"
mkdir "$tmp/home"
unset HEDDLE_CACHE_DIR XDG_CACHE_HOME
export HOME="$tmp/home"
HEDDLE_CUDA_PATH=$shim run 'everything is compiled'
find "$HOME/.cache/heddle/kernels/1/cuda" -name '*.hkb' | sort >"$tmp/first"
[ -s "$tmp/first" ]
ok $? 'and kept'
touch "$tmp/then"
HEDDLE_CUDA_PATH=$shim run 'once'
none "$(find "$HOME" -name '*.hkb' -newer "$tmp/then")" 'nothing is written again'
is "$(find "$HOME" -name '*.hkb' -newerat "$(stat -c %y "$tmp/then")" | sort)" "$(cat "$tmp/first")" 'all of it is read'
done_testing
