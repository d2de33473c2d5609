# SPDX-License-Identifier: BSD-3-Clause
# Tests: one fragment per area, tests/AREA.mk, included at the end of this file.
#
#   a C test       check_PROGRAMS += tests/foo.t
#                  tests_foo_t_SOURCES = tests/foo.c
#   a shell test   dist_check_SCRIPTS += tests/foo.t          (executable, in the source tree)
#   a helper       EXTRA_PROGRAMS += tests/foo-helper, check_DATA += tests/foo-helper
#   a module       check_LTLIBRARIES, with -module -avoid-version -rpath /nowhere
#
#   too slow for the sanitizer builds     slow_tests += tests/foo.t
#   loops alone, on one thread            kernel_tests += tests/foo.t         (not in the sanitizer builds)
#   longer than a second of a processor   long_tests below
#   quick enough for valgrind             valgrind_tests += tests/foo.t       (C programs only)
#   other processors, emulated            emulated_tests += tests/foo.t
#
# TESTS is every program and script of those lists: nothing else to add.  A C test links libheddle
# and libtap (tap.h, gen.h).  A test of internals (hed__*) sets
#   tests_foo_t_LDADD = $(internal_libs)
# and gets a static copy of the library and the kits; it must not load backend modules.

TEST_EXTENSIONS = .t
# What each test takes is in its .trs file; `make slowest' lists it.
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/tests/clock.sh $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_T_LOG_DRIVER_FLAGS = --comments
AM_TESTS_ENVIRONMENT = . tests/env.sh || exit 1;
# A test that hangs is an error after ten minutes.
T_LOG_COMPILER = timeout
AM_T_LOG_FLAGS = -k 10 600
EXTRA_DIST += tests/README tests/cgroup.sh tests/changed tests/clock.sh tests/conform_few.t tests/coverage.sh tests/emulated.sh \
  tests/kept tests/mutate.py tests/rotate tests/skips tests/slowest.sh tests/tap.sh tests/tsan.supp tests/valgrind.supp

check_LTLIBRARIES += tests/libtap.la tests/libheddle-internal.la
tests_libtap_la_SOURCES = tests/tap.c tests/tap.h tests/gen.c tests/gen.h
tests_libtap_la_LIBADD = -lm
tests_libheddle_internal_la_SOURCES = $(lib_libheddle_la_SOURCES) $(lib_libheddle_kits_la_SOURCES)
tests_libheddle_internal_la_LIBADD = $(lib_libheddle_la_LIBADD)

LDADD = tests/libtap.la lib/libheddle.la
internal_libs = $(HED_STATIC_LDFLAGS) tests/libtap.la tests/libheddle-internal.la -lm -ldl -lpthread

TESTS = $(check_PROGRAMS) $(dist_check_SCRIPTS)
slow_tests =
kernel_tests =
valgrind_tests = tests/house_tap.t tests/house_gen.t

# ---- parts of the suite: make check-PART builds what it needs, and no more, and runs PART_tests ----
all_tests = $(filter-out tests/examples.t,$(check_PROGRAMS) $(dist_check_SCRIPTS))

# For the address sanitizer, which finds where memory is wrong, not what is computed: no lint, nothing slow, and no programs that
# repeat numbers alone.
fast_tests = $(filter-out $(slow_tests) $(lint_tests) $(kernel_tests) $(number_tests),$(all_tests))
number_tests = tests/api_norms.t tests/api_sort.t tests/base_cast.t tests/conform_faulty.t tests/cpu_products.t \
  tests/fuse_norms.t

# For the thread sanitizer, what has several threads: hosts with threads of their own, the runtime and its memory, late streams,
# modules, and the helper threads of the cpu backend.
race_tests = $(filter-out $(slow_tests),$(filter tests/scenario_%.t tests/core_cache.t tests/core_device.t tests/core_runtime.t \
  tests/memory_%.t tests/streams_%.t tests/faulty_%.t tests/interop_dlpack.t tests/fault_alloc_streams.t tests/cpu_plans.t \
  tests/cpu_scratch.t tests/cpu_storm.t tests/cpu_stream.t tests/cpu_team.t tests/cpu_transforms.t tests/device_exchange.t \
  tests/device_ops.t tests/device_pinned.t tests/fuse_chain.t tests/fuse_plugins.t tests/fuse_random.t tests/fuse_scope.t \
  tests/api_fft_plan.t tests/api_spaces.t tests/match_pool.t tests/vsa_equal.t,$(all_tests)))

# In seconds, without optimization that takes long to compile: what shows within one second of a processor that code is wrong.
quick_tests = $(filter-out $(slow_tests) $(lint_tests) $(long_tests),$(all_tests))
long_tests = tests/api_copy.t tests/api_hostile.t tests/api_norms.t tests/api_reduce_large.t tests/api_reduce_long.t \
  tests/api_reduce_shapes.t tests/api_reduce_spread.t tests/api_running.t tests/api_softmax.t tests/api_sort.t tests/api_tall.t \
  tests/base_cast.t tests/cli_compare.t tests/cli_decompose.t tests/cli_info.t tests/cli_manners.t tests/cli_match.t \
  tests/cli_peaks.t tests/conform_cpu.t tests/conform_faulty.t tests/cpu_elementwise.t tests/cpu_factor.t tests/cpu_narrow.t \
  tests/cpu_norms.t tests/cpu_products.t tests/cpu_running.t tests/cpu_slices.t tests/cpu_stream.t tests/cpu_structured.t \
  tests/cpu_team.t tests/device_bytes.t tests/fuse_axes.t tests/match_faulty.t tests/match_pool.t tests/match_scores.t \
  tests/match_simulate.t tests/match_statistics.t tests/memory_scratch.t tests/scenario_backends.t tests/scenario_fork.t \
  tests/scenario_no_threads.t tests/scenario_workers.t tests/tensor_als.t tests/tensor_models.t tests/tensor_more.t \
  tests/tensor_parafac2.t tests/tensor_peer.t tests/tensor_train.t tests/vsa_encode.t tests/vsa_encode_nomem.t \
  tests/vsa_equal.t tests/vsa_memory.t

