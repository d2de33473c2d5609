# SPDX-License-Identifier: BSD-3-Clause
# Tests of random numbers through the public interface; see tests/local.mk.
random_tests = tests/random_distributions.t tests/random_equal.t tests/random_choosing.t tests/meaning_random.t
check_PROGRAMS += $(random_tests)
valgrind_tests += $(random_tests)
tests_random_distributions_t_SOURCES = tests/random_distributions.c tests/statistics.h tests/api.h
tests_random_equal_t_SOURCES = tests/random_equal.c tests/api.h
tests_random_choosing_t_SOURCES = tests/random_choosing.c tests/statistics.h tests/api.h
tests_meaning_random_t_SOURCES = tests/meaning_random.c tests/api.h
