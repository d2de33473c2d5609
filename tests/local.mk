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
#   loops alone, on one thread            kernel_tests += tests/AREA/foo.t         (not in the sanitizer builds)
#   longer than a second of a processor   long_tests below
#   quick enough for valgrind             valgrind_tests += tests/AREA/foo.t       (C programs only)
#   other processors, emulated            emulated_tests += tests/AREA/foo.t
#
# TESTS is every program and script of those lists: nothing else to add.  A C test links libheddle
# and libtap (tap.h, gen.h).  A test of internals (hed__*) sets
#   tests_AREA_foo_t_LDADD = $(internal_libs)
# and gets a static copy of the library and the kits; it must not load backend modules.  A test of a kit links
# $(kits_libs).  What several areas share (tap.h, gen.h ..) lies beside this file, and is included by its name alone.

TEST_EXTENSIONS = .t
# What each test takes is in its .trs file; `make slowest' lists it.
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/tests/clock.sh $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_T_LOG_DRIVER_FLAGS = --comments
AM_TESTS_ENVIRONMENT = . tests/env.sh || exit 1;
# A test that hangs is an error after ten minutes.
T_LOG_COMPILER = timeout
AM_T_LOG_FLAGS = -k 10 600
EXTRA_DIST += tests/README tests/bits tests/cgroup.sh tests/changed tests/clock.sh tests/conform/few.t tests/coverage.sh tests/debian \
  tests/emulated.sh tests/kept tests/lsan.supp tests/mutate.py tests/rotate tests/skips tests/slowest.sh tests/tap.sh tests/tsan.supp \
  tests/valgrind.supp

check_LTLIBRARIES += tests/libtap.la tests/libheddle-internal.la
tests_libtap_la_SOURCES = tests/arrays.h tests/tap.c tests/tap.h tests/gen.c tests/gen.h
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

# ---- parts of the suite: make check-PART builds what it needs, and no more, and runs PART_tests ----
all_tests = $(filter-out tests/house/examples.t,$(check_PROGRAMS) $(dist_check_SCRIPTS))

# For the address sanitizer, which finds where memory is wrong, not what is computed: no lint, nothing slow, no programs that
# repeat numbers alone; and of those that take longest there, of kits, their commands and the cpu backend, a third by the seed.
fast_tests = $(filter-out $(slow_tests) $(lint_tests) $(kernel_tests) $(number_tests) \
  $(filter-out $(share_of_three),$(shared_tests)),$(all_tests))
shared_tests = $(filter-out $(race_tests), \
  $(filter tests/cli/decompose.t tests/cli/match.t tests/cli/peaks.t tests/conform/cpu.t tests/conform/units.t \
  tests/conform/units_kits.t tests/cpu/% tests/fuse/axes.t tests/grad/% tests/match/% tests/nn/% tests/tensor/% tests/ultrasound/% \
  tests/vsa/%, \
  $(all_tests)))
share_of_three = $(if $(filter 1,$(HEDDLE_TEST_FULL)),$(shared_tests),$(shell echo $(shared_tests) | \
  $(AWK) -v share=`$(SHELL) $(srcdir)/tests/rotate 3` '{ for (i = share + 1; i <= NF; i += 3) print $$i }'))
number_tests = tests/api/reduce/norms.t tests/api/reduce/sort.t tests/base/cast.t tests/conform/faulty.t tests/cpu/products.t \
  tests/fuse/norms.t

# For the thread sanitizer, what has several threads: hosts with threads of their own, the runtime and its memory, late streams,
# modules, and the helper threads of the cpu backend.
race_tests = $(filter-out $(slow_tests) tests/scenario/no_threads.t, \
  $(filter tests/scenario/%.t tests/core/cache.t tests/core/device.t tests/core/runtime.t \
  tests/memory/%.t tests/streams/%.t tests/device/faulty_%.t tests/io/dlpack.t tests/fault/alloc_streams.t tests/cpu/plans.t \
  tests/cpu/scratch.t tests/cpu/storm.t tests/cpu/stream.t tests/cpu/team.t tests/cpu/transforms.t tests/device/exchange.t \
  tests/device/ops.t tests/device/pinned.t tests/fuse/chain.t tests/fuse/plugins.t tests/fuse/random.t tests/fuse/scope.t \
  tests/api/fft/plan.t tests/api/call/spaces.t tests/match/pool.t tests/nn/ahead.t tests/program/program.t \
  tests/vsa/equal.t,$(all_tests)))

