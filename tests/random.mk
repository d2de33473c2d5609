# SPDX-License-Identifier: BSD-3-Clause
# Tests of random numbers through the public interface; see tests/local.mk.
random_tests = tests/random_distributions.t tests/random_equal.t tests/random_choosing.t tests/meaning_random.t
check_PROGRAMS += $(random_tests)
valgrind_tests += $(random_tests)
tests_random_distributions_t_SOURCES = tests/random_distributions.c tests/statistics.h tests/api.h
tests_random_equal_t_SOURCES = tests/random_equal.c tests/api.h
tests_random_choosing_t_SOURCES = tests/random_choosing.c tests/statistics.h tests/api.h
tests_meaning_random_t_SOURCES = tests/meaning_random.c tests/api.h

# Filters, splines and masks of images.
image_tests = tests/api_filters.t tests/meaning_image.t tests/conform_image.t
check_PROGRAMS += $(image_tests)
valgrind_tests += tests/api_filters.t tests/meaning_image.t
tests_api_filters_t_SOURCES = tests/api_filters.c tests/data/filters.h tests/api.h
tests_meaning_image_t_SOURCES = tests/meaning_image.c tests/api.h
tests_conform_image_t_SOURCES = tests/conform_image.c
EXTRA_DIST += tests/data/filters.py
