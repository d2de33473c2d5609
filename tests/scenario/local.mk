# SPDX-License-Identifier: BSD-3-Clause
# Hard situations of the runtime: the stack, plug-ins, arrays in other memory, threads, fork,
# inheritance with foreign hosts.  HEDDLE_TEST_SCALE (0 to 1) shortens their repetitions.

check_PROGRAMS += tests/scenario/arrays.t tests/scenario/blocks.t tests/scenario/cold.t tests/scenario/fallback.t \
  tests/scenario/fft.t \
  tests/scenario/fork.t tests/scenario/glib.t tests/scenario/hosts.t tests/scenario/inherit.t tests/scenario/loss.t \
  tests/scenario/no_threads.t tests/scenario/openmp.t tests/scenario/plain.t tests/scenario/plugins.t tests/scenario/pool.t \
  tests/scenario/profile.t \
  tests/scenario/regions.t \
  tests/scenario/stack.t tests/scenario/threads.t tests/scenario/tls.t tests/scenario/uv.t tests/scenario/workers.t
dist_check_SCRIPTS += tests/scenario/asan.t tests/scenario/backends.t tests/scenario/cancel.t tests/scenario/cgroup.t \
  tests/scenario/listen.t tests/scenario/llvm.t \
  tests/scenario/local.t tests/scenario/plugins_lists.t tests/scenario/preload.t tests/scenario/processors.t \
  tests/scenario/race.t tests/scenario/secure.t
if HAVE_CXX17
check_PROGRAMS += tests/scenario/cxx.t
endif

EXTRA_PROGRAMS += tests/scenario/race_helper
CLEANFILES += tests/scenario/race_helper
check_DATA += tests/scenario/race_helper

# Ahead of libc, and kept although nothing of it is called by name.
inherit_libs = tests/libtap.la $(HED_SHARED_LDFLAGS) -lheddle-inherit -lheddle
inherit_ldflags = $(AM_LDFLAGS) -Wl,--no-as-needed
inherit_cppflags = $(AM_CPPFLAGS) -DSCENARIO_INHERITS=1

# A host program runs with the interposer linked; plain.t is hosts.t without it; preload.t runs both with it preloaded
# and switched off.
tests_scenario_inherit_t_SOURCES = tests/scenario/inherit.c tests/scenario.h
tests_scenario_profile_t_SOURCES = tests/scenario/profile.c tests/profile_check.h tests/scenario.h
tests_scenario_hosts_t_SOURCES = tests/scenario/hosts.c tests/scenario/hosts.h tests/scenario.h
tests_scenario_hosts_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_hosts_t_LDADD = $(inherit_libs)
tests_scenario_hosts_t_LDFLAGS = $(inherit_ldflags)
tests_scenario_race_helper_SOURCES = tests/scenario/race_helper.c
tests_scenario_race_helper_LDADD = $(inherit_libs)
tests_scenario_race_helper_LDFLAGS = $(inherit_ldflags)
tests_scenario_plain_t_SOURCES = tests/scenario/hosts.c tests/scenario/hosts.h tests/scenario.h
tests_scenario_plain_t_CPPFLAGS = $(AM_CPPFLAGS) -DSCENARIO_INHERITS=0
tests_scenario_openmp_t_SOURCES = tests/scenario/openmp.c tests/scenario/hosts.h tests/scenario.h
tests_scenario_openmp_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_openmp_t_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_scenario_openmp_t_LDADD = $(inherit_libs)
tests_scenario_openmp_t_LDFLAGS = $(inherit_ldflags)
tests_scenario_regions_t_SOURCES = tests/scenario/regions.c tests/scenario/hosts.h tests/scenario.h
tests_scenario_regions_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_regions_t_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_scenario_regions_t_LDADD = $(inherit_libs)
tests_scenario_regions_t_LDFLAGS = $(inherit_ldflags)
tests_scenario_glib_t_SOURCES = tests/scenario/glib.c tests/scenario/hosts.h tests/scenario.h
tests_scenario_glib_t_LDADD = $(inherit_libs) $(GLIB_LIBS)
tests_scenario_glib_t_LDFLAGS = $(inherit_ldflags)
if HAVE_GLIB
tests_scenario_glib_t_CPPFLAGS = $(inherit_cppflags) -DHAVE_GLIB=1 $(GLIB_CFLAGS)
else
tests_scenario_glib_t_CPPFLAGS = $(inherit_cppflags)
endif
tests_scenario_uv_t_SOURCES = tests/scenario/uv.c tests/scenario/hosts.h tests/scenario.h
tests_scenario_uv_t_LDADD = $(inherit_libs) $(UV_LIBS)
tests_scenario_uv_t_LDFLAGS = $(inherit_ldflags)
if HAVE_UV
tests_scenario_uv_t_CPPFLAGS = $(inherit_cppflags) -DHAVE_UV=1 $(UV_CFLAGS)
else
tests_scenario_uv_t_CPPFLAGS = $(inherit_cppflags)
endif
EXTRA_DIST += tests/scenario/cxx.cc
if HAVE_CXX17
tests_scenario_cxx_t_SOURCES = tests/scenario/cxx.cc tests/scenario/hosts.h tests/scenario.h
tests_scenario_cxx_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_cxx_t_LDADD = $(inherit_libs)
tests_scenario_cxx_t_LDFLAGS = $(inherit_ldflags)
endif
EXTRA_DIST += tests/op_lists.sh tests/minor2/heddle/backend.h tests/modules/numbered.c
EXTRA_PROGRAMS += tests/scenario/use_lists tests/scenario/use_mirror
CLEANFILES += tests/scenario/use_lists tests/scenario/use_mirror
check_DATA += tests/scenario/use_lists tests/scenario/use_mirror
tests_scenario_use_lists_SOURCES = tests/install/use_lists.c
tests_scenario_use_mirror_SOURCES = tests/install/use_mirror.c
EXTRA_DIST += tests/scenario.h