# In seconds, without optimization that takes long to compile: what shows within one second of a processor that code is wrong.
# Long are those that take more, or run other tests' programs.
quick_tests = $(filter-out $(slow_tests) $(lint_tests) $(long_tests),$(all_tests))
long_tests = tests/api/elementwise/copy.t tests/api/call/hostile.t tests/api/reduce/norms.t tests/api/reduce/large.t \
  tests/api/reduce/long.t \
  tests/api/reduce/shapes.t tests/api/reduce/spread.t tests/api/reduce/running.t tests/api/reduce/softmax.t tests/api/reduce/sort.t \
  tests/api/linalg/tall.t tests/base/cast.t tests/cli/compare.t tests/cli/decompose.t tests/cli/info.t tests/cli/manners.t \
  tests/cli/match.t tests/cli/peaks.t tests/conform/cpu.t tests/conform/failing.t tests/conform/failing_opencl.t \
  tests/conform/faulty.t tests/conform/narrow.t \
  tests/conform/units.t tests/conform/units_kits.t tests/cpu/elementwise.t tests/cpu/factor.t \
  tests/cpu/norms.t tests/cpu/products.t tests/cpu/running.t tests/cpu/slices.t tests/cpu/stream.t tests/cpu/structured.t \
  tests/cpu/team.t tests/device/bytes.t tests/fault/alloc_calls.t tests/fault/first_calls.t tests/fuse/axes.t \
  tests/house/doc_examples.t tests/house/seeds.t \
  tests/match/direct.t tests/match/faulty.t tests/match/pool.t tests/match/scores.t tests/match/simulate.t tests/match/statistics.t \
  tests/memory/scratch.t tests/nn/cells.t tests/nn/failing_opencl.t tests/nn/nomem.t \
  tests/scenario/backends.t tests/scenario/cancel.t tests/scenario/cold.t tests/scenario/fork.t tests/scenario/pool.t \
  tests/scenario/no_threads.t tests/scenario/plugins_lists.t tests/scenario/processors.t tests/scenario/threads.t \
  tests/scenario/workers.t tests/tensor/als.t tests/tensor/models.t tests/tensor/more.t tests/tensor/parafac2.t \
  tests/tensor/peer.t tests/tensor/train.t tests/vsa/encode.t tests/vsa/encode_nomem.t tests/vsa/equal.t \
  tests/vsa/memory.t

# For a second compiler with sanitizers: numbers, loops whose source differs, the stack, modules.
clang_tests = $(base_tests) $(api_tests) tests/conform/struct.t tests/cpu/complex.t tests/cpu/running.t tests/fuse/axes.t \
  tests/scenario/plugins.t tests/scenario/stack.t

# Unit tests under valgrind; what it finds makes the test fail.
valgrind_run = T_LOG_COMPILER='env HEDDLE_POOL=0 HEDDLE_DISABLE=opencl,cuda valgrind' \
  AM_T_LOG_FLAGS='-q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
    --child-silent-after-fork=yes --suppressions=$(abs_top_srcdir)/tests/valgrind.supp'

# What another processor may do otherwise: numbers, types, and the loops of the cpu backend that every processor
# has. EMULATOR runs a program of it (build-aux/aarch64.sh).
emulated_tests = $(filter-out tests/base/cast.t,$(base_tests)) tests/core/numbers.t tests/meaning/elementwise.t \
  tests/meaning/random.t tests/meaning/reduce.t tests/meaning/sort.t tests/api/fft/fft.t tests/conform/few.t \
  tests/conform/struct.t tests/cpu/extremes.t
emulated_run = HEDDLE_TEST_SCALE=0.1 \
  AM_T_LOG_FLAGS='-k 10 600 $(SHELL) $(abs_top_srcdir)/tests/emulated.sh $(EMULATOR)'

