# SPDX-License-Identifier: BSD-3-Clause
# Tests of operations through the public interface; see tests/local.mk.

api_tests = tests/api_list.t tests/api_dtypes.t tests/api_elementwise.t tests/api_views.t tests/api_move.t \
  tests/api_reduce.t tests/api_linalg.t tests/api_fft.t tests/api_image.t tests/api_random.t
check_PROGRAMS += $(api_tests)
valgrind_tests += $(api_tests)
tests_api_list_t_SOURCES = tests/api_list.c tests/api.h
tests_api_dtypes_t_SOURCES = tests/api_dtypes.c tests/api.h
tests_api_elementwise_t_SOURCES = tests/api_elementwise.c tests/api.h
tests_api_views_t_SOURCES = tests/api_views.c tests/api.h
tests_api_move_t_SOURCES = tests/api_move.c tests/api.h
tests_api_reduce_t_SOURCES = tests/api_reduce.c tests/api.h
tests_api_linalg_t_SOURCES = tests/api_linalg.c tests/api.h
tests_api_fft_t_SOURCES = tests/api_fft.c tests/api.h
tests_api_image_t_SOURCES = tests/api_image.c tests/api.h
tests_api_random_t_SOURCES = tests/api_random.c tests/api.h
