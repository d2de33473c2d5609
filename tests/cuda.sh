# SPDX-License-Identifier: BSD-3-Clause
# For tests of cuda on the driver of tests/cudashim: `. "$srcdir/tests/cuda.sh"`. What OpenCL and Heddle have compiled is kept in
# the build tree.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/..}/tests/tap.sh"
shim=$builddir/tests/cudashim/.libs
[ -e "$shim/libcuda.so.1" ] || skip_all 'the driver for tests was not built'
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'OpenCL does not run with the sanitizers'
LD_LIBRARY_PATH=$shim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
: "${POCL_CACHE_DIR:=$builddir/tests/pocl}" "${HEDDLE_CACHE_DIR:=$builddir/tests/kernels-cache}"
mkdir -p -m 700 "$POCL_CACHE_DIR" "$HEDDLE_CACHE_DIR"
export LD_LIBRARY_PATH POCL_CACHE_DIR HEDDLE_CACHE_DIR