# What another C library may do otherwise: threads, their state, the loader. Without the words of glibc's loader, and without
# what needs the cpu backend, exceptions or namespaces.
musl_tests = $(filter-out tests/scenario/fallback.t tests/scenario/no_threads.t tests/scenario/plugins.t \
  tests/scenario/stack.t,$(base_tests) $(filter tests/core/%.t tests/memory/%.t tests/streams/%.t tests/scenario/%.t, \
  $(check_PROGRAMS)))

# Without what drivers of devices need, as none runs in these, and without examples but for one that writes a test's data.
part = check_PROGRAMS='$(filter $($*_tests),$(check_PROGRAMS))' \
  check_DATA='$(filter-out $(part_without) $($*_without),$(check_DATA))' \
  check_LTLIBRARIES='$(filter-out tests/cudashim/% tests/libkernels.la $($*_without),$(check_LTLIBRARIES))'
part_libraries = $(filter-out lib/backends/cuda.la lib/backends/opencl.la,$(lib_LTLIBRARIES) $(pkglib_LTLIBRARIES) \
  $(heddlemod_LTLIBRARIES) $(heddleteam_LTLIBRARIES))
part_without = $(filter-out examples/07_%,$(filter examples/%,$(check_DATA))) tests/cuda/% tests/gpu/% tests/pocl-cache/%
quick_without = tests/conform/conform
musl_without = tests/conform/conform tests/modules/cancel.la
race_without = tests/conform/conform tests/cpu/use_team tests/scenario/secure_helper

parts = clang emulated fast musl quick race valgrind
.PHONY: $(parts:%=check-%) $(parts:%=check-%-build) check-part-build
$(parts:%=check-%): check-%: check-%-build
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$($*_tests)' $(part) $($*_run)
$(parts:%=check-%-build): check-%-build: $(BUILT_SOURCES) $(HEADERS)
	$(MAKE) $(AM_MAKEFLAGS) check-part-build $(part)
check-part-build: $(part_libraries) $(bin_PROGRAMS) $(pkgdata_DATA) $(check_LTLIBRARIES) $(check_PROGRAMS) $(check_DATA)

# The twenty tests of the last run that took most processor seconds.
.PHONY: slowest
slowest:
	@$(SHELL) $(srcdir)/tests/slowest.sh | head -20

# Which lines of the library the tests run, per folder (`configure --enable-coverage' counts them).
.PHONY: coverage
coverage:
	find . -name '*.gcda' -exec rm -f {} +
	-$(MAKE) $(AM_MAKEFLAGS) -k check-fast
	$(SHELL) $(srcdir)/tests/coverage.sh $(srcdir) '$(GCOVR)'

# The tests again, under prove.  (Not `prove -r`: it would also run what libtool keeps in .libs.)
.PHONY: prove
prove: check-build
	. tests/env.sh && $(PROVE) $(PROVEFLAGS) \
	  `for t in $(TESTS); do test -f ./$$t && echo ./$$t || echo $(srcdir)/$$t; done`

# Everything that `make check` builds, without running it.
.PHONY: check-build
check-build: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_LTLIBRARIES) $(check_PROGRAMS) $(check_DATA) $(check_SCRIPTS)

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
include $(srcdir)/tests/grad/local.mk
include $(srcdir)/tests/program/local.mk
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
include $(srcdir)/tests/nn/local.mk
include $(srcdir)/tests/opencl/local.mk
include $(srcdir)/tests/random/local.mk
include $(srcdir)/tests/reference/local.mk
include $(srcdir)/tests/scenario/local.mk
include $(srcdir)/tests/streams/local.mk
include $(srcdir)/tests/tensor/local.mk
include $(srcdir)/tests/ultrasound/local.mk
include $(srcdir)/tests/vsa/local.mk

# What PoCL has compiled for the tests.  Its drivers do not run with the sanitizers.
check_DATA += tests/pocl-cache/taken
tests/pocl-cache/taken:
	$(AM_V_GEN)mkdir -p tests/pocl-cache
	$(AM_V_at)test '$(HED_SANITIZERS)' != no || $(SHELL) $(srcdir)/tests/kept take
	$(AM_V_at)echo >$@
check-local: check-TESTS
	$(AM_V_at)test '$(HED_SANITIZERS)' != no || $(SHELL) $(srcdir)/tests/kept give
distclean-local:
	-rm -rf tests/pocl-cache
