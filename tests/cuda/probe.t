#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cuda: why there is no device, each reason with its own words; and where libraries come from.  On the driver of tests/cudashim.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
shim=$builddir/tests/cudashim/.libs
[ -e "$shim/libcuda.so.1" ] || skip_all 'the driver for tests was not built'
unset CUDA_PATH CUDA_HOME VIRTUAL_ENV HEDDLE_CUDA_PATH LD_LIBRARY_PATH

# What `heddle info' says of cuda, with SETTING... in the environment.
info() { env "$@" "$HEDDLE_TOOL" info | awk '/^  [a-z]+  / { mine = $1 == "cuda" } mine'; }
reason() { # WORDS WHAT SETTING...
  words=$1
  what=$2
  shift 2
  info "$@" >"$tmp/info"
  grep -qF "$words" "$tmp/info"
  said=$?
  ok $said "$what"
  [ $said -eq 0 ] || diag "$(cat "$tmp/info")"
}
driver="LD_LIBRARY_PATH=$shim"

if ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
  skip 'there is a driver here'
else
  reason 'libcuda.so.1, the driver'"'"'s library, was not found' 'no driver' HEDDLE_DISABLE=
fi
reason "$shim/libcuda.so.1 is a driver for CUDA 11.8, one for 12.0 or newer is needed" 'a driver that is too old' "$driver" \
  CUDASHIM_VERSION=11080
reason "$shim/libcuda.so.1 has no cuMemAlloc" 'a function that the driver lacks' "$driver" CUDASHIM_LACKS=cuMemAlloc
reason 'the driver did not start: cuInit: CUDA_ERROR_UNKNOWN' 'a driver that does not start' "$driver" CUDASHIM_INIT=999
reason 'the driver has no device: none is installed, or CUDA_VISIBLE_DEVICES hides all' 'a driver without a device' "$driver" \
  CUDASHIM_INIT=100
reason 'the driver has no device' 'a driver that counts none' "$driver" CUDASHIM_DEVICES=0
reason 'no device has compute capability 7.5 or more: shim 1 has less' 'devices that are too old' "$driver" CUDASHIM_CAPABILITY=61
reason '  cuda  ready' 'devices that serve' "$driver"
reason 'device 1: shim 1, compute capability 9.0' 'and what they are' "$driver"

# Libraries, each for itself.
mkdir -p "$tmp/only" "$tmp/root/lib64" "$tmp/venv/lib/python3.11/site-packages/nvidia/cu13/lib" "$tmp/site/nvidia/cufft/lib"
cp "$shim/libcuda.so.1" "$tmp/only/"
only="LD_LIBRARY_PATH=$tmp/only"
reason "NVRTC: $shim/libnvrtc.so.13 (the loader's path)" 'a library that the loader finds' "$driver"
cp "$shim/libcufft.so.12" "$tmp/root/lib64/"
if ldconfig -p 2>/dev/null | grep -q 'libcufft\.so'; then
  skip 'the loader finds cuFFT here'
else
  [ -e /usr/local/cuda ] || reason 'cuFFT: not found, fft runs with kernels of ours' 'a library that is nowhere' "$only"
  reason "cuFFT: $tmp/root/lib64/libcufft.so.12 (\$CUDA_PATH)" 'one of a toolkit' "$only" "CUDA_PATH=$tmp/root"
fi
reason "cuFFT: $tmp/root/lib64/libcufft.so.12 (\$HEDDLE_CUDA_PATH)" 'one of our own setting' "$driver" \
  "HEDDLE_CUDA_PATH=$tmp/nowhere:$tmp/root"
cp "$shim/libcufft.so.12" "$tmp/site/nvidia/cufft/lib/"
reason "cuFFT: $tmp/site/nvidia/cufft/lib/libcufft.so.12 (\$HEDDLE_CUDA_PATH)" 'one of a wheel of its own' "$driver" \
  "HEDDLE_CUDA_PATH=$tmp/site"
cp "$shim/libcublas.so.13" "$tmp/venv/lib/python3.11/site-packages/nvidia/cu13/lib/"
reason "cuBLAS: $tmp/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13 (\$HEDDLE_CUDA_PATH)" \
  'one of a folder of packages' "$driver" "HEDDLE_CUDA_PATH=$tmp/venv/lib/python3.11/site-packages"
done_testing
