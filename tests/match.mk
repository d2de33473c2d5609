# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "match": scores, pool, peaks, simulation.

check_PROGRAMS += tests/api_correlation.t tests/match_parts.t tests/match_memory.t
check_PROGRAMS += tests/match_scores.t tests/match_pool.t tests/match_peaks.t tests/match_simulate.t
tests_api_correlation_t_SOURCES = tests/api_correlation.c tests/api.h
valgrind_tests += tests/api_correlation.t
tests_match_memory_t_SOURCES = tests/match_memory.c
slow_tests += tests/match_memory.t
tests_match_parts_t_SOURCES = tests/match_parts.c
tests_match_scores_t_SOURCES = tests/match_scores.c
tests_match_pool_t_SOURCES = tests/match_pool.c
tests_match_peaks_t_SOURCES = tests/match_peaks.c
tests_match_simulate_t_SOURCES = tests/match_simulate.c
