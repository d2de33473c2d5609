# SPDX-License-Identifier: BSD-3-Clause
# Random numbers through the public interface.

check_PROGRAMS += tests/random/choosing.t tests/random/distributions.t tests/random/equal.t
valgrind_tests += tests/random/choosing.t tests/random/distributions.t tests/random/equal.t

tests_random_distributions_t_SOURCES = tests/random/distributions.c tests/random/statistics.h tests/api.h
tests_random_equal_t_SOURCES = tests/random/equal.c tests/api.h
tests_random_choosing_t_SOURCES = tests/random/choosing.c tests/random/statistics.h tests/api.h
