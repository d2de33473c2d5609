# SPDX-License-Identifier: BSD-3-Clause
# Hard situations of the runtime: the stack, plug-ins, arrays in other memory, threads, fork.
# HEDDLE_TEST_SCALE (0 to 1) shortens their repetitions.

check_PROGRAMS += tests/scenario_stack.t tests/scenario_blocks.t tests/scenario_plugins.t tests/scenario_arrays.t \
  tests/scenario_threads.t tests/scenario_fft.t tests/scenario_fork.t tests/scenario_tls.t tests/scenario_workers.t \
  tests/scenario_no_threads.t tests/scenario_fallback.t tests/scenario_loss.t
dist_check_SCRIPTS += tests/plugins_lists.t tests/scenario_asan.t
EXTRA_DIST += tests/op_lists.sh tests/minor2/heddle/backend.h tests/minor2/mirror.c tests/modules/numbered.c
EXTRA_PROGRAMS += tests/use_lists tests/use_mirror
CLEANFILES += tests/use_lists tests/use_mirror
check_DATA += tests/use_lists tests/use_mirror
tests_use_lists_SOURCES = tests/install/use_lists.c
tests_use_mirror_SOURCES = tests/install/use_mirror.c
dist_check_SCRIPTS += tests/scenario_backends.t tests/scenario_secure.t tests/scenario_cgroup.t tests/scenario_processors.t
EXTRA_DIST += tests/scenario.h

# The same functions in two translation units: with -fexceptions and without.
check_LTLIBRARIES += tests/libscenario-noexc.la
tests_libscenario_noexc_la_SOURCES = tests/scenario_leave.c tests/scenario_stack.h
tests_libscenario_noexc_la_CPPFLAGS = $(AM_CPPFLAGS) -DLEAVE=leave_without_exceptions
tests_libscenario_noexc_la_CFLAGS = $(AM_CFLAGS) -fno-exceptions
check_LTLIBRARIES += tests/libscenario-exc.la
tests_libscenario_exc_la_SOURCES = tests/scenario_leave.c tests/scenario_stack.h
tests_libscenario_exc_la_CPPFLAGS = $(AM_CPPFLAGS) -DLEAVE=leave_with_exceptions
tests_libscenario_exc_la_CFLAGS = $(AM_CFLAGS) -fexceptions

tests_scenario_stack_t_SOURCES = tests/scenario_stack.c tests/scenario_stack.h
tests_scenario_stack_t_LDADD = tests/libscenario-noexc.la tests/libscenario-exc.la $(LDADD)
tests_scenario_blocks_t_SOURCES = tests/scenario_blocks.c tests/api.h
tests_scenario_blocks_t_LDADD = $(LDADD) -lpthread
tests_scenario_plugins_t_SOURCES = tests/scenario_plugins.c
tests_scenario_arrays_t_SOURCES = tests/scenario_arrays.c
tests_scenario_threads_t_SOURCES = tests/scenario_threads.c
tests_scenario_threads_t_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_scenario_workers_t_SOURCES = tests/scenario_workers.c
tests_scenario_no_threads_t_SOURCES = tests/scenario_no_threads.c
tests_scenario_no_threads_t_LDFLAGS = -export-dynamic
tests_scenario_no_threads_t_LDADD = $(kits_libs)
tests_scenario_fallback_t_SOURCES = tests/scenario_fallback.c
tests_scenario_loss_t_SOURCES = tests/scenario_loss.c
tests_scenario_fft_t_SOURCES = tests/scenario_fft.c
tests_scenario_fork_t_SOURCES = tests/scenario_fork.c

# Opens the library itself, late.
tests_scenario_tls_t_SOURCES = tests/scenario_tls.c
tests_scenario_tls_t_LDADD = tests/libtap.la
EXTRA_tests_scenario_tls_t_DEPENDENCIES = lib/libheddle.la tests/modules/tls64.la tests/modules/tls8.la

EXTRA_PROGRAMS += tests/secure_helper
CLEANFILES += tests/secure_helper
check_DATA += tests/secure_helper
tests_secure_helper_SOURCES = tests/secure_helper.c
tests_secure_helper_LDADD = lib/libheddle.la

# Modules that tests copy and open.
test_module_ldflags = -rpath /nowhere -module -avoid-version -shared $(HED_SANITIZE_FLAGS)
check_LTLIBRARIES += tests/modules/chameleon.la tests/modules/bare.la tests/modules/undefined.la
tests_modules_chameleon_la_SOURCES = tests/modules/chameleon.c
tests_modules_chameleon_la_LDFLAGS = $(test_module_ldflags)
tests_modules_bare_la_SOURCES = tests/modules/bare.c
tests_modules_bare_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_modules_bare_la_LDFLAGS = $(test_module_ldflags)
tests_modules_undefined_la_SOURCES = tests/modules/undefined.c
tests_modules_undefined_la_LDFLAGS = $(test_module_ldflags)
check_LTLIBRARIES += tests/modules/tls64.la tests/modules/tls8.la
tests_modules_tls64_la_SOURCES = tests/modules/tls.c
tests_modules_tls64_la_CPPFLAGS = $(AM_CPPFLAGS) -DTLS_BYTES=64
tests_modules_tls64_la_LDFLAGS = $(test_module_ldflags)
tests_modules_tls8_la_SOURCES = tests/modules/tls.c
tests_modules_tls8_la_CPPFLAGS = $(AM_CPPFLAGS) -DTLS_BYTES=8
tests_modules_tls8_la_LDFLAGS = $(test_module_ldflags)

# Preloaded: a machine that seems to have more processors.
check_LTLIBRARIES += tests/modules/processors.la
tests_modules_processors_la_SOURCES = tests/modules/processors.c
tests_modules_processors_la_LIBADD = -ldl
tests_modules_processors_la_LDFLAGS = $(test_module_ldflags)