# For a second compiler with sanitizers: numbers, loops whose source differs, the stack, modules.
clang_tests = $(base_tests) $(api_tests) tests/conform_struct.t tests/cpu_complex.t tests/cpu_running.t tests/fuse_axes.t \
  tests/reference_matmul.t tests/reference_sort.t tests/scenario_plugins.t tests/scenario_stack.t

# Unit tests under valgrind; what it finds makes the test fail.
valgrind_run = T_LOG_COMPILER='env HEDDLE_POOL=0 HEDDLE_DISABLE=opencl,cuda valgrind' \
  AM_T_LOG_FLAGS='-q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
    --child-silent-after-fork=yes --suppressions=$(abs_top_srcdir)/tests/valgrind.supp'

# What another processor may do otherwise: numbers, types, and the loops of the cpu backend that every processor
# has. EMULATOR runs a program of it (build-aux/aarch64.sh).
emulated_tests = $(filter-out tests/base_cast.t,$(base_tests)) tests/core_numbers.t tests/meaning_elementwise.t \
  tests/meaning_random.t tests/meaning_reduce.t tests/meaning_sort.t tests/api_fft.t tests/conform_few.t \
  tests/conform_struct.t tests/cpu_extremes.t
emulated_run = HEDDLE_TEST_SCALE=0.1 \
  AM_T_LOG_FLAGS='-k 10 600 $(SHELL) $(abs_top_srcdir)/tests/emulated.sh $(EMULATOR)'

# Without what drivers of devices need, as none runs in these, and without examples but for one that writes a test's data.
part = check_PROGRAMS='$(filter $($*_tests),$(check_PROGRAMS))' \
  check_DATA='$(filter-out $(part_without) $($*_without),$(check_DATA))' \
  check_LTLIBRARIES='$(filter-out tests/cudashim/% tests/libkernels.la,$(check_LTLIBRARIES))'
part_libraries = $(filter-out lib/backends/cuda.la lib/backends/opencl.la,$(lib_LTLIBRARIES) $(pkglib_LTLIBRARIES) \
  $(heddlemod_LTLIBRARIES) $(heddleteam_LTLIBRARIES))
part_without = $(filter-out examples/07_%,$(filter examples/%,$(check_DATA))) tests/cuda_% tests/gpu/% tests/pocl-cache/%
quick_without = tests/conform
race_without = tests/conform tests/use_% tests/secure_helper

parts = clang emulated fast quick race valgrind
.PHONY: $(parts:%=check-%) $(parts:%=check-%-build) check-part-build
$(parts:%=check-%): check-%: check-%-build
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$($*_tests)' $(part) $($*_run)
$(parts:%=check-%-build): check-%-build: $(BUILT_SOURCES) $(HEADERS)
	$(MAKE) $(AM_MAKEFLAGS) check-part-build $(part)
check-part-build: $(part_libraries) $(bin_PROGRAMS) $(check_LTLIBRARIES) $(check_PROGRAMS) $(check_DATA)

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

check_PROGRAMS += tests/house_tap.t tests/house_gen.t
tests_house_tap_t_SOURCES = tests/house_tap.c
tests_house_gen_t_SOURCES = tests/house_gen.c
dist_check_SCRIPTS += tests/house/kept.t tests/house/rotate.t tests/house/seeds.t

include $(srcdir)/tests/api.mk
include $(srcdir)/tests/arrays.mk
include $(srcdir)/tests/base.mk
include $(srcdir)/tests/cli.mk
include $(srcdir)/tests/conform.mk
include $(srcdir)/tests/cpu.mk
include $(srcdir)/tests/fault.mk
include $(srcdir)/tests/faulty.mk
include $(srcdir)/tests/cuda.mk
include $(srcdir)/tests/device.mk
include $(srcdir)/tests/fuse.mk
include $(srcdir)/tests/fft.mk
include $(srcdir)/tests/inherit.mk
include $(srcdir)/tests/kernels.mk
include $(srcdir)/tests/install.mk
include $(srcdir)/tests/io.mk
include $(srcdir)/tests/kits.mk
include $(srcdir)/tests/lint.mk
include $(srcdir)/tests/memory.mk
include $(srcdir)/tests/opencl.mk
include $(srcdir)/tests/ops.mk
include $(srcdir)/tests/order.mk
include $(srcdir)/tests/python.mk
include $(srcdir)/tests/random.mk
include $(srcdir)/tests/reference.mk
include $(srcdir)/tests/runtime.mk
include $(srcdir)/tests/scenario.mk
include $(srcdir)/tests/streams.mk
include $(srcdir)/tests/tool.mk

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
