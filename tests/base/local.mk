# SPDX-License-Identifier: BSD-3-Clause
# lib/base from inside.

base_tests = tests/base/alloc.t tests/base/cast.t tests/base/dtype.t tests/base/half.t \
  tests/base/map.t tests/base/random.t tests/base/shape.t
check_PROGRAMS += $(base_tests) tests/base/dense.t
valgrind_tests += tests/base/dense.t

tests_base_alloc_t_SOURCES = tests/base/alloc.c
tests_base_alloc_t_LDADD = $(internal_libs)
tests_base_cast_t_SOURCES = tests/base/cast.c
tests_base_cast_t_LDADD = $(internal_libs)
tests_base_dtype_t_SOURCES = tests/base/dtype.c tests/base/promotion.h
tests_base_dtype_t_LDADD = $(internal_libs)
tests_base_half_t_SOURCES = tests/base/half.c
tests_base_half_t_LDADD = $(internal_libs)
tests_base_map_t_SOURCES = tests/base/map.c
tests_base_map_t_LDADD = $(internal_libs)
tests_base_random_t_SOURCES = tests/base/random.c
tests_base_random_t_LDADD = $(internal_libs)
tests_base_shape_t_SOURCES = tests/base/shape.c
tests_base_shape_t_LDADD = $(internal_libs)
tests_base_dense_t_SOURCES = tests/base/dense.c
tests_base_dense_t_LDADD = $(internal_libs)
EXTRA_DIST += tests/data/base_promotion.py
