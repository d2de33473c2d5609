# SPDX-License-Identifier: BSD-3-Clause
# For tests of cuda on the driver of tests/cudashim: `. "$srcdir/tests/cuda.sh"`. What OpenCL and Heddle have compiled is kept in
# the build tree.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/tap.sh"
shim=$builddir/tests/cudashim/.libs
[ -e "$shim/libcuda.so.1" ] || skip_all 'the driver for tests was not built'
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'OpenCL does not run with the sanitizers'
LD_LIBRARY_PATH=$shim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
: "${POCL_CACHE_DIR:=$builddir/tests/pocl}"
HEDDLE_CACHE_DIR=$builddir/tests/kernels-cache
mkdir -p -m 700 "$POCL_CACHE_DIR" "$HEDDLE_CACHE_DIR"
export LD_LIBRARY_PATH POCL_CACHE_DIR HEDDLE_CACHE_DIR

# The shim's folder for LD_LIBRARY_PATH, where the library of the name given has nothing of what it should: one that is not there
# might be found elsewhere.
shim_without() {
  mkdir "$tmp/without_$1"
  cp -P "$shim"/*.so* "$tmp/without_$1"
  for file in "$tmp/without_$1/$1".so.*; do cp --remove-destination "$shim/libnvrtc.so.13" "$file"; done
  echo "$tmp/without_$1"
}
