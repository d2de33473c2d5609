# SPDX-License-Identifier: BSD-3-Clause
# Memory: pools, statistics, limits, the ladder, what is to be had.

check_PROGRAMS += tests/memory_pool.t tests/memory_limits.t tests/memory_ladder.t tests/memory_storm.t \
  tests/memory_ordered.t tests/core_cgroup.t tests/memory_scratch.t
dist_check_SCRIPTS += tests/memory_cgroup.t
EXTRA_DIST += tests/memory.h
tests_memory_pool_t_SOURCES = tests/memory_pool.c
tests_memory_limits_t_SOURCES = tests/memory_limits.c
tests_memory_ladder_t_SOURCES = tests/memory_ladder.c
tests_memory_storm_t_SOURCES = tests/memory_storm.c
tests_memory_ordered_t_SOURCES = tests/memory_ordered.c
tests_core_cgroup_t_SOURCES = tests/core_cgroup.c
tests_core_cgroup_t_LDADD = $(internal_libs)
tests_memory_scratch_t_SOURCES = tests/memory_scratch.c
valgrind_tests += tests/memory_pool.t tests/memory_limits.t