# The same functions in two translation units: with -fexceptions and without.
check_LTLIBRARIES += tests/libscenario-noexc.la
tests_libscenario_noexc_la_SOURCES = tests/scenario/leave.c tests/scenario/stack.h
tests_libscenario_noexc_la_CPPFLAGS = $(AM_CPPFLAGS) -DLEAVE=leave_without_exceptions
tests_libscenario_noexc_la_CFLAGS = $(AM_CFLAGS) -fno-exceptions
check_LTLIBRARIES += tests/libscenario-exc.la
tests_libscenario_exc_la_SOURCES = tests/scenario/leave.c tests/scenario/stack.h
tests_libscenario_exc_la_CPPFLAGS = $(AM_CPPFLAGS) -DLEAVE=leave_with_exceptions
tests_libscenario_exc_la_CFLAGS = $(AM_CFLAGS) -fexceptions
tests_scenario_stack_t_SOURCES = tests/scenario/stack.c tests/scenario/stack.h
tests_scenario_stack_t_LDADD = tests/libscenario-noexc.la tests/libscenario-exc.la $(LDADD)
tests_scenario_blocks_t_SOURCES = tests/scenario/blocks.c tests/api.h
tests_scenario_blocks_t_LDADD = $(LDADD) -lpthread
tests_scenario_plugins_t_SOURCES = tests/scenario/plugins.c
tests_scenario_arrays_t_SOURCES = tests/scenario/arrays.c
tests_scenario_threads_t_SOURCES = tests/scenario/threads.c
tests_scenario_threads_t_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_scenario_workers_t_SOURCES = tests/scenario/workers.c
tests_scenario_no_threads_t_SOURCES = tests/scenario/no_threads.c
tests_scenario_no_threads_t_LDFLAGS = -export-dynamic
tests_scenario_no_threads_t_LDADD = $(kits_libs)
tests_scenario_fallback_t_SOURCES = tests/scenario/fallback.c
tests_scenario_loss_t_SOURCES = tests/scenario/loss.c
tests_scenario_fft_t_SOURCES = tests/scenario/fft.c
tests_scenario_cold_t_SOURCES = tests/scenario/cold.c tests/calls.h tests/calls.def
tests_scenario_cold_t_LDADD = $(LDADD) -lpthread
tests_scenario_pool_t_SOURCES = tests/scenario/pool.c
tests_scenario_pool_t_LDADD = $(LDADD) -lpthread
EXTRA_tests_scenario_pool_t_DEPENDENCIES = examples/backend/relay.la
tests_scenario_fork_t_SOURCES = tests/scenario/fork.c

# Opens the library itself, late.
tests_scenario_tls_t_SOURCES = tests/scenario/tls.c
tests_scenario_tls_t_LDADD = tests/libtap.la
EXTRA_tests_scenario_tls_t_DEPENDENCIES = lib/libheddle.la tests/modules/tls64.la tests/modules/tls8.la
EXTRA_PROGRAMS += tests/scenario/secure_helper
CLEANFILES += tests/scenario/secure_helper
check_DATA += tests/scenario/secure_helper
tests_scenario_secure_helper_SOURCES = tests/scenario/secure_helper.c
tests_scenario_secure_helper_LDADD = lib/libheddle.la

# Modules that tests copy and open.
test_module_ldflags = -rpath /nowhere -module -avoid-version -shared $(HED_SANITIZE_FLAGS)
check_LTLIBRARIES += tests/modules/chameleon.la tests/modules/bare.la tests/modules/nvtx.la tests/modules/undefined.la
tests_modules_chameleon_la_SOURCES = tests/modules/chameleon.c
tests_modules_chameleon_la_LDFLAGS = $(test_module_ldflags)
tests_modules_bare_la_SOURCES = tests/modules/bare.c
tests_modules_bare_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_modules_bare_la_LDFLAGS = $(test_module_ldflags)
tests_modules_nvtx_la_SOURCES = tests/modules/nvtx.c
tests_modules_nvtx_la_LDFLAGS = $(test_module_ldflags)
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

# Preloaded: looks for cancellation points that are reached while a lock is held.
check_LTLIBRARIES += tests/modules/cancel.la
tests_modules_cancel_la_SOURCES = tests/modules/cancel.c
tests_modules_cancel_la_LIBADD = -ldl
tests_modules_cancel_la_LDFLAGS = $(test_module_ldflags)
