# SPDX-License-Identifier: BSD-3-Clause
# Inheritance, with foreign hosts.  A host program runs with the interposer
# linked; scenario_plain.t is scenario_hosts.t without it; scenario_preload.t runs both with it
# preloaded and switched off.

check_PROGRAMS += tests/scenario_inherit.t tests/scenario_hosts.t tests/scenario_plain.t \
  tests/scenario_openmp.t tests/scenario_regions.t tests/scenario_glib.t tests/scenario_uv.t
dist_check_SCRIPTS += tests/scenario_preload.t tests/scenario_race.t tests/scenario_llvm.t tests/scenario_local.t
EXTRA_PROGRAMS += tests/race_helper
CLEANFILES += tests/race_helper
check_DATA += tests/race_helper

# Ahead of libc, and kept although nothing of it is called by name.
inherit_libs = tests/libtap.la lib/libheddle-inherit.la lib/libheddle.la
inherit_ldflags = $(AM_LDFLAGS) -Wl,--no-as-needed
inherit_cppflags = $(AM_CPPFLAGS) -DSCENARIO_INHERITS=1

tests_scenario_inherit_t_SOURCES = tests/scenario_inherit.c tests/scenario.h

tests_scenario_hosts_t_SOURCES = tests/scenario_hosts.c tests/scenario_hosts.h tests/scenario.h
tests_scenario_hosts_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_hosts_t_LDADD = $(inherit_libs)
tests_scenario_hosts_t_LDFLAGS = $(inherit_ldflags)

tests_race_helper_SOURCES = tests/race_helper.c
tests_race_helper_LDADD = $(inherit_libs)
tests_race_helper_LDFLAGS = $(inherit_ldflags)

tests_scenario_plain_t_SOURCES = tests/scenario_hosts.c tests/scenario_hosts.h tests/scenario.h
tests_scenario_plain_t_CPPFLAGS = $(AM_CPPFLAGS) -DSCENARIO_INHERITS=0

tests_scenario_openmp_t_SOURCES = tests/scenario_openmp.c tests/scenario_hosts.h tests/scenario.h
tests_scenario_openmp_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_openmp_t_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_scenario_openmp_t_LDADD = $(inherit_libs)
tests_scenario_openmp_t_LDFLAGS = $(inherit_ldflags)

tests_scenario_regions_t_SOURCES = tests/scenario_regions.c tests/scenario_hosts.h tests/scenario.h
tests_scenario_regions_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_regions_t_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_scenario_regions_t_LDADD = $(inherit_libs)
tests_scenario_regions_t_LDFLAGS = $(inherit_ldflags)

tests_scenario_glib_t_SOURCES = tests/scenario_glib.c tests/scenario_hosts.h tests/scenario.h
tests_scenario_glib_t_LDADD = $(inherit_libs) $(GLIB_LIBS)
tests_scenario_glib_t_LDFLAGS = $(inherit_ldflags)
if HAVE_GLIB
tests_scenario_glib_t_CPPFLAGS = $(inherit_cppflags) -DHAVE_GLIB=1 $(GLIB_CFLAGS)
else
tests_scenario_glib_t_CPPFLAGS = $(inherit_cppflags)
endif

tests_scenario_uv_t_SOURCES = tests/scenario_uv.c tests/scenario_hosts.h tests/scenario.h
tests_scenario_uv_t_LDADD = $(inherit_libs) $(UV_LIBS)
tests_scenario_uv_t_LDFLAGS = $(inherit_ldflags)
if HAVE_UV
tests_scenario_uv_t_CPPFLAGS = $(inherit_cppflags) -DHAVE_UV=1 $(UV_CFLAGS)
else
tests_scenario_uv_t_CPPFLAGS = $(inherit_cppflags)
endif

EXTRA_DIST += tests/scenario_cxx.cc
if HAVE_CXX17
check_PROGRAMS += tests/scenario_cxx.t
tests_scenario_cxx_t_SOURCES = tests/scenario_cxx.cc tests/scenario_hosts.h tests/scenario.h
tests_scenario_cxx_t_CPPFLAGS = $(inherit_cppflags)
tests_scenario_cxx_t_LDADD = $(inherit_libs)
tests_scenario_cxx_t_LDFLAGS = $(inherit_ldflags)
endif
