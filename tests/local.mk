# SPDX-License-Identifier: BSD-3-Clause
# Tests: a folder per area, tests/AREA, whose local.mk is included at the end of this file.
#
#   a C test       check_PROGRAMS += tests/AREA/foo.t
#                  tests_AREA_foo_t_SOURCES = tests/AREA/foo.c
#   a shell test   dist_check_SCRIPTS += tests/AREA/foo.t          (executable, in the source tree)
#   a helper       EXTRA_PROGRAMS += tests/AREA/foo-helper, check_DATA += tests/AREA/foo-helper
#   a module       check_LTLIBRARIES, with -module -avoid-version -rpath /nowhere
#
#   too slow for the sanitizer builds     slow_tests += tests/AREA/foo.t
#   loops alone, on one thread            kernel_tests += tests/AREA/foo.t
#   quick enough for valgrind             valgrind_tests += tests/AREA/foo.t       (C programs only)
#   other processors, emulated            emulated_tests += tests/AREA/foo.t
#
# TESTS is every program and script of those lists: nothing else to add.  A C test links libheddle
# and libtap (tap.h, gen.h).  A test of internals (hed__*) sets
#   tests_AREA_foo_t_LDADD = $(internal_libs)
# and gets a static copy of the library and the kits; it must not load backend modules.  A test of a kit links
# $(kits_libs).  What several areas share (tap.h, gen.h ..) lies beside this file, and is included by its name alone.

TEST_EXTENSIONS = .t
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_T_LOG_DRIVER_FLAGS = --comments
AM_TESTS_ENVIRONMENT = . tests/env.sh;
# A test that hangs is an error after ten minutes.
T_LOG_COMPILER = timeout
AM_T_LOG_FLAGS = -k 10 600
EXTRA_DIST += tests/README tests/cgroup.sh tests/conform/few.t tests/coverage.sh tests/emulated.sh tests/mutate.py \
  tests/tap.sh tests/tsan.supp tests/valgrind.supp

check_LTLIBRARIES += tests/libtap.la tests/libheddle-internal.la
tests_libtap_la_SOURCES = tests/tap.c tests/tap.h tests/gen.c tests/gen.h
tests_libtap_la_LIBADD = -lm
tests_libheddle_internal_la_SOURCES = $(lib_libheddle_la_SOURCES)
tests_libheddle_internal_la_LIBADD = $(lib_libheddle_la_LIBADD) lib/kits/libkits.la

# What takes long in a test is the library's work: the compiler's time is better spent there.
tests/%.$(OBJEXT) tests/%.lo: CFLAGS += $(HED_TEST_CFLAGS)
tests/%.$(OBJEXT): CXXFLAGS += $(HED_TEST_CFLAGS)

# For names alone of what areas share; before it the library, which has folders of the same names as tests.
AM_CPPFLAGS += -iquote $(srcdir)/lib -iquote $(srcdir)/tests
# Shared libraries by name, not by file: programs are not linked again when these change.
LDADD = tests/libtap.la $(HED_SHARED_LDFLAGS) -lheddle
internal_libs = $(HED_STATIC_LDFLAGS) tests/libtap.la tests/libheddle-internal.la -lm -ldl -lpthread
kits_libs = tests/libtap.la $(HED_SHARED_LDFLAGS) -lheddle-kits -lheddle -lm
$(check_PROGRAMS) $(EXTRA_PROGRAMS): | $(lib_LTLIBRARIES)
kit_files_helpers = tests/kit_files.c tests/kit_files.h
# The linker puts the failing allocator between the static library and libc.
failing_allocator = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=posix_memalign -Wl,--wrap=strdup \
  -Wl,--wrap=newlocale

TESTS = $(check_PROGRAMS) $(dist_check_SCRIPTS)
slow_tests =
kernel_tests =
valgrind_tests =

# The suite without lint and slow tests, for the address sanitizer.
.PHONY: check-fast
check-fast:
	$(MAKE) $(AM_MAKEFLAGS) check \
	  TESTS='$(filter-out $(slow_tests) $(lint_tests),$(check_PROGRAMS) $(dist_check_SCRIPTS))'

# What has several threads, for the thread sanitizer: hosts with threads of their own, the runtime and its memory, late
# streams, modules, and the helper threads of the cpu backend.
race_tests = $(filter-out $(slow_tests),$(filter tests/scenario/%.t tests/core/%.t tests/memory/%.t tests/streams/%.t \
  tests/io/%.t tests/fault/alloc_runtime.t tests/fault/alloc_streams.t tests/cpu/join.t tests/cpu/plans.t tests/cpu/scratch.t \
  tests/cpu/storm.t tests/cpu/stream.t tests/cpu/team.t tests/cpu/transforms.t tests/device/%.t tests/fuse/chain.t \
  tests/fuse/plugins.t tests/fuse/random.t tests/fuse/scope.t tests/api/fft_plan.t tests/api/random.t tests/api/read_only.t \
  tests/api/reduce_long.t tests/api/spaces.t tests/random/equal.t tests/match/pool.t tests/vsa/equal.t tests/cli/wisdom.t \
  tests/house/examples.t, \
  $(check_PROGRAMS) $(dist_check_SCRIPTS)))
