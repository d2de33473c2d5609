# SPDX-License-Identifier: BSD-3-Clause
# Memory: pools, statistics, limits, the ladder, what is to be had.

check_PROGRAMS += tests/memory/ladder.t tests/memory/limits.t tests/memory/ordered.t tests/memory/pool.t tests/memory/scratch.t \
  tests/memory/storm.t
dist_check_SCRIPTS += tests/memory/cgroup.t
valgrind_tests += tests/memory/limits.t tests/memory/pool.t

EXTRA_DIST += tests/memory.h
tests_memory_pool_t_SOURCES = tests/memory/pool.c
tests_memory_limits_t_SOURCES = tests/memory/limits.c
tests_memory_ladder_t_SOURCES = tests/memory/ladder.c
tests_memory_storm_t_SOURCES = tests/memory/storm.c
tests_memory_ordered_t_SOURCES = tests/memory/ordered.c
tests_memory_scratch_t_SOURCES = tests/memory/scratch.c
