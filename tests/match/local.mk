# SPDX-License-Identifier: BSD-3-Clause
# The match kit: scores, pool, peaks, simulation.

check_PROGRAMS += tests/match/checkpoint.t tests/match/direct.t tests/match/false_positives.t tests/match/faulty.t \
  tests/match/filters.t \
  tests/match/memory.t tests/match/parts.t tests/match/peaks.t tests/match/pool.t tests/match/refine.t tests/match/scores.t \
  tests/match/simulate.t tests/match/staged.t tests/match/statistics.t tests/match/where.t
slow_tests += tests/match/checkpoint.t tests/match/false_positives.t tests/match/memory.t tests/match/parts.t tests/match/staged.t

tests_match_checkpoint_t_SOURCES = tests/match/checkpoint.c $(kit_files_helpers)
tests_match_checkpoint_t_LDADD = $(kits_libs)
tests_match_direct_t_SOURCES = tests/match/direct.c
tests_match_direct_t_LDADD = $(kits_libs)
tests_match_false_positives_t_SOURCES = tests/match/false_positives.c
tests_match_false_positives_t_LDADD = $(kits_libs)
tests_match_filters_t_SOURCES = tests/match/filters.c
tests_match_filters_t_LDADD = $(kits_libs)
tests_match_memory_t_SOURCES = tests/match/memory.c
tests_match_memory_t_LDADD = $(kits_libs)
tests_match_faulty_t_SOURCES = tests/match/faulty.c
tests_match_faulty_t_LDADD = $(kits_libs)
tests_match_parts_t_SOURCES = tests/match/parts.c
tests_match_parts_t_LDADD = $(kits_libs)
tests_match_peaks_t_SOURCES = tests/match/peaks.c
tests_match_peaks_t_LDADD = $(kits_libs)
tests_match_pool_t_SOURCES = tests/match/pool.c
tests_match_pool_t_LDADD = $(kits_libs)
tests_match_refine_t_SOURCES = tests/match/refine.c
tests_match_refine_t_LDADD = $(kits_libs)
tests_match_scores_t_SOURCES = tests/match/scores.c
tests_match_scores_t_LDADD = $(kits_libs)
tests_match_simulate_t_SOURCES = tests/match/simulate.c
tests_match_simulate_t_LDADD = $(kits_libs)
tests_match_staged_t_SOURCES = tests/match/staged.c
tests_match_staged_t_LDADD = $(kits_libs)
tests_match_statistics_t_SOURCES = tests/match/statistics.c
tests_match_statistics_t_LDADD = $(kits_libs)
tests_match_where_t_SOURCES = tests/match/where.c
tests_match_where_t_LDADD = $(kits_libs)
