# SPDX-License-Identifier: BSD-3-Clause
# The environment of the tests: `make check` reads it, and `. tests/env.sh` in the build directory
# does the same for a shell, prove or a debugger.  Of the user's own settings HEDDLE_CPU_LEVEL alone
# is left: it may be lowered for a whole run.

top_builddir='/work/wt/streams/tsan'
unset HEDDLE_BACKEND HEDDLE_DEVICE HEDDLE_NUM_THREADS HEDDLE_DISABLE HEDDLE_CACHE_DIR HEDDLE_LOG \
  HEDDLE_INHERIT HEDDLE_POOL HEDDLE_FFT HEDDLE_FFT_PLANS HEDDLE_SLICE \
  HEDDLE_BLAS_CORETYPE HEDDLE_CPU_STREAM OMP_NUM_THREADS
HEDDLE_PLUGIN_PATH="$top_builddir/lib/backends/.libs:$top_builddir/tests/backends/.libs"
HEDDLE_TEST_SRCDIR='/work/wt/streams/tsan/..'
HEDDLE_TEST_BUILDDIR=$top_builddir
HEDDLE_TEST_SANITIZERS='thread'
HEDDLE_TOOL="$top_builddir/tools/heddle"
HEDDLE_TEST_PNG='yes'
HEDDLE_TEST_LIBZIP='yes'
XDG_CONFIG_HOME="$top_builddir/tests/xdg/home"
XDG_CONFIG_DIRS="$top_builddir/tests/xdg/etc"
XDG_CACHE_HOME="$top_builddir/tests/xdg/cache"
CC='ccache gcc'
CXX='ccache g++'
HED_CXX17='yes'
LC_ALL=C
# Only the reports matter; a sanitizer that finds something makes the test fail.
ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:exitcode=86${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
TSAN_OPTIONS="suppressions=/work/wt/streams/tsan/../tests/tsan.supp:exitcode=86${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
export HEDDLE_PLUGIN_PATH HEDDLE_TEST_SRCDIR HEDDLE_TEST_BUILDDIR HEDDLE_TEST_SANITIZERS \
  HEDDLE_TOOL HEDDLE_TEST_PNG HEDDLE_TEST_LIBZIP XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_CACHE_HOME CC CXX HED_CXX17 \
  LC_ALL ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS
