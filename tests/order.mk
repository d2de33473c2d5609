# SPDX-License-Identifier: BSD-3-Clause
# Tests of scans, statistics, sorting, searching and sets; see tests/local.mk.

order_tests = tests/api_search.t tests/api_statistics.t tests/fault_alloc_order.t \
  tests/meaning_reduce.t tests/meaning_sort.t tests/api_sort.t tests/api_copy.t \
  tests/api_reduce_shapes.t tests/api_softmax.t
check_PROGRAMS += $(order_tests) tests/api_reduce_large.t tests/api_reduce_long.t tests/api_reduce_spread.t
# Under valgrind these two take minutes; the address sanitizer's build runs them.
valgrind_tests += $(filter-out tests/api_sort.t tests/api_reduce_shapes.t,$(order_tests))
tests_api_statistics_t_SOURCES = tests/api_statistics.c tests/api.h tests/statistics_input.h \
  tests/data/statistics.h
tests_api_statistics_t_LDADD = $(LDADD) -lm
tests_api_search_t_SOURCES = tests/api_search.c tests/api.h tests/statistics_input.h \
  tests/data/statistics.h
tests_api_search_t_LDADD = $(LDADD) -lm
tests_api_reduce_shapes_t_SOURCES = tests/api_reduce_shapes.c tests/api.h
tests_api_reduce_shapes_t_LDADD = $(LDADD) -lm
tests_api_reduce_large_t_SOURCES = tests/api_reduce_large.c tests/api.h
tests_api_reduce_large_t_LDADD = $(LDADD) -lm
tests_api_reduce_long_t_SOURCES = tests/api_reduce_long.c tests/api.h
tests_api_reduce_long_t_LDADD = $(LDADD) -lm
tests_api_reduce_spread_t_SOURCES = tests/api_reduce_spread.c tests/api.h
tests_api_reduce_spread_t_LDADD = $(LDADD) -lm
tests_api_softmax_t_SOURCES = tests/api_softmax.c tests/api.h
tests_api_softmax_t_LDADD = $(LDADD) -lm
check_PROGRAMS += tests/api_running.t tests/api_along.t tests/api_integers.t tests/api_zeros.t \
  tests/api_ranges.t
tests_api_integers_t_SOURCES = tests/api_integers.c tests/api.h
tests_api_zeros_t_SOURCES = tests/api_zeros.c tests/api.h
tests_api_zeros_t_LDADD = $(LDADD) -lm
tests_api_ranges_t_SOURCES = tests/api_ranges.c tests/api.h
tests_api_ranges_t_LDADD = $(LDADD) -lm
tests_api_along_t_SOURCES = tests/api_along.c tests/api.h
tests_api_running_t_SOURCES = tests/api_running.c tests/api.h
tests_api_running_t_LDADD = $(LDADD) -lm
tests_api_copy_t_SOURCES = tests/api_copy.c tests/api.h
tests_api_sort_t_SOURCES = tests/api_sort.c tests/api.h
tests_meaning_sort_t_SOURCES = tests/meaning_sort.c tests/api.h
tests_meaning_reduce_t_SOURCES = tests/meaning_reduce.c tests/api.h
tests_meaning_reduce_t_LDADD = $(LDADD) -lm
tests_fault_alloc_order_t_SOURCES = tests/fault_alloc_order.c tests/fault.h
EXTRA_DIST += tests/data/statistics.py