.PHONY: check-race
check-race:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(race_tests)' check_PROGRAMS='$(filter $(race_tests),$(check_PROGRAMS))'

# For a second compiler with sanitizers: numbers, loops whose source differs, the stack, modules.
clang_tests = $(base_tests) $(api_tests) tests/conform/struct.t tests/cpu/complex.t tests/cpu/running.t tests/fuse/axes.t \
  tests/reference/matmul.t tests/reference/sort.t tests/scenario/plugins.t tests/scenario/stack.t
.PHONY: check-clang
check-clang:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(clang_tests)' check_PROGRAMS='$(filter $(clang_tests),$(check_PROGRAMS))'

# Unit tests under valgrind; what it finds makes the test fail.
.PHONY: check-valgrind
check-valgrind:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(valgrind_tests)' T_LOG_COMPILER='env HEDDLE_POOL=0 HEDDLE_DISABLE=opencl,cuda valgrind' \
	  AM_T_LOG_FLAGS='-q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
	    --child-silent-after-fork=yes --suppressions=$(abs_top_srcdir)/tests/valgrind.supp'

# What another processor may do otherwise: numbers, types, and the loops of the cpu backend that every processor
# has. EMULATOR runs a program of it (build-aux/aarch64.sh).
emulated_tests = $(filter-out tests/base/cast.t,$(base_tests)) tests/core/numbers.t tests/meaning/elementwise.t \
  tests/meaning/random.t tests/meaning/reduce.t tests/meaning/sort.t tests/api/fft.t tests/conform/few.t \
  tests/conform/struct.t tests/cpu/extremes.t
.PHONY: check-emulated
check-emulated:
	HEDDLE_TEST_SCALE=0.1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(emulated_tests)' \
	  check_PROGRAMS='$(filter $(emulated_tests),$(check_PROGRAMS))' \
	  AM_T_LOG_FLAGS='-k 10 600 $(SHELL) $(abs_top_srcdir)/tests/emulated.sh $(EMULATOR)'

# Which lines of the library the tests run, per folder (`configure --enable-coverage' counts them).
.PHONY: coverage
coverage:
	find . -name '*.gcda' -exec rm -f {} +
	-$(MAKE) $(AM_MAKEFLAGS) -k check-fast
	$(SHELL) $(srcdir)/tests/coverage.sh $(srcdir) '$(GCOVR)'

# The tests again, under prove.  (Not `prove -r`: it would also run what libtool keeps in .libs.)
.PHONY: prove
prove: check-build
	. tests/env.sh; $(PROVE) $(PROVEFLAGS) \
	  `for t in $(TESTS); do test -f ./$$t && echo ./$$t || echo $(srcdir)/$$t; done`

# Everything that `make check` builds, without running it.
.PHONY: check-build
check-build: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_LTLIBRARIES) $(check_PROGRAMS) $(check_DATA) $(check_SCRIPTS)

# Everything that `make check-race' and its like build.
.PHONY: check-clang-build check-emulated-build check-race-build
check-clang-build check-emulated-build check-race-build: check-%-build:
	$(MAKE) $(AM_MAKEFLAGS) check-build check_PROGRAMS='$(filter $($*_tests),$(check_PROGRAMS))'

include $(srcdir)/tests/api/local.mk
include $(srcdir)/tests/base/local.mk
include $(srcdir)/tests/cli/local.mk
include $(srcdir)/tests/conform/local.mk
include $(srcdir)/tests/core/local.mk
include $(srcdir)/tests/cpu/local.mk
include $(srcdir)/tests/cuda/local.mk
include $(srcdir)/tests/device/local.mk
include $(srcdir)/tests/fault/local.mk
include $(srcdir)/tests/fuse/local.mk
include $(srcdir)/tests/fuzz/local.mk
include $(srcdir)/tests/house/local.mk
include $(srcdir)/tests/install/local.mk
include $(srcdir)/tests/io/local.mk
include $(srcdir)/tests/kernels/local.mk
include $(srcdir)/tests/kit/local.mk
include $(srcdir)/tests/lint/local.mk
include $(srcdir)/tests/match/local.mk
include $(srcdir)/tests/meaning/local.mk
include $(srcdir)/tests/memory/local.mk
include $(srcdir)/tests/opencl/local.mk
include $(srcdir)/tests/random/local.mk
include $(srcdir)/tests/reference/local.mk
include $(srcdir)/tests/scenario/local.mk
include $(srcdir)/tests/streams/local.mk
include $(srcdir)/tests/tensor/local.mk
include $(srcdir)/tests/ultrasound/local.mk
include $(srcdir)/tests/vsa/local.mk

# What PoCL has compiled for the tests.
distclean-local:
	-rm -rf tests/pocl-cache
